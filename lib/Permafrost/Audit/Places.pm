package Permafrost::Audit::Places;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Expression qw(assignments assigned constant_string strip_parens variable);

our @EXPORT_OK = qw(class_of kind_of_class method_kind handle_kind file_kind guess_kind place_text tied_class some_tied_class constructor_text);

# Modules that take images somewhere: a pattern for the class, the kind of place, its name for
# people, and the methods that write.
my $SET = qr/\A(?:set|add|replace|cas|append|prepend|put|store|freeze|set_multi|multi_set|set_async|compute|insert|update|write|save)\z/;
my $REDIS = qr/\A(?:set|setex|psetex|setnx|getset|mset|msetnx|append|hset|hmset|hsetnx|lpush|rpush|lpushx|rpushx|linsert|lset|sadd|zadd|publish|xadd|eval|command)\z/i;
my $DATABASE = qr/\A(?:do|execute|execute_array|bind_param\w*|selectrow_\w+|selectall_\w+|selectcol_\w+|query|insert\w*|update\w*|create|populate|set_columns?|set|run|find_or_create)\z/;
my $SESSION = qr/\A(?:param|set|put|store|write|session|store_session_data)\z/;
my $QUEUE = qr/\A(?:do_task|do_high|do_low|do_background|dispatch_background|add_task\w*|insert|put|send|publish|zmq_send|sendmsg|enqueue|add|add_path|new_from_array|send_data|produce)\z/;
my $SOCKET = qr/\A(?:print|printf|say|send|syswrite|write|push_write|put|blocking_write)\z/;
my @MODULES = (
    [qr/\A(?:Cache::Memcached|Memcached::|Memcached::libmemcached|Cache::Memcached::\w+|AnyEvent::Memcached)/,
        cache => 'memcached', $SET],
    [qr/\A(?:Redis|RedisDB|Mojo::Redis\d?|AnyEvent::Redis\w*|EV::Hiredis|Redis::\w+|Redis::hiredis|Cache::Redis\w*|Cache::RedisDB)\b/, cache => 'Redis',
        $REDIS],
    [qr/\ACHI\b/, cache => 'CHI', $SET],
    [qr/\A(?:Cache|Cache::(?:Cache|FileCache|SharedMemoryCache|SizeAwareFileCache|FileBackend|File|FastMmap|BDB|Mmap|KyotoTycoon|Couchbase|LRU)|Couchbase::\w+|Riak\w*|Net::Riak|Tie::Cache|KyotoCabinet\w*|LevelDB|Tie::LevelDB|LMDB_File)\b/, cache => 'a cache', $SET],
    [qr/\A(?:MongoDB|Search::Elasticsearch|Amazon::S3|Net::Amazon::S3|Paws)\b/, db => 'a database',
        qr/\A(?:insert\w*|update\w*|replace\w*|save|put\w*|add_key|index|set)\z/],
    [qr/\A(?:DBI|DBD::\w+|DBIx::\w+|Mojo::(?:Pg|SQLite|mysql)|Rose::DB\w*|Class::DBI)\b/, db => 'a database',
        $DATABASE],
    [qr/\A(?:DB_File|GDBM_File|NDBM_File|ODBM_File|SDBM_File|AnyDBM_File|BerkeleyDB\w*|MLDBM|CDB_File|TokyoCabinet\w*|QDBM_File|Tie::TokyoTyrant)\b/, db => 'a DBM file',
        qr/\A(?:put|db_put|STORE|store|insert|putkeep|putasync|iterate)\z/],
    [qr/\A(?:Apache2?::Session|CGI::Session|HTTP::Session\w*|Plack::Session|Catalyst::Plugin::Session|Dancer2?::(?:Core::)?Session|Mojolicious::Sessions|Data::Session)\b/, session => 'a session', $SESSION],
    [qr/\A(?:Gearman|TheSchwartz|Beanstalk|Net::Stomp|Net::AMQP|Net::RabbitMQ|Net::RabbitFoot|AnyEvent::RabbitMQ|ZMQ|ZeroMQ|Kafka|Net::Kafka|Queue::\w+|Directory::Queue|IPC::DirQueue|Minion|Job::Machine|MessageQueue|POE::Component::MessageQueue)\b/, queue => 'a queue',
        $QUEUE],
    [qr/\AIO::Socket::UNIX\b/, pipe => 'a socket of this machine',
        qr/\A(?:print|printf|say|send|syswrite|write)\z/],
    [qr/\A(?:IO::Socket\w*|IO::Async::(?:Stream|Socket)|AnyEvent::Handle|Net::(?:Server|FTP|SMTP|SSH2|WebSocket)\b|Mojo::(?:IOLoop|Transaction)|Protocol::WebSocket|POE::Wheel)/, socket => 'a socket',
        $SOCKET],
    [qr/\A(?:LWP|HTTP|Mojo::UserAgent|WWW::\w+|REST::Client|Furl|SOAP::Lite|XMLRPC::Lite|JSON::RPC)\b/,
        socket => 'an HTTP message',
        qr/\A(?:post|put|request|new|content|add_content|body|write|render|print)\z/],
    [qr/\A(?:Thread::Queue|threads::shared|Memoize|Thread::Queue::Any)\b/,
        process => 'another thread of this process', qr/\A(?:enqueue|insert)\z/],
    [qr/\A(?:IPC::Shareable|IPC::ShareLite|IPC::SharedCache|IPC::Msg|IPC::SharedMem|Sys::Mmap|IPC::MMA|Hash::SharedMem)\b/, shared => 'memory shared on this machine', qr/\A(?:store|put|set|snd|write|lock_store)\z/],
    [qr/\A(?:File::Temp)\b/, temp => 'a temporary file', qr/\A(?:print|printf|say|syswrite|write)\z/],
    [qr/\A(?:IO::File|IO::Handle|IO::Zlib|IO::Compress\w*|Path::Tiny|Path::Class|Mojo::File|IO::All|File::\w+)\b/, file => 'a file', qr/\A(?:print|printf|say|syswrite|write|spew\w*|append\w*|spurt|write_file|write_binary|splat)\z/],
    [qr/\A(?:IO::Pipe|IPC::Open[23]|IPC::Run3?)\b/, pipe => 'a pipe',
        qr/\A(?:print|printf|say|syswrite|write|pump)\z/],
);
my @CONFIGURED;

