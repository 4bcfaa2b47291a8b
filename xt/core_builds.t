#!/usr/bin/perl
# csrc/ builds without Perl and without a warning: as C99 with gcc and clang, as C++ with g++,
# and each header on its own.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

my @WARNINGS = qw(-Wall -Wextra -Wpedantic -Werror);
# gcc finds some of its warnings only while optimizing; the others need not make code. -Wundef
# and the like are left out: they are a matter of taste.
my @COMPILERS = (
    { name => 'gcc',   flags => ['-std=c99', @WARNINGS, '-O2', '-c', '-o', '@OUT@'], x => 'c' },
    { name => 'clang', flags => ['-std=c99', @WARNINGS, '-fsyntax-only'], x => 'c' },
    { name => 'g++',   flags => ['-std=c++11', @WARNINGS, '-fsyntax-only'], x => 'c++' },
);

my $dir     = tempdir(CLEANUP => 1);
my @sources = glob 'csrc/*.c';
my @headers = glob 'csrc/*.h';
ok(scalar @sources, 'there are sources in csrc/') or do { done_testing; exit 1 };

# RETURNS: what the compiler printed, or '' if it was content.
sub compile {
    my ($compiler, $file) = @_;
    my @command = ($compiler->{name}, map({ s/\@OUT\@/$dir\/out.o/r } @{ $compiler->{flags} }),
        '-Icsrc', '-x', $compiler->{x}, $file);
    my $output = qx{@command 2>&1 </dev/null};
    return $output if $? == 0;
    # One error brings many others.
    my @lines = split /^/, $output || "@command: exit status $?\n";
    return join '', @lines > 12 ? (@lines[0 .. 11], "...\n") : @lines;
}

for my $compiler (@COMPILERS) {
    SKIP: {
        my $there = qx{$compiler->{name} --version 2>&1 </dev/null};
        skip "no $compiler->{name} on this machine (dev/setup test installs it)", 1 if $? != 0;
        subtest $compiler->{name} => sub {
            for my $source (@sources) {
                is(compile($compiler, $source), '', $source);
            }
            for my $header (@headers) {
                # Twice: a header has a guard.
                my $file = "$dir/header.c";
                open my $out, '>', $file or die "$file: $!";
                print {$out} qq{#include "@{[ basename($header) ]}"\n} x 2, "typedef int not_empty;\n";
                close $out or die "$file: $!";
                my $output = compile($compiler, $file);
                # Its static functions are of course unused here.
                $output = '' if $output !~ /error: (?!.*\bunused\b|.*defined but not used)/;
                is($output, '', "$header on its own");
            }
        };
    }
}

done_testing;
