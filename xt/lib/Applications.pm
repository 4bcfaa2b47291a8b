package Applications;

# Runs applications on stock Storable and on Permafrost, and compares. The applications are the
# programs in xt/applications; xt/lib/Scenario.pm says how they are called.

use strict;
use warnings;
use Cwd ();
use File::Basename qw(basename dirname);
use File::Find ();
use File::Path qw(make_path remove_tree);
use File::Temp ();
use IO::Socket::INET ();
use POSIX ();
use Time::HiRes qw(time sleep);

my $XT    = Cwd::abs_path(dirname(__FILE__) . '/..');
my @OURS  = map { Cwd::abs_path($_) } grep { !ref && (-e "$_/Permafrost.pm" || -d "$_/auto/Permafrost") } @INC;
my $LIMIT = 180;    # seconds for one process with all its children

# What PERL5OPT says for each way to run.
my %WAY = (
    stock      => '-MStorableWitness',
    counted    => '-MStorableCounted',
    permafrost => '-MPermafrost::AsStorable -MStorableWitness',
);

# RETURNS: the scenarios as hashes with what their first lines say: name, file, subject, does,
# packages, needs, server.
sub scenarios {
    return map { _scenario($_) } sort glob "$XT/applications/*.pl";
}

sub _scenario {
    my ($file) = @_;
    my %s = (name => basename($file, '.pl'), file => $file, packages => '', needs => '', server => '');
    open my $in, '<', $file or die "$file: $!\n";
    while (<$in>) {
        last unless /^#/;
        $s{lc $1} = $2 if /^# (Subject|Does|Packages|Needs|Server): +(.*?)\s*\z/;
    }
    $s{$_} = [split ' ', $s{$_}] for qw(packages needs);
    return \%s;
}

# RETURNS: the first of what a scenario needs that is not here: a module, or a program with its
# path. Undef if all is here.
sub lacks {
    my ($s) = @_;
    for my $need (@{ $s->{needs} }, $s->{server} ? "/usr/bin/$s->{server}" : ()) {
        next if $need =~ m{^/} ? -x $need
          : system($^X, '-e', "open STDERR, '>', '/dev/null'; exit !eval { require $need; 1 }") == 0;
        return $need;
    }
    return;
}

# RETURNS: the version of its first package, or of the first module that it needs.
sub version {
    my ($s) = @_;
    if (my $package = $s->{packages}[0]) {
        my $version = qx{dpkg-query -W -f '\${Version}' $package 2>/dev/null};
        return $version if $? == 0 && length $version;
    }
    my $module = $s->{needs}[0] or return 'perl ' . sprintf '%vd', $^V;
    return $module =~ m{^/} ? '?' : qx{$^X -e 'require $module; print $module->VERSION // "perl $^V"' 2>/dev/null};
}

# The environment of a WAY. NOTES: the directory for the notes of witness and counter.
sub environment {
    my ($way, $notes) = @_;
    return (
        PERL5OPT => $WAY{$way}, PERL5LIB => join(':', $way eq 'permafrost' ? @OURS : (), "$XT/lib"),
        PERL_HASH_SEED => 0, PERL_PERTURB_KEYS => 0, TZ => 'UTC', LC_ALL => 'C.UTF-8',
        STORABLE_WITNESS => "$notes/witness", STORABLE_CALLS => "$notes/calls",
        PERMAFROST_TRACE => '', PERMAFROST_STRICT => '',
    );
}

# Runs COMMAND with ENV in a process group of its own, its output going to FILE.
# RETURNS: wait's status; -1 if it took too long.
sub run_limited {
    my ($env, $file, $limit, @command) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        POSIX::setpgid(0, 0);
        @SIG{qw(INT QUIT)} = ('DEFAULT') x 2;    # a shell in the background ignores them
        @ENV{keys %$env} = values %$env;
        open STDIN, '<', '/dev/null' and open STDOUT, '>', $file and open STDERR, '>&', \*STDOUT
            and exec @command;
        POSIX::_exit(127);
    }
    POSIX::setpgid($pid, $pid);
    my $status;
    my $in_time = eval {
        local $SIG{ALRM} = sub { die "late\n" };
        alarm $limit;
        waitpid $pid, 0;
        $status = $?;
        alarm 0;
        1;
    };
    kill KILL => -$pid;    # also what it has left behind
    return $status if $in_time;
    waitpid $pid, 0;
    return -1;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or return '';
    local $/;
    return scalar(<$in>) // '';
}

# What the witness has seen: module => number of processes.
sub served_by {
    my ($notes) = @_;
    my %count;
    $count{$_}++ for slurp("$notes/witness") =~ /^(\w+)\t/mg;
    return \%count;
}

# ---- one scenario -----------------------------------------------------------------------

