#!/usr/bin/perl
# `convert` of images in the formats before 2: what comes out is read as the same data. The images
# are generated, in network order and in that of several machines.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use PermafrostTest;
use Test::More;

plan skip_all => 'about Permafrost' if is_stock();
require Permafrost::Image;
srand 42;

my ($little, $iv, $long, $tagged, @tags, $count, $budget);
sub in_order { return $little ? scalar reverse $_[0] : $_[0] }
sub u32 { return in_order(pack 'N', $_[0]) }
sub old_tag { return $tagged ? $long == 8 ? in_order(be64($_[0])) : u32($_[0]) : '' }
sub mark { return $tagged ? $_[0] : '' }
sub text { return join '', map { chr(97 + rand 26) } 1 .. $_[0] }

# One object, with all that is around it. Tags of the oldest format are any numbers.
sub object {
    my ($depth) = @_;
    $budget--;
    # Items of containers are scalars: references to containers among them.
    if (@tags && rand() < 0.2) {
        my $tag = $tags[rand @tags];
        return old_tag(4096 + 24 * ($count += 50)) . "\x04" . inner_object($tag);
    }
    my $k = int rand($depth > 6 || $budget < 0 ? 5 : 9);
    my $tag = 4096 + 24 * $count++;
    my $body = $k == 0 ? "\x05" : $k == 1 ? "\x08" . chr rand 256 : $k == 2 ? "\x0a\x03" . text(3)
        : $k == 3 ? "\x01" . u32(300) . text(300) : $k == 4 ? ($little || $iv ? "\x0a\0" : "\x09" . pack 'N', 70000)
        : "\x04" . container($depth + 1);
    return old_tag($tag) . $body . notices($k >= 5 ? 0 : 0.1) . 'X';
}

sub inner_object { my ($tag) = @_; return ($tagged ? old_tag($tag) . "\0" : "\0" . pack 'N', $tag) . 'X' }

sub notices {
    my ($chance) = @_;
    return rand() < $chance ? ("b\5Class", 'B' . u32(3) . 'Abc', "b\5Classb\1Z")[rand 3] : '';
}

sub container {
    my ($depth) = @_;
    my $number = $count++;
    my $tag = 4096 + 24 * $number;
    push @tags, $tag if $tagged;
    my $n = int rand 5;
    my $is_array = rand() < 0.5;
    my $bytes = old_tag($tag) . ($is_array ? "\x02" : "\x03") . u32($n);
    for my $i (1 .. $n) {
        my $missing = $tagged && rand() < 0.3;
        $bytes .= $missing ? ($is_array ? 'I' : 'V') : mark($is_array ? 'i' : 'v') . object($depth);
        $bytes .= mark('k') . u32(2) . "k$i" if !$is_array;
    }
    return $bytes . notices(0.3) . 'X';
}

sub image {
    my ($order, $sizes, $old) = @_;
    ($tagged, $little, $iv) = ($old < 1, scalar($order =~ /^1/), length $order);
    $iv = 0 if $order eq 'network';
    $long = (split ' ', $sizes)[1] || 4;
    @tags = ();
    ($count, $budget) = (0, 30);
    my $machine = $order eq 'network' ? '' : chr(length $order) . $order . join '', map { chr } split ' ', $sizes;
    my $body = rand() < 0.3 && $tagged ? old_tag(1) . "\x04" . container(0) . 'X' : container(0);
    return ($old < 0 ? 'perl-store' . ($machine || "\3") : $old == 0 ? 'perl-store' . chr($order eq 'network') . $machine : chr(2 | ($order eq 'network')) . $machine) . $body;
}

sub read_image {
    my ($image) = @_;
    return pf->{thaw}->($image) if $image !~ /\Ap(?:st0|erl-store)/;
    open my $in, '<', \$image or die $!;
    return pf->{fd_retrieve}->($in);
}

my ($different, $whole) = (0, 0);
for my $machine (['network', ''], ['1234', '4 4 4'], ['4321', '4 4 4'], ['12345678', '4 8 8'], ['87654321', '4 8 8']) {
    for my $old (-1, 0, 1) {
        my ($same, $seen) = (0, 0);
        for my $n (1 .. 60) {
            my $image = image(@$machine, $old);
            my $data = eval { read_image($image) };
            next if !defined $data;
            $seen++;
            for my $order ('network', 'native', '4321') {
                my $new = eval { Permafrost::Image->convert($image, order => $order) };
                my $got = defined $new ? eval { tagged(read_image($new)) } : $@;
                $got = $@ if !defined $got;
                $same++ if $got eq tagged($data);
                next if $got eq tagged($data) || $different++ > 2;
                diag "format $old of $machine->[0] to $order: ", unpack('H*', $image), "\n", defined $new ? unpack 'H*', $new : '', "\n",
                    first_difference($got, tagged($data));
            }
        }
        is($same, 3 * $seen, "format $old of $machine->[0]: $seen images");
        $whole += $seen;
    }
}
cmp_ok($whole, '>', 500, 'most images could be read');

# Cut anywhere, they are refused; the place is within.
my $image = image('network', '', 0);
for my $at (11 .. length($image) - 1) {
    eval { Permafrost::Image->convert(substr($image, 0, $at), order => 'network') };
    my ($byte) = $@ =~ /cut off \(byte (\d+)/;
    ok(defined $byte && $byte <= $at, "cut at $at") or diag $@;
}

# What no reader takes is refused, and not written in another form: code without text.
for my $inner ("\x08\0X", "\x02\0\0\0\0X", "\x04\x05XX", "\0\0\0\0\0X") {
    my $bytes = "\x03\x04\x1a${inner}XX";
    ok(!eval { Permafrost::Image->convert($bytes, order => 'native'); 1 }, 'code made of ' . unpack 'H*', $inner);
    like($@, qr{misplaced marker .*, at \$\{\$\}\)}, 'refused');
}
like(eval { Permafrost::Image->convert("\x03\x1a\x0a\x03{1}XX", order => 'network') } // $@, qr/\x1a\x0a\x03\{1}/, 'code with text');
done_testing;
