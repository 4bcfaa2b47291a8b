# Atomic writing: a new file beside the old one, then its name. And lock_update.
use strict;
use warnings;
use lib 't/lib';
use Config;
use Fcntl qw(:flock :mode);
use File::Temp ();
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable cannot do this' if is_stock();
plan skip_all => 'no flock' if !$MODULE->can('CAN_FLOCK')->();

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $file = "$dir/file";
*lock_update = \&Permafrost::lock_update;
sub lock_update(&$);

# Names in the directory beside those given.
sub others {
    my %known = map { ($_ => 1) } @_;
    opendir my $handle, $dir or die $!;
    return join ' ', grep { !/\A\.\.?\z/ && !$known{$_} } readdir $handle;
}

our $atomic;
*atomic = \$Permafrost::atomic;
my %writer = (
    map({ my $name = $_; ($name => sub { local $Permafrost::atomic = 1; pf->{$name}->(@_) }) } qw(store nstore lock_store lock_nstore)),
    'an object' => sub { $MODULE->new(atomic => 1, trust => 'full')->store(@_) },
    'an object with a lock' => sub { $MODULE->new(atomic => 1, trust => 'full')->lock_store(@_) },
    'lock_update' => sub { my ($data, $file) = @_; local $Permafrost::atomic = 1; lock_update { $_ = $data; 1 } $file },
    'an object\'s lock_update' => sub { my ($data, $file) = @_; $MODULE->new(atomic => 1, trust => 'full')->lock_update(sub { $_ = $data; 1 }, $file) },
);
for my $name (sort keys %writer) {
    my $store = $writer{$name};
    unlink $file;
    umask 027;
    ok($store->(['new'], $file), "$name: a new file");
    is((stat $file)[2] & 07777, 0640, '... its mode is by umask');
    is_deeply(st->{retrieve}->($file), ['new'], '... its contents');

    chmod 0604, $file;
    my $before = (stat $file)[1];
    open my $old, '<', $file or die $!;
    ok($store->(['newer'], $file), '... over an old one');
    is_deeply(st->{retrieve}->($file), ['newer'], '... its contents');
    isnt((stat $file)[1], $before, '... it is another file');
    is((stat $file)[2] & 07777, 0604, '... of the same mode');
    is_deeply(st->{fd_retrieve}->($old), ['new'], '... who has the old one open reads that');
  SKIP: {
        skip 'not root', 2 if $> != 0;
        chown 4711, 4712, $file or skip 'cannot chown', 2;
        chmod 04755, $file;
        $store->(['owned'], $file);
        is(join(':', (stat $file)[4, 5]), '4711:4712', '... of the same owner');
        is((stat $file)[2] & 07777, 04755, '... and all of its mode');
        chown $>, $) + 0, $file;
        chmod 0600, $file;
    }

    ok(!eval { $store->([1, {x => sub { 1 }}], $file); 1 }, '... what cannot be stored');
    like($@, qr/Can't store CODE items \(at \$->\[1\]\{x\}\)/, '... says so');
    like($@, qr/ at \Q${\__FILE__}\E line \d+\.$/m, '... in the user\'s line');
    is_deeply(st->{retrieve}->($file), [$> ? 'newer' : 'owned'], '... the old one stays');
    is(others('file'), '', '... nothing else is left');

  SKIP: {
        skip 'no symbolic links', 7 if !eval { symlink 'file', "$dir/link"; 1 };
        symlink '../' . ($dir =~ s{.*/}{}r) . '/link', "$dir/link2";
        ok($store->(['through'], "$dir/link2"), '... through symbolic links');
        ok(-l "$dir/link" && -l "$dir/link2", '... which stay');
        is_deeply(st->{retrieve}->($file), ['through'], '... to the file');
        unlink $file;
        ok($store->(['made'], "$dir/link2"), '... to a file that is not there');
        is_deeply(st->{retrieve}->($file), ['made'], '... it is now');
        unlink "$dir/link", "$dir/link2";
        symlink 'loop2', "$dir/loop1";
        symlink 'loop1', "$dir/loop2";
        ok(!eval { $store->([1], "$dir/loop1"); 1 }, '... links that go round');
        is(others(qw(file loop1 loop2)), '', '... nothing is left');
        unlink "$dir/loop1", "$dir/loop2";
    }
    ok(!eval { $store->([1], "$dir/missing/file"); 1 }, '... a missing directory');
    like($@, qr/^can't (?:create|write into) \Q$dir\E\/missing\/file: /, '... says so');
    ok(!eval { $store->([1], $dir); 1 }, '... a directory');
    is(others('file'), '', '... nothing is left');
}

# A full disk: the old file stays
SKIP: {
    skip 'no ulimit', 8 if $^O ne 'linux' || !-e '/bin/sh';
    for my $kind (qw(store lock_store lock_update new)) {
        unlink $file;
        pf->{store}->(['old'], $file) if $kind ne 'new';
        my $code = $kind eq 'lock_update' ? 'Permafrost::lock_update(sub { $_ = ["x" x 1e6] }, $ARGV[0])' : 'Permafrost::' . ($kind eq 'new' ? 'store' : $kind) . '(["x" x 1e6], $ARGV[0]) or die $!';
        for my $atomic ($kind eq 'lock_update' ? (0, 1) : 1) {
            system '/bin/sh', '-c', 'ulimit -f 100; exec "$@"', 'sh', $^X, map({ "-I$_" } @INC), '-MPermafrost', '-e',
                "\$SIG{XFSZ} = 'IGNORE'; \$Permafrost::atomic = $atomic; eval { $code; 1 } or exit 3", $file;
            is($? >> 8, 3, "$kind, atomic $atomic: no room");
            is_deeply(scalar eval { st->{retrieve}->($file) }, $kind eq 'new' ? undef : ['old'], '... the old file is as it was');
            is(others('file'), '', '... nothing is left');
        }
    }
}

# A signal handler that dies
SKIP: {
    skip 'no ALRM', 2 if !$Config{d_alarm} || $^O ne 'linux';
    pf->{store}->(['old'], $file);
    my $died = 0;
    for (1 .. 20) {
        local $SIG{ALRM} = sub { die "alarm\n" };
        require Time::HiRes;
        local $Permafrost::atomic = 1;
        $died++ if !eval { Time::HiRes::ualarm(2000 + 200 * $_); pf->{store}->([('x' x 1000) x 3000], $file) for 1 .. 50; 1 };
        Time::HiRes::ualarm(0);
    }
    cmp_ok($died, '>', 0, 'a handler has died in the middle');
    is(others('file'), '', '... nothing is left');
}

# Devices and pipes are written directly
SKIP: {
    skip 'no /dev/null', 1 if !-c '/dev/null';
    local $Permafrost::atomic = 1;
    ok(pf->{store}->([1], '/dev/null'), 'a device');
    ok(-c '/dev/null', '... is still one');
}
SKIP: {
    require POSIX;
    skip 'no fifo', 1 if !eval { POSIX::mkfifo("$dir/fifo", 0600) };
    my $pid = fork // skip 'no fork', 1;
    if (!$pid) {
        local $Permafrost::atomic = 1;
        pf->{store}->(['fifo'], "$dir/fifo");
        POSIX::_exit(0);
    }
    is_deeply(pf->{retrieve}->("$dir/fifo"), ['fifo'], 'a pipe');
    waitpid $pid, 0;
    ok(-p "$dir/fifo", '... is still one');
    unlink "$dir/fifo";
}

# lock_update
unlink $file;
for my $atomic (0, 1) {
    local $Permafrost::atomic = $atomic;
    unlink $file;
    is(lock_update(sub { ok(!defined, 'no file yet'); $_ = {n => 1}; 'result' }, $file), 'result', "lock_update, atomic $atomic: what the block returns");
    is_deeply([lock_update { $_->{n}++; wantarray ? qw(a list) : 'no list' } $file], [qw(a list)], '... in list context');
    is_deeply(st->{retrieve}->($file), {n => 2}, '... the file');
    is(eval { lock_update { $_->{n} = 9; die "the block\n" } $file; 1 }, undef, '... a block that dies');
    is($@, "the block\n", '... its words');
    is_deeply(st->{retrieve}->($file), {n => 2}, '... the file stays');
    ok(defined eval { lock_update { undef $_; 'unchanged' } $file }, '... no data');
    is_deeply(st->{retrieve}->($file), {n => 2}, '... the file stays');
    ok(!eval { lock_update { $_ = 'text' } $file; 1 }, '... no reference');
    like($@, qr/^not a reference at \Q${\__FILE__}\E line ${\(__LINE__ - 1)}\.$/, '... its words');
    ok(!eval { lock_update { die "new\n" } "$dir/new"; 1 }, '... a block that dies, and no file');
    ok(!-e "$dir/new", '... none is made');
    lock_update { } "$dir/new";
    ok(!-e "$dir/new", '... nor of no data');
    for my $order (qw(store nstore)) {
        pf->{$order}->([1.1, 'x' x 1000], $file);
        lock_update { pop @$_ } $file;
        is_deeply(pf->{retrieve}->($file), [1.1], "... $order: shorter");
        is(!!pf->{file_magic}->($file)->{netorder}, $order eq 'nstore', '... the order is kept');
    }
    { local $_ = 'kept'; lock_update { $_->[0]++ } $file; is($_, 'kept', '... $_ of the caller'); }
    for my $bad ('', 'pst0', 'no image at all', substr(pf->{nstore}->([1 .. 9], "$dir/x") && do { open my $in, '<', "$dir/x"; local $/; <$in> }, 0, 15)) {
        open my $out, '>', $file or die $!;
        print {$out} $bad;
        close $out;
        ok(!eval { lock_update { $_ = [1] } $file; 1 }, '... no image in the file');
        like($@, qr/ at \Q${\__FILE__}\E line ${\(__LINE__ - 1)}\.$/m, '... the user\'s line');
        is(-s $file, length $bad, '... it stays');
        my $object = $MODULE->new(atomic => $atomic);
        ok(!eval { $object->lock_update(sub { $_ = [1] }, $file); 1 }, '... an object');
        isa_ok($@, 'Permafrost::Error', '... its error');
        like("$@", qr/ at \Q${\__FILE__}\E line ${\(__LINE__ - 2)}\.$/m, '... the user\'s line');
    }
    unlink "$dir/x";
    is(others('file'), '', '... nothing is left');
}
{
    my $mode;
    unlink $file;
    lock_update { $_ = [1]; open my $in, '<', $file or die $!; $mode = flock($in, LOCK_SH | LOCK_NB) ? 'free' : 'locked' } $file;
    is($mode, 'locked', 'the file is locked while the block runs, also a new one');
    open my $in, '<', $file or die $!;
    ok(flock($in, LOCK_EX | LOCK_NB), '... and not afterwards');
}

# Several at once: no change is lost, no reader sees less than a whole image
SKIP: {
    skip 'no fork', 3 if !$Config{d_fork};
    for my $atomic (0, 1) {
        unlink $file;
        my @pids;
        for my $child (1 .. 6) {
            my $pid = fork // die "fork: $!";
            if (!$pid) {
                local $Permafrost::atomic = $atomic;
                my $fine = eval {
                    for (1 .. 50) {
                        if ($child <= 4) { lock_update { $_->{n}++; $_->{pad} = 'x' x int rand 5000; 1 } $file }
                        else { my $data = -e $file ? pf->{lock_retrieve}->($file) : {n => 1}; die 'incomplete' if !$data || !$data->{n} }
                    }
                    1;
                };
                warn $@ if !$fine;
                POSIX::_exit($fine ? 0 : 1);
            }
            push @pids, $pid;
        }
        my $failed = 0;
        for (@pids) { waitpid $_, 0; $failed++ if $? }
        is($failed, 0, "atomic $atomic: readers and writers are content");
        is(pf->{retrieve}->($file)->{n}, 200, '... every change has been made');
        is(others('file'), '', '... nothing is left');
    }
}

done_testing();
