# tests/cli/cases/5_compare.sh: compare: output formats, files and rejected arguments.

# Inputs u and two targets that follow them through a few steps of the past, n rows.
small_problem()
{
    awk -v n="$1" "$uniform"'BEGIN {
        seeded(11)
        print "u,v" >"u.csv"; print "level,product" >"y.csv"
        for (t = 0; t < n; t++) {
            u = uniform() - 0.5; v = uniform() - 0.5
            y = 0.5 * before + 0.8 * u - 0.6 * last * v
            printf "%.12g,%.12g\n", u, v >"u.csv"; printf "%.12g,%.12g\n", y, last * v + 0.1 * u >"y.csv"
            before = y; last = u
        }
    }'
}

compare_text()
{
    small_problem 150
    expect 0 compare --x u.csv --y y.csv --kernel linear --kernel rbf volterra --draws 4 --seed 3 --quiet
    no_err
    [ "$(wc -l <out)" -le 12 ] || fail "the result has $(wc -l <out) lines"
    expect 0 compare --x u.csv --y y.csv --kernel linear --kernel rbf volterra --draws 4 --seed 3 --quiet --verbose
    out_has '^u\.csv: 120 rows train, 30 test, 2 inputs, 2 outputs$'
    out_has '^history protocol, 5 folds, 4 draws per kernel; seed 3$'
    out_has '^kernel +RMSE +MAE +MdAE +NMSE +W1 +MCS p +tuned +draws +seconds +cost/entry$'
    for name in linear rbf volterra; do
        out_has "^$name( +[0-9.]+\*?){5} +[01]\.[0-9]{3}(\*\*)? +[23] +4 +[0-9.]+ +O\(d\)$"
        out_has "^$name +[a-z]+:.*alpha=[0-9.e-]+, validation R2 -?[0-9.]+"
    done
    # Every column has one lowest value, and the set is never empty.
    [ "$(grep -c '[0-9]\* ' out)" -ge 1 ] || fail "nothing is marked as the lowest of its column"
    out_has '[01]\.[0-9]{3}\*\* '
    out_has '^Lowest NMSE: [a-z]+, [0-9.e-]+'
    awk 'length > 120 { exit 1 }' out || fail "a line is longer than 120 characters"
    nothing_left
    # The best kernel is compared with the second one and, if both are of one family, with the best of another.
    expect 0 compare --x u.csv --y y.csv --kernel linear volterra volterra:lambda_coef=0.9 --draws 3 --seed 3 --quiet
    out_has '^Lowest NMSE: volterra.*volterra:.* linear \('
}
check "compare prints the table, the winners and the conclusion" compare_text

compare_json()
{
    small_problem 150
    expect 0 compare --x u.csv --y y.csv --kernel linear volterra:lift=even --draws 5 --json
    valid_json out "[r['kernel'] for r in v['rows']] == ['linear', 'volterra:lift=even'] \
        and [r['name'] for r in v['rows']] == ['Linear', 'Volterra even'] \
        and all(set('name kernel mdae nmse w1 rmse mae mcs_pvalue in_mcs hyperparameters cost draws failed seconds best failure'
                    .split()) <= set(r) for r in v['rows']) \
        and all(r['best']['kernel'].startswith(r['kernel'].split(':')[0]) and r['best']['alpha'] > 0
                and r['draws'] == 5 and r['failure'] is None and 0 <= r['mcs_pvalue'] <= 1 for r in v['rows']) \
        and max(r['mcs_pvalue'] for r in v['rows']) == 1 and v['rows_train'] == 120 and v['rows_test'] == 30 \
        and v['protocol'] == 'history' and not v['interrupted'] \
        and v['command'] == 'volterra compare --x u.csv --y y.csv --kernel linear volterra:lift=even --draws 5 --json'"
    # The numbers equal those of fit, predict and score with the winner.
    if command -v python3 >/dev/null; then
        python3 -c 'import json; b = json.load(open("out"))["rows"][1]; print(b["best"]["kernel"], b["best"]["alpha"])
