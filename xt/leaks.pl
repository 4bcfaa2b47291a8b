#!/usr/bin/perl
# Repeats every way in which a call can die or give up, and watches the memory.
use strict;
use warnings;
use Getopt::Long qw(GetOptions);
use Pod::Usage qw(pod2usage);
use Time::HiRes qw(time);

=head1 NAME

leaks.pl - check that no path that fails leaks

=head1 SYNOPSIS

    perl -Mblib xt/leaks.pl [OPTIONS] [CASE...]

  --count N       repetitions of each case (default 100000)
  --module NAME   module to test (default Permafrost); Storable, for instance
  --list          only list the cases
  --thaws         only the cases in which thaw fails, each with all N repetitions
  --self-test     check that a leak of 16 bytes per repetition is found
  --help          this text

A CASE is a name or the beginning of one; without any, all cases run. Each is repeated after
a warm-up, and its growth of resident memory is compared with a limit (256 kB for the default
count), which is far less than 16 bytes per repetition. A case that grows is run again once
before it counts: the allocator sometimes takes another page. Exit status 1 if a case leaks
or does not do what it is meant to do.

=cut

my ($count, $module, $list, $self_test, $thaws) = (100_000, 'Permafrost');
GetOptions(
    'count=i'   => \$count,
    'module=s'  => \$module,
    'list'      => \$list,
    'thaws'     => \$thaws,
    'self-test' => \$self_test,
    'help'      => sub { pod2usage(-verbose => 1, -exitval => 0) },
) && $count > 0 && $module =~ /\A\w+(?:::\w+)*\z/ or pod2usage(2);

# RETURNS: how many bytes $times repetitions may grow: half of 16 bytes each, within what the
# allocator's noise needs and the 256 kB that are enough for many.
sub limit {
    my $limit = 8 * shift;
    return $limit > 256 * 1024 ? 256 * 1024 : $limit < 80 * 1024 ? 80 * 1024 : $limit;
}
warn "with so few repetitions small leaks go unseen\n" if limit($count) > 8 * $count && !$list;

# --- What the cases use: classes whose hooks fail, and images that are broken.

{ package Leak::Plain;        sub new { bless { list => [1 .. 3] }, shift } }
{ package Leak::FreezeDies;   our @ISA = 'Leak::Plain'; sub STORABLE_freeze { die "no freeze\n" } }
{ package Leak::FreezeDiesObject; our @ISA = 'Leak::Plain'; sub STORABLE_freeze { die { code => [1, 2] } } }
{ package Leak::FreezeNoRef;  our @ISA = 'Leak::Plain'; sub STORABLE_freeze { ('image', 'no reference') } }
{ package Leak::FreezeEmpty;  our @ISA = 'Leak::Plain'; sub STORABLE_freeze { () } }
{ package Leak::FreezeCode;   our @ISA = 'Leak::Plain'; sub STORABLE_freeze { ('image', [sub { 1 }]) } }
{ package Leak::FreezeNested; our @ISA = 'Leak::Plain';
  sub STORABLE_freeze { my $self = shift; (main::freeze([@{ $self->{list} }, sub { 1 }])) } }
{ package Leak::Hooked;       our @ISA = 'Leak::Plain';
  sub STORABLE_freeze { ('image', [1], { a => 1 }) } sub STORABLE_thaw { $_[0]{image} = $_[2]; return } }
{ package Leak::ThawDies;     our @ISA = 'Leak::Hooked'; sub STORABLE_thaw { die "no thaw\n" } }
{ package Leak::ThawNested;   our @ISA = 'Leak::Hooked'; sub STORABLE_thaw { main::thaw(substr(main::freeze([1 .. 9]), 0, 20)); die "nested\n" } }
{ package Leak::NoThaw;       our @ISA = 'Leak::Plain'; sub STORABLE_freeze { ('image', [1]) } }
{ package Leak::AttachDies;   our @ISA = 'Leak::Plain';
  sub STORABLE_freeze { ('image') } sub STORABLE_attach { die "no attach\n" } }
{ package Leak::AttachPlain;  our @ISA = 'Leak::AttachDies'; sub STORABLE_attach { 'no object' } }
{ package Leak::AttachOther;  our @ISA = 'Leak::AttachDies'; sub STORABLE_attach { bless [], 'Leak::Other' } }
{ package Leak::AttachRefs;   our @ISA = 'Leak::AttachDies'; sub STORABLE_freeze { ('image', [1]) } }
{ package Leak::DestroyDies;  our @ISA = 'Leak::Plain'; sub DESTROY { die "no destroy\n" } }
{ package Leak::TieDies;      sub TIEHASH { bless {}, shift } sub FETCH { die "no fetch\n" }
  sub FIRSTKEY { 'a' } sub NEXTKEY { undef } sub STORE { } sub EXISTS { 1 }
  sub STORABLE_freeze { die "no tie\n" } }
{ package Leak::TieScalar;    sub TIESCALAR { bless [], shift } sub FETCH { die "no fetch\n" } sub STORE { } }
{ package Leak::Overload;     use overload '""' => sub { die "no text\n" }, fallback => 1; }

