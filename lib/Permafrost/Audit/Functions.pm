package Permafrost::Audit::Functions;

use 5.016;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(is_storable kind_of network_name data_argument target_argument imported_names %ROLE);

# What each function does: how it writes, or that it reads.
our %ROLE = (
    (map { ($_ => 'native') } qw(freeze store store_fd lock_store mstore pstore)),
    (map { ($_ => 'network') } qw(nfreeze nstore nstore_fd lock_nstore net_mstore net_pstore)),
    (map { ($_ => 'read') } qw(thaw retrieve lock_retrieve fd_retrieve retrieve_fd mretrieve pretrieve)),
    dclone => 'clone',
);
my %NETWORK = (
    freeze => 'nfreeze', store => 'nstore', store_fd => 'nstore_fd', lock_store => 'lock_nstore',
    mstore => 'net_mstore', pstore => 'net_pstore',
);
# Those of one family do the same to the same kind of place.
my %KIND = (
    (map { ($_ => 'memory') } qw(freeze mstore nfreeze net_mstore thaw mretrieve)),
    (map { ($_ => 'file') } qw(store lock_store nstore lock_nstore retrieve lock_retrieve)),
    (map { ($_ => 'handle') } qw(store_fd pstore nstore_fd net_pstore fd_retrieve retrieve_fd pretrieve)),
    dclone => 'memory',
);
my @EXPORT    = qw(store retrieve);
my @EXPORT_OK_OF_STORABLE = qw(
    nstore store_fd nstore_fd fd_retrieve freeze nfreeze thaw dclone retrieve_fd
    lock_store lock_nstore lock_retrieve file_magic read_magic BLESS_OK TIE_OK FLAGS_COMPAT
    stack_depth stack_depth_hash
);

# Is this package one whose functions are Storable's?
sub is_storable { return $_[0] eq 'Storable' || $_[0] eq 'Permafrost' }

# memory, file or handle.
sub kind_of { return $KIND{$_[0]} }

# The function to write instead.
sub network_name { return $NETWORK{$_[0]} }

# Which argument is the data, and which the file or handle (undef: none).
sub data_argument   { return $_[0] =~ /pstore\z/ ? 1 : 0 }
sub target_argument { return $_[0] =~ /pstore\z/ ? 0 : $KIND{$_[0]} eq 'memory'
    ? undef : $ROLE{$_[0]} eq 'read' ? 0 : 1 }

# What `use Storable LIST` brings, by the rules of Exporter. Undef as LIST: no list at all.
sub imported_names {
    my ($list) = @_;
    return @EXPORT if !$list;
    my @items = @$list;
    shift @items if @items && $items[0] =~ /\A[0-9.]+\z/;    # a version
    unshift @items, ':DEFAULT' if @items && $items[0] =~ /\A!/;
    my %names;
    for my $item (@items) {
        my ($not, $what) = $item =~ /\A(!?)(.*)\z/s;
        $what =~ s/\A&//;
        my @found = $what eq ':DEFAULT' ? @EXPORT : $what =~ m{\A/(.*)/\z}s ? _matching($1)
            : $what =~ /\A:(?:all|ALL)\z/ ? (@EXPORT, @EXPORT_OK_OF_STORABLE) : $what;
        if   ($not) { delete @names{@found} }
        else        { @names{@found} = () }
    }
    return sort keys %names;
}

sub _matching {
    my ($pattern) = @_;
    my $re = eval { qr/$pattern/ } or return ();
    return grep { /$re/ } @EXPORT, @EXPORT_OK_OF_STORABLE;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Functions - what the functions of Storable do, and what it exports

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
