#!/bin/bash
# Runs test files under valgrind. perl itself has findings of its own (and leaks on purpose at
# exit), so only those count in which a frame of our code takes part.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/valgrind.sh [--keep DIR] [TEST.t...]      (default: t/*.t)

Prints a row per test file, then each finding that has a frame of Permafrost in it. A test
file that fails under valgrind for another reason counts as failed too.
  --keep DIR   keep valgrind's logs there
Environment: JOBS, how many test files at a time (default 2); LIMIT, seconds for one file (3600).
USAGE
}

cd "$(dirname "$0")/.."
logs='' tests=()
while [ $# -gt 0 ]; do
    case $1 in
        --keep)    logs=${2:?--keep needs a directory}; mkdir -p "$logs"; shift ;;
        -h|--help) usage; exit 0 ;;
        -*)        usage >&2; exit 2 ;;
        *)         tests+=("$1") ;;
    esac
    shift
done
[ ${#tests[@]} -gt 0 ] || tests=(t/*.t)
command -v valgrind >/dev/null || { echo 'xt/valgrind.sh: no valgrind; run dev/setup test' >&2; exit 2; }
[ -d blib/arch ] || { echo 'xt/valgrind.sh: not built; run dev/test --build' >&2; exit 2; }
if [ -z "$logs" ]; then
    logs=$(mktemp -d)
    trap 'rm -rf "$logs"' EXIT
fi

options=(--quiet --leak-check=full --show-leak-kinds=definite,possible --num-callers=40
         --error-limit=no --child-silent-after-fork=yes)

# perl frees everything at its end, so that what is left is a leak. By then it has unloaded
# Permafrost.so: --keep-debuginfo keeps the names of its functions for the report.
export PERL_DESTRUCT_LEVEL=2 PERL5LIB=$PWD/blib/lib:$PWD/blib/arch
options+=(--keep-debuginfo=yes)

run_one() {
    local test=$1 name rc=0
    name=$(basename "$test" .t)
    # perl insists on seeing -T in both places.
    local taint=''
    ! head -n 1 "$test" | grep -qE '^#!.* -\w*T' || taint=-T
    timeout "${LIMIT:-3600}" valgrind "${options[@]}" --log-file="$logs/$name.%p.vg" \
        perl $taint -I"$PWD/blib/lib" -I"$PWD/blib/arch" "$test" >"$logs/$name.tap" 2>&1 </dev/null || rc=$?
    local result=ok
    if [ $rc != 0 ]; then
        result="FAILED (exit status $rc)"
    fi
    printf '%-40s %s\n' "$test" "$result"
    [ "$result" = ok ] || touch "$logs/$name.failed"
}
export -f run_one
export logs
options_text=$(declare -p options)
export options_text
printf '%s\0' "${tests[@]}" |
    xargs -0 -n 1 -P "${JOBS:-2}" bash -c 'eval "$options_text"; run_one "$1"' run_one

# A finding is a run of lines with the same ==pid==, up to an empty one.
perl - "$logs" <<'PERL'
use strict;
use warnings;
my ($findings, $foreign, %seen) = (0, 0);
for my $file (glob "$ARGV[0]/*.vg") {
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    my $log = <$in> // '';
    $log =~ s/^==[0-9]+== ?//mg;
    for my $block (split /\n{2,}/, $log) {
        next unless $block =~ /^ +(?:at|by) 0x/m;
        # In the library's own frames the object or the name of the function tells.
        if ($block !~ /\b(?:pstx?_\w+|boot_Permafrost|XS_Permafrost\w*)\b|Permafrost\.so/) { $foreign++; next }
        (my $key = $block) =~ s/0x[0-9A-F]+|[0-9,]+ bytes?|in loss record [0-9,]+ of [0-9,]+|[0-9,]+ blocks?//g;
        next if $seen{$key}++;
        $findings++;
        (my $name = $file) =~ s{.*/}{};
        print "\n$name:\n$block\n";
    }
}
my @failed = glob "$ARGV[0]/*.failed";
printf "\n%d finding(s) in Permafrost, %d of perl or others ignored, %d test file(s) failed\n",
    $findings, $foreign, scalar @failed;
exit($findings || @failed ? 1 : 0);
PERL
