# store_fd, nstore_fd, fd_retrieve, retrieve_fd on every sort of handle.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use File::Temp ();
use IO::File ();
use IO::Handle ();
use Socket;
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
END { chdir $home if defined $home }

our @HANDLES;

sub bytes {
    my ($name) = @_;
    open my $in, '<:raw', $name or die "$name: $!";
    local $/;
    return unpack 'H*', <$in>;
}

my $data = {list => [1 .. 5], text => "\x{e9}\r\n", wide => "\x{263a}\n", big => 'x' x 3000};
$data = [$data, $data];

# A file
for my $writer (qw(store_fd nstore_fd)) {
    my ($ours) = on_both(sub {
        my ($m) = @_;
        open my $out, '>', "$m->{name}.img" or die $!;
        my $result = $m->{$writer}->($data, $out);
        close $out or die $!;
        return $result;
    });
    is($ours, 1, "$writer returns 1");
    my $memory = pf->{$writer eq 'store_fd' ? 'freeze' : 'nfreeze'}->($data);
    is(bytes("$MODULE.img"), unpack('H*', "pst0$memory"), "$writer: the file image");
    for my $reader (qw(fd_retrieve retrieve_fd)) {
        for my $name ($MODULE, 'Storable') {
            open my $in, '<', "$name.img" or die $!;
            is(tagged(pf->{$reader}->($in)), tagged($data), "$reader from the file of $name");
        }
    }
}
{
    open my $out, '>', 'list';
    my @result = pf->{store_fd}->([], $out);
    is_deeply(\@result, [1], 'in list context');
}

# Ways to name a handle
our $SCALAR;
for my $way (
    ['*GLOB',       sub { *main::NAMED }],
    ['\*GLOB',      sub { \*main::NAMED }],
    ['*GLOB{IO}',   sub { *main::NAMED{IO} }],
    ['"main::NAMED"', sub { 'main::NAMED' }],
    ['copied glob', sub { my $glob = *main::NAMED; $glob }],
  ) {
    my ($what, $handle) = @$way;
    open NAMED, '>', 'named' or die $!;
    is(outcome(sub { pf->{store_fd}->([$what], $handle->()) })->{value}, 1, "store_fd to $what");
    close NAMED;
    open NAMED, '<', 'named' or die $!;
    is_deeply(outcome(sub { pf->{fd_retrieve}->($handle->()) })->{value}, [$what],
        "fd_retrieve from $what");
    close NAMED;
}
{
    my $file = IO::File->new('iofile', 'w');
    ok(pf->{nstore_fd}->($data, $file), 'nstore_fd to an IO::File');
    $file->close;
    $file = IO::File->new('iofile', 'r');
    is(tagged(pf->{fd_retrieve}->($file)), tagged($data), 'fd_retrieve from it');
}

# No handles
open my $closed, '<', $0 && 'iofile';
close $closed;
my $unopened = IO::Handle->new;
my @wrong = (
    ['nothing'], ['undef', undef], ['an empty name', ''], ['an unknown name', 'main::NOTHING'],
    ['a closed one', $closed], ['an unopened one', $unopened], ['a number', 1],
    ['a hash', {}], ['a scalar', \1], ['an object', bless {}, 'Some::Class'],
    ['a reference to one', \$closed],
);
for (@wrong) {
    my ($what, @handle) = @$_;
    for my $function (qw(store_fd nstore_fd)) {
        same_outcome("$function, $what", sub { $_[0]{$function}->([1], @handle) });
    }
    for my $function (qw(fd_retrieve retrieve_fd)) {
        same_outcome("$function, $what", sub { $_[0]{$function}->(@handle) });
    }
}
same_outcome('store_fd of no reference', sub { $_[0]{store_fd}->('x', \*STDOUT) });
same_outcome('store_fd, three arguments', sub { $_[0]{store_fd}->([], \*STDOUT, 'x') });
same_outcome('fd_retrieve, write only', sub {
    open my $h, '>', 'wo';
    my $value = eval { $_[0]{fd_retrieve}->($h) };
    my $error = $@;
    { no warnings; close $h }
    die $error if $error;
    return $value;
});

# Several images and lines on one handle
sub sequence {
    my ($name, $out, $in) = @_;
    my @items = ([1], {a => ['x' x 70_000]}, \(my $text = "text"), bless([], 'Some::Class'));
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if (!$pid) {
        close $in;
        for my $i (0 .. $#items) {
            pf->{$i % 2 ? 'store_fd' : 'nstore_fd'}->($items[$i], $out);
            print {$out} "line $i\n";
        }
        close $out;
        require POSIX;
        POSIX::_exit(0);
    }
    close $out;
    for my $i (0 .. $#items) {
        is(tagged(pf->{fd_retrieve}->($in)), tagged($items[$i]), "$name: image $i");
        is(scalar <$in>, "line $i\n", "$name: line $i");
    }
    my $end = outcome(sub { pf->{fd_retrieve}->($in) });
    is($end->{error}, 'Magic number checking on storable file failed', "$name: end of file");
    close $in;
    waitpid $pid, 0;
    return;
}
{
    pipe my $in, my $out or die "pipe: $!";
    sequence('pipe', $out, $in);
}
SKIP: {
    socketpair my $in, my $out, AF_UNIX, SOCK_STREAM, PF_UNSPEC or skip "no socketpair: $!", 9;
    sequence('socket', $out, $in);
}

