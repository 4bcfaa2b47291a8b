package Permafrost::Audit::Names;

use 5.016;
use strict;
use warnings;
use Permafrost::Audit::Source ();
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Expression qw(assignments assigned constant_string strip_parens inside_block variable);
use Permafrost::Audit::Functions qw(is_storable imported_names %ROLE);

# How sure something is.
use constant { CERTAIN => 3, LIKELY => 2, POSSIBLE => 1 };

# Functions that load a module named by their first argument and import the rest.
my %IMPORTER = (use_ok => 'all', load => 'list', autoload => 'all', 'Module::Load::load' => 'list',
    'Module::Load::autoload' => 'all');
# Pragmas that import for another module: how many arguments stand before its name.
my %DELEGATES = (if => 1, autouse => 0, Importer => 0, 'Sub::Import' => 0, ok => 0, maybe => 0,
    'Test::use::ok' => 0, 'namespace::functions' => 0);
# Modules after whose loading the source is no longer what perl sees.
my $FILTER = qr/\A(?:Filter::(?!Util\b)|Acme::(?:Bleach|Buffy|DWIM|EyeDrops|Morse|Pony|Smirch)\b|Switch\z|Inline::Files\z|Perl6::)/;

# The names of a SOURCE. KNOWN: what other modules of the project export, by module: a hash of
# subs (name => function of Storable) and default (list of names). OUTER: the names of the code
# that this is a part of.
sub new {
    my ($class, $source, $known, $outer) = @_;
    my $self = bless {source => $source, known => $known || {}, outer => $outer, table => {}, order => 0,
        isa => {}, exports => {}}, $class;
    $self->_scan_subs_and_imports;
    $self->_scan_globs;
    return $self;
}

# ---- the symbol table -------------------------------------------------------------------------

# Note that NAME means TARGET in PACKAGE. Run: it does so only from some moment at run time on.
sub _define {
    my ($self, $package, $name, $target, %how) = @_;
    push @{$self->{table}{$package}{$name}},
        {sure => CERTAIN, run => 0, %how, target => $target, order => $self->{order}++};
    return;
}

# What a name means in a package: a list of targets with `sure`; a target has fn (a function of
# Storable), sub (a sub of this file) or neither (something else). Empty: nobody knows.
sub lookup {
    my ($self, $name, $package) = @_;
    $name = normal_name($name);
    if ($name =~ /\A(.*)::(\w+)\z/s) { ($package, $name) = ($1, $2) }
    my @entries = @{($self->{table}{$package} || {})->{$name} || []};
    my ($fixed) = reverse grep { !$_->{run} } @entries;
    my @found = (($fixed || ()), grep { $_->{run} } @entries);
    push @found, $self->_from_elsewhere($package, $name) if !$fixed;
    return () unless @found;
    my %kinds = map { (_target_key($_->{target}) => 1) } @found;
    return map { {%{$_->{target}}, sure => keys %kinds > 1 ? POSSIBLE : $_->{sure}, via => $_->{at}} } @found
        if keys %kinds > 1;
    my ($best) = sort { $b->{sure} <=> $a->{sure} } @found;
    return {%{$best->{target}}, sure => $best->{sure}, via => $best->{at}};
}

sub _target_key {
    my ($target) = @_;
    return $target->{fn} ? "fn $target->{fn}" : $target->{sub} ? "sub $target->{sub}{number}" : 'other';
}

# Names that the file itself does not define.
sub _from_elsewhere {
    my ($self, $package, $name) = @_;
    return {target => {fn => $name}, sure => CERTAIN} if is_storable($package) && $ROLE{$name};
    my $known = $self->{known}{$package};
    return {target => {fn => $known->{subs}{$name}}, sure => LIKELY} if $known && $known->{subs}{$name};
    if ($self->{outer}) {
        my ($found) = $self->{outer}->lookup($name, $package);
        return {target => {$found->{fn} ? (fn => $found->{fn}) : ()}, sure => $found->{sure}} if $found;
    }
    my $wild = ($self->{table}{$package} || {})->{'*'};
    return {target => {fn => $name}, sure => POSSIBLE} if $wild && $ROLE{$name};
    return ();
}

