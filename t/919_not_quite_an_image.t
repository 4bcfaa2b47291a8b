# Files as power cuts, editors and other programs leave them [munin 821, pgcluu 114]:
# trailing bytes, an empty file, zeros, half a file. Storable's answers are kept.
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Test::More;
use PermafrostTest;

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $image = st->{nfreeze}->({map { ("key $_" => [$_, "value $_"]) } 1 .. 200});
my $native = st->{freeze}->([1 .. 100]);
my %memory = (
    'trailing NUL'     => "$image\0",
    'trailing newline' => "$image\n",
    'trailing image'   => $image . $image,
    'a megabyte behind' => $image . "\xff" x 1_000_000,
    half               => substr($image, 0, length($image) / 2),
    'half, native'     => substr($native, 0, length($native) / 2),
    'zeros from byte 2' => "\5\x0b" . "\0" x 500,
    empty              => '',
    'one byte'         => "\5",
    zeros              => "\0" x 5000,
    spaces             => ' ' x 100,
    text               => "aa",
    address            => 'ARRAY(0x55d)',
    json               => '{"a":1}',
    xml                => '<?xml version="1.0"?>',
    yaml               => "---\na: 1\n",
    gzip               => "\x1f\x8b\x08\0\0\0\0\0",
    base64             => 'BQsDAAAAAQiBAAAAAWE=',
    'with CRLF'        => do { (my $i = st->{nfreeze}->(["a\nb\n", 10])) =~ s/\n/\r\n/g; $i },
    'as UTF-8'         => do { my $i = st->{nfreeze}->(["\xe9", -5, 200]); utf8::encode($i); $i },
    'file image'       => "pst0$image",
    dumper             => "\$VAR1 = {};\n",
);
for my $name (sort keys %memory) {
    my $bytes = $memory{$name};
    next if $name =~ /zeros|UTF-8|CRLF/ && !is_stock() && in_child(sub { eval { st->{thaw}->($bytes) }; 'fine' }) ne 'fine';
    same_thaw($name, $bytes);
}
for my $name (sort keys %memory) {
    for my $magic ('pst0', '') {
        my $file = "$dir/file";
        open my $out, '>:raw', $file or die $!;
        print {$out} $magic, $memory{$name};
        close $out;
        next if $name =~ /zeros|UTF-8|CRLF/ && !is_stock() && in_child(sub { eval { st->{retrieve}->($file) }; 'fine' }) ne 'fine';
        same_outcome("retrieve, $magic, $name", sub { $_[0]{retrieve}->($file) });
        same_outcome("fd_retrieve, $magic, $name", sub { open my $in, '<', $file or die $!; $_[0]{fd_retrieve}->($in) });
    }
}

# The zeros name the hash itself as a value in it, where only a reference could stand.
{
    my $data = pf->{thaw}->(substr($image, 0, 100) . "\0" x (length($image) - 100));
    is_deeply([map { ref } @$data{grep { length } keys %$data}], [('ARRAY') x (keys(%$data) - 1)],
        'half and zeros: what was there');
    is(ref $data->{''}, 'HASH', '... and a reference in the place of the first zeros') unless is_stock();
    %$data = ();
}

# The words that people find in their logs
for (['aa', '48.97'], ['ARRAY(0x55d)', '32.82'], ['{"a":1}', '61.34']) {
    my ($text, $version) = @$_;
    is(outcome(sub { pf->{thaw}->($text) })->{error},
        "Storable binary image v$version more recent than I am (v2." . Storable::BIN_MINOR() . ')', "thaw('$text')");
}

done_testing();
