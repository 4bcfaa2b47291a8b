# Subject: grepmail, Mail::Mbox::MessageParser
# Does: searches mailboxes, with the cache of message positions that it keeps
# Packages: grepmail libmail-mbox-messageparser-perl
# Needs: /usr/bin/grepmail Mail::Mbox::MessageParser Mail::Mbox::MessageParser::Cache
use strict;
use warnings;
use Scenario;
use Mail::Mbox::MessageParser ();

if (writing) {
    write_file('box', join '', map { "From user$_\@example.org Fri Mar  1 12:00:0$_ 2024\nFrom: user$_\@example.org\nSubject: message $_\nDate: Fri, 01 Mar 2024 12:00:0$_ +0000\n\nBody " . ('x' x $_ ** 4) . ($_ % 2 ? ' odd' : ' even') . "\n\n" } 1 .. 9);
    utime 1.6e9, 1.6e9, 'box';
}
for my $round (1, 2) {
    Mail::Mbox::MessageParser::SETUP_CACHE({file_name => 'cache'});
    open my $in, '<', 'box' or die $!;
    my $box = Mail::Mbox::MessageParser->new({file_name => 'box', file_handle => $in, enable_cache => 1, enable_grep => 0});
    die $box unless ref $box;
    print "round $round: ", ref $box, "\n";
    while (!$box->end_of_file) {
        my $mail = $box->read_next_email;
        print join(' ', $box->number, $box->offset, $box->length, $$mail =~ /^Subject: (.*)/m), "\n";
    }
    Mail::Mbox::MessageParser::Cache::WRITE_CACHE() if defined &Mail::Mbox::MessageParser::Cache::WRITE_CACHE;
    Mail::Mbox::MessageParser::MetaInfo::WRITE_CACHE() if defined &Mail::Mbox::MessageParser::MetaInfo::WRITE_CACHE;
}
$ENV{HOME} = '.';
print run_command('/usr/bin/grepmail', '-b', 'odd', 'box') =~ /^(Subject.*)/mg, "\n";
