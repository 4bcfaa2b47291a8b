package Permafrost::Audit::CommandLine;

use 5.016;
use strict;
use warnings;
use Permafrost::Audit ();
use Permafrost::Audit::Catalog qw(confidences);
use Permafrost::Audit::Fix qw(fix_file unified_diff);
use Permafrost::Audit::Output qw(format_report formats);
use Permafrost::Audit::Settings qw(find_settings read_settings);

my $USAGE = <<'USAGE';
Usage: permafrost audit [OPTION...] [PATH...]

Finds in Perl source where images are written in native byte order (freeze, store ...), and
other mistakes with Storable. PATH is a file, a folder, or - for the standard input; without
any, what .permafrostrc includes, or this folder.

  --json                 a JSON object; short for --format json
  --format FORMAT        text, json, sarif, github or checkstyle
  --confidence LEVEL     only findings that are at least: possible (default), likely, certain
  --diff REVISION        only what the changes since a git revision bring; - reads a unified
                         diff from the standard input
  --baseline FILE        not the findings in FILE, an earlier output of --json
  --trace FILE           merge what PERMAFROST_TRACE has logged at run time
  --fix                  write nfreeze for freeze and so on, where that is certain
  --dry-run              show as a diff what --fix would change, and change nothing
  --lib FOLDER           a folder of modules for perl -c in --fix; may be repeated
  --config FILE          instead of .permafrostrc
  --jobs N               processes; default: as many as there are processors
  --help                 this text

Exit status: 0 no findings, 1 findings, 2 usage or a file that cannot be read.
USAGE

# Run the command with these arguments. RETURNS: the exit status.
sub run {
    my (@arguments) = @_;
    my $option = _options(\@arguments) or do { print STDERR "Try permafrost audit --help\n"; return 2 };
    if ($option->{help}) { print $USAGE; return 0 }
    my $status = eval { _audit($option, @arguments) };
    return $status if defined $status;
    print STDERR "permafrost audit: $@";
    return 2;
}

