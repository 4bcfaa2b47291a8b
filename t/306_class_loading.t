use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# thaw loads the class of a hook record that has no STORABLE_thaw, and of overloaded ones.

use File::Temp ();

my $dir = File::Temp->newdir;
sub module {
    my ($name, $text) = @_;
    my $path = "$dir";
    my @part = split /::/, $name;
    my $file = pop @part;
    for (@part) { $path .= "/$_"; mkdir $path }
    open my $out, '>', "$path/$file.pm" or die $!;
    print {$out} $text;
    close $out or die $!;
}
our @loaded;
module('LoadHook', "package LoadHook; push \@main::loaded, 'LoadHook'; sub STORABLE_thaw { my (\$s, \@r) = \@_; \$s->{got} = \\\@r } 1;");
module('Load::Deep::Hook', "package Load::Deep::Hook; push \@main::loaded, 'deep'; sub STORABLE_thaw { my (\$s, \@r) = \@_; \$s->{got} = \\\@r } 1;");
module('LoadAttach', "package LoadAttach; push \@main::loaded, 'LoadAttach'; sub STORABLE_attach { bless {attached => \$_[2]}, \$_[0] } 1;");
module('LoadNone', "package LoadNone; push \@main::loaded, 'LoadNone'; 1;");
module('LoadFalse', "package LoadFalse; push \@main::loaded, 'LoadFalse'; 0;");
module('LoadDies', "package LoadDies; push \@main::loaded, 'LoadDies'; die 'while loading'; 1;");
module('LoadSyntax', "package LoadSyntax; sub {");
module('LoadOver', "package LoadOver; push \@main::loaded, 'LoadOver'; use overload '\"\"' => sub { 'loaded over' }; 1;");
module('LoadNoOver', "package LoadNoOver; push \@main::loaded, 'LoadNoOver'; 1;");
module('LoadParent', "package LoadParent; our \@ISA = 'LoadGrand'; push \@main::loaded, 'LoadParent'; package LoadGrand; sub STORABLE_thaw { \$_[0]{grand} = 1 } 1;");
unshift @INC, "$dir";

# What thaw does, in a fresh process state: in a child, as text.
sub same_load {
    my ($name, $image) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($got, $expected) = map {
        my $m = $_;
        in_child(sub {
            my @log;
            for (1, 2) {
                my $r = outcome(sub { $m->{thaw}->($image) });
                push @log, tagged($r->{value}), $r->{error}, $r->{warnings}, "@loaded";
            }
            join "\n", @log;
        })
    } pf, st;
    is($got, $expected, $name);
    return $expected;
}
sub hook { my ($class, $flags) = @_; return "\x05\x0b\x13" . chr($flags || 2) . chr(length $class) . "$class\x01x" }
same_load('class with thaw', hook('LoadHook'));
same_load('class with thaw, array', hook('LoadHook', 1));
same_load('class in directories', hook('Load::Deep::Hook'));
same_load('class with attach', hook('LoadAttach'));
same_load('class without hooks', hook('LoadNone'));
same_load('class with false value', hook('LoadFalse'));
same_load('class that dies', hook('LoadDies'));
same_load('class with a syntax error', hook('LoadSyntax'));
same_load('class that is not there', hook('Load::Not::There'));
same_load('class with inherited thaw', hook('LoadParent'));
same_load('odd class name', hook($_)) for 'a b', "a'b", '::x', 'x::', '../x', "a\0b", '1x', 'x;y', '', 'x.pm', '/etc/x';
same_load('overloaded class', "\x05\x0b\x02\0\0\0\x01\x14\x11\x08LoadOver\x02\0\0\0\0");
same_load('class not overloaded', "\x05\x0b\x02\0\0\0\x01\x14\x11\x0aLoadNoOver\x02\0\0\0\0");
same_load('overloaded class not there', "\x05\x0b\x02\0\0\0\x01\x14\x11\x08Load::No\x02\0\0\0\0");
same_load('weak overloaded class', "\x05\x0b\x02\0\0\0\x02\x14\x11\x08LoadOver\x02\0\0\0\0\x1c\0\0\0\0\x02");
same_load('plain class is not loaded', "\x05\x0b\x02\0\0\0\x01\x04\x11\x08LoadOver\x02\0\0\0\0");
same_load('tie class is not loaded', "\x05\x0b\x0b\x04\x11\x08LoadNone\x02\0\0\0\0");
same_load('two of a class', "\x05\x0b\x02\0\0\0\x02\x04\x13\x02\x08LoadHook\x01x\x04\x13\x22\x00\x01y");
same_load('two of a class without hooks', "\x05\x0b\x02\0\0\0\x02\x04\x13\x02\x08LoadNone\x01x\x04\x13\x22\x00\x01y");

done_testing;
