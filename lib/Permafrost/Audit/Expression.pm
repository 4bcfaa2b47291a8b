package Permafrost::Audit::Expression;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Token qw(:all);

our @EXPORT_OK = qw(assignments assigned parent receiver_start strip_parens inside_block constant_string variable has_own);

# Operators, the tightest last. What is missing here binds tighter than a comma.
my %PRECEDENCE = (
    (map { ($_ => 1) } qw(or xor)), and => 2, not => 3,
    (map { ($_ => 5) } ',', '=>'),
    (map { ($_ => 6) } qw(= += -= .= *= /= %= x= **= ||= &&= //= |= &= ^= <<= >>=)),
    (map { ($_ => 7) } '?', ':'),
    (map { ($_ => 8) } qw(.. ...)), (map { ($_ => 9) } qw(|| //)), '&&' => 10,
    '|' => 11, '^' => 11, '&' => 12,
    (map { ($_ => 13) } qw(== != <=> eq ne cmp ~~)), (map { ($_ => 14) } qw(< > <= >= lt gt le ge)),
    (map { ($_ => 16) } qw(<< >>)), (map { ($_ => 17) } qw(+ - .)), (map { ($_ => 18) } qw(* / % x)),
    (map { ($_ => 19) } qw(=~ !~)), '!' => 20, '~' => 20, '**' => 22, '->' => 24,
);
my %MODIFIER = map { ($_ => 1) } qw(if unless while until for foreach when);
my %COMPARES = map { ($_ => 1) } qw(== != <=> eq ne cmp ~~ < > <= >= lt gt le ge =~ !~);
# Words that are whole terms: a list never follows them.
my %TERM_WORD = map { ($_ => 1) } qw(shift pop wantarray time undef __PACKAGE__ __FILE__ __LINE__ my our local state);

# ---- assignments --------------------------------------------------------------------------------

# All assignments of a source by what stands on the left, as text: a list of hashes with at
# (the operator), op, lhs and rhs ([first, last]). Made once for each source.
sub assignments {
    my ($source) = @_;
    return $source->{assignments} ||= _find_assignments($source);
}

sub _find_assignments {
    my ($source) = @_;
    my $t = $source->{tokens};
    my %found;
    for my $i (1 .. $#$t - 1) {
        next unless $t->[$i][TYPE] eq 'op' && ($PRECEDENCE{$t->[$i][TEXT]} || 0) == 6;
        my $from = _operand_start($source, $i - 1, 6);
        my ($first, $declared) = ($from, 0);
        while ($first < $i && $t->[$first][TYPE] eq 'word'
            && $t->[$first][TEXT] =~ /\A(?:my|our|local|state)\z/) { $first++; $declared = 1 }
        next if $first >= $i;
        my $list = $t->[$first][TEXT] =~ /\A[(\@%]/;
        my $to = $list ? $source->list_end($i + 1) : _operand_end($source, $i + 1, 5);
        my $record = {at => $i, op => $t->[$i][TEXT], lhs => [$first, $i - 1], rhs => [$i + 1, $to],
            declared => $declared};
        push @{$found{$source->text_of($first, $i - 1)}}, $record;
        next unless $t->[$first][TEXT] eq '(' && defined $t->[$first][MATCH];
        my $position = 0;
        for my $item ($source->split_list($first + 1, $t->[$first][MATCH] - 1)) {
            $item->[0]++ while $t->[$item->[0]][TEXT] =~ /\A(?:my|our|local|state)\z/;
            push @{$found{$source->text_of(@$item)}}, {%$record, item => $position++};
        }
    }
    return \%found;
}

# The assignments to a variable or element that token I can see: those in its sub, and, unless
# the variable is declared there, those elsewhere in the file that mean the same variable.
sub assigned {
    my ($source, $variable, $i) = @_;
    my @all = @{assignments($source)->{$variable} || []};
    return () unless @all;
    my ($from, $to) = $source->scope($i);
    my $here = sub { $_[0]{at} >= $from && $_[0]{at} <= $to };
    return grep { $here->($_) } @all if $from && _declared_between($source, $variable, $from, $to);
    return grep { $here->($_) || !has_own($source, $variable, $_->{at}) } @all;
}

# Does the named sub around token I declare a variable of this name?
sub has_own {
    my ($source, $variable, $i) = @_;
    my ($from, $to) = $source->scope($i);
    return $from && _declared_between($source, $variable, $from, $to);
}

sub _declared_between {
    my ($source, $variable, $from, $to) = @_;
    my $declared = $source->{declared} ||= _find_declarations($source);
    return scalar grep { $_ >= $from && $_ <= $to } @{$declared->{$variable} || []};
}

# Where each variable is declared by my, state or the signature of a sub.
sub _find_declarations {
    my ($source) = @_;
    my $t = $source->{tokens};
    my %found;
    for my $i (0 .. $#$t - 1) {
        next unless $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] =~ /\A(?:my|state)\z/;
        my $last = $t->[$i + 1][TEXT] eq '(' ? $t->[$i + 1][MATCH] // $i + 1 : $i + 1;
        for my $at ($i + 1 .. $last) { push @{$found{$t->[$at][TEXT]}}, $at if $t->[$at][TYPE] eq 'sym' }
    }
    for my $sub (@{$source->{subs}}) { push @{$found{$_}}, $sub->{open} + 1 for @{$sub->{params}} }
    return \%found;
}

# ---- operands ------------------------------------------------------------------------------------

# Go left from token I over everything that binds tighter than PRECEDENCE.
sub _operand_start {
    my ($source, $i, $precedence) = @_;
    my $t = $source->{tokens};
    my $at = $i;
    while ($at >= 0) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct') {
            last if $text =~ /[;(\[{]/ || !defined $match || $text eq '}' && $source->ends_statement($at)
                && $at != $i;
            $at = $match;
        }
        elsif ($type eq 'label') { last }
        elsif ($type eq 'op' || $type eq 'word' && $PRECEDENCE{$text}) {
            last if ($PRECEDENCE{$text} || 15) <= $precedence && !($at && $t->[$at - 1][TEXT] eq '->');
        }
        elsif ($type eq 'word') {
            last if ($MODIFIER{$text} || $text eq 'return') && ($at == 0 || $t->[$at - 1][TEXT] ne '->')
                && ($t->[$at + 1] || [0, ''])->[TEXT] ne '=>' && ($t->[$at + 1] || [0, ''])->[TEXT] ne '}';
        }
        $at--;
    }
    return $at + 1;
}

# Go right from token I over everything that binds tighter than PRECEDENCE.
sub _operand_end {
    my ($source, $i, $precedence) = @_;
    my $t = $source->{tokens};
    my $at = $i;
    while ($at <= $#$t) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct') {
            last if $text =~ /[;)\]}]/;
            $at = $match // $#$t;
        }
        elsif ($type eq 'op') { last if ($PRECEDENCE{$text} || 15) <= $precedence
            && !($text eq ':' && $precedence < 7) }
        elsif ($type eq 'word' && ($MODIFIER{$text} || ($PRECEDENCE{$text} || 9) <= 3)) {
            last if $t->[$at - 1][TEXT] ne '->' && ($t->[$at + 1] || [0, ''])->[TEXT] !~ /\A(?:=>|\})\z/;
        }
        $at++;
    }
    return $at - 1;
}

