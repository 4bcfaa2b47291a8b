package Permafrost::Audit::Origins;

use 5.016;
use strict;
use warnings;
use Exporter 'import';
use Permafrost::Audit::Token qw(:all);
use Permafrost::Audit::Expression qw(assigned receiver_start);
use Permafrost::Audit::Functions qw(kind_of);
use Permafrost::Audit::Places qw(class_of handle_kind);

our @EXPORT_OK = qw(untrusted_origin is_guarded);

use constant { CERTAIN => 3, LIKELY => 2, POSSIBLE => 1 };

# Objects of a request, by class and by the usual names of variables.
my $REQUEST_CLASS = qr/\A(?:CGI\b|CGI::(?!Session)|Plack::Request|HTTP::Request|Apache2?::Request|Apache2?::Cookie|Mojo::Message|Dancer2?::Core::Request|Catalyst::Request|FCGI)/;
my $REQUEST_NAME  = qr/(?:\A|[>\$])(?:cgi|q|query|req|request|r|c|ctx|plack_req|http_req)(?:\(\))?\z/i;
# What they give that a stranger has sent.
my %REQUEST_METHOD = (
    (map { ($_ => 'a request') } qw(param multi_param params parameters body_params body_parameters query_parameters query_params body_param query_param url_param every_param body raw_body content raw_content decoded_content upload path_info args json_body)),
    (map { ($_ => 'a cookie') } qw(cookie cookies signed_cookie_unchecked raw_cookie)),
    (map { ($_ => 'a header') } qw(header headers headers_in header_in get_header)),
);
my %REQUEST_FUNCTION = (param => 'a request', multi_param => 'a request', url_param => 'a request',
    params => 'a request', cookie => 'a cookie', cookies => 'a cookie', raw_cookie => 'a cookie',
    request_header => 'a header', body_parameters => 'a request', query_parameters => 'a request',
        uploads => 'a request');
my $BASE64 = qr/\A(?:MIME::Base64::)?(?:decode_base64\w*|base64_decode|b64_decode|decode_b64\w*|from_base64|b64decode|decoded_base64)\z|\Adecode_base64url\z/;
# A signature or the like is looked at.
my $GUARD = qr/hmac|\bmac\b|_mac\b|signature|signed|\bverify|verif(?:y|ied)|digest|checksum|sha\d|md5|decrypt|\btrusted|is_trusted|authentic/i;

# Where the image that a CALL reads comes from, if that is a stranger: (words, how sure).
sub untrusted_origin {
    my ($source, $call) = @_;
    my $range = $call->{args}[0];
    if (kind_of($call->{fn}) eq 'handle') {
        my ($kind, undef, $guessed) = handle_kind($source, @$range);
        return $kind eq 'socket' ? ('a socket', $guessed ? POSSIBLE : LIKELY) : ();
    }
    my %found;
    _look($source, @$range, \%found, 0);
    if (kind_of($call->{fn}) eq 'file') { delete @found{'decoded base64', 'a socket', 'the environment', 'the standard input'} }    # that is a name
    my ($direct) = sort grep { $_ ne 'decoded base64' } keys %found;
    return ($direct, $found{$direct}) if defined $direct;
    return $found{'decoded base64'} ? ('decoded base64', POSSIBLE) : ();
}

# Note in FOUND what the tokens I to J, and what their variables got, tell.
sub _look {
    my ($source, $i, $j, $found, $depth) = @_;
    return if $depth > 4;
    my $t = $source->{tokens};
    for my $at ($i .. $j) {
        my ($type, $text) = @{$t->[$at]}[TYPE, TEXT];
        my $sure = $depth ? LIKELY : CERTAIN;
        if ($type eq 'word') {
            my $what = _word($source, $at, $text);
            $found->{$what} = $sure if defined $what && !($found->{$what} && $found->{$what} > $sure);
        }
        elsif ($type eq 'read') { $found->{'the standard input'} = $sure if $text =~ /\A<STDIN>\z/;
            $found->{'a socket'} = LIKELY if $text =~ /<\$?\w*sock\w*>/i }
        elsif ($type eq 'sym')  { _symbol($source, $at, $text, $found, $depth, $i) }
    }
    return;
}