our (%IMAGE, %OBJECT, %PF, $FILE, $CLOSED, @TIED);

# Called once the functions are there. Most images begin as good ones.
sub prepare {
    no warnings 'once';
    my $deep = { a => [1, { b => [2, { c => 'leaf', n => 1.5, big => 'x' x 300 }] }] };
    my $plain = bless({ list => [1 .. 3], text => "\x{263a}" }, 'Leak::Plain');
    %IMAGE = (
        native  => freeze($deep),
        network => nfreeze($deep),
        object  => nfreeze([$plain, $plain, bless([], 'Leak::Plain')]),
        utf8    => nfreeze({ "k\x{263a}" => "\x{263a}" x 20 }),
        regexp  => nfreeze([qr/a(b)c/i]),
        hooked  => nfreeze([bless({}, 'Leak::Hooked'), 1]),
        thaw_dies   => nfreeze([1, bless({}, 'Leak::ThawDies'), 2]),
        thaw_nested => nfreeze([bless {}, 'Leak::ThawNested']),
        no_thaw     => nfreeze([bless {}, 'Leak::NoThaw']),
        destroy     => nfreeze([map { bless {}, 'Leak::Plain' } 1 .. 3]),
    );
    for my $class (qw(AttachDies AttachPlain AttachOther)) {
        $IMAGE{$class} = nfreeze([1, bless({}, "Leak::$class"), 2]);
    }
    ($IMAGE{unknown_class} = nfreeze([bless {}, 'Leak::Hooked'])) =~ s/Leak::Hooked/Leak::Absent/;
    ($IMAGE{unloadable}    = $IMAGE{unknown_class}) =~ s/Leak::Absent/Leak::Broken/;
    ($IMAGE{destroy_dies}  = nfreeze([map { bless [], 'Leak::DestroyDead' } 1 .. 3])) =~ s/DestroyDead/DestroyDies/g;
    ($IMAGE{bad_marker}    = $IMAGE{network}) =~ s/leaf/le\xff\xff/;
    for my $name (qw(native network)) {
        my $image = $IMAGE{$name};
        my $at = index $image, "\x0a\x04leaf";
        die "no string marker in $name" if $at < 0;
        substr($image, $at, 1) = "\xfe";
        $IMAGE{"marker_$name"} = $image;
        # A length far over what is left, then one that is negative as a signed number.
        for my $length ([huge => 0x7ffffff0], [negative => 0xfffffff0]) {
            (my $long = $IMAGE{$name}) =~ s{\x01(?:\x2c\x01\x00\x00|\x00\x00\x01\x2c)x}
                {"\x01" . pack($name eq 'native' ? 'L' : 'N', $length->[1]) . 'x'}e
                or die "no long string in $name";
            $IMAGE{"$length->[0]_$name"} = $long;
        }
        ($IMAGE{"minor_$name"} = $IMAGE{$name}) =~ s/\A(.)./$1\xfa/s;
        ($IMAGE{"major_$name"} = $IMAGE{$name}) =~ s/\A./\x7e/s;
        $IMAGE{"half_$name"} = substr $IMAGE{$name}, 0, length($IMAGE{$name}) / 2;
    }
    $IMAGE{byteorder} = $IMAGE{native};
    substr($IMAGE{byteorder}, 3, 4) = '4321';
    # A reference to a tag that was never given, and an object of a class index never given.
    $IMAGE{bad_tag}   = substr($IMAGE{network}, 0, 2) . "\x02\x00\x00\x00\x01\x00\x00\x00\x00\x77";
    $IMAGE{bad_class} = substr($IMAGE{network}, 0, 2) . "\x02\x00\x00\x00\x01\x12\x07\x03\x00\x00\x00\x00";
    # Truncated at every length, one after the other.
    our @CUTS = map { my $i = $IMAGE{$_}; map { substr $i, 0, $_ } 0 .. length($i) - 1 } qw(object utf8 regexp hooked);

    require B::Deparse;
    require Hash::Util;
    my %locked = (a => 1, b => [1 .. 3], gone => 1);
    delete $locked{gone};
    Hash::Util::lock_ref_keys(\%locked, qw(a b gone));
    $IMAGE{locked} = nfreeze(\%locked);
    $IMAGE{locked_cut} = substr $IMAGE{locked}, 0, -4;
    $OBJECT{locked_code} = do { my %h = (a => 1, c => sub { 1 }); Hash::Util::lock_hashref(\%h) };

    tie my %tied, 'Leak::TieDies';
    tie my $tied, 'Leak::TieScalar';
    @TIED = (\%tied, \$tied);

    require File::Temp;
    my $dir = File::Temp::tempdir(CLEANUP => 1);
    $FILE = "$dir/image";
    symlink '/dev/full', "$FILE.full";    # stock Storable removes a file that it could not fill
    $OBJECT{code_deep} = { a => [map { { n => $_, list => [1 .. 5] } } 1 .. 4], z => [[[sub { 1 }]]] };
    $OBJECT{glob_deep} = [1, { a => [2, [\*STDOUT]] }];
    $OBJECT{self} = []; push @{ $OBJECT{self} }, $OBJECT{self}, sub { 1 };
    open my $bad, '>', "$FILE.bad" or die "$FILE.bad: $!";
    print {$bad} "pst0\x05\x0b\x03garbage";
    close $bad or die;
    open my $none, '>', "$FILE.empty" or die;
    close $none or die;
    store($deep, "$FILE.good");
    open my $in, '<:raw', "$FILE.good" or die;
    my $good = do { local $/; <$in> };
    open my $cut, '>:raw', "$FILE.cut" or die;
    print {$cut} substr $good, 0, -10;
    close $cut or die;
    # A class that is found but does not compile: an @INC hook, as files would cost time.
    unshift @INC, sub {
        return unless $_[1] eq 'Leak/Broken.pm';
        delete $INC{'Leak/Broken.pm'};
        my $text = "die qq(broken\\n);\n";
        open my $handle, '<', \$text or die;
        return $handle;
    };
    return if !$module->can('new');
    %PF = (
        data    => $module->new,
        limits  => $module->new(max_depth => 2, max_items => 6, max_bytes => 100, trust => 'full'),
        bytes   => $module->new(max_bytes => 60),
        list    => $module->new(trust => 'classes', classes => ['Leak::Plain']),
        code    => $module->new(trust => 'classes', classes => sub { $_[0] eq 'Leak::Plain' }),
        dies    => $module->new(trust => 'classes', classes => sub { die "no\n" }),
        full    => $module->new(trust => 'full'),
        minor   => $module->new(max_minor => 4, trust => 'full'),
        atomic  => $module->new(atomic => 1),
    );
    $IMAGE{mixed} = nfreeze({ a => [1, { k => bless({ c => [1, { g => 2 }] }, 'Leak::Plain'), l => 1 }], h => Leak::Hooked->new, z => 1 });
    $OBJECT{mixed} = [1, { o => [bless({}, 'Leak::Plain'), bless({}, 'Leak::Other')] }];
    $OBJECT{deep_refs} = [[[\\\1]]];
    # Few directories, or the search for classes that are not there takes all the time.
    @INC = grep { ref || -e "$_/Carp.pm" || -e "$_/B.pm" } @INC;
    return;
}