print(b["mdae"], b["nmse"], b["w1"], b["mae"], b["rmse"])' >said
        read -r kernel alpha <said
        expect 0 fit --x u.csv --y y.csv --rows :120 --kernel "$kernel" --alpha "$alpha" -o m.safetensors
        volterra predict m.safetensors --x u.csv --rows 120: -o forecast.csv
        expect 0 score --truth y.csv --truth-rows 120: --pred forecast.csv --json
        valid_json out "all(abs(v[k] - float(t)) < 1e-9 * (1 + abs(v[k])) for k, t in zip(('mdae', 'nmse', 'w1', 'mae'),
            open('said').read().split('\n')[1].split()))"
        python3 -c 'import csv
read = lambda path, first: [list(map(float, row)) for row in list(csv.reader(open(path)))[1 + first:]]
pairs = list(zip(read("y.csv", 120), read("forecast.csv", 0)))
roots = [(sum((y[k] - f[k]) ** 2 for y, f in pairs) / len(pairs)) ** 0.5 for k in range(2)]
assert abs(sum(roots) / 2 - float(open("said").read().split()[-1])) < 1e-9' 2>says || fail "RMSE: $(tail -n 1 says)"
    fi
}
check "compare --json: its keys, and the numbers of fit, predict and score" compare_json

# In the units of the targets on one's own data, the paper's own columns for its presets.
compare_units()
{
    small_problem 120
    expect 0 compare --x u.csv --y y.csv --kernel linear rbf --draws 3 --csv own.csv --latex own.tex --report own.html --json
    grep -E 'x ?100$|x ?100 |times;? ?100' own.csv own.tex own.html >"times" && fail "something is times 100: $(head -n 1 times)"
    [ "$(head -n 1 own.csv)" = "$(printf %s name,kernel,mdae,mdae_error,nmse,nmse_error,w1,w1_error,mcs_pvalue, \
        samples_in_mcs,results,hyperparameters,cost,draws,failed,seconds,best_kernel,best_alpha,best_score,failure, \
        rmse,rmse_error,mae,mae_error)" ] || fail "the header of the CSV: $(head -n 1 own.csv)"
    grep -qF 'Kernel & RMSE & MAE & MdAE & NMSE & $W_1$ & MCS &' own.tex || fail "the columns of the LaTeX table"
    grep -qF '>RMSE</th><th scope="col">MAE</th><th scope="col">MdAE</th>' own.html || fail "the columns of the report"
    grep -q '<dt>RMSE, MAE</dt>' own.html || fail "the report does not say what RMSE is"
    if command -v python3 >/dev/null; then # CSV and JSON have the same numbers
        python3 -c 'import csv, json
for row, line in zip(json.load(open("out"))["rows"], csv.DictReader(open("own.csv"))):
    for key in ("rmse", "mae", "mdae", "nmse", "w1"):
        assert float(line[key]) == row[key] > 0, key
    assert row["rmse"] >= row["mae"] and not line["rmse_error"]' 2>says || fail "$(tail -n 1 says)"
    fi
    expect 0 compare --preset sp500-d5 --length 80 --kernel linear --draws 2 --csv p.csv --latex p.tex --report p.html --quiet
    out_has '^kernel +MdAE x100 +NMSE +W1 x100 +MCS p +tuned +draws +seconds +cost/entry$'
    head -n 1 p.csv | grep -qE ',failure$' || fail "the header of the CSV of a preset: $(head -n 1 p.csv)"
    grep -qF 'Kernel & MdAE $\times 100$ & NMSE & $W_1 \times 100$ & MCS &' p.tex || fail "the LaTeX table of a preset"
    grep -qF '>MdAE &times; 100</th><th scope="col">NMSE</th>' p.html || fail "the report of a preset"
    ! grep -q RMSE p.html p.tex || fail "a table of the paper has RMSE"
}
check "compare: RMSE and MAE in units of the targets for files, columns of the paper for presets" compare_units

