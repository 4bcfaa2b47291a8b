#!/usr/bin/perl
# The exchange of xt/exchange.pl, of this perl with itself and with the machines whose images the
# converter makes; and that it notices what is wrong.
use strict;
use warnings;
use Config;
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ExchangeData qw(exchange_names);
use GoldenData qw(golden_machines);
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
my $dir = tempdir(CLEANUP => 1);
my $exchange = join ' ', map { "'$_'" } $^X, (map { "-I$_" } grep { !ref } @INC), 'xt/exchange.pl';

is(scalar(exchange_names()), 60, '60 sets');
is(system("$exchange write here >$dir/here.written"), 0, 'written here');

my %machines = golden_machines();
delete $machines{network};
for my $order (sort keys %machines) {
    (my $file = $order) =~ tr{/}{-};
    is(system("$exchange made $order <$dir/here.written >$dir/$file.written"), 0, "as on $machines{$order}");
}
is(system("cat $dir/*.written | $exchange read here >$dir/here.read"), 0, 'read here');

# RETURNS: the exit status of compare, and what it prints.
sub compare {
    my (@files) = @_;
    my $output = qx{$exchange compare @files};
    return ($? >> 8, $output);
}
my ($status, $output) = compare("$dir/*.written", "$dir/here.read");
is($status, 0, 'Permafrost reads all, Storable what it can') or diag $output;
my $here = join '/', $Config{byteorder}, @Config{qw(intsize longsize ptrsize nvsize)};
my ($ours, $stock) = $output =~ /^Permafrost reads.*?\n(.*?)\n\n^Storable reads.*?\n(.*?)\n\n/ms;
for my $name (sort 'here', map { "made:$_" } keys %machines) {
    my $native = $name eq 'here' || $name eq "made:$here" ? 60 : 0;
    like($ours, qr/^  \Q$name\E +60 \+ 60\b/m, "Permafrost: $name");
    like($stock, qr/^  \Q$name\E +$native \+ 60\b/m, "Storable: $name");
}
note $output;

# What is wrong must be noticed: one reader's answer spoilt, another one gone, an image that differs.
sub spoilt {
    my ($file, $edit, $expected, $name) = @_;
    open my $in, '<', "$dir/$file" or die "$file: $!";
    my @lines = <$in>;
    my $done = 0;
    for (@lines) { last if $done ||= $edit->() }
    ok($done, "$name: done");
    open my $out, '>', "$dir/spoilt" or die "spoilt: $!";
    print {$out} grep { length } @lines;
    close $out or die "spoilt: $!";
    my ($status, $output) = compare(map { $_ eq $file ? "$dir/spoilt" : "$dir/$_" } 'here.written', 'here.read');
    is($status, 1, '... is a failure');
    like($output, $expected, '... and is named') or diag $output;
    return;
}
spoilt('here.read', sub { s/^(exchange\tread\there\thash_many\tnetwork\tStorable\tPermafrost)\t=/$1\t050b0300000000/ },
    qr/here -> here: hash_many, network, by Storable: other data/, 'other data');
spoilt('here.read', sub { s/^(exchange\tread\there\tweak\tnative\tPermafrost\tPermafrost)\t=/$1\tno Out of memory/ },
    qr/here -> here: weak, native, by Permafrost: no Out of memory/, 'an error');
spoilt('here.read', sub { s/^exchange\tread\there\tdeep\tnative\tStorable\tStorable\t.*\n// },
    qr/Storable, here -> here: deep, native, by Storable: no record/, 'a hole in the table');
spoilt('here.read', sub { s/^(exchange\tcode\there\tnative\tStorable\tPermafrost)\t.*/$1\t41 301/ },
    qr/here -> here: code, native, by Storable: other data/, 'code that does something else');
spoilt('here.written', sub { s/^(exchange\timage\tregexps\tnetwork\tPermafrost)\t=/$1\t050b0300000000/ },
    qr/here: regexps, network: Permafrost and Storable differ/, 'another image');

done_testing;
