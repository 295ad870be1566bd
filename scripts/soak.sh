#!/usr/bin/env bash
# scripts/soak.sh: rows through a stream and through a learner for long, with memory and drift. What `make soak` calls.
#
#   SOAK_ROWS      through the stream (100000000: some minutes on one core)
#   SOAK_LEARNED   through the learner of a window of 500 rows (100000: some minutes on another)
#
# Both run beside each other. The status is 1 when forecasts are further off than rounding explains, or memory grows.
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
