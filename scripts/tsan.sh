#!/usr/bin/env bash
# scripts/tsan.sh: the C tests and the program under ThreadSanitizer. Called by `make tsan`.
#
#   scripts/tsan.sh [NAME...]     test programs, e.g. `scripts/tsan.sh test_search`, or `program`; without arguments: the
#                                 program and all test programs but those below
#
# The preset `tsan` compiles with clang and LLVM's OpenMP. ThreadSanitizer does not know OpenMP's barriers, tasks and
# locks; LLVM's tool Archer reports them. gcc's OpenMP has no equivalent, and OpenBLAS is linked with it. Its calls GOMP_*
# resolve to LLVM's runtime, which defines the same names and is loaded first, so that only one runtime has threads.
# This script checks that first.
#
# BLAS, HDF5 and other libraries are not compiled with ThreadSanitizer. Their memory accesses are invisible, and their
# system calls and copies are not reported (ignore_noninstrumented_modules). LLVM's OpenMP reuses the memory of finished
# tasks without informing ThreadSanitizer; tests/tsan/task_arguments.c hides the stores of task arguments. No report is suppressed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build test tsan

# Excluded programs, with reasons.
left_out()
{
    case $1 in
        test_fork) true ;;   # ThreadSanitizer ends a child of several threads that starts some of its own
        test_device_teams) true ;; # an assertion of LLVM's OpenMP 14 fails after threads that ran regions have ended
        test_system) true ;; # an assertion of LLVM's OpenMP fails in a child whose parent set the number of threads
        *) false ;;
    esac
}
if [ $# -eq 0 ]; then
    set -- program
    for source in tests/unit/*/test_*.c tests/{property,reference,backend}/test_*.c; do
        name=$(basename "$source" .c)
        left_out "$name" || set -- "$@" "$name"
    done
fi

targets=()
for name in "$@"; do
    [ "$name" = program ] && targets+=(volterra_cli) || targets+=("$name")
done
cmake --preset tsan
cmake --build --preset tsan --parallel "${JOBS:-$(nproc)}" --target "${targets[@]}"

results=build-tsan/results
mkdir -p "$results"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1:second_deadlock_stack=1"
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-4} CMOCKA_MESSAGE_OUTPUT=TAP

# ---- self-test ----------------------------------------------------------------------------------
# Races must be reported, and the same loops and tasks without a race must not.
clang -O1 -g -fopenmp -fsanitize=thread tests/tsan/*.c -Wl,--wrap=__kmpc_omp_{task_alloc,task,task_with_deps} -o build-tsan/probe
for case in loop tasks plain_tasks race_loop race_between_tasks race_with_creator; do
    build-tsan/probe "$case" >build-tsan/probe.log 2>&1 || true # the status says so too
    found=no
    ! grep -q 'data race' build-tsan/probe.log || found=yes
    case $case in race_*) expected=yes ;; *) expected=no ;; esac
    if [ "$found" != "$expected" ]; then
        echo "tsan: probe $case: race reported: $found (is libarcher.so in the folder of libomp.so?)" >&2
        exit 1
    fi
done

# Archer is installed next to LLVM's OpenMP. The program does not link OpenMP itself and would not find it.
openmp=$(ldd build-tsan/probe | awk '$1 ~ /^libomp/ { print $3 }')
OMP_TOOL_LIBRARIES=$(dirname "$(readlink -f "$openmp")")/libarcher.so
export OMP_TOOL_LIBRARIES

# OpenBLAS and the program must use the same OpenMP.
one_runtime()
{
    local bound
    bound=$(LD_DEBUG=bindings "$1" 2>&1 >/dev/null | grep -E 'libopenblas[^ ]* .* to [^ ]*libgomp[^ ]* .*(GOMP_|omp_)' || true)
    [ -z "$bound" ] || { head -n 3 <<<"$bound" >&2; return 1; }
}

# ---- run ----------------------------------------------------------------------------------------
# The program: multithreaded commands.
run_program()
{
    local folder result=0
    folder=$(mktemp -d) || return 1
    volterra=$PWD/build-tsan/volterra turns=$PWD/examples/data/turns_train.ts folder=$folder bash -e <<'END' || result=1
cd "$folder"
awk 'BEGIN { print "u,y"; for (t = 0; t < 90; t++) printf "%.9g,%.9g\n", sin(0.3 * t), cos(0.5 * t) + 0.1 * sin(t * t) }' >x.csv
rows=(--x x.csv:u --y x.csv:y)
"$volterra" fit "${rows[@]}" --alpha 1e-4 -o model.safetensors
"$volterra" fit "${rows[@]}" --alpha 1e-4 --solver pcg --landmarks 20 -o other.safetensors
"$volterra" predict model.safetensors --x x.csv:u -o f.csv
"$volterra" tune "${rows[@]}" --kernel 'rbf | linear' --alpha log:1e-18..1 --draws 12 --folds 3 --log t.jsonl
"$volterra" tune "${rows[@]}" --kernel 'fir + rbf:pole=?' --search adaptive --draws 12 --folds 3
"$volterra" compare "${rows[@]}" --kernel linear rbf --draws 4 --folds 2 --log logs
"$volterra" forecast x.csv --steps 2 --season 12 --plot none -o f.csv
awk 'BEGIN { print "unique_id,ds,y"; for (s = 0; s < 6; s++) for (t = 0; t < 40; t++)
    printf "s%d,%d,%.9g\n", s, 1980 + t, sin(0.7 * t + s) + 0.1 * cos(s * t * t) }' >many.csv
"$volterra" forecast many.csv --steps 2 --season none -o many_f.csv
"$volterra" fit "${rows[@]}" --alpha 1e-4 --solver nystrom --landmarks auto -o landmarks.safetensors
"$volterra" identify x.csv --x u --y y --draws 2 -o system.safetensors
"$volterra" curve "${rows[@]}" --kernel linear rbf --points 3 --repeat 2
"$volterra" capacity --rows 200 --degree 2 --delay 5 --washout 20
"$volterra" capacity --kernel esn:size=10 --rows 200 --degree 2 --delay 5 --washout 20
"$volterra" stream model.safetensors --learn --window 20 --state state <x.csv
"$volterra" classify --train "$turns" --splits 2
"$volterra" anomaly --train "$turns" --normal left
END
    rm -rf "$folder"
    return $result
}

status=0 checked=no
for name in "$@"; do
    program=build-tsan/volterra run=run_program
    [ "$name" = program ] || { program=$(find build-tsan/tests -type f -name "$name") && run=$program; }
    if [ "$checked" = no ] && ! one_runtime "$program"; then
        echo "tsan: OpenBLAS has an OpenMP runtime of its own, whose threads would be taken for races" >&2
        exit 1
    fi
    checked=yes
    echo "== $name"
    if ! "$run" >"$results/$name.log" 2>&1 || grep -q 'WARNING: ThreadSanitizer' "$results/$name.log"; then
        status=1
        echo "$(grep -c 'WARNING: ThreadSanitizer' "$results/$name.log") reports in $results/$name.log, the last lines:"
        tail -n 60 "$results/$name.log"
    fi
done
[ "$status" -ne 0 ] || echo "no data race"
exit $status
