#!/usr/bin/env bash
# tests/mpi/run.sh BUILD: the cases of the back ends as jobs of several processes, and volterra-mpi; TAP.
#
# Skipped with a word where BUILD has no volterra-mpi (VOLT_MPI=OFF: MPI or ScaLAPACK is not there).
set -uo pipefail
build=$(realpath "${1:?build folder}")
if [ ! -x "$build/volterra-mpi" ]; then
    printf 'ok 1 - jobs of many processes # SKIP no MPI and ScaLAPACK (make deps-mpi)\n1..1\n'
    exit 0
fi
# Processes share the processors here, so a waiting one gives way.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1 CMOCKA_MESSAGE_OUTPUT=TAP
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
failed=0

verdict() # STATUS NAME
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$work/log" | tail -n 60
        failed=1
    fi
}

job() { mpirun -n "$1" --oversubscribe "${@:2}" >"$work/log" 2>&1; }

# Every case of tests/backend, the dealt-out matrices beside the others.
for run in 'factors 1' 'factors 4' 'operators 2' 'solvers 2'; do
    read -r program processes <<<"$run"
    job "$processes" "$build/tests/mpi/mpi_test_$program"
    verdict $? "test_$program, processes: $processes"
done

# ---- the program --------------------------------------------------------------------------------
cd "$work" || exit 1
"$build/volterra" simulate narma10 --length 700 --seed 11 -o all.csv >/dev/null 2>&1

# The files differ in rounding alone: errors of a solve are about rows times eps times the condition number, 1e-16 x 700 x 1e6,
# of outputs near 0.3.
same_forecasts() # MODEL MODEL
{
    "$build/volterra" predict "$1" --x all.csv:u --start reset -o a.csv &&
        "$build/volterra" predict "$2" --x all.csv:u --start reset -o b.csv &&
        paste -d, a.csv b.csv | awk -F, 'NR > 1 { d = $1 - $2; if (d < 0) d = -d; if (d > 1e-7) bad++; n++ } END { exit bad || n < 100 }'
}

fits_alike() # PROCESSES OPTION...
{
    local processes=$1
    shift
    "$build/volterra" fit --x all.csv:u --y all.csv:y "$@" -o one.safetensors >"$work/log" 2>&1 &&
        job "$processes" "$build/volterra-mpi" fit --x all.csv:u --y all.csv:y "$@" -o job.safetensors &&
        same_forecasts one.safetensors job.safetensors
}

fits_alike 4 --alpha 0.001
verdict $? "fit in 4 processes is the fit of one"
fits_alike 2 --washout 37
verdict $? "alpha chosen in 2 processes, after a washout that ends inside of a tile"
fits_alike 4 --kernel 'fading + 0.5*fir' --alpha 0.01 --keep-factor
verdict $? "a sum of kernels, its factor kept"

job 2 "$build/volterra-mpi" fit --x all.csv:u --y all.csv:y --washout 7000 -o never.safetensors
status=$?
[ "$status" -eq 2 ] && [ "$(grep -c 'the washout is 7000' "$work/log")" -eq 1 ] && [ ! -e never.safetensors ]
verdict $? "what is given wrong is said once"
echo "1..$count"
exit "$failed"
