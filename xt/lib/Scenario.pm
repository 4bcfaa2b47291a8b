package Scenario;

# What the programs in xt/applications have in common. Each is run as `NAME.pl write DIR`, then as
# `NAME.pl read DIR`, in a new process, perhaps with another Storable. It knows nothing of that: it
# does what an application does, and prints what it sees.

use strict;
use warnings;
use Data::Dumper ();
use Exporter ();

our @ISA    = ('Exporter');
our @EXPORT = qw(writing show rows write_file run_command);

my ($phase, $dir) = @ARGV;
@ARGV = ();
die "usage: $0 write|read DIR\n" unless defined $dir && $phase =~ /\A(?:write|read)\z/;
chdir $dir or die "$dir: $!\n";
$| = 1;

# RETURNS: true in the first run, false in the one that finds the first one's files.
sub writing () { return $phase eq 'write' }

# Prints DATA, each hash in the order of its keys.
sub show {
    my ($label, @data) = @_;
    local $Data::Dumper::Sortkeys = 1;
    local $Data::Dumper::Indent   = 1;
    local $Data::Dumper::Useqq    = 1;
    local $Data::Dumper::Terse    = 1;
    print "$label: ", Data::Dumper::Dumper(@data == 1 ? $data[0] : \@data);
    return;
}

# RETURNS: COUNT records like those that applications keep.
sub rows {
    my ($count) = @_;
    return [map { {
        id => $_, name => "name $_", price => $_ * 1.25, note => $_ % 3 ? "caf\x{e9} $_" : undef,
        title => "\x{17d}lut\x{fd} k\x{16f}\x{148} $_", tags => [map { "tag$_" } 1 .. $_ % 4],
        owner => {login => "user$_", groups => {staff => 1, "g$_" => 0}}, big => 2**40 + $_, neg => -$_,
    } } 1 .. $count];
}

sub write_file {
    my ($name, $text) = @_;
    open my $out, '>:utf8', $name or die "$name: $!\n";
    print {$out} $text;
    close $out or die "$name: $!\n";
    return $name;
}

# Runs a program, and dies with all that it said if it fails.
# RETURNS: what it said on both channels.
sub run_command {
    my @command = @_;
    open my $save, '>&', \*STDERR or die "stderr: $!\n";
    open STDERR, '>&', \*STDOUT or die "stderr: $!\n";
    my $pid = open my $pipe, '-|', @command;
    open STDERR, '>&', $save or die "stderr: $!\n";
    $pid or die "$command[0]: $!\n";
    my $said = do { local $/; <$pipe> } // '';
    close $pipe or die "@command: status $?\n$said";
    return $said;
}

1;
