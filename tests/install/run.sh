#!/usr/bin/env bash
# tests/install/run.sh: install into a scratch prefix and use the library from there.
#
#   tests/install/run.sh BUILD      BUILD: a build folder with the shared library. TAP on stdout.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
scratch=$build/install-test
# The static library is the slow part, so its build folder is kept. With ccache (tests/run_tests.sh) it has the flags of the
# other build and a place beside it: the paths in the commands are the same, and no file is compiled again.
static_build=$scratch/static-build static_flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0)
if [[ ${CMAKE_C_COMPILER_LAUNCHER:-} == *ccache ]]; then
    static_build=$build-static static_flags=(-DCMAKE_BUILD_TYPE=Release)
fi
log=$scratch/log
CC=${CC:-cc}
CXX=${CXX:-c++}
version=$(sed -n 's/^project(volterra VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
mkdir -p "$scratch"
rm -rf "$scratch"/{shared,static,moved} "$scratch"/use-*

count=0
failures=0
# check NAME COMMAND...: one TAP line; the output of a command that fails follows it.
check()
{
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >"$log" 2>&1; then
        echo "ok $count - $name"
    else
        failures=$((failures + 1))
        echo "not ok $count - $name"
        sed 's/^/# /' "$log"
    fi
}

# ---- steps --------------------------------------------------------------------------------------
install_shared() { cmake --install "$build" --prefix "$scratch/shared"; }

install_static()
{
    cmake -S "$root" -B "$static_build" "${static_flags[@]}" -DBUILD_SHARED_LIBS=OFF -DVOLT_BUILD_CLI=OFF \
        -DVOLT_BUILD_TESTS=OFF -DVOLT_BUILD_BENCH=OFF -DVOLT_BUILD_EXAMPLES=OFF &&
        cmake --build "$static_build" --parallel 2 &&
        cmake --install "$static_build" --prefix "$scratch/static"
}

says_version() { [ "$("$@")" = "volterra $version" ]; }

use_find_package() # KIND [COMPONENT]; KIND: shared, static or moved
{
    local folder=$scratch/use-cmake-$1${2:-}
    cmake -S "$root/tests/install/consumer" -B "$folder" -DCMAKE_PREFIX_PATH="$scratch/$1" -DCOMPONENT="${2:-}" &&
        cmake --build "$folder" && says_version "$folder/consumer" &&
        { [ -z "${2:-}" ] || ! readelf -d "$folder/consumer" | grep 'libvolterra\|libmatio'; }
}

# Where both libraries are installed, the linker selects the shared one for -lvolterra.
use_pkg_config() # KIND [--static]
{
    local prefix=$scratch/$1 program=$scratch/use-pkg-config-$1${2:-} flags pc
    shift
    pc=$(find "$prefix" -name volterra.pc) && [ -n "$pc" ] || return 1
    flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "$@" --cflags --libs volterra) || return 1
    [ $# -eq 0 ] || flags=${flags/-lvolterra/-l:libvolterra.a}
    # shellcheck disable=SC2086 # flags are words
    "$CC" "$root/tests/install/consumer/consumer.c" -o "$program" $flags -lm \
        -Wl,-rpath,"$(dirname "$(dirname "$pc")")" && says_version "$program"
}

# A shared library records its dependencies: their pkg-config files are not required.
pkg_config_alone() # KIND
{
    local pc
    pc=$(find "$scratch/$1" -name volterra.pc) && [ -n "$pc" ] || return 1
    PKG_CONFIG_LIBDIR=$(dirname "$pc") pkg-config --cflags --libs volterra
}

block_of() { awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/$1"; } # PAGE: its blocks of C

# run_block KIND: compile the program on standard input with an installation, and run it
run_block()
{
    local pc flags
    pc=$(find "$scratch/$1" -name volterra.pc) && [ -n "$pc" ] || return 1
    flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs volterra) || return 1
    cat >"$scratch/block.c"
    # shellcheck disable=SC2086 # flags are words
    "$CC" -std=c11 -Wall -Wextra -pedantic -Werror "$scratch/block.c" -o "$scratch/use-block" $flags \
        -Wl,-rpath,"$(dirname "$(dirname "$pc")")" || return 1
    "$scratch/use-block"
}

# The program of the first steps in C prints the output given there.
first_program() # KIND
{
    local said
    said=$(block_of docs/first_steps_c.md | run_block "$1") || return 1
    echo "$said"
    grep -qxF "    $said" "$root/docs/first_steps_c.md"
}

# The lines of the README forecast a series with a period of 4 rows.
readme_lines() # KIND
{
    {
        printf '#include <stdio.h>\n#include <volterra.h>\nint main(void)\n{\n    double y[40];\n'
        printf '    for (int t = 0; t < 40; t++)\n        y[t] = 10 + t %% 4;\n    volt_view series = {y, 40, 1, 1};\n'
        block_of README.md
        printf '}\n'
    } | run_block "$1" | tee "$scratch/said"
    grep -qE '^10\.00 \+- 0\.0' "$scratch/said"
}

move_tree() { cp -a "$scratch/shared" "$scratch/moved" && rm -rf "$scratch/shared"; }

shared_library() { find "$scratch/shared" "$scratch/moved" -name 'libvolterra.so' 2>/dev/null | head -n 1; }
exported() { nm -D --defined-only "$(shared_library)" | awk '$2 != "A" { print $NF }' | sed 's/@.*//' | sort -u; }

exports_only_ours()
{
    [ -n "$(exported)" ] || return 1
    ! exported | grep -v '^volt_'
}

# The soname and the version of all symbols have the major version, so that two libraries can be loaded into one process.
versioned()
{
    local major=${version%%.*}
    [ "$(readlink "$(shared_library).$major")" = "libvolterra.so.$version" ] &&
        [ "$(nm -D --defined-only "$(shared_library)" | grep -c "@@VOLTERRA_$major$")" -gt 100 ] &&
        ! nm -D --defined-only "$(shared_library)" | grep ' volt_' | grep -v "@@VOLTERRA_$major$"
}

# The library exports the functions that the public headers declare, and nothing else.
exports_the_declared()
{
    local declared
    declared=$(grep -ohE '^VOLT_API [^(]*\(' "$root"/include/volterra/*.h | grep -oE 'volt_[a-z0-9_]+\($' |
        tr -d '(' | sort -u)
    [ -n "$declared" ] || return 1
    ! comm -3 <(echo "$declared") <(exported) | grep .
}

compiles_alone() # COMPILER FLAGS...
{
    local header
    for header in "$scratch"/static/include/volterra.h "$scratch"/static/include/volterra/*.h; do
        "$@" -Wall -Wextra -pedantic -Werror -I"$scratch/static/include" -fsyntax-only "$header" || return 1
    done
}

completions_installed()
{
    (cd "$scratch/shared/share" && [ -s zsh/site-functions/_volterra ] &&
        bash -n bash-completion/completions/volterra)
}

program_runs() { "$scratch/$1/bin/volterra" --version | grep -F "$version"; }

# ---- run ----------------------------------------------------------------------------------------
. "$root/tests/install/missing_dependency.sh"
check "install a shared library" install_shared
check "find_package, shared" use_find_package shared
check "pkg-config, shared" use_pkg_config shared
check "pkg-config, shared, with nothing else to be found" pkg_config_alone shared
check "the program of the first steps in C, as printed" first_program shared
check "the lines of C in the README forecast" readme_lines shared
check "all exported symbols begin with volt_" exports_only_ours
check "the exported functions are the declared ones" exports_the_declared
[ "$(uname -s)" != Linux ] || check "symbols have a version" versioned
check "no function of the list in abi/ was lost" "$root/scripts/abi.sh" --names
check "the installed program runs" program_runs shared
check "completions for shells are installed" completions_installed
check "install a static library" install_static
check "find_package, only static" use_find_package static static
check "pkg-config, only static" use_pkg_config static --static
check "find_package, both installed, component static" use_find_package shared static
check "pkg-config --static, both installed" use_pkg_config shared --static
check "every header compiles alone as C11" compiles_alone "$CC" -std=c11 -x c
check "every header compiles alone as C++17" compiles_alone "$CXX" -std=c++17 -x c++
check "move the installed tree" move_tree
check "the moved program runs" program_runs moved
check "find_package after the move" use_find_package moved
check "pkg-config after the move" use_pkg_config moved
echo "1..$count"
[ "$failures" -eq 0 ]
