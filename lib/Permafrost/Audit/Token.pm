package Permafrost::Audit::Token;

use 5.016;
use strict;
use warnings;
use Exporter 'import';

# The fields of a token.
use constant {
    TYPE => 0,            # word sym op struct cast str qw num re read shell label proto attr other
    TEXT => 1,            # as in the source
    LINE => 2, COL => 3,  # from 1; columns in characters
    MATCH => 4,           # of a bracket: index of its partner
    KIND => 5,            # of a brace: block hash subscript deref handle
    PACKAGE => 6,
    SUB => 7,             # the innermost sub around it, see Permafrost::Audit::Source
    VALUE => 8,           # of a string: what is between the quotes
    INTERPOLATES => 9,    # ... and whether variables are in it
};

our @EXPORT_OK = qw(TYPE TEXT LINE COL MATCH KIND PACKAGE SUB VALUE INTERPOLATES normal_name quoted words_of);
our %EXPORT_TAGS = (all => \@EXPORT_OK);

# Package names as perl thinks of them: no ' and no :: in front or behind.
sub normal_name {
    my ($name) = @_;
    $name =~ s/'/::/g;
    $name =~ s/\A::/main::/;
    $name =~ s/\Amain::(?=.*::)//;
    $name =~ s/::\z//;
    return $name;
}

# A string token in one spelling, so that 'a' and "a" are equal.
sub quoted {
    my ($token) = @_;
    my $value = $token->[VALUE] // '';
    return $token->[INTERPOLATES] ? qq("$value") : "'$value'";
}

# The words of a qw().
sub words_of {
    my ($text) = @_;
    $text =~ s/\Aqw\s*.//s;
    $text =~ s/.\z//s;
    return split ' ', $text;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Token - the fields of a token of Perl

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
