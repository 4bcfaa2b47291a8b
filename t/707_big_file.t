# Files larger than any buffer: 70 MB of strings; with PERMAFROST_TEST_BIG set also many small
# items and one big string.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use Digest::MD5 ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my $dir = File::Temp::tempdir(CLEANUP => 1);
END { chdir $home if defined $home }
chdir $dir or die "chdir: $!";
plan skip_all => 'not enough room for the files' unless room(300);

# Can that many megabytes be written here?
sub room {
    my ($megabytes) = @_;
    open my $out, '>:raw', 'room' or return 0;
    my $ok = 1;
    for (1 .. $megabytes / 10) { $ok &&= print {$out} "\0" x 10_000_000 }
    $ok = close($out) && $ok;
    unlink 'room';
    return $ok;
}

sub digest {
    my ($name) = @_;
    open my $in, '<:raw', $name or return "$name: $!";
    return (-s $in) . ' ' . Digest::MD5->new->addfile($in)->hexdigest;
}

my %data = (
    strings => sub { [map { $_ . 'x' x 100_000 } 1 .. 700] },
    items   => sub { [map { [$_, "item $_"] } 1 .. 300_000] },
    one     => sub { ['a', 'y' x 70_000_000, 'b'] },
);
for my $name ($ENV{PERMAFROST_TEST_BIG} ? sort keys %data : 'strings') {
    my $data = $data{$name}->();
    for my $writer ($name eq 'items' ? qw(store nstore) : qw(store)) {
        my ($ours) = on_both(sub { $_[0]{$writer}->($data, "$_[0]{name}.big") });
        is($ours, 1, "$writer $name");
        is(digest("$MODULE.big"), digest('Storable.big'), '... the file is Storable\'s');
        my $back = pf->{retrieve}->('Storable.big');
        is(scalar @$back, scalar @$data, '... retrieve: as many items');
        my $wrong = 0;
        for my $i (0 .. $#$data) {
            my ($got, $want) = ($back->[$i], $data->[$i]);
            $wrong++ if ref $want ? "@$got" ne "@$want" : $got ne $want;
        }
        is($wrong, 0, '... all the same');
        undef $back;

        open my $out, '>:raw', 'fd.big' or die $!;
        pf->{$writer . '_fd'}->($data, $out);
        print {$out} "line\n";
        pf->{$writer . '_fd'}->(['next'], $out);
        close $out;
        open my $in, '<:raw', 'fd.big' or die $!;
        $back = pf->{fd_retrieve}->($in);
        is(scalar @$back, scalar @$data, "${writer}_fd and fd_retrieve");
        is(scalar <$in>, "line\n", '... what follows');
        is_deeply(pf->{fd_retrieve}->($in), ['next'], '... and the next image');
        close $in;
        unlink 'fd.big';
    }

    # cut in its last tenth
    truncate 'Storable.big', int(0.95 * -s 'Storable.big');
    my @got = eval { pf->{retrieve}->('Storable.big') };
    is_deeply(\@got, [undef], "$name cut at 95 % gives undef");

    # a refused item at the end: images over 64 MB go another way to the disk
    next if is_stock();
    push @$data, sub { 1 };
    my $before = digest("$MODULE.big");
    ok(!eval { pf->{store}->($data, "$MODULE.big"); 1 }, "$name and a refused item");
    is(digest("$MODULE.big"), $before, '... the old file is as it was');
    my %left = map { $_ => 1 } glob '*';
    delete @left{"$MODULE.big", 'Storable.big'};
    is_deeply([sort keys %left], [], '... and nothing else is left');
    unlink "$MODULE.big", 'Storable.big';
}

done_testing();
