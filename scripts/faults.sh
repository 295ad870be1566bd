#!/usr/bin/env bash
# scripts/faults.sh: fails every allocation, system call and call of LAPACK once, in JOBS parallel parts.
# Called by `make faults`.
#
#   scripts/faults.sh [--only memory|calls] [PATTERN]     see tests/faults/run.sh
#
# Prints unexpected results, then the number of runs of each family and command. The output of the parts is in
# build/faults.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
parts=${JOBS:-$(nproc)}
results=build/faults

scripts/deps.sh build test || exit 1
# shellcheck disable=SC2086 # CMAKE_ARGS are words
cmake --preset default ${CMAKE_ARGS:-} && cmake --build build --parallel "$parts" --target volterra_cli failing fake_plugin || exit 1

rm -rf "$results"
mkdir -p "$results"
running=() failed=0
for ((part = 1; part <= parts; part++)); do
    tests/faults/run.sh --every --part "$part/$parts" "$@" >"$results/$part" 2>&1 &
    running+=($!)
done
for process in "${running[@]}"; do
    wait "$process" || failed=$((failed + 1))
done

# Counts at the end of a part have the form `# N WORDS`; `# FAMILY K: ...` and `not ok` are findings.
cat "$results"/* | awk '
    /^# [0-9]+ runs, / { runs += $2; others += $4; next }
    /^# +[0-9]+ / { n = $2; $1 = $2 = ""; count[substr($0, 3)] += n; next }
    /^ok / || /^1\.\.[0-9]+$/ { next }
    { print }
    END {
        for (words in count) printf "%8d %s\n", count[words], words | "sort -k2"
        close("sort -k2")
        printf "%d runs, %d of them with faults of other libraries\n", runs, others
    }'
[ "$failed" -eq 0 ] || { echo "faults: $failed of $parts parts failed" >&2; exit 1; }
echo "faults: none"
