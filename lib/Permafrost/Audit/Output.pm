package Permafrost::Audit::Output;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost ();
use Permafrost::Audit::Catalog qw(rule rule_ids);
use Permafrost::Audit::Files qw(readable_name);

our @EXPORT_OK = qw(format_report formats);

my %FORMAT = (text => \&_text, json => \&_json, sarif => \&_sarif, github => \&_github,
    checkstyle => \&_checkstyle);
my %COLOUR = (error => "\e[1;31m", warning => "\e[1;33m", note => "\e[1;36m", caret => "\e[1;32m",
    file => "\e[1m", off => "\e[0m");
# What a reader of JSON gets of a finding, in this order in the manual.
my @PUBLIC = qw(id confidence severity file line column sub message suggestion function source fingerprint related runtime);

sub formats { return sort keys %FORMAT }

# The report as text (characters) in one of the formats. COLOUR: whether escape sequences may be in it.
sub format_report {
    my ($report, $format, %option) = @_;
    $report = {%$report, findings => [map { _readable($_) } @{$report->{findings}}],
        errors => [map { _readable($_) } @{$report->{errors}}]};
    return $FORMAT{$format}->($report, %option);
}

# A copy with names of files as characters.
sub _readable {
    my ($finding) = @_;
    my %copy = (%$finding, file => readable_name($finding->{file}));
    $copy{related} = [map { {%$_, file => readable_name($_->{file})} } @{$finding->{related}}]
        if $finding->{related};
    return \%copy;
}

# ---- for people -------------------------------------------------------------------------------------

sub _text {
    my ($report, %option) = @_;
    my $colour = sub { my ($name, $text) = @_;
        return $option{colour} ? "$COLOUR{$name}$text$COLOUR{off}" : $text };
    my $text = '';
    for my $finding (@{$report->{findings}}) {
        my $place = join ':', $finding->{file}, grep { defined } @$finding{qw(line column)};
        $text .= $colour->(file => "$place:") . ' '
            . $colour->($finding->{severity} => "$finding->{severity}:")
            . " $finding->{message} [$finding->{id}, $finding->{confidence}]\n";
        $text .= _excerpt($finding, $colour) if defined $finding->{source} && length $finding->{source};
        $text .= "    $finding->{suggestion}\n" if defined $finding->{suggestion};
        $text .= '    ' . _runtime_words($finding->{runtime}) . "\n" if $finding->{runtime};
    }
    $text .= _trace_text($report->{trace}, $colour) if $report->{trace};
    $text .= $colour->(warning => "$_->{file}:") . " $_->{message}\n" for @{$report->{errors}};
    return $text . _summary($report);
}

# The source line, and a caret under what it is about.
sub _excerpt {
    my ($finding, $colour) = @_;
    my $line = $finding->{source};
    my $column = ($finding->{column} || 1) - 1;
    if (length $line > 200) {    # minified, or the like
        my $from = $column > 60 ? $column - 60 : 0;
        $line = substr $line, $from, 160;
        $column -= $from;
    }
    my $indent = substr($line, 0, $column) =~ s/[^\t]/ /gr;
    my $length = $finding->{length} || 1;
    $length = length($line) - $column if $column + $length > length $line;
    my $mark = '^' . '~' x ($length > 1 ? $length - 1 : 0);
    return "    $line\n    $indent" . $colour->(caret => $mark) . "\n";
}

sub _runtime_words {
    my ($runtime) = @_;
    return 'never seen at run time' if $runtime->{status} ne 'confirmed';
    my $text = "seen at run time: $runtime->{count} " . _plural($runtime->{count}, 'call');
    $text .= ", $runtime->{bytes} bytes" if $runtime->{bytes};
    $text .= ', of ' . _classes($runtime->{classes}) if %{$runtime->{classes}};
    return $text . ($runtime->{failed} ? "; $runtime->{failed} failed" : '');
}

sub _classes {
    my ($classes) = @_;
    return join ', ', map { ($_ eq '' ? 'no reference' : $_)
        . ($classes->{$_} > 1 ? " ($classes->{$_})" : '') }
        sort { $classes->{$b} <=> $classes->{$a} || $a cmp $b } keys %$classes;
}

