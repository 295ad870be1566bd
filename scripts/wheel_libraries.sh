#!/usr/bin/env bash
# scripts/wheel_libraries.sh PREFIX: PREFIX/libhdf5_serial.so.103, HDF5 without the network, for a wheel made on Debian.
# Called by scripts/wheel.sh.
#
# Debian's HDF5 also reads files over the network and depends on about thirty libraries, including two for TLS and one for
# Kerberos, which do not belong into a wheel. This script builds the same sources without network access, with the name
# and symbol versions that Debian's matio requires. Existing results are reused.
set -euo pipefail

prefix=${1:?usage: scripts/wheel_libraries.sh PREFIX}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
sources=$prefix/sources
matio=$(pkg-config --variable=libdir matio)/libmatio.so
soname=$(objdump -p "$matio" | awk '$1 == "NEEDED" && $2 ~ /^libhdf5/ { print $2 }')

# Uses the package mirror of the machine with separate lists, because its own lists may lack source packages.
fetch() # PACKAGE
{
    local list=$sources/sources.list lists=$sources/lists
    local options=(-o "Dir::Etc::sourcelist=$list" -o "Dir::Etc::sourceparts=-" -o "Dir::State::lists=$lists")
    mkdir -p "$lists/partial"
    (
        . /etc/os-release
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
            "$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)" \
            "$VERSION_CODENAME main" >"$list"
        cd "$sources"
        apt-get "${options[@]}" -q update
        apt-get "${options[@]}" -q source --download-only "$1"
    )
    rm -rf "${sources:?}/$1" && mkdir "$sources/$1"
    tar -C "$sources/$1" --strip-components=1 -xf "$sources/$1"_*.orig.tar.*
}

compile_hdf5()
{
    cd "$sources/hdf5"
    ./configure --quiet --disable-static --with-zlib --without-szlib --disable-hl --disable-tools --disable-tests
    make --silent -C src -j "${JOBS:-$(nproc)}"
}

# VERSION { global: SYMBOL; ... }; for every version of a symbol that matio asks for
versions_wanted()
{
    objdump -T "$matio" | awk '$0 ~ /\*UND\*/ && match($0, /HDF5_[A-Z]*_[0-9.]+/) {
            version = substr($0, RSTART, RLENGTH); symbols[version] = symbols[version] $NF "; " }
        END { for (version in symbols) print version " { global: " symbols[version] "};" }'
}

link_hdf5()
{
    versions_wanted >"$sources/versions.map"
    "${CC:-cc}" -shared -o "$prefix/$soname" -Wl,-soname,"$soname" -Wl,--version-script="$sources/versions.map" \
        "$sources"/hdf5/src/.libs/*.o -lz -ldl -lm
}

if [ -n "$soname" ] && [ ! -e "$prefix/$soname" ]; then
    mkdir -p "$sources"
    [ -e "$sources/hdf5/src/.libs/libhdf5.so" ] || { fetch hdf5; (compile_hdf5); }
    link_hdf5
fi
