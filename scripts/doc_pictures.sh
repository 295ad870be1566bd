#!/usr/bin/env bash
# scripts/doc_pictures.sh [NAME...]: draw the plots of the task pages, docs/images/NAME.svg.
#
# Each line of `pictures` has a name, a page whose commands are run in an empty folder (-: none), and a command that writes picture.svg there.
# Requires build/volterra and gnuplot.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
PATH=$PWD/build:$PATH

pictures="
forecast            -           volterra forecast bench/series/co2_monthly.csv -o co2.csv --plot picture.svg >summary
forecast_equipment  forecast    mv elec_equip-forecast.svg picture.svg
identify            identify    mv simulated.svg picture.svg
interval            uncertainty mv interval.svg picture.svg
score               score       mv score.svg picture.svg
tune                tune        mv search.svg picture.svg
"

run_page() # PAGE: the commands of its blocks "console"
{
    PYTHONPATH=$root/tests/cli python3 -B - "$root/docs/tasks/$1.md" <<'END'
import subprocess, sys
from documents import commands_of

for command in commands_of(open(sys.argv[1], encoding="utf-8").read()):
    if command.is_terminal:
        subprocess.run(command.text, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
END
}

while read -r name page command; do
    [ -n "$name" ] || continue
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    mkdir -p "$work/$page"
    cd "$work/$page"
    if [ ! -e build ]; then
        ln -s "$root/build" "$root/bench" "$root/examples" .
        [ "$page" = - ] || run_page "$page"
    fi
    eval "$command"
    mv picture.svg "$root/docs/images/$name.svg"
    echo "docs/images/$name.svg"
done <<<"$pictures"
