#!/usr/bin/env bash
# scripts/fuzz.sh: run each libFuzzer target for FUZZ_SECONDS, JOBS of them at a time. Called by `make fuzz`.
#
#   scripts/fuzz.sh [--keep] [NAME...]     e.g. `scripts/fuzz.sh csv`; without names all targets
#
# Unpacks the cases of tests/fuzz/corpus/NAME.tar to build-fuzz/seeds/NAME. New inputs that reach new code are written to
# build-fuzz/corpus/NAME, the output of the fuzzer to build-fuzz/log/NAME, and an input that crashes to build-fuzz/crashes.
# Ends with a table: seconds, executions, edges that were reached, new inputs. With --keep, the fewest new inputs that reach the
# new edges become cases named reached-*. Add the input of a fixed crash with `tests/fuzz/corpus.py add NAME found-...`.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs_at_once=${JOBS:-$(nproc)}
keep=no
[ "${1-}" != --keep ] || { keep=yes; shift; }

scripts/deps.sh build fuzz
cmake --preset fuzz
cmake --build --preset fuzz --parallel "$jobs_at_once"

if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi

# A failed allocation is a status of the library.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1}

# ---- run ----------------------------------------------------------------------------------------
run_target() # NAME
{
    rm -rf "build-fuzz/seeds/$1"
    mkdir -p "build-fuzz/corpus/$1" "build-fuzz/seeds/$1"
    tar -xf "tests/fuzz/corpus/$1.tar" -C "build-fuzz/seeds/$1"
    # Excessive memory usage for a small input is also a failure.
    FUZZ_TARGET=$1 build-fuzz/tests/fuzz/fuzz_one -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="build-fuzz/crashes/$1-" \
        "build-fuzz/corpus/$1" "build-fuzz/seeds/$1" >"build-fuzz/log/$1" 2>&1 && return
    echo "$1" >>build-fuzz/log/failed
    echo "FAIL  $1"
    tail -n 40 "build-fuzz/log/$1" | sed 's/^/      | /'
}

rm -rf build-fuzz/log
mkdir -p build-fuzz/crashes build-fuzz/log
for name in "$@"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs_at_once" ]; do
        wait -n || true
    done
    echo "== $name, ${FUZZ_SECONDS:-60} s"
    run_target "$name" &
done
wait

# ---- new cases ----------------------------------------------------------------------------------
keep_new() # NAME
{
    local seeds=build-fuzz/seeds/$1 input
    FUZZ_TARGET=$1 build-fuzz/tests/fuzz/fuzz_one -merge=1 -use_counters=0 "$seeds" "build-fuzz/corpus/$1" >"build-fuzz/log/$1-merge" 2>&1
    for input in "$seeds"/*; do # libFuzzer names its files by their SHA-1
        [[ ! ${input##*/} =~ ^([0-9a-f]{10})[0-9a-f]{30}$ ]] || mv "$input" "$seeds/reached-${BASH_REMATCH[1]}"
    done
    tests/fuzz/corpus.py pack "$1" "$seeds"
}
if [ "$keep" = yes ]; then
    for name in "$@"; do
        keep_new "$name"
    done
fi

# ---- summary ------------------------------------------------------------------------------------
said() { sed -nE "s/.*$2.*/\\1/p" "build-fuzz/log/$1" | tail -n 1; } # NAME PATTERN
printf '\n%-16s %8s %12s %8s %8s\n' target seconds executions edges new
for name in "$@"; do
    printf '%-16s %8s %12s %8s %8s\n' "$name" "$(said "$name" 'Done [0-9]+ runs in ([0-9]+) second')" \
        "$(said "$name" 'stat::number_of_executed_units: *([0-9]+)')" "$(said "$name" ' cov: ([0-9]+)')" \
        "$(said "$name" 'stat::new_units_added: *([0-9]+)')"
done
[ ! -e build-fuzz/log/failed ]
