#!/usr/bin/env bash
# scripts/bench.sh: build in Release and run the benchmarks. Called by `make bench`.
#
# Peer packages are benchmarked too if they can be installed. PEER_PYTHON is the interpreter (empty: none); set
# it to use another one.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build
scripts/deps.sh bench || echo "bench: no Python with venv" >&2
# shellcheck disable=SC2086 # CMAKE_ARGS are words
cmake --preset default ${CMAKE_ARGS:-}
cmake --build --preset default --parallel "${JOBS:-$(nproc)}"

if [ -z "${PEER_PYTHON:-}" ]; then
    PEER_PYTHON=$(scripts/peers.sh build/peers || true)
fi
export PEER_PYTHON BUILD_DIR=build
exec bash bench/run.sh "$@"