# Words in the name of a variable or accessor that tell what it holds.
my @GUESSES = (
    [qr/memd|memcach|mcache/i, cache => 'memcached', $SET],
    [qr/redis/i, cache => 'Redis', $REDIS],
    [qr/cache\z|\Acache|chi\z/i, cache => 'a cache', $SET],
    [qr/\A(?:dbh|sth|db_?handle|schema|rs|resultset|dbic)\z|_(?:dbh|sth|rs)\z/i, db => 'a database',
        $DATABASE],
    [qr/sess(?:ion)?\z/i, session => 'a session', $SESSION],
    [qr/gearman|beanstalk|schwartz|rabbit|queue\z|amqp|stomp/i, queue => 'a queue', $QUEUE],
    [qr/sock(?:et)?\z|\Aclient_?(?:sock|fh)\z|connection\z/i, socket => 'a socket', $SOCKET],
);

# Take cache modules of .permafrostrc into account: module => list of methods (none: the usual).
sub configure {
    my ($modules) = @_;
    @CONFIGURED = map {
        my ($name, @methods) = ($_, @{$modules->{$_}});
        my $methods = @methods ? join '|', map { quotemeta } @methods : undef;
        [qr/\A\Q$name\E(?:::|\z)/, cache => $name, defined $methods ? qr/\A(?:$methods)\z/ : $SET];
    } sort keys %$modules;
    return;
}

# What kind of place a class stands for: (kind, name for people, pattern of writing methods).
sub kind_of_class {
    my ($class) = @_;
    for my $entry (@CONFIGURED, @MODULES) { return @{$entry}[1 .. 3] if $class =~ $entry->[0] }
    return ();
}

sub guess_kind {
    my ($text) = @_;
    my ($name) = $text =~ /(\w+)(?:\(\))?[\]\})'"]*\z/ or return ();
    for my $entry (@GUESSES) { return @{$entry}[1 .. 3] if $name =~ $entry->[0] }
    return ();
}

# Where a call METHOD on the receiver in tokens I to J takes its arguments: (kind, name, class or
# undef), or nothing if that is not known.
sub method_kind {
    my ($source, $i, $j, $method) = @_;
    my $class = class_of($source, $i, $j);
    if (defined $class) {
        my ($kind, $name, $methods) = kind_of_class($class);
        return ($kind, $name, $class) if $kind && $method =~ $methods;
        return () if $kind;
    }
    my $text = $source->text_of($i, $j);
    my ($kind, $name, $methods) = $text =~ /->(?:resultset|rs|search|find)\b/
        ? (db => 'a database', $DATABASE) : guess_kind($text);
    return $kind && $method =~ $methods ? ($kind, $name, undef) : ();
}

