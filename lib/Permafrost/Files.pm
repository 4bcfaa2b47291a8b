package Permafrost::Files;

use 5.016;
use strict;
use warnings;
use Errno qw(EEXIST EINTR ENOENT);
use Fcntl qw(:DEFAULT :flock);
use File::Basename ();
use File::Spec ();
use Permafrost ();
use Scalar::Util ();

# A carp from here is about the line of whoever called Permafrost.
our @CARP_NOT = ('Permafrost');

use constant MAX_LINKS => 40;    # symbolic links that lead to each other

*_file_error = \&Permafrost::_file_error;

# ---- names ------------------------------------------------------------------------------

# The file that a name leads to: symbolic links are followed, the file itself need not exist.
sub _target {
    my ($file, $object) = @_;
    my $target = $file;
    for (1 .. MAX_LINKS) {
        my $to = readlink $target;
        return $target unless defined $to;
        ($to) = $to =~ /\A(.*)\z/s;    # where the user's own link leads is no outsider's data
        $target = File::Spec->file_name_is_absolute($to) ? $to
                : File::Spec->catfile(File::Basename::dirname($target), $to);
    }
    return _file_error($object, "can't create $file: too many symbolic links");
}

my $temporaries = 0;

# What removes files when it goes. An image can bless any hash into the class, so a guard is
# known by what no image can refer to.
my $ours = \do { my $mark };

sub _guard { return bless {@_, pid => $$, ours => $ours}, 'Permafrost::Files::Temporary' }

sub _is_guard {
    my ($self) = @_;
    return Scalar::Util::reftype($self) eq 'HASH' && ref $self->{ours} && Scalar::Util::refaddr($self->{ours}) == Scalar::Util::refaddr($ours);
}

# A new file beside TARGET, opened for reading and writing. Returns its handle and a guard that
# removes it, unless the guard is told that all is done; or nothing.
sub _temporary {
    my ($target, $mode) = @_;
    my ($name, $dir) = File::Basename::fileparse($target);
    $name = substr $name, 0, 200;    # together no longer than a name may be
    for (1 .. 1000) {
        my $temporary = sprintf '%s.%s.%d-%d-%d.tmp', $dir, $name, $$, ++$temporaries, rand 1e9;
        # The guard comes first: a signal handler may die as soon as there is a file.
        my $guard = _guard(name => $temporary);
        if (sysopen my $fh, $temporary, O_RDWR | O_CREAT | O_EXCL, $mode) {
            binmode $fh;
            return ($fh, $guard);
        }
        undef $guard->{name};
        last unless $! == EEXIST;
    }
    return;
}

# What tells one file from another of the same name.
sub _identity {
    my ($file) = @_;
    return join ':', (stat $file)[0, 1];
}

sub Permafrost::Files::Temporary::DESTROY {
    my ($self) = @_;
    local ($!, $@);
    return if !_is_guard($self) || ($self->{pid} || 0) != $$ || $self->{done};
    unlink $self->{name} if defined $self->{name};
    unlink $self->{target} if $self->{linked} && _identity($self->{target}) eq $self->{identity};
    return;
}

# ---- locks ------------------------------------------------------------------------------

sub _lock {
    my ($fh, $file, $exclusive, $object) = @_;
    _file_error($object, 'fcntl/flock emulation broken on this platform') unless Permafrost::CAN_FLOCK();
    flock $fh, $exclusive ? LOCK_EX : LOCK_SH
        or _file_error($object, "can't get " . ($exclusive ? 'exclusive' : 'shared') . " lock on $file: $!");
    return;
}

# Is the file that was locked still the one of that name? While we waited somebody may have put
# another one there.
sub _is_current {
    my ($fh, $file) = @_;
    return _identity($fh) eq _identity($file);
}

# FILE for reading, under a shared lock.
sub open_shared {
    my ($file, $object) = @_;
    no warnings 'syscalls';    # a NUL in the name is an error like others
    while () {
        open my $fh, '<', $file or _file_error($object, "can't open $file: $!");
        binmode $fh;
        _lock($fh, $file, 0, $object);
        return $fh if _is_current($fh, $file);
    }
}

