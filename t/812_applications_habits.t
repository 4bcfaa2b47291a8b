# What applications do with Storable beyond calling it, on Permafrost::AsStorable: taint mode,
# threads, new processes, wrapped and renamed subs, versions, loading late or by other switches.
use strict;
use warnings;
use lib 't/lib';
use Config;
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

plan skip_all => 'about Permafrost' unless $MODULE eq 'Permafrost';

my $dir  = File::Temp::tempdir(CLEANUP => 1);
my @inc  = map { File::Spec->rel2abs($_) } grep { !ref } @INC;
my $as   = '-MPermafrost::AsStorable';

# Which module a sub is, by its limits: stock refuses deep data.
write_to('Deep.pm', <<'END');
package Deep;
sub who { my ($f) = @_; my $x = my $r = []; $r = $r->[0] = [] for 1 .. 5000; local $SIG{__WARN__} = sub { };
    my $who = eval { $f->($x); 1 } ? 'ours' : 'stock'; while (@$x) { $x = shift @$x } return $who }
1;
END

sub write_to {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$dir/$name: $!";
    print {$out} $text;
    close $out;
    return "$dir/$name";
}

# Runs PROGRAM with SWITCHES; returns what it printed, both ways.
sub run {
    my ($switches, $program, %env) = @_;
    my $file = write_to('program.pl', "use strict; use warnings; no warnings 'once'; use Deep;\n$program\n");
    local @ENV{'PERL5LIB', keys %env} = (join($Config{path_sep}, $dir, @inc), values %env);
    my $command = join ' ', map { qq("$_") } $^X, @$switches, $file;
    my $text = `$command 2>&1`;
    return $? ? "$text status $?" : $text;
}

is(run([], 'use Storable; print Deep::who(\&Storable::freeze)'), 'stock', 'this tells them apart');

# ---- switched on by the environment, in processes of all kinds ----------------------------
my %everywhere = (PERL5OPT => $as);
is(run([], 'use Storable; print Deep::who(\&Storable::dclone); system $^X, "-MDeep", "-MStorable=freeze", "-e", "print q( ), Deep::who(\\\\&freeze)"',
    %everywhere), 'ours ours', 'PERL5OPT reaches a new perl') if $^O ne 'MSWin32';
SKIP: {
    skip 'no fork', 2 unless $Config{d_fork};
    is(run([], 'use Storable; $| = 1; my $pid = fork; if (!$pid) { print Deep::who(\&Storable::freeze); exit 0 } waitpid $pid, 0', %everywhere),
        'ours', 'a forked child');
    is(run([], '$| = 1; my $pid = fork; if (!$pid) { require Storable; Storable->import("nfreeze"); print Deep::who(\&main::nfreeze); exit 0 } waitpid $pid, 0', %everywhere),
        'ours', 'a forked child that loads it itself');
}
SKIP: {
    skip 'no threads', 2 unless $Config{useithreads};
    is(run([], 'use threads; use Storable; print Deep::who(\&Storable::freeze), " ", threads->create(sub { Deep::who(\&Storable::freeze) . " " . Storable::thaw(Storable::freeze([5]))->[0] })->join', %everywhere),
        'ours ours 5', 'a thread');
    is(run([], 'use threads; print threads->create(sub { require Storable; Storable->import("dclone"); Deep::who(\&main::dclone) })->join', %everywhere),
        'ours', 'a thread that loads it itself');
}

# ---- taint mode: perl ignores PERL5OPT there, but not the command line --------------------
my @taint = ('-T', map { "-I$_" } $dir, @inc);
is(run([@taint, $as], 'use Storable qw(freeze); print Deep::who(\&freeze)'), 'ours', '-T with -M');
is(run([@taint], 'use Permafrost::AsStorable; use Storable qw(nstore retrieve); nstore([8], "' . "$dir/file" . '"); print retrieve("' . "$dir/file" . '")->[0]'),
    8, '-T with use, files');
