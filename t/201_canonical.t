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

done_testing;
