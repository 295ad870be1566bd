# tests/cli/cases/5_tune_series.sh: tune and compare on a series that forecasts itself: defaults first, changes, gaps, baselines.

# season_walk N SEED: a series with a season of 12 and a level that wanders; v.csv, N rows
season_walk()
{
    awk -v n="$1" -v seed="$2" "$uniform"'BEGIN {
        seeded(seed); print "v"
        for (t = 0; t < n; t++) {
            level += uniform() - 0.5
            printf "%.10g\n", 100 + level + 5 * sin(6.283185307179586 * t / 12) + 0.3 * (uniform() - 0.5)
        }
    }' >v.csv
}

# Alpha is not given: changes are learned, draw 0 is the default kernel, and the command fits the same model again.
tune_series()
{
    season_walk 200 3
    expect 0 tune --x v.csv --draws 6 --seed 1 --log t.jsonl --verbose -o m.safetensors
    no_err
    out_has '^target +change, input both, season 12$'
    out_has '^naive +R2 [-0-9.e]+, RMSE [0-9.e-]+, skill [-0-9.e]+$'
    out_has '^seasonal naive +R2'
    out_has '^drift +R2'
    out_has '^autoregression +R2'
    out_has '^command +volterra fit --x v.csv .*--alpha [0-9.e-]+ --target change --input both --season 12 --guard -o m.safetensors$'
    grep -q '^gap' out && fail 'there is no gap one step ahead'
    grep -q '"index":0,"kernel":"volterra:tau_coef=0.3,lambda_coef=0.9"' t.jsonl || fail "draw 0 is not the default kernel"
    cp m.safetensors first.safetensors
    command=$(sed -n 's/^command  *volterra //p' out)
    eval "expect 0 $command"
    cmp m.safetensors first.safetensors || fail "the command fits another model"
    expect 2 fit --x v.csv --alpha 0.1 --guard -o m.safetensors
    err_names --guard --target
}
check "tune on a series learns changes and prints the fit command" tune_series

# The JSON of the same: baselines apart, skill against each of them from the score.
tune_series_json()
{
    season_walk 200 3
    expect 0 tune --x v.csv --ahead 3 --draws 4 --seed 1 -o m.safetensors --json
    valid_json out "v['gap'] == 2 and v['target'] == 'change' and v['input'] == 'both' and v['season'] == 12 and \
        v['naive_kept'] in (True, False) and \
        [b['name'] for b in v['baselines']] == ['naive', 'seasonal naive', 'drift', 'autoregression'] and \
        all(abs(1 - b['skill'] - (1 - v['best']['score']) / (1 - b['r2'])) < 1e-9 for b in v['baselines']) and \
        all(0 < b['rmse'] ** 2 <= (1 + 1e-12) * b['mse'] for b in v['baselines'])" # means over the blocks
    expect 0 tune --x v.csv --ahead 3 --draws 4 --seed 1 --score mse --json
    valid_json out "all(abs(1 - b['skill'] - v['best']['score'] / b['mse']) < 1e-9 for b in v['baselines'])"
    # The log score is of no forecasts: nothing to compare.
    expect 0 tune --x v.csv --draws 4 --seed 1 --score log --json
    valid_json out "v['gap'] == 0 and all(b['skill'] is None for b in v['baselines'])"
}
check "tune --json: gap, target and baselines" tune_series_json

# With alpha given the search uses levels and only random draws.
tune_series_alpha()
{
    season_walk 120 4
    for asked in '--alpha 0.01' '--range alpha=log:1e-3..1' '--grid 2'; do
        expect 0 tune --x v.csv --draws 4 $asked --json
        valid_json out "v['target'] == 'level' and v['input'] == 'level' and '--target' not in v['command']"
    done
    printf 'tau_coef,alpha\n0.3,0.01\n0.3,auto\n' >c.csv
    expect 0 tune --x v.csv --candidates c.csv --race none --log t.jsonl --json
    valid_json out "v['target'] == 'level' and v['draws'] == 2"
    grep -q '"alpha":0,' t.jsonl && fail "the log has no alpha of the profile"
    expect 0 tune --x v.csv --draws 4 --alpha 0.01 --target change --input change --json
    valid_json out "v['target'] == 'change' and v['input'] == 'change' and '--guard' in v['command']"
    # Missing columns cannot change.
    expect 2 tune --x v.csv --y v.csv --allow-target-in-inputs --target change --draws 2
    err_names target input
    expect 0 tune --x v.csv --draws 2 --target level --input level --json
    valid_json out "v['target'] == 'level' and v['best']['alpha'] > 0"
}
check "tune: with alpha given, levels are learned from levels" tune_series_alpha

