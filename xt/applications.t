#!/usr/bin/perl
# The applications of xt/applications.pl whose packages are here, as many as fit into 20 seconds;
# those that need core modules only come first, and always run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Applications;
use Test::More;
use Time::HiRes qw(time);

my $SECONDS = 20;
# Quick ones, each another way to use Storable.
my @QUICK = qw(cache_fastmmap datetime mldbm set_object dbix_class anyevent_fork_call ppi_cache apache_session);

eval { require Permafrost; 1 } or plan skip_all => 'not built';
my $start = time;
my @all   = Applications::scenarios();
my @core  = grep { !@{ $_->{packages} } } @all;
cmp_ok(scalar @core, '>', 2, 'some need core modules only');
my %by_name = map { ($_->{name} => $_) } @all;

# A runner that calls everything equal would be of no use.
{
    my $dir = File::Temp::tempdir(CLEANUP => 1);
    my $run = sub {
        my ($program) = @_;
        open my $out, '>', "$dir/case.pl" or die "$dir/case.pl: $!";
        print {$out} "use strict; use warnings; use Scenario; use Storable qw(store retrieve freeze thaw);\n$program";
        close $out;
        return Applications::run({name => 'case', file => "$dir/case.pl", server => ''});
    };
    my $keep = 'store([1], "file") if writing; print retrieve("file")->[0], "\n";';
    my $ours = '(defined &Permafrost::freeze ? 1 : 0)';
    my @case = (
        ['equal',   'what is the same',      $keep],
        ['DIFFERS', 'other output',          "$keep print $ours;"],
        ['DIFFERS', 'another status',        "$keep exit $ours;"],
        ['DIFFERS', 'another file',          "store([$ours], 'file') if writing; print retrieve('file')->[0] == $ours ? 'mine' : 'strange';"],
        ['DIFFERS', 'each run another one',  "$keep print \$\$;"],
        ['DIFFERS', 'Storable unused',       'print 1;'],
        ['DIFFERS', 'a child with stock',    "$keep delete \$ENV{PERL5OPT}; \$ENV{PERL5OPT} = '-MStorableWitness' if $ours;"
            . ' system($^X, "-MStorable", "-e", "1");'],
    );
    for my $case (@case) {
        my ($expected, $what, $program) = @$case;
        my $r = $run->($program);
        is($r->{result}, $expected, "the runner: $what") or diag $r->{why};
    }
}

for my $s (@core, grep { defined } @by_name{@QUICK}) {
  SKIP: {
        my $late = @{ $s->{packages} } && time - $start > $SECONDS;
        skip "$s->{name}: $SECONDS s are over", 1 if $late;
        my $lacks = Applications::lacks($s);
        skip "$s->{name}: no $lacks (@{ $s->{packages} })", 1 if defined $lacks;
        my $r = Applications::run($s);
        is($r->{result}, 'equal', "$s->{subject}: $s->{does}") or diag $r->{why};
    }
}

done_testing;
