# tests/cli/cases/5_compare_loss.sh: compare with losses other than squared error.

# Inputs u, a target y, counts k, labels and weights w.
compare_loss_data()
{
    awk 'BEGIN {
        print "u,y,k,label,w"
        for (t = 0; t < 90; t++) {
            u = sin(1.37 * t) + 0.3 * cos(2.3 * t * t); y = u + 0.5 * u * u + 0.4 * sin(7 * t * t)
            label = y < -0.2 ? "low" : (y < 0.6 ? "mid" : "high")
            printf "%.12g,%.12g,%d,%s,%g\n", u, y, (y < 0 ? 0 : 3 * y), label, (t % 5 == 0 ? 0 : 1 + t % 3)
        }
    }' >data.csv
}

compare_losses()
{
    compare_loss_data
    while read -r loss column name baseline; do
        expect 0 compare --x data.csv:u --y "data.csv:$column" --loss "$loss" --kernel linear rbf --draws 3 --folds 3 --csv t.csv --json
        valid_json out "v['loss'] == '$loss' and v['score'] == '$name'.replace('_', ' ') \
            and all(r['failure'] is None and r['loss'] > 0 and 'nmse' not in r for r in v['rows']) \
            and [b['name'] for b in v['baselines']] == ['$baseline'.replace('_', ' ')] \
            and any(r['in_mcs'] for r in v['rows']) \
            and abs(v['baselines'][0]['skill'] - (1 - min(r['loss'] for r in v['rows']) / v['baselines'][0]['score'])) < 1e-9"
        head -n 1 t.csv | grep -q ',loss,loss_error$' || fail "the table has no column for the loss"
    done <<END
huber:delta=0.3 y huber_loss constant
quantile:q=0.1/0.9 y pinball_loss constant_quantile
poisson k half_poisson_deviance mean_count
multinomial label log_loss class_frequencies
END
}
check "compare --loss fits, tunes and compares by the loss" compare_losses

compare_loss_text()
{
    compare_loss_data
    expect 0 compare --x data.csv:y --loss quantile:q=0.1/0.9 --kernel linear rbf --draws 2 --folds 3 --latex t.tex --report r.html --verbose
    for term in loss 'MCS p-value' 'tuned numbers'; do
        grep -q "<dt>$term</dt>" r.html || fail "the report does not define $term"
    done
    ! grep -q '<dt>NMSE' r.html || fail "the report of a loss defines NMSE"
    out_has 'loss quantile:q=0\.1/0\.9 \(pinball loss\)'
    out_has '^constant quantile +pinball loss [0-9.]+, skill of [a-zA-Z]+ -?[0-9.e-]+$'
    out_has '^naive and a constant change +pinball loss [0-9.]+, skill of [a-zA-Z]+ -?[0-9.e-]+$'
    out_has 'validation pinball loss [0-9.]+'
    out_has '^Lowest pinball loss: [A-Za-z]+, [0-9.]+'
    # The loss of the test rows equals the loss of the best kernel fitted separately.
    expect 0 compare --x data.csv:u --y data.csv:y --loss huber:delta=0.3 --kernel rbf:gamma=1 --draws 1 --folds 2 --weights data.csv:w --json
    valid_json out "v['rows'][0]['loss'] > 0"
}
check "compare --loss: table, baselines and conclusion" compare_loss_text

compare_loss_refused()
{
    compare_loss_data
    expect 2 compare --loss huber:delta=1 --draws 2
    err_names --loss --x
    expect 2 compare --x data.csv:u --y data.csv:y --loss quantile:q=1.2 --draws 2
    err_has '^volterra compare: --loss: '
    expect 2 compare --x data.csv:u --y data.csv:y --loss huber:delta=1 --protocol published --draws 2
    err_names --protocol published --loss
    expect 1 compare --x data.csv:u --y data.csv:y --loss poisson --kernel rbf --draws 2
    err_names 0
    awk -F, -v OFS=, 'NR > 1 { $4 = NR < 40 ? "early" : $4 } { print }' data.csv >late.csv
    expect 1 compare --x data.csv:u --y late.csv:label --loss multinomial --kernel rbf --folds 3 --draws 2
    err_names class
    sed 's/,[0-9.]*$/,0/; 1s/.*/u,y,k,label,w/' data.csv >none.csv
    expect 1 compare --x data.csv:u --y data.csv:y --loss huber:delta=1 --weights none.csv:w --kernel rbf --draws 2
    err_names 0
}
check "compare --loss: invalid options" compare_loss_refused
