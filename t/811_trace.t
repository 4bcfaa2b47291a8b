# PERMAFROST_TRACE under Permafrost::AsStorable: what is logged, and that nothing else is
# different.
use strict;
use warnings;
use lib 't/lib';
use Config;
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

plan skip_all => 'about Permafrost' unless $MODULE eq 'Permafrost';
plan skip_all => 'reads the trace with JSON::PP' unless eval { require JSON::PP; 1 };

my $dir  = File::Temp::tempdir(CLEANUP => 1);
my $log  = "$dir/trace.log";
my @inc  = map { File::Spec->rel2abs($_) } grep { !ref } @INC;
my $name = "$dir/program.pl";
my $as   = '-MPermafrost::AsStorable';
delete @ENV{qw(PERMAFROST_TRACE PERL5OPT)};

# Runs a program under a trace (or not: FILE is empty); returns what it printed, both ways.
# Its first line is line 1.
sub run {
    my ($switches, $program, $file) = @_;
    open my $out, '>', $name or die "$name: $!";
    print {$out} 'use strict; use warnings; no warnings "once";', $program;
    close $out;
    local $ENV{PERMAFROST_TRACE} = defined $file ? $file : $log;
    my $command = join ' ', map { qq("$_") } $^X, (map { "-I$_" } @inc), @$switches, $name;
    unlink $log;
    my $text = `$command 2>&1`;
    $text .= "status $?" if $?;
    return $text;
}

# The records of the last run; of one event only.
sub records {
    my ($event) = @_;
    open my $in, '<:raw', $log or return ();
    return grep { $_->{event} eq $event } map { JSON::PP->new->utf8->decode($_) } <$in>;
}
sub calls { return join ' ', map { "$_->{function}:$_->{line}" } records('call') }

# ---- not asked for ----------------------------------------------------------------------------

is(run([$as], 'print exists $INC{"Permafrost/Trace.pm"} ? "loaded" : "not loaded"', ''), 'not loaded',
    'not loaded if the variable is empty');
ok(!-e $log, '... and no file');

# ---- records ------------------------------------------------------------------------------------

my $all = <<"END";
use Storable qw(freeze nfreeze store nstore store_fd nstore_fd lock_store lock_nstore dclone thaw);
package Other;
sub write_it { my \@got = Storable::freeze(\$_[0]); return \@got == 1 ? length \$got[0] : 'wrong' }
package main;
print Other::write_it(bless {a => 1}, 'Some::Class'), ' ';
store([1 .. 9], '$dir/a'); lock_store(\\"x", '$dir/b');
open my \$out, '>', '$dir/c'; store_fd({}, \$out); Storable::pstore(\$out, [2]); nstore_fd([], \$out);
print length Storable::mstore([]), ' ';
nfreeze([]); nstore([], '$dir/d'); lock_nstore([], '$dir/d'); dclone([]); Storable::net_mstore([]);
print -s '$dir/a', ' ', -s '$dir/b';
END
for my $switches ([$as], ['-MStorable', $as]) {
    my $how = @$switches == 1 ? 'AsStorable first' : 'Storable first';
    my @size = split / /, run($switches, $all);
    is(calls(), 'freeze:3 store:6 lock_store:6 store_fd:7 pstore:7 mstore:8', "$how: calls");
    my @calls = records('call');
    is_deeply([map { $_->{bytes} } @calls], [@size[0, 2, 3], undef, undef, $size[1]], '... their lengths');
    is_deeply([map { $_->{class} } @calls], [qw(Some::Class ARRAY SCALAR HASH ARRAY ARRAY)], '... their classes');
    is_deeply([@{$calls[0]}{qw(package sub file order outcome)}], ['Other', 'Other::write_it', $name, 'native', 'ok'],
        '... the place');
    is_deeply([@{$calls[1]}{qw(package sub)}], ['main', undef], '... in the main program');
    ok($calls[0]{pid} > 0 && abs($calls[0]{time} - time) < 1000, '... process and time');
}
run([$as], "use Storable qw(freeze);\nfor my \$x ([1], {}, [2]) {\nfreeze(\$x) }\nfreeze([]);");
{
    my @sites = records('summary');
    is_deeply([map { "$_->{function} $_->{line} $_->{count} $_->{order} $_->{failed}" } @sites],
        ['freeze 3 3 native 0', 'freeze 4 1 native 0'], 'summary');
    is_deeply($sites[0]{classes}, {ARRAY => 2, HASH => 1}, '... classes');
    my @calls = records('call');
    is($sites[0]{bytes}, $calls[0]{bytes} + $calls[1]{bytes} + $calls[2]{bytes}, '... bytes');
    is($sites[0]{program}, $name, '... program');
}
run([$as], "use Storable;\nStorable::_store(\\&Storable::pstore, [1],\n'$dir/a'); Storable::_freeze(\\&Storable::mstore, [1]);");
is(calls() =~ s/store:[23]/store:2/r, 'store:2 mstore:3', 'the call site is the user\'s');

