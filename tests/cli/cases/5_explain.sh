# tests/cli/cases/5_explain.sh: the Volterra series of a model.

# two_inputs: x.csv (columns u, v, a, b) and model.safetensors: a holds u, u v and u^2, b holds v and u^2
two_inputs()
{
    awk 'function next_number() { s = (s * 16807) % 2147483647; return s / 2147483647 - 0.5 } # the same in every awk
        BEGIN { s = 5; print "u,v,a,b"
        for (t = 0; t < 303; t++) { u[t] = next_number(); v[t] = next_number()
            if (t >= 3) printf "%.6f,%.6f,%.6f,%.6f\n", u[t], v[t], \
                2 + u[t] + 0.5 * v[t-1] - 3 * u[t-2] * v[t-1] + u[t-1] ^ 2, v[t-3] - 2 * u[t] ^ 2 } }' >x.csv
    expect 0 fit --x x.csv:u,v --y x.csv:a,b --kernel volterra:tau_coef=0.5,lambda_coef=0.8 --alpha 1e-3 -o model.safetensors
}

explain_says()
{
    two_inputs
    expect 0 explain model.safetensors --lags 6 --verbose
    no_err
    out_has '^expansion +about mean, lags 0 to 5$'
    out_has '^output +b$'
    out_has '^  largest g1 +(0\.[89]|1)[0-9.]* \+- 0\.0[0-9]* \(v, lag 3\)$'
    out_has '^  order 1 share +0\.[0-9]*$'
    out_has '^  higher share +-?0\.[0-9]*$'
    expect 0 explain model.safetensors --lags 6 --json
    valid_json out "v['lags'] == 6 and v['order'] == 2 and v['about'] == 'mean' and v['inputs'] == ['u', 'v']"
    valid_json out "v['outputs'] == ['a', 'b'] and len(v['g0']) == 2 and len(v['point']) == 2"
    valid_json out "len(v['g1']) == 2 and len(v['g1'][0]) == 6 and len(v['g1'][0][0]) == 2"
    valid_json out "len(v['g2'][1]) == 6 and len(v['g2'][1][5]) == 6 and len(v['g2'][1][5][5]) == 2 and len(v['g2'][1][5][5][0]) == 2"
    # The system: the products of two inputs at two lags, and of one lag with itself.
    valid_json out "abs(v['g2'][0][1][2][1][0] + 3) < 0.5 and v['g2'][0][2][1] == [[0, 0], [0, 0]]"
    valid_json out "abs(v['g2'][0][1][1][0][0] - 1) < 0.3 and abs(v['g2'][1][0][0][0][0] + 2) < 0.3"
    valid_json out "abs(sum(v['shares'].values()) - 1) < 1e-9 and list(v['shares']) == ['order1', 'order2', 'higher']"
    valid_json out "len(v['shares_by_output']) == 2 and all(0 < s for s in v['g1_std'][0][0]) and v['memory'][0] <= 6"
    expect 0 explain model.safetensors --lags 4 --no-band --no-shares --order 3 --json
    valid_json out "'g1_std' not in v and 'shares' not in v and len(v['g3'][0][3][3][3][1][1]) == 2"
}
check "explain prints the Volterra series of a model" explain_says

# The golden coefficients, by targets that they fit: (K + alpha I) A.
explain_golden()
{
    command -v python3 >/dev/null || skip "there is no python3"
    python3 - "$here/../reference/m2_taylor_memory.json" <<'END' || fail "the golden file could not be read"
import json, sys
case = json.load(open(sys.argv[1]))["cases"][0]
shift, scale = case["inputs"]["input_shift"], case["inputs"]["input_scale"]
with open("z.csv", "w") as f:
    print("z", file=f)
    for row in case["inputs"]["X"]:
        print(repr(scale * (row[0] - shift[0])), file=f)
with open("kernel", "w") as f:
    print("memory:" + ",".join(f"{k}={case['params'][k]!r}" for k in ("gamma", "rho", "mu")), file=f)
json.dump(case, open("case.json", "w"))
END
    expect 0 gram --x z.csv --kernel "$(cat kernel)" -o K.csv
    python3 - <<'END' || fail "no targets"
import csv, json
case = json.load(open("case.json"))
A = [row[0] for row in case["inputs"]["coefficients"]]
lines = [line for line in csv.reader(open("K.csv"))]
K = [[float(x) for x in line] for line in lines[-len(A):]]
with open("y.csv", "w") as f:
    print("y", file=f)
    for i, row in enumerate(K):
        print(repr(sum(k * a for k, a in zip(row, A)) + A[i]), file=f)
END
    expect 0 fit --x z.csv --y y.csv --kernel "$(cat kernel)" --alpha 1 --no-scale --no-intercept -o m.safetensors
    expect 0 explain m.safetensors --lags 5 --about zero --json
    python3 - <<'END' >says 2>&1 || fail "$(cat says)"
import json
case, found = json.load(open("case.json")), json.load(open("out"))
scale, unit = case["inputs"]["input_scale"], case["inputs"]["target_scale"][0]
for name, power in (("g1", 1), ("g2", 2)):
    def flat(x):
        return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
    wanted = flat(case["expected"][name])
    for a, b in zip(wanted, flat(found[name])):
        assert abs(a - b * unit * scale**power) <= 1e-11 * max(map(abs, wanted)), (name, a, b)
END
}
check "explain reproduces the golden kernels" explain_golden

