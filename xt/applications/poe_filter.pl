# Subject: POE::Filter::Reference
# Does: references through a stream in pieces, a forked child by POE::Wheel::Run, compressed ones, damaged ones
# Packages: libpoe-perl
# Needs: POE POE::Filter::Reference POE::Wheel::Run
use strict;
use warnings;
use Scenario;
use POE qw(Filter::Reference Wheel::Run);

my $filter = POE::Filter::Reference->new('Storable');
my $stream = join '', @{ $filter->put([@{ rows(3) }, [1 .. 3], \"text", bless({a => 1}, 'Some::Class')]) };
if (writing) {
    open my $out, '>:raw', 'stream' or die $!;
    print {$out} $stream;
    close $out;
}
my $kept = do { open my $in, '<:raw', 'stream' or die $!; local $/; <$in> };
for my $piece (1, 7, 1000) {
    my $reader = POE::Filter::Reference->new('Storable');
    my @got = map { @{ $reader->get([$_]) } } unpack "(a$piece)*", $kept;
    show("in pieces of $piece", \@got);
}
my $careful = POE::Filter::Reference->new('Storable', 0, 1);
show('damaged', [map { ref $_ ? $_ : 'an error' } @{ $careful->get(["9\0nonsense!"]) }]);
my @got;
POE::Session->create(inline_states => {
    _start => sub {
        $_[HEAP]{run} = POE::Wheel::Run->new(StdoutFilter => POE::Filter::Reference->new('Storable'), StdoutEvent => 'got', CloseEvent => 'closed',
            Program => sub { binmode STDOUT; print @{ POE::Filter::Reference->new('Storable')->put([{row => $_}, [$_->{id}]]) } for @{ rows(3) } });
        $_[KERNEL]->sig_child($_[HEAP]{run}->PID, 'reaped');
    },
    got => sub { push @got, $_[ARG0] }, closed => sub { delete $_[HEAP]{run} }, reaped => sub { },
});
POE::Kernel->run;
show('from a child', \@got);
