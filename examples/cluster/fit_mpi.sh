#!/usr/bin/env bash
#SBATCH --job-name=volterra-fit
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=4G
#SBATCH --time=04:00:00
#
# One exact fit with a matrix that is too large for one machine: 8 n^2 bytes are distributed over the processes. Here 64 x 4 GB
# are more than enough for 160,000 rows. With --solver nystrom the rows are distributed, and the matrix is not stored.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh"

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
srun volterra-mpi fit --x "$X" --y "$Y" --kernel "$KERNEL" --solver "${SOLVER:-exact}" -o "$RESULTS/fit.safetensors"
