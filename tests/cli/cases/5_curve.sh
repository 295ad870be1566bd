# tests/cli/cases/5_curve.sh: curve: the numbers of fit, predict and score, output formats, systems, rejected arguments.

# data_of ROWS: d.csv with columns u and y; its first row has the largest input, so that all training sets have one range
data_of()
{
    expect 0 simulate wiener --length "$1" --seed 4 -o d.csv
    awk -F, 'NR == 2 { print "1," $2; next } { print }' d.csv >e.csv && mv e.csv d.csv
}

curve_equals_fits()
{
    data_of 90
    expect 0 curve --x d.csv:u --y d.csv:y --kernel rbf:gamma=2,window=2 volterra:tau=0.5,lambda=0.6 --no-scale \
        --sizes 20,40,70 --test 20 --json
    cp out curve.json
    valid_json curve.json "v['sizes'] == [20, 40, 70] and v['first'] == [0] and v['test_rows'] == 20 and v['gap'] == 0"
    for rows in 20 40 70; do
        expect 0 fit --x d.csv:u --y d.csv:y --kernel rbf:gamma=2,window=2 --no-scale --rows :$rows -o m.safetensors --json
        cp out fit.json
        expect 0 predict m.safetensors --x d.csv:u --rows $rows: -o p.csv
        expect 0 score --truth d.csv:y --truth-rows 70: --pred p.csv --pred-rows -20: --json
        cp out score.json
        python3 -IS - $rows <<'P' || fail "$rows rows: the numbers of a fit differ"
import json, sys
curve, fit, score = (json.load(open(f"{name}.json")) for name in ("curve", "fit", "score"))
at = curve["sizes"].index(int(sys.argv[1]))
one = curve["kernels"][0]
same = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
sys.exit(not (same(one["nmse"][0][at], score["nmse"]) and same(one["rmse"][0][at], score["rmse"])
              and same(one["alphas"][0][at], fit["alpha"])))
P
    done
}
check "curve: the errors and alphas of fit, predict and score" curve_equals_fits

curve_outputs()
{
    data_of 120
    local args=(--x d.csv:u --y d.csv:y --kernel volterra --kernel linear rbf:window=2 --points 3 --repeat 2 --test 15 --washout 5)
    expect 0 curve "${args[@]}" -o t.csv
    no_err
    lines_of out 6
    out_has '^rows +volterra +linear +rbf:window=2$'
    out_has '^85 +[0-9.]+ \([0-9.e-]+\) '
    out_has '^rate +-?[0-9.]+ \([0-9.e-]+\)'
    cp out text
    [ "$(sed -n 1p t.csv)" = kernel,repeat,rows,nmse,rmse,alpha ] || fail "the header is $(sed -n 1p t.csv)"
    lines_of t.csv 19
    expect 0 curve "${args[@]}" --verbose
    out_has '^kernel 2 +linear'
    out_has '^alpha 3 '
    expect 0 curve "${args[@]}" --json
    cp out c.json
    python3 -IS - <<'P' || fail "table, JSON and text differ"
import csv, json, sys
v, rows = json.load(open("c.json")), list(csv.DictReader(open("t.csv")))
nmse = [x for k in v["kernels"] for r in k["nmse"] for x in r]
good = nmse == [float(r["nmse"]) for r in rows] and v["repeats"] == 2 and v["washout"] == 5
good &= v["sizes"] == [int(float(r["rows"])) for r in rows[:3]] == [20, 41, 85] and v["first"] == [0, 15]
for k, words in zip(v["kernels"], zip(*[line.split()[1::2] for line in open("text").read().splitlines()[2:5]])):
    good &= all(abs(float(w) - m) <= 6e-3 * m for w, m in zip(words, k["mean_nmse"]))
    good &= all(abs(m - (a + b) / 2) <= 1e-12 for m, a, b in zip(k["mean_nmse"], *k["nmse"]))
    good &= all(abs(e - abs(a - b) / 2) <= 1e-12 for e, a, b in zip(k["nmse_error"], *k["nmse"]))
sys.exit(not good)
P
    expect 0 curve "${args[@]}" --plot c.svg
    grep -q '<svg' c.svg && grep -q 'rbf:window=2' c.svg || fail "c.svg is not the plot"
    expect 0 curve "${args[@]}" --plot -
    out_has '<svg'
}
check "curve: text, table, JSON and plot" curve_outputs

