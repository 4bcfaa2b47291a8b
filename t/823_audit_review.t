# permafrost audit on changes: --diff with a revision and with a diff on the standard input.
use strict;
use warnings;
use lib 't/lib';
use AuditTest;
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
plan skip_all => 'needs JSON::PP' unless eval { require JSON::PP; 1 };
plan skip_all => 'needs git' unless `git --version 2>&1` =~ /\Agit version/;

# A repository with one commit.
sub repository {
    my $dir = project(@_);
    git($dir, qw(init -q));
    git($dir, qw(add -A));
    git($dir, qw(-c user.name=x -c user.email=x@y commit -q -m first));
    return $dir;
}

sub git {
    my ($dir, @arguments) = @_;
    return in_folder($dir, sub {
        open my $out, '-|', 'git', @arguments or die "git: $!";
        local $/;
        my $text = <$out>;
        close $out or die "git @arguments: status $?";
        return $text;
    });
}

# What both ways of saying a change give; they must agree.
sub review {
    my ($dir, $what) = @_;
    my ($status, $out, $err) = audit_command($dir, '--json', '--diff', 'HEAD');
    is($err, '', "$what: no complaint");
    my $diff = git($dir, 'diff', 'HEAD');
    my (undef, $same) = audit_command($dir, \$diff, '--json', '--diff', '-');
    is(found($same), found($out), "$what: a diff on the standard input gives the same");
    is($status, found($out) eq '' ? 0 : 1, "$what: status");
    return found($out);
}

my $old = "package A;\nuse Storable qw(freeze nfreeze);\nsub one { return freeze(\$_[0]) }\n\nsub two { return nfreeze(\$_[0]) }\n\n1;\n";
my $dir = repository('lib/A.pm' => $old, 'lib/B.pm' => "package B;\n1;\n");
is(review($dir, 'nothing has changed'), '', 'nothing has changed');

put($dir, 'lib/A.pm', "# a comment more\n\n$old");
is(review($dir, 'moved'), '', 'what has only moved is not new');

put($dir, 'lib/A.pm', $old =~ s/nfreeze\(/freeze(/r);
is(review($dir, 'a call'), 'lib/A.pm:5 native-image certain', 'a changed call');

put($dir, 'lib/A.pm', $old =~ s/^use .*/use Storable qw(freeze); *nfreeze = \\&freeze;/mr);
is(review($dir, 'an import'), 'lib/A.pm:5 native-image certain',
    'what a changed import does to a line that has not changed');

put($dir, 'lib/A.pm', $old);
put($dir, 'lib/B.pm', "package B;\nuse Storable qw(store);\nstore(\$x, 'f') or die;\n1;\n");
is(review($dir, 'another file'), 'lib/B.pm:3 native-image certain', 'another file');

put($dir, 'lib/B.pm', "package B;\n1;\n");
put($dir, 'lib/C.pm', "package C;\nuse Storable qw(store);\nstore(\$x, 'f') or die;\n1;\n");
git($dir, 'add', '-A');
is(review($dir, 'a new file'), 'lib/C.pm:3 native-image certain', 'a new file');
git($dir, 'rm', '-q', '-f', 'lib/C.pm');

git($dir, 'mv', 'lib/A.pm', 'lib/D.pm');
is(review($dir, 'a renamed file'), '', 'what was there under another name');
git($dir, 'mv', 'lib/D.pm', 'lib/A.pm');

# A change that makes an old line worse.
my $cache = "package A;\nuse Storable qw(freeze);\nsub image { return freeze(\$_[0]) }\nsub put {\n    my (\$self, \$key, \$x) = \@_;\n    return;\n}\n1;\n";
$dir = repository('lib/A.pm' => $cache,
    'lib/B.pm' => "package B;\nuse Storable 'nfreeze';\nmy \$memd = Cache::Memcached->new;\n\$memd->set('key', nfreeze(\$x));\n");
put($dir, 'lib/A.pm', $cache =~ s/    return;/    \$self->{memcached}->set(\$key, image(\$x));/r);
is(review($dir, 'severity'), 'lib/A.pm:3 native-image certain',
    'a line that has not changed, but now goes to a cache');
put($dir, 'lib/A.pm',
    $cache =~ s/    return;/    my \$memd = Cache::Memcached->new; \$memd->set('key', image(\$x));/r);
is(review($dir, 'mixed'), "lib/A.pm:3 mixed-order certain\nlib/A.pm:3 native-image certain",
    'the other half of a mixed order');

# In a folder below the root, and with paths.
$dir = repository('lib/A.pm' => $old, 'bin/x.pl' => "1;\n");
put($dir, 'lib/A.pm', $old =~ s/nfreeze\(/freeze(/r);
put($dir, 'bin/x.pl', "use Storable; store(1, 2) or die;\n");
is(found((audit_command("$dir/lib", '--json', '--diff', 'HEAD'))[1]), 'A.pm:5 native-image certain',
    'from a folder of the repository');
is(found((audit_command($dir, '--json', '--diff', 'HEAD', 'bin'))[1]), 'bin/x.pl:1 native-image certain',
    'only a path');

my ($status, $out, $err) = audit_command($dir, '--diff', 'no-such-revision');
is($status, 2, 'a revision that git does not know: 2');
is((audit_command($dir, '--diff', '--output=x'))[0], 2, 'an option in the place of a revision: 2');
ok(!-e "$dir/x", 'git has not seen it');
is((audit_command($dir, \'', '--diff', '-'))[0], 0, 'an empty diff');
is((audit_command($dir, \"nonsense\n\@\@ -1 +1 \@\@\n", '--diff', '-'))[0], 0, 'nonsense for a diff');

done_testing;
