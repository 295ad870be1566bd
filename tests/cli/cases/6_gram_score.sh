# tests/cli/cases/6_gram_score.sh: gram and score.

gram_values()
{
    # By hand: tau = lambda = 0.5, x = (1, 0): border 4/3, K00 = 1 + (1/4)(4/3)(4/3) = 13/9, the rest 4/3
    # off the diagonal and K11 = 1 + (1/4)(13/9) = 49/36 on it.
    printf '1\n0\n' >x.csv
    expect 0 gram --x x.csv --kernel volterra:tau=0.5,lambda=0.5
    lines_of out 2
    awk -F, 'function near(a, b) { return (a - b) ^ 2 < 1e-28 }
        NR == 1 && !(near($1, 13 / 9) && near($2, 4 / 3)) { exit 1 }
        NR == 2 && !(near($1, 4 / 3) && near($2, 49 / 36)) { exit 1 }' out || fail "K is $(cat out)"
    printf '1\n' >one.csv
    expect 0 gram --x x.csv --y one.csv --kernel volterra:tau=0.5,lambda=0.5
    lines_of out 2
    awk -F, '{ exit !(NF == 1) }' out || fail "the matrix is not 2 x 1"
    expect 0 gram --x x.csv --rows 0:1 --kernel volterra:tau=0.5,lambda=0.5 --json
    valid_json out "len(v['rows']) == 1 and abs(v['rows'][0][0] - 13 / 9) < 1e-15"
}
check "gram: values known by hand" gram_values

gram_files()
{
    series 20 >x.csv
    expect 0 gram --x x.csv -o K.npy
    out_has '^K.npy +20 x 20 values of volterra:'
    expect 0 gram --x x.csv -o K.csv
    lines_of K.csv 20
    expect 0 score --truth K.csv --pred K.npy --json
    valid_json out "v['mse'] == 0"
    expect 0 gram --x x.csv -o K.mat --json
    valid_json out "v['rows'] == 20 and v['columns'] == 20 and v['output'] == 'K.mat'"
    expect 0 score --truth K.csv --pred K.mat --json
    valid_json out "v['mse'] == 0"
    if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
        python3 -c 'import numpy, sys; K = numpy.load("K.npy")
sys.exit(not (K.shape == (20, 20) and K.dtype == "<f8" and (K == K.T).all()))' || fail "NumPy sees another matrix"
    fi
    # Two sequences that happen to be equal take the other loop: the same to rounding.
    cp x.csv copy.csv
    expect 0 gram --x - --y copy.csv -o cross.npy <x.csv
    expect 0 score --truth K.csv --pred cross.npy --json
    valid_json out "v['mse'] < 1e-28"
}
check "gram: NPY, CSV and MAT hold the full matrix" gram_files

gram_normalised()
{
    # Of the matrix known by hand: 13/9 and 49/36 on the diagonal, 4/3 off the diagonal.
    printf '1\n0\n' >x.csv
    expect 0 gram --x x.csv --kernel volterra:tau=0.5,lambda=0.5 --normalise
    awk -F, 'function near(a, b) { return (a - b) ^ 2 < 1e-28 } BEGIN { beside = 4 / 3 / sqrt(13 / 9 * 49 / 36) }
        !(near($NR, 1) && near($(3 - NR), beside)) { exit 1 }' out || fail "K is $(cat out)"
    cp out same.csv
    cp x.csv copy.csv
    expect 0 gram --x x.csv --y copy.csv --kernel volterra:tau=0.5,lambda=0.5 --normalise -o cross.csv
    out_has '^cross\.csv .*, normalised$'
    near same.csv cross.csv 1e-14
    expect 1 gram --x x.csv --kernel linear --normalise
    err_names row 2 1 0
    no_out
}
check "gram --normalise: values known by hand, rows of zero norm" gram_normalised

