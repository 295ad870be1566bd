# tests/cli/cases/5_tune_loss.sh: tune with losses other than squared error, and with weights.

# Inputs u, a target y, counts k, labels and weights w.
tune_loss_data()
{
    awk 'BEGIN {
        print "u,y,k,label,w"
        for (t = 0; t < 80; t++) {
            u = sin(1.37 * t) + 0.3 * cos(2.3 * t * t); y = u + 0.5 * u * u + 0.4 * sin(7 * t * t)
            label = y < -0.2 ? "low" : (y < 0.6 ? "mid" : "high")
            printf "%.12g,%.12g,%d,%s,%g\n", u, y, (y < 0 ? 0 : 3 * y), label, (t % 5 == 0 ? 0 : 1 + t % 3)
        }
    }' >data.csv
}

tune_losses()
{
    tune_loss_data
    while read -r loss column name baseline; do
        expect 0 tune --x data.csv:u --y "data.csv:$column" --loss "$loss" --folds 3 --draws 5 --alpha log:1e-3..1 --json
        valid_json out "v['loss'] == '$loss' and v['score'] == '$name'.replace('_', ' ') and v['best']['score'] > 0 \
            and [b['name'] for b in v['baselines']] == ['$baseline'.replace('_', ' ')] \
            and abs(v['baselines'][0]['skill'] - (1 - v['best']['score'] / v['baselines'][0]['score'])) < 1e-12 \
            and v['baselines'][0]['skill'] > 0"
    done <<END
huber:delta=0.3 y huber_loss constant
quantile:q=0.1/0.9 y pinball_loss constant_quantile
epsilon:epsilon=0.1 y epsilon-insensitive_loss constant
expectile:q=0.7 y expectile_loss constant
poisson k half_poisson_deviance mean_count
multinomial label log_loss class_frequencies
END
}
check "tune --loss scores by the loss and prints the constant baseline" tune_losses

tune_loss_text()
{
    tune_loss_data
    expect 0 tune --x data.csv:u --y data.csv:y --loss quantile:q=0.1/0.9 --folds 3 --draws 4 --alpha log:1e-3..1 \
        --log t.jsonl --verbose -o m.safetensors
    out_has '^pinball loss +[0-9.]+ \(mean of 3 folds\)$'
    out_has '^loss +quantile:q=0\.1/0\.9$'
    out_has '^constant quantile +pinball loss [0-9.]+, skill 0\.[0-9]+$'
    out_has '^command .* --loss quantile:q=0\.1/0\.9 -o m.safetensors$'
    grep -q '"measure":"pinball loss","loss":"quantile:q=0.1/0.9"' t.jsonl || fail "the log does not name the loss"
    eval "\"\$VOLTERRA\" $(sed -n 's/^command *volterra //p' out | sed 's/m.safetensors$/again.safetensors/')" >/dev/null ||
        fail "the line that fits it again does not"
    cmp m.safetensors again.safetensors || fail "the model that was fitted again differs"
    expect 0 tune --x data.csv:u --y data.csv:y --loss quantile:q=0.1/0.9 --folds 3 --draws 6 --alpha log:1e-3..1 \
        --log t.jsonl --resume --json
    valid_json out "v['resumed'] == 4 and v['draws'] == 6"
    expect 0 tune --x data.csv:u --y data.csv:y --loss quantile:q=0.1/0.9 --folds 3 --alpha log:1e-3..1 --log t.jsonl \
        --resume --json
    valid_json out "v['resumed'] == 6 and v['loss'] == 'quantile:q=0.1/0.9' and v['score'] == 'pinball loss'"
    expect 1 tune --x data.csv:u --y data.csv:y --loss quantile:q=0.1/0.8 --folds 3 --draws 6 --alpha log:1e-3..1 \
        --log t.jsonl --resume
    err_names search
}
check "tune --loss: log, resume, fit command" tune_loss_text

# A series that forecasts itself: changes, and the naive forecast in addition to the constant.
tune_loss_series()
{
    tune_loss_data
    expect 0 tune --x data.csv:y --loss quantile:q=0.2/0.8 --folds 3 --draws 3 -o m.safetensors --json
    valid_json out "v['target'] == 'change' and [b['name'] for b in v['baselines']] == ['constant quantile', 'naive and a constant change']"
    expect 0 predict m.safetensors --x data.csv:y -o p.csv
    awk -F, 'NR > 1 && !($1 <= $2) { bad = 1 } END { exit bad }' p.csv || fail "levels cross"
    expect 0 tune --x data.csv:y --loss huber:delta=1 --folds 3 --draws 3 --target level --input both --json
    valid_json out "v['target'] == 'level' and v['input'] == 'both' and '--loss huber:delta=1' in v['command']"
}
check "tune --loss of a series learns changes, with naive baseline" tune_loss_series

