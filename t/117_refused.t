use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# What cannot be stored, and forgive_me.

my $format_ref;
my $io = *STDOUT{IO};
my %refused = (
    code => sub { 1 }, glob => \*STDOUT, io => $io, 'anonymous glob' => do { local *FH; \*FH },
    'file handle' => do { open my $fh, '<', $0 or die $!; $fh }, 'blessed code' => bless(sub { 1 }, 'Code'),
    'blessed glob' => do { require IO::File; IO::File->new_tmpfile },
);
for my $name (sort keys %refused) {
    my $item = $refused{$name};
    my @place = (
        'as root' => $item, 'as item' => [1, $item, 2], 'as value' => {a => $item}, 'deep' => [[{a => [\$item]}]], 'twice' => [$item, $item],
        'before a shared thing' => do { my $s = []; [$item, $s, $s] },
    );
    while (my ($place, $data) = splice @place, 0, 2) {
        same_everywhere("$name $place", $data);
        local $Storable::forgive_me = 1;
        same_everywhere("$name $place, forgiven", $data);
    }
}
same_everywhere('glob as item', [*STDOUT]);
same_everywhere('glob by value as root', \*{*STDOUT});
{
    local $Storable::forgive_me = 1;
    same_everywhere('glob as item, forgiven', [*STDOUT, 1]);
    local $Storable::forgive_me = '0';
    same_everywhere('forgive_me 0', [sub { 1 }]);
    $Storable::forgive_me = undef;
    same_everywhere('forgive_me undef', [sub { 1 }]);
    $Storable::forgive_me = 'yes';
    same_everywhere('forgive_me yes', [sub { 1 }]);
}

done_testing;