# --- The cases: name, what is expected ('dies', 'undef' for a quiet refusal, 'any'), and code.
# A case that names a share runs that share of the repetitions: it is slow.

my @CASES = (
    # Writing
    ['code refused',               'dies',  'freeze([sub { 1 }])'],
    ['code refused deep inside',   'dies',  'freeze($OBJECT{code_deep})'],
    ['code refused nfreeze',       'dies',  'nfreeze($OBJECT{code_deep})'],
    ['code refused in a cycle',    'dies',  'nfreeze($OBJECT{self})'],
    ['code in a locked hash',      'dies',  'freeze($OBJECT{locked_code})'],
    ['code in canonical order',    'dies',  'local $Storable::canonical = 1; freeze($OBJECT{code_deep})'],
    ['code forgiven',              'any',   'local $SIG{__WARN__} = sub {}; local $Storable::forgive_me = 1; freeze([sub { 1 }, [1]])'],
    ['glob refused',               'dies',  'freeze([\*STDOUT])'],
    ['glob refused deep inside',   'dies',  'nfreeze($OBJECT{glob_deep})'],
    ['freeze of a plain scalar',   'dies',  'freeze(42)'],
    ['freeze of undef',            'dies',  'freeze(undef)'],
    ['code that does not deparse', 'dies',  'no warnings; local $Storable::Deparse = 1; local *B::Deparse::coderef2text = sub { die "no text\n" }; freeze([sub { 1 }])', 0.1],
    # Hooks, writing
    ['hook freeze dies',           'dies',  'freeze([1, Leak::FreezeDies->new])'],
    ['hook freeze dies, object',   'dies',  'freeze([1, Leak::FreezeDiesObject->new])'],
    ['hook freeze no reference',   'dies',  'freeze([Leak::FreezeNoRef->new])'],
    ['hook freeze returns nothing', 'any',  'freeze([Leak::FreezeEmpty->new])'],
    ['hook freeze gives code',     'dies',  'freeze([Leak::FreezeCode->new])'],
    ['hook freeze nested dies',    'dies',  'freeze([[Leak::FreezeNested->new]])'],
    ['tied hash dies',             'dies',  'freeze([$TIED[0]])'],
    ['tied scalar dclone',         'any',   'dclone([$TIED[1]])'],
    # Hooks, reading
    ['hook thaw dies',             'dies',  'thaw($IMAGE{thaw_dies})'],
    ['hook thaw nested dies',      'dies',  'thaw($IMAGE{thaw_nested})'],
    ['hook thaw missing',          'dies',  'thaw($IMAGE{no_thaw})'],
    ['hook attach dies',           'dies',  'thaw($IMAGE{AttachDies})'],
    ['hook attach no object',      'dies',  'thaw($IMAGE{AttachPlain})'],
    ['hook attach other class',    'dies',  'thaw($IMAGE{AttachOther})'],
    ['hook attach with references', 'dies', 'freeze([Leak::AttachRefs->new])'],
    ['class not found',            'dies',  'thaw($IMAGE{unknown_class})', 0.3],
    ['class does not load',        'dies',  'thaw($IMAGE{unloadable})', 0.3],
    ['destroy dies',               'any',   'local $SIG{__WARN__} = sub {}; thaw($IMAGE{destroy_dies}); 1'],
    ['destroy dies in cut image',  'any',   'local $SIG{__WARN__} = sub {}; thaw(substr($IMAGE{destroy_dies}, 0, -2)); 1'],
    # Broken images
    ['image empty',                'any',   'thaw("")'],
    ['image of one byte',          'any',   'thaw("\x05")'],
    ['image half, native',         'undef', 'thaw($IMAGE{half_native})'],
    ['image half, network',        'undef', 'thaw($IMAGE{half_network})'],
    ['image cut anywhere',         'any',   'our ($n, @CUTS); thaw($CUTS[$n++ % @CUTS])'],
    ['bad marker, native',         'dies',  'thaw($IMAGE{marker_native})'],
    ['bad marker, network',        'dies',  'thaw($IMAGE{marker_network})'],
    ['bad text, no bad marker',    'any',   'thaw($IMAGE{bad_marker})'],
    ['bad tag',                    'dies',  'thaw($IMAGE{bad_tag})'],
    ['bad class index',            'dies',  'thaw($IMAGE{bad_class})'],
    ['bad byte order',             'dies',  'thaw($IMAGE{byteorder})'],
    ['minor too new, native',      'any',   'local $Storable::accept_future_minor = 0; thaw($IMAGE{minor_native})'],
    ['minor too new, network',     'any',   'local $Storable::accept_future_minor = 0; thaw($IMAGE{minor_network})'],
    ['major too new, native',      'dies',  'thaw($IMAGE{major_native})'],
    ['major too new, network',     'dies',  'thaw($IMAGE{major_network})'],
    ['length too big, network',    'any',   'thaw($IMAGE{huge_network})'],
    ['length too big, native',     'any',   'thaw($IMAGE{huge_native})'],
    ['length negative, network',   'any',   'thaw($IMAGE{negative_network})'],
    ['length negative, native',    'any',   'thaw($IMAGE{negative_native})'],
    ['thaw of wide characters',    'dies',  'thaw($IMAGE{network} . "\x{263a}")'],
    ['thaw of an upgraded image',  'any',   'my $image = $IMAGE{network}; utf8::upgrade($image); thaw($image)'],
    ['thaw of a reference',        'any',   'thaw([])'],
    ['thaw of undef',              'any',   'no warnings; thaw(undef)'],
    ['restricted hash',            'any',   'thaw($IMAGE{locked})'],
    ['restricted hash downgraded', 'any',   'local $Storable::downgrade_restricted = 1; thaw($IMAGE{locked})'],
    ['placeholder, cut',           'undef', 'thaw("\5\x0b\x19\1\0\0\0\2\x0a\3abc\x14\0\0\0\1k\4\0\0\0\0\1")'],
    ['self-tied scalar, cut',      'undef', 'thaw("\5\x0b\2\0\0\0\2\4\x0d\5")'],
    ['tied to a tied scalar',      'dies',  'thaw("\5\x0b\2\0\0\0\2\4\x0d\x0d\x0a\1a\5")'],
    ['references nested, bad end', 'dies',  'thaw("\5\x0b" . "\4\x1b\x14" x 20 . "\xff")'],
    ['containers out of place, cut', 'undef', 'thaw("\5\x0b\2\0\0\0\3\2\0\0\0\1\5\3\0\0\0\1\2\0\0\0\0\0\0\0\1k")'],
    ['key that is an array',       'dies',  'thaw("\5\x0b\x19\0\0\0\0\2\5\x08\2\0\0\0\1\5")'],
    ['text that is not UTF-8, bad end', 'dies', 'thaw("\5\x0b\x19\0\0\0\0\2\x17\2\xff\xfe\1\0\0\0\2\xc0\x80\xff")'],
    ['ties without number',        'dies',  'thaw("\5\x0b\2\0\1\0\0" . "\x0d\5" x 40000)', 0.001],
    ['restricted hash, cut',       'any',   'thaw($IMAGE{locked_cut})'],
    ['code image without Eval',    'any',   'our $code_image //= do { local $Storable::Deparse = 1; nfreeze([sub { 1 }]) }; thaw($code_image)'],
    ['code image, Eval dies',      'dies',  'our $code_image //= do { local $Storable::Deparse = 1; nfreeze([sub { 1 }]) }; local $Storable::Eval = sub { die "no eval\n" }; thaw($code_image)'],
    # dclone
    ['dclone of code',             'dies',  'dclone([sub { 1 }])'],
    ['dclone of code deep inside', 'dies',  'dclone($OBJECT{code_deep})'],
    ['dclone of a glob',           'dies',  'dclone($OBJECT{glob_deep})'],
    ['dclone hook freeze dies',    'dies',  'dclone([1, Leak::FreezeDies->new])'],
    ['dclone hook thaw dies',      'dies',  'dclone([1, Leak::ThawDies->new])'],
    ['dclone hook no reference',   'dies',  'dclone([Leak::FreezeNoRef->new])'],
    ['dclone hook attach dies',    'dies',  'dclone([1, Leak::AttachDies->new])'],
    ['dclone of undef',            'any',   'dclone(undef)'],
    # Files
    ['store to no directory',      'dies',  'store([1], "$FILE.none/x")', 0.5],
    ['store to a directory',       'dies',  'store([1], "/")', 0.5],
    ['store of code',              'dies',  'store($OBJECT{code_deep}, "$FILE.out")', 0.3],
    ['nstore of a plain scalar',   'dies',  'nstore(42, "$FILE.out")', 0.3],
    ['store_fd to a closed handle', 'dies', 'no warnings; store_fd([1], $CLOSED)'],
    ['store_fd of code',           'dies',  'open my $null, ">", "/dev/null" or die; store_fd($OBJECT{code_deep}, $null)', 0.3],
    ['store to a full disk',       'any',   'store([1 .. 9], "$FILE.full")', 0.3],
    ['retrieve of no file',        'dies',  'retrieve("$FILE.none")', 0.5],
    ['retrieve of a directory',    'dies',  'retrieve("/")', 0.3],
    ['retrieve of a bad file',     'any',   'retrieve("$FILE.bad")', 0.3],
    ['retrieve of an empty file',  'any',   'retrieve("$FILE.empty")', 0.3],
    ['retrieve of a cut file',     'any',   'retrieve("$FILE.cut")', 0.3],
    ['retrieve of a good file',    'any',   'retrieve("$FILE.good")', 0.3],
    ['lock_retrieve of no file',   'dies',  'lock_retrieve("$FILE.none")', 0.5],
    ['lock_store of code',         'dies',  'lock_store($OBJECT{code_deep}, "$FILE.lock")', 0.3],
    ['fd_retrieve of rubbish',     'any',   'open my $in, "<", "$FILE.bad" or die; fd_retrieve($in)', 0.3],
    ['fd_retrieve, closed handle', 'any',   'no warnings; fd_retrieve($CLOSED)'],
    ['read_magic of rubbish',      'any',   "${module}::read_magic('rubbish')"],
    # The good paths, for comparison
    ['good freeze and thaw',       'any',   'thaw(freeze($OBJECT{code_deep}{a}))'],
    ['good hooks',                 'any',   'thaw(nfreeze([Leak::Hooked->new]))'],
    ['good dclone',                'any',   'dclone($OBJECT{code_deep}{a})'],
    ['good utf8 keys',             'any',   'thaw($IMAGE{utf8})'],
    ['good regexp',                'any',   'thaw($IMAGE{regexp})'],
    ['good shared objects',        'any',   'thaw($IMAGE{object})'],
);
# What objects refuse, each with an exception object that names the place.
push @CASES, (
    ['object: class to write',     'dies',  '$PF{data}->freeze($OBJECT{mixed})'],
    ['object: class to read',      'dies',  '$PF{data}->thaw($IMAGE{mixed})'],
    ['object: hook to read',       'dies',  '$PF{data}->thaw($IMAGE{hooked})'],
    ['object: regexp to read',     'dies',  '$PF{data}->thaw($IMAGE{regexp})'],
    ['object: class to clone',     'dies',  '$PF{data}->clone($OBJECT{mixed})'],
    ['object: tie to write',       'dies',  '$PF{data}->freeze([$TIED[1]])'],
    ['object: tie to read',        'dies',  '$PF{data}->thaw("\5\x0b\2\0\0\0\1\4\x0c\4\3\0\0\0\0")'],
    ['object: code to read',       'dies',  'our $code_image //= do { local $Storable::Deparse = 1; nfreeze([sub { 1 }]) }; $PF{full}->thaw($code_image)'],
    ['object: class not listed',   'dies',  '$PF{list}->freeze($OBJECT{mixed})'],
    ['object: class not listed, read', 'dies', '$PF{list}->thaw($IMAGE{mixed})'],
    ['object: callback says no',   'dies',  '$PF{code}->freeze($OBJECT{mixed})'],
    ['object: callback says no, read', 'dies', '$PF{code}->thaw($IMAGE{mixed})'],
    ['object: callback dies',      'dies',  '$PF{dies}->freeze($OBJECT{mixed})'],
    ['object: callback dies, read', 'dies', '$PF{dies}->thaw($IMAGE{mixed})'],
    ['object: hook thaw dies',     'dies',  '$PF{full}->thaw($IMAGE{thaw_dies})'],
    ['object: hook freeze dies',   'dies',  '$PF{full}->freeze([1, Leak::FreezeDies->new])'],
    ['object: hook no reference',  'dies',  '$PF{full}->freeze([Leak::FreezeNoRef->new])'],
    ['object: too deep to write',  'dies',  '$PF{limits}->freeze($OBJECT{deep_refs})'],
    ['object: too deep to read',   'dies',  'our $deep_image //= nfreeze($OBJECT{deep_refs}); $PF{limits}->thaw($deep_image)'],
    ['object: many items to write', 'dies', '$PF{limits}->freeze([1 .. 50])'],
    ['object: many items to read', 'dies',  'our $items_image //= nfreeze({ a => [1 .. 20], b => 1 }); $PF{limits}->thaw($items_image)'],
    ['object: many bytes to write', 'dies', '$PF{bytes}->freeze(["x" x 1000])'],
    ['object: many bytes to read', 'dies',  '$PF{bytes}->thaw($IMAGE{network})'],
    ['object: cut anywhere',       'dies',  'our ($n, @CUTS); $PF{full}->thaw($CUTS[$n++ % @CUTS])'],
    ['object: bad marker',         'dies',  '$PF{data}->thaw($IMAGE{marker_network})'],
    ['object: bad tag',            'dies',  '$PF{data}->thaw($IMAGE{bad_tag})'],
    ['object: trailing',           'dies',  '$PF{data}->thaw($IMAGE{network} . "x")'],
    ['object: header',             'dies',  '$PF{data}->thaw($IMAGE{major_network})'],
    ['object: arguments',          'dies',  '$PF{data}->freeze(1)'],
    ['object: thaw of undef',      'dies',  '$PF{data}->thaw(undef)'],
    ['object: wide for old readers', 'dies', '$PF{minor}->freeze([1, { a => "\x{263a}" }])'],
    ['object: wide keys for them', 'dies',  '$PF{minor}->freeze([1, { "\x{263a}" => 1 }])'],
    ['object: bad options',        'dies',  '$PF{data}->new(order => "no")', 0.3],
    ['object: made',               'any',   '$PF{data}->new(trust => "classes", classes => [qw(A B)], max_items => 3)', 0.3],
    ['object: no file',            'dies',  '$PF{data}->retrieve("$FILE.none")', 0.3],
    ['object: empty file',         'dies',  '$PF{data}->retrieve("$FILE.empty")', 0.3],
    ['object: cut file',           'dies',  '$PF{data}->retrieve("$FILE.cut")', 0.3],
    ['object: full disk',          'dies',  '$PF{data}->store([1 .. 9], "$FILE.full")', 0.3],
    ['object: atomic, no directory', 'dies', '$PF{atomic}->store([1], "$FILE.none/x")', 0.1],
    ['object: atomic, refused',    'dies',  '$PF{atomic}->store($OBJECT{mixed}, "$FILE.at")', 0.1],
    ['atomic store',               'any',   'local $Permafrost::atomic = 1; store([1 .. 9], "$FILE.at")', 0.02],
    ['lock_update',                'any',   'Permafrost::lock_update(sub { $_->{n}++ }, "$FILE.up")', 0.1],
    ['lock_update that dies',      'dies',  'Permafrost::lock_update(sub { die "no\n" }, "$FILE.up")', 0.1],
    ['lock_update of code',        'dies',  'Permafrost::lock_update(sub { $_->{c} = sub { 1 } }, "$FILE.up")', 0.1],
    ['lock_update, new, dies',     'dies',  'Permafrost::lock_update(sub { die "no\n" }, "$FILE.new")', 0.1],
    ['lock_update of no image',    'dies',  'Permafrost::lock_update(sub { 1 }, "$FILE.bad")', 0.1],
    ['good object',                'any',   '$PF{full}->thaw($PF{full}->freeze($OBJECT{mixed}))'],
    ['good object, asked',         'any',   '$PF{code}->thaw($PF{code}->freeze([bless {}, "Leak::Plain"]))'],
    ['good clone',                 'any',   '$PF{data}->clone($OBJECT{code_deep}{a})'],
) if $module eq 'Permafrost';
# 16 bytes more in the buffer of a scalar each time: less than any forgotten SV (24 bytes).
@CASES = ['leak on purpose', 'any', 'our $leak; $leak .= "0123456789abcdef"; 1'] if $self_test;

