#!/usr/bin/env bash
#SBATCH --job-name=volterra-fit
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=4G
#SBATCH --time=04:00:00
#
# One exact fit whose matrix is too large for one machine: 8 n^2 bytes are dealt out over the processes, here 64 x 4 GB, enough
# for 160,000 rows with room to spare. With --solver nystrom instead of exact the rows are shared, and there is no such matrix.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh"

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
srun volterra-mpi fit --x "$X" --y "$Y" --kernel "$KERNEL" --solver "${SOLVER:-exact}" -o "$RESULTS/fit.safetensors"