sub _options {
    my ($arguments) = @_;
    require Getopt::Long;
    my $parser = Getopt::Long::Parser->new(config => [qw(gnu_getopt no_auto_abbrev)]);
    my %option = (lib => []);
    local $SIG{__WARN__} = sub { print STDERR "permafrost audit: $_[0]" };
    $parser->getoptionsfromarray($arguments, \%option,
        qw(help|h json format=s confidence=s diff=s baseline=s trace=s
        fix dry-run lib|I=s@ config=s jobs|j=i)) or return undef;
    $option{format} //= $option{json} ? 'json' : 'text';
    my %wanted = (format => [formats()], confidence => [confidences()]);
    for my $name (sort keys %wanted) {
        next if !defined $option{$name} || grep { $_ eq $option{$name} } @{$wanted{$name}};
        print STDERR "permafrost audit: no $name '$option{$name}': there are ", join(', ', @{$wanted{$name}}),
            "\n";
        return undef;
    }
    if (defined $option{jobs}
        && $option{jobs} < 1) { print STDERR "permafrost audit: --jobs must be at least 1\n"; return undef }
    if (($option{diff} // '') eq '-'
        && grep { $_ eq '-' }
        @$arguments) { print STDERR "permafrost audit: the standard input is either the diff or the source\n";
        return undef }
    return \%option;
}

sub _audit {
    my ($option, @paths) = @_;
    my $rc = $option->{config} // find_settings();
    my $settings = defined $rc ? read_settings($rc) : {};
    my ($to_base, $from_base) = defined $rc ? _relation($rc) : ('', '');
    my @included = map { length $to_base && !m{\A/} ? "$to_base/$_" : $_ } @{$settings->{paths} || []};
    my $report = Permafrost::Audit::audit(
        paths => @paths ? \@paths : @included ? \@included : ['.'], exclude_prefix => $from_base,
        (map { ($_ => $settings->{$_}) } qw(exclude severity cache)),
        (map { ($_ => $option->{$_}) } grep { defined $option->{$_} } qw(confidence baseline trace jobs)),
        (defined $option->{diff} ? (diff => $option->{diff} eq '-' ? \_standard_input() : $option->{diff})
            : ()),
        progress => -t STDERR ? \&_progress : undef,
    );
    my $diff = $option->{fix} || $option->{'dry-run'} ? _fix($report, $option) : undef;
    my $colour = -t STDOUT && !length($ENV{NO_COLOR} // '') && ($ENV{TERM} // '') ne 'dumb';
    my $text = defined $diff ? $diff : format_report($report, $option->{format}, colour => $colour);
    utf8::encode($text) unless defined $diff;
    binmode STDOUT;
    { local $| = 1; print $text or die "the output cannot be written: $!\n" }
    return @{$report->{findings}} ? 1 : @{$report->{errors}} ? 2 : 0;
}

# How the folder of a file is called from here, and the other way round; empty if it is this one.
sub _relation {
    my ($file) = @_;
    require Cwd;
    require File::Basename;
    require File::Spec;
    my ($here, $base) = (Cwd::getcwd(), Cwd::realpath(File::Basename::dirname($file)) // Cwd::getcwd());
    return map { $_ eq '.' ? '' : $_ } File::Spec->abs2rel($base, $here), File::Spec->abs2rel($here, $base);
}

sub _standard_input { local $/; binmode STDIN; return scalar(<STDIN>) // '' }

# A bar on the terminal, drawn anew at each percent and taken away at the end.
sub _progress {
    my ($done, $total) = @_;
    state $shown = -1;
    my $percent = $total ? int 100 * $done / $total : 100;
    return if $percent == $shown && $done < $total;
    $shown = $percent;
    local $| = 1;
    my $bar = '#' x int($percent / 2.5);
    print STDERR $done < $total ? sprintf("\r[%-40s] %d of %d files", $bar, $done, $total)
        : "\r" . ' ' x 70 . "\r";
    $shown = -1 if $done >= $total;
    return;
}

# Fix what the report has, or show it. What is fixed leaves the report; notes go to STDERR.
# RETURNS: the diff (bytes), to be printed instead of the report, or undef.
sub _fix {
    my ($report, $option) = @_;
    my %lines;
    $lines{$_->{file}}{$_->{line}} = 1 for grep { $_->{fixable} } @{$report->{findings}};
    my ($diff, %fixed) = ('');
    for my $file (sort keys %lines) {
        next if $file eq '-';
        my $result = fix_file($file, lines => $lines{$file}, lib => $option->{lib},
            known => $report->{exports});
        print STDERR "$file: $_\n" for @{$result->{notes}};
        next if $result->{before} eq $result->{after};
        if ($option->{'dry-run'}) { $diff .= unified_diff($file, @$result{qw(before after)}) }
        else {
            _replace($file, $result->{after});
            $fixed{$file} = $lines{$file};
            print STDERR "$file: $result->{changes} fixed\n";
        }
    }
    return $option->{format} eq 'text' ? $diff : undef if $option->{'dry-run'};
    return undef unless %fixed;
    # The same places no longer write both ways, and the lines that are shown have changed.
    my $again = Permafrost::Audit::audit(%{$report->{option}}, progress => undef);
    @$report{keys %$again} = values %$again;
    return undef;
}

# Put new text into a file that keeps its mode and its links.
sub _replace {
    my ($file, $bytes) = @_;
    open my $out, '+<:raw', $file or die "$file: $!\n";
    print {$out} $bytes or die "$file: $!\n";
    truncate $out, length $bytes or die "$file: $!\n";
    close $out or die "$file: $!\n";
    return;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::CommandLine - the command C<permafrost audit>

=head1 DESCRIPTION

Part of L<Permafrost::Audit>, whose manual describes the command. Nothing is public.

=cut
