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
identify            identify    cut_report 'Measured and simulated'
identify_residuals  identify    cut_report 'Correlations of the residuals'
interval            uncertainty mv interval.svg picture.svg
score               score       mv score.svg picture.svg
tune                tune        mv search.svg picture.svg
"

cut_report() # TITLE: the first plot of report.html with this title, in colours for light and dark pages
{
    awk -v title="aria-label=\"$1\"" '/<svg / && index($0, title) && !seen++ { sub(/.*<svg /, "<svg "); inside = 1 } inside; /<\/svg>/ { inside = 0 }' \
        report.html |
        sed -e 's/var(--[a-z]*)/#808080/g' -e '1s/viewBox="0 0 \([0-9]*\) \([0-9]*\)"/& width="\1" height="\2"/' \
            -e '1s/<svg /&xmlns="http:\/\/www.w3.org\/2000\/svg" xmlns:xlink="http:\/\/www.w3.org\/1999\/xlink" /' >picture.svg
}

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
