# examples/cluster/settings.sh: settings of all jobs of this folder; environment variables override them.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${X:=$here/../data/tanks.csv:pump}" # inputs: FILE or FILE:COLUMN
: "${Y:=$here/../data/tanks.csv:level}" # targets
: "${KERNEL:=volterra}"
: "${DRAWS:=800}" # candidates of the search
: "${SEED:=1}"
: "${RESULTS:=$PWD/results}"
mkdir -p "$RESULTS"