# In memory
{
    my $buffer = '';
    open my $out, '>', \$buffer or die $!;
    is(pf->{store_fd}->($data, $out), 1, 'store_fd to an in-memory handle');
    print {$out} "tail\n";
    close $out;
    is(unpack('H*', $buffer), unpack('H*', 'pst0' . pf->{freeze}->($data) . "tail\n"), '... bytes');
    open my $in, '<', \$buffer or die $!;
    is(tagged(pf->{fd_retrieve}->($in)), tagged($data), 'fd_retrieve from it');
    is(tell $in, length($buffer) - 5, '... tell');
    is(scalar <$in>, "tail\n", '... the rest');
}

# Read and write, append, duplicates
{
    open my $both, '+>', 'both' or die $!;
    pf->{store_fd}->([1], $both);
    seek $both, 0, 0;
    is_deeply(pf->{fd_retrieve}->($both), [1], 'a handle for both');
    for (1, 2) {
        open my $out, '>>', 'append' or die $!;
        pf->{store_fd}->([$_], $out);
    }
    open my $in, '<', 'append' or die $!;
    is_deeply([map { pf->{fd_retrieve}->($in)->[0] } 1, 2], [1, 2], 'appended images');
    open my $one, '>', 'dup' or die $!;
    open my $two, '>&', $one or die $!;
    pf->{store_fd}->([1], $one);
    close $one;
    pf->{store_fd}->([2], $two);
    close $two;
    open $in, '<', 'dup' or die $!;
    is_deeply([map { pf->{fd_retrieve}->($in)->[0] } 1, 2], [1, 2], 'duplicated handles');
}

# Buffering is left to the handle
{
    open my $out, '>', 'buffer' or die $!;
    pf->{store_fd}->([1], $out);
    my $before = -s 'buffer';
    print {$out} "line\n";
    close $out;
    is($before, 0, 'a small image waits in the buffer');
    open $out, '>', 'buffer' or die $!;
    $out->autoflush(1);
    pf->{store_fd}->([1], $out);
    is(-s 'buffer', length(pf->{freeze}->([1])) + 4, '$| sends it');
}

# Layers
my $has_encode = eval { require PerlIO::encoding; 1 };      # perls can be built without
for my $layer (':utf8', ($has_encode ? ':encoding(UTF-8)' : ()), ':raw', ':unix') {
    no warnings;
    my ($ours, $theirs) = on_both(sub {
        my ($m) = @_;
        open my $out, ">$layer", "$m->{name}.layer" or die $!;
        my $before = join ' ', PerlIO::get_layers($out);
        my $text = $m->{nstore_fd}->(["\x{e9}" x 200, -5], $out) . " $before > ";
        $text .= join ' ', PerlIO::get_layers($out);
        print {$out} "\x{e9}\n";
        close $out;
        return "$text " . bytes("$m->{name}.layer");
    });
    is($ours, $theirs, "writing through $layer");
    next if $layer =~ /enc/;
    ($ours, $theirs) = on_both(sub {
        my ($m) = @_;
        open my $out, '>:raw', 'in';
        print {$out} 'pst0', st->{nfreeze}->(["\x{e9}" x 200, -5]), "\xc3\xa9\n";
        close $out;
        open my $in, "<$layer", 'in' or die $!;
        my $got  = tagged($m->{fd_retrieve}->($in));
        my $rest = unpack 'H*', do { my $l = <$in>; utf8::encode($l) if utf8::is_utf8($l); $l };
        return join ' ', $got, PerlIO::get_layers($in), $rest;
    });
    is($ours, $theirs, "reading through $layer");
}

# perl's variables
{
    my ($size, $back);
    {
        local ($,, $\, $/) = ('comma', 'end', undef);
        open my $out, '>', 'variables';
        pf->{nstore_fd}->([1], $out);
        close $out;
        $size = -s 'variables';
        open my $in, '<', 'variables';
        $back = pf->{fd_retrieve}->($in);
    }
    is($size, 13, 'odd $, $\ $/: written');
    is_deeply($back, [1], 'odd $, $\ $/: read');
}

# Tied handles have no PerlIO behind them
{
    package Tied;
    sub TIEHANDLE { my ($class, %self) = @_; return bless \%self, $class }
    sub FILENO { return $_[0]{fileno} }
    sub PRINT  { my $self = shift; $self->{got} .= join '', @_; return 1 }
    sub WRITE  { my ($self, $b, $n, $o) = @_; $self->{got} .= substr $b, $o || 0, $n; return $n }
    sub READ   { $_[0]{read}++; return 0 }
    sub CLOSE  { 1 }
}
{
    no warnings;
    tie *TIED, 'Tied';
    same_outcome('store_fd to a tied handle without FILENO', sub { $_[0]{store_fd}->([1], \*TIED) });
    same_outcome('fd_retrieve from one', sub { $_[0]{fd_retrieve}->(\*TIED) });
    untie *TIED;
}

# flags
for my $flags (undef, 0, 2, 4, 6) {
    open my $out, '>', 'flags';
    st->{nstore_fd}->([bless [], 'Some::Class'], $out);
    close $out;
    same_outcome('fd_retrieve, flags ' . (defined $flags ? $flags : 'undef'),
        sub { open my $in, '<', 'flags'; $_[0]{fd_retrieve}->($in, $flags) });
}

# Cut and no image
for my $text ('', 'p', 'pst0', 'garbage that is long enough', "pst0\5\x0b", "pst0\5\x0b\2\0\0\0\1",
    pf->{nfreeze}->([1 .. 20])) {
    for my $sort (qw(memory pipe)) {
        same_outcome("fd_retrieve from $sort: " . unpack('H*', $text), sub {
            my ($in, $out);
            if ($sort eq 'pipe') { pipe $in, $out; print {$out} $text; close $out }
            else                 { open $in, '<', \(my $copy = $text) }
            return $_[0]{fd_retrieve}->($in);
        });
    }
}

done_testing();
