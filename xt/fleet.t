#!/usr/bin/perl
# A mixed fleet: processes with stock Storable and with Permafrost, on this machine and on others,
# write and read the same keys in two memcached nodes. Then somebody uses freeze by mistake.
#
#     prove -bv xt/fleet.t              here; with images as other machines write them, made by the converter
#     dev/matrix --fleet i386 s390x     with these cells of dev/matrix, too; FLEET_CELLS names them
#
# The tables are printed as notes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use CacheServers;
use Config;
use File::Temp qw(tempdir);
use FleetData qw(fleet_data fleet_names);
use IPC::Open2 qw(open2);
use Permafrost ();
use Permafrost::Image ();
use SmallMemcached;
use Storable ();
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'needs memcached' if !CacheServers::program('memcached');
my $servers = CacheServers->start(memcached => 2);
my @nodes = $servers->memcached;
my $cache = SmallMemcached->new(\@nodes, 'fleet:');
$SIG{PIPE} = 'IGNORE';
alarm($ENV{FLEET_CELLS} ? 4 * 3600 : 600);    # a member may hang; the servers end with the test

my @fleet = members();
note 'the fleet: ', join ', ', map { $_->{name} } @fleet;

# ---- members ------------------------------------------------------------------------------

# RETURNS: the members that are there, each a process with its name, module and machine.
sub members {
    my $client = eval { require Cache::Memcached::Fast; 1 } ? 'fast' : 'small';
    my $perl = [$^X, map { "-I$_" } grep { !ref } @INC];
    my @members = (
        member('Storable here', 'Storable', undef, $client, {}, @$perl),
        member('Permafrost here', 'Permafrost', undef, $client, {}, @$perl),
        member('strict here', 'Permafrost', undef, $client, { PERMAFROST_STRICT => 1 }, @$perl),
    );
    my @cells = split ' ', $ENV{FLEET_CELLS} // '';
    diag 'only this machine takes part; for others: dev/matrix --fleet' if !@cells;
    for my $cell (@cells) {
        push @members, member("$_ $cell", $_, $cell, 'small', {}, 'dev/matrix', '--run', $cell, 'perl', '-Mblib') for qw(Storable Permafrost);
    }
    return @members;
}

sub member {
    my ($name, $module, $cell, $client, $env, @command) = @_;
    local @ENV{keys %$env} = values %$env;
    my $pid = open2(my $out, my $in, @command, 'xt/fleet_member.pl', $module, $client, @nodes);
    my $member = { name => $name, module => $module, cell => $cell, strict => !!%$env, out => $out, in => $in, pid => $pid };
    ($member->{perl}) = answer($member) =~ /\Aready (\S+)/ or BAIL_OUT("$name does not start");
    return $member;
}

# RETURNS: the answer to a command.
sub ask {
    my ($member, @command) = @_;
    print { $member->{in} } "@command\n";
    return answer($member);
}
sub answer {
    my ($member) = @_;
    while (my $line = readline $member->{out}) {
        return $1 if $line =~ /\Afleet: (.*)/;
    }
    return 'gone';
}

# RETURNS: what `get` should answer.
sub expected {
    my ($name) = @_;
    local $Storable::canonical = 1;
    return 'ok ' . unpack 'H*', Storable::nfreeze(Storable::thaw(Storable::nfreeze(fleet_data($name))));
}

# Prints a table: a line for each writer, a column for each reader.
sub table {
    my ($title, $table, @writers) = @_;
    my ($width) = sort { $b <=> $a } map { length } @writers, 'written by';
    my $line = join '  ', "%-${width}s", map { '%-' . length($_->{name}) . 's' } @fleet;
    note $title;
    note sprintf $line, 'written by', map { $_->{name} } @fleet;
    note sprintf $line, $_, @{ $table->{$_} }{map { $_->{name} } @fleet} for @writers;
    return;
}

# ---- all write and read the same keys -------------------------------------------------------

subtest 'nfreeze: everybody reads what everybody writes' => sub {
    my (%table, %nodes);
    for my $name (fleet_names()) {
        my $expected = expected($name);
        $nodes{ $cache->node_of($name) }++;
        for my $writer (@fleet) {
            is(ask($writer, 'set', $name, $name), 'ok', "$writer->{name} writes $name");
            for my $reader (@fleet) {
                my $good = is(ask($reader, 'get', $name), $expected, "... $reader->{name} reads it");
                $table{$writer->{name}}{$reader->{name}} += $good ? 1 : 0;
            }
        }
    }
    is(scalar keys %nodes, 2, 'the keys are on both nodes');
    is(ask($fleet[0], 'get', 'none'), 'miss', 'a key that is not there');
    table('nfreeze: keys read, of ' . scalar(fleet_names()), \%table, map { $_->{name} } @fleet);
};

