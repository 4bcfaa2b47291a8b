use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Every option counts at each call, under local and not.

no warnings 'once';
my %data = map { $_ => [1, $_] } 'a' .. 'z';
keys %data;     # perl settles the order of a hash when it is first walked
my $code = [sub { 5 }];
my $minor = "\x05" . chr(Storable::BIN_MINOR() + 1) . "\x08\x81";      # of the future
my $code_image = "\x05\x0b\x02\0\0\0\x01\x04\x1a\x0a\x05{ 5 }";
my $object = in_child(sub { st->{freeze}->([bless [], 'Local::Class']) });
my $restricted = in_child(sub { st->{freeze}->(do { my %h = (a => 1); require Hash::Util; Hash::Util::lock_keys(%h, 'a', 'b'); \%h }) });
my $utf8 = in_child(sub { st->{nfreeze}->({"\x{100}" => "\x{100}"}) });

my %try = (
    canonical => [sub { $_[0]{freeze}->(\%data) }, 1, 0], forgive_me => [sub { my $i = $_[0]{nfreeze}->($code); $i =~ s/0x[0-9a-f]+//; $i }, 1, 0],
    Deparse => [sub { $_[0]{freeze}->($code) }, 1, 0], Eval => [sub { ref $_[0]{thaw}->($code_image)->[0] }, 1, 0],
    accept_future_minor => [sub { $_[0]{thaw}->($minor) }, 0, 1], flags => [sub { $_[0]{thaw}->($object) }, 0, 6, 2, 4],
    downgrade_restricted => [sub { $_[0]{thaw}->($restricted) }, 0, 1], drop_utf8 => [sub { $_[0]{thaw}->($utf8) }, 1, 0],
);
delete $try{Deparse} unless eval { require B::Deparse };
for my $name (sort keys %try) {
    my ($code, @values) = @{$try{$name}};
    same_fresh("$name: default", $code);
    for my $value (@values, reverse @values) {
        for my $package ('Storable', $MODULE) {
            no strict 'refs';
            local ${"${package}::$name"} = $value;
            same_fresh("$name = $value, local in $package", $code);
        }
        same_fresh("$name: default again", $code);
    }
    no strict 'refs';
    my $before = ${"Storable::$name"};
    ${"Storable::$name"} = $values[0];
    same_fresh("$name = $values[0], assigned", $code);
    is(${"${MODULE}::$name"}, $values[0], "$name: seen in $MODULE");
    ${"${MODULE}::$name"} = $values[1];
    is(${"Storable::$name"}, $values[1], "$name: assigned in $MODULE");
    same_fresh("$name = $values[1], assigned in $MODULE", $code);
    ${"Storable::$name"} = $before;
}
for my $name (qw(recursion_limit recursion_limit_hash)) {
    my $deep = $name =~ /hash/ ? {a => {a => {a => {}}}} : [[[[]]]];
    no strict 'refs';
    for my $limit (2, 10, 3, -1) {
        # Stock heeds the hash limit only while the other is not -1.
        local ${"${MODULE}::recursion_limit"} = 512;
        local ${"Storable::recursion_limit"} = 512;
        local ${"${MODULE}::$name"} = $limit;
        local ${"Storable::$name"} = $limit;
        same_fresh("$name = $limit", sub { $_[0]{freeze}->($deep) });
        same_fresh("$name = $limit, dclone", sub { $_[0]{dclone}->($deep) });
    }
}
{
    # An option changed by a hook.
    package Local::Hook;
    sub STORABLE_freeze { $Storable::canonical = 1; return 'x' }
    sub STORABLE_thaw { }
    package main;
    for my $before (0, 1) {
        same_fresh("canonical changed within a hook, $before before", sub { local $Storable::canonical = $before; my $i = $_[0]{nfreeze}->([bless([], 'Local::Hook')]); ($i, $Storable::canonical) });
    }
}

done_testing;
