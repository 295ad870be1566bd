#!/usr/bin/env bash
# scripts/doc_pictures.sh [NAME...]: draw the plots of the README and the task pages, docs/images/NAME.svg (default: all of them).
#
# A line of `pictures` has a name, a page (README, or one of docs/tasks) whose commands are run in an empty folder, and what makes picture.svg from their files: a file that
# a command has drawn, a plot of an HTML report, or gnuplot. Requires build/volterra and gnuplot.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD work=$(mktemp -d)
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

draw() # HEIGHT: gnuplot with the commands on standard input, in the style of the program
{
    gnuplot <(
        echo "set encoding utf8
            set terminal svg size 680,$1 font 'Helvetica,Arial,sans-serif,14' linewidth 1.2
            set output 'picture.svg'
            set datafile separator ','
            set border 3 linecolor rgb '#808080'
            set tics nomirror out scale 0.6 textcolor rgb '#808080'
            set key above left horizontal samplen 2 textcolor rgb '#808080'
            set xlabel textcolor rgb '#808080'
            set ylabel textcolor rgb '#808080'"
        cat
    )
}

draw_anomaly()
{
    draw 380 <<'END'
set xdata time
set timefmt '%Y-%m-%d %H:%M'
set format x '%Y-%m-%d'
set xrange ['2013-04-28 08:00':'2013-05-15 00:00']
set xtics 345600
set lmargin 8
set rmargin 4
set multiplot layout 2,1
set ytics 20
set ylabel 'temperature (°F)'
plot 'bench/series/nyc_temp.csv' using 1:2 with lines linecolor rgb '#2f7fd0' title 'measured', \
     '< join -t, bench/series/nyc_temp.csv scores.csv' using 1:($6 == 1 ? $2 : 1/0) pointtype 7 pointsize 0.6 \
     linecolor rgb '#d55e00' title 'alarm'
set ylabel 'score'
plot 'scores.csv' using 1:3 with lines linecolor rgb '#2f7fd0' title 'score', \
     '' using 1:4 with lines dashtype 2 linecolor rgb '#d55e00' title 'threshold'
END
}

draw_classes()
{
    tail -n +2 found.csv | cut -d, -f1 | paste -d: - <(tail -n +3 test.ts) |
        awk -F: '{ n = split($2, y, ","); for (h = 1; h <= n; h++) print ($1 == $3 ? $1 : "wrong") "," h - 1 "," y[h]; print "" }' >days.csv
    draw 320 <<'END'
set xlabel 'hour'
set ylabel 'departures per hour'
set xrange [0:23]
set xtics 3
plot for [k = 1:3] 'days.csv' using 2:(strcol(1) eq word('weekday weekend wrong', k) ? $3 : NaN) with lines \
    linewidth (k == 3 ? 2.5 : 1) linecolor rgb word('#2f7fd0 #d55e00 #009e73', k) \
    title word('weekday weekend misclassified', k)
END
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
