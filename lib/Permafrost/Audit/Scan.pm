package Permafrost::Audit::Scan;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost ();
use Permafrost::Audit::Files qw(read_file looks_like_perl head_of);
use Permafrost::Audit::Rules qw(examine);
use Permafrost::Audit::Source ();

our @EXPORT_OK = qw(scan scan_text needs_ppi);

# What a file must mention to be parsed: the module, and something of it that matters here.
my $MODULE = qr/Storable|Permafrost/;
my $NAMES  = qr/\b(?:n?freeze|thaw|(?:lock_)?n?store|n?store_fd|(?:net_)?[mp]store|(?:lock_)?retrieve|fd_retrieve|retrieve_fd|[mp]retrieve)\b
    |(?:Storable|Permafrost)::(?:Eval|Deparse|forgive_me|EXPORT)|\b(?:export_to_level|import::into)\b/x;

# PPI, or a message that says how to get it.
sub needs_ppi {
    return if eval { require PPI; require PPI::Tokenizer; 1 };
    my $why = $@ =~ /\ACan't locate PPI/ ? '' : " ($@)";
    die "permafrost audit needs the Perl module PPI: apt-get install libppi-perl, or cpan PPI$why\n";
}

# Look at FILES. Options: known (exports of other modules), only_mention (a pattern: take only
# what matches it), jobs, progress (called with the number of files that are done), data (look for
# images, too).
# RETURNS: a list of hashes, one for each file with something in it: file, findings, writes,
# exports, comments, image, error.
sub scan {
    my ($files, %option) = @_;
    my $jobs = $option{jobs} || 1;
    $jobs = @$files if $jobs > @$files;
    return _one_process($files, \%option) if $jobs < 2 || grep { $_ eq '-' } @$files;
    return _forked($files, $jobs, \%option);
}

sub _one_process {
    my ($files, $option) = @_;
    my (@results, $done);
    for my $file (@$files) {
        my $result = _look_at($file, $option);
        push @results, $result if $result;
        $option->{progress}->(++$done) if $option->{progress};
    }
    return @results;
}

# Several processes, the biggest files first. Each sends a record for each of its files.
sub _forked {
    my ($files, $jobs, $option) = @_;
    my %size = map { ($_ => -s $_ || 0) } @$files;
    my @order = sort { $size{$files->[$b]} <=> $size{$files->[$a]} || $a <=> $b } 0 .. $#$files;
    my (@readers, @pids);
    for my $job (0 .. $jobs - 1) {
        my @mine = _share(\@order, $job, $jobs);
        pipe my $reader, my $writer or die "pipe: $!\n";
        defined(my $pid = fork) or die "fork: $!\n";
        if (!$pid) {
            close $reader;
            _child($files, \@mine, $writer, $option);
        }
        close $writer;
        push @readers, $reader;
        push @pids, $pid;
    }
    my @results = _collect(\@readers, $option);
    waitpid $_, 0 for @pids;
    return map { $_->[1] } sort { $a->[0] <=> $b->[0] } @results;
}

# Files dealt out like cards, back and forth, so that each process gets as much.
sub _share {
    my ($order, $job, $jobs) = @_;
    return map { $order->[$_] } grep {
        my $round = int $_ / $jobs;
        my $place = $_ % $jobs;
        ($round % 2 ? $jobs - 1 - $place : $place) == $job;
    } 0 .. $#$order;
}

# The life of a child: a record for each file, then the end without anybody's END blocks.
sub _child {
    my ($files, $mine, $writer, $option) = @_;
    binmode $writer;
    $writer->autoflush(1) if $writer->can('autoflush');
    for my $index (@$mine) {
        my $result = _look_at($files->[$index], $option);
        my $record = Permafrost::nfreeze([$index, $result]);
        print {$writer} pack('N', length $record), $record;
    }
    close $writer;
    require POSIX;
    POSIX::_exit(0);
}