# The targets of a method that CLASS would find, by inheritance known in this file.
sub method {
    my ($self, $class, $name, $depth) = @_;
    my @found = $self->lookup($name, $class);
    return @found if @found || ($depth || 0) > 5;
    for my $parent (@{$self->{isa}{$class} || []}) {
        my @inherited = $self->method($parent, $name, ($depth || 0) + 1);
        return @inherited if @inherited;
    }
    return ();
}

# ---- imports ---------------------------------------------------------------------------------------

sub _scan_subs_and_imports {
    my ($self) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my %begins = map { ($_->{start} => $_) } @{$source->{subs}};
    for my $i (0 .. $#$t) {
        next if $t->[$i][TYPE] ne 'word';
        my $text = $t->[$i][TEXT];
        if (my $sub = $begins{$i}) {
            next unless defined $sub->{name};
            my ($package, $name) = $sub->{name} =~ /\A(.*)::(.*)\z/s;
            $self->_define($package, $name, {sub => $sub}, at => $i);
        }
        elsif ($text eq 'use' && $source->_is_keyword($i))      { $self->_use($i) }
        elsif ($text eq 'import')                               { $self->_import_call($i) }
        elsif ($text =~ /\A(?:import::into|export_to_level)\z/) { $self->_export_call($i) }
        elsif ($text eq 'eval')                                 { $self->_eval_string($i) }
        elsif (exists $IMPORTER{$text})                         { $self->_importer_function($i) }
    }
    $self->_isa_arrays;
    return;
}

# use MODULE VERSION LIST
sub _use {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return if !$t->[$i + 1] || $t->[$i + 1][TYPE] ne 'word';
    my $module = normal_name($t->[$i + 1][TEXT]);
    my $end = $source->list_end($i + 2);
    my $from = $i + 2;
    $from++ if $t->[$from] && $from <= $end && $t->[$from][TYPE] eq 'num'
        && ($t->[$from + 1] || [0, ';'])->[TEXT] !~ /\A(?:,|=>)\z/;
    my %how = (at => $i, package => $t->[$i][PACKAGE], list => [$from, $end]);
    $self->{filtered} = 1 if $module =~ $FILTER;
    $self->{autoloads} = 1 if $module =~ /\A(?:AutoLoader|SelfLoader)\z/;
    if ($module =~ /\A(?:base|parent|Mojo::Base|Moo|Moose)\z/) {
        my ($items) = $self->_items($from, $end);
        push @{$self->{isa}{$how{package}}}, grep { !ref && !/\A-/ } @$items;
    }
    elsif (exists $DELEGATES{$module}) { return $self->_delegated($module, %how) }
    elsif ($module eq 'constant')      { return $self->_constants(%how) }
    my ($items, $complete) = $from <= $end ? $self->_items($from, $end) : (undef, 1);
    $self->_import($module, $items, $complete, %how);
    return;
}

