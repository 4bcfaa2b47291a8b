#!/usr/bin/perl
# MANIFEST and git agree: what is in the repository is in the release.
use strict;
use warnings;
use ExtUtils::Manifest qw(maniread maniskip);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'not a git checkout' unless -e '.git';

# Only of use in the repository. MANIFEST.SKIP, if there is one, adds to it.
my $REPOSITORY_ONLY = qr{\A(?:\.git\w*|\.editorconfig|\.clang-format|\.perltidyrc|\.perlcriticrc
    |\.ci/.*|\.github/.*|MANIFEST\.SKIP)\z}x;
# MakeMaker writes these into the release and its MANIFEST.
my $MADE_BY_DIST = qr{\A(?:META\.(?:yml|json)|SIGNATURE)\z};

# A checkout that belongs to somebody else (CI, containers) is fine for reading.
my @tracked = split /\0/, qx{git -c safe.directory='*' ls-files -z};
plan skip_all => 'git ls-files does not work here' if $? != 0;
ok(scalar @tracked, 'git knows of files');

my $skip = -e 'MANIFEST.SKIP' ? maniskip() : sub { 0 };
my %tracked = map { ($_ => 1) } grep { !/$REPOSITORY_ONLY/ && !$skip->($_) } @tracked;
ok(-f 'MANIFEST', 'there is a MANIFEST') or do { done_testing; exit 1 };
my %listed = map { ($_ => 1) } grep { !/$MADE_BY_DIST/ } keys %{ maniread() };

is(join("\n", grep { !$listed{$_} } sort keys %tracked), '', 'every tracked file is in MANIFEST');
is(join("\n", grep { !$tracked{$_} } sort keys %listed), '', 'every file of MANIFEST is tracked');
is(join("\n", grep { !-f } sort keys %listed), '', 'every file of MANIFEST is there');

done_testing;
