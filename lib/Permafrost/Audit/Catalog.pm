package Permafrost::Audit::Catalog;

use 5.016;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(rule_ids rule severities confidences rank_of_severity rank_of_confidence confidence_name);

# The findings there are: id => severity unless something raises or lowers it, title, and help.
my %RULES = (
    'native-image' => {severity => 'warning', title => 'An image in native byte order is written',
        help => 'freeze, store, store_fd and lock_store write numbers as they lie in memory; another machine or perl may refuse them. Use nfreeze, nstore, nstore_fd and lock_nstore.'},
    'mixed-order' => {severity => 'error', title => 'One place is written in native and in network order',
        help => 'The same cache, file or column gets images of both orders. Use the network function everywhere.'},
    'untrusted-thaw' => {severity => 'error', title => 'An image from a stranger is thawed',
        help => 'Thawing makes objects of any class and runs code of theirs. Check a signature first, use thaw($image, 0), or Permafrost->new(trust => "data").'},
    'code-enabled' => {severity => 'error', title => 'Images may carry code',
        help => 'With $Storable::Eval whoever writes the image runs code here; with $Storable::Deparse code is written.'},
    'silent-loss' => {severity => 'warning', title => 'Items that cannot be stored are lost with no error',
        help => '$Storable::forgive_me stores a string in the place of code and handles.'},
    'unchecked-result' => {severity => 'warning', title => 'The result is not checked',
        help => 'thaw and retrieve return undef for a truncated image; store returns undef if not all could be written.'},
    'lock-gap' => {severity => 'warning', title => 'A file is read and written under two locks',
        help => 'Between lock_retrieve and lock_store another process can write; its change is lost. Hold one lock over both, as Permafrost::lock_update does.'},
    'native-file' => {severity => 'warning', title => 'A file holds an image in native byte order',
        help => 'It can be refused by another machine or perl. Convert it with `permafrost convert`, or write it by nstore.'},
    'unused-suppression' => {severity => 'note', title => 'A suppression comment that suppresses nothing',
        help => 'Remove the comment.'},
);
my %SEVERITY   = (off => 0, note => 1, warning => 2, error => 3);
my @CONFIDENCE = (undef, 'possible', 'likely', 'certain');
my %CONFIDENCE = map { ($CONFIDENCE[$_] => $_) } 1 .. 3;

sub rule_ids           { return sort keys %RULES }
sub rule               { return $RULES{$_[0]} }
sub severities         { return sort { $SEVERITY{$a} <=> $SEVERITY{$b} } keys %SEVERITY }
sub confidences        { return @CONFIDENCE[1 .. 3] }
sub rank_of_severity   { return $SEVERITY{$_[0]} }
sub rank_of_confidence { return $CONFIDENCE{$_[0]} }
sub confidence_name    { return $CONFIDENCE[$_[0]] }

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Catalog - the kinds of findings, their severities and texts

=head1 DESCRIPTION

Part of L<Permafrost::Audit>, whose manual explains each of them. Nothing is public.

=cut
