package BenchCodecs;
# The other serializers, each called in its fastest way, and what they can carry.
use strict;
use warnings;
no warnings 'recursion';
use B ();
use Scalar::Util qw(blessed refaddr reftype);

# In the expressions, $arg is the data or the bytes, and $codec what `make` gave. Of several ways
# the first that carries the data is taken: options cost time.
my @ENCODERS = (
    {
        name => 'Sereal', modules => ['Sereal::Encoder', 'Sereal::Decoder'],
        ways => [{
            make   => sub { [Sereal::Encoder->new, Sereal::Decoder->new] },
            encode => 'Sereal::Encoder::sereal_encode_with_object($codec->[0], $arg)',
            decode => 'Sereal::Decoder::sereal_decode_with_object($codec->[1], $arg)',
        }],
    },
    {
        name => 'CBOR::XS', modules => ['CBOR::XS'],
        ways => [
            { encode => 'CBOR::XS::encode_cbor($arg)', decode => 'CBOR::XS::decode_cbor($arg)' },
            {
                make   => sub { CBOR::XS->new->allow_sharing },
                encode => '$codec->encode($arg)', decode => '$codec->decode($arg)',
            },
        ],
    },
    {
        name => 'JSON::XS', modules => ['JSON::XS'],
        ways => [{ encode => 'JSON::XS::encode_json($arg)', decode => 'JSON::XS::decode_json($arg)' }],
    },
    {
        name => 'Data::MessagePack', modules => ['Data::MessagePack'],
        ways => [
            { encode => 'Data::MessagePack->pack($arg)', decode => 'Data::MessagePack->unpack($arg)' },
            {
                make   => sub { Data::MessagePack->new->utf8 },
                encode => '$codec->pack($arg)', decode => '$codec->unpack($arg)',
            },
        ],
    },
);

# RETURNS: the names of all modules that are asked for, as a list.
sub modules { return map({ @{ $_->{modules} } } @ENCODERS), 'Clone' }

# RETURNS: those of them that are installed.
sub installed { return grep { eval "require $_; 1" } modules() }

# RETURNS: the names of the serializers, in the order of the tables.
sub names { return map { $_->{name} } @ENCODERS }

# RETURNS: a list of { name, encode, decode, codec, bytes }: the serializers here that carry
# $data, with the expressions to call them by and the encoded data.
sub carriers {
    my ($class, $data) = @_;
    my @carriers;
    ENCODER: for my $encoder (@ENCODERS) {
        next if grep { !eval "require $_; 1" } @{ $encoder->{modules} };
        for my $way (@{ $encoder->{ways} }) {
            my $codec = $way->{make} && $way->{make}->();
            my $bytes = eval { _call($way->{encode}, $codec, $data) } // next;
            my $back  = eval { _call($way->{decode}, $codec, $bytes) } // next;
            next unless $class->same($data, $back);
            push @carriers, { name => $encoder->{name}, codec => $codec, bytes => $bytes,
                encode => $way->{encode}, decode => $way->{decode} };
            next ENCODER;
        }
    }
    return @carriers;
}

sub _call {
    my ($expr, $codec, $arg) = @_;
    my $result = eval $expr;    ## no critic: it is one of those above
    die $@ if $@;
    return $result;
}

# RETURNS: whether two structures are the same for a program that uses them: types, classes,
# keys, what is met twice; strings by their characters; numbers but for the sixteenth digit.
sub same {
    my ($class, $left, $right, $seen) = @_;
    $seen ||= {};
    return _same_scalar($left, $right) unless ref $left && ref $right;
    return 0 if reftype($left) ne reftype($right) || (blessed($left) // '') ne (blessed($right) // '');
    my $known = $seen->{ refaddr $left };
    return $known == refaddr $right if defined $known;
    $seen->{ refaddr $left } = refaddr $right;
    # What was two things must not become one, either.
    return 0 if $seen->{"to " . refaddr $right}++;
    if (reftype $left eq 'HASH') {
        return 0 if keys %$left != keys %$right;
        for my $key (keys %$left) {
            return 0 unless exists $right->{$key} && $class->same($left->{$key}, $right->{$key}, $seen);
        }
        return 1;
    }
    if (reftype $left eq 'ARRAY') {
        return 0 if @$left != @$right;
        $class->same($left->[$_], $right->[$_], $seen) || return 0 for 0 .. $#$left;
        return 1;
    }
    return reftype $left eq 'CODE' ? $left == $right : $class->same($$left, $$right, $seen);
}

sub _same_scalar {
    my ($left, $right) = @_;
    return 0 if ref $left || ref $right || defined $left != defined $right;
    return 1 if !defined $left || $left eq $right;
    my $is_float = B::svref_2object(\$left)->FLAGS & B::SVf_NOK();
    return $is_float && abs($left - $right) <= 1e-14 * abs $left;
}

1;