if ($list) {
    print "$_->[0]\n" for @CASES;
    exit 0;
}

# RETURNS: resident memory of this process in bytes.
my $PAGE = do { require POSIX; POSIX::sysconf(POSIX::_SC_PAGESIZE()) };
sub resident {
    open my $in, '<', '/proc/self/statm' or die "leaks.pl: needs /proc: $!\n";
    return $PAGE * (split ' ', scalar <$in>)[1];
}

eval "require $module; 1" or die $@;
$module->import(qw(freeze nfreeze thaw dclone store nstore store_fd retrieve fd_retrieve
    lock_store lock_retrieve));
open $CLOSED, '>', '/dev/null' or die;
close $CLOSED;
prepare();
# perl reports what a DESTROY dies of as a warning, and may do so later than the call.
$SIG{__WARN__} = sub { print STDERR @_ unless $_[0] =~ /\(in cleanup\)/ };

my @wanted = @ARGV
    ? grep { my $name = $_->[0]; grep { index($name, $_) == 0 } @ARGV } @CASES
    : @CASES;
if ($thaws) {
    @wanted = map { [@$_[0 .. 2]] } grep { $_->[2] =~ /\bthaw\(/ && $_->[0] !~ /\Agood|upgraded|\Arestricted hash(?: downgraded)?\z/
        && ($_->[3] || 1) > 0.01 } @wanted;
}
die "leaks.pl: no such case; try --list\n" unless @wanted;
my $terminal = -t STDERR;
my $bad = 0;
$| = 1;
printf "%-30s %9s %10s %9s  %s\n", 'case', 'times', 'growth kB', 'us each', 'result';
for my $case (@wanted) {
    # Each in a process of its own: what one case freed would hide what the next one leaks.
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        my $passed = eval { run_case(@$case) };
        print "$case->[0]: $@" if $@;
        POSIX::_exit($passed ? 0 : 3);   # without END blocks and destructors
    }
    waitpid $pid, 0;
    $bad++ if $? != 0;
    # A crash, or perl's own end when out of memory.
    printf "%-30s process ended with status %d, signal %d\n", $case->[0], $? >> 8, $? & 127
        if $? != 0 && $? != 3 << 8;
}

