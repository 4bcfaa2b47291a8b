#!/usr/bin/perl
# Caches for real: memcached (two nodes) and Redis, started here on loopback, with the clients that
# people use, and Permafrost's object as their serializer; no adapter is needed anywhere. What is
# in the cache must be what stock Storable would have put there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CacheServers;
use File::Temp qw(tempdir);
use Permafrost ();
use SmallMemcached;
use Storable ();
use Test::More;

my %count = (memcached => 2, redis => 1);
delete @count{grep { !CacheServers::program($_) } keys %count};
plan skip_all => 'needs memcached or redis-server' if !%count;
my $servers = CacheServers->start(%count);
my @nodes = $servers->memcached;
my ($redis) = $servers->redis;

{
    package Caches::Session;
    sub STORABLE_freeze { my ($self) = @_; return join('=', %$self), [$self->{user}] }
    sub STORABLE_thaw { my ($self, $cloning, $string, $user) = @_; @$self{qw(user text)} = ($user->[0], $string); return }
}

# RETURNS: name => data, which every cache must give back.
sub data {
    my $shared = ['x'];
    return (
        rows   => [map { { id => $_ } } 1 .. 50],
        text   => { "\x{263a}" => "\x{fc}ber \x{263a}", bytes => join '', map { chr } 0 .. 255 },
        nested => [[[[{ a => { b => [undef, 1, -1, 70000, 1.5] } }]]]],
        shared => [$shared, $shared],
        big    => ['x' x 200_000],
    );
}

# Puts all data into a cache, and takes them out again: SET and GET get a key (and a reference).
sub exchange {
    my ($name, $set, $get) = @_;
    my %data = data();
    my @failed = grep { !$set->($_, $data{$_}) } sort keys %data;
    is("@failed", '', "$name: all are set");
    for my $key (sort keys %data) {
        my $got = $get->($key);
        is_deeply($got, $data{$key}, "$name: $key");
        cmp_ok($got->[0], '==', $got->[1], '... and shared') if $key eq 'shared' && $got;
    }
    is($get->('none'), undef, "$name: what is not there");
    return;
}

my $pf = Permafrost->new;
my @methods = (sub { $pf->serialize($_[0]) }, sub { $pf->deserialize($_[0]) });
my $refused = qr/\AClass Caches::Session is not allowed \(trust is 'data'\)/;
my $session = bless { user => 'ann' }, 'Caches::Session';

