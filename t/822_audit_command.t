# permafrost audit: formats, exit statuses, settings, comments, baselines, files of all kinds.
use strict;
use warnings;
use lib 't/lib';
use AuditTest;
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
plan skip_all => 'needs JSON::PP' unless eval { require JSON::PP; 1 };

sub json { return JSON::PP->new->utf8->decode($_[0]) }

my $bad  = "use Storable qw(freeze);\nsub image {\n    my \$image = freeze(\$_[0]);\n    return \$image;\n}\n";
my $good = "use Storable qw(nfreeze);\nmy \$image = nfreeze(\$x);\n";

# ---- exit status and text -------------------------------------------------------------------------

my $dir = project('lib/Bad.pm' => $bad, 'lib/Good.pm' => $good, 'lib/Other.pm' => "1;\n");
my ($status, $out, $err) = audit_command($dir);
is($status, 1, 'findings: 1');
is($out, <<'END', 'text');
lib/Bad.pm:3:17: warning: freeze writes an image in this machine's native byte order [native-image, certain]
        my $image = freeze($_[0]);
                    ^~~~~~
    use nfreeze

1 finding (1 warning) in 1 of 3 files
END
is($err, '', 'nothing on the error output: no progress without a terminal');
($status, $out) = audit_command($dir, 'lib/Good.pm', 'lib/Other.pm');
is($status, 0, 'no findings: 0');
is($out, "no findings in 2 files\n", 'and says so');
for my $wrong (['--nonsense'], ['--format', 'xml'], ['--confidence', 'sure'], ['--jobs', '0'],
    ['--config', '/nonexistent/rc'],
    ['--baseline', '/nonexistent'], ['--diff', '-', '-'], ['--trace', '/nonexistent']) {
    ($status, $out, $err) = audit_command($dir, @$wrong);
    is($status, 2, "@$wrong: 2");
    is($out, '', 'nothing on the output');
    like($err, qr/\Apermafrost audit: /, 'a message') or diag $err;
}
($status, $out, $err) = audit_command($dir, 'lib/Good.pm', 'nothing.pm');
is($status, 2, 'a file that is not there: 2');
like($out, qr/^nothing\.pm: No such file/m, 'it is named');
($status, $out) = audit_command($dir, '--help');
is($status, 0, '--help');
for my $option ($out =~ /^  (--[\w-]+)/mg) {
    like(slurp('lib/Permafrost/Audit.pm'), qr/^=item [^\n]*\Q$option\E\b/m, "$option is in the manual")
        unless $option eq '--help';
}
($status, $out) = audit_command($dir, \$bad, '-');
is($status, 1, 'the standard input');
like($out, qr/^-:3:17: /m, 'is called -');

# ---- JSON ---------------------------------------------------------------------------------------------

($status, $out) = audit_command($dir, '--json');
is($status, 1, '--json: the same status');
my $report = json($out);
is_deeply([sort keys %$report], [qw(errors files findings known suppressed tool version)],
    'JSON: the object');
my $finding = $report->{findings}[0];
is_deeply({map { ($_ => $finding->{$_}) } grep { $_ ne 'fingerprint' } keys %$finding}, {
    id => 'native-image', confidence => 'certain', severity => 'warning', file => 'lib/Bad.pm', line => 3,
        column => 17, sub => 'main::image',
    message => "freeze writes an image in this machine's native byte order", suggestion => 'use nfreeze',
        function => 'freeze', source => '    my $image = freeze($_[0]);',
}, 'JSON: the finding');
like($out, qr/"line" : 3,?$/m, 'JSON: numbers are numbers');
is(scalar(() = audit_command($dir, '--json', '--jobs', 1)), 3, 'one process');
is((audit_command($dir, '--json', '--jobs', 3))[1], $out, 'as many processes as one likes: the same');

# ---- SARIF, GitHub, checkstyle -----------------------------------------------------------------------------

my $other = project("odd name & <\xC3\xA9>.pl" => "use Storable;\n\tstore(\$x, \$y); # \xC3\xA9\n",
    'mix.pl' => "use Storable;\nstore(\$x, '/a') or die; Storable::nstore(\$x, '/a') or die;\n");