sub _collect {
    my ($readers, $option) = @_;
    require IO::Select;
    my $select = IO::Select->new(@$readers);
    my (%buffer, @results, $done);
    while ($select->count) {
        for my $reader ($select->can_read) {
            my $got = sysread $reader, $buffer{$reader}, 65536, length($buffer{$reader} // '');
            if (!$got) { $select->remove($reader); next }
            while (length $buffer{$reader} >= 4) {
                my $length = unpack 'N', $buffer{$reader};
                last if length $buffer{$reader} < 4 + $length;
                my $record = Permafrost::thaw(substr $buffer{$reader}, 4, $length)
                    or die "a process of the audit sent no whole record\n";
                substr $buffer{$reader}, 0, 4 + $length, '';
                push @results, $record if $record->[1];
                $option->{progress}->(++$done) if $option->{progress};
            }
        }
    }
    return @results;
}

# One file: undef if there is nothing to say about it.
sub _look_at {
    my ($file, $option) = @_;
    my $head = $file eq '-' ? '' : head_of($file);
    return {file => $file, error => "cannot be read: $!"} unless defined $head;
    if (!looks_like_perl($file, $head)) {
        return undef unless $option->{data} && length $head;
        my $image = _native_image($head) or return undef;
        return {file => $file, image => $image};
    }
    my $bytes = eval { read_file($file) };
    return {file => $file, error => "cannot be read: $@"} unless defined $bytes;
    return undef if $option->{only_mention} ? $bytes !~ $option->{only_mention} : !_is_relevant($bytes);
    return scan_text($file, $bytes, %$option);
}

# Is it worth parsing? Most files that mention Storable do so in their manual, or use dclone.
sub _is_relevant {
    my ($bytes) = @_;
    return 1 if index($bytes, 'permafrost: allow') >= 0 || $bytes =~ /\A(?:\xFE\xFF|\xFF\xFE)/;    # UTF-16
    return 0 unless $bytes =~ $MODULE && $bytes =~ $NAMES;
    return 1 if $bytes =~ /<<[~"'\w\s]/ || $bytes =~ /\b(?:AutoLoader|SelfLoader)\b/;    # what looks like POD may be none
    $bytes =~ s/^=[A-Za-z].*?(?:^=cut\b[^\n]*\n|\z)//gms;
    $bytes =~ s{^__(?:END|DATA)__[^\n]*\n.*}{}ms;
    $bytes =~ s/^\s*#[^\n]*//gm;
    return $bytes =~ $MODULE && $bytes =~ $NAMES ? 1 : 0;
}

# The same for the text (bytes) of a file.
sub scan_text {
    my ($file, $bytes, %option) = @_;
    local $SIG{__WARN__} = sub { };    # PPI's, on what is not Perl
    my $result = eval {
        my $source = Permafrost::Audit::Source->parse($bytes, name => $file);
        my $found = examine($source, known => $option{known});
        {file => $file, findings => $found->{findings}, writes => $found->{writes},
            exports => $found->{exports},
            comments => $source->{comments}, bounds => _bounds($source)};
    };
    return $result if $result;
    my $why = $@;
    $why =~ s/ at \S+ line [0-9]+\.?\n?\z//;
    return {file => $file, error => "cannot be parsed: $why"};
}

# For each suppression comment: the lines of the statement that it stands in or before.
sub _bounds {
    my ($source) = @_;
    my $t = $source->{tokens};
    my %bounds;
    for my $comment (@{$source->{comments}}) {
        my ($line, $column) = @$comment;
        my $before = ($source->line($line) =~ /\A\s*#/) ? 0 : 1;
        my ($first) = grep { $before ? $t->[$_][2] >= $line : $t->[$_][2] > $line } 0 .. $#$t;
        $first //= $#$t;
        next if $first < 0;
        my ($from, $to) = $before ? ($source->statement_start($first), $source->statement_end($first))
            : ($first, $source->statement_end($first));
        $bounds{"$line:$column"} = [$before ? _min($line, $t->[$from][2]) : $line, $t->[$to][2]];
    }
    return \%bounds;
}

sub _min { return $_[0] < $_[1] ? $_[0] : $_[1] }

# Does a file begin as a native image? RETURNS: a hash with words about it, or undef.
sub _native_image {
    my ($head) = @_;
    return undef unless $head =~ /\Apst0|\A[\x04\x06]/;
    my $magic = eval { Permafrost::read_magic($head) } or return undef;
    return undef if $magic->{netorder} || !defined $magic->{byteorder};
    return undef if $magic->{byteorder} !~ /\A(?:1234|12345678|4321|87654321)\z/
        || ($magic->{intsize} || 0) !~ /\A[248]\z/ || ($magic->{ptrsize} || 0) !~ /\A[48]\z/;
    return {%$magic, in_file => $head =~ /\Apst0/ ? 1 : 0};
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Scan - read many files, skip those that have nothing to do with Storable

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
