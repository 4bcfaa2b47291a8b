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
        require Config;
        $Config::Config{d_flock} || $Config::Config{d_fcntl_can_lock} || $Config::Config{d_lockf};
    };
    return $can ? 1 : 0;
}

sub BIN_MAJOR ()            { return (_versions())[0] }
sub BIN_MINOR ()            { return (_versions())[1] }
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

# Carp's croak, loaded when it is needed.
sub _croak { require Carp; goto &Carp::croak }

# ---- called by the glue -----------------------------------------------------------------

# Open FILE for reading, under a shared lock if LOCK.
sub _open_file {
    my ($file, $lock) = @_;
    $file = '' unless defined $file;
    no warnings 'syscalls';    # a NUL in the name is an error like others
    open my $fh, '<', $file or _croak("can't open $file: $!");
    binmode $fh;
    _lock($fh, $file, 0) if $lock;
    return $fh;
}

# Write a whole IMAGE to FILE, under an exclusive lock if LOCK. False if that failed.
sub _write_file {
    my (undef, $file, $lock) = @_;
    $file = '' unless defined $file;
    no warnings 'syscalls';    # a NUL in the name is an error like others
    my $fh;
    if ($lock) {    # nobody must see the file empty before the lock is ours
        require Fcntl;
        sysopen $fh, $file, Fcntl::O_WRONLY() | Fcntl::O_CREAT()
            or _croak("can't write into $file: $!");
        _lock($fh, $file, 1);
        truncate $fh, 0 or !-f $fh or _croak("can't truncate $file: $!");
    }
    else {
        open $fh, '>', $file or _croak("can't create $file: $!");
    }
    binmode $fh;
    local ($\, $,);
    return !!1 if print({$fh} $_[0]) && close $fh;
    my $error = $!;
    close $fh;
    unlink $file if -f $file;    # half an image is of no use; devices and pipes stay
    $! = $error;
    return undef;
}

sub _lock {
    my ($fh, $file, $exclusive) = @_;
    require Fcntl;
    _croak('fcntl/flock emulation broken on this platform') unless CAN_FLOCK;
    flock $fh, $exclusive ? Fcntl::LOCK_EX() : Fcntl::LOCK_SH()
        or _croak("can't get " . ($exclusive ? 'exclusive' : 'shared') . " lock on $file: $!");
    return;
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