curve_systems()
{
    expect 0 curve --system wiener --length 80 --repeat 2 --seed 4 --sizes 20,60 --test 15 --json
    cp out system.json
    valid_json out "v['repeats'] == 2 and v['first'] == [5, 85] and v['seed'] == 4 and v['outputs'] == 1"
    expect 0 simulate wiener --length 80 --seed 4 -o a.csv
    expect 0 simulate wiener --length 80 --seed 5 -o b.csv
    { echo u,y,series; sed 1d a.csv | sed 's/$/,a/'; sed 1d b.csv | sed 's/$/,b/'; } >both.csv
    expect 0 curve --x both.csv:u --y both.csv:y --series both.csv:series --sizes 20,60 --test 15 --json
    cp out series.json
    python3 -IS -c "
import json
a, b = json.load(open('system.json')), json.load(open('series.json'))
assert a['kernels'] == b['kernels'] and a['first'] == b['first']" || fail "records and seeds differ"
    expect 0 curve --system lorenz96:dimension=4 --length 60 --points 2 --alpha 1e-3 --initial mean --season none --json
    valid_json out "v['outputs'] == 4 and len(v['kernels'][0]['alphas'][0]) == 8"
}
check "curve --system: seeds are repeats, as records" curve_systems

curve_rejects()
{
    data_of 60
    expect 2 curve
    err_names --x --system
    expect 2 curve --x d.csv:u --system wiener
    err_names --x --system
    expect 2 curve --system wiener --y d.csv:y
    err_names --y --x
    for option in '--ahead 2' '--calendar hour' '--series d.csv:u' '--rows 0:10'; do
        expect 2 curve --system wiener $option
        err_names "${option% *}"
    done
    expect 2 curve --x d.csv:u --y d.csv:y --length 50
    err_names --length --system
    expect 2 curve --system wiener --length 5
    err_names --length 10 5
    expect 2 curve --system weiner
    err_names weiner wiener
    expect 2 curve --system wiener:pole=2
    err_names pole 2
    expect 2 curve --x d.csv:u --y d.csv:y --sizes 20,20
    err_names --sizes 20
    expect 2 curve --x d.csv:u --y d.csv:y --sizes 20.5
    err_names --sizes 20.5
    expect 2 curve --x d.csv:u --y d.csv:y --sizes 1
    err_names --sizes 2 1
    expect 2 curve --x d.csv:u --y d.csv:y --sizes 20 --points 3
    err_names --sizes --points
    expect 2 curve --x d.csv:u --y d.csv:y --points 0
    err_names --points 0
    expect 2 curve --x d.csv:u --y d.csv:y --test 0
    err_names --test 0
    expect 2 curve --x d.csv:u --y d.csv:y --repeat 0
    err_names --repeat 0
    expect 1 curve --x d.csv:u --y d.csv:y --sizes 20,40 --test 30
    err_names --sizes --test 60 30 40
    expect 2 curve --x d.csv:u --y d.csv:y --alpha 0
    err_names --alpha 0
    expect 2 curve --x d.csv:u --y d.csv:y --kernel voltera
    err_names voltera volterra
    expect 2 curve --x d.csv:u --y d.csv:y --no-scale --scale-each
    err_names --scale-each --no-scale
    expect 2 curve --x d.csv:u --y d.csv:y --washout -1
    err_names --washout -1
    expect 2 curve --x d.csv:u --y d.csv:y -o t.csv --plot t.csv
    err_names t.csv
    expect 2 curve --x d.csv:u --y d.csv:y -o -
    err_names -o
    expect 2 curve --x d.csv:u --y d.csv:y --json --plot -
    err_names --json --plot
    expect 2 curve --x d.csv:u --y d.csv:y -o d.csv
    err_names d.csv
    expect 1 curve --x d.csv:u --y d.csv:y -o none/t.csv
    err_names none/t.csv
    absent t.csv
}
check "curve: rejected arguments" curve_rejects
