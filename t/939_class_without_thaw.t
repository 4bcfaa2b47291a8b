# A class without STORABLE_thaw: Storable's message, the class named, its module loaded once.
use strict;
use warnings;
use lib 't/lib';
use File::Temp ();
use Test::More;
use PermafrostTest;

my $dir = File::Temp::tempdir(CLEANUP => 1);
unshift @INC, $dir;
sub module {
    my ($name, $text) = @_;
    (my $file = $name) =~ s{::}{/}g;
    my $path = $dir;
    my @parts = split m{/}, $file;
    for (@parts[0 .. $#parts - 1]) { $path .= "/$_"; mkdir $path }
    open my $out, '>', "$dir/$file.pm" or die $!;
    print {$out} $text;
    close $out;
    return;
}
sub image { my ($class, $root) = @_; return "\5\x0b" . (defined $root ? $root : '') . "\x13\2" . pack('C/a*', $class) . "\1x" }

our %loaded;
my $n = 0;
my %case = (
    'no module'           => undef,
    'a module without it' => 'package %s; $main::loaded{"%s"}++; sub new { } 1;',
    'a module that dies'  => 'package %s; $main::loaded{"%s"}++; die "not today\n";',
    'a module that is false' => 'package %s; $main::loaded{"%s"}++; 0;',
    'a module that does not compile' => 'package %s; $main::loaded{"%s"}++; sub {',
    'a module of another package' => 'package Somewhere::Else; $main::loaded{"%2$s"}++; sub STORABLE_thaw { } 1;',
    'a module with it'    => 'package %s; $main::loaded{"%s"}++; sub STORABLE_thaw { $_[0]{thawed} = $_[2]; return } 1;',
    'a module with attach' => 'package %s; $main::loaded{"%s"}++; sub STORABLE_attach { return bless {attached => $_[2]}, $_[0] } 1;',
    'a module that inherits it' => 'package %s; $main::loaded{"%s"}++; our @ISA = "Parent"; 1;',
    'a module with AUTOLOAD' => 'package %s; $main::loaded{"%s"}++; our $AUTOLOAD; sub AUTOLOAD { return 1 } 1;',
);
{ package Parent; sub STORABLE_thaw { $_[0]{parent} = $_[2]; return } }
for my $what (sort keys %case) {
    my %error;
    for my $m (pf, st) {
        my $class = 'Made::C' . ++$n;
        module($class, sprintf $case{$what}, $class, $class) if defined $case{$what};
        my @answer;
        for my $root ('', "\2\0\0\0\1\x04", '') {
            my $got = outcome(sub { $m->{thaw}->(image($class, $root)) });
            my $text = "$got->{error}\n" . tagged($got->{value});
            $text =~ s/\Q$class\E/CLASS/g;
            (my $file = "$class.pm") =~ s{::}{/}g;
            $text =~ s/\Q$file\E/FILE/g;
            $text =~ s/Compilation failed.*//s;
            $text =~ s/C$n\b/NAME/g;
            push @answer, $text;
        }
        push @answer, 'loaded ' . ($loaded{$class} || 0);
        push @{$error{$m == pf ? 'ours' : 'theirs'}}, join "\n", @answer;
    }
    my $theirs = $error{theirs} ? $error{theirs}[0] : $error{ours}[1];
    is($error{ours}[0], $theirs, "$what: as with Storable");
    like($error{ours}[0], $case{$what} ? qr{loaded [01]$} : qr{loaded 0$}, "... loaded once at most")
      if $what !~ /is false/;    # perl itself tries that again
}

# The words
module('Made::Words', 'package Made::Words; $main::loaded{words}++; 1;');
my $got = outcome(sub { pf->{thaw}->(image('Made::Words')) });
is($got->{error}, 'No STORABLE_thaw defined for objects of class Made::Words (even after a "require Made::Words;")', 'the message');
pf->{freeze}->([]);
outcome(sub { pf->{thaw}->(image('Made::Words')) }) for 1 .. 3;
is($loaded{words}, 1, 'the module was loaded once');
$got = outcome(sub { pf->{thaw}->(image('Made::Nowhere')) });
like($got->{error}, qr/^Can't locate Made\/Nowhere\.pm in \@INC/, 'no module: perl\'s message');

# dclone
{
    package Made::Here;
    sub STORABLE_freeze { return 'x' }
}
same_outcome('dclone of such an object', sub { my $got = outcome(sub { $_[0]{dclone}->(bless {}, 'Made::Here') }); $got->{error} =~ s/ \(\@INC.*//sr });

# When the class comes later, it works
{
    my $before = outcome(sub { pf->{thaw}->(image('Made::Later')) });
    like($before->{error}, qr/^Can't locate/, 'a class that is not there');
    eval 'package Made::Later; sub STORABLE_thaw { $_[0]{got} = $_[2]; return } 1' or die $@;
    is(eval { pf->{thaw}->(image('Made::Later'))->{got} }, 'x', '... and then is');
    no warnings 'redefine';
    eval 'package Made::Later; sub STORABLE_thaw { $_[0]{got} = "new $_[2]"; return } 1' or die $@;
    is(eval { pf->{thaw}->(image('Made::Later'))->{got} }, 'new x', '... and is redefined');
    no strict 'refs';
    undef &{'Made::Later::STORABLE_thaw'};
    delete ${'Made::Later::'}{STORABLE_thaw};
    ok(!eval { pf->{thaw}->(image('Made::Later')); 1 }, '... and goes away') unless is_stock();
    @{'Made::Child::ISA'} = ('Parent');
    is(eval { pf->{thaw}->(image('Made::Child'))->{parent} }, 'x', 'inherited');
}

# Names that are no module names load nothing outside @INC
for my $name ('../../../etc/passwd', '/etc/passwd', 'A;B', "A\nB", "A'B", '::A', 'A::', '', ' ', "\xe9", 'A B', '..', 'A/B') {
    my $got = outcome(sub { pf->{thaw}->(image($name)) });
    like($got->{error}, qr/\S/, 'class ' . unpack('H*', $name) . ": $got->{error}");
    same_outcome('... as with Storable', sub { $_[0]{thaw}->(image($name)) });
}

done_testing();