# ---- classes of objects ---------------------------------------------------------------------------

# The class of the object in tokens I to J, as far as this file tells; undef if it does not.
sub class_of {
    my ($source, $i, $j, $depth) = @_;
    return undef if ($depth || 0) > 3;
    my $t = $source->{tokens};
    ($i, $j) = strip_parens($source, $i, $j);
    return normal_name($t->[$i][TEXT]) if $i == $j && $t->[$i][TYPE] eq 'word'
        && $t->[$i][TEXT] =~ /\A[A-Z]\w*(?:::|\z)/
        && $t->[$i][TEXT] !~ /\A[A-Z_]+\z|\A(?:STDIN|STDOUT|STDERR)\z/;
    my $made = _made($source, $i, $j);
    return $made if defined $made;
    my $text = $source->text_of($i, $j);
    $text = substr $text, 3 if $text =~ /\Amy /;
    for my $set (reverse assigned($source, $text, $i)) {
        next if defined $set->{item};
        my $class = _class_in($source, @{$set->{rhs}}, $depth);
        return $class if defined $class;
    }
    return _class_of_key($source, $1, $depth) if $text =~ /\{(\w+)\}\z/;
    return _class_of_accessor($source, $1, $depth) if $text =~ /(\w+)(?:\(\))?\z/ && $t->[$i][TYPE] ne 'str';
    return undef;
}

