#!/usr/bin/env perl

# A member of the mixed fleet of xt/fleet.t: a process somewhere that shares a memcached with others.
#
#     perl -Mblib xt/fleet_member.pl Permafrost small 127.0.0.1:11211 127.0.0.1:11212
#
# Storable or Permafrost; "fast" for the client Cache::Memcached::Fast, "small" for the one of the
# tests, which needs core perl only. Commands on stdin, one a line, each answered by a line of stdout
# that begins with "fleet: ":
#
#     set KEY NAME        the data of that name, with nfreeze
#     mistake KEY NAME    ... with freeze
#     old KEY NAME        ... for older perls, by an object of Permafrost with max_minor
#     get KEY             what is there: "ok" and its canonical nfreeze in hex; "miss"; "no" and why
#     append KEY TEXT     reads the list there, adds an item, writes it back

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use FleetData qw(fleet_data);
use SmallMemcached;

my ($module, $client, @nodes) = @ARGV;
(my $file = "$module.pm") =~ s{::}{/}g;
require $file;
my %code = map { ($_ => $module->can($_)) } qw(freeze nfreeze thaw);
$| = 1;

# A client is [set with nfreeze, set with freeze, get]. Clients from CPAN take an image that cannot
# be read for a miss: the reason is kept here.
my $why;
sub thaw {
    my ($image) = @_;
    my $data = eval { $code{thaw}->($image) };
    ($why) = ($@ || 'truncated') =~ /\A(.*?)(?: at \S+ line [0-9]|$)/ if !defined $data;
    return $data;
}

my @client;
if ($client eq 'fast') {
    require Cache::Memcached::Fast;
    my ($right, $wrong) = map {
        Cache::Memcached::Fast->new({ servers => \@nodes, namespace => 'fleet:', serialize_methods => [$code{$_}, sub { thaw($_[0]) // die $why }] })
    } qw(nfreeze freeze);
    @client = (sub { $right->set(@_) }, sub { $wrong->set(@_) }, sub { scalar $right->get($_[0]) });
}
else {
    my $cache = SmallMemcached->new(\@nodes, 'fleet:');
    my $set = sub { my ($order) = @_; return sub { $cache->set($_[0], $code{$order}->($_[1]), SmallMemcached::STORABLE()) } };
    @client = ($set->('nfreeze'), $set->('freeze'), sub { my ($image) = $cache->get($_[0]); return defined $image ? thaw($image) : undef });
}

sub get {
    my ($key) = @_;
    undef $why;
    my $data = $client[2]->($key);
    die "no $why\n" if defined $why;
    return $data // die "miss\n";
}

my %command = (
    set     => sub { $client[0]->($_[0], fleet_data($_[1])) ? 'ok' : 'not set' },
    mistake => sub { $client[1]->($_[0], fleet_data($_[1])) ? 'ok' : 'not set' },
    old     => sub {
        my $old = Permafrost->new(max_minor => 11);
        return SmallMemcached->new(\@nodes, 'fleet:')->set($_[0], $old->serialize(fleet_data($_[1])), SmallMemcached::STORABLE()) ? 'ok' : 'not set';
    },
    append  => sub { my $list = get($_[0]); push @$list, $_[1]; $client[0]->($_[0], $list) ? 'ok' : 'not set' },
    get     => sub {
        my $data = get($_[0]);
        no warnings 'once';
        local $Storable::canonical = 1;
        return 'ok ' . unpack 'H*', $code{nfreeze}->($data);
    },
);

print "fleet: ready $]\n";
while (my $line = <STDIN>) {
    my ($name, @arguments) = split ' ', $line;
    my $answer = eval { $command{$name}->(@arguments) } // $@;
    $answer = join ' ', split ' ', $answer;
    print "fleet: $answer\n";
}