sub _trace_text {
    my ($trace, $colour) = @_;
    my $text = sprintf "\nAt run time: %d confirmed, %d never seen, %d not found statically\n",
        @$trace{qw(confirmed never_seen)}, scalar @{$trace->{not_found}};
    for my $site (@{$trace->{not_found}}) {
        $text .= $colour->(file => "$site->{file}:$site->{line}:") . " $site->{function}, "
            . _runtime_words({%$site, status => 'confirmed'}) =~ s/\Aseen at run time: //r . "\n";
    }
    return $text;
}

sub _plural { return $_[0] == 1 ? $_[1] : "$_[1]s" }

sub _summary {
    my ($report) = @_;
    my $count = @{$report->{findings}};
    my %by;
    $by{$_->{severity}}++ for @{$report->{findings}};
    my %files = map { ($_->{file} => 1) } @{$report->{findings}};
    my $text = $count ? "\n$count " . _plural($count, 'finding') . ' ('
        . join(', ', map { "$by{$_} " . _plural($by{$_}, $_) } grep { $by{$_} } qw(error warning note))
        . ') in '
        . keys(%files) . ' of ' : 'no findings in ';
    $text .= "$report->{files} " . _plural($report->{files}, 'file');
    $text .= "; $report->{suppressed} suppressed" if $report->{suppressed};
    $text .= "; $report->{known} in the baseline" if $report->{known};
    return "$text\n";
}

# ---- for programs --------------------------------------------------------------------------------------

sub _encoder { require JSON::PP; return JSON::PP->new->canonical->pretty->indent_length(2) }

sub _json {
    my ($report) = @_;
    my @findings = map {
        my $finding = $_;
        +{ map { ($_ => $finding->{$_}) } grep { exists $finding->{$_}
            || /\A(?:sub|line|column|suggestion)\z/ } @PUBLIC };
    } @{$report->{findings}};
    for (@findings) { $_ += 0 for grep { defined } @$_{qw(line column)} }
    return _encoder()->encode({
        tool => 'permafrost audit', version => $Permafrost::VERSION, findings => \@findings, errors => $report->{errors},
        files => $report->{files} + 0, suppressed => $report->{suppressed} + 0, known => $report->{known} + 0,
        ($report->{trace} ? (trace => $report->{trace}) : ()),
    });
}

my %LEVEL = (error => 'error', warning => 'warning', note => 'note');

sub _sarif {
    my ($report) = @_;
    my $encoder = _encoder();
    my @ids = rule_ids();
    my %index = map { ($ids[$_] => $_) } 0 .. $#ids;
    my @rules = map { {
        id => $_, name => join('', map { ucfirst } split /-/, $_),
        shortDescription => {text => rule($_)->{title} . '.'}, fullDescription => {text => rule($_)->{help}},
        help => {text => rule($_)->{help} . " See `perldoc Permafrost::Audit`."},
        defaultConfiguration => {level => $LEVEL{rule($_)->{severity}}},
    } } @ids;
    my $run = {
        tool => {driver => {name => 'permafrost audit', version => $Permafrost::VERSION, rules => \@rules}},
        columnKind => 'unicodeCodePoints',
            results => [map { _sarif_result($_, \%index) } @{$report->{findings}}],
        invocations => [{executionSuccessful => JSON::PP::true(), toolExecutionNotifications => [map { {
            level => 'warning', message => {text => $_->{message}},
            locations => [{physicalLocation => {artifactLocation => {uri => _uri($_->{file})}}}],
        } } @{$report->{errors}}]}],
    };
    return $encoder->encode({'$schema' => 'https://json.schemastore.org/sarif-2.1.0.json', version => '2.1.0',
        runs => [$run]});
}

sub _sarif_result {
    my ($finding, $index) = @_;
    my $text = $finding->{message}
        . (defined $finding->{suggestion} ? ". Suggestion: $finding->{suggestion}" : '') . '.';
    my @logical = defined $finding->{sub}
        ? (logicalLocations => [{fullyQualifiedName => $finding->{sub}, kind => 'function'}]) : ();
    my $result = {
        ruleId => $finding->{id}, ruleIndex => $index->{$finding->{id}},
            level => $LEVEL{$finding->{severity}},
        message => {text => $text},
            rank => {possible => 30, likely => 70, certain => 100}->{$finding->{confidence}} + 0.0,
        locations => [{physicalLocation => _physical($finding), @logical}],
        partialFingerprints => {'permafrost/v1' => $finding->{fingerprint}},
        properties => {confidence => $finding->{confidence},
            ($finding->{runtime} ? (runtime => $finding->{runtime}) : ())},
    };
    my $n = 0;
    $result->{relatedLocations} = [map { {id => ++$n, message => {text => $_->{message}},
        physicalLocation => _physical($_)} } @{$finding->{related}}] if $finding->{related};
    return $result;
}

