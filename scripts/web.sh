#!/usr/bin/env bash
# scripts/web.sh: the program for the browser, as one page without further files: build-web/volterra.html.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh web
export NODE_PATH=/usr/share/nodejs # modules of the optimiser, where another Node.js is first in PATH
libraries=$PWD/build-web/libraries
scripts/web_libraries.sh "$libraries"

export PKG_CONFIG_LIBDIR=$libraries/lib/pkgconfig
if [ ! -e build-web/CMakeCache.txt ]; then
    emcmake cmake -S . -B build-web -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_C_FLAGS=-msimd128 \
        -DVOLT_BLAS=none -DVOLT_OPENMP=OFF -DVOLT_MATIO=OFF -DVOLT_BUILD_CLI=OFF -DVOLT_BUILD_TESTS=OFF \
        -DVOLT_BUILD_BENCH=OFF -DVOLT_BUILD_EXAMPLES=OFF -DCMAKE_FIND_ROOT_PATH="$libraries" \
        -DCSV_LIBRARY="$libraries/lib/libcsv.a" -DCSV_INCLUDE_DIR="$libraries/include" \
        -DZLIB_LIBRARY="$libraries/lib/libz.a" -DZLIB_INCLUDE_DIR="$libraries/include" >build-web/configure.log 2>&1 ||
        { tail -n 20 build-web/configure.log >&2; exit 1; }
fi
cmake --build build-web --parallel "${JOBS:-2}" --target volterra_web
python3 web/make_page.py build-web/volterra_web.js build-web/volterra_web.wasm build-web/volterra.html
