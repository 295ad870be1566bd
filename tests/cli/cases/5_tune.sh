# tests/cli/cases/5_tune.sh: tune: results, search space and rejected arguments.

# A system with memory: y follows u through a few steps of the past. n rows to u.csv and y.csv.
system_with_memory()
{
    awk -v n="$1" "$uniform"'BEGIN {
        seeded(7)
        print "u" >"u.csv"; print "y" >"y.csv"
        for (t = 0; t < n; t++) {
            u = uniform() - 0.5
            y = 0.6 * before + 0.8 * u - 0.7 * last * u + 0.3 * last * last
            printf "%.12g\n", u >"u.csv"; printf "%.12g\n", y >"y.csv"
            before = y; last = u
        }
    }'
}

# what_was_tried LOG: the trials without their seconds, by index
what_was_tried() { sed -E 's/"seconds":[^,]*,//' "$1" | sort -t: -k2 -n; }

# best_of: kernel, alpha, folds and index out of the JSON in `out`
best_of() { sed -n '/"best": {/,/}/p' out; }

# ---- the result ---------------------------------------------------------------------------------

# rows_of NAME FILE: the matrix of that name in a golden file, as CSV without a header
rows_of()
{
    sed -E "s/.*\"$1\": \[\[([^]]*(\], \[[^]]*)*)\]\].*/\1/; s/\], \[/\n/g" "$2" | tr -d ' '
}

tune_golden()
{
    golden=$here/../reference/endtoend_volterra_cv.json
    rows_of X "$golden" >x.csv
    rows_of y "$golden" >y.csv
    rows_of r2_per_fold "$golden" >expected.csv
    rows_of predict_first20_refit "$golden" >predicted.csv
    lines_of x.csv 300
    lines_of expected.csv 6
    # tau, the lambda that the authors' clamp leaves, alpha
    omega=$(sed -E 's/.*"omega_effective": \[([^]]*)\].*/\1/' "$golden" | tr -d ' ')
    { echo tau,lambda,alpha
      paste -d, <(rows_of tuples_tau_omega_alpha "$golden") <(tr , '\n' <<<"$omega") |
          awk -F, '{ print $1 "," $4 "," $3 }'; } >candidates.csv
    lines_of candidates.csv 7
    expect 0 tune --x x.csv --y y.csv --kernel volterra --candidates candidates.csv --start reset \
        --no-intercept --no-scale --race none --log trials.jsonl -o m.safetensors --json
    valid_json out "v['best']['index'] == 2 and v['draws'] == 6 and v['failed'] == 0 and v['folds'] == 5 \
        and v['best']['kernel'] == 'volterra:tau=0.6,lambda=0.7' and v['best']['alpha'] == 0.001"
    out_has '"index": 2,$'
    # The golden tolerance is absolute, 1e-8.
    sort -t: -k2 -n trials.jsonl | sed -E 's/.*"folds":\[([^]]*)\].*/\1/' >folds.csv
    near folds.csv expected.csv 1e-8
    head -n 20 x.csv >first.csv
    expect 0 predict m.safetensors --x first.csv --start reset -o forecast.csv
    tail -n +2 forecast.csv >forecast20.csv
    near forecast20.csv predicted.csv 1e-8
    # The columns may hold whole kernels instead; the default kernel is volterra.
    { echo kernel,alpha
      tail -n +2 candidates.csv | awk -F, '{ print "\"volterra:tau=" $1 ",lambda=" $2 "\"," $3 }'; } >whole.csv
    for file in whole.csv candidates.csv; do
        expect 0 tune --x x.csv --y y.csv --candidates $file --start reset --no-intercept --no-scale --json
        out_has '"index": 2,$'
    done
}
check "tune: R2 per fold equals scikit-learn with the authors' kernel" tune_golden

