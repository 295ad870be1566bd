#!/usr/bin/env bash
# python/tests/run.sh: install the package as a stranger would, then run its tests. TAP on stdout.
#
#   python/tests/run.sh BUILD      BUILD: the build folder with the program; everything made here stays in it
#
# A copy of what git knows stands for a clean clone. `pip install` of that copy into a fresh virtual environment
# must give a package that runs the README's example with nothing but NumPy. Then pytest runs in a second
# environment, which has scikit-learn, pandas, matplotlib and, where they can be installed, polars and type checkers, is kept from run to run, and sees that package.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$build/python
source=$work/source
log=$work/log
fresh=$work/fresh
tools=$work/tools
packages=(pytest scikit-learn pandas matplotlib)
optional=(polars mypy basedpyright) # tests that need one that cannot be installed are skipped
mkdir -p "$work"

copy_of_checkout()
{
    rm -rf "$source" && mkdir -p "$source" || return 1
    (cd "$root" && { git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
        find . -path ./build -prune -o -path './build-*' -prune -o -type f -print0; } |
        while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done |
        tar --null -T - -cf - | tar -C "$source" -xf -)
}

# The build folder lies in the copy as another one lies in the checkout, and the compiler has the same name, so that
# ccache (tests/run_tests.sh) finds what was compiled there. The program, which a wheel holds too, is tried from a wheel by
# scripts/wheel.sh.
fresh_environment()
{
    python3 -m venv --clear "$fresh" &&
        "$fresh/bin/python" -m pip install --quiet --disable-pip-version-check \
            --config-settings=build-dir="$source/build" --config-settings=cmake.define.VOLT_BUILD_CLI=OFF \
            --config-settings=cmake.define.CMAKE_C_COMPILER="$(command -v "${CC:-cc}")" "$source"
}

readme_example()
{
    cd "$work" && "$fresh/bin/python" "$root/python/tests/readme_example.py" "$root/python/README.md"
}

works() { "$tools/bin/python" -c 'import pytest, sklearn, pandas, matplotlib' 2>/dev/null; }
packages_of() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

# Only modules that the tests import are compiled, into the build folder.
pip_options=(--quiet --disable-pip-version-check --no-compile)
tools_environment()
{
    if ! works; then
        python3 -m venv --clear "$tools" &&
            "$tools/bin/python" -m pip install "${pip_options[@]}" "${packages[@]}" || return 1
    fi
    local package
    for package in "${optional[@]}"; do
        "$tools/bin/python" -c "import $package" 2>/dev/null ||
            "$tools/bin/python" -m pip install "${pip_options[@]}" "$package" ||
            echo "# $package cannot be installed, and its tests are skipped"
    done
    packages_of "$fresh" >"$(packages_of "$tools")/package_under_test.pth"
}

count=0
failures=0
check() # NAME COMMAND...: one TAP line; the output of a command that fails follows it
{
    local name=$1
    shift
    count=$((count + 1))
    if (set -e; "$@") >"$log" 2>&1; then
        echo "ok $count - $name"
    else
        failures=$((failures + 1))
        echo "not ok $count - $name"
        sed 's/^/# /' "$log"
        return 1
    fi
}

status() { (cd "$root" && git status --porcelain --ignored 2>/dev/null) | grep -v " build"; }
before=$(status)
unchanged() { [ "$(status)" = "$before" ]; }

echo "1..5"
check "a copy of the checkout" copy_of_checkout || exit 1
check "pip install into a fresh environment" fresh_environment || exit 1
check "the example of python/README.md, with NumPy only" readme_example
check "the environment for the tests" tools_environment || exit 1
(
    cd "$work" || exit 1
    export PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX=$work/compiled PYTHONPATH=$root/python/tests MPLBACKEND=agg OMP_NUM_THREADS=2
    export VOLTERRA_ROOT=$root VOLTERRA_PROGRAM=${VOLTERRA:-$build/volterra} VOLTERRA_FRESH=$fresh/bin/python
    "$tools/bin/python" -m pytest -p tap_lines -p no:cacheprovider -q --rootdir="$root/python/tests" \
        --doctest-modules --ignore-glob='/*/volterra/sktime.py' --pyargs volterra "$root/python/tests"
) || failures=$((failures + 1))
check "nothing was left in the checkout" unchanged
[ "$failures" -eq 0 ]
