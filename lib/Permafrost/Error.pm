package Permafrost::Error;

use 5.016;
use strict;
use warnings;
use overload
    '""'   => sub { $_[0]->as_string },
    'bool' => sub { !!1 },
    fallback => 1;
use Permafrost ();

our $VERSION = $Permafrost::VERSION;

# Name and number of each code, from the codec's own list.
my %CODE = do { my $number = 0; map { ($_ => $number++) } Permafrost::_error_names() };

# NAME of a code, the message, and "at FILE line N.\n". The glue makes its errors itself, with
# the same fields.
sub _new {
    my ($class, $name, $message, $at) = @_;
    return bless {code => $CODE{$name}, name => $name, message => $message, at => $at,
        offset => undef, path => undef}, $class;
}

sub code    { return $_[0]{code} }
sub name    { return $_[0]{name} }
sub message { return $_[0]{message} }
sub offset  { return $_[0]{offset} }
sub path    { return $_[0]{path} }

sub where {
    my ($self) = @_;
    my @where;
    push @where, "byte $self->{offset}" if defined $self->{offset};
    push @where, "at $self->{path}"     if defined $self->{path};
    return @where ? '(' . join(', ', @where) . ')' : '';
}

sub as_string {
    my ($self) = @_;
    my $where = $self->where;
    return $self->{message} . (length $where ? " $where" : '') . $self->{at};
}

sub throw {
    my ($self) = @_;
    die $self;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Error - what the methods of Permafrost objects die with

=head1 SYNOPSIS

    my $reader = Permafrost->new(max_bytes => 1_000_000);
    my $data = eval { $reader->thaw($image) };
    if (my $error = $@) {
        die $error unless ref $error && $error->isa('Permafrost::Error');
        warn "refused: ", $error->message;
        warn "a class: ", $error->path if $error->name eq 'class';
    }

=head1 DESCRIPTION

Errors of L<objects|Permafrost/OBJECTS> are objects of this class; those of functions are texts.
As a string, an error is what Storable would say, and where:

    Object #99 should have been retrieved already (byte 41, at $->{rows}[3]) at app.pl line 7.

It is true, and compares with C<eq> as that string. What a hook dies with is passed on: a text
becomes the message of an error named C<died>, an exception object stays what it is.

=head1 METHODS

=head2 name

The name of what is wrong, for programs. Names do not change.

    truncated      the image ends too early
    trailing       something stands behind it
    not_storable   a file that does not begin as an image
    major_version  written by a newer Storable, in a format that is not known here
    minor_version  the same; when writing: readers of max_minor would not know it
    byte_order  int_size  long_size  ptr_size  nv_size
                   native to a machine whose images cannot be read here
    marker  tag  class_index  class_length  length
                   the image is damaged
    depth  items  bytes
                   larger than the option max_depth, max_items or max_bytes allows
    class  tie  code
                   not allowed by the option trust
    item           something that cannot be stored
    hook  overload a class does not do what it must
    died           code that was called died: a hook, a module, a compiled sub
    argument       an argument makes no sense
    file  output   a file or a handle, for which $! tells more
    memory         there was not enough

=head2 code

The same as a number. Numbers do not change either.

=head2 message

The text, without the place.

=head2 offset

The byte in the image where reading stopped, counted from 0 and with the header. C<undef> when
writing, and where it means nothing.

=head2 path

The place in the data: C<< $->{rows}[3] >>. C<undef> where it means nothing. The notation is
explained under L<Permafrost/Paths>. Of C<max_items> and C<max_bytes> it is the item that was one
too many, or when writing perhaps the one behind it.

=head2 where

Offset and path in parentheses, as in the string; the empty string if there is neither.

=head2 as_string

The whole string.

=head2 throw

Dies with the error: to pass it on.

=head1 SEE ALSO

L<Permafrost>

=cut
