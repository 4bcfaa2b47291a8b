# Subject: Const::Fast, Regexp::Assemble, Specio, Clone::Choose, Data::Serializer
# Does: their clones: constants, regexp tries, types with code, objects; serialized texts with digests
# Packages: libconst-fast-perl libregexp-assemble-perl libspecio-perl libclone-choose-perl libdata-serializer-perl
# Needs: Const::Fast Regexp::Assemble Specio::Declare Clone::Choose Data::Serializer
use strict;
use warnings;
use Scenario;
BEGIN { $ENV{CLONE_CHOOSE_PREFERRED_BACKEND} = 'Storable' }
use Clone::Choose;
use Const::Fast;
use Data::Serializer ();
use Regexp::Assemble ();
use Specio::Declare;
use Specio::Library::Builtins;
use Storable ();

my $rows = rows(3);
const my $constant => $rows;
show('constant', $constant);
print 'changing it: ', eval { $constant->[0]{name} = 1; 1 } ? 'works' : 'refused', "\n";

my $regexp = Regexp::Assemble->new->add(qw(foobar foobaz fooqux \d+\.\d+ \s*x$));
my $copy = $regexp->clone;
$copy->add('other');
print 'regexps: ', $regexp->as_string, ' and ', $copy->as_string, "\n";

my $type = declare('Even', parent => t('Int'), where => sub { $_[0] % 2 == 0 });
my $either = union('Either', of => [t('Str'), t('ArrayRef', of => t('Int'))]);
print "$_->[0]: ", join(' ', map { $_->name, $_->value_is_valid(4) ? 1 : 0 } $_->[1], $_->[1]->clone), "\n" for [even => $type], [either => $either];

print 'backend: ', Clone::Choose->backend, "\n";
show('cloned', clone({rows => $rows, code => undef, object => bless([1], 'Some::Class')}));

my $serializer = Data::Serializer->new(serializer => 'Storable', digester => 'MD5', portable => 1, options => {});
if (writing) {
    $serializer->store({rows => $rows, text => "\x{263a}"}, 'serialized');
    write_file('text', $serializer->serialize($rows->[1]));
}
show('retrieved', $serializer->retrieve('serialized'));
show('from text', $serializer->deserialize(do { open my $in, '<', 'text' or die $!; local $/; <$in> }));
print 'header of the text: ', $serializer->serialize([1]) =~ /^(\^.*?\^)/, "\n";
