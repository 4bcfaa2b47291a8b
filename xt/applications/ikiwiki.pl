# Subject: ikiwiki
# Does: builds a wiki, changes a page, refreshes from its index file, keeps users in its user file
# Packages: ikiwiki
# Needs: IkiWiki /usr/bin/ikiwiki
use strict;
use warnings;
use Scenario;
use Cwd qw(getcwd);
use File::Find qw(find);

my $dir = getcwd();
my @ikiwiki = ('/usr/bin/ikiwiki', "$dir/src", "$dir/html", '--set', 'wikiname=Wiki', '--underlaydir', "$dir/none", '--set', "wikistatedir=$dir/src/.ikiwiki", '--plugin', 'tag', '--plugin', 'orphans', '--plugin', 'map', '--plugin', 'pagestats',
    '--set', 'rcs=', '--no-usedirs');
sub digest { return map { s/(?:Last edited|<time).*//gr =~ s/\s+/ /gr } @_ }
sub pages {
    my @pages;
    find({no_chdir => 1, wanted => sub { push @pages, $_ if /(?:page|index|all)[^\/]*\.html\z/ }}, 'html');
    for my $page (sort @pages) {
        open my $in, '<:utf8', $page or die $!;
        local $/;
        my ($content) = <$in> =~ m{<div id="content"[^>]*>(.*?)<div id="footer"}s;
        print "$page:", digest($content // ''), "\n" =~ s/[^ -~\n]/?/gr;
    }
}
binmode STDOUT, ':utf8';
my $setup = 'use IkiWiki; %config = (IkiWiki::defaultconfig(), wikistatedir => shift, srcdir => "x", destdir => "x", rcs => ""); require IkiWiki::UserInfo;';
if (writing) {
    mkdir 'src';
    write_file('src/index.mdwn', "Welcome, \x{17e}. See [[page1]] and [[page2]].\n\n[[!map pages=\"page*\"]]\n");
    write_file("src/page$_.mdwn", "# Page $_\n\nLink to [[page" . ($_ + 1) . "]]. [[!tag tags/t$_]] [[!meta title=\"P\x{e1}ge $_\"]]\n") for 1 .. 4;
    write_file('src/all.mdwn', "[[!orphans pages=\"*\"]]\n[[!pagestats pages=\"tags/*\"]]\n");
    run_command(@ikiwiki, '--rebuild');
    pages();
    run_command($^X, '-e', "$setup IkiWiki::userinfo_setall('anna', {email => 'a\@example.org', regdate => 5, locked => [1, 2]}); IkiWiki::userinfo_set('bert', 'email', 'b\@example.org') || 1", "$dir/src/.ikiwiki");
}
run_command($^X, '-e', "$setup IkiWiki::userinfo_set('anna', 'note', 'changed');", "$dir/src/.ikiwiki");
print run_command($^X, '-e', "$setup print map { \$_ . ' ' . (IkiWiki::userinfo_get('anna', \$_) // 'undef') . qq(\\n) } qw(email regdate note)", "$dir/src/.ikiwiki");
write_file('src/page2.mdwn', "# Changed\n\nNow a link to [[page1]] and [[nowhere]].\n");
unlink 'src/page3.mdwn';
utime 2e9, 2e9, 'src/page2.mdwn';
print join "\n", sort(grep { /^(?:building|removing|scanning|refreshing)|page/ } split /\n/, run_command(@ikiwiki, '--refresh', '--verbose')), '';
pages();
