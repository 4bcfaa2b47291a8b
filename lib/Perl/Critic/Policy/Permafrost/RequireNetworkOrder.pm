package Perl::Critic::Policy::Permafrost::RequireNetworkOrder;

use 5.016;
use strict;
use warnings;
use Perl::Critic::Utils qw($SEVERITY_HIGH);
use Permafrost ();
use Permafrost::Audit::Catalog qw(rank_of_confidence rank_of_severity);
use Permafrost::Audit::Mixed qw(mixed_orders);
use Permafrost::Audit::Rules qw(examine);
use Permafrost::Audit::Source ();
use parent 'Perl::Critic::Policy';

our $VERSION = $Permafrost::VERSION;

# The findings that are about the order.
my %ABOUT_ORDER = map { ($_ => 1) } qw(native-image mixed-order);

sub supported_parameters {
    return (
        {name => 'confidence', description => 'How sure it must be: possible, likely or certain.',
            default_string => 'likely',
            behavior => 'enumeration', enumeration_values => [qw(possible likely certain)]},
        {name => 'lowest_severity', description => 'How bad it must be: note, warning or error.',
            default_string => 'warning',
            behavior => 'enumeration', enumeration_values => [qw(note warning error)]},
    );
}
sub default_severity { return $SEVERITY_HIGH }
sub default_themes   { return qw(permafrost portability bugs) }
sub applies_to       { return 'PPI::Document' }

sub violates {
    my ($self, undef, $document) = @_;
    my @tokens = $document->tokens;
    my $text = join '', map { $_->content } @tokens;
    return () unless $text =~ /Storable|Permafrost/;
    my $source = Permafrost::Audit::Source->from_tokens(\@tokens, $document->serialize,
        name => $document->filename);
    my $result = examine($source);
    my @findings = (@{$result->{findings}}, mixed_orders({file => '', %$result}));
    my %element = map { (join(':', @{$_->location}[0, 1]) => $_) } grep { $_->significant } @tokens;
    return map { $self->violation($_->{message}, ucfirst $_->{suggestion}, $element{"$_->{line}:$_->{column}"}
        || $document) }
        sort { $a->{line} <=> $b->{line} || $a->{column} <=> $b->{column} } grep { $self->_is_wanted($_) }
            @findings;
}

sub _is_wanted {
    my ($self, $finding) = @_;
    return $ABOUT_ORDER{$finding->{id}}
        && rank_of_confidence($finding->{confidence}) >= rank_of_confidence($self->{_confidence})
        && rank_of_severity($finding->{severity}) >= rank_of_severity($self->{_lowest_severity});
}

1;

__END__

=encoding UTF-8

=head1 NAME

Perl::Critic::Policy::Permafrost::RequireNetworkOrder - write images that any machine can read

=head1 DESCRIPTION

C<freeze>, C<store>, C<store_fd> and C<lock_store> of L<Storable> and L<Permafrost> write images in
this machine's byte order; others may refuse them. This policy finds them as L<Permafrost::Audit>
does, by what names mean: its findings C<native-image> and C<mixed-order>, within one file.

    $cache->set($key, freeze($data));     # not ok
    $cache->set($key, nfreeze($data));    # ok
    $serializer->freeze($data);           # ok: a method

=head1 CONFIGURATION

In F<.perlcriticrc>:

    [Permafrost::RequireNetworkOrder]
    confidence = certain
    lowest_severity = error

C<confidence> is C<possible>, C<likely> (the default) or C<certain>. C<lowest_severity> is C<note>,
C<warning> (the default) or C<error>: with C<error> only images that go to a cache, a database, a
session, a queue or a socket count. A line can be exempted by C<## no critic>, as usual.

=head1 SEE ALSO

L<Permafrost::Audit>, L<Perl::Critic>

=head1 LICENSE

This is free software; you may use, copy and change it under the same terms as Perl itself.

=cut
