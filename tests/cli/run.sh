#!/usr/bin/env bash
# tests/cli/run.sh: test the output, exit status and files of the program.
#
#   VOLTERRA=path/to/volterra tests/cli/run.sh [PATTERN]
#
# Prints TAP. Every case runs in a directory of its own. PATTERN (a regular expression) chooses cases by
# name; VOLT_SLICES=N VOLT_SLICE=K runs one of N parts of them, K from 0.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
VOLTERRA=${VOLTERRA:-$here/../../build/volterra}
case $VOLTERRA in /*) ;; *) VOLTERRA=$PWD/$VOLTERRA ;; esac
pattern=${1:-.}

if [ ! -x "$VOLTERRA" ]; then
    echo "not ok 1 - there is no program at $VOLTERRA"
    echo "1..1"
    exit 1
fi

# A sanitized program needs its shadow memory, so limits on address space make no sense there.
sanitized=no
if grep -q __asan_init "$VOLTERRA" 2>/dev/null; then
    sanitized=yes
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/volterra-cli-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

. "$here/harness.sh"
# Comparisons of numbers, whose code the sanitized test programs of the library run: nothing new in a sanitized program.
numbers='4_losses|5_compare_loss|5_initial|5_scale_each|5_tune_loss|6_units|8_blocks|9_expressions|9_figures|9_figures_more|9_kernels|9_readme'
for cases in "$here"/cases/*.sh; do
    [[ $sanitized = yes && $(basename "$cases" .sh) =~ ^($numbers)$ ]] || . "$cases"
done

echo "1..$count"
[ "$failed" -eq 0 ]
