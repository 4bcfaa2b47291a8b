# perl5 13041: a freeze hook that returns '' gives the thaw hook a defined ''.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

{
    package Hooked;
    our (@returns, @seen);
    sub STORABLE_freeze { return @returns }
    sub STORABLE_thaw { my ($self, $cloning, @rest) = @_; push @seen, \@rest; return }
    package Attached;
    our @returns;
    sub STORABLE_freeze { return @returns }
    sub STORABLE_attach { push @Hooked::seen, [$_[2]]; return bless {}, $_[0] }
}

for my $returns ([''], ['', []], [0], ['0', \1], [undef], [undef, []], ["\0"], [' '], ["\x{263a}"], ["\x{e9}"],
    [1.5], [-1], ['x' x 256], ['x' x 70_000], ['', [1], {a => 2}, \3]) {
    for my $class ('Hooked', 'Attached') {
        next if $class eq 'Attached' && @$returns > 1;
        my $name = join ', ', map { !defined $_ ? 'undef' : ref $_ ? ref $_ : length > 10 ? length : "'" . join('', map { sprintf '%x ', ord } split //) . "'" } @$returns;
        for my $function (qw(freeze nfreeze dclone)) {
            no warnings;
            local @Hooked::returns   = @$returns;
            local @Attached::returns = @$returns;
            my ($ours, $theirs) = on_both(sub {
                my ($m) = @_;
                local @Hooked::seen;
                local $SIG{__WARN__} = sub { };
                my $image = $m->{$function}->([bless {}, $class]);
                $m->{thaw}->($image) if $function ne 'dclone';
                return join "\n", $function eq 'dclone' ? '' : unpack('H*', $image), tagged(\@Hooked::seen);
            });
            is($ours, $theirs, "$class, $function: ($name)");
        }
    }
}
for my $function (qw(freeze nfreeze)) {
    local @Hooked::returns = ('');
    local @Hooked::seen;
    pf->{thaw}->(pf->{$function}->(bless {}, 'Hooked'));
    ok(defined $Hooked::seen[0][0], "$function and thaw: defined");
    is($Hooked::seen[0][0], '', '... and empty');
    is(scalar @{$Hooked::seen[0]}, 1, '... and alone');
}
local @Hooked::returns = ('');
local @Hooked::seen;
pf->{dclone}->(bless {}, 'Hooked');
is($Hooked::seen[0][0], '', 'dclone: a defined empty string');

done_testing();
