# tests/cli/cases/6_anomaly.sh: anomalous series, and anomalous rows of a series.

turns=$here/../../examples/data/turns

# areas_of FILE: the plain areas of a table class,score,anomaly, marked: not left
areas_of()
{
    awk -F, 'NR > 1 { mark[NR] = $1 != "left"; score[NR] = $2; m += mark[NR]; o += !mark[NR] }
        END {
            for (i = 2; i <= NR; i++) if (mark[i]) {
                up = hit = 0
                for (j = 2; j <= NR; j++) {
                    if (!mark[j]) pairs += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0
                    if (score[j] >= score[i]) { up++; hit += mark[j] }
                }
                precision += hit / up
            }
            printf "%.12f %.12f\n", pairs / (m * o), precision / m
        }' "$1"
}

anomaly_series()
{
    for score in conformance mahalanobis; do
        expect 0 anomaly --quiet --train ${turns}_train.ts --test ${turns}_test.ts --normal left --score $score --rate 0.2 -o s.csv --json
        no_err
        valid_json out "len(v['scores']) == 16 and min(v['scores']) > 0 and v['normal_series'] == 12 and v['examples'] == 12"
        valid_json out "v['score'] == '$score' and v['rate'] == 0.2 and 0.5 < v['roc_auc'] <= 1 and 0.5 < v['pr_auc'] <= 1"
        valid_json out "v['anomalies'] == [i for i, s in enumerate(v['scores']) if s > v['threshold']]"
        [ "$(head -n 1 s.csv)" = class,score,anomaly ] || fail "s.csv begins with $(head -n 1 s.csv)"
        lines_of s.csv 17
        read -r roc pr < <(areas_of s.csv)
        valid_json out "abs(v['roc_auc'] - $roc) < 1e-9 and abs(v['pr_auc'] - $pr) < 1e-9"
    done
    # Without --test the training series are judged, each without itself; without --normal all of them are normal.
    expect 0 anomaly --quiet --train ${turns}_train.ts --normal left --alpha 0.01 --json
    valid_json out "len(v['scores']) == 24 and v['alpha'] == 0.01 and 0 < v['pr_auc'] <= 1"
    expect 0 anomaly --quiet --train ${turns}_train.ts --kernel gak --rate 0.25 --json
    valid_json out "v['normal_series'] == 24 and len(v['anomalies']) == 5 and 'roc_auc' not in v and 'examples' not in v"
    expect 0 anomaly --train ${turns}_train.ts --test ${turns}_test.ts --normal left --rate 0.01 --verbose
    out_has '^normal series +12$'
    out_has '^score +[a-z]'
    out_has '^ROC AUC +'
    err_names 12 series rate 0.01
}
check "anomaly: series, scores, threshold and areas" anomaly_series

anomaly_draws()
{
    expect 0 anomaly --quiet --train ${turns}_train.ts --normal left --json
    cp out plain
    expect 0 anomaly --quiet --train ${turns}_train.ts --normal left --draws 6 --seed 2 --json
    cp out drawn
    valid_json out "v['kernels_tried'] == 7 and v['train_roc_auc'] + v['train_pr_auc'] >= sum(__import__('json').load(open('plain'))[k] for k in ('train_roc_auc', 'train_pr_auc'))"
    expect 0 anomaly --quiet --train ${turns}_train.ts --normal left --draws 6 --seed 2 --json --threads 1
    valid_json out "v['kernel'] == __import__('json').load(open('drawn'))['kernel']"
    expect 2 anomaly --train ${turns}_train.ts --draws 6
    err_names --draws series
}
check "anomaly: kernels are chosen by the classes that are not normal" anomaly_draws

