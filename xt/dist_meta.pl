#!/usr/bin/perl
# In the directory of a release: is META valid, and does it say what is true? Prints what is wrong.
use strict;
use warnings;
use CPAN::Meta;
use File::Find qw(find);

my $meta = CPAN::Meta->load_file('META.json', { lazy_validation => 0 });
my @wrong;

sub slurp {
    open my $in, '<', shift or die "$!";
    local $/;
    return scalar <$in>;
}

my ($version) = slurp('lib/Permafrost.pm') =~ /^our \$VERSION = '([^']+)';/m;
push @wrong, "version $meta->{version}, not $version" if $meta->version ne $version;
push @wrong, 'license' if join(' ', $meta->licenses) ne 'perl_5';
push @wrong, 'abstract' if $meta->abstract =~ /unknown/i;
push @wrong, 'no license in the resources' if !$meta->resources->{license};
push @wrong, "nothing to keep $_ out of the index" for grep { my $directory = $_;
    -d $directory && !grep { $_ eq $directory } @{ $meta->no_index->{directory} } } qw(bench dev examples t xt);

# What is provided is there, has this version when it is loaded, and its package is its file.
my $provides = $meta->provides;
for my $module (sort keys %$provides) {
    my $file = $provides->{$module}{file};
    push @wrong, "$module: no $file" and next if !-f $file;
    push @wrong, "$module: version $provides->{$module}{version}" if $provides->{$module}{version} ne $version;
    push @wrong, "$file: no package $module" if slurp($file) !~ /^package \Q$module\E;/m;
}

# What is used is required, or at least recommended; pragmas are part of every perl.
my $prereqs = $meta->effective_prereqs;
my %known = map { ($_ => 1) } map { $prereqs->requirements_for('runtime', $_)->required_modules } qw(requires recommends suggests);
$known{$_} = 1 for qw(Config);
my (%used, %own);
find({ no_chdir => 1, wanted => sub {
    return if !/\.pm\z/ && $_ ne 'script/permafrost';
    my ($code) = split /^__END__$/m, slurp($_);
    $own{ ($File::Find::name =~ s{\Alib/|\.pm\z}{}gr) =~ s{/}{::}gr } = 1;
    $code =~ s/^\s*#.*//mg;
    $code =~ s/\b(?:q|qq|qw)\([^)]*\)|'[^'\n]*'|"[^"\n]*"//g if /Catalog|Names|Places|Fix/;    # full of names
    $used{$1} ||= $_ while $code =~ /\b(?:use|require)\s+([A-Z]\w*(?:::\w+)*)/g;
} }, 'lib', 'script');
for my $module (sort keys %used) {
    (my $top = $module) =~ s/::.*//;
    push @wrong, "$used{$module} uses $module, which is no prerequisite"
        unless $known{$module} || $own{$module} || $known{$top} && $top =~ /\A(?:PPI|Perl)\z/ || $module =~ /\APerl::Critic\b/;
}
push @wrong, "prerequisite $_ is not used" for sort grep { my $module = $_;
    !$used{$module} && !grep({ index($_, "${module}::") == 0 } keys %used)
        && $module ne 'perl' && $module ne 'B::Deparse' } keys %known;

print "$_\n" for @wrong;
exit !!@wrong;