run([$as], q{use Storable; Storable::freeze(bless [], qq(A"\\\\\n\x{e9}\x{263a})); Storable::freeze(bless [], "B\xe9")});
is_deeply([map { $_->{class} } records('call')], ["A\"\\\n\x{e9}\x{263a}", "B\xe9"], 'strings are quoted');

# ---- whatever the sub is called by -------------------------------------------------------------

for my $early ('Storable', 'Permafrost') {
    run([], "use $early qw(freeze); our \$saved; BEGIN { \$saved = \\&${early}::freeze }\nsub f { freeze([]) }\nf();\n"
        . "require Permafrost::AsStorable;\nf(); \$saved->([]);\n$early\->can('freeze')->([]);\n&freeze([]); main->can('freeze')->([]);");
    is(calls(), 'freeze:2 freeze:5 freeze:6 freeze:7 freeze:7', "references and imports of $early from before");
}
run([$as], q{use Storable; @Kid::ISA = 'Storable'; my $o = bless [4], 'Kid'; $o->store('} . "$dir/kid" . q{')});
is(calls(), 'store:1', 'a method by inheritance');

# ---- nothing else is different -------------------------------------------------------------------

my @same = (
    'errors name the line' => "use Storable qw(freeze store);\neval { freeze(1) }; print \$@;\neval { freeze([], 1) }; print \$@;"
        . "\neval { store([], '/no/such/place/x') }; print \$@;\neval { store([]) }; print \$@;\nfreeze([sub { }]);",
    'usage' => "use Storable;\neval { &Storable::mstore() }; print \$@; eval { &Storable::pstore(1) }; print \$@;",
    'contexts' => "use Storable qw(freeze store);\nprint scalar(my \@x = freeze([])), length scalar(freeze([])); freeze([]); "
        . "print join ',', 1, (store([], '$dir/x')), 2;",
    '$@ and $!' => "use Storable qw(freeze);\n\$@ = 'mine'; \$! = 7; freeze([]); print \"\$@ \", \$! + 0;"
        . " { package H; sub STORABLE_freeze { print qq(<\$@ ), \$! + 0, '>'; return } } freeze(bless [], 'H');",
    'warnings' => "use Storable qw(freeze); \$SIG{__WARN__} = sub { print \$_[0] =~ s/0x\\w+//r };\n\$Storable::forgive_me = 1;"
        . "\nfreeze([sub { }]);\nclose STDIN; open STDIN, '<', \$0; <STDIN>; freeze([sub { }]);",
    'hooks' => "use Storable qw(freeze); use Carp; { package H; sub STORABLE_freeze { print join '|', (caller 0)[0 .. 2], "
        . "wantarray; Carp::carp('from a hook'); die 'dying' } }\nprint eval { freeze(bless [], 'H'); 1 } ? 'ok' : \$@;",
    'a tied argument is fetched once' => "use Storable qw(freeze); { package T; sub TIESCALAR { bless [] } sub FETCH { print 'fetch '; [7] } "
        . "sub TIEHASH { bless [] } }\ntie my \$t, 'T'; print length freeze(\$t); tie my %t, 'T'; print length freeze(\$t{x}); Storable::mstore(\$t)",
    '__DIE__ handlers' => "use Storable qw(freeze); \$SIG{__DIE__} = sub { print \"handler: \$_[0]\" };\nfreeze([]); eval { freeze(2) };",
    'numbers of handles' => "use Storable qw(freeze); freeze([]); open my \$fh, '<', \$0; print fileno \$fh;",
    'exit status'  => "use Storable qw(freeze); freeze([]); exit 3",
    'an exception' => "use Storable qw(freeze);\nfreeze(3);",
    'exit in a hook' => "use Storable qw(freeze); sub H::STORABLE_freeze { exit 4 } freeze(bless [], 'H')",
    'the argument stays alive' => "use Storable qw(freeze); my \$x = [1]; sub H::STORABLE_freeze { undef \$x; return 'x' } \$x = [bless [], 'H'];"
        . "print unpack 'H*', freeze(\$x);",
    'code in eval' => "use Storable qw(freeze);\neval qq(\\n\\nfreeze(1)); print \$@ =~ s/eval [0-9]+/eval/r;",
    'use bytes, strict refs and new packages' => "use Storable (); use bytes; use integer; package A::B; \nprint length Storable::freeze([qq(\\x{263a})]); Storable::freeze(4)",
    '#line' => "use Storable qw(freeze);\n# line 77 \"some where\"\nfreeze(5);",
    '#line, no name' => "use Storable qw(freeze);\n# line 77 \"a\$b \@c {x}\"\neval { freeze(5) }; print \$@; print freeze([]) eq freeze([]);",
);
while (my ($what, $program) = splice @same, 0, 2) {
    is(run(['-w', $as], $program), run(['-w', $as], $program, ''), "the same as without trace: $what");
}

run([$as], "use Storable qw(freeze store);\neval { freeze(1) };\neval { store([], '/no/such/place/x') };\n"
    . "sub H::STORABLE_freeze { freeze([]); exit } freeze(bless [], 'H');");
is_deeply([map { "$_->{line} $_->{outcome}" } records('call')], ['2 died', '3 died', '4 ok', '4 died'],
    'calls that fail');
is((grep { $_->{line} == 2 } records('summary'))[0]{failed}, 1, '... in the summary');

# ---- processes, threads, the end -------------------------------------------------------------------

SKIP: {
    skip 'no fork', 3 unless $Config{d_fork};
    run([$as], "use Storable qw(freeze);\nfreeze([]);\nfor (1 .. 4) { next if fork; freeze([1 .. 500]) for 1 .. 200; exit }\n1 while wait > 0;");
    my @calls = records('call');
    is(@calls, 801, 'processes: each line is whole');
    my @sites = records('summary');
    is_deeply([map { "$_->{line}:$_->{count}" } @sites], [('3:200') x 4, '2:1'], '... each writes its own summary');
    my %pid = map { $_->{pid} => 1 } @sites;
    is(keys %pid, 5, '... under its own number');
}
SKIP: {
    skip 'no threads', 2 unless $Config{useithreads} && eval { require threads; 1 };
    for my $switches ([$as], ['-MStorable', $as]) {
        my $text = run($switches, "use threads; use Storable qw(freeze);\nfreeze([]);\n"
            . "\$_->join for map { threads->create(sub { freeze([1]) for 1 .. 3; eval { freeze(1) }; print \$@ }) } 1 .. 2;");
        is_deeply([$text, sort map { "$_->{line}:$_->{count}" . ($_->{thread} ? 't' : '') } records('summary')],
            ["not a reference at $name line 3.\n" x 2, '2:1', '3:4t', '3:4t'], 'threads');
    }
}
run([$as], "use Storable qw(freeze); chdir '/'; END { freeze([]) }\n sub DESTROY { Storable::freeze([]) } our \$o = bless [];");
is(join(' ', sort map { "$_->{line}:$_->{count}" } records('summary')), '1:1 2:1', 'calls in END and in DESTROY, after chdir');
{
    my $text = run([$as], 'use Storable qw(freeze thaw); print thaw(freeze([6]))->[0]', "$dir/no/such/dir/x");
    like($text, qr{^Permafrost: no trace, can't write to \Q$dir\E/no/such/dir/x: [^\n]+\n6\z}, 'no such directory: one warning');
    $text = run([$as, '-T'], 'use Storable qw(freeze thaw); print thaw(freeze([6]))->[0]');
    like($text, qr/^Permafrost: no trace, [^\n]*Insecure dependency[^\n]*\n6\z/, 'under taint mode: likewise')
        unless $text =~ /taint support/;
}
run([$as], "use Permafrost ();\nmy \$net = Permafrost->new; my \$own = Permafrost->new(order => 'native');\n\$net->freeze([]);\n"
    . "\$own->freeze({});\n\$own->store([1], '$dir/object'); \$net->store([1], '$dir/object');");
is_deeply([map { "$_->{function}:$_->{line}:$_->{class}" } records('call')], ['freeze:4:HASH', 'store:5:ARRAY'], 'objects of native order');

done_testing();
