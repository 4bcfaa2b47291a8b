#!/usr/bin/perl
# xs/ compiles without a warning (-Wall -Wextra) with gcc and clang, with this perl's headers and
# flags; perl's own headers may warn as they like. (csrc/: xt/core_builds.t.)
use strict;
use warnings;
use Config;
use ExtUtils::ParseXS ();
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
my $core = "$Config{archlibexp}/CORE";
plan skip_all => "no perl.h in $core" unless -f "$core/perl.h";

my $dir = tempdir(CLEANUP => 1);
ExtUtils::ParseXS->new->process_file(filename => 'xs/Permafrost.xs', output => "$dir/Permafrost.c");
my @sources = ((grep { $_ ne 'xs/Permafrost.c' } sort glob 'xs/*.c'), "$dir/Permafrost.c");
cmp_ok(scalar @sources, '>', 20, 'there are sources in xs/');

# gcc finds some of its warnings only while optimizing.
for my $compiler (['gcc', '-O2', '-c', '-o', "$dir/out.o"], ['clang', '-fsyntax-only', '-Wno-unknown-warning-option']) {
    my ($name, @flags) = @$compiler;
    SKIP: {
        skip "no $name on this machine (dev/setup test installs it)", 1
            if system("$name --version >/dev/null 2>&1 </dev/null");
        subtest $name => sub {
            for my $source (@sources) {
                my $command = "$name @flags $Config{ccflags} -fvisibility=hidden -Wall -Wextra -Icsrc -Ixs"
                    . qq{ -DVERSION='"0"' -DXS_VERSION='"0"' -isystem $core $source};
                my $output = qx{$command 2>&1 </dev/null};
                is($?, 0, "$source compiles");
                is(join("\n", grep { /warning: / } split /\n/, $output), '', '... without a warning');
            }
        };
    }
}
done_testing;
