package Permafrost::Audit::Rules;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Source ();
use Permafrost::Audit::Names ();
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Calls qw(find_calls);
use Permafrost::Audit::Catalog qw(rule confidence_name);
use Permafrost::Audit::Expression qw(assignments assigned parent constant_string inside_block variable strip_parens has_own);
use Permafrost::Audit::Flow qw(destinations uses_of);
use Permafrost::Audit::Functions qw(kind_of network_name data_argument);
use Permafrost::Audit::Origins qw(untrusted_origin is_guarded);
use Permafrost::Audit::Places qw(place_text);

our @EXPORT_OK = qw(examine);

use constant { CERTAIN => 3, LIKELY => 2, POSSIBLE => 1 };

# How bad it is to have a native image somewhere; what is missing here is a warning.
my %SEVERITY_OF_KIND = (
    (map { ($_ => 'error') } qw(cache db session queue socket)),
    (map { ($_ => 'note') } qw(process clone pipe temp env nowhere)),
);
my %RANK = (note => 1, warning => 2, error => 3);
# Values whose digits nfreeze may cut.
my $FLOATS = qr/\A(?:rand|sqrt|exp|log|sin|cos|atan2|clock_gettime|tv_interval|Time::HiRes::\w+)\z/;

# Look at one SOURCE. KNOWN: what other modules export (see Permafrost::Audit::Names); OUTER: names
# of the code that this text is a part of; MOST: how sure anything in it can be.
# RETURNS: a hash of findings, writes (of both orders, with their places), exports, and names.
sub examine {
    my ($source, %option) = @_;
    my $names = Permafrost::Audit::Names->new($source, $option{known}, $option{outer});
    my @calls = find_calls($source, $names);
    my $self = bless {
        source => $source, names => $names, calls => \@calls, by_token => {map { ($_->{at} => $_) } @calls},
        most => $option{most} || CERTAIN, findings => [], writes => [],
    }, __PACKAGE__;
    for my $call (@calls) {
        $self->_writer($call) if $call->{role} eq 'native' || $call->{role} eq 'network';
        $self->_reader($call) if $call->{role} eq 'read';
    }
    $self->_lock_gaps;
    $self->_switches;
    $self->_texts_of_evals;
    $self->_text_behind_end if $names->{autoloads} && defined $source->{end_line};
    return {findings => $self->{findings}, writes => $self->{writes}, exports => $names->exported,
        names => $names};
}

# Note a finding at token AT.
sub _find {
    my ($self, $id, $sure, $at, %more) = @_;
    my $source = $self->{source};
    my $token = $source->{tokens}[$at];
    $sure = $self->{most} if $sure > $self->{most};
    my ($first, $last) = ($source->statement_start($at), $source->statement_end($at));
    my $finding = {
        id => $id, confidence => confidence_name($sure), severity => $more{severity} || rule($id)->{severity},
        line => $token->[LINE], column => $token->[COL], length => length $token->[TEXT],
        sub => $source->sub_name($at), package => $token->[PACKAGE], source => $source->line($token->[LINE]),
        first_line => $source->{tokens}[$first][LINE], last_line => $source->{tokens}[$last][LINE],
        map { ($_ => $more{$_}) } grep { defined $more{$_} && $_ ne 'severity' } keys %more,
    };
    push @{$self->{findings}}, $finding;
    return $finding;
}

# ---- writers --------------------------------------------------------------------------------------

sub _writer {
    my ($self, $call) = @_;
    my @places = destinations($self->{source}, $call, $self->{by_token});
    $call->{places} = \@places;
    my $native = $call->{role} eq 'native';
    my $sure = $self->_has_alternative($call) ? POSSIBLE : $call->{sure};
    push @{$self->{writes}},
        {%{$self->_write_record($call, $sure, \@places)}, chosen => $native && $sure < $call->{sure} ? 1 : 0};
    $self->_native_image($call, $sure, \@places) if $native;
    $self->_ignored_result($call) if $call->{form} eq 'call' && kind_of($call->{fn}) ne 'memory';
    return;
}