gram_radius()
{
    printf '1\n-0.5\n0.25\n' >train.csv
    printf '0.5\n-1.75\n' >far.csv
    expect 0 gram --x train.csv -o K.csv
    out_has '^radius +1$'
    # The radius of the test rows exceeds that of the training rows: a different kernel, with a warning.
    expect 0 gram --x far.csv --y train.csv -o C.csv
    err_names warning rows norm 1.75 columns 1 radius
    out_has '^radius +1\.75 \(rows 1\.75, columns 1\)$'
    expect 0 gram --x far.csv --y train.csv --radius 1.75 -o C.csv
    no_err
    expect 0 gram --x train.csv --y far.csv -o C.csv --json
    no_err
    valid_json out "v['radius'] == 1.75 and v['row_radius'] == 1 and v['column_radius'] == 1.75 and not v['normalised']"
    # With one radius the matrices are parts of one: rows of K are what a longer sequence would give.
    expect 0 gram --x train.csv --radius 1.75 -o K.csv --json
    valid_json out "v['radius'] == 1.75"
    expect 0 gram --x train.csv --kernel volterra:tau_coef=0.3,lambda_coef=0.9 --radius 1.75 --y train.csv -o again.csv
    near K.csv again.csv 1e-14
    expect 0 gram --x far.csv --y train.csv --kernel volterra:tau=0.2,lambda=0.5 -o C.csv
    no_err
    expect 2 gram --x far.csv --radius 1.5
    err_names radius 1.5 inputs 1.75
    expect 2 gram --x far.csv --radius 0
    # Collections likewise.
    printf 'series,a\n1,1\n1,0.5\n2,0.25\n' >a.csv
    printf 'series,a\n1,2\n' >b.csv
    expect 0 gram --collection b.csv --with a.csv -o C.csv --json
    err_names rows norm 2 columns 1
    valid_json out "v['radius'] == 2 and v['column_radius'] == 1"
    expect 0 gram --collection b.csv --with a.csv --radius 3 --normalise -o C.csv --json
    no_err
    valid_json out "v['radius'] == 3 and v['normalised']"
}
check "gram --radius: common radius, warning for different ones" gram_radius

gram_wrong()
{
    series 20 >x.csv
    series 20 3 >three.csv
    expect 1 gram --x three.csv --y x.csv
    err_names 3 columns x.csv 2
    expect 2 gram --x x.csv --y-rows 0:3
    expect 2 gram --x x.csv --kernel volterra:tau=0.9,lambda=0.1
    err_has 'tau = 0.9'
    expect 2 gram --x x.csv -o x.csv
    expect 2 gram --x - --y - <x.csv
}
check "gram: invalid shapes, bounds, options" gram_wrong

score_values()
{
    # Errors 1, 0, -1, 2 on a truth with mean 2.5 and variance 1.25.
    printf 'y\n1\n2\n3\n4\n' >truth.csv
    printf 'y\n2\n2\n2\n6\n' >pred.csv
    expect 0 score --truth truth.csv --pred pred.csv --json
    valid_json out "v['mse'] == 1.5 and abs(v['nmse'] - 1.2) < 1e-15 and abs(v['r2'] + 0.2) < 1e-15 \
        and v['mae'] == 1 and v['mdae'] == 1 and v['w1'] == 1 and abs(v['mape'] - (1 + 1 / 3 + 0.5) / 4) < 1e-15"
    expect 0 score --truth truth.csv --pred pred.csv --verbose
    out_has '^MSE +1\.5$'
    out_has '^NMSE +1\.2$'
    out_has '^R2 +-0\.2$'
    out_has '^MAE +1$'
    out_has '^MdAE +1$'
    out_has '^W1 +1$'
    out_has '^MAPE +0\.4583$'
    expect 0 score --truth - --pred pred.csv --json <truth.csv
    valid_json out "v['mse'] == 1.5"
}
check "score: values known by hand" score_values

score_valid_time()
{
    printf '10\n10\n10\n10\n' >truth.csv
    printf '10\n11\n13\n10\n' >pred.csv
    expect 0 score --truth truth.csv --pred pred.csv --lyapunov 0.9 --dt 0.5
    out_has '^valid prediction time +1\.35 Lyapunov times \(3 rows'
    expect 0 score --truth truth.csv --pred pred.csv --lyapunov 0.9 --dt 0.5 --threshold 0.05 --json
    valid_json out "v['valid_rows'] == 2 and abs(v['valid_time'] - 0.9) < 1e-15 and v['valid_reached']"
    expect 0 score --truth truth.csv --pred pred.csv --lyapunov 0.9 --dt 0.5 --threshold 0.5
    out_has 'at least 1\.8 Lyapunov times'
    expect 2 score --truth truth.csv --pred pred.csv --lyapunov 0.9
    err_names --dt
    expect 2 score --truth truth.csv --pred pred.csv --dt 0.9
    expect 2 score --truth truth.csv --pred pred.csv --dt 1 --lyapunov 0
}
check "score: valid prediction time" score_valid_time

