package Permafrost::Audit::Review;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Catalog qw(rank_of_severity);

our @EXPORT_OK = qw(diff_of_revision parse_diff old_text only_new);

# The changes since a git revision, as parse_diff() returns them. Dies if git says no.
sub diff_of_revision {
    my ($revision) = @_;
    die "not a revision: $revision\n" if $revision =~ /\A-/;
    my $top = _git('rev-parse', '--show-toplevel');
    chomp $top;
    my $text = _git('-c', 'core.quotepath=off', 'diff', '--no-color', '--no-ext-diff', '--no-prefix', '-M',
        '-U0', $revision, '--');
    my $changes = parse_diff($text, prefix => '');
    require File::Spec;
    return [map { {%$_, file => File::Spec->abs2rel("$top/$_->{file}"),
        before => _old_version($top, $revision, $_)} } @$changes];
}

# The text (bytes) that a changed file had; undef if it is new.
sub _old_version {
    my ($top, $revision, $change) = @_;
    return undef unless defined $change->{old_file};
    return scalar eval { _git('-C', $top, 'show', "$revision:$change->{old_file}") };
}

sub _git {
    my (@arguments) = @_;
    open my $out, '-|', 'git', @arguments or die "git: $!\n";
    binmode $out;
    local $/;
    my $text = <$out>;
    close $out or die "git @arguments failed\n";
    return $text // '';
}

# Read a unified diff. RETURNS: a list of hashes: file, old_file (undef: new), and hunks, each
# [old line, old count, new line, new count, lines].
sub parse_diff {
    my ($text, %option) = @_;
    my (@changes, $old, $change);
    my ($want_old, $want_new) = (0, 0);
    for my $line (split /\n/, $text, -1) {
        if ($want_old > 0 || $want_new > 0) {
            my $mark = substr $line, 0, 1;
            push @{$change->{hunks}[-1][4]}, $line;
            $want_old-- if $mark eq '-' || $mark eq ' ' || $line eq '';
            $want_new-- if $mark eq '+' || $mark eq ' ' || $line eq '';
        }
        elsif ($line =~ /\A--- (.*)/) { $old = _diff_name($1, 'a/', \%option) }
        elsif ($line =~ /\A\+\+\+ (.*)/) {
            my $file = _diff_name($1, 'b/', \%option);
            $change = {file => $file, old_file => $old, hunks => []};
            push @changes, $change if defined $file;
        }
        elsif ($change && $line =~ /\A@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/) {
            ($want_old, $want_new) = ($2 // 1, $4 // 1);
            push @{$change->{hunks}}, [$1, $want_old, $3, $want_new, []];
        }
    }
    return \@changes;
}

sub _diff_name {
    my ($name, $prefix, $option) = @_;
    $name =~ s/\t.*//s;
    $name =~ s/\r\z//;
    $name = $1 =~ s/\\(["\\])/$1/gr if $name =~ /\A"(.*)"\z/;
    return undef if $name eq '/dev/null';
    $prefix = $option->{prefix} if defined $option->{prefix};
    $name =~ s/\A\Q$prefix\E//;
    return $name;
}

# The text before a change, from the one after it, by applying the hunks backwards; undef if they
# do not fit.
sub old_text {
    my ($change, $new) = @_;
    return $change->{before} if exists $change->{before};
    return undef unless defined $change->{old_file};
    my @lines = split /\n/, $new, -1;
    for my $hunk (reverse @{$change->{hunks}}) {
        my ($old_line, $old_count, $new_line, $new_count, $lines) = @$hunk;
        my @old = map { substr $_, 1 } grep { /\A[- ]/ } @$lines;
        my @new = map { substr $_, 1 } grep { /\A[+ ]/ } @$lines;
        my $at = $new_count ? $new_line - 1 : $new_line;
        for my $n (0 .. $#new) {
            return undef unless defined $lines[$at + $n]
                && $lines[$at + $n] =~ s/\r\z//r eq $new[$n] =~ s/\r\z//r;
        }
        splice @lines, $at, scalar @new, @old;
    }
    return join "\n", @lines;
}

# Where a line of the old text is now; undef if it is gone.
sub _new_line {
    my ($change, $line) = @_;
    my $shift = 0;
    for my $hunk (@{$change->{hunks}}) {
        my ($old_line, $old_count, $new_line, $new_count, $lines) = @$hunk;
        my $first = $old_count ? $old_line : $old_line + 1;
        last if $line < $first;
        if ($line < $first + $old_count) { return _inside_hunk($hunk, $line) }
        $shift = $new_count - $old_count + $shift;
    }
    return $line + $shift;
}

sub _inside_hunk {
    my ($hunk, $line) = @_;
    my ($old_line, undef, $new_line, undef, $lines) = @$hunk;
    for my $text (@$lines) {
        my $mark = substr $text, 0, 1;
        return $mark eq '-' ? undef : $new_line if $mark ne '+' && $old_line == $line;
        $old_line++ if $mark ne '+';
        $new_line++ if $mark ne '-';
    }
    return undef;
}

# The lines of the new text that a change wrote: a hash.
sub _changed_lines {
    my ($change) = @_;
    my %changed;
    for my $hunk (@{$change->{hunks}}) {
        my $line = $hunk->[3] ? $hunk->[2] : $hunk->[2] + 1;
        for my $text (@{$hunk->[4]}) {
            my $mark = substr $text, 0, 1;
            $changed{$line} = 1 if $mark eq '+';
            $line++ if $mark ne '-' && $mark ne '\\';
        }
    }
    return \%changed;
}

# Of the findings in the new texts those on changed lines and those that the old texts did not
# give, or not so severe.
sub only_new {
    my ($changes, $old, $new) = @_;
    my %change = map { ($_->{file} => $_) } @$changes;
    my %moved = map { ($_->{old_file} // $_->{file} => $_) } @$changes;
    my %known;
    for my $finding (@$old) {
        my $change = $moved{$finding->{file}};
        my $line = $change ? _new_line($change, $finding->{line}) : $finding->{line};
        next unless defined $line;
        my $key = _key($finding, $change ? $change->{file} : $finding->{file}, $line);
        my $rank = rank_of_severity($finding->{severity});
        $known{$key} = $rank if !defined $known{$key} || $rank > $known{$key};
    }
    return grep {
        my $finding = $_;
        my $change = $change{$finding->{file}};
        my $lines = $change ? ($change->{changed} ||= _changed_lines($change)) : {};
        my $known = $known{_key($finding, $finding->{file}, $finding->{line})};
        (grep { $lines->{$_} } $finding->{first_line} // $finding->{line} .. $finding->{line})
            || $lines->{$finding->{line}} || !defined $known
                || $known < rank_of_severity($finding->{severity});
    } @$new;
}

sub _key {
    my ($finding, $file, $line) = @_;
    return join "\0", $finding->{id}, $file, $line, $finding->{function} // '';
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Review - what a change brings: diffs, and findings before and after

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
