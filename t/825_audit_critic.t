# The policy of Perl::Critic, on the engine of the audit.
use strict;
use warnings;
use lib 't/lib';
use Test::More;

plan skip_all => 'needs Perl::Critic (libperl-critic-perl)' unless eval { require Perl::Critic; 1 };

my $policy = 'Perl::Critic::Policy::Permafrost::RequireNetworkOrder';
use_ok($policy) or BAIL_OUT('no policy');

# RETURNS: "line:column" of each violation.
sub critic {
    my ($text, %parameters) = @_;
    my $critic = Perl::Critic->new(-profile => '', -include => ['RequireNetworkOrder'],
        '-single-policy' => 'RequireNetworkOrder', -severity => 1);
    my ($only) = grep { ref eq $policy } $critic->policies;
    if (%parameters) {
        $critic = Perl::Critic->new(-profile => 'NONE');
        $critic->add_policy(-policy => $policy, -params => \%parameters);
    }
    return join ' ', map { $_->location->[0] . ':' . $_->location->[1] } $critic->critique(\$text);
}

my $text = "use Storable qw(freeze nfreeze thaw);\n\nmy \$image = freeze(\$x);\nmy \$copy = thaw(freeze(\$x)) or die;\nmy \$y = \$serializer->freeze(\$x);\n"
    . "my \$z = \$q ? nfreeze(\$x) : freeze(\$x);\n";
is(critic($text), '3:13', 'a call, not a copy, a method, or what is only possible');
is(critic($text, lowest_severity => 'note'), '3:13 4:17', 'lowest_severity');
is(critic($text, confidence => 'possible'), '3:13 6:28', 'confidence');
is(critic("use Storable qw(freeze);\nmy \$image = freeze(\$x);    ## no critic\n"), '', 'no critic');
is(critic("my \$image = freeze(\$x);\n"), '', 'a file without Storable');
is(critic("use Storable qw(freeze nfreeze);\nmy \$memd = Cache::Memcached->new;\n\$memd->set('a', freeze(\$x));\n\$memd->set('a', nfreeze(\$x));\n"), '3:17 3:17', 'both orders');
is(critic("use Storable qw(freeze);\nprint <<A, freeze(\$x);\nfreeze\nA\nprint freeze(\$x);\n"), '2:12 5:7',
    'behind a heredoc');
is($policy->new->default_severity, 4, 'severity');

done_testing;
