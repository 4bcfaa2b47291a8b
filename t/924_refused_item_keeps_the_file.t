# A store that dies on a code reference deep inside has already destroyed the old file:
# here it has not. (t/705_failures.t has all sorts of failures.)
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Test::More;
use PermafrostTest;

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $file = "$dir/file";
my $config = {sessions => [map { {id => $_} } 1 .. 1000], callback => {on => {error => sub { 1 }}}};

for my $writer (qw(store nstore lock_store lock_nstore)) {
    st->{nstore}->({old => 1}, $file);
    ok(!eval { pf->{$writer}->($config, $file); 1 }, "$writer dies");
    like($@, qr/^Can't store CODE items/, '... says why');
  SKIP: {
        skip 'stock Storable has removed the file', 1 if is_stock();
        is_deeply(eval { st->{retrieve}->($file) }, {old => 1}, '... the old file is intact');
    }
}

done_testing();
