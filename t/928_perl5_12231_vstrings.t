# perl5 12231: vstrings stay vstrings.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

sub is_v { return Scalar::Util::reftype(\$_[0]) eq 'VSTRING' }

my %case = (
    'v1.2.3'   => [v1.2.3],
    'v65'      => [v65],
    '1.2.3'    => [1.2.3],
    'wide'     => [v9786.300.1],
    'long'     => [eval 'v' . join '.', 1 .. 200],
    'over 255' => [eval 'v' . join '.', (100) x 300],
    'twice'    => do { my $v = v1.22; [\$v, \$v] },
    'blessed'  => [bless \(my $v = v1.2), 'Some::Class'],
    'root'     => \(my $root = v5.36.0),
    'in a hash' => {version => v1.2, same => v1.2},
    'among others' => [1, v1.2, 'x', v3.4, {}, v1.2],
);
for my $name (sort keys %case) {
    same_everywhere($name, $case{$name});
}
for my $function (qw(freeze nfreeze dclone)) {
    my $back = $function eq 'dclone' ? pf->{dclone}->([v1.2.3, 'v1.2.3'])
      : pf->{thaw}->(pf->{$function}->([v1.2.3, 'v1.2.3']));
    ok(is_v($back->[0]), "$function: a vstring");
    is(sprintf('%vd', $back->[0]), '1.2.3', '... of this value');
    ok(!is_v($back->[1]), '... and a string is none');
}
{
    my $was = v1.2;
    $was = 'changed';
    same_everywhere('one that was changed', [$was]);
    my $version = version->declare('v1.2.3');
    same_everywhere('a version object', [$version]) if ref $version;
    is(pf->{dclone}->($version), $version, 'a version object clones');
}

# Images
same_thaw('VSTRING',  "\5\x0b\x1d\4v1.2\x0a\2\1\2");
same_thaw('LVSTRING', "\5\x0b\x1e\0\0\0\4v1.2\x0a\2\1\2");
same_thaw('cut',      "\5\x0b\x1d\4v1.");
same_thaw('cut later', "\5\x0b\x1d\4v1.2\x0a\2\1");

done_testing();
