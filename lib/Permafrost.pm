# Before any pragma: what is compiled for the user must not be under ours.
sub Permafrost::_eval_plain { package main; return eval $_[0] }    ## no critic: see the name

package Permafrost;

use 5.016;
use strict;
use warnings;
use Exporter ();
use XSLoader ();

our $VERSION = '0.01';
our @ISA     = ('Exporter');
our @EXPORT  = qw(store retrieve);
our @EXPORT_OK = qw(
    nstore store_fd nstore_fd fd_retrieve
    freeze nfreeze thaw
    dclone
    retrieve_fd
    lock_store lock_nstore lock_retrieve
    file_magic read_magic
    lock_update
    BLESS_OK TIE_OK FLAGS_COMPAT
    stack_depth stack_depth_hash
);

use constant { BLESS_OK => 2, TIE_OK => 4, FLAGS_COMPAT => 6 };

# The limits in force.
sub stack_depth ()      { no warnings 'once'; return $Permafrost::recursion_limit }
sub stack_depth_hash () { no warnings 'once'; return $Permafrost::recursion_limit_hash }

XSLoader::load('Permafrost', $VERSION);

# How much of a file is sure to hold the longest header.
use constant HEADER_BYTES => 1024;

sub CAN_FLOCK () {
    state $can = do {
        local $@;             # Config may load more of itself, and clear it
        require Config;
        $Config::Config{d_flock} || $Config::Config{d_fcntl_can_lock} || $Config::Config{d_lockf};
    };
    return $can ? 1 : 0;
}

sub BIN_MAJOR ()            { return (_versions())[0] }
sub BIN_MINOR ()            { return (_versions())[2] }
sub BIN_WRITE_MINOR ()      { return (_versions())[1] }
sub BIN_VERSION_NV          { return sprintf '%d.%03d', BIN_MAJOR, BIN_MINOR }
sub BIN_WRITE_VERSION_NV    { return sprintf '%d.%03d', BIN_MAJOR, BIN_WRITE_MINOR }

# ---- names of Storable's inner subs, for those who call or wrap them --------------------

sub init_perinterp () { return }
sub _freeze    { my ($code, @rest) = @_; return $code->(@rest) }
sub _store     { my ($code, $ref, $file, $lock) = @_; return _writer_to_file($code, $lock)->($ref, $file) }
sub _store_fd  { my ($code, $ref, $handle) = @_; return $code->($handle, $ref) }
sub _retrieve  { my ($file, $lock, $flags) = @_; return $lock ? lock_retrieve($file, $flags) : retrieve($file, $flags) }

# The sub that stores in the order of an XSUB of Storable's.
sub _writer_to_file {
    my ($code, $lock) = @_;
    my $net = $code == \&net_pstore;
    return $lock ? $net ? \&lock_nstore : \&lock_store : $net ? \&nstore : \&store;
}

# Carp's croak, loaded when it is needed, which must not change the $! of what failed.
sub _croak { { local ($@, $!); require Carp } goto &Carp::croak }

# ---- objects ----------------------------------------------------------------------------

# What is not true of a number below: a limit.
my $limit = [undef, 'a positive integer, or undef for none', sub { !defined $_[0] || $_[0] =~ /\A[1-9][0-9]{0,17}\z/ }];
my $flag  = [0, 'true or false', sub { !ref $_[0] }];

