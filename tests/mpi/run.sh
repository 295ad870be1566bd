#!/usr/bin/env bash
# tests/mpi/run.sh BUILD: the cases of the back ends as jobs of several processes, and volterra-mpi; TAP.
#
# Skipped with a message where BUILD has no volterra-mpi (VOLT_MPI=OFF: MPI or ScaLAPACK is not there).
set -uo pipefail
build=$(realpath "${1:?build folder}")
tree=$(realpath "$(dirname "$0")/../..")
if [ ! -x "$build/volterra-mpi" ]; then
    printf 'ok 1 - jobs of many processes # SKIP no MPI and ScaLAPACK (make deps-mpi)\n1..1\n'
    exit 0
fi
# The processes share the processors, so a waiting process yields.
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

# `make build` builds the target programs. Nothing is built here, because other suites use the same files.
if [ -e "$build/build.ninja" ]; then
    ninja -C "$build" -t query programs >"$work/log" 2>&1 && grep -x " *volterra-mpi" "$work/log" >/dev/null
    verdict $? "make build makes volterra-mpi too"
fi

# Every case of tests/backend, on distributed matrices.
for run in 'factors 1' 'factors 2' 'operators 4' 'solvers 2'; do
    read -r program processes <<<"$run"
    job "$processes" "$build/tests/mpi/mpi_test_$program"
    verdict $? "test_$program, processes: $processes"
done

# ---- the program --------------------------------------------------------------------------------
cd "$work" || exit 1
"$build/volterra" simulate narma10 --length 700 --seed 11 -o all.csv >/dev/null 2>&1
"$build/volterra" simulate narma10 --length 4000 --seed 11 -o long.csv >/dev/null 2>&1
data=all.csv

# The files differ only by rounding: errors of a solve are about rows times eps times the condition number,
# 1e-16 x 700 x 1e6,
# of outputs near 0.3.
most=1e-7
same_forecasts() # MODEL MODEL
{
    "$build/volterra" predict "$1" --x "$data:u" --start reset -o a.csv &&
        "$build/volterra" predict "$2" --x "$data:u" --start reset -o b.csv &&
        paste -d, a.csv b.csv |
        awk -F, -v most="$most" 'NR > 1 { d = $1 - $2; if (d < 0) d = -d; if (d > most) bad++; n++ } END { exit bad || n < 100 }'
}

fits_alike() # PROCESSES OPTION...
{
    local processes=$1
    shift
    "$build/volterra" fit --x "$data:u" --y "$data:y" "$@" -o one.safetensors >"$work/log" 2>&1 &&
        job "$processes" "$build/volterra-mpi" fit --x "$data:u" --y "$data:y" "$@" -o job.safetensors &&
        same_forecasts one.safetensors job.safetensors
}

fits_alike 4 --alpha 0.001
verdict $? "fit in 4 processes equals one"
fits_alike 2 --washout 37
verdict $? "alpha chosen in 2 processes, washout inside a tile"
fits_alike 4 --kernel 'fading + 0.5*fir' --alpha 0.01 --keep-factor
verdict $? "a sum of kernels with a stored factor"

data=long.csv
fits_alike 4 --solver nystrom --landmarks 40 --washout 100
verdict $? "landmarks, the rows in bands"
data=all.csv

# Both are within the tolerance of the exact fit: 1e-9 of the spread of the outputs, which is 0.1.
most=1e-10
tight=(--solver pcg --tolerance 1e-10)
fits_alike 4 "${tight[@]}" --landmarks 200 --alpha 0.1 --washout 37
verdict $? "conjugate gradients in 4 processes, each with its rows"
fits_alike 2 "${tight[@]}" --landmarks 200 --alpha 0.1 --kernel 'fading:pole=0.5 + 0.5*fir'
verdict $? "conjugate gradients on a sum of kernels"

# ---- GPUs: the plugin computes like one, and presents two devices --------------------------------
gpus() # PROCESSES DEVICE OPTION...: the devices that the processes open
{
    local processes=$1 device=$2
    shift 2
    rm -f opened
    VOLT_CUDA_PLUGIN=$build/tests/plugin/far_plugin.so VOLT_FAR_LOG=$work/opened fits_alike_on "$processes" "$device" "$@" &&
        sort opened | uniq -c | tr -s ' \n' ' ' >opened.txt && cat opened.txt >>"$work/log" &&
        grep -q "gpu:., $processes processes" "$work/log"
}

