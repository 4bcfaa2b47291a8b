# Subject: Test2::IPC
# Does: subtests and results of forked children and threads, whose events travel in Storable files
# Needs: Test2::IPC
use strict;
use warnings;
use Config;
use Scenario;

write_file('test.t', <<'END') if writing;
    use strict;
    use warnings;
    BEGIN { if ($Config::Config{useithreads}) { require threads } }
    use Test2::IPC;
    use Test::More;
    for my $n (1 .. 3) {
        my $pid = fork // die $!;
        if (!$pid) {
            ok(1, "from child $n");
            subtest "subtest of child $n" => sub { is_deeply([1, {a => $n}], [1, {a => $n}], "deep \x{e9} $n"); note 'said'; };
            exit 0;
        }
        waitpid $pid, 0;
    }
    SKIP: {
        skip 'no threads', 1 unless $Config::Config{useithreads};
        threads->create(sub { ok(1, 'from a thread'); TODO: { local $TODO = 'not yet'; ok(0, 'to do') } })->join;
    }
    ok(1, 'from the parent');
    done_testing;
END
print "$_\n" for grep { !/^\s*#\s+at / } split /\n/, run_command($^X, '-MConfig', 'test.t');
