#!/usr/bin/perl
# The audit on Debian packages: downloads them (apt-get download), unpacks them, and compares what
# is certain or likely with the table at the end, which was made by reading the code. Prints a
# table, precision over all findings, and recall.
#
#     perl -Mblib xt/audit_packages.pl [--keep FOLDER] [PACKAGE...]
#
# With --keep what has been unpacked in FOLDER is used again. Exit status 1 if precision is below
# 100 % or recall below 95 %, 2 if no package could be had.
use strict;
use warnings;
use File::Path ();
use File::Temp ();
use Getopt::Long ();
use Permafrost::Audit ();

use constant { PRECISION => 1, RECALL => 0.95 };

Getopt::Long::GetOptions('keep=s' => \my $keep) or die "usage: $0 [--keep FOLDER] [PACKAGE...]\n";
my $root = $keep // File::Temp::tempdir(CLEANUP => 1);
my %only = map { ($_ => 1) } @ARGV;
my @table = grep { !%only || $only{$_->{name}} } read_table();

# RETURNS: a list of hashes: name, version, labels (list of hashes: id, file, code).
sub read_table {
    my @found;
    while (my $line = <DATA>) {
        chomp $line;
        next if $line =~ /\A#/ || $line !~ /\S/;
        if ($line =~ /\A(\S+) (\S+)\z/) { push @found, {name => $1, version => $2, labels => []} }
        elsif ($line =~ /\A +(\S+) (\S+): (.*)\z/) { push @{$found[-1]{labels}},
            {id => $1, file => $2, code => $3} }
        else { die "line $.: $line\n" }
    }
    return @found;
}

