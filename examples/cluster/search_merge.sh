#!/usr/bin/env bash
#SBATCH --job-name=volterra-merge
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
#
# After all tasks of search_array.sh: the best candidate of all shards, fitted.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh"

volterra tune --x "$X" --y "$Y" --merge "$RESULTS"/shard_*.jsonl -o "$RESULTS/search.safetensors"