sub _physical {
    my ($at) = @_;
    my %region;
    if (defined $at->{line}) {
        $region{startLine} = $at->{line} + 0;
        $region{startColumn} = $at->{column} + 0 if $at->{column};
        $region{endColumn} = $at->{column} + $at->{length} if $at->{column} && $at->{length};
        $region{snippet} = {text => $at->{source}} if defined $at->{source};
    }
    return {artifactLocation => {uri => _uri($at->{file})}, (%region ? (region => \%region) : ())};
}

# A file name as a relative URI, or as a file URI.
sub _uri {
    my ($file) = @_;
    my $bytes = $file;
    utf8::encode($bytes);
    $bytes =~ s{([^A-Za-z0-9._~/+,=@-])}{sprintf '%%%02X', ord $1}ge;
    return $bytes =~ m{\A/} ? "file://$bytes" : $bytes;
}

sub _github {
    my ($report) = @_;
    my %level = (error => 'error', warning => 'warning', note => 'notice');
    my $property = sub { $_[0] =~ s/([%\r\n:,])/sprintf '%%%02X', ord $1/ger };
    my $data = sub { $_[0] =~ s/([%\r\n])/sprintf '%%%02X', ord $1/ger };
    my $text = '';
    for my $finding (@{$report->{findings}}) {
        my @properties = ('file=' . $property->($finding->{file}));
        push @properties, "line=$finding->{line}" if defined $finding->{line};
        push @properties, "col=$finding->{column}", 'endColumn='
            . ($finding->{column} + ($finding->{length} || 1)) if $finding->{column};
        push @properties, 'title=' . $property->("$finding->{id} ($finding->{confidence})");
        my $message = $finding->{message}
            . (defined $finding->{suggestion} ? "\n$finding->{suggestion}" : '');
        $text .= "::$level{$finding->{severity}} " . join(',', @properties) . '::' . $data->($message) . "\n";
    }
    $text .= '::warning file=' . $property->($_->{file}) . '::' . $data->($_->{message}) . "\n"
        for @{$report->{errors}};
    return $text;
}

sub _checkstyle {
    my ($report) = @_;
    my %level = (error => 'error', warning => 'warning', note => 'info');
    my (%by_file, @order);
    for my $finding (@{$report->{findings}},
        map { {%$_, severity => 'error', id => 'cannot-read'} } @{$report->{errors}}) {
        push @order, $finding->{file} unless $by_file{$finding->{file}};
        push @{$by_file{$finding->{file}}}, $finding;
    }
    my $text = qq(<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n);
    for my $file (@order) {
        $text .= '  <file name="' . _xml($file) . qq(">\n);
        for my $finding (@{$by_file{$file}}) {
            my $message = $finding->{message}
                . (defined $finding->{suggestion} ? ". Suggestion: $finding->{suggestion}" : '');
            my $where = join '', map { defined $finding->{$_} ? qq( $_="$finding->{$_}")
                : '' } qw(line column);
            $text .= qq(    <error$where severity="$level{$finding->{severity}}" message=") . _xml($message)
                . qq(" source="permafrost.$finding->{id}"/>\n);
        }
        $text .= "  </file>\n";
    }
    return "$text</checkstyle>\n";
}

sub _xml {
    my ($text) = @_;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "\n" => '&#10;',
        "\t" => '&#9;');
    $text =~ s/([&<>"\n\t])/$entity{$1}/g;
    $text =~ s/[^\t\n\r\x20-\x{D7FF}\x{E000}-\x{FFFD}\x{10000}-\x{10FFFF}]/?/g;
    return $text;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Output - a report as text, JSON, SARIF, GitHub annotations or checkstyle XML

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
