# Subject: Devel::Cover
# Does: measures a module's tests, with a forked child, into a database of Storable files; merges runs; reports
# Packages: libdevel-cover-perl
# Needs: Devel::Cover
use strict;
use warnings;
use Scenario;

$ENV{DEVEL_COVER_DB_FORMAT} = 'Storable';
my @cover = ($^X, '-S', 'cover', '-silent');
if (writing) {
    mkdir 'lib';
    write_file('lib/Sorted.pm', <<'END');
package Sorted;
use strict;
use warnings;
sub first { my ($x, @list) = @_; return unless @list; return $x && $list[0] > 3 ? (sort @list)[0] : $list[-1] }
sub never { my $x = shift; if ($x) { return 1 } else { return 2 } }
sub add   { my ($x, $y) = @_; $x += $_ for 1 .. $y; return $x || 0 }
1;
END
    write_file("test$_.pl", "use lib 'lib'; use Sorted; my \$pid = fork; if (!\$pid) { Sorted::add(1, $_); exit 0 } waitpid \$pid, 0; Sorted::first($_, 5, 4); Sorted::first(0, 1);\n")
        for 0 .. 2;
    run_command($^X, '-MDevel::Cover=-silent,1,-db,cover_db,-select,Sorted,-ignore,test,-coverage,statement,branch,condition,subroutine', "test$_.pl") for 0 .. 2;
}
my $report = run_command(@cover, '-report', 'text', 'cover_db');
print grep { !/^(?:Run|Perl version|OS|Start|Finish|Reading|Writing|Coverage is off)|^\s*$/ } map { "$_\n" } split /\n/, $report;
