#!/usr/bin/env bash
# scripts/doc_pictures.sh [NAME...]: draw the plots of the task pages, docs/images/NAME.svg.
#
# Each line of `pictures` has a name and a command that writes NAME.svg in an empty folder. The commands are those of the pages.
# `plot` draws a file that they write. Requires build/volterra and gnuplot.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
PATH=$PWD/build:$PATH

pictures="
anomaly:      page anomaly; plot anomaly
capacity:     volterra capacity --kernel esn:size=100 --plot capacity.svg
classify:     page classify; tail -n +3 test.ts | tr ':' , | paste -d , found.csv - > days.csv; plot classify
compare:      page compare; cut_plot page.html 'Distribution of the errors' > compare.svg
covolatility: page covolatility; cut_plot report.html 'Truth and predictions' > covolatility.svg
explained_g1: page explain; mv narma.g1.svg explained_g1.svg
explained_g2: page explain; mv narma.g2.svg explained_g2.svg
spectrum:     page gram
lorenz:       page continue; paste -d , <(tail -n 2999 lorenz.csv) path.csv > lorenz.csv
"
