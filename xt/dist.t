#!/usr/bin/perl
# The release can be made, built, installed, used, updated and removed: xt/dist.sh --quick, which
# also tells more when it is run by hand.
use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'not a git checkout' unless -e '.git';
system(q{git -c safe.directory='*' ls-files >/dev/null 2>&1}) == 0 or plan skip_all => 'git does not work here';

my $output = qx{bash xt/dist.sh --quick 2>&1 </dev/null};
my $status = $?;
my @rows = $output =~ /^(\w+ +(?:passed|skipped|FAILED) .*(?:\n    .*)*)/mg;
cmp_ok(scalar @rows, '>=', 8, 'there are checks') or diag $output;
for my $row (@rows) {
    my ($name, $result) = split ' ', $row;
    ok($result ne 'FAILED', $name) or diag $row;
}
is($status, 0, 'exit status');
done_testing;
