#!/usr/bin/env bash
# octave.sh [build|test]: the functions for MATLAB and Octave, for the library in build/.
#
#   build   matlab/volterra_mex.mex, for addpath (default)
#   test    the same, then compare with the program
set -euo pipefail
cd "$(dirname "$0")/.."
command -v mkoctfile >/dev/null || { echo "octave.sh: Octave is missing (Debian: octave octave-dev)" >&2; exit 1; }
[ -e build/libvolterra.so ] || make --no-print-directory build
octave --no-gui --no-init-file --quiet --eval "cd('matlab'); build_volterra('-I$PWD/include', '-L$PWD/build -lvolterra -Wl,-rpath,$PWD/build')" \
    2> >(grep -v 'shadows a built-in\|^warning: called from\|^ \|^$' >&2 || true)
[ "${1:-build}" = test ] || exit 0
cases=$(mktemp -d); trap 'rm -rf "$cases"' EXIT
tests/bindings/make_cases.sh build/volterra "$cases"
octave --no-gui --no-init-file --quiet --eval "addpath('matlab/tests'); run_tests('$PWD', '$cases')"
