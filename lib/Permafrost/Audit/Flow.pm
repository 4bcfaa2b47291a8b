package Permafrost::Audit::Flow;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Expression qw(assigned parent constant_string receiver_start);
use Permafrost::Audit::Functions qw(kind_of target_argument);
use Permafrost::Audit::Places qw(class_of method_kind handle_kind file_kind place_text tied_class some_tied_class constructor_text kind_of_class);

our @EXPORT_OK = qw(destinations uses_of);

use constant { MAX_STEPS => 40, MAX_DEPTH => 4 };

# Functions that make other bytes of the image: it goes on in their result.
my $CHANGES = qr/(?:\A|::)(?:encode_\w+|decode_\w+|uri_escape\w*|escape|compress|deflate|gzip|memGzip|memBzip|bzip2|lzf?_compress|pack|join|sprintf|encrypt\w*|b64\w*|base64\w*|to_base64|url64|encode|quote|scalar|lc|uc|substr|concat|bless|wantarray|utf8::\w+|quotemeta|\w+_?compress|snappy\w*|lz4\w*|zstd\w*)\z/i;
# Functions that look at the bytes and let them go.
my $MEASURES = qr/(?:\A|::)(?:length|md5\w*|sha\d\w*|crc\w*|hmac\w*|xxh\w*|murmur\w*|unpack|ord|index|defined|ref|bytes::length|digest\w*|ok|is|isnt|like|unlike|is_deeply|cmp_ok|note|diag|warn|die|croak|carp|confess|isa_ok|fingerprint|file_magic|read_magic|Dumper|total_size|size)\z/;
my $PRINTS = qr/\A(?:print|printf|say|syswrite|send|write)\z/;

