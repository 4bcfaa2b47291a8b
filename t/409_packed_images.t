#!/usr/bin/perl
# Images that are packed: what unpacks to more than it should is refused before it is there,
# and no damage makes unpacking slow.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use ImageCommands qw(permafrost);
use Permafrost qw(nfreeze);
use Permafrost::Image;
use Test::More;
use Time::HiRes qw(time);

BEGIN {
    eval { require IO::Compress::Gzip; require IO::Uncompress::Gunzip; require MIME::Base64; 1 }
        or plan skip_all => 'no IO::Compress or MIME::Base64';
}

sub gzip {
    my ($bytes, @options) = @_;
    IO::Compress::Gzip::gzip(\$bytes, \my $packed, @options) or die;
    return $packed;
}

sub cli {
    my ($input, @arguments) = @_;
    my ($out, $err, $status) = permafrost(\@arguments, $input);
    return "$status $out$err";
}

my $too_much = qr/^2 -: it unpacks to too much; --max-unpacked allows more$/;

# ---- how much ------------------------------------------------------------------------------------
{
    my $zeros = nfreeze([('0' x 1000) x 2000]);
    my $packed = gzip($zeros);
    cmp_ok(length $packed, '<', 64 * length $zeros, 'a bomb');
    for my $command (['json'], ['dump'], ['head'], ['explain'], ['convert', '--order=native'], ['json', '--tagged']) {
        my @command = @$command;
        like(substr(cli($packed, @command, q(-)), 0, 200), $too_much, "@command: too much");
        like(substr(cli($packed, @command, '--max-unpacked', length($zeros) - 1, q(-)), 0, 200), $too_much, "@command: a byte too much");
        is(cli($packed, @command, '--max-unpacked=' . length $zeros, '-'), cli($zeros, @command, '-'), "@command: allowed")
            if $command[0] ne 'head';
    }
    like(cli($packed, 'check', '-'), qr/^1 -: it unpacks to too much; --max-unpacked allows more \(in gzip\)$/, 'check');
    like(cli($packed, 'head', '--max-unpacked', 0, '-'), qr/^2 permafrost: no number of bytes: "?0"?; try --help$/, 'none');
    like(cli($packed, 'head', '--max-unpacked', 'x', '-'), qr/^2 permafrost: no number of bytes: "?x"?; try --help$/, 'no number');

    my $image = Permafrost::Image->new($packed);
    for my $method (qw(bytes to_json dump explain header)) {
        ok(!eval { $image->$method; 1 }, "object: $method");
        like($@, qr/^it unpacks to too much; max_unpacked allows more at \Q$0\E line/, 'why');
    }
    is($image->check->{verdict}, 'unpack', 'object: check');
    my $allowed = Permafrost::Image->new(bytes => $packed, max_unpacked => length $zeros);
    ok($allowed->bytes eq $zeros, 'object: allowed');
    is($allowed->check->{verdict}, 'fine', 'object: check, allowed');
    ok(!eval { Permafrost::Image->new(bytes => $packed, max_unpacked => -1); 1 }, 'object: a negative number');
    ok(!eval { Permafrost::Image->new(bytes => $packed, max_unpacked => length($zeros) - 1)->bytes; 1 },
        'object: a byte too much');
}

# A megabyte is always allowed, and so are 64 times the size.
{
    my $image = nfreeze(['0' x 1_000_000]);
    like(cli(gzip($image), 'head', '-'), qr/^0 kind/, 'a megabyte of nothing');
    my $rows = nfreeze([map { { row => $_, name => "name $_", text => 'always the same words here' } } 1 .. 40_000]);
    cmp_ok(length $rows, '>', 1 << 21, 'rows');
    like(cli(gzip($rows), 'head', '-'), qr/^0 kind/, 'rows that look alike');
}