sub _native_image {
    my ($self, $call, $sure, $places) = @_;
    my ($severity, $where) = $self->_where($places);
    my $fn = $call->{fn};
    my $network = network_name($fn);
    my $clone = @$places && !grep { $_->{kind} ne 'clone' } @$places;
    my $message = $call->{form} eq 'ref'
        ? "this reference to $fn makes images in this machine's native byte order"
        : "$fn writes an image in this machine's native byte order";
    $message .= defined $where ? "; $where" : '';
    $message .= '; the call fails, as it has not been imported' if defined $call->{imported};
    my $suggestion = $clone ? 'use dclone: it copies without an image' : "use $network";
    my $floats = !$clone && $self->_floats($call);
    $suggestion .= "; $network keeps 15 digits of a float, and there are floats here ($floats): Permafrost->new(exact_numbers => 1) keeps all" if $floats;
    $self->_find('native-image', $sure, $call->{at}, severity => $severity, message => $message,
        suggestion => $suggestion,
        function => $fn, form => $call->{form}, fixable => $self->_fixable($call, $sure, $clone),
            floats => $floats || undef,
        callers => [map { $self->{source}{tokens}[$_->{caller}][LINE] } grep { defined $_->{caller} }
            @$places]);
    return;
}

# The severity that the places ask for, and words about them.
sub _where {
    my ($self, $places) = @_;
    return ('warning', undef) unless @$places;
    my $severity = 'note';
    for my $place (@$places) {
        my $this = $SEVERITY_OF_KIND{$place->{kind}} || 'warning';
        $severity = $this if $RANK{$this} > $RANK{$severity};
    }
    my ($worst) = grep { ($SEVERITY_OF_KIND{$_->{kind}} || 'warning') eq $severity } @$places;
    return ($severity, $self->_words($worst));
}

sub _words {
    my ($self, $place) = @_;
    my ($kind, $name) = @$place{qw(kind name)};
    my $line = defined $place->{at} ? ' (line ' . $self->{source}{tokens}[$place->{at}][LINE] . ')' : '';
    return "it goes to $name by $place->{recv}->$place->{method}$line"
        if $kind =~ /\A(?:cache|db|session|queue|socket)\z/ && $place->{method} && $place->{recv};
    return "it is used only to copy data: thawed at once$line" if $kind eq 'clone';
    return "it stays in this process$line" if $kind eq 'process';
    return undef if $kind =~ /\A(?:nowhere|variable|data|return|code|handle)\z/;
    return "it is passed to $name$line" if $kind eq 'call';
    return "it goes to $name$line";
}

# Does the code choose between this call and the network one?
sub _has_alternative {
    my ($self, $call) = @_;
    return 0 if $call->{role} ne 'native';
    my $source = $self->{source};
    my ($i, $j) = @$call{qw(first last)};
    for (1 .. 8) {
        my $around = parent($source, $i, $j);
        return 1 if $around->{type} eq 'ternary' && $self->_network_in(@{$around->{other}});
        last if $around->{type} =~ /\A(?:void|value|assign|call|method|modifier)\z/ || $around->{first} == $i
            && $around->{last} == $j;
        ($i, $j) = @$around{qw(first last)};
    }
    return $self->_other_branch($call) || $self->_returned_before($call);
}

sub _network_in {
    my ($self, $from, $to) = @_;
    return scalar grep { $_->{role} eq 'network' && $_->{at} >= $from && $_->{at} <= $to } @{$self->{calls}};
}

# The other blocks of the if around the call.
sub _other_branch {
    my ($self, $call) = @_;
    my $t = $self->{source}{tokens};
    my $sub = $t->[$call->{at}][SUB];
    my $low = $sub ? $sub->{open} : -1;
    for (my $open = $call->{at}; $open > $low; $open--) {
        my ($text, $match) = @{$t->[$open]}[TEXT, MATCH];
        next if $t->[$open][TYPE] ne 'struct';
        if ($text =~ /[)\]}]/ && defined $match && $match < $open) { $open = $match; next }
        next unless $text eq '{' && $t->[$open][KIND] eq 'block' && defined $match;
        for my $range ($self->_branches_beside($open, $match)) { return 1 if $self->_network_in(@$range) }
    }
    return 0;
}

