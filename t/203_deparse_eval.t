use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# $Storable::Deparse and $Storable::Eval.

plan skip_all => 'no B::Deparse' unless eval { require B::Deparse };
no warnings 'once';

my $code = [sub { 'result' }];
for my $deparse (0, undef, '', 1, 'yes') {
    local $Storable::Deparse = $deparse;
    my $shown = defined $deparse ? "'$deparse'" : 'undef';
    same_fresh("Deparse $shown: $_", sub { $_[0]{$_}->($code) }) for qw(freeze nfreeze dclone);
    local $Storable::forgive_me = 1;
    same_fresh("Deparse $shown and forgive_me: $_", sub { my $i = $_[0]{$_}->($code); $i =~ s/0x[0-9a-f]+/0x/; $i }) for qw(freeze nfreeze);
}
my $image = in_child(sub { local $Storable::Deparse = 1; st->{nfreeze}->($code) });
for my $eval (0, undef, '', 1, 'yes') {
    local $Storable::Eval = $eval;
    my $shown = defined $eval ? "'$eval'" : 'undef';
    same_fresh("Eval $shown", sub { $_[0]{thaw}->($image) }, code => 1);
    local $Storable::forgive_me = 1;
    same_fresh("Eval $shown and forgive_me", sub { my $r = $_[0]{thaw}->($image); ref $r->[0] ? 'code' : $r });
}
{
    local $Storable::Eval = sub { return $_[0] };
    same_fresh('Eval is a code reference that returns the text', sub { $_[0]{thaw}->($image) });
    my @seen;
    $Storable::Eval = sub { push @seen, scalar @_, wantarray, $_[0]; return eval $_[0] };
    same_fresh('Eval is called with the text', sub { @seen = (); $_[0]{thaw}->($image); [@seen] });
    $Storable::Eval = sub { return };
    same_fresh('Eval returns nothing', sub { $_[0]{thaw}->($image) });
    $Storable::Eval = sub { die "no eval\n" };
    same_fresh('Eval dies', sub { $_[0]{thaw}->($image) });
    $Storable::Eval = sub { return [1, 2] };
    same_fresh('Eval returns an array', sub { $_[0]{thaw}->($image) });
    $Storable::Eval = sub { my $shared = [1]; return sub { $shared } };
    same_fresh('Eval returns a closure', sub { $_[0]{thaw}->($image)->[0]->() });
    my $safe = eval { require Safe; Safe->new };
    if ($safe) {
        $safe->permit(qw(:default require));
        $Storable::Eval = sub { $safe->reval($_[0]) };
        same_fresh('Eval in a Safe', sub { ref $_[0]{thaw}->($image)->[0] });
    }
}
{
    local $Storable::Eval = 1;
    same_fresh('syntax error', sub { $_[0]{thaw}->("\x05\x0b\x1a\x0a\x05{ 1 +") }, code => 1);
    same_fresh('not a block', sub { $_[0]{thaw}->("\x05\x0b\x1a\x0a\x014") }, code => 1);
    same_fresh('empty text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x0a\x00") });
    same_fresh('UTF-8 text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x17\x0b{ '\xe2\x98\xba'; }") }, code => 1);
    same_fresh('LSCALAR text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x01\0\0\0\x05{ 3 }") }, code => 1);
    same_fresh('LUTF8STR text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x18\0\0\0\x05{ 3 }") }, code => 1);
    same_fresh('number as text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x08\x85") });
    same_fresh('array as text', sub { $_[0]{thaw}->("\x05\x0b\x1a\x02\0\0\0\0") });
    same_fresh('blessed', sub { $_[0]{thaw}->("\x05\x0b\x11\x04Code\x1a\x0a\x05{ 3 }") }, code => 1);
    same_fresh('text dies in BEGIN', sub { $_[0]{thaw}->("\x05\x0b\x1a\x0a\x1a{ BEGIN { die 'in BEGIN' } }") });
    same_fresh('text shared by tag', sub { $_[0]{thaw}->("\x05\x0b\x02\0\0\0\x02\x04\x1a\x0a\x05{ 3 }\x04\0\0\0\0\x03") }, code => 1);
    same_fresh('code shared by tag', sub { $_[0]{thaw}->("\x05\x0b\x02\0\0\0\x02\x04\x1a\x0a\x05{ 3 }\x04\0\0\0\0\x02") }, code => 1);
}

done_testing;
