#!/usr/bin/perl
# Real applications on Permafrost in Storable's place, compared with the same on Storable.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Applications;
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);

=head1 NAME

applications.pl - compare real applications on Storable and on Permafrost

=head1 SYNOPSIS

    perl -Mblib xt/applications.pl [OPTIONS] [NAME...]

  --setup         install the Debian packages first
  --list          only list the applications
  --markdown      print the tables as in doc/APPLICATIONS.md
  --suites        run the test suites of Debian source packages instead
  --dir DIR       where --suites keeps their sources
                  (default: ${XDG_CACHE_HOME:-$HOME/.cache}/permafrost)
  --help          this text

Each program in xt/applications does an application's work in an empty directory, and looks at
it again in a second process: on Storable, on Storable once more (so that what it prints is known
to be the same each time, and with the calls counted), and with
PERL5OPT=-MPermafrost::AsStorable. What it prints must be the same; each module must read the
other one's files with the same result, and all processes must have been served by the right
one. How many files are the same to the byte is told, but not judged, as some hold the time; the
number in brackets says how many are when stock makes them twice.

Without a NAME all run. One whose packages are not there is skipped. Exit status 1 if anything
differs, 2 usage.

=cut

my %opt;
GetOptions(\%opt, qw(setup list markdown suites dir=s), help => sub { pod2usage(-verbose => 1, -exitval => 0) })
    or pod2usage(2);
my $kind = 'Applications';
if ($opt{suites}) {
    require ApplicationSuites;
    $kind = 'ApplicationSuites';
    ApplicationSuites::keep_in($opt{dir}) if $opt{dir};
}
my @all = $opt{suites} ? ApplicationSuites::suites() : Applications::scenarios();
my %by_name = map { ($_->{name} => $_) } @all;
my @unknown = grep { !$by_name{$_} } @ARGV;
pod2usage(-exitval => 2, -verbose => 0, -message => "$0: unknown: @unknown; --list lists them") if @unknown;
my @chosen = @ARGV ? @by_name{@ARGV} : @all;

if ($opt{list}) {
    printf "%-20s %s (%s)\n", @$_{qw(name does)}, "@{ $_->{packages} }" || 'core' for @chosen;
    exit 0;
}
if ($opt{setup}) {
    system("$FindBin::Bin/../dev/setup", $opt{suites} ? 'suites' : 'applications') == 0 or exit 1;
}
if (!eval { require Permafrost; 1 }) {
    warn "$0: not built; run: perl Makefile.PL && make, and then with -Mblib\n";
    exit 2;
}
$| = 1;
exit($opt{suites} ? suites() : applications());

# Prints one line of a table, in columns of these widths (a last one of 0 is left as it is) or for
# Markdown.
sub row {
    my ($widths, @cells) = @_;
    return print '| ', join(' | ', @cells), " |\n" if $opt{markdown};
    my $line = sprintf join('  ', map { "%-${_}s" } @$widths), @cells;
    return print $line =~ s/\s+\z//r, "\n";
}

sub heading {
    my ($widths, @cells) = @_;
    row($widths, @cells);
    print '|', '---|' x @cells, "\n" if $opt{markdown};
    return;
}

sub applications {
    my @widths = (32, 26, 9, 28, 9, 12, $opt{markdown} ? () : 7, 0);
    my %count = (equal => 0, DIFFERS => 0, skipped => 0);
    heading(\@widths, 'subject', 'version', 'equal', 'calls', 'processes', 'files', $opt{markdown} ? () : 'seconds',
        'what was run');
    for my $s (@chosen) {
        my $lacks = Applications::lacks($s);
        my $r = defined $lacks ? {result => 'skipped', why => "no $lacks", seconds => 0} : Applications::run($s);
        $count{ $r->{result} }++;
        my $calls = join ' ', map { "$_ $r->{calls}{$_}" } sort keys %{ $r->{calls} || {} };
        row(\@widths, $s->{subject}, defined $lacks ? '' : Applications::version($s), $r->{result}, $calls,
            $r->{processes} // '', $r->{files} // '', $opt{markdown} ? () : sprintf('%.1f', $r->{seconds}),
            defined $lacks ? "$r->{why}: @{ $s->{packages} }" : $s->{does});
        warn $r->{why} =~ s/^/    /gmr if $r->{result} eq 'DIFFERS';
    }
    print "\n$count{equal} equal, $count{DIFFERS} differ, $count{skipped} skipped\n";
    return $count{DIFFERS} ? 1 : 0;
}

sub suites {
    my @widths = (26, 24, 6, 18, 18, 9, 0);
    my %count = (same => 0, DIFFERS => 0, skipped => 0);
    heading(\@widths, 'source package', 'version', 'result', 'on Storable', 'on Permafrost', 'processes', 'remark');
    for my $s (@chosen) {
        my $r = ApplicationSuites::run($s);
        $count{ $r->{result} }++;
        row(\@widths, $s->{name}, @$r{qw(version result stock permafrost processes remark)});
    }
    print "\n$count{same} same, $count{DIFFERS} differ, $count{skipped} skipped\n";
    return $count{DIFFERS} ? 1 : 0;
}