# Prints a row; RETURNS: whether the case passed.
sub run_case {
    my ($name, $expected, $code, $share) = @_;
    my $times = int($count * ($share || 1)) || 1;
    my $run = eval "no strict 'vars'; sub { $code }" or die "does not compile: $@";

    # What it does, before how much memory it takes. Only the text of an error is kept: the
    # error may hold on to data.
    my $result = eval { $run->() };
    my $seen = $@ ? 'dies' : defined $result ? 'value' : 'undef';
    my $error = $@ ? "$@" : '';
    undef $result;
    $@ = '';
    my $remark = $expected eq 'any' || $expected eq $seen ? '' : "expected: $expected; it was: $seen $error";
    $remark =~ s/\n.*//s;

    print STDERR "\r$name\e[K" if $terminal;
    my ($growth, $took, $done) = grow($run, $times);
    ($growth, $took, $done) = grow($run, $times) if $growth > limit($times);
    print STDERR "\r\e[K" if $terminal;
    my $leaks = $growth > limit($times);
    printf "%-30s %9d %10.0f %9.2f  %s\n", $name, $done, $growth / 1024, $took / $done * 1e6,
        $leaks ? sprintf('LEAKS, %.0f bytes each %s', $growth / $done, $remark) : $remark || "ok ($seen)";
    return !$leaks && !$remark;
}

# RETURNS: (bytes of growth, seconds, calls) of $times calls, after a warm-up of a tenth of
# them. It stops early when the growth is beyond doubt, before the machine is out of memory.
sub grow {
    my ($run, $times) = @_;
    my $warm_up = 1 + int($times / 10);
    repeat($run, $warm_up, 64 * limit($times));
    my ($before, $start) = (resident(), time);
    my $done = repeat($run, $times, 4 * limit($times));
    return (resident() - $before, time() - $start, $done);
}

# RETURNS: how many calls were made, of $times, before memory grew by over $bytes.
sub repeat {
    my ($run, $times, $bytes) = @_;
    my ($before, $slice, $done) = (resident(), 1 + int($times / 100), 0);
    while ($done < $times && resident() - $before <= $bytes) {
        $slice = $times - $done if $slice > $times - $done;
        for (1 .. $slice) { eval { $run->() } }
        $done += $slice;
    }
    $@ = '';
    return $done;
}

if ($self_test) {
    print $bad ? "the leak was found\n" : "the leak was NOT found\n";
    exit($bad ? 0 : 1);
}
print $bad ? "$bad of " . @wanted . " cases failed\n" : "all " . @wanted . " cases passed\n";
exit($bad ? 1 : 0);
