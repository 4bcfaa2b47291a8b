package Permafrost::Audit::Calls;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Source ();
use Permafrost::Audit::Names ();
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Expression qw(assignments parent receiver_start constant_string);
use Permafrost::Audit::Functions qw(is_storable network_name %ROLE);

our @EXPORT_OK = qw(find_calls);

use constant { CERTAIN => 3, LIKELY => 2, POSSIBLE => 1 };

# Names that nobody else has: called without having been imported, Storable's are meant.
my $UNMISTAKABLE = qr/\A(?:lock_store|lock_nstore|lock_retrieve|nstore_fd|fd_retrieve|nfreeze)\z/;
# Functions that look at code without calling it.
my $LOOKS = qr/\A(?:defined|exists|ok|is|isnt|is_deeply|isa_ok|can_ok|like|ref|refaddr|undef|print|diag|note|prototype|set_prototype|svref_2object)\z/;
# Words after which a bareword is a name, not a call.
my $NAMES = qr/\A(?:sub|package|use|no|require|sort|method|my|our|format|goto|last|next|redo|defined|exists|undef|can_ok)\z/;

# All calls of, and references to, functions of Storable in a SOURCE with these NAMES. Each is a
# hash: fn, role, form (call, goto or ref), sure, at (the token of the name), first and last (the
# range of the whole expression), args (list of ranges; undef: @_).
sub find_calls {
    my ($source, $names) = @_;
    my $self = bless {source => $source, names => $names, calls => [], refs => {}, called => {}}, __PACKAGE__;
    my $t = $source->{tokens};
    for my $i (0 .. $#$t) {
        my ($type, $text, $package) = @{$t->[$i]}[TYPE, TEXT, PACKAGE];
        next if is_storable($package);    # the modules themselves
        if    ($type eq 'word')                             { $self->_word($i) }
        elsif ($type eq 'sym')                              { $self->_symbol($i, $text) if $text =~ /\A[&*]/ }
        elsif ($type eq 'cast')                             { $self->_cast($i) if $text eq '&' }
        elsif ($type eq 'op' && $text eq '->')              { $self->_arrow($i) }
    }
    $self->_references;
    return sort { $a->{at} <=> $b->{at} } @{$self->{calls}};
}

sub _add {
    my ($self, $code, %call) = @_;
    return unless $code->{fn} && $ROLE{$code->{fn}};
    $call{sure} = $code->{sure} if !defined $call{sure} || $code->{sure} < $call{sure};
    $call{sure} = LIKELY if $call{sure} == CERTAIN && $self->{names}{filtered};
    push @{$self->{calls}},
        {form => 'call', via => $code->{via}, %call, fn => $code->{fn}, role => $ROLE{$code->{fn}}};
    return;
}

# ---- by name --------------------------------------------------------------------------------------

# freeze(...), Storable::freeze ..., CONSTANT->(...)
sub _word {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $text = $t->[$i][TEXT];
    return $self->_can_word($i) if $text eq 'can' || $text eq 'UNIVERSAL::can';
    my $next = $t->[$i + 1] || [struct => ';'];
    my ($before, $before_type) = $i ? @{$t->[$i - 1]}[TEXT, TYPE] : (';', 'struct');
    return if $next->[TEXT] =~ /\A(?:=>|->|::)\z/ || $before_type eq 'word' && $before =~ $NAMES;
    return if $next->[TEXT] eq '}' && $before eq '{' && $t->[$i - 1][KIND] =~ /subscript|deref/;
    return if $before eq '->' && $text !~ /::/;
    return if $before eq '&' && $before_type eq 'cast';
    my @found = $self->{names}->lookup($text, $t->[$i][PACKAGE]);
    @found = $self->_not_imported($i) unless @found;
    return unless grep { $_->{fn} } @found;
    return if $before ne '->' && $next->[TEXT] ne '(' && !$self->_takes_list($i, $next, $found[0]{fn});
    my ($last, @args) = $source->arguments($i);
    my $first = $i;
    if ($before eq '->') {    # $x->Storable::freeze
        $first = receiver_start($source, $i - 2);
        @args = ([$first, $i - 2], $next->[TEXT] eq '(' ? @args : ());
        $last = $i if $next->[TEXT] ne '(';
    }
    $self->_add($_, at => $i, first => $first, last => $last, args => \@args, imported => $_->{imported})
        for $self->_merge(@found);
    return;
}