compare_files()
{
    small_problem 120
    expect 0 compare --x u.csv --y y.csv --kernel linear rbf --draws 3 --csv t.csv --latex t.tex --train 90 --quiet
    no_err
    out_has '^csv +t\.csv$'
    out_has '^latex +t\.tex$'
    out_has '90 rows train, 30 test'
    lines_of t.csv 3
    [ "$(head -n 1 t.csv | cut -d, -f1-5)" = name,kernel,mdae,mdae_error,nmse ] || fail "the header of the CSV changed"
    grep -qE '^"RBF","rbf",[0-9.e-]+,,[0-9.e-]+,,[0-9.e-]+,,[0-9.e-]+,[01],1,3,"O\(d\)",3,[0-9]+,' t.csv ||
        fail "the line of RBF: $(tail -n 1 t.csv)"
    for word in '\\begin{tabular}' '\\toprule' '\\midrule' '\\bottomrule' 'Linear & ' '\\textbf{[0-9.]*}' '\\end{table}'; do
        grep -q -- "$word" t.tex || fail "the LaTeX table has no $word"
    done
    nothing_left
    # To standard output, in place of the table.
    expect 0 compare --x u.csv --y y.csv --kernel linear --draws 2 --csv -
    lines_of out 2
    if command -v pdflatex >/dev/null && kpsewhich booktabs.sty >/dev/null; then
        printf '\\documentclass{article}\\usepackage{booktabs}\\begin{document}\\input{t}\\end{document}\n' >around.tex
        for document in t around; do
            pdflatex -interaction=batchmode -halt-on-error $document.tex >latex-says ||
                fail "LaTeX does not take $document.tex: $(grep -m 1 '^!' $document.log)"
        done
    fi
}
check "compare --csv and --latex; a table that LaTeX compiles" compare_files

compare_protocols()
{
    small_problem 100
    expect 0 compare --x u.csv --y y.csv --protocol published --kernel linear gak sig-pde volterra --draws 3 --json
    valid_json out "[r['kernel'] for r in v['rows']][0] == 'linear:window=1' and v['protocol'] == 'published' \
        and 'path=rows' in v['rows'][1]['kernel'] and v['rows'][2]['name'] == 'Sig-PDE'"
    # All rows of both protocols.
    for protocol in history published; do
        expect 0 compare --x u.csv --y y.csv --protocol $protocol --draws 1 --folds 2 --race none --json
        valid_json out "[r['name'] for r in v['rows'][10:]] == ['Recurrent'] * ('$protocol' == 'history') and v['folds'] == 2 and v['rows'][8]['name'] == 'Volterra even' \
            and v['rows'][9]['name'] == 'ESN' and 'size=200,' in v['rows'][9]['kernel'] and v['rows'][9]['nmse'] > 0"
    done
    # A kernel that cannot be fitted is a row with its reason.
    expect 0 compare --x u.csv --y y.csv --kernel linear sigmoid:gamma=1e6,coef0=-1 --draws 2
    if grep -q 'failed: ' out; then
        out_has '^sigmoid:gamma=1e6,coef0=-1 +- +- +- +-'
    fi
}
check "compare: both protocols, and kernels by the name of their row" compare_protocols

# Products of inputs, which one kernel of the two has: the other has twenty times the error on every row.
compare_alone()
{
    awk 'BEGIN { print "u,y"; for (s = 1; t < 160; t++) {
        s = s * 16807 % 2147483647; u = s / 2147483647 - 0.5; y = 0.5 * y + u + 2 * u * p; p = u; printf "%.9f,%.9f\n", u, y } }' >uy.csv
    expect 0 compare --x uy.csv:u --y uy.csv:y --kernel linear volterra --draws 3 --quiet
    out_has '^Lowest NMSE: volterra, .* linear \([0-9.]+\); .* 75 %'
    out_has '^volterra .* 1\.000\*\* '
    out_has '^linear .* 0\.000   '
}
check "compare: the conclusion names a single kernel in the confidence set" compare_alone

compare_repeat()
{
    expect 0 compare --preset sp500-d5 --length 80 --kernel linear volterra --draws 2 --repeat 2 --seed 5 --quiet
    no_err
    out_has '; seeds 5 to 6$'
    tr -s '\n ' ' ' <out | grep -q 'in the model confidence set at 75 % in [012] of 2 samples' || fail "no word on the set at 75 %"
    out_has '^volterra +[0-9.]+ \([0-9.]+\)\*? +[0-9.]+ \([0-9.]+\)\*? .* [012]/2(\*\*)? '
    expect 0 compare --preset sp500-d5 --length 80 --kernel linear volterra --draws 2 --repeat 2 --seed 5 --json
    valid_json out "v['samples'] == 2 and [s['seed'] for s in v['by_sample']] == [5, 6] \
        and all(abs(r['nmse'] - (a['nmse'] + b['nmse']) / 2) < 1e-12
                and abs(r['nmse_error'] - abs(a['nmse'] - b['nmse']) / 2) < 1e-12
                and r['samples_in_mcs'] == a['in_mcs'] + b['in_mcs'] and a['failure'] is None and b['failure'] is None
                for r, a, b in zip(v['rows'], v['by_sample'][0]['rows'], v['by_sample'][1]['rows']))"
    cp out both
    # A sample of its own is the same sample.
    expect 0 compare --preset sp500-d5 --length 80 --kernel linear volterra --draws 2 --seed 6 --json
    if command -v python3 >/dev/null; then
        python3 -c 'import json
