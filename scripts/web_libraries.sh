#!/usr/bin/env bash
# scripts/web_libraries.sh: Jansson, libcsv, zlib and NLopt for WebAssembly, from Debian's source packages.
#
#   scripts/web_libraries.sh FOLDER       FOLDER receives include/ and lib/, and a mark when it is complete
#
# Debian compiles no packages for WebAssembly. The sources are fetched by name, with the package lists in FOLDER, so
# that the configuration of the system is not changed. Random123 has headers only: those of the system are used.
set -euo pipefail

target=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$target/complete" ] && exit 0
work=$target/work
mkdir -p "$work/lists/partial" "$work/cache" "$work/parts" "$target/include" "$target/lib/pkgconfig"

# ---- sources ------------------------------------------------------------------------------------
# The sources of the system, as sources of source packages.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    case $(test -e "$file" && echo "$file") in
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/parts/${file##*/}" ;;
        *.list) sed -n 's/^deb\( \|\t\)/deb-src\1/p' "$file" >"$work/parts/${file##*/}" ;;
    esac
done
apt()
{
    apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" "$@"
}
cd "$work"
echo "web: fetching the sources of jansson, libcsv, zlib and nlopt" >&2
if ! { apt update && apt source jansson libcsv zlib nlopt; } >"$work/apt.log" 2>&1; then
    tail -n 5 "$work/apt.log" >&2
    exit 1
fi

# ---- libraries ----------------------------------------------------------------------------------
# -msimd128 as for the library itself.
build() # NAME CMAKE_OPTION...
{
    local name=$1 source
    shift
    source=$(find "$work" -maxdepth 1 -type d -name "$name-*")
    echo "web: compiling $name" >&2
    { emcmake cmake -S "$source" -B "$work/build-$name" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_C_FLAGS=-msimd128 -DCMAKE_INSTALL_PREFIX="$target" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
        cmake --build "$work/build-$name" --parallel "${JOBS:-2}" && cmake --install "$work/build-$name"; } \
        >"$work/$name.log" 2>&1 || { tail -n 20 "$work/$name.log" >&2; exit 1; }
}

compile() # NAME LIBRARY FILE...
{
    local name=$1 library=$2 source
    local -a files
    shift 2
    source=$(find "$work" -maxdepth 1 -type d -name "$name-*")
    echo "web: compiling $name" >&2
    mkdir -p "$work/build-$name"
    files=("${@/#/$source/}")
    (cd "$work/build-$name" && emcc -O2 -msimd128 -DHAVE_UNISTD_H -I"$source" -c "${files[@]/%/.c}")
    emar rcs "$target/lib/lib$library.a" "$work/build-$name"/*.o
}

build jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
build nlopt -DNLOPT_CXX=OFF -DNLOPT_PYTHON=OFF -DNLOPT_OCTAVE=OFF -DNLOPT_MATLAB=OFF -DNLOPT_GUILE=OFF \
    -DNLOPT_SWIG=OFF -DNLOPT_TESTS=OFF
compile zlib z adler32 crc32 deflate infback inffast inflate inftrees trees zutil compress uncompr gzclose gzlib gzread gzwrite
cp "$work"/zlib-*/z{lib,conf}.h "$target/include"
compile libcsv csv libcsv
cp "$work"/libcsv-*/csv.h "$target/include"
ln -sfn /usr/include/Random123 "$target/include/Random123"
touch "$target/complete"