# One process on the CPU, and a job on its devices.
fits_alike_on() # PROCESSES DEVICE OPTION...
{
    local processes=$1 device=$2
    shift 2
    "$build/volterra" fit --x "$data:u" --y "$data:y" "$@" --device cpu -o one.safetensors >"$work/log" 2>&1 &&
        job "$processes" "$build/volterra-mpi" fit --x "$data:u" --y "$data:y" "$@" --device "$device" -o job.safetensors &&
        VOLT_CUDA_PLUGIN='' same_forecasts one.safetensors job.safetensors
}

most=1e-7
data=long.csv
gpus 2 gpu --solver nystrom --landmarks 40 --washout 100 && [ "$(cat opened.txt)" = " 1 gpu:0 1 gpu:1 " ]
verdict $? "landmarks, 2 processes with a device each"
gpus 4 gpu:all --solver nystrom --landmarks 40 --alpha 0.01 && [ "$(cat opened.txt)" = " 2 gpu:0 2 gpu:1 " ]
verdict $? "landmarks, 4 processes share 2 devices"
most=1e-10
data=all.csv
gpus 4 gpu "${tight[@]}" --landmarks 100 --alpha 0.1 --washout 37 && [ "$(cat opened.txt)" = " 2 gpu:0 2 gpu:1 " ]
verdict $? "conjugate gradients, 4 processes share 2 devices"
gpus 2 gpu:1,0 "${tight[@]}" --landmarks 100 --alpha 0.1 && [ "$(cat opened.txt)" = " 1 gpu:0 1 gpu:1 " ]
verdict $? "conjugate gradients, a list of devices"

# The pid of a rank of a launcher. All of its environment is read: with pipefail a writer whose reader has gone is a failure.
rank_of() # LAUNCHER RANK
{
    for process in /proc/[0-9]*; do
        [ "$(cut -d ' ' -f 4 "$process/stat" 2>/dev/null)" = "$1" ] &&
            tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -x "OMPI_COMM_WORLD_RANK=$2" >/dev/null && echo "${process#/proc/}"
    done
}

# One process is killed after the first checkpoint, and plain `volterra` resumes from it. The result does not
# depend on the time of the kill.
killed_fit()
{
    local fit=(fit --x all.csv:u --y all.csv:y "${tight[@]}" --alpha 0.01 --landmarks 40)
    local checkpoint=(--checkpoint killed.ckpt --checkpoint-every 0.001s)
    rm -f job.safetensors
    mpirun -n 3 --oversubscribe "$build/volterra-mpi" "${fit[@]}" "${checkpoint[@]}" -o job.safetensors >"$work/log" 2>&1 &
    local launcher=$! rank=
    until [ -s killed.ckpt ]; do
        kill -0 "$launcher" 2>/dev/null || break
        sleep 0.02
    done
    rank=$(rank_of "$launcher" 1)
    [ -n "$rank" ] && kill -KILL "$rank" 2>/dev/null
    wait "$launcher"
    [ -s killed.ckpt ] || [ -s job.safetensors ] || return 1 # it was in the middle, or already through
    "$build/volterra" "${fit[@]}" "${checkpoint[@]}" -o job.safetensors >>"$work/log" 2>&1 &&
        "$build/volterra" "${fit[@]}" -o one.safetensors >>"$work/log" 2>&1 && [ ! -e killed.ckpt ] &&
        same_forecasts one.safetensors job.safetensors
}
killed_fit
verdict $? "a killed process ends the job; its checkpoint resumes in one process"
most=1e-7

# ---- tune ---------------------------------------------------------------------------------------

# The lines of a log in order, without the time that they took.
trials() { sed -E 's/"seconds":[^,]*,//' "$1" | sort; }