# FILE under an exclusive lock, with all that is in it. If there is none an empty one is made,
# which nobody can lock before us. Returns the handle, and a guard if the file is new.
sub _open_exclusive {
    my ($file, $access, $object) = @_;
    no warnings 'syscalls';
    my $can_link = 1;
    while () {
        my ($fh, $guard);
        if (sysopen $fh, $file, $access) {
            _lock($fh, $file, 1, $object);
        }
        elsif ($! == ENOENT && length $file) {
            my @made = _make_locked($file, $access, $can_link, $object) or next;
            ($fh, $guard, $can_link) = @made;
        }
        else {
            _file_error($object, "can't write into $file: $!");
        }
        binmode $fh;
        return ($fh, $guard) if _is_current($fh, $file);
    }
}

# Make FILE, locked from the moment on in which it has its name. Returns the handle, the guard
# and true; or nothing if somebody else was quicker.
sub _make_locked {
    my ($file, $access, $can_link, $object) = @_;
    my $target = _target($file, $object);
    if ($can_link) {
        my ($fh, $guard) = _temporary($target, 0666)
            or _file_error($object, "can't write into $file: $!");
        _lock($fh, $file, 1, $object);
        @$guard{qw(target identity)} = ($target, _identity($fh));
        $guard->{linked} = link $guard->{name}, $target;
        if ($guard->{linked}) {
            unlink $guard->{name};
            return ($fh, $guard, 1);
        }
        return if $! == EEXIST;
    }
    # No links in this file system: a reader may see the file empty.
    sysopen my $fh, $file, $access | O_CREAT or _file_error($object, "can't write into $file: $!");
    _lock($fh, $file, 1, $object);
    my $guard = _guard(target => $target, identity => _identity($fh), linked => !-s $fh);
    return ($fh, $guard->{linked} ? $guard : undef, 0);
}

# ---- writing ----------------------------------------------------------------------------

# Does the name belong to a regular file, or to none?
sub _is_regular {
    my ($file) = @_;
    return !-e $file || -f _;
}

# Permafrost::_write_file() when there is more to it.
sub write_file {
    my (undef, $file, $lock, $atomic, $object, $fd, $spilled) = @_;
    $file = '' unless defined $file;
    $atomic &&= _is_regular($file);
    my $first = $spilled ? {fd => $fd, bytes => $spilled} : undef;
    my ($fh, $guard);
    if ($lock) {
        ($fh, $guard) = _open_exclusive($file, O_WRONLY, $object);
    }
    elsif (!$atomic) {
        no warnings 'syscalls';
        open $fh, '>', $file or _file_error($object, "can't create $file: $!");
        binmode $fh;
    }
    my $done = $atomic ? _replace($_[0], $file, $object, $first) : _overwrite($fh, $_[0], undef, $file, $object, $first);
    $guard->{done} = 1 if $guard && $done;
    return $done || !$object ? $done : _file_error($object, "can't write $file: $!");
}

# Put the image into the file that is open and locked. OLD is what was in it, if that is known:
# it is put back if the new image does not fit. False if that failed.
sub _overwrite {
    my ($fh, undef, $old, $file, $object, $first) = @_;
    my $regular = -f $fh;
    if ($regular && !defined $old) {
        truncate $fh, 0 or _file_error($object, "can't truncate $file: $!");
    }
    return !!1 if (!$first || _copy($fh, $first)) && _write_all($fh, $_[1]) && (!$regular || !defined $old || truncate $fh, length $_[1]);
    local $!;
    if (!defined $old) {
        unlink $file if $regular;    # half an image is of no use; devices and pipes stay
    }
    elsif (sysseek $fh, 0, 0) {
        _write_all($fh, $old);
        truncate $fh, length $old;
    }
    return undef;
}

# Without PerlIO's buffer, so that nothing comes later.
sub _write_all {
    my ($fh) = @_;
    my $done = 0;
    while ($done < length $_[1]) {
        my $now = syswrite $fh, $_[1], length($_[1]) - $done, $done;
        return !!0 if !defined $now && $! != EINTR;
        $done += $now // 0;
    }
    return !!1;
}

# Copy what has been spilled.
sub _copy {
    my ($fh, $first) = @_;
    open my $in, '<&', $first->{fd} or return !!0;
    binmode $in;
    defined sysseek $in, 0, 0 or return !!0;
    for (my $left = $first->{bytes}; $left > 0;) {
        my $got = sysread $in, my $piece, $left < 1 << 20 ? $left : 1 << 20;
        next if !defined $got && $! == EINTR;
        return !!0 if !$got || !_write_all($fh, $piece);
        $left -= $got;
    }
    return !!1;
}

