# tests/cli/cases/3_simulate.sh: simulate, plan, info.

simulate_lorenz()
{
    expect 0 simulate lorenz --length 100 -o lorenz.csv
    no_err
    lines_of lorenz.csv 101
    [ "$(sed -n 1p lorenz.csv)" = x,y,z ] || fail "the header is $(sed -n 1p lorenz.csv)"
    [ "$(sed -n 2p lorenz.csv)" = 0,1,1.05 ] || fail "the first row is $(sed -n 2p lorenz.csv)"
    expect 0 simulate lorenz --length 100
    same out lorenz.csv
    expect 0 simulate lorenz --length 100 -o -
    same out lorenz.csv
    expect 0 simulate lorenz --length 90 --discard 10
    diff <(tail -n 90 lorenz.csv) <(tail -n 90 out) >/dev/null || fail "--discard 10 is not ten rows less"
    expect 0 simulate lorenz --length 2 --start 1,2,3 --step 0.01 --method accurate
    [ "$(sed -n 2p out)" = 1,2,3 ] || fail "the start is $(sed -n 2p out)"
}
check "simulate lorenz" simulate_lorenz

simulate_seed()
{
    for system in lorenz mackey-glass narma10; do
        expect 0 simulate $system --length 20
        cp out plain
        expect 0 simulate $system --length 20 --seed 7
        cp out seven
        expect 0 simulate $system --length 20 --seed 7 --threads 1
        same seven out
        cmp -s plain seven && fail "the seed changes nothing for $system"
        expect 0 simulate $system --length 20 --seed 8
        cmp -s seven out && fail "seeds 7 and 8 give the same $system"
    done
    :
}
check "simulate is reproducible and depends on the seed" simulate_seed

simulate_others()
{
    expect 0 simulate mackey-glass --length 40 --every 10 --step 0.1 --delay 20
    lines_of out 41
    [ "$(sed -n 1p out)" = x ] || fail "the header is $(sed -n 1p out)"
    expect 0 simulate narma10 --length 40 --discard 0
    lines_of out 41
    [ "$(sed -n 1p out)" = u,y ] || fail "the header is $(sed -n 1p out)"
    expect 0 simulate mackey-glass --length 3 -o m.npy
    [ "$(head -c 6 m.npy | tail -c 5)" = NUMPY ] || fail "m.npy is no NPY file"
    expect 0 simulate narma10 --length 3 --json
    valid_json out "v['columns'] == ['u', 'y'] and len(v['rows']) == 3"
    expect 0 simulate narma10 --length 3 --json -o n.csv
    valid_json out "v['rows'] == 3 and v['output'] == 'n.csv'"
}
check "simulate mackey-glass and narma10, other formats" simulate_others

simulate_parameters()
{
    expect 0 simulate lorenz96:dimension=5,forcing=10 --length 4
    [ "$(sed -n 1p out)" = x1,x2,x3,x4,x5 ] || fail "the header is $(sed -n 1p out)"
    for system in kuramoto-sivashinsky henon duffing van-der-pol wiener-hammerstein bouc-wen wiener relay; do
        expect 0 simulate $system --length 4 --discard 1
        lines_of out 5
        expect 0 help systems
        out_has "^$system$"
    done
    expect 2 simulate lorenz96:dimension=3
    err_names dimension 3
    expect 2 simulate duffing:bandwidth=0.5
    err_names bandwidth 0.5
    expect 2 simulate henon --step 1
    err_names --step henon
    expect 2 simulate lorenz96 --method accurate
    err_names --method
}
check "simulate: parameters of systems" simulate_parameters

simulate_wrong()
{
    expect 2 simulate lorens
    err_names lorenz
    expect 2 simulate narma10 --start 1
    err_names --start narma10
    expect 2 simulate lorenz --every 3
    expect 2 simulate narma10 --method accurate
    expect 2 simulate mackey-glass --delay 1.234567
    expect 1 simulate lorenz --length 1e13
    err_has 'memory'
    expect 1 simulate lorenz -o no/such/dir.csv
    err_has 'no/such'
    mkdir folder
    expect 1 simulate lorenz -o folder
    err_names directory
}
check "simulate: invalid system, options, output" simulate_wrong

plan_fits()
{
    expect 0 plan --n 1000 --d 3
    no_err
    out_has '^memory +[0-9.]+ MiB '
    out_has '^fits +yes$'
    out_has 'nystrom: '
    out_has '^default +exact '
    [ "$sanitized" = no ] || return 0 # other cases have --json
    expect 0 plan --n 1e3 --d 3 --q 2 --json
    valid_json out "v['n'] == 1000 and v['d'] == 3 and v['q'] == 2 and v['fits'] and v['fit_bytes'] >= 8e6"
    valid_json out "[s['name'] for s in v['solvers']] == ['exact', 'nystrom', 'pcg'] and v['solver'] == 'exact' and v['why'] and 'search' not in v"
    valid_json out "all(s['bytes'] > 0 and s['seconds'] > 0 and s['fits'] and s['error'] == 0 for s in v['solvers'])"
    valid_json out "v.get('device_bytes', 1) > 0" # only with a GPU
    valid_json out "8 * 1000 * (3 + 2) <= v['model_bytes'] < v['fit_bytes'] and v['factor_bytes'] >= 4e6"
}
check "plan: problems that fit in memory" plan_fits

plan_too_large()
{
    [ "$sanitized" = no ] || skip "the plan of what fits runs the same code"
    expect 0 plan --n 5e6 --d 10 --q 55
    out_has '^fits +no'
    out_has '^largest n +[0-9]+ '
    out_has '--solver nystrom'
    out_has '--rows -[0-9]+:'
    expect 0 plan --n 5e6 --d 10 --json
    valid_json out "not v['fits'] and 0 < v['n_that_fits'] < 5000000"
    expect 2 plan --n 0 --d 1
    expect 2 plan --n 10 --d many
}
check "plan: problems that do not fit, with advice" plan_too_large

info()
{
    expect 0 info
    no_err
    for word in version compiler 'CPU flags' 'SIMD loops' BLAS threads memory; do
        out_has "^$word"
    done
    expect 0 info --json --threads 1
    valid_json out "v['threads'] == 1 and v['threads_from'] == 'asked for' and v['version'] and v['blas'] and v['memory'] > 0"
}
check "info" info
