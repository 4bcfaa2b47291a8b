#!/usr/bin/perl
# Mutates images and reads them, in children that may die of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Getopt::Long qw(GetOptions);
use IO::Select ();
use Pod::Usage qw(pod2usage);
use POSIX ();
use Scalar::Util ();
use Time::HiRes qw(time sleep);

=head1 NAME

mutate.pl - mutate images, read them, and see whether perl lives

=head1 SYNOPSIS

    perl -Mblib xt/fuzz/mutate.pl [OPTIONS]

  --count N        mutations (default 100000)
  --seed S         mutation number i depends on S and i only (default 1)
  --start I        number of the first one (default 0)
  --module NAME    module to test (default Permafrost); Storable, for instance
  --trust LEVEL    full (default): through thaw, and fd_retrieve for every eighth;
                   data: through Permafrost->new(trust => 'data')->thaw
  --corpus DIR     more images to begin with
  --jobs J         children at a time (default 1)
  --memory MB      address space that a child may take (default 1024, 0: no limit; a build
                   with sanitizers needs 0)
  --seconds S      how long one mutation may take (default 10)
  --findings DIR   where reproducers go (default: fuzz-findings)
  --keep N         at most so many of a kind (default 10; 0 to count only)
  --run FILE...    read these files, mutate nothing: what a reproducer does
  --list           only list the images to begin with
  --self-test      read with something that crashes, hangs and so on, all of which must be found
  --help           this text

Each mutation of an image is read; what comes back is walked, printed, frozen, thawed and
freed. A finding is a child that ends (a signal, "Out of memory!", an exit from anywhere), one
that takes too long, and a message with which perl reports that its data are broken. The
image of a finding is made smaller as long as it does the same, and kept.

Exit status: 0 without a finding, 1 with one, 2 usage.

=cut

my %opt = (count => 100_000, seed => 1, start => 0, module => 'Permafrost', trust => 'full',
    jobs => 1, memory => 1024, seconds => 10, findings => 'fuzz-findings', keep => 10);
my @argv = @ARGV;
GetOptions(\%opt, 'count=i', 'seed=i', 'start=i', 'module=s', 'trust=s', 'corpus=s', 'jobs=i',
    'memory=i', 'seconds=i', 'findings=s', 'keep=i', 'run', 'list', 'self-test', 'help') or pod2usage(2);
pod2usage(-verbose => 1, -exitval => 0) if $opt{help};
pod2usage(2) if @ARGV && !$opt{run} || $opt{jobs} < 1 || $opt{trust} !~ /\A(?:full|data)\z/
    || $opt{module} !~ /\A\w+(?:::\w+)*\z/;

# Again with a fixed order of hashes and a limit on memory, both of which must be there from
# the start.
if (!$ENV{PERMAFROST_FUZZ}) {
    $ENV{PERMAFROST_FUZZ} = 1;
    $ENV{PERL_HASH_SEED} = $ENV{PERL_PERTURB_KEYS} = 0;
    $ENV{PERL5LIB} = join ':', grep { !ref } @INC;
    my $limit = $opt{memory} ? 'ulimit -v ' . $opt{memory} * 1024 . ';' : '';
    exec '/bin/sh', '-c', "ulimit -c 0; $limit exec \"\$@\"", 'sh', $^X, $0, @argv
        or die "mutate.pl: exec: $!\n";
}

require FuzzSeeds;
eval "require $opt{module}; 1" or die $@;
my %function = do {
    no strict 'refs';
    map { ($_ => \&{"$opt{module}::$_"}) } qw(freeze nfreeze thaw dclone fd_retrieve);
};
{
    no warnings 'once';
    $Storable::Eval = $Permafrost::Eval = sub { return sub { 1 } };
    # Stock Storable's own limits stay as they are.
}

my @seeds = do {
    my %image = FuzzSeeds::seed_images(@function{qw(freeze nfreeze)});
    map { $image{$_} } sort keys %image;
};
if (defined $opt{corpus}) {
    for my $file (sort grep { -f } glob "$opt{corpus}/*") {
        push @seeds, slurp($file) =~ s/\A(?:pst0)//r;
    }
}
if ($opt{list}) {
    printf "%5d bytes  %s\n", length, unpack 'H*', substr $_, 0, 30 for @seeds;
    exit 0;
}

sub slurp {
    my $file = shift;
    open my $in, '<:raw', $file or die "mutate.pl: $file: $!\n";
    local $/;
    return scalar <$in>;
}

# ---- mutations ----------------------------------------------------------------------------

# Lengths and counts at which something changes.
my @NUMBERS = map { pack 'N', $_ } 0 .. 5, 127, 128, 255, 256, 65535, 65536, 0x7ffffff0,
    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff;
