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

# An image rewritten for another machine, order or version. RETURNS: as what it is given: an
# object for an object, bytes for bytes.
sub convert {
    my ($self, @options) = @_;
    my $image = ref $self ? $self->bytes : shift @options;
    my %option = @options;
    my ($unknown) = grep { !$CONVERT{$_} } sort keys %option;
    Carp::croak("Permafrost::Image->convert has no option $unknown") if defined $unknown;
    my $minor = $option{minor};
    Carp::croak('Permafrost::Image->convert: minor is a number from 0 to 255')
        if defined $minor && $minor !~ /\A(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])\z/;
    local $@;
    my $new = eval {
        _convert($image, $option{order}, defined $minor ? $minor : -1, !!$option{exact}, !!$option{nested});
    };
    Carp::croak($@ =~ s/ at \S+ line \d+\.\n\z//r) if !defined $new;
    return ref $self ? bless({ bytes => $new }, ref $self) : $new;
}

# An image: { bytes } or { file }.
sub new {
    my ($class, @options) = @_;
    my %option = @options == 1 ? (bytes => @options) : @options;
    my @source = grep { exists $option{$_} } qw(bytes file handle);
    my @unknown = grep { !/\A(?:bytes|file|handle|max_unpacked)\z/ } sort keys %option;
    Carp::croak("Permafrost::Image: unknown option '$unknown[0]'") if @unknown;
    Carp::croak('Permafrost::Image: one of bytes, file and handle is needed') if @source != 1;
    my $value = $option{$source[0]};
    Carp::croak("Permafrost::Image: $source[0] is not defined") if !defined $value;
    my $most = $option{max_unpacked};
    Carp::croak('Permafrost::Image: max_unpacked is a number of bytes')
        if defined $most && $most !~ /\A[1-9][0-9]{0,17}\z/;
    my %self = $source[0] eq 'handle' ? (bytes => _read_handle($value)) : ($source[0] => $value);
    $self{max_unpacked} = $most if defined $most;
    return bless \%self, $class;
}

# The image that tagged JSON describes.
sub from_json {
    my ($class, $json) = @_;
    my ($image, $message) = _from_json($json);
    _die($message) if defined $message;
    return bless { bytes => $image }, $class;
}

sub _read_handle {
    my $handle = shift;
    local $/;
    binmode $handle;
    my $bytes = <$handle>;
    Carp::croak("Permafrost::Image: cannot read: $!") if !defined $bytes;
    return $bytes;
}

# Die with a command's message, for our caller's line: if there is a NAME of an error, with an
# object.
sub _die {
    my ($message, $name) = @_;
    $message =~ s/\A-: //;
    $message =~ s/--max-unpacked/max_unpacked/;
    $message =~ s/\n\z//;
    Carp::croak($message) if !defined $name;
    require Permafrost::Error;
    my ($offset, $path) = $message =~ s/ \(byte (\d+)(?:, at (.+))?\)\z//s ? ($1, $2) : ();
    my $error = Permafrost::Error->_new($name, $message, Carp::shortmess(''));
    @$error{qw(offset path)} = ($offset, $path);
    die $error;
}

# Run a command on the image. RETURNS: its output; status 2 dies, as does 1 unless $findings.
sub _run {
    my ($self, $findings, $command, @options) = @_;
    my @file = defined $self->{file} ? $self->{file} : '-';
    utf8::encode($_) for grep { utf8::is_utf8($_) } @options, @file;
    push @options, "--max-unpacked=$self->{max_unpacked}" if $self->{max_unpacked};
    my ($status, $output, $message) = _capture($self->{bytes}, 'permafrost', $command, @options, '--', @file);
    return $output if $status == 0 || ($findings && $status == 1);
    _die($message, $status == 1 ? $self->check->{error} : undef);
}

sub _decode {
    my $text = shift;
    require JSON::PP;
    return JSON::PP->new->utf8->decode($text);
}

# The bytes, unpacked.
sub bytes {
    my $self = shift;
    my $bytes = $self->{bytes};
    if (defined $self->{file}) {
        open my $in, '<', $self->{file} or Carp::croak("$self->{file}: $!");
        $bytes = _read_handle($in);
    }
    ($bytes, my $reason) = _unpack($bytes, $self->{max_unpacked} || 0);
    _die($reason) if defined $reason;
    return $bytes;
}

sub header {
    my $self = shift;
    return _decode($self->_run(1, 'head', '--json'));
}

sub check {
    my $self = shift;
    return _decode($self->_run(1, 'check', '--json'))->{files}[0];
}

sub is_fine { return $_[0]->check->{verdict} eq 'fine' }

sub to_json {
    my ($self, %option) = @_;
    return $self->_run(0, 'json', $option{tagged} ? '--tagged' : ());
}

sub dump {
    my ($self, %option) = @_;
    return $self->_run(0, 'dump', map { defined $option{$_} ? "--$_=$option{$_}" : () } qw(depth path));
}

sub explain {
    my ($self, %option) = @_;
    return $self->_run(0, 'explain', $option{summary} ? '--summary' : ());
}

sub tree {
    my $self = shift;
    return bless Permafrost::Image::Tree::_new($self->bytes), 'Permafrost::Image::Tree';
}

sub classes {
    my $self = shift;
    my $tree = $self->tree;
    my %seen;
    my @classes;
    while (my $event = $tree->next) {
        push @classes, $event->{class} if defined $event->{class} && !$seen{$event->{class}}++;
    }
    return @classes;
}

package Permafrost::Image::Tree;

our $VERSION = $Permafrost::VERSION;

# Errors are those of our callers' lines.
our @CARP_NOT = ('Permafrost::Image');
@Permafrost::Image::CARP_NOT = ('Permafrost::Image::Tree');

# What the object holds belongs to one interpreter.
sub CLONE_SKIP { return 1 }

sub next {
    my $self = shift;
    my ($event, $message, $name) = _next($self);
    Permafrost::Image::_die($message, $name) if defined $message;
    return $event;
}

1;