subtest 'from hand to hand' => sub {
    is(ask($fleet[0], 'set', 'list', 'list'), 'ok', 'a list');
    my @order = (@fleet, reverse(@fleet), @fleet);
    is(ask($order[$_], 'append', 'list', $_), 'ok', "$order[$_]{name} adds to it") for 0 .. $#order;
    my ($image) = $cache->get('list');
    is_deeply(Storable::thaw($image), [0 .. $#order], 'nothing is lost');
    my $list = Storable::nfreeze([map { "$_" } 0 .. $#order]);
    is(unpack('H*', $image), unpack('H*', $list), 'and the bytes are those of stock Storable here');
};

# Perls from 5.37 on write booleans as such, with nfreeze too, and older Storables call that corrupted.
subtest 'booleans: when part of the fleet has a newer perl' => sub {
    my $new = '050b0300000002' . '2200000006' . unpack('H*', 'active') . '2300000006' . unpack('H*', 'locked');
    my $old = '050b0300000002' . '0a013100000006' . unpack('H*', 'active') . '0a0000000006' . unpack('H*', 'locked');
    my %table;
    my $get = sub {
        my ($writer, $image) = @_;
        for my $reader (@fleet) {
            my $answer = ask($reader, 'get', 'flags');
            my $knows = $reader->{perl} >= 5.037 || $reader->{module} eq 'Permafrost';
            my $again = $image eq $new && $reader->{perl} >= 5.037 ? $new : $old;
            is($answer, $image eq $old || $knows ? "ok $again" : 'no Corrupted storable string (binary v2.11)', "... $reader->{name}");
            $table{$writer}{ $reader->{name} } = $answer =~ /\Aok/ ? 'read' : 'no';
        }
    };
    ok($cache->set('flags', pack('H*', $new), SmallMemcached::STORABLE), 'as on perl 5.40');
    $get->('as on perl 5.40', $new);
    for my $writer (grep { !$_->{strict} } @fleet) {
        is(ask($writer, 'set', 'flags', 'flags'), 'ok', $writer->{name});
        $get->($writer->{name}, $writer->{perl} >= 5.037 ? $new : $old);
        next if $writer->{module} ne 'Permafrost';
        is(ask($writer, 'old', 'flags', 'flags'), 'ok', "$writer->{name}, with max_minor => 11");
        $get->("$writer->{name} 11", $old);
    }
    table('booleans, with nfreeze; 11: an object with max_minor', \%table, sort keys %table);
};

# ---- freeze by mistake -----------------------------------------------------------------------

# What a reader whose own native images begin as OWN does must answer to IMAGE: Storable, and
# Permafrost if it is told to be strict, name the first thing in the header that differs.
sub native_expected {
    my ($reader, $image, $own) = @_;
    return qr/\Aok / if $reader->{module} eq 'Permafrost' && !$reader->{strict};
    my ($theirs, $ours) = map { Storable::read_magic($_) } $image, $own;
    return qr/\Ano Byte order is not compatible/ if $theirs->{byteorder} ne $ours->{byteorder};
    my %word = (intsize => 'Integer', longsize => 'Long integer', ptrsize => 'Pointer', nvsize => 'Double');
    for my $size (qw(intsize longsize ptrsize nvsize)) {
        return qr/\Ano $word{$size} size is not compatible/ if $theirs->{$size} != $ours->{$size};
    }
    return qr/\Ano Minor version/ if $theirs->{minor} > $ours->{minor};
    return qr/\Aok /;
}

# Native images as these machines write them, of those that the converter makes here.
my %MADE = ('i386' => '12345678/4/4/4/8', 's390x' => '87654321/4/8/8/8', 'old i386' => '1234/4/4/4/8');

# RETURNS: name => code that puts the data of a name into the cache, in native order.
sub forgetful_writers {
    my %writers;
    for my $member (grep { !$_->{strict} } @fleet) {
        $writers{ $member->{name} } = sub { ask($member, 'mistake', $_[0], $_[0]) };
    }
    for my $machine (keys %MADE) {
        $writers{"as on $machine"} = sub {
            my $image = Permafrost::Image->convert(Storable::freeze(fleet_data($_[0])), order => $MADE{$machine});
            return $cache->set($_[0], $image, SmallMemcached::STORABLE) ? 'ok' : 'not set';
        };
    }
    return %writers;
}

subtest 'freeze: who reads it depends on the machine, but for Permafrost' => sub {
    my (%table, %own, %refused, %image);
    my %writers = forgetful_writers();
    for my $member (@fleet) {
        ask($member, 'mistake', 'counter', 'counter');
        ($own{ $member->{name} }) = $cache->get('counter');
    }
    for my $name (fleet_names()) {
        my $expected = expected($name);
        for my $writer (sort keys %writers) {
            is($writers{$writer}->($name), 'ok', "$writer: $name");
            my ($image) = $cache->get($name);
            $image{$writer}{$name} = $image;
            for my $reader (@fleet) {
                my $answer = ask($reader, 'get', $name);
                like($answer, native_expected($reader, $image, $own{ $reader->{name} }), "... $reader->{name}");
                is($answer, $expected, '... the same data') if $answer =~ /\Aok/;
                $table{$writer}{ $reader->{name} } = $answer =~ /\Aok/ ? 'read' : 'no';
                $refused{$1}{"$writer -> $reader->{name}"} = 1 if $answer =~ /\Ano (.*)/;
            }
        }
    }
    for my $member (grep { $_->{cell} && $MADE{ $_->{cell} } } @fleet) {
        is(unpack('H*', $image{ $member->{name} }{numbers}), unpack('H*', $image{"as on $member->{cell}"}{numbers}),
            "what $member->{name} writes is what the converter makes");
    }
    table('freeze:', \%table, sort keys %writers);
    for my $message (sort keys %refused) {
        note $message;
        note "    $_" for sort keys %{ $refused{$message} };
    }
};

# Clients from CPAN catch the error: the program sees nothing but an empty cache.
subtest 'with stock Storable such a value is a miss, silently' => sub {
    plan skip_all => 'needs Cache::Memcached::Fast' if !eval { require Cache::Memcached::Fast; 1 };
    my %config = (servers => \@nodes, namespace => 'fleet:');
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $machine = $Config{byteorder} eq '87654321' ? 'i386' : 's390x';
    is({ forgetful_writers() }->{"as on $machine"}->('rows'), 'ok', "rows, as on $machine");
    is(scalar Cache::Memcached::Fast->new({%config})->get('rows'), undef, 'Cache::Memcached::Fast has nothing');
    is("@warnings", '', '... and says nothing');
    is_deeply(scalar Cache::Memcached::Fast->new({ %config, serialize_methods => [\&Permafrost::nfreeze, \&Permafrost::thaw] })->get('rows'),
        fleet_data('rows'), '... but with Permafrost it has the data');
    my ($image) = $cache->get('rows');
    is_deeply(Permafrost->new->thaw($image), fleet_data('rows'), '... and an object has them');
    local $Permafrost::accept_foreign = 0;
    ok(!eval { Permafrost::thaw($image); 1 }, 'unless $Permafrost::accept_foreign is false');
    like($@, qr/ is not compatible \(image: .*; this perl: .*accept_foreign/, '... which is said');
};

# ---- who was it? --------------------------------------------------------------------------------

subtest 'the place is found' => sub {
    plan skip_all => 'needs Cache::Memcached::Fast' if !eval { require Cache::Memcached::Fast; 1 };
    my $dir = tempdir(CLEANUP => 1);
    my $program = 'xt/fleet_forgetful.pl';
    my @inc = map { "-I$_" } grep { !ref } @INC;
    my %line;    # of the reference to freeze, and of the call
    open my $in, '<', $program or die "$program: $!";
    while (<$in>) {
        $line{reference} = $. if /Storable::freeze/;
        $line{call} = $. if /->set/;
    }
    {
        local $ENV{PERMAFROST_TRACE} = "$dir/trace.log";
        is(system($^X, @inc, '-MPermafrost::AsStorable', $program, @nodes), 0, 'a forgetful client, traced');
    }
    my ($image) = $cache->get('rows');
    is(Storable::read_magic($image)->{netorder}, 0, 'it has written in native order');
    open my $trace, '<', "$dir/trace.log" or die "no trace: $!";
    my @lines = <$trace>;
    my ($summary) = grep { /"event":"summary"/ } @lines;
    like($summary, qr/"function":"freeze",.*"file":"\Q$program\E","line":$line{call},"count":1\b/, 'the trace names the line of the call');
    note $summary;
    SKIP: {
        skip 'needs PPI', 2 if !eval { require PPI; 1 };
        my $report = qx{@{[join ' ', map { "'$_'" } $^X, @inc]} script/permafrost audit $program};
        is($? >> 8, 1, 'the audit has a finding');
        like($report, qr/^\Q$program\E:$line{reference}:[0-9]+: error: .* memcached /m, '... in the line with the reference, and knows where it leads');
        note $report;
    }
};

close $_->{in} for @fleet;
waitpid $_->{pid}, 0 for @fleet;
$servers->stop;
done_testing;