my @BYTES = (map({ chr } 0 .. 35), "\x7f", "\x80", "\x81", "\xc0", "\xff");

my @MUTATIONS = (
    (sub { vec($_[0], int(rand(8 * length $_[0])), 1) ^= 1 }) x 2,
    (sub { substr($_[0], rand length $_[0], 1) = $BYTES[rand @BYTES] }) x 4,
    (sub { substr($_[0], rand length $_[0], 1) = chr rand 256 }) x 2,
    sub { substr($_[0], rand length $_[0], 0) = $BYTES[rand @BYTES] },
    sub { substr($_[0], rand length $_[0], 0) = $BYTES[rand @BYTES] . $NUMBERS[rand 6] },
    sub { my $at = int rand length $_[0]; substr($_[0], $at, 4) = $NUMBERS[rand @NUMBERS] },
    sub { my $at = int rand length $_[0]; substr($_[0], $at, 1 + rand 6) = '' },
    sub { my $at = int rand length $_[0]; substr($_[0], rand length $_[0], 0) = substr $_[0], $at, 1 + rand 24 },
    sub { my $other = $seeds[rand @seeds]; substr($_[0], rand length $_[0], rand 8) = substr $other, 2 + rand length $other, 1 + rand 40 },
    sub { substr($_[0], 1 + rand length $_[0]) = '' },
    sub { $_[0] .= $BYTES[rand @BYTES] x (1 + rand 8) },
    sub { my $byte = $BYTES[rand @BYTES]; substr($_[0], 2 + rand 4, 0) = $byte x (1 + rand 40) },
);

# RETURNS: mutation number $i.
sub mutation {
    my ($i) = @_;
    srand(($opt{seed} * 2654435761 + $i * 40503) & 0xffffffff);
    my $image = $seeds[rand @seeds];
    for (0 .. (0, 0, 1, 1, 2, 4)[rand 6]) {
        $MUTATIONS[rand @MUTATIONS]->($image) if length $image > 4;
    }
    return $image;
}

# ---- what is done to an image ---------------------------------------------------------------

# With these words perl says that its data are broken.
my $BROKEN = qr/panic|Bizarre|Malformed|unreferenced|Wide character|Modification of non-creatable|[Uu]nbalanced|deep recursion|Out of memory|Use of freed/;
my ($complaint, $data_only, %tally);
$SIG{__WARN__} = sub { $complaint .= $_[0] if $_[0] =~ $BROKEN };

# Looks at all that is to be seen, of up to 300 things.
sub walk {
    my @todo = @_;
    my ($left, %seen) = 300;
    while (@todo && $left--) {
        my $ref = pop @todo;
        next if $seen{Scalar::Util::refaddr($ref)}++;
        my $type = Scalar::Util::reftype($ref);
        die "bad UTF-8 in a class\n" if defined Scalar::Util::blessed($ref) && !utf8::valid(Scalar::Util::blessed($ref));
        if ($type eq 'ARRAY') {
            my $last = $#$ref;
            $last = 50 if $last > 50;
            for my $item (@$ref[0 .. $last]) { look($item, \@todo) }
        }
        elsif ($type eq 'HASH') {
            my $count = 0;
            for my $key (keys %$ref) {
                $complaint .= "Malformed key\n" unless utf8::valid($key);
                look($ref->{$key}, \@todo);
                last if ++$count > 50;
            }
        }
        elsif ($type eq 'REGEXP') { my $match = 'abc' =~ $ref }
        elsif ($type ne 'CODE')   { look($$ref, \@todo) }
    }
    return;
}

sub look {
    my ($value, $todo) = @_;
    return push @$todo, $value if ref $value;
    return unless defined $value;
    $complaint .= "Malformed scalar\n" unless utf8::valid($value);
    my $text = "$value" . length $value;
    $text .= uc($text) . ord $text;
    $text =~ /.\w\d/;
    { no warnings; my $number = $value + 0 }
    return;
}

my $reader = $opt{trust} eq 'data' ? do { my $codec = $opt{module}->new(trust => 'data'); sub { $codec->thaw($_[0]) } }
           : $function{thaw};
($reader, $opt{count}, $opt{seconds}) = (\&broken, 60, 1) if $opt{'self-test'};

# A reader for --self-test. What happens depends on the image alone.
sub broken {
    my $kind = unpack('%32C*', $_[0]) % 23;
    kill SEGV => $$ if $kind == 0;
    POSIX::_exit(3) if $kind == 1;
    while ($kind == 2) { }
    warn "panic: not really\n" if $kind == 3;
    if ($kind == 4) { my $size = 4 << 30; my $much = 'x' x $size }
    return [];
}

