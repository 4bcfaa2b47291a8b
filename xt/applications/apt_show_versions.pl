# Subject: apt-show-versions
# Does: its three cache files, from package lists and dpkg's status of its own; answers from them
# Packages: apt-show-versions
# Needs: /usr/bin/apt-show-versions
use strict;
use warnings;
use Scenario;
use Cwd qw(getcwd);

# The program, with its caches and apt's configuration here.
my $dir = getcwd();
$ENV{APT_CONFIG} = "$dir/apt.conf";
sub packages { my ($minor, @more) = @_; return map { "Package: tool$_\n@more" . "Architecture: amd64\nVersion: 1.$_-$minor\nFilename: ./tool$_.deb\nSize: 1\nDescription: a tool\n\n" } 1 .. 40 }
if (writing) {
    mkdir "$dir/$_" for qw(lists lists/partial cache repo);
    write_file('apt.conf', qq(Dir::State "$dir"; Dir::State::lists "$dir/lists"; Dir::State::status "$dir/status"; Dir::Cache "$dir/cache"; Dir::Etc::sourcelist "$dir/sources.list"; Dir::Etc::sourceparts "$dir/none"; Dir::Etc::preferencesparts "$dir/none";\n));
    write_file('sources.list', "deb [trusted=yes] file:$dir/repo ./\n");
    write_file('repo/Packages', join '', packages(2));
    write_file('status', join '', packages(1, "Status: install ok installed\n"));
    my $program = do { open my $in, '<', '/usr/bin/apt-show-versions' or die $!; local $/; <$in> };
    write_file('program', $program =~ s{/var/cache/apt-show-versions}{$dir/cache}gr);
    run_command('apt-get', '-q', 'update');
    my $long_ago = time - 1000;
    utime $long_ago, $long_ago, 'status', 'lists', glob 'lists/*';
    run_command($^X, 'program', '-i', '-stf', "$dir/status", '-ld', "$dir/lists");
}
for my $question (['-a', 'tool8'], ['-u', '-b'], ['-R', '-a', '^tool3.$']) {
    my $answer = join '', sort { $a cmp $b } split /^/, eval { run_command($^X, 'program', '-stf', "$dir/status", '-ld', "$dir/lists", @$question) } // $@;
    print "@$question:\n$answer";
}
print join(' ', sort glob 'cache/*multi* cache/files'), "\n";