# Option => [default, what it must be, is this it?].
my %OPTION = (
    order => ['network', q('network' or 'native'), sub { ($_[0] // '') =~ /\A(?:network|native)\z/ }],
    trust => ['data', q('data', 'classes' or 'full'), sub { ($_[0] // '') =~ /\A(?:data|classes|full)\z/ }],
    classes => [undef, q(a reference to an array of names, a regular expression or a code reference, )
            . q(and trust must be 'classes'), sub { !defined $_[0] || _class_check($_[0]) }],
    max_minor => [undef, 'an integer from 0 to ' . (_versions())[3] . ', or undef for none',
        sub { !defined $_[0] || $_[0] =~ /\A(?:0|[1-9][0-9]?)\z/ && $_[0] <= (_versions())[3] }],
    max_depth => $limit, max_bytes => $limit, max_items => $limit,
    canonical => $flag, exact_numbers => $flag, atomic => $flag,
);

sub new {
    my ($class, @given) = @_;
    require Permafrost::Error;
    _bad_option('options come in pairs of name and value') if @given % 2;
    my %options = map { ($_ => $OPTION{$_}[0]) } keys %OPTION;
    while (my ($name, $value) = splice @given, 0, 2) {
        my $option = $OPTION{$name // ''}
            or _bad_option(sprintf q(unknown option '%s'; there are %s), $name // 'undef', join ', ', sort keys %OPTION);
        $option->[2]->($value) or _bad_option(sprintf q(bad value %s for option %s: it must be %s),
            defined $value ? "'$value'" : 'undef', $name, $option->[1]);
        $options{$name} = $value;
    }
    if (defined $options{classes} xor $options{trust} eq 'classes') {
        _bad_option(q(option classes and trust 'classes' need each other));
    }
    $options{classes} = [@{ $options{classes} }] if ref $options{classes} eq 'ARRAY';
    my $self = bless {}, ref $class || $class;
    _make_object($self, {%options, _allowed => _class_check($options{classes})});
    return $self;
}

sub options {
    my ($self) = @_;
    my $options = _object_options($self) or _croak('options is a method of objects that Permafrost->new has made');
    my %copy = %$options;
    delete $copy{_allowed};
    $copy{classes} = [@{ $copy{classes} }] if ref $copy{classes} eq 'ARRAY';
    return %copy;
}

# The option classes, as the glue wants it: a hash of names, or code that is asked. Undef if it
# is none of what is allowed.
sub _class_check {
    my ($classes) = @_;
    require re;
    if (ref $classes eq 'ARRAY') {
        return if grep { !defined || ref || !length } @$classes;
        my %allowed = map { utf8::encode(my $bytes = $_); ($_ => 1, $bytes => 1) } @$classes;
        return \%allowed;
    }
    return sub { $_[0] =~ $classes } if re::is_regexp($classes);
    return ref $classes eq 'CODE' ? $classes : undef;
}

sub _bad_option {
    my ($text) = @_;
    require Carp;
    return Permafrost::Error->_new('argument', $text, Carp::shortmess(''))->throw;
}

# A file is the trouble: an exception object for methods, Storable's words for functions.
sub _file_error {
    my ($object, $text) = @_;
    goto &_croak if !shift;
    my $errno = $! + 0;
    require Carp;
    my $error = Permafrost::Error->_new('file', $text, Carp::shortmess(''));
    $! = $errno;
    return $error->throw;
}

{
    no warnings 'once';
    *serialize   = \&freeze;
    *deserialize = \&thaw;
}

# ---- called by the glue -----------------------------------------------------------------

# Open FILE for reading, under a shared lock if LOCK. OBJECT: for a method.
sub _open_file {
    my ($file, $lock, $object) = @_;
    $file = '' unless defined $file;
    if ($lock) {
        _load_files();
        return Permafrost::Files::open_shared($file, $object);
    }
    no warnings 'syscalls';    # a NUL in the name is an error like others
    open my $fh, '<', $file or _file_error($object, "can't open $file: $!");
    binmode $fh;
    return $fh;
}

# Write a whole IMAGE to FILE, under an exclusive lock if LOCK, by way of a temporary file if
# ATOMIC. What stands before it may be in a file, FD, and be SPILLED bytes long. If that fails:
# false, or an exception for a method (OBJECT).
sub _write_file {
    my (undef, $file, $lock, $atomic, $object, $fd, $spilled) = @_;
    $file = '' unless defined $file;
    if ($lock || $atomic || $spilled) {
        _load_files();
        goto &Permafrost::Files::write_file;
    }
    no warnings 'syscalls';    # a NUL in the name is an error like others
    open my $fh, '>', $file or _file_error($object, "can't create $file: $!");
    binmode $fh;
    local ($\, $,);
    return !!1 if print({$fh} $_[0]) && close $fh;
    my $error = $!;
    close $fh;
    unlink $file if -f $file;    # half an image is of no use; devices and pipes stay
    $! = $error;
    return $object ? _file_error($object, "can't write $file: $!") : undef;
}

sub _load_files {
    local ($@, $!);
    require Permafrost::Files;
    return;
}

# Change the data in FILE under one lock.
sub lock_update (&$) {
    my $self = @_ == 3 && _object_options($_[0]) ? shift : undef;
    _load_files();
    return Permafrost::Files::update($self, @_);
}

# Compile SOURCE by $Storable::Eval: a code reference, or true for perl's own eval.
# Returns the result and what stands in $@ then (Safe's reval leaves errors there).
sub _eval_code {
    my ($eval, $source) = @_;
    local $@ = '';
    my $code = ref $eval eq 'CODE' ? $eval->($source) : _eval_plain($source);
    return ($code, "$@");
}

# Compile a regexp without the pragmas of anybody's scope.
sub _make_re {
    my ($pattern, $flags) = @_;
    die "regexp flags invalid\n" if $flags =~ /[^msixnpaudl]/;
    our $pattern_to_compile = $pattern;
    my $re = _eval_plain("qr/\$Permafrost::pattern_to_compile/$flags");
    die $@ unless defined $re;
    return $re;
}

# ---- headers ------------------------------------------------------------------------------

sub file_magic {
    my ($file) = @_;
    $file = '' unless defined $file;
    open my $fh, '<', $file or die "Can't open '$file': $!";
    binmode $fh;
    defined read $fh, my $bytes, HEADER_BYTES or die "Can't read from '$file': $!";
    close $fh;
    my $magic = read_magic($bytes, $file);
    return $magic;
}

sub read_magic {
    my ($bytes, $file) = @_;
    return undef unless defined $bytes && length $bytes;
    undef $file unless $file;
    my $in_file = $bytes =~ /\A(?:pst0|perl-store)/;
    return undef if defined $file && !$in_file;
    my ($format, $netorder, $major, $minor, $length, $order, @sizes) = _header($bytes, $in_file)
        or return undef;
    return undef if $format == -1 && $netorder;    # there never was such a one
    return undef if $major > 4 || !$netorder && length $order != 4 && length $order != 8;
    my %magic = (netorder => $netorder, hdrsize => $length);
    $magic{file} = defined $file ? $file : 1 if $in_file;
    if ($format >= 0) {
        $magic{major} = $major;
        $magic{minor} = $minor if $major >= 2;
    }
    $magic{version}    = $format >= 2 ? "$major.$minor" : $format;
    $magic{version_nv} = $format >= 2 ? sprintf('%d.%03d', $major, $minor) : $format;
    if (!$netorder) {
        $magic{byteorder} = $order;
        @magic{qw(intsize longsize ptrsize)} = @sizes;
        $magic{nvsize} = $sizes[3] if $sizes[3];
    }
    return \%magic;
}

sub show_file_magic {
    print <<'TEXT';
# Lines for the local magic(5) file of the program file(1), for instance /etc/magic: they
# make it recognize files written by Storable or Permafrost.
0	string	pst0	Storable file
>4	byte&1	0	\b, native byte order
>4	byte&1	1	\b, network byte order
>4	byte&0xfe	2	\b, format 1
>4	byte&0xfe	4	\b, format 2
>>5	ubyte	x	\b.%u
0	string	perl-store	Storable file, format 0
TEXT
    return 1;
}

1;
