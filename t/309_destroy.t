use strict;
use warnings;

use lib 't/lib';
use PermafrostTest;
use Test::More;

# When DESTROY is seen: after freeze, thaw and dclone, and after failed ones.

our (@log, $m);
{
    package Destroyed;
    sub new { my ($class, $name, @in) = @_; return bless {name => $name, in => \@in}, $class }
    sub DESTROY { my ($self) = @_; push @main::log, 'DESTROY ' . (defined $self->{name} ? $self->{name} : 'empty'); return }
    package Destroyed::Hook;
    our @ISA = 'Destroyed';
    sub STORABLE_freeze { my ($self) = @_; push @main::log, "freeze $self->{name}"; return ($self->{name}, $self->{in}, $self->{fresh} ? Destroyed->new('fresh') : ()) }
    sub STORABLE_thaw { my ($self, $c, $s, @r) = @_; push @main::log, "thaw $s"; $self->{name} = "thawed $s"; $self->{in} = $r[0]; die "dying\n" if $s eq 'dies' }
    package Destroyed::Attach;
    our @ISA = 'Destroyed';
    sub STORABLE_freeze { return $_[0]{name} }
    sub STORABLE_attach { push @main::log, 'attach'; return Destroyed::Attach->new("attached $_[2]") }
    package Destroyed::Run;
    our @ISA = 'Destroyed';
    sub DESTROY { my ($self) = @_; return unless $main::m; push @main::log, 'run ' . join ',', map { $_->[0] } $main::m->{thaw}->($main::m->{freeze}->(['inside'])), $main::m->{dclone}->(['cloned']); return }
}
my %make = (
    plain => sub { [Destroyed->new('a'), Destroyed->new('b', Destroyed->new('c'))] },
    hook  => sub { [Destroyed::Hook->new('a'), Destroyed::Hook->new('b', Destroyed::Hook->new('c'), Destroyed->new('d'))] },
    fresh => sub { my $o = Destroyed::Hook->new('a'); $o->{fresh} = 1; [$o, Destroyed::Hook->new('b')] },
    attach => sub { [Destroyed::Attach->new('a'), Destroyed::Attach->new('b')] },
    'code at the end' => sub { [Destroyed::Hook->new('a'), Destroyed->new('b'), sub { 1 }] },
    'dies in thaw' => sub { [Destroyed::Hook->new('a'), Destroyed->new('b'), Destroyed::Hook->new('dies'), Destroyed->new('c')] },
    circle => sub { my $o = Destroyed->new('a'); push @{$o->{in}}, $o; Scalar::Util::weaken($o->{in}[0]); [$o] },
    'weak only' => sub { my $o = Destroyed->new('a'); our $keep = $o; my @w = ($o); Scalar::Util::weaken($w[0]); [\@w, Destroyed->new('b')] },
    'runs inside' => sub { [Destroyed::Run->new('a'), Destroyed::Run->new('b')] },
);
for my $name (sort keys %make) {
    for my $function (qw(freeze nfreeze dclone)) {
        same_outcome("$name: $function", sub {
            local $m = $_[0];
            @log = ();
            my $data = $make{$name}->();
            my $r = eval { $m->{$function}->($data) };
            push @log, 'error ' . clean_message($@) if $@;
            push @log, "after $function";
            undef $data;
            our $keep = undef;
            push @log, 'data gone';
            if (defined $r && !ref $r) {
                my $thawed = eval { $m->{thaw}->($r) };
                push @log, 'error ' . clean_message($@) if $@;
                push @log, 'after thaw';
                undef $thawed;
                push @log, 'thawed gone';
            }
            undef $r;

            # Stock forgets what it has made when a hook dies; and when a hook's temporaries
            # go is told for freeze only.
            @log = grep { !/^DESTROY/ } @log if $name eq 'dies in thaw';
            @log = grep { !/^DESTROY fresh/ } @log if $function eq 'dclone';
            return [map { my $x = $_; $x } @log];
        });
    }
}
if (!is_stock()) {
    # Stock forgets objects of images cut short. Each object that a hook saw is destroyed.
    for my $name (qw(hook attach)) {
        my $image = pf->{freeze}->($make{$name}->());
        for my $length (reverse 0 .. length($image) - 1) {
            @log = ();
            my $cut = eval { pf->{thaw}->(substr $image, 0, $length) };
            undef $cut;
            my $made      = grep { /^(?:thaw|attach)/ } @log;
            my $destroyed = grep { /^DESTROY (?:thaw|attach)/ } @log;
            is($destroyed, $made, "$name cut at $length: what was made is destroyed") if $made != $destroyed || $length == 20;
        }
    }
}
{
    # freeze within DESTROY, at global destruction too.
    for my $module ($MODULE) {
        my $code = "package At::Exit; sub DESTROY { my \$x = ${module}::thaw(${module}::nfreeze([1, {a => 2}])); print \"in DESTROY \$x->[1]{a}\\n\" } package main; our \$o = bless {}, 'At::Exit'; my \$p = bless {me => undef}, 'At::Exit'; \$p->{me} = \$p; print \"end\\n\"";
        open my $pipe, '-|', $^X, (map { "-I$_" } grep { !ref } @INC), "-M$module", '-e', $code or die $!;
        my $text = do { local $/; <$pipe> };
        close $pipe;
        is($?, 0, 'freeze in DESTROY at exit');
        is($text, "end\nin DESTROY 2\nin DESTROY 2\n", 'freeze in DESTROY at exit: output');
    }
}

done_testing;
