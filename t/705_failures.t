# Writes that fail: the return value says so, and old files survive what never had to
# touch them. Stock Storable fails in part of this, so some checks are for others only.
use strict;
use warnings;
use lib 't/lib';
use Config;
use Cwd ();
use File::Spec ();
use File::Temp ();
use Test::More;
use PermafrostTest;

my $home = Cwd::cwd();
my @perl = ($^X, map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC);
my $dir  = File::Temp::tempdir(CLEANUP => 1);
chdir $dir or die "chdir: $!";
my $main = $$;
END { chdir $home if defined $home && $$ == $main }

my @WRITERS = qw(store nstore lock_store lock_nstore);

{
    package Dies;
    sub STORABLE_freeze { die "the hook died\n" }
    package Wrong;
    sub STORABLE_freeze { return ('x', 'no reference') }
}

# Whatever cannot be stored leaves the old file alone
my %refused = (
    'code'            => [1, {deep => [sub { 1 }]}],
    'a glob'          => [\*STDOUT],
    'a dying hook'    => [1, bless {}, 'Dies'],
    'a wrong hook'    => [1, bless {}, 'Wrong'],
    'code after much' => [('x' x 1000) x 200, sub { 1 }],
);
for my $what (sort keys %refused) {
    for my $writer (@WRITERS) {
        st->{nstore}->(['old'], 'old');
        my $before = (stat 'old')[1];
        same_outcome("$writer refuses $what", sub { $_[0]{$writer}->($refused{$what}, "x$_[0]{name}") });
        ok(!-e "x$MODULE", '... makes no file');
        ok(!eval { pf->{$writer}->($refused{$what}, 'old'); 1 }, '... also over an old file');
      SKIP: {
            skip 'stock Storable has lost the old file', 2 if is_stock();
            is_deeply(eval { st->{retrieve}->('old') }, ['old'], '... which is as it was');
            is((stat 'old')[1], $before, '... the very same');
        }
    }
}
SKIP: {
    skip 'stock Storable has sent a part already', 3 if is_stock();
    for my $writer (qw(store_fd nstore_fd)) {
        my $buffer = 'before ';
        open my $out, '>>', \$buffer or die $!;
        ok(!eval { pf->{$writer}->($refused{'code after much'}, $out); 1 }, "$writer refuses");
        close $out;
        is($buffer, 'before ', '... and has sent nothing');
    }
    my @left = grep { !/^(?:old|x.*)\z/ } map { glob } '*', '.??*';
    is_deeply(\@left, [], 'no other file is left behind');
}

# Recursion limits too
SKIP: {
    skip 'stock Storable has lost the old file', 2 if is_stock();
    st->{nstore}->(['old'], 'old');
    my $deep = [[[[[[[[]]]]]]]];
    ok(!eval { with_options({recursion_limit => 3}, sub { pf->{store}->($deep, 'old') }); 1 },
        'too deep');
    is_deeply(eval { st->{retrieve}->('old') }, ['old'], '... the old file is as it was');
}

# A full device. Reached by a symbolic link: stock Storable removes what it failed to
# write, as root even a device.
SKIP: {
    skip 'no /dev/full', 1 unless -c '/dev/full' && eval { symlink 'x', 'probe'; 1 };
    for my $size (1, 1000, 100_000) {
        for my $writer (@WRITERS) {
            unlink 'full';
            symlink '/dev/full', 'full' or die $!;
            my @warning;
            local $SIG{__WARN__} = sub { push @warning, @_ };
            local $@ = 'before';
            my @result = eval { pf->{$writer}->(['x' x $size], 'full') };
            is_deeply(\@result, [undef], "$writer of $size bytes to a full device says so");
            is_deeply(\@warning, [], '... without warnings');
            ok(is_stock() || -l 'full', '... and does not remove what is no regular file');
        }
        for my $writer (qw(store_fd nstore_fd)) {
            open my $out, '>', '/dev/full' or die $!;
            my $result = eval { pf->{$writer}->(['x' x $size], $out) };
            my $closed = close $out;
            ok(!$result || !$closed, "$writer of $size bytes: it or close says so");
            ok(!$result, '... it, when more than a buffer') if $size > 50_000;
        }
    }
    ok(-c '/dev/full', 'the device is still there');
}

# A file that may not grow: the write is cut short
SKIP: {
    skip 'no ulimit here', 1 if $^O eq 'MSWin32' || !-x '/bin/sh' || !$Config{sig_name} || $Config{sig_name} !~ /\bXFSZ\b/;
    for my $writer (@WRITERS) {
        open my $code, '>', 'limited.pl' or die $!;
        print {$code} <<"END";
\$SIG{XFSZ} = 'IGNORE';
use $MODULE qw($writer);
my \$result = eval { $writer(['x' x 5_000_000], "limited") };
print defined \$result ? "result \$result" : \$@ ? "error \$@" : "undef";
END
        close $code;
        unlink 'limited';
        my $got = do {
            my $command = join ' ', map { quoted($_) } @perl;
            `/bin/sh -c 'ulimit -f 1000; exec "\$0" "\$@"' $command limited.pl 2>&1`;
        };
        is($got, 'undef', "$writer cut short returns undef");
        ok(!-e 'limited', '... and leaves no part of a file');
    }
}

sub quoted { my ($word) = @_; $word =~ s/'/'\\''/g; return "'$word'" }

# A pipe without a reader
SKIP: {
    skip 'no SIGPIPE', 2 if $^O eq 'MSWin32';
    local $SIG{PIPE} = 'IGNORE';
    for my $writer (qw(store_fd nstore_fd)) {
        pipe my $in, my $out or die $!;
        close $in;
        my $result = eval { pf->{$writer}->([1 .. 100_000], $out) };
        ok(!$result, "$writer to a pipe without a reader");
        no warnings;
        close $out;
    }
}

# Places one may not write or read
SKIP: {
    skip 'no permissions here', 4 if $^O eq 'MSWin32' || $^O eq 'cygwin';
    chmod 0755, $dir;
    my $answer = in_child(sub {
        open my $out, '>', 'locked';
        print {$out} 'old';
        close $out;
        chmod 0400, 'locked';
        open $out, '>', 'hidden';
        close $out;
        chmod 0, 'hidden';
        ($<, $>) = (65534, 65534) if $> == 0;
        my @error;
        for my $m (pf, st) {
            for (['store', [], 'locked'], ['lock_store', [], 'locked'], ['store', [], 'newfile'],
                ['retrieve', 'hidden'], ['lock_retrieve', 'hidden']) {
                my ($function, @arguments) = @$_;
                eval { $m->{$function}->(@arguments); 1 } ? push @error, 'lived'
                  : push @error, clean_message($@);
            }
        }
        return join "\n", @error;
    });
    my @error = split /\n/, $answer;
    skip "no other user to be: $answer", 4 unless @error == 10;
    is_deeply([@error[0 .. 4]], [@error[5 .. 9]], 'without permission: as Storable says');
    like($error[0], qr/^can't create locked: /,     'store');
    like($error[1], qr/^can't write into locked: /, 'lock_store');
    like($error[3], qr/^can't open hidden: /,       'retrieve');
    open my $in, '<', 'locked';
    is(scalar <$in>, 'old', 'the file is as it was');
}

done_testing();
