# perl5 12987, 8468: freeze and store inside DESTROY, at exit too. (More in
# t/804_destroy_time.t.)
use strict;
use warnings;
use lib 't/lib';
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $dir = File::Temp::tempdir(CLEANUP => 1);
my @perl = ($^X, map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC);

{
    package Session;
    our @log;
    sub new { my ($class, %self) = @_; return bless {%self}, $class }
    sub DESTROY {
        my ($self) = @_;
        my $data = {%$self};
        push @log, main::pf()->{nstore}->($data, $self->{file});
        return;
    }
}
{
    my $session = Session->new(file => "$dir/one", user => 'me', list => [1 .. 5]);
}
is_deeply(\@Session::log, [1], 'store in DESTROY');
is_deeply(st->{retrieve}->("$dir/one"), {file => "$dir/one", user => 'me', list => [1 .. 5]}, '... wrote');

# An object that is destroyed while it is being frozen
{
    my $holder = {session => Session->new(file => "$dir/two", n => 1)};
    {
        package Drops;
        sub STORABLE_freeze { delete $holder->{session}; return 'x' }
        sub STORABLE_thaw { }
    }
    my $image = pf->{nfreeze}->([bless({}, 'Drops'), 'tail']);
    is(pf->{thaw}->($image)->[1], 'tail', 'an object destroyed, and stored, in the middle of a freeze');
    is(st->{retrieve}->("$dir/two")->{n}, 1, '... its file');
}

# At exit: global variables, closures, loops; by the end of the program, exit and die
for my $way ('1', 'exit 0', 'exit 5', 'die "at the end\n"', 'kill "TERM", $$ if 0; exit 0') {
    my $program = "$dir/program.pl";
    open my $out, '>', $program or die $!;
    print {$out} <<"END";
use strict; use warnings; use $MODULE ();
package Saver;
sub DESTROY {
    my (\$self) = \@_;
    my \$ok = eval { ${MODULE}::store({n => \$self->{n}, copy => ${MODULE}::dclone([\$self->{n}])}, "$dir/exit\$self->{n}") };
    print "\$self->{n}:", \$ok || "failed \$\@", ";";
}
package main;
\$| = 1;
our \$global = bless {n => 1}, 'Saver';
our \%table = (a => bless {n => 2}, 'Saver');
my \$loop = {object => bless({n => 3}, 'Saver')}; \$loop->{loop} = \$loop;
my \$closed = bless {n => 4}, 'Saver';
sub keeps { return \$closed }
$way;
END
    close $out;
    unlink glob "$dir/exit*";
    open my $in, '-|', join(' ', map { qq("$_") } @perl, $program) . ' 2>' . File::Spec->devnull or die $!;
    my $text = do { local $/; <$in> };
    close $in;
    is(join(' ', sort split /;/, $text), '1:1 2:1 3:1 4:1', "$way: all were stored");
    is_deeply([map { eval { st->{retrieve}->("$dir/exit$_")->{copy}[0] } } 1 .. 4], [1 .. 4], '... and are right');
}

done_testing();
