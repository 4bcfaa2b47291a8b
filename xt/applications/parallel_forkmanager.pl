# Subject: Parallel::ForkManager
# Does: children that hand structures of all kinds back to the parent through files
# Packages: libparallel-forkmanager-perl
# Needs: Parallel::ForkManager
use strict;
use warnings;
use Scenario;
use Cwd qw(getcwd);
use Parallel::ForkManager ();

my $manager = Parallel::ForkManager->new(2, getcwd());
$manager->set_waitpid_blocking_sleep(0);
my %result;
$manager->run_on_finish(sub { my ($pid, $status, $id, $signal, $core, $data) = @_; $result{$id} = [$status, $signal, $data] });
my %data = (hash => {a => 1}, rows => rows(3), scalar => \"text \x{263a}", none => undef, object => bless([1, [2]], 'Some::Class'),
    code => [sub { 1 }], deep => do { my $d = []; $d = [$d] for 1 .. 100; $d });
for my $id (sort keys %data) {
    $manager->start($id) and next;
    local *STDERR;
    open STDERR, '>', '/dev/null';
    $manager->finish(length $id, $data{$id});
}
$manager->wait_all_children;
show($_, $result{$_}) for sort keys %result;
print "files left: @{[glob '*.txt']}\n";
