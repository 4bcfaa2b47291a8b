use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Hooks on scalars, arrays, hashes, references, tied things and what cannot have them.

our @log;
{
    package Kind;
    sub STORABLE_freeze { my ($self, $c) = @_; push @main::log, 'freeze ' . Scalar::Util::reftype($self); return ('kind', [1]) }
    sub STORABLE_thaw {
        my ($self, $c, $string, @refs) = @_;
        my $type = Scalar::Util::reftype($self);
        my $tied = $type eq 'HASH' ? tied %$self : $type eq 'ARRAY' ? tied @$self : tied $$self;
        push @main::log, "thaw $type " . ($tied ? 'tied' : 'not tied');
        push @main::log, $type eq 'HASH' ? 0 + keys %$self : $type eq 'ARRAY' ? 0 + @$self : defined $$self ? 'defined' : 'undef' unless $tied;
        return if $tied;
        $type eq 'HASH' ? ($self->{string} = $string) : $type eq 'ARRAY' ? push @$self, $string : ($$self = $string);
        return;
    }
    package Kind::Over; our @ISA = 'Kind'; use overload '""' => sub { 'over' }, fallback => 1;
    package Kind::Attach; our @ISA = 'Kind';
    sub STORABLE_freeze { return 'attach' }
    sub STORABLE_attach { return bless {}, $_[0] }
    package Kind::Tie;
    sub TIESCALAR { bless {t => 1} } sub TIEARRAY { bless {t => 2} } sub TIEHASH { bless {t => 3} }
    sub FETCH { 'f' } sub STORE { } sub FETCHSIZE { 2 } sub FIRSTKEY { 'k' } sub NEXTKEY { } sub CLEAR { } sub EXTEND { } sub STORESIZE { } sub EXISTS { 1 } sub DELETE { }
    package Kind::TieHook;
    our @ISA = 'Kind::Tie';
    sub STORABLE_freeze { push @main::log, 'freeze tie object'; return 'tie object' }
    sub STORABLE_thaw { my ($self, $c, $s) = @_; push @main::log, 'thaw tie object'; $self->{s} = $s }
}
sub tied_one {
    my ($kind, $class) = @_;
    my ($x, @x, %x);
    if ($kind eq 'scalar') { tie $x, $class; return \$x }
    if ($kind eq 'array')  { tie @x, $class; return \@x }
    tie %x, $class;
    return \%x;
}
my %make = (
    scalar => sub { \(my $x = 5) }, undef => sub { \my $x }, string => sub { \(my $x = 'text') }, float => sub { \(my $x = 1.5) }, ref => sub { \(my $x = [1]) }, 'ref to ref' => sub { \\\1 },
    array => sub { [1, 2] }, 'empty array' => sub { [] }, hash => sub { {a => 1} }, 'empty hash' => sub { {} }, 'utf8 hash' => sub { {"\x{100}" => 1} }, vstring => sub { \(my $x = v1.2.3) },
    restricted => sub { my $h = {a => 1}; $h }, regexp => sub { qr/x/ }, code => sub { sub { 1 } }, glob => sub { no strict 'refs'; \*{'Kind::GLOB'} }, 'bare regexp' => sub { \(my $x = ${qr/x/}) },
    (map { my $k = $_; ("tied $k" => sub { tied_one($k, 'Kind::Tie') }, "tied $k, tie object with hooks" => sub { tied_one($k, 'Kind::TieHook') }) } qw(scalar array hash)),
    'tied element' => sub { my $x = tied_one('array', 'Kind::Tie'); \$x->[1] }, 'tied key' => sub { my $x = tied_one('hash', 'Kind::Tie'); \$x->{k} },
);
for my $kind (sort keys %make) {
    for my $class (qw(Kind Kind::Over Kind::Attach)) {
        my $object = bless $make{$kind}->(), $class;
        if ($kind eq 'restricted') { require Hash::Util; Hash::Util::lock_keys(%$object, 'a', 'b') }
        my @place = ('as root', $object, 'as item', [$object, $object], 'before a shared thing', do { my $s = {}; [$object, $s, $s] }, 'weak first', do { my @w = ($object, $object); Scalar::Util::weaken($w[0]); \@w });
        while (my ($place, $data) = splice @place, 0, 2) {
            for my $function (qw(freeze nfreeze dclone)) {
                next if $function eq 'dclone' && $class eq 'Kind::Attach' && $kind =~ /^tied (?:scalar|array|hash)/;
                same_outcome("$kind in $class $place: $function", sub {
                    my ($m) = @_;
                    @log = ();
                    my $r = $m->{$function}->($data);
                    # Stock forgets the tie object behind an attached tied thing: only its image counts.
                    return unpack 'H*', $r if !ref $r && $class eq 'Kind::Attach' && $kind =~ /^tied (?:scalar|array|hash)/;
                    my @r = ref $r ? $r : (unpack('H*', $r), $m->{thaw}->($r));
                    [@r, @log];
                });
            }
            local $Storable::forgive_me = 1;
            same_outcome("$kind in $class $place, forgiven", sub { my $r = $_[0]{freeze}->($data); 1 });
        }
    }
}
same_thaw("kind $_", "\x05\x0b\x13" . chr($_) . "\x04Kind\x01x") for 0 .. 2;
same_thaw("kind extra $_", "\x05\x0b\x13\x03" . chr($_) . "\x04Kind\x01x\x04\x11\x09Kind::Tie\x03\0\0\0\0") for 0 .. 8, 255;

done_testing;
