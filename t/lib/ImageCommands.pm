package ImageCommands;
# Runs the program `permafrost`, as it was built, for the tests of its commands.
use strict;
use warnings;
use Exporter 'import';
use File::Temp qw(tempdir);
use FindBin;

our @EXPORT_OK = qw(permafrost run_program image_file);

my $dir = tempdir(CLEANUP => 1);
my $files = 0;

# RETURNS: the name of a new file that has these bytes.
sub image_file {
    my ($bytes, $name) = @_;
    $name = "$dir/" . ($name || 'image' . ++$files);
    open my $out, '>:raw', $name or die "$name: $!";
    print {$out} $bytes;
    close $out or die "$name: $!";
    return $name;
}

sub slurp {
    my $name = shift;
    open my $in, '<:raw', $name or die "$name: $!";
    local $/;
    return scalar <$in> // '';
}

# Run a program, a list, with $input as its standard input. RETURNS: (output, errors, status).
sub run_program {
    my ($command, $input) = @_;
    my $in = image_file($input, 'stdin');
    my ($out, $err) = ("$dir/stdout", "$dir/stderr");
    my @keep;
    open $keep[0], '<&', \*STDIN  or die $!;
    open $keep[1], '>&', \*STDOUT or die $!;
    open $keep[2], '>&', \*STDERR or die $!;
    open STDIN,  '<', $in  or die $!;
    open STDOUT, '>', $out or die $!;
    open STDERR, '>', $err or die $!;
    my $status = system { $command->[0] } @$command;
    open STDIN,  '<&', $keep[0] or die $!;
    open STDOUT, '>&', $keep[1] or die $!;
    open STDERR, '>&', $keep[2] or die $!;
    return (slurp($out), slurp($err), $status & 127 ? "signal $status" : $status >> 8);
}

# The same for `permafrost`, whose arguments are a list.
sub permafrost {
    my ($arguments, $input) = @_;
    my @program = ($^X, (map {"-I$_"} @INC), "$FindBin::Bin/../script/permafrost");
    return run_program([@program, @$arguments], $input);
}

1;
