#!/usr/bin/perl
# The core while memory runs out: the 1st, 2nd, 3rd... request fails, alone or with all after it,
# for each command on an image of each kind, and for the writer. See failing_allocs.c.
use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/fuzz";
use Test::More;
use FuzzSeeds qw(seed_images);
use Permafrost ();

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
my $dir = File::Temp::tempdir(CLEANUP => 1);
my $cc = (grep { -x "$_/clang" } split /:/, $ENV{PATH}) ? 'clang' : 'cc';
my @sources = grep { !m{/pst_(?:main|host)\.c\z} } glob 'csrc/pst_*.c';
my $program = "$dir/failing_allocs";
for my $sanitize ('-fsanitize=address,undefined -fno-sanitize-recover=all', '') {
    last if system("$cc -std=c99 -Wall -Wextra -Wpedantic -Werror -g -O0 $sanitize -Icsrc -o $program xt/failing_allocs.c @sources >$dir/log 2>&1") == 0;
}
ok(-x $program, 'it compiles') or do { diag do { local (@ARGV, $/) = "$dir/log"; <> }; done_testing; exit 1 };

# RETURNS: runs, or what went wrong.
sub runs_of {
    my (@args) = @_;
    my $output = `$program @args 2>&1 </dev/null`;
    return $? == 0 && $output =~ /\A(\d+) runs\n\z/ ? $1 : "status $?: $output";
}
my $runs = runs_of('--writer');
like($runs, qr/\A\d{3,}\z/, 'the writer');
note "$runs runs";

my %image = seed_images(\&Permafrost::freeze, \&Permafrost::nfreeze);
$image{'not an image'} = 'no image at all';
$image{"$_ in base64"} = do { require MIME::Base64; MIME::Base64::encode_base64($image{$_}) } for 'mixed.network';
if (eval { require IO::Compress::Gzip }) {
    IO::Compress::Gzip::gzip(\$image{'mixed.network'}, \my $zipped) or die;
    $image{'mixed.network in gzip'} = $zipped;
}
my @commands = (['head'], ['head', '--json'], ['dump'], ['dump', '--json'], ['json'],
    ['convert', '--order', 'network'], ['convert', '--order', '1234', '--nested'], ['convert', '--minor', '5']);
my @files;
for my $name (sort keys %image) {
    push @files, "$dir/" . $name =~ s/\W/_/gr;
    open my $out, '>:raw', $files[-1] or die $!;
    print {$out} $image{$name};
    close $out;
}
for my $command (@commands) {
    my $runs = runs_of(@$command, '-', '--', @files);
    like($runs, qr/\A\d+\z/, "@$command: on " . @files . ' images');
    cmp_ok($runs, '>', @files, '... and memory was asked for') if $runs =~ /\A\d+\z/;
    note "$runs runs";
}

done_testing();