# Put the image into a new file and give it the name of the old one. False if that failed.
sub _replace {
    my (undef, $file, $object, $first) = @_;
    my $target = _target($file, $object);
    my @old = stat $target;
    my ($fh, $guard) = _temporary($target, @old ? 0600 : 0666)
        or _file_error($object, "can't create $file: $!");
    _dress($fh, @old) if @old;
    (!$first || _copy($fh, $first)) && _write_all($fh, $_[0]) && Permafrost::_sync($fh) && close $fh && rename $guard->{name}, $target
        or return undef;
    $guard->{done} = 1;
    _sync_directory(File::Basename::dirname($target));
    return !!1;
}

# Give a new file the owner, the group and the mode of the one that it replaces, as far as we
# may. Without its owner it does not run under that name, and another group gets no rights.
sub _dress {
    my ($fh, @old) = @_;
    my ($mode, $uid, $gid) = @old[2, 4, 5];
    local $!;
    my @new = stat $fh;
    chown($uid, $gid, $fh) || chown(-1, $gid, $fh) if $new[4] != $uid || $new[5] != $gid;
    @new = stat $fh;
    $mode &= 0777 if $new[4] != $uid || $new[5] != $gid;
    $mode &= 0707 if $new[5] != $gid;
    chmod $mode & 07777, $fh;
    return;
}

# So that the new name outlives a power failure. Not all systems can do it.
sub _sync_directory {
    my ($dir) = @_;
    local $!;
    open my $fh, '<', $dir or return;
    Permafrost::_sync($fh);
    return;
}

# ---- lock_update ------------------------------------------------------------------------

# Run the code with the data of FILE in $_, and write what is in $_ then.
sub update {
    my ($self, $code, $file) = @_;
    my $object = defined $self;
    $file = '' unless defined $file;
    my $atomic = $object ? {$self->options}->{atomic} : $Permafrost::atomic;
    my ($fh, $guard) = _open_exclusive($file, O_RDWR, $object);
    my $old = _slurp($fh, $file, $object);
    my ($data, $netorder) = $guard ? (undef, 1) : eval { _read($self, \$old, $file) };
    _again() if !$guard && !defined $data;
    my @result;
    {
        local $_ = $data;
        @result = wantarray ? $code->() : scalar $code->();
        $data = $_;
    }
    return wantarray ? @result : $result[0] unless defined $data;    # a new file goes with its guard
    my $image = eval { Permafrost::_file_image($self, $data, $netorder) } // _again();
    sysseek $fh, 0, 0;
    my $done = $atomic && -f $fh ? _replace($image, $file, $object)
                                 : _overwrite($fh, $image, $old, $file, $object);
    $done or _file_error($object, "can't write $file: $!");
    $guard->{done} = 1 if $guard;
    return wantarray ? @result : $result[0];
}

sub _slurp {
    my ($fh, $file, $object) = @_;
    my $bytes = '';
    while () {
        my $got = sysread $fh, $bytes, 1 << 20, length $bytes;
        _file_error($object, "can't read $file: $!") unless defined $got;
        return $bytes unless $got;
    }
}

# The data in the bytes, and whether they are in network order.
sub _read {
    my ($self, $bytes, $file) = @_;
    open my $in, '<', $bytes or die "in-memory file: $!";
    my $data = Permafrost::_retrieve_all($self, $in);
    die "$file is truncated" unless defined $data;
    return ($data, Permafrost::last_op_in_netorder());
}

# Pass on what our own call of a function died with, as if the user had made it.
sub _again {
    my $error = $@;
    require Carp;
    if (ref $error) {
        $error->{at} =~ s/ at .*//s, $error->{at} .= Carp::shortmess('') if ref $error eq 'Permafrost::Error';
        die $error;
    }
    $error =~ s/ at \Q${\__FILE__}\E line [0-9]+(?:, <.*> (?:line|chunk) [0-9]+)?\.\n\z// or die $error;
    Carp::croak($error);
}

1;

__END__

=head1 NAME

Permafrost::Files - locks and atomic writing for Permafrost

=head1 DESCRIPTION

This module is internal: L<Permafrost> loads it when it is needed. Its interface may change.

=cut
