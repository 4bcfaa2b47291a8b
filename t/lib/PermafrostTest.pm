package PermafrostTest;

# Helpers of the tests under t/ and xt/.
#
# The functions under test come from the package that the environment variable
# PERMAFROST_TEST_MODULE names (default: Permafrost); `pf` is the table of its functions
# and `st` that of stock Storable, the oracle. PERMAFROST_TEST_MODULE=Storable compares
# the oracle with itself: this checks the tests.

use strict;
use warnings;

use B ();
use Carp ();
use Config;
use Hash::Util ();
use POSIX ();
use Scalar::Util ();
use Storable ();
use Test::More ();

use Exporter 'import';

our @EXPORT = qw(
  $MODULE pf st is_stock option with_options no_limits
  tagged outcome clean_message first_difference hex_difference
  same_bytes same_thaw same_clone same_everywhere same_outcome same_fresh
  in_child free_deep on_both be64 keeps_freed_memory
);

our $MODULE = $ENV{PERMAFROST_TEST_MODULE} || 'Permafrost';
Carp::croak("PERMAFROST_TEST_MODULE: not a module name: $MODULE")
  unless $MODULE =~ /\A\w+(?:::\w+)*\z/;
(my $file = "$MODULE.pm") =~ s{::}{/}g;
require $file;

my @FUNCTIONS = qw(
  freeze nfreeze thaw dclone store nstore store_fd nstore_fd retrieve fd_retrieve
  retrieve_fd lock_store lock_nstore lock_retrieve file_magic read_magic BLESS_OK TIE_OK
  FLAGS_COMPAT CAN_FLOCK stack_depth stack_depth_hash show_file_magic
  is_storing is_retrieving last_op_in_netorder
);
my %table;
for my $module ('Storable', $MODULE) {
    no strict 'refs';
    $table{$module} ||=
      {map { defined &{"${module}::$_"} ? ($_ => \&{"${module}::$_"}) : () } @FUNCTIONS};
    $table{$module}{name} = $module;
}

# The functions under test, and the oracle's, by name: pf->{freeze}->($data).
sub pf { $table{$MODULE} }
sub st { $table{Storable} }

# True when the oracle is compared with itself.
sub is_stock { $MODULE eq 'Storable' }

# Calls the code with the module's function table for the tested module and for the
# oracle; returns both results (in scalar context each).
sub on_both {
    my ($code) = @_;
    return (scalar $code->(pf), scalar $code->(st));
}

# A reference to a package variable of Storable's (shared with the tested module).
sub option {
    my ($name) = @_;
    no strict 'refs';
    return \${"Storable::$name"};
}

# Runs the code with package variables of Storable's set.
sub with_options {
    my ($set, $code) = @_;
    my @names = sort keys %$set;
    return _with_options($set, $code, @names);
}

sub _with_options {
    my ($set, $code, $name, @names) = @_;
    return $code->() unless defined $name;
    no strict 'refs';
    local ${"Storable::$name"} = $set->{$name};
    local ${"${MODULE}::$name"} = $set->{$name};
    return _with_options($set, $code, @names);
}

# Runs the code without depth limits (the tested module has none by default).
sub no_limits {
    my ($code) = @_;
    return with_options({recursion_limit => -1, recursion_limit_hash => -1}, $code);
}

# ---------------------------------------------------------------------------------------
# An exact dump

my $IOK      = B::SVf_IOK();
my $NOK      = B::SVf_NOK();
my $POK      = B::SVf_POK();
my $ROK      = B::SVf_ROK();
my $PIOK     = B::SVp_IOK();
my $PNOK     = B::SVp_NOK();
my $PPOK     = B::SVp_POK();
my $READONLY = B::SVf_READONLY() | (defined &B::SVf_PROTECT ? B::SVf_PROTECT() : 0);
my $FAKE     = B::SVf_FAKE();
my $MAGICAL  = 0x00200000 | 0x00400000 | 0x00800000;
my $OBJECT   = 0x00100000;
my $WEAK     = 0x80000000;
my $PLAIN    = $] < 5.022 ? $FAKE : 0;     # read-only meant copy-on-write too then

my $is_bool = sub { 0 };
if (defined &builtin::is_bool) {
    my $builtin = \&builtin::is_bool;
    $is_bool = sub { no warnings; &$builtin($_[0]) };
}

my %ESCAPE = ("\n" => '\n', "\\" => '\\\\', '"' => '\\"');

