# fd_retrieve takes nothing behind the image: not from a file, a pipe, a socket or an
# in-memory handle, small or large, not even when the image is damaged.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use File::Temp ();
use POSIX ();
use Socket;
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
my $main = $$;
END { chdir $home if defined $home && $$ == $main }

{
    package Hooked;
    sub STORABLE_freeze { return ('text', $_[0]{list}) }
    sub STORABLE_thaw { $_[0]{list} = $_[3]; return }
}

my %data = (
    small     => [],
    scalar    => \(my $text = 'x'),
    byte      => \(my $byte = 7),
    long      => \(my $long = 'long ' x 60),
    wide      => \(my $wide = "\x{263a}" x 100),
    hash      => {a => 1, b => [2], "\x{263a}" => 3},
    object    => bless({a => bless [], 'Other::Class'}, 'Some::Class'),
    regexp    => [qr/a/i],
    hook      => [bless({list => [1, 2]}, 'Hooked')],
    'at the edge of a buffer' => \(my $edge = 'x' x (8192 - 12)),
    large     => [map { {n => $_, text => 'x' x 100} } 1 .. 2000],
    'a large string' => ['x' x 1_000_000, 1],
);

my %makers = (
    file => sub {
        my ($bytes) = @_;
        open my $out, '>:raw', 'file' or die $!;
        print {$out} $bytes;
        close $out;
        open my $in, '<', 'file' or die $!;
        return $in;
    },
    memory => sub { open my $in, '<', \(my $copy = $_[0]) or die $!; return $in },
    pipe   => sub { pipe my $in, my $out or die $!; return feed($in, $out, $_[0]) },
    socket => sub {
        socketpair my $in, my $out, AF_UNIX, SOCK_STREAM, PF_UNSPEC or return;
        return feed($in, $out, $_[0]);
    },
    'slow pipe' => sub { pipe my $in, my $out or die $!; return feed($in, $out, $_[0], 997) },
);

my @children;

sub feed {
    my ($in, $out, $bytes, $piece) = @_;
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if ($pid) {
        push @children, $pid;
        close $out;
        return $in;
    }
    close $in;
    $SIG{PIPE} = 'IGNORE';
    $piece ||= length $bytes;
    for (my $at = 0; $at < length $bytes;) {
        my $sent = syswrite $out, $bytes, $piece, $at;
        last unless $sent;
        $at += $sent;
    }
    POSIX::_exit(0);
}

for my $sort (sort keys %makers) {
    for my $what (sort keys %data) {
        next if $sort eq 'slow pipe' && $what eq 'a large string' && is_stock();
        for my $writer (qw(freeze nfreeze)) {
            my $image = 'pst0' . st->{$writer}->($data{$what});
            my $bytes = "first line\n${image}second line\n$image${image}last line\n";
            my $in = $makers{$sort}->($bytes) or next;
            my @got = scalar <$in>;
            push @got, tagged(pf->{fd_retrieve}->($in));
            push @got, tell $in if $sort =~ /file|memory/;
            push @got, scalar <$in>;
            push @got, tagged(pf->{fd_retrieve}->($in)), tagged(pf->{retrieve_fd}->($in));
            push @got, scalar <$in>, scalar <$in>;
            my $tagged = tagged(st->{thaw}->(substr $image, 4));
            is_deeply(\@got, ["first line\n", $tagged,
                $sort =~ /file|memory/ ? 11 + length $image : (),
                "second line\n", $tagged, $tagged, "last line\n", undef],
                "$sort, $writer of $what");
            close $in;
            waitpid shift @children, 0 while @children;
        }
    }
}

# An image at once, the rest much later: fd_retrieve must not wait for more
{
    pipe my $in, my $out or die $!;
    my $pid = fork;
    die "fork: $!" unless defined $pid;
    if (!$pid) {
        close $in;
        syswrite $out, 'pst0' . st->{nfreeze}->([1 .. 5]);
        sleep 30;
        POSIX::_exit(0);
    }
    close $out;
    local $SIG{ALRM} = sub { die "it waited\n" };
    alarm 10;
    is_deeply(eval { pf->{fd_retrieve}->($in) } || $@, [1 .. 5], 'it does not wait for more');
    alarm 0;
    kill 'KILL', $pid;
    waitpid $pid, 0;
}

# sysread sees what PerlIO has not taken: the same as with Storable
for my $writer (qw(store store_fd)) {
    my ($ours, $theirs) = on_both(sub {
        my ($m) = @_;
        open my $out, '+>', 'sys' or die $!;
        $m->{store_fd}->([1 .. 5], $out);
        print {$out} 'tail';
        close $out;
        open my $in, '<:unix', 'sys' or die $!;
        my $got = $m->{fd_retrieve}->($in);
        sysread $in, my $rest, 10;
        return scalar(@$got) . $rest;
    });
    is($ours, $theirs, 'an unbuffered handle');
    last;
}

# A damaged image: what is behind the good part is the business of nobody, but a whole
# image must leave the next alone even if its data are refused
{
    my $image = 'pst0' . st->{nfreeze}->(['ok']);
    my $in = $makers{memory}->("pst0\5\x0b\2\0\0\0\1\xff${image}");
    my $end = outcome(sub { pf->{fd_retrieve}->($in) });
    is($end->{error}, 'Corrupted storable file (binary v2.11)', 'damaged');
    is(tell $in, 12, '... it stopped behind the byte that it refused') unless is_stock();
}

done_testing();
