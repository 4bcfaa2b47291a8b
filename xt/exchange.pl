#!/usr/bin/env perl

# The same data sets, written by every perl and machine and read by every other.
#
#     perl -Mblib xt/exchange.pl write NAME > NAME.written       on each
#     cat *.written | perl -Mblib xt/exchange.pl read NAME > NAME.read     on each
#     perl -Mblib xt/exchange.pl compare *.written *.read        anywhere: the tables
#
#     perl -Mblib xt/exchange.pl made ORDER < HERE.written       what the converter makes of it
#     perl -Mblib xt/exchange.pl cells CELL...                   all of that, in cells of dev/matrix;
#                                        files stay in EXCHANGE_DIR if that is set, with those of earlier runs
#
# What is written are the 60 sets of xt/lib/ExchangeData.pm, by Storable and by Permafrost, in native
# and in network order, and by Permafrost for older perls (max_minor); and what Storable writes of
# its own image when it has read it, so that there is something to compare with.
#
# A reader writes again what it has read, and that must be what the writer's Storable would have
# written after reading it itself, converted for the reader's machine. Both are compared as tagged
# JSON. Files are text: other lines in them do not matter, so a file may come out of ssh or qemu.

use strict;
use warnings;
use Config;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ExchangeData qw(exchange_data exchange_names);

# Functions, by module and order.
my (%freeze, %thaw);
for my $module (qw(Storable Permafrost)) {
    require "$module.pm";
    $freeze{$module} = { native => $module->can('freeze'), network => $module->can('nfreeze') };
    $thaw{$module} = $module->can('thaw');
}
{
    no warnings 'once';
    $Storable::canonical = $Storable::Deparse = $Storable::Eval = 1;
    $Storable::recursion_limit = $Storable::recursion_limit_hash = -1;
}
my @ORDERS = qw(native network);

sub usage { die "usage: $0 write NAME | read NAME | made ORDER | compare FILE... | cells CELL...\n" }

# ---- lines -------------------------------------------------------------------------------

# Prints a record. The last field may be an image: in hex, or "no MESSAGE", or "=", the same as
# that of Storable for this set and order, or as what has been read.
sub record { return print join("\t", 'exchange', @_), "\n" }

# RETURNS: the records in a file, with all images written out but "=" for those that were read.
sub records {
    my ($in) = @_;
    my (@records, $storable);
    while (my $line = readline $in) {
        $line =~ s/\r?\n\z//;
        my ($mark, @fields) = split /\t/, $line;
        next if ($mark // '') ne 'exchange';
        if ($fields[0] eq 'image' || $fields[0] eq 'again') {
            $storable = $fields[-1] if $fields[3] eq 'Storable';
            $fields[-1] = $storable if $fields[-1] eq '=';
        }
        push @records, \@fields;
    }
    return @records;
}

# RETURNS: what a sub returns, in hex; or "no" and the first line of what it dies with.
sub attempt {
    my ($code) = @_;
    my $result = eval { $code->() };
    return unpack 'H*', $result if defined $result;
    my ($message) = ($@ || 'undef') =~ /\A(.*)/;
    $message =~ s/ at \S+ line [0-9]+.*//;
    return "no $message";
}

# Who we are: perl's version, byte order and sizes as convert wants them, minor version and Storable's own.
sub machine {
    my $order = join '/', $Config{byteorder}, @Config{qw(intsize longsize ptrsize nvsize)};
    return ($], $order, Storable::BIN_WRITE_MINOR(), $Storable::VERSION, $Config{archname});
}

# ---- write -------------------------------------------------------------------------------

sub write_all {
    my ($name) = @_;
    usage() if @_ != 1;
    record('writer', $name, machine());
    for my $set (exchange_names()) {
        for my $order (@ORDERS) {
            my $storable = attempt(sub { $freeze{Storable}{$order}->(exchange_data($set)) });
            my $permafrost = attempt(sub { $freeze{Permafrost}{$order}->(exchange_data($set)) });
            # What Storable reads is not always what was written (an empty string loses its flag...)
            my $again = attempt(sub { $freeze{Storable}{$order}->($thaw{Storable}->(pack 'H*', $storable)) });
            # For older readers. Minor version 11 is the newest that there is; what is newer are booleans.
            my $old = Permafrost->new(max_minor => Storable::BIN_WRITE_MINOR(), order => $order, trust => 'full', canonical => 1);
            my $max_minor = attempt(sub { $old->freeze(exchange_data($set)) });
            record('image', $set, $order, 'Storable', $storable);
            record('image', $set, $order, 'Permafrost', $permafrost eq $storable ? '=' : $permafrost);
            record('image', $set, $order, 'max_minor', $max_minor eq $storable ? '=' : $max_minor);
            record('again', $set, $order, 'again', $again eq $storable ? '=' : $again);
        }
    }
    return 0;
}

