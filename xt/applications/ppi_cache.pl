# Subject: PPI::Cache
# Does: parses source files, finds the documents in the cache in the next process, serializes them again
# Packages: libppi-perl
# Needs: PPI PPI::Cache
use strict;
use warnings;
use Scenario;
use PPI ();
use PPI::Cache ();
use PPI::Document ();

mkdir 'cache';
my $cache = PPI::Cache->new(path => 'cache');
PPI::Document->set_cache($cache) or die 'no cache';
my %source = (
    sub => "package My::Thing;\nuse strict;\nour \$VERSION = '1.5';\nsub new { my (\$class, %arg) = \@_; return bless {%arg}, \$class }\n1;\n",
    here => "print <<\"A\", <<'B';\nin \$x\nA\nraw\nB\nmy \@list = map { { a => \$_ } } 1 .. 5;\nfor (\@list) { s/x/y/g; tr/a-z//d; m{y}x }\n",
    pod => "=head1 NAME\n\ntext\n\n=cut\n\nuse utf8;\n\$x = q{caf\x{e9}} unless \$y;\n__END__\nrest\n",
);
for my $name (sort keys %source) {
    my $file = write_file("$name.pl", $source{$name});
    my $bytes = do { open my $in, "<", $file or die $!; local $/; <$in> };
    my $document = PPI::Document->new($file) or die "$name: " . PPI::Document->errstr;
    print "$name: ", ref $document, ', as it was: ',
        $document->serialize eq $bytes ? 'yes' : 'no', "\n";
    print "  $_->[0]: ", scalar(@{ $document->find($_->[0]) || [] }), "\n" for map { ["PPI::$_"] } 'Statement', 'Token::Word', 'Token::Symbol', 'Token::HereDoc', 'Structure::Block';
    show("$name: tree", [map { ref($_) . ' ' . length $_->content } @{ $document->find('PPI::Element') }]);
    my $stored = $cache->get_document(\$bytes);
    print '  in the cache: ', ref $stored, "\n";
    print '  parents: ', (grep { !$_->parent } @{ $stored->find('PPI::Element') }) ? 'missing' : 'all there', "\n";
}
