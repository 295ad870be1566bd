# tests/cli/cases/6_capacity.sh: memory and information processing capacity.

capacity_table()
{
    # A delay line of four inputs: the capacity of degree 1 is 1 for delays 0 to 3, and all others are 0.
    expect 0 capacity --kernel linear:window=4 --rows 400 --degree 2 --delay 6 --verbose
    no_err
    out_has '^kernel +linear:window=4$'
    out_has '^inputs +400 rows after a washout of 200, seed 0$'
    out_has '^linear memory +4$'
    out_has '^ +0 +1 +0 +0\.000$'
    out_has '^ +1 +7 +4 +4\.000$'
    out_has '^ +2 +28 +0 +0\.000$'
    out_has '^ +3 +1\.000 +0\.000$'
    if grep -q '^ *4 ' out; then
        fail "a delay without capacity is listed"
    fi
    expect 0 capacity --kernel esn:size=10 --rows 300 --delay 3
    out_has '^states +10$'
    out_has '^alpha +0$'
    out_has '^effective dimension +10$'
}
check "capacity: a delay line, and a reservoir" capacity_table

capacity_json()
{
    expect 0 capacity --rows 200 --degree 2 --delay 2 --threshold 0 --alpha 0.5 --seed 3 --json
    valid_json out "v['kernel'].startswith('volterra:') and (v['rows'], v['washout'], v['seed']) == (200, 200, 3)"
    valid_json out "v['alpha'] == 0.5 and v['states'] == 0 and 0 < v['effective_dimension'] < 200"
    valid_json out "[(d['degree'], d['targets'], d['significant']) for d in v['by_degree']] == [(0, 1, 1), (1, 3, 3), (2, 6, 6)]"
    valid_json out "v['targets'][0]['factors'] == [] and v['targets'][4]['factors'] == [[0, 2]] and v['targets'][5]['factors'] == [[0, 1], [1, 1]]"
    valid_json out "abs(sum(t['capacity'] for t in v['targets']) - v['total']) < 1e-12"
    valid_json out "[len(row) for row in v['by_delay']] == [3, 3] and v['by_delay'][0] == [t['capacity'] for t in v['targets'][1:4]]"
    cp out first
    expect 0 capacity --rows 200 --degree 2 --delay 2 --threshold 0 --alpha 0.5 --seed 4 --json
    valid_json out "v['total'] != $(python3 -c 'import json; print(json.load(open("first"))["total"])')"
    expect 0 capacity --rows 300 --delay 2 --dimension 12.5 --json
    valid_json out "abs(v['effective_dimension'] / 12.5 - 1) < 1e-4"
    expect 0 capacity --rows 50 --delay 2 --alpha 0.001
    err_names threshold 50
}
check "capacity: JSON, seed, dimension, warning of few rows" capacity_json

capacity_refused()
{
    while read -r option value bound; do
        expect 2 capacity "$option" "$value"
        err_names "$option" "$value" "$bound"
    done <<END
--rows 9 10
--degree 0 1
--degree 21 20
--delay -1 0
--washout 0 1
--alpha -1 0
--dimension 0 positive
--significance 0 between
--significance 1 between
--threshold -0.1 0
--threshold 1.5 1
--seed -1 0
END
    expect 2 capacity --washout 5
    err_names --washout 30 5
    expect 2 capacity --alpha 1 --dimension 5
    err_names --alpha --dimension
    expect 2 capacity --json --plot -
    err_names --json --plot
    expect 2 capacity --degree 8 --rows 100
    err_names degree 8 delay 30
    expect 2 capacity --rows 100 --dimension 100
    err_names dimension 100
    expect 2 capacity --rows 100 --alpha 0
    err_names alpha 0
    expect 2 capacity --kernel volterr
    err_names volterr
    expect 2 capacity --kernel gak
    err_names window
}
check "capacity: invalid options" capacity_refused

capacity_plot()
{
    expect 0 capacity --kernel esn:size=8 --rows 200 --delay 4 --plot c.svg
    out_has '^linear memory '
    grep -q 'largest delay of a target' c.svg || fail "no plot"
    expect 0 capacity --kernel esn:size=8 --rows 200 --delay 4 --plot -
    out_has '<svg'
    expect 1 capacity --kernel esn:size=8 --rows 200 --plot none/c.svg
    err_names none/c.svg
}
check "capacity: plot" capacity_plot
