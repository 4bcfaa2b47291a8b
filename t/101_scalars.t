use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Scalars: undef, immortals, booleans, plain values; as root, item and hash value.

my $copy_of_true  = !!1;
my $copy_of_false = !!0;
my $was_number    = 42;
undef $was_number;
my $was_string = 'string';
$was_string = undef;
my $never;
my %scalar = (
    'undef literal'    => \undef,
    'true literal'     => \!!1,
    'false literal'    => \!!0,
    'true copy'        => \$copy_of_true,
    'false copy'       => \$copy_of_false,
    'never assigned'   => \$never,
    'undefined number' => \$was_number,
    'undefined string' => \$was_string,
    'zero'             => \0,
    'one'              => \1,
    'empty string'     => \'',
    'string 0'         => \'0',
    'string'           => \'a string',
    'float'            => \1.5,
    'result of length' => \length('abc'),
    'result of =='     => \(1 == 1),
    'defined'          => \defined($never),
    'constant'         => \__PACKAGE__,
);
for my $name (sort keys %scalar) {
    my $ref = $scalar{$name};
    same_everywhere("$name as root", $ref);
    same_everywhere("$name referred to", [$ref, $ref]);
    same_everywhere("$name as item", [$$ref, $$ref]);
    same_everywhere("$name as hash value", {a => $$ref});
    same_everywhere("$name by \\\\", \$ref);
    same_everywhere("$name itself as item", sub { \@_ }->($$ref, 1, $$ref));
}

same_outcome("freeze($_->[0])", sub { $_[0]{freeze}->($_->[1]) })
  for ['undef', undef], ['a number', 3], ['a string', 'abc'], ['an empty string', ''];
same_outcome("dclone($_->[0])", sub { $_[0]{dclone}->($_->[1]) })
  for ['undef', undef], ['a number', 3], ['a string', 'abc'], ['an empty string', ''];

{
    my $text = 'a long enough string';
    $text =~ s/^a //;
    same_everywhere('string with an offset', \$text);
    my $substr = \substr($text, 2, 3);
    same_everywhere('substr as lvalue', [$substr]);
    pos($text) = 3;
    same_everywhere('string with pos', [$text, \$text]);
    my @x = (1, 2, 3);
    same_everywhere('$#x', \$#x);
}

{
    use constant LIST => [1, 2];
    same_everywhere('constant list', LIST);
    my $readonly = 'read only';
    Internals::SvREADONLY($readonly, 1);
    same_everywhere('read-only scalar', [\$readonly, $readonly]);
}

same_everywhere("\$ENV{PATH}", \$ENV{PATH});
same_everywhere('$0', \$0);
same_everywhere('$!', [map { $_ } $!]);
"abc" =~ /(b)/;
same_everywhere('$1', [$1, \$1]);
is(unpack('H*', pf->{$_}->([\@-, \@+])), unpack('H*', st->{$_}->([\@-, \@+])), "\@- and \@+, $_") for qw(freeze nfreeze);

# Magic that gives another kind of value than the one that was assigned last: it goes out as the
# kind that was assigned.
{
    my %assign = (
        'integer in $!'        => sub { $! = 2;   \$! },
        'float in $!'          => sub { $! = 2.5; \$! },
        'large in $!'          => sub { $! = 1e20; \$! },
        'text in $!'           => sub { $! = '2'; \$! },
        'negative in $!'       => sub { $! = -1;  \$! },
        '$! that was read'     => sub { $! = 2;   my $text = "$!"; \$! },
        'pos that went'        => sub { our $s = 'aaa'; $s =~ /a/g; my $r = \pos $s; my $x = $$r; pos($s) = undef; $r },
        'number that is text'  => sub { our $t = '1234'; my $r = \substr $t, 1, 2; my $x = $$r + 0; $t = "x\x{100}yz"; $r },
    );
    no warnings;
    for my $name (sort keys %assign) {
        for my $function (qw(freeze nfreeze)) {
            my ($theirs, $ours) = map { $_->($assign{$name}->()) } st->{$function}, pf->{$function};
            is(unpack('H*', $ours), unpack('H*', $theirs), "$name, $function");
        }
        my ($theirs, $ours) = map { st->{nfreeze}->($_->($assign{$name}->())) } st->{dclone}, pf->{dclone};
        is(unpack('H*', $ours), unpack('H*', $theirs), "$name, dclone");
    }
}

done_testing;
