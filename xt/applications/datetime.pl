# Subject: DateTime, DateTime::TimeZone, DateTime::Locale
# Does: times with zones and locales, durations and sets of them, stored by hooks and reckoned with afterwards
# Packages: libdatetime-perl libdatetime-timezone-perl libdatetime-locale-perl
# Needs: DateTime DateTime::TimeZone DateTime::Locale
use strict;
use warnings;
use Scenario;
use DateTime ();
use DateTime::Duration ();
use Storable qw(dclone freeze nfreeze nstore retrieve store thaw);

my $berlin = DateTime::TimeZone->new(name => 'Europe/Berlin');
my $at = sub { DateTime->new(year => 2024, month => 3, day => 31, hour => 0, @_) };
my $data = {
    utc => $at->(time_zone => 'UTC', nanosecond => 123_456_789), berlin => $at->(time_zone => $berlin), floating => $at->(),
    offset => $at->(time_zone => '+0530'), french => $at->(time_zone => $berlin, locale => 'fr-FR'), zone => $berlin,
    locale => DateTime::Locale->load('cs-CZ'), duration => DateTime::Duration->new(months => 1, days => 2, seconds => 3.0),
    infinite => DateTime::Infinite::Future->new,
};
$data->{again} = $data->{berlin};
if (writing) {
    store($data, 'native');
    nstore($data, 'network');
}
my %copy = (native => retrieve('native'), network => retrieve('network'), cloned => dclone($data), thawed => thaw(freeze($data)));
for my $how (sort keys %copy) {
    my $c = $copy{$how};
    print "$how: ", join(' ', map { $c->{$_}->strftime('%FT%T.%N%z') } qw(utc berlin floating offset)), "\n";
    print '  french: ', $c->{french}->strftime('%A %d %B') =~ s/[^ -~]/?/gr, ', Czech: ', $c->{locale}->month_format_wide->[2] =~ s/[^ -~]/?/gr, "\n";
    my $later = $c->{berlin}->clone->add(hours => 3);
    print '  three hours later: ', $later->strftime('%FT%T%z'), ' ', $later->is_dst ? 'DST' : 'no DST', ' ', $later->time_zone->name, "\n";
    print '  difference: ', join(' ', map { $_ // 'undef' } ($c->{utc} - $c->{offset})->in_units('hours', 'minutes', 'nanoseconds')), ', sum: ', ($c->{utc} + $c->{duration})->ymd, "\n";
    print '  the same object: ', $c->{again} == $c->{berlin} && Scalar::Util::refaddr($c->{again}) == Scalar::Util::refaddr($c->{berlin}) ? 'yes' : 'no',
        ', zone is the singleton: ', $c->{zone} == $berlin ? 'yes' : 'no', ', infinite: ', $c->{infinite}->is_infinite, "\n";
}