sub _quoted {
    my ($string) = @_;
    my $mark = utf8::is_utf8($string) ? 'U' : '';
    if ($mark && !utf8::valid($string)) {
        utf8::encode($string);
        $mark = 'malformed U';
    }
    $string =~ s/([^ !#-\[\]-~])/$ESCAPE{$1} || sprintf '\x{%x}', ord $1/ge;
    return qq{$mark"$string"};
}

# All bits that count: a long double has 10 bytes of them, and padding.
sub _number {
    my ($number) = @_;
    return unpack 'H*', pack 'd>', $number if $Config{nvsize} == 8;
    return unpack 'H*', substr pack('F', $number), 0, $Config{uselongdouble} && $Config{longdblkind} == 3 ? 10 : 16;
}

# Everything that can be told about data, as a list of lines joined by newlines: equal
# strings mean equal types, values, value flags, identities, classes, ties, weakness,
# read-only state. It changes nothing in the data, not even the position of each().
#   private => 1   also private value flags and each() positions (did a call change them?)
#   code => 1      code references are called and their results shown
sub tagged {
    my ($data, %option) = @_;
    my (%seen, @line);
    my $private = $option{private};
    my $count   = 0;
    my @stack   = ('', B::svref_2object(\$data));
    local $@;
    while (@stack) {
        my ($label, $b) = splice @stack, -2;
        my $class = ref $b;
        if ($class eq 'B::SPECIAL') {
            push @line, "$label $B::specialsv_name[$$b]";
            next;
        }
        if (defined(my $number = $seen{$$b})) {
            push @line, "$label =$number";
            next;
        }
        $seen{$$b} = my $number = $count++;
        my $flags = $b->FLAGS;
        my $text  = "$label #$number";
        if ($flags & $OBJECT) {
            $text .= ' ' . _quoted(Scalar::Util::blessed($b->object_2svref));
        }
        $text .= ' ro'
          if $flags & $READONLY
          && !($flags & $PLAIN)
          && $class ne 'B::REGEXP'
          && $class ne 'B::CV';
        my $tie;
        if ($flags & $MAGICAL) {
            for my $magic ($b->MAGIC) {
                my $type = $magic->TYPE;
                if ($type eq 'V') {
                    my $string = $magic->PTR;
                    $text .= ' v' . _quoted($string);
                }
                elsif ($type eq 'P' || $type eq 'q' || $type eq 'p') {
                    $tie = $magic;
                    $text .= " tie$type";
                }
                elsif ($type !~ /[w<rBUEei%]/) {
                    $text .= " magic($type)";
                }
            }
        }
        my @child;
        if ($class eq 'B::AV') {
            $text .= ' ARRAY';
            if ($tie) {
                @child = ('tie', $tie->OBJ);
            }
            else {
                my @item = $b->ARRAY;
                $text .= ' ' . @item;
                my $i = 0;
                @child = map { ('[' . $i++ . ']', $_) } @item;
            }
        }
        elsif ($class eq 'B::HV') {
            $text .= ' HASH';
            $text .= ' each' . $b->RITER if $private && $b->RITER != -1;
            if ($tie) {
                @child = ('tie', $tie->OBJ);
            }
            else {
                my $hash = $b->object_2svref;
                my $keys = keys_of($hash);
                $text .= ' ' . @$keys;
                for my $key (@$keys) {
                    my $q = _quoted($key);
                    if (exists $hash->{$key}) {
                        # A value that is &PL_sv_undef itself does not let itself be referred to.
                        my $value = eval { \$hash->{$key} };
                        $text .= " $q=&PL_sv_undef" unless $value;
                        push @child, "{$q}", B::svref_2object($value) if $value;
                    }
                    else {
                        $text .= " -$q";
                    }
                }
            }
        }
        elsif ($class eq 'B::CV') {
            $text .= ' CODE';
            $text .= ' = ' . join ',', map { defined $_ ? $_ : 'undef' } $b->object_2svref->()
              if $option{code};
        }
        elsif ($class eq 'B::GV') {
            $text .= ' GLOB *' . $b->STASH->NAME . '::' . $b->NAME;
        }
        elsif ($class eq 'B::REGEXP') {
            my ($pattern, $set) = re::regexp_pattern($b->object_2svref);
            $text .= ' REGEXP ' . _quoted($pattern) . " $set";
        }
        elsif ($class =~ /\AB::(?:NULL|IV|NV|PV|PVIV|PVNV|PVMG|PVLV|BM)\z/) {
            if ($tie) {
                $text .= ' TIED';
                push @child, 'tie', $tie->OBJ if ref $tie->OBJ ne 'B::SPECIAL';
                if ($tie->TYPE eq 'p') {
                    my $key = $tie->PTR;
                    if    (ref $key)     { push @child, 'key', $key }
                    elsif (defined $key) { $text .= ' key ' . _quoted($key) }
                    else                 { $text .= ' index ' . $tie->LENGTH }
                }
            }
            elsif ($flags & $ROK) {
                $text .= $flags & $WEAK ? ' WEAK' : ' REF';
                push @child, '->', B::svref_2object(${$b->object_2svref});
            }
            elsif (!($flags & ($IOK | $NOK | $POK | $PIOK | $PNOK | $PPOK))) {
                $text .= ' UNDEF';
            }
            else {
                $text .= ' P' . _quoted($b->PV)                             if $flags & $POK;
                $text .= ' I' . $b->int_value                              if $flags & $IOK;
                $text .= ' N' . _number($b->NVX)                           if $flags & $NOK;
                $text .= ' BOOL'
                  if $flags & $POK && $flags & $IOK && $is_bool->(${$b->object_2svref});
                if ($private || !($flags & ($IOK | $NOK | $POK))) {
                    $text .= ' p'                    if $flags & $PPOK && !($flags & $POK);
                    $text .= ' i'                    if $flags & $PIOK && !($flags & $IOK);
                    $text .= ' n' . _number($b->NVX) if $flags & $PNOK && !($flags & $NOK);
                }
            }
        }
        else {
            $text .= " $class";
        }
        push @line, $text;
        while (@child) {
            my ($child_label, $child) = splice @child, -2;
            push @stack, $child_label, $child;
        }
    }
    return join "\n", @line;
}

# The keys of a plain hash, placeholders included, sorted; each() stays where it is.
sub keys_of {
    my ($hash) = @_;
    return [sort map { ref $_ ? @$_ : () } @{Hash::Util::bucket_array($hash) || []}]
      unless Internals::SvREADONLY(%$hash);

    # bucket_array() refuses restricted hashes; legal_ref_keys() rewinds each().
    my $b      = B::svref_2object($hash);
    my $bucket = $b->RITER;
    my @keys   = sort(Hash::Util::legal_ref_keys($hash));
    while ($bucket != -1 && $b->RITER != $bucket) {
        last unless defined scalar each %$hash;
    }
    return \@keys;
}

# ---------------------------------------------------------------------------------------
# Comparing

# What the call did: its value (undef for none), the error and the warnings, cleaned.
sub outcome {
    my ($code) = @_;
    my @warning;
    local $SIG{__WARN__} = sub { push @warning, clean_message($_[0]) };
    local $SIG{__DIE__}  = 'DEFAULT';
    local $@;
    my $value;
    my $lived = eval { $value = $code->(); 1 };
    my $error = $lived ? '' : ref $@ ? 'object ' . ref $@ : clean_message($@);
    return {value => $value, error => $error, warnings => join "\n", @warning};
}

# A message without the places it names and with addresses blanked.
sub clean_message {
    my ($message) = @_;
    $message = '' unless defined $message;
    $message =~ s/,? at (?:\S*|\(eval \d+\)) line \d+\b.*\z//s;
    $message =~ s/,? \(at (?:\$|tied\(|\().*\)\z//s if !is_stock();    # where in the data
    $message =~ s/\(0x[0-9a-f]+\)/(0x)/g;
    return $message;
}

# The first place where two texts differ, for people.
sub first_difference {
    my ($got, $expected) = @_;
    my @got      = split /\n/, $got;
    my @expected = split /\n/, $expected;
    my $i        = 0;
    $i++ while $i < @got && $i < @expected && $got[$i] eq $expected[$i];
    my $from = $i < 3 ? 0 : $i - 3;
    return join '', (map { "   $_\n" } @expected[$from .. $i - 1]),
      (map { " - $_\n" } grep { defined } @expected[$i .. $i + 2]),
      (map { " + $_\n" } grep { defined } @got[$i .. $i + 2]);
}

# Two images in hex and the first differing offset.
sub hex_difference {
    my ($got, $expected) = @_;
    return "got undef\n"      unless defined $got;
    return "expected undef\n" unless defined $expected;
    my $same = 0;
    $same++
      while $same < length $got
      && $same < length $expected
      && substr($got, $same, 1) eq substr($expected, $same, 1);
    my $text = "first difference at byte $same\n";
    for (['expected', $expected], ['     got', $got]) {
        my ($name, $image) = @$_;
        my $from = $same < 400 ? 0 : $same - 200;
        my $hex  = unpack 'H*', substr $image, $from, 1000;
        $text .= "$name (" . length($image) . " bytes, from $from) $hex\n";
    }
    return $text;
}

my @WAYS = (
    ['freeze',            'freeze',  0],
    ['freeze canonical',  'freeze',  1],
    ['nfreeze',           'nfreeze', 0],
    ['nfreeze canonical', 'nfreeze', 1],
);

sub _all_ways {
    my ($table, $ref) = @_;
    return map {
        my ($name, $function, $canonical) = @$_;
        with_options({canonical => $canonical}, sub { outcome(sub { $table->{$function}->($ref) }) });
    } @WAYS;
}

sub _outcome_difference {
    my ($got, $expected) = @_;
    my $text = '';
    for my $what (qw(error warnings)) {
        $text .= "$what: got '$got->{$what}', expected '$expected->{$what}'\n"
          if $got->{$what} ne $expected->{$what};
    }
    return $text;
}

sub _report {
    my ($name, $trouble) = @_;
    my $builder = Test::More->builder;
    $builder->ok(!length $trouble, $name) or $builder->diag($trouble);
    return !length $trouble;
}

# freeze and nfreeze, canonical or not, give Storable's bytes (or error and warnings), and
# leave the data as it was.
sub same_bytes {
    my ($name, $ref) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return _report("$name: bytes", _bytes_trouble($ref));
}

sub _bytes_trouble {
    my ($ref, $images, %option) = @_;
    my $before   = is_stock() || $option{changes} ? '' : tagged($ref, private => 1);
    my @got      = _all_ways(pf, $ref);
    my $after    = is_stock() || $option{changes} ? '' : tagged($ref, private => 1);
    my @expected = _all_ways(st, $ref);
    my $trouble  = '';
    @$images = map { $_->{value} } @expected[0, 2], @got[0, 2] if $images;
    for my $i (0 .. $#WAYS) {
        my ($got, $expected) = ($got[$i], $expected[$i]);
        my $text = _outcome_difference($got, $expected);
        my ($a, $b) = map { defined $_->{value} ? $_->{value} : "\0undef" } $got, $expected;
        $text .= hex_difference($got->{value}, $expected->{value}) if $a ne $b;
        $trouble .= "$WAYS[$i][0]: $text" if length $text;
    }
    $trouble .= "the input was changed:\n" . first_difference($after, $before)
      if $before ne $after;
    return $trouble;
}

# thaw gives what Storable's thaw gives: data, undef or an error.
#   may_refuse => 1   an error is as good: what stock makes of this image is not sound
sub same_thaw {
    my ($name, $image, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return _report("$name: thaw", _thaw_trouble($image, %option));
}

sub _thaw_trouble {
    my ($image, %option) = @_;
    my $copy     = $image;
    my $got      = outcome(sub { pf->{thaw}->($image) });
    my $expected = outcome(sub { st->{thaw}->($copy) });
    my $trouble  = _value_trouble($got, $expected, %option);
    $trouble .= "the image was changed\n" if $image ne $copy;
    return $trouble;
}

sub _value_trouble {
    my ($got, $expected, %option) = @_;
    return '' if $option{may_refuse} && length $got->{error};
    my $trouble = _outcome_difference($got, $expected);
    my $a       = tagged($got->{value},      %option);
    my $b       = tagged($expected->{value}, %option);
    $trouble .= "data differ:\n" . first_difference($a, $b) if $a ne $b;
    return $trouble;
}

# dclone gives what Storable's dclone gives.
sub same_clone {
    my ($name, $ref, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return _report("$name: dclone", _clone_trouble($ref, %option));
}

sub _clone_trouble {
    my ($ref, %option) = @_;
    my $before = is_stock() || $option{changes} ? '' : tagged($ref, private => 1);
    my $got    = outcome(sub { pf->{dclone}->($ref) });
    my $after  = is_stock() || $option{changes} ? '' : tagged($ref, private => 1);
    my $expected = outcome(sub { st->{dclone}->($ref) });
    my $trouble  = _value_trouble($got, $expected, %option);
    $trouble .= "the input was changed:\n" . first_difference($after, $before)
      if $before ne $after;
    return $trouble;
}

# Bytes, thaw and dclone in one test.
#   changes => 1   hooks change the data: do not ask whether the module did
sub same_everywhere {
    my ($name, $ref, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $trouble = _clone_trouble($ref, %option);
    $trouble = "dclone: $trouble" if length $trouble;
    my %seen;
    $trouble .= _bytes_trouble($ref, \my @images, %option);
    for my $image (grep { defined && !$seen{$_}++ } @images) {
        my $text = _thaw_trouble($image, %option);
        $trouble .= "thaw: $text" if length $text;
    }
    return _report($name, $trouble);
}

# The code, called with the function table of each module, gives the same value (by
# tagged dump), error and warnings.
sub same_outcome {
    my ($name, $code, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $got      = outcome(sub { $code->(pf) });
    my $expected = outcome(sub { $code->(st) });
    return _report($name, _value_trouble($got, $expected, %option));
}

# The same with the oracle in a child process: stock Storable keeps the first value that
# it sees of $Eval, $Deparse and $accept_future_minor, so it must not have run in this
# process before. The tested module runs here: for it each call counts.
sub same_fresh {
    my ($name, $code, %option) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $in_text = sub {
        my ($table) = @_;
        my $outcome = outcome(sub { $code->($table) });
        my $text = join "\n", "error: $outcome->{error}", "warnings: $outcome->{warnings}",
          tagged($outcome->{value}, %option);
        utf8::encode($text) if utf8::is_utf8($text);
        return $text;
    };
    my $expected = in_child(sub { $in_text->(st) });
    my $got      = is_stock() ? in_child(sub { $in_text->(pf) }) : $in_text->(pf);
    $got      = $option{clean}->($got)      if $option{clean};
    $expected = $option{clean}->($expected) if $option{clean};
    return _report($name, $got eq $expected ? '' : first_difference($got, $expected));
}

# ---------------------------------------------------------------------------------------
# Others

# Does something hold back what is freed (AddressSanitizer, valgrind), or take more and more for its
# own purposes (an emulator, the code that it translates), so that memory grows?
sub keeps_freed_memory { return ($ENV{LD_PRELOAD} // '') =~ /asan|vgpreload/ || $ENV{PERMAFROST_TEST_EMULATED} }

# Runs the code in a child process; returns what it returned as text, or "signal N" /
# "exit N" when it did not come back: for what may crash stock Storable.
sub in_child {
    my ($code) = @_;
    pipe my $reader, my $writer or die "pipe: $!";
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if (!$pid) {
        close $reader;
        binmode $writer;
        open STDERR, '>', File::Spec->devnull if require File::Spec;
        my $text = eval { $code->() };
        $text = "died: $@" unless defined $text;
        utf8::encode($text) if utf8::is_utf8($text);
        print {$writer} "answer:$text";
        close $writer;
        POSIX::_exit(0);
    }
    close $writer;
    binmode $reader;
    my $text = do { local $/; <$reader> };
    waitpid $pid, 0;
    return 'signal ' . ($? & 127) if $? & 127;
    return 'exit ' . ($? >> 8) unless defined $text && $text =~ s/\Aanswer://;
    return $text;
}

# A whole number below 2**53 as 8 bytes, big-endian: perls with integers of 4 bytes have no
# pack 'q>'.
sub be64 {
    my ($number) = @_;
    my $high = POSIX::floor($number / 2**32);
    return pack 'N N', $high < 0 ? $high + 2**32 : $high, $number - $high * 2**32;
}

# Frees a deep chain piece by piece: perl's own freeing recurses on the C stack. Each
# level must be a reference, an array's last or a hash's first value; others are kept.
sub free_deep {
    my $ref = shift;
    while (ref $ref) {
        my $type = Scalar::Util::reftype($ref);
        my $next;
        if ($type eq 'ARRAY') {
            $next = pop @$ref;
        }
        elsif ($type eq 'HASH') {
            my ($key) = keys %$ref;
            $next = delete $ref->{$key} if defined $key;
        }
        elsif ($type eq 'REF') {
            $next = $$ref;
            undef $$ref;
        }
        $ref = $next;
    }
    return;
}

1;
