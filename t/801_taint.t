#!perl -T
# Under taint mode: what is tainted after thaw, retrieve and dclone, and what is refused.
use strict;
use warnings;
use lib 't/lib';
use Config;
use File::Temp ();
use Scalar::Util ();
use Test::More;
BEGIN {
    # Take the name of the module under test as given by who runs the tests.
    ($ENV{PERMAFROST_TEST_MODULE}) = $ENV{PERMAFROST_TEST_MODULE} =~ /\A([\w:]+)\z/
      if defined $ENV{PERMAFROST_TEST_MODULE};
}
use PermafrostTest;

plan skip_all => 'this perl has no taint mode'
  if $Config{taint_support} && $Config{taint_support} ne 'define';

# A tainted empty string
my ($taint) = grep { Scalar::Util::tainted($_) } map { substr $_, 0, 0 } $^X, $0, values %ENV;
plan skip_all => 'nothing tainted to be found' unless defined $taint;
my ($dir) = File::Temp::tempdir(CLEANUP => 1) =~ /\A(.*)\z/s;
my $file = "$dir/file";

# Taintedness of each scalar, one statement each: perl's taint flag lives that long.
sub tainted_items {
    my ($list) = @_;
    my @got;
    for my $item (@$list) {
        my $yes = Scalar::Util::tainted($item);
        push @got, $yes ? 1 : 0;
    }
    return join '', @got;
}

my @items = ('text', 5, -500, 1.5, "\x{263a}", 'x' x 300, '', 1e20);
my $clean = '0' x @items;
my $dirty = '1' x @items;

for my $writer (qw(freeze nfreeze)) {
    my $image = pf->{$writer}->(\@items);
    my $yes   = Scalar::Util::tainted($image);
    ok(!$yes, "$writer of clean data: the image is clean");
    my $got = pf->{thaw}->($image);
    is(tainted_items($got), $clean, "... thaw of it: clean");
    my $bad = $image . $taint;
    $got = pf->{thaw}->($bad);
    is(tainted_items($got), $dirty, '... thaw of a tainted image: tainted');
    is_deeply($got, \@items, '... and right') if $writer eq 'freeze';
    $got = st->{thaw}->($bad);
    is(tainted_items($got), $dirty, '... as with Storable');

    my $mixed = ['clean', "dirty$taint", 'clean'];
    my $mixed_image = pf->{$writer}->($mixed);
    $yes = Scalar::Util::tainted($mixed_image);
    ok($yes, "$writer of tainted data: the image is tainted");
    is(tainted_items($mixed), '010', '... the data are as they were');
    my $again = pf->{thaw}->($image);
    is(tainted_items($again), $clean, '... and nothing sticks to later calls');
}

# Hash values and nested data
{
    my $image = pf->{nfreeze}->({key => 'value', list => ['text', \(my $text = 'text')]}) . $taint;
    my $got = pf->{thaw}->($image);
    my @list = ($got->{key}, $got->{list}[0], ${$got->{list}[1]});
    is(tainted_items(\@list), '111', 'nested data of a tainted image');
    my @keys = keys %$got;
    is(tainted_items(\@keys), '00', 'keys never are');
}

# Files, as the installed Storable has it
for my $writer (qw(store nstore)) {
    pf->{$writer}->(\@items, $file);
    for my $reader (qw(retrieve lock_retrieve)) {
        my $ours   = pf->{$reader}->($file);
        my $ours_tainted = tainted_items($ours);
        my $theirs = st->{$reader}->($file);
        my $theirs_tainted = tainted_items($theirs);
        is($ours_tainted, $theirs_tainted, "$writer, $reader");
    }
    open my $in, '<', $file or die $!;
    my $ours = pf->{fd_retrieve}->($in);
    my $ours_tainted = tainted_items($ours);
    seek $in, 0, 0;
    my $theirs = st->{fd_retrieve}->($in);
    my $theirs_tainted = tainted_items($theirs);
    is($ours_tainted, $theirs_tainted, "$writer, fd_retrieve");
}

# dclone
{
    my $data   = ['clean', "dirty$taint", 'clean'];
    my $ours   = pf->{dclone}->($data);
    my $ours_tainted = tainted_items($ours);
    my $theirs = st->{dclone}->($data);
    my $theirs_tainted = tainted_items($theirs);
    is($ours_tainted, $theirs_tainted, 'dclone');
    is_deeply($ours, $data, '... is a copy');
}

# Hooks see it
{
    package Hooked;
    our $seen;
    sub STORABLE_freeze { return 'text' }
    sub STORABLE_thaw { my $yes = Scalar::Util::tainted($_[2]); $seen = $yes ? 1 : 0; return }
}
{
    my $image = pf->{nfreeze}->(bless [], 'Hooked');
    pf->{thaw}->($image);
    is($Hooked::seen, 0, 'a hook, clean image');
    pf->{thaw}->($image . $taint);
    is($Hooked::seen, 1, 'a hook, tainted image');
}

# No module is loaded and no code compiled because of a tainted image
{
    my $image = "\x05\x0b\x13\x00\x09Not::There\x01x";
    $image = "\x05\x0b\x13\x00\x0aNot::There\x01x";
    my $got = outcome(sub { pf->{thaw}->($image) });
    like($got->{error}, qr/^Can't locate Not/, 'a clean image loads modules');
    $got = outcome(sub { pf->{thaw}->($image . $taint) });
    like($got->{error}, qr/^Insecure dependency in require/, '... a tainted one does not');

    $image = "\x05\x0b\x1a\x0a\x06{ 42 }";
    my $value = with_options({Eval => 1}, sub { pf->{thaw}->($image)->() });
    is($value, 42, 'a clean image makes code');
    my $bad = $image . $taint;
    $got = with_options({Eval => 1}, sub { outcome(sub { pf->{thaw}->($bad) }) });
    like($got->{error}, qr/^Insecure dependency in eval/, '... a tainted one does not');
    $got = outcome(sub { pf->{thaw}->(pf->{nfreeze}->(bless [], 'Some::Class') . $taint) });
    is(ref $got->{value}, 'Some::Class', 'blessing is allowed');
}

# Names of files
{
    my $name = $file . $taint;
    my $got = outcome(sub { pf->{store}->([], $name) });
    like($got->{error}, qr/^Insecure dependency in open/, 'store to a tainted name');
    $got = outcome(sub { pf->{retrieve}->($name) });
    is($got->{error}, '', 'retrieve from one');
    unlink $file;
}

done_testing();
