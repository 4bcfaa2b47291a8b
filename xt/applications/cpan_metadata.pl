# Subject: CPAN.pm
# Does: reads the three index files of a mirror on disk, keeps the result in Metadata, queries it
# Needs: CPAN IO::Zlib
use strict;
use warnings;
use Scenario;
use CPAN ();
use Cwd qw(getcwd);
use POSIX qw(strftime);
use IO::Zlib ();

my $home = getcwd();
my ($mirror, $cpan) = map { "$home/$_" } qw(mirror cpan);

sub write_gzip {
    my ($name, $text) = @_;
    my $out = IO::Zlib->new($name, 'wb') or die "$name: $!";
    print {$out} $text;
    $out->close;
}

if (writing) {
    mkdir $_ or die "$_: $!" for $cpan, $mirror, map { ("$cpan/sources/$_") } '', 'authors', 'modules';
    my $to = "$cpan/sources";
    write_gzip("$to/authors/01mailrc.txt.gz", join '', map { qq(alias AUTHOR$_ "N\xc3\xa4me $_ <a$_\@example.org>"\n) } 'A' .. 'Z');
    my @packages = map { sprintf "%-30s %8s  A/AU/AUTHOR%s/Some-Dist%03d-0.%d.tar.gz\n", "Some::Module$_", "0.$_", chr 65 + $_ % 26, $_, $_ } 100 .. 399;
    write_gzip("$to/modules/02packages.details.txt.gz", join "\n", 'File:         02packages.details.txt', 'Line-Count:   300',
        'Last-Updated: ' . strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime), '', join '', @packages);
    write_gzip("$to/modules/03modlist.data.gz", "File: 03modlist.data\nDate: Mon, 01 Jan 2024 00:00:00 GMT\n\n"
        . "package CPAN::Modulelist;\nsub data { return {} }\n1;\n");
}

$CPAN::Config = {
    cpan_home => $cpan, keep_source_where => "$cpan/sources", build_dir => "$cpan/build", cache_metadata => 1,
    index_expire => 999, use_sqlite => 0, urllist => ["file://$mirror"], inhibit_startup_message => 1, term_is_latin => 1,
    histsize => 0, histfile => "$cpan/hist", connect_to_internet_ok => 0, tar_verbosity => 'none', show_zero_versions => 1,
};
$CPAN::Be_Silent = 1;
$CPAN::Suppress_readline = 1;
$CPAN::Config_loaded = $CPAN::META->{LOCK} = 1;
{ no warnings 'redefine'; *CPAN::HandleConfig::load = sub { 1 } }
CPAN::Index->reload;
print 'index files read now: ', writing ? 'yes' : 'no, Metadata', "\n";
for my $id (qw(Some::Module100 Some::Module250 Some::Module399)) {
    my $module = CPAN::Shell->expand('Module', $id) or die "$id is not there";
    show($id, {version => $module->cpan_version, file => $module->cpan_file, author => $module->userid});
}
my @authors = map { [$_->id, $_->fullname, $_->email] } sort { $a->id cmp $b->id } CPAN::Shell->expand('Author', '/AUTHOR[A-E]/');
show('authors', @authors);
print 'modules: ', scalar(() = CPAN::Shell->expand('Module', '/Some::/')), "\n";
print -s "$cpan/Metadata" ? "Metadata is there\n" : "no Metadata\n";
