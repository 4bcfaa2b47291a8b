#!/usr/bin/perl
# Each function that others may call is documented: in all modules that META provides, by
# Pod::Coverage. (Of Permafrost itself and its options xt/pod.t knows more.)
use strict;
use warnings;
use File::Find qw(find);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
eval { require Pod::Coverage; 1 }
    or plan skip_all => 'no Pod::Coverage on this machine (dev/setup test installs it)';

# What perl, Exporter or a base class calls, with its documentation.
my %PRIVATE = (
    'Permafrost' => [qw(CLONE HEADER_BYTES bootstrap)],
    'Perl::Critic::Policy::Permafrost::RequireNetworkOrder' =>
        [qw(supported_parameters default_severity default_themes applies_to violates)],
    'Permafrost::AsStorable' => [qw(BIN_FALLBACK)],
    'Permafrost::Trace' => [qw(MAX_TRAMPOLINES)],
);

my %file;
find({ no_chdir => 1, wanted => sub {
    return if !/\.pm\z/;
    open my $in, '<', $_ or die "$_: $!";
    local $/;
    (my $module = $_) =~ s{\Alib/|\.pm\z}{}g;
    # Parts of others have no version.
    $file{ $module =~ s{/}{::}gr } = $_ if <$in> =~ /^our \$VERSION\b/m;
} }, 'lib');
cmp_ok(scalar keys %file, '>=', 7, 'modules for others to use');

for my $module (sort keys %file) {
    SKIP: {
        skip "$module does not load here (no Perl::Critic?)", 1 if !eval "require $module; 1";
        my $pod = $file{$module} =~ s/\.pm\z/.pod/r;
        my $coverage = Pod::Coverage->new(package => $module, pod_from => -f $pod ? $pod : $file{$module},
            also_private => [map { qr/\A$_\z/ } @{ $PRIVATE{$module} || [] }]);
        my $part = $coverage->coverage;
        if (defined $part) {
            is(join(' ', sort $coverage->naked), '', "$module: documented");
        }
        else {
            like($coverage->why_unrated, qr/no public symbols/, "$module: nothing to document");
        }
    }
}
done_testing;