score_rows()
{
    series 10 >truth.csv
    { sed -n 1p truth.csv; tail -n 4 truth.csv; } >pred.csv
    expect 1 score --truth truth.csv --pred pred.csv
    err_names truth.csv 10 rows pred.csv 4
    expect 0 score --truth truth.csv --truth-rows 6: --pred pred.csv --json
    valid_json out "v['mse'] == 0 and v['rows'] == 4"
    expect 0 score --truth truth.csv --truth-rows 6: --pred pred.csv --pred-rows :4
    expect 0 score --truth truth.csv --pred truth.csv --rows 2:5 --json
    valid_json out "v['rows'] == 3"
    expect 2 score --truth truth.csv --truth-rows 6:11 --pred pred.csv
    # Columns by name where both have names, else by position.
    awk -F, '{ print $2 "," $1 }' pred.csv >turned.csv
    expect 0 score --truth truth.csv --truth-rows 6: --pred turned.csv --json
    valid_json out "v['mse'] == 0"
    expect 0 score --truth truth.csv --truth-rows 6: --pred pred.csv:b --json
    valid_json out "v['mse'] == 0 and v['columns'] == 1"
    # Columns of intervals are ignored, also before other columns.
    awk -F, -v OFS=, 'NR == 1 { print "a,a.lo90,a.hi90,b"; next } { print $1, $1 - 1, $1 + 1, $2 }' pred.csv >bands.csv
    expect 0 score --truth truth.csv --truth-rows 6: --pred bands.csv --json
    valid_json out "v['mse'] == 0 and v['columns'] == 2"
    tail -n +2 pred.csv | cut -d, -f1 >bare.csv
    expect 1 score --truth truth.csv --truth-rows 6: --pred bare.csv
    err_names 2 columns bare.csv 1
    expect 2 score --truth - --pred - <pred.csv
    expect 1 score --truth truth.csv --pred no-such.csv
}
check "score: rows and columns of the two files" score_rows

gram_distances()
{
    # The matrix known by hand: K00 = 13/9, K11 = 49/36, K01 = 4/3, so that d^2 = 13/9 + 49/36 - 8/3 = 5/36.
    printf '1\n0\n' >x.csv
    expect 0 gram --x x.csv --kernel volterra:tau=0.5,lambda=0.5 --distance
    awk -F, 'function near(a, b) { return (a - b) ^ 2 < 1e-26 }
        !($NR == 0 && near($(3 - NR), sqrt(5 / 36))) { exit 1 }' out || fail "the distances are $(cat out)"
    expect 0 gram --x x.csv --kernel volterra:tau=0.5,lambda=0.5 --distance -o D.csv --json
    valid_json out "v['distance'] and v['rows'] == 2"
    printf '1\n' >one.csv
    expect 0 gram --x x.csv --y one.csv --kernel volterra:tau=0.5,lambda=0.5 --distance
    awk -F, 'NR == 1 && $1 != 0 { exit 1 } NR == 2 && ($1 - sqrt(5 / 36)) ^ 2 > 1e-26 { exit 1 }' out ||
        fail "the distances are $(cat out)"
    expect 2 gram --x x.csv --distance=yes
    err_names --distance
    local text
    for text in radius=15 leak=0 input=0 bias=-1 activation=tanh; do
        expect 2 gram --x x.csv --distance --kernel "recurrent:$text"
        err_names recurrent "${text%=*}" "${text#*=}"
    done
}
check "gram --distance: values known by hand, invalid parameters" gram_distances

gram_spectrum()
{
    # Eigenvalues of [[13/9, 4/3], [4/3, 49/36]]: half the trace 101/72 -+ sqrt((1/24)^2 + 16/9).
    printf '1\n0\n' >x.csv
    expect 0 gram --x x.csv --kernel volterra:tau=0.5,lambda=0.5 --spectrum
    lines_of out 3
    awk -F, 'function near(a, b) { return (a - b) ^ 2 < 1e-26 }
        BEGIN { root = sqrt(1 / 576 + 16 / 9); high = 101 / 72 + root; low = 101 / 72 - root }
        NR == 1 && $0 != "eigenvalue,effective_dimension" { exit 1 }
        NR == 2 && !(near($1, high) && near($2, 0.5 + low / (low + high))) { exit 1 }
        NR == 3 && !(near($1, low) && near($2, 0.5 + high / (low + high))) { exit 1 }' out || fail "the spectrum is $(cat out)"
    series 60 >s.csv
    expect 0 gram --x s.csv --spectrum --count 4 -o few.csv --json
    valid_json out "v['rows'] == 60 and v['count'] == 4 and v['largest'] > v['smallest'] > 0"
    lines_of few.csv 5
    expect 2 gram --x s.csv --spectrum --count 61 -o few.csv
    err_names --count 60 61
    expect 2 gram --x s.csv --spectrum --count nine
    err_names --count nine
    expect 2 gram --x s.csv --spectrum --count 0
    err_names --count
    expect 2 gram --x s.csv --count 3
    err_names --count --spectrum
    expect 2 gram --x s.csv --plot s.svg
    err_names --plot --spectrum
    expect 2 gram --x s.csv --spectrum --plot -
    err_names --plot -o
    expect 2 gram --x s.csv --y x.csv --spectrum
    err_names --spectrum --y
    expect 2 gram --x s.csv --distance --spectrum
    err_names --spectrum --distance
    expect 2 gram --collection s.csv --spectrum
    err_names --spectrum
    expect 0 gram --x s.csv --spectrum -o s.npy --plot spectrum.svg
    grep -q '<svg' spectrum.svg || fail "no plot"
    expect 2 gram --x s.csv --spectrum -o same.svg --plot same.svg
    err_names --plot
}
check "gram --spectrum: values known by hand, count, plot, and options that it excludes" gram_spectrum
