#!/usr/bin/env bash
# examples/cluster/search_submit.sh: submits the shards of a search, and the merge of their logs for when all have ended well.
set -euo pipefail
VOLTERRA_CLUSTER=$(cd "$(dirname "$0")" && pwd)
export VOLTERRA_CLUSTER

shards=$(sbatch --parsable --export=ALL "$VOLTERRA_CLUSTER/search_array.sh")
sbatch --export=ALL --dependency="afterok:$shards" "$VOLTERRA_CLUSTER/search_merge.sh"