one, both = json.load(open("out")), json.load(open("both"))["by_sample"][1]
assert [r["nmse"] for r in one["rows"]] == [r["nmse"] for r in both["rows"]]' 2>says || fail "$(tail -n 1 says)"
    fi
}
check "compare --repeat: means and standard errors over seeds" compare_repeat

compare_log()
{
    small_problem 100
    expect 0 compare --x u.csv --y y.csv --kernel linear rbf --draws 3 --log logs --json
    lines_of logs/01-linear.jsonl 3
    lines_of logs/02-rbf.jsonl 3
    grep '"nmse"' out >first
    expect 2 compare --x u.csv --y y.csv --kernel linear rbf --draws 3 --log logs
    err_names --resume
    expect 0 compare --x u.csv --y y.csv --kernel linear rbf --draws 3 --log logs --resume --json
    grep '"nmse"' out >second
    same first second
    lines_of logs/02-rbf.jsonl 3
    expect 0 compare --x u.csv --kernel linear --draws 2 --repeat 2 --seed 1 --log more
    [ -s more/seed-1/01-linear.jsonl ] && [ -s more/seed-2/01-linear.jsonl ] || fail "a sample has no log: $(ls more)"
}
check "compare --log and --resume" compare_log

compare_interrupt()
{
    local job status i
    "$VOLTERRA" compare --length 400 --kernel linear volterra rbf --budget 4s --log logs --json --quiet >out 2>err &
    job=$!
    # The first kernel is done once the second has a log.
    for ((i = 0; i < 6000; i++)); do
        [ -s logs/02-volterra.jsonl ] && break
        sleep 0.1
    done
    kill -INT $job 2>/dev/null || fail "the comparison was over too soon"
    wait $job
    status=$?
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    one_line compare
    err_names --resume
    valid_json out "v['interrupted'] and 1 <= len(v['rows']) <= 2 and v['rows'][0]['name'] == 'Linear' \
        and v['rows'][0]['nmse'] > 0"
}
check "Ctrl-C during compare: status 130, finished kernels are reported" compare_interrupt

compare_wrong()
{
    small_problem 60
    expect 2 compare --x u.csv --preset sp500-d5
    err_names --x --preset
    expect 2 compare --preset sp500-d6 --draws 1
    err_has 'sp500-d5'
    expect 2 compare --y y.csv
    err_names --y --x
    expect 2 compare --x u.csv --length 100
    expect 2 compare --x u.csv --y y.csv --kernel rfb --draws 1
    err_names '"rfb"' '"rbf"'
    expect 2 compare --x u.csv --kernel linear linear --draws 1
    err_names linear
    expect 2 compare --x u.csv --train 60 --draws 1
    expect 2 compare --x u.csv --test-share 1.5
    expect 2 compare --x u.csv --test-share 0.3 --train 30
    expect 2 compare --x u.csv --protocol publishd
    err_names published
    expect 2 compare --x u.csv --budget soon
    expect 2 compare --x u.csv --draws 0
    expect 2 compare --x u.csv --resume
    err_has '--log DIR'
    expect 2 compare --x u.csv --json --csv -
    err_names output
    expect 2 compare --x u.csv --csv t --latex t
    err_names --csv --latex
    expect 2 compare --x u.csv --csv u.csv
    err_names input
    expect 1 compare --x u.csv --report nowhere/r.html
    expect 1 compare --x nofile.csv --draws 1
    expect 1 compare --x u.csv --kernel linear --draws 1 --log u.csv
    err_names file
    [ "$(echo *)" = 'err out shell-says u.csv y.csv' ] || fail "something was written: $(echo *)"
}
check "compare: invalid options" compare_wrong
