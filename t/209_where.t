# What cannot be stored: the message says where it is, in Perl's own notation.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable does not say where' if is_stock();

{ package Tie;      sub TIEHASH { bless $_[1] } sub TIEARRAY { bless $_[1] } sub TIESCALAR { bless $_[1] } sub FETCH { } }
{ package Returns;  sub STORABLE_freeze { return ('x', [1], {a => sub { 1 }}) } sub STORABLE_thaw { } }
{ package Contents; sub STORABLE_freeze { return ('x', \$_[0]{c}) } sub STORABLE_thaw { } }
{ package NoRef;    sub STORABLE_freeze { return ('x', 1) } }
{ package Grows;    sub STORABLE_freeze { push @{ $_[0]{list} }, 1; return 'x' } sub STORABLE_thaw { } }

my $code = sub { 1 };

sub where {
    my ($data, $function) = @_;
    return 'stored' if eval { pf->{$function || 'freeze'}->($data); 1 };
    my ($text) = $@ =~ /\A(?:Can't store \w+ items|Item #1 returned.*?reference|Max\. .*? exceeded) \(at (.*)\) at \Q${\__FILE__}\E line \d+\.\n\z/;
    return $text // "no place in: $@";
}

sub is_where {
    my ($data, $path, $what) = @_;
    is(where($data), $path, $what || $path);
    is(where($data, 'dclone'), $path, '... dclone') if ref $data;
    return;
}

# Arrays, hashes, references
is_where({jobs => [1, 2, 3, {cb => $code}]}, '$->{jobs}[3]{cb}');
is_where([\*STDOUT], '$->[0]', 'what an item refers to');
is_where([*STDOUT], '$->[0]', 'the item itself');
is_where($code, '$');
is_where(\$code, '${$}');
is_where(\\$code, '${${$}}');
is_where([\\$code], '${${$->[0]}}');
is_where([\{a => $code}], '${$->[0]}->{a}');
is_where(bless([bless {a => $code}, 'B'], 'A'), '$->[0]{a}', 'objects');
is_where([map({ ; my @list = ($_) x 3; {a => \@list} } 1 .. 200), [$code]], '$->[200][0]', 'behind much else');
is_where({map({ ($_ => [$_]) } 1 .. 200), 'a' => [$code]}, '$->{a}[0]', 'a large hash');
{
    local ($Storable::canonical, $Permafrost::canonical) = (1, 1);
    is_where({map({ ($_ => [$_]) } 1 .. 200), 'a' => [$code]}, '$->{a}[0]', 'a sorted hash');
}

# Keys
for my $case (['a b', '"a b"'], ['', '""'], ['7', '7'], ['007', '"007"'], ['-7', '"-7"'], ['1234567890', '"1234567890"'],
    ['_x1', '_x1'], ['1x', '"1x"'], ["\x{263a}\$", '"\x{263a}\$"'], ["\x{e9}", '"\x{e9}"'], ["\0\n", '"\x{0}\x{a}"'],
    ['"\\@', '"\"\\\\\@"'], ['k' x 48, 'k' x 48], ['k' x 49, '"' . 'k' x 48 . '"...'],
    ["\x{263a}" x 100, '"' . '\x{263a}' x 48 . '"...'], ["\x{10ffff}\x{7ff}", '"\x{10ffff}\x{7ff}"']) {
    my ($key, $text) = @$case;
    is_where({$key => [$code]}, "\$->{$text}[0]");
}

# Whatever is no "..." is Perl
for my $data ({'a b' => [1, {"\x{263a}" => \\$code}]}, \[0, $code], [[\{"\$x\@y" => $code}]]) {
    my $path = where($data);
    (my $perl = $path) =~ s/\$(?=->|\})/\$data/;
    is(eval $perl, $code, "$path leads there") or diag $@;
}

# Deep and circular data: finite
my $deep = $code;
$deep = [$deep] for 1 .. 1000;
is_where($deep, '$->' . '[0]' x 12 . '...' . '[0]' x 12, 'deep');
$deep = $code;
$deep = [$deep] for 1 .. 24;
is_where($deep, '$->' . '[0]' x 24, 'just not too deep');
$deep = $code;
$deep = \(my $copy = $deep) for 1 .. 100_000;
is_where($deep, '${' x 24 . '$' . '}' x 12 . '...' . '}' x 12, 'deep references');
{
    my $circle = {};
    $circle->{self} = $circle;
    my $self;
    $self = \$self;
    $circle->{x} = [$circle, \$circle, \$self, $code];
    is_where($circle, '$->{x}[3]', 'circular data');
    undef $self;
    %$circle = ();
}

# Ties
tie my %hash, 'Tie', {z => $code};
tie my @array, 'Tie', [1, $code];
tie my $scalar, 'Tie', [\$code];
is_where({h => \%hash}, 'tied(%{$->{h}})->{z}');
is_where(\%hash, 'tied(%{$})->{z}');
is_where([\@array], 'tied(@{$->[0]})->[1]');
is_where([\$scalar], '${tied(${$->[0]})->[0]}');
is_where([\$hash{any}], 'tied(${$->[0]})->{z}', 'an element of a tied hash');
is_where([\$array[5]], 'tied(${$->[0]})->[1]', 'an element of a tied array');

# Hooks
is_where([bless {}, 'Returns'], '($->[0]->STORABLE_freeze)[2]{a}');
is_where({o => bless {c => [$code]}, 'Contents'}, '${($->{o}->STORABLE_freeze)[1]}->[0]');
is_where({o => bless {}, 'NoRef'}, '($->{o}->STORABLE_freeze)[1]');
is_where([bless({list => []}, 'Grows'), {b => [bless({list => []}, 'Grows'), $code]}], '$->[1]{b}[1]', 'after hooks');
{
    my %changes = (a => 1);
    { package Changes; sub STORABLE_freeze { %changes = (); undef $code; return 'x' } sub STORABLE_thaw { } }
    $changes{list} = [bless([], 'Changes'), $code];
    like(where(\%changes), qr/\A(?:stored|\$->\{list\}(?:\[1\])?)\z/, 'the way there has gone');
}

# Limits
local $Permafrost::recursion_limit = 3;
is_where([0, {a => [[[[]]]]}], '$->[1]{a}[0]', 'depth');
is_where(\\\\\\1, '${${${${$}}}}', 'depth of references');

done_testing();
