#!/usr/bin/env bash
# scripts/demo.sh: compare kernels on covolatility simulated with parameters of real markets.
#
# The experiment of Gonon, Grigoryeva and Ortega with five stocks (--protocol published: of the paper's kernels only
# Volterra uses past inputs), each kernel tuned for 12 s: within three minutes on two cores. Everything goes to
# build/demo. What `make demo` calls; needs build/volterra. A longer search is one option
# away: BUDGET=60s make demo.
set -euo pipefail
cd "$(dirname "$0")/.."

budget=${BUDGET:-12s}
mkdir -p build/demo
command=(compare --preset sp500-d5 --protocol published --budget "$budget" --race fast --seed 1 --report build/demo/report.html)
printf '$ volterra %s\n\n' "${command[*]}"
build/volterra "${command[@]}"

printf '\nopen the report in a browser: file://%s/build/demo/report.html\n' "$PWD"
