#!/usr/bin/env bash
# bench/run.sh: every benchmark, one JSON line per measurement, then a table with the budgets.
#
#   bench/run.sh [NAME...]     only these, e.g. gram stream
#
# BUILD_DIR    where the programs were built (build)
# PEER_PYTHON  a Python with numpy, numba and scikit-learn for the peers; empty: no peers
# BENCH_DATA   a folder with sysid/wiener_hammerstein.csv; empty: sysid is left out
# BENCH_TUNE_ROWS, BENCH_TUNE_DRAWS  a smaller search (tune, python) than 3008 rows and 100 draws, without budgets
# BENCH_THREADS_ROWS                 rows of the large factorisation of `threads` (20000; 0: none)
# FORECAST_DRAWS, FORECAST_BUDGET    draws (10; empty: no tuning) and time (60s) of the tuning of every task of `forecast`
# FORECAST_TABLE                     a file for the table of forecast or forecast-peers, in Markdown
# FORECAST_SERIES                    a folder with series and manifest.json for `forecast-peers`, which is asked for by name
#                                    and takes options (--help): bench/run.sh forecast-peers --volterra-only --jobs 4
# IDENTIFY_SYSTEMS, IDENTIFY_TABLE   a folder of systems for `identify-peers`, which is asked for by name and takes options, and a
#                                    file for its table: bench/run.sh identify-peers --split dev --jobs 2 --budget 60
# INTERVALS_SAMPLES                  samples of each problem of intervals (20); BENCH_DATA: with sysid/cascaded_tanks.csv
# INTERVALS_OTHERS                   not empty: intervals on the problems on which the rule was chosen, and nothing else
# ADAPTIVE_DRAWS, ADAPTIVE_SEEDS     draws of a search of `adaptive` (200), and searches of each kind (5)
# BENCH_LEARN_ROWS                   rows of the long run of `learn` (20000)
# EXPLAIN_SAMPLES, EXPLAIN_ROWS      samples for the coverage of `explain` (50), and rows of its fits (2000,5000)
# LARGE_RESULTS, LARGE_DATA          folders of `large` (bench/large, build/bench_large), which is asked for by name: bench_large.py
# MPI_ROWS, MPI_DRAWS                a smaller search of `mpi`, which is asked for by name: bench_mpi.py
# BENCH_TUNE_SCORES                  a file for the scores of that search, per draw and fold
# Ends with status 1 when a result was wrong or a budget was missed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

build=${BUILD_DIR:-build}
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(gram sums cholesky fit losses stream export simulate learn drift memory lorenz io windows kernels tune python forecast adaptive intervals sysid explain reservoirs busy)

# The budgets are for two cores, and the peers get the same two; `threads`, which is asked for by name, takes all.
all_threads=${OMP_NUM_THREADS:-$(nproc)}
export OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 NUMBA_NUM_THREADS=2
export BENCH_FOLDER=$PWD/bench
# forecast-peers and identify-peers have options, so each runs without others; they need numpy only for their peers.
if [ "${1:-}" = forecast-peers ] || [ "${1:-}" = identify-peers ]; then
    VOLTERRA=${VOLTERRA:-$PWD/$build/volterra} OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
        PYTHONDONTWRITEBYTECODE=1 exec "${PEER_PYTHON:-python3}" "bench/bench_${1//-/_}.py" "${@:2}"
fi

BENCH_TABLE=$(mktemp)
export BENCH_TABLE
trap 'rm -f "$BENCH_TABLE"' EXIT

wrong=()
# bench_script NAME: runs bench/bench_NAME.py with the paths of the package and the library
bench_script()
{
    local python=${PEER_PYTHON:-python3}
    if [ "$1" != large ] && [ "$1" != mpi ] && ! "$python" -c 'import numpy' 2>/dev/null; then
        echo "bench: no Python with numpy, so $1 is left out" >&2
        return
    fi
    VOLTERRA=$PWD/$build/volterra VOLTERRA_LIBRARY=$PWD/$build/libvolterra.so \
        PYTHONPATH=$PWD/python:$BENCH_FOLDER PYTHONDONTWRITEBYTECODE=1 "$python" "bench/bench_$1.py"
}

for name in "${names[@]}"; do
    if [ -f "bench/bench_$name.py" ]; then
        bench_script "$name" || wrong+=("$name")
    elif [ "$name" = threads ]; then
        OMP_NUM_THREADS=$all_threads OPENBLAS_NUM_THREADS=$all_threads "$build/bench/bench_threads" || wrong+=("$name")
    else
        "$build/bench/bench_$name" || wrong+=("$name")
    fi
done

echo
printf '%-22s %-50s %-22s %-9s %s\n' what parameters measured budget ''
cat "$BENCH_TABLE"
echo
missed=$(grep -c ' MISSED$' "$BENCH_TABLE" || true)
met=$(grep -c ' met$' "$BENCH_TABLE" || true)
echo "$met budgets met, $missed missed; load $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || echo unknown) at the end"
[ ${#wrong[@]} -eq 0 ] || { echo "bench: wrong or failed: ${wrong[*]}" >&2; exit 1; }
[ "$missed" -eq 0 ]
