# Subject: pgBadger
# Does: two PostgreSQL logs to binary files, by several processes; binary files to JSON, text and HTML; incremental mode
# Packages: pgbadger libjson-xs-perl
# Needs: /usr/bin/pgbadger JSON::XS
use strict;
use warnings;
use Scenario;
use Cwd qw(getcwd);

my $incremental = getcwd() . '/incremental';
my @pgbadger = ('/usr/bin/pgbadger', '--quiet', '--format', 'stderr', '--timezone', '0');
if (writing) {
    for my $log (1, 2) {
        my $text = '';
        for my $n (1 .. 60) {
            my $prefix = sprintf '2024-03-%02d %02d:%02d:%02d UTC [%d]: user=u%d,db=shop%d,app=psql,client=10.0.0.%d ', $log, 8 + $n / 60, $n % 60, $n % 7, 1000 + $n % 9, $n % 3, $n % 2, $n % 5;
            $text .= $prefix . ($n % 11 ? sprintf "LOG:  duration: %d.%03d ms  statement: SELECT name FROM item WHERE id = %d AND title = '\x{17e}lut\x{fd}' ORDER BY %d\n", $n % 50, $n, $n, $n % 3 + 1
              : $n % 2 ? "ERROR:  relation \"missing$n\" does not exist at character 15\n${prefix}STATEMENT:  SELECT * FROM missing$n\n"
              : "LOG:  temporary file: path \"base/pgsql_tmp/t$n\", size $n" . "000\n");
        }
        write_file("day$log.log", $text);
    }
    run_command(@pgbadger, '-j', $_, '-p', '%t [%p]: user=%u,db=%d,app=%a,client=%h ', '-o', "day$_.bin", "day$_.log") for 1, 2;
    mkdir $incremental;
    run_command(@pgbadger, '-I', '-O', $incremental, '-p', '%t [%p]: user=%u,db=%d,app=%a,client=%h ', 'day1.log');
}
else {
    run_command(@pgbadger, '-I', '-O', $incremental, '-p', '%t [%p]: user=%u,db=%d,app=%a,client=%h ', 'day2.log');
    run_command(@pgbadger, '-f', 'binary', '-o', 'all.html', 'day1.bin', 'day2.bin');
    my $html = do { open my $in, '<', 'all.html' or die $!; local $/; <$in> };
    print 'HTML: ', length $html > 100_000 ? 'a whole page' : 'too short', ', queries ', join(' ', $html =~ /Number of (?:unique normalized )?queries[^\d]*([\d,]+)/g), "\n";
}
for my $suffix (writing ? () : qw(json txt)) {
    run_command(@pgbadger, '-f', 'binary', '-o', "all.$suffix", 'day1.bin', 'day2.bin');
    open my $in, '<', "all.$suffix" or die $!;
    my $text = do { local $/; <$in> };
    $text = JSON::XS->new->canonical->pretty->encode(JSON::XS->new->decode($text)) if $suffix eq 'json' && require JSON::XS;
    print "$suffix:\n", $text =~ s/^.*(?:[Gg]enerated on|Log start from|Total execution|total_time|run_time|[Pp]arse).*\n//gmr;
}
print join(" ", map { s{.*/}{}r =~ s{-\d+\.bin}{-PID.bin}r } sort glob 'incremental/*/*/*/*.{bin,html} incremental/*/*/*.html'), "\n";
