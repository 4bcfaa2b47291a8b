# permafrost audit --trace: what ran is merged with what was found.
use strict;
use warnings;
use lib 't/lib';
use AuditTest;
use File::Spec ();
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
plan skip_all => 'needs JSON::PP' unless eval { require JSON::PP; 1 };

my @inc = map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC;
delete @ENV{qw(PERMAFROST_TRACE PERL5OPT)};

# Run a program of the folder under the trace.
sub run_traced {
    my ($dir, @arguments) = @_;
    local $ENV{PERMAFROST_TRACE} = "$dir/trace.log";
    return in_folder($dir, sub { system $^X, @inc, '-MPermafrost::AsStorable', @arguments });
}

my $dir = project('app.pl' => <<'END', 'lib/My/Store.pm' => <<'END', 'README.txt' => "text\n");
use strict;
use lib 'lib';
use My::Store;
use Storable qw(freeze);
for my $n (1 .. 3) { My::Store::encode({n => $n}) }
my $image = freeze(
    bless [], 'Thing',
);
My::Store::passed([1]);
my $name = join '', 'fre', 'eze';
{ no strict 'refs'; &{"Storable::$name"}([2]); }
My::Store::never() if @ARGV;
END
package My::Store;
use Storable ();
sub encode { return Storable::freeze($_[0]) }
sub passed { goto &Storable::freeze }
sub never { return Storable::freeze([]) }
1;
END
is(run_traced($dir, 'app.pl'), 0, 'the program runs');
my ($status, $out) = audit_command($dir, '--json', '--trace', 'trace.log', 'app.pl', 'lib');
my $report = JSON::PP->new->utf8->decode($out);
my %at = map { ("$_->{file}:$_->{line}" => $_->{runtime}) } @{$report->{findings}};
is($at{'lib/My/Store.pm:3'}{status}, 'confirmed', 'confirmed');
is($at{'lib/My/Store.pm:3'}{count}, 3, 'how often');
is_deeply($at{'lib/My/Store.pm:3'}{classes}, {HASH => 3}, 'of what');
cmp_ok($at{'lib/My/Store.pm:3'}{bytes}, '>', 60, 'how many bytes');
is($at{'app.pl:6'}{status}, 'confirmed', 'a statement over several lines');
is_deeply($at{'app.pl:6'}{classes}, {Thing => 1}, 'a class');
is($at{'lib/My/Store.pm:5'}{status}, 'never seen', 'never seen');
is_deeply([map { "$_->{file}:$_->{line}" } @{$report->{trace}{not_found}}], ['app.pl:9', 'app.pl:11'],
    'not found statically: built by name, and the caller of a goto in another file');
is($report->{trace}{confirmed}, 2, 'sums');
($status, $out) = audit_command($dir, '--trace', 'trace.log', 'app.pl', 'lib');
like($out, qr/^    seen at run time: 3 calls, \d+ bytes, of HASH \(3\)$/m, 'text: confirmed');
like($out, qr/^    never seen at run time$/m, 'text: never seen');
like($out, qr/^At run time: 2 confirmed, 2 never seen, 2 not found statically\napp\.pl:9: freeze, 1 call, \d+ bytes, of ARRAY$/m, 'text: not found');

# Named from another folder, and by absolute paths; a goto within one file; summaries alone.
$dir = project('bin/app.pl' => "use Storable ();\nsub passed { goto &Storable::freeze }\npassed([1]);\npassed([2]) for 1, 2;\n");
is(in_folder($dir, sub { run_traced($dir, "$dir/bin/app.pl") }), 0, 'the program runs');
is(JSON::PP->new->utf8->decode((audit_command("$dir/bin", '--json', '--trace', '../trace.log',
    'app.pl'))[1])->{findings}[0]{runtime}{count}, 3, 'absolute paths, and the callers of a goto');
put($dir, 'summary.log', join '', grep { /"event":"summary"/ } split /^/, slurp("$dir/trace.log"));
is(JSON::PP->new->utf8->decode((audit_command("$dir/bin", '--json', '--trace', '../summary.log',
    'app.pl'))[1])->{findings}[0]{runtime}{count}, 3, 'from summaries');
put($dir, 'nonsense', "x\ny\n");
is((audit_command($dir, '--trace', 'nonsense'))[0], 2, 'no trace');
put($dir, 'empty', '');
is((audit_command($dir, '--trace', 'empty'))[0], 1, 'an empty trace: nothing was seen');

done_testing;
