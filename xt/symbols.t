#!/usr/bin/perl
# What the objects export and import: names with our prefix only, and in the core nothing that
# prints, exits or keeps state.
use strict;
use warnings;
use Config;
use File::Basename qw(basename);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'no nm on this machine (part of binutils)' if qx{nm --version 2>&1} !~ /nm/;

# RETURNS: { name => type letter of nm }.
sub symbols {
    my ($options, $file) = @_;
    my %type;
    for (qx{nm -P $options '$file' 2>/dev/null}) {
        my ($name, $letter) = split ' ';
        $type{$name =~ s/\@.*//r} = $letter if defined $letter;
    }
    return \%type;
}

# The library as perl loads it.
my $library = "blib/arch/auto/Permafrost/Permafrost.$Config{dlext}";
ok(-f $library, "$library is built (dev/test --build)") or do { done_testing; exit 1 };
my $exported = symbols('-D --defined-only -g', $library);
ok($exported->{boot_Permafrost}, 'the library exports boot_Permafrost');
# The linker adds names of its own.
my @foreign = grep { !/\A(?:boot_Permafrost|pstx?_\w+|_init|_fini|_edata|_end|__bss_start)\z/ } sort keys %$exported;
is("@foreign", '', 'the library exports nothing without our prefix');
note scalar(keys %$exported) . ' symbols exported: ' . join ' ', sort keys %$exported;

# The objects of the core, compiled here: whatever the build did with its own.
my $dir = tempdir(CLEANUP => 1);
# Hidden aborts (assert), output, and the process's shared state have no place in a codec.
my $UNWANTED = qr/\A(?:abort|_?exit|__assert_fail|v?f?printf|__v?f?printf_chk|puts|putchar|fputs
    |fopen(?:64)?|fwrite|stderr|stdout|setlocale|localeconv|strto(?:d|ld|f)|v?sn?printf|__v?sn?printf_chk
    |longjmp|_?setjmp|signal|system|getenv)\z/x;
for my $source (glob 'csrc/*.c') {
    next if basename($source) =~ /\Apst_(?:main|host)\.c\z/;     # they are no part of the core
    my $object = "$dir/" . basename($source, '.c') . '.o';
    my $output = qx{$Config{cc} -O1 -fPIC -Icsrc -c -o $object $source 2>&1 </dev/null};
    is($?, 0, "$source compiles") or do { diag $output; next };

    my $defined = symbols('--defined-only -g', $object);
    my @wrong = grep { !/\Apst_[a-z0-9_]+\z/ } sort keys %$defined;
    is("@wrong", '', "$source exports only pst_*");

    my $undefined = symbols('-u', $object);
    @wrong = grep { $_ =~ $UNWANTED || /\A(?:Perl|PL)_/ } sort keys %$undefined;
    is("@wrong", '', "$source neither prints nor exits, nor depends on a locale or on perl");

    # Data that can be written to would be shared by all threads.
    my $all = symbols('--defined-only', $object);
    my @globals = grep { $all->{$_} =~ /\A[BDCGSbdgs]\z/ && !/\A\.|\A__|local\.rel/ } sort keys %$all;
    # Constant tables of addresses are placed in .data.rel.ro, which nm calls d as well.
    my %constant = map { ($_ => 1) } qx{objdump -t '$object' 2>/dev/null} =~ /\.data\.rel\.ro\S*\s+\S+\s+(\S+)\s*$/mg;
    @globals = grep { !$constant{$_} } @globals;
    is("@globals", '', "$source has no variables that outlive a call");
}

# The glue's own names.
for my $object (glob 'xs/pstx_*.o') {
    my $defined = symbols('--defined-only -g', $object);
    my @wrong = grep { !/\Apstx_\w+\z/ } sort keys %$defined;
    is("@wrong", '', "$object exports only pstx_*");
}

done_testing;
