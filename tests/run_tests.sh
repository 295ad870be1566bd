#!/usr/bin/env bash
# tests/run_tests.sh: build, run every test, count. What `make test` calls.
#
#   tests/run_tests.sh [SUITE...]
#
# Suites: mpi python cli install unit property reference backend faults examples fuzz, on the `default` preset, then
# sanitize:cli sanitize:fuzz sanitize:backend sanitize:property sanitize:unit sanitize:reference on the `sanitize` preset.
# Without arguments: all of them. (coverage:SUITE, on the `coverage` preset, is what scripts/coverage.sh asks for.) Every program prints TAP (cmocka does when asked); `ok` and `not ok` lines
# are counted. A program that dies, runs out of time, loses tests of its plan or prints no TAP line counts as
# one failure. The last line is `N passed, N failed`; the status is 0 when none failed and something ran.
#
#   JOBS           processors to build with (default: all)
#   TEST_JOBS      programs that run at a time (3: two processors, and one that waits for something)
#   TEST_SECONDS   time limit of one program (3600): stops a hang, not a slow machine
#   CMAKE_ARGS     further options for CMake
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs_build=${JOBS:-$(nproc)}
jobs_test=${TEST_JOBS:-3}
seconds_each=${TEST_SECONDS:-3600}
results=build/test-results
# The long ones first, so that the short ones run in parallel, and no long one is left alone at the end.
all_suites="mpi python cli install unit property reference backend faults examples fuzz
    sanitize:cli sanitize:fuzz sanitize:backend sanitize:property sanitize:unit sanitize:reference"

export CMOCKA_MESSAGE_OUTPUT=TAP
# Several programs share the processors: a thread that waits must not spin.
export OMP_WAIT_POLICY=passive
# Undefined behaviour raises SIGILL (cmake/BuildFlags.cmake).
export ASAN_OPTIONS=allocator_may_return_null=1:strict_string_checks=1:handle_sigill=1
unset VOLTERRA
# Ninja wastes no time between two hundred small targets. A build folder that is there keeps what it was made with.
if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja
fi

# A shim in place of Python (pyenv) takes five times as long to start as Python itself, hundreds of times.
if [ "$(head -c 2 "$(command -v python3)" 2>/dev/null)" = '#!' ] &&
    python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'); then
    PATH=$python:$PATH
fi

# The Python package compiles the library again: ccache, if installed, stores the objects of this build.
own_cache=no
if [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
    own_cache=yes
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DIR=$PWD/build/ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
fi

# ---- results ------------------------------------------------------------------------------------
# record SUITE NAME PASSED FAILED SKIPPED SECONDS CPU_SECONDS
record() { printf '%s\t%s\t%d\t%d\t%d\t%s\t%s\n' "$@" >>"$results/counts"; }

elapsed() { awk -v from="$1" -v to="$(date +%s.%N)" 'BEGIN { printf "%.1f", to - from }'; }

finish()
{
    local passed failed
    passed=$(awk -F'\t' '{ n += $3 } END { print n + 0 }' "$results/counts")
    failed=$(awk -F'\t' '{ n += $4 } END { print n + 0 }' "$results/counts")
    echo
    awk -F'\t' '
        !($1 in p) { order[++suites] = $1 }
        { p[$1] += $3; f[$1] += $4; s[$1] += $5; t[$1] += $6; c[$1] += $7 }
        END {
            printf "%-20s %8s %8s %8s %9s %9s\n", "suite", "passed", "failed", "skipped", "seconds", "CPU"
            for (i = 1; i <= suites; i++) {
                u = order[i]
                printf "%-20s %8d %8d %8d %9.1f %9.1f\n", u, p[u], f[u], s[u], t[u], c[u]
            }
        }' "$results/counts"
    # Programs run in parallel: the seconds include waiting for processors, the CPU seconds do not.
    printf '\n%-20s %-36s %8s %9s %9s\n' "slowest" "program" "tests" "seconds" "CPU"
    sort -t$'\t' -k7,7gr "$results/counts" |
        awk -F'\t' 'NR <= 15 { printf "%-20s %-36s %8d %9.1f %9.1f\n", $1, $2, $3 + $4, $6, $7 }'
    echo
    grep -vP '^[^\t]*\t[^\t]*\t\d+\t0\t' "$results/counts" | awk -F'\t' '{ print "failed: " $1 " " $2 }'
    [ "$passed" -gt 0 ] || [ "$failed" -gt 0 ] || failed=1
    echo "total time $(elapsed "$started") s"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# Two checks cost more than all others together, and run where they are most likely to find something: uses of a
# stack frame that is gone (ten times the time of a test that opens parallel regions) in the readers of files, and,
# on 64-bit ARM, where the check at exit walks the whole address space for four seconds, leaks in the replay of all
# readers and in the programs that call what it does not: writers and optimisers of other libraries. What the library
# itself allocates is counted by the memory tests everywhere. The first is given in both cases, since gcc has it on from 13
# on; and it is off where vectors have 64 bytes, which gcc does not align in the frames it then uses (its bug 110027).
asan_options_for() # SUITE NAME
{
    local frames=0 leaks=1
    case $1 in
        *:fuzz) grep -qsw avx512f /proc/cpuinfo || frames=1 ;;
        *) [ "$(uname -m)" != aarch64 ] || leaks=0 ;;
    esac
    case $2 in
        test_bekk | test_mat | test_model_file) leaks=1 ;;
    esac
    echo "$ASAN_OPTIONS:detect_stack_use_after_return=$frames:detect_leaks=$leaks"
}

