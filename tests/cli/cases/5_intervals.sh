# tests/cli/cases/5_intervals.sh: prediction intervals.

# x drives y with noise from a list that repeats: 420 rows.
noisy()
{
    awk 'BEGIN { s = 7; print "u,v,y,z"
        for (t = 0; t < 420; t++) {
            s = (s * 69069 + 12345) % 2147483648; u = s / 2147483648 - 0.5
            s = (s * 69069 + 12345) % 2147483648; v = s / 2147483648 - 0.5
            s = (s * 69069 + 12345) % 2147483648; e = s / 2147483648 - 0.5
            printf "%.6f,%.6f,%.6f,%.6f\n", u, v, u + 0.5 * p + 0.2 * e, 100 * u * v + 3 * e; p = u } }'
}

intervals_of_predict()
{
    noisy >d.csv
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --rows :400 --kernel linear:window=3 --alpha 1e-3 -o m.safetensors
    expect 0 predict m.safetensors --x d.csv --rows 400: -o plain.csv
    expect 0 predict m.safetensors --x d.csv --rows 400: --interval 0.9 -o p.csv
    [ "$(head -n 1 p.csv)" = y,z,y.lo90,y.hi90,z.lo90,z.hi90 ] || fail "$(head -n 1 p.csv)"
    [ "$(cut -d, -f1,2 p.csv)" = "$(cat plain.csv)" ] || fail "the forecasts are others"
    # The same width in every row, about the forecast; uniform noise of +-0.1 has nine of ten within 0.09, give or take
    # 0.002 with the 200 errors of the later half.
    awk -F, 'NR > 1 { h = ($4 - $3) / 2; m = ($4 + $3) / 2 - $1
        if (m ^ 2 > 1e-20 || h < 0.08 || h > 0.1 || (w && (h - w) ^ 2 > 1e-20)) exit 1; w = h }' p.csv ||
        fail "$(head -n 3 p.csv)"
    expect 0 predict m.safetensors --x d.csv --rows 400: --interval 0.8,0.995 --index -o p.csv
    [ "$(head -n 1 p.csv)" = row,y,z,y.lo80,y.hi80,y.lo99.5,y.hi99.5,z.lo80,z.hi80,z.lo99.5,z.hi99.5 ] ||
        fail "$(head -n 1 p.csv)"
    awk -F, 'NR > 1 && !($6 < $4 && $4 < $2 && $2 < $5 && $5 < $7) { exit 1 }' p.csv || fail "$(head -n 3 p.csv)"
    # score ignores the interval columns.
    expect 0 score --truth d.csv:y,z --truth-rows 400: --pred plain.csv --json
    cp out plain.json
    expect 0 score --truth d.csv:y,z --truth-rows 400: --pred p.csv --json
    cmp out plain.json || fail "score counts the intervals"
    expect 0 predict m.safetensors --x d.csv --rows 400: --interval 0.9 --json
    valid_json out "v['columns'] == ['y', 'z', 'y.lo90', 'y.hi90', 'z.lo90', 'z.hi90']"
}
check "predict --interval: two more columns for every output and level" intervals_of_predict

intervals_in_other_units()
{
    # The width follows the units of the target, whatever is learned: levels, changes, or the naive forecast.
    awk 'BEGIN { s = 3; print "a,b"; for (t = 0; t < 200; t++) {
        s = (s * 69069 + 12345) % 2147483648; y += s / 2147483648 - 0.5; printf "%.6f,%.6f\n", y, 1000 * y + 5 } }' >w.csv
    for target in level change auto; do
        alpha=(--alpha 1)
        [ "$target" = auto ] && alpha=()
        for column in a b; do
            expect 0 fit --x "w.csv:$column" --ahead 1 --target "$target" "${alpha[@]}" -o "$column.safetensors"
            expect 0 predict "$column.safetensors" --x "w.csv:$column" --rows -1: --interval 0.9 -o "$column.csv"
        done
        paste -d, a.csv b.csv | awk -F, 'NR > 1 && (($6 - $5) / ($3 - $2) / 1000 - 1) ^ 2 > 1e-8 { exit 1 }' ||
            fail "$target: $(paste -d, a.csv b.csv)"
    done
    # The naive forecast has the change of a row as error: uniform within 0.5, nine of ten within 0.45.
    awk -F, 'NR > 1 && !($3 - $1 > 0.4 && $3 - $1 < 0.5) { exit 1 }' a.csv || fail "$(cat a.csv)"
}
check "intervals have the units of the targets, also of changes" intervals_in_other_units

