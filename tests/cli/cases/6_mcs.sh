# tests/cli/cases/6_mcs.sh: the model confidence set.

# losses ROWS: three models: good and fair are close, bad is worse by 2 on average
losses()
{
    awk -v n="$1" 'BEGIN {
        print "good,bad,fair"
        for (t = 0; t < n; t++)
            printf "%.12g,%.12g,%.12g\n", 1 + sin(t * t), 3 + sin(1.7 * t * t), 1.02 + sin(0.9 * t * t + 1)
    }'
}

mcs_table()
{
    losses 200 >l.csv
    expect 0 mcs l.csv --reps 500 --verbose
    no_err
    out_has '^losses +l\.csv: 200 rows, 3 models$'
    out_has '^bootstrap +500 replications, mean block length 14, seed 0$'
    out_has '^(good|fair) +[0-9.]+ +1\.000  \*\*$'
    out_has '^bad +[0-9.]+ +0\.000$'
    out_has '^\*\* in the model confidence set at 75 %$'
    # From the highest p-value down.
    awk '/^(good|bad|fair) / { if (seen && $3 > last) exit 1; last = $3; seen = 1; n++ } END { exit n != 3 }' out ||
        fail "the models are not sorted: $(cat out)"
    cp out first
    expect 0 mcs - --reps 500 --threads 2 --verbose <l.csv
    sed 's/ -: / l.csv: /' out >second
    same first second
    # Without a header columns are numbers, from 1 as everywhere.
    tail -n +2 l.csv >plain.csv
    expect 0 mcs plain.csv --reps 500
    out_has '^2 +[0-9.]+ +0\.000$'
}
check "mcs: a table sorted by p-value" mcs_table

mcs_json()
{
    losses 200 >l.csv
    expect 0 mcs l.csv --reps 400 --json
    valid_json out "len(v['pvalues']) == 3 and max(v['pvalues']) == 1 and v['pvalues'][1] == 0"
    valid_json out "v['excluded'] == ['bad'] and v['included'] == ['good', 'fair'] and v['order'][0] == 'bad'"
    valid_json out "v['block'] == 14 and v['reps'] == 400 and v['size'] == 0.25 and v['method'] == 'R'"
    valid_json out "v['rows'] == 200 and v['columns'] == ['good', 'bad', 'fair'] and v['seed'] == 0"
    cp out first
    expect 0 mcs l.csv --reps 400 --json --seed 1
    valid_json out "v['seed'] == 1"
    cmp -s out first && fail "another seed gives the same statistics"
    tail -n +2 l.csv >plain.csv
    expect 0 mcs plain.csv --reps 400 --json --method max --size 0.1 --block auto
    valid_json out "v['excluded'] == [1] and v['included'] == [0, 2] and v['method'] == 'max'"
    valid_json out "v['block'] >= 1 and v['block'] != 14"
    expect 0 mcs l.csv:bad,good --rows 50: --reps 400 --json
    valid_json out "v['rows'] == 150 and v['columns'] == ['bad', 'good'] and v['pvalues'] == [0, 1]"
}
check "mcs: --json has pvalues, included and excluded" mcs_json

mcs_few()
{
    losses 20 >l.csv
    expect 0 mcs l.csv:good --reps 10 --json
    valid_json out "v['pvalues'] == [1] and v['included'] == ['good'] and v['excluded'] == []"
    valid_json out "v['statistics'] == []"
    # Losses that never vary: the worse ones are out, with statistics that JSON has no number for.
    printf 'a,b\n2,1\n2,1\n2,1\n' >constant.csv
    expect 0 mcs constant.csv --json
    valid_json out "v['pvalues'] == [0, 1] and v['statistics'] == [None]"
    printf 'a,b\n2,2\n1,1\n4,4\n' >equal.csv
    expect 0 mcs equal.csv
    no_err
    out_has '^a .*1\.000  \*\*$'
    out_has '^b .*1\.000  \*\*$'
}
check "mcs: one model, constant losses, equal models" mcs_few

mcs_wrong()
{
    losses 50 >l.csv
    expect 2 mcs
    err_names LOSSES
    expect 2 mcs l.csv --size 1
    err_names --size 0 1
    expect 2 mcs l.csv --size 0
    expect 2 mcs l.csv --method S
    expect 2 mcs l.csv --reps 0
    expect 2 mcs l.csv --block 0.5
    err_names --block 1 0.5
    expect 2 mcs l.csv --block nan
    expect 2 mcs l.csv --block automatic
    err_names auto "'automatic'"
    expect 2 mcs l.csv --block 51
    err_names 51 1 50 rows
    expect 1 mcs l.csv --rows :1
    err_names rows
    expect 1 mcs l.csv --rows :9 --block auto
    err_names 10 rows 9
    printf 'a,b\n1,2\n3,\n' >hole.csv
    expect 1 mcs hole.csv
    printf 'a,b\n1,2\n3,inf\n' >infinite.csv
    expect 1 mcs infinite.csv
    expect 1 mcs nothing.csv
}
check "mcs: invalid options and losses" mcs_wrong
