#!/usr/bin/perl
# The documentation is sound POD, and Permafrost.pod names every function and every option.
use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use Pod::Checker ();
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";

my %PRIVATE = (
    CLONE        => 'perl calls it for a new thread',
    HEADER_BYTES => 'a number that only Permafrost.pm uses',
    bootstrap    => 'XSLoader puts it there',
);

sub slurp {
    my $file = shift;
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# RETURNS: (number of errors and warnings, or -1 if the file has no POD; what they are).
sub check_pod {
    my $file = shift;
    my $report = '';
    open my $out, '>', \$report or die "cannot write to memory: $!";
    my $checker = Pod::Checker->new(-warnings => 1, -quiet => 0);
    $checker->parse_from_file($file, $out);
    close $out;
    my $errors = $checker->num_errors;
    return ($errors < 0 ? -1 : $errors + $checker->num_warnings, $report);
}

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if -f && /\.(?:pod|pm|pl)\z/ } },
    grep { -d } qw(lib script t xt bench dev));
ok(scalar @files, 'there are files') or do { done_testing; exit 1 };

for my $file (sort @files) {
    my ($count, $report) = check_pod($file);
    is($count, 0, "$file: sound POD") or diag $report if $count >= 0;
    # A module's documentation is in itself or in the .pod beside it.
    next if $file !~ m{\Alib/.*\.pm\z};
    my $places = grep { $_ } $count >= 0, -f $file =~ s/\.pm\z/.pod/r;
    is($places, 1, "$file: documented in one place");
}

# What the headings and items name: "freeze", or several names with commas between them.
my $pod = slurp('lib/Permafrost.pod');
my (%named, @functions);
my $section = '';
while ($pod =~ /^=(head[1-4]|item)\s+(.+)/mg) {
    my ($command, $text) = ($1, $2);
    $section = $text if $command eq 'head1';
    my @names = grep { /\A[\$\w:]+\z/ } split /\s*,\s*/, $text;
    $named{$_} = 1 for @names;
    push @functions, @names if $command eq 'head3' && $section eq 'FUNCTIONS';
}

require_ok('Permafrost');
my @public = do {
    no strict 'refs';
    require B;
    grep {
        !/\A_/ && !$PRIVATE{$_} && defined &{"Permafrost::$_"}
            && B::svref_2object(\&{"Permafrost::$_"})->GV->STASH->NAME eq 'Permafrost'
    } sort keys %Permafrost::;
};
cmp_ok(scalar @public, '>', 30, 'the functions were found');
is(join(' ', grep { !$named{$_} } @public), '', 'every public function is documented');
is(join(' ', grep { !Permafrost->can($_) } @functions), '', 'every documented function exists');

my ($list) = slurp('xs/pstx_options.c') =~ /\bvariables\[[^\]]*\]\s*=\s*\{(.*?)\n\};/s;
my @options = ($list // '') =~ /\{\s*"(\w+)"/g;
cmp_ok(scalar @options, '>', 5, 'the options were found');
is(join(' ', grep { !$named{"\$Permafrost::$_"} } @options), '', 'every option is documented');

like($pod, qr/^=head1 NAME\n\nPermafrost - \S/m, 'the line that becomes the abstract');

done_testing;
