package BenchData;
# The data sets of the benchmarks: one function per name, each giving a fresh copy of the
# same data on every machine and perl (its own generator of numbers sees to that).
use strict;
use warnings;

use utf8;

# In the order of the tables.
my @NAMES = qw(
    small_hash rows1000 ints10k nums10k strs10k bighash10k objs1000 nest100 str1M utf8rows
    datetime episodes shared ints10M
);

# What some of them are made with.
my %MODULES = (datetime => ['DateTime'], episodes => ['DBIx::Class', 'DBD::SQLite']);

# RETURNS: the names of all data sets, as a list.
sub names { return @NAMES }

# RETURNS: the modules that data set NAME is made with, as a list; for most it is empty.
sub modules { return @{ $MODULES{ $_[1] } || [] } }

# RETURNS: the first module that data set NAME needs and that is not installed, or undef.
sub lacks {
    my ($class, $name) = @_;
    for my $module ($class->modules($name)) {
        return $module unless eval "require $module; 1";
    }
    return undef;
}

# RETURNS: whether data set NAME has objects whose classes have STORABLE hooks.
sub hooked { return !!$MODULES{ $_[1] } }

# RETURNS: whether data set NAME holds things that are spoilt when they are copied without the
# hooks: rows of DBIx::Class lead to a database handle.
sub needs_hooks { return $_[1] eq 'episodes' }

# RETURNS: a fresh copy of the data set NAME, a reference; dies if there is none.
sub make {
    my ($class, $name) = @_;
    die "no data set '$name'; there are: @NAMES\n" unless grep { $_ eq $name } @NAMES;
    _seed($name);
    return $class->can($name)->();
}

# A linear congruential generator of 31 bits: perl's own rand differs before 5.20. Seeded by
# name, so that a data set does not depend on those made before it.
my $state;
sub _seed { $state = 12345; $state = ($state * 33 + ord) % 2147483648 for split //, shift; return }
sub _below { $state = ($state * 1103515245 + 12345) % 2147483648; return int($state / 2147483648 * shift) }
sub _word { return join '', map { chr(97 + _below(26)) } 1 .. shift }

# Sentences' worth of characters: words of 2 to 9 letters, cut to length.
sub _text {
    my $length = shift;
    my $text = '';
    $text .= _word(2 + _below(8)) . ' ' while length $text < $length;
    return substr $text, 0, $length;
}

# One record of five fields, such as a session or a job in a queue.
sub small_hash {
    return {
        id     => 1 + _below(100_000),
        name   => _text(12),
        tags   => [map { _word(6) } 1 .. 3],
        score  => 3.25,
        active => 1,
    };
}

# 1,000 rows of a database: hashes that all have the same seven keys.
sub rows1000 {
    return [map { {
        id        => $_,
        pid       => _word(8),
        title     => _text(24),
        synopsis  => _text(120),
        duration  => 60 * _below(120),
        series    => 1 + _below(40),
        published => sprintf('20%02d-%02d-%02d', _below(25), 1 + _below(12), 1 + _below(28)),
    } } 1 .. 1000];
}

# 10,000 integers from 0 to 1e9.
sub ints10k { return [map { _below(1_000_000_000) } 1 .. 10_000] }

# 10,000 floating-point numbers from 0 to 1.
sub nums10k { return [map { _below(2147483648) / 2147483648 } 1 .. 10_000] }

# 10,000 strings of 12 letters.
sub strs10k { return [map { _word(12) } 1 .. 10_000] }

# One hash with 10,000 keys of 10 letters and small integers as values.
sub bighash10k { return {map { (_word(10) => $_) } 1 .. 10_000} }

# 1,000 objects, each holding an object of another class and an array of three.
sub objs1000 {
    return [map { bless {
        id     => $_,
        point  => bless({ x => _below(1000), y => _below(1000) }, 'BenchData::Point'),
        labels => [map { _word(5) } 1 .. 3],
    }, 'BenchData::Item' } 1 .. 1000];
}

# 100 hashes, one in the other, with two keys each.
sub nest100 {
    my $nest = { depth => 100, inner => undef };
    $nest = { depth => 100 - $_, inner => $nest } for 1 .. 99;
    return $nest;
}

# One string of a megabyte.
sub str1M { return [_text(1024) x 1024] }

# rows1000 with text in other scripts than ours, and three of the seven keys, too. Each letter
# of the generator stands for one of the alphabet's.
my @CYRILLIC = split //, 'абвгдежзиклмнопрстуфхцчшыюя';
my @KANA     = split //, 'あいうえおかきくけこさしすせそたちつてとなにぬねのは';
sub _foreign {
    my ($letters, $length) = @_;
    return join '', map { $_ eq ' ' ? ' ' : $letters->[ord($_) - 97] } split //, _text($length);
}

sub utf8rows {
    return [map { {
        id          => $_,
        pid         => _word(8),
        'название'  => _foreign(\@CYRILLIC, 24),
        'あらすじ'  => _foreign(\@KANA, 120),
        duration    => 60 * _below(120),
        'σειρά'     => 1 + _below(40),
        published   => sprintf('20%02d-%02d-%02d', _below(25), 1 + _below(12), 1 + _below(28)),
    } } 1 .. 1000];
}

# A DateTime, as logs and database rows have them.
sub datetime {
    require DateTime;
    return DateTime->new(
        year => 2014, month => 6, day => 23, hour => 21, minute => 7, second => 5,
        time_zone => 'UTC',
    );
}

# 28 objects of DBIx::Class.
sub episodes {
    require BenchEpisodes;
    return BenchEpisodes->rows;
}

# 1,000 references to only ten hashes.
sub shared {
    my @hashes = map { { id => $_, name => _text(12) } } 1 .. 10;
    return [map { $hashes[_below(10)] } 1 .. 1000];
}

# Ten million integers from 0 to 1e9, and any other number of them: COUNT. No list in between:
# it would be in the way when memory is measured.
sub ints10M { return BenchData->ints(10_000_000) }

sub ints {
    my (undef, $count) = @_;
    _seed('ints');
    my @ints;
    $#ints = $count - 1;
    $ints[$_] = _below(1_000_000_000) for 0 .. $count - 1;
    return \@ints;
}

1;
