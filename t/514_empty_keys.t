# A key without bytes before all others: dump and json said that memory had run out.
use strict;
use warnings;
use File::Temp ();
use Test::More;
use Permafrost ();

my @command = ($^X, (map { "-I$_" } @INC), 'blib/script/permafrost');
plan skip_all => 'no command here' unless -e $command[-1];
my $file = File::Temp->new;
for my $data ({'' => []}, {'' => {'' => [1, {'' => 2}]}}, {'' => {a => [1]}}) {
    Permafrost::nstore($data, "$file");
    for my $what ('dump', 'json') {
        my $output = join '', do { open my $in, '-|', @command, $what, "$file" or die "$!"; <$in> };
        is($?, 0, "$what of empty keys");
        like($output, qr/""/, '... shows one') if $what eq 'json';
    }
}
done_testing();
