# examples/cluster/settings.sh: what all jobs of this folder work on; every line may be set from outside instead.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${X:=$here/../data/tanks.csv:pump}" # inputs: FILE or FILE:COLUMN
: "${Y:=$here/../data/tanks.csv:level}" # targets
: "${KERNEL:=volterra}"
: "${DRAWS:=800}" # candidates of the search, over all shards
: "${SEED:=1}"
: "${RESULTS:=$PWD/results}"
mkdir -p "$RESULTS"
