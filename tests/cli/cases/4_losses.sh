# tests/cli/cases/4_losses.sh: fit with losses other than squared error, and with weights.

# Inputs u, a target y, counts k, labels and weights w.
loss_data()
{
    awk 'BEGIN {
        print "u,y,k,label,sign,w"
        for (t = 0; t < 90; t++) {
            u = sin(0.37 * t) + 0.3 * cos(2.3 * t * t); y = u + 0.5 * u * u + 0.4 * sin(7 * t * t)
            label = y < -0.2 ? "low" : (y < 0.6 ? "mid" : "high")
            printf "%.12g,%.12g,%d,%s,%d,%g\n", u, y, (y < 0 ? 0 : 3 * y), label, (y < 0.2 ? -1 : 1), (t % 5 == 0 ? 0 : 1 + t % 3)
        }
    }' >data.csv
}

losses_summary()
{
    loss_data
    for loss in huber:delta=0.3 quantile:q=0.8 epsilon:epsilon=0.1 expectile:q=0.7; do
        expect 0 fit --x data.csv:u --y data.csv:y --loss $loss --alpha 0.1 -o m.safetensors --json
        valid_json out "v['loss'] == '$loss' and 0 <= v['duality_gap'] <= 1e-6 * v['objective'] and v['score'] > 0 \
            and v['q'] == 1 and v['tolerance'] == 1e-6"
    done
    expect 0 fit --x data.csv:u --y data.csv:k --loss poisson --alpha 0.1 -o m.safetensors --json
    valid_json out "v['duality_gap'] <= 1e-6 * abs(v['objective']) and v['score_name'] == 'half poisson deviance'"
    expect 0 fit --x data.csv:u --y data.csv:y --loss quantile:q=0.8 --tolerance 1e-12 --alpha 0.1 --verbose -o m.safetensors
    out_has '^loss +quantile:q=0\.8$'
    out_has '^duality gap +[0-9.e-]+ '
    out_has '^in sample +pinball loss [0-9.e-]+'
}
check "fit --loss minimises each loss, with its gap in the result" losses_summary

losses_levels()
{
    loss_data
    expect 0 fit --x data.csv:u --y data.csv:y --loss quantile:q=0.1/0.5/0.9 --alpha 0.01 --fitted f.csv -o m.safetensors
    [ "$(sed -n 1p f.csv)" = y.q0.1,y.q0.5,y.q0.9 ] || fail "the header is $(sed -n 1p f.csv)"
    awk -F, 'NR > 1 && !($1 <= $2 && $2 <= $3) { bad = 1 } END { exit bad }' f.csv || fail "levels cross"
    expect 0 predict m.safetensors --x data.csv:u --start reset -o p.csv
    awk -F, 'NR > 1 && !($1 <= $2 && $2 <= $3) { bad = 1 } END { exit bad }' p.csv || fail "levels cross"
    awk -F, 'NR > 1 { print $1 }' data.csv >u.txt
    expect 0 stream m.safetensors --start reset <u.txt
    [ "$(sed -n 3p out | cut -c1-12)" = "$(sed -n 4p p.csv | cut -c1-12)" ] || fail "stream and predict differ"
}
check "several quantiles do not cross" losses_levels

losses_classes()
{
    loss_data
    expect 0 fit --x data.csv:u --y data.csv:label --loss multinomial --alpha 0.1 -o m.safetensors --json
    valid_json out "v['classes'] == ['high', 'low', 'mid'] and v['q'] == 3"
    expect 0 predict m.safetensors --x data.csv:u --start reset -o p.csv
    [ "$(sed -n 1p p.csv)" = label.high,label.low,label.mid ] || fail "the header is $(sed -n 1p p.csv)"
    awk -F, 'NR > 1 { s = $1 + $2 + $3; if (s < 1 - 1e-12 || s > 1 + 1e-12) bad = 1 } END { exit bad }' p.csv ||
        fail "probabilities do not add up to 1"
    expect 0 fit --x data.csv:u --y data.csv:sign --loss logistic --alpha 0.1 -o m.safetensors --json
    valid_json out "v['classes'] == ['-1', '1'] and v['q'] == 2"
}
check "classes are texts, and outputs their probabilities" losses_classes