explain_files()
{
    two_inputs
    expect 0 explain model.safetensors --lags 5 --along x.csv -o out-files --csv
    [ "$(head -n 1 out-files.g1.csv)" = "lag,a:u,a:u.std,a:v,a:v.std,b:u,b:u.std,b:v,b:v.std" ] || fail "$(head -n 1 out-files.g1.csv)"
    lines_of out-files.g1.csv 6
    lines_of out-files.g2.csv 16
    [ "$(head -n 1 out-files.g2.csv | cut -d, -f1-6)" = "lag1,lag2,a:u*u,a:u*v,a:v*u,a:v*v" ] || fail "$(head -n 1 out-files.g2.csv)"
    lines_of out-files.shares.csv 3
    [ "$(head -n 1 out-files.orders.csv)" = "a.order0,a.order1,a.order2,a.higher,b.order0,b.order1,b.order2,b.higher" ] ||
        fail "$(head -n 1 out-files.orders.csv)"
    for name in html g1.svg g1.npy; do
        absent out-files.$name
    done
    # The parts add up to the forecast of a new sequence.
    expect 0 predict model.safetensors --x x.csv --start reset -o p.csv
    paste -d, <(sed 1d out-files.orders.csv) <(sed 1d p.csv) |
        awk -F, '($1 + $2 + $3 + $4 - $9) ^ 2 + ($5 + $6 + $7 + $8 - $10) ^ 2 > 1e-20 { exit 1 }' ||
        fail "the parts do not add up to the forecast"
    expect 0 explain model.safetensors --lags 5 --no-band -o n --npy
    [ -s n.g2.npy ] || fail "no n.g2.npy"
    absent n.g2.csv
    expect 0 explain model.safetensors --lags 5 --order 1 -o m --report
    grep -q '<title>[A-Z][^<]*model.safetensors</title>' m.html || fail "no page"
    nothing_left
}
check "explain writes tables and a page" explain_files

explain_pictures()
{
    two_inputs
    expect 0 explain model.safetensors --lags 5 -o all
    for name in g1.csv g2.csv shares.csv g1.svg g2.svg shares.svg html; do
        [ -s "all.$name" ] || fail "no all.$name"
    done
    [ "$(grep -c 'class="plot"' all.html)" -eq 3 ] || fail "the page has $(grep -c 'class="plot"' all.html) pictures"
    grep -q 'a from u and v' all.g2.svg || fail "no title in all.g2.svg"
}
check "explain --plot" explain_pictures

explain_refuses()
{
    two_inputs
    expect 2 explain model.safetensors --lags 0
    expect 2 explain model.safetensors --lags 301
    err_names 301 lags 300 rows
    expect 2 explain model.safetensors --order 9
    err_names --order 1 8 9
    expect 2 explain model.safetensors --order 8
    err_names order 8 2 inputs outputs lags
    expect 1 explain model.safetensors --about 4,4
    err_names norm 1
    expect 2 explain model.safetensors --about 1
    err_names 1 2 inputs
    expect 2 explain model.safetensors --about 1,2,3
    err_names 2
    expect 2 explain model.safetensors --about nowhere
    err_names "'nowhere'"
    expect 2 explain model.safetensors --plot
    err_names PREFIX
    expect 2 explain model.safetensors --series x.csv:u
    err_names --series --along
    expect 1 explain model.safetensors -o no/where
    expect 2 explain model.safetensors -o -
    expect 2 explain
    expect 0 fit --x x.csv:u,v --y x.csv:a --kernel rbf:window=3 --alpha 1e-3 -o w.safetensors
    expect 2 explain w.safetensors --lags 4
    err_has 'memory length of kernel'
    expect 0 fit --x x.csv:u,v --y x.csv:a --kernel gak:window=3 --alpha 1e-3 --rows 0:20 -o g.safetensors
    expect 2 explain g.safetensors
    err_names gak series volterra linear
    # An even kernel has no odd orders about zero.
    expect 0 fit --x x.csv:u,v --y x.csv:b --kernel volterra:lift=even --alpha 1e-3 -o e.safetensors
    expect 0 explain e.safetensors --lags 3 --about zero --json
    valid_json out "all(x == 0 for m in v['g1'][0] for x in m) and abs(v['g2'][0][0][0][0][0] + 2) < 0.5"
}
check "explain: models without a Volterra series" explain_refuses

