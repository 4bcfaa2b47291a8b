use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# Errors: Storable's words, reported where the user called.

no warnings 'once';
our ($m, $line);
my %call = (
    'freeze of code'   => sub { $line = __LINE__; $m->{freeze}->([sub { 1 }]) },
    'nfreeze of code'  => sub { $line = __LINE__; $m->{nfreeze}->([sub { 1 }]) },
    'dclone of code'   => sub { $line = __LINE__; $m->{dclone}->([sub { 1 }]) },
    'freeze of a number'  => sub { $line = __LINE__; $m->{freeze}->(3) },
    'nfreeze of a number' => sub { $line = __LINE__; $m->{nfreeze}->(3) },
    'freeze of undef'  => sub { $line = __LINE__; $m->{freeze}->(undef) },
    'thaw of text'     => sub { $line = __LINE__; $m->{thaw}->('not an image') },
    'thaw of code'     => sub { $line = __LINE__; $m->{thaw}->("\x05\x0b\x1a\x0a\x01a") },
    'thaw of wide'     => sub { $line = __LINE__; $m->{thaw}->("\x05\x0b\x0a\x01\x{100}") },
    'thaw of a reference' => sub { $line = __LINE__; $m->{thaw}->([]) },
    'store of a number'   => sub { $line = __LINE__; $m->{store}->(3, 'nowhere') },
    'store into a missing directory' => sub { $line = __LINE__; $m->{store}->([], 'not/there/at/all') },
    'nstore into a missing directory' => sub { $line = __LINE__; $m->{nstore}->([], 'not/there/at/all') },
    'retrieve of a missing file' => sub { $line = __LINE__; $m->{retrieve}->('not/there/at/all') },
    'retrieve of a text file' => sub { $line = __LINE__; $m->{retrieve}->($0) },
    'lock_retrieve of a missing file' => sub { $line = __LINE__; $m->{lock_retrieve}->('not/there/at/all') },
    'store without arguments' => sub { $line = __LINE__; $m->{store}->() },
    'hook that dies with newline' => sub { $line = __LINE__; $m->{freeze}->([bless [], 'Dies::Newline']) },
    'hook that dies'   => sub { $line = __LINE__; $m->{freeze}->([bless [], 'Dies::Plain']) },
    'hook that dies with an object' => sub { $line = __LINE__; $m->{freeze}->([bless [], 'Dies::Object']) },
    'hook that dies with a period'  => sub { $line = __LINE__; $m->{freeze}->([bless [], 'Dies::Period']) },
    'hook that dies in dclone' => sub { $line = __LINE__; $m->{dclone}->([bless [], 'Dies::Newline']) },
    'hook that dies with an object in dclone' => sub { $line = __LINE__; $m->{dclone}->([bless [], 'Dies::Object']) },
    'hook that dies in thaw' => sub { $line = __LINE__; $m->{thaw}->("\x05\x0b\x13\x01\x0bDies::Plain\x01x") },
    'hook that dies with an object in thaw' => sub { $line = __LINE__; $m->{thaw}->("\x05\x0b\x13\x01\x0cDies::Object\x01x") },
    'no thaw hook' => sub { $line = __LINE__; $m->{thaw}->("\x05\x0b\x13\x01\x0cDies::NoThaw\x01x") },
);
{
    package Dies::Newline; sub STORABLE_freeze { die "with newline\n" }
    package Dies::Plain;   sub STORABLE_freeze { die 'plain' } sub STORABLE_thaw { die 'plain' }
    package Dies::Period;  sub STORABLE_freeze { die "with period.\n" }
    package Dies::Object;  sub STORABLE_freeze { die bless {a => 1}, 'Dies::Error' } sub STORABLE_thaw { die bless {a => 2}, 'Dies::Error' }
    package Dies::NoThaw;  sub STORABLE_freeze { 'x' }
}
$INC{'Dies/NoThaw.pm'} = 1;
for my $name (sort keys %call) {
    my @error;
    for my $module (pf, st) {
        local $m = $module;
        local $@;
        my $lived = eval { $call{$name}->(); 1 };
        push @error, $lived ? 'none' : $@;
    }
    if (ref $error[1]) {
        is(ref $error[0], ref $error[1], "$name: the object itself");
        next;
    }
    s/ at \S*Storable\.pm line \d+,(?= at )// for @error;
    s/ at \S*Storable\.pm line \d+(?= at |\.?$)// for @error;
    $error[0] =~ s/ \(at \$\S*\)(?=,? at )//;      # 209_where.t looks at that
    is($error[0], $error[1], "$name: text");
    my $file = __FILE__;
    next if $error[1] eq 'none';
    like($error[0], qr/ at \Q$file\E line $line\.?$/m, "$name: caller's line") if $error[1] =~ /\Q$file\E line $line\b/;
}
{
    # Through a package that uses the module, the user's line is still the innermost call.
    package Other::User;
    sub call { $main::m->{freeze}->([sub { 1 }]) }
    package main;
    my @error = map { local $m = $_; eval { Other::User::call() }; $@ } pf, st;
    s/ at \S*Storable\.pm line \d+,(?= at )// for @error;
    $error[0] =~ s/ \(at \$\S*\)(?= at )//;
    is($error[0], $error[1], 'called in another package');
    @error = map { local $m = $_; eval "#line 77 \"elsewhere\"\n\$m->{freeze}->(3)"; $@ } pf, st;
    s/ at \S*Storable\.pm line \d+,(?= at )// for @error;
    is($error[0], $error[1], 'called in an eval with #line');
}
{
    # forgiven items are reported by a warning in the same manner.
    local $Storable::forgive_me = 1;
    my @warning;
    local $SIG{__WARN__} = sub { push @warning, $_[0] };
    $_->{freeze}->([sub { 1 }]) for pf, st;
    s/ at .*//s for @warning;
    is($warning[0], $warning[1], 'warning of forgive_me');
}

done_testing;