losses_weights()
{
    loss_data
    expect 0 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights data.csv:w -o m.safetensors --json
    valid_json out "v['loss'] == 'squares' and v['objective'] > 0"
    for band in "--interval 0.9" --std; do
        expect 2 predict m.safetensors --x data.csv:u --start reset $band
        err_names weights
    done
    # Weight 2 repeats an equation: as alpha 0.05 without weights, up to rounding.
    awk -F, 'NR == 1 { print "w"; next } { print 2 }' data.csv >twos.csv
    expect 0 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights twos.csv -o m.safetensors --fitted two.csv
    expect 0 fit --x data.csv:u --y data.csv:y --alpha 0.05 -o m.safetensors --fitted one.csv
    paste -d, one.csv two.csv | awk -F, 'NR > 1 && ($1 - $2) ^ 2 > 1e-20 { exit 1 }' || fail "weight 2 is not alpha / 2"
    expect 0 fit --x data.csv:u --y data.csv:y --alpha 0.1 --loss huber:delta=1 --weights data.csv:w -o m.safetensors
    sed 's/,[0-9.]*$/,0/; 1s/.*/u,y,k,label,sign,w/' data.csv >none.csv
    expect 1 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights none.csv:w -o m.safetensors
    err_names 0
    sed '3s/,[0-9.]*$/,-1/' data.csv >negative.csv
    expect 1 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights negative.csv:w -o m.safetensors
    err_names row 1 -1 0
    head -n 40 data.csv >short.csv
    expect 1 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights short.csv:w -o m.safetensors
    err_names short.csv:w 39 rows data.csv:u 90
    expect 2 fit --x data.csv:u --y data.csv:y --alpha 0.1 --weights data.csv:w,u -o m.safetensors
    err_names 2 columns
}
check "--weights multiplies the loss; invalid weights are rejected" losses_weights

losses_refused()
{
    loss_data
    for wrong in 'hubber:delta=1;did you mean "huber"' 'huber:delta=0;delta must be .*got 0' 'quantile:q=1.5;between 0 and 1' \
        'quantile:q=0.9/0.1;must increase' 'huber;huber:delta=VALUE' 'logistic:q=1;no parameter'; do
        expect 2 fit --x data.csv:u --y data.csv:y --loss "${wrong%%;*}" -o m.safetensors
        err_has "${wrong#*;}"
    done
    expect 1 fit --x data.csv:u --y data.csv:y --loss poisson -o m.safetensors
    err_names 0
    expect 1 fit --x data.csv:u --y data.csv:label --loss logistic -o m.safetensors
    err_has '3 classes'
    sed 's/,[a-z]*,\(-*1\),/,same,\1,/; 1s/.*/u,y,k,label,sign,w/' data.csv >one.csv
    expect 1 fit --x one.csv:u --y one.csv:label --loss multinomial -o m.safetensors
    err_has "two classes.*'same'"
    expect 2 fit --x data.csv:u --loss multinomial -o m.safetensors
    err_names --y
    expect 2 fit --x data.csv:u --y data.csv:y --loss huber:delta=1 --tolerance 2 -o m.safetensors
    err_names --tolerance 0 1 2
    expect 2 fit --x data.csv:u --loss poisson --target change --alpha 1 -o m.safetensors
    err_names loss poisson target
    nothing_left
}
check "invalid losses, labels and counts are rejected" losses_refused

# Ten rows with ties. J of f = 0 bounds the objective: at most the sum of |y|, which is at most 10 where the mean of y^2 is 1.
losses_low_rank()
{
    printf 'x,y\n-1.4,-1.2\n-0.3,-0.8\n1.0,1.1\n-0.3,1.5\n-0.5,-1.8\n-1.4,-1.9\n0.7,1.6\n1.1,3.0\n1.7,2.4\n1.4,2.1\n' >ten.csv
    kernels=(poly:degree=2 linear esn:size=3)
    [ "$sanitized" = no ] || kernels=("${kernels[0]}")
    for kernel in "${kernels[@]}"; do
        for intercept in "" --no-intercept; do
            for loss in epsilon:epsilon=0.1 quantile:q=0.5 quantile:q=0.1/0.9; do
                expect 0 fit --x ten.csv:x --y ten.csv:y --kernel $kernel --alpha 1 --loss $loss $intercept -o m.safetensors --json
                valid_json out "0 <= v['objective'] <= 10 and 0 <= v['duality_gap'] <= 1e-6 * v['objective']"
            done
        done
    done
}
check "fit --loss solves kernels of low rank" losses_low_rank

# Placeholders in rows of weight 0.
losses_placeholders()
{
    loss_data
    awk -F, -v OFS=, 'NR > 1 && $6 == 0 { $2 = -9999 } { print }' data.csv >other.csv
    for loss in squares quantile:q=0.8; do
        for intercept in "" --no-intercept; do
            for file in data other; do
                expect 0 fit --x $file.csv:u --y $file.csv:y --weights $file.csv:w --loss $loss $intercept --fitted $file.f.csv -o m.safetensors
            done
            cmp data.f.csv other.f.csv || fail "targets of weight 0 affect loss $loss $intercept"
        done
    done
}
check "fit --weights ignores the targets of rows with weight 0" losses_placeholders
