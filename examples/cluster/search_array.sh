#!/usr/bin/env bash
#SBATCH --job-name=volterra-search
#SBATCH --array=1-4
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#
# One shard of a search in each task of a job array, without MPI. Tasks may run at any time, on any machines of one kind.
# Submit a stopped task again to resume it from its log.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh" # Slurm runs a copy of this file from another folder

task=${SLURM_ARRAY_TASK_ID:?run this as a job array, or with SLURM_ARRAY_TASK_ID=1}
tasks=${SLURM_ARRAY_TASK_COUNT:-4}
log=$RESULTS/shard_$task.jsonl
volterra tune --x "$X" --y "$Y" --kernel "$KERNEL" --draws "$DRAWS" --seed "$SEED" --shard "$task/$tasks" \
    --log "$log" --resume --quiet
