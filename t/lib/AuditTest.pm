package AuditTest;

# Helpers of the tests of the audit: a folder with files, and the command run in it.

use strict;
use warnings;

use Cwd ();
use Exporter 'import';
use File::Basename ();
use File::Path ();
use File::Spec ();
use File::Temp ();

our @EXPORT = qw(project put slurp audit_command in_folder found);

my @inc    = map { '-I' . File::Spec->rel2abs($_) } grep { !ref } @INC;
my $script = File::Spec->rel2abs('script/permafrost');
my $stderr = File::Temp->new;
delete @ENV{qw(PERL5OPT NO_COLOR)};

# A new folder with these files (name => bytes).
sub project {
    my (%files) = @_;
    my $dir = File::Temp::tempdir(CLEANUP => 1);
    put($dir, $_, $files{$_}) for keys %files;
    return $dir;
}

sub put {
    my ($dir, $name, $bytes) = @_;
    File::Path::make_path(File::Basename::dirname("$dir/$name"));
    open my $out, '>:raw', "$dir/$name" or die "$dir/$name: $!";
    print {$out} $bytes;
    close $out or die "$dir/$name: $!";
    return;
}

sub slurp {
    my ($name) = @_;
    open my $in, '<:raw', $name or die "$name: $!";
    local $/;
    return scalar <$in>;
}

# Run code in a folder.
sub in_folder {
    my ($dir, $code) = @_;
    my $back = Cwd::getcwd();
    chdir $dir or die "$dir: $!";
    my @result = eval { $code->() };
    my $error = $@;
    chdir $back or die "$back: $!";
    die $error if $error;
    return wantarray ? @result : $result[-1];
}

# `permafrost audit ARGUMENTS` in a folder. RETURNS: (exit status, standard output, error output).
# A first argument that is a reference is the standard input.
sub audit_command {
    my ($dir, @arguments) = @_;
    my $input = File::Temp->new;
    print {$input} ref $arguments[0] ? ${shift @arguments} : '';
    close $input;
    my $out = in_folder($dir, sub {
        defined(my $pid = open my $from, '-|') or die "fork: $!";
        if (!$pid) {
            open STDIN, '<', "$input" or die "$input: $!";
            open STDERR, '>', "$stderr" or die "$stderr: $!";
            exec $^X, @inc, $script, 'audit', @arguments or die "$^X: $!";
        }
        local $/;
        my $text = <$from>;
        close $from;
        return $text;
    });
    my $status = $? >> 8;
    return ($status, $out, slurp("$stderr"));
}

# The findings in a JSON output, as "file:line id confidence".
sub found {
    my ($json) = @_;
    require JSON::PP;
    return join "\n", map { "$_->{file}:" . ($_->{line} // '') . " $_->{id} $_->{confidence}" }
        @{JSON::PP->new->utf8->decode($json)->{findings}};
}

1;
