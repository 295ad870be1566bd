#!/usr/bin/env bash
# scripts/peers.sh: a scratch Python with the packages that the benchmarks compare with.
#
#   scripts/peers.sh FOLDER     prints the path of its python, or the reason of a failure on stderr (status 1)
#
# The packages for kernels between paths and for reservoirs are each optional: one that does not install is reported with
# the installer's last message, which FOLDER/NAME.refused keeps (remove it to try again). A missing path package is
# replaced by a plain reimplementation (bench/path_peers.py).
set -uo pipefail

folder=$1
packages=(numpy scipy numba scikit-learn)
optional=(tslearn iisignature pysiglib sigkernel reservoirpy)
python=$folder/bin/python

give_up()
{
    echo "peers: $1; continuing without peers" >&2
    exit 1
}

works() { "$python" -c 'import numpy, scipy, numba, sklearn' 2>/dev/null; }

if ! works; then
    # venv requires ensurepip, which Debian packages in python3-venv.
    python3 -m venv "$folder" >&2 || give_up "python3 -m venv failed"
    "$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >&2 ||
        give_up "pip could not install ${packages[*]}"
    works || give_up "${packages[*]} do not import"
fi

# NAME, then additional arguments of pip
install_optional()
{
    local name=$1 refused=$folder/$1.refused message
    "$python" -c "import $name" 2>/dev/null && return
    if [ ! -f "$refused" ]; then
        # iisignature is built against the numpy that is here, so not in isolation; pysiglib takes a CUDA compiler
        # for a GPU, and is measured on the CPU.
        if message=$(CUDACXX=none CMAKE_ARGS="-DCMAKE_CUDA_COMPILER=NOTFOUND" "$python" -m pip install --quiet \
            --disable-pip-version-check "${@:2}" "$name" 2>&1); then
            message="installed, but does not import"
            "$python" -c "import $name" 2>/dev/null && return
        fi
        printf '%s\n' "$message" | grep . | tail -1 >"$refused"
    fi
    echo "peers: without $name: $(cat "$refused")" >&2
}

for name in "${optional[@]}"; do
    if [ "$name" = iisignature ]; then
        "$python" -c 'import setuptools, wheel' 2>/dev/null ||
            "$python" -m pip install --quiet --disable-pip-version-check setuptools wheel >&2
        install_optional "$name" --no-build-isolation
    else
        install_optional "$name"
    fi
done
echo "$python"
