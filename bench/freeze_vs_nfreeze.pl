#!/usr/bin/perl
# freeze against nfreeze, as people measure it: a DateTime, and rows of DBIx::Class.
# The script knows nothing of Permafrost, so that the same file measures both modules.
use Modern::Perl;
use Benchmark qw(timethese);
use DateTime;
use Storable qw(freeze nfreeze thaw);
use FindBin;
use Pod::Usage qw(pod2usage);
use lib $FindBin::Bin;
use BenchEpisodes;

=head1 NAME

freeze_vs_nfreeze.pl - time freeze and nfreeze of a DateTime and of database rows

=head1 SYNOPSIS

    perl bench/freeze_vs_nfreeze.pl [COUNT]
    perl -Mblib -MPermafrost::AsStorable bench/freeze_vs_nfreeze.pl [COUNT]

COUNT is Benchmark's: a number of iterations or, if negative, of CPU seconds for each of
the four measurements (default -3).

=cut

my $count = shift // -3;
pod2usage(0) if $count =~ /\A(?:-h|--help)\z/;
pod2usage(2) if @ARGV || $count !~ /\A-?[0-9]+(?:\.[0-9]+)?\z/ || $count == 0;

# Prints the sizes of both images of $data, then times both round trips.
sub compare {
    my ($title, $data) = @_;
    say $title;
    say 'freeze:  ', length freeze($data), ' bytes';
    say 'nfreeze: ', length nfreeze($data), ' bytes';
    timethese($count, {
        freeze  => sub { my $copy = thaw(freeze($data)) },
        nfreeze => sub { my $copy = thaw(nfreeze($data)) },
    });
}

compare('DateTime', DateTime->now);

my $episodes = BenchEpisodes->rows;
compare(scalar(@$episodes) . ' DBIx::Class rows', $episodes);