tune_loss_ways()
{
    tune_loss_data
    expect 0 tune --x data.csv:u --y data.csv:y --loss huber:delta=1 --folds 3 --kernel 'rbf | volterra' --draws 6 --search adaptive \
        --race fast --json
    printf 'gamma,alpha\n1,0.1\n2,auto\n' >c.csv
    expect 0 tune --x data.csv:u --y data.csv:y --loss huber:delta=1 --folds 3 --kernel rbf --candidates c.csv --json
    valid_json out "v['draws'] == 2"
    expect 0 tune --x data.csv:u --y data.csv:y --loss huber:delta=1 --folds 2 --kernel rbf:gamma=1 --grid 3 --alpha log:0.1..1
    awk 'BEGIN { print "r"; for (t = 0; t < 80; t++) print int(t / 20) }' >r.csv
    expect 0 tune --x data.csv:u --y data.csv:label --loss multinomial --series r.csv:r --folds 2 --draws 3 --alpha log:1e-2..1 \
        --folds-by records --json
    valid_json out "v['score'] == 'log loss'"
}
check "tune --loss: adaptive, candidates, grids, records" tune_loss_ways

tune_weights()
{
    tune_loss_data
    expect 0 tune --x data.csv:u --y data.csv:y --weights data.csv:w --folds 3 --draws 4 --alpha log:1e-3..1 --json
    valid_json out "v['score'] == 'r2' and 'baselines' not in v and '--weights data.csv:w' in v['command']"
    expect 0 tune --x data.csv:u --y data.csv:y --weights data.csv:w --loss huber:delta=1 --folds 3 --draws 4 -o m.safetensors
    # Only ratios of weights matter: small ones do not silence what a constant is worth.
    awk -F, -v OFS=, 'NR > 1 { $NF = $NF / 4096 } 1' data.csv >light.csv
    for file in data light; do
        expect 0 tune --x data.csv:u --y data.csv:y --weights $file.csv:w --loss huber:delta=1 --folds 3 --draws 2 --alpha log:1e-3..1
        sed -n 's/^baselines  *//p' out >$file.says
    done
    [ -s data.says ] || fail "nothing is said of a constant: $(cat out)"
    same data.says light.says
    sed 's/,[0-9.]*$/,0/; 1s/.*/u,y,k,label,w/' data.csv >none.csv
    expect 1 tune --x data.csv:u --y data.csv:y --weights none.csv:w --folds 3 --draws 4
    err_names fold 1 rows 20 weights 0
    expect 2 tune --x data.csv:u --y data.csv:y --weights data.csv:w --folds 3 --draws 4 --score prequential
    err_has 'prequential.*weights'
}
check "tune --weights applies to fits and scores" tune_weights

tune_loss_refused()
{
    tune_loss_data
    for score in r2 nmse mse prequential log evidence loo gcv; do
        expect 2 tune --x data.csv:u --y data.csv:y --loss quantile:q=0.9 --score $score --draws 2
        err_names --score --loss quantile:q=0.9
    done
    expect 2 tune --x data.csv:u --y data.csv:y --loss huber:delta=1 --feedback --draws 2
    err_names --feedback --loss
    for levels in 0/0.5 0.5/1.2 0.5/0.5 0.9/0.1; do
        expect 2 tune --x data.csv:u --y data.csv:y --loss quantile:q=$levels --draws 2
        err_has '^volterra tune: --loss: '
    done
    expect 1 tune --x data.csv:u --y data.csv:y --loss poisson --draws 2
    err_names 0
    expect 2 tune --x data.csv:u --y data.csv:k --loss poisson --draws 2 --target change
    err_has 'change'
    sed 's/low\|mid/high/; 1!s/high/all/' data.csv >one.csv
    expect 1 tune --x data.csv:u --y one.csv:label --loss multinomial --draws 2
    err_names rows class "'all'"
    awk -F, -v OFS=, 'NR > 1 { $4 = NR < 30 ? "early" : $4 } { print }' data.csv >late.csv
    expect 1 tune --x data.csv:u --y late.csv:label --loss multinomial --folds 3 --draws 2
    err_names fold 1 rows 20 class '"high"'
    expect 2 tune --x data.csv:u --y data.csv:y --loss squared --draws 2
    err_has '^volterra tune: --loss: '
}
check "tune --loss: invalid options" tune_loss_refused
