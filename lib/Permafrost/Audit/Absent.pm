package Permafrost::Audit::Absent;

use strict;
use warnings;

# For perl -c of a file some of whose modules are not installed: take them for modules that
# export whatever they are asked for. Must stay loadable by the oldest perl, and load nothing.
push @INC, sub {
    my (undef, $file) = @_;
    return if $file !~ /\A[\w\/]+\.pm\z/;
    (my $package = $file) =~ s{/}{::}g;
    $package =~ s/\.pm\z//;
    my $source = "package $package; sub import { Permafrost::Audit::Absent::hand_out(\@_) } sub AUTOLOAD { return } sub DESTROY {} 1;\n";
    open my $handle, '<', \$source or return;
    return $handle;
};

# Give the caller of import the names that it asks for.
sub hand_out {
    my ($package, @names) = @_;
    my $target = caller 1;
    no strict 'refs';
    for my $name (grep { !ref && /\A&?[A-Za-z_]\w*\z/ } @names) {
        (my $bare = $name) =~ s/\A&//;
        *{"${target}::$bare"} = sub { return } unless defined &{"${target}::$bare"};
    }
    return;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Absent - perl -c without all modules at hand

=head1 DESCRIPTION

Part of L<Permafrost::Audit>, whose C<--fix> runs C<perl -c> with it where a module is missing.
Nothing is public.

=cut
