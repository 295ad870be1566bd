#!/usr/bin/env bash
# scripts/wheel_container.sh: installs the dependencies of a wheel in a manylinux_2_28 container. Called once by cibuildwheel.
#
# Installs packages of the distribution, and three from source: libcsv and Random123, which it lacks, and OpenBLAS with
# OpenMP for up to 128 threads, so that it uses the threads of the library.
set -euo pipefail

openblas=0.3.28 random123=1.14.0
libcsv=b1d5212831842ee5869d99bc208a21837e4037d5 # 3.0.3, which has no tag
sources=$(mktemp -d)

unpack() # NAME ADDRESS
{
    mkdir "$sources/$1"
    curl --fail --silent --show-error --location "$2" | tar -C "$sources/$1" --strip-components=1 -xzf -
}

dnf -y install epel-release
dnf -y install gcc-gfortran pkgconf-pkg-config zlib-devel jansson-devel NLopt-devel hdf5-devel matio-devel

unpack openblas "https://github.com/OpenMathLib/OpenBLAS/archive/refs/tags/v$openblas.tar.gz"
openblas_options=(USE_OPENMP=1 NUM_THREADS=128 DYNAMIC_ARCH=1 NO_LAPACKE=1 NO_STATIC=1 PREFIX=/usr/local)
case $(uname -m) in
    x86_64) openblas_options+=(TARGET=PRESCOTT) ;;
    aarch64) openblas_options+=(TARGET=ARMV8) ;;
esac
make -C "$sources/openblas" --silent -j "$(nproc)" "${openblas_options[@]}" libs netlib shared
make -C "$sources/openblas" --silent "${openblas_options[@]}" install

unpack libcsv "https://github.com/rgamble/libcsv/archive/$libcsv.tar.gz"
gcc -O2 -fPIC -shared -Wl,-soname,libcsv.so.3 "$sources/libcsv/libcsv.c" -I "$sources/libcsv" -o /usr/local/lib/libcsv.so.3
ln -sf libcsv.so.3 /usr/local/lib/libcsv.so
cp "$sources/libcsv/csv.h" /usr/local/include/

unpack random123 "https://github.com/DEShawResearch/random123/archive/refs/tags/v$random123.tar.gz"
cp -r "$sources/random123/include/Random123" /usr/local/include/
ldconfig
