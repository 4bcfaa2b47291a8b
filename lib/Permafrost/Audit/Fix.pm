package Permafrost::Audit::Fix;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use File::Spec ();
use Permafrost::Audit::Files qw(read_file);
use Permafrost::Audit::Functions qw(is_storable);
use Permafrost::Audit::Rules qw(examine);
use Permafrost::Audit::Source ();
use Permafrost::Audit::Token qw(:all);

our @EXPORT_OK = qw(fix_file unified_diff);

# Rewrite what is certain in a file. LINES: only findings on these lines (a hash; undef: all).
# RETURNS: a hash: changes (number), before and after (bytes), notes (list). Nothing is written.
sub fix_file {
    my ($file, %option) = @_;
    my $bytes = read_file($file);
    my $result = {before => $bytes, after => $bytes, changes => 0, notes => []};
    return _note($result, 'is UTF-16, which is left alone') if $bytes =~ /\A(?:\xFE\xFF|\xFF\xFE)/;
    my $source = Permafrost::Audit::Source->parse($bytes, name => $file);
    my $found = examine($source, known => $option{known});
    my @fixable = grep { $_->{fixable} && (!$option{lines} || $option{lines}{$_->{line}}) }
        @{$found->{findings}};
    return $result unless @fixable;
    my $edits = _edits($source, \@fixable, $found->{names});
    $result->{after} = _apply($bytes, $edits);
    $result->{changes} = @fixable;
    for my $finding (grep { $_->{floats} } @fixable) {
        push @{$result->{notes}},
            "line $finding->{line}: the data hold floats ($finding->{floats}); $finding->{fixable}{to} keeps 15 digits of each. Where that matters: Permafrost->new(exact_numbers => 1)";
    }
    return $result if $result->{before} eq $result->{after};
    my @perl = map { "-I$_" } @{$option{lib} || []}, _lib_of($file);
    my $broken = _check($file, $bytes, @perl);
    if (defined $broken && $broken =~ /\ACan't locate \S+\.pm in \@INC/) {
        push @perl, '-I' . _own_lib(), '-MPermafrost::Audit::Absent';
        $broken = _check($file, $bytes, @perl);
    }
    return _undo($result, "perl -c fails before any change: $broken") if defined $broken;
    $broken = _check($file, $result->{after}, @perl);
    return _undo($result, "perl -c would fail afterwards: $broken") if defined $broken;
    return $result;
}

sub _note { my ($result, $note) = @_; push @{$result->{notes}}, $note; return $result }

sub _undo {
    my ($result, $why) = @_;
    @$result{qw(after changes notes)} = ($result->{before}, 0, ["not fixed: $why"]);
    return $result;
}

# ---- what to write where ----------------------------------------------------------------------------

# Edits: a list of [line, column, old text, new text].
sub _edits {
    my ($source, $findings, $names) = @_;
    my $t = $source->{tokens};
    my %at = map { ("$t->[$_][LINE]:$t->[$_][COL]" => $_) } 0 .. $#$t;
    my (@edits, %imports);
    for my $finding (@$findings) {
        my $i = $at{"$finding->{line}:$finding->{column}"};
        my ($from, $to, $via) = @{$finding->{fixable}}{qw(from to via)};
        my $token = $t->[$i];
        my $simple = _is_qualified($token) || $token->[TYPE] eq 'str';
        if (!$simple && _can_edit_import($source, $via)) { push @{$imports{$via}{$from}}, $i; $simple = 1 }
        push @edits, _rename($token, $from, $simple ? $to : _module_of($source, $via) . "::$to");
    }
    push @edits, map { _import_edits($source, $_, $imports{$_}) } keys %imports;
    return \@edits;
}

