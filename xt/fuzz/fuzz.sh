#!/bin/bash
# Builds and runs the fuzz targets of the core. A target is a file xt/fuzz/fuzz_NAME.c with
# LLVMFuzzerTestOneInput(); a new one needs no other change than its file.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/fuzz/fuzz.sh build    [OPTIONS] [TARGET...]
       xt/fuzz/fuzz.sh run      [OPTIONS] [TARGET...]   one after the other
       xt/fuzz/fuzz.sh coverage [OPTIONS] [TARGET...]   of csrc/, by the corpus reached
       xt/fuzz/fuzz.sh replay   [OPTIONS] TARGET FILE...

  --engine NAME   libfuzzer (default), afl, or none: a program that reads files
  --seconds N     how long to run each target (default 60)
  --timeout N     how many seconds one input may take (default 10; more on a busy machine)
  --dir DIR       where builds, corpora and findings go (default: /tmp/permafrost-fuzz)
  --lines FILE    coverage: also list the lines of FILE that were not reached

All builds have the address and undefined-behaviour sanitizers, and any report ends the run.
TARGET is NAME (default: all). The dictionary and the first corpus are made by
xt/fuzz/seeds.pl, which needs the module to be built. Findings are in DIR/findings.
Exit status: 0 nothing found, 1 a finding or a failed build, 2 usage.
Needs clang, llvm-profdata and llvm-cov, and afl-fuzz for AFL++: dev/setup fuzz.
USAGE
}

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
command=${1-} engine=libfuzzer seconds=60 timeout=10 dir=/tmp/permafrost-fuzz lines=''
[ $# -gt 0 ] || { usage >&2; exit 2; }
shift
args=()
while [ $# -gt 0 ]; do
    case $1 in
        --engine)  engine=${2:?--engine needs a name}; shift ;;
        --seconds) seconds=${2:?--seconds needs a number}; shift ;;
        --timeout) timeout=${2:?--timeout needs a number}; shift ;;
        --dir)     dir=${2:?--dir needs a directory}; shift ;;
        --lines)   lines=${2:?--lines needs a file}; shift ;;
        -h|--help) usage; exit 0 ;;
        -*)        usage >&2; exit 2 ;;
        *)         args+=("$1") ;;
    esac
    shift
done

all_targets() {
    local file
    for file in "$here"/fuzz_*.c; do
        file=${file##*/fuzz_}
        case $file in main.c|walk.c) ;; *) echo "${file%.c}" ;; esac
    done
}
mkdir -p "$dir"/{bin,corpus,findings}
targets=("${args[@]}")
[ "$command" != replay ] || targets=("${args[0]:?replay needs a target and files}")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(all_targets)

# The newest of those that a system may have.
tool() {
    local name
    for name in "$1" "$1"-{21..14}; do
        if command -v "$name" >/dev/null; then echo "$name"; return; fi
    done
    echo "fuzz.sh: no $1; run dev/setup fuzz" >&2
    exit 2
}

