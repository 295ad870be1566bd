#!/usr/bin/env bash
#SBATCH --job-name=volterra-merge
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
#
# Fit the best candidate of all shards, after all tasks of search_array.sh.
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
source "${VOLTERRA_CLUSTER:-$(dirname "$0")}/settings.sh"

volterra tune --x "$X" --y "$Y" --merge "$RESULTS"/shard_*.jsonl -o "$RESULTS/search.safetensors"
