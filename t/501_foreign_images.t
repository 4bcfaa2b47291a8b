# Images of other machines, read where they lie (../shared/corpus beside the project, or
# PERMAFROST_CORPUS): all are read, and a native one gives what the network one of its case
# gives. Stock refuses every foreign native image. Converted to any order they are the same data,
# and converted to their own they are the same bytes.
use strict;
use warnings;
use lib 't/lib';
use Data::Dumper ();
use Scalar::Util ();
use Test::More;
use PermafrostTest;

my $corpus = $ENV{PERMAFROST_CORPUS} || '../shared/corpus';
my @folders = grep { -d } glob "$corpus/*/*";
plan skip_all => 'about Permafrost' if is_stock();
plan skip_all => 'no corpus of images here' unless @folders;

# The classes of the images, with hooks that keep what they get.
sub fill {
    my ($self, $cloning, $string, @refs) = @_;
    my $type = Scalar::Util::reftype($self);
    if    ($type eq 'HASH')  { %$self = (string => $string, refs => \@refs) }
    elsif ($type eq 'ARRAY') { @$self = ($string, @refs) }
    else                     { $$self = $string }
    return;
}
for my $class ('Test', map { "Test$_" } 2 .. 20) {
    no strict 'refs';
    *{"${class}::STORABLE_thaw"} = \&fill;
}

require Permafrost::Image;

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

sub read_image {
    my ($module, $file) = @_;
    return $module->{retrieve}->($file) if $file =~ /store\.storable\z/;
    return $module->{thaw}->(slurp($file));
}

# The image in other orders, as data; and in its own, which must not change it.
sub converted {
    my ($file) = @_;
    my $image = slurp($file);
    return 'changed by conversion to its own order'
        if Permafrost::Image->convert($image, minor => ord substr $image, $image =~ /\Apst0/ ? 5 : 1, 1) ne $image;
    my %seen;
    for my $order (qw(network native 1234 4321 12345678 87654321)) {
        my $other = Permafrost::Image->convert($image, order => $order);
        if ($image =~ /\Apst0/) {
            open my $in, '<', \$other or die $!;
            $seen{shown(pf->{fd_retrieve}->($in))} = 1;
        }
        else {
            $seen{shown(pf->{thaw}->($other))} = 1;
        }
    }
    return sort keys %seen;
}

# As text; a number is what it looks like, for a large one is text in network order.
sub shown {
    my ($data) = @_;
    local ($Data::Dumper::Sortkeys, $Data::Dumper::Indent, $Data::Dumper::Useqq) = (1, 1, 1);
    my $text = Data::Dumper::Dumper($data);
    $text =~ s/(?<![\w"])["'](-?[0-9]+)["']/$1/g;
    return $text;
}

for my $folder (@folders) {
    my ($name) = $folder =~ m{([^/]+/[^/]+)\z};
    my (%case, @unread, @different);
    my ($images, $by_stock, @changed, @unlike) = (0, 0);
    for my $file (glob "$folder/*.storable") {
        my ($case, $kind) = $file =~ /([^\/]+)_(n?freeze|n?store)\.storable\z/ or next;
        $images++;
        my $data = eval { read_image(pf, $file) };
        if (defined $data) { $case{$case}{$kind} = shown($data) }
        else               { push @unread, "$case $kind: " . ($@ || 'undef') }
        my @converted = eval { converted($file) };
        push @changed, "$case $kind" . ($@ ? ": $@" : '') if "@converted" ne ($case{$case}{$kind} // '');
        if ($kind !~ /^n/) {
            (my $network = $file) =~ s/_$kind\.storable\z/_n$kind.storable/;
            push @unlike, "$case $kind"
                if -e $network && Permafrost::Image->convert(slurp($file), order => 'network') ne slurp($network);
        }
        $by_stock++ if defined eval { read_image(st, $file) };
    }
    for my $case (sort keys %case) {
        my %seen = map { $_ => 1 } values %{$case{$case}};
        push @different, $case if keys %seen > 1;
    }
    is("@unread", '', "$name: all of $images images are read (stock reads $by_stock)");
    is("@different", '', '... and all images of a case are the same data');
    is("@changed", '', '... and they are when converted');
    is("@unlike", '', '... to network order, as the bytes that their own machine wrote');
}
done_testing();
