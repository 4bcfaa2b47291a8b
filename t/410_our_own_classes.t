#!/usr/bin/perl
# An image can bless anything into any class, our own among them: what they do when they go must
# not be for others to choose.
use strict;
use warnings;
use File::Temp ();
use FindBin;
use lib "$FindBin::Bin/lib";
use Permafrost ();
use Permafrost::Error;
use Permafrost::Files;
use Permafrost::Image;
use Permafrost::Trace;
use Test::More;

my $dir = File::Temp::tempdir(CLEANUP => 1);
my $victim = "$dir/victim";
open my $out, '>', $victim or die $!;
close $out;
my $identity = join ':', (stat $victim)[0, 1];

# The image of OBJECT as one of CLASS, without making such an object here.
sub image_as {
    my ($class, $body) = @_;
    return "\x05\x0b\x11" . chr(length $class) . $class . $body;
}
sub body_of { return substr Permafrost::nfreeze($_[0]), 2 }

my $number = 0x4141_4140;
my %contents = (
    'a number'     => body_of(\$number),
    'a small one'  => body_of(\do { my $x = 8 }),
    'a text'       => body_of(\do { my $x = 'text' }),
    'nothing'      => body_of(\do { my $x = undef }),
    'a reference'  => body_of(\\1),
    'a list'       => body_of([1, $victim]),
    'a guard'      => body_of({ name => $victim, pid => $$ }),
    'its other kind' => body_of({ target => $victim, linked => 1, identity => $identity, pid => $$, name => undef }),
    'with a mark'  => body_of({ name => $victim, pid => $$, ours => \do { my $mark }, done => 0 }),
    'a call'       => body_of({ function => 'freeze', pid => $$, file => $victim, line => 1, over => 0 }),
    'itself'       => "\3\0\0\0\1\4\0\0\0\0\0\0\0\0\4ours",
);
my @classes = qw(Permafrost Permafrost::Error Permafrost::Image Permafrost::Image::Tree Permafrost::Files::Temporary
    Permafrost::Trace::Call Permafrost::Trace::AtEnd);
for my $class (@classes) {
    for my $what (sort keys %contents) {
        my $image = image_as($class, $contents{$what});
        my @warnings;
        local $SIG{__WARN__} = sub { push @warnings, @_ };
        my $done = eval {
            my $object = Permafrost::thaw($image);
            is(ref $object, $class, "$class from $what");
            eval { $object->$_; 1 } for grep { $object->can($_) } qw(next bytes check freeze options code name message as_string);
            my $text = eval { "$object" };
            undef $object;
            1;
        };
        ok($done, '... is read and goes') or diag $@;
        ok(-e $victim, '... a file is still there') or last;
    }
}

# The true ones go on doing it.
{
    my $tree = Permafrost::Image->new(Permafrost::nfreeze([1, 2]))->tree;
    is($tree->next->{marker}, 'ARRAY', 'a tree');
    is(Permafrost::dclone([bless {}, 'A'])->[0]{x}, undef, 'a copy');
    my ($fh, $guard) = Permafrost::Files::_temporary("$dir/x", 0600);
    my $name = $guard->{name};
    ok(-e $name, 'a temporary file');
    undef $guard;
    ok(!-e $name, '... is removed');
}

done_testing;