# Download and unpack a package. RETURNS: (its folder, its version), or nothing.
sub fetch {
    my ($name) = @_;
    my $dir = "$root/$name";
    if (!-d "$dir/tree") {
        File::Path::make_path("$dir/tree");
        my $quiet = '>/dev/null 2>&1';
        my ($deb) = system("cd '$dir' && apt-get download '$name' $quiet") == 0 ? glob "$dir/*.deb" : ();
        if (!defined $deb || system("dpkg-deb -x '$deb' '$dir/tree' $quiet") != 0) { File::Path::remove_tree($dir); return () }
    }
    my ($version) = map { m{_([^_/]+)_[^_/]+\.deb\z} ? $1 =~ s/%3a/:/r : () } glob "$dir/*.deb";
    return ("$dir/tree", $version // '?');
}

# Which findings have a label, and which labels a finding. One finding has one label.
sub compare {
    my ($findings, $labels) = @_;
    my (@wrong, %met);
    for my $finding (@$findings) {
        my $code = $finding->{source} =~ s/\A\s+//r;
        my ($label) = grep {
            !$met{$_} && $labels->[$_]{id} eq $finding->{id}
                && index($finding->{file}, $labels->[$_]{file}) >= 0 && index($code, $labels->[$_]{code}) == 0
        } 0 .. $#$labels;
        if (defined $label) { $met{$label} = 1 } else { push @wrong, $finding }
    }
    return (\@wrong, [map { $labels->[$_] } grep { !$met{$_} } 0 .. $#$labels]);
}

my %sum = (found => 0, right => 0, expected => 0, met => 0);
printf "%-34s %-26s %8s %6s %6s %6s\n", qw(package version expected found wrong missed);
my @complaints;
for my $package (@table) {
    my ($tree, $version) = fetch($package->{name});
    if (!defined $tree) { printf "%-34s %s\n", $package->{name}, 'cannot be downloaded'; next }
    my $report = Permafrost::Audit::audit(paths => [$tree], confidence => 'likely');
    my ($wrong, $missed) = compare($report->{findings}, $package->{labels});
    my ($found, $expected) = (scalar @{$report->{findings}}, scalar @{$package->{labels}});
    printf "%-34s %-26s %8d %6d %6d %6d\n", $package->{name}, $version
        . ($version eq $package->{version} ? '' : ' *'), $expected, $found, scalar @$wrong, scalar @$missed;
    $sum{other}++ if $version ne $package->{version};
    push @complaints, map { "wrong:  $_->{file}:$_->{line} $_->{id} $_->{confidence}: "
        . $_->{source} =~ s/\A\s+//r } @$wrong;
    push @complaints, map { "missed: $package->{name} $_->{id} $_->{file}: $_->{code}" } @$missed;
    $sum{found} += $found;
    $sum{right} += $found - @$wrong;
    $sum{expected} += $expected;
    $sum{met} += $expected - @$missed;
}
print "$_\n" for @complaints;
if (!$sum{found}) { print "no package could be had\n"; exit 2 }
my ($precision, $recall) = ($sum{right} / $sum{found}, $sum{met} / ($sum{expected} || 1));
printf "precision %.1f %% (%d of %d), recall %.1f %% (%d of %d)\n", 100 * $precision, @sum{qw(right found)},
    100 * $recall, @sum{qw(met expected)};
print "* not the version that was labelled\n" if $sum{other};
exit($precision >= PRECISION && $recall >= RECALL ? 0 : 1);

# The labels: package and version; then for each thing that should be found the finding, a part
# of the file's name, and how the line begins. Some that look alike are named in comments.
__DATA__
libcgi-session-perl 4.48-4
    native-image CGI/Session/Serialize/storable.pm: return Storable::freeze($data);
pgbadger 12.0-1
    unchecked-result usr/bin/pgbadger: my %stats = %{ fd_retrieve($fd) };
    native-image usr/bin/pgbadger: store_fd({
    unchecked-result doc/pgbadger/examples/pgbadger_tools: my %stats = %{ fd_retrieve($fd) };
# Saves under a lock of its own; lock_retrieve and lock_store, in a sub for debugging, are called
# without having been imported.
check-pgactivity 2.6-2
    native-image nagios/plugins/check_pgactivity: eval { store( $all, $storage ); };
    unchecked-result nagios/plugins/check_pgactivity: eval { store( $all, $storage ); };
    lock-gap nagios/plugins/check_pgactivity: lock_store( $all, $args{'output'} )
libbio-perl-perl 1.7.8-1
    native-image Bio/DB/FileCache.pm: my $serialized = freeze($obj);
    native-image Bio/Root/Storable.pm: return freeze( $data );
    native-image Bio/SeqFeature/Collection.pm: return freeze($obj);
fusioninventory-agent 1:2.6-3
    native-image fusioninventory/lib/FusionInventory/Agent/Storage.pm: store($params{data}, $file) or warn;
# A ternary on 'portable' chooses between freeze and nfreeze: possible at most.
libmldbm-perl 2.05-4
libchi-perl 0.61-1
libcache-memcached-perl 1.30-1.1
# nfreeze only.
libtheschwartz-perl 1.12-2
# Methods called freeze and store.
libdata-serializer-perl 0.65-2
apt-show-versions 0.22.13+nmu1
# Imports store and store_fd, and calls neither.
backuppc 4.4.0-8
gscan2pdf 2.13.2-1
    native-image Gscan2pdf/Document.pm: store( \%session, File::Spec->catfile( $self->{dir}, 'session' ) );
    unchecked-result Gscan2pdf/Document.pm: store( \%session, File::Spec->catfile( $self->{dir}, 'session' ) );
    unchecked-result Gscan2pdf/Document.pm: my $sessionref = retrieve($sessionfile);
    native-image Gscan2pdf/Frontend/Image_Sane.pm: info    => freeze( \@devices ),
    native-image Gscan2pdf/Frontend/Image_Sane.pm: info    => freeze( \$device_name ),
    native-image Gscan2pdf/Frontend/Image_Sane.pm: info    => freeze( \@options ),
    native-image Gscan2pdf/Frontend/Image_Sane.pm: info    => freeze( \$path ),
libapache-session-perl 1.94-2
libbio-graphics-perl 2.40-6
    code-enabled Bio/Graphics/FeatureFile.pm: $Storable::Deparse = 1;
    code-enabled Bio/Graphics/FeatureFile.pm: $Storable::Eval    = 1;
    unchecked-result Bio/Graphics/FeatureFile.pm: my $parsed_file = lock_retrieve($cachefile);
    native-image Bio/Graphics/FeatureFile.pm: eval {lock_store($parsed,$cachefile)};
    unchecked-result Bio/Graphics/FeatureFile.pm: eval {lock_store($parsed,$cachefile)};
libcache-cache-perl 1.08-3
libcache-fastmmap-perl 1.57-2+b1
    native-image Cache/FastMmap.pm: $Self->{serialize}   = Storable->can("freeze");
libcache-mmap-perl 0.11-4+b1
    native-image Cache/Mmap.pm: return ' '.freeze($value);
libcatalyst-plugin-cache-perl 0.12-3
    native-image Catalyst/Plugin/Cache/Backend/Memory.pm: sub set { $_[0]{$_[1]} = freeze(\$_[2]) };
libdbi-perl 1.643-4+deb12u3
    silent-loss DBI/Gofer/Serializer/Storable.pm: local $Storable::forgive_me = 1; # for CODE refs etc
    silent-loss DBI/PurePerl.pm: local $Storable::forgive_me = 1; # in case there are some CODE refs
    native-image DBI/PurePerl.pm: my $imp_data = Storable::freeze($dbh);
libdbix-class-perl 0.082843-1
libforks-perl 0.36-3+b1
    code-enabled forks.pm: local $Storable::Deparse = 1 if $newStorable;
    code-enabled forks.pm: local $Storable::Eval = 1 if $newStorable;
    native-image forks.pm: $data = pack('C', CMD_TYPE_DEFAULT).Storable::freeze( $data_aref );
    unchecked-result forks.pm: return (undef, @{Storable::thaw( substr($msg, CMT_TYPE_FROZEN_CONTENT_IDX) )});
libgearman-client-perl 2.004.015-1
    unchecked-result Gearman/Task.pm: my $exception = Storable::thaw($$exc_ref);
    native-image Gearman/Taskset.pm: $task->exception(\Storable::freeze(\$blob));
libgraph-perl 1:0.9726-1
    native-image Graph.pm: return Storable::thaw(Storable::freeze($g));
libhtml-template-compiled-perl 1.003-3
    code-enabled HTML/Template/Compiled.pm: local $Storable::Deparse = 1;
    native-image HTML/Template/Compiled.pm: Storable::store($to_cache, "$cachefile.storable");
    unchecked-result HTML/Template/Compiled.pm: Storable::store($to_cache, "$cachefile.storable");
    code-enabled HTML/Template/Compiled.pm: local $Storable::Eval = 1;
libhtml-template-perl 2.97-2
    native-image HTML/Template.pm: $result = Storable::lock_store([$self->{mtime}, $self->{included_mtimes}, $self-
libio-async-perl 0.802-1
    native-image IO/Async/Channel.pm: \&Storable::freeze,
libipc-shareable-perl 1.13-1
    native-image IPC/Shareable.pm: my $ice = freeze $water;
libjifty-dbi-perl 0.78-3
    code-enabled Jifty/DBI/Filter/Storable.pm: $Storable::Deparse = 1;
    code-enabled Jifty/DBI/Filter/Storable.pm: $Storable::Eval = 1;
libmce-perl 1.884-1
    native-image MCE.pm: $_freeze = \&Storable::freeze;
    native-image MCE.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Channel.pm: $freeze = \&Storable::freeze;
    native-image MCE/Flow.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Grep.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Loop.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Map.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Step.pm: $_p->{FREEZE} = \&Storable::freeze;
    native-image MCE/Stream.pm: $_p->{FREEZE} = \&Storable::freeze;
libmoosex-storage-perl 0.53-2
libparallel-forkmanager-perl 2.02-1
    native-image Parallel/ForkManager.pm: my $stored = eval { return Storable::store($data, $storable_tempfile); };
libparallel-iterator-perl 1.002-1
    unchecked-result Parallel/Iterator.pm: my $r  = fd_retrieve $fd;
    native-image Parallel/Iterator.pm: store_fd [$obj], $fd;
    unchecked-result Parallel/Iterator.pm: store_fd [$obj], $fd;
libplack-middleware-session-perl 0.33-2
# can('nfreeze') or can('freeze') of classes that only the run knows.
libpoe-perl 2:1.3700-1
# References to Thread::Serialize::freeze, and methods.
libthread-queue-any-perl 1.16-3
libthread-serialize-perl 1.02-1
    native-image Thread/Serialize.pm: $iced= unpack( 'l',Storable::freeze( [] ));
    native-image Thread/Serialize.pm: return Storable::freeze( \@_ ) if !defined() or ref() or m#\0#;
    unchecked-result Thread/Serialize.pm: ? @{ Storable::thaw( $_[0] ) }
    unchecked-result Thread/Serialize.pm: return Storable::thaw( $_[0] )->[0];
munin 2.0.73-1
    unchecked-result munin/munin-datafile2storable: Storable::nstore_fd($config, \*STDOUT);
    unchecked-result Munin/Master/ProcessManager.pm: my $res = fd_retrieve($worker_sock);
    unchecked-result Munin/Master/ProcessManager.pm: nstore_fd([ $worker->{ID},  $res], $sock);
    unchecked-result Munin/Master/Utils.pm: Storable::nstore($data, $storable_filename_tmp);
request-tracker5 5.0.3+dfsg-3~deb12u7
    unchecked-result request-tracker5/lib/RT/Migrate/Importer/File.pm: my $state = Storable::retrieve( $self->{Statefile} );
    unchecked-result request-tracker5/lib/RT/Migrate/Importer/File.pm: Storable::nstore(\%data, $self->{Statefile});
    unchecked-result request-tracker5/lib/RT/Migrate/Serializer/File.pm: Storable::nstore(
    unchecked-result request-tracker5/lib/RT/Test/Web.pm: return @{ thaw $clone->content };
smokeping 2.7.3-4.1
    unchecked-result Smokeping.pm: my $data = Storable::retrieve("$_");
    native-image Smokeping.pm: Storable::store ($cache, "$dir/new$ext");
    unchecked-result Smokeping.pm: Storable::store ($cache, "$dir/new$ext");
    unchecked-result Smokeping/Master.pm: nstore($existing, $file.$$);
    unchecked-result Smokeping/Slave.pm: nstore $restore, $store;
sympa 6.2.70~dfsg-2+deb12u2
    native-image sympa/lib/Sympa/List.pm: Storable::store($self->{'admin'}, $self->{'dir'} . '/config.bin');
    unchecked-result sympa/lib/Sympa/List.pm: Storable::store($self->{'admin'}, $self->{'dir'} . '/config.bin');
    native-image sympa/lib/Sympa/List.pm: eval { Storable::store($admin, $self->{'dir'} . '/config.bin') };
    unchecked-result sympa/lib/Sympa/List.pm: eval { Storable::store($admin, $self->{'dir'} . '/config.bin') };