# RETURNS: a hash: result (equal, DIFFERS, skipped), why, calls, processes, files, seconds.
sub run {
    my ($s) = @_;
    my $start = time;
    my $work  = File::Temp::tempdir('permafrost-applications-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    my $self  = bless {s => $s, work => $work}, __PACKAGE__;
    my $server = $s->{server} ? $self->_start_server : undef;
    my %result = eval { $self->_compare };
    %result = (result => 'DIFFERS', why => $@) if $@;
    kill TERM => $server and waitpid $server, 0 if $server;
    remove_tree($work);
    return {%result, seconds => time - $start};
}

sub _compare {
    my ($self) = @_;
    my (%write, %read);
    for my $way (qw(stock counted permafrost)) {
        $self->_fresh($way);
        $write{$way} = $self->_phase($way, 'write', $way);
        system('cp', '-a', "$self->{work}/here", "$self->{work}/$way") == 0 or die "cannot copy\n";
        $read{$way} = $self->_phase($way, 'read', $way);
    }
    die "it prints nothing\n" unless length $write{stock} && length $read{stock};
    _same("write, stock twice: not a fair test", @write{qw(stock counted)});
    _same("read, stock twice: not a fair test",  @read{qw(stock counted)});
    _same('write', @write{qw(stock permafrost)});
    _same('read',  @read{qw(stock permafrost)});
    for my $swap ([qw(stock permafrost)], [qw(permafrost stock)]) {
        my ($way, $writer) = @$swap;
        $self->_fresh($writer, "$self->{work}/$writer");
        _same("files of $writer read by $way", $read{stock}, $self->_phase($way, 'read', $writer));
    }
    my %calls;
    $calls{$_}++ for slurp("$self->{work}/notes-counted/calls") =~ /^(\w+)$/mg;
    die "no function of Storable is called\n" unless %calls;
    my $stock      = served_by("$self->{work}/notes-stock");
    my $permafrost = served_by("$self->{work}/notes-permafrost");
    die 'stock was not stock: ' . join(' ', %$stock) . "\n" if join(' ', keys %$stock) ne 'storable';
    die 'did not run on Permafrost: ' . join(' ', %$permafrost) . "\n"
        if join(' ', keys %$permafrost) ne 'permafrost' || $permafrost->{permafrost} < $stock->{storable};
    return (result => 'equal', why => '', calls => \%calls, processes => $permafrost->{permafrost},
        files => $self->_files);
}

# An empty directory here, or a copy of FROM, always by the same name: paths get into files.
sub _fresh {
    my ($self, $writer, $from) = @_;
    my $here = "$self->{work}/here";
    remove_tree($here);
    if ($from) { system('cp', '-a', $from, $here) == 0 or die "cannot copy\n" }
    else       { make_path($here) }
    return;
}

# RETURNS: what the phase printed; dies with it if it fails.
sub _phase {
    my ($self, $way, $phase, $writer) = @_;
    my $notes = "$self->{work}/notes-$way";
    make_path($notes);
    my %env = (environment($way, $notes), HOME => $self->{work}, SCENARIO_WRITER => $writer,
        MEMCACHED => $self->{address} // '');
    my $status = run_limited(\%env, "$self->{work}/out", $LIMIT, $^X, $self->{s}{file}, $phase, "$self->{work}/here");
    my $out = slurp("$self->{work}/out");
    die "$phase on $way ($writer\'s files): ", $status < 0 ? 'too long' : "status $status", "\n", substr($out, -1500), "\n" if $status;
    return $out;
}

sub _same {
    my ($what, $expected, $got) = @_;
    return if $expected eq $got;
    my $dir = File::Temp::tempdir(CLEANUP => 1);
    for my $pair ([expected => $expected], [got => $got]) {
        open my $out, '>:raw', "$dir/$pair->[0]" or die "$dir: $!\n";
        print {$out} $pair->[1];
        close $out;
    }
    my @lines = split /^/, qx{diff -u $dir/expected $dir/got};
    die join '', "$what:\n", @lines[0 .. ($#lines < 25 ? $#lines : 25)];
}

# RETURNS: "N of M (K)": of M files, N are to the byte what stock made, and K were when stock made
# them again. The others hold times, process numbers or an order of addresses.
sub _files {
    my ($self) = @_;
    my %text;
    for my $way (keys %WAY) {
        my $dir = "$self->{work}/$way";
        File::Find::find({no_chdir => 1, wanted => sub {
            $text{ substr $_, length $dir }{$way} = slurp($_) if -f $_;
        }}, $dir);
    }
    my ($ours, $again) = map {
        my $way = $_;
        scalar grep { defined $_->{stock} && defined $_->{$way} && $_->{stock} eq $_->{$way} } values %text;
    } qw(permafrost counted);
    return %text ? "$ours of " . keys(%text) . " ($again)" : 'none';
}

# Starts memcached on a free port of the loopback. RETURNS: its process id.
sub _start_server {
    my ($self) = @_;
    my $probe = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => 0) or die "no port: $!\n";
    my $port  = $probe->sockport;
    close $probe;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        { exec "/usr/bin/$self->{s}{server}", '-l', '127.0.0.1', '-p', $port, '-U', 0, '-m', 16, $> ? () : ('-u', 'root') }
        POSIX::_exit(127);
    }
    $self->{address} = "127.0.0.1:$port";
    for (1 .. 100) {
        return $pid if IO::Socket::INET->new(PeerAddr => $self->{address}, Timeout => 1);
        sleep 0.05;
    }
    die "$self->{s}{server} does not answer\n";
}

1;