like(run([@taint, $as], 'use Storable qw(nstore); nstore([8], $ENV{PATH})'), qr/^Insecure dependency in open/, '-T: a tainted name for a file is refused');

# ---- loaded before it: by another -M, or lazily after it -----------------------------------
is(run(['-MStorable', $as], 'print Deep::who(\&Storable::freeze), " ", $INC{"Storable.pm"} =~ /AsStorable/ ? 1 : 0'), 'ours 1', '-MStorable first');
is(run([$as, '-MStorable=dclone'], 'print Deep::who(\&dclone)'), 'ours', '-MStorable after it');
is(run(['-MStorable=freeze'], 'use Storable qw(dclone); print Deep::who(\&main::freeze), Deep::who(\&dclone)', PERL5OPT => $as),
    'oursours', 'PERL5OPT comes after the switches');
is(run([$as], 'my $ok = eval { require Storable; Storable->import(qw(freeze thaw)); 1 }; print $ok, " ", Deep::who(\&main::freeze)'), '1 ours', 'in an eval');
is(run([$as], 'for my $m ("Storable") { (my $f = "$m.pm") =~ s/::/\//g; require $f; print $m->can("nfreeze") == \&Storable::nfreeze ? 1 : 0 }'), 1,
    'a serializer chosen by its name, as Data::Serializer does');
is(run([$as], 'delete $INC{"Storable.pm"}; local $SIG{__WARN__} = sub { }; require Storable; print Storable::thaw(Storable::nfreeze([9]))->[0]'), 9,
    'loaded again, as module reloaders do: works, whoever serves it then');
# (Stock's own version is 3.37_01 on some perls, which numeric comparisons warn of.)
is(run([$as], 'no warnings "numeric"; print eval { Storable->VERSION(2.15); 1 } ? "fine" : $@, " ", eval { require Storable; Storable->VERSION >= 2.05 } ? "new" : "old"'), 'fine new',
    'Storable->VERSION with a number');
is(run([$as], 'no warnings "numeric"; require Storable; print "$Storable::VERSION" =~ /^[0-9]+\.[0-9]+/ && $Storable::VERSION > 1 ? "fine" : $Storable::VERSION'), 'fine',
    '$Storable::VERSION is a number');

# ---- other names, wrappers, calls of all forms ----------------------------------------------
is(run([$as], '*main::deep_copy = \&Storable::dclone; sub copy; *copy = *Storable::dclone; print Deep::who(\&deep_copy), Deep::who(\&copy), deep_copy([7])->[0], copy([8])->[0]'),
    'oursours78', 'subs under other names');
is(run([$as], 'use Storable; my $n = 0; { no warnings "redefine"; my $old = \&Storable::freeze; *Storable::freeze = sub { $n++; goto &$old } }'
    . ' print Storable::thaw(Storable::freeze([4]))->[0], $n; Permafrost::freeze([]); print $n'), '411', 'a wrapped sub; Permafrost\'s own is not');
is(run([$as], 'use Storable; { local $SIG{__WARN__} = sub { }; local *Storable::dclone = sub { "mocked" }; print Storable::dclone([]) } print ref Storable::dclone([])'),
    'mockedARRAY', 'a sub mocked for a while');
is(run([$as], 'sub call { goto &Storable::nfreeze } use Storable; my %by = (freeze => \&Storable::nfreeze, thaw => Storable->can("thaw"));'
    . ' print Storable::thaw(call([5]))->[0], $by{thaw}->($by{freeze}->([6]))->[0], &Storable::thaw(&Storable::nfreeze([7]))->[0], Storable::thaw(Storable::freeze [8])->[0]'), '5678',
    'goto, tables of subs, ampersands, no parentheses');
is(run([$as], 'use Storable (); my @copies = map { Storable::dclone($_) } [1], [2]; print map { $_->[0] } @copies; print join ",", sort map { ref } map Storable::thaw($_), map Storable::freeze($_), {}, []'),
    '12ARRAY,HASH', 'in map');
