# Subject: URI, Bit::Vector, Math::BigInt, Date::Manip, NetAddr::IP, HTTP::Headers::Fast
# Does: objects of many classes with and without hooks, stored in one file, cloned, used afterwards
# Packages: liburi-perl libbit-vector-perl libdate-manip-perl libnetaddr-ip-perl libhttp-headers-fast-perl libtype-tiny-perl
# Needs: URI Bit::Vector Math::BigInt Math::BigFloat Date::Manip::Date NetAddr::IP HTTP::Headers::Fast
use strict;
use warnings;
use Scenario;
use Bit::Vector ();
use Date::Manip::Date ();
use HTTP::Headers::Fast ();
use Math::BigFloat ();
use Math::BigInt ();
use NetAddr::IP ();
use Storable qw(dclone nfreeze nstore retrieve store thaw);
use URI ();

my $when = Date::Manip::Date->new;
$when->config('forcedate', '2024-01-01-00:00:00,UTC');    # no 'now' in the files
$when->parse('2024-02-29 12:34:56');
my $headers = HTTP::Headers::Fast->new(Date => 'Thu, 29 Feb 2024 12:34:56 GMT', 'Content-Type' => 'text/html', Accept => ['a', 'b']);
my %data = (
    uri => URI->new("http://user\@example.org:81/p\x{e4}th/?q=\x{263a}#frag"), bits => Bit::Vector->new_Enum(100, '3,7-12,64,99'),
    int => Math::BigInt->new('123456789012345678901234567890'), float => Math::BigFloat->new('-1.5e-30'), nan => Math::BigInt->bnan,
    when => $when, net => NetAddr::IP->new('192.168.7.9/24'), net6 => NetAddr::IP->new('2001:db8::5/48'), headers => $headers,
);
$data{same} = $data{uri};
if (writing) {
    store(\%data, 'native');
    nstore(\%data, 'network');
}
my %copy = (native => retrieve('native'), network => retrieve('network'), cloned => dclone(\%data), thawed => thaw(nfreeze(\%data)));
for my $how (sort keys %copy) {
    my $c = $copy{$how};
    print "$how: $c->{uri}, ", $c->{uri}->port, ', ', $c->{uri}->clone->host, ', ', join('|', $c->{uri}->query_form) =~ s/[^ -~]/?/gr, "\n";
    print '  shared: ', $c->{uri} == $c->{same} ? 'yes' : 'no', ', equal: ', $c->{uri}->eq($data{uri}) ? 'yes' : 'no', "\n";
    print '  bits ', $c->{bits}->to_Enum, ' of ', $c->{bits}->Size, ', norm ', $c->{bits}->Norm, "\n";
    $c->{bits}->Bit_On(50);
    print '  then ', $c->{bits}->to_Hex, "\n";
    print '  int ', $c->{int} + 1, ', float ', $c->{float} * 4, ", nan $c->{nan}\n";
    print '  when ', $c->{when}->printf('%Y-%m-%d %H:%M:%S'), "\n";
    print '  net ', $c->{net}->network, ' ', $c->{net} + 1, ' ', $c->{net}->contains(NetAddr::IP->new('192.168.7.200')) ? 'holds' : 'does not', ' ', $c->{net6}->short, "\n";
    print '  headers ', $c->{headers}->as_string =~ s/\n/; /gr, "\n";
}