# ---- one program --------------------------------------------------------------------------------
# run_job SUITE KIND NAME COMMAND...; KIND: tap, or status (no TAP: the exit status is the one test)
run_job()
{
    local suite=$1 kind=$2 name=$3 log start status passed failed skipped planned cpu why='' TIMEFORMAT='%U %S'
    shift 3
    log=$results/${suite//:/-}.$name.log
    start=$(date +%s.%N)
    mkdir -p "$log.tmp"
    # The inner braces silence the shell's own word about a program that dies.
    {
        time {
            ASAN_OPTIONS=$(asan_options_for "$suite" "$name") TMPDIR=$PWD/$log.tmp \
                timeout --kill-after=10 "$seconds_each" "$@" >"$log" 2>&1 </dev/null
        } 2>/dev/null
    } 2>"$log.cpu"
    status=$?
    cpu=$(awk '{ print $1 + $2 }' "$log.cpu")
    rm -rf "$log.tmp" "$log.cpu"

    # cmocka writes "not ok 2 # SKIP" for a test that was skipped.
    skipped=$(grep -cE '^(not )?ok\b.*# SKIP' "$log")
    passed=$(grep -E '^ok\b' "$log" | grep -cv '# SKIP')
    failed=$(grep -E '^not ok\b' "$log" | grep -cv '# SKIP')
    planned=$(awk '/^1\.\.[0-9]+/ { n += substr($1, 4) } END { print n + 0 }' "$log")
    if [ "$kind" = status ]; then
        passed=0 failed=0 skipped=0 planned=0
        [ "$status" -ne 0 ] || passed=1
    fi
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        why="stopped after $seconds_each s"
    elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        why="exit status $status"
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        why="no test ran"
    elif [ $((passed + failed + skipped)) -lt "$planned" ]; then
        why="$planned tests planned, $((passed + failed + skipped)) reported"
    fi
    [ -z "$why" ] || failed=$((failed + 1))

    start=$(elapsed "$start")
    if [ "$failed" -eq 0 ]; then
        echo "ok    $suite $name ($passed tests, $start s)"
    else
        # In one piece: another job may be printing too.
        printf 'FAIL  %s %s (%d failed%s)\n%s\n' "$suite" "$name" "$failed" "${why:+; $why}" \
            "$(tail -n 200 "$log" | sed 's/^/      | /')"
    fi
    record "$suite" "$name" "$passed" "$failed" "$skipped" "$start" "$cpu"
}

# start_job ARGUMENTS OF run_job: in the background, as soon as one of the places is free
start_job()
{
    while [ "$(jobs -rp | wc -l)" -ge "$jobs_test" ]; do
        wait -n
    done
    run_job "$@" &
}

# ---- suites -------------------------------------------------------------------------------------
# run_suite SUITE BUILD PLAIN: PLAIN is the suite's name without the preset
run_suite()
{
    local suite=$1 build=$2 plain=$3 program name slice threads='' found=no
    [ "$suite" != sanitize:cli ] || threads=OMP_NUM_THREADS=1
    case $plain in
        unit | property | reference | backend)
            for program in "tests/$plain"/test_*.c "tests/$plain"/*/test_*.c; do
                [ -e "$program" ] || continue
                found=yes
                name=$(basename "$program" .c)
                start_job "$suite" tap "$name" "$build/tests/$plain/$name"
            done
            ;;
        cli)
            if [ -e tests/cli/run.sh ]; then
                found=yes
                for slice in 0 1; do # the longest of all: in two parts, side by side
                    # The sanitized program runs on one thread. The sanitized test programs have several.
                    start_job "$suite" tap "part_$slice" env ${threads:+"$threads"} VOLTERRA="$PWD/$build/volterra" VOLT_SUITE="$suite" \
                        VOLT_SLICES=2 VOLT_SLICE="$slice" bash tests/cli/run.sh
                done
            fi
            ;;
        faults)
            found=yes
            start_job "$suite" tap run env VOLTERRA="$PWD/$build/volterra" bash tests/faults/run.sh
            ;;
        examples)
            for program in examples/[0-9]*.c; do
                [ -e "$program" ] || continue
                found=yes
                name=$(basename "$program" .c)
                start_job "$suite" status "$name" "$build/examples/$name"
            done
            ;;
        python)
            found=yes
            # Compiles the library once more, and may wait for the package index.
            seconds_each=$((3 * seconds_each)) start_job "$suite" tap run bash python/tests/run.sh "$build"
            ;;
        mpi)
            found=yes
            # Alone: processes that wait for each other compete with other programs for processors.
            wait
            run_job "$suite" tap run bash tests/mpi/run.sh "$build"
            ;;
        install)
            found=yes
            start_job "$suite" tap run bash tests/install/run.sh "$build"
            start_job "$suite" status folders scripts/check_architecture.py # the links between the object files
            ;;
        fuzz)
            found=yes
            start_job "$suite" tap replay "$build/tests/fuzz/fuzz_replay" tests/fuzz/corpus
            ;;
        *)
            echo "run_tests: unknown suite '$suite'" >&2
            ;;
    esac
    if [ "$found" = no ]; then
        echo "FAIL  $suite has no tests"
        record "$suite" "(no tests)" 0 1 0 0 0
    fi
}

# build_preset PRESET: false (and one failure) when it does not build
build_preset()
{
    local log=$results/build-$1.log start
    start=$(date +%s.%N)
    echo "build $1"
    [ "$1" = default ] || [ "$own_cache" = no ] || unset CMAKE_C_COMPILER_LAUNCHER # nothing is compiled twice there
    # shellcheck disable=SC2086 # CMAKE_ARGS are words
    if cmake --preset "$1" ${CMAKE_ARGS:-} >"$log" 2>&1 &&
        cmake --build --preset "$1" --parallel "$jobs_build" >>"$log" 2>&1; then
        grep -E '^-- volterra ' "$log"
        echo "ok    build $1 ($(elapsed "$start") s)"
        return 0
    fi
    echo "FAIL  build $1"
    grep -nE -A5 'error|FAILED|Error ' "$log" | head -n 60
    tail -n 20 "$log"
    record "build" "$1" 0 1 0 "$(elapsed "$start")" 0
    return 1
}

# run_preset PRESET BUILD SUITE...: its last programs may still run while the next preset builds
run_preset()
{
    local preset=$1 build=$2 suite
    shift 2
    [ $# -gt 0 ] || return
    build_preset "$preset" || return
    for suite in "$@"; do
        run_suite "$suite" "$build" "${suite#*:}"
    done
}

# ---- run ----------------------------------------------------------------------------------------
started=$(date +%s.%N)
rm -rf "$results"
mkdir -p "$results"
: >"$results/counts"

if ! scripts/deps.sh build test; then
    record deps "build test" 0 1 0 0 0
    finish
fi

# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $all_suites
plain=() sanitized=() counted=()
for suite in "$@"; do
    case $suite in
        sanitize:*) sanitized+=("$suite") ;;
        coverage:*) counted+=("$suite") ;;
        *) plain+=("$suite") ;;
    esac
done
given=${CMAKE_ARGS:-}
scripts/deps.sh --list mpi >/dev/null && CMAKE_ARGS="-DVOLT_MPI=ON $given" # where it is there it is tested
run_preset default build "${plain[@]}"
CMAKE_ARGS=$given
run_preset sanitize build-sanitize "${sanitized[@]}"
run_preset coverage build-coverage "${counted[@]}"
wait
finish