# Several meanings of one name make one call of the first native writer among them.
sub _merge {
    my ($self, @found) = @_;
    return @found if @found == 1;
    my @native = grep { $_->{fn} && $ROLE{$_->{fn}} eq 'native' } @found;
    my @ours   = grep { $_->{fn} } @found;
    my ($one)  = @native ? @native : @ours;
    return {%$one, sure => @native == @found ? $one->{sure} : POSSIBLE};
}

# Is a name without parentheses a call? It must have something to work on.
sub _takes_list {
    my ($self, $i, $next, $fn) = @_;
    return 0 if $next->[TYPE] eq 'struct' && $next->[TEXT] !~ /\A[\[{]\z/;
    return 0 if $next->[TYPE] eq 'op' && $next->[TEXT] !~ /\A[-+!\\]\z/;
    return 0 if $next->[TYPE] eq 'word'
        && $next->[TEXT] =~ /\A(?:if|unless|while|until|for|foreach|and|or|xor|x|eq|ne|cmp|lt|gt|le|ge|isa)\z/;
    return 0 if $next->[TYPE] eq 'label' || $next->[TYPE] eq 're';
    return !$self->_indirect_object($i, $next);
}

# freeze Some::Class LIST is a method call if there is such a class.
sub _indirect_object {
    my ($self, $i, $next) = @_;
    return 0 unless $next->[TYPE] eq 'word' && $next->[TEXT] =~ /\A[A-Z]\w*(?:::\w+)*(?:::)?\z/;
    my $after = $self->{source}{tokens}[$i + 2] || [struct => ';'];
    return 0 if $after->[TEXT] =~ /\A(?:->|\(|::|,|=>)\z/;
    my $class = normal_name($next->[TEXT]);
    return 1 if $next->[TEXT] =~ /::/;
    return scalar grep { $_->[PACKAGE] eq $class } @{$self->{source}{tokens}};
}

# A call of lock_store where `use Storable` forgot to import it.
sub _not_imported {
    my ($self, $i) = @_;
    my ($text, $package) = @{$self->{source}{tokens}[$i]}[TEXT, PACKAGE];
    return () unless $text =~ $UNMISTAKABLE && $self->{names}{has_import}{$package};
    return () unless ($self->{source}{tokens}[$i + 1] || [0, ''])->[TEXT] eq '(';
    return {fn => $text, sure => POSSIBLE, imported => 0};
}

# &freeze(...), &freeze; goto &freeze; \&freeze
sub _symbol {
    my ($self, $i, $text) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $before = $i ? $t->[$i - 1][TEXT] : ';';
    my $call = ($t->[$i + 1] || [0, ''])->[TEXT] eq '(';
    if ($text =~ /\A\*/) { return $self->_glob($i) }
    return if $before =~ /\A(?:defined|exists|undef)\z/ || $before eq '(' && $i >= 2
        && $t->[$i - 2][TEXT] =~ /\A(?:defined|exists|undef)\z/;
    return $self->_reference($i - 1, $i) if $before eq '\\' && !$call;
    my @found = $self->{names}->lookup(substr($text, 1), $t->[$i][PACKAGE]);
    return unless grep { $_->{fn} } @found;
    my ($last, $args) = ($i, undef);
    if ($call) { ($last, my @list) = $source->arguments($i); $args = \@list }
    $self->_add($_, at => $i, first => $i, last => $last, args => $args, form => $before eq 'goto' ? 'goto'
        : 'call') for $self->_merge(@found);
    return;
}

# *Storable::freeze{CODE}, or a glob that is assigned or passed on.
sub _glob {
    my ($self, $i) = @_;
    my $t = $self->{source}{tokens};
    my $last = $i;
    if (($t->[$i + 1] || [0, ''])->[TEXT] eq '{') {
        return if ($t->[$i + 2] || [0, ''])->[TEXT] ne 'CODE';
        $last = $t->[$i + 1][MATCH] // $i;
    }
    elsif (($t->[$i + 1] || [0, ''])->[TEXT] eq '=') { return }
    $self->_reference($i, $last) if substr($t->[$i][TEXT], 1) =~ /\A(?:Storable|Permafrost)::\w/
        || $last > $i;
    return;
}

# ---- through references ---------------------------------------------------------------------------------

# &$code(...), &{...}(...), goto &$code; \&{"name"}
sub _cast {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $next = $t->[$i + 1] or return;
    my $inner_last = $next->[TEXT] eq '{' ? $next->[MATCH] // return : $i + 1;
    my @inner = $next->[TEXT] eq '{' ? ($i + 2, $inner_last - 1) : ($i + 1, $i + 1);
    my $before = $i ? $t->[$i - 1][TEXT] : ';';
    my $call = ($t->[$inner_last + 1] || [0, ''])->[TEXT] eq '(';
    return if $before =~ /\A(?:defined|exists)\z/;
    return $self->_reference($i - 1, $inner_last) if $before eq '\\' && !$call;
    my @code = $self->{names}->code_of(@inner);
    if (!@code) {
        my $name = $self->{names}->_joined(@inner);
        @code = $self->{names}->lookup($name, $t->[$i][PACKAGE]) if defined $name
            && $t->[$inner[0]][TYPE] ne 'word';
    }
    return $self->_indirect(\@code, $i, $i, $inner_last, $before eq 'goto' ? 'goto' : 'call');
}

# CODE->(...): a variable, an element, a constant, a string, the result of can.
sub _arrow {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return unless $i && ($t->[$i + 1] || [0, ''])->[TEXT] eq '(';
    my $first = receiver_start($source, $i - 1);
    my @code = $self->{names}->code_of($first, $i - 1);
    @code = $self->_named_by_string($first) if !@code && $first == $i - 1;
    @code = $self->_element($first, $i - 1) if !@code && $t->[$i - 1][TEXT] eq '}';
    $self->_indirect(\@code, $first, $first, $i, 'call');
    return;
}

sub _named_by_string {
    my ($self, $i) = @_;
    my $token = $self->{source}{tokens}[$i];
    return () if $token->[TYPE] ne 'str' && $token->[TYPE] ne 'sym';
    my $name = constant_string($self->{source}, $i, $i);
    return defined $name && $name =~ /\A\w+(?:::\w+)*\z/ ? $self->{names}->lookup($name, $token->[PACKAGE])
        : ();
}

# Code kept in an element with a constant key: $self->{freeze}->(...), $table{freeze}->(...).
sub _element {
    my ($self, $i, $j) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $open = $t->[$j][MATCH] // return ();
    return () if ($t->[$j][KIND] || '') ne 'subscript' || $open + 2 != $j;
    my $key = constant_string($source, $open + 1, $open + 1) // return ();
    my @values = @{$self->_slots->{$key} || []};
    my @code = map { $self->{names}->code_of(@$_) ? $self->{names}->code_of(@$_)
        : {unknown => 1, sure => POSSIBLE} } @values;
    return () unless grep { $_->{fn} } @code;
    return map { {%$_, sure => $_->{sure} > LIKELY ? LIKELY : $_->{sure}} } @code;
}

# All values that the file gives to elements, by key.
sub _slots {
    my ($self) = @_;
    return $self->{slots} if $self->{slots};
    my $source = $self->{source};
    my $t = $source->{tokens};
    my %slots;
    my $found = assignments($source);
    for my $text (keys %$found) {
        next unless $text =~ /\{(\w+)\}\z/;
        push @{$slots{$1}}, map { $_->{rhs} } @{$found->{$text}};
    }
    for my $i (1 .. $#$t - 1) {
        next unless $t->[$i][TEXT] eq '=>' && $t->[$i - 1][TYPE] =~ /\A(?:word|str)\z/;
        my $key = $t->[$i - 1][TYPE] eq 'str' ? $t->[$i - 1][VALUE] : $t->[$i - 1][TEXT];
        my ($range) = $source->split_list($i + 1, $source->list_end($i + 1));
        push @{$slots{$key}}, $range if $range;
    }
    return $self->{slots} = \%slots;
}

# A call through what may be CODE. What is native there only among other things is left to the
# reference itself.
sub _indirect {
    my ($self, $code, $at, $first, $last_of_code, $form) = @_;
    return unless grep { $_->{fn} } @$code;
    my @fns = grep { $_->{fn} } @$code;
    my %roles = map { ($ROLE{$_->{fn}} => 1) } @fns;
    return if @fns != @$code || keys %roles > 1;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($last, $args) = ($last_of_code, undef);
    if (($t->[$last_of_code + 1] || [0, ''])->[TEXT] eq '(') {
        $last = $t->[$last_of_code + 1][MATCH] // $last_of_code + 1;
        $args = [$source->split_list($last_of_code + 2, $last - 1)];
    }
    $self->{called}{$_->{at}} = 1 for grep { defined $_->{at} } @fns;
    my %one = %{$fns[0]};
    $one{sure} = LIKELY if @fns > 1 && $one{sure} == POSSIBLE && !grep { $_->{fn} ne $one{fn} } @fns;
    $self->_add(\%one, at => $at, first => $first, last => $last, args => $args, form => $form,
        indirect => 1);
    return;
}

# ---- references that are not called here ---------------------------------------------------------------------

# CLASS->can('freeze')
sub _can_word {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return unless ($t->[$i + 1] || [0, ''])->[TEXT] eq '(';
    my $last = $t->[$i + 1][MATCH] // return;
    my $first = $t->[$i][TEXT] eq 'can'
        ? ($i >= 2 && $t->[$i - 1][TEXT] eq '->' ? receiver_start($source, $i - 2) : return) : $i;
    $self->_reference($first, $last);
    return;
}

# An expression that refers to code: remember it, by its first token, which code_of() names, too.
sub _reference {
    my ($self, $first, $last) = @_;
    my @code = $self->{names}->code_of($first, $last);
    return unless grep { $_->{fn} } @code;
    $self->{refs}{$first} = {first => $first, last => $last, code => \@code};
    return;
}

sub _references {
    my ($self) = @_;
    for my $first (sort { $a <=> $b } keys %{$self->{refs}}) {
        my $ref = $self->{refs}{$first};
        next if $self->{called}{$first};
        my ($code) = $self->_merge(@{$ref->{code}});
        my $sure = $self->_use_of_reference($ref, $code) or next;
        $self->_add($code, form => 'ref', at => $self->_name_token($ref), first => $first,
            last => $ref->{last}, args => undef, sure => $sure);
    }
    return;
}

# The token to show for a reference: the name itself.
sub _name_token {
    my ($self, $ref) = @_;
    my $t = $self->{source}{tokens};
    for my $at ($ref->{first} .. $ref->{last}) {
        return $at if $t->[$at][TYPE] eq 'sym' && $t->[$at][TEXT] =~ /\A[&*]/;
        return $at if $t->[$at][TYPE] eq 'str' && $t->[$at][VALUE] =~ /(?:\A|::)$ref->{code}[0]{fn}\z/;
    }
    return $ref->{first};
}

# How sure it is that somebody writes an image through this reference; 0 if it is only looked at,
# or if the calls themselves have been found.
sub _use_of_reference {
    my ($self, $ref, $code) = @_;
    my $source = $self->{source};
    my ($i, $j) = @$ref{qw(first last)};
    my $sure = LIKELY;
    for (1 .. 20) {
        my $around = parent($source, $i, $j);
        my $type = $around->{type};
        if ($type =~ /\A(?:paren|ref)\z/) { }
        elsif ($type =~ /\A(?:test|condition|compare|modifier|key|call|void)\z/) { return 0 }
        elsif ($type eq 'and') { return 0 if $around->{side} eq 'left' }
        elsif ($type eq 'or' && $around->{side} eq 'right') { $sure = POSSIBLE
            if grep { $_->{fn} && $_->{fn} eq (network_name($code->{fn})
            // '') } $self->{names}->code_of($around->{first}, $i - 2) }
        elsif ($type eq 'or')  { return 0 if $around->{op} =~ /\A(?:or|xor)\z/ && $around->{side} eq 'left'
            && parent($source, $i, $j)->{type} eq 'void' }
        elsif ($type eq 'ternary') { $sure = $self->_sure_beside($around->{other}, $code, $sure) }
        elsif ($type eq 'item')    { $sure = $self->_sure_in_list($around, $code, $sure);
            return $sure if $around->{open} ne '('; }
        elsif ($type eq 'assign')  { return $self->_assigned_reference($around, $ref, $code, $sure) }
        elsif ($type eq 'arg')     { return $around->{name} =~ $LOOKS ? 0 : $sure }
        else                       { return $sure }
        return $sure if $around->{first} == $i && $around->{last} == $j;
        ($i, $j) = @$around{qw(first last)};
    }
    return $sure;
}

# A ternary: with the network function in the other branch somebody has chosen.
sub _sure_beside {
    my ($self, $other, $code, $sure) = @_;
    my @other = $self->{names}->code_of(@$other);
    return POSSIBLE if grep { !$_->{fn} || $ROLE{$_->{fn}} ne 'native' } @other;
    return @other ? $sure : POSSIBLE;
}

# A list that has the network function, too: somebody chooses.
sub _sure_in_list {
    my ($self, $around, $code, $sure) = @_;
    my $t = $self->{source}{tokens};
    my $network = network_name($code->{fn}) // return $sure;
    my $other = grep {
        my $token = $t->[$_];
        $token->[TYPE] eq 'sym' && $token->[TEXT] =~ /\A&(?:.*::)?$network\z/ || $token->[TYPE] eq 'str'
            && $token->[VALUE] =~ /\A(?:.*::)?$network\z/
    } $around->{first} .. $around->{last};
    return $other ? POSSIBLE : $sure;
}

# Assigned to a variable or a glob: nothing to say if the calls are seen elsewhere.
sub _assigned_reference {
    my ($self, $around, $ref, $code, $sure) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($first) = grep { $t->[$_][TEXT] !~ /\A(?:my|our|local|state)\z/ } $around->{lhs}[0] .. $around->{lhs}[1];
    my $text = $t->[$first // $around->{lhs}[0]][TEXT];
    if ($text =~ /\A\*/) {
        my ($alias) = grep { $_->{at} == $around->{at} } @{$self->{names}{aliases} || []};
        return POSSIBLE unless $alias;
        return 0 if $alias->{name} eq $code->{fn} && is_storable($alias->{package});
        return $self->_alias_is_called($alias) ? 0 : $sure;
    }
    return 0 if $text =~ /\A\$SIG\b/;
    return 0 if $around->{op} eq '==';
    return $sure;
}

# Is the alias called in this file? Then those calls are reported.
sub _alias_is_called {
    my ($self, $alias) = @_;
    my $t = $self->{source}{tokens};
    return scalar grep {
        my $text = $_->{form} eq 'ref' ? '' : $t->[$_->{at}][TEXT];
        my $name = normal_name($text =~ s/\A&//r);
        $name eq "$alias->{package}::$alias->{name}" || $name eq $alias->{name}
            && $t->[$_->{at}][PACKAGE] eq $alias->{package}
    } @{$self->{calls}};
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Calls - where a file calls Storable's functions, or takes a reference to one

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
