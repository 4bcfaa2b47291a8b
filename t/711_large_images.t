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
SKIP: {
    skip 'no /proc', 2 if !-r '/proc/self/status';
    skip 'a sanitizer takes memory of its own', 2 if ($ENV{LD_PRELOAD} // '') =~ /asan/;
    my $grown = `"$^X" @{[map { qq("-I$_") } @INC]} -MPermafrost -e 'sub peak { open my \$in, "<", "/proc/self/status"; (map { /VmHWM:\\s+(\\d+)/ } <\$in>)[0] } my \@data = ("x" x 1_000_000) x 160; my \$before = peak(); Permafrost::store(\\\@data, shift) or die; print peak() - \$before' $file`;
    is(-s $file, 160 * 1_000_005 + 24, '160 MB');
    cmp_ok($grown, '<', 130_000, '... took less than 130 MB of memory');
}

done_testing();
