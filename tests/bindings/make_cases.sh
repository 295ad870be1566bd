#!/usr/bin/env bash
# make_cases.sh PROGRAM FOLDER: data and the program's results, as .npy files, for the tests of R and Octave.
#
# r/tests/run.R and matlab/tests/run_tests.m compute the same and compare bit for bit.
set -euo pipefail
program=$(realpath "$1"); mkdir -p "$2"; cd "$2"
v() { "$program" "$@" --quiet >out 2>messages || { echo "volterra $*" >&2; cat messages >&2; exit 1; }; }
for kind in csv npy; do
    v simulate narma10 --length 400 --seed 3 -o narma.$kind
    v simulate lorenz --length 300 -o lorenz.$kind
done
awk -F, 'NR == 1 {print "u,y,run"; next} {printf "%s,%s,%s\n", $1, $2, NR <= 141 ? "a" : "b"}' narma.csv >runs.csv
data=(--x narma.csv:u --y narma.csv:y --rows 0:300) new=(--x narma.csv:u --rows 300:)

v fit "${data[@]}" -o fit.safetensors --fitted fitted.npy
v predict fit.safetensors "${new[@]}" --interval 0.9 -o predict.npy
v predict fit.safetensors "${new[@]}" --start reset -o predict_reset.npy
v fit "${data[@]}" --alpha 0.01 --kernel 'fir + volterra' --no-intercept -o given.safetensors
v predict given.safetensors "${new[@]}" -o given.npy
v fit "${data[@]}" --feedback --feedback-weight 0.5 -o feedback.safetensors
v predict feedback.safetensors "${new[@]}" -o feedback.npy
v fit --x runs.csv:u --y runs.csv:y --series runs.csv:run -o records.safetensors --fitted records.npy
v fit --x lorenz.csv -o lorenz.safetensors
v continue lorenz.safetensors --steps 40 -o continue.npy
v tune "${data[@]}" --draws 24 --seed 5 -o tuned.safetensors
v predict tuned.safetensors "${new[@]}" -o tuned.npy
v identify runs.csv --x u --y y --draws 6 --seed 2 -o identified.safetensors --report /dev/null --json; mv out identified.json
v predict identified.safetensors --x narma.csv:u --start reset -o identified.npy
v forecast lorenz.csv:x --season none --rows 0: --steps 8 --interval 0.8,0.95 -o forecast.csv
tail -n 100 narma.csv | cut -d, -f1 | "$program" stream fit.safetensors >stream.txt 2>messages
