#!/bin/bash
# Builds a copy of the tree with the address and undefined-behaviour sanitizers and runs test
# files on it. The perl around it is the normal one, hence the preloaded runtime library.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/sanitize.sh [--dir DIR] [TEST.t...]      (default: t/*.t)

  --dir DIR   build there and leave it there (default: a temporary directory)
Environment: CC, gcc (default) or clang; JOBS, processes at a time (default 2).
Findings of undefined behaviour in perl's own headers are shown but do not count.
USAGE
}

cd "$(dirname "$0")/.."
dir='' tests=()
while [ $# -gt 0 ]; do
    case $1 in
        --dir)     dir=${2:?--dir needs a directory}; mkdir -p "$dir"; shift ;;
        -h|--help) usage; exit 0 ;;
        -*)        usage >&2; exit 2 ;;
        *)         tests+=("$1") ;;
    esac
    shift
done
[ ${#tests[@]} -gt 0 ] || tests=(t/*.t)

cc=${CC:-gcc} jobs=${JOBS:-2}
flags='-fsanitize=address,undefined -fno-omit-frame-pointer -g -O1'
case $("$cc" --version 2>/dev/null | head -1) in
    '')      echo "xt/sanitize.sh: no $cc; run dev/setup build test" >&2; exit 2 ;;
    *clang*) flags+=' -shared-libasan'
             runtime=$("$cc" -print-file-name="libclang_rt.asan-$(uname -m).so") ;;
    *)       runtime=$("$cc" -print-file-name=libasan.so) ;;
esac
# The compiler prints the bare name back if it has no such file.
case $runtime in
    /*) ;;
    *)  echo "xt/sanitize.sh: $cc has no shared sanitizer runtime; run dev/setup test" >&2; exit 2 ;;
esac

if [ -z "$dir" ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
fi
dir=$(cd "$dir" && pwd)
case $dir/ in "$PWD"/*) echo 'xt/sanitize.sh: DIR must be outside of the tree' >&2; exit 2 ;; esac
# Everything but the products of a normal build, whose objects have no sanitizer in them.
tar -cf - --exclude=./.git --exclude=./blib --exclude='*.o' --exclude='*.a' --exclude='*.so' \
    --exclude=./Makefile --exclude='./pm_to_blib' . | tar -C "$dir" -xf -
cd "$dir"

log=$dir/build.log
# perl's own optimization flags end in _FORTIFY_SOURCE, which hides errors from the sanitizers.
if ! { perl Makefile.PL CC="$cc" LD="$cc" OPTIMIZE="$flags -U_FORTIFY_SOURCE" &&
       make -j"$jobs" LDDLFLAGS="-shared $flags"; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo 'xt/sanitize.sh: the build with sanitizers failed' >&2
    exit 1
fi
so=$(find blib/arch -name Permafrost.so)
nm -u "$so" | grep __asan_ >/dev/null || { echo 'xt/sanitize.sh: the library has no sanitizer in it' >&2; exit 1; }

mkdir -p reports
# perl frees little at its end: leaks are the business of xt/leaks.pl and xt/valgrind.sh.
export ASAN_OPTIONS="detect_leaks=0:abort_on_error=0:exitcode=99:log_path=$dir/reports/asan"
export UBSAN_OPTIONS=print_stacktrace=1
# Only the tests get the runtime: prove and make need none of it. gcc's runtime of undefined
# behaviour, loaded late, ignores its log_path, so those reports are taken from stderr.
cat >run_test <<RUN
#!/bin/bash
# perl insists on seeing -T on the command line too.
taint=
! head -n 1 "\$1" | grep -qE '^#!.* -\w*T' || taint=-T
export LD_PRELOAD=$runtime PERL5LIB=$dir/blib/lib:$dir/blib/arch
exec perl \$taint -I$dir/blib/lib -I$dir/blib/arch "\$@"
RUN
chmod +x run_test
rc=0
prove -j"$jobs" --exec "$dir/run_test" "${tests[@]}" \
    </dev/null 2> >(tee reports/stderr >&2) || rc=$?
wait

found=0 stock=0
for report in reports/asan.*; do
    [ -f "$report" ] || continue
    # clang's runtime puts undefined behaviour in the same place.
    if ! grep -q 'ERROR: AddressSanitizer' "$report"; then
        cat "$report" >>reports/stderr
        continue
    fi
    # Children that let stock Storable have a bad image crash there; that is expected. The place is
    # named by its library or, if perl's debugging symbols are installed, by its source.
    if grep -qE '^SUMMARY: .*Storable\.(so|xs)' "$report" && ! grep -q 'pstx\?_' "$report"; then
        stock=$((stock + 1))
        continue
    fi
    found=$((found + 1))
    # The map of the shadow memory that follows helps nobody here.
    sed '/^Shadow bytes/,/^==/d' "$report"
done
# perl's headers have some undefined behaviour of their own.
ours=$(grep -E 'runtime error:' reports/stderr |
       sed "s|$dir/||g" | grep -vE '/CORE/[a-z_0-9]+\.h:' | sort | uniq -c || true)
theirs=$(grep -cE '/CORE/[a-z_0-9]+\.h:.*runtime error:' reports/stderr || true)
if [ -n "$ours" ]; then
    echo "Undefined behaviour:"
    echo "$ours"
    found=$((found + $(echo "$ours" | wc -l)))
fi
[ "$theirs" = 0 ] || echo "$theirs report(s) in perl's own headers ignored"
[ "$stock" = 0 ] || echo "$stock crash(es) of stock Storable, in children of their own"
echo "$found report(s) of the sanitizers in Permafrost"
[ "$found" = 0 ] && [ $rc = 0 ]
