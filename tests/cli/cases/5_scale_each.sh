# tests/cli/cases/5_scale_each.sh: inputs that are scaled separately, in fit, tune and identify.

# rows.csv: inputs u and v, a constant, and the output y; other.csv: v in a unit of 1/4096.
scale_rows()
{
    awk "$uniform"'BEGIN {
        seeded(4); print "u,v,flat,y" > "rows.csv"; print "u,v,flat,y" > "other.csv"
        for (t = 0; t < 150; t++) {
            u = 2 * uniform() - 1; v = int(1024 * uniform()) / 1024; y = 0.5 * y + u * v + u
            printf "%.17g,%.17g,3,%.17g\n", u, v, y > "rows.csv"
            printf "%.17g,%.17g,3,%.17g\n", u, 4096 * v, y > "other.csv"
        }
    }'
}

scale_each_fit()
{
    scale_rows
    for file in rows other; do
        expect 0 fit --x $file.csv:u,v,flat --y $file.csv:y --rows :120 --kernel fading --alpha 0.01 --scale-each -o $file.safetensors --json
        valid_json out "v['scale_each'] and v['d'] == 3 and v['columns'] == 2"
        expect 0 predict $file.safetensors --x $file.csv:u,v,flat --rows 120: -o $file.out
        no_err
        sed '1,121d' $file.csv | cut -d, -f1-3 | "$VOLTERRA" stream $file.safetensors >$file.lines || fail "stream"
    done
    cmp rows.out other.out || fail "predictions depend on the unit of an input"
    cmp rows.lines other.lines || fail "a stream depends on the unit of an input"
    expect 0 explain rows.safetensors
    printf 'u,v,flat\n0,0.5,4\n' >moved.csv
    expect 0 predict rows.safetensors --x moved.csv -o moved.out
    err_names input 3 flat above
    expect 0 fit --x rows.csv:u,v --y rows.csv:y --kernel fading --alpha 0.01 -o plain.safetensors --json
    valid_json out "not v['scale_each']"
    for command in fit 'tune --draws 1'; do
        # shellcheck disable=SC2086
        expect 2 $command --x rows.csv:u,v --y rows.csv:y --kernel fading --scale-each --no-scale -o m.safetensors
        err_names --scale-each --no-scale
    done
    expect 1 fit --x rows.csv:flat --y rows.csv:y --kernel fading --scale-each -o m.safetensors
    err_names constant
}
check "fit --scale-each: units, constant inputs, ranges, refusals" scale_each_fit

# The command of a search fits its model again.
scale_each_search()
{
    scale_rows
    for file in rows other; do
        expect 0 tune --x $file.csv:u,v --y $file.csv:y --kernel fading --draws 4 --folds 2 --scale-each -o $file.safetensors --json
        valid_json out "'--scale-each' in v['command']"
        valid_json out "open('$file.best', 'w').write(repr(v['best'])) > 0"
    done
    cmp rows.best other.best || fail "a search depends on the unit of an input"
    for file in rows other; do
        expect 0 identify $file.csv --x u,v --y y --draws 2 -o $file.safetensors --quiet --json
        valid_json out "v['scale_each'] and v['command'].split(' ', 1)[1].count('--scale-each') == 1"
        valid_json out "open('$file.best', 'w').write(repr([v['test_rmse'], round(v['nonlinearity'], 12), v['kernel']])) > 0"
        valid_json out "open('command', 'w').write(v['command'].split(' ', 1)[1].replace('$file.s', 'fitted.s')) > 0"
        eval "set -- $(cat command)"
        expect 0 "$@" --quiet
        cmp $file.safetensors fitted.safetensors || fail "the command fits another model"
    done
    cmp rows.best other.best || fail "an identification depends on the unit of an input"
    expect 0 identify rows.csv --x u,v --y y --draws 1 --no-scale-each -o m.safetensors --quiet --json
    valid_json out "not v['scale_each'] and '--scale-each' not in v['command']"
    expect 0 identify rows.csv --x u --y y --draws 1 -o m.safetensors --quiet --json
    valid_json out "not v['scale_each'] and '--scale-each' not in v['command']"
}
check "tune --scale-each and identify: units, and the commands that fit the models" scale_each_search

scale_each_compare()
{
    scale_rows
    for file in rows other; do
        expect 0 compare --x $file.csv:u,v --y $file.csv:y --kernel fading --draws 3 --folds 2 --scale-each --json --quiet
        valid_json out "open('$file.best', 'w').write(repr([one['best'] for one in v['rows']])) > 0"
    done
    cmp rows.best other.best || fail "a comparison depends on the unit of an input"
    expect 2 compare --draws 1 --scale-each
    err_names --scale-each --x
}
check "compare --scale-each: units" scale_each_compare
