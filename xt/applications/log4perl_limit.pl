# Subject: Log::Log4perl, Test::SharedFork
# Does: a limit of messages kept in a file over processes; test counts shared by forked children
# Packages: liblog-log4perl-perl libtest-sharedfork-perl
# Needs: Log::Log4perl Log::Log4perl::Appender::Limit Test::SharedFork
use strict;
use warnings;
use Scenario;
use Log::Log4perl ();

Log::Log4perl->init(\<<'END');
log4perl.category = WARN, Limiter
log4perl.appender.Screen = Log::Log4perl::Appender::Screen
log4perl.appender.Screen.stderr = 0
log4perl.appender.Screen.layout = SimpleLayout
log4perl.appender.Limiter = Log::Log4perl::Appender::Limit
log4perl.appender.Limiter.appender = Screen
log4perl.appender.Limiter.block_period = 360000
log4perl.appender.Limiter.persistent = limit
END
my $logger = Log::Log4perl->get_logger('a.b');
$logger->warn("message $_") for 1 .. 3;
Log::Log4perl->get_logger('c')->error('another category');

write_file('shared.t', <<'END');
use strict; use warnings; use Test::More tests => 7; use Test::SharedFork;
for my $n (1 .. 3) { my $pid = fork; if (!$pid) { ok(1, "child $n $_") for 1, 2; exit 0 } waitpid $pid, 0 }
ok(1, 'parent');
END
print run_command($^X, 'shared.t');