# Ten draws never score less than the default kernel with its own alpha.
tune_never_worse()
{
    for seed in 1 2 3 4; do
        season_walk 90 $seed
        expect 0 tune --x v.csv --draws 1 --seed $seed --json
        cp out none.json
        expect 0 tune --x v.csv --draws 10 --seed $seed --json
        valid_json out "v['best']['score'] >= json.load(open('none.json'))['best']['score'] and \
            json.load(open('none.json'))['best']['index'] == 0"
    done
}
check "tune: ten draws are at least as good as the defaults" tune_never_worse

# H steps ahead, H - 1 rows between training and validation; --gap overrides.
tune_gap()
{
    season_walk 150 5
    expect 0 tune --x v.csv --ahead 6 --draws 3 --verbose
    out_has '^gap +5 rows'
    expect 0 tune --x v.csv --ahead 1..6 --draws 3 --json
    valid_json out "v['gap'] == 5"
    expect 0 tune --x v.csv --ahead 6 --gap 0 --draws 3 --json
    valid_json out "v['gap'] == 0"
    expect 0 tune --x v.csv --ahead 6 --gap 9 --score prequential --draws 3 --json
    valid_json out "v['gap'] == 9"
    expect 2 tune --x v.csv --ahead 6 --gap 2 --score log --draws 3
    err_names score log gap
}
check "tune --ahead H leaves a gap of H - 1 rows" tune_gap

# A random walk is unpredictable: the naive forecast is kept and reported.
tune_walk()
{
    awk "$uniform"'BEGIN { seeded(11); print "v"; for (t = 0; t < 150; t++) { x += uniform() - 0.5; printf "%.10g\n", x } }' >v.csv
    expect 0 tune --x v.csv --draws 5 --season none -o m.safetensors
    out_has '^target +change, input both$'
    out_has '^forecast +naive .*[0-9.]+'
    expect 0 tune --x v.csv --draws 5 --season none -o m.safetensors --json
    valid_json out "v['naive_kept'] is True"
    # Levels of a random walk, far ahead: worse than a constant and than naive; both are reported.
    expect 0 tune --x v.csv --draws 2 --alpha 1e-6 --ahead 10
    out_has '^R2 +-[0-9.e+]+ \(mean of 5 folds\), .*constant$'
    out_has '^note +(naive|drift|autoregression) .*--target change --input both'
}
check "tune: a random walk keeps the naive forecast; negative R2 is explained" tune_walk

# Targets that are no inputs: the baselines have seen more.
tune_not_inputs()
{
    awk "$uniform"'BEGIN { seeded(2); print "u,y"; for (t = 0; t < 120; t++) { u = uniform() - 0.5; y = 0.9 * y + u; printf "%.10g,%.10g\n", u, y } }' >d.csv
    expect 0 tune --x d.csv:u --y d.csv:y --draws 4
    out_has '^note +.*past targets'
    awk "$uniform"'BEGIN { seeded(2); print "u,y"; for (t = 0; t < 120; t++) { u = uniform() - 0.5; printf "%.10g,%.10g\n", u, sin(t / 6) + sin(t / 17) } }' >d.csv
    expect 0 tune --x d.csv:u --y d.csv:y --draws 4
    out_has '^note +.*past targets.*--feedback'
    # Every advice is accepted where it is printed.
    expect 0 fit --x d.csv:u --y d.csv:y --feedback -o m.safetensors
    expect 0 compare --x d.csv:u --y d.csv:y --kernel fading --draws 1
    grep -q -- 'fit --feedback' out err || fail "no advice: $(cat out err)"
    expect 0 tune --x d.csv:u --y d.csv:y --draws 4 --ahead 1
    out_has '^note +.*past targets.*\(--x\)'
    expect 0 tune --x d.csv:u,y --y d.csv:y --draws 4 --ahead 1
    # Free runs are not compared with baselines that use measured outputs.
    expect 0 tune --x d.csv:u --y d.csv:y --draws 4 --feedback
    out_has '^note +.*measured past targets'
    if grep -qE -- 'lower error|--target' out; then fail "free runs are compared with baselines one step ahead"; fi
    expect 0 tune --x d.csv:u --y d.csv:y --draws 2 --feedback --validate one-step
    if grep -qE -- '--target' out; then fail "advice that --feedback does not accept"; fi
    expect 0 compare --x d.csv:u,y --y d.csv:y --kernel fading --draws 1 --ahead 1 --protocol published
    if grep -qE -- '--target' out; then fail "advice that --protocol published does not accept"; fi
}
check "tune: note about baselines that know past targets" tune_not_inputs