($status, $out) = audit_command($other, '--format', 'sarif');
my $sarif = json($out);
is($sarif->{version}, '2.1.0', 'SARIF: version');
like($sarif->{'$schema'}, qr/sarif-2\.1\.0/, 'SARIF: schema');
my $run = $sarif->{runs}[0];
is($run->{tool}{driver}{name}, 'permafrost audit', 'SARIF: driver');
my @ids = map { $_->{id} } @{$run->{tool}{driver}{rules}};
for my $rule (@{$run->{tool}{driver}{rules}}) {
    ok(length $rule->{shortDescription}{text} && length $rule->{fullDescription}{text}
        && length $rule->{help}{text}, "SARIF: texts of $rule->{id}");
    like($rule->{defaultConfiguration}{level}, qr/\A(?:error|warning|note)\z/, 'SARIF: its level');
}
ok(@{$run->{results}} >= 4, 'SARIF: results');
for my $result (@{$run->{results}}) {
    is($ids[$result->{ruleIndex}], $result->{ruleId}, 'SARIF: rule by index and by name');
    like($result->{level}, qr/\A(?:error|warning|note)\z/, 'SARIF: level');
    ok(length $result->{message}{text}, 'SARIF: message');
    my $physical = $result->{locations}[0]{physicalLocation};
    like($physical->{artifactLocation}{uri}, qr/\A(?:mix\.pl|odd%20name%20%26%20%3C%C3%A9%3E\.pl)\z/,
        'SARIF: URI');
    ok($physical->{region}{startLine} >= 1 && $physical->{region}{startColumn} >= 1
        && $physical->{region}{endColumn} > $physical->{region}{startColumn}, 'SARIF: region');
    ok(length $result->{partialFingerprints}{'permafrost/v1'}, 'SARIF: fingerprint');
}
ok((grep { $_->{relatedLocations} && $_->{relatedLocations}[0]{physicalLocation}{region}{startLine} == 2 }
    @{$run->{results}}), 'SARIF: related places');
SKIP: {
    my $schema = $ENV{SARIF_SCHEMA} or skip 'SARIF_SCHEMA names no schema', 1;
    eval { require JSON::Validator; 1 } or skip 'needs JSON::Validator', 1;
    local $SIG{__WARN__} = sub { };
    is(join("\n", JSON::Validator->new->schema("file://$schema")->validate($sarif)), '', 'SARIF: valid');
}

($status, $out) = audit_command($other, '--format', 'github');
like($out, qr/^::warning file=odd name & <\xC3\xA9>\.pl,line=2,col=2,endColumn=7,title=native-image \(certain\)::store writes [^\n]*%0Ause nstore$/m, 'GitHub');
is(scalar(grep { !/\A::(?:error|warning|notice) file=[^:]*::[^:]/ } split /\n/, $out), 0,
    'GitHub: nothing else');
