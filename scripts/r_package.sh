#!/usr/bin/env bash
# r_package.sh [build|check|test]: the R package, from r/ and bindings/, for the library in build/.
#
#   build   build/r/volterra_VERSION.tar.gz, for R CMD INSTALL (default)
#   test    install it to build/r/library and run its tests against the program
#   check   R CMD check
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-build}
command -v R >/dev/null || { echo "r_package.sh: R is missing (Debian: r-base-dev)" >&2; exit 1; }
[ -e build/libvolterra.so ] || make --no-print-directory build
stage=build/r/volterra
rm -rf build/r/volterra build/r/volterra_*.tar.gz
mkdir -p build/r/library
cp -R r "$stage"
cp bindings/*.c bindings/*.h "$stage/src/"
mkdir -p "$stage/inst"
cp LICENSE "$stage/inst/COPYRIGHTS"
export VOLTERRA_CFLAGS="-I$PWD/include" VOLTERRA_LIBS="-L$PWD/build -lvolterra -Wl,-rpath,$PWD/build"
export R_LIBS=$PWD/build/r/library _R_CHECK_FORCE_SUGGESTS_=false
( cd build/r && R CMD build volterra >build.log 2>&1 ) || { cat build/r/build.log >&2; exit 1; }
package=$(ls build/r/volterra_*.tar.gz)
case $what in
build) echo "$package" ;;
test)
    R CMD INSTALL --no-test-load --library=build/r/library "$package" >build/r/install.log 2>&1 ||
        { cat build/r/install.log >&2; exit 1; }
    VOLTERRA_PROGRAM=$PWD/build/volterra Rscript r/tests/run.R
    ;;
check) ( cd build/r && R CMD check --no-manual "$(basename "$package")" ) ;;
*) echo "r_package.sh: unknown action '$what' (build, test or check)" >&2; exit 2 ;;
esac