# ---- what is around an expression ---------------------------------------------------------------------

# What the expression in tokens I to J is part of. A hash: type, first and last (the range of
# the larger expression), and by type:
#   paren, ref, ternary, condition, or, and, join, compare, test   an operator around it
#   assign    op, lhs            assigned to it
#   arg       name, at, method, recv, args, index   an argument of that call
#   item      open, key          in a list, array or hash
#   call, method, deref          called, its method called, dereferenced
#   return, void, modifier
sub parent {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    my $left  = $i > 0 ? $t->[$i - 1] : [struct => ';'];
    my $right = $t->[$j + 1] || [struct => ';'];
    my %range = (first => $i, last => $j);
    if ($right->[TEXT] eq '->' && $right->[TYPE] eq 'op') {
        my $next = $t->[$j + 2] || [struct => ';'];
        return {%range, type => $next->[TEXT] eq '(' ? 'call' : $next->[TYPE] =~ /\A(?:word|sym)\z/ ? 'method'
            : 'deref', at => $j + 2};
    }
    if ($left->[TYPE] eq 'cast') {
        return {type => $left->[TEXT] eq '\\' ? 'ref' : 'deref', first => $i - 1, last => $j};
    }
    if ($left->[TEXT] eq '(' && $right->[TEXT] eq ')' || $left->[TEXT] eq '{' && $right->[TEXT] eq '}'
        && ($left->[KIND] || '') eq 'deref') {
        my $around = _bracket($source, $i, $j);
        return $around if $around;
    }
    my $operator = _operator($source, $i, $j, $left, $right);
    return $operator if $operator;
    return _list_context($source, $i, $j);
}

