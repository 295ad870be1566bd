#!/usr/bin/env bash
# scripts/lint.sh: formatting, layout, size, wording, clang-tidy, cppcheck, shellcheck, interface. Called by `make lint`.
#
#   scripts/lint.sh            check everything
#   scripts/lint.sh --fast     layout, size, generated files, exported names, wording, format, and the syntax of optional components and workflows:
#                              seconds, nothing is built or installed
#   scripts/lint.sh --format   rewrite the C files with clang-format instead
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

mapfile -t c_files < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h')
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run)

[ "${1:-}" = --fast ] || scripts/deps.sh build test lint || exit 1
if [ "${1:-}" = --format ]; then
    exec clang-format -i "${c_files[@]}"
fi

failed=()
step() # NAME COMMAND...
{
    local name=$1
    shift
    echo "== $name"
    "$@" || failed+=("$name")
}

# A build folder only for the compile commands; nothing is compiled.
configure() { cmake --preset dev -B build/lint >build/lint.log 2>&1 || { cat build/lint.log; return 1; }; }

tidy()
{
    # C files of the project, without CMake probes and optional components.
    printf '%s\n' "${c_files[@]}" | grep '\.c$' | grep -vE '^(cmake|cuda|matlab|mpi|r|web|tests/mpi|tests/install)/' |
        xargs -P "${JOBS:-$(nproc)}" -n 4 clang-tidy -p build/lint --quiet 2>&1 |
        grep -vE '^[0-9]+ warnings? generated|^Suppressed [0-9]+|^Use -header-filter'
    return "${PIPESTATUS[3]}"
}

check_cpp()
{
    mkdir -p build/lint/cppcheck
    cppcheck --project=build/lint/compile_commands.json --cppcheck-build-dir=build/lint/cppcheck \
        -j "${JOBS:-$(nproc)}" --enable=warning,performance,portability --std=c11 --inline-suppr \
        --suppressions-list=scripts/cppcheck.suppress --error-exitcode=1 --quiet
}

report()
{
    [ "${#failed[@]}" -eq 0 ] && return
    echo "lint: failed: ${failed[*]}" >&2
    exit 1
}

format()
{
    command -v clang-format >/dev/null || { echo "clang-format is not installed: formatting is not checked"; return 0; }
    clang-format --dry-run --Werror "${c_files[@]}"
}

workflows()
{
    command -v actionlint >/dev/null || { echo "actionlint is not installed: .github/workflows is not checked"; return 0; }
    actionlint
}

# The tests do not build the CUDA plugin, and the MPI program only where MPI is installed.
optional_components()
{
    local compile=("${CC:-cc}" -fsyntax-only -std=gnu11 -Wall -Wextra -Werror '-DVOLT_VERSION="0"' -Iinclude -Isrc -Icli)
    local cuda=${CUDA_HOME:-/usr/local/cuda}/include bad=0
    if [ -f "$cuda/cuda_runtime.h" ]; then
        for file in cuda/*.c; do "${compile[@]}" -Icuda -isystem "$cuda" "$file" || bad=1; done
    else
        echo "the headers of CUDA are not installed: cuda/ is not checked"
    fi
    if echo '#include <mpi.h>' | mpicc -fsyntax-only -x c - 2>/dev/null; then
        for file in mpi/*.c; do OMPI_CC=${compile[0]} mpicc "${compile[@]:1}" -Impi "$file" || bad=1; done
    else
        echo "the headers of MPI are not installed: mpi/ is not checked"
    fi
    return "$bad"
}

mkdir -p build
step "layout" scripts/check_layout.sh
step "size" scripts/size.sh
generated() { scripts/describe.py --check && tests/fuzz/corpus.py check; }
step "generated files" generated
step "architecture" scripts/check_architecture.py
step "exported names" scripts/abi.sh --names
step "wording" scripts/voice.py --limit 0.5
step "clang-format" format
step "optional components" optional_components
step "workflows" workflows
[ "${1:-}" = --fast ] && { report; exit 0; }
# Some scripts are sourced by others, which define their variables: SC1090, SC2034, SC2154.
step "shellcheck" shellcheck --shell=bash --severity=warning -e SC1090,SC2034,SC2154 "${scripts[@]}"
step "configure" configure
step "clang-tidy" tidy
step "cppcheck" check_cpp
step "interface" scripts/abi.sh

report
