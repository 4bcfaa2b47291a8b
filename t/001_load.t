use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Everything Storable exports, with the same prototypes and constants.

is_deeply([sort @{export('EXPORT')}], [sort @Storable::EXPORT], '@EXPORT');

sub export { no strict 'refs'; return \@{"${MODULE}::$_[0]"} }

my %ok = map { $_ => 1 } @{export('EXPORT_OK')};
ok($ok{$_}, "\@EXPORT_OK has $_") for sort @Storable::EXPORT_OK;

for my $name (sort(@Storable::EXPORT, @Storable::EXPORT_OK, qw(CAN_FLOCK show_file_magic))) {
    my ($ours, $theirs) = (pf->{$name}, st->{$name});
    ok($ours, "$name is there") or next;
    is(prototype $ours, prototype $theirs, "$name: prototype") if $theirs;
}

for my $name (qw(BLESS_OK TIE_OK FLAGS_COMPAT)) {
    is(pf->{$name}->(), st->{$name}->(), "$name: value");
}
is(!!pf->{CAN_FLOCK}->(), !!st->{CAN_FLOCK}->(), 'CAN_FLOCK: value');
for my $name (qw(stack_depth stack_depth_hash)) {
    ok(defined pf->{$name}->(), "$name: a number");
    same_outcome("$name with an argument", sub { $_[0]{$name}->(-1); return }) if is_stock();
}

for my $function (qw(freeze nfreeze thaw dclone store nstore retrieve lock_store lock_nstore
    lock_retrieve store_fd nstore_fd fd_retrieve retrieve_fd file_magic read_magic))
{
    ok(eval "package Importer; use $MODULE '$function'; 1", "import of $function") or diag $@;
}

for my $name (qw(canonical Deparse Eval forgive_me flags accept_future_minor downgrade_restricted drop_utf8)) {
    no strict 'refs';
    is(\${"${MODULE}::$name"}, \${"Storable::$name"}, "\$$name is Storable's variable");
    local ${"Storable::$name"} = 42;
    is(${"${MODULE}::$name"}, 42, "\$$name is Storable's variable under local");
}

done_testing;
