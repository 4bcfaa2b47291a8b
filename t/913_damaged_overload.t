# Reports of crashes: OVERLOAD (and its weak kin) on what is no object.
# thaw("\x05\x0b\x14\x0a\x01a") and thaw("\x05\x0b\x14\x08\x89") ended the process.
use strict;
use warnings;
use lib 't/lib';
use Test::More;
use PermafrostTest;

my %inside = (
    'a string'    => "\x0a\x01a",
    'a byte'      => "\x08\x89",
    'undef'       => "\x05",
    'sv_undef'    => "\x0e",
    'sv_yes'      => "\x0f",
    'sv_no'       => "\x10",
    'an element'  => "\x1f",
    'an array'    => "\x02\0\0\0\0",
    'a hash'      => "\x03\0\0\0\0",
    'a reference' => "\x04\x0a\x01a",
    'itself'      => "\0\0\0\0\0",
    'an overload' => "\x14\x0a\x01a",
    'a weak one'  => "\x1c\x0a\x01a",
    'a utf8'      => "\x17\x02\xc3\xa9",
    'a vstring'   => "\x1d\x02v1\x0a\x01\x01",
    'a regexp'    => "\x20\0\1a\0",
    'a number'    => "\x09\0\1\0\0",
    'a tied hash' => "\x0c\x0a\x01a",
    'a tied key'  => "\x15\x0a\x01a\x0a\x01a",
    'a plain object' => "\x11\x05Plain\x02\0\0\0\0",
    'an object of no package' => "\x11\x0bNo::Package\x02\0\0\0\0",
    'an empty class' => "\x11\x00\x02\0\0\0\0",
    'nothing'     => '',
);
{ package Plain; sub new { } }

# What thaw did, as text: it must come back with data, undef or an error.
sub answer {
    my ($m, $image) = @_;
    return in_child(sub {
        local $SIG{ALRM} = 'DEFAULT';
        alarm 20;
        my $got = outcome(sub { $m->{thaw}->($image) });
        return "error: $got->{error}" if length $got->{error};
        return 'undef' if !defined $got->{value};
        return tagged($got->{value});
    });
}

for my $marker ("\x14", "\x1c") {
    for my $what (sort keys %inside) {
        for my $before ('', "\x02\0\0\0\1", "\x04", "\x11\1A\x02\0\0\0\2\x05", "\x03\0\0\0\1") {
            my $image = "\x05\x0b$before$marker$inside{$what}" . ($before eq "\x03\0\0\0\1" ? "\0\0\0\1k" : '');
            my $name = sprintf '%s on %s in %s', $marker eq "\x14" ? 'OVERLOAD' : 'WEAKOVERLOAD', $what,
              length $before ? unpack 'H*', $before : 'the root';
            my $ours = answer(pf, $image);
            if (is_stock()) { ok(length $ours, "$name: $ours"); next }
            unlike($ours, qr/^(?:signal|exit)/, "$name: the process lives") or diag $ours;
            my $theirs = answer(st, $image);
            next if $theirs =~ m{^(?:signal|exit)|tie|Can't locate|Bareword in require} || $what eq 'itself';
            # What has no class: Storable takes for one whatever it finds in memory.
            s/\(package (?!<unknown>).*/(package <unknown>)/ for $ours =~ /<unknown>/ ? $theirs : ();
            is($ours, $theirs, '... and answers as Storable');
        }
    }
}

done_testing();
