package Permafrost::Image;
# Looking into images without building what is in them.
use strict;
use warnings;
use Carp ();
use Permafrost ();

our $VERSION = $Permafrost::VERSION;

# Run the program `permafrost` with these arguments. RETURNS: its exit status.
sub run {
    my ($class, @arguments) = @_;
    return _command('permafrost', @arguments);
}

my %CONVERT = map { ($_ => 1) } qw(order minor exact nested);

# An image rewritten for another machine, order or version. RETURNS: the new image.
sub convert {
    my ($class, $image, %option) = @_;
    my ($unknown) = grep { !$CONVERT{$_} } sort keys %option;
    Carp::croak("Permafrost::Image->convert has no option $unknown") if defined $unknown;
    my $minor = $option{minor};
    Carp::croak('Permafrost::Image->convert: minor is a number from 0 to 255')
        if defined $minor && $minor !~ /\A(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])\z/;
    local $@;
    my $new = eval {
        _convert($image, $option{order}, defined $minor ? $minor : -1, !!$option{exact}, !!$option{nested});
    };
    return $new if defined $new;
    Carp::croak($@ =~ s/ at \S+ line \d+\.\n\z//r);
}

1;

__END__

=encoding utf8

=head1 NAME

Permafrost::Image - look into Storable images without thawing them

=head1 SYNOPSIS

  use Permafrost::Image;
  exit Permafrost::Image->run('dump', 'session.sto');

=head1 DESCRIPTION

What the program L<permafrost> does with images.

=head1 METHODS

=head2 run

  my $status = Permafrost::Image->run('head', '--json', $file);

Runs a command as L<permafrost> does, with output to STDOUT and STDERR, and returns its exit
status.

=head2 convert

  my $portable = Permafrost::Image->convert($image, order => 'network');
  my $older    = Permafrost::Image->convert($image, minor => 9);

The image rewritten for another machine, byte order or version, without thawing it: what C<freeze>
or C<nfreeze> of that perl would have made of the same data. L<permafrost/convert> says what changes
and what cannot come back. An image with a magic (as C<store> writes it) keeps it. Options:

=over 4

=item order

C<network>; C<native>, which is this machine's; or a byte order, C<1234>, C<4321>, C<12345678>,
C<87654321>, perhaps with the sizes in bytes of a C int, long, pointer and of a float:
C<12345678/4/4/4/8>. Without this option the order stays.

=item minor

Version 2.N: markers that came later are turned into older equivalents.

=item exact

True: network order has floats as texts of 17 digits, which tell any two floats apart, not of 15.

=item nested

True: images in the strings of hooks are converted, too.

=back

Dies if the image is damaged, or has something that an older version cannot express; the message says
where.

=head1 SEE ALSO

L<permafrost>, L<Permafrost>

=cut
