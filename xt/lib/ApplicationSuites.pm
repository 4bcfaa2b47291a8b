package ApplicationSuites;

# Runs the test suites of Debian source packages whose software uses Storable, on Storable and on
# Permafrost, and compares file by file. A file that fails on both says nothing about Permafrost:
# mostly it needs something that is not installed.

use strict;
use warnings;
use Applications ();
use Cwd ();
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);
use File::Temp ();

my $LIB   = Cwd::abs_path(dirname(__FILE__));
my $LIMIT = 900;    # seconds for one suite
my $dir   = ($ENV{XDG_CACHE_HOME} // ($ENV{HOME} // '/tmp') . '/.cache') . '/permafrost';

# Big suites: only the test files whose name or text matches.
my %ONLY = (
    'libdbi-perl'       => qr{^t/(?:\w*gofer\w*|zvg_(?:0|1|5)\w*|(?:48|49|50|51|52|53)\w*)\.t\n|Storable}m,
    'libdbix-class-perl' => qr{Storable|dclone|freeze|thaw},
    'libtype-tiny-perl' => qr{Storable|dclone|[Cc]lone},
);

# Test files left out as they cannot be the same, and why.
my %LEFT_OUT = (
    'libhttp-headers-fast-perl' => {'t/lazy_load_for_storable.t' => 'wants Storable not to be loaded yet'},
    'libipc-shareable-perl'     => {'t/99-end.t' => 'counts the shared memory of all processes'},
);

# Suites whose number of tests depends on random numbers.
my %RANDOM = ('libipc-shareable-perl' => 1);

# Source package => what its software does with Storable. All are built by their own Makefile.PL or
# Build.PL, if there is one.
my %SUITE = (
    'ikiwiki'                         => 'index and users in files',
    'libanyevent-perl'                => 'fork_call, messages of handles',
    'libapache-session-perl'          => 'serializers of sessions',
    'libbit-vector-perl'              => 'hooks',
    'libcache-cache-perl'             => 'copies and files',
    'libcache-fastmmap-perl'          => 'values in shared memory',
    'libcache-perl'                   => 'frozen entries',
    'libcgi-session-perl'             => 'a serializer of sessions',
    'libchi-perl'                     => 'the default serializer, of all drivers',
    'libclone-choose-perl'            => 'dclone',
    'libconst-fast-perl'              => 'dclone',
    'libconfig-model-perl'            => 'dclone',
    'libdata-serializer-perl'         => 'its default serializer',
    'libdate-manip-perl'              => 'dclone',
    'libdatetime-perl'                => 'hooks',
    'libdatetime-timezone-perl'       => 'hooks, singletons',
    'libdbi-perl'                     => 'Gofer, DBD::DBM',
    'libdbix-class-perl'              => 'hooks, dclone',
    'libdevel-cover-perl'             => 'its database',
    'libforks-perl'                   => 'all messages',
    'libgraph-perl'                   => 'deep copies, hooks',
    'libhttp-headers-fast-perl'       => 'dclone',
    'libio-async-perl'                => 'channels, functions',
    'libipc-shareable-perl'           => 'values in shared memory',
    'liblog-log4perl-perl'            => 'a file of limits',
    'libmail-mbox-messageparser-perl' => 'its cache',
    'libmce-perl'                     => 'messages of workers',
    'libmldbm-perl'                   => 'values',
    'libmldbm-sync-perl'              => 'values',
    'libmoosex-storage-perl'          => 'a format and an engine',
    'libnetaddr-ip-perl'              => 'hooks',
    'libparallel-forkmanager-perl'    => 'results of children',
    'libplack-middleware-session-perl' => 'sessions in cookies, files, databases',
    'libpoe-perl'                     => 'a filter',
    'libppi-perl'                     => 'a cache, hooks',
    'libregexp-assemble-perl'         => 'dclone',
    'libset-object-perl'              => 'hooks',
    'libspecio-perl'                  => 'dclone',
    'libsql-translator-perl'          => 'a parser and a producer',
    'libtest-sharedfork-perl'         => 'the shared state in a file',
    'libtheschwartz-perl'             => 'arguments of jobs',
    'libthread-queue-any-perl'        => 'items of queues',
    'libtie-persistent-perl'          => 'files',
    'libtype-tiny-perl'               => 'dclone',
    'liburi-perl'                     => 'hooks',
    'libxml-simple-perl'              => 'a cache, dclone',
    'munin'                           => 'state files, results of children',
    'pgbadger'                        => 'binary files',
);

# Test files that need the network, a terminal or an installed service, whatever Storable it is.
my $NOT_HERE = qr{(?:^|/)(?:author|release|pod\w*|manifest|kwalitee|.*-pod(?:-.*)?)\.t\z|/xt/}i;

sub keep_in { ($dir) = @_; return }

# RETURNS: the suites as hashes, like Applications::scenarios.
sub suites {
    return map { {name => $_, does => $SUITE{$_}, packages => [$_]} } sort keys %SUITE;
}

# RETURNS: a hash: result (same, DIFFERS, skipped), version, stock, permafrost, processes, remark.
sub run {
    my ($s) = @_;
    my %r = (result => 'skipped', version => '', stock => '', permafrost => '', processes => '', remark => '');
    my $source = "$dir/debian-sources/$s->{name}";
    my $said = qx{bash '$LIB/fetch_sources.sh' '$dir/debian-sources' '$s->{name}' 2>&1};
    return {%r, remark => ($said =~ /([^\n:]+)\s*\z/)[0] // 'no source'} unless -d $source;
    $r{version} = qx{cd '$source' && dpkg-parsechangelog -S Version 2>/dev/null} =~ s/\s+//r;
    my $work = File::Temp::tempdir('permafrost-suite-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    my $failed = _build($source, $work);
    return {%r, remark => $failed} if $failed;
    my @tests = _tests("$work/built", $s->{name});
    return {%r, remark => 'no tests'} unless @tests;
    my %run = map { ($_ => _prove($work, $_, @tests)) } qw(stock permafrost);
    remove_tree($work);
    return {%r, _judge($s, @run{qw(stock permafrost)}, scalar @tests)};
}

# Builds a copy of SOURCE in WORK/built. RETURNS: what is wrong, or undef.
sub _build {
    my ($source, $work) = @_;
    system('cp', '-a', $source, "$work/built") == 0 or return 'cannot copy';
    my $command = -e "$work/built/Makefile.PL" ? "$^X Makefile.PL && make"
      : -e "$work/built/Build.PL" ? "$^X Build.PL && ./Build" : 'true';
    my %env = (Applications::environment('stock', $work), PERL_MM_USE_DEFAULT => 1, AUTOMATED_TESTING => 1);
    my $status = Applications::run_limited(\%env, "$work/log", 600, 'sh', '-c', "cd '$work/built' && $command");
    return if !$status;
    return 'does not build: ' . ((grep { /\S/ } split /\n/, Applications::slurp("$work/log"))[-1] // $status);
}

sub _tests {
    my ($built, $name) = @_;
    my @tests = grep { !m{$NOT_HERE} } glob("$built/t/*.t"), glob("$built/t/*/*.t"), glob("$built/t/*/*/*.t"),
        -d "$built/t" ? () : glob("$built/test.pl $built/*/t/*.t");
    my $only = $ONLY{$name};
    my $left_out = $LEFT_OUT{$name} || {};
    return grep { !$left_out->{$_} } grep { !$only || "$_\n" . Applications::slurp("$built/$_") =~ $only } map { substr $_, 1 + length $built } @tests;
}

# RETURNS: a hash: failed (names of files), files, tests, served, late.
sub _prove {
    my ($work, $way, @tests) = @_;
    system('cp', '-a', "$work/built", "$work/here") == 0 or die "cannot copy\n";
    make_path(my $notes = "$work/notes-$way");
    my %env = (Applications::environment($way, $notes), HOME => "$work/here", AUTOMATED_TESTING => 1, CI_TESTING => 1,
        PERL_USE_UNSAFE_INC => 1);
    my @lib = -d "$work/here/blib" ? '-b' : '-l';
    my $status = Applications::run_limited(\%env, "$work/out-$way", $LIMIT, 'sh', '-c', 'cd "$1"; shift; exec prove "$@"', '-',
        "$work/here", '--norc', '--state=save', @lib, '-It/lib', '-I.', @tests);
    my %result;
    my $file;
    for (split /\n/, Applications::slurp("$work/here/.prove")) {
        $file = $1 if /^  (\S.*):\s*$/;
        $result{$file} = $1 if defined $file && /^    last_result: (\S+)/;
    }
    my ($count) = Applications::slurp("$work/out-$way") =~ /^Files=\d+, Tests=(\d+)/m;
    remove_tree("$work/here");
    return {failed => [grep { ($result{$_} // 'not run') ne '0' } @tests], tests => $count // 0,
        served => Applications::served_by($notes), late => $status == -1, out => Applications::slurp("$work/out-$way")};
}

sub _judge {
    my ($s, $stock, $ours, $files) = @_;
    my %text = map { ($_->[0] => sprintf '%d/%d files, %d tests', $files - @{ $_->[1]{failed} }, $files, $_->[1]{tests}) }
        [stock => $stock], [permafrost => $ours];
    my %on_stock = map { ($_ => 1) } @{ $stock->{failed} };
    my %on_ours  = map { ($_ => 1) } @{ $ours->{failed} };
    my @worse  = grep { !$on_stock{$_} } @{ $ours->{failed} };
    my @better = grep { !$on_ours{$_} } @{ $stock->{failed} };
    my @remark = (
        @worse  ? "fails only on Permafrost: @worse" : (), @better ? "fails only on Storable: @better" : (),
        $stock->{late} || $ours->{late} ? 'took too long' : (),
        $stock->{tests} != $ours->{tests} && !@worse && !$RANDOM{ $s->{name} } ? 'another number of tests' : (),
        $ours->{served}{storable} ? "$ours->{served}{storable} processes were not on Permafrost" : (),
    );
    my $left_out = $LEFT_OUT{ $s->{name} } || {};
    my @note = (
        (map { "without " . basename($_) . ": $left_out->{$_}" } sort keys %$left_out),
        $RANDOM{ $s->{name} } ? 'its number of tests is random' : (),
    );
    my $on_both = grep { $on_ours{$_} } keys %on_stock;
    warn map { "    $_\n" } grep { /^(?:not ok|#|\S.*(?:Failed|Dubious))/ } split /\n/, $ours->{out} if @worse;
    return (%text, processes => $ours->{served}{permafrost} // 0, result => @remark ? 'DIFFERS' : 'same',
        remark => join('; ', @remark, $on_both ? "$on_both fail on both" : (), @note) || $s->{does});
}

1;