# use if COND, MODULE => LIST, and pragmas like it.
sub _delegated {
    my ($self, $pragma, %how) = @_;
    my $source = $self->{source};
    my @list = $source->split_list(@{$how{list}});
    my $skip = $DELEGATES{$pragma};
    return if @list <= $skip;
    my $module = $self->_module_name(@{$list[$skip]}) // return;
    my @rest = @list[$skip + 1 .. $#list];
    my ($items, $complete) = (undef, 1);
    if (@rest) { ($items, $complete) = $self->_items($rest[0][0], $rest[-1][1]) }
    if ($pragma eq 'autouse') { $items ||= []; ref or s/\(.*\z//s for @$items }
    $self->_import($module, $items, $complete, %how, $pragma eq 'if' || $pragma eq 'maybe' ? (sure => LIKELY)
        : ());
    return;
}

sub _module_name {
    my ($self, $i, $j) = @_;
    my $name = constant_string($self->{source}, $i, $j);
    return defined $name && $name =~ /\A\w+(?:(?:::|')\w+)*\z/ ? normal_name($name) : undef;
}

# use constant NAME => \&freeze: constants may hold code.
sub _constants {
    my ($self, %how) = @_;
    my @list = $self->{source}->split_list(@{$how{list}});
    my $t = $self->{source}{tokens};
    if (@list == 1 && $t->[$list[0][0]][TEXT] eq '{') {
        my $open = $list[0][0];
        @list = $self->{source}->split_list($open + 1, ($t->[$open][MATCH] // $open + 1) - 1);
    }
    else { @list = @list[0, 1] if @list > 2 }
    while (my ($name, $value) = splice @list, 0, 2) {
        last unless $value;
        my $text = constant_string($self->{source}, @$name) // next;
        $self->{constants}{$how{package}}{$text} = $value;
    }
    return;
}

# MODULE->import(LIST), import MODULE LIST, use_module('MODULE')->import(LIST)
sub _import_call {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($module, @range);
    if ($i >= 2 && $t->[$i - 1][TEXT] eq '->') {
        $module = $self->_receiver_module($i - 2) // return;
        @range = ($t->[$i + 1] || [0, ''])->[TEXT] eq '(' ? ($i + 2, ($t->[$i + 1][MATCH] // $i + 2) - 1)
            : (1, 0);
    }
    elsif (($t->[$i + 1] || [''])->[TYPE] eq 'word') {
        $module = normal_name($t->[$i + 1][TEXT]);
        @range = ($i + 2, $source->list_end($i + 2));
    }
    else { return }
    my ($items, $complete) = $range[0] <= $range[1] ? $self->_items(@range) : (undef, 1);
    my $early = defined inside_block($source, $i, qr/\ABEGIN\z/);
    $self->_import($module, $items, $complete, at => $i, package => $t->[$i][PACKAGE], run => !$early,
        import_method => 1);
    return;
}

# The class whose method is called: the term that ends at token I.
sub _receiver_module {
    my ($self, $i) = @_;
    my $t = $self->{source}{tokens};
    if ($t->[$i][TEXT] eq ')' && defined $t->[$i][MATCH]) {
        my $open = $t->[$i][MATCH];
        return undef unless $open
            && $t->[$open - 1][TEXT] =~ /\A(?:Module::Runtime::)?(?:use_module|use_package_optimistically)\z/;
        my ($first) = $self->{source}->split_list($open + 1, $i - 1);
        return $first ? $self->_module_name(@$first) : undef;
    }
    return $self->_module_name($i, $i);
}

# MODULE->import::into(TARGET, LIST), MODULE->export_to_level(LEVEL, X, LIST)
sub _export_call {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return unless $i >= 2 && $t->[$i - 1][TEXT] eq '->';
    my $module = $self->_receiver_module($i - 2) // return;
    my (undef, @list) = $source->arguments($i);
    my $level = $t->[$i][TEXT] eq 'export_to_level';
    return if @list < ($level ? 2 : 1);
    my @rest = @list[($level ? 2 : 1) .. $#list];
    my ($items, $complete) = @rest ? $self->_items($rest[0][0], $rest[-1][1]) : (undef, 1);
    my $target = $level ? undef : $self->_module_name(@{$list[0]});
    my $package = $t->[$i][PACKAGE];
    if (defined $target) { return $self->_import($module, $items, $complete, at => $i, package => $target) }
    push @{$self->{exports}{$package}{default}},
        grep { $ROLE{$_} } imported_names($items ? [grep { !ref } @$items] : undef) if is_storable($module);
    $self->{exports}{$package}{direct} = 1;
    return;
}

# use_ok('MODULE', LIST), load('MODULE', LIST)
sub _importer_function {
    my ($self, $i) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return if $i && $t->[$i - 1][TEXT] =~ /\A(?:->|sub|&)\z/
        || ($t->[$i + 1] || [0, ''])->[TEXT] =~ /\A(?:=>|\})\z/;
    my (undef, @list) = $source->arguments($i);
    return unless @list;
    my $module = $self->_module_name(@{$list[0]}) // return;
    my ($items, $complete) = @list > 1 ? $self->_items($list[1][0], $list[-1][1]) : (undef, 1);
    return if !$items && $IMPORTER{$t->[$i][TEXT]} eq 'list';
    $self->_import($module, $items, $complete, at => $i, package => $t->[$i][PACKAGE], run => 1);
    return;
}

# eval "use Storable qw(freeze); 1": what its text imports counts from then on.
sub _eval_string {
    my ($self, $i) = @_;
    my $text = eval_text($self->{source}, $i);
    return unless defined $text && $text =~ /\b(?:use|import|sub)\b|\*/
        && $text =~ /Storable|Permafrost|freeze|store/;
    my $package = $self->{source}{tokens}[$i][PACKAGE];
    my $inner = eval { Permafrost::Audit::Source->parse($text, package => $package) } or return;
    my $names = __PACKAGE__->new($inner, $self->{known});
    for my $in (keys %{$names->{table}}) {
        for my $name (keys %{$names->{table}{$in}}) {
            for my $entry (@{$names->{table}{$in}{$name}}) {
                next if $entry->{target}{sub};
                $self->_define($in, $name, $entry->{target}, sure => min($entry->{sure}, LIKELY), run => 1,
                    at => $i);
            }
        }
    }
    return;
}

# The text that the `eval` at token I compiles, as far as it is there to be read.
sub eval_text {
    my ($source, $i) = @_;
    my $t = $source->{tokens};
    return undef if $i && $t->[$i - 1][TEXT] =~ /\A(?:->|sub|&)\z/;
    my ($end, @list) = $source->arguments($i);
    return undef if @list != 1 || ($t->[$i + 1] || [0, '{'])->[TEXT] eq '{';
    my ($from, $to) = strip_parens($source, @{$list[0]});
    my $text = '';
    for my $at ($from .. $to) {
        my $token = $t->[$at];
        if    ($token->[TYPE] eq 'str')                                   { $text .= $token->[VALUE] }
        elsif ($token->[TYPE] eq 'op' && $token->[TEXT] eq '.')           { }
        elsif ($from == $to && defined(my $value = constant_string($source, $at, $at))) { $text = $value }
        elsif ($token->[TYPE] eq 'op' && $token->[TEXT] =~ m{\A(?:\|\||//)\z}) { last }
        else                                                              { $text .= ' $_ ' }
    }
    return $text;
}

sub min { return $_[0] < $_[1] ? $_[0] : $_[1] }

# Enter what `use MODULE ITEMS` brings into a package.
sub _import {
    my ($self, $module, $items, $complete, %how) = @_;
    my %entry = map { exists $how{$_} ? ($_ => $how{$_}) : () } qw(sure run at);
    push @{$self->{imports}}, {module => $module, items => $items, %how};
    my @plain = grep { !ref } @{$items || []};
    my $known = $self->{known}{$module};
    if (is_storable($module)) {
        return if $items && !@$items && $complete;
        $self->{has_import}{$how{package}} = 1;
        $self->_define($how{package}, $_, {fn => $_}, %entry)
            for grep { $ROLE{$_} } imported_names($items ? \@plain : undef);
        $self->_define($how{package}, '*', {}, %entry, sure => POSSIBLE) unless $complete;
    }
    elsif ($known) {
        my @names = $items ? @plain : @{$known->{default} || []};
        push @names, map { @{$known->{tags}{$_} || []} } map { /\A:(\w+)\z/ ? $1 : () } @names;
        for my $name (@names) {
            my $fn = $known->{subs}{$name =~ s/\A&//r};
            $self->_define($how{package}, $name, $fn ? {fn => $fn} : {}, %entry, $fn
                ? (sure => min($entry{sure} // CERTAIN, LIKELY)) : ());
        }
    }
    else {
        $self->_define($how{package}, $_, {module => $module}, %entry)
            for map { s/\A&//r } grep { /\A&?\w+\z/ } @plain;
    }
    $self->_renamed($module, $items, \%entry, $how{package}) if grep { ref } @{$items || []};
    return;
}

# Items followed by {-as => 'name'}, -prefix and the like.
sub _renamed {
    my ($self, $module, $items, $entry, $package) = @_;
    my $known = $self->{known}{$module};
    for my $index (1 .. $#$items) {
        my ($name, $option) = @{$items}[$index - 1, $index];
        next unless ref $option && !ref $name;
        my $new = $option->{-as}
            // ($option->{-prefix} // '') . $name . ($option->{-suffix} // $option->{-postfix} // '');
        my $fn = is_storable($module) ? ($ROLE{$name} ? $name : undef) : $known ? $known->{subs}{$name}
            : undef;
        delete $self->{table}{$package}{$name} if $new ne $name && $self->{table}{$package}{$name}
            && $self->{table}{$package}{$name}[-1]{at} == $entry->{at};
        $self->_define($package, $new, $fn ? {fn => $fn} : {module => $module}, %$entry);
    }
    return;
}

# The strings of a list, and hashes of options as such, and whether that is all of it.
sub _items {
    my ($self, $i, $j, $depth) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($complete, @items) = (1);
    for my $range ($source->split_list($i, $j)) {
        my ($from, $to) = strip_parens($source, @$range);
        my ($type, $text) = @{$t->[$from]}[TYPE, TEXT];
        if    ($from > $to)                                { }
        elsif ($from < $to && $text eq '{' && ($t->[$from][MATCH] // -1) == $to) { push @items,
            $self->_options($from + 1, $to - 1) }
        elsif ("@$range" ne "$from $to"
            && $depth++ < 9)   { my ($more, $all) = $self->_items($from, $to, $depth); push @items, @$more;
            $complete &&= $all }
        elsif ($from == $to && $type eq 'qw')              { push @items, words_of($text) }
        elsif ($from == $to && $type eq 'num')             { push @items, $text unless @items == 0 }
        elsif ($from == $to && $type eq 'sym'
            && $text =~ /\A\@/) { my ($more, $all) = $self->_array($text, $from, $depth || 0);
            push @items, @$more; $complete &&= $all }
        else {
            my $string = $type eq 'word' && $text =~ /\A-/ ? $text : constant_string($source, $from, $to);
            if (defined $string) { push @items, $string } else { $complete = 0 }
        }
    }
    return (\@items, $complete);
}

sub _options {
    my ($self, $i, $j) = @_;
    my ($items) = $self->_items($i, $j);
    push @$items, undef if @$items % 2;
    return {@$items};
}

# The items of an array variable that is set once, or is one of Storable's own.
sub _array {
    my ($self, $text, $i, $depth) = @_;
    return ([imported_names(undef)], 1) if $text =~ /\A\@(?:Storable|Permafrost)::EXPORT\z/;
    return ([imported_names([':all'])], 1) if $text =~ /\A\@(?:Storable|Permafrost)::EXPORT_OK\z/;
    my @set = assigned($self->{source}, $text, $i);
    return ([], 0) if @set != 1 || $depth > 5 || defined $set[0]{item};
    return $self->_items(@{$set[0]{rhs}}, $depth + 1);
}

# our @ISA = ..., push @ISA, ...
sub _isa_arrays {
    my ($self) = @_;
    my $source = $self->{source};
    my $found = assignments($source);
    for my $text (grep { /\A\@(?:.*::)?ISA\z/ } keys %$found) {
        for my $set (@{$found->{$text}}) {
            my $package = $text =~ /\A\@(.*)::ISA\z/ ? $1 : $source->{tokens}[$set->{at}][PACKAGE];
            my ($items) = $self->_items(@{$set->{rhs}});
            push @{$self->{isa}{$package}}, grep { !ref } @$items;
        }
    }
    my $t = $source->{tokens};
    for my $i (0 .. $#$t - 3) {
        next unless $t->[$i][TEXT] eq 'push' && $t->[$i + 1][TEXT] =~ /\A\@(?:(.*)::)?ISA\z/;
        my ($items) = $self->_items($i + 3, $source->list_end($i + 3));
        push @{$self->{isa}{$1 // $t->[$i][PACKAGE]}}, grep { !ref } @$items;
    }
    return;
}

# ---- globs ----------------------------------------------------------------------------------------------

# *name = \&freeze, *{"name"} = ..., in a BEGIN or at run time.
sub _scan_globs {
    my ($self) = @_;
    my $source = $self->{source};
    my $found = assignments($source);
    my @globs = sort { $a->{at} <=> $b->{at} } map { @{$found->{$_}} } grep { /\A\*/ } keys %$found;
    for my $set (@globs) {
        next if defined $set->{item};
        my $name = $self->_glob_name(@{$set->{lhs}});
        my @code = $self->code_of(@{$set->{rhs}});
        next unless @code;
        if (!defined $name) {
            $self->_unknown_package(@{$set->{lhs}}, \@code);
            next;
        }
        my ($package, $bare) = normal_name($name) =~ /\A(?:(.*)::)?(\w+)\z/s or next;
        $package //= $source->{tokens}[$set->{at}][PACKAGE];
        for my $code (@code) {
            my $several = @code > 1;
            $self->_define($package, $bare,
                {$code->{fn} ? (fn => $code->{fn}) : $code->{sub} ? (sub => $code->{sub}) : ()},
                sure => $several ? POSSIBLE : $code->{sure}, run => 1, at => $set->{at});
            push @{$self->{aliases}}, {package => $package, name => $bare, code => $code, at => $set->{at}};
        }
    }
    return;
}

# *{"${caller}::freeze"} = ... in an import: this package exports it.
sub _unknown_package {
    my ($self, $i, $j, $code) = @_;
    my $t = $self->{source}{tokens};
    my ($string) = grep { $t->[$_][TYPE] eq 'str' } $i .. $j;
    return unless defined $string && $t->[$string][VALUE] =~ /::(\w+)\z/ && $code->[0]{fn} && @$code == 1;
    my $package = $t->[$i][PACKAGE];
    push @{$self->{exports}{$package}{default}}, $1;
    $self->{exports}{$package}{names}{$1} = $code->[0]{fn};
    return;
}

# The name that a glob on the left of an assignment has; undef if it is not known.
sub _glob_name {
    my ($self, $i, $j) = @_;
    my $t = $self->{source}{tokens};
    $i++ while $i < $j && $t->[$i][TEXT] =~ /\A(?:local|our)\z/;
    return substr $t->[$i][TEXT], 1 if $i == $j && $t->[$i][TYPE] eq 'sym';
    return undef unless $t->[$i][TEXT] eq '*' && $i < $j;
    return constant_string($self->{source}, $i + 1, $j) unless $t->[$i + 1][TEXT] eq '{';
    return $self->_joined($i + 2, $j - 1);
}

# __PACKAGE__ . '::name', and other strings.
sub _joined {
    my ($self, $i, $j) = @_;
    my $t = $self->{source}{tokens};
    my $text = '';
    for (my $at = $i; $at <= $j; $at++) {
        next if $t->[$at][TEXT] eq '.';
        $text .= constant_string($self->{source}, $at, $at) // return undef;
    }
    return $text;
}

# ---- code as a value --------------------------------------------------------------------------------------

# What code an expression refers to: a list of {fn or sub or neither, sure, at (the token of the
# reference itself)}. Empty if it is not known to be code.
sub code_of {
    my ($self, $i, $j, $depth) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    ($i, $j) = strip_parens($source, $i, $j);
    return () if $i > $j || ($depth = ($depth || 0) + 1) > 6;
    my ($type, $text) = @{$t->[$i]}[TYPE, TEXT];
    if (my @branches = $self->_branches($i, $j)) { return $self->_several($depth, @branches) }
    return $self->_referenced($i, $j) if $text eq '\\';
    if ($type eq 'sym' && $text =~ /\A\*(.+)/
        && ($i == $j || $t->[$i + 1][TEXT] eq '{')) { return $self->_named($1, $i) }
    if ($text eq '*' && $type eq 'cast') {
        my $name = $self->_glob_name($i, $i + 1 <= $j && $t->[$i + 1][TEXT] eq '{' ? $t->[$i + 1][MATCH] // $j
            : $j);
        return defined $name ? $self->_named($name, $i) : ();
    }
    if ($text eq 'sub') {
        my ($sub) = grep { $_->{start} == $i } @{$source->{subs}};
        return $sub && $sub->{close} == $j ? {sub => $sub, sure => CERTAIN, at => $i} : ();
    }
    if ($text =~ /\A(?:do|eval)\z/ && $i < $j && $t->[$i + 1][TEXT] eq '{'
        && ($t->[$i + 1][MATCH] // -1) == $j) {
        return $self->_last_of_block($i + 1, $j, $depth);
    }
    return $self->_can($i, $j) if $i < $j;
    return $self->_variable_code($i, $depth) if $type eq 'sym';
    return $self->_constant_code($i, $depth) if $type eq 'word';
    return ();
}

# The alternatives of a ternary, || or //; empty if the range is none.
sub _branches {
    my ($self, $i, $j) = @_;
    my $t = $self->{source}{tokens};
    my ($start, @found, $ternary) = ($i);
    for (my $at = $i; $at <= $j; $at++) {
        my ($type, $text, $match) = @{$t->[$at]}[TYPE, TEXT, MATCH];
        if ($type eq 'struct' && defined $match && $match > $at) { $at = $match }
        elsif ($text eq '?' && $type eq 'op') { $ternary = 1; @found = (); $start = $at + 1 }
        elsif ($type eq 'op' && $text =~ m{\A(?:\|\||//|:)\z} || $type eq 'word'
            && $text eq 'or') { push @found, [$start, $at - 1]; $start = $at + 1 }
        elsif ($type eq 'op' && ($text eq '=' || $text eq ',')) { return () }
    }
    return () unless @found;
    return (@found, [$start, $j]);
}

sub _several {
    my ($self, $depth, @ranges) = @_;
    my $t = $self->{source}{tokens};
    my @all;
    for my $range (@ranges) {
        my @code = $self->code_of(@$range, $depth);
        push @all, @code ? @code
            : $t->[$range->[0]][TEXT] =~ /\A(?:die|croak|confess|return|undef|next|last|0|1)\z/ ? ()
            : {unknown => 1, sure => POSSIBLE};
        last if @all == 1 && $all[0]{fn} && $all[0]{by_can} && $t->[$range->[1] + 1]
            && $t->[$range->[1] + 1][TEXT] =~ m{\A(?:\|\||//)\z};
    }
    return () unless grep { $_->{fn} || $_->{sub} } @all;
    return @all;
}

# \&name, \&{"name"}, \&$name, \*name
sub _referenced {
    my ($self, $i, $j) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    return () if $i == $j;
    my ($type, $text) = @{$t->[$i + 1]}[TYPE, TEXT];
    if ($type eq 'sym' && $text =~ /\A[&*](.+)/s) { return $i + 1 == $j ? $self->_named($1, $i) : () }
    return () unless $type eq 'cast' && $text eq '&' && $i + 2 <= $j;
    my ($from, $to) = ($i + 2, $j);
    if ($t->[$from][TEXT] eq '{') {
        return () if ($t->[$from][MATCH] // -1) != $j;
        ($from, $to) = ($from + 1, $to - 1);
    }
    my $name = $self->_joined($from, $to);
    return defined $name ? $self->_named($name, $i) : ();
}

# The targets of a name, for the reference to it at token I.
sub _named {
    my ($self, $name, $i) = @_;
    return map { {%$_, at => $i} } $self->lookup($name, $self->{source}{tokens}[$i][PACKAGE]);
}

# CLASS->can('name'), UNIVERSAL::can(CLASS, 'name')
sub _can {
    my ($self, $i, $j) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($class, $name);
    if ($t->[$i][TEXT] eq 'UNIVERSAL::can') {
        my (undef, @list) = $source->arguments($i);
        return () if @list != 2;
        ($class, $name) = @list;
    }
    else {
        return () unless $t->[$j][TEXT] eq ')' && defined(my $open = $t->[$j][MATCH]);
        return () unless $open - 3 >= $i && $t->[$open - 1][TEXT] eq 'can' && $t->[$open - 2][TEXT] eq '->';
        ($class, $name) = ([$i, $open - 3], [$open + 1, $j - 1]);
    }
    my $method = constant_string($source, @$name) // return ();
    my $module = $self->_class_of(@$class) // return ();
    return map { {%$_, at => $i, by_can => 1} } $self->method($module, $method);
}

# The class that an expression names: a string, __PACKAGE__, or the object at hand.
sub _class_of {
    my ($self, $i, $j) = @_;
    my $t = $self->{source}{tokens};
    return $t->[$i][PACKAGE] if $i == $j && $t->[$i][TEXT] =~ /\A\$(?:self|class|this|proto)\z/
        && !defined $self->_module_name($i, $j);
    if ($t->[$j][TEXT] eq ')'
        && $t->[$i][TEXT] =~ /\A(?:Module::Runtime::)?use_(?:module|package_optimistically)\z/) { return $self->_receiver_module($j) }
    return $self->_module_name($i, $j);
}

sub _last_of_block {
    my ($self, $open, $close, $depth) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $end = $close - 1;
    $end-- while $end > $open && $t->[$end][TEXT] eq ';';
    my $start = $source->statement_start($end);
    return $self->code_of($start, $end, $depth);
}

# $code: all that is assigned to it.
sub _variable_code {
    my ($self, $i, $depth) = @_;
    my $source = $self->{source};
    my $text = $source->{tokens}[$i][TEXT];
    return () unless $text =~ /\A\$\w/;
    my @set = grep { !defined $_->{item} } assigned($source, $text, $i);
    return $self->_assigned_code($depth, @set);
}

sub _assigned_code {
    my ($self, $depth, @set) = @_;
    my @all;
    for my $set (@set) {
        my @code = $self->code_of(@{$set->{rhs}}, $depth);
        push @all, @code ? @code : {unknown => 1, sure => POSSIBLE};
    }
    return () unless grep { $_->{fn} } @all;
    return @all;
}

sub _constant_code {
    my ($self, $i, $depth) = @_;
    my $token = $self->{source}{tokens}[$i];
    my $range = ($self->{constants}{$token->[PACKAGE]} || {})->{$token->[TEXT]} or return ();
    return $self->code_of(@$range, $depth);
}

# ---- what others can have from this file ---------------------------------------------------------------------

# By package: subs (name => function of Storable), default exports, and whether it exports at all.
sub exported {
    my ($self) = @_;
    my %out;
    for my $package (keys %{$self->{table}}) {
        next if is_storable($package) || $package eq 'main';
        for my $name (keys %{$self->{table}{$package}}) {
            next if $name eq '*';
            my @found = $self->lookup($name, $package);
            $out{$package}{subs}{$name} = $found[0]{fn} if @found == 1 && $found[0]{fn}
                && $found[0]{sure} >= LIKELY;
        }
    }
    my $found = assignments($self->{source});
    for my $text (grep { /\A\@(?:.*::)?EXPORT(?:_OK)?\z/ } keys %$found) {
        for my $set (@{$found->{$text}}) {
            my $exports = $out{$self->{source}{tokens}[$set->{at}][PACKAGE]} ||= {};
            $exports->{exports} = 1;
            next if $text =~ /_OK\z/;
            my ($items) = $self->_items(@{$set->{rhs}});
            push @{$exports->{default}}, grep { !ref } @$items;
        }
    }
    for my $package (keys %{$self->{exports}}) {
        my $exports = $self->{exports}{$package};
        push @{$out{$package}{default}}, @{$exports->{default} || []};
        $out{$package}{exports} = 1;
        $out{$package}{subs}{$_} //= $exports->{names}{$_} || $_ for @{$exports->{default} || []};
    }
    for my $import (grep { $_->{module} =~ /\bExporter\b|\AImporter\z|\ASub::/ } @{$self->{imports}
        || []}) { $out{$import->{package}}{exports} = 1 }
    for my $package (keys %out) { delete $out{$package} unless %{$out{$package}{subs} || {}} }
    return \%out;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Names - what the names of a file mean: imports, aliases, code in variables

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
