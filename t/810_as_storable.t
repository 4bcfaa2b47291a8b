# Permafrost::AsStorable: `use Storable` anywhere in the process means Permafrost.
use strict;
use warnings;
use lib 't/lib';
use Cwd ();
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

plan skip_all => 'about Permafrost' unless $MODULE eq 'Permafrost';

my $dir  = File::Temp::tempdir(CLEANUP => 1);
my @inc  = map { File::Spec->rel2abs($_) } grep { !ref } @INC;
my @perl = ($^X, map { "-I$_" } @inc);

# Runs a program with these switches; returns what it printed, both ways.
sub run {
    my ($switches, $program, %env) = @_;
    my $name = "$dir/program.pl";
    open my $out, '>', $name or die "$name: $!";
    print {$out} "use strict; use warnings; no warnings 'once';\n", $program;
    close $out;
    local @ENV{keys %env} = values %env;
    my $command = join ' ', map { qq("$_") } @perl, @$switches, $name;
    my $text = `$command 2>&1`;
    $text .= "status $?" if $?;
    return $text;
}

my $WHO = <<'END';
sub loaded { return join ' ', map { s/::/\//gr } grep { /Storable|Permafrost/ } @DynaLoader::dl_modules }
END

my @EXPORTED = (@Storable::EXPORT, @Storable::EXPORT_OK);
my $installed = $Storable::VERSION;

# First of all: nothing of the stock shared library is needed
my $as = '-MPermafrost::AsStorable';
is(run([$as], "use Storable qw(freeze thaw);\n$WHO print loaded(), ' ', thaw(freeze([7]))->[0];"),
    'Permafrost 7', 'AsStorable first: Storable\'s shared library is not loaded');
is(run([$as], 'require Storable; Storable->import("dclone"); print dclone([8])->[0]'), '8',
    'require and import at run time');
is(run([$as], 'print exists $INC{"Storable.pm"} ? "there" : "missing"; print " $Storable::VERSION ", Storable->VERSION'),
    "there $installed $installed", '%INC and the version of the installed Storable');
is(run([$as], "use Storable $installed qw(nfreeze); print 'fine'"), 'fine',
    "use Storable $installed");
like(run([$as], 'use Storable 999; print "fine"'),
    qr/^Storable version 999 required--this is only version \Q$installed\E/, 'use Storable 999');

# Every sub and variable that stock has
{
    my (@subs, %prototype, %value);
    no strict 'refs';
    for my $name (sort keys %Storable::) {
        next unless defined &{"Storable::$name"};
        push @subs, $name;
        $prototype{$name} = prototype \&{"Storable::$name"};
    }
    my $list = join ' ', @subs;
    is(run([$as], "use Storable; print join ' ', grep { !defined &{\"Storable::\$_\"} } qw($list)"
        =~ s/print/no strict 'refs'; print/r), '', 'every sub of the installed Storable exists');
    my @checked = grep { /^[a-z]\w*\z/ && !/^(?:log)?(?:carp|croak|confess)|bootstrap/ || /^[A-Z_]+\z/ }
      grep { !/^_|^(?:CLONE|BEGIN)\z/ } @subs;
    my $expected = join "\n", map { "$_ " . (defined $prototype{$_} ? "($prototype{$_})" : 'none') } @checked;
    is(run([$as], "use Storable; no strict 'refs'; print join qq(\\n), map { my \$p = prototype \\&{\"Storable::\$_\"};"
        . " \"\$_ \" . (defined \$p ? \"(\$p)\" : 'none') } qw(@checked)"), $expected, '... with its prototype');
    is(run([$as], 'use Storable; print "@Storable::EXPORT|", join " ", sort @Storable::EXPORT_OK'),
        "@Storable::EXPORT|" . join(' ', sort @Storable::EXPORT_OK), '@EXPORT and @EXPORT_OK');
    my @constants = qw(BLESS_OK TIE_OK FLAGS_COMPAT CAN_FLOCK BIN_MAJOR BIN_MINOR BIN_WRITE_MINOR BIN_VERSION_NV BIN_WRITE_VERSION_NV);
    is(run([$as], "use Storable; no strict 'refs'; print join ' ', map { &{\"Storable::\$_\"}() } qw(@constants[0 .. 3])"),
        join(' ', map { &{"Storable::$_"}() } @constants[0 .. 3]), 'constants');
    is(run([$as], 'use Storable; print join " ", map { defined $_ ? $_ : "undef" } $Storable::canonical,
        $Storable::forgive_me, $Storable::flags, $Storable::accept_future_minor,
        $Storable::downgrade_restricted, $Storable::drop_utf8, $Storable::Deparse, $Storable::Eval'),
        'undef undef 6 1 1 undef undef undef', 'variables and their defaults');
}

# Ways to switch it on, in either order
my $probe = <<'END';
my %in_use = (main => \&main::freeze);
my $i = freeze([1, {a => 'b'}]);
print defined thaw($i) ? 'works ' : 'broken ';
print eval { Permafrost->can('freeze') } ? 'P' : 'S';
END
for my $case (
    ['-M',                      [$as], '', {}],
    ['PERL5OPT',                [],    '', {PERL5OPT => $as, PERL5LIB => join ':', @inc}],
    ['use in the program',      [],    "use Permafrost::AsStorable;\n", {}],
    ['use, after Storable',     ['-MStorable'], "use Permafrost::AsStorable;\n", {}],
    ['use, twice',              [$as], "use Permafrost::AsStorable;\n", {}],
  ) {
    my ($what, $switches, $before, $env) = @$case;
    is(run($switches, "${before}use Storable qw(freeze thaw);\n$probe", %$env), 'works P', $what);
}
# A deep structure tells them apart: stock refuses it, whatever the sub is called by
my $deep = 'sub deep { my $r = []; $r = [$r] for 1 .. 5000; return $r }'
  . ' sub test { my ($f) = @_; my $x = deep(); my $ok = eval { $f->($x); 1 } ? "ours" : "stock"; '
  . ' while (@$x) { $x = shift @$x } return $ok }';
is(run([], "use Storable qw(freeze); $deep print test(\\&freeze)"), 'stock', 'this tells them apart');
is(run([$as], "use Storable qw(freeze dclone); $deep print test(\\&freeze), test(\\&dclone)"),
    'oursours', 'imported subs');
is(run([], "use Storable qw(freeze dclone); use Permafrost::AsStorable;"
    . "$deep print join ' ', test(\\&freeze), test(\\&dclone), test(sub { freeze(\$_[0]) }), test(sub { Storable::nfreeze(\$_[0]) }), test(\\&Storable::dclone)"),
    'ours ours ours ours ours', 'subs that were imported before');
is(run([], "use Storable qw(freeze dclone); our (\$saved, \$saved2); BEGIN { \$saved = \\&Storable::freeze; \$saved2 = \\&dclone }"
    . " use Permafrost::AsStorable; $deep print join ' ', test(\$saved), test(\$saved2)"),
    'ours ours', 'saved code references');
is(run([], "use Storable qw(freeze dclone); $deep sub call { freeze(\$_[0]) } sub call2 { dclone(\$_[0]) }"
    . "my \@got = (test(\\&call), test(\\&call2)); require Permafrost::AsStorable; Permafrost::AsStorable->import;"
    . " print join ' ', \@got, test(\\&call), test(\\&call2)"), 'stock stock ours ours',
    'at run time, calls compiled before');
is(run([], "package Other; use Storable qw(nfreeze thaw store retrieve); sub f { nfreeze(\$_[0]) } package main;"
    . "$deep use Permafrost::AsStorable; print test(\\&Other::f)"), 'ours', 'imported into another package');
is(run([], "{ package Kid; require Storable; our \@ISA = 'Storable'; } use Permafrost::AsStorable;"
    . "$deep print test(sub { Kid->can('freeze')->(\$_[0]) })"), 'ours', 'inherited');
is(run([], "sub mine { 'mine' } BEGIN { require Storable; no warnings; *Storable::wrapped = \\&mine } use Permafrost::AsStorable; print Storable::wrapped()"),
    'mine', 'strangers in the package stay');

# Variables
is(run([$as], 'use Storable qw(nfreeze); my %h = map { $_ => 1 } "a" .. "z"; my %g = map { $_ => 1 } reverse "a" .. "z", "aa" .. "zz"; delete @g{"aa" .. "zz"};'
    . '$Storable::canonical = 1; print nfreeze(\%h) eq nfreeze(\%g) ? "same" : "different"'), 'same', '$Storable::canonical');
is(run([$as], 'use Storable qw(nfreeze thaw); { local $Storable::Deparse = 1; our $i = nfreeze([sub { 6 * 7 }]) } our $i;'
    . 'print eval { thaw($i); 1 } ? "read" : "refused"; local $Storable::Eval = 1; print " ", thaw($i)->[0]->(); '),
    'refused 42', 'local $Storable::Deparse and Eval');
is(run([$as], 'use Storable; $Permafrost::canonical = 5; print $Storable::canonical; $Storable::forgive_me = 7; print $Permafrost::forgive_me;'
    . '{ local $Storable::flags = 2; print $Permafrost::flags } print $Permafrost::flags'), '5726', 'one variable under two names');
is(run([$as], "use Storable qw(freeze); $deep print test(\\&freeze); local \$Storable::recursion_limit = 100; print ' ', test(\\&freeze)"),
    'ours stock', '$Storable::recursion_limit counts when set');
is(run(['-MStorable'], '$Storable::canonical = 3; require Permafrost::AsStorable; Permafrost::AsStorable->import; print $Storable::canonical, $Permafrost::canonical'),
    '33', 'values set before stay');
is(run([$as], 'use Storable qw(nfreeze thaw); print eval { local $Storable::flags = 0; ref thaw(nfreeze(bless [], "Some::Class")) }'),
    'ARRAY', '$Storable::flags');

# Hooks and state functions under their old names
is(run([$as], 'use Storable; { package H; sub STORABLE_freeze { print Storable::is_storing() ? "s" : "-"; "x" } sub STORABLE_thaw { print Storable::is_retrieving() ? "r" : "-"; } }'
    . 'Storable::thaw(Storable::nfreeze(bless [], "H")); print Storable::last_op_in_netorder() ? "n" : "-"'), 'srn', 'state functions in hooks');
is(run([$as], 'use Storable; { package Kid; our @ISA = "Storable" } my $o = bless [4], "Kid"; $o->store("' . "$dir/kid" . '"); print ref Storable::retrieve("' . "$dir/kid" . '")'),
    'Kid', 'methods by inheritance');

# Nothing is said on the way, with all warnings
is(run(['-w', $as], 'use Storable qw(freeze); print "quiet"'), 'quiet', 'no warnings');
is(run(['-w', '-MStorable'], 'require Permafrost::AsStorable; Permafrost::AsStorable->import; print "quiet"'), 'quiet',
    '... when Storable was first');
like(run([$as], 'use Storable qw(nothing_of_it);'), qr/"nothing_of_it" is not exported by the Storable module/,
    'what is not there cannot be imported');
like(run([$as], "use Storable;\nStorable::freeze(1);"), qr/^not a reference at \S+ line 3\.$/m,
    'errors name the caller');

# A program of many parts: every core module that uses Storable still loads
for my $module (grep { eval "require $_; 1" } qw(Memoize::Storable CPAN::Meta)) {
    like(run([$as], "use $module; print 'loaded'"), qr/^loaded/, "$module loads");
}

done_testing();