# build_one TARGET ENGINE: the core once for all targets, then the target. Prints the program's
# name.
build_one() {
    local target=$1 kind=$2 out=$dir/bin/$1.$2 core=$dir/bin/core.$2 cc link=-fsanitize=fuzzer main=''
    local flags=(-std=c99 -g -O1 -I"$top/csrc" -Wall -Wextra -Wpedantic)
    local sanitize=(-fsanitize=address,undefined -fno-sanitize-recover=all)
    [ -f "$here/fuzz_$target.c" ] || { echo "fuzz.sh: no target $target" >&2; exit 2; }
    cc=$(tool clang)
    case $kind in
        libfuzzer) flags+=(-fsanitize=fuzzer-no-link "${sanitize[@]}") ;;
        afl)       cc=$(tool afl-clang-fast); flags+=("${sanitize[@]}") ;;
        none)      flags+=("${sanitize[@]}"); main=$here/fuzz_main.c link='' ;;
        coverage)  flags+=(-O0 -fprofile-instr-generate -fcoverage-mapping); main=$here/fuzz_main.c link='' ;;
        *)         echo "fuzz.sh: no engine $kind" >&2; exit 2 ;;
    esac
    export AFL_QUIET=1
    if [ ! -f "$core.a" ] || [ -n "$(find "$top/csrc" -name '*.[ch]' -newer "$core.a")" ]; then
        rm -rf "$core" "$core.a"
        mkdir "$core"
        (cd "$core" && find "$top/csrc" -name 'pst_*.c' ! -name pst_main.c -print0 |
            xargs -0 -n 4 -P 2 "$cc" "${flags[@]}" -c) >&2
        ar rcs "$core.a" "$core"/*.o
    fi
    "$cc" "${flags[@]}" $link -o "$out" "$here/fuzz_$target.c" "$here/fuzz_walk.c" $main "$core.a" >&2
    echo "$out"
}

# The corpus of a target, begun with the seeds.
corpus_of() {
    local corpus=$dir/corpus/$1
    if [ ! -d "$corpus" ]; then
        perl -Mblib="$top" "$here/seeds.pl" --corpus "$corpus" --dictionary "$dir/dictionary" >&2
    fi
    echo "$corpus"
}

run_libfuzzer() {
    local program=$1 target=$2 corpus=$3
    "$program" -dict="$dir/dictionary" -max_total_time="$seconds" -max_len=4096 -timeout="$timeout" \
        -rss_limit_mb=1024 -artifact_prefix="$dir/findings/$target-" -print_final_stats=1 \
        "$corpus" >"$dir/$target.log" 2>&1 || { tail -n 40 "$dir/$target.log"; return 1; }
    grep -E '^(Done|stat::(number_of_executed|average_exec))' "$dir/$target.log" || true
}

run_afl() {
    local program=$1 target=$2 corpus=$3 out=$dir/afl.$2
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_AUTORESUME=1
    "$(tool afl-fuzz)" -i "$corpus" -o "$out" -x "$dir/dictionary" -V "$seconds" -m none \
        -t "$((timeout * 100))" -- "$program" >"$dir/$target.afl.log" 2>&1 || { tail -n 40 "$dir/$target.afl.log"; return 1; }
    grep -E '^(execs_done|execs_per_sec|corpus_count|bitmap_cvg|saved_crashes|saved_hangs)' "$out/default/fuzzer_stats"
    grep -qE '^saved_crashes *: 0$' "$out/default/fuzzer_stats"
}

run_target() {
    local program corpus
    program=$(build_one "$1" "$engine")
    corpus=$(corpus_of "$1")
    echo "== $1 ($engine, $seconds s)"
    case $engine in
        none) "$program" "$corpus"/* && echo "$(find "$corpus" -type f | wc -l) files" ;;
        *)    "run_$engine" "$program" "$1" "$corpus" ;;
    esac
}

coverage() {
    local target program corpus corpora=() objects=() profiles=()
    for target in "${targets[@]}"; do
        program=$(build_one "$target" coverage)
        corpus=$(corpus_of "$target")
        corpora=("$corpus")
        [ ! -d "$dir/afl.$target/default/queue" ] || corpora+=("$dir/afl.$target/default/queue")
        find "${corpora[@]}" -type f ! -name '.*' -print0 |
            LLVM_PROFILE_FILE="$dir/$target-%p.profraw" xargs -0 -n 2000 "$program"
        objects+=(-object "$program")
        profiles+=("$dir/$target"-*.profraw)
    done
    "$(tool llvm-profdata)" merge -o "$dir/profile" "${profiles[@]}"
    rm -f "${profiles[@]}"
    "$(tool llvm-cov)" report "${objects[@]:1}" -instr-profile="$dir/profile" "$top/csrc"
    [ -z "$lines" ] || "$(tool llvm-cov)" show "${objects[@]:1}" -instr-profile="$dir/profile" \
        "$top/csrc/${lines##*/}" | grep -E '^ +[0-9]+\| +0\|' || true
}

rc=0
case $command in
    build)    for target in "${targets[@]}"; do build_one "$target" "$engine"; done ;;
    run)      for target in "${targets[@]}"; do run_target "$target" || rc=1; done ;;
    coverage) coverage ;;
    replay)   program=$(build_one "${args[0]}" none)
              "$program" "${args[@]:1}" ;;
    -h|--help) usage ;;
    *)        usage >&2; exit 2 ;;
esac
exit $rc
