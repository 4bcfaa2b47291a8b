package BenchParts;
# What bench/run measures, part by part. Each part gives a list of rows, plain data that go into
# the JSON as they are; times are microseconds per call unless their names say otherwise.
use strict;
use warnings;
use BenchCodecs;
use BenchData;
use BenchMeasure;
use BenchNative;
use Config;
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP ();
use Scalar::Util qw(reftype);
use Storable ();

my @OPS      = qw(freeze nfreeze canonical thaw nthaw dclone nstore retrieve);
my %CARRIER  = (freeze => 'encode', nfreeze => 'encode', thaw => 'decode', nthaw => 'decode');
my %NO_HASH  = map { ($_ => 1) } qw(ints10k nums10k strs10k str1M);
my %EXPR = (
    freeze   => 'freeze($arg)',
    nfreeze  => 'nfreeze($arg)',
    canonical=> 'freeze($arg)',
    thaw     => 'thaw($arg)',
    nthaw    => 'thaw($arg)',
    dclone   => 'dclone($arg)',
    nstore   => 'nstore($arg->[0], $arg->[1])',
    retrieve => 'retrieve($arg)',
);

# Storable's functions by names of our own: while Permafrost works on classes whose hooks call
# Storable again, its functions stand in Storable's place, as under Permafrost::AsStorable.
my @FUNCTIONS = qw(freeze nfreeze thaw dclone store nstore retrieve);
{
    no strict 'refs';
    *{"BenchStorable::$_"} = \&{"Storable::$_"} for @FUNCTIONS;
}
my %PACKAGE = (Storable => 'BenchStorable', Permafrost => 'Permafrost');

# ---- small tools -------------------------------------------------------------------------

# settings: seconds (per contender and row), quick, only (a regex), progress (a sub that is
# called with a text).
sub new {
    my ($class, %settings) = @_;
    require Permafrost;
    die "Storable's functions are Permafrost's: run this without Permafrost::AsStorable\n"
        if \&Storable::freeze == \&Permafrost::freeze;
    # Files in memory, if there is a place: disks have a speed of their own.
    my $memory = '/dev/shm';
    $settings{dir} = tempdir('permafrost-bench-XXXXXXXX', DIR => -w $memory ? $memory : File::Spec->tmpdir, CLEANUP => 1);
    return bless \%settings, $class;
}

# RETURNS: the data sets that are asked for and can be made, without ints10M.
sub workloads {
    my $self = shift;
    return grep { $_ ne 'ints10M' && $_ =~ $self->{only} && !BenchData->lacks($_) } BenchData->names;
}

sub _as_storable {
    my $code = shift;
    no strict 'refs';
    no warnings 'redefine';
    *{"Storable::$_"} = \&{"Permafrost::$_"} for @FUNCTIONS;
    my $result = eval { $code->() };
    my $error  = $@;
    *{"Storable::$_"} = \&{"BenchStorable::$_"} for @FUNCTIONS;
    die $error if $error;
    return $result;
}

sub _canonical {
    my $code = shift;
    no warnings 'once';
    local $Storable::canonical = 1;
    return $code->();
}

# RETURNS: what must be in force while $module does $op on $name, as a sub that is given what is
# to be run; or undef.
sub _around {
    my ($name, $module, $op) = @_;
    my @around;
    push @around, \&_canonical if $op eq 'canonical';
    push @around, \&_as_storable if BenchData->hooked($name) && $module eq 'Permafrost';
    return $around[0] if @around < 2;
    return sub { my $code = shift; $around[0]->(sub { $around[1]->($code) }) };
}

# RETURNS: what $op of $module is called with, from fresh data of $name.
sub _argument {
    my ($self, $name, $module, $op) = @_;
    my $data = BenchData->make($name);
    my $file = "$self->{dir}/$module.$name";
    return BenchStorable::freeze($data)  if $op eq 'thaw';
    return BenchStorable::nfreeze($data) if $op eq 'nthaw';
    return [$data, $file] if $op eq 'nstore';
    if ($op eq 'retrieve') {
        BenchStorable::nstore($data, $file);
        return $file;
    }
    return $data;
}