# The scores of one process to the bit, and its winner.
tunes_alike() # PROCESSES OPTION...
{
    local processes=$1
    shift
    rm -f one.jsonl job.jsonl
    "$build/volterra" tune --x all.csv:u --y all.csv:y "$@" --log one.jsonl --json >one.json 2>"$work/log" &&
        job "$processes" "$build/volterra-mpi" tune --x all.csv:u --y all.csv:y "$@" --log job.jsonl -o job.safetensors &&
        cmp <(trials one.jsonl) <(trials job.jsonl) >>"$work/log" &&
        grep -qF "$(sed -nE 's/.*"kernel": *"([^"]*)".*/\1/p' one.json | head -n 1)" "$work/log" && [ -s job.safetensors ]
}

tunes_alike 2 --kernel volterra --draws 30 --seed 3
verdict $? "tune in 2 processes equals one, and the best is fitted"
VOLT_CUDA_PLUGIN=$build/tests/plugin/far_plugin.so VOLT_FAR_LOG=$work/opened tunes_alike 2 --kernel volterra --draws 6 --seed 3 --max-train 200 --device gpu &&
    grep -q gpu:1 opened
verdict $? "tune in 2 processes with a device each"
tunes_alike 4 --kernel 'fading | fir' --search adaptive --draws 70 --folds 3 --max-train 200 --race fast
verdict $? "generations and races in 4 processes"

# Another process is killed during an unlimited search. The job ends, and one process resumes from the log.
killed_tune()
{
    local rank=
    rm -f killed.jsonl
    mpirun -n 3 --oversubscribe "$build/volterra-mpi" tune --x all.csv:u --y all.csv:y --kernel volterra --seed 3 \
        --max-train 200 --draws 1000000 --log killed.jsonl >"$work/log" 2>&1 &
    local launcher=$!
    until [ "$(wc -l 2>/dev/null <killed.jsonl)" -ge 5 ] 2>/dev/null; do
        kill -0 "$launcher" 2>/dev/null || return 1
        sleep 0.05
    done
    rank=$(rank_of "$launcher" 1)
    if [ -z "$rank" ]; then
        kill "$launcher"
        wait "$launcher"
        return 1
    fi
    kill -KILL "$rank"
    wait "$launcher" && return 1
    local search=(tune --x all.csv:u --y all.csv:y --kernel volterra --seed 3 --max-train 200 --draws 25)
    rm -f one.jsonl
    "$build/volterra" "${search[@]}" --log one.jsonl >/dev/null 2>>"$work/log" &&
        "$build/volterra" "${search[@]}" --log killed.jsonl --resume >/dev/null 2>>"$work/log" &&
        cmp <(trials one.jsonl) <(trials killed.jsonl | grep -Ff <(sed -E 's/^(.*"kernel":"[^"]*",).*/\1/' one.jsonl)) >>"$work/log"
}
killed_tune
verdict $? "a killed process ends the job; its log resumes in one process"

# ---- examples/cluster ---------------------------------------------------------------------------

# Slurm as far as the jobs see it: sbatch runs a copy of the job; srun starts two processes.
mkdir -p "$work/slurm"
cat >"$work/slurm/sbatch" <<'END'
#!/usr/bin/env bash
copy=$(mktemp) && cp "$1" "$copy"
SLURM_CPUS_PER_TASK=1 bash "$copy" || exit
rm -f "$copy"
END
printf '#!/usr/bin/env bash\nexec mpirun -n 2 --oversubscribe "$@"\n' >"$work/slurm/srun"
chmod +x "$work/slurm/"*

cluster_jobs()
{
    local cluster=$tree/examples/cluster
    export PATH="$work/slurm:$build:$PATH" DRAWS=6 RESULTS=$work/results KERNEL=fir VOLTERRA_CLUSTER=$cluster
    head -n 201 "$tree/examples/data/tanks.csv" >tanks.csv
    export X=tanks.csv:pump Y=tanks.csv:level
    sbatch "$cluster/tune_mpi.sh" >"$work/log" 2>&1 &&
        sbatch "$cluster/tune_mpi.sh" >>"$work/log" 2>&1 && sbatch "$cluster/fit_mpi.sh" >>"$work/log" 2>&1 &&
        [ "$(wc -l <"$RESULTS/tune.jsonl")" -eq 6 ] && [ -s "$RESULTS/tune.safetensors" ] && [ -s "$RESULTS/fit.safetensors" ]
}
(cluster_jobs)
verdict $? "the jobs of examples/cluster"

# ---- invalid arguments --------------------------------------------------------------------------
refused() # PROCESSES STATUS SENTENCE WORD...
{
    job "$1" "$build/volterra-mpi" "${@:4}"
    [ $? -eq "$2" ] && [ "$(grep -c "$3" "$work/log")" -eq 1 ] && [ ! -e never.safetensors ]
}
refused 2 2 'washout.*7000' fit --x all.csv:u --y all.csv:y --washout 7000 -o never.safetensors
verdict $? "invalid options are reported once"
echo 'no checkpoint' >foreign.ckpt
refused 2 1 'foreign.ckpt' fit --x all.csv:u --y all.csv:y "${tight[@]}" --checkpoint foreign.ckpt -o never.safetensors
verdict $? "an invalid checkpoint is rejected once"
refused 3 1 'column' tune --x all.csv:u --y all.csv:w --draws 5 -o never.safetensors &&
    refused 2 2 'one.jsonl exists' tune --x all.csv:u --y all.csv:y --draws 5 --log one.jsonl -o never.safetensors
verdict $? "invalid options of tune are reported once, without a deadlock"
echo "1..$count"
exit "$failed"