# A damped walk with kicks at rows 700 and 850, of 900; the same numbers on every machine.
kicked()
{
    awk 'BEGIN { print "day,x,y,kick"; s = 12345
        for (t = 0; t < 900; t++) {
            for (k = 0; k < 2; k++) { e[k] = 0; for (i = 0; i < 4; i++) { s = s * 16807 % 2147483647; e[k] += s / 2147483647 - 0.5 } }
            kick = t == 700 || t == 850
            x = 0.6 * x + e[0]; y = 0.9 * y + 100 * e[1] + (kick ? 1500 : 0)
            printf "2020-%02d-%02d %02d:00,%.6f,%.6f,%d\n", 1 + int(t / 672), 1 + int(t % 672 / 24), t % 24, x, y, kick
        } }'
}

anomaly_rows()
{
    kicked >k.csv
    expect 0 anomaly --quiet --x k.csv:x,y --labels k.csv:kick --rate 0.005 --window 100 -o a.csv --json
    no_err
    valid_json out "v['train_rows'] == 300 and v['first_row'] == 300 and v['watched_rows'] == 600 == len(v['scores'])"
    valid_json out "{700, 850} <= {a['row'] for a in v['alarms']} and len(v['alarms']) < 20"
    valid_json out "[(a['channel'], a['time']) for a in v['alarms'] if a['row'] == 700] == [('y', '2020-02-02 04:00')]"
    valid_json out "v['roc_auc'] > 0.99 and v['pr_auc'] > 0.2"
    [ "$(head -n 1 a.csv)" = day,row,score,threshold,alarm ] || fail "a.csv begins with $(head -n 1 a.csv)"
    lines_of a.csv 601
    grep -q '^2020-02-02 04:00,700,.*,1$' a.csv || fail "row 700 is $(grep ',700,' a.csv)"
    expect 0 anomaly --x k.csv:y --train-rows 400 --window 0 --rate 0.005 --verbose
    out_has '^training rows +400$'
    out_has '^alarm +row 700, 2020-02-02 04:00, y: score [0-9.]+$'
    # Row numbers refer to the file.
    expect 0 anomaly --quiet --x k.csv:y --rows 300: --train-rows 200 --rate 0.005 --json
    valid_json out "v['first_row'] == 500 and {700, 850} <= {a['row'] for a in v['alarms']}"
}
check "anomaly: rows of a series, alarms with their times" anomaly_rows

anomaly_wrong()
{
    kicked >k.csv
    printf 'a\nb\n' >two.csv
    expect 2 anomaly
    expect 2 anomaly --train ${turns}_train.ts --x k.csv:x
    expect 2 anomaly --x k.csv:x --score mahalanobis
    expect 2 anomaly --train ${turns}_train.ts --rate 1
    err_names --rate 0 1
    expect 2 anomaly --train ${turns}_train.ts --rate 0
    expect 2 anomaly --train ${turns}_train.ts --normal up
    err_names class "'up'"
    expect 2 anomaly --train ${turns}_train.ts --kernel gakk
    expect 2 anomaly --train ${turns}_train.ts --alpha 0
    expect 2 anomaly --train ${turns}_train.ts -o -
    err_names file
    expect 2 anomaly --train ${turns}_train.ts -o ${turns}_train.ts
    expect 2 anomaly --train ${turns}_train.ts --test-labels two.csv
    expect 1 anomaly --train ${turns}_train.ts --train-labels two.csv
    err_has '1 labels|2 labels'
    expect 1 anomaly --train nowhere.ts
    expect 1 anomaly --x nowhere.csv
    expect 1 anomaly --x k.csv:x --rows :50
    err_names score
    expect 2 anomaly --x k.csv:x --train-rows 19
    expect 2 anomaly --x k.csv:x --labels k.csv:kick --rows 0:x
    expect 2 anomaly --x k.csv:x --labels k.csv:x,y
    err_names --labels 2
    sed 's/,1$/,0/' k.csv >none.csv
    expect 0 anomaly --x k.csv:x --labels none.csv:kick --window 50
    err_names 0
    sed '500s/,[^,]*,/,,/' k.csv >hole.csv
    expect 1 anomaly --x hole.csv:x
    err_has 'line 500'
    expect 0 anomaly --quiet --x hole.csv:x --missing interpolate --window 50
    absent a.csv
}
check "anomaly: invalid options and files" anomaly_wrong