tune_report()
{
    system_with_memory 200
    expect 0 tune --x u.csv --y y.csv --draws 12 --seed 3 --washout 5 -o m.safetensors
    no_err
    [ "$(wc -l <out)" -le 12 ] || fail "the result has $(wc -l <out) lines"
    expect 0 tune --x u.csv --y y.csv --draws 12 --seed 3 --washout 5 --verbose -o m.safetensors
    out_has '^best kernel +volterra:tau_coef=0\.[0-9]+,lambda_coef=0\.[0-9]+$'
    out_has '^alpha +[0-9.e-]+$'
    out_has '^R2 +[0-9.]+ \(mean of 5 folds\)$'
    out_has '^by fold +[-0-9.]+( [-0-9.]+){4}$'
    out_has '^draws +12'
    out_has '^time +[0-9.]+ (us|ms|s)$'
    out_has '^model +m\.safetensors$'
    # The line that it prints fits the same model.
    line=$(sed -n 's/^command  *volterra //p' out)
    mv m.safetensors tuned.safetensors
    eval "expect 0 $line"
    same m.safetensors tuned.safetensors
    nothing_left
    expect 0 tune --x u.csv --y y.csv --draws 12 --seed 3 --washout 5 --json
    no_err
    valid_json out "set('kernel alpha score folds index'.split()) == set(v['best']) \
        and len(v['best']['folds']) == 5 and abs(sum(v['best']['folds']) / 5 - v['best']['score']) < 1e-12 \
        and v['draws'] == 12 and v['failed'] == 0 \
        and v['stopped'] == sum(v['stopped_after']) and v['seconds'] > 0 and v['score'] == 'r2' \
        and not v['interrupted'] and v['command'].startswith('volterra fit --x u.csv --y y.csv --kernel vol')"
}
check "tune prints the best kernel and its fit command, or JSON" tune_report

