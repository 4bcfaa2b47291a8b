# perl5 7996, pgbadger 683, 694: 50,000 nested arrays crashed freeze without limit, and
# thaw in any case. Here both work, at a million too.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock Storable crashes' if is_stock();

# perl itself frees deep structures recursively: all of them are taken apart.
my %make = (
    arrays => sub { my $r = []; $r = [$r] for 2 .. $_[0]; $r },
    hashes => sub { my $r = {}; $r = {a => $r} for 2 .. $_[0]; $r },
    references => sub { my $r = \(my $end = 1); for (2 .. $_[0]) { my $inner = $r; $r = \$inner } $r },
    objects => sub { my $r = bless [], 'Some::Class'; $r = bless [$r], 'Some::Class' for 2 .. $_[0]; $r },
    mixed => sub { my $r = []; for (2 .. $_[0]) { $r = $_ % 2 ? [$r] : {a => $r} } $r },
);
sub depth_of {
    my ($r) = @_;
    my $depth = 0;
    while (ref $r) {
        $depth++;
        my $type = Scalar::Util::reftype($r);
        $r = $type eq 'ARRAY' ? $r->[0] : $type eq 'HASH' ? $r->{a} : $$r;
    }
    return $depth;
}

# The image of the report, byte by byte
{
    my $answer = in_child(sub {
        my $r = pf->{thaw}->("\x05\x0b" . ("\x02\0\0\0\1\x04" x 50_000) . "\x02\0\0\0\0");
        my $depth = depth_of($r);
        free_deep($r);
        return $depth;
    });
    is($answer, 50_001, 'thaw of 50,000 nested arrays');
    $answer = in_child(sub {
        my $r = $make{arrays}->(50_001);
        my $image = with_options({recursion_limit => -1, recursion_limit_hash => -1}, sub { pf->{nfreeze}->($r) });
        free_deep($r);
        return $image eq "\x05\x0b" . ("\x02\0\0\0\1\x04" x 50_000) . "\x02\0\0\0\0" ? 'same' : 'different';
    });
    is($answer, 'same', 'nfreeze of them');
}

for my $kind (sort keys %make) {
    for my $depth (1_000, 100_000, $kind eq 'arrays' || $ENV{PERMAFROST_TEST_BIG} ? 1_000_000 : ()) {
        my $answer = in_child(sub {
            my $r = $make{$kind}->($depth);
            my @got;
            for my $function (qw(freeze nfreeze)) {
                my $image = pf->{$function}->($r);
                my $back = pf->{thaw}->($image);
                push @got, depth_of($back);
                free_deep($back);
            }
            my $clone = pf->{dclone}->($r);
            push @got, depth_of($clone);
            free_deep($clone);
            free_deep($r);
            return "@got";
        });
        is($answer, "$depth $depth $depth", "$kind, $depth deep: freeze, nfreeze, dclone");
    }
}

# Cut in the deep
for my $cut (1, 5, 6, 100_000) {
    my $answer = in_child(sub {
        my $image = "\x05\x0b" . ("\x02\0\0\0\1\x04" x 200_000) . "\x02\0\0\0\0";
        my $r = pf->{thaw}->(substr $image, 0, -$cut);
        return defined $r ? 'data' : 'undef';
    });
    is($answer, 'undef', "200,000 nested arrays cut by $cut");
}

# A million references in a file and through a handle
is(in_child(sub {
    open my $in, '<', \("pst0\x05\x0b" . "\x04" x 1_000_000 . "\x05") or die $!;
    my $r = pf->{fd_retrieve}->($in);
    my $depth = depth_of($r);
    free_deep($r);
    return $depth;
}), 1_000_001, 'a million references by fd_retrieve');

done_testing();
