package Permafrost::Audit;

use 5.016;
use strict;
use warnings;
use Permafrost ();
use Permafrost::Audit::Catalog qw(rule rank_of_confidence);
use Permafrost::Audit::Files qw(find_files read_file display_name);
use Permafrost::Audit::Mixed qw(mixed_orders);
use Permafrost::Audit::Places ();
use Permafrost::Audit::Review qw(diff_of_revision parse_diff old_text only_new);
use Permafrost::Audit::Runtime qw(read_trace merge_trace);
use Permafrost::Audit::Scan qw(scan scan_text needs_ppi);

our $VERSION = $Permafrost::VERSION;

# The command line, for script/permafrost. RETURNS: the exit status.
sub run {
    my ($class, @arguments) = @_;
    require Permafrost::Audit::CommandLine;
    return Permafrost::Audit::CommandLine::run(@arguments);
}

# Audit files; see the manual below for the options and the report.
sub audit {
    my (%option) = @_;
    needs_ppi();
    Permafrost::Audit::Places::configure($option{cache} || {});
    my $changes = !defined $option{diff} ? undef : ref $option{diff} ? parse_diff(${$option{diff}})
        : diff_of_revision($option{diff});
    my ($files, $missing) = find_files($option{paths} || ['.'], @option{qw(exclude exclude_prefix)});
    my @results = _scan_all($files, \%option);
    my ($findings, $suppressed) = _all_findings(@results);
    if ($changes) {
        my ($old) = _all_findings(_old_results(\@results, $changes));
        _severities($_, $option{severity}) for $findings, $old;
        $findings = [only_new($changes, $old, $findings)];
    }
    else { _severities($findings, $option{severity}) }
    my $report = {
        findings => $findings, suppressed => $suppressed, known => 0, files => scalar @$files,
            option => \%option,
        errors => [(map { {file => display_name($_->[0]), message => $_->[1]} } @$missing),
            map { {file => display_name($_->{file}), message => $_->{error}} } grep { $_->{error} } @results],
        exports => {map { %{$_->{exports} || {}} } @results},
    };
    $report->{trace} = _trace($report, \%option) if defined $option{trace};
    @{$report->{findings}} = grep { _is_wanted($_, $option{confidence}) } @{$report->{findings}};
    _finish($report);
    _leave_known($report, $option{baseline}) if defined $option{baseline};
    return $report;
}

