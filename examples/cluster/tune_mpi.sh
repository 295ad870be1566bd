#!/usr/bin/env bash
#SBATCH --job-name=volterra-tune
#SBATCH --ntasks=8
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#
# One search over the processes of a job. Free processes receive the next candidates, the race compares all of them, and there
# is one log. Submit the job again to resume from it.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh" # Slurm runs a copy of this file from another folder

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
srun volterra-mpi tune --x "$X" --y "$Y" --kernel "$KERNEL" --search adaptive --draws "$DRAWS" --seed "$SEED" \
    --log "$RESULTS/tune.jsonl" --resume -o "$RESULTS/tune.safetensors"
