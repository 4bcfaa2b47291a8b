package Permafrost::Audit::Mixed;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Catalog qw(rule confidence_name);
use Permafrost::Audit::Files qw(readable_name);

our @EXPORT_OK = qw(mixed_orders);

# The findings `mixed-order` in the results of a scan: for each native write the best proof that
# something else writes to the same place in network order.
sub mixed_orders {
    my (@results) = @_;
    my (%places, @native);
    for my $result (@results) {
        for my $write (@{$result->{writes} || []}) {
            push @native, [$result->{file}, $write] if $write->{order} eq 'native';
            for my $place (@{$write->{places}}) {
                my $id = $place->{here} ? "$result->{file}\0$place->{id}" : $place->{id};
                push @{$places{$id}}, [$result->{file}, $write, $place] if $write->{order} eq 'network';
            }
        }
    }
    return map { _finding(@$_, \%places) } @native;
}

sub _finding {
    my ($file, $write, $places) = @_;
    my ($best, $other, $sure);
    for my $place (@{$write->{places}}) {
        my $id = $place->{here} ? "$file\0$place->{id}" : $place->{id};
        for my $network (@{$places->{$id} || []}) {
            # Two branches of one sub: somebody has chosen.
            next if $write->{chosen} && $network->[0] eq $file
                && ($network->[1]{sub} // '') eq ($write->{sub} // '');
            my $this = _least($place->{sure}, $write->{sure}, $network->[1]{sure});
            next if defined $sure && $this <= $sure;
            ($best, $other, $sure) = ($place, $network, $this);
        }
    }
    return () unless $best;
    my ($other_file, $other_write) = @$other;
    my $where = $other_file eq $file ? "line $other_write->{line}"
        : readable_name($other_file) . ", line $other_write->{line}";
    return {
        (map { ($_ => $write->{$_}) } qw(line column length sub package source first_line last_line function)),
        file => $file, id => 'mixed-order', confidence => confidence_name($sure),
            severity => rule('mixed-order')->{severity},
        message => "$best->{what} gets native images here and network ones by $other_write->{function} ($where)",
        suggestion => "use the network function here, too",
        related => [{file => $other_file, line => $other_write->{line},
            message => "$other_write->{function} writes network order here"}],
    };
}

sub _least {
    my ($least, @rest) = @_;
    for (@rest) { $least = $_ if $_ < $least }
    return $least;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Mixed - places that are written in both orders

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