# Scan, and scan again what uses modules of the project that hand Storable's functions on.
sub _scan_all {
    my ($files, $option) = @_;
    my %common = (jobs => $option->{jobs} // _processors(), data => 1);
    my $progress = $option->{progress};
    my @results = scan($files, %common, progress => $progress && sub { $progress->($_[0], scalar @$files) });
    my %exports;
    for (1 .. 3) {
        my %new = map { %{$_->{exports} || {}} } @results;
        my @fresh = grep { !$exports{$_} } keys %new;
        last unless @fresh;
        %exports = %new;
        my @again = scan($files, %common, data => 0, known => \%exports,
            only_mention => _users_of(\%exports));
        my %again = map { ($_->{file} => $_) } @again;
        @results = ((map { delete $again{$_->{file}} || $_ } @results), map { $again{$_} } sort keys %again);
    }
    return @results;
}

# A pattern for what a file has that uses one of these modules: it loads it, or names a sub of it.
sub _users_of {
    my ($exports) = @_;
    my @patterns;
    for my $package (sort keys %$exports) {
        my $names = join '|', map { quotemeta } sort keys %{$exports->{$package}{subs}};
        push @patterns, "\\b\Q$package\E(?:::|')(?:$names)\\b";
        push @patterns, "\\b(?:use|require|use_ok|use_module|load|import)\\b[\\s('\"]*\Q$package\E\\b(?!::)"
            if $exports->{$package}{exports};
    }
    my $any = join '|', @patterns;
    return qr/$any/;
}

sub _processors {
    open my $in, '<', '/proc/cpuinfo' or return 1;
    return scalar(grep { /\Aprocessor\s*:/ } <$in>) || 1;
}

# All findings of results, with files named for people; without those that a comment allows.
sub _all_findings {
    my (@results) = @_;
    my @findings = mixed_orders(@results);
    for my $result (@results) {
        push @findings, map { {%$_, file => $result->{file}} } @{$result->{findings} || []};
        push @findings, _image_finding($result) if $result->{image};
    }
    my ($left, $suppressed) = _suppress(\@findings, \@results);
    $_->{file} = display_name($_->{file}) for @$left, map { @{$_->{related} || []} } @$left;
    return ($left, $suppressed);
}

sub _image_finding {
    my ($result) = @_;
    my $image = $result->{image};
    my $machine = join ', ', "byte order $image->{byteorder}",
        map { defined $image->{$_} ? "$_ $image->{$_}" : () } qw(intsize longsize ptrsize nvsize);
    return {
        id => 'native-file', confidence => $image->{in_file} ? 'certain' : 'likely',
            severity => rule('native-file')->{severity}, file => $result->{file},
        message => "this file is an image in native byte order ($machine)",
            suggestion => 'permafrost convert --order network, and write it by nstore or nfreeze',
    };
}

# ---- comments that allow ---------------------------------------------------------------------------

# Leave out what `# permafrost: allow ID (reason)` allows, and add what allows nothing.
sub _suppress {
    my ($findings, $results) = @_;
    my @comments = map { _allowances($_) } @$results;
    my (%by_file, @left, $count);
    push @{$by_file{$_->{file}}}, $_ for @comments;
    for my $finding (@$findings) {
        my ($allowed) = grep { _allows($_, $finding) } @{$by_file{$finding->{file}} || []};
        if ($allowed) { $allowed->{used}{$finding->{id}} = 1; $count++ }
        else          { push @left, $finding }
    }
    for my $comment (@comments) {
        for my $id (grep { !$comment->{used}{$_} } @{$comment->{ids}}) {
            push @left, {
                id => 'unused-suppression', confidence => 'certain',
                    severity => rule('unused-suppression')->{severity},
                (map { ($_ => $comment->{$_}) } qw(file line column source)),
                    length => length $comment->{text},
                message => rule($id) ? "this comment allows $id, but there is none here"
                    : "this comment allows '$id', and there is no such finding",
                suggestion => 'remove it',
            };
        }
    }
    return (\@left, $count || 0);
}

sub _allowances {
    my ($result) = @_;
    return map {
        my ($line, $column, $text) = @$_;
        $text =~ s/\s+\z//;
        my ($ids) = $text =~ /permafrost:\s*allow\s+([\w-]+(?:\s*,\s*[\w-]+)*)/;
        $ids ? {file => $result->{file}, line => $line, column => $column, text => $text, source => undef,
            ids => [split /\s*,\s*/, $ids], range => $result->{bounds}{"$line:$column"} || [$line, $line],
                used => {}} : ();
    } @{$result->{comments} || []};
}

sub _allows {
    my ($comment, $finding) = @_;
    return 0 unless defined $finding->{line} && grep { $_ eq $finding->{id} } @{$comment->{ids}};
    my ($from, $to) = @{$comment->{range}};
    return $from <= $finding->{line} && $finding->{line} <= $to;
}

# ---- changes ------------------------------------------------------------------------------------------

# The results as they would have been before the changes.
sub _old_results {
    my ($results, $changes) = @_;
    my %exports = map { %{$_->{exports} || {}} } @$results;
    my %changed = map { (display_name($_->{file}) => $_) } @$changes;
    my @old = grep { !$changed{display_name($_->{file})} } @$results;
    for my $change (values %changed) {
        my $new = eval { read_file($change->{file}) } // next;
        my $text = old_text($change, $new) // next;
        my $result = scan_text($change->{old_file}, $text, known => \%exports);
        push @old, $result;
    }
    return @old;
}

# ---- what is reported -----------------------------------------------------------------------------------

# Severities as .permafrostrc wants them; "off" leaves a finding out.
sub _severities {
    my ($findings, $wanted) = @_;
    $_->{severity} = $wanted->{$_->{id}} // $_->{severity} for @$findings;
    @$findings = grep { $_->{severity} ne 'off' } @$findings;
    return;
}

sub _is_wanted {
    my ($finding, $confidence) = @_;
    return !defined $confidence
        || rank_of_confidence($finding->{confidence}) >= rank_of_confidence($confidence);
}

# Order, each thing once, and a name for it that outlives changes elsewhere in the file.
sub _finish {
    my ($report) = @_;
    require Digest::MD5;
    my @sorted = sort { $a->{file} cmp $b->{file} || ($a->{line} || 0) <=> ($b->{line} || 0)
        || ($a->{column} || 0) <=> ($b->{column} || 0) || $a->{id} cmp $b->{id} } @{$report->{findings}};
    my %same;
    for my $finding (@sorted) {
        my $text = join "\0", map { $_ // '' } @$finding{qw(id file sub function)},
            ($finding->{source} // '') =~ s/\s+//gr;
        utf8::encode($text);
        $text .= "\0" . $same{$text}++;
        $finding->{fingerprint} = Digest::MD5::md5_hex($text);
    }
    @{$report->{findings}} = @sorted;
    return;
}

# Leave out what an earlier report has.
sub _leave_known {
    my ($report, $file) = @_;
    require JSON::PP;
    my $bytes = eval { read_file($file) } // die "$file: $@";
    my $old = eval { JSON::PP->new->utf8->decode($bytes) };
    die "$file: not an output of permafrost audit --json\n" unless ref $old eq 'HASH'
        && ref $old->{findings} eq 'ARRAY';
    my %known = map { ($_->{fingerprint} // '' => 1) } @{$old->{findings}};
    my @left = grep { !$known{$_->{fingerprint}} } @{$report->{findings}};
    $report->{known} = @{$report->{findings}} - @left;
    $report->{findings} = \@left;
    return;
}

# Merge a trace. What it alone has seen in files that were audited becomes findings.
sub _trace {
    my ($report, $option) = @_;
    my @left = merge_trace($report->{findings}, read_trace($option->{trace}));
    my @native = grep { $_->{id} eq 'native-image' } @{$report->{findings}};
    return {
        confirmed => scalar(grep { $_->{runtime}{status} eq 'confirmed' } @native),
        never_seen => scalar(grep { $_->{runtime}{status} ne 'confirmed' } @native), not_found => \@left,
    };
}

1;

__END__

=encoding UTF-8

=head1 NAME

Permafrost::Audit - find the freeze that should have been nfreeze, in code review

=head1 SYNOPSIS

    permafrost audit                          # this folder
    permafrost audit lib bin/app              # these
    permafrost audit --diff main              # what the changes since main bring
    git diff | permafrost audit --diff -
    permafrost audit --fix --dry-run          # what a fix would change
    permafrost audit --format sarif >audit.sarif

=head1 DESCRIPTION

C<permafrost audit> reads Perl source, without running it, and says where images are written in
this machine's byte order, how sure that is, why it matters there, and what to write instead. It
also finds some other mistakes with L<Storable> and L<Permafrost>, which has the same functions.

It goes by what names mean, not by how they look. It knows what C<use Storable> imports with and
without a list, tags, renamed imports, C<require> and C<import>, references, C<can>, globs and
aliases, modules of the project that hand the functions on, and what only looks alike: methods,
hash keys, subs of your own, other modules, POD, strings.

It needs the module L<PPI> (Debian: libppi-perl). Everything else comes with perl.

=head2 How sure

Each finding has a I<confidence>: B<certain>; B<likely>, such as a reference to C<freeze> that
is kept in an object; B<possible>, such as one of two branches, the other of which has C<nfreeze>,
or the text of a string eval. C<--confidence likely> leaves out what is only possible.

=head2 How bad

Each has a I<severity>: B<error>, B<warning> or B<note>. The audit follows an image through
variables, through the subs of the file, and to their callers. One that goes to a cache, a
database, a session, a queue or a socket is an error: others will read it. One that visibly stays
in the process, or goes to a child, a pipe or a temporary file, is a note. All else is a warning.

=head1 FINDINGS

=head2 native-image

C<freeze>, C<store>, C<store_fd> and C<lock_store> (and C<mstore> and C<pstore>, the names of
Storable's XSUBs) write numbers as they lie in memory. Another machine, or another perl, may say
C<Byte order is not compatible>.

    $memd->set($key, freeze($user));            # bad
    $memd->set($key, nfreeze($user));           # good

    my $copy = thaw(freeze($data));             # bad: an image for nothing
    my $copy = dclone($data);                   # good

The network functions keep 15 digits of a float, as perl prints it. Where the audit sees floats
with more it says so, and offers C<< Permafrost->new(exact_numbers => 1) >>.

=head2 mixed-order

The same cache, file or column is written in both orders, or one value in one way here and the
other there. On one machine nobody notices.

    sub add    { $memd->set("user:$_[0]", nfreeze($_[1])) }
    sub change { $memd->set("user:$_[0]", freeze($_[1])) }      # bad
    sub change { $memd->set("user:$_[0]", nfreeze($_[1])) }     # good

Places are known to be the same by their key, file name or column (across files), or by the object
that leads to them (in one file).

=head2 untrusted-thaw

An image comes from a request, a cookie, a header, a socket, the environment or decoded base64, and
nothing in the sub looks at a signature. Reading makes objects of the classes that the image
names, and runs their code.

    my $cart = thaw(decode_base64($cgi->cookie('cart')));       # bad

    my $image = decode_base64($cgi->cookie('cart'));            # good
    die 'forged' if hmac_sha256($image, $key) ne $mac;
    my $cart = thaw($image) or die 'truncated';

    my $cart = thaw($image, 0) or die 'truncated';              # good: no objects

=head2 code-enabled

C<$Storable::Eval> compiles code that is found in images: whoever can write one can run code
here. C<$Storable::Deparse> writes code into images.

    $Storable::Eval = 1;                                        # bad
    $Storable::Eval = sub { $safe->reval($_[0]) };              # better, a warning
                                                                # good: neither

=head2 silent-loss

With C<$Storable::forgive_me> an item that cannot be stored is replaced by a string, and the run
succeeds.

    local $Storable::forgive_me = 1;                            # bad
    my $image = nfreeze($data);

    my %data = %$object;                                        # good
    delete $data{on_change};    # code
    my $image = nfreeze(\%data);

=head2 unchecked-result

C<thaw> and C<retrieve> return undef, and do not die, for a truncated image. C<store> and its
sisters return undef if not all could be written, on a full disk for instance.

    my $name = thaw($image)->{name};                            # bad
    my $user = thaw($image) or die 'truncated image';           # good

    nstore($data, $file);                                       # bad
    nstore($data, $file) or die "$file: $!";                    # good

=head2 lock-gap

Between C<lock_retrieve> and C<lock_store> nobody holds the lock. What another process writes in
between is lost.

    my $all = lock_retrieve($file);                             # bad
    $all->{$key} = $value;
    lock_nstore($all, $file) or die;

    open my $lock, '>', "$file.lock" or die;                    # good
    flock $lock, LOCK_EX or die;
    my $all = retrieve($file) or die;
    $all->{$key} = $value;
    nstore($all, $file) or die;

=head2 native-file

A file of the tree is itself an image in native byte order: a fixture, or a cache that was
committed.

    t/data/users.sto                                            # bad, by store
    permafrost convert --help                                   # how to mend it
    nstore($users, 't/data/users.sto') or die;                  # good

=head2 unused-suppression

A comment allows a finding that is not there.

    my $image = nfreeze($x);   # permafrost: allow native-image (old)     # bad
    my $image = nfreeze($x);                                              # good

=head1 OPTIONS

=over

=item --json

An object: C<tool>, C<version>, C<findings> (below), C<errors> (C<file> and C<message> of what
could not be read), C<files> (how many were looked at), C<suppressed>, C<known> (how many were in
the baseline), and with C<--trace> also C<trace>.

=item --format FORMAT

C<text>; C<json>; C<sarif> (SARIF 2.1.0, for GitHub code scanning and others); C<github>
(annotations of GitHub Actions); C<checkstyle> (XML). Colours are for terminals only, and not if
C<NO_COLOR> is set.

=item --confidence LEVEL

Only findings that are at least C<possible> (all, the default), C<likely> or C<certain>.

=item --diff REVISION

Only what the changes of the working tree since that revision of git bring: findings on changed
lines, and findings elsewhere that were not there before or have become worse, as by a change of
the import list. Paths are audited as usual, for findings that need several files. C<--diff -> reads
a unified diff from the standard input; the files must be as they are after it, and the names
relative to this folder.

=item --baseline FILE

Leave out the findings in FILE, an earlier output of C<--json>. They are recognised by their text,
file and sub, wherever they have moved.

    permafrost audit --json >audit-baseline.json
    permafrost audit --baseline audit-baseline.json

=item --trace FILE

Merge a trace of L<Permafrost::Trace>: findings that were I<seen at run time>, with counts, bytes
and classes; those that were never seen; and call sites that the audit does not know.

=item --fix, --dry-run

C<--fix> writes C<nfreeze> for C<freeze>, C<nstore> for C<store> and so on where the finding is
certain, the lists of imports included. C<perl -c> must like the file before and after, otherwise
it stays as it is and a message says why. (C<perl -c> runs C<BEGIN> blocks and C<use>. Modules that
are not installed are taken for empty ones.) C<--dry-run> shows a unified diff and changes nothing.
A C<thaw(freeze(...))> is left alone.

=item --lib FOLDER

A folder of modules for C<perl -c>, besides the C<lib> folders above the file.

=item --config FILE

Settings, instead of those in F<.permafrostrc>.

=item --jobs N

Processes. The default is the number of processors.

=back

Files that mention neither Storable nor Permafrost, nor a module of the project that hands their
functions on, are skipped unparsed. F<.git>, F<blib>, F<node_modules> and their like are not
entered. Perl is what has a usual suffix (F<.pm .pl .t .psgi .cgi .PL> ...) or begins with C<#!>
and perl.

=head1 FINDINGS AS DATA

Each finding in C<--json> has

=over

=item id, confidence, severity

See above.

=item file, line, column

Lines and columns begin at 1; columns count characters. C<null> for a whole file.

=item sub

The full name of the sub around it, or C<null>.

=item message, suggestion

What is the matter, and what to write instead.

=item function

The function of Storable, if it is about one.

=item source

The line.

=item fingerprint

For C<--baseline>.

=item related

Other places: a list of C<file>, C<line> and C<message>.

=item runtime

With C<--trace>: C<status> (C<confirmed> or C<never seen>), C<count>, C<failed>, C<bytes>,
C<classes>.

=back

=head1 COMMENTS

    my $image = freeze($data);    # permafrost: allow native-image (never leaves this host)

    # permafrost: allow native-image, unchecked-result (a scratch file)
    store($data, $scratch);

A comment at the end of a line is about the statement there, one on a line of its own about the
statement that follows: also a whole C<sub>. What stands in the parentheses is for people.

=head1 SETTINGS

F<.permafrostrc>, in this folder or the nearest one above it, up to the root of the repository.
Names in it are relative to its folder.

    [paths]
    include = lib bin t        # without arguments; the default is this folder
    exclude = t/data/ *.old    # folders end with a slash; * and ? as in a shell

    [severity]
    unchecked-result = note    # error, warning, note, or off
    lock-gap = off

    [cache]
    My::Cache = set put        # modules that lead to a shared cache, and methods that write
    Other::Cache =             # the usual ones: set, add, replace, put, store ...

=head1 EXIT STATUS

0 without findings, 1 with findings, 2 after wrong usage or if there are no findings but files that
cannot be read.

=head1 IN REVIEW

As a hook of git, F<.git/hooks/pre-commit>:

    #!/bin/sh
    exec permafrost audit --diff HEAD --confidence likely

In GitHub Actions, with annotations in the pull request:

    - run: sudo apt-get install -y libppi-perl
    - run: permafrost audit --diff origin/${{ github.base_ref }} --format github

In GitLab CI, or anywhere else:

    audit:
      script:
        - permafrost audit --diff "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --confidence likely

In Perl::Critic, see L<Perl::Critic::Policy::Permafrost::RequireNetworkOrder>.

=head1 FUNCTIONS

=head2 audit

    my $report = Permafrost::Audit::audit(paths => ['lib'], jobs => 1);

Options: C<paths> (a list), C<exclude> (a list of patterns, as C<qr//>), C<exclude_prefix> (put before names
that the patterns look at), C<severity> (finding =>
severity), C<cache> (module => list of methods), C<confidence>, C<diff> (a revision, or a reference
to the text of a diff), C<baseline>, C<trace> (names of files), C<jobs>, C<progress> (a sub, called
with the number of files done and of all).

Returns a reference to a hash: C<findings>, as above and with more for the formats; C<errors>;
C<files>, C<suppressed>, C<known>; C<trace>. Dies if PPI is missing, if git fails, or if a file
that is named in an option cannot be read. A file of source never makes it die.

=head2 run

    exit Permafrost::Audit->run(@ARGV);

The command line. Returns the exit status.

=head1 LIMITS

The audit does not run anything and guesses little. It does not see functions that are called by
names put together at run time, or handed over by modules outside of the audited paths. It follows
values within one file.

=head1 SEE ALSO

L<Permafrost>, L<Permafrost::Trace>, L<Perl::Critic::Policy::Permafrost::RequireNetworkOrder>

=head1 LICENSE

This is free software; you may use, copy and change it under the same terms as Perl itself.

=cut