# RETURNS: '' if all is well, or what is not. Counts the outcome.
sub try_image {
    my ($image, $number) = @_;
    $complaint = '';
    my $data = eval {
        if ($opt{trust} eq 'full' && $number % 8 == 7 && !$opt{'self-test'}) {
            open my $in, '<', \"pst0$image" or die $!;
            $function{fd_retrieve}->($in);
        }
        else { $reader->($image) }
    };
    if (!defined $data) {
        $tally{length $@ ? 'error' : 'undef'}++;
        $complaint .= $@ if $@ =~ $BROKEN;
        $@ = '';
        return $complaint;
    }
    $tally{data}++;
    if ($opt{trust} eq 'data') { plain_only($data) }
    eval { walk($data); 1 } or $@ =~ $BROKEN && ($complaint .= $@);
    my $again = eval { $function{nfreeze}->($data) };
    $complaint .= $@ if !defined $again && $@ =~ $BROKEN;
    if ($number % 4 == 0 && defined $again) {
        my $copy = eval { $function{thaw}->($again) };
        eval { $function{dclone}->($data) };
        $complaint .= $@ if $@ =~ $BROKEN;
    }
    undef $data;
    return $complaint;
}

# What trust => 'data' promises of its results.
sub plain_only {
    my @todo = @_;
    my %seen;
    while (@todo && keys %seen < 100) {
        my $ref = pop @todo;
        next if $seen{Scalar::Util::refaddr($ref)}++;
        $complaint .= "an object of class " . ref($ref) . "\n" if defined Scalar::Util::blessed($ref);
        my $type = Scalar::Util::reftype($ref);
        $complaint .= "a $type\n" if $type !~ /\A(?:ARRAY|HASH|SCALAR|REF|VSTRING|LVALUE)\z/;
        $complaint .= "a tied $type\n" if $type eq 'ARRAY' ? tied @$ref : $type eq 'HASH' ? tied %$ref : tied $$ref;
        push @todo, grep { ref } $type eq 'ARRAY' ? @$ref : $type eq 'HASH' ? values %$ref : $$ref;
    }
    return;
}

# ---- children ---------------------------------------------------------------------------------

# A child works through a range of numbers. Before each it writes the number over the same
# bytes of a file, so that its parent knows where it ended; what is wrong comes by the pipe.
sub start_child {
    my ($from, $to) = @_;
    open my $place, '+>', undef or die "mutate.pl: temporary file: $!\n";
    binmode $place;
    pipe my $out, my $in or die "mutate.pl: pipe: $!\n";
    my $pid = fork // die "mutate.pl: fork: $!\n";
    if ($pid) {
        close $in;
        return {pid => $pid, place => $place, out => $out, from => $from, to => $to};
    }
    close $out;
    open STDERR, '>', '/dev/null' unless $opt{memory} == 0;    # sanitizers speak there
    open STDIN, '<', '/dev/null';
    $in->autoflush(1);
    %tally = ();
    my $number = $from;
    while ($number < $to) {
        sysseek $place, 0, 0;
        syswrite $place, pack 'Q', $number;
        alarm $opt{seconds} unless ($number - $from) % 64;
        my $wrong = try_image(mutation($number), $number);
        print {$in} "wrong $number " . (split /\n/, $wrong)[0] . "\n" if length $wrong;
        $number++;
    }
    print {$in} join(' ', 'done', %tally), "\n";
    close $in;
    POSIX::_exit(0);
}

# RETURNS: the number at which the child ended.
sub place_of {
    my $place = shift;
    sysseek $place, 0, 0;
    my $bytes;
    return (sysread($place, $bytes, 8) || 0) == 8 ? unpack "Q", $bytes : undef;
}

# What an end of a child means.
sub end_of {
    my $status = shift;
    my $signal = $status & 127;
    return $signal == POSIX::SIGALRM() ? 'hang'
         : $signal ? 'signal ' . $signal
         : 'exit ' . ($status >> 8);
}

# What one image does in a child of its own. RETURNS: '' or the kind of finding.
sub alone {
    my ($image, $number) = @_;
    pipe my $out, my $in or die $!;
    my $pid = fork // die $!;
    if (!$pid) {
        close $out;
        open STDERR, '>', '/dev/null' unless $opt{run};
        alarm $opt{seconds};
        my $wrong = '';
        # As often as numbers make a difference, twice for what only shows later.
        $wrong ||= try_image($image, $_) for map { ($_, $_) } defined $number ? $number : 0 .. 7;
        print {$in} kind_of_complaint($wrong) if length $wrong;
        close $in;
        POSIX::_exit(0);
    }
    close $in;
    my $wrong = do { local $/; <$out> };
    waitpid $pid, 0;
    return $? ? end_of($?) : defined $wrong ? $wrong : '';
}

