# permafrost audit --fix: calls and imports, only what is certain, never anything else.
use strict;
use warnings;
use lib 't/lib';
use AuditTest;
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
plan skip_all => 'needs JSON::PP' unless eval { require JSON::PP; 1 };

my $data = 'my $x = [1]; my $y = "f"; my $fh = \*STDOUT; ';

# What --fix makes of a text. The same must come out of --dry-run, and perl must like it.
sub fixed {
    my ($text, $name) = @_;
    my $dir = project('a.pl' => $text);
    my (undef, $diff) = audit_command($dir, '--fix', '--dry-run', 'a.pl');
    is(slurp("$dir/a.pl"), $text, "$name: --dry-run changes nothing");
    audit_command($dir, '--fix', 'a.pl');
    my $after = slurp("$dir/a.pl");
    is(join('', map { substr $_, 1 } $diff =~ /^(\+(?!\+\+).*\n)/mg), join('', new_lines($text, $after)),
        "$name: --dry-run shows it");
    audit_command($dir, '--fix', 'a.pl');
    is(slurp("$dir/a.pl"), $after, "$name: the second time there is nothing to do");
    is_deeply([glob "$dir/.perm*"], [], "$name: nothing is left behind");
    return $after;
}

sub new_lines {
    my @old = split /^/, shift;
    my @new = split /^/, shift;
    return map { $new[$_] =~ /\n\z/ ? $new[$_] : "$new[$_]\n" } grep { $old[$_] ne $new[$_] } 0 .. $#new;
}

