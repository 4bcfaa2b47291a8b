package Permafrost::Trace;

use 5.016;
use strict;
use warnings;
use Permafrost ();

our $VERSION = $Permafrost::VERSION;

# Writers of images in native order: which argument is the data, and the usage text of
# those that perl itself checks the number of arguments of.
my %WRITER = (
    freeze     => {data => 0},
    store      => {data => 0},
    lock_store => {data => 0},
    store_fd   => {data => 0},
    mstore     => {data => 0, items => 1, usage => 'ref', prototype => '($)'},
    pstore     => {data => 1, items => 2, usage => 'handle, ref', prototype => '($$)'},
);

# More call sites than this mean that code is generated all the time.
use constant MAX_TRAMPOLINES => 2000;

our ($hints, $warning_bits);    # of the call site that is being compiled for
my ($path, $pid);
my %sites;                      # the summary of this process or thread
my %trampolines;
my %original;                   # name => the writer itself
my $written;                    # length of the image that was last sent to a file
our $at_end = bless [], 'Permafrost::Trace::AtEnd';

# ---- switching it on ----------------------------------------------------------------------

# Trace to FILE from now on. A warning if it cannot be opened; the program goes on.
sub _start {
    my ($file) = @_;
    return if defined $path;
    local ($@, $!);
    local $SIG{__DIE__};
    my $ok = eval {
        require File::Spec;
        $path = File::Spec->rel2abs($file);    # the program may change its directory
        _append('');
    };
    if (!$ok) {
        my $why = $@ || $!;
        undef $path;
        $why =~ s/ at \S+ line [0-9]+\.?\n\z//;
        warn "Permafrost: no trace, can't write to $file: $why\n";
        return;
    }
    $pid = $$;
    _install();
    return;
}