bad_intervals()
{
    noisy >d.csv
    expect 0 fit --x d.csv:u,v --y d.csv:y --rows :30 --kernel linear --alpha 1 -o m.safetensors
    for level in 1.2 0 1 -0.5; do
        expect 2 predict m.safetensors --x d.csv --interval "$level"
        err_names --interval 0 1 "$level"
    done
    expect 2 predict m.safetensors --x d.csv --interval ''
    expect 2 predict m.safetensors --x d.csv --interval ,
    expect 2 predict m.safetensors --x d.csv --interval 0.9,0.9
    err_has '0.9 twice'
    expect 0 fit --x d.csv:u,v --y d.csv:y --rows :3 --kernel linear --alpha 1 -o few.safetensors
    expect 1 predict few.safetensors --x d.csv --interval 0.5
    err_names 3 rows output 1 2
    # With fewer errors than the quantile needs, normal tails are used.
    expect 0 predict m.safetensors --x d.csv --rows -1: --interval 0.96,0.98,0.999 -o p.csv
    awk -F, 'NR > 1 && !($6 < $4 && $4 < $2 && $3 < $5 && $5 < $7 && $7 - $6 < 4 * ($3 - $2)) { exit 1 }' p.csv || fail "$(cat p.csv)"
    expect 0 fit --x d.csv:u,v --y d.csv:y --kernel gak:window=3,centre=yes --rows :60 --no-intercept --alpha 1 -o c.safetensors
    expect 2 predict c.safetensors --x d.csv --interval 0.9
    err_names errors
}
check "invalid intervals" bad_intervals

standard_deviations()
{
    noisy >d.csv
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --rows :400 --kernel linear:window=3 --alpha 1e-3 -o plain.safetensors
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --rows :400 --kernel linear:window=3 --alpha 1e-3 --keep-factor -o m.safetensors --json
    valid_json out "v['factor_bytes'] == 4 * 400 * 403"
    grown=$(($(wc -c <m.safetensors) - $(wc -c <plain.safetensors)))
    [ "$grown" -ge 644800 ] && [ "$grown" -le 645400 ] || fail "the file has grown by $grown bytes"
    expect 0 predict m.safetensors --x d.csv --rows 400: --std -o p.csv
    [ "$(head -n 1 p.csv)" = y,z,y.std,z.std ] || fail "$(head -n 1 p.csv)"
    # Uniform noise of +-0.1 has a standard deviation of 0.0577.
    awk -F, 'NR > 1 && !($3 > 0.05 && $3 < 0.07) { exit 1 }' p.csv || fail "$(head -n 3 p.csv)"
    expect 0 predict m.safetensors --x d.csv --rows 400: --std --interval 0.5,0.9 -o p.csv
    [ "$(head -n 1 p.csv)" = y,z,y.lo50,y.hi50,y.lo90,y.hi90,y.std,z.lo50,z.hi50,z.lo90,z.hi90,z.std ] ||
        fail "$(head -n 1 p.csv)"
    expect 2 predict plain.safetensors --x d.csv --std
    err_names --std --keep-factor
    expect 0 plan --n 1000 --d 1 --q 1 --json
    valid_json out "v['factor_bytes'] == 4 * 1000 * 1003"
}
check "predict --std with a stored factor" standard_deviations

paths_with_noise()
{
    expect 0 simulate lorenz --length 400 --seed 1 -o l.csv
    expect 0 fit --x l.csv --kernel volterra:tau_coef=0.3,lambda_coef=0.3 --alpha 1e-4 -o m.safetensors
    expect 0 continue m.safetensors --steps 5 -o plain.csv
    expect 0 continue m.safetensors --steps 5 --paths 39 --interval 0.5,0.95 --seed 3 -o p.csv
    err_names errors
    [ "$(head -n 1 p.csv)" = x,y,z,x.lo50,x.hi50,x.lo95,x.hi95,y.lo50,y.hi50,y.lo95,y.hi95,z.lo50,z.hi50,z.lo95,z.hi95 ] ||
        fail "$(head -n 1 p.csv)"
    [ "$(cut -d, -f1-3 p.csv)" = "$(cat plain.csv)" ] || fail "the path is another"
    awk -F, 'NR > 1 && !($6 <= $4 && $4 <= $5 && $5 <= $7 && $6 < $7) { exit 1 }' p.csv || fail "$(cat p.csv)"
    expect 0 continue m.safetensors --steps 5 --paths 39 --interval 0.5,0.95 --seed 3 -o again.csv
    cmp p.csv again.csv || fail "the same seed gives other paths"
    expect 0 continue m.safetensors --steps 5 --paths 39 --interval 0.5,0.95 --seed 4 -o again.csv
    cmp -s p.csv again.csv && fail "another seed gives the same paths"
    expect 2 continue m.safetensors --steps 5 --paths 38 --interval 0.95
    err_names --interval 0.95 39 38
    expect 2 continue m.safetensors --steps 5 --paths 10
    err_names --paths --interval
    expect 2 continue m.safetensors --steps 5 --interval 0.9
    err_names --interval --paths
    expect 2 continue m.safetensors --steps 5 --paths 0 --interval 0.9
    expect 2 continue m.safetensors --steps 5 --paths 50 --interval 1
}
check "continue --paths: bands of noisy paths" paths_with_noise