# RETURNS: Storable and Permafrost as contenders in $op of $name.
sub _both {
    my ($self, $name, $op) = @_;
    return map { {
        name   => $_,
        sample => BenchMeasure->loop("$PACKAGE{$_}::$EXPR{$op}",
            arg => $self->_argument($name, $_, $op), around => _around($name, $_, $op)),
    } } qw(Storable Permafrost);
}

# Runs $code in a process of its own, so that its memory is gone afterwards.
# RETURNS: the list that it returned, plain data.
sub _in_child {
    my $code = shift;
    my $pid  = open(my $out, '-|') // die "cannot fork: $!\n";
    if (!$pid) {
        $SIG{__DIE__} = 'DEFAULT';
        my @rows = eval { $code->() };
        print {*STDERR} $@ if $@;
        print JSON::PP->new->encode(\@rows);
        close STDOUT;
        require POSIX;
        POSIX::_exit($@ ? 1 : 0);
    }
    my $text = do { local $/; <$out> };
    close $out or die "a measurement failed\n";
    return @{ JSON::PP->new->decode($text) };
}

sub _slurp {
    my $file = shift;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

# ---- before anything is timed --------------------------------------------------------------

# RETURNS: an image of $data in which nothing but the data decides the bytes.
sub _canonical_image {
    my $data = shift;
    return _canonical(sub { BenchStorable::nfreeze($data) });
}

# RETURNS: what $op of $module gave, as bytes.
sub _result {
    my ($self, $name, $module, $op, $data) = @_;
    my $file  = "$self->{dir}/check";
    my $image = $op =~ /thaw|retrieve/ && BenchStorable::nfreeze($data);
    BenchStorable::nstore($data, $file) if $op eq 'retrieve';
    my $arg   = $op =~ /thaw/ ? $image : $op eq 'nstore' ? [$data, $file] : $op eq 'retrieve' ? $file : $data;
    my $call  = eval "sub { my \$arg = shift; return $PACKAGE{$module}::$EXPR{$op} }" or die $@;    ## no critic: one of the table
    # Hooks make new hashes, in which the order of the keys is left to chance.
    my $around = _around($name, $module, BenchData->hooked($name) ? 'canonical' : $op) || sub { $_[0]->() };
    my $result = $around->(sub { $call->($arg) });
    return _slurp($file) if $op eq 'nstore';
    return ref $result ? _canonical_image($result) : $result;
}

# Dies unless both modules give the same for every operation of $name.
sub check {
    my ($self, $name) = @_;
    for my $op (ops($name)) {
        # One hash has one order of keys: the images must come from the very same data. Storable
        # goes last, as it may change the data.
        my $data   = BenchData->make($name);
        my ($ours) = $self->_result($name, 'Permafrost', $op, $data);
        die "$op of $name: Storable and Permafrost differ\n"
            if $ours ne $self->_result($name, 'Storable', $op, $data);
    }
    return;
}

# RETURNS: the operations that are measured with data set $name.
sub ops {
    my $name = shift;
    return grep { !($_ eq 'canonical' && $NO_HASH{$name}) } @OPS;
}

# ---- the parts -------------------------------------------------------------------------------

# { workload, op, times => { name => {...} }, floor_split => [make, free] }: both modules, the
# other serializers that carry the data, and the floor.
sub speed {
    my $self = shift;
    my @rows;
    for my $name ($self->workloads) {
        $self->check($name);
        my @carriers = BenchData->needs_hooks($name) ? () : BenchCodecs->carriers(BenchData->make($name));
        for my $op (ops($name)) {
            $self->{progress}->("$name $op");
            my ($floor, @split) = $self->_floor($name, $op);
            my @contenders = ($self->_both($name, $op), $self->_others($name, $op, @carriers), $floor ? $floor : ());
            my $times = BenchMeasure->compare($self->{seconds} * @contenders, undef, @contenders);
            push @rows, { workload => $name, op => $op, times => $times, @split ? (floor_split => \@split) : () };
        }
        push @rows, $self->_fresh($name) if $name eq 'nums10k';
    }
    return @rows;
}

# RETURNS: the other serializers as contenders in $op of $name.
sub _others {
    my ($self, $name, $op, @carriers) = @_;
    if ($op eq 'dclone') {
        return if BenchData->needs_hooks($name) || !eval { require Clone; 1 };
        return { name => 'Clone', sample => BenchMeasure->loop('Clone::clone($arg)', arg => BenchData->make($name)) };
    }
    my $direction = $CARRIER{$op} or return;
    return map { {
        name   => $_->{name},
        sample => BenchMeasure->loop($_->{$direction}, codec => $_->{codec},
            arg => $direction eq 'encode' ? BenchData->make($name) : $_->{bytes}),
    } } @carriers;
}

# RETURNS: the floor of freeze as a sample sub, for data that are a tree.
sub _walk {
    my $data = shift;
    return BenchMeasure->loop('BenchNative::walk($arg)', arg => [$data, 64 + length BenchStorable::freeze($data)]);
}

# RETURNS: (the floor as a contender, microseconds to make, to free) for $op of $name, of freeze
# the contender alone; nothing if it has none. One long string is but copied, and what is met
# again would be walked again.
sub _floor {
    my ($self, $name, $op) = @_;
    return if BenchData->hooked($name);
    return ({ name => 'floor', sample => _walk(BenchData->make($name)) }) if $op eq 'freeze' && $name !~ /\A(?:str1M|shared)\z/;
    return if $op !~ /\A(?:n?thaw|dclone)\z/;
    my $result  = BenchData->make($name);
    $result     = BenchStorable::thaw(BenchStorable::freeze($result))  if $op eq 'thaw';
    $result     = BenchStorable::thaw(BenchStorable::nfreeze($result)) if $op eq 'nthaw';
    my $program = BenchNative::floor($result, $op eq 'dclone');
    my $sample  = BenchMeasure->loop('BenchNative::make($arg)', arg => $program);
    return ({ name => 'floor', sample => $sample }, _split_floor($program, 1 + int(BenchMeasure->sample_seconds / ($sample->(3) / 3 + 1e-7))));
}

# RETURNS: (microseconds to make, to free), the best of several samples of $count calls.
sub _split_floor {
    my ($program, $count) = @_;
    my ($make, $free);
    for (1 .. 20) {
        my @us = map { $_ / $count * 1e6 } BenchNative::split($program, $count);
        $make = $us[0] if !defined $make || $us[0] < $make;
        $free = $us[1] if !defined $free || $us[1] < $free;
    }
    return ($make, $free);
}

# Storable's nfreeze leaves a text in each float of the data and finds it there the next time.
# This row gives it floats that it has not seen yet.
sub _fresh {
    my ($self, $name) = @_;
    $self->{progress}->("$name nfreeze, fresh");
    my $data = BenchData->make($name);
    my @both = map { my $module = $_; {
        name   => $module,
        sample => BenchMeasure->loop_with_fresh($PACKAGE{$module}->can('nfreeze'), sub { Permafrost::dclone($data) }),
    } } qw(Storable Permafrost);
    return { workload => $name, op => 'nfreeze fresh', times => BenchMeasure->compare($self->{seconds} * 2, undef, @both) };
}

# ints10M, all operations: one run of a few rounds.
sub huge {
    my $self = shift;
    return unless 'ints10M' =~ $self->{only};
    return _in_child(sub {
        my $data   = BenchData->make('ints10M');
        my $rounds = $self->{quick} ? 1 : 3;
        my %image  = (thaw => BenchStorable::freeze($data), nthaw => BenchStorable::nfreeze($data));
        BenchStorable::nstore($data, "$self->{dir}/huge");
        my @rows;
        for my $op (ops('ints10k')) {
            $self->{progress}->("ints10M $op");
            # One copy of the data for both: neither changes integers.
            my $arg = $image{$op} || ($op eq 'nstore' ? [$data, "$self->{dir}/huge"] : $op eq 'retrieve' ? "$self->{dir}/huge" : $data);
            my @both = map { { name => $_, sample => BenchMeasure->loop("$PACKAGE{$_}::$EXPR{$op}", arg => $arg) } } keys %PACKAGE;
            push @rows, { workload => 'ints10M', op => $op, times => BenchMeasure->compare(0, $rounds, @both) };
        }
        unlink "$self->{dir}/huge";
        return @rows;
    });
}

# { module, op, points => [[items, nanoseconds per item]...] }: arrays of integers.
sub growth {
    my $self = shift;
    return _in_child(sub {
        my %points;
        for my $exponent (3 .. ($self->{quick} ? 6 : 7)) {
            my $items = 10 ** $exponent;
            my $data  = BenchData->ints($items);
            my $image = BenchStorable::nfreeze($data);
            for my $op (qw(freeze nfreeze thaw dclone)) {
                $self->{progress}->("growth: $op of 1e$exponent");
                my $arg  = $op eq 'thaw' ? $image : $data;
                my @contenders = map { { name => $_, sample => BenchMeasure->loop("$PACKAGE{$_}::$EXPR{$op}", arg => $arg) } } keys %PACKAGE;
                push @contenders, { name => 'floor', sample => $op eq 'freeze' ? _walk($data)
                    : BenchMeasure->loop('BenchNative::make($arg)', arg => BenchNative::floor($data, $op eq 'dclone')) } if $op ne 'nfreeze';
                my $times = BenchMeasure->compare($self->{seconds} * 2, $items >= 1e7 ? 5 : undef, @contenders);
                push @{ $points{$op}{$_} }, [$items, $times->{$_}{best} * 1000 / $items] for keys %$times;
            }
        }
        return map { my $op = $_; map { { module => $_, op => $op, points => $points{$op}{$_} } }
            grep { $points{$op}{$_} } qw(Storable Permafrost floor) } qw(freeze nfreeze thaw dclone);
    });
}

# { module, op, growth_bytes, against_bytes }: how much the resident memory grows, at its peak, and
# the size of the image or of the result that it bought. Each in a process of its own.
sub memory {
    my $self  = shift;
    my $items = $self->{quick} ? 1_000_000 : 10_000_000;
    my $image = "$self->{dir}/memory";
    my $run   = sub {
        $self->{progress}->("memory: $_[0] by $_[1]");
        open my $out, '-|', $^X, map({ "-I$_" } grep { !ref } @INC), "$FindBin::Bin/memory.pl", @_, $items, $image
            or die "cannot run $^X: $!\n";
        my $bytes = <$out>;
        close $out or die "memory.pl failed\n";
        return $bytes + 0;
    };
    return unless -e '/proc/self/clear_refs';
    my %against = (thaw => $run->('make', 'perl'), nfreeze => $run->('write', 'Storable'));
    my @rows;
    for my $op (qw(nfreeze thaw)) {
        push @rows, map { {
            module => $_, op => $op, items => $items,
            growth_bytes => $run->($op, $_), against_bytes => $against{$op},
        } } qw(Storable Permafrost);
    }
    unlink $image;
    return @rows;
}

# { op, times => { Storable, Permafrost, by_hand } }: freeze and thaw of datetime, and its hooks'
# methods alone, called from Perl.
sub hooks {
    my $self = shift;
    return unless 'datetime' =~ $self->{only} && !BenchData->lacks('datetime');
    my $data  = BenchData->make('datetime');
    my $image = BenchStorable::nfreeze($data);
    my @rows;
    for my $op (qw(freeze nfreeze nthaw)) {
        $self->{progress}->("hooks: $op");
        my $run     = $op eq 'nthaw' ? sub { Permafrost::thaw($image) } : sub { Permafrost->can($op)->($data) };
        my @calls   = _hook_calls($run);
        my $by_hand = join '; ', map {
            my $call = "\$arg->[$_]";
            $calls[$_]{method} eq 'STORABLE_freeze'
                ? "my \@list$_ = ${call}{object}->STORABLE_freeze(0)"
                : "bless({}, '$calls[$_]{class}')->$calls[$_]{method}(0, \@{ ${call}{args} })";
        } 0 .. $#calls;
        my @contenders = ($self->_both('datetime', $op),
            { name => 'by_hand', sample => BenchMeasure->loop("do { $by_hand }", arg => \@calls) });
        push @rows, { workload => 'datetime', op => $op, calls => scalar @calls,
            times => BenchMeasure->compare($self->{seconds} * 6, undef, @contenders) };
    }
    return @rows;
}

# RETURNS: the calls of hooks while $run runs: { method, object, class, args }.
sub _hook_calls {
    my $run = shift;
    my (@calls, %original);
    no strict 'refs';
    no warnings 'redefine';
    for my $package (_packages('main::')) {
        for my $method (qw(STORABLE_freeze STORABLE_thaw)) {
            next unless defined &{"$package$method"};
            my $code = $original{"$package$method"} = \&{"$package$method"};
            *{"$package$method"} = sub {
                my ($object, $cloning, @args) = @_;
                push @calls, { method => $method, object => $object, class => ref $object, args => \@args };
                goto &$code;
            };
        }
    }
    $run->();
    *{$_} = $original{$_} for keys %original;
    die "a hook of another kind than this can call\n" if grep { reftype($_->{object}) ne 'HASH' } @calls;
    return @calls;
}

# RETURNS: all packages, with their colons.
sub _packages {
    my $package = shift;
    no strict 'refs';
    return $package, map { _packages(($package eq 'main::' ? '' : $package) . $_) } grep { /::\z/ && $_ ne 'main::' } keys %$package;
}

# { workload, times => { Storable, core } }: Storable's thaw, and the codec that decodes the same
# image without Perl (bench/check_image.c).
sub core {
    my $self    = shift;
    my $program = _build_check_image();
    my @rows;
    for my $name ($self->workloads) {
        $self->{progress}->("csrc alone: $name");
        my $image = BenchStorable::nfreeze(BenchData->make($name));
        my $file  = "$self->{dir}/core";
        open my $out, '>:raw', $file or die "$file: $!\n";
        print {$out} $image;
        close $out or die "$file: $!\n";
        my $items;
        my $sample = sub {
            my $count = shift;
            (my $seconds, $items) = split ' ', qx{'$program' '$file' $count};
            die "check_image failed\n" if $?;
            return $seconds;
        };
        my $times = BenchMeasure->compare($self->{seconds} * 2, undef,
            { name => 'Storable', sample => BenchMeasure->loop('BenchStorable::thaw($arg)', arg => $image) },
            { name => 'core', sample => $sample });
        push @rows, { workload => $name, op => 'check', items => $items, times => $times };
    }
    return @rows;
}

# RETURNS: the program, built with perl's compiler and optimization but without Perl.
sub _build_check_image {
    my $top     = "$FindBin::Bin/..";
    my $program = BenchNative->build_dir . '/check_image';
    my @sources = ("$FindBin::Bin/check_image.c", glob "$top/csrc/*.c");
    @sources = grep { !/pst_main\.c\z/ } @sources;
    return $program if BenchNative->is_fresh($program, @sources, glob "$top/csrc/*.h");
    my @optimize = split ' ', $Config{optimize};
    system($Config{cc}, @optimize, '-std=c99', "-I$top/csrc", '-o', "$program.$$", @sources) == 0
        or die "check_image cannot be built\n";
    rename "$program.$$", $program or die "$program: $!\n";
    return $program;
}

1;