tune_space()
{
    system_with_memory 120
    expect 0 tune --x u.csv --y y.csv --kernel volterra:tau_coef=0.4 --draws 20 --race none --log a.jsonl \
        --range 'lift=geometric|even' lambda_coef=uniform:0.5..0.6 --range alpha=log:1e-3..1e-2
    lines_of a.jsonl 20
    [ "$(grep -c '"volterra:tau_coef=0.4,lambda_coef=0.5[0-9]*\(,lift=even\)\?"' a.jsonl)" -eq 20 ] ||
        fail "a draw lies outside its ranges: $(head -n 2 a.jsonl)"
    [ "$(grep -c '"alpha":0.00[1-9]' a.jsonl)" -eq 20 ] || fail "an alpha lies outside its range"
    grep -q lift=even a.jsonl || fail "one choice was never drawn"
    grep -qv lift=even a.jsonl || fail "one choice was never drawn"
    # A grid: 3 windows times 2 values of alpha.
    expect 0 tune --x u.csv --y y.csv --kernel rbf:gamma=1 --range 'window=1|4|9' --alpha log:1e-3..1 \
        --grid 2 --race none --log b.jsonl --json
    valid_json out "v['draws'] == 6"
    [ "$(sed -E 's/.*"alpha":([^,]*),.*/\1/' b.jsonl | sort -u | tr '\n' ' ')" = '0.001 1 ' ] ||
        fail "the alphas of the grid are not 0.001 and 1"
    expect 0 tune --x u.csv --y y.csv --kernel rbf --range window=int:3..5 --alpha 0.01 --draws 5 --log c.jsonl
    [ "$(grep -c 'window=[345]".*"alpha":0.01,' c.jsonl)" -eq 5 ] || fail "window or alpha is not as asked"
    # Without scaling, gamma is drawn in the units of the inputs.
    awk 'NR == 1 { print; next } { printf "%.15g\n", 1000 * $1 }' u.csv >large.csv
    for file in u large; do
        expect 0 tune --x $file.csv --y y.csv --kernel rbf --alpha 0.01 --draws 3 --folds 1 --no-scale --race none --log $file.jsonl
        sort -t: -k2 -n $file.jsonl | sed -E 's/.*gamma=([0-9.e-]+).*/\1/' >$file.gamma
    done
    paste u.gamma large.gamma | awk '{ ratio = $1 / $2 / 1e6 - 1 } ratio > 1e-6 || ratio < -1e-6 { bad = 1 } END { exit bad || NR != 3 }' ||
        fail "gamma does not have the units of the inputs: $(paste u.gamma large.gamma | head -n 1)"
    # --draws limits a grid too.
    expect 0 tune --x u.csv --y y.csv --kernel rbf --grid 5 --draws 4 --json
    valid_json out "v['draws'] == 4"
}
check "tune --range, --alpha, --grid: search space" tune_space

tune_scores()
{
    system_with_memory 150
    for score in r2 nmse mse prequential log; do
        expect 0 tune --x u.csv --y y.csv --draws 6 --score $score --race none --log $score.jsonl --json
        valid_json out "v['score'] == '$score' and v['draws'] == 6"
        lines_of $score.jsonl 6
    done
    best() { sed -E 's/.*"score":([^,]*),.*/\1/' "$1" | sort -g | sed -n "$2"p; }
    # R2 is the highest where NMSE is the lowest, and they add up to 1.
    awk -v a="$(best r2.jsonl '$')" -v b="$(best nmse.jsonl 1)" 'BEGIN { exit !((a + b - 1)^2 < 1e-18) }' ||
        fail "R2 and NMSE do not add up to 1: $(best r2.jsonl '$') and $(best nmse.jsonl 1)"
    expect 0 tune --x u.csv --y y.csv --draws 6 --score mse --folds 3 --gap 2 --min-train 50 --json
    valid_json out "v['folds'] == 3 and len(v['best']['folds']) == 3"
    expect 0 tune --x u.csv --y y.csv --draws 4 --rolling --json
    expect 0 tune --x u.csv --y y.csv --draws 4 --max-train 40 --start reset --json
    for race in exact fast none; do
        expect 0 tune --x u.csv --y y.csv --draws 30 --race $race --json
        best_of >$race.best
    done
    same exact.best none.best
}
check "tune --score, the splits and the races" tune_scores

tune_threads()
{
    system_with_memory 300
    for n in 1 2; do
        expect 0 tune --x u.csv --y y.csv --draws 20 --race none --threads $n --log $n.jsonl --json
        best_of | grep -v '"' | tr -d ' ,\n]' >best.$n
        sort -t: -k2 -n $n.jsonl | sed -E 's/.*"folds":\[([^]]*)\].*/\1/' >folds.$n
        sort -t: -k2 -n $n.jsonl | sed -E 's/"folds".*//' >draws.$n
        grep '"index"' out >index.$n
    done
    same draws.1 draws.2
    same index.1 index.2
    near folds.1 folds.2 1e-9
}
check "tune gives the same result with one and two threads" tune_threads

tune_series()
{
    # Without --y the series forecasts itself, and the winner can continue.
    series 120 >x.csv
    expect 0 tune --x x.csv --draws 8 -o m.safetensors --quiet
    no_err
    expect 0 continue m.safetensors --steps 3 -o path.csv
    lines_of path.csv 4
    expect 0 tune --x x.csv:a --y x.csv:b --ahead 2 --rows 10:100 --draws 4 --json
    valid_json out "'--ahead 2' in v['command'] and '--rows 10:100' in v['command']"
}
check "tune on a series: continue supports the best model" tune_series

tune_plot()
{
    system_with_memory 120
    expect 0 tune --x u.csv --y y.csv --draws 30 --range 'lift=geometric|even' --plot search.svg
    out_has '^plot +search\.svg$'
    nothing_left
    for word in '<svg' tau_coef lambda_coef lift geometric alpha best '30 draws'; do
        grep -q -- "$word" search.svg || fail "the picture has no '$word'"
    done
    expect 0 tune --x u.csv --y y.csv --draws 5 --plot -
    [ "$(head -c 5 out)" = '<?xml' ] || fail "standard output is not the picture: $(head -n 1 out)"
    if command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as m; m.parse("search.svg"); m.parse("out")' 2>xml-says ||
            fail "the picture is not XML: $(tail -n 1 xml-says)"
    fi
}
check "tune --plot draws the search" tune_plot

# ---- wrong options ------------------------------------------------------------------------------

tune_wrong()
{
    series 60 >x.csv
    expect 2 tune
    err_names --x X
    expect 2 tune --x x.csv
    err_names --draws N --budget 30m --candidates FILE --grid POINTS
    for time in 3x 0 -1 1h30 30mn 3ms 1min1h 1m2min '1 h 5' '1 2' '' h min inf 1e3s; do
        expect 2 tune --x x.csv --budget "$time"
        err_names --budget "'$time'"
    done
    for spec in tau_coef =1 tau_coef=; do
        expect 2 tune --x x.csv --draws 2 --range $spec
        err_names NAME=SPEC alpha=log:1e-8..1 "'$spec'"
    done
    expect 2 tune --x x.csv --draws 2 --range tau_coef=0.1..0.2
    err_names log:0.1..0.2 uniform:0.1..0.2
    expect 2 tune --x x.csv --draws 2 --range tau_coef=lgo:0.1..0.2
    err_names log
    expect 2 tune --x x.csv --draws 2 --range tau_coef=log:0.1..x
    err_names "'x'"
    expect 2 tune --x x.csv --draws 2 --range tau_coef=log:0.2..0.1
    err_names 0.2 0.1
    expect 2 tune --x x.csv --draws 2 --range tau_coef=log:0..0.1
    expect 2 tune --x x.csv --draws 2 --range 'lift=even|'
    err_has 'empty choice'
    expect 2 tune --x x.csv --draws 2 --range lift=evne
    expect 2 tune --x x.csv --draws 2 --range tua_coef=0.5
    err_names '"tua_coef"' '"tau_coef"'
    expect 2 tune --x x.csv --draws 2 --alpha 1 --range alpha=2
    err_names alpha
    expect 2 tune --x x.csv --draws 2 --alpha 0
    expect 2 tune --x x.csv --draws 2 --kernel volterra:tau_coef=0.5 --range tau_coef=0.4
    expect 2 tune --x x.csv --draws 2 --kernel voltera
    err_names '"voltera"' '"volterra"'
    expect 2 tune --x x.csv --draws 2 --resume
    err_names log
    expect 2 tune --x x.csv --draws 2 --log -
    expect 2 tune --x x.csv --draws 0
    expect 2 tune --x x.csv --draws 2 --folds 60
    expect 2 tune --x x.csv --draws 2 --washout 60
    expect 2 tune --x x.csv --draws 2 --score r3
    err_names r2
    expect 2 tune --x x.csv --draws 2 --json -o -
    expect 2 tune --x x.csv --draws 2 --plot p.svg --log p.svg
    err_--plot --logs name
    expect 2 tune --x x.csv --draws 2 --log x.csv
    err_names input
    expect 1 tune --x x.csv --draws 2 --log nowhere/log.jsonl
    expect 2 tune --x x.csv --candidates x.csv --grid 2
    expect 2 tune --x x.csv --candidates x.csv --alpha 1
    err_names --alpha --candidates
    expect 1 tune --x x.csv --candidates nofile.csv
    expect 1 tune --x x.csv --candidates x.csv
    err_has 'x.csv: line 1: .*alpha'
    printf 'tau_coef,alpha\n0.5,0.1\n1.5,0.1\n' >c.csv
    expect 1 tune --x x.csv --candidates c.csv
    err_has 'c.csv: line 3'
    absent p.svg
}
check "tune: invalid options" tune_wrong

# Ranges of a filter in any order, and columns of a sum in a file of candidates.
tune_filter_ranges()
{
    system_with_memory 60
    local pair='1.pair=uniform:0.5..0.9' angle='1.angle=uniform:0.1..0.5' order
    for order in "$pair $angle" "$angle $pair"; do
        expect 0 tune --x u.csv --y y.csv --kernel 'memory + fir' --range $order --draws 4 --log t.jsonl --json
        [ "$(grep -c 'pair=0.*angle=0' t.jsonl)" -eq 4 ] || fail "a candidate has no angle with $order"
        rm t.jsonl
    done
    expect 0 tune --x u.csv --y y.csv --kernel memory --range 'angle=0.2|0.4' pair=uniform:0.5..0.9 --draws 4 --json
    expect 0 tune --x u.csv --y y.csv --kernel memory:pair=? --range angle=uniform:0.1..0.5 --draws 4 --json
    expect 2 tune --x u.csv --y y.csv --kernel memory --range 'angle=0.2|4' pair=uniform:0.5..0.9 --draws 4
    err_has 'angle'
    expect 2 tune --x u.csv --y y.csv --kernel memory --range angle=uniform:0.1..0.5 --draws 4
    err_has 'angle'
    printf 'alpha,1.gamma,2.weight,2.pole\n0.1,1,2,0.5\nauto,2,3,0.5\n' >sums.csv
    expect 0 tune --x u.csv --y y.csv --kernel 'memory + fir' --candidates sums.csv --log t.jsonl
    grep -q 'memory:gamma=1,.* + 2\*fir:.*pole=0.5' t.jsonl || fail "the columns are not in the kernel"
    printf 'alpha,3.gamma\n0.1,1\n' >sums.csv
    expect 1 tune --x u.csv --y y.csv --kernel 'memory + fir' --candidates sums.csv
    err_has 'sums.csv: line 1: .*3.gamma'
}
check "tune: ranges of filters, candidates of sums" tune_filter_ranges