sub _branches_beside {
    my ($self, $open, $close) = @_;
    my $t = $self->{source}{tokens};
    my @found;
    my $end = $close;
    while ($t->[$end + 1] && $t->[$end + 1][TEXT] =~ /\A(?:else|elsif)\z/) {    # those behind
        my $next = $end + 2;
        $next = ($t->[$next][MATCH] // last) + 1 if $t->[$next] && $t->[$next][TEXT] eq '(';
        last unless $t->[$next] && defined $t->[$next][MATCH];
        push @found, [$next, $t->[$next][MATCH]];
        $end = $t->[$next][MATCH];
    }
    my $word = $open - 1;
    $word = $t->[$word][MATCH] - 1 if $t->[$word][TEXT] eq ')' && defined $t->[$word][MATCH];
    while ($word > 0 && $t->[$word][TEXT] =~ /\A(?:else|elsif)\z/ && $t->[$word - 1][TEXT] eq '}' && defined $t->[$word - 1][MATCH]) {    # those before
        push @found, [$t->[$word - 1][MATCH], $word - 1];
        $word = $t->[$word - 1][MATCH] - 1;
        $word = $t->[$word][MATCH] - 1 if $t->[$word][TEXT] eq ')' && defined $t->[$word][MATCH];
    }
    return @found;
}

# return nfreeze(...) if PORTABLE; return freeze(...); and the same with blocks.
sub _returned_before {
    my ($self, $call) = @_;
    my $t = $self->{source}{tokens};
    my $sub = $t->[$call->{at}][SUB] or return 0;
    my @network = grep { $_->{role} eq 'network' && $_->{fn} eq network_name($call->{fn})
        && $t->[$_->{at}][SUB] && $t->[$_->{at}][SUB] == $sub } @{$self->{calls}};
    return scalar grep { $self->_leaves_before($_->{at}, $call->{at})
        || $self->_leaves_before($call->{at}, $_->{at}) } @network;
}

# Does the sub return at token I, under a condition, so that token J behind it is the other case?
sub _leaves_before {
    my ($self, $i, $j) = @_;
    return 0 if $i > $j;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($start, $end) = ($source->statement_start($i), $source->statement_end($i));
    return 0 unless $t->[$start][TEXT] eq 'return' && $end < $j;
    return 1 if grep { $t->[$_][TYPE] eq 'word' && $t->[$_][TEXT] =~ /\A(?:if|unless)\z/ } $start .. $end;
    my $open = $start - 1;
    $open-- while $open > 0 && !($t->[$open][TEXT] eq '{' && $t->[$open][TYPE] eq 'struct');
    return $open > 0 && $t->[$open - 1][TEXT] =~ /\A(?:\)|else)\z/ && ($t->[$open][MATCH] // $j) < $j;
}

# Computed or long floats in the data that are visible here: their text, else nothing.
sub _floats {
    my ($self, $call) = @_;
    my $range = $call->{args} ? $call->{args}[data_argument($call->{fn})] : undef;
    return undef unless $range;
    my $source = $self->{source};
    my @ranges = ($range);
    for my $at ($range->[0] .. $range->[1]) {
        my ($type, $text) = @{$source->{tokens}[$at]}[TYPE, TEXT];
        next if $type ne 'sym' || $text !~ /\A[\$\@%](\w+)\z/ || @ranges > 20;
        push @ranges, map { $_->{rhs} } map { assigned($source, $_, $at) } "\$$1", "\@$1", "%$1";
    }
    for my $one (@ranges) {
        for my $at ($one->[0] .. $one->[1]) {
            my ($type, $text) = @{$source->{tokens}[$at]}[TYPE, TEXT];
            return $text if $type eq 'num' && $text =~ /\A[\d_]*\.\d[\d_]*|\de-/i
                && length($text =~ s/\D//gr) > 15
                || $type eq 'op' && ($text eq '/' || $text eq '**') || $type eq 'word' && $text =~ $FLOATS;
        }
    }
    return undef;
}

# What --fix has to rename: the token, if that is all that it takes.
sub _fixable {
    my ($self, $call, $sure, $clone) = @_;
    return undef if $sure < CERTAIN || $self->{most} < CERTAIN || $clone || $call->{indirect}
        || defined $call->{imported};
    my $token = $self->{source}{tokens}[$call->{at}];
    my $text = $token->[TYPE] eq 'str' ? $token->[VALUE] : $token->[TEXT];
    return $text =~ /(?:\A|::|'|&|\*)\Q$call->{fn}\E\z/
        ? {from => $call->{fn}, to => network_name($call->{fn}), via => $call->{via}} : undef;
}

# ---- places, for mixed-order --------------------------------------------------------------------------

sub _write_record {
    my ($self, $call, $sure, $places) = @_;
    my $source = $self->{source};
    my $token = $source->{tokens}[$call->{at}];
    my $range = $call->{args} ? $call->{args}[data_argument($call->{fn})] : undef;
    my @ids = map { $self->_place_ids($_) } @$places;
    my $value = $range ? $source->text_of(@$range) =~ s/\A\\//r : undef;
    if (defined $value && $value =~ /\A\$\w+(?:->\{\w+\})*\z/
        && grep { ($SEVERITY_OF_KIND{$_->{kind}} || '') ne 'note' && $_->{kind} !~ /\A(?:return|variable)\z/ }
        @$places) {
        push @ids, {id => join("\0", 'value', $self->_owner($value, $call->{at}), $value),
            what => "the value $value", sure => POSSIBLE, here => 1};
    }
    return {
        order => $call->{role}, function => $call->{fn}, sure => $sure > $self->{most} ? $self->{most}
            : $sure, line => $token->[LINE], column => $token->[COL],
        length => length $token->[TEXT], sub => $source->sub_name($call->{at}), package => $token->[PACKAGE],
        source => $source->line($token->[LINE]),
        first_line => $source->{tokens}[$source->statement_start($call->{at})][LINE],
        last_line => $source->{tokens}[$source->statement_end($call->{at})][LINE], places => \@ids,
    };
}

# Whose variable that is: the sub's, if it is declared there, else the package's.
sub _owner {
    my ($self, $text, $at) = @_;
    my ($name) = $text =~ /(\$\w+)/;
    my $own = defined $name && $name !~ /\A\$(?:self|class|this)\z/
        && has_own($self->{source}, $name, $at);
    return $own ? 'sub ' . ($self->{source}->sub_name($at) // '')
        : 'package ' . $self->{source}{tokens}[$at][PACKAGE];
}

# Names of a place by which two writes can be seen to go to the same one. `here`: only within the file.
sub _place_ids {
    my ($self, $place) = @_;
    my ($kind, $recv, $key, $class, $target) = @$place{qw(kind recv key class target)};
    my $known_key = defined $key && $key =~ /['"]/ && $key =~ /\w/;
    if ($kind =~ /\A(?:cache|session|queue|shared)\z/) {
        my @ids;
        push @ids, {id => join("\0", $kind, 'key', $class // $place->{name}, $key),
            what => "$place->{name}, key $key", sure => CERTAIN} if $known_key;
        push @ids, {id => join("\0", $kind, $recv), what => "$place->{name} ($recv)", sure => LIKELY,
            here => 1} if defined $recv;
        push @ids, {id => join("\0", $kind, 'made', $place->{made}),
            what => "$place->{name} ($place->{made})", sure => LIKELY} if defined $class && defined $place->{made};
        push @ids, {id => join("\0", $kind, 'class', $class), what => $class, sure => POSSIBLE}
            if defined $class;
        return @ids;
    }
    return {id => join("\0", 'column', $place->{column}), what => "the column $place->{column}",
        sure => LIKELY} if $kind eq 'db' && defined $place->{column};
    return {id => join("\0", 'dbm', $recv), what => "$place->{name} ($recv)", sure => LIKELY, here => 1}
        if $kind eq 'db' && defined $recv && !$place->{method};
    if ($kind =~ /\A(?:file|temp)\z/ && defined $target) {
        return {id => join("\0", 'file', $target), what => "the file $target", sure => CERTAIN}
            if $target =~ /\A'/;
        return {id => join("\0", 'file', $self->_owner($target, $place->{at}), $target),
            what => "the file $target", sure => LIKELY, here => 1} if $target =~ /\A\$/;
    }
    return {id => join("\0", 'data', $self->_owner($target, $place->{at}), $target), what => $target,
        sure => POSSIBLE, here => 1} if $kind eq 'data' && defined $target && $target =~ /\{\w+\}/;
    return ();
}

# ---- results that nobody looks at ----------------------------------------------------------------------

# store($data, $file); as a statement.
sub _ignored_result {
    my ($self, $call) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($i, $j, $sure) = (@$call{qw(first last)}, $call->{sure});
    for (1 .. 10) {
        my $around = parent($source, $i, $j);
        my $type = $around->{type};
        if ($type eq 'value') {
            my $open = $around->{block} // return;
            my $sub = $t->[$i][SUB];
            return if $sub && $sub->{open} == $open;
            my $word = $open ? $t->[$open - 1][TEXT] : '';
            if ($word =~ /\A(?:eval|try|do)\z/) {
                $sure = LIKELY if $sure > LIKELY;
                ($i, $j) = ($open - 1, $t->[$open][MATCH]);
                next;
            }
            return if $word =~ /\A(?:map|grep|sort|sub)\z/ || $sub
                && ($t->[$open][MATCH] // 0) + 1 == $sub->{close};
            last;
        }
        if ($type eq 'void') { return if $self->_errno_asked_after($j); last }
        return if $type !~ /\A(?:paren|ternary)\z/ && !($type eq 'and' && $around->{side} eq 'right');
        ($i, $j) = @$around{qw(first last)};
    }
    $self->_find('unchecked-result', $sure, $call->{at}, function => $call->{fn},
        message => "the result of $call->{fn} is ignored: a full disk goes unnoticed",
        suggestion => "$call->{fn}(...) or die \"...: \$!\"");
    return;
}

# Does the next statement ask for $! ?
sub _errno_asked_after {
    my ($self, $at) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $start = $source->statement_end($at) + 1;
    return 0 if $start > $#$t;
    my $asks = 0;
    for my $i ($start .. $source->statement_end($start)) {
        $asks = 1 if $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] =~ /\A(?:if|unless)\z/;
        return 1 if $asks && $t->[$i][TEXT] =~ /\A\$(?:!|OS_ERROR|ERRNO)\z/;
    }
    return 0;
}

# ---- readers ------------------------------------------------------------------------------------------------

sub _reader {
    my ($self, $call) = @_;
    return if $call->{form} eq 'ref' || !$call->{args} || !@{$call->{args}};
    return if $self->_reads_own($call);
    $self->_untrusted($call);
    $self->_unchecked($call);
    return;
}

sub _untrusted {
    my ($self, $call) = @_;
    my ($what, $sure) = untrusted_origin($self->{source}, $call) or return;
    return unless defined $what;
    return if is_guarded($self->{source}, $call);
    $sure = $call->{sure} if $call->{sure} < $sure;
    $self->_find('untrusted-thaw', $sure, $call->{at}, function => $call->{fn},
        message => "$call->{fn} reads an image that comes from $what: it can make objects of any class and run their code",
        suggestion => 'check a signature before, or read plain data only: thaw($image, 0), or Permafrost->new(trust => "data")');
    return;
}

sub _unchecked {
    my ($self, $call) = @_;
    my $source = $self->{source};
    my $in_eval = defined inside_block($source, $call->{at}, qr/\A(?:eval|try)\z/);
    my $hook = ($source->sub_name($call->{at}) // '') =~ /::STORABLE_/;
    my ($i, $j) = @$call{qw(first last)};
    for (1 .. 10) {
        my $around = parent($source, $i, $j);
        my $type = $around->{type};
        if ($type eq 'deref' || $type eq 'method') {
            return if $in_eval || $type eq 'method' && $source->{tokens}[$around->{at} // $j][TYPE] eq 'sym';
            return $self->_unchecked_at($call, $hook ? POSSIBLE : $call->{sure}, $around->{first});
        }
        if ($type eq 'assign') { return $self->_unchecked_variable($call, $around, $in_eval || $hook) }
        if ($type eq 'value') {
            my $open = $around->{block} // return;
            return unless $open && $source->{tokens}[$open - 1][TEXT] =~ /\A(?:eval|do|try)\z/
                && defined $source->{tokens}[$open][MATCH];
            $in_eval ||= $source->{tokens}[$open - 1][TEXT] ne 'do';
            ($i, $j) = ($open - 1, $source->{tokens}[$open][MATCH]);
            next;
        }
        return if $type !~ /\A(?:paren)\z/;
        ($i, $j) = @$around{qw(first last)};
    }
    return;
}

# my $data = thaw(...); and then $data->{x} before anybody has asked whether it is there.
sub _unchecked_variable {
    my ($self, $call, $around, $weak) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $after = $source->{tokens}[$around->{last} + 1];
    return if $around->{op} ne '=' || $after && $after->[TEXT] =~ /\A(?:or|\|\||\/\/|if|unless|and)\z/
        && $after->[TEXT] =~ /or|\||\//;
    my $outer = parent($source, $around->{first}, $around->{last});
    return if $outer->{type} !~ /\A(?:void|value)\z/;
    my $name = variable($source, @{$around->{lhs}}) // return;
    for my $at (uses_of($source, $name, $around->{last})) {
        my $use = parent($source, $at, $at);
        my $type = $use->{type};
        $type = 'deref' if $type eq 'method' && $t->[$at + 2][TYPE] eq 'word';
        if ($type eq 'deref') {
            return if $self->_asks(parent($source, $use->{first}, $use->{last}))
                || $self->_asked_in_statement($name, $at);
            return $self->_unchecked_at($call, $weak ? POSSIBLE : $call->{sure} > LIKELY
                ? LIKELY : $call->{sure}, $at);
        }
        return;    # a test, or something that we cannot judge
    }
    return;
}

# Does the statement around token AT, with its modifier, ask whether there is anything?
sub _asked_in_statement {
    my ($self, $name, $at) = @_;
    my $source = $self->{source};
    for my $other ($source->statement_start($at) .. $source->statement_end($at)) {
        next if $other == $at || $source->{tokens}[$other][TYPE] ne 'sym'
            || $source->{tokens}[$other][TEXT] ne $name;
        my $around = parent($source, $other, $other);
        $around = parent($source, $around->{first}, $around->{last}) if $around->{type} eq 'paren';
        return 1 if $around->{type} =~ /\A(?:test|condition|compare|modifier|and|or)\z/
            || $around->{type} eq 'arg' && $around->{name} =~ /\A(?:ref|defined|reftype|blessed)\z/;
    }
    return 0;
}

# Is this a question whether there is anything?
sub _asks { return $_[1]{type} =~ /\A(?:test|condition|or)\z/ }

sub _unchecked_at {
    my ($self, $call, $sure, $used) = @_;
    my $line = $self->{source}{tokens}[$used][LINE];
    $self->_find('unchecked-result', $sure, $call->{at}, function => $call->{fn},
        message => "the result of $call->{fn} is used as a reference"
            . ($line == $self->{source}{tokens}[$call->{at}][LINE] ? '' : " (line $line)")
            . ' without a check: for a truncated image it is undef',
        suggestion => "$call->{fn}(...) or die \"...\"");
    return;
}

# ---- lock gaps --------------------------------------------------------------------------------------------------

sub _lock_gaps {
    my ($self) = @_;
    my $source = $self->{source};
    my @readers = grep { $_->{fn} =~ /\A(?:lock_)?retrieve\z/ && $_->{args} && @{$_->{args}} }
        @{$self->{calls}};
    my @writers = grep { $_->{fn} =~ /\Alock_n?store\z/ && $_->{args} && @{$_->{args}} > 1 }
        @{$self->{calls}};
    for my $writer (@writers) {
        my $file = place_text($source, @{$writer->{args}[1]});
        my ($best, $sure);
        for my $reader (@readers) {
            next if place_text($source, @{$reader->{args}[0]}) ne $file;
            my $this = $self->_gap_between($reader, $writer) or next;
            ($best, $sure) = ($reader, $this) if !$best || $this > $sure;
        }
        next unless $best;
        my $line = $source->{tokens}[$best->{at}][LINE];
        $self->_find('lock-gap', $sure, $writer->{at}, function => $writer->{fn},
            message => "$file was read by $best->{fn} (line $line) under another lock: what others write in between is lost",
            suggestion => 'hold one lock over reading and writing: Permafrost::lock_update { ... } ' . $file);
    }
    return;
}

# How sure it is that WRITER writes what READER has read, with no lock held over both; 0 if not.
sub _gap_between {
    my ($self, $reader, $writer) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $one = sub { my $sub = $t->[$_[0]{at}][SUB]; $sub = $sub->{parent} while $sub && !defined $sub->{name};
        $sub ? $sub->{number} : -1 };
    my $sure = $reader->{sure} < $writer->{sure} ? $reader->{sure} : $writer->{sure};
    $sure = LIKELY if defined $reader->{imported} || defined $writer->{imported};
    if ($one->($reader) != $one->($writer)) {
        my $file = $source->text_of(@{$writer->{args}[1]});
        return $reader->{fn} eq 'lock_retrieve' && $file !~ /\A\$\w+\z/
            && $t->[$reader->{at}][PACKAGE] eq $t->[$writer->{at}][PACKAGE] ? POSSIBLE : 0;
    }
    return 0 if $reader->{at} > $writer->{at} || $self->_excluded($reader->{at}, $writer->{at});
    my ($from) = $source->scope($writer->{at});
    return 0 if grep { $t->[$_][TYPE] eq 'word'
        && $t->[$_][TEXT] =~ /\A(?:flock|lock_update|\w*lock_?file\w*|acquire\w*)\z/i } $from .. $reader->{at} - 1;
    return $reader->{fn} eq 'retrieve' && $sure > LIKELY ? LIKELY : $sure;
}

# Are the two in branches of one if, of which only one is taken?
sub _excluded {
    my ($self, $i, $j) = @_;
    my $t = $self->{source}{tokens};
    for (my $open = $i; $open >= 0; $open--) {
        my ($type, $text, $match) = @{$t->[$open]}[TYPE, TEXT, MATCH];
        next if $type ne 'struct';
        if ($text =~ /[)\]}]/ && defined $match && $match < $open) { $open = $match; next }
        next unless $text eq '{' && defined $match && $match < $j;
        return 1 if grep { $_->[0] < $j && $j < $_->[1] } $self->_branches_beside($open, $match);
        return 1 if $t->[$open - 1][TEXT] eq ')'
            && grep { $t->[$_][TYPE] eq 'word'
            && $t->[$_][TEXT] eq 'return' } $self->{source}->statement_start($i) .. $match;
    }
    return 0;
}

# ---- $Storable::Eval and others ---------------------------------------------------------------------------------

sub _switches {
    my ($self) = @_;
    my $source = $self->{source};
    my $found = assignments($source);
    for my $text (sort keys %$found) {
        my ($name) = $text =~ /\A\$\{?(?:Storable|Permafrost)::(Eval|Deparse|forgive_me)\}?\z/ or next;
        for my $set (@{$found->{$text}}) {
            my @range = $self->_assigned_range($set) or next;
            my ($sure, $filtered) = $self->_switched_on(@range);
            next unless $sure;
            my ($at) = grep { $source->{tokens}[$_][TEXT] =~ /::$name\z/ } $set->{lhs}[0] .. $set->{lhs}[1];
            $sure = POSSIBLE if $name ne 'forgive_me' && $self->_only_for_copies($set);
            $self->_switch($name, $sure, $at // $set->{at}, $filtered);
        }
    }
    return;
}

# A local switch in a block that then only copies data: no image comes from elsewhere.
sub _only_for_copies {
    my ($self, $set) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return 0 if $t->[$source->statement_start($set->{at})][TEXT] ne 'local';
    my $close = $set->{at};
    while ($close < $#$t && !($t->[$close][TEXT] eq '}'
        && ($t->[$close][MATCH] // $#$t) < $set->{at})) { $close++ }
    my @calls = grep { $_->{at} > $set->{at} && $_->{at} < $close } @{$self->{calls}};
    my $images = grep { $_->{role} eq 'read' || $_->{role} ne 'clone'
        && grep { $_->{kind} ne 'clone' } @{$_->{places} || []} } grep { !$self->_reads_own($_) } @calls;
    return @calls && !$images;
}

# Is this a thaw of an image that is made in its own argument?
sub _reads_own {
    my ($self, $call) = @_;
    return 0 unless $call->{role} eq 'read' && $call->{args} && @{$call->{args}};
    my $first = $call->{args}[0][0];
    return scalar grep { $_->{first} == $first && $_->{role} =~ /\A(?:native|network)\z/
        && $_->{form} eq 'call' } @{$self->{calls}};
}

# The range of what a variable gets, of a list perhaps.
sub _assigned_range {
    my ($self, $set) = @_;
    my $source = $self->{source};
    return @{$set->{rhs}} unless defined $set->{item};
    my ($i, $j) = strip_parens($source, @{$set->{rhs}});
    my @list = $source->split_list($i, $j);
    return @{$list[$set->{item}] || []};
}

# Is it a true value? RETURNS: how sure, and whether it is a sub that looks at the code.
sub _switched_on {
    my ($self, $i, $j) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($type, $text) = @{$t->[$i]}[TYPE, TEXT];
    return (CERTAIN, 1) if $text eq 'sub' || $text eq '\\';
    if ($i == $j) {
        my $value = $type eq 'num' ? $text : constant_string($source, $i, $j);
        return $value ? CERTAIN : 0 if defined $value && $type =~ /\A(?:num|str)\z/;
        return 0 if $text eq 'undef' || $text =~ /\A\$(?:old|saved?|orig)\w*\z/;
    }
    return CERTAIN if $t->[$j][TYPE] eq 'num' && $t->[$j - 1][TEXT] eq '=' && $t->[$j][TEXT];
    return 0 if $t->[$j][TYPE] eq 'num' && $t->[$j - 1][TEXT] eq '=';
    return POSSIBLE;
}

sub _switch {
    my ($self, $name, $sure, $at, $filtered) = @_;
    if ($name eq 'forgive_me') {
        return $self->_find('silent-loss', $sure, $at,
            message => 'with forgive_me, code and handles in the data become strings and the run succeeds',
            suggestion => 'find out what cannot be stored and leave it out; without forgive_me the error names it');
    }
    my $eval = $name eq 'Eval';
    return $self->_find('code-enabled', $sure, $at, severity => $eval && !$filtered ? 'error' : 'warning',
        message => $eval ? ($filtered ? 'code in images is handed to a sub of yours'
            : 'code in images is compiled: whoever can write the image can run code here')
            : 'code is written into images as source text',
        suggestion => $eval ? 'leave it off; if code must travel, let $Storable::Eval be a sub that compiles in Safe' : 'leave it off, and keep code out of stored data');
}

# ---- code in other places -----------------------------------------------------------------------------------------

# The texts of string evals.
sub _texts_of_evals {
    my ($self) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    for my $i (0 .. $#$t) {
        next unless $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] eq 'eval';
        my $text = Permafrost::Audit::Names::eval_text($source, $i) // next;
        next unless $text =~ /Storable|Permafrost|freeze|store|thaw|retrieve/;
        my ($string) = grep { $t->[$_][TYPE] eq 'str' } $i + 1 .. ($i + 4 < $#$t ? $i + 4 : $#$t);
        my $at = $t->[$string // $i];
        my $here = $at->[TEXT] =~ /\A<</;
        $self->_inner($text, $at->[LINE] + ($here ? 1 : 0), $i, POSSIBLE, $here ? 1
            : $at->[COL] + length(($at->[TEXT] =~ /\A(q[qw]?\s*.|.)/s)[0]), defined $string);
    }
    return;
}

# What AutoLoader and SelfLoader compile later.
sub _text_behind_end {
    my ($self) = @_;
    my $source = $self->{source};
    my $first = $source->{end_line} + 1;
    my @lines = split /\n/, $source->{text}, -1;
    my $text = join "\n", @lines[$first - $source->{first_line} .. $#lines];
    return unless $text =~ /Storable|freeze|store|thaw|retrieve/;
    $self->_inner($text, $first, $#{$source->{tokens}}, LIKELY, 1, 1);
    return;
}

# Examine a text that is compiled from the code around token I; it begins at LINE and COLUMN if it
# stands in this place of the source.
sub _inner {
    my ($self, $text, $line, $i, $most, $column, $string_is_here) = @_;
    my $source = $self->{source};
    my $inner = eval { Permafrost::Audit::Source->parse($text, name => $source->{name}, line => $line,
        package => $source->{tokens}[$i][PACKAGE] // 'main') } or return;
    my $result = examine($inner, known => $self->{names}{known}, outer => $self->{names},
        most => $most < $self->{most} ? $most : $self->{most});
    for my $finding (@{$result->{findings}}) {
        $finding->{column} += $column - 1 if $finding->{line} == $line;
        if (!$string_is_here) {    # the text stands elsewhere: show the eval
            my $at = $source->{tokens}[$i];
            @$finding{qw(line column length source first_line last_line)} = ($at->[LINE], $at->[COL],
                length $at->[TEXT], $source->line($at->[LINE]), $at->[LINE], $at->[LINE]);
        }
        $finding->{sub} //= $source->sub_name($i) if $most == POSSIBLE;
        delete $finding->{fixable};
        push @{$self->{findings}}, $finding;
    }
    push @{$self->{writes}}, @{$result->{writes}};
    return;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Rules - the findings in one file

=head1 DESCRIPTION

Part of L<Permafrost::Audit>, whose manual explains the findings. Nothing is public.

=cut
