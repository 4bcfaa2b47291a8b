package Permafrost::AsStorable;

use 5.016;
use strict;
use warnings;
use Permafrost ();

our $VERSION = $Permafrost::VERSION;

# Subs that serve under Storable's name, too: all that stock Storable defines and that
# means something outside of it.
my @SUBS = (
    @Permafrost::EXPORT, grep({ $_ ne 'lock_update' } @Permafrost::EXPORT_OK),
    qw(show_file_magic mstore net_mstore pstore net_pstore mretrieve pretrieve is_storing
        is_retrieving last_op_in_netorder BIN_MAJOR BIN_MINOR BIN_WRITE_MINOR BIN_VERSION_NV
        BIN_WRITE_VERSION_NV CAN_FLOCK init_perinterp CLONE),
    qw(_freeze _store _store_fd _retrieve _make_re),
);

# Shared here only: stock Storable needs low limits to survive, and may still be in use
# without this module.
my @LIMITS = qw(recursion_limit recursion_limit_hash);

my $active;
_activate();

sub import { return }

sub _activate {
    return if $active++;
    my $stock = $INC{'Storable.pm'};
    my $version = $stock ? $Storable::VERSION : _installed_version();
    no strict 'refs';
    no warnings qw(redefine once prototype);
    _join_limits();
    _take_over($_) for @SUBS;
    _helpers();
    $Storable::VERSION = $version;
    @Storable::ISA = ('Exporter') unless @Storable::ISA;
    @Storable::EXPORT    = @Permafrost::EXPORT;
    @Storable::EXPORT_OK = grep { $_ ne 'lock_update' } @Permafrost::EXPORT_OK;
    $Storable::downgrade_restricted = 1 unless defined $Storable::downgrade_restricted;
    $INC{'Storable.pm'} = __FILE__;
    Permafrost::_options();
    _trace($ENV{PERMAFROST_TRACE}) if length($ENV{PERMAFROST_TRACE} // '');
    return;
}

# Log calls of the writers of native order; see Permafrost::Trace.
sub _trace {
    my ($file) = @_;
    require Permafrost::Trace;
    return Permafrost::Trace::_start($file);
}

# A sub that stock has defined is changed in place, so that all references to it and all
# packages that imported it follow.
sub _take_over {
    my ($name) = @_;
    no strict 'refs';
    no warnings qw(redefine once prototype);
    my $ours = \&{"Permafrost::$name"};
    if (defined &{"Storable::$name"} && \&{"Storable::$name"} != $ours) {
        Permafrost::_replace(\&{"Storable::$name"}, $ours);
    }
    else {
        *{"Storable::$name"} = $ours;
    }
    return;
}

# One variable under two names from now on. What stock sets by default to protect itself
# (512 and 256, or more) is no wish of the user; a lower limit is.
sub _join_limits {
    my %default = (recursion_limit => 512, recursion_limit_hash => 256);
    no strict 'refs';
    for my $name (@LIMITS) {
        my ($set, $ours) = (${"Storable::$name"}, ${"Permafrost::$name"});
        *{"Permafrost::$name"} = *{"Storable::$name"};
        ${"Storable::$name"} = defined $set && $set < $default{$name} ? $set : $ours;
    }
    return;
}

# What else Storable has in its package: other modules' subs.
sub _helpers {
    no strict 'refs';
    no warnings 'once';
    my %helper = (
        carp => sub { require Carp; goto &Carp::carp }, croak => \&Permafrost::_croak,
        confess => sub { require Carp; goto &Carp::confess }, bootstrap => sub { return 1 },
    );
    @helper{qw(logcarp logcroak)} = @helper{qw(carp croak)};
    if (eval { require Fcntl; 1 }) {
        $helper{$_} = \&{"Fcntl::$_"} for qw(LOCK_SH LOCK_EX LOCK_NB LOCK_UN);
    }
    for my $name (keys %helper) {
        *{"Storable::$name"} = $helper{$name} unless defined &{"Storable::$name"};
    }
    return;
}

# The version of the Storable that this perl has, read off its file without loading it.
sub _installed_version {
    for my $dir (grep { !ref } @INC) {
        open my $fh, '<', "$dir/Storable.pm" or next;
        while (<$fh>) {
            return $1 if /^\s*(?:our\s+)?\$(?:Storable::)?VERSION\s*=\s*['"]?([0-9][0-9._]*)/;
        }
    }
    return BIN_FALLBACK();
}

# No Storable at all: the version whose format this is.
sub BIN_FALLBACK () { return '3.26' }

1;
