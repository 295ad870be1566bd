#!/usr/bin/env bash
# scripts/deps.sh: find what is missing and install that, and only that, with the package manager.
#
#   scripts/deps.sh [--list] SET...       sets: build test bench lint fuzz tsan coverage mutate mpi wheel deb site octave r arm web
#
# --list only names what is missing. Quick, and without a word, when nothing is. A name "-" in the table
# means that the package is not known there: the script then says what to install by hand.
set -euo pipefail

CC=${CC:-cc}

# set | what it is | probe | apt | dnf | pacman | zypper | apk | brew
table='
build | a C compiler                | has_compiler               | gcc libc6-dev          | gcc                 | gcc        | gcc                      | gcc musl-dev | gcc
build | CMake 3.22 or later         | has_cmake                  | cmake                  | cmake               | cmake      | cmake                    | cmake        | cmake
build | pkg-config                  | has_program pkg-config     | pkg-config             | pkgconf-pkg-config  | pkgconf    | pkg-config               | pkgconf      | pkgconf
build | Python 3                    | has_program python3        | python3                | python3             | python     | python3                  | python3      | python
build | OpenBLAS (its OpenMP build) | has_openblas               | libopenblas-openmp-dev | openblas-devel      | openblas   | libopenblas_openmp-devel | openblas-dev | openblas
build | Random123                   | has_header Random123/philox.h | librandom123-dev    | Random123-devel     | -          | -                        | -            | -
build | libcsv                      | has_header csv.h           | libcsv-dev             | libcsv-devel        | -          | -                        | -            | -
build | matio                       | has_module matio           | libmatio-dev           | matio-devel         | libmatio   | -                        | -            | libmatio
build | Jansson                     | has_module jansson         | libjansson-dev         | jansson-devel       | jansson    | libjansson-devel         | jansson-dev  | jansson
build | NLopt                       | has_module nlopt           | libnlopt-dev           | NLopt-devel         | nlopt      | nlopt-devel              | nlopt-dev    | nlopt
build | zlib                        | has_module zlib            | zlib1g-dev             | zlib-devel          | zlib       | zlib-devel               | zlib-dev     | zlib
test  | cmocka                      | has_module cmocka          | libcmocka-dev          | libcmocka-devel     | cmocka     | libcmocka-devel          | cmocka-dev   | cmocka
test  | a C++ compiler              | has_program c++            | g++                    | gcc-c++             | gcc        | gcc-c++                  | g++          | gcc
test  | Python with venv            | has_venv                   | python3-venv           | python3             | python     | python3                  | python3      | python
test  | ccache                      | has_program ccache         | ccache                 | ccache              | ccache     | ccache                   | ccache       | ccache
test  | Chromium                    | has_chromium               | chromium               | chromium            | chromium   | chromium                 | chromium     | -
bench | Python with venv            | has_venv                   | python3-venv           | python3             | python     | python3                  | python3      | python
lint  | clang-format                | has_program clang-format   | clang-format           | clang-tools-extra   | clang      | clang                    | -            | clang-format
lint  | clang-tidy                  | has_program clang-tidy     | clang-tidy             | clang-tools-extra   | clang      | clang                    | -            | llvm
lint  | clang with OpenMP           | has_clang_openmp           | clang libomp-dev       | clang libomp-devel  | clang openmp | -                      | -            | llvm libomp
lint  | cppcheck                    | has_program cppcheck       | cppcheck               | cppcheck            | cppcheck   | cppcheck                 | cppcheck     | cppcheck
lint  | ShellCheck                  | has_program shellcheck     | shellcheck             | ShellCheck          | shellcheck | ShellCheck               | shellcheck   | shellcheck
lint  | abidiff                     | has_program abidiff        | abigail-tools          | libabigail          | libabigail | libabigail-tools         | -            | -
fuzz  | clang with OpenMP           | has_clang_openmp           | clang libomp-dev       | clang libomp-devel  | clang openmp | -                      | -            | llvm libomp
fuzz  | libFuzzer                   | has_libfuzzer              | libclang-rt-dev        | compiler-rt         | compiler-rt | -                       | -            | llvm
tsan  | clang with OpenMP           | has_clang_openmp           | clang libomp-dev       | clang libomp-devel  | clang openmp | -                      | -            | -
coverage | gcovr                    | has_program gcovr          | gcovr                  | gcovr               | -          | -                        | -            | gcovr
mutate | Python with venv           | has_venv                   | python3-venv           | python3             | python     | python3                  | python3      | python
mpi   | Open MPI                    | has_mpi                    | libopenmpi-dev openmpi-bin | openmpi-devel   | openmpi    | openmpi-devel            | openmpi-dev  | open-mpi
mpi   | ScaLAPACK for Open MPI      | has_scalapack              | libscalapack-openmpi-dev | scalapack-openmpi-devel | scalapack | libscalapack2-openmpi-devel | scalapack-dev | scalapack
wheel | Python with venv            | has_venv                   | python3-venv           | python3             | python     | python3                  | python3      | -
wheel | a C++ compiler (HDF5)       | has_program c++            | g++                    | gcc-c++             | gcc        | gcc-c++                  | g++          | gcc
wheel | make                        | has_program make           | make                   | make                | make       | make                     | make         | make
wheel | mmdebstrap                  | has_program mmdebstrap     | mmdebstrap             | -                   | -          | -                        | -            | -
deb   | dpkg-buildpackage           | has_program dpkg-buildpackage | dpkg-dev fakeroot   | -                   | -          | -                        | -            | -
deb   | build-essential             | has_package build-essential | build-essential       | -                   | -          | -                        | -            | -
deb   | debhelper                   | has_program dh             | debhelper              | -                   | -          | -                        | -            | -
deb   | dh-python                   | has_program dh_python3     | dh-python python3-all  | -                   | -          | -                        | -            | -
deb   | lintian                     | has_program lintian        | lintian                | -                   | -          | -                        | -            | -
deb   | mmdebstrap                  | has_program mmdebstrap     | mmdebstrap             | -                   | -          | -                        | -            | -
tsan  | ThreadSanitizer             | has_thread_sanitizer       | libclang-rt-dev        | compiler-rt         | compiler-rt | -                       | -            | -
octave | Octave                    | has_program octave         | octave                 | octave              | octave     | octave                   | octave       | octave
octave | mkoctfile                 | has_program mkoctfile      | octave-dev             | octave-devel        | octave     | octave-devel             | octave-dev   | octave
arm   | C compiler for Cortex-M     | has_program arm-none-eabi-gcc | gcc-arm-none-eabi libnewlib-arm-none-eabi | - | -     | -                        | -            | -
arm   | QEMU for ARM                | has_program qemu-system-arm | qemu-system-arm       | qemu-system-arm     | qemu-system-arm | qemu-arm            | qemu-system-arm | qemu
r     | R with headers              | has_program R              | r-base-dev             | R-devel             | r          | R-base-devel             | R-dev        | r
site  | Sphinx                      | has_python sphinx          | python3-sphinx         | python3-sphinx      | python-sphinx | python3-Sphinx        | py3-sphinx   | sphinx-doc
site  | MyST parser                 | has_python myst_parser     | python3-myst-parser    | python3-myst-parser | python-myst-parser | python3-myst-parser | -         | -
site  | breathe                     | has_python breathe         | python3-breathe        | python3-breathe     | python-breathe | python3-breathe      | py3-breathe  | -
site  | Furo                        | has_python furo            | furo                   | python3-furo        | python-furo | python3-furo            | -            | -
site  | NumPy                       | has_python numpy           | python3-numpy          | python3-numpy       | python-numpy | python3-numpy          | py3-numpy    | numpy
site  | Doxygen                     | has_program doxygen        | doxygen                | doxygen             | doxygen    | doxygen                  | doxygen      | doxygen
web   | Emscripten                  | has_program emcc           | emscripten             | emscripten          | emscripten | emscripten               | emscripten   | emscripten
web   | dpkg-source                 | has_program dpkg-source    | dpkg-dev               | -                   | -          | -                        | -            | -
web   | CMake 3.22 or later         | has_cmake                  | cmake                  | cmake               | cmake      | cmake                    | cmake        | cmake
web   | pkg-config                  | has_program pkg-config     | pkg-config             | pkgconf-pkg-config  | pkgconf    | pkg-config               | pkgconf      | pkgconf
web   | Random123                   | has_header Random123/philox.h | librandom123-dev    | Random123-devel     | -          | -                        | -            | -
web   | Chromium                    | has_chromium               | chromium               | chromium            | chromium   | chromium                 | chromium     | -
site  | KaTeX                       | has_katex                  | libjs-katex fonts-katex | -                  | -          | -                        | -            | -
'

