#!/usr/bin/env bash
# scripts/soak.sh: memory and drift of a stream and of a learner over many rows. Called by `make soak`.
#
#   SOAK_ROWS      through the stream (100000000: some minutes on one core)
#   SOAK_LEARNED   through the learner of a window of 500 rows (100000: some minutes on another)
#
# Both run concurrently. The status is 1 when the drift exceeds the rounding bound or memory grows.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build test
cmake --preset default
cmake --build --preset default --parallel "${JOBS:-$(nproc)}" --target soak

build/tests/soak/soak stream "${SOAK_ROWS:-100000000}" &
stream=$!
status=0
build/tests/soak/soak learn "${SOAK_LEARNED:-100000}" >build/soak-learn.txt || status=1
wait "$stream" || status=1
cat build/soak-learn.txt
exit $status
