package Cache::Memcached;

# The methods of the client Cache::Memcached that the example needs, without a server: all
# objects with the same servers share their data within this process.

use strict;
use warnings;

my %data;

sub new {
    my ($class, $option) = @_;
    return bless {servers => join ',', @{$option->{servers} || []}}, $class;
}

sub set {
    my ($self, $key, $value) = @_;
    $data{$self->{servers}}{$key} = $value;
    return 1;
}

sub get {
    my ($self, $key) = @_;
    return $data{$self->{servers}}{$key};
}

sub delete {
    my ($self, $key) = @_;
    return defined delete $data{$self->{servers}}{$key};
}

1;
