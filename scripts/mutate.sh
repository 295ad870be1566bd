#!/usr/bin/env bash
# scripts/mutate.sh: mutation tests. Called by `make mutate`; see scripts/mutate.py.
#
#   scripts/mutate.sh [OPTIONS of scripts/mutate.py]
#
#   MUTANTS   numbers of an earlier draw, e.g. MUTANTS=12,57: only these, on the tests as they are now
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build test mutate
python=build-mutate/venv/bin/python
if ! "$python" -c 'import clang.cindex' 2>/dev/null; then
    python3 -m venv build-mutate/venv
    "$python" -m pip install --quiet --disable-pip-version-check libclang
fi
if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja
fi
exec "$python" scripts/mutate.py --jobs "${JOBS:-$(nproc)}" ${MUTANTS:+--only "$MUTANTS"} "$@"
