package Permafrost::Audit::Source;

use 5.016;
use strict;
use warnings;
use Permafrost::Audit::Token qw(:all);

# Words in front of a brace that opens a block, not a hash.
my %BLOCK_WORD = map { ($_ => 1) } qw(
    do eval sub continue else BEGIN END INIT CHECK UNITCHECK map grep sort try catch finally
    default given when method first any all none notall sum_by max_by min_by sort_by uniq_by
    pairmap pairgrep async defer
);
# Blocks whose value goes on: the statement is not over behind them.
my %VALUE_BLOCK = map { ($_ => 1) } qw(do eval sub map grep sort first any all none notall async);
# Keywords that bind looser than a list.
my %LOOSE = map { ($_ => 1) } qw(and or xor not if unless while until for foreach when);

# Parse the text of a file (bytes). Options: name (for messages), line (of its first line,
# default 1), package (it begins in, default main). Dies if PPI cannot cut it into tokens.
sub parse {
    my ($class, $bytes, %option) = @_;
    my $text = _decode($bytes);
    require PPI::Tokenizer;
    require PPI;
    my $tokenizer = PPI::Tokenizer->new(\$text)
        or die 'cannot be read as Perl: ' . (PPI::Tokenizer->errstr || '') . "\n";
    my $tokens = $tokenizer->all_tokens or die "cannot be read as Perl\n";
    return $class->from_tokens($tokens, $text, %option);
}

# The same for PPI tokens that somebody has already; TEXT is the whole text.
sub from_tokens {
    my ($class, $tokens, $text, %option) = @_;
    my $self = bless {
        name => $option{name}, text => $text, first_line => $option{line} || 1,
        base => $option{package} || 'main', comments => [], tokens => [], subs => [],
        end_line => undef,
    }, $class;
    $self->_take($tokens);
    $self->_match_brackets;
    $self->_scopes;
    return $self;
}

# Bytes to characters: UTF-8 if they are that, else Latin-1.
sub _decode {
    my ($text) = @_;
    $text =~ s/\A\xEF\xBB\xBF//;
    if ($text =~ /\A(?:\xFE\xFF|\xFF\xFE)/) {
        require Encode;
        my $decoded = eval { Encode::decode('UTF-16', $text) };
        return $decoded if defined $decoded;
    }
    utf8::decode($text) if $text =~ /[^\x00-\x7F]/;
    $text =~ s/\x0D{1,2}\x0A|\x0D/\x0A/g if $text =~ /\x0D/;
    return $text;
}

# The lines of the text, as a list; numbering begins with first_line.
sub line {
    my ($self, $number) = @_;
    $self->{lines} ||= [split /\n/, $self->{text}, -1];
    return $self->{lines}[$number - $self->{first_line}] // '';
}

# ---- tokens -------------------------------------------------------------------------------

# PPI's class of a token => ours. What is missing here is looked up by inheritance.
my %TYPE = (
    Word => 'word', Symbol => 'sym', Magic => 'sym', ArrayIndex => 'sym', Operator => 'op',
    Structure => 'struct', Cast => 'cast', Number => 'num', Label => 'label', Prototype => 'proto',
    HereDoc => 'str', Attribute => 'attr', 'QuoteLike::Words' => 'qw', 'QuoteLike::Readline' => 'read',
    'QuoteLike::Backtick' => 'shell', 'QuoteLike::Command' => 'shell', 'QuoteLike::Regexp' => 're',
    'Quote::Single' => 'str', 'Quote::Double' => 'str', 'Quote::Literal' => 'str',
        'Quote::Interpolate' => 'str',
    'Regexp::Match' => 're', 'Regexp::Substitute' => 're', 'Regexp::Transliterate' => 're',
    Comment => 'comment', Pod => 'skip', Whitespace => 'skip', BOM => 'skip', Separator => 'end',
    End => 'end', Data => 'end', DashedWord => 'word', Unknown => 'other',
);

# Copy PPI's tokens: those that mean something, each with line and column.
sub _take {
    my ($self, $tokens) = @_;
    my ($line, $col, $pending) = ($self->{first_line}, 1, 0);
    my $out = $self->{tokens};
    for my $token (@$tokens) {
        my $class = substr ref $token, 12;
        my $type = $TYPE{$class} || (index($class, 'Number') == 0 ? 'num' : 'other');
        my $content = $token->{content} // $token->content;
        if ($type eq 'comment') {
            push @{$self->{comments}}, [$line, $col, $content] if index($content, 'permafrost:') >= 0;
        }
        elsif ($type eq 'end') {
            $self->{end_line} //= $line if $class eq 'Separator';
        }
        elsif ($type ne 'skip') {
            my @new;
            @new[TYPE, TEXT, LINE, COL] = ($type, $content, $line, $col);
            @new[VALUE, INTERPOLATES] = _string_value($token, $class) if $type eq 'str';
            push @$out, \@new;
        }
        $pending += _heredoc_lines($token) if $class eq 'HereDoc';
        my $newlines = $content =~ tr/\n//;
        if ($newlines) {
            $line += $newlines + $pending;
            $pending = 0;
            $col = length($content) - rindex($content, "\n");
        }
        else { $col += length $content }
    }
    # Two semicolons behind the end, so that one can always look ahead.
    my $last = @$out ? $out->[-1][LINE] : $line;
    push @$out, map { ['struct', ';', $last, 0] } 1 .. 2;
    return;
}

