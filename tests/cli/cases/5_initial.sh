# tests/cli/cases/5_initial.sh: the input before the first row of a record (--initial).

# Two runs of a filter that is at rest before the first row, and the same with 300 rows at rest before each.
at_rest()
{
    awk -v before="$1" "$uniform"'BEGIN { seeded(4); print "run,u,y"
        for (r = 1; r <= 2; r++) { u0 = 2 * r; y = u0
            for (t = -before; t < 40; t++) { u = (t < 1) ? u0 : u0 + uniform() - 0.5; y = 0.7 * y + 0.3 * u
                printf("%d,%.6f,%s\n", r, u, (t < 0) ? "" : sprintf("%.6f", y)) } } }'
}

initial_in_fit_and_predict()
{
    at_rest 0 >short.csv
    at_rest 300 >long.csv
    common="--kernel memory:gamma=0.1,rho=0.5,mu=0.7 --alpha 1e-3 --no-scale"
    expect 0 fit --x short.csv:u --y short.csv:y --series short.csv:run $common --initial first -o m.safetensors --json
    valid_json out "v['initial'] == 'first' and 'initial_values' not in v"
    expect 0 fit --x long.csv:u --y long.csv:y --series long.csv:run $common --missing drop -o long.safetensors
    expect 0 predict m.safetensors --x short.csv:u --series short.csv:run -o p.csv
    expect 0 predict long.safetensors --x long.csv:u --series long.csv:run -o q.csv
    paste -d, <(sed 1d p.csv | sed 's/.*,//') <(sed 1d q.csv | sed '1,300d; 341,640d; s/.*,//') |
        awk -F, '($1 - $2) ^ 2 > 1e-16 { exit 1 }' || fail "$(paste -d, p.csv q.csv | head -n 5)"
    expect 0 fit --x short.csv:u --y short.csv:y --series short.csv:run $common --initial 3 -o m.safetensors --json
    valid_json out "v['initial'] == 'values' and v['initial_values'] == [3]"
    expect 0 tune --x short.csv:u --y short.csv:y --series short.csv:run --kernel memory --draws 3 --initial first \
        -o t.safetensors --json
    valid_json out "'--initial first' in v['command']"
}
check "the input before the first row of a record" initial_in_fit_and_predict

initial_refused()
{
    at_rest 0 >short.csv
    for value in last 1,2 '' inf '1,'; do
        expect 2 fit --x short.csv:u --y short.csv:y --alpha 1 --initial "$value" -o m.safetensors
        grep -q -e "--initial" err || fail "$value"
    done
    expect 2 fit --x short.csv:u --y short.csv:y --alpha 1 --feedback --initial mean -o m.safetensors
    grep -q feedback err || fail "feedback"
    volterra tune --x short.csv:u --y short.csv:y --kernel fading --draws 2 --folds 2 --feedback --initial mean
    [ "$status" -ne 0 ] && grep -q feedback err || fail "tune with feedback"
    expect 0 fit --x short.csv:u --y short.csv:y --alpha 1 --initial first -o m.safetensors
    expect 2 explain m.safetensors
    grep -q "initial" err || fail "explain"
    [ ! -e x ] || fail "a model was written"
}
check "--initial rejects wrong values" initial_refused