# ---- probes -------------------------------------------------------------------------------------
has_program() { command -v "$1" >/dev/null; }
# `make web` compiles with Emscripten: there need not be a "$CC".
has_header() { echo "#include <$1>" | "$CC" -E - >/dev/null 2>&1 || [ -e "/usr/include/$1" ]; }
has_package() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'; }
has_module() { pkg-config --exists "$1" 2>/dev/null; }
has_chromium() { has_program chromium || has_program chromium-browser || has_program google-chrome; }
has_mpi() { echo '#include <mpi.h>' | mpicc -fsyntax-only -x c - 2>/dev/null; } # Debian has mpicc without the headers, too
has_scalapack() { has_module scalapack-openmpi || has_module scalapack; }
# System packages belong to the system Python, which need not be first in PATH.
has_python() { python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null; }
has_katex() { [ -e /usr/share/javascript/katex/katex.min.js ]; }
has_venv() { python3 -c 'import venv, ensurepip' 2>/dev/null; }
has_compiler() { echo 'int main(void) { return 0; }' | "$CC" -x c - -o /dev/null 2>/dev/null; }

has_cmake()
{
    local version
    version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')
    [ -n "$version" ] && [ "$(printf '3.22\n%s\n' "$version" | sort -V | head -n 1)" = 3.22 ]
}

