# otobo 1062, LibreCat 916: "Can't store GLOB items", "Can't store CODE items" in a large
# structure: where? Right: the message says it.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

plan skip_all => 'stock does not say it' if is_stock();

my $config = {jobs => [map { {id => $_, steps => {first => [1], second => 2}} } 1 .. 500]};
my %bad = (
    CODE => sub { 1 },
    GLOB => \*STDOUT,
    IO   => *STDOUT{IO},
);
for my $type (sort keys %bad) {
    local $config->{jobs}[321]{steps}{callback} = $bad{$type};
    for my $function (qw(freeze nfreeze dclone)) {
        my $error = eval { pf->{$function}->($config); 1 } ? 'lives' : $@;
        like($error, qr/^Can't store $type items/, "$function of $type: what");
        like($error, qr/\(at \$->\{jobs\}\[321\]\{steps\}\{callback\}\)/, '... and where');
    }
}

done_testing();