sub _heredoc_lines {
    my ($token) = @_;
    return scalar(my @lines = $token->heredoc) + ($token->{_damaged} ? 0 : 1);
}

# RETURNS: the text between the quotes, and whether perl interpolates it.
sub _string_value {
    my ($token, $class) = @_;
    if ($class eq 'HereDoc') {
        return _interpolation(join('', $token->heredoc), ($token->{_mode} || '') eq 'interpolate');
    }
    return _interpolation($token->string // '', $class eq 'Quote::Double' || $class eq 'Quote::Interpolate');
}

# The value of a string, and whether there are variables in it; without any it is what perl makes
# of it, as far as quotes and variables go.
sub _interpolation {
    my ($value, $double) = @_;
    return ($value, 0) unless $double;
    return ($value, 1) if $value =~ /(?<!\\)(?:\\\\)*[\$\@]/;
    $value =~ s/\\([\$\@"\\])/$1/g;
    return ($value, 0);
}

# Pair the brackets and say of each brace what it is: block, hash, subscript or deref.
sub _match_brackets {
    my ($self) = @_;
    my $t = $self->{tokens};
    my %closer = ('(' => ')', '[' => ']', '{' => '}');
    my @open;
    for my $i (0 .. $#$t) {
        next if $t->[$i][TYPE] ne 'struct';
        my $text = $t->[$i][TEXT];
        if ($closer{$text}) {
            $t->[$i][KIND] = $text eq '{' ? $self->_brace_kind($i) : $text;
            push @open, $i;
        }
        elsif ($text ne ';') {
            next unless grep { $closer{$t->[$_][TEXT]} eq $text } @open;    # one too many
            pop @open while $closer{$t->[$open[-1]][TEXT]} ne $text;
            my $from = pop @open;
            @{$t->[$from]}[MATCH] = $i;
            @{$t->[$i]}[MATCH, KIND] = ($from, $t->[$from][KIND]);
        }
    }
    return;
}

sub _brace_kind {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    return 'block' if $i == 0;
    my ($type, $text) = @{$t->[$i - 1]}[TYPE, TEXT];
    return 'deref' if $type eq 'cast' && $text ne '\\';
    return 'subscript' if $type eq 'sym' && $text !~ /\A[&*]/ || $type eq 'op' && $text eq '->';
    return 'subscript' if $type eq 'sym' && $text =~ /\A\*/;
    return 'block' if $type eq 'proto' || $type eq 'attr' || $type eq 'label';
    if ($type eq 'struct') {
        return $text eq ')' ? 'block' : $text =~ /[\[(]/ ? 'hash' : $text eq '{' || $text eq ';'
            ? $self->_guess($i)
            : $text eq ']' ? 'subscript' : ($t->[$i - 1][KIND] // '') =~ /subscript|deref/ ? 'subscript'
                : $self->_guess($i);
    }
    return $type eq 'op' || $type eq 'cast' ? 'hash' : 'block' if $type ne 'word';
    return 'block' if $BLOCK_WORD{$text} || $i >= 2
        && $t->[$i - 2][TEXT] =~ /\A(?:sub|package|method|class|func|fun)\z/;
    return 'hash' if $text =~ /\A(?:return|and|or|not|bless|push|unshift)\z/;
    return 'handle' if $text =~ /\A(?:print|printf|say)\z/;
    return $self->_guess($i);
}

# A brace after something that tells nothing: a hash if it looks like one inside.
sub _guess {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    my ($first, $second) = @{$t}[$i + 1, $i + 2];
    return 'block' unless $first && $second;
    return 'hash' if $first->[TEXT] eq '}' && $t->[$i - 1][TYPE] eq 'word';
    return 'hash' if $first->[TYPE] =~ /\A(?:word|str|sym|num)\z/ && $second->[TEXT] =~ /\A(?:=>|,)\z/
        && !($first->[TYPE] eq 'sym' && $second->[TEXT] eq ',' && $first->[TEXT] !~ /\A\$/);
    return 'block';
}

# ---- packages and subs ------------------------------------------------------------------------

# Give each token its package and the innermost sub around it.
sub _scopes {
    my ($self) = @_;
    my $t = $self->{tokens};
    my ($package, $sub, @outer) = ($self->{base}, undef);
    my %enter;    # index of an opening brace => [package, sub] inside
    for my $i (0 .. $#$t) {
        my $token = $t->[$i];
        @{$token}[PACKAGE, SUB] = ($package, $sub);
        my ($type, $text) = @{$token}[TYPE, TEXT];
        if ($type eq 'struct') {
            if ($text eq '{') {
                push @outer, [$token->[MATCH] // -1, $package, $sub];
                ($package, $sub) = @{$enter{$i}} if $enter{$i};
            }
            elsif ($text eq '}' && @outer && $outer[-1][0] == $i) {
                (undef, $package, $sub) = @{pop @outer};
            }
        }
        elsif ($type eq 'word') {
            if ($text eq 'package' && $self->_is_keyword($i) && ($t->[$i + 1] || [''])->[TYPE] eq 'word') {
                my $name = normal_name($t->[$i + 1][TEXT]);
                my $next = $i + 2;
                $next++ while $t->[$next] && $t->[$next][TYPE] =~ /\A(?:num|word)\z/;
                if ($t->[$next] && $t->[$next][TEXT] eq '{') { $enter{$next} = [$name, $sub] }
                else                                         { $package = $name }
            }
            elsif ($text =~ /\A(?:sub|method|fun|func)\z/ && $self->_is_keyword($i)) {
                my $new = $self->_sub($i, $package, $sub) or next;
                $enter{$new->{open}} = [$package, $new];
            }
        }
    }
    return;
}

# Is this word used as a keyword, not as a key, a method or the like?
sub _is_keyword {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    return 0 if $i && ($t->[$i - 1][TEXT] eq '->' || $t->[$i - 1][TEXT] eq 'sub');
    my $next = $t->[$i + 1] or return 0;
    return 0 if $next->[TEXT] eq '=>' || $next->[TEXT] eq '}' && $i && $t->[$i - 1][TEXT] eq '{';
    return 1;
}

# The sub that begins at token I, or none if it is only declared.
sub _sub {
    my ($self, $i, $package, $parent) = @_;
    my $t = $self->{tokens};
    my $name;
    my $next = $i + 1;
    if ($t->[$next] && $t->[$next][TYPE] eq 'word') { $name = normal_name($t->[$next++][TEXT]) }
    my $params = '';
    while ($t->[$next] && $t->[$next][TEXT] ne '{') {
        my ($type, $text) = @{$t->[$next]}[TYPE, TEXT];
        return undef if $text eq ';' || $type eq 'struct' && $text ne '(';
        $params = $text if $type eq 'proto';
        if ($text eq '(') {
            my $close = $t->[$next][MATCH] // return undef;
            $params = join ' ', map { $_->[TEXT] } @{$t}[$next .. $close];
            $next = $close;
        }
        $next++;
    }
    return undef unless $t->[$next];
    my $close = $t->[$next][MATCH] // $#$t;
    my $full = !defined $name ? undef : $name =~ /::/ ? $name : "${package}::$name";
    my $new = {
        name => $full, package => $package, start => $i, open => $next, close => $close,
        parent => $parent, params => [$params =~ /([\$\@%]\w+)/g], number => scalar @{$self->{subs}},
    };
    push @{$self->{subs}}, $new;
    return $new;
}

# The name of the innermost named sub around token I; undef in the main program.
sub sub_name {
    my ($self, $i) = @_;
    my $sub = $self->{tokens}[$i][SUB];
    $sub = $sub->{parent} while $sub && !defined $sub->{name};
    return $sub ? $sub->{name} : undef;
}

# The range of tokens of the innermost named sub around token I, or of the whole file.
sub scope {
    my ($self, $i) = @_;
    my $sub = $self->{tokens}[$i][SUB];
    $sub = $sub->{parent} while $sub && !defined $sub->{name};
    return $sub ? ($sub->{open} + 1, $sub->{close} - 1) : (0, $#{$self->{tokens}});
}

# ---- statements and expressions -----------------------------------------------------------------

# The first token of the statement around token I.
sub statement_start {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    my $at = $i;
    while ($at > 0) {
        my $before = $t->[$at - 1];
        if ($before->[TYPE] eq 'struct') {
            my $text = $before->[TEXT];
            return $at if $text eq ';' || $text eq '{' && $before->[KIND] =~ /\A(?:block|handle)\z/;
            if ($text =~ /[)\]}]/ && defined $before->[MATCH]) {
                return $at if $text eq '}' && $self->ends_statement($at - 1);
                $at = $before->[MATCH];
                next;
            }
        }
        elsif ($before->[TYPE] eq 'label') { return $at }
        $at--;
    }
    return 0;
}

# The last token of the statement around token I (its semicolon, if it has one).
sub statement_end {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    my $at = $i;
    while ($at < $#$t) {
        my $token = $t->[$at];
        if ($token->[TYPE] eq 'struct') {
            my $text = $token->[TEXT];
            return $at if $text eq ';';
            if ($text =~ /[(\[{]/ && defined $token->[MATCH] && $at >= $i) {
                $at = $token->[MATCH];
                return $at if $text eq '{' && $at < $#$t && $self->ends_statement($at);
            }
            elsif ($text eq '}' && ($token->[KIND] || '') =~ /\A(?:block|handle)\z/
                && ($token->[MATCH] // $i) < $i) {
                return $at - 1;
            }
        }
        $at++;
    }
    return $#$t;
}

# Does the closing brace at token I end a statement?
sub ends_statement {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    return 0 if ($t->[$i][KIND] || '') ne 'block' || !defined $t->[$i][MATCH];
    my $before = $t->[$i][MATCH] - 1;
    return 1 if $before < 0;
    $before-- while $before > 0 && $t->[$before][TYPE] =~ /\A(?:proto|attr)\z/;
    if ($t->[$before][TEXT] eq ')' && defined $t->[$before][MATCH]) {
        my $head = $t->[$before][MATCH] - 1;    # if (...) {...}, or sub (...) {...}
        return $head < 0 || $t->[$head][TEXT] ne 'sub';
    }
    return 1 if $t->[$before][TYPE] ne 'word';
    return 0 if $t->[$before][TEXT] =~ /\A(?:try|catch|finally)\z/;
    return !$VALUE_BLOCK{$t->[$before][TEXT]};
}

# The arguments of the call whose name is token I: a list of [first, last].
sub arguments {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    my $open = $t->[$i + 1];
    if ($open && $open->[TEXT] eq '(' && $open->[TYPE] eq 'struct') {
        my $close = $open->[MATCH] // $#$t;
        return ($close, $self->split_list($i + 2, $close - 1));
    }
    my $last = $self->list_end($i + 1);
    return ($last, $self->split_list($i + 1, $last));
}

# Where the list operator's list that begins at token I ends.
sub list_end {
    my ($self, $i) = @_;
    my $t = $self->{tokens};
    my $at = $i;
    while ($at <= $#$t) {
        my ($type, $text) = @{$t->[$at]}[TYPE, TEXT];
        if ($type eq 'struct') {
            last if $text =~ /[;)\]}]/;
            $at = $t->[$at][MATCH] // $#$t;
        }
        elsif ($type eq 'word' || $type eq 'op') {
            last if $LOOSE{$text} && ($t->[$at + 1] || [0, ''])->[TEXT] ne '=>'
                && ($at == 0 || $t->[$at - 1][TEXT] ne '->');
            last if $type eq 'op' && $text eq ':' && !$self->_has_question($i, $at);
        }
        $at++;
    }
    return $at - 1;
}

sub _has_question {
    my ($self, $from, $to) = @_;
    my $t = $self->{tokens};
    my $open = 0;
    for (my $at = $from; $at < $to; $at++) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct' && defined $match && $match > $at) { $at = $match }
        elsif ($type eq 'op' && $text eq '?') { $open++ }
        elsif ($type eq 'op' && $text eq ':') { $open-- }
    }
    return $open > 0;
}

# Cut a range at its commas.
sub split_list {
    my ($self, $from, $to) = @_;
    my $t = $self->{tokens};
    my ($start, @items) = ($from);
    for (my $at = $from; $at <= $to; $at++) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct' && defined $match && $match > $at) { $at = $match }
        elsif ($type eq 'op' && ($text eq ',' || $text eq '=>')) {
            push @items, [$start, $at - 1] if $at > $start;
            $start = $at + 1;
        }
    }
    push @items, [$start, $to] if $start <= $to;
    return @items;
}

# The tokens of a range as one string, without spaces but where words meet.
sub text_of {
    my ($self, $from, $to) = @_;
    my $text = '';
    for my $token (@{$self->{tokens}}[$from .. $to]) {
        my $new = $token->[TYPE] eq 'str' ? quoted($token) : $token->[TEXT];
        $text .= ' ' if $text =~ /\w\z/ && $new =~ /\A\w/ || $text =~ /\b(?:my|our|local|state)\z/;
        $text .= $new;
    }
    $text =~ s/\{'(\w+)'\}/{$1}/g;
    return $text;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Source - a file of Perl as tokens with brackets, statements, packages, subs

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. The tokens are PPI's, without spaces and comments; everything
above them (brackets, statements, packages, subs, lists of arguments) is found here, on a flat
list, because that costs a fraction of a document tree. Nothing is public.

=cut
