# The audit on the cases of t/audit/*.txt: each finding has a label, and each label a finding.
#
# A case begins with "=== name". Its text is a file of Perl, case.pl; lines "--- name" begin the
# files of a case that has several. A comment "#= ID CONFIDENCE SEVERITY" at the end of a line,
# with more behind semicolons, says what must be found there; the severity may be left out.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path ();
use File::Temp ();
use FindBin;
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
require Permafrost::Audit;

# RETURNS: a list of [name, {file => text}].
sub cases_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    my (@cases, $to);
    while (my $line = <$in>) {
        if    ($line =~ /\A=== (.*)/) { push @cases, [$1, {}]; $to = 'case.pl' }
        elsif ($line =~ /\A--- (.*)/) { $to = $1 }
        elsif (@cases)                { $cases[-1][1]{$to} .= $line }
    }
    delete $_->[1]{'case.pl'} for grep { keys %{$_->[1]} > 1 } @cases;
    return @cases;
}

# RETURNS: what the labels want: "file:line id confidence" and the severities.
sub labels_of {
    my ($files) = @_;
    my (@wanted, %severity);
    for my $file (sort keys %$files) {
        my $line = 0;
        for my $text (split /\n/, $files->{$file}) {
            $line++;
            my ($labels) = $text =~ /#= (.*?)\s*\z/ or next;
            for my $label (split /;\s*/, $labels) {
                my ($id, $confidence, $severity) = split ' ', $label;
                push @wanted, "$file:$line $id $confidence";
                $severity{"$file:$line $id"} = $severity if $severity;
            }
        }
    }
    return (\@wanted, \%severity);
}

my $count = 0;
for my $file (sort glob "$FindBin::Bin/audit/*.txt") {
    for my $case (cases_of($file)) {
        my ($name, $files) = @$case;
        my $dir = File::Temp::tempdir(CLEANUP => 1);
        for my $path (keys %$files) {
            File::Path::make_path(dirname("$dir/$path"));
            open my $out, '>', "$dir/$path" or die "$dir/$path: $!";
            print {$out} $files->{$path};
            close $out;
        }
        my ($wanted, $severity) = labels_of($files);
        my $report = Permafrost::Audit::audit(paths => [$dir], jobs => 1);
        my $short = sub { $_[0]{file} =~ s{\A\Q$dir\E/}{}r };
        my @found = map { $short->($_) . ":$_->{line} $_->{id} $_->{confidence}" } @{$report->{findings}};
        my ($theme) = $file =~ /(\w+)\.txt\z/;
        is(join("\n", sort @found), join("\n", sort @$wanted), "$theme: $name")
            or diag map { "  $_->{message}\n" } @{$report->{findings}};
        for my $finding (@{$report->{findings}}) {
            my $want = $severity->{$short->($finding) . ":$finding->{line} $finding->{id}"} or next;
            is($finding->{severity}, $want, "$theme: $name: severity") or diag $finding->{message};
        }
        is_deeply($report->{errors}, [], "$theme: $name: read") if @{$report->{errors}};
        $count++;
    }
}
cmp_ok($count, '>', 120, "$count cases");

done_testing;
