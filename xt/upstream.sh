#!/bin/bash
# Runs Storable's own test suite with Permafrost in its place.
#
# The tests come from the source package of the installed perl, of which only
# dist/Storable/t is unpacked: nobody working on Permafrost needs to have Storable's code
# on his disk. The tarball is removed afterwards.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/upstream.sh [OPTIONS] [TEST.t...]

Runs the test files of Storable (all, or those named) and prints a table with a row for each.

  --stock          run them against the installed Storable instead, to know the baseline
  --dir DIR        where to keep the test files
                   (default: ${XDG_CACHE_HOME:-$HOME/.cache}/permafrost)
  --tarball FILE   take the tests from this perl source tarball instead of Debian's archive
  --fetch VERSION  only fetch the test files of this perl
  --source "URI SUITE"
                   Debian's archive to fetch from (default: what apt-get knows)
  --verbose        show the output of failing test files
  --help           this text

Exit status: 0 all passed or skipped, 1 a test file failed or ran on the wrong module,
2 usage, or the tests could not be fetched.
USAGE
}

cd "$(dirname "$0")/.."
root=$PWD
. xt/lib/private_apt.sh
stock='' verbose='' tarball='' source='' only=()
version=$(perl -e 'printf "%vd", $^V') only_fetch=''
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/permafrost
while [ $# -gt 0 ]; do
    case $1 in
        --stock)     stock=1 ;;
        --verbose)   verbose=1 ;;
        --dir)       cache=${2:?--dir needs a directory}; shift ;;
        --tarball)   tarball=$(realpath "${2:?--tarball needs a file}"); shift ;;
        --fetch)     version=${2:?--fetch needs a version}; only_fetch=1; shift ;;
        --source)    source=${2:?--source needs a URI and a suite}; shift ;;
        -h|--help)   usage; exit 0 ;;
        -*)          usage >&2; exit 2 ;;
        *)           only+=("$(basename "$1")") ;;
    esac
    shift
done

suite=$cache/storable-tests-$version

# Only the t directory, into $suite/t.
unpack() {
    local part=$suite.part
    rm -rf "$part"
    mkdir -p "$part"
    tar -C "$part" -xf "$1" --wildcards --strip-components=3 '*/dist/Storable/t/*'
    rm -rf "$suite"
    mv "$part" "$suite"
}

fetch_from_debian() {
    command -v apt-get >/dev/null || {
        echo "xt/upstream.sh: no apt-get; give perl's source tarball with --tarball" >&2
        exit 2
    }
    apt=$(mktemp -d)
    trap 'rm -rf "$apt"' EXIT
    echo "Fetching the tests of perl $version's Storable" >&2
    start_private_apt "$source" || exit 2
    # Any Debian revision of the same upstream version has the same tarball; the mirror of
    # security updates often lacks it.
    local revision
    for revision in $(private_apt apt-cache madison perl | awk '{print $3}' |
                      grep -E "^${version//./\\.}[-+~]" || true); do
        (cd "$apt" && private_apt apt-get source --download-only --tar-only \
            "perl=$revision" >>"$apt/log" 2>&1) && break
    done
    local found=("$apt"/perl_"$version"*.orig.tar.*)
    if [ ! -f "${found[0]}" ]; then
        cat "$apt/log" >&2
        echo "xt/upstream.sh: no source of perl $version to be had; use --tarball" >&2
        exit 2
    fi
    unpack "${found[0]}"
}

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
suite=$cache/storable-tests-$version
if [ -n "$tarball" ]; then
    unpack "$tarball"
elif [ ! -f "$suite/t/store.t" ]; then
    fetch_from_debian
fi
[ -z "$only_fetch" ] || exit 0

# The tests write files to the current directory and look for their helpers in t/ below it.
work=$(mktemp -d)
trap 'rm -rf "$work" "${apt:-$work}"' EXIT
cp -r "$suite/t" "$work/t"
cd "$work"

# Loaded into each test process (and into prove, where it does nothing): notes at its end
# which module served it.
mkdir "$work/witness"
cat >"$work/witness/StorableWitness.pm" <<'PERL'
package StorableWitness;
use strict;
use warnings;
my $pid = $$;
END {
    if ($pid == $$ && $0 =~ m{^t/} && open my $out, '>>', $ENV{STORABLE_WITNESS}) {
        my $at = $INC{'Storable.pm'} // '';
        my $ours = defined &Permafrost::freeze && defined &Storable::freeze
            && \&Permafrost::freeze == \&Storable::freeze;
        my $core = grep { $at eq "$_/Storable.pm" } @StorableWitness::core_inc;
        print {$out} $ours ? 'permafrost' : $at eq '' ? 'none' : 'storable',
            "\t$at\t", $core ? 'core' : '', "\n";
        close $out;
    }
}
use Config;
our @core_inc = @Config{qw(privlibexp archlibexp)};
1;
PERL

export STORABLE_WITNESS=$work/witness.log
if [ -n "$stock" ]; then
    export PERL5LIB=$work/witness PERL5OPT=-MStorableWitness
else
    [ -f "$root/blib/lib/Permafrost.pm" ] || {
        echo 'xt/upstream.sh: not built; run: perl Makefile.PL && make' >&2
        exit 2
    }
    export PERL5LIB=$root/blib/lib:$root/blib/arch:$work/witness PERMAFROST_STRICT=1
    export PERL5OPT='-MPermafrost::AsStorable -MStorableWitness'
fi

[ ${#only[@]} -gt 0 ] || only=($(cd t && ls -- *.t))
failed=0
printf '%-22s %-6s %6s %6s %6s  %s\n' file result passed failed skipped 'served by / remark'
for file in "${only[@]}"; do
    : >"$STORABLE_WITNESS"
    rm -f out
    # prove judges plan and exit status; its verbose output has the TAP to count.
    if prove -v "t/$file" >out 2>&1 </dev/null; then result=pass; else result=FAIL; fi
    ok=$(grep -cE '^ok\b' out || true)
    not_ok=$(grep -E '^not ok\b' out | grep -cvE '# *TODO' || true)
    skipped=$(grep -ciE '^ok\b.*# *skip' out || true)
    remark=''
    if grep -qE "^t/.* skipped" out; then
        result=skip
        remark=$(sed -nE "s/^t\/.* skipped:? *//p" out | head -1)
    fi
    served=$(cut -f1 "$STORABLE_WITNESS" | sort -u | paste -sd+)
    where=$(cut -f2 "$STORABLE_WITNESS" | sort -u | paste -sd, | sed "s|$root/||g")
    if [ -z "$stock" ] && { [ "$served" != permafrost ] || grep -q 'core$' "$STORABLE_WITNESS"; }; then
        result=FAIL
        remark="${remark:+$remark; }did not run on Permafrost"
    fi
    [ "$result" != FAIL ] || failed=$((failed + 1))
    printf '%-22s %-6s %6d %6d %6d  %s\n' "$file" "$result" $((ok - skipped)) "$not_ok" \
        "$skipped" "${served:-unknown} (${where:-not loaded})${remark:+: $remark}"
    if [ "$result" = FAIL ]; then
        if [ -n "$verbose" ]; then sed 's/^/    /' out
        else grep -E '^(not ok|Dubious|# +Failed|Can.t|.* at t/)' out | grep -vE '# *TODO' | head -4 | sed 's/^/    /' || true
        fi
    fi
done
printf '%d of %d test files failed\n' "$failed" "${#only[@]}"
[ "$failed" = 0 ]
