#!/usr/bin/env bash
# scripts/same_results.sh: run the commands of scripts/same_results.txt with two builds and compare the results bit for bit.
#
#   scripts/same_results.sh OLD NEW [FOLDER]
#
# OLD and NEW are programs, such as build/volterra, each in the folder of its library. Every command runs in FOLDER/old and
# FOLDER/new (default: a temporary folder), with one thread and results as JSON. Compared: exit status, every file the command
# wrote, and the numbers of the JSON on standard output. Messages and labels may differ. The last line
# is `N equal, N different`; the status is 0 when none differs.
set -uo pipefail
[ $# -ge 2 ] || { echo "usage: scripts/same_results.sh OLD NEW [FOLDER]" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
folder=${3:-$(mktemp -d)}
mkdir -p "$folder/old" "$folder/new"
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive

run_all() # PROGRAM FOLDER
{
    cd "$2" || exit 1
    cp -r "$here/../examples/data" "$here/../bench/series" . 2>/dev/null
    local number=0 line
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        number=$((number + 1))
        name=$(printf '%03d' "$number")
        LD_LIBRARY_PATH=$(dirname "$1") V="$1" bash -c "$line" >"$name.out" 2>"$name.err" </dev/null
        echo "$?" >"$name.status"
    done <"$here/same_results.txt"
}
(run_all "$old" "$folder/old") &
(run_all "$new" "$folder/new") &
wait
python3 "$here/same_results.py" "$folder/old" "$folder/new" "$here/same_results.txt"
