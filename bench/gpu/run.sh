#!/usr/bin/env bash
# bench/gpu/run.sh: the budgets on a GPU, and the same fits in PyTorch and CuPy for comparison. Called by `make bench-gpu`.
#
#   bench/gpu/run.sh [PART...]    parts of bench_gpu: fit growth search free landmarks memory; without, bench_gpu_large as well
#
# BUILD_DIR    where the programs and the plugin were built, with -DVOLT_CUDA=ON (build)
# PEER_PYTHON  a Python with torch or cupy (python3); empty: no peers
# PEER_ROWS    rows of the fits of the peers ("20000 50000")
# PEER_LARGE   peers of the fits of many rows (bench/gpu/gpu_large_peers.py); without parts only
set -euo pipefail
cd "$(dirname "$0")/../.."

build=${BUILD_DIR:-build}
BENCH_TABLE=$(mktemp)
lines=$(mktemp)
export BENCH_TABLE
trap 'rm -f "$BENCH_TABLE" "$lines"' EXIT

"$build/bench/bench_gpu" "$@" | tee "$lines"
[ -s "$lines" ] || exit 0
[ $# -gt 0 ] || "$build/bench/bench_gpu_large"
python=${PEER_PYTHON-python3}
if [ -n "$python" ]; then
    # shellcheck disable=SC2086 # PEER_ROWS are words
    "$python" bench/gpu/gpu_peers.py "$lines" ${PEER_ROWS:-20000 50000} || echo "bench: no $python with numpy, so no peers" >&2
    if [ $# -eq 0 ]; then
        # shellcheck disable=SC2086 # PEER_LARGE are words
        VOLTERRA="$build/volterra" "$python" bench/gpu/gpu_large_peers.py \
            ${PEER_LARGE:-torch:1000000:4000 sgpr:300000:2000 cg:50000 sklearn:300000:2000} || echo "bench: no peers of large fits" >&2
    fi
fi
echo
cat "$BENCH_TABLE"
