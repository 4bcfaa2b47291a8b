use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# $Storable::forgive_me: warnings and what stands for the item.

no warnings 'once';
my $code = sub { 1 };
for my $value (0, undef, '', 1, 'yes', -1) {
    local $Storable::forgive_me = $value;
    my $shown = defined $value ? "'$value'" : 'undef';
    for my $data ([$code], [\*STDOUT], {a => $code}, [$code, $code], [bless(sub { 1 }, 'Forgiven')], \$code, $code, [[$code], *STDOUT{IO}], [*STDOUT]) {
        for my $function (qw(freeze nfreeze dclone)) {
            same_outcome("forgive_me $shown: $function", sub { $_[0]{$function}->($data) });
        }
    }
}
{
    local $Storable::forgive_me = 1;
    my @warning;
    local $SIG{__WARN__} = sub { push @warning, $_[0] };
    my $thawed = pf->{thaw}->(pf->{freeze}->([$code, 'after']));
    is(scalar @warning, 1, 'one warning');
    like($warning[0], qr/CODE/, 'it names the type');
    like(${$thawed->[0]}, qr/CODE\(0x[0-9a-f]+\)/, 'a string stands for the item');
    is($thawed->[1], 'after', 'what follows is there');
    no warnings;
    @warning = ();
    pf->{freeze}->([$code]);
    my $ours = @warning;
    @warning = ();
    st->{freeze}->([$code]);
    is($ours, scalar @warning, 'number of warnings under no warnings');
    local $SIG{__WARN__} = sub { die "died: $_[0]" };
    same_outcome('warning that dies', sub { $_[0]{freeze}->([$code]) });
}
{
    package Forgive::Hook;
    sub STORABLE_freeze { return ('x', [sub { 1 }]) }
    sub STORABLE_thaw { $_[0]{ref} = $_[3] }
    package main;
    local $Storable::forgive_me = 1;
    same_outcome("in what a hook returns: $_", sub { my $x = $_[0]{$_}->([bless {}, 'Forgive::Hook']); $x = $_[0]{thaw}->($x) if !ref $x; $x->[0]{ref}[0] =~ /lost CODE/i ? 1 : $x })
      for qw(freeze nfreeze dclone);
}

done_testing;