# Brackets right around the range.
sub _bracket {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    return undef if ($t->[$i - 1][MATCH] // -1) != $j + 1;
    if ($t->[$i - 1][TEXT] eq '{') {
        my $cast = $t->[$i - 2][TEXT];
        return {type => $cast eq '&' ? 'call' : 'deref', first => $i - 2, last => $j + 1, at => $j + 2};
    }
    return undef if _callee($source, $i - 1);
    my $before = $i >= 2 ? $t->[$i - 2] : [struct => ';'];
    if ($before->[TYPE] eq 'word' && $before->[TEXT] =~ /\A(?:if|unless|while|until|elsif)\z/) {
        return {type => 'test', first => $i - 1, last => $j + 1};
    }
    if ($before->[TYPE] eq 'word' && $before->[TEXT] =~ /\A(?:for|foreach)\z/ || $before->[TYPE] eq 'sym'
        && $i >= 4 && $t->[$i - 4][TEXT] =~ /\A(?:for|foreach)\z/) {
        return {type => 'loop', first => $i - 1, last => $j + 1};
    }
    return {type => 'paren', first => $i - 1, last => $j + 1};
}

# An operator beside the range: the one that binds tighter, of both sides.
sub _operator {
    my ($source, $i, $j, $left, $right) = @_;
    my $l = _strength($left, $source, $i - 1);
    my $r = _strength($right, $source, $j + 1);
    return undef if !$l && !$r;
    my ($op, $on_right) = $r > $l ? ($right->[TEXT], 1) : ($left->[TEXT], 0);
    my $precedence = $r > $l ? $r : $l;
    return undef if $precedence == 5 || $precedence == 4;
    my %range = $on_right ? (first => $i, last => _operand_end($source, $j + 2, $precedence - 1))
        : $op =~ /\A(?:!|~|not)\z/ ? (first => $i - 1, last => $j)
        : (first => _operand_start($source, $i - 2, $precedence - 1), last => $j);
    if ($precedence == 6) {
        return undef if $on_right;    # it is assigned to
        my $first = _operand_start($source, $i - 2, 6);
        $range{last} = _operand_end($source, $j + 1, 5);
        return {type => 'assign', %range, first => $first, op => $op, lhs => [$first, $i - 2], at => $i - 1};
    }
    if ($precedence == 7) {
        return {type => 'condition', %range, at => $j + 1} if $on_right && $op eq '?';
        return _ternary($source, $i, $j);
    }
    return {type => 'test', %range} if $op =~ /\A(?:!|~|not)\z/;
    return {type => 'compare', %range} if $COMPARES{$op};
    return {type => 'or', %range, side => $on_right ? 'left' : 'right', op => $op}
        if $op =~ m{\A(?:\|\||//|or|xor)\z};
    return {type => 'and', %range, side => $on_right ? 'left' : 'right', op => $op}
        if $op =~ /\A(?:&&|and)\z/;
    return {type => 'join', %range, op => $op};
}

sub _strength {
    my ($token, $source, $at) = @_;
    return 0 if $token->[TYPE] eq 'label';
    return 0 unless $token->[TYPE] eq 'op' || $token->[TYPE] eq 'word'
        && $token->[TEXT] =~ /\A(?:and|or|xor|not)\z/;
    return $PRECEDENCE{$token->[TEXT]} || 15;
}

# A branch of a ternary: the whole of it, and the range of the other branch.
sub _ternary {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    my $left = $t->[$i - 1][TEXT];
    my ($question, $colon);
    if ($left eq '?') {
        $question = $i - 1;
        $colon = $j + 1;
    }
    else {
        $colon = $i - 1;
        my $depth = 0;
        for (my $at = $colon - 1; $at >= 0; $at--) {
            my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
            if ($type eq 'struct') {
                last if $text =~ /[;(\[{]/ || !defined $match;
                $at = $match;
            }
            elsif ($text eq ':') { $depth++ }
            elsif ($text eq '?' && $depth-- == 0) { $question = $at; last }
        }
    }
    return undef unless defined $question && $t->[$colon] && $t->[$colon][TEXT] =~ /:\z/;
    my $last = _operand_end($source, $colon + 1, 6);
    my @other = $left eq '?' ? ($colon + 1, $last) : ($question + 1, $colon - 1);
    return {type => 'ternary', first => _operand_start($source, $question - 1, 7), last => $last,
        other => \@other};
}

# What governs the list that the range stands in.
sub _list_context {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    my ($at, $key, $index) = ($i - 1, undef, 0);
    if ($at >= 1 && $t->[$at][TEXT] eq '=>') { $key = $t->[$at - 1][TYPE] eq 'str' ? $t->[$at - 1][VALUE]
        : $t->[$at - 1][TEXT] }
    while ($at >= 0) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct') {
            last if $text =~ /[;(\[{]/ || !defined $match || $text eq '}' && $source->ends_statement($at);
            $at = $match;
        }
        elsif ($type eq 'op' && ($PRECEDENCE{$text} || 15) == 5) { $index++ }
        elsif ($type eq 'op' && ($PRECEDENCE{$text} || 15) == 6 && $index) {
            my $first = _operand_start($source, $at - 1, 6);
            return {type => 'item', open => 'list', first => $first, last => $j, key => $key,
                lhs => [$first, $at - 1]} if $source->list_end($at + 1) >= $j;
        }
        elsif ($type eq 'word' && _governs($source, $at, $i)) { return _governed($source, $at, $i, $j) }
        elsif ($type eq 'label') { last }
        $at--;
    }
    return _statement($source, $i, $j) if $at < 0 || $t->[$at][TEXT] =~ /[;}]/ || $t->[$at][TYPE] eq 'label';
    return _enclosed($source, $at, $i, $j, $key);
}

# Is the word at token AT a list operator whose list begins behind it and holds token I?
sub _governs {
    my ($source, $at, $i) = @_;
    my $t = $source->{tokens};
    my $text = $t->[$at][TEXT];
    return 0 if $TERM_WORD{$text} || $at && $t->[$at - 1][TEXT] =~ /\A(?:->|sub)\z/;
    my $next = $t->[$at + 1] or return 0;
    return 1 if $at + 1 == $i && $next->[TEXT] ne '(';
    return 0 if $next->[TYPE] eq 'op' && $next->[TEXT] !~ /\A[-+!<]\z/ || $next->[TEXT] =~ /\A[;)\]}]/;
    return 0 if $next->[TEXT] eq '(' && $text !~ /\A(?:return|and|or|not|if|unless)\z/;
    return 1;
}

sub _governed {
    my ($source, $at, $i, $j) = @_;
    my $t = $source->{tokens};
    my $text = $t->[$at][TEXT];
    return {type => 'return', first => $at, last => $j} if $text eq 'return';
    return {type => 'modifier', first => $at, last => $j} if $MODIFIER{$text} || $text eq 'elsif';
    return {type => 'test', first => $at, last => $j} if $text =~ /\A(?:defined|ref|not|exists)\z/;
    return _statement($source, $i, $j) if $text =~ /\A(?:and|or|xor|else|do|eval)\z/;
    my $last = $source->list_end($at + 1);
    my ($first, $handle) = ($at + 1);
    if ($text =~ /\A(?:print|printf|say)\z/) { ($first, $handle) = _handle($source, $at + 1) }
    my @args = $source->split_list($first, $last);
    return {type => 'arg', name => $text, at => $at, first => $at, last => $last, args => \@args,
        handle => $handle, index => _index_of(\@args, $i)};
}

# The handle of a print whose list begins at token I: (where the rest begins, its range).
sub _handle {
    my ($source, $i) = @_;
    my $t = $source->{tokens};
    my ($this, $next) = @{$t}[$i, $i + 1];
    return ($i, undef) unless $this && $next;
    if ($this->[TEXT] eq '{'
        && defined $this->[MATCH]) { return ($this->[MATCH] + 1, [$i + 1, $this->[MATCH] - 1]) }
    my $term = $next->[TYPE] =~ /\A(?:word|sym|str|num|cast|qw)\z/
        && $next->[TEXT] !~ /\A(?:x|eq|ne|cmp|lt|gt|le|ge|and|or|if|unless|for|foreach|while)\z/;
    return ($i + 1, [$i, $i]) if $term
        && ($this->[TYPE] eq 'sym' && $this->[TEXT] =~ /\A\$/ || $this->[TYPE] eq 'word'
        && $this->[TEXT] =~ /\A[A-Z][A-Z0-9_]*\z/);
    return ($i, undef);
}

sub _index_of {
    my ($args, $i) = @_;
    for my $index (0 .. $#$args) { return $index if $args->[$index][0] <= $i && $i <= $args->[$index][1] }
    return undef;
}

# The bracket at token OPEN encloses the list that the range is in.
sub _enclosed {
    my ($source, $open, $i, $j, $key) = @_;
    my $t = $source->{tokens};
    my $close = $t->[$open][MATCH] // $j + 1;
    my $text = $t->[$open][TEXT];
    if ($text eq '{' && ($t->[$open][KIND] || '') =~ /\A(?:block|handle)\z/) { return _statement($source, $i,
        $j) }
    if ($text eq '{' && $t->[$open][KIND] =~ /subscript|deref/) { return {type => 'key', first => $open,
        last => $close} }
    if ($text eq '(' && (my $call = _callee($source, $open))) {
        my ($first, $handle) = ($open + 1);
        if (!$call->{method} && $call->{name} =~ /\A(?:print|printf|say)\z/) { ($first,
            $handle) = _handle($source, $open + 1) }
        my @args = $source->split_list($first, $close - 1);
        return {type => 'arg', %$call, last => $close, args => \@args, handle => $handle,
            index => _index_of(\@args, $i)};
    }
    my $first = $open;
    return {type => 'item', open => $text, first => $first, last => $close, key => $key};
}

# The function or method whose argument list opens at token OPEN; undef if there is none.
sub _callee {
    my ($source, $open) = @_;
    my $t = $source->{tokens};
    return undef if $open < 1;
    my ($type, $text) = @{$t->[$open - 1]}[TYPE, TEXT];
    my $method = $open >= 2 && $t->[$open - 2][TEXT] eq '->' && $t->[$open - 2][TYPE] eq 'op';
    if ($type eq 'word' || $method && $type eq 'sym') {
        return undef if !$method
            && $text =~ /\A(?:if|unless|while|until|elsif|for|foreach|and|or|not|return|my|our|local|xor|x|eq|ne|cmp|lt|gt|le|ge|sub|in)\z/;
        return {name => $text, at => $open - 1, first => $open - 1} unless $method;
        my $start = receiver_start($source, $open - 3);
        return {name => $text, at => $open - 1, method => 1, recv => [$start, $open - 3], first => $start};
    }
    return {name => $text, at => $open - 1, first => $open - 1} if $type eq 'sym' && $text =~ /\A&/;
    if ($type eq 'op' && $text eq '->' && $open >= 2) {
        my $start = receiver_start($source, $open - 2);
        return {name => '', at => $open - 1, code => [$start, $open - 2], first => $start};
    }
    return undef;
}

# The first token of the term that ends at token I: $x->{a}{b}->c(d), Foo::Bar->new, f(x).
sub receiver_start {
    my ($source, $i) = @_;
    my $t = $source->{tokens};
    my $at = $i;
    while ($at > 0) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct') {
            return $at if !defined $match || $match > $at;
            $at = $match;
            my $before = $t->[$at - 1] || [struct => ';'];
            if ($before->[TYPE] eq 'op' && $before->[TEXT] eq '->') { $at -= 2; next }
            if ($before->[TYPE] eq 'sym' || $before->[TYPE] eq 'word' && $text eq ')'
                || $before->[TEXT] =~ /\A[\]})]\z/ && $before->[TYPE] eq 'struct'
                && !$source->ends_statement($at - 1)) { $at--; next }
            return $before->[TYPE] eq 'cast' && $text eq '}' ? $at - 1 : $at;
        }
        my $before = $t->[$at - 1];
        if ($before->[TYPE] eq 'op' && $before->[TEXT] eq '->' && $at >= 2) { $at -= 2; next }
        return $before->[TYPE] eq 'cast' && $before->[TEXT] ne '\\' ? $at - 1 : $at;
    }
    return 0;
}

