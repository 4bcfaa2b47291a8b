use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# STORABLE_attach.

our (@log, %attach, @extra);
{
    package Attach;
    sub STORABLE_freeze { my ($self, @rest) = @_; push @main::log, "freeze @rest"; return ('string of ' . Scalar::Util::reftype($self), @main::extra) }
    sub STORABLE_attach {
        my ($class, @rest) = @_;
        push @main::log, join ' ', 'attach', $class, scalar @_, (defined wantarray ? wantarray ? 'list' : 'scalar' : 'void'), map { defined $_ ? "'$_'" : 'undef' } @rest;
        return $main::attach{$class}->(@_) if $main::attach{$class};
        return bless {got => $rest[1]}, $class;
    }
    package Attach::Child;  our @ISA = 'Attach';
    package Attach::Grandchild; our @ISA = 'Attach::Child';
    package Attach::Both;   our @ISA = 'Attach'; sub STORABLE_thaw { push @main::log, 'thaw'; return }
    package Attach::Isa;    our @ISA = 'Attach'; sub isa { push @main::log, "isa $_[1]"; return 1 }
    package Attach::NotIsa; our @ISA = 'Attach'; sub isa { push @main::log, "isa $_[1]"; return 0 }
    package Attach::Over;   our @ISA = 'Attach'; use overload '""' => sub { 'over' }, 'bool' => sub { 0 };
}
sub same_run {
    my ($name, $data) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    same_outcome("$name: $_", sub { my ($m) = @_; @log = (); my $r = $m->{$_}->($data); $r = $m->{thaw}->($r) unless ref $r; [$r, @log] }) for qw(freeze nfreeze dclone);
}
my %make = (hash => sub { {a => 1} }, array => sub { [1] }, scalar => sub { \(my $x = 1) }, ref => sub { \(my $x = [1]) });
for my $kind (sort keys %make) {
    for my $class (map { $_ ? "Attach::$_" : 'Attach' } '', qw(Child Grandchild Both Isa NotIsa Over)) {
        my $object = bless $make{$kind}->(), $class;
        same_run("$class, $kind", $object);
        same_run("$class, $kind, as item twice", [$object, $object, {o => $object}, \$object]);
        my @weak = ($object, $object);
        Scalar::Util::weaken($weak[0]);
        same_run("$class, $kind, weak first", \@weak);
        my $shared = [];
        same_run("$class, $kind, before a shared thing", [$object, $shared, $shared]);
    }
}
my %return = (
    'other kind' => sub { bless [], $_[0] }, 'scalar object' => sub { bless \my $x, $_[0] }, 'child' => sub { bless {}, 'Attach::Grandchild' },
    'same object each time' => do { my $one = bless {}, 'Attach'; sub { $one } }, 'parent' => sub { bless {}, 'Attach' }, 'unrelated' => sub { bless {}, 'Unrelated' },
    'plain reference' => sub { {} }, 'undef' => sub { undef }, 'nothing' => sub { return }, 'string' => sub { 'text' }, 'class name' => sub { $_[0] }, 'number' => sub { 1 },
    'several' => sub { return (bless({}, $_[0]), bless([], $_[0])) }, 'dies' => sub { die "attach died\n" }, 'code' => sub { bless sub { 1 }, $_[0] },
    'regexp' => sub { bless qr/x/, $_[0] }, 'tied' => sub { tie my %x, 'Attach::Tie'; bless \%x, $_[0] },
);
{ package Attach::Tie; sub TIEHASH { bless [] } sub FETCH { } sub FIRSTKEY { } }
for my $what (sort keys %return) {
    for my $class ('Attach', 'Attach::Child') {
        local $attach{$class} = $return{$what};
        same_run("$class returns $what", bless {}, $class);
        same_run("$class returns $what, as item", [bless({}, $class), [], bless({}, $class)]);
    }
}
for my $list ([[1]], [[1], {2, 3}], [\1]) {
    local @extra = @$list;
    same_run('freeze with ' . @extra . ' references', [bless {}, 'Attach']);
}
same_thaw('image with references for a class that attaches', "\x05\x0b\x13\xc2\x02\0\0\0\0\x82\x06Attach\x01x\x01\0\0\0\x01");
{
    local @extra = ();
    my $attach = \&Attach::STORABLE_attach;
    no warnings 'redefine';
    local *Attach::STORABLE_freeze = sub { return };
    same_run('empty list', [bless({a => 1}, 'Attach'), bless([], 'Attach')]);
}

done_testing;