# On Debian other builds of OpenBLAS may be installed; this one is required.
has_openblas()
{
    if [ "$manager" = apt ]; then
        compgen -G "/usr/lib/*/openblas-openmp/libopenblas.so" >/dev/null
    else
        has_module openblas || has_header cblas.h
    fi
}

has_clang_openmp() { echo '#include <omp.h>' | clang -fopenmp -E - >/dev/null 2>&1; }

has_libfuzzer()
{
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n ? 0 : 0; }' |
        clang -x c - -fsanitize=fuzzer,address,undefined -o /dev/null 2>/dev/null
}

has_thread_sanitizer() { echo 'int main(void) { return 0; }' | clang -x c - -fsanitize=thread -o /dev/null 2>/dev/null; }

# ---- package managers ---------------------------------------------------------------------------
find_manager()
{
    local candidate
    for candidate in apt-get dnf pacman zypper apk brew; do
        if has_program "$candidate"; then
            echo "${candidate%-get}"
            return
        fi
    done
    echo none
}

column_of()
{
    case $1 in
        apt) echo 4 ;; dnf) echo 5 ;; pacman) echo 6 ;; zypper) echo 7 ;; apk) echo 8 ;; brew) echo 9 ;;
        *) echo 0 ;;
    esac
}

install_packages()
{
    local sudo=()
    if [ "$(id -u)" -ne 0 ] && [ "$manager" != brew ]; then
        if ! has_program sudo; then
            echo "deps: not root, and there is no sudo; as root, install: $*" >&2
            exit 1
        fi
        sudo=(sudo)
    fi
    echo "deps: installing $*"
    case $manager in
        apt)
            "${sudo[@]}" apt-get update -q
            "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
            ;;
        dnf) "${sudo[@]}" dnf install -y "$@" ;;
        pacman) "${sudo[@]}" pacman -Sy --needed --noconfirm "$@" ;;
        zypper) "${sudo[@]}" zypper --non-interactive install "$@" ;;
        apk) "${sudo[@]}" apk add "$@" ;;
        brew) brew install "$@" ;;
    esac
}

# ---- what is missing ----------------------------------------------------------------------------
# Lines "what | packages" (packages "-": not known here) for the sets in "$@".
missing()
{
    local column set what probe packages
    column=$(column_of "$manager")
    while IFS='|' read -r -a field; do
        [ "${#field[@]}" -gt 1 ] || continue
        read -r set <<<"${field[0]}"
        [[ " $* " == *" $set "* ]] || continue
        read -r what <<<"${field[1]}"
        read -r -a probe <<<"${field[2]}"
        "${probe[@]}" && continue
        packages=-
        [ "$column" = 0 ] || read -r packages <<<"${field[column - 1]}"
        echo "$what|$packages"
    done <<<"$table"
}

list_only=no
if [ "${1:-}" = --list ]; then
    list_only=yes
    shift
fi
[ $# -gt 0 ] || set -- build
for wanted in "$@"; do
    case $wanted in
        build | test | bench | lint | fuzz | tsan | coverage | mutate | mpi | wheel | deb | site | octave | r | arm | web) ;;
        *) echo "deps: unknown set '$wanted' (build test bench lint fuzz tsan coverage mutate mpi wheel deb site octave r arm web)" >&2; exit 2 ;;
    esac
done

manager=$(find_manager)
lacking=$(missing "$@")
[ -n "$lacking" ] || exit 0

packages=$(sed -n 's/^.*|//; /^-$/!p' <<<"$lacking" | tr ' ' '\n' | sort -u)
unknown=$(sed -n 's/|-$//p' <<<"$lacking")
if [ "$list_only" = yes ]; then
    sed 's/|-$//; s/|/: /' <<<"$lacking"
    exit 1
fi
if [ -n "$packages" ]; then
    # shellcheck disable=SC2086 # one word per package
    install_packages $packages
    unknown=$(missing "$@" | sed 's/|.*//')
fi
if [ -n "$unknown" ]; then
    {
        echo "deps: still missing, please install with headers (package manager here: $manager):"
        echo "    ${unknown//$'\n'/$'\n'    }"
    } >&2
    exit 1
fi
