# perl5 9222, 8341: qr// with each flag, over 255 bytes, blessed elsewhere, with wide
# characters.
use strict;
use warnings;
use lib 't/lib';
use re ();
use Test::More;
use PermafrostTest;

my %case = (empty => qr//, plain => qr/abc/, slash => qr{a/b}, newline => qr/a\nb/, 'a real newline' => qr/a
b/, quotes => qr/'"\\/, delimiter => qr!a\!b!, braces => qr/{}/, dollar => qr/a$/, caret => qr/^a/,
    captures => qr/(a)(?<name>b)\1/, nested => qr/x${\qr{y}i}z/, unicode => qr/\x{263a}/, literal => qr/\x{e9}/,
    property => qr/\p{L}+/, comment => qr/a # comment
       b/x, 'high byte' => do { my $s = "\xe9"; qr/$s/ }, 'wide literal' => do { my $s = "\x{263a}"; qr/$s/ },
    utf8_ascii => do { my $s = "abc"; utf8::upgrade($s); qr/$s/ },
    nul => qr/\0/, 'literal NUL' => do { my $s = "a\0b"; qr/$s/ },
    'over 255' => do { my $s = 'x' x 300; qr/$s/ }, 'of 255' => do { my $s = 'x' x 255; qr/$s/ }, 'of 256' => do { my $s = 'x' x 256; qr/$s/i },
    'over 70,000' => do { my $s = 'x' x 70_000; qr/$s/ },
    'wide, over 255' => do { my $s = "\x{263a}" x 100; qr/$s/ });
for my $flags (qw(i m s x p n a aa l u d im msix xx imsxn), 'msixpn') {
    my $re = eval "no warnings; qr/a.b\$/$flags" or next;
    $case{"flags $flags"} = $re;
}
for my $name (sort keys %case) {
    my $re = $case{$name};
    if ($name =~ /^(?:wide|utf8|property)/) {
        # Their bytes do not say that they are UTF-8, and Storable loses that. What it gives
        # or what it was given are both right.
        same_bytes($name, [$re, $re]);
        my @right = (tagged(st->{dclone}->([$re, $re])), tagged([$re, $re]));
        for my $back (pf->{dclone}->([$re, $re]), map { pf->{thaw}->(pf->{$_}->([$re, $re])) } qw(freeze nfreeze)) {
            my $got = tagged($back);
            ok((grep { $got eq $_ } @right), "$name: as Storable, or better") or diag $got;
        }
        next;
    }
    same_everywhere($name, [$re, $re]);
    for my $back (map { pf->{thaw}->(pf->{$_}->([$re])) } qw(freeze nfreeze)) {
        is(ref $back->[0], 'Regexp', "$name: its class") if $name =~ /^[ae]/;
        is("$back->[0]", "$re", "$name: its text");
        is_deeply([re::regexp_pattern($back->[0])], [re::regexp_pattern($re)], "$name: pattern and flags");
    }
    is(tagged(pf->{dclone}->($re)), tagged($re), "$name: as root");
}

# They work, and are of their own
{
    my $back = pf->{thaw}->(pf->{nfreeze}->([qr/^(\w+)\s(?<second>\w+)$/i, qr/\x{263a}/]));
    ok('Hello World' =~ $back->[0], 'a thawed one matches');
    is_deeply([$1, $+{second}], ['Hello', 'World'], '... and captures');
    ok("x\x{263a}" =~ $back->[1], 'a wide one matches');
    my $clone = pf->{dclone}->([qr/a/]);
    ok('xax' =~ $clone->[0] && 'xbx' !~ $clone->[0], 'a cloned one matches');
}

# Blessed elsewhere, shared, behind references
{
    my $blessed = bless qr/abc/i, 'Some::Class';
    same_everywhere('blessed elsewhere', $blessed);
    same_everywhere('blessed elsewhere, twice', [$blessed, $blessed]);
    my $back = pf->{thaw}->(pf->{freeze}->($blessed));
    is(ref $back, 'Some::Class', '... its class');
    ok('ABC' =~ $back, '... matches');
    my $re = qr/x/;
    same_everywhere('behind references', [\$re, \\$re, $re]);
    my $copy = $$re if 0;
    { package Re::Hook; sub STORABLE_freeze { return "$_[0]" } sub STORABLE_thaw { } }
    same_outcome('with a hook', sub { unpack 'H*', $_[0]{nfreeze}->([bless qr/a/, 'Re::Hook']) });
}

# Images: bad patterns, code in patterns, odd flags
for my $case (["(", ''], ['(?{ 1 })', ''], ['a', 'z'], ['a', 'imsxn'], ['a', ''], ["\xe9", ''], ['*', 'x'],
    ['a', "i;die"], ["/", ''], ["a/;die;/", ''], ["\n", ''], ["", ''], ["a\\", '']) {
    my ($pattern, $flags) = @$case;
    for my $op ("\0", "\2", "\4", "\xf0") {
        my $image = "\5\x0b\x20$op" . pack('C/a*', $pattern) . pack('C/a*', $flags);
        my $theirs = in_child(sub { outcome(sub { st->{thaw}->($image) }); 'fine' });
        next if $theirs ne 'fine';
        same_thaw("pattern '$pattern', flags '$flags', op " . ord $op, $image);
    }
}

done_testing();