# How the object in tokens I to J is made, with what arguments; undef if that is not known. Two
# objects that are made in the same way lead to the same place.
sub constructor_text {
    my ($source, $i, $j) = @_;
    for my $set (reverse assigned($source, $source->text_of($i, $j), $i)) {
        my $text = $source->text_of(@{$set->{rhs}});
        return $text if $text =~ /->(?:new|connect)\(.*['"]/s;
    }
    return undef;
}

# Class->new(...), new Class(...), Class->connect(...), all at once.
sub _made {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    return undef if $i == $j;
    my ($first, $second, $third) = @{$t}[$i, $i + 1, $i + 2];
    return normal_name($second->[TEXT]) if $first->[TEXT] eq 'new' && $second->[TYPE] eq 'word';
    if ($first->[TEXT] =~ /\Atie\z/) {
        my (undef, @args) = $source->arguments($i);
        return @args > 1 ? constant_string($source, @{$args[1]}) : undef;
    }
    return undef unless $second->[TEXT] eq '->' && $third && $third->[TYPE] eq 'word';
    my $class = $first->[TYPE] eq 'word' ? normal_name($first->[TEXT]) : $first->[TYPE] eq 'str'
        ? $first->[VALUE] : undef;
    return undef unless defined $class && $class =~ /\A[A-Z]/;
    return $class if $third->[TEXT] =~ /\A(?:new|connect|instance|open|create|new_\w+|connect_cached|get_cache|spawn|tie)\z/ || kind_of_class($class);
    return undef;
}

# The class that an expression makes, or that stands in it behind `||`, in a block and so on.
sub _class_in {
    my ($source, $i, $j, $depth) = @_;
    my $t = $source->{tokens};
    my $class = class_of($source, $i, $j, ($depth || 0) + 1);
    return $class if defined $class;
    return undef if $j - $i > 400;
    for my $at ($i .. $j - 2) {
        next unless $t->[$at][TEXT] =~ /\A(?:new|tie)\z/ || $t->[$at + 1][TEXT] eq '->'
            && $t->[$at][TYPE] =~ /\A(?:word|str)\z/;
        my $made = _made($source, $at, $j);
        return $made if defined $made && kind_of_class($made);
    }
    return undef;
}

# What `key => Class->new` or `has key => (...)` says anywhere in the file.
sub _class_of_key {
    my ($source, $key, $depth) = @_;
    my $cache = $source->{class_of_key} ||= {};
    return $cache->{$key} if exists $cache->{$key};
    $cache->{$key} = undef;
    my $t = $source->{tokens};
    my $class;
    for my $i (1 .. $#$t - 1) {
        my $token = $t->[$i - 1];
        next unless $t->[$i][TEXT] eq '=>'
            && ($token->[TYPE] eq 'word' ? $token->[TEXT] : $token->[VALUE] // '') eq $key;
        my ($range) = $source->split_list($i + 1, $source->list_end($i + 1));
        $class = $range ? _class_in($source, @$range, $depth) // _class_named($source, @$range) : undef;
        last if defined $class;
    }
    if (!defined $class) {
        my $found = assignments($source);
        for my $text (sort grep { /\{\Q$key\E\}\z/ } keys %$found) {
            $class //= _class_in($source, @{$_->{rhs}}, $depth) for @{$found->{$text}};
        }
    }
    return $cache->{$key} = $class;
}

# isa => 'Cache::Memcached' within the range.
sub _class_named {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    for my $at ($i .. $j) {
        return $t->[$at][VALUE] if $t->[$at][TYPE] eq 'str' && $t->[$at][VALUE] =~ /\A[A-Z]\w*(?:::\w+)*\z/
            && kind_of_class($t->[$at][VALUE]);
    }
    return undef;
}

sub _class_of_accessor {
    my ($source, $name, $depth) = @_;
    for my $sub (@{$source->{subs}}) {
        next unless defined $sub->{name} && $sub->{name} =~ /::\Q$name\E\z/;
        my $class = _class_in($source, $sub->{open} + 1, $sub->{close} - 1, $depth);
        return $class if defined $class;
    }
    return _class_of_key($source, $name, $depth);
}

# The class that a hash is tied to; TEXT is "%name" or, for a reference, "$name".
sub tied_class {
    my ($source, $text) = @_;
    my $tied = $source->{tied} ||= _find_ties($source);
    return $tied->{$text} ? @{$tied->{$text}} : ();
}

# The class that one of the hashes of this file is tied to, if that is a database.
sub some_tied_class {
    my ($source) = @_;
    my $tied = $source->{tied} ||= _find_ties($source);
    my ($class) = sort grep { ((kind_of_class($_))[0] // '') eq 'db' } map { $_->[0] } values %$tied;
    return $class;
}

sub _find_ties {
    my ($source) = @_;
    my $t = $source->{tokens};
    my %tied;
    for my $i (0 .. $#$t - 1) {
        next unless $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] =~ /\A(?:tie|dbmopen)\z/
            && $source->_is_keyword($i);
        my (undef, @args) = $source->arguments($i);
        next if @args < 2;
        my ($from, $to) = @{$args[0]};
        $from++ while $t->[$from][TEXT] =~ /\A(?:my|our|local)\z/;
        my $class = $t->[$i][TEXT] eq 'dbmopen' ? 'AnyDBM_File' : constant_string($source, @{$args[1]});
        my $file = $args[2] ? $source->text_of(@{$args[2]}) : '';
        $tied{$source->text_of($from, $to)} = [$class, $file] if defined $class;
    }
    return \%tied;
}

# ---- handles and files ------------------------------------------------------------------------------

# Where a handle leads: (kind, name, whether that is a guess from its name).
sub handle_kind {
    my ($source, $i, $j) = @_;
    my $t = $source->{tokens};
    ($i, $j) = strip_parens($source, $i, $j);
    $i++ while $i < $j && $t->[$i][TEXT] =~ /\A[\\*]\z/;
    my $text = $source->text_of($i, $j) =~ s/\A\*(?:main::)?//r;
    $text = $1 if $text =~ /\A\{(.*)\}\z/;
    return (stdout => 'the standard output') if $text eq 'STDOUT';
    return (process => 'the terminal') if $text eq 'STDERR';
    my @opened = @{_opened($source)->{$text} || []};
    return @{$opened[-1]} if @opened;
    my $class = class_of($source, $i, $j);
    my ($kind, $name) = defined $class ? kind_of_class($class) : ();
    return ($kind, $name) if $kind;
    ($kind, $name) = guess_kind($text);
    return ($kind, $name, 1) if $kind && $kind eq 'socket';
    return (pipe => 'a pipe')
        if $text =~ /pipe|\b(?:to|from)_?(?:child|parent)|\b(?:child|parent)_?(?:wtr|rdr|fh|w|r)\b/i;
    return (handle => 'a handle');
}

# What open, pipe, socket and tempfile say about each handle of the file.
sub _opened {
    my ($source) = @_;
    return $source->{opened} if $source->{opened};
    my $t = $source->{tokens};
    my %opened;
    $source->{opened} = \%opened;    # already, for names that are opened by other names
    for my $i (0 .. $#$t) {
        my ($type, $name) = @{$t->[$i]}[TYPE, TEXT];
        next unless $type eq 'word'
            && $name =~ /\A(?:open|sysopen|pipe|socket|socketpair|accept|tempfile|open2|open3)\z/
            && $source->_is_keyword($i);
        my (undef, @args) = $source->arguments($i);
        if ($name eq 'tempfile') {
            push @{$opened{$_}}, [temp => 'a temporary file'] for _assigned_names($source, $i);
            next;
        }
        my @handles = $name =~ /\A(?:pipe|socketpair|open[23])\z/ ? @args[0 .. ($#args < 1 ? $#args : 1)]
            : @args[0 .. ($#args < 0 ? -1 : 0)];
        my @where = $name eq 'open' || $name eq 'sysopen' ? _open_kind($source, @args)
            : $name eq 'socket' ? _socket_kind($source, @args) : $name eq 'accept'
                ? _accepted_kind($source, \%opened, @args)
            : (pipe => 'a pipe to another process of this machine');
        for my $handle (grep { defined } @handles) {
            my ($from, $to) = @$handle;
            $from++ while $t->[$from][TEXT] =~ /\A(?:my|our|local)\z/;
            push @{$opened{$source->text_of($from, $to) =~ s/\A\*//r}}, [@where];
        }
    }
    return \%opened;
}

sub _socket_kind {
    my ($source, @args) = @_;
    return (socket => 'a socket') unless @args > 1 && $source->text_of(@{$args[1]}) =~ /_(?:UNIX|LOCAL)\b/;
    return (pipe => 'a socket of this machine');
}

# What accept gives is of the kind of the socket that listens.
sub _accepted_kind {
    my ($source, $opened, @args) = @_;
    my ($known) = @args > 1 ? @{$opened->{$source->text_of(@{$args[1]})} || []} : ();
    return $known ? @$known : (socket => 'a socket');
}

# Variables that the call at token I is assigned to.
sub _assigned_names {
    my ($source, $i) = @_;
    my $t = $source->{tokens};
    return () unless $i >= 2 && $t->[$i - 1][TEXT] eq '=';
    my $start = $source->statement_start($i);
    return map { $_->[TEXT] } grep { $_->[TYPE] eq 'sym' } @{$t}[$start .. $i - 2];
}

sub _open_kind {
    my ($source, @args) = @_;
    my $t = $source->{tokens};
    return (file => 'a file') if @args < 2;
    my $mode = constant_string($source, @{$args[1]});
    my $token = $t->[$args[1][0]];
    $mode //= $token->[TYPE] eq 'str' ? $token->[VALUE] : '';
    return (pipe => 'a pipe to another process of this machine') if $mode =~ /\A\s*\||\|\s*\z|\A-?\|-?\z/;
    return (file => 'a file') if @args < 3;
    return (process => 'a variable of this process') if $t->[$args[2][0]][TEXT] eq '\\';
    return file_kind($source, @{$args[2]});
}

# Where a file name leads: (kind, name).
sub file_kind {
    my ($source, $i, $j) = @_;
    my $text = $source->text_of($i, $j);
    my $known = constant_string($source, $i, $j) // '';
    return (temp => 'a temporary file')
        if "$text $known" =~ m{(?:\A|['"\s])/(?:var/)?(?:tmp|dev/shm|run)/|\btmpdir\b|\btmpnam\b|\btempdir\b|\btempfile\b|File::Temp}i;
    my $variable = variable($source, $i, $j);
    if (defined $variable) {
        my ($temp) = grep { $_->[0] eq 'temp' } @{_opened($source)->{$variable} || []};
        return @$temp if $temp;
        for my $set (assigned($source, $variable, $i)) {
            my $rhs = $source->text_of(@{$set->{rhs}});
            return (temp => 'a temporary file')
                if $rhs =~ m{['"]/(?:var/)?(?:tmp|dev/shm)/|\btmpdir\b|\btmpnam\b|\btempfile\b|\btempdir\b|File::Temp};
        }
    }
    return (temp => 'a temporary file')
        if $text =~ /\A[\$\w>{}-]*(?:temp|tmp)_?(?:file|path|name|store)?\}?\z/i;
    return (file => 'a file');
}

# One spelling of a receiver, a key or a file name, to compare places by: constants by value,
# variables in strings by position only.
sub place_text {
    my ($source, $i, $j) = @_;
    my $known = constant_string($source, $i, $j);
    return "'$known'" if defined $known;
    my $text = $source->text_of($i, $j);
    $text =~ s/\$\{?\w+(?:->|[\[{]\w+[\]}])*\}?/\$/g if $text =~ /\A"/ || $text =~ /'[^']+'\./
        || $text =~ /\.'[^']+'/;
    return $text;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Places - caches, databases, sockets, files: what modules and handles lead to

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
