# Subject: XML::Simple
# Does: XML files with the caches storable, memshare and memcopy
# Packages: libxml-simple-perl
# Needs: XML::Simple
use strict;
use warnings;
use Scenario;
use XML::Simple qw(XMLin XMLout);

if (writing) {
    write_file('config.xml', "<config title=\"\x{17e}lut\x{fd}\">" . join('', map { "<server name=\"s$_\" os=\"linux\"><address>10.0.0.$_</address><address>10.0.1.$_</address></server>" } 1 .. 4) . "</config>\n");
    utime 1.6e9, 1.6e9, 'config.xml';
}
for my $round (1, 2) {
    for my $cache ('storable', 'memcopy', 'memshare', ['memshare', 'storable']) {
        my $data = XMLin('config.xml', Cache => $cache, ForceArray => ['address'], KeyAttr => {server => 'name'});
        show('round ' . $round . ' ' . (ref $cache ? "@$cache" : $cache), $data);
    }
}
print 'cache file: ', -e 'config.stor' ? 'there' : 'none', "\n";
write_file('config.xml', '<config><server name="new" os="bsd"/></config>');
utime 2e9, 2e9, 'config.xml';
show('after a change', XMLin('config.xml', Cache => 'storable'));
utime 1.6e9, 1.6e9, 'config.xml';
show('from the cache', XMLin('config.xml', Cache => 'storable'));
