#!/usr/bin/perl
# Writes what the fuzzers begin with: images of every kind, and a dictionary of the format.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use FuzzSeeds qw(seed_images);
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);

=head1 NAME

seeds.pl - write a seed corpus and a dictionary

=head1 SYNOPSIS

    perl -Mblib xt/fuzz/seeds.pl --corpus DIR
    perl -Mblib xt/fuzz/seeds.pl --dictionary FILE

  --corpus DIR       one file for each image, in memory's form and in that of files
  --dictionary FILE  the markers of csrc/pst_tags.h, for libFuzzer and AFL++
  --help             this text

=cut

my ($corpus, $dictionary);
GetOptions('corpus=s' => \$corpus, 'dictionary=s' => \$dictionary,
    'help' => sub { pod2usage(-verbose => 1, -exitval => 0) }) && !@ARGV
    && (defined $corpus || defined $dictionary) or pod2usage(2);

sub write_file {
    my ($file, $bytes) = @_;
    open my $out, '>:raw', $file or die "seeds.pl: $file: $!\n";
    print {$out} $bytes;
    close $out or die "seeds.pl: $file: $!\n";
    return;
}

if (defined $corpus) {
    require Permafrost;
    my %image = seed_images(\&Permafrost::freeze, \&Permafrost::nfreeze);
    -d $corpus or mkdir $corpus or die "seeds.pl: $corpus: $!\n";
    for my $name (sort keys %image) {
        write_file("$corpus/$name", $image{$name});
        write_file("$corpus/$name.file", "pst0$image{$name}") if length $image{$name} < 200;
    }
    # What images are packed in, and tagged JSON of them.
    require Permafrost::Image;
    require MIME::Base64;
    require IO::Compress::Gzip;
    for my $name (grep { length $image{$_} < 200 } sort keys %image) {
        my $json = eval { Permafrost::Image->new($image{$name})->to_json(tagged => 1) };
        write_file("$corpus/$name.json", $json) if defined $json;
    }
    write_file("$corpus/packed.base64", MIME::Base64::encode($image{(sort keys %image)[0]}));
    IO::Compress::Gzip::gzip(\join('', map { $image{$_} } sort keys %image), \my $gzip);
    write_file("$corpus/packed.gzip", $gzip);
    # The magic before version 0.6 had a text of its own.
    write_file("$corpus/$_.old_file", "perl-store$image{$_}") for qw(major_0 major_1);
}

if (defined $dictionary) {
    my $tags = "$FindBin::Bin/../../csrc/pst_tags.h";
    open my $in, '<', $tags or die "seeds.pl: $tags: $!\n";
    my @words;
    while (<$in>) {
        push @words, [$2, chr $1] if /^\s*X\(\s*(\d+),\s*(\w+),/;
    }
    die "seeds.pl: no list of markers in $tags\n" if @words < 30;
    my %marker = map { @$_ } @words;
    push @words, (
        map({ ["LOBJECT_$_", $marker{LOBJECT} . $marker{$_}] } qw(OBJECT LSCALAR LUTF8STR ARRAY HASH FLAG_HASH HOOK)),
        map({ [sprintf('COUNT_%X', $_), pack 'N', $_] } 1, 0x7fffffff, 0x80000000, 0xffffffff),
        ['NETWORK', "\x05\x0b"], ['NATIVE', "\x04\x0b\x0812345678\4\x08\x08\x08"], ['MINOR_12', "\x05\x0c"],
        ['NATIVE_BIG', "\x04\x0b\x0887654321\4\x08\x08\x08"], ['NATIVE_32', "\x04\x0b\x041234\4\4\4\x08"],
        ['MAGIC', 'pst0'], ['OLD_MAGIC', 'perl-store'], ['MAJOR_0', "\1"], ['MAJOR_1', "\3"],
        map({ ["OLD_$_", $_] } qw(i I v V k b B X)),
        map({ ["HOOK_$_->[0]", chr $_->[1]] } [LIST => 0x80], [RECURSE => 0x40], [INDEXED => 0x20], [BIG => 0x1c], [EXTRA => 3]),
    );
    my %seen;
    write_file($dictionary, join '', map {
        sprintf "%s=\"%s\"\n", $_->[0] =~ s/\W/_/gr, join '', map { sprintf '\\x%02x', ord } split //, $_->[1];
    } grep { !$seen{$_->[0]}++ } @words);
}
