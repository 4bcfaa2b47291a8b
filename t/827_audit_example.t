# The example of a cache that is written in both orders: found, confirmed at run time, repaired.
use strict;
use warnings;
use lib 't/lib';
use AuditTest;
use File::Find ();
use File::Spec ();
use Test::More;

plan skip_all => 'needs PPI (libppi-perl)' unless eval { require PPI; 1 };
plan skip_all => 'needs JSON::PP' unless eval { require JSON::PP; 1 };

my $from = 'examples/cache_app';
my %files;
File::Find::find({no_chdir => 1, wanted => sub { $files{substr $_, 1 + length $from} = slurp($_) if -f }},
    $from);
my $dir = project(%files);
my @inc = map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC;
delete @ENV{qw(PERMAFROST_TRACE PERL5OPT)};

sub app {
    my (@switches) = @_;
    return in_folder($dir, sub {
        open my $out, '-|', $^X, @inc, @switches, 'app.pl' or die "$^X: $!";
        local $/;
        return scalar <$out>;
    });
}
sub report { return JSON::PP->new->utf8->decode((audit_command($dir, '--json', @_))[1]) }

my $before = "cart 1: 1 items, open, network order\ncart 2: 2 items, paid, native order\ncart 3: 3 items, open, network order\n";
is(app(), $before, 'the application mixes');

my $report = report();
is(join(' ', map { "$_->{file} $_->{id} $_->{confidence} $_->{severity}" } @{$report->{findings}}),
    'lib/Shop/Checkout.pm mixed-order certain error lib/Shop/Checkout.pm native-image certain error',
        'the audit finds it, and nothing else');
like($report->{findings}[0]{message}, qr/memcached.*lib\/Shop\/Cart\.pm, line 12/, 'and the other side');

{
    local $ENV{PERMAFROST_TRACE} = "$dir/trace.log";
    is(app('-MPermafrost::AsStorable'), $before, 'it runs under the trace');
}
my ($native) = grep { $_->{id} eq 'native-image' } @{report('--trace', 'trace.log')->{findings}};
is($native->{runtime}{status}, 'confirmed', 'the trace confirms it');
is($native->{runtime}{count}, 1, 'once');

my ($status) = audit_command($dir, '--fix');
is($status, 0, '--fix repairs it');
is(slurp("$dir/lib/Shop/Checkout.pm"), $files{'lib/Shop/Checkout.pm'} =~ s/\bfreeze/nfreeze/gr, 'just that');
is(app(), $before =~ s/native/network/r, 'all carts are in network order');
{
    unlink "$dir/trace.log";
    local $ENV{PERMAFROST_TRACE} = "$dir/trace.log";
    app('-MPermafrost::AsStorable');
    is(slurp("$dir/trace.log"), '', 'and the trace is empty');
}
is((audit_command($dir))[0], 0, 'the audit is content');

done_testing;