is(run([$as], 'package Some::Thing; use Storable qw(dclone); sub new { bless {a => [1]}, shift } sub clone { dclone shift } package main;'
    . ' my $x = Some::Thing->new; my $y = $x->clone; $y->{a}[0] = 2; print ref $y, $x->{a}[0], $y->{a}[0]'), 'Some::Thing12', 'as a method\'s body');
is(run([$as], 'use Storable; print defined &Storable::lock_retrieve ? 1 : 0, exists &Storable::freeze ? 1 : 0, defined *Storable::file_magic{CODE} ? 1 : 0, defined $Storable::VERSION ? 1 : 0, Storable->isa("Exporter") ? 1 : 0'),
    '11111', 'what is asked before it is called');
is(run([$as], 'use Storable; $Storable::recursion_limit_hash = -1 if defined $Storable::recursion_limit_hash; print Deep::who(\&Storable::freeze)'), 'ours',
    'limits lifted by those who met them');
is(run([$as], 'use Storable qw(freeze); sub image { freeze({map { $_ => 1 } @_}) } sub quiet { local $Storable::canonical = 1; image(@_) }'
    . ' my @k = map { "k$_" } 1 .. 50; my $a = quiet(@k); my $b = quiet(reverse @k); print $a eq $b ? 1 : 0, defined $Storable::canonical ? 1 : 0'), '10',
    'local $Storable::canonical in a caller');

# ---- the same as on stock -------------------------------------------------------------------
for my $case (
    ['$@ and $! afterwards', 'use Storable qw(freeze thaw); $@ = "kept"; $! = 2; my $x = thaw(freeze([1])); print $@, $! + 0'],
    ['pipes', 'use Storable qw(store_fd fd_retrieve); pipe my $r, my $w; store_fd([1, 2], $w); close $w; print "@{ fd_retrieve($r) }"'],
    ['lists and contexts', 'use Storable qw(freeze thaw store retrieve); my @l = thaw(freeze([1])); print scalar @l, ref $l[0]; my ($x) = retrieve("' . $dir . '/file"); print @$x'],
    (map { ["\$! after a failing $_, in a program without Carp", "use Storable qw($_); " . ' my $x = eval { ' . (/store/ ? "$_([1], '$dir/none/x')" : "$_('$dir/none/x')") . ' }; print $@ =~ s/ at .*//sr, $! + 0, $INC{"Carp.pm"} ? 1 : 0' ]
    } qw(retrieve lock_retrieve store nstore lock_store lock_nstore)),
    ['no reference', 'use Storable qw(dclone freeze); for my $f (\&dclone, \&freeze) { my $x = eval { $f->("text") }; print $@ =~ s/ at .*//sr // "none", "|", defined $x ? 1 : 0 }'],
    ['$_ in hooks', 'use Storable qw(dclone); sub H::STORABLE_freeze { $_ = "changed"; "x" } sub H::STORABLE_thaw { } for (1) { local $_ = "kept"; my $x = dclone(bless [], "H"); print $_ }'],
  ) {
    my ($what, $program) = @$case;
    my $stock = run([], $program);
    is(run([$as], $program), $stock, "as on stock: $what") or diag $stock;
    isnt($stock, '', '... which says something');
}

# ---- the errors of methods leave $! as functions do -------------------------------------------
for my $method (qw(retrieve lock_retrieve store lock_store)) {
    my $arguments = ($method =~ /store/ ? '[1], ' : '') . "'$dir/none/x'";
    is(run([], "use Permafrost; eval { Permafrost->new->$method($arguments); 1 } or print ref \$@, ' ', \$!{ENOENT} ? 1 : 0"),
        'Permafrost::Error 1', "\$! after a failing method $method, in a program without Carp");
}

done_testing;