# Draw 0 and its alpha are read from the log.
tune_series_logs()
{
    season_walk 120 6
    expect 0 tune --x v.csv --kernel gak:window=4 --draws 3 --log t.jsonl
    expect 0 tune --x v.csv --kernel gak:window=4 --draws 6 --log t.jsonl --resume --json
    valid_json out "v['resumed'] == 3 and v['draws'] == 6"
    cp out resumed.json
    expect 0 tune --x v.csv --kernel gak:window=4 --draws 6 --json
    valid_json out "v['best'] == json.load(open('resumed.json'))['best']"
    # A search with alpha given was one on levels: its logs contain their rows.
    expect 0 tune --x v.csv --draws 4 --alpha 0.1 --log level.jsonl -o whole.safetensors
    expect 0 tune --x v.csv --alpha 0.1 --log level.jsonl --resume -o again.safetensors
    no_err
    cmp whole.safetensors again.safetensors || fail "the log fits another model"
    # The same log does not serve the search for changes.
    expect 1 tune --x v.csv --draws 4 --log level.jsonl --resume
    err_names search
}
check "tune: profiled alphas in logs, resumed" tune_series_logs

# ---- compare ------------------------------------------------------------------------------------

compare_series()
{
    season_walk 200 8
    expect 0 compare --x v.csv --ahead 4 --kernel volterra linear --draws 4 --seed 1 --verbose
    out_has '^v.csv: 154 rows train, gap of 3, 39 test, 1 input, 1 output$'
    out_has 'target change, input both, season 12'
    out_has '^baselines  RMSE: naive [0-9.]+, seasonal naive [0-9.]+'
    out_has '^naive +RMSE [0-9.]+, MAE [0-9.]+, R2 [-0-9.]+, skill of (volterra|linear) [-0-9.]+$'
    expect 0 compare --x v.csv --ahead 4 --kernel volterra linear --draws 4 --seed 1 --json
    valid_json out "v['gap'] == 3 and v['target'] == 'change' and v['rows_train'] == 154 and v['rows_test'] == 39 and \
        all(abs(1 - b['skill'] - min(r['nmse'] for r in v['rows']) / (1 - b['r2'])) < 1e-9 for b in v['baselines'])"
    expect 0 compare --x v.csv --ahead 4 --gap 0 --target level --input level --kernel volterra --draws 4 --json
    valid_json out "v['gap'] == 0 and v['target'] == 'level' and v['rows_train'] == 157"
    expect 2 compare --x v.csv --ahead 4 --gap 156 --kernel volterra --draws 2
    err_names gap 156 rows 2 157
    for lonely in '--gap 1' '--target change' '--input both' '--season 12'; do
        expect 2 compare $lonely --draws 2
        err_names --x
    done
    # The paper's data have no baselines, and keep their tables.
    expect 0 compare --preset sp500-d5 --length 60 --kernel linear --draws 2 --json
    valid_json out "'baselines' not in v and 'gap' not in v"
}
check "compare on a series: changes, a gap before the test, baselines" compare_series

# Errors are computed for levels: the forecasts of fit and predict on the same rows have them too.
compare_levels()
{
    season_walk 160 9
    expect 0 compare --x v.csv --kernel volterra --draws 1 --json
    cp out c.json
    command -v python3 >/dev/null || skip "there is no python3"
    alpha=$(python3 -c "import json; print(repr(json.load(open('c.json'))['rows'][0]['best']['alpha']))")
    expect 0 fit --x v.csv --rows :128 --alpha $alpha --target change --input both --season 12 -o m.safetensors
    expect 0 predict m.safetensors --x v.csv --rows 127:159 -o p.csv
    expect 0 score --truth v.csv --truth-rows 128: --pred p.csv --json
    valid_json out "abs(v['nmse'] - json.load(open('c.json'))['rows'][0]['nmse']) <= 1e-6 * v['nmse']"
}
check "compare: errors of changes equal those of levels from fit and predict" compare_levels