# The range is a statement of its own, or the value of its block.
sub _statement {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    my $next = $t->[$j + 1] || [struct => ';'];
    my %range = (first => $i, last => $j);
    my $end = $j + 1;
    $end++ while $t->[$end] && $t->[$end][TEXT] eq ';';
    my $closing = $t->[$end];
    my $tail = $next->[TYPE] eq 'word' && $next->[TEXT] =~ /\A(?:or|xor|and)\z/ ? $next->[TEXT] : undef;
    return {type => $tail eq 'and' ? 'and' : 'or', %range, side => 'left', op => $tail} if $tail;
    return {type => 'value', %range, block => $closing->[MATCH]} if $closing && $closing->[TEXT] eq '}'
        && ($closing->[KIND] || '') eq 'block';
    return {type => 'void', %range};
}

# ---- small helpers ------------------------------------------------------------------------------------------

# Without the parentheses around the range.
sub strip_parens {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    while ($i < $j && $t->[$i][TEXT] eq '(' && $t->[$i][TYPE] eq 'struct'
        && ($t->[$i][MATCH] // -1) == $j) { $i++; $j-- }
    return ($i, $j);
}

# Is token I in a block that the word NAME opens (eval, BEGIN, do ...)? Within its sub.
sub inside_block {
    my ($source, $i, $pattern) = @_;
    my $t = $source->{tokens};
    for (my $at = $i; $at > 0; $at--) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        next if $type ne 'struct';
        if ($text =~ /[)\]}]/ && defined $match && $match < $at && $at != $i) { $at = $match; next }
        next if $text ne '{';
        return $at if $at && $t->[$at - 1][TYPE] eq 'word' && $t->[$at - 1][TEXT] =~ $pattern;
    }
    return undef;
}