streams_with_intervals()
{
    noisy >d.csv
    expect 0 fit --x d.csv:u,v --y d.csv:y --rows :100 --kernel linear:window=3 --alpha 1e-3 -o m.safetensors
    cut -d, -f1-3 d.csv | sed 1,101d >rest
    "$VOLTERRA" stream m.safetensors --interval 0.8,0.9 --header <rest >out 2>err || fail "$(cat err)"
    [ "$(head -n 1 out)" = y,y.lo80,y.hi80,y.lo90,y.hi90 ] || fail "$(head -n 1 out)"
    lines_of out 321
    # Uniform noise: in the long run 0.9 of the truths lie inside; the bound for 320 rows is 0.15.
    paste -d, <(sed 1d out) rest | awk -F, '{ n++; hit += $4 <= $8 && $8 <= $5 } END { exit !(hit / n > 0.8 && hit / n < 0.98) }' ||
        fail "$(paste -d, <(sed 1d out) rest | head -n 3)"
    # Two parts with a state give the same result as one.
    head -n 150 rest | "$VOLTERRA" stream m.safetensors --interval 0.8,0.9 --state s >first 2>err || fail "$(cat err)"
    sed 1,150d rest | "$VOLTERRA" stream m.safetensors --interval 0.8,0.9 --state s >second 2>err || fail "$(cat err)"
    cmp <(cat first second) <(sed 1d out) || fail "a state does not keep the intervals"
    "$VOLTERRA" stream m.safetensors --interval 0.8 --state s <rest >out 2>err && fail "other levels were taken"
    grep -q 'another --interval' err || fail "$(cat err)"
    # A missing target does not update the interval; the first interval equals that of predict.
    printf '0.1,0.2,NA\n0.1,0.2,NA\n' | "$VOLTERRA" stream m.safetensors --interval 0.9 >out 2>err || fail "$(cat err)"
    awk -F, '{ w[NR] = $3 - $2 } END { exit !(w[1] > 0 && (w[1] - w[2]) ^ 2 < 1e-20) }' out || fail "$(cat out)"
    printf '0.1,0.2,0.3\n' | "$VOLTERRA" stream m.safetensors --interval 0.9 --json >out 2>err || fail "$(cat err)"
    valid_json out 'len(v) == 3'
    "$VOLTERRA" stream m.safetensors --learn --interval 0.9 <rest >out 2>err || fail "$(cat err)"
    lines_of out 320
    cp out learned
    # The state of a learner contains its intervals.
    head -n 90 rest | "$VOLTERRA" stream m.safetensors --learn --interval 0.9 --state t >first 2>err || fail "$(cat err)"
    sed -n 91,200p rest | "$VOLTERRA" stream m.safetensors --learn --interval 0.9 --state t >second 2>err ||
        fail "$(cat err)"
    sed 1,200d rest | "$VOLTERRA" stream m.safetensors --learn --interval 0.9 --state t >third 2>err || fail "$(cat err)"
    cat first second third | cmp - learned || fail "a state of a learner does not keep the intervals"
    "$VOLTERRA" stream m.safetensors --learn --state t <rest >out 2>err && fail "a state with intervals was taken without"
    grep -q '^volterra stream: t .*--interval' err || fail "$(cat err)"
    "$VOLTERRA" stream m.safetensors --interval 1.2 <rest >out 2>err && fail "1.2 was taken"
    grep -q -e '--interval must be .*got 1.2' err || fail "$(cat err)"
}
check "stream --interval: intervals that follow the errors" streams_with_intervals
