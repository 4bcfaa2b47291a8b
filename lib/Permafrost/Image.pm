package Permafrost::Image;
# Looking into images without building what is in them.
use strict;
use warnings;
use Permafrost ();

our $VERSION = $Permafrost::VERSION;

# Run the program `permafrost` with these arguments. RETURNS: its exit status.
sub run {
    my ($class, @arguments) = @_;
    return _command('permafrost', @arguments);
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

=head1 SEE ALSO

L<permafrost>, L<Permafrost>

=cut