($status, $out) = audit_command($other, '--format', 'checkstyle');
like($out, qr/\A<\?xml version="1.0" encoding="UTF-8"\?>\n<checkstyle version="4.3">\n/, 'checkstyle: head');
like($out, qr{<file name="odd name &amp; &lt;\xC3\xA9&gt;\.pl">\n    <error line="2" column="2" severity="warning" message="[^"<>]+" source="permafrost.native-image"/>}, 'checkstyle: error');
like($out, qr{</file>\n</checkstyle>\n\z}, 'checkstyle: end');
($status, $out) = audit_command($other, "odd name & <\xC3\xA9>.pl");
like($out, qr/^    \tstore\(\$x, \$y\); # \xC3\xA9\n    \t\^~~~~$/m,
    'text: a tab in front of the caret, too');

# ---- confidence and settings -----------------------------------------------------------------------------------

my $rich = project(
    '.permafrostrc' => "# settings\n[paths]\ninclude = lib bin\nexclude = lib/old/ *.bak.pl\n\n[severity]\nunchecked-result = off\nnative-image = error\n[cache]\nMy::Cache = keep\n",
    'lib/A.pm' => "use Storable;\nstore(\$x, \$y);\nmy \$z = \$q ? Storable::nfreeze(\$x) : Storable::freeze(\$x);\n",
    'lib/old/B.pm' => $bad, 'bin/x.bak.pl' => $bad,
        'bin/c.pl' => "use Storable 'freeze';\nmy \$c = My::Cache->new;\n\$c->keep(1, freeze(\$v));\n",
        't/d.t' => $bad,
);
($status, $out) = audit_command($rich, '--json');
is(found($out), "bin/c.pl:3 native-image certain\nlib/A.pm:2 native-image certain\nlib/A.pm:3 native-image possible", 'settings: paths, off');
is(join(' ', map { $_->{severity} } @{json($out)->{findings}}), 'error error error', 'settings: severity');
like(json($out)->{findings}[0]{message}, qr/goes to My::Cache by \$c->keep/, 'settings: a cache module');
is(found((audit_command($rich, '--json', '--confidence', 'likely'))[1]),
    "bin/c.pl:3 native-image certain\nlib/A.pm:2 native-image certain", '--confidence');
is(found((audit_command("$rich/lib", '--json', '.'))[1]), "A.pm:2 native-image certain\nA.pm:3 native-image possible",
    'settings: found in the folder above, and excluded by their names there');
is(found((audit_command("$rich/t", '--json'))[1]),
    "../bin/c.pl:3 native-image certain\n../lib/A.pm:2 native-image certain\n../lib/A.pm:3 native-image possible",
    'settings: paths are relative to their folder');
for my $wrong ("[nothing]\n", "[severity]\nnative-image = bad\n", "[severity]\nnonsense = note\n", "x\n",
    "x = 1\n", "[paths]\nx = 1\n", "[cache]\n1 2 = x\n") {
    put($rich, 'rc', $wrong);
    ($status, $out, $err) = audit_command($rich, '--config', 'rc');
    is($status, 2, 'settings that are wrong: ' . $wrong =~ tr/\n/ /r);
    like($err, qr/rc line \d: ./, 'and where');
}

# ---- comments -----------------------------------------------------------------------------------------------------

my $comments = project('a.pl' => <<'END');
use Storable qw(freeze store);
# permafrost: allow native-image (all of this sub)
sub image {
    my $image = freeze($_[0]);
    return $image;
}
store($x, $y); # permafrost: allow native-image, unchecked-result (both)
my $z = freeze($x); # permafrost: allow nonsense (no such)
END
($status, $out) = audit_command($comments, '--json');
is(found($out), "a.pl:8 native-image certain\na.pl:8 unused-suppression certain", 'comments');
is(json($out)->{suppressed}, 3, 'how many were suppressed');
like((grep { $_->{id} eq 'unused-suppression' } @{json($out)->{findings}})[0]{message}, qr/no such finding/,
    'a finding that there is not');

# ---- baseline -------------------------------------------------------------------------------------------------------

my $old = project('a.pl' => $bad);
put($old, 'baseline.json', (audit_command($old, '--json', 'a.pl'))[1]);
($status, $out) = audit_command($old, '--baseline', 'baseline.json', 'a.pl');
is($status, 0, 'baseline: nothing new');
is($out, "no findings in 1 file; 1 in the baseline\n", 'and says so');
put($old, 'a.pl', "use strict;\n\n$bad" . "my \$again = freeze([]);\n");
($status, $out) = audit_command($old, '--json', '--baseline', 'baseline.json', 'a.pl');
is(found($out), 'a.pl:8 native-image certain', 'baseline: the old one has moved, the new one is reported');
put($old, 'a.pl', "$bad$bad");
is(found((audit_command($old, '--json', '--baseline', 'baseline.json', 'a.pl'))[1]),
    'a.pl:8 native-image certain', 'baseline: the same again is new');
put($old, 'no.json', '[]');
is((audit_command($old, '--baseline', 'no.json', 'a.pl'))[0], 2, 'baseline: not one');

# ---- files ------------------------------------------------------------------------------------------------------------

my $line = 'my $image = freeze($x);';
my %odd = (
    'crlf.pl'    => "use Storable qw(freeze);\r\n\r\n$line\r\n",
    'cr.pl'      => "use Storable qw(freeze);\r\r$line\r",
    'bom.pl'     => "\xEF\xBB\xBFuse Storable qw(freeze);\n\n$line\n",
    'latin1.pl'  => "use Storable qw(freeze);\n# \xE9\xE8\n$line\n",
    'utf8.pl'    => "use utf8; use Storable qw(freeze);\n# \xC3\xA9\n$line\n",
    'utf16.pl'   => "\xFF\xFE" . join('', map { "$_\0" } split //, "use Storable qw(freeze);\n\n$line\n"),
    'no_end.pl'  => "use Storable qw(freeze);\n\n$line",
    'program'    => "#!/usr/bin/env perl\nuse Storable 'freeze';\n$line\n",
);
my $odd = project(%odd, 'empty.pl' => '', 'nul.pl' => "Storable freeze\0\0\0",
    'binary.pm' => join('', map { chr } 0 .. 255) . 'Storable freeze', 'dir.pl/x.txt' => '',
    'shell' => "#!/bin/sh\n# perl Storable freeze\n",
        'broken.pl' => "use Storable 'freeze'; freeze(((((\n\"abc\n",
        'q.pl' => "use Storable 'freeze'; qw(\n", 'here.pl' => "use Storable 'freeze'; <<X;\nfreeze(1);\n");
($status, $out, $err) = audit_command($odd, '--json');
is(join("\n", grep { !/\A(?:broken|binary|nul|q|here)/ } split /\n/, found($out)),
    join("\n", map { "$_:3 native-image certain" } sort keys %odd), 'line ends, encodings, suffixes');
is($err, '', 'and nothing is said of broken files but in the report');
my $utf8 = project('a.pl' => "use utf8; use Storable 'freeze';\nmy \$\xC3\xA9 = \"\xC3\xA9\xC3\xA9\"; my \$y = freeze(1);\n");
is(json((audit_command($utf8, '--json'))[1])->{findings}[0]{column}, 27 - 4, 'columns count characters')
    or diag((audit_command($utf8, '--json'))[1]);
SKIP: {
    skip 'root may read everything', 1 if $> == 0;
    put($utf8, 'secret.pl', $bad);
    chmod 0, "$utf8/secret.pl";
    is(json((audit_command($utf8, '--json'))[1])->{errors}[0]{file}, 'secret.pl',
        'a file that cannot be read is reported');
}

# ---- images among the files -----------------------------------------------------------------------------------------------

require Storable;
my $data = project('good.sto' => '', 'text.txt' => "pst0 is a magic number\n", 'x.bin' => "\x04\x05\x06");
Storable::store([1], "$data/native.sto");
Storable::nstore([1], "$data/good.sto");
put($data, 'frozen.bin', Storable::freeze([1]));
($status, $out) = audit_command($data, '--json');
is(found($out), "frozen.bin: native-file likely\nnative.sto: native-file certain", 'images in native order');
like(json($out)->{findings}[1]{message}, qr/byte order \d+, intsize 4/, 'and of what machine');
is((audit_command($data, '--format', $_))[0], 1, "as $_") for qw(text sarif github checkstyle);

# ---- without PPI --------------------------------------------------------------------------------------------------------------

put($data, 'PPI.pm', "die q(Can't locate PPI.pm in \@INC)\n");
{
    local $ENV{PERL5OPT} = "-I$data";
    no warnings 'redefine';
    ($status, $out, $err) = audit_command($dir, 'lib');
}
is($status, 2, 'without PPI: 2');
like($err, qr/needs the Perl module PPI: apt-get install libppi-perl/, 'and how to get it');

# ---- the manual ---------------------------------------------------------------------------------------------------------------

require Permafrost::Audit::Catalog;
my $manual = slurp('lib/Permafrost/Audit.pm');
for my $id (Permafrost::Audit::Catalog::rule_ids()) {
    my ($text) = $manual =~ /^=head2 \Q$id\E\n(.*?)^=head/ms;
    ok($text && $text =~ /# bad/ && $text =~ /# good/, "$id: documented, with a bad and a good example");
}

done_testing;
