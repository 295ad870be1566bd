#!/usr/bin/env bash
#SBATCH --job-name=volterra-search
#SBATCH --array=1-4
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#
# One shard of a search in each task of a job array: no MPI, and tasks may run at any time, on any machines of one kind.
# A task that was stopped is submitted again as it is, and goes on from its log.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh" # Slurm runs a copy of this file, from elsewhere

task=${SLURM_ARRAY_TASK_ID:?run this as a job array, or with SLURM_ARRAY_TASK_ID=1}
tasks=${SLURM_ARRAY_TASK_COUNT:-4}
log=$RESULTS/shard_$task.jsonl
volterra tune --x "$X" --y "$Y" --kernel "$KERNEL" --draws "$DRAWS" --seed "$SEED" --shard "$task/$tasks" \
    --log "$log" --resume --quiet
