use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# $Storable::canonical: sorted keys, equal images of equal data, ignored by dclone.

my %h = map { ("key $_" => $_) } 1 .. 50;
my %other;
$other{"key $_"} = $_ for reverse 1 .. 50;
keys(%other) = 500;
{
    local $Storable::canonical = 1;
    for my $function (qw(freeze nfreeze)) {
        is(pf->{$function}->(\%h), pf->{$function}->(\%other), "$function: equal data, equal images");
        is(pf->{$function}->(\%h), st->{$function}->(\%h), "$function: Storable's image");
    }
    my $upgraded = "\xe9";
    utf8::upgrade($upgraded);
    same_everywhere('keys of every kind', {map { $_ => [$_] } '', 0, 1, 10, 9, 'a', 'A', 'aa', 'b', "\0", "a\0", "\xe8", $upgraded, "\xff", "\x{100}", "\x{263a}", "\x{ffff}", "\x{10000}", "\x{10ffff}", "\xc4\x80"});
    same_everywhere('nested', {a => \%h, b => [\%other, {z => 1, y => {x => 1, w => 2}}]});
    same_everywhere('object', bless {z => 1, a => 2}, 'K');
    my %shared = (x => [1], y => 1);
    $shared{z} = $shared{x};
    $shared{a} = \$shared{y};
    same_everywhere('shared', \%shared);
    use Hash::Util ();
    my %restricted = (b => 1, a => 2);
    Hash::Util::lock_keys(%restricted, qw(a b z y c), "\x{100}", "\xe9");
    same_everywhere('restricted', \%restricted);
    Hash::Util::unlock_keys(%restricted);
    same_everywhere('placeholders left', \%restricted);
    same_everywhere("$_ keys", {map { ("$_$_" => 1) } 1 .. $_}) for 0 .. 20, 100, 1000;
    my %numbers = map { $_ => 1 } -20 .. 20;
    same_everywhere('numbers', \%numbers);
    {
        use locale;
        same_everywhere('under locale', {map { $_ => 1 } 'a' .. 'f', 'A' .. 'F', "\xe9"});
    }
}
for my $value (0, '', undef, '0', 1, 'yes', -1, '0.0', [], 0.5) {
    local $Storable::canonical = $value;
    my $shown = defined $value ? "'$value'" : 'undef';
    my %small = map { $_ => 1 } 'a' .. 'p';
    is(pf->{freeze}->(\%small), st->{freeze}->(\%small), "canonical $shown: freeze") ;
    is(tagged(pf->{dclone}->(\%small)), tagged(st->{dclone}->(\%small)), "canonical $shown: dclone");
}
{
    # dclone asks hooks in the hash's own order whatever canonical says.
    our @order;
    { package Order; sub STORABLE_freeze { push @main::order, $_[0]{n}; return $_[0]{n} } sub STORABLE_thaw { $_[0]{n} = $_[2]; push @main::order, "t$_[2]" } }
    my %objects = map { $_ => bless {n => $_}, 'Order' } 'a' .. 'p';
    for my $canonical (0, 1) {
        local $Storable::canonical = $canonical;
        same_outcome("canonical $canonical: order of hooks, $_", sub { my ($m) = @_; @order = (); $m->{$_}->(\%objects); "@order" })
          for qw(dclone freeze nfreeze);
    }
}

# Keys that are hard to sort: much in common, one the beginning of another, zeros at the end, spelled
# in UTF-8 beside bytes. As many as are sorted by insertion, by bytes, and in several rounds.
sub hard_keys {
    my $count = shift;
    my ($long, $random) = ('x' x 200, 12345);
    my $next = sub { $random = ($random * 1103515245 + 12345) % 2**31; return $random >> 8 };
    return (
        'letters'              => [map { join '', map { chr(97 + $next->() % 26) } 1 .. 10 } 1 .. $count],
        'any bytes'            => [map { pack 'C*', map { $next->() % 256 } 0 .. $next->() % 20 } 1 .. $count],
        'two bytes'            => [map { join '', map { ("\0", "\xff")[$next->() % 2] } 0 .. $next->() % 30 } 1 .. $count],
        'numbers'              => [1 .. $count],
        'paths'                => [map { '/usr/share/' . $next->() % 3 . '/doc/' . $next->() % 7 . "/$_.txt" } 1 .. $count],
        'beginnings'           => [map { substr $long, 0, $_ } 0 .. ($count < 200 ? $count : 200)],
        'beginnings, zeros'    => [map { 'key' . "\0" x $_ } 0 .. $count % 500],
        'alike for long'       => [map { $long . $_ % 10 . $long . $_ } 1 .. $count],
        'late rounds'          => [map { join '', map { chr(97 + $next->() % 2) x 8 } 0 .. $next->() % 14 } 1 .. $count],
        'wide and bytes'       => [map { my $n = $_; map { chr(0xe0 + $n % 32) . $_ . $n } '', chr 0x100, chr(0x10000 + $n) } 1 .. $count / 3],
        'wide, alike'          => [map { "\x{263a}" x ($_ % 9) . "\xe9" x ($_ % 4) . $_ } 1 .. $count],
    );
}
for my $count (2, 3, 24, 25, 60, 3000) {
    local $Storable::canonical = 1;
    my %keys = hard_keys($count);
    for my $kind (sort keys %keys) {
        my %hash = map { ($_ => 1) } @{ $keys{$kind} };
        my $image = pf->{nfreeze}->(\%hash);
        ok($image eq st->{nfreeze}->(\%hash), "$kind, $count: Storable's order");
        next if grep { utf8::is_utf8($_) } keys %hash;
        my ($at, @order) = (7);
        while ($at < length $image) {       # each value is two bytes: the number 1
            my $len = unpack 'N', substr $image, $at + 2, 4;
            push @order, substr $image, $at + 6, $len;
            $at += 6 + $len;
        }
        ok("@order" eq join(' ', sort keys %hash), "$kind, $count: perl's order");
    }
}

done_testing;
