#!/usr/bin/env bash
# scripts/doc_pictures.sh [NAME...]: draw the plots of the README and the task pages, docs/images/NAME.svg (default: all of them).
#
# A line of `pictures` has a name, a page (README, or one of docs/tasks) whose commands are run in an empty folder, and what makes picture.svg from their files: a file that
# a command has drawn, a plot of an HTML report, or build/draw_plot. Requires build/volterra.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD work=$(mktemp -d)
cmake --build build --target draw_plot >/dev/null
PATH=$PWD/build:$PATH
trap 'rm -r "$work"' EXIT

pictures="
anomaly            anomaly      draw_anomaly
capacity           capacity     cp capacity.svg picture.svg
classify           classify     draw_classes
compare            compare      cut_report 'Distribution of the errors'
covolatility       covolatility cut_report 'Measured and predicted'
explained_g1       explain      cp narma.g1.svg picture.svg
explained_g2       explain      cp narma.g2.svg picture.svg
forecast_equipment forecast     mv elec_equip-forecast.svg picture.svg
spectrum           gram         cp spectrum.svg picture.svg
identify           identify     cut_report 'Measured and simulated'
identify_residuals identify     cut_report 'Correlations of the residuals'
score              score        mv score.svg picture.svg
tune               tune         mv search.svg picture.svg
interval           uncertainty  mv interval.svg picture.svg
forecast           README       cp co2_monthly-forecast.svg picture.svg
lorenz             README       cp lorenz.svg picture.svg
tanks              README       cp tanks.svg picture.svg
"

cut_report() # TITLE: the first plot of report.html with this title, with the style sheet of the plots
{
    awk -v title="aria-label=\"$1\"" '
        /<style id="plots">/ { style = "<style>\n"; next }
        style && !is_read { style = style $0 "\n"; is_read = /<\/style>/ }
        /<svg / && index($0, title) && !seen++ {
            split($0, box, /viewBox="|"/)
            for (i in box) if (split(box[i], size, " ") == 4 && box[i] ~ /^0 0 /) break
            sub(/<svg /, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" size[3] "\" height=\"" size[4] "\" ")
            printf "%s\n%s", $0, style
            inside = 1
            next
        }
        /<\/div>/ { inside = 0 }
        inside' report.html >picture.svg
}

draw_anomaly()
{
    local from='2013-04-28 08:00' to='2013-05-15 00:00'
    {
        printf 'panel temperature (\302\260F)\ntimes\nline 1 measured\n'
        awk -F, -v a="$from" -v b="$to" '$1 >= a && $1 <= b { print $1 "," $2 }' bench/series/nyc_temp.csv
        echo dots 2 alarm
        join -t, bench/series/nyc_temp.csv scores.csv | awk -F, '$6 == 1 { print $1 "," $2 }'
        printf 'panel score\ntimes\nline 1 score\n'
        awk -F, -v a="$from" -v b="$to" '$1 >= a && $1 <= b { print $1 "," $3 }' scores.csv
        echo dashed 2 threshold
        awk -F, -v a="$from" -v b="$to" '$1 >= a && $1 <= b { print $1 "," $4 }' scores.csv
    } | build/draw_plot >picture.svg
}

draw_classes()
{
    tail -n +2 found.csv | cut -d, -f1 | paste -d: - <(tail -n +3 test.ts) |
        awk -F: 'BEGIN { split("weekday weekend misclassified", names, " "); print "panel departures per hour\nx hour" }
            { k = $1 != $3 ? 3 : $1 == "weekday" ? 1 : 2; n = split($2, y, ","); days[k] = days[k] "line " k " " names[k] "\n"
              for (h = 1; h <= n; h++) days[k] = days[k] h - 1 "," y[h] "\n" }
            END { printf "%s%s%s", days[1], days[2], days[3] }' |
        build/draw_plot >picture.svg
}

run_page() # FILE: the commands of its blocks "console"
{
    PYTHONPATH=$root/tests/cli python3 -B - "$1" <<'END'
import subprocess, sys
from documents import commands_of

for command in commands_of(open(sys.argv[1], encoding="utf-8").read()):
    if command.is_terminal:
        subprocess.run(command.text, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
END
}

while read -r name page command; do
    if [ -z "$name" ] || { [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; }; then continue; fi
    mkdir -p "$work/$page"
    cd "$work/$page"
    if [ ! -e build ]; then
        ln -s "$root/build" "$root/bench" "$root/examples" .
        if [ "$page" = README ]; then run_page "$root/README.md"; else run_page "$root/docs/tasks/$page.md"; fi
    fi
    eval "$command"
    [ -s picture.svg ] || { echo "doc_pictures: $name is empty" >&2; exit 1; }
    mv picture.svg "$root/docs/images/$name.svg"
    echo "docs/images/$name.svg"
done <<<"$pictures"
