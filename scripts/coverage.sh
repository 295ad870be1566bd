#!/usr/bin/env bash
# scripts/coverage.sh: which lines and branches of src/ the tests run. What `make coverage` calls.
#
#   scripts/coverage.sh [SUITE...]     suites of tests/run_tests.sh; without arguments those below
#   scripts/coverage.sh --report       count again what ran before
#
# The preset `coverage` compiles the library with gcc's counters, at -O1 and without assertions. Every program adds what
# it counted when it ends, under a lock on the file of each object, so that programs may run side by side; the threads
# of one count atomically. A program that a signal kills adds nothing; failures that `faults` injects end where the program
# does, before its counters are written. Not run here: what only a GPU or several processes of MPI reach.
#
# Prints lines and branches of src/ by folder. Pages are left in build-coverage/html, what did not run in
# build-coverage/uncovered.txt. A line that did not run and whose function tests/coverage_left.txt does not name (with the
# reason) is named here, and then the status is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
build="build-coverage"

scripts/deps.sh build test coverage
[ $# -gt 0 ] || set -- python cli unit property reference backend faults fuzz

if [ "$1" != --report ]; then
    [ ! -d $build ] || find $build -name '*.gcda' -delete
    # The Python tests load the library that counts.
    VOLTERRA_LIBRARY=$PWD/$build/libvolterra.so TEST_SECONDS=${TEST_SECONDS:-3600} \
        tests/run_tests.sh "${@/#/coverage:}" || echo "coverage: tests failed; what ran is counted all the same"
fi

# A branch that no source line decides is none: gcc makes some for itself.
mkdir -p $build/html
gcovr --root . --object-directory $build --filter 'src/' --exclude-unreachable-branches --exclude-throw-branches \
    -j "${JOBS:-$(nproc)}" --json $build/coverage.json --html-details $build/html/index.html $build
python3 scripts/coverage_report.py $build/coverage.json tests/coverage_left.txt $build/uncovered.txt
echo "coverage: pages in $build/html/index.html, what did not run in $build/uncovered.txt"
