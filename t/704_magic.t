# file_magic, read_magic, show_file_magic: what the header says, of any version.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
END { chdir $home if defined $home }

# The same hash, or undef, or error; whether numbers are kept as strings is no matter.
sub same {
    my ($name, $code) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($ours, $theirs) = map { my $m = $_; outcome(sub { $code->($m) }) } pf, st;
    return is_deeply($ours, $theirs, $name);
}

my $native  = st->{freeze}->([1]);
my $network = st->{nfreeze}->([1]);
my %text = (
    'native file'             => "pst0$native",
    'network file'            => "pst0$network",
    'native in memory'        => $native,
    'network in memory'       => $network,
    'native header only'      => substr($native, 0, -7),
    'empty'                   => '',
    'garbage'                 => "garbage, and more than a header of it\n",
    'zeros'                   => "\0" x 50,
    'text aa'                 => 'aa',
    'text ARRAY(0x55d)'       => 'ARRAY(0x55d)',
    'magic only'              => 'pst0',
    'magic and version'       => "pst0\4",
    'network header only'     => "pst0\5\x0b",
    'network header, memory'  => "\5\x0b",
    'major 3'                 => "pst0\7\0$network",
    'major 127'               => "pst0\xff\xff$network",
    'minor 200'               => "pst0\5\xc8",
    'minor 12'                => "pst0\5\x0c\x22",
    '32-bit little endian'    => "pst0\4\x0b\x041234\4\4\4\x08\2\0\0\0\0",
    '32-bit big endian'       => "pst0\4\x0b\x044321\4\4\4\x08\2\0\0\0\0",
    '64-bit big endian'       => "\4\x0b\x0887654321\4\x08\x08\x08\2\0\0\0\0",
    'long doubles'            => "\4\x0b\x0812345678\4\x08\x08\x10\2\0\0\0\0",
    'unknown order'           => "pst0\4\x0b\4abcd\4\4\4\4",
    'no order'                => "pst0\4\x0b\0\4\4\4\4",
    'order longer than image' => "pst0\4\x0b\xff1234",
    'version 2.0'             => "pst0\4\0\x041234\4\4\4\0\0\0\0",
    'version 2.1'             => "pst0\4\1\x041234\4\4\4\0\0\0\0",
    'version 2.2'             => "pst0\4\2\x041234\4\4\4\x08\0\0\0",
    'version 1, native'       => "pst0\2\x041234\4\4\4\0\0\0\0",
    'version 1, network'      => "pst0\3\0\0\0\0",
    'version 1, memory'       => "\2\x041234\4\4\4",
    'version 0, native'       => "perl-store\0\x041234\4\4\4\0\0",
    'version 0, network'      => "perl-store\1\0\0\0\0",
    'version 0, odd 2'        => "perl-store\2\0\0\0\0",
    'version 0, odd 3'        => "perl-store\3\0\0\0\0",
    'version -1'              => "perl-store\x041234\4\4\4\0\0",
    'version -1, 64 bit'      => "perl-store\x0812345678\4\4\4\0\0",
    'perl-store only'         => 'perl-store',
    'short perl-store'        => 'perl-stor',
);
for my $name (sort keys %text) {
    my $text = $text{$name};
    my @cuts = $name =~ /^(?:native|network)/ ? (0 .. length $text) : (length $text);
    for my $cut (@cuts) {
        my $part = substr $text, 0, $cut;
        my $what = $cut == length $text ? $name : "$name, cut at $cut";
        same("read_magic, $what",           sub { $_[0]{read_magic}->($part) });
        same("read_magic of a file, $what", sub { $_[0]{read_magic}->($part, 1) });
        next unless $cut == length $text || $cut < 20;
        open my $out, '>:raw', 'file' or die $!;
        print {$out} $part;
        close $out;
        same("file_magic, $what", sub { $_[0]{file_magic}->('file') });
    }
}

# What must be in there whatever the oracle says
is_deeply(pf->{read_magic}->("pst0$network"),
    {file => 1, hdrsize => 6, major => 2, minor => 11, netorder => 1, version => '2.11',
        version_nv => '2.011'}, 'a network file');
is_deeply(pf->{read_magic}->("\4\x0b\x044321\4\4\4\x08"),
    {hdrsize => 11, major => 2, minor => 11, netorder => 0, version => '2.11',
        version_nv => '2.011', byteorder => '4321', intsize => 4, longsize => 4, ptrsize => 4,
        nvsize => 8}, 'an image of another machine');

# Arguments and contexts
same('read_magic()',      sub { no warnings; $_[0]{read_magic}->() });
same('read_magic(undef)', sub { no warnings; $_[0]{read_magic}->(undef) });
same('read_magic of an upgraded string',
    sub { my $s = "pst0\5\x0b\x{e9}"; utf8::upgrade($s); $_[0]{read_magic}->($s) });
same("file_magic, $_", sub { no warnings; $_[0]{file_magic}->(@{{nothing => [],
    undef => [undef], missing => ['missing'], directory => [$dir]}->{$_}}) })
  for qw(nothing undef missing);
same('file_magic, directory', sub { $_[0]{file_magic}->('.') });
for my $text ('garbage', "\5\x0b") {
    my ($ours, $theirs) = on_both(sub { my @list = $_[0]{read_magic}->($text); scalar @list });
    is($ours, $theirs, 'list context');
}
ok(!defined pf->{file_magic}->($0 eq '-' ? $^X : do { open my $o, '>', 'x'; 'x' }), 'an empty file');

# show_file_magic prints for magic(5)
my ($ours, $theirs) = on_both(sub {
    my ($m) = @_;
    my $got = in_child(sub {
        open my $save, '>&', \*STDOUT;
        open STDOUT, '>', 'shown' or die $!;
        my $result = $m->{show_file_magic}->();
        close STDOUT;
        open STDOUT, '>&', $save;
        open my $in, '<', 'shown';
        local $/;
        return "$result\n" . <$in>;
    });
    return $got;
});
like($ours, qr/^0\tstring\tpst0\t/m, 'show_file_magic prints lines for magic(5)');
like($theirs, qr/pst0/, '... as Storable does, in other words');

done_testing();
