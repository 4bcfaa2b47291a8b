# Subject: Munin
# Does: datafile to Storable and back by its programs, state files, results of forked workers through a socket
# Packages: munin
# Needs: Munin::Master::Utils Munin::Master::ProcessManager /usr/share/munin/munin-datafile2storable
use strict;
use warnings;
use Scenario;
use Cwd qw(getcwd);
use Log::Log4perl qw(:easy);
use Munin::Master::Config ();
use Munin::Master::ProcessManager ();
use Munin::Master::Utils;
use Munin::Master::Worker ();

Log::Log4perl->easy_init($OFF);
{ package Job; our @ISA = 'Munin::Master::Worker';
  sub do_work { my ($self) = @_; return {id => $self->{ID}, rows => main::rows($self->{ID}), values => {load => [1.5, 'U']}} } }

sub output_of { open my $pipe, '-|', @_ or die $!; local $/; return scalar(<$pipe>) // '' }

if (writing) {
    my $text = "version 2.0.73\n";
    for my $host (1 .. 3) {
        for my $service (qw(load cpu df)) {
            $text .= "group$host;host$host:$service.$_\n" for "graph_title Title of $service", 'graph_order a b',
                'a.label \x{17e}', 'a.type DERIVE', "b.label b$host", 'b.warning 10:20', 'a.cdef a,8,*';
        }
        $text .= "group$host;host$host:address 10.0.0.$host\n";
    }
    write_file('datafile', $text);
    open my $out, '>:raw', 'datafile.storable' or die $!;
    print {$out} output_of($^X, '/usr/share/munin/munin-datafile2storable', 'datafile');
    close $out;
    Munin::Master::Utils::munin_writeconfig_storable('config.storable', munin_readconfig_raw('datafile'));
    Munin::Master::Utils::munin_write_storable('state.storable', {value => {"host$_;load" => {current => [1700000000 + $_, 0.25 * $_]}}}) for 1 .. 3;
}
print "$_:\n", join "\n", sort(split /\n/, output_of($^X, '/usr/share/munin/munin-storable2datafile', $_)), ''
    for qw(datafile.storable config.storable);
show('state', Munin::Master::Utils::munin_read_storable('state.storable', {}));
show('no state', Munin::Master::Utils::munin_read_storable('nothing.storable', {default => 1}));
write_file('damaged.storable', "pst0\5\13\4\3");
show('damaged state', Munin::Master::Utils::munin_read_storable('damaged.storable', {default => 2}), -e 'damaged.storable' ? 'kept' : 'removed');

@{ Munin::Master::Config->instance->{config} }{qw(max_processes rundir timeout_fetch_one_node timeout_fetch_all_nodes worker_start_delay)}
    = (2, getcwd(), 20, 40, 0);
my %result;
my $manager = Munin::Master::ProcessManager->new(sub { my ($r) = @_; $result{ $r->[0] } = $r->[1] });
$manager->add_workers(map { Job->new($_) } 1 .. 4);
$manager->start_work;
show('workers', \%result);