# The scalar variable that the range is, without anything else; undef if it is none.
sub variable {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    $i++ while $i < $j && $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] =~ /\A(?:my|our|local|state)\z/;
    return $i == $j && $t->[$i][TYPE] eq 'sym' && $t->[$i][TEXT] =~ /\A\$\w/ ? $t->[$i][TEXT] : undef;
}

# The string that the range always is: a literal, __PACKAGE__, a bareword class, or a variable
# that is set once, to such a thing. Undef if it is not known.
sub constant_string {
    my ($source, $i, $j, $depth) = @_;
    my $t = $source->{tokens};
    ($i, $j) = strip_parens($source, $i, $j);
    return undef if $i != $j || ($depth || 0) > 3;
    my ($type, $text) = @{$t->[$i]}[TYPE, TEXT];
    return $t->[$i][INTERPOLATES] ? _interpolated($source, $i, $depth) : $t->[$i][VALUE] if $type eq 'str';
    return $text eq '__PACKAGE__' ? $t->[$i][PACKAGE] : normal_name($text) if $type eq 'word';
    return undef unless $type eq 'sym' && $text =~ /\A\$/;
    my @set = assigned($source, $text, $i);
    return undef if @set != 1 || $set[0]{op} ne '=' || defined $set[0]{item};
    return constant_string($source, @{$set[0]{rhs}}, ($depth || 0) + 1);
}

# "${class}::freeze" with a $class that is known.
sub _interpolated {
    my ($source, $i, $depth) = @_;
    my $value = $source->{tokens}[$i][VALUE];
    my $known = 1;
    $value =~ s{\$(?:\{\s*(\w+)\s*\}|(\w+(?:::\w+)*))}{
        my $name = $1 // $2;
        my @set = assigned($source, "\$$name", $i);
        my $string = @set == 1 && !defined $set[0]{item} ? constant_string($source, @{$set[0]{rhs}}, ($depth || 0) + 1) : undef;
        $known = 0 unless defined $string;
        $string // '';
    }ge;
    return $known && $value !~ /[\$\@]/ ? $value : undef;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Expression - what is around and behind an expression of Perl

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Works on the tokens of L<Permafrost::Audit::Source>. Nothing is
public.

=cut
