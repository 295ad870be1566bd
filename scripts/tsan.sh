#!/usr/bin/env bash
# scripts/tsan.sh: run what uses threads under ThreadSanitizer. What `make tsan` calls.
#
#   scripts/tsan.sh [NAME...]     test programs, e.g. `scripts/tsan.sh test_search`; without arguments those below
#
# The preset `tsan` compiles with clang and LLVM's OpenMP. ThreadSanitizer knows nothing of OpenMP's barriers, tasks and
# locks; the tool Archer, which belongs to that OpenMP, tells it. gcc's OpenMP has no such tool, and OpenBLAS is linked
# with that one: its calls GOMP_* find LLVM's, which has them under the same names and comes first, so that only one
# runtime has threads. This script checks that before it trusts anything.
#
# BLAS, HDF5 and the rest are not compiled with ThreadSanitizer: what they do to memory is not seen, and the system calls
# and copies they make are not reported (ignore_noninstrumented_modules). Nothing else is suppressed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build test tsan
[ $# -gt 0 ] || set -- test_concurrent_calls test_search test_race test_search_folds test_thread_count test_threads \
    test_cholesky test_ridge test_stream test_gram_collection test_progress test_mcs_properties

cmake --preset tsan
cmake --build --preset tsan --parallel "${JOBS:-$(nproc)}" --target "$@"

export TSAN_OPTIONS="ignore_noninstrumented_modules=1:second_deadlock_stack=1"
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-4} CMOCKA_MESSAGE_OUTPUT=TAP
results=build-tsan/results
mkdir -p "$results"

# ---- can this machine tell? ---------------------------------------------------------------------
# A race must be seen, and the same loop without it must not be reported.
finds_race() # CLAUSES of the loop
{
    echo "int main(void) { int n = 0;
    _Pragma(\"omp parallel for num_threads(2) $1\")
    for (int i = 0; i < 1000; i++) n += i;
    return n < 0; }" | clang -x c - -g -fopenmp -fsanitize=thread -o build-tsan/probe
    build-tsan/probe >build-tsan/probe.log 2>&1 || true # the status says so too
    grep -q 'data race' build-tsan/probe.log
}
if ! finds_race "" || finds_race "reduction(+ : n)"; then
    echo "tsan: ThreadSanitizer does not understand this OpenMP (is libarcher.so there, beside libomp.so?)" >&2
    exit 1
fi

# OpenBLAS and the program must find one OpenMP.
one_runtime()
{
    local bound
    bound=$(LD_DEBUG=bindings "$1" 2>&1 >/dev/null | grep -E 'libopenblas[^ ]* .* to [^ ]*libgomp[^ ]* .*(GOMP_|omp_)' || true)
    [ -z "$bound" ] || { head -n 3 <<<"$bound" >&2; return 1; }
}

# ---- run ----------------------------------------------------------------------------------------
status=0 checked=no
for name in "$@"; do
    program=$(find build-tsan/tests -type f -name "$name")
    if [ "$checked" = no ] && ! one_runtime "$program"; then
        echo "tsan: OpenBLAS has an OpenMP runtime of its own, whose threads would be taken for races" >&2
        exit 1
    fi
    checked=yes
    echo "== $name"
    if ! "$program" >"$results/$name.log" 2>&1 || grep -q 'WARNING: ThreadSanitizer' "$results/$name.log"; then
        status=1
        echo "$(grep -c 'WARNING: ThreadSanitizer' "$results/$name.log") reports in $results/$name.log, the last lines:"
        tail -n 60 "$results/$name.log"
    fi
done
[ "$status" -ne 0 ] || echo "no data race"
exit $status