sub _is_qualified { return $_[0][TEXT] =~ /::|\w'\w/ && $_[0][TYPE] ne 'str' }

sub _rename {
    my ($token, $from, $to) = @_;
    my $text = $token->[TEXT];
    my $new = $token->[TYPE] eq 'str' ? $text =~ s/\Q$from\E(?=\W*\z)/$to/r : $text =~ s/\Q$from\E\z/$to/r;
    return [$token->[LINE], $token->[COL], $text, $new];
}

# The module whose functions an import brings.
sub _module_of {
    my ($source, $via) = @_;
    my $word = defined $via ? $source->{tokens}[$via + 1] : undef;
    return $word && $word->[TYPE] eq 'word' && is_storable(normal_name($word->[TEXT]))
        ? normal_name($word->[TEXT]) : 'Storable';
}

# Is the import at token VIA a `use Storable` with no list, or a list of plain words?
sub _can_edit_import {
    my ($source, $via) = @_;
    my $t = $source->{tokens};
    return 0 unless defined $via && $t->[$via][TEXT] eq 'use' && $t->[$via][TYPE] eq 'word'
        && is_storable(normal_name($t->[$via + 1][TEXT]));
    my $end = $source->list_end($via + 2);
    for my $at ($via + 2 .. $end) {
        my ($type, $text) = @{$t->[$at]}[TYPE, TEXT];
        return 0 unless $type eq 'qw' || $type eq 'num' || $text =~ /\A[(),]\z/ || $type eq 'str'
            && !$t->[$at][INTERPOLATES];
        my @names = $type eq 'qw' ? words_of($text) : $type eq 'str' ? $t->[$at][VALUE] : ();
        return 0 if grep { !/\A\w+\z/ } @names;
    }
    return 1;
}

# The edits to one import, for names that have been renamed at the tokens of each.
sub _import_edits {
    my ($source, $via, $renamed) = @_;
    my $t = $source->{tokens};
    my @list = grep { $t->[$_][TYPE] =~ /\A(?:qw|str)\z/ } $via + 2 .. $source->list_end($via + 2);
    my %has = map { ($_ => 1) } map { $t->[$_][TYPE] eq 'qw' ? words_of($t->[$_][TEXT]) : $t->[$_][VALUE] }
        @list;
    my %change;
    for my $from (keys %$renamed) {
        my $to = Permafrost::Audit::Functions::network_name($from);
        my $keep = _is_used_elsewhere($source, $via, $from, $renamed->{$from});
        $change{$from} = {to => $has{$to} ? undef : $to, keep => $keep};
    }
    return _default_import($source, $via, \%change) unless @list;
    return map { _list_edit($t->[$_], \%change) } @list;
}

# use Storable; becomes use Storable qw(nstore retrieve);
sub _default_import {
    my ($source, $via, $change) = @_;
    my $t = $source->{tokens};
    my $last = $source->list_end($via + 2);
    my @names = map { my $c = $change->{$_};
        $c ? (($c->{keep} ? $_ : ()), $c->{to}) : $_ } qw(store retrieve);
    my $token = $t->[$last];
    return [$token->[LINE], $token->[COL], $token->[TEXT], "$token->[TEXT] qw(@names)"];
}

sub _list_edit {
    my ($token, $change) = @_;
    my $text = $token->[TEXT];
    for my $from (keys %$change) {
        my ($to, $keep) = @{$change->{$from}}{qw(to keep)};
        if ($token->[TYPE] eq 'qw') {
            my $new = join ' ', ($keep ? $from : ()), (defined $to ? $to : ());
            if (length $new) { $text =~ s/(?<=\W)\Q$from\E(?=\W)/$new/ }
            else             { $text =~ s/\s+\Q$from\E(?=\W)|(?<=\W)\Q$from\E\s+|(?<=\W)\Q$from\E(?=\W)// }
        }
        elsif ($token->[VALUE] eq $from) {
            my $both = defined $to && $keep;
            $text = $both ? "$text, " . $text =~ s/\Q$from\E/$to/r : defined $to ? $text =~ s/\Q$from\E/$to/r
                : $text;
        }
    }
    return $text eq $token->[TEXT] ? () : [$token->[LINE], $token->[COL], $token->[TEXT], $text];
}

# Does anything but the renamed tokens need the imported name?
sub _is_used_elsewhere {
    my ($source, $via, $name, $renamed) = @_;
    my $t = $source->{tokens};
    my %done = map { ($_ => 1) } @$renamed;
    my $package = $t->[$via][PACKAGE];
    my $end = $source->list_end($via + 2);
    for my $i (0 .. $#$t) {
        next if $done{$i} || $i >= $via && $i <= $end;
        my ($type, $text) = @{$t->[$i]}[TYPE, TEXT];
        next unless index($text, $name) >= 0;
        if ($type eq 'word' && $text =~ /\A(?:\Q$package\E::)?\Q$name\E\z/) {
            next if $t->[$i][PACKAGE] ne $package && $text !~ /::/
                || ($t->[$i + 1] || [0, ''])->[TEXT] eq '=>' || $i && $t->[$i - 1][TEXT] eq 'sub';
            next if $i && $t->[$i - 1][TEXT] eq '{' && ($t->[$i + 1] || [0, ''])->[TEXT] eq '}';
            return 1;
        }
        return 1 if $type eq 'sym' && $text =~ /\A[&*](?:\Q$package\E::)?\Q$name\E\z/;
        return 1 if $type eq 'qw' && grep { $_ eq $name || $_ eq "&$name" } words_of($text);
        return 1 if $type eq 'str' && $t->[$i][VALUE] =~ /(?<!\w)\Q$name\E(?!\w)/;
    }
    return 0;
}

# ---- the bytes ---------------------------------------------------------------------------------------------

# Apply edits to the bytes of a file; everything else, line ends included, stays.
sub _apply {
    my ($bytes, $edits) = @_;
    my $bom = $bytes =~ s/\A(\xEF\xBB\xBF)// ? $1 : '';
    my $utf8 = $bytes =~ /[^\x00-\x7F]/ && utf8::decode($bytes);
    my @pieces = split /(\x0D{1,2}\x0A|\x0D|\x0A)/, $bytes, -1;    # lines at even places, their ends at odd ones
    for my $edit (sort { $b->[0] <=> $a->[0] || $b->[1] <=> $a->[1] } @$edits) {
        my ($line, $column, $old, $new) = @$edit;
        next if $old eq $new;
        my @old = split /\n/, $old, -1;
        my @new = split /\n/, $new, -1;
        die "an edit changes the number of lines\n" if @old != @new;
        for my $n (reverse 0 .. $#old) {
            my $where = $n ? 0 : $column - 1;
            my $at = ($line - 1 + $n) * 2;
            die "line $line is not what was parsed\n"
                if substr($pieces[$at], $where, length $old[$n]) ne $old[$n];
            substr $pieces[$at], $where, length $old[$n], $new[$n];
        }
    }
    my $out = join '', @pieces;
    utf8::encode($out) if $utf8;
    return $bom . $out;
}

# perl -c, with switches, on these bytes, as if they were in the file: undef if fine, else what
# perl said.
sub _check {
    my ($file, $bytes, @perl) = @_;
    require File::Basename;
    my ($name, $dir) = File::Basename::fileparse($file);
    my $copy = File::Spec->catfile($dir, ".permafrost-$$-$name");
    open my $out, '>:raw', $copy or return "no copy can be written to $dir: $!";
    print {$out} $bytes;
    close $out or return "no copy can be written to $dir: $!";
    my @taint = $bytes =~ /\A#![^\n]*\bperl\b[^\n]*?\s-\w*([tT])/ ? "-$1" : ();
    my $said = _run($^X, @taint, @perl, '-c', $copy);
    unlink $copy;
    return undef if $? == 0;
    $said =~ s/\Q$copy\E/$file/g;
    return (grep { /\S/ } split /\n/, $said)[0] // 'it ended with status ' . ($? >> 8);
}

sub _run {
    my (@command) = @_;
    defined(my $pid = open my $in, '-|') or return $!;
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        open STDIN, '<', File::Spec->devnull;
        exec @command or die $!;
    }
    local $/;
    my $said = <$in>;
    close $in;
    return $said // '';
}

# The folder that this module was loaded from.
sub _own_lib { return File::Spec->rel2abs($INC{'Permafrost/Audit/Fix.pm'}) =~ s{/Permafrost/Audit/Fix\.pm\z}{}r }

# The lib folders above a file.
sub _lib_of {
    my ($file) = @_;
    my @dirs = split m{/}, File::Spec->rel2abs($file);
    my @found;
    while (@dirs > 1) {
        pop @dirs;
        my $dir = join '/', @dirs;
        push @found, $dir if @dirs && $dirs[-1] =~ /\A(?:lib|perl5)\z/;
        push @found, "$dir/lib" if -d "$dir/lib" && !grep { $_ eq "$dir/lib" } @found;
        last if -e "$dir/.git" || @found > 4;
    }
    return @found;
}

# ---- showing it ---------------------------------------------------------------------------------------------------

# A unified diff of two texts with as many lines.
sub unified_diff {
    my ($file, $before, $after) = @_;
    my @old = split /\n/, $before, -1;
    my @new = split /\n/, $after, -1;
    my @changed = grep { $old[$_] ne $new[$_] } 0 .. $#old;
    my $text = "--- a/$file\n+++ b/$file\n";
    while (@changed) {
        my @group = shift @changed;
        push @group, shift @changed while @changed && $changed[0] - $group[-1] <= 6;
        my $from = $group[0] > 3 ? $group[0] - 3 : 0;
        my $to = $group[-1] + 3 < $#old ? $group[-1] + 3 : $#old;
        $to-- if $to == $#old && $old[$to] eq '' && $to > $group[-1];
        my $count = $to - $from + 1;
        $text .= sprintf "@@ -%d,%d +%d,%d @@\n", $from + 1, $count, $from + 1, $count;
        $text .= _hunk(\@old, \@new, $from, $to);
    }
    return $text;
}

sub _hunk {
    my ($old, $new, $from, $to) = @_;
    my $text = '';
    for (my $n = $from; $n <= $to; $n++) {
        if ($old->[$n] eq $new->[$n]) { $text .= " $old->[$n]\n"; next }
        my $end = $n;
        $end++ while $end < $to && $old->[$end + 1] ne $new->[$end + 1];
        $text .= "-$old->[$_]\n" for $n .. $end;
        $text .= "+$new->[$_]\n" for $n .. $end;
        $n = $end;
    }
    return $text;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Fix - write nfreeze where freeze is, imports included

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