# ---- how often -----------------------------------------------------------------------------------
{
    my $image = nfreeze(['once', 2, { three => undef }]);
    my @json = ('json', '-');
    my $expected = cli($image, @json);
    like($expected, qr/^0 \["once"/, 'an image');
    my $packed = $image;
    for my $layers (1 .. 5) {
        $packed = $layers % 2 ? gzip($packed) : MIME::Base64::encode($packed);
        is(cli($packed, @json), $layers <= 3 ? $expected : "2 -: it is packed more than three times; unpack it first\n",
            "$layers layers");
    }

    my $bomb = gzip(gzip(nfreeze([('0' x 1_000_000) x 40])));
    my $start = time;
    like(cli($bomb, @json), $too_much, length($bomb) . ' bytes that would be 40 megabytes');
    cmp_ok(time - $start, '<', 5, 'soon');
}

# ---- how long ------------------------------------------------------------------------------------

# A gzip file of nothing, with these bits as blocks.
sub of_blocks { return "\x1f\x8b\x08" . "\0" x 7 . pack('b*', $_[0]) . "\0" x 8 }

my $fixed = '010' . '0000000';
my $own = do {
    my %length = (18 => '100', 1 => '100');
    my @order = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1);
    '001' . '00000' . '00000' . '0111' . join('', map { $length{$_} || '000' } @order)
        . '1' . '1111111' . '1' . '1101011' . '0' . '0' . '0';
};
for my $case (['the fixed codes', $fixed], ['codes of their own', $own]) {
    my ($name, $block) = @$case;
    my $packed = of_blocks($block x (8_000_000 / length $block) . '1' . substr $block, 1);
    my $start = time;
    my $got = cli($packed, 'json', '-');
    cmp_ok(time - $start, '<', 5, "a megabyte of empty blocks with $name: soon");
    is($got, "1 -: empty\n", "... and nothing is in it");
}

# Zeros were read beyond the end of a file that is cut off; where they are a code, for ever.
{
    my $cut = MIME::Base64::decode('H4sIAE4wDmsAA+0YTW8bRXQ/ZtfjcQzFcVRPUkJMRTIwQUJMRSI6eyI4YyI6bnVs');
    is(cli($cut, 'json', '-'), "2 -: the gzip data are cut off\n", 'zeros behind the end');
    my $image = nfreeze([('0' x 1000) x 500]);
    my $packed = gzip($image);
    my %got = map { cli(substr($packed, 0, -$_), 'json', '-') => 1 } 1 .. 40;
    is_deeply([sort keys %got], ["2 -: the gzip data are cut off\n"], 'cut by 1 to 40 bytes');
}

# ---- right ---------------------------------------------------------------------------------------

# Codes of all lengths up to 15 bits: each byte half as often as the one before it.
{
    my ($count, $next, $bytes) = (1, 1, q());
    for my $c (1 .. 22) {
        $bytes .= chr($c) x $count;
        ($count, $next) = ($next, $count + $next);
    }
    my $seed = 1;
    my @order = map { ($seed = $seed * 1103515245 + 12345 & 0x7fffffff) * 1e7 + $_ } 0 .. length($bytes) - 1;
    my $mixed = join '', map { substr $bytes, $_ % 1e7, 1 } sort { $a <=> $b } @order;
    my $image = nfreeze([$mixed, $bytes]);
    for my $level (0, 1, 6, 9) {
        for my $strategy (0 .. 4) {
            my $packed = gzip($image, -Level => $level, -Strategy => $strategy);
            ok(Permafrost::Image->new($packed)->bytes eq $image, "level $level, strategy $strategy");
        }
    }
    my $packed = gzip($image);
    my $wrong = 0;
    for my $at (map { $_ * 97 } 1 .. int((length($packed) - 1) / 97)) {
        my $damaged = $packed;
        substr($damaged, $at, 1) ^= "\x10";
        my $mine = eval { Permafrost::Image->new($damaged)->bytes };
        $wrong++ if defined $mine && $mine ne $image;
    }
    is($wrong, 0, 'damage is noticed');
}

done_testing;