sub _install {
    my $write_file = \&Permafrost::_write_file;
    no strict 'refs';
    no warnings 'redefine';
    for my $name (keys %WRITER) {
        $original{$name} = Permafrost::_eval_plain('sub { return }');
        Permafrost::_replace($original{$name}, \&{"Permafrost::$name"});
    }
    for my $name (keys %WRITER) {
        my $ours = \&{"Permafrost::$name"};
        _redefine('Permafrost', $name);
        _redefine('Storable', $name)
            if defined &{"Storable::$name"} && \&{"Storable::$name"} != $ours;
    }
    *Permafrost::_write_file = sub { $written = length($_[0]) + ($_[6] // 0); goto &$write_file };
    return;
}

# Give a sub a new body, in place: a sub that was undefined keeps its identity when it is
# defined again, so that all references and imports follow. (A forwarding XSUB would do,
# too, but for threads: what it points to is not cloned.)
sub _redefine {
    my ($package, $name) = @_;
    my $prototype = $WRITER{$name}{prototype} || '';
    no strict 'refs';
    undef &{"${package}::$name"};
    Permafrost::_eval_plain("package Permafrost::Trace; no warnings; sub ${package}::$name $prototype"
        . " { goto &{ _begin('$name', '$package', \\\@_) } } 1") or die $@;
    return;
}

# ---- one call -------------------------------------------------------------------------------

# A call of writer NAME of PACKAGE with these ARGS begins. Returns the sub to go on with.
#
# That is a trampoline: a sub that says to be compiled at the very place of the call, so
# that whatever asks perl where it is (error messages, warnings, Carp, hooks) gets the
# same answer as without us, and that comes back to us with the result.
sub _begin {
    my ($name, $package, $args) = @_;
    local ($@, $!);
    my $writer = $WRITER{$name};
    my $options = @$args ? Permafrost::_object_options($args->[0]) : undef;    # it is a method
    return $original{$name} if $options && $options->{order} eq 'network';
    my $at = $writer->{data} + ($options ? 1 : 0);
    my $call = bless {code => $original{$name}, function => $name, pid => $$, time => CORE::time()},
        'Permafrost::Trace::Call';
    if ($writer->{items} && @$args != $writer->{items}) {
        $call->{usage} = "Usage: ${package}::$name($writer->{usage})";
    }
    if (@$args > $at) {    # fetched once, if it is tied, for us and for the writer
        my $data = $args->[$at];
        $call->{class} = ref $data;
        splice @$args, $at, 1, $data;
    }
    my @caller = CORE::caller(1);
    @$call{qw(package file line sub)} = _call_site();
    if (my $trampoline = _trampoline(@caller)) {
        unshift @$args, $call;
        return $trampoline;
    }
    _end($call, undef, undef);
    return $call->{code};
}

# Where the user called: package, file, line, and the name of the sub around it.
sub _call_site {
    my $level = 2;
    my @site = CORE::caller($level);
    for (my $i = $level; my @frame = CORE::caller($i); $i++) {
        next if !defined $frame[0] || $frame[0] =~ /\A(?:Permafrost(?:::\w+)*|Storable)\z/;
        @site = @frame;
        $level = $i;
        last;
    }
    my $sub;
    while (my @frame = CORE::caller(++$level)) {
        $sub = $frame[3];
        last if defined $sub && $sub ne '(eval)';
        undef $sub;
    }
    return (@site[0 .. 2], $sub);
}

# The sub to call the writer from, for a frame as caller() gives it; none if there can be
# none that has its name.
sub _trampoline {
    my ($package, $file, $line) = @_;
    return undef if !defined $package || !defined $file || !length $file || !$line;
    return undef if $package !~ /\A[^\W\d]\w*(?:::\w+)*\z/ || $file =~ /["\n\r]/;
    return undef if $package =~ /[^\x00-\x7F]/ && $file =~ /[^\x00-\x7F]/;    # of two encodings
    $hints        = $_[8] & 0x3C00081D;    # bytes, locale, integer, features: those without %^H
    $warning_bits = $_[9];
    my $key = join "\0", $package, $file, $line, $hints, defined $warning_bits ? $warning_bits : '';
    return $trampolines{$key} if $trampolines{$key};
    %trampolines = () if keys %trampolines >= MAX_TRAMPOLINES;
    local $SIG{__DIE__};
    return $trampolines{$key} = Permafrost::_eval_plain(<<"END");
package Permafrost::Trace;
sub { BEGIN { \$^H = \$Permafrost::Trace::hints; \${^WARNING_BITS} = \$Permafrost::Trace::warning_bits } package $package;
# line $line "$file"
my \$call = CORE::shift(\@_); CORE::die(\$call->{usage}) if \$call->{usage}; Permafrost::Trace::_after(\$call, &{\$call->{code}}) }
END
}

# The writer has come back with RESULT, which is passed on.
sub _after {
    my ($call) = @_;
    my $in_memory = $call->{function} =~ /\A(?:freeze|mstore)\z/;
    my $length = $in_memory ? length $_[1] : $call->{function} =~ /\A(?:lock_)?store\z/ ? $written : undef;
    _end($call, $_[1] ? 'ok' : 'false', $_[1] ? $length : undef);
    return $_[1];
}

# Log a call that is over: how it ended (undef: nobody knows), bytes written (or undef).
sub _end {
    my ($call, $outcome, $bytes) = @_;
    return if $call->{over}++;
    my $site = _site($call);
    $site->{count}++;
    $site->{failed}++ if defined $outcome && $outcome ne 'ok';
    $site->{bytes} += $bytes if defined $bytes;
    $site->{classes}{defined $call->{class} ? $call->{class} : ''}++;
    _write(
        event => 'call', time => \$call->{time}, _process(), function => $call->{function}, order => 'native',
        package => $call->{package}, file => $call->{file}, line => \$call->{line}, sub => $call->{sub},
        bytes => \$bytes, class => $call->{class}, outcome => $outcome,
    );
    _finish() if ${^GLOBAL_PHASE} eq 'DESTRUCT';    # nobody may come after
    return;
}

# ---- the summary ------------------------------------------------------------------------------

# The entry of a call in the summary of this process.
sub _site {
    my ($call) = @_;
    %sites = () if $pid != $$;    # forked: these are our parent's
    $pid = $$;
    my $file = defined $call->{file} ? $call->{file} : '';
    $file =~ s/\(eval [0-9]+\)/(eval)/;
    my $line = $call->{line} || 0;
    return $sites{join "\0", $call->{function}, $file, $line}
        ||= {function => $call->{function}, file => $file, line => $line, count => 0, failed => 0};
}

# Write what has been counted in this process and thread, the most frequent first.
sub _finish {
    return unless defined $path && $pid == $$;
    my @sites = sort { $b->{count} <=> $a->{count} || $a->{file} cmp $b->{file} || $a->{line} <=> $b->{line}
            || $a->{function} cmp $b->{function} } values %sites;
    %sites = ();
    for my $site (@sites) {
        _write(
            event => 'summary', time => \CORE::time(), _process(), program => $0, function => $site->{function},
            order => 'native', file => $site->{file}, line => \$site->{line}, count => \$site->{count},
            failed => \$site->{failed}, bytes => \$site->{bytes},
            classes => {map { ($_ => \$site->{classes}{$_}) } keys %{$site->{classes}}},
        );
    }
    return;
}

sub _process {
    my $thread = $INC{'threads.pm'} ? threads->tid : 0;
    return (pid => \"$$", $thread ? (thread => \$thread) : ());
}

END { _finish() }

# A new thread counts for itself; its summary is written when it is taken down.
sub CLONE { %sites = (); return }

# What left without a result, by an exception for instance.
sub Permafrost::Trace::Call::DESTROY {
    my ($call) = @_;
    return if $call->{over} || ($call->{pid} || 0) != $$;
    _end($call, 'died', undef);
    return;
}
sub Permafrost::Trace::Call::CLONE_SKIP { return 1 }

# After all END blocks, and at the end of threads.
sub Permafrost::Trace::AtEnd::DESTROY { _finish(); return }

# ---- output -------------------------------------------------------------------------------------

# Write a record: a list of names and values. Nothing that goes wrong here, or that is set
# on the way, is for the program to see.
sub _write {
    my @record = @_;
    local ($@, $!, $?, $^E);
    local $SIG{__DIE__};
    eval { _append(_json(@record) . "\n") };
    return;
}

# The file is open no longer than this takes: programs close handles that they don't know,
# and give their numbers to others; and numbers stay what they are without us.
sub _append {
    my ($bytes) = @_;
    open my $fh, '>>:raw', $path or return 0;
    my $done = length $bytes ? syswrite $fh, $bytes : 0;
    close $fh;
    return defined $done;
}

# A JSON object of a list of names and values: strings, references to numbers, references
# to hashes of values, undef.
sub _json {
    my @members;
    while (my ($name, $value) = splice @_, 0, 2) {
        push @members, _json_string($name) . ':' . _json_value($value);
    }
    return '{' . join(',', @members) . '}';
}

sub _json_value {
    my ($value) = @_;
    return 'null' unless defined $value;
    return _json(map { ($_ => $value->{$_}) } sort keys %$value) if ref $value eq 'HASH';
    return _json_string($value) unless ref $value;
    return defined $$value ? sprintf '%.0f', $$value : 'null';
}

# Names come from perl as characters or as bytes; bytes that are UTF-8 are taken for that.
sub _json_string {
    my ($text) = @_;
    utf8::decode($text) unless utf8::is_utf8($text);
    $text =~ s/[^\x{0}-\x{D7FF}\x{E000}-\x{10FFFF}]/\x{FFFD}/g;
    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/([\x00-\x1F\x7F])/sprintf '\\u%04x', ord $1/ge;
    utf8::encode($text);
    return qq("$text");
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Trace - find out who writes images that other machines cannot read

=head1 SYNOPSIS

    PERMAFROST_TRACE=/tmp/trace.log perl -MPermafrost::AsStorable app.pl
    PERMAFROST_TRACE=/tmp/trace.log PERL5OPT=-MPermafrost::AsStorable make test

=head1 DESCRIPTION

C<freeze>, C<store>, C<lock_store> and C<store_fd> write images in the byte order and with
the integer sizes of the machine that they run on; what is to be read elsewhere, or after
the next move, should be written by C<nfreeze>, C<nstore>, C<lock_nstore> and
C<nstore_fd>. If the environment variable C<PERMAFROST_TRACE> holds the name of a file
when L<Permafrost::AsStorable> is loaded, that module loads this one, and each call of
one of the former (also of C<mstore> and C<pstore>, the names of Storable's XSUBs) is
logged there: under Storable's names and under Permafrost's, imported, inherited or called
by a reference that was taken before. There is nothing to call here.

If the variable is not set, or empty, this module is not loaded and nothing is different. With
it, results, exceptions, warnings, C<$@>, C<$!> and the lines that messages name are the
same as without it.

If the file cannot be opened there is one warning, and the program runs without trace.

=head1 THE FILE

Lines are appended, each by one system call, so that many processes can write into one
file. A line is a JSON object, in UTF-8. Numbers are integers.

=head2 Calls

    {"event":"call","time":1767225600,"pid":4711,"function":"freeze","order":"native",
     "package":"My::Cache","file":"lib/My/Cache.pm","line":42,"sub":"My::Cache::put",
     "bytes":312,"class":"HASH","outcome":"ok"}

=over

=item time

Seconds since the epoch, when the call began.

=item pid, thread

The process; the number of the thread, unless that is the main one.

=item function

The bare name: C<freeze>, C<store>, C<lock_store>, C<store_fd>, C<mstore> or C<pstore>.

=item order

C<"native">, always.

=item package, file, line, sub

Where the call stands: the innermost one outside of the packages Storable, Permafrost and
C<Permafrost::*>. C<file> is as perl names it, and may be relative. C<sub> is the sub
around that place, C<null> in the main program.

=item bytes

Length of the image; C<null> where it is not known: for C<store_fd> and C<pstore>, and if
nothing was written.

=item class

What C<ref> says of the data: a class, or C<ARRAY>, C<HASH>, C<SCALAR> ...; the empty
string for what is no reference, C<null> if there was no argument.

=item outcome

C<"ok">; C<"false"> if the function returned that, because not all could be written;
C<"died"> if it was left by an exception (or by C<exit> in a hook); C<null> if it is not
known, see L</LIMITS>.

=back

A line is written when the call is over. Where a hook makes another call, that one comes
first.

=head2 Summaries

At its end, each process (and thread) that made calls writes a line for each call site, the
most frequent one first:

    {"event":"summary","time":1767225660,"pid":4711,"program":"app.pl","function":"freeze",
     "order":"native","file":"lib/My/Cache.pm","line":42,"count":1000,"failed":0,
     "bytes":312000,"classes":{"HASH":990,"My::Item":10}}

C<failed> counts the calls whose outcome was not C<"ok">; C<bytes> is a sum, or C<null> if
no length was known; in C<classes> the calls are counted by the class of the data. Numbers
are taken out of file names like C<(eval 17)>. A process can write lines for one call site
twice, if there are calls after the C<END> blocks: add them up.

=head1 LIMITS

=over

=item *

A process that ends by a signal, C<exec> or C<POSIX::_exit> writes no summary. Its calls
are logged.

=item *

The file is opened for each line. A process that changes its user or its root directory
must still be able to do that; otherwise the lines are lost silently. Under taint mode
there is no trace, because the name of the file is tainted: a warning says so.

=item *

Where programs look at the whole call stack, in hooks or by C<Carp::cluck>, they see
one more frame, of C<Permafrost::Trace::__ANON__>, called from the same line. C<%^H> of the
calling code is not seen there. The first call from each place compiles a little code,
which counts in names like C<(eval 17)>.

=item *

Nothing is known about the outcome of calls from files whose names have a double quote or
a line feed in them, or from packages with names that no C<package> statement could have.

=item *

C<dclone> and functions that write network order are not logged, nor are the calls of a
program that does not load Permafrost::AsStorable.

=back

=head1 SEE ALSO

L<Permafrost>, L<Permafrost::AsStorable>

=cut
