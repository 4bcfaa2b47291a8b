use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Regular expressions: flags, lengths, classes, UTF-8.

my @flags = ('', qw(i m s x xx n p a aa u d l msix msixxn ai aai ui msixxnpaa));
for my $flags (@flags) {
    my $re = eval "qr/a+b/$flags" or next;
    same_everywhere("qr//$flags", $re);
    same_everywhere("qr//$flags as item", [$re, $re]);
    my $thawed = pf->{thaw}->(pf->{freeze}->([$re]));
    is("$thawed->[0]", "$re", "qr//$flags: text");
    ok('xaaby' =~ $thawed->[0], "qr//$flags: matches");
}
for my $length (0, 1, 100, 253 .. 258, 1000, 70000) {
    my $pattern = 'x' x $length;
    same_everywhere("pattern of $length", qr/$pattern/);
    my $wide = "\x{263a}" x ($length / 3);
    same_everywhere("UTF-8 pattern of about $length", qr/$wide/);
}
my $latin = "\xe9";
my $upgraded = $latin;
utf8::upgrade($upgraded);
my %re = (
    'Latin-1' => qr/$latin/, 'Latin-1 in UTF-8' => qr/$upgraded/, wide => qr/\x{263a}/, 'wide literal' => do { my $s = "\x{263a}"; qr/$s/ },
    slash => qr{a/b}, backslash => qr/\\/, newline => qr/a
b/x, 'comment' => qr/a # b
/x, names => qr/(?<n>a)\k<n>/, classes => qr/[[:alpha:]\d\p{Lu}]/, 'inner flags' => qr/(?i:a)b/, empty => qr//, 'question' => qr/\?/, dollar => qr/a$/,
    'nested' => do { my $in = qr/a/i; qr/$in+/ }, brackets => qr/[]]{2}/, 'zero byte' => qr/a\0b/, 'real zero byte' => do { my $s = "a\0b"; qr/$s/ },
    'at sign' => qr/\@x/, quote => qr/'"/, braces => qr/\{\}/,
);
for my $name (sort keys %re) {
    my $re = $re{$name};
    same_everywhere($name, $re);
    same_everywhere("$name with others", [$re, {}, $re, \$re]);
}
{
    my $re = bless qr/abc/i, 'My::Regexp';
    same_everywhere('blessed elsewhere', $re);
    same_everywhere('blessed elsewhere, as item', [$re, $re, bless(qr/x/, 'My::Regexp')]);
    my $plain = ${qr/plain/};
    same_everywhere('not blessed', \$plain);
    same_everywhere('not blessed, as item', [$plain]);
    my $ref = \qr/abc/;
    same_everywhere('reference to reference', [$ref, $$ref]);
    my @weak = (qr/abc/) x 2;
    Scalar::Util::weaken($weak[1]);
    same_everywhere('weak', \@weak);
    my $over = bless qr/x/, 'Regexp::Over';
    { package Regexp::Over; use overload '""' => sub { 'over' } }
    same_everywhere('overloaded', [$over]);
}
same_thaw('REGEXP, bad pattern', "\x05\x0b\x20\x00\x01(\x00");
same_thaw('REGEXP, bad flags', "\x05\x0b\x20\x00\x01a\x01q");
same_thaw('REGEXP, flags with code', "\x05\x0b\x20\x00\x01a\x06i; die");
same_thaw('REGEXP, long form', "\x05\x0b\x20\x01\0\0\0\x01a\x01i");
same_thaw('REGEXP, unknown op flags', "\x05\x0b\x20\x02\x01a\x01i");
same_thaw('REGEXP with code block', "\x05\x0b\x20\x00\x0d(?{die 'run'})\x00");
same_thaw('REGEXP in BLESS', "\x05\x0b\x11\x06Regexp\x20\x00\x01a\x01i");

done_testing;
