# Subject: MooseX::Storage
# Does: objects with the format Storable and others with the engine StorableFile, nested objects, type constraints
# Packages: libmoosex-storage-perl
# Needs: MooseX::Storage MooseX::Storage::Format::Storable MooseX::Storage::IO::StorableFile
use strict;
use warnings;
use Scenario;

{ package Point; use Moose; use MooseX::Storage; with Storage;
  has x => (is => 'rw', isa => 'Int'); has y => (is => 'rw', isa => 'Num'); __PACKAGE__->meta->make_immutable;
  package Line; use Moose;
  has [qw(from to)] => (is => 'ro', isa => 'Point'); has name => (is => 'rw', isa => 'Str');
  has rows => (is => 'ro', isa => 'ArrayRef[HashRef]'); has secret => (is => 'rw', traits => ['DoNotSerialize']); __PACKAGE__->meta->make_immutable;
  package Frozen; use Moose; use MooseX::Storage; extends 'Line'; with Storage(format => 'Storable'); __PACKAGE__->meta->make_immutable;
  package Saved; use Moose; use MooseX::Storage; extends 'Line'; with Storage(io => 'StorableFile'); __PACKAGE__->meta->make_immutable; }
$INC{"$_.pm"} = $0 for qw(Point Line Frozen Saved);

my @args = (from => Point->new(x => 1, y => 2.5), to => Point->new(x => -3, y => 1e10), name => "\x{17e}", rows => rows(2), secret => 'no');
my ($frozen, $saved) = map { $_->new(@args) } qw(Frozen Saved);
if (writing) {
    $saved->store('saved');
    open my $out, '>:raw', 'frozen' or die $!;
    print {$out} $frozen->freeze;
    close $out;
}
my $image = do { open my $in, '<:raw', 'frozen' or die $!; local $/; <$in> };
for my $copy (Saved->load('saved'), Frozen->thaw($image), Frozen->thaw($frozen->freeze)) {
    print ref $copy, ' from ', $copy->from->x, ' ', $copy->from->y, ' to ', $copy->to->x, ' ', $copy->to->y, ', secret ', $copy->secret // 'not kept', "\n";
    show('packed', $copy->pack);
}
