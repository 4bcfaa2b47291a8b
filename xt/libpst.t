#!/usr/bin/perl
# libpst as it is installed: its files, its symbols, what it depends on; the program in
# doc/C-API.md, compiled against it as C and C++, prints what the page says; the Python example
# reads what Permafrost writes.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/.." or die "cannot go to the top directory: $!";
plan skip_all => 'no make' if system('make --version >/dev/null 2>&1');

my $dir = tempdir(CLEANUP => 1);

# RETURNS: what a command prints, and ''; or what it printed and its exit status.
sub run {
    my ($command) = @_;
    my $output = qx{($command) 2>&1 </dev/null};
    return ($output, $? ? "status $?" : '');
}
sub slurp {
    my $file = shift;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

my ($said, $status) = run("make -s -C csrc install OUT=$dir/build DESTDIR=$dir/root PREFIX=/usr MAKEFLAGS=");
is($status, '', 'make install') or diag $said;
my @files = qw(bin/pst include/pst.h lib/libpst.a lib/libpst.so lib/libpst.so.0 lib/pkgconfig/pst.pc);
is(join(' ', grep { !-e "$dir/root/usr/$_" } @files), '', 'all files are there');
my $lib = "$dir/root/usr/lib";

my ($version) = slurp('lib/Permafrost.pm') =~ /^our \$VERSION = '([\d.]+)';/m;
is((run("$dir/root/usr/bin/pst --version"))[0], "pst $version\n", 'pst knows its version');
like(slurp("$lib/pkgconfig/pst.pc"), qr/^Version: \Q$version\E$/m, '... and so does pkg-config');

# The manual is made of another program's.
SKIP: {
    skip 'no pod2man', 5 if system('pod2man --version >/dev/null 2>&1');
    my $page = "$dir/root/usr/share/man/man1/pst.1";
    ok(-f $page, 'there is a manual') or skip 'no manual', 4;
    my $manual = slurp("$dir/build/pst.pod");
    like($manual, qr/^=head1 NAME\n\npst - /m, '... of pst');
    my @commands = (run("$dir/root/usr/bin/pst --help"))[0] =~ /^  (\w+) {2,}/mg;
    cmp_ok(scalar @commands, '>', 5, 'commands');
    is(join(' ', grep { $manual !~ /^=head2 $_$/m || $manual !~ /^  pst $_ /m } @commands), '', '... are all in the manual');
    is(join(' ', grep { my $name = $_; !grep { $_ eq $name } @commands } $manual =~ /^=head2 (\w+)$/mg,
        $manual =~ /\bpermafrost (\w+)/g), '', '... and no others');
}

SKIP: {
    skip 'no nm or objdump', 3 if qx{nm --version 2>&1} !~ /nm/ || qx{objdump --version 2>&1} !~ /objdump/;
    my @names = map { (split)[0] } qx{nm -P -D --defined-only $lib/libpst.so};
    cmp_ok(scalar @names, '>', 50, 'it exports functions');
    is(join(' ', grep { !/\Apst_[a-z0-9_]+(?:\@.*)?\z/ && !/\A(?:_init|_fini|_edata|_end|__bss_start)\z/ } @names), '',
        '... with our prefix only');
    my $dynamic = qx{objdump -p $lib/libpst.so};
    is(join(' ', $dynamic =~ /NEEDED\s+(\S+)/g), 'libc.so.6', '... and needs libc alone');
    like($dynamic, qr/SONAME\s+libpst\.so\.0$/m, '... and has a soname');
}

# The program converts as Permafrost writes.
{
    require Permafrost;
    my $data = [1, 70000, 0.5, { key => [bless {}, 'Class'] }];
    open my $image, '>:raw', "$dir/native" or die $!;
    print {$image} Permafrost::freeze($data);
    close $image;
    ($said, $status) = run("$dir/root/usr/bin/pst convert --order network $dir/native");
    is(unpack('H*', "$status$said"), unpack('H*', Permafrost::nfreeze($data)), 'pst convert gives what nfreeze writes');
}

# The program of the documentation.
my $doc = slurp('doc/C-API.md');
my ($program) = $doc =~ /^```c\n(.*?)^```$/ms;
my ($expected) = $doc =~ /^```text\n(.*?)^```$/ms;
open my $out, '>', "$dir/example.c" or die $!;
print {$out} $program;
close $out;
my $flags;
if (system('pkg-config --version >/dev/null 2>&1') == 0) {
    ($flags, $status) = run("PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dir/root pkg-config --cflags --libs pst");
    is($status, '', 'pkg-config knows it');
    like($flags, qr{-lpst\b}, '... and what to link') or diag $flags;
    chomp $flags;
}
else {
    $flags = "-I$dir/root/usr/include -L$lib -lpst";
}
for my $case (['C', 'cc -std=c99'], ['C++', 'g++ -std=c++11 -x c++'], ['C, static', 'cc -std=c99', "-I$dir/root/usr/include", "$lib/libpst.a"]) {
    my ($name, $compiler, $include, $library) = @$case;
    SKIP: {
        skip "no $compiler", 2 if system((split ' ', $compiler)[0] . ' --version >/dev/null 2>&1');
        my $link = $library ? "$include $dir/example.c -x none $library" : "$dir/example.c -x none -I$dir/root/usr/include $flags";
        ($said, $status) = run("$compiler -Wall -Wextra -Wpedantic -Werror -o $dir/example $link");
        is("$status$said", '', "the example compiles as $name");
        ($said, $status) = run("LD_LIBRARY_PATH=$lib $dir/example");
        is("$status$said", $expected, '... and prints what the page says');
    }
}

# The Python example.
my $python = 'examples/python/storable.py';
cmp_ok(scalar(() = slurp($python) =~ /\n/g), '<=', 100, "$python: lines");
SKIP: {
    skip 'no python3', 1 if system('python3 --version >/dev/null 2>&1');
    require Permafrost;
    my $shared = [1];
    my $circle = {};
    $circle->{self} = $circle;
    my $data = [1, -70000, 2**40, 0.5, 'abc', "\xff", "\x{263a}", undef, !!1, {key => [2, {}]}, $shared, $shared,
        bless({a => 1}, 'Thing'), bless([], 'Thing'), \'text', qr/x/i, $circle];
    my $expect = q{[1, -70000, 1099511627776, 0.5, 'abc', b'\xff', '\u263a', None, } . "@{[ $] > 5.037 ? 'True' : q{'1'} ]}"
        . q{, {'key': [2, {}]}, [1], [1], {'a': 1}, [], 'text', <Regexp 'x' []>, {'self': {...}}]};
    for my $order ('freeze', 'nfreeze') {
        (my $want = $expect) =~ s/, 0\.5,/, '0.5',/ if $order eq 'nfreeze';
        $want = $expect if $order eq 'freeze';
        $want =~ s/1099511627776/'1099511627776'/ if $order eq 'nfreeze';
        my $image = Permafrost->can($order)->($data);
        open $out, '>:raw', "$dir/image" or die $!;
        print {$out} $image;
        close $out;
        ($said, $status) = run("PYTHONPATH=examples/python PYTHONDONTWRITEBYTECODE=1 PST_LIBRARY=$lib/libpst.so.0 python3 -c '"
            . "import storable; x = storable.load(open(\"$dir/image\", \"rb\").read()); "
            . "assert x[10] is x[11] and x[16][\"self\"] is x[16] and x[12].perl_class == \"Thing\"; print(ascii(x))'");
        is("$status$said", "$want\n", "Python reads what $order writes");
    }
    open $out, '>:raw', "$dir/image" or die $!;
    print {$out} "\x05\x0b\x02\0\0\0\2\x08\x81";
    close $out;
    ($said) = run("PYTHONDONTWRITEBYTECODE=1 PST_LIBRARY=$lib/libpst.so.0 python3 $python $dir/image");
    like($said, qr/^ValueError: truncated at byte 9$/m, '... and says where an image is cut');
}

($said, $status) = run("make -s -C csrc uninstall OUT=$dir/build DESTDIR=$dir/root PREFIX=/usr MAKEFLAGS=");
is(qx{find $dir/root -type f -o -type l}, '', 'make uninstall removes all of it') or diag $said;
done_testing;
