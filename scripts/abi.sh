#!/usr/bin/env bash
# scripts/abi.sh: check binary compatibility with the last release. A step of `make lint`.
#
#   scripts/abi.sh             compare the public interface with that of the last tag v*; fails where something was lost
#                              or changed although docs/versions.md promises that it stays
#   scripts/abi.sh --names     only: does abi/libvolterra.symbols list what the headers declare? Does the library in build/,
#                              if there is one, export exactly that, and do its objects define only names with volt_?
#   scripts/abi.sh --update    write the names that the headers declare now into that list
#
# abidiff compares arguments and structures, using the debug information of both libraries. Without a tag only
# the names are checked.
set -euo pipefail
cd "$(dirname "$0")/.."

list=abi/libvolterra.symbols
work=build/abi

declared() { grep -ohE '^VOLT_API [^(]*\(' include/volterra/*.h | grep -oE 'volt_[a-z0-9_]+\($' | tr -d '(' | LC_ALL=C sort -u; }

defined() { nm --defined-only "$@" 2>/dev/null | awk 'NF == 3 && $2 ~ /[A-Z]/ && $2 != "A" { print $3 }' | sed 's/@.*//' | LC_ALL=C sort -u; }

check_names()
{
    local differences objects stray status=0
    differences=$(LC_ALL=C comm -3 "$list" <(declared) | tr -d '\t')
    if [ -n "$differences" ]; then
        echo "abi: $list and the headers differ in ${differences//$'\n'/ }; run scripts/abi.sh --update" >&2
        status=1
    fi
    stray=$(grep -rlw VOLT_API src || true)
    if [ -n "$stray" ]; then
        echo "abi: VOLT_API belongs in include/, not in ${stray//$'\n'/ }" >&2
        status=1
    fi
    if [ -e build/libvolterra.so ]; then
        differences=$(LC_ALL=C comm -3 <(declared) <(defined -D build/libvolterra.so) | tr -d '\t')
        if [ -n "$differences" ]; then
            echo "abi: build/libvolterra.so and the headers differ in ${differences//$'\n'/ }; build it, or change the headers" >&2
            status=1
        fi
    fi
    mapfile -t objects < <(git ls-files 'src/*.c' | sed 's|.*|build/CMakeFiles/volterra_objects.dir/&.o|' | xargs ls 2>/dev/null)
    if [ "${#objects[@]}" -gt 0 ]; then
        stray=$(defined "${objects[@]}" | grep -v '^volt_' || true)
        if [ -n "$stray" ]; then
            echo "abi: global names of the library without the prefix volt_: ${stray//$'\n'/ }" >&2
            status=1
        fi
    fi
    return $status
}

major_of() { sed -n 's/^project(volterra VERSION \([0-9]*\).*/\1/p' "$1/CMakeLists.txt"; }

# Changes that docs/versions.md allows in a minor version, for abidiff: fields at the end of structures with struct_size,
# unless a function returns the structure by value; with a new name of that function (#define) its return type too.
allowed() # SOURCES BEFORE
{
    local before=$1/include/volterra type function renamed growing
    growing=$(awk '/^typedef struct/ { getline line; sized = line ~ /size_t struct_size/ } /^} volt_/ && sized { print $2 }' "$before"/*.h)
    while read -r type function; do
        renamed=$(grep -lE "^#define $function " include/volterra/*.h || true)
        if [ -n "$renamed" ]; then
            printf '[suppress_function]\n  name = %s\n  change_kind = function-subtype-change\n' "$function"
        else
            growing=$(grep -vx "$type;" <<<"$growing")
        fi
    done < <(sed -nE 's/^VOLT_API (volt_[a-z_]+) (volt_[a-z_]+_default)\(.*/\1 \2/p' "$before"/*.h)
    printf '[suppress_type]\n  type_kind = struct\n  name_regexp = ^(%s)$\n  has_data_member_inserted_at = end\n' \
        "$(tr -d ';' <<<"$growing" | paste -sd '|')"
}

build_library() # SOURCES BUILD
{
    cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g" -DVOLT_BUILD_CLI=OFF \
        -DVOLT_BUILD_TESTS=OFF -DVOLT_BUILD_BENCH=OFF -DVOLT_BUILD_EXAMPLES=OFF >"$2.log" 2>&1 &&
        cmake --build "$2" --parallel "${JOBS:-$(nproc)}" --target volterra >>"$2.log" 2>&1 || { tail -n 20 "$2.log"; return 1; }
}

compare_with() # TAG
{
    local status=0
    rm -rf "$work/before" && mkdir -p "$work/before" "$work/build-before" "$work/build-now"
    git archive "$1" | tar -C "$work/before" -xf -
    build_library "$work/before" "$work/build-before"
    build_library . "$work/build-now"
    allowed "$work/before" >"$work/allowed"
    abidiff --no-added-syms --suppressions "$work/allowed" --headers-dir1 "$work/before/include" --headers-dir2 include \
        "$work/build-before/libvolterra.so" "$work/build-now/libvolterra.so" || status=$?
    if [ "$status" -eq 0 ]; then
        echo "abi: nothing was lost or changed since $1"
    elif [ $((status & 3)) -ne 0 ]; then
        echo "abi: abidiff failed ($status)" >&2
        return 1
    elif [ "$(major_of "$work/before")" != "$(major_of .)" ]; then
        echo "abi: changed since $1, and so is the major version"
    else
        echo "abi: changed since $1: raise the major version, or change it back (docs/versions.md)" >&2
        return 1
    fi
}

case ${1:-} in
    --update)
        declared >"$list"
        ;;
    --names)
        check_names
        ;;
    "")
        check_names
        tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || tag=
        if [ -n "$tag" ]; then
            compare_with "$tag"
        else
            echo "abi: no tag to compare with yet; every name of $list is there"
        fi
        ;;
    *)
        echo "usage: scripts/abi.sh [--names | --update]" >&2
        exit 2
        ;;
esac
