package BenchPage;
# The results of bench/run as one HTML page that needs nothing else: tables, and plots by gnuplot
# as SVG within it.
use strict;
use warnings;
use BenchReport;
use BenchTargets;
use IPC::Open2 qw(open2);

my %COLOUR = (
    met => '#2e8b6f', missed => '#d1702f', plain => '#8fa8bd', ink => '#22313f', soft => '#c9d3dc',
    Storable => '#d1702f', Permafrost => '#2e6fb5', Sereal => '#8a5fb0', 'CBOR::XS' => '#2e8b6f',
    'JSON::XS' => '#b0892f', 'Data::MessagePack' => '#c2507f', Clone => '#5f6f7f', floor => '#8fa8bd',
);
my @SERIALIZERS = ('Storable', 'Sereal', 'CBOR::XS', 'JSON::XS', 'Data::MessagePack', 'Clone');
my %SAYS = (
    freeze => 'freeze', nfreeze => 'nfreeze', canonical => 'freeze, canonical', thaw => 'thaw of freeze',
    nthaw => 'thaw of nfreeze', dclone => 'dclone', nstore => 'nstore', retrieve => 'retrieve',
);

# ---- plots ---------------------------------------------------------------------------------

# RETURNS: what gnuplot draws for $script, as SVG for an HTML page.
sub _gnuplot {
    my ($width, $height, $script) = @_;
    my ($out, $in);
    my $pid = eval { open2($out, $in, 'gnuplot') } // die "no gnuplot here (dev/setup plot installs it)\n";
    binmode $_, ':raw' for $in, $out;
    print {$in} "set terminal svg size $width,$height dynamic noenhanced font 'Helvetica,Arial,sans-serif,13' linewidth 1 background 'white'\n",
        "set encoding utf8\nset border 0 lc rgb '$COLOUR{ink}'\nset tics nomirror scale 0 tc rgb '$COLOUR{ink}'\n",
        "set grid lc rgb '$COLOUR{soft}' lw 0.6 lt 1 back\n$script\n";
    close $in;
    my $svg = do { local $/; <$out> };
    waitpid $pid, 0;
    die "gnuplot failed\n" if $? || $svg !~ s/\A.*?(?=<svg)//s;
    # gnuplot says much that draws nothing.
    $svg =~ s{<title>.*?</title>|<desc>.*?</desc>|<path [^>]*d='M[0-9.,]+\s*'/>| color="black"| stroke-linecap="butt" stroke-linejoin="miter"}{}gs;
    $svg =~ s/(?<=>)\s+(?=<)//g;
    1 while $svg =~ s{<g\b[^<>]*></g>}{}g;
    return $svg;
}

# A data block for gnuplot. RETURNS: "\$name << EOD ... EOD".
sub _block {
    my ($name, @rows) = @_;
    return join "\n", "\$$name << EOD", map({ join ' ', @$_ } @rows), "EOD\n";
}

