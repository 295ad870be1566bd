#!/usr/bin/env bash
# scripts/peers.sh: a scratch Python with the packages that the benchmarks compare with.
#
#   scripts/peers.sh FOLDER     prints the path of its python, or says on stderr why there is none (status 1)
set -uo pipefail

folder=$1
packages=(numpy scipy numba scikit-learn)
python=$folder/bin/python

give_up()
{
    echo "peers: $1; going on without peers" >&2
    exit 1
}

works() { "$python" -c 'import numpy, scipy, numba, sklearn' 2>/dev/null; }

if ! works; then
    # Without ensurepip there is no venv: Debian keeps it in python3-venv.
    python3 -m venv "$folder" >&2 || give_up "python3 -m venv failed"
    "$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >&2 ||
        give_up "pip could not install ${packages[*]}"
    works || give_up "${packages[*]} do not import"
fi
echo "$python"
