#!/usr/bin/env bash
# scripts/fuzz.sh: run each libFuzzer target for FUZZ_SECONDS. What `make fuzz` calls.
#
#   scripts/fuzz.sh [NAME...]     e.g. `scripts/fuzz.sh csv`; without arguments all targets
#
# New inputs that reach new code are kept in build-fuzz/corpus/NAME; an input that crashes is written to
# build-fuzz/crashes. A crash that is fixed leaves its input in tests/fuzz/corpus/NAME, where `make test`
# replays it.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build fuzz
cmake --preset fuzz
cmake --build --preset fuzz --parallel "${JOBS:-$(nproc)}"

if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi

mkdir -p build-fuzz/crashes
status=0
for name in "$@"; do
    echo "== $name, ${FUZZ_SECONDS:-60} s"
    mkdir -p "build-fuzz/corpus/$name"
    # Several megabytes of memory for each byte of a small input is a fault too.
    "build-fuzz/tests/fuzz/fuzz_$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="build-fuzz/crashes/$name-" \
        "build-fuzz/corpus/$name" "tests/fuzz/corpus/$name" || status=1
done
exit $status