sub _quoted { my $text = shift; $text =~ tr/"\\//d; return qq{"$text"} }

# The axis on which each row has its name, from top to bottom.
sub _row_axis {
    my @names = @_;
    return 'set ytics (' . join(', ', map { _quoted($names[$_]) . " $_" } 0 .. $#names) . ")\n"
        . 'set yrange [' . ($#names + 0.6) . ":-0.6]\n";
}

# RETURNS: bars of the ratios of one operation, each with its target.
sub _ratio_bars {
    my ($op, @rows) = @_;
    my @bars = map { my $row = $rows[$_];
        my $label = sprintf '"%.*f"', $row->{ratio} < 10 ? 2 : 1, $row->{ratio};
        # The number stands behind the bar, and behind the mark if that is near.
        my $from = $row->{ratio} > 1 ? $row->{ratio} : 1;
        $from = $row->{target} if defined $row->{target} && $row->{target} > $from * 0.95 && $row->{target} < $from * 1.7;
        [$_, $row->{ratio}, $label, defined $row->{met} ? $row->{met} ? 1 : 2 : 0, $from] } 0 .. $#rows;
    my @marks = map { [$_, $rows[$_]{target}] } grep { defined $rows[$_]{target} } 0 .. $#rows;
    my ($least) = sort { $a <=> $b } 0.9, map { $_->{ratio} } @rows;
    my ($most)  = sort { $b <=> $a } 2, map { $_->{ratio}, $_->{target} // 0 } @rows;
    my $script = _block(bars => @bars) . _block(marks => @marks, ['NaN', 'NaN'])
        . _row_axis(map { $_->{workload} } @rows)
        . "set logscale x\nset xrange [" . $least * 0.8 . ':' . $most * 1.9 . "]\nset key off\n"
        . "set xtics (0.25, 0.5, 1, 2, 3, 5, 10, 20, 50, 100)\nset style fill solid noborder\n"
        . "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '$COLOUR{ink}' lw 1.2 front\n"
        . "plot " . join(', ',
            (map { my ($kind, $colour) = @$_;
                "\$bars using (\$4==$kind ? \$2 : NaN):1:(1):2:(\$1-0.34):(\$1+0.34) with boxxyerror lc rgb '$colour'" }
                [0, $COLOUR{plain}], [1, $COLOUR{met}], [2, $COLOUR{missed}]),
            "\$bars using (\$5*1.06):1:3 with labels left font ',12' tc rgb '$COLOUR{ink}'",
            "\$marks using 2:(\$1-0.42):(0):(0.84) with vectors nohead lc rgb '$COLOUR{ink}' lw 2.4");
    return _gnuplot(460, 70 + 24 * @rows, $script);
}

# RETURNS: how long each serializer takes, by what Permafrost takes; a dot each.
sub _other_dots {
    my @rows  = @_;
    my @names = grep { my $name = $_; grep { $_->{times}{$name} } @rows } @SERIALIZERS;
    my ($script, @plots) = ('');
    my ($least, $most) = (0.7, 2);
    for my $at (0 .. $#names) {
        my $name = $names[$at];
        my @dots;
        for my $n (grep { $rows[$_]{times}{$name} } 0 .. $#rows) {
            my $factor = $rows[$n]{times}{$name}{best} / $rows[$n]{times}{Permafrost}{best};
            ($least, $most) = ($factor < $least ? $factor : $least, $factor > $most ? $factor : $most);
            push @dots, [$factor, $n];
        }
        $script .= _block("d$at", @dots);
        push @plots, "\$d$at using 1:2 with points pt 7 ps 0.95 lc rgb '$COLOUR{$name}'";
    }
    $script .= _row_axis(map { $_->{workload} } @rows)
        . "set logscale x\nset xrange [" . $least * 0.85 . ':' . $most * 1.2 . "]\nset xtics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)\n"
        . "set key off\n"
        . "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '$COLOUR{Permafrost}' lw 2 front\n"
        . 'plot ' . join ', ', @plots;
    return _gnuplot(460, 60 + 22 * @rows, $script);
}

# RETURNS: nanoseconds per item over the size of an array, for both modules.
sub _growth_lines {
    my @rows = @_;
    my ($script, $most, @plots) = ('', 0);
    for my $row (@rows) {
        $script .= _block($row->{module}, @{ $row->{points} });
        $most = $_->[1] > $most ? $_->[1] : $most for @{ $row->{points} };
        push @plots, "\$$row->{module} using 1:2 with linespoints pt 7 ps 0.7 lw 2.4 lc rgb '$COLOUR{$row->{module}}'";
    }
    return _gnuplot(340, 230, $script
        . "set logscale x\nset format x '1e%T'\nset xrange [600:16000000]\nset yrange [0:" . $most * 1.15 . "]\n"
        . "set key off\nset ylabel 'ns per item' tc rgb '$COLOUR{ink}'\nplot " . join ', ', @plots);
}

# RETURNS: what Permafrost takes, in parts: making the result, freeing it, and the rest.
sub _floor_bars {
    my @rows = @_;
    my @bars;
    for my $at (0 .. $#rows) {
        my $row   = $rows[$at];
        my $floor = $row->{times}{floor}{best} / $row->{times}{Permafrost}{best} * 100;
        my ($make, $free) = @{ $row->{floor_split} || [1, 0] };
        my $made = $make + $free > 0 ? $floor * $make / ($make + $free) : $floor;
        push @bars, [$at, $made, $floor, 100, sprintf '"%.0f %%"', $floor];
    }
    my ($most) = sort { $b <=> $a } 115, map { $_->[2] } @bars;
    my $bar = sub { "\$bars using ($_[0]):1:($_[0]):($_[1]):(\$1-0.34):(\$1+0.34) with boxxyerror lc rgb '$_[2]'" };
    return _gnuplot(460, 60 + 22 * @rows, _block(bars => @bars) . _row_axis(map { $_->{workload} } @rows)
        . "set xrange [0:" . $most * 1.2 . "]\nset xtics 0,25,100 format '%g %%'\nset style fill solid noborder\nset key off\nplot "
        . join ', ', $bar->('0', '$2', $COLOUR{plain}), $bar->('$2', '$3', $COLOUR{soft}),
            $bar->('($3 < 100 ? $3 : 100)', '100', $COLOUR{Permafrost}),
            "\$bars using (\$3 > 100 ? \$3 + 3 : 103):1:5 with labels left font ',12' tc rgb '$COLOUR{ink}'");
}

# ---- tables --------------------------------------------------------------------------------

sub _escaped {
    my $text = shift;
    $text =~ s/&/&amp;/g;
    $text =~ s/</&lt;/g;
    return $text;
}

# RETURNS: a table; a cell is a text, or [text, class].
sub _table {
    my ($head, @rows) = @_;
    my $cell = sub {
        my ($text, $class) = ref $_[0] ? @{ $_[0] } : $_[0];
        $class //= 'text' if defined $text && $text =~ /\A[A-Za-z]/;
        return '<td' . ($class ? qq{ class="$class"} : '') . '>' . _escaped($text // '') . '</td>';
    };
    return '<div class="scroll"><table><thead><tr>' . join('', map { (/^(?:data|function|module|target)$/ ? '<th class="text">' : '<th>') . _escaped($_) . '</th>' } @$head) . '</tr></thead><tbody>'
        . join("\n", map { '<tr>' . join('', map { $cell->($_) } @$_) . '</tr>' } @rows) . '</tbody></table></div>';
}

# RETURNS: the two cells of a target.
sub _target {
    my ($target, $met) = @_;
    return ('', '') unless defined $met;
    return ($target // '', $met ? ['met', 'met'] : ['not met', 'missed']);
}

sub _us { return BenchReport::us($_[0]) }

sub _speed_table {
    my @rows = @_;
    return _table(['data', 'function', 'Storable µs', '(median)', 'Permafrost µs', '(median)', 'ratio', 'target', ''],
        map { my $row = $_; [$row->{workload}, $row->{op},
            map({ (_us($row->{times}{$_}{best}), _us($row->{times}{$_}{median})) } qw(Storable Permafrost)),
            [sprintf('%.2f', $row->{ratio}), 'strong'], _target($row->{target}, $row->{met})] } @rows);
}

sub _others_table {
    my @rows  = @_;
    my @names = (BenchCodecs->names, 'Clone');
    return _table(['data', 'function', 'Permafrost µs', @names, 'fastest by ours', ''],
        map { my $row = $_; my $others = $row->{others}; [$row->{workload}, $row->{op}, _us($row->{times}{Permafrost}{best}),
            map({ $row->{times}{$_} ? _us($row->{times}{$_}{best}) : '–' } @names), [sprintf('%.2f', $others->{ratio}), 'strong'],
            defined $others->{met} ? $others->{met} ? ['not slower', 'met'] : ['slower', 'missed'] : ''] } @rows);
}

sub _small_tables {
    my $results = shift;
    my @parts;
    push @parts, '<h3>Hooks: datetime</h3>', _table(
        ['function', 'hooks by hand µs', 'Permafrost µs', 'Storable µs', 'ratio', 'beyond µs', 'factor', 'target', ''],
        map { my $row = $_; [$row->{op}, map({ _us($row->{times}{$_}{best}) } qw(by_hand Permafrost Storable)), sprintf('%.2f', $row->{ratio}),
            sprintf('%.2f', $row->{extra}), sprintf('%.2f', $row->{times}{Permafrost}{best} / $row->{times}{by_hand}{best}),
            _target($row->{op} eq 'nthaw' ? "factor ≤ $row->{factor_target}" : "beyond ≤ $row->{extra_target}, ratio ≥ $row->{target}", $row->{met})] }
            @{ $results->{hooks} }) if @{ $results->{hooks} || [] };
    push @parts, '<h3>csrc alone: checking an image, nothing built</h3>', _table(['data', 'items', 'check µs', 'Storable thaw µs', 'ratio', 'target', ''],
        map { my $row = $_; [$row->{workload}, $row->{items}, map({ _us($row->{times}{$_}{best}) } qw(core Storable)),
            [sprintf('%.2f', $row->{ratio}), 'strong'], _target($row->{target}, $row->{met})] } @{ $results->{core} }) if @{ $results->{core} || [] };
    push @parts, "<h3>Memory at its peak: $results->{memory}[0]{items} integers</h3>", _table(
        ['function', 'module', 'growth MB', 'image or result MB', 'excess', 'target', ''],
        map { [@$_{qw(op module)}, map({ sprintf '%.1f', $_ / 1e6 } @$_{qw(growth_bytes against_bytes)}), [sprintf('%.1f %%', $_->{excess} * 100), 'strong'],
            _target(defined $_->{target} ? '≤ ' . $_->{target} * 100 . ' %' : undef, $_->{met})] } @{ $results->{memory} }) if @{ $results->{memory} || [] };
    return @parts;
}

# ---- the page --------------------------------------------------------------------------------

sub _tile {
    my ($title, $value, $note, $class) = @_;
    return qq{<div class="tile $class"><div class="name">} . _escaped($title) . qq{</div><div class="value">$value</div><div class="note">$note</div></div>};
}

sub _tiles {
    my $results = shift;
    my @tiles;
    for my $mean (@{ $results->{means} || [] }) {
        my $ratio = $mean->{ratio} // $mean->{all};
        push @tiles, _tile($SAYS{ $mean->{op} }, sprintf('%.1f ×', $ratio),
            defined $mean->{target} ? "target $mean->{target}" : "$mean->{workloads} workloads",
            defined $mean->{met} ? $mean->{met} ? 'good' : 'bad' : '');
    }
    return '<div class="tiles">' . join('', @tiles) . '</div>';
}

# RETURNS: "<figure>" with a caption.
sub _figure { return qq{<figure><figcaption>} . _escaped($_[0]) . "</figcaption>$_[1]</figure>" }

sub _machine_table {
    my $results = shift;
    my $machine = $results->{machine};
    my @rows = map { [$_, $machine->{$_}] } grep { defined $machine->{$_} } qw(date revision cpu cpus memory_mb system perl compiler libc flags);
    push @rows, ['modules', join ', ', map { "$_ $machine->{modules}{$_}" } sort keys %{ $machine->{modules} }];
    push @rows, ['load', "$results->{load}[0] before, $results->{load}[1] after"] if defined $results->{load}[0];
    return _table(['', ''], @rows);
}

my $STYLE = <<'CSS';
body{font:15px/1.5 Helvetica,Arial,sans-serif;color:#22313f;background:#f4f6f8;margin:0}
main{max-width:1440px;margin:0 auto;padding:24px}
h1{margin:0 0 4px;font-size:28px}h2{margin:40px 0 4px;font-size:21px}h3{margin:24px 0 8px;font-size:16px}
p{margin:4px 0 12px;max-width:75em}.soft{color:#5f6f7f}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0}
.tile{background:#fff;border-left:6px solid #8fa8bd;padding:10px 16px;min-width:120px}
.tile .name{font-size:13px;color:#5f6f7f}.tile .value{font-size:28px;font-weight:bold}.tile .note{font-size:12px;color:#5f6f7f}
.tile.good{border-color:#2e8b6f}.tile.bad{border-color:#d1702f}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(430px,1fr));gap:14px}
.plots.small{grid-template-columns:repeat(auto-fill,minmax(320px,1fr))}
figure{margin:0;background:#fff;padding:12px 12px 4px}figcaption{font-weight:bold;margin-bottom:2px}
figure svg{width:100%;height:auto}
.scroll{overflow-x:auto}table{border-collapse:collapse;background:#fff;font-size:14px}
th,td{padding:3px 10px;text-align:right;border-bottom:1px solid #e3e8ec;white-space:nowrap;font-variant-numeric:tabular-nums}
th{font-weight:bold;background:#e9eef2}td.text,th.text{text-align:left}
td.strong{font-weight:bold}td.met{color:#2e8b6f;text-align:left}td.missed{color:#c2571a;font-weight:bold;text-align:left}
.machine td{white-space:normal}p.key{max-width:none}.key span{display:inline-block;width:12px;height:12px;margin:0 4px 0 14px;vertical-align:-1px}.key span:first-child{margin-left:0}
details summary{cursor:pointer;font-weight:bold;margin:12px 0}
CSS

# RETURNS: what the colours mean, for [text, colour]..., and more text behind them.
sub _legend {
    my ($text, @keys) = @_;
    return '<p class="key">' . join('', map { qq{<span style="background:$_->[1]"></span>} . _escaped($_->[0]) } @keys) . " &nbsp; $text</p>";
}

# RETURNS: the page, as bytes. Dies if there is no gnuplot.
sub make {
    my ($class, $results) = @_;
    my @speed = grep { $_->{op} !~ / / } @{ $results->{speed} || [] };
    my @huge  = @{ $results->{huge} || [] };
    my ($met, $all) = BenchTargets->count_met($results);
    my $load = $results->{load}[0];
    my $busy = defined $load && $load > 0.5 * ($results->{machine}{cpus} || 1)
        ? " The machine was busy with other work (load $load)." : '';
    my @body = (
        '<h1>Permafrost beside Storable</h1>',
        qq{<p class="soft">}, _escaped("$results->{machine}{date}, $results->{machine}{cpu}, perl $results->{machine}{perl}.$busy"), '</p>',
        _tiles($results),
        $all ? "<p><b>$met of $all targets met.</b> The tiles show how many times faster than Storable, as geometric mean.</p>" : '',
    );
    if (@speed || @huge) {
        push @body, '<h2>How many times faster than Storable</h2>', _legend('The black mark is the target. Longer is faster; the line is Storable.',
            ['target met', $COLOUR{met}], ['not met', $COLOUR{missed}], ['no target', $COLOUR{plain}]), '<div class="plots">';
        for my $op (qw(freeze nfreeze canonical thaw nthaw dclone nstore retrieve)) {
            my @rows = grep { $_->{op} eq $op } @speed, @huge or next;
            push @body, _figure($SAYS{$op}, _ratio_bars($op, @rows));
        }
        push @body, '</div>';
    }
    my @others = grep { $_->{others} } @speed;
    if (@others) {
        push @body, '<h2>The other serializers</h2>',
            _legend('Their time by Permafrost\'s time. The line is Permafrost: what is right of it, is slower.', map { [$_, $COLOUR{$_}] } @SERIALIZERS), '<div class="plots">';
        for my $op (qw(freeze nfreeze thaw nthaw dclone)) {
            my @rows = grep { $_->{op} eq $op } @others or next;
            push @body, _figure($SAYS{$op}, _other_dots(@rows));
        }
        push @body, '</div>';
    }
    my @floor = grep { $_->{times}{floor} } @speed;
    if (@floor) {
        push @body, '<h2>The floor</h2><p>What part of the time perl itself takes to make and to free the result, measured by a loop '
            . 'in C that does nothing else with perl\'s own functions; of freeze, what going through the data and copying their bytes takes.</p>',
            _legend('', ['making, or going through', $COLOUR{plain}], ['freeing', $COLOUR{soft}], ['the rest: Permafrost', $COLOUR{Permafrost}]), '<div class="plots">';
        push @body, map { my $op = $_; my @rows = grep { $_->{op} eq $op } @floor; @rows ? _figure($SAYS{$op}, _floor_bars(@rows)) : () } qw(freeze thaw nthaw dclone);
        push @body, '</div>';
    }
    if (@{ $results->{growth} || [] }) {
        push @body, '<h2>Growth</h2><p>Nanoseconds per item of an array of integers, over the number of items.</p>',
            _legend('', map { [$_, $COLOUR{$_}] } qw(Storable Permafrost floor)), '<div class="plots small">';
        for my $op (qw(freeze nfreeze thaw dclone)) {
            my @rows = grep { $_->{op} eq $op } @{ $results->{growth} } or next;
            my ($ours) = grep { $_->{module} eq 'Permafrost' } @rows;
            push @body, _figure(sprintf('%s: factor %.2f, target %s, %s', $op, $ours->{factor}, $ours->{target}, $ours->{met} ? 'met' : 'not met'), _growth_lines(@rows));
        }
        push @body, '</div>';
    }
    push @body, '<h2>Figures</h2>', _small_tables($results);
    push @body, '<h3>Storable and Permafrost</h3>', _speed_table(@{ $results->{speed} || [] }, @huge) if @speed || @huge;
    push @body, '<h3>The other serializers</h3>', _others_table(@others) if @others;
    push @body, '<h2>The machine</h2><div class="machine">', _machine_table($results), '</div>',
        '<p class="soft">Best of several samples, all modules in one process, in turn. How: bench/run --help.</p>';
    my $page = qq{<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Permafrost beside Storable</title>}
        . qq{<meta name="viewport" content="width=device-width"><style>\n$STYLE</style></head><body><main>\n} . join("\n", @body) . "\n</main></body></html>\n";
    return $page;
}

1;
