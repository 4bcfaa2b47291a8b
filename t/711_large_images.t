# Images over 64 MB: what store cannot hold in memory waits in a file beside the other.
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Scalar::Util qw(weaken);
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable writes as it goes' if is_stock();
my $dir = File::Temp::tempdir(CLEANUP => 1);
my $free = $^O eq 'linux' ? (split ' ', (`df -Pk $dir 2>/dev/null` =~ /^.*\n(.*)/)[0] // '')[3] // 0 : 0;
plan skip_all => 'needs 500 MB of disk, on Linux' if $free < 500_000;
my $file = "$dir/file";

{ package Hook; sub STORABLE_freeze { return 'x' } sub STORABLE_thaw { } }

sub others { opendir my $handle, $dir or die $!; return join ' ', grep { !/\A(?:\.\.?|file)\z/ } readdir $handle }

# 70 MB, and one thing more at the end
my $piece = join '', map { chr } map { $_ % 256 } 1 .. 1_000_000;
my $weak = [1];
my %last = (nothing => [], 'a weak reference' => [$weak, [$weak]], 'a hook' => [bless [], 'Hook'], 'shared with the first' => []);
weaken($last{'a weak reference'}[1][0]);
for my $what (sort keys %last) {
    my $data = [{first => 1}, ($piece) x 70, @{ $last{$what} }];
    push @$data, $data->[0] if $what =~ /^shared/;
    for my $writer ($what eq 'nothing' ? qw(nstore lock_store atomic object) : 'store') {
        my $store = $writer eq 'object' ? sub { $MODULE->new(trust => 'full')->store(@_) }
            : $writer eq 'atomic' ? sub { local $Permafrost::atomic = 1; pf->{nstore}->(@_) } : pf->{$writer};
        is($store->($data, $file), 1, "$what, $writer");
        my $copy = eval { pf->{retrieve}->($file) };
        is(scalar @{ $copy // [] }, scalar @$data, '... all is there') or diag $@;
        is(scalar(grep { $copy->[$_] ne $piece } 1 .. 70), 0, '... as it was');
        is($copy->[0], $copy->[-1], '... shared') if $what =~ /^shared/;
        is($copy->[71], $copy->[72][0], '... the reference') if $what =~ /^a weak/;
        is(ref $copy->[-1], 'Hook', '... the object') if $what eq 'a hook';
        is(others(), '', '... nothing else is left');
    }
}

# What cannot be stored at the end leaves the old file
pf->{store}->(['old'], $file);
ok(!eval { pf->{store}->([($piece) x 70, sub { 1 }], $file); 1 }, 'code at the end');
like($@, qr/^Can't store CODE items \(at \$->\[70\]\)/, '... says so');
is_deeply(pf->{retrieve}->($file), ['old'], '... the old file stays');
is(others(), '', '... nothing else is left');

# A limit counts all of it
my $object = $MODULE->new(max_bytes => 68_000_000);
ok(!eval { $object->store([($piece) x 70], $file); 1 }, 'max_bytes');
is($@->name, 'bytes', '... name');

# Where no file can be made beside, all stays in memory
SKIP: {
    skip 'root may write anywhere', 2 if $> == 0;
    chmod 0500, $dir;
    is(eval { pf->{store}->([($piece) x 70], $file) }, 1, 'a directory that is not ours');
    chmod 0700, $dir;
    is(scalar @{ pf->{retrieve}->($file) }, 70, '... all is there');
}
is(pf->{store}->([($piece) x 70], '/dev/null'), 1, 'a device');

# Memory: that of a large image is less than the image
SKIP: for my $how ('store(\@data, shift)', 'open(OUT, q(>), shift) && store_fd(\@data, *OUT) && close OUT') {
    skip 'no /proc', 3 if !-r '/proc/self/status';
    skip 'freed memory is kept', 3 if keeps_freed_memory();
    my $grown = `"$^X" @{[map { qq("-I$_") } @INC]} -MPermafrost=:DEFAULT,store_fd -e 'sub peak { open my \$in, "<", "/proc/self/status"; (map { /VmHWM:\\s+(\\d+)/ } <\$in>)[0] } my \@data = ("x" x 1_000_000) x 160; my \$before = peak(); $how or die; print peak() - \$before' $file`;
    is(-s $file, 160 * 1_000_005 + length 'pst0' . pf->{freeze}->([]), '160 MB');
    like($grown, qr/\A[0-9]+\z/, '... was measured');
    cmp_ok($grown, '<', 130_000, '... took less than 130 MB of memory');
}

# A handle gets nothing before the image is whole, and it need not be one of a file.
local $ENV{TMPDIR} = File::Temp::tempdir(CLEANUP => 1);
for my $function (qw(store_fd nstore_fd)) {
    open my $out, '>:raw', $file or die $!;
    print {$out} 'before';
    is(pf->{$function}->([($piece) x 70, 'last'], $out), 1, "$function: 70 MB");
    print {$out} 'behind';
    is(tell $out, -s $out, '... the handle knows where it is') if close($out) && open $out, '>>', $file;
    close $out;
    open my $in, '<:raw', $file or die $!;
    read $in, my $text, 6;
    my $copy = eval { pf->{fd_retrieve}->($in) };
    is(scalar(grep { $copy->[$_] eq $piece } 0 .. 69), 70, '... as it was');
    is($copy->[70], 'last', '... to the end');
    read $in, $text, 7;
    is($text, 'behind', '... and what follows');

    open $out, '>:raw', $file or die $!;
    ok(!eval { pf->{$function}->([($piece) x 70, sub { 1 }], $out); 1 }, "$function: code at the end");
    like($@, qr/^Can't store CODE items \(at \$->\[70\]\)/, '... says so');
    close $out or die $!;
    is(-s $file, 0, '... nothing has been sent');

    open $out, '>', \my $memory or die $!;
    is(pf->{$function}->([($piece) x 70], $out), 1, "$function: a handle in memory");
    close $out;
    is(length $memory, 70 * 1_000_005 + ($function eq 'store_fd' ? length(pf->{freeze}->([])) : 7) + 4, '... all of it');
}
opendir my $left, $ENV{TMPDIR} or die $!;
is(scalar(grep { !/\A\.\.?\z/ } readdir $left), 0, 'nothing is left');

done_testing();