explain_forgetting()
{
    two_inputs
    expect 0 explain model.safetensors --forgetting --along x.csv:u,v --json
    valid_json out "v['history_rows'] == 100 and v['common_rows'] == 100 and len(v['curve']) == 101"
    # lambda_coef 0.8: the states contract by 0.8, and stay below the bound as far as distances differ from 0.
    valid_json out "abs(v['contraction'] - 0.8) < 1e-12 and v['curve'][0][0] == v['curve'][0][1] > 0"
    valid_json out "all(d <= b * (1 + 1e-9) for d, b in v['curve']) and v['forgotten_rows'] <= v['bound_rows'] == 21"
    [ -z "$(find . -name '*forgetting*')" ] || fail "wrote files without -o"
    expect 0 explain model.safetensors --forgetting --along x.csv:u,v -o memory --csv --npy
    lines_of memory.forgetting.csv 102
    [ -s memory.forgetting.npy ] || fail "no .npy file"
    expect 0 explain model.safetensors --forgetting --along x.csv:u,v -o drawn
    grep -q '<svg' drawn.forgetting.svg || fail "no plot"
    # Any kernel has distances; only volterra has the bound.
    expect 0 fit --x x.csv:u,v --y x.csv:a --kernel gak:window=5 --rows :60 --alpha 1e-2 -o gak.safetensors
    expect 0 explain gak.safetensors --forgetting --along x.csv:u,v --rows :30 --json
    valid_json out "'contraction' not in v and v['forgotten_rows'] == 5"
    expect 2 explain model.safetensors --forgetting
    err_names --forgetting --along
    expect 2 explain model.safetensors --forgetting=3 --along x.csv:u,v
    err_names --forgetting
    expect 1 explain model.safetensors --forgetting --along x.csv:u,v --rows :2
    err_names --forgetting 3 2
    expect 2 explain model.safetensors --forgetting --along x.csv:u,v --report -o page
    err_names --forgetting --report
    expect 2 explain model.safetensors --forgetting --along x.csv:u,v --series x.csv:a
    err_names --forgetting --series
}
check "explain --forgetting: distance of states, its bound, and invalid options" explain_forgetting

# Powers of two in the units of the inputs: standard deviations are those in other units, digit by digit.
explain_units()
{
    python3 -c 'import math, random
random.seed(4)
for name, unit in ("one", 0), ("large", 333), ("small", -565):
    rows = [(random.Random(t).gauss(0, 1), random.Random(t).gauss(2, 1)) for t in range(-1, 120)]
    with open(name + ".csv", "w") as f:
        print("u,v,y", file=f)
        for (a, b), (c, d) in zip(rows, rows[1:]):
            print(*map(repr, (math.ldexp(c, unit), math.ldexp(d, -unit), c + a * a / 2 + d)), sep=",", file=f)'
    for name in one large small; do
        expect 0 fit --x $name.csv:u,v --y $name.csv:y --scale-each --kernel fading --alpha 0.1 -o $name.safetensors
        expect 0 explain $name.safetensors --order 1 --lags 3 --json
        cp out $name.json
    done
    python3 -c 'import json, math
one, large, small = (json.load(open(name + ".json"))["g1_std"][0] for name in ("one", "large", "small"))
assert len(one) == 3 and one[0][0] > 0
for lag in range(3):
    for j in range(2):
        sign = 1 if j == 0 else -1
        assert large[lag][j] == math.ldexp(one[lag][j], -333 * sign), (lag, j)
        assert small[lag][j] == math.ldexp(one[lag][j], 565 * sign), (lag, j)' || fail "standard deviations depend on units"
}
check "explain: standard deviations in any unit" explain_units