# The images of another machine, made by the converter.
sub made {
    my ($order) = @_;
    usage() if @_ != 1;
    require Permafrost::Image;
    for my $record (records(*STDIN)) {
        my ($kind, @rest) = @$record;
        if ($kind eq 'writer') {
            $rest[0] = "made:$order";
            $rest[2] = $order;
        }
        else {
            my $image = $rest[-1];
            $rest[-1] = attempt(sub { Permafrost::Image->convert(pack('H*', $image), order => $order) })
                if $rest[1] eq 'native' && $image !~ /\Ano/;
        }
        record($kind, @rest);
    }
    return 0;
}

# ---- read --------------------------------------------------------------------------------

sub read_all {
    my ($name) = @_;
    usage() if @_ != 1;
    record('reader', $name, machine());
    my @images = grep { $_->[0] ne 'again' } records(*STDIN);
    # Storable in a process of its own: it might not survive it.
    for my $module (qw(Permafrost Storable)) {
        defined(my $pid = fork) or die "fork: $!\n";
        if (!$pid) {
            read_by($module, @images);
            exit 0;
        }
        waitpid $pid, 0;
        record('died', $module, $?) if $?;
    }
    return 0;
}

sub read_by {
    my ($module, @images) = @_;
    my $writer;
    for my $image (@images) {
        my ($kind, @rest) = @$image;
        if ($kind eq 'writer') {
            $writer = $rest[0];
            next;
        }
        my ($set, $order, $by, $hex) = @rest;
        next if $hex =~ /\Ano/;
        my $data;
        my $again = attempt(sub { $data = $thaw{$module}->(pack 'H*', $hex); defined $data ? $freeze{$module}{$order}->($data) : undef });
        record('read', $writer, $set, $order, $by, $module, $again eq $hex ? '=' : $again);
        record('booleans', $writer, $order, $by, $module, join ' ', map { describe_boolean($data->[$_]) } 0, 1) if $set eq 'booleans' && defined $data;
        record('code', $writer, $order, $by, $module, join ' ', map { eval { $_->(1) } // 'no' } @$data) if $set eq 'code' && defined $data;
    }
    return;
}

# What a perl makes of a boolean: is it one, is it defined, its text and its number.
sub describe_boolean {
    my ($value) = @_;
    my @warnings;
    local $SIG{__WARN__} = sub { push @warnings, @_ };
    my $is = $] >= 5.036 ? eval 'no warnings; builtin::is_bool($value)' ? 'boolean' : 'plain' : 'no booleans here';
    my $number = $value + 0;
    return sprintf "[%s '%s' %s%s]", $is, $value, $number, @warnings ? ' not numeric' : '';
}

# ---- compare -----------------------------------------------------------------------------

# RETURNS: name => { machine, images, read ... } of the writers and of the readers in FILES.
sub load {
    my (@files) = @_;
    my (%writers, %readers);
    for my $file (@files) {
        open my $in, '<', $file or die "$file: $!\n";
        my $who;
        for my $record (records($in)) {
            my ($kind, @rest) = @$record;
            if ($kind eq 'writer' || $kind eq 'reader') {
                my ($name, $perl, $order, $minor, $version, $arch) = @rest;
                $who = { name => $name, perl => $perl, order => $order, minor => $minor, version => $version, arch => $arch };
                ($kind eq 'writer' ? \%writers : \%readers)->{$name} = $who;
            }
            elsif ($kind eq 'image') { $who->{image}{ $rest[0] }{ $rest[1] }{ $rest[2] } = $rest[3] }
            elsif ($kind eq 'again') { $who->{again}{ $rest[0] }{ $rest[1] } = $rest[3] }
            elsif ($kind eq 'read') { $who->{read}{ $rest[0] }{"$rest[1] $rest[2] $rest[3] $rest[4]"} = $rest[5] }
            elsif ($kind eq 'died') { $who->{died}{ $rest[0] } = $rest[1] }
            else { $who->{$kind}{"$rest[0] $rest[1] $rest[2] $rest[3]"} = $rest[4] }
        }
    }
    return (\%writers, \%readers);
}

# An image as tagged JSON. RETURNS: the text, or the error.
sub tagged {
    my ($hex) = @_;
    return $hex if $hex =~ /\Ano/;
    return eval { Permafrost::Image->new(pack 'H*', $hex)->to_json(tagged => 1) } // "no JSON: $@";
}

# What a reader should write again, in hex: what the writer's Storable has written again, in the order
# and sizes of the reader, and without what its perl does not have.
my %wanted;
sub wanted {
    my ($again, $order, $reader, $plain_booleans) = @_;
    my @options = $order eq 'native' ? (order => $reader->{order}) : ();
    push @options, minor => $reader->{minor} if $plain_booleans;
    return $wanted{"$again @options"} //= @options ? attempt(sub { Permafrost::Image->convert(pack('H*', $again), @options) }) : $again;
}

# Perls from 5.37 on write booleans as such.
sub has_booleans { return $_[0]{perl} >= 5.037 }

# Can stock Storable of READER read the image of WRITER? RETURNS: 'read', or the reason why not.
sub stock_verdict {
    my ($writer, $reader, $order, $hex) = @_;
    return 'order' if $order eq 'native' && $writer->{order} ne $reader->{order};
    return 'booleans' if !has_booleans($reader) && tagged($hex) =~ /\b(?:true|false)\b/;
    return 'read';
}

my %failures;
sub fail { my ($what) = @_; $failures{$what}++; return }

sub compare {
    my (@files) = @_;
    require Permafrost::Image;
    my ($writers, $readers) = load(@files);
    my @writers = map { $writers->{$_} } sort keys %$writers;
    my @readers = map { $readers->{$_} } sort keys %$readers;
    @writers && @readers or die "no writers or no readers in these files\n";
    print "The cells:\n";
    printf "  %-22s perl %-9s %-22s Storable %s, %s\n", @$_{qw(name perl order version arch)} for @writers;
    written($_) for @writers;
    same_everywhere(@writers);
    my (%ours, %stock, %stock_old);
    for my $writer (@writers) {
        for my $reader (@readers) {
            my @pair = ($writer->{name}, $reader->{name});
            fail("$pair[1]: $_ has died with $reader->{died}{$_}") for keys %{ $reader->{died} || {} };
            $ours{ $pair[0] }{ $pair[1] } = read_by_permafrost($writer, $reader);
            $stock{ $pair[0] }{ $pair[1] } = read_by_storable($writer, $reader, 'Storable');
            $stock_old{ $pair[0] }{ $pair[1] } = read_by_storable($writer, $reader, 'max_minor');
        }
    }
    table('Permafrost reads: sets, native + network; those of Storable, of Permafrost and with max_minor', \%ours, \@writers, \@readers);
    table('Storable reads, of Storable: native + network', \%stock, \@writers, \@readers);
    table('Storable reads, of Permafrost with max_minor: native + network', \%stock_old, \@writers, \@readers);
    print "  0: all are refused, as that machine's header is another. \"no booleans\": those with booleans are\n"
        . "  refused, as this Storable does not know them. Both are as expected.\n";
    booleans(\@writers, \@readers);
    print %failures ? "\nFailures:\n" : "\nNo failures.\n";
    print "  $failures{$_} x $_\n" for sort keys %failures;
    return %failures ? 1 : 0;
}

# What a writer has written: everything, and the same by Permafrost and Storable.
sub written {
    my ($writer) = @_;
    for my $set (exchange_names()) {
        for my $order (@ORDERS) {
            my $image = $writer->{image}{$set}{$order} || {};
            my ($storable, $permafrost, $again) = (@$image{qw(Storable Permafrost)}, $writer->{again}{$set}{$order});
            my @missing = grep { !defined || /\Ano/ } $storable, $permafrost, $image->{max_minor}, $again;
            fail("$writer->{name}: $set, $order: not written: " . ($missing[0] // 'missing')) if @missing;
            next if @missing;
            fail("$writer->{name}: $set, $order: Permafrost and Storable differ") if $storable ne $permafrost;
            my $converted = attempt(sub { Permafrost::Image->convert(pack('H*', $storable), minor => $writer->{minor}) });
            fail("$writer->{name}: $set, $order: convert's minor and max_minor differ") if $converted ne $image->{max_minor};
        }
    }
    return;
}

# Sets of which not all perls write the same bytes in network order, and why.
my %WHY = (
    booleans          => 'perls from 5.37 on write booleans as such',
    booleans_shared   => 'perls from 5.37 on write booleans as such',
    int_seen_as_text  => 'before perl 5.36 a number that has been used as a string is stored as one',
);

# Which sets are the same bytes in network order everywhere, and which are not?
sub same_everywhere {
    my (@writers) = @_;
    my ($same, @other) = (0);
    for my $set (exchange_names()) {
        my %who;
        push @{ $who{ $_->{image}{$set}{network}{Permafrost} // '' } }, $_->{name} for @writers;
        my @groups = sort map { join ', ', @$_ } values %who;
        $same++ if @groups == 1;
        next if @groups == 1;
        fail("$set: not the same in network order: " . join ' | ', @groups) if !$WHY{$set};
        push @other, "  $set: " . join(' | ', @groups) . ($WHY{$set} ? " ($WHY{$set})" : '') . "\n";
    }
    print "\nIn network order $same of ", scalar(exchange_names()), " sets are the same bytes in all cells", @other ? ", but\n" : "\n", @other;
    return;
}

# RETURNS: what the table says.
sub read_by_permafrost {
    my ($writer, $reader) = @_;
    my %good = map { ($_ => 0) } @ORDERS;
    for my $set (exchange_names()) {
        for my $order (@ORDERS) {
            my $all = 1;
            for my $by (qw(Storable Permafrost max_minor)) {
                my $got = $reader->{read}{ $writer->{name} }{"$set $order $by Permafrost"} // 'no record';
                $got = $writer->{image}{$set}{$order}{$by} if $got eq '=';
                my $wanted = wanted($writer->{again}{$set}{$order}, $order, $reader, $by eq 'max_minor' || !has_booleans($reader));
                next if $set eq 'code' ? code_runs($writer, $reader, $order, $by, 'Permafrost') : $got eq $wanted || same_value($got, $wanted, $writer, $reader);
                fail("$writer->{name} -> $reader->{name}: $set, $order, by $by: " . ($got =~ /\Ano/ ? $got : 'other data'));
                print "\n$writer->{name} -> $reader->{name}: $set, $order\n got  ", tagged($got), "\n want ", tagged($wanted), "\n" if $ENV{EXCHANGE_VERBOSE};
                $all = 0;
            }
            $good{$order} += $all;
        }
    }
    return join ' + ', @good{@ORDERS};
}

# Code is not compared by its text, which each perl's B::Deparse writes in its own way, but by what it does.
sub code_runs {
    my ($writer, $reader, $order, $by, $module) = @_;
    return ($reader->{code}{"$writer->{name} $order $by $module"} // '') eq '42 301';
}

# Tagged JSON with numbers as such: no matter what an image holds them in.
sub as_numbers {
    my ($json) = @_;
    my $number = sub { my $text = shift; return $text =~ /\A"/ ? $text : sprintf '%.12g', $text };
    $json =~ s/\{"\$DOUBLE":("?[^,"]*"?),"bytes":"[0-9a-f]*"\}/$number->($1)/ge;
    $json =~ s/\{"\$INTEGER":(-?[0-9]+)\}/$1/g;
    $json =~ s/"(-?[0-9.]{10,}(?:e\+[0-9]+)?)"/$1/g;
    $json =~ s/(?<![\w".])(-?[0-9.]{10,}(?:e\+[0-9]+)?)(?![\w"])/$number->($1)/ge;
    return $json;
}

# The same data, if not the same bytes? Floats of 16 bytes are quads or x87's, which no header tells,
# and a whole number may be an integer there; where integers have 4 bytes, it may be a float or a
# text. RETURNS: true or false.
sub same_value {
    my ($got, $wanted, $writer, $reader) = @_;
    my @json = map { tagged($_) } $got, $wanted;
    return 1 if $json[0] eq $json[1];
    return 0 if 2 == grep { $_->{order} =~ m{\A[0-9]{8}/.*/8\z} } $writer, $reader;
    s/\A.*?\n// for @json;                # the header
    return as_numbers($json[0]) eq as_numbers($json[1]);
}

# RETURNS: what the table says of the images by BY.
sub read_by_storable {
    my ($writer, $reader, $by) = @_;
    my (%read, %why);
    for my $set (exchange_names()) {
        for my $order (@ORDERS) {
            my $image = $writer->{image}{$set}{$order}{$by} // '';
            my $got = $reader->{read}{ $writer->{name} }{"$set $order $by Storable"} // 'no record';
            my $verdict = stock_verdict($writer, $reader, $order, $image);
            $read{$order} += 0;
            if ($verdict eq 'read') {
                $got = $image if $got eq '=';
                my $wanted = wanted($writer->{again}{$set}{$order}, $order, $reader, $by eq 'max_minor' || !has_booleans($reader));
                if ($set eq 'code' ? code_runs($writer, $reader, $order, $by, 'Storable') : $got eq $wanted || same_value($got, $wanted, $writer, $reader)) { $read{$order}++ }
                else { fail("Storable, $writer->{name} -> $reader->{name}: $set, $order, by $by: " . ($got =~ /\Ano/ ? $got : 'other data')) }
            }
            else {
                my %message = (order => qr/ is not compatible/, booleans => qr/Corrupted storable|Storable binary image .* more recent/);
                fail("Storable, $writer->{name} -> $reader->{name}: $set, $order, by $by: expected a refusal because of $verdict, got $got")
                    if $got !~ $message{$verdict};
                $why{$verdict}++;
            }
        }
    }
    return join(' + ', @read{@ORDERS}) . ($why{booleans} ? ', no booleans' : '');
}

sub table {
    my ($title, $table, $writers, $readers) = @_;
    print "\n$title\n";
    my @columns = map { my $reader = $_->{name}; my ($most) = sort { $b <=> $a } length $reader, map { length $table->{ $_->{name} }{$reader} } @$writers; $most } @$readers;
    my $line = join('  ', '  %-22s', map { "%-${_}s" } @columns) . "\n";
    printf $line, 'writer, and reader ->', map { $_->{name} } @$readers;
    for my $writer (@$writers) {
        printf $line, $writer->{name}, @{ $table->{ $writer->{name} } }{map { $_->{name} } @$readers};
    }
    return;
}

# What becomes of booleans.
sub booleans {
    my ($writers, $readers) = @_;
    my %writer = map { ($_->{name} => $_) } @$writers;
    my %seen;
    for my $reader (@$readers) {
        for my $what (keys %{ $reader->{booleans} || {} }) {
            my ($writer, $order, $by, $module) = split ' ', $what;
            next if !$writer{$writer};    # its file is not among those that are compared
            my $written = has_booleans($writer{$writer}) && $by ne 'max_minor' ? 'booleans' : q(1 and '');
            $seen{"$module reads $written as $reader->{booleans}{$what}"}{ $reader->{name} } = 1;
        }
    }
    print "\nWhat becomes of true and false, written as booleans by perls from 5.37 on without max_minor:\n";
    print "  $_: ", join(', ', sort keys %{ $seen{$_} }), "\n" for sort keys %seen;
    return;
}

# ---- cells --------------------------------------------------------------------------------

# All of it, here and in these cells of dev/matrix.
sub cells {
    my (@cells) = @_;
    require File::Temp;
    chdir "$FindBin::Bin/.." or die "$FindBin::Bin/..: $!\n";
    my $dir = $ENV{EXCHANGE_DIR} || File::Temp::tempdir(CLEANUP => 1);
    my %run = (here => [$^X, map { "-I$_" } grep { !ref } @INC], map { ($_ => ['dev/matrix', '--run', $_, 'perl', '-Mblib']) } @cells);
    for my $step (qw(write read)) {
        for my $name (grep { $run{$_} } 'here', @cells) {
            print STDERR "exchange: $name: $step\n";
            my $in = $step eq 'read' ? "cat $dir/*.written |" : '';
            my $file = "$dir/$name." . ($step eq 'read' ? 'read' : 'written');
            my $command = join ' ', map { "'$_'" } @{ $run{$name} }, 'xt/exchange.pl', $step, $name;
            next if system("$in $command > $file.new") == 0 && rename "$file.new", $file;
            fail("$name does not $step: left out");    # the others go on
            delete $run{$name};
            unlink $file;
        }
    }
    return compare(glob "$dir/*.written $dir/*.read");
}

my %command = (write => \&write_all, read => \&read_all, made => \&made, compare => \&compare, cells => \&cells);
my $command = $command{ shift // '' } or usage();
$| = 1;
exit $command->(@ARGV);
