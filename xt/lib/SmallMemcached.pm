package SmallMemcached;

# As much of memcached's text protocol as the tests need, in core perl: for machines without a
# client from CPAN, and to see the very bytes. Keys go to the nodes to which Cache::Memcached and
# Cache::Memcached::Fast would send them.
#
#     my $cache = SmallMemcached->new(['127.0.0.1:11211', ...], $namespace);
#     $cache->set($key, $bytes, STORABLE);
#     my ($bytes, $flags) = $cache->get($key);

use strict;
use warnings;
use IO::Socket::INET ();

use constant STORABLE => 1;    # the flag of values that are images

sub new {
    my ($class, $servers, $namespace) = @_;
    my @nodes = map { IO::Socket::INET->new(PeerAddr => $_, Timeout => 5) || die "$_: $@\n" } @$servers;
    binmode $_ for @nodes;
    return bless { nodes => \@nodes, namespace => $namespace // '' }, $class;
}

# RETURNS: the number of the node, from 0, that has KEY. The namespace does not count.
sub node_of {
    my ($self, $key) = @_;
    my $crc = 0xffffffff;
    for my $byte (unpack 'C*', $key) {
        $crc ^= $byte;
        $crc = $crc & 1 ? $crc >> 1 ^ 0xedb88320 : $crc >> 1 for 1 .. 8;
    }
    return (($crc ^ 0xffffffff) >> 16 & 0x7fff) % @{ $self->{nodes} };
}

sub set {
    my ($self, $key, $bytes, $flags) = @_;
    my $node = $self->{nodes}[$self->node_of($key)];
    print {$node} sprintf("set %s%s %d 0 %d\r\n", $self->{namespace}, $key, $flags || 0, length $bytes), $bytes, "\r\n";
    my $answer = readline($node) // 'nothing';
    $answer eq "STORED\r\n" or die "memcached says $answer\n";
    return 1;
}

# RETURNS: bytes and flags; nothing if the key is not there.
sub get {
    my ($self, $key) = @_;
    my $node = $self->{nodes}[$self->node_of($key)];
    print {$node} "get $self->{namespace}$key\r\n";
    my $line = readline($node) // '';
    return if $line eq "END\r\n";
    my ($flags, $length) = $line =~ /\AVALUE \S+ ([0-9]+) ([0-9]+)/ or die "memcached says $line\n";
    read $node, my ($bytes), $length;
    my $end = (readline($node) // '') . (readline($node) // '');
    $end eq "\r\nEND\r\n" or die "memcached says $end\n";
    return ($bytes, $flags);
}

1;