# What is under KEY of NAMESPACE must be what stock Storable makes of DATA, and be marked as an image.
sub is_stock_image {
    my ($namespace, $key, $data, $name) = @_;
    my ($bytes, $flags) = SmallMemcached->new(\@nodes, $namespace)->get($key);
    is(unpack('H*', $bytes // ''), unpack('H*', Storable::nfreeze($data)), "$name: the bytes in the cache");
    is($flags, SmallMemcached::STORABLE, '... and their flag');
    return;
}

subtest 'Cache::Memcached::Fast' => sub {
    plan skip_all => 'needs memcached and Cache::Memcached::Fast' if !@nodes || !eval { require Cache::Memcached::Fast; 1 };
    my %common = (servers => \@nodes, namespace => 'fast:');
    my $cache = Cache::Memcached::Fast->new({ %common, serialize_methods => \@methods });
    is(scalar keys %{ $cache->server_versions }, 2, 'two nodes');
    exchange('serialize_methods', sub { $cache->set(@_) }, sub { $cache->get($_[0]) });
    $cache->set(one => [1, 'a']);
    is_stock_image('fast:', 'one', [1, 'a'], 'an object');

    my $stock = Cache::Memcached::Fast->new({ %common });
    exchange('written by Permafrost, read by Storable', sub { $cache->set(@_) }, sub { $stock->get($_[0]) });
    exchange('written by Storable, read by Permafrost', sub { $stock->set(@_) }, sub { $cache->get($_[0]) });
    my $functions = Cache::Memcached::Fast->new({ %common, serialize_methods => [\&Permafrost::nfreeze, \&Permafrost::thaw] });
    exchange('the functions', sub { $functions->set(@_) }, sub { $functions->get($_[0]) });
    my $packed = Cache::Memcached::Fast->new({ %common, serialize_methods => \@methods, compress_threshold => 1000, max_size => 50_000 });
    exchange('compressed', sub { $packed->set(@_) }, sub { $packed->get($_[0]) });

    my %data = data();
    my $results = $cache->set_multi(map { ["multi-$_", $data{$_}] } sort keys %data);
    is(join(' ', grep { !$results->{$_} } keys %$results), '', 'set_multi');
    is_deeply($cache->get_multi(map { "multi-$_" } keys %data), { map { ("multi-$_" => $data{$_}) } keys %data }, 'get_multi');
    my $counted = $cache->gets('one');
    ok($cache->cas('one', $counted->[0], [2]), 'cas');
    ok(!$cache->cas('one', $counted->[0], [3]), 'cas, too late');
    is_deeply($cache->get('one'), [2], 'what the first has written');

    ok(!eval { $cache->set(session => $session); 1 }, 'a class is not written if data are trusted only');
    like($@, $refused, '... says why');
    $stock->set(session => $session);
    is(scalar $cache->get('session'), undef, '... and is a miss if somebody else has written it');
    my $trusting = Permafrost->new(trust => 'classes', classes => ['Caches::Session']);
    my $sessions = Cache::Memcached::Fast->new({ %common, serialize_methods => [sub { $trusting->serialize($_[0]) }, sub { $trusting->deserialize($_[0]) }] });
    is_deeply($sessions->get('session'), bless({ user => 'ann', text => 'user=ann' }, 'Caches::Session'), 'a class that is allowed');

    SmallMemcached->new(\@nodes, 'fast:')->set('damaged', "\x05\x0b\x03\x00\x00\x00\x05\x0a", SmallMemcached::STORABLE);
    is(scalar $cache->get('damaged'), undef, 'a damaged image is a miss');
};

# The module calls Storable itself, and has no option for it: so in a process of its own, with
# Permafrost in Storable's place.
subtest 'Cache::Memcached' => sub {
    plan skip_all => 'needs memcached and Cache::Memcached' if !@nodes || !eval { require Cache::Memcached; 1 };
    my $stock = Cache::Memcached->new({ servers => \@nodes, namespace => 'pure:' });
    exchange('Storable', sub { $stock->set(@_) }, sub { $stock->get($_[0]) });
    my $script = <<'TEXT';
        use Cache::Memcached;
        my $cache = Cache::Memcached->new({ servers => [@ARGV], namespace => 'pure:' });
        my @keys = qw(rows text nested shared big);
        my $all = $cache->get_multi(@keys);
        for my $key (@keys) {
            $cache->set("again-$key", $cache->get($key)) or print "not set: $key\n";
            $cache->set("multi-$key", $all->{$key}) or print "not set: multi $key\n";
        }
        $cache->add('added', ['added']) or print "not added\n";
        $cache->replace('added', ['replaced']) or print "not replaced\n";
        $cache->set_compress_threshold(1000);
        $cache->set('packed', $cache->get('big')) or print "not packed\n";
        print "Storable is loaded\n" if grep { $_ eq 'Storable' } @DynaLoader::dl_modules;
        print "not replaced by Permafrost\n" if \&Storable::nfreeze != \&Permafrost::nfreeze;
        print "done\n";
TEXT
    my $output = run_replaced($script, @nodes);
    is($output, "done\n", 'under PERL5OPT=-MPermafrost::AsStorable');
    my %data = data();
    for my $key (sort keys %data) {
        is_deeply($stock->get("again-$key"), $data{$key}, "$key, read and written again");
        is_deeply($stock->get("multi-$key"), $data{$key}, "$key, by get_multi");
    }
    is_deeply($stock->get('added'), ['replaced'], 'add and replace');
    is_deeply($stock->get('packed'), $data{big}, 'compressed');
    is_stock_image('pure:', 'added', ['replaced'], 'replaced');
};

# RETURNS: what a script prints that runs with Permafrost in Storable's place.
sub run_replaced {
    my ($script, @arguments) = @_;
    local $ENV{PERL5LIB} = join ':', grep { !ref } @INC;
    local $ENV{PERL5OPT} = '-MPermafrost::AsStorable';
    open my $out, '-|', $^X, '-we', $script, @arguments or die "$^X: $!";
    local $/;
    return scalar <$out>;
}

subtest 'CHI' => sub {
    plan skip_all => 'needs CHI' if !eval { require CHI; 1 };
    my $root = tempdir(CLEANUP => 1);
    my %drivers = (File => [root_dir => $root], Memory => [datastore => {}]);
    for my $client (qw(Memcached Memcached::Fast)) {
        $drivers{$client} = [servers => \@nodes] if @nodes && eval "require CHI::Driver::$client; require Cache::$client; 1";
    }
    for my $driver (sort keys %drivers) {
        my @common = (driver => $driver, @{ $drivers{$driver} }, namespace => 'chi');
        my $ours = CHI->new(@common, serializer => $pf);
        my $stock = CHI->new(@common);
        exchange($driver, sub { $ours->set(@_) }, sub { $ours->get($_[0]) });
        exchange("$driver, read by Storable", sub { $ours->set(@_) }, sub { $stock->get($_[0]) });
        exchange("$driver, written by Storable", sub { $stock->set(@_) }, sub { $ours->get($_[0]) });
        is_deeply($ours->compute('computed', undef, sub { [1, { a => 2 }] }), [1, { a => 2 }], "$driver: compute");
        ok(!eval { $ours->set(session => $session); 1 }, "$driver: a class is not written if data are trusted only");
        like($@, $refused, '... says why');
        $stock->set(session => $session);
        ok(!eval { $ours->get('session'); 1 }, '... and not read');
        like($@, $refused, '... says why');
    }
    my $replaced = run_replaced(<<'TEXT', $root);
        use CHI;
        my $cache = CHI->new(driver => 'File', root_dir => $ARGV[0], namespace => 'chi');
        $cache->set("again-$_", $cache->get($_)) for qw(rows text nested shared big);
        print \&Storable::nfreeze == \&Permafrost::nfreeze ? "done\n" : "not replaced\n";
TEXT
    is($replaced, "done\n", 'its own serializer under PERL5OPT=-MPermafrost::AsStorable');
    my %data = data();
    my $stock = CHI->new(driver => 'File', root_dir => $root, namespace => 'chi');
    is_deeply($stock->get("again-$_"), $data{$_}, "$_, read and written again") for sort keys %data;
};

subtest 'Redis::Fast' => sub {
    plan skip_all => 'needs redis-server and Redis::Fast' if !$redis || !eval { require Redis::Fast; 1 };
    my $client = Redis::Fast->new(server => $redis);
    my $thaw = sub { defined $_[0] ? $pf->deserialize($_[0]) : undef };
    exchange('strings', sub { $client->set($_[0], $pf->serialize($_[1])) }, sub { $thaw->(scalar $client->get($_[0])) });
    exchange('a hash', sub { defined $client->hset('hash', $_[0], $pf->serialize($_[1])) }, sub { $thaw->(scalar $client->hget('hash', $_[0])) });
    exchange('read by Storable', sub { $client->set($_[0], $pf->serialize($_[1])) }, sub { my $got = $client->get($_[0]); defined $got ? Storable::thaw($got) : undef });
    exchange('written by Storable', sub { $client->set($_[0], Storable::nfreeze($_[1])) }, sub { $thaw->(scalar $client->get($_[0])) });
    my %data = data();
    $client->rpush('queue', map { $pf->serialize($data{$_}) } sort keys %data);
    is_deeply($thaw->(scalar $client->lpop('queue')), $data{$_}, "a queue: $_") for sort keys %data;
    is(scalar $client->get('one') // 'none', 'none', 'nothing is there');
    $client->set(one => $pf->serialize([1, 'a']));
    is(unpack('H*', $client->get('one')), unpack('H*', Storable::nfreeze([1, 'a'])), 'the bytes are Storable\'s');
    $client->quit;
};

# If the test is killed nothing is left behind.
subtest 'the servers end with the test' => sub {
    open my $out, '-|', $^X, "-I$FindBin::Bin/lib", '-MCacheServers', '-e', <<'TEXT', %count or die "$^X: $!";
        my $servers = CacheServers->start(@ARGV);
        $| = 1;
        print join(' ', $servers->memcached, $servers->redis), "\n";
        kill KILL => $$;
TEXT
    my @addresses = split ' ', <$out>;
    close $out;
    is(scalar @addresses, @nodes + ($redis ? 1 : 0), 'they were there');
    my @left = @addresses;
    for (1 .. 200) {
        @left = grep { IO::Socket::INET->new(PeerAddr => $_, Timeout => 1) } @left or last;
        select undef, undef, undef, 0.05;
    }
    is("@left", '', 'and have ended');
};

$servers->stop;
done_testing;