# Where the value of a CALL goes: a list of hashes with kind, name (for people), at (a token), and
# where known method, recv, key, column, class. CALLS: all calls of Storable's functions in the file by their name token.
sub destinations {
    my ($source, $call, $calls) = @_;
    my $self = bless {source => $source, calls => $calls, found => [], seen => {}, steps => 0}, __PACKAGE__;
    my $kind = kind_of($call->{fn});
    if ($call->{form} eq 'ref') { $self->_reference($call) }
    elsif ($kind ne 'memory')   { $self->_target($call) }
    elsif ($call->{form} eq 'goto') { $self->_returned($call->{at}, 0) }
    else                        { $self->_follow($call->{first}, $call->{last}, {depth => 0}) }
    my %once;
    return grep { !$once{join "\0", $_->{kind}, $_->{at} // -1}++ } @{$self->{found}};
}

sub _arrive {
    my ($self, $kind, $name, $at, %more) = @_;
    push @{$self->{found}}, {kind => $kind, name => $name, at => $at, %more};
    return;
}

# store($data, FILE), store_fd($data, HANDLE)
sub _target {
    my ($self, $call) = @_;
    my $source = $self->{source};
    my $kind = kind_of($call->{fn});
    my $index = target_argument($call->{fn});
    my $range = $call->{args} ? $call->{args}[$index] : undef;
    return $self->_arrive($kind eq 'file' ? (file => 'a file') : (handle => 'a handle'), $call->{at})
        unless $range;
    my ($where, $name) = $kind eq 'file' ? file_kind($source, @$range) : handle_kind($source, @$range);
    $self->_arrive($where, $name, $range->[0], target => place_text($source, @$range));
    return;
}

# A reference to a writer that is handed to a known cache or the like.
sub _reference {
    my ($self, $call) = @_;
    my ($source, $i, $j) = ($self->{source}, @$call{qw(first last)});
    for (1 .. 12) {
        my $around = parent($source, $i, $j);
        if ($around->{type} eq 'arg' && $around->{method}) {
            my $class = class_of($source, @{$around->{recv}});
            my ($kind, $name) = defined $class ? kind_of_class($class) : ();
            return $self->_arrive($kind, $name, $around->{at}, class => $class, method => $around->{name})
                if $kind;
        }
        last if $around->{type} !~ /\A(?:item|paren|ternary|or|ref|arg)\z/ || $around->{first} == $i
            && $around->{last} == $j;
        ($i, $j) = @$around{qw(first last)};
    }
    $self->_arrive(code => 'whoever calls this reference', $call->{at});
    return;
}

# ---- outwards, step by step -----------------------------------------------------------------------

# Follow the value of the tokens I to J. STATE: depth (of subs), key (in a hash).
sub _follow {
    my ($self, $i, $j, $state) = @_;
    my $source = $self->{source};
    for (1 .. 20) {
        return if $self->{steps}++ > 400 || $self->{seen}{"$i-$j"}++;
        my $around = parent($source, $i, $j);
        my $type = $around->{type};
        if ($type =~ /\A(?:paren|ref|ternary|or|and|join)\z/) {
            return $self->_arrive(process => 'a test in this process', $i) if $type eq 'and'
                && $around->{side} eq 'left';
            return $self->_arrive(process => 'this process', $i) if $type eq 'join' && $around->{op} ne '.';
            return $self->_arrive(nowhere => 'nowhere', $i) if $type eq 'or'
                && ($around->{op} || '') =~ /\A(?:or|xor)\z/ && $around->{side} eq 'left';
        }
        elsif ($type eq 'item') {
            return $self->_listed($around, $state) if $around->{open} eq 'list';
            $state = {%$state, key => $around->{key}} if defined $around->{key};
        }
        elsif ($type eq 'arg')    { ($i, $j) = $self->_argument($around, $i, $j, $state) or return; next }
        elsif ($type eq 'assign') { return $self->_assigned($around, $state) }
        elsif ($type eq 'return') { return $self->_returned($i, $state->{depth}) }
        elsif ($type eq 'value')  { ($i, $j) = $self->_block_value($around, $i, $state) or return; next }
        elsif ($type eq 'void')   { return $self->_last_statement($around, $i, $state) }
        else                      { return $self->_arrive(process => 'this process', $i) }
        ($i, $j) = @$around{qw(first last)};
    }
    return;
}

# %h = (key => IMAGE), ($a, $b) = (..., IMAGE)
sub _listed {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my $text = $source->text_of(@{$around->{lhs}}) =~ s/\A(?:my|our|local) //r;
    my ($class) = tied_class($source, $text);
    return $self->_into_class($class, $around->{first}, $text, $around->{key}) if defined $class;
    return $self->_arrive(data => 'a data structure', $around->{first}, target => $text,
        key => $around->{key});
}

# The value is an argument. RETURNS: the range to go on with, if the call hands it on.
sub _argument {
    my ($self, $around, $i, $j, $state) = @_;
    my $source = $self->{source};
    my $name = $around->{name};
    if ($around->{method}) { $self->_method_argument($around, $state); return () }
    if (exists $around->{code}) { $self->_arrive(code => 'code', $around->{at}); return () }
    my $ours = $self->{calls}{$around->{at}};
    if ($ours) {
        $self->_arrive($ours->{role} eq 'read' ? (clone => 'thaw at once') : (data => 'another image'),
            $around->{at});
        return ();
    }
    $name =~ s/\A&//;
    return @$around{qw(first last)} if $name =~ $CHANGES;
    if ($name =~ $MEASURES) { $self->_arrive(process => 'this process', $around->{at}); return () }
    if ($name =~ $PRINTS)   { $self->_printed($around); return () }
    return () if $name =~ /\A(?:push|unshift|splice)\z/ && $self->_pushed($around, $state);
    if ($name =~ /\A(?:map|grep|sort|reverse)\z/) { return @$around{qw(first last)} }
    if ($name =~ /\A(?:write_file|overwrite_file|append_file|spew\w*|spurt|write_binary|atomic_write)\z/) { $self->_arrive(file => 'a file', $around->{at}, target => $around->{args}[0] ? place_text($source, @{$around->{args}[0]}) : undef); return () }
    if ($name =~ /\A(?:shmwrite|msgsnd)\z/) { $self->_arrive(shared => 'memory shared on this machine',
        $around->{at}); return () }
    if ($name =~ /\A(?:memcached_(?:set|add|replace|cas)\w*)\z/) { $self->_arrive(cache => 'memcached',
        $around->{at}, key => $self->_key($around, 1)); return () }
    return () if $self->_into_sub($name, $around, $state);
    $self->_arrive(call => "$name()", $around->{at});
    return ();
}

sub _key {
    my ($self, $around, $index) = @_;
    my $range = $around->{args}[$index];
    return $range ? place_text($self->{source}, @$range) : undef;
}

# print HANDLE IMAGE
sub _printed {
    my ($self, $around) = @_;
    my $source = $self->{source};
    my $handle = $around->{handle};
    if ($around->{name} =~ /\A(?:syswrite|send)\z/) { $handle = $around->{args}[0] }
    return $self->_arrive(stdout => 'the standard output', $around->{at}) unless $handle;
    my ($kind, $name) = handle_kind($source, @$handle);
    $kind = 'socket', $name = 'a socket' if $around->{name} eq 'send';
    $self->_arrive($kind, $name, $around->{at}, target => $source->text_of(@$handle));
    return;
}

# push @list, IMAGE: on with the array.
sub _pushed {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my $first = $around->{args}[0] or return 0;
    my $text = $source->text_of(@$first);
    return 0 unless $text =~ /\A\@\w+\z/;
    $self->_variable($text, $around->{last}, $state);
    return 1;
}

# $object->method(..., IMAGE)
sub _method_argument {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my ($recv, $method) = @$around{qw(recv name)};
    my ($kind, $name, $class) = method_kind($source, @$recv, $method);
    if (!$kind) {
        return $self->_arrive(shared => 'memory shared on this machine', $around->{at})
            if $method eq 'shmwrite';
        return if $self->_into_method($around, $state);
        return $self->_arrive(process => 'this process', $around->{at})
            if $method =~ /\A(?:add|addfile|hexdigest|b64digest|md5\w*|digest|debug|log|warn|info|thaw|is|ok)\z/ && $source->text_of(@$recv) =~ /md5|sha|digest|log|ctx|test/i;
        return $self->_arrive(call => "->$method()", $around->{at}, recv => $source->text_of(@$recv),
            method => $method, key => $self->_key($around, 0));
    }
    my %more = (method => $method, recv => $source->text_of(@$recv), class => $class,
        made => constructor_text($source, @$recv));
    if    ($kind eq 'db')  { $more{column} = $self->_column($around, $state) }
    elsif ($kind eq 'cache' || $kind eq 'session'
        || $kind eq 'queue') { $more{key} = ($around->{index} // 0) > 0 ? $self->_key($around, 0) : undef }
    $self->_arrive($kind, $name, $around->{at}, %more);
    return;
}

# ---- databases -----------------------------------------------------------------------------------------

# table.column that an argument of do, execute or insert goes into, as far as it can be read.
sub _column {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my $method = $around->{name};
    my $index = $around->{index} // return undef;
    return defined $state->{key} ? lc "$1.$state->{key}" : undef
        if $method =~ /\A(?:insert|update|create|set_columns?|populate|update_or_create)\z/
            && $source->text_of(@{$around->{recv}}) =~ /resultset\('?(\w+)'?\)|(\w+)\z/;
    my ($sql, $position);
    if ($method =~ /\A(?:do|query|selectrow_\w+|selectall_\w+)\z/) {
        $sql = $self->_sql(@{$around->{args}[0]});
        $position = $index - ($method eq 'query' ? 1 : 2);
    }
    else {
        my ($set) = grep { $source->text_of(@{$_->{rhs}}) =~ /->prepare\w*\(/ } assigned($source,
            $source->text_of(@{$around->{recv}}), $around->{at});
        $sql = $set ? $self->_sql(@{$set->{rhs}}) : $self->_sql(@{$around->{recv}});
        $position = $method eq 'execute' ? $index : undef;
        if ($method eq 'bind_param') {
            my $number = constant_string($source, @{$around->{args}[0]})
                // $source->text_of(@{$around->{args}[0]});
            $position = $number =~ /\A\d+\z/ ? $number - 1 : undef;
        }
    }
    return defined $sql && defined $position && $position >= 0 ? _placeholder($sql, $position) : undef;
}

# The SQL in a range: the first string in it that looks like some.
sub _sql {
    my ($self, $i, $j) = @_;
    my $source = $self->{source};
    my $known = constant_string($source, $i, $j);
    return $known if defined $known;
    for my $at ($i .. $j) {
        my $token = $source->{tokens}[$at];
        my $text = $token->[TYPE] eq 'str' ? $token->[VALUE] : $token->[TYPE] eq 'sym'
            ? constant_string($source, $at, $at) : undef;
        return $text if defined $text && $text =~ /\b(?:insert|update|replace|merge)\b/i;
    }
    return undef;
}

# The column of placeholder number POSITION (from 0).
sub _placeholder {
    my ($sql, $position) = @_;
    if ($sql =~ /\b(?:insert|replace)\b.*?\binto\s+[`"]?([\w.]+)[`"]?\s*\(([^)]*)\)\s*values\s*\((.*)\)/is) {
        my ($table, $columns, $values) = ($1, $2, $3);
        my @columns = map { s/\A\s*[`"]?|[`"]?\s*\z//gr } split /,/, $columns;
        my @values = split /,(?![^(]*\))/, $values;
        my $seen = 0;
        for my $n (0 .. $#values) {
            next unless $values[$n] =~ /\?/;
            return lc "$table.$columns[$n]" if $seen++ == $position && defined $columns[$n];
        }
    }
    elsif ($sql =~ /\bupdate\s+[`"]?([\w.]+)[`"]?\s+set\s+(.*)/is) {
        my ($table, $rest) = ($1, $2);
        my @names = $rest =~ /[`"]?(\w+)[`"]?\s*=\s*\?/g;
        return lc "$table.$names[$position]" if defined $names[$position];
    }
    return undef;
}

# ---- variables ---------------------------------------------------------------------------------------------

# The value is assigned.
sub _assigned {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($i, $j) = @{$around->{lhs}};
    $i++ while $i < $j && $t->[$i][TEXT] =~ /\A(?:my|our|local|state)\z/;
    if ($t->[$i][TEXT] eq '(' && ($t->[$i][MATCH] // -1) == $j) {
        my ($first) = $source->split_list($i + 1, $j - 1);
        return unless $first;
        ($i, $j) = @$first;
        $i++ while $i < $j && $t->[$i][TEXT] =~ /\A(?:my|our|local|undef)\z/;
    }
    my $text = $source->text_of($i, $j);
    if ($text =~ /\A[\$\@]\w+(?:::\w+)*\z/) {
        my @tied = tied_class($source, $text);
        return $self->_into_class($tied[0], $i, $text, undef) if @tied;
        return $self->_variable($text, $around->{last}, $state);
    }
    return $self->_element($i, $j, $text, $around, $state);
}

# All uses of a variable behind token AFTER, in its sub, until it gets something else.
sub _variable {
    my ($self, $text, $after, $state) = @_;
    my $count = @{$self->{found}};
    for my $at (uses_of($self->{source}, $text, $after)) { $self->_follow($at, $at, $state) }
    $self->_arrive(variable => $text, $after) if @{$self->{found}} == $count;
    return;
}

# The tokens that read variable TEXT behind token AFTER, up to where it is set anew, in the sub.
sub uses_of {
    my ($source, $text, $after, $before) = @_;
    my $t = $source->{tokens};
    my (undef, $to) = $source->scope($after);
    $to = $before if defined $before;
    my @uses;
    for my $at ($after + 1 .. $to) {
        next if $t->[$at][TYPE] ne 'sym' || $t->[$at][TEXT] ne $text;
        my $next = ($t->[$at + 1] || [0, ''])->[TEXT];
        next if $text =~ /\A\$/ && $next =~ /\A[\[{]\z/ && ($t->[$at + 1][KIND] || '') ne 'block';
        if ($next eq '=') {
            last if $t->[$at][SUB] && $t->[$after][SUB] && $t->[$at][SUB] == $t->[$after][SUB]
                && _same_block($source, $after, $at);
            next;
        }
        push @uses, $at;
        last if @uses >= MAX_STEPS;
    }
    return @uses;
}

# Are both tokens in one block, so that the second is reached after the first?
sub _same_block {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    for my $at ($i .. $j) {
        next if $t->[$at][TYPE] ne 'struct' || $t->[$at][TEXT] !~ /[{}]/;
        my $match = $t->[$at][MATCH] // return 0;
        return 0 if $match < $i || $match > $j;
    }
    return 1;
}

# $h{key} = IMAGE, $object->{key} = IMAGE, *glob = IMAGE, $obj->method = IMAGE
sub _element {
    my ($self, $i, $j, $text, $around, $state) = @_;
    my $source = $self->{source};
    my ($base, $key) = $text =~ /\A(.*?)(?:->)?([\[{].*)\z/s ? ($1, $2) : ($text, '');
    my ($hash) = $base =~ /\A\$(?:\{\$|\$)?(\w+)/ ? $1 : undef;
    if (defined $hash) {
        my $sigil = $text =~ /\A\$\w+\{/ ? '%' : $text =~ /\A\$\w+\[/ ? '@' : '$';
        my ($class, $file) = tied_class($source, "$sigil$hash");
        ($class, $file) = tied_class($source, "%\$$hash") unless defined $class;
        ($class) = tied_class($source, "%{$base}") unless defined $class;
        return $self->_into_class($class, $i, "$sigil$hash", $key) if defined $class;
    }
    return $self->_arrive(env => 'the environment of child processes', $i) if $base eq '$ENV';
    my ($kind, $name) = $text =~ /sess(?:ion)?\}?(?:->)?\{/i ? (session => 'a session') : ();
    my $class = class_of_tied($source, $base)
        // ($base =~ /\b_?(?:db|dbm|dbh|index|btree)\b[^\w]*\z/i ? some_tied_class($source) : undef);
    ($kind, $name) = kind_of_class($class) if !$kind && defined $class;
    return $self->_arrive($kind, $name, $i, recv => $base, key => $key) if $kind
        && $kind =~ /\A(?:db|session|cache|shared)\z/;
    return $self->_arrive(data => 'a data structure', $i, target => $text);
}

# The class of an object whose elements are tied, such as $self->{_db} of DB_File.
sub class_of_tied {
    my ($source, $text) = @_;
    my ($class) = tied_class($source, "%{$text}");
    ($class) = tied_class($source, "%$text") unless defined $class;
    return $class;
}

sub _into_class {
    my ($self, $class, $at, $recv, $key) = @_;
    my ($kind, $name) = kind_of_class($class);
    $self->_arrive($kind || 'data', $name || "$class", $at, recv => $recv, key => $key, class => $class);
    return;
}

# ---- blocks and subs -----------------------------------------------------------------------------------------

# The last expression of a block. RETURNS: the range of do {}, eval {} and the like to go on with.
sub _block_value {
    my ($self, $around, $i, $state) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my $open = $around->{block} // return ();
    my $sub = $t->[$i][SUB];
    if ($sub && $sub->{open} == $open) { $self->_returned($i, $state->{depth}); return () }
    my $word = $open ? $t->[$open - 1] : [struct => ';'];
    my $close = $t->[$open][MATCH] // return ();
    if ($word->[TYPE] eq 'word' && $word->[TEXT] =~ /\A(?:do|eval|try)\z/) { return ($open - 1, $close) }
    if ($word->[TYPE] eq 'word'
        && $word->[TEXT] =~ /\A(?:map|first|any)\z/) { return ($open - 1, $source->list_end($open - 1)) }
    # An if whose value may be that of the sub.
    if ($sub) {
        my $end = $close;
        while ($t->[$end + 1] && $t->[$end + 1][TEXT] =~ /\A(?:else|elsif)\z/) {
            my $next = $end + 2;
            $next = ($t->[$next][MATCH] // $next) + 1 if $t->[$next] && $t->[$next][TEXT] eq '(';
            last unless $t->[$next] && $t->[$next][TEXT] eq '{';
            $end = $t->[$next][MATCH] // last;
        }
        if ($end + 1 == $sub->{close}) { $self->_returned($i, $state->{depth}); return () }
    }
    $self->_arrive(nowhere => 'nowhere', $i);
    return ();
}

sub _last_statement {
    my ($self, $around, $i, $state) = @_;
    $self->_arrive(nowhere => 'nowhere', $i);
    return;
}

# The value is returned by the sub around token I: follow it to the callers in this file.
sub _returned {
    my ($self, $i, $depth) = @_;
    my $source = $self->{source};
    my $sub = $source->{tokens}[$i][SUB];
    my $name = $sub ? $sub->{name} : undef;
    if ($sub && !defined $name) { return $self->_anonymous($sub, $depth) }
    my @callers = defined $name && $depth < MAX_DEPTH ? $self->_callers($sub) : ();
    return $self->_arrive(return => defined $name ? "the callers of $name" : 'the caller', $i)
        unless @callers;
    for my $caller (@callers) {
        my $count = @{$self->{found}};
        $self->_follow(@$caller{qw(first last)}, {depth => $depth + 1});
        $self->{found}[$_]{caller} = $caller->{at} for $count .. $#{$self->{found}};
    }
    return;
}

# An anonymous sub: who is it for?
sub _anonymous {
    my ($self, $sub, $depth) = @_;
    my $around = parent($self->{source}, $sub->{start}, $sub->{close});
    return $self->_reference({first => $sub->{start}, last => $sub->{close}, at => $sub->{start}});
}

# Calls of a named sub in this file: name(...), $self->name(...), Package->name(...).
sub _callers {
    my ($self, $sub) = @_;
    my $source = $self->{source};
    my $t = $source->{tokens};
    my ($bare) = $sub->{name} =~ /(\w+)\z/;
    my @found;
    for my $at (@{_words($source)->{$bare} || []}, @{_words($source)->{$sub->{name}} || []}) {
        next if $at >= $sub->{start} && $at <= $sub->{open} || $self->{calls}{$at};
        my ($before, $next) = ($at ? $t->[$at - 1][TEXT] : ';', ($t->[$at + 1] || [0, ''])->[TEXT]);
        next if $before =~ /\A(?:sub|\\)\z/ || $next eq '=>' || $before eq '{' && $next eq '}';
        my $first = $at;
        if ($before eq '->') {
            $first = receiver_start($source, $at - 2);
            next unless $source->text_of($first,
                $at - 2) =~ /\A(?:\$self|\$class|\$this|__PACKAGE__|shift|\Q$sub->{package}\E|\$_\[0\])\z/;
        }
        elsif ($t->[$at][PACKAGE] ne $sub->{package} && $t->[$at][TEXT] !~ /::/) { next }
        my ($last) = $next eq '(' || $before ne '->' ? $source->arguments($at) : ($at);
        push @found, {at => $at, first => $first, last => $last};
        last if @found >= 12;
    }
    return @found;
}

# Where each word stands.
sub _words {
    my ($source) = @_;
    return $source->{words} ||= do {
        my (%words, $t);
        $t = $source->{tokens};
        for my $i (0 .. $#$t) { push @{$words{$t->[$i][TEXT] =~ s/\A&//r}}, $i if $t->[$i][TYPE] eq 'word'
            || $t->[$i][TYPE] eq 'sym' && $t->[$i][TEXT] =~ /\A&/ }
        \%words;
    };
}

# name(..., IMAGE) where the sub is in this file: on with its parameter.
sub _into_sub {
    my ($self, $name, $around, $state) = @_;
    my $source = $self->{source};
    my $package = $source->{tokens}[$around->{at}][PACKAGE];
    my $full = $name =~ /::/ ? normal_name($name) : "${package}::$name";
    return $self->_parameter($full, $around->{index}, $state);
}

sub _into_method {
    my ($self, $around, $state) = @_;
    my $source = $self->{source};
    my $text = $source->text_of(@{$around->{recv}});
    return 0 unless $text =~ /\A(?:\$self|\$class|\$this|__PACKAGE__)\z/ && defined $around->{index};
    my $package = $source->{tokens}[$around->{at}][PACKAGE];
    return $self->_parameter("${package}::$around->{name}", $around->{index} + 1, $state);
}

sub _parameter {
    my ($self, $full, $index, $state) = @_;
    my $source = $self->{source};
    return 0 unless defined $index && $state->{depth} < MAX_DEPTH;
    my ($sub) = grep { defined $_->{name} && $_->{name} eq $full } @{$source->{subs}} or return 0;
    my ($variable, $after) = _parameter_name($source, $sub, $index);
    return 0 unless defined $variable;
    my $count = @{$self->{found}};
    $self->_variable($variable, $after, {%$state, depth => $state->{depth} + 1});
    return @{$self->{found}} > $count;
}

# The variable that argument INDEX of a sub is copied to, and the token behind which it is.
sub _parameter_name {
    my ($source, $sub, $index) = @_;
    my $t = $source->{tokens};
    return ($sub->{params}[$index], $sub->{open}) if $sub->{params}[$index]
        && $sub->{params}[$index] =~ /\A\$\w/;
    my $shifted = 0;
    for my $at ($sub->{open} + 1 .. ($sub->{open} + 120 < $sub->{close} ? $sub->{open} + 120
        : $sub->{close})) {
        next if $t->[$at][TEXT] ne '=' || $t->[$at][TYPE] ne 'op';
        my $next = $t->[$at + 1][TEXT];
        if ($next eq 'shift' && ($t->[$at + 2] || [0, ''])->[TEXT] =~ /\A(?:;|\|\||\/\/|\(|@_)\z/) {
            return ($t->[$at - 1][TEXT], $at) if $shifted++ == $index && $t->[$at - 1][TYPE] eq 'sym';
        }
        elsif ($next eq '@_' && $t->[$at - 1][TEXT] eq ')' && defined $t->[$at - 1][MATCH]) {
            my @names = map { $source->text_of(@$_) } $source->split_list($t->[$at - 1][MATCH] + 1, $at - 2);
            my $name = $names[$index - $shifted];
            return $index >= $shifted && defined $name && $name =~ /\A\$\w+\z/ ? ($name, $at) : ();
        }
        elsif ($next eq '$_' && $source->text_of($at + 1,
            $at + 4) eq "\$_[$index]") { return ($t->[$at - 1][TEXT], $at) if $t->[$at - 1][TYPE] eq 'sym' }
    }
    return ();
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Flow - follow an image from the call that makes it to where it goes

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Within a sub it follows variables; it goes on into subs of the same
file, to their callers and to their parameters. Nothing is public.

=cut