sub _word {
    my ($source, $at, $text) = @_;
    my $t = $source->{tokens};
    my $before = $at ? $t->[$at - 1][TEXT] : ';';
    return 'decoded base64' if $text =~ $BASE64;
    if ($before eq '->') {
        my $what = $REQUEST_METHOD{$text} or return undef;
        my $start = receiver_start($source, $at - 2);
        my $recv = $source->text_of($start, $at - 2);
        return $what if $recv =~ $REQUEST_NAME;
        my $class = class_of($source, $start, $at - 2);
        return defined $class && $class =~ $REQUEST_CLASS ? $what : undef;
    }
    return undef if $before eq '{' || ($t->[$at + 1] || [0, ''])->[TEXT] eq '=>';
    my $next = ($t->[$at + 1] || [0, ''])->[TEXT];
    return $next =~ /\A(?:\(|->|['"])/ ? $REQUEST_FUNCTION{$text} : undef;
}

sub _symbol {
    my ($source, $at, $text, $found, $depth, $first) = @_;
    my $t = $source->{tokens};
    my $next = ($t->[$at + 1] || [0, ''])->[TEXT];
    if ($text eq '$ENV' && $next eq '{') { $found->{'the environment'} = $depth ? LIKELY : CERTAIN; return }
    if ($text =~ /\A\$(\w*cookie\w*)\z/i && $next =~ /\A(?:\{|->)/) { $found->{'a cookie'} //= LIKELY }
    return unless $text =~ /\A[\$\@]\w/;
    for my $set (assigned($source, $text, $at)) {
        next if $set->{at} >= $first && $set->{rhs}[0] <= $first && $first <= $set->{rhs}[1];
        _look($source, @{$set->{rhs}}, $found, $depth + 1) unless defined $set->{item}
            && $source->text_of(@{$set->{rhs}}) eq '@_';
    }
    _received($source, $at, $text, $found);
    return;
}

# sysread($sock, $buf, ...), recv($sock, $buf, ...), $sock->recv($buf, ...), read(STDIN, $buf, ...)
sub _received {
    my ($source, $at, $text, $found) = @_;
    my $t = $source->{tokens};
    my ($from) = $source->scope($at);
    for my $i ($from .. $at - 1) {
        next unless $t->[$i][TYPE] eq 'word' && $t->[$i][TEXT] =~ /\A(?:sysread|read|recv)\z/;
        my (undef, @args) = $source->arguments($i);
        my $method = $i && $t->[$i - 1][TEXT] eq '->';
        my $buffer = $method ? $args[0] : $args[1];
        next unless $buffer && $source->text_of(@$buffer) =~ /\A(?:my )?\Q$text\E\z/;
        my @handle = $method ? (receiver_start($source, $i - 2), $i - 2) : @{$args[0]};
        my ($kind) = handle_kind($source, @handle);
        $found->{'a socket'} = LIKELY if $kind eq 'socket' || $t->[$i][TEXT] eq 'recv';
        $found->{'a request'} = LIKELY if $source->text_of(@handle) =~ /psgi\.input/;
    }
    return;
}

# Has something been checked before the CALL, or does it make plain data only?
sub is_guarded {
    my ($source, $call) = @_;
    my $t = $source->{tokens};
    if (my $flags = $call->{args}[1]) {
        my $value = $flags->[0] == $flags->[1] && $t->[$flags->[0]][TYPE] eq 'num' ? $t->[$flags->[0]][TEXT]
            : undef;
        return 1 if defined $value && $value =~ /\A\d+\z/ && !($value & 2);
    }
    my ($from) = $source->scope($call->{at});
    for my $at ($from .. $call->{at} - 1) {
        my ($type, $text) = @{$t->[$at]}[TYPE, TEXT];
        return 1 if ($type eq 'word' || $type eq 'sym') && $text =~ $GUARD && $text !~ /\A(?:use|require)\z/;
        return 1 if $type eq 'sym' && $text =~ /\A\$(?:Storable|Permafrost)::flags\z/;
    }
    return 0;
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit::Origins - does an image come from a stranger?

=head1 DESCRIPTION

Part of L<Permafrost::Audit>. Nothing is public.

=cut