sub kind_of_complaint { return $_[0] =~ /($BROKEN)/ ? "complaint: $1" : 'complaint: ' . (split /\n/, $_[0])[0] }

# The smallest image that does the same, by leaving out and by zeroing.
sub minimise {
    my ($image, $number, $kind) = @_;
    my $deadline = time + ($opt{'self-test'} ? 1 : 20);
    for (my $step = int(length($image) / 2) || 1; $step >= 1; $step = int $step / 2) {
        for (my $at = 2; $at < length $image && time < $deadline;) {
            my $less = $image;
            substr($less, $at, $step) = '';
            if (alone($less, $number) eq $kind) { $image = $less }
            else                                { $at += $step }
        }
    }
    return $image;
}

my (%found, %kept);

# Counts a finding and keeps its image.
sub finding {
    my ($number, $kind) = @_;
    $found{$kind}++;
    return if ($kept{$kind} || 0) >= $opt{keep};
    $kept{$kind}++;
    my $image = mutation($number);
    $image = minimise($image, $number, $kind) if alone($image, $number) eq $kind;
    mkdir $opt{findings};
    my $file = sprintf '%s/%s-%s-%d', $opt{findings}, $opt{module}, $kind =~ s/\W+/_/gr, $number;
    open my $out, '>:raw', $file or die "mutate.pl: $file: $!\n";
    print {$out} $image;
    close $out or die "mutate.pl: $file: $!\n";
    say_line(sprintf 'mutation %d: %s: %s (%s)', $number, $kind, unpack('H*', substr $image, 0, 60), $file);
    return;
}

my $terminal = -t STDERR;
sub say_line { print STDERR "\r\e[K" if $terminal; print "$_[0]\n" }

if ($opt{run}) {
    my $bad = 0;
    for my $file (@ARGV) {
        my $kind = alone(slurp($file));
        say_line("$file: " . ($kind || 'fine'));
        $bad++ if $kind;
    }
    exit($bad ? 1 : 0);
}

# ---- the run -------------------------------------------------------------------------------------

use constant CHUNK => 20_000;
$| = 1;
my ($next, $end, $begun) = ($opt{start}, $opt{start} + $opt{count}, time);
my (%child, @again);
my $select = IO::Select->new;
my $done = 0;

sub more {
    while (keys %child < $opt{jobs}) {
        my ($from, $to) = @again ? @{shift @again} : ($next, $next + CHUNK > $end ? $end : $next + CHUNK);
        last if $from >= $to;
        $next = $to if $to > $next;
        my $child = start_child($from, $to);
        $child{fileno $child->{out}} = $child;
        $select->add($child->{out});
    }
    return;
}

more();
while (keys %child) {
    for my $out ($select->can_read(1)) {
        my $child = $child{fileno $out};
        my $line = readline $out;
        if (!defined $line) {
            $select->remove($out);
            delete $child{fileno $out};
            waitpid $child->{pid}, 0;
            my $status = $?;
            if ($status || !$child->{done}) {
                my $number = place_of($child->{place}) // $child->{from};
                $done += $number + 1 - $child->{from};
                push @again, [$number + 1, $child->{to}];
                finding($number, end_of($status));
            }
            else { $done += $child->{to} - $child->{from} }
            more();
        }
        elsif ($line =~ /\Awrong (\d+) (.*)/) { finding($1, kind_of_complaint($2)) }
        elsif ($line =~ s/\Adone //) {
            my %part = split ' ', $line;
            $tally{$_} += $part{$_} for keys %part;
            $child->{done} = 1;
        }
    }
    printf STDERR "\r%d of %d, %d findings, %.0f/s ", $done, $opt{count}, total(), $done / (time - $begun)
        if $terminal;
}
print STDERR "\r\e[K" if $terminal;

sub total { my $sum = 0; $sum += $_ for values %found; return $sum }

printf "%s, trust %s: %d mutations of %d images in %.0f s: %s\n", $opt{module}, $opt{trust}, $done,
    scalar @seeds, time - $begun, join ', ', map { "$_ $tally{$_}" } sort keys %tally;
printf "%8d  %s\n", $found{$_}, $_ for sort { $found{$b} <=> $found{$a} } keys %found;
printf "%d findings\n", total();
if ($opt{'self-test'}) {
    my @missed = grep { !$found{$_} } 'signal 11', 'exit 3', 'hang', 'complaint: panic', 'exit 1';
    print @missed ? "not found: @missed\n" : "all kinds were found\n";
    exit(@missed ? 1 : 0);
}
exit(total() ? 1 : 0);
