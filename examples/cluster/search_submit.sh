#!/usr/bin/env bash
# examples/cluster/search_submit.sh: submit the shards of a search, and the merge of their logs after success.
set -euo pipefail
VOLTERRA_CLUSTER=$(cd "$(dirname "$0")" && pwd)
export VOLTERRA_CLUSTER

shards=$(sbatch --parsable --export=ALL "$VOLTERRA_CLUSTER/search_array.sh")
sbatch --export=ALL --dependency="afterok:$shards" "$VOLTERRA_CLUSTER/search_merge.sh"
