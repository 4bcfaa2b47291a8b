package Permafrost::Audit::Settings;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Catalog qw(rule rank_of_severity severities rule_ids);

our @EXPORT_OK = qw(find_settings read_settings);

# The .permafrostrc in this folder or one above it, up to the root of the repository; undef if
# there is none.
sub find_settings {
    require Cwd;
    my $dir = Cwd::getcwd();
    while (defined $dir) {
        return "$dir/.permafrostrc" if -f "$dir/.permafrostrc";
        last if -e "$dir/.git" || $dir !~ s{/[^/]+\z}{} || !length $dir;
    }
    return undef;
}

# Read a file of settings. RETURNS: a hash of paths and exclude (lists), severity (id => severity
# or "off") and cache (module => list of methods). Dies with the line of what is wrong.
sub read_settings {
    my ($file) = @_;
    open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
    my %settings = (paths => [], exclude => [], severity => {}, cache => {});
    my $section = '';
    while (my $line = <$in>) {
        $line =~ s/\A\s+|\s*\z//g;
        next if $line eq '' || $line =~ /\A[#;]/;
        if ($line =~ /\A\[(\w+)\]\z/) {
            $section = $1;
            die "$file line $.: no section '$section': there are [paths], [severity] and [cache]\n"
                unless $section =~ /\A(?:paths|severity|cache)\z/;
            next;
        }
        my ($name, $value) = $line =~ /\A([^=]+?)\s*=\s*(.*)\z/
            or die "$file line $.: expected NAME = VALUE\n";
        eval { _setting(\%settings, $section, $name, $value); 1 } or die "$file line $.: $@";
    }
    return \%settings;
}

sub _setting {
    my ($settings, $section, $name, $value) = @_;
    if ($section eq 'severity') {
        die "no finding '$name': there are " . join(', ', rule_ids()) . "\n" unless rule($name);
        die "no severity '$value': there are " . join(', ', severities()) . "\n"
            unless defined rank_of_severity($value);
        $settings->{severity}{$name} = $value;
    }
    elsif ($section eq 'cache') {
        die "not a module name: $name\n" unless $name =~ /\A\w+(?:::\w+)*\z/;
        $settings->{cache}{$name} = [split ' ', $value];
    }
    elsif ($name eq 'include') { push @{$settings->{paths}}, split ' ', $value }
    elsif ($name eq 'exclude') { push @{$settings->{exclude}}, map { _pattern($_) } split ' ', $value }
    else { die "no setting '$name'"
        . ($section eq 'paths' ? ": there are include and exclude\n"
        : " outside of [paths], [severity] and [cache]\n") }
    return;
}

# A file name pattern: a folder (t/), or * and ? as in a shell.
sub _pattern {
    my ($glob) = @_;
    my $folder = $glob =~ s{/+\z}{};
    my $re = join '', map { $_ eq '**' ? '.*' : $_ eq '*' ? '[^/]*' : $_ eq '?' ? '[^/]'
        : quotemeta } split /(\*\*|\*|\?)/, $glob;
    return $folder ? qr{(?:\A|/)$re(?:/|\z)} : qr{(?:\A|/)$re\z};
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Settings - read .permafrostrc

=head1 DESCRIPTION

Part of L<Permafrost::Audit>, whose manual describes the file. Nothing is public.

=cut