my @cases = (
    ['a list', 'use Storable qw(freeze thaw);', 'freeze($x);', 'use Storable qw(nfreeze thaw);',
        'nfreeze($x);'],
    ['the only name', 'use Storable qw(freeze);', 'freeze($x);', 'use Storable qw(nfreeze);', 'nfreeze($x);'],
    ['a string', "use Storable 'freeze';", 'freeze $x;', "use Storable 'nfreeze';", 'nfreeze $x;'],
    ['strings', q{use Storable ("freeze", 'thaw');}, 'freeze $x;', q{use Storable ("nfreeze", 'thaw');},
        'nfreeze $x;'],
    ['both are imported', 'use Storable qw(freeze nfreeze thaw);', 'freeze($x); nfreeze($x);',
        'use Storable qw(nfreeze thaw);', 'nfreeze($x); nfreeze($x);'],
    ['no list', 'use Storable;', 'store($x, $y) or die;', 'use Storable qw(nstore retrieve);',
        'nstore($x, $y) or die;'],
    ['a version and no list', 'use Storable 2.0;', 'store($x, $y) or die;',
        'use Storable 2.0 qw(nstore retrieve);', 'nstore($x, $y) or die;'],
    ['a full name', 'use Storable ();', 'Storable::freeze($x); &Storable::store($x, $y) or die;',
        'use Storable ();', 'Storable::nfreeze($x); &Storable::nstore($x, $y) or die;'],
    ['all of them', 'use Storable qw(store store_fd lock_store freeze);',
        'store($x, $y) or die; store_fd($x, $fh) or die; lock_store($x, $y) or die; Storable::mstore($x); Storable::pstore($fh, $x);',
        'use Storable qw(nstore nstore_fd lock_nstore freeze);',
            'nstore($x, $y) or die; nstore_fd($x, $fh) or die; lock_nstore($x, $y) or die; Storable::net_mstore($x); Storable::net_pstore($fh, $x);'],
    ['an ampersand', 'use Storable qw(freeze);', '&freeze($x); sub e { goto &freeze }',
        'use Storable qw(nfreeze);', '&nfreeze($x); sub e { goto &nfreeze }'],
    ['still needed', 'use Storable qw(freeze thaw);', 'freeze($x); thaw(freeze($x));',
        'use Storable qw(freeze nfreeze thaw);', 'nfreeze($x); thaw(freeze($x));'],
    ['still needed, no list', 'use Storable;', 'store($x, $y) or die; my $c = \&store;',
        'use Storable qw(store nstore retrieve);', 'nstore($x, $y) or die; my $c = \&store;'],
    ['exported again', 'use Storable qw(freeze);', 'our @EXPORT_OK = qw(freeze); freeze($x);',
        'use Storable qw(freeze nfreeze);', 'our @EXPORT_OK = qw(freeze); nfreeze($x);'],
    ['a pattern', 'use Storable qw(/^freeze$/);', 'freeze($x);', 'use Storable qw(/^freeze$/);',
        'Storable::nfreeze($x);'],
    ['an import at run time', 'BEGIN { require Storable; Storable->import("freeze") }', 'freeze($x);',
        'BEGIN { require Storable; Storable->import("freeze") }', 'Storable::nfreeze($x);'],
    ['a glob', 'use Storable ();', '*freeze = \&Storable::freeze; freeze($x);', 'use Storable ();',
        '*freeze = \&Storable::freeze; Storable::nfreeze($x);'],
    ['the old separator', 'use Storable ();', q{Storable'freeze($x);}, 'use Storable ();',
        q{Storable'nfreeze($x);}],
    ['somebody has chosen', 'use Storable qw(freeze nfreeze);', '$y ? nfreeze($x) : freeze($x);',
        'use Storable qw(freeze nfreeze);', '$y ? nfreeze($x) : freeze($x);'],
    ['keys and methods stay', 'use Storable qw(freeze);',
        'my %h = (freeze => freeze($x)); $h{freeze}; main->can("freeze") if 0;',
        'use Storable qw(freeze nfreeze);',
        'my %h = (freeze => nfreeze($x)); $h{freeze}; main->can("freeze") if 0;'],
    ['in a comment and a string', 'use Storable qw(freeze); # freeze',
        'freeze($x); print "freeze\n"; # freeze', 'use Storable qw(freeze nfreeze); # freeze',
        'nfreeze($x); print "freeze\n"; # freeze'],
    ['allowed', 'use Storable qw(freeze);', 'freeze($x); # permafrost: allow native-image (x)',
        'use Storable qw(freeze);', 'freeze($x); # permafrost: allow native-image (x)'],
    ['Permafrost', 'use Permafrost qw(freeze);', 'freeze($x);', 'use Permafrost qw(nfreeze);',
        'nfreeze($x);'],
    ['a module that is not installed', 'use Some::Absent::Module qw(thing); use Storable qw(freeze);',
        'freeze(thing());', 'use Some::Absent::Module qw(thing); use Storable qw(nfreeze);',
        'nfreeze(thing());'],
);
for my $case (@cases) {
    my ($name, $use, $call, $new_use, $new_call) = @$case;
    my $text = "use strict;\n$use\n$data\n$call\n";
    is(fixed($text, $name), "use strict;\n$new_use\n$data\n$new_call\n", $name);
}

# ---- lines, bytes, modes ----------------------------------------------------------------------------

my $lines = "use Storable qw(\n    thaw\n    freeze\n);\nmy \$x = [];\nfreeze(\$x);\n";
is(fixed($lines, 'a list over lines'), $lines =~ s/\bfreeze/nfreeze/gr, 'a list over lines');
my $crlf = "use Storable qw(freeze);\r\nmy \$x = freeze([]);\r\n";
my $dir = project('a.pl' => $crlf,
    'b.pl' => "\xEF\xBB\xBF# \xC3\xA9\nuse Storable 'freeze'; my \$x = '\xC3\xA9'; \$x = freeze([]);",
    'c.pl' => "# \xE9\nuse Storable 'freeze'; my \$x = '\xE9'; \$x = freeze([]);");
chmod 0750, "$dir/a.pl";
my %before = map { ($_ => slurp("$dir/$_")) } qw(a.pl b.pl c.pl);
audit_command($dir, '--fix');
is(slurp("$dir/$_"), $before{$_} =~ s/\bfreeze/nfreeze/gr, "$_: everything else stays, to the byte")
    for sort keys %before;
is((stat "$dir/a.pl")[2] & 0777, 0750, 'the mode stays');

# ---- what is not touched -------------------------------------------------------------------------------

my $broken = "use Storable qw(freeze);\nmy \$x = freeze([]);\nif (1) {\n";
$dir = project('a.pl' => $broken);
my ($status, $out, $err) = audit_command($dir, '--fix');
is(slurp("$dir/a.pl"), $broken, 'a file that perl -c does not like stays');
like($err, qr/a\.pl: not fixed: perl -c fails before any change: /, 'and a message says so');
is($status, 1, 'the finding stays');

$dir = project('a.pl' => "use strict;\nuse Storable qw(freeze);\nBEGIN { no strict 'refs'; my \$n = join '', 'fre', 'eze'; die 'odd' if !defined &{\$n} }\nmy \$x = freeze([]);\n");
($status, $out, $err) = audit_command($dir, '--fix');
like($err, qr/not fixed: perl -c would fail afterwards: odd/, 'a file that would break stays');
like(slurp("$dir/a.pl"), qr/qw\(freeze\)/, 'and is what it was');

# ---- floats, and the report ------------------------------------------------------------------------------

$dir = project('a.pl' => "use Storable qw(freeze);\nmy \$x = {third => 1 / 3};\nmy \$y = freeze(\$x);\n");
($status, $out, $err) = audit_command($dir, '--fix');
is($status, 0, 'nothing is left');
like($err, qr/line 3: the data hold floats \(\/\); nfreeze keeps 15 digits of each.*exact_numbers/,
    'digits that get lost are mentioned');
like($err, qr/^a\.pl: 1 fixed$/m, 'what has been fixed');
is($out, "no findings in 1 file\n", 'the report is that of the new file');

# A module finds its own lib.
$dir = project('lib/My/A.pm' => "package My::A;\nuse strict;\nuse My::B qw(thing);\nuse Storable qw(freeze);\nsub x { return freeze(thing()) }\n1;\n",
    'lib/My/B.pm' => "package My::B;\nuse Exporter 'import';\nour \@EXPORT_OK = qw(thing);\nsub thing { return [] }\n1;\n", '.git/HEAD' => '');
($status, $out, $err) = audit_command($dir, '--fix', 'lib');
is($status, 0, 'a module with neighbours') or diag $err;
like(slurp("$dir/lib/My/A.pm"), qr/nfreeze\(thing/, 'is fixed');

done_testing;
