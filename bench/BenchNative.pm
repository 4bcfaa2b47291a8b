package BenchNative;
# What the benchmarks need in C, see BenchNative.xs: built at first use, into bench/build/.
use strict;
use warnings;
use Config;
use DynaLoader ();
use File::Basename qw(dirname);
use File::Path qw(make_path);

our @ISA = ('DynaLoader');
our $VERSION = '0.01';

my $HERE = dirname(__FILE__);
my $NAME = __PACKAGE__;
our @HEADERS = qw(/usr/include /usr/local/include);    # where valgrind may be

# RETURNS: the directory for what is built for this very perl.
sub build_dir {
    my $dir = "$HERE/build/$Config{version}-$Config{archname}";
    make_path($dir);
    return $dir;
}

# RETURNS: whether $made is there and not older than any of the sources.
sub is_fresh {
    my ($class, $made, @sources) = @_;
    return -e $made && !grep { -M $_ < -M $made } @sources;
}

# RETURNS: the name of the library. It has another one once valgrind is installed, so that it is
# built again then, with marks for callgrind.
sub library {
    my $class = shift;
    my $marks = grep { -e "$_/valgrind/callgrind.h" } @HEADERS;
    return $class->build_dir . "/$NAME" . ($marks ? '-callgrind' : '') . ".$Config{dlext}";
}

# Builds the library unless that has been done, with perl's own compiler and flags.
sub build {
    my $class   = shift;
    my $source  = "$HERE/$NAME.xs";
    my $library = $class->library;
    return $library if $class->is_fresh($library, $source);
    require ExtUtils::CBuilder;
    require ExtUtils::ParseXS;
    # Under names of its own until it is whole: somebody else may be building it, too.
    my $base = $class->build_dir . "/$NAME-$$";
    ExtUtils::ParseXS->new->process_file(filename => $source, output => "$base.c");
    my $builder = ExtUtils::CBuilder->new(quiet => 1);
    my $object  = $builder->compile(source => "$base.c", object_file => "$base.o", include_dirs => ["$HERE/../csrc"]);
    my ($linked, @others) = $builder->link(
        objects => [$object], lib_file => "$base.$Config{dlext}", module_name => $NAME);
    rename $linked, $library or die "cannot rename $linked: $!\n";
    unlink "$base.c", $object, @others;
    return $library;
}

# Loads it. Dies, with the compiler's words on the standard error, if it cannot be built.
sub load {
    my $class = shift;
    return if $class->can('mark');
    my $library = $class->build;
    my $handle  = DynaLoader::dl_load_file($library, 0) or die DynaLoader::dl_error();
    my $symbol  = DynaLoader::dl_find_symbol($handle, "boot_$NAME") or die DynaLoader::dl_error();
    DynaLoader::dl_install_xsub("${NAME}::bootstrap", $symbol, $library)->($NAME, $VERSION);
    return;
}

1;
