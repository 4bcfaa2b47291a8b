package Permafrost::Audit::Runtime;

use 5.016;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(read_trace merge_trace);

# Read a file that PERMAFROST_TRACE wrote. RETURNS: a list of call sites: hashes of function, file,
# line, sub, count, failed, bytes, classes. Lines that are no records are skipped; dies if there
# is no record at all, and the file is not empty.
sub read_trace {
    my ($file) = @_;
    require JSON::PP;
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $json = JSON::PP->new->utf8;
    my (%events, $lines);
    while (my $line = <$in>) {
        next unless $line =~ /\S/;
        $lines++;
        my $record = eval { $json->decode($line) };
        next unless ref $record eq 'HASH' && defined $record->{function} && defined $record->{event};
        push @{$events{$record->{event}}}, $record;
    }
    die "$file: there is no record of PERMAFROST_TRACE in it\n" if $lines && !%events;
    my %sites;
    if ($events{call}) { _add_call(\%sites, $_) for @{$events{call}} }
    else               { _add_summary(\%sites, $_) for @{$events{summary} || []} }
    return [map { $sites{$_} } sort keys %sites];
}

sub _site {
    my ($sites, $record) = @_;
    my $file = $record->{file} // '';
    my $line = $record->{line} || 0;
    return $sites->{join "\0", $file, sprintf('%09d', $line), $record->{function}}
        ||= {function => $record->{function}, file => $file, line => $line, sub => undef, count => 0,
            failed => 0, bytes => 0, classes => {}};
}

sub _add_call {
    my ($sites, $record) = @_;
    my $site = _site($sites, $record);
    $site->{count}++;
    $site->{failed}++ if defined $record->{outcome} && $record->{outcome} ne 'ok';
    $site->{bytes} += $record->{bytes} || 0;
    $site->{classes}{$record->{class} // ''}++;
    $site->{sub} //= $record->{sub};
    return;
}

sub _add_summary {
    my ($sites, $record) = @_;
    my $site = _site($sites, $record);
    $site->{$_} += $record->{$_} || 0 for qw(count failed bytes);
    $site->{classes}{$_} += $record->{classes}{$_} for keys %{$record->{classes} || {}};
    return;
}

# Tell each finding of native images what the trace knows (`runtime`: a hash with status "confirmed"
# or "never seen"). RETURNS: the sites that no finding stands for.
sub merge_trace {
    my ($findings, $sites) = @_;
    my @native = grep { $_->{id} eq 'native-image' } @$findings;
    my @left;
    for my $site (@$sites) {
        my @here = grep { _same_file($_->{file}, $site->{file}) && _matches($_, $site) } @native;
        my ($best) = sort { abs($a->{line} - $site->{line}) <=> abs($b->{line} - $site->{line}) } @here;
        if (!$best) { push @left, $site; next }
        my $sum = $best->{runtime} ||= {status => 'confirmed', count => 0, failed => 0, bytes => 0,
            classes => {}};
        $sum->{$_} += $site->{$_} for qw(count failed bytes);
        $sum->{classes}{$_} += $site->{classes}{$_} for keys %{$site->{classes}};
    }
    $_->{runtime} ||= {status => 'never seen'} for @native;
    return @left;
}

# Does the site belong to the finding: in its statement, or where a sub that only passes on is called?
sub _matches {
    my ($finding, $site) = @_;
    return 1 if $finding->{form} eq 'goto' && grep { $_ == $site->{line} } @{$finding->{callers} || []};
    return 0 if ($finding->{function} // '') ne $site->{function};
    return 1 if $finding->{first_line} <= $site->{line} && $site->{line} <= $finding->{last_line};
    return 0;
}

# A file of the trace may be named from another folder: compare real paths, or the longest ends.
sub _same_file {
    my ($ours, $theirs) = @_;
    return 1 if $ours eq $theirs;
    require Cwd;
    my $real = Cwd::realpath($ours) // $ours;
    my $other = $theirs =~ m{\A/} ? Cwd::realpath($theirs) // $theirs : $theirs =~ s{\A\./}{}r;
    return 1 if $real eq $other;
    return $theirs !~ m{\A/} && $real =~ m{/\Q$other\E\z} || -e $theirs
        ? $real eq (Cwd::realpath($theirs) // '') || $theirs !~ m{\A/} && $real =~ m{/\Q$other\E\z} : 0;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Runtime - merge what a trace has seen with what the audit has found

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. The trace is that of L<Permafrost::Trace>. Nothing is public.

=cut
