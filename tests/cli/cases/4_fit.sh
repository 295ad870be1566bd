# tests/cli/cases/4_fit.sh: fit, its summary and its choices.

fit_summary()
{
    series 80 >x.csv
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 --washout 5 -o m.safetensors
    no_err
    [ "$(wc -l <out)" -le 12 ] || fail "the summary has $(wc -l <out) lines"
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 --washout 5 --verbose -o m.safetensors
    out_has '^data +79 rows, 2 inputs, 2 outputs'
    out_has '^washout +5$'
    out_has '^kernel +volterra:'
    out_has '^tau +0\.5'
    out_has '^lambda +0\.'
    out_has '^contraction rate +0\.36'
    out_has '^memory length +[0-9.]+ '
    out_has '^alpha +1e-06$'
    out_has '^condition estimate +[0-9.e+]+$'
    out_has '^R2 in sample +(1|0\.9)'
    nothing_left
    expect 0 fit --x x.csv --washout 5 -o m.safetensors --json
    valid_json out "v['n'] == 79 and v['d'] == 2 and v['q'] == 2 and v['washout'] == 5 and v['ahead'] == 1 \
        and v['feedback'] and 0 < v['contraction'] < 1 and v['r2'] > 0.9 and v['kernel'].startswith('volterra:') \
        and abs(v['lambda_bound'] ** 2 + v['tau'] ** 2 - 1) < 1e-12 and v['lambda'] < v['lambda_bound']"
}
check "fit prints a summary, or JSON" fit_summary

fit_norms()
{
    series 200 >x.csv
    expect 0 fit --x x.csv --alpha 1e-2 -o model.safetensors --json
    valid_json out "v['rkhs_norm'][0] > 0 and 0 < v['effective_dimension'][0] < 199 and v['noise'][0] > 0"
    valid_json out "v['dimension_error'] == [0] * v['q']"
    expect 0 fit --x x.csv --alpha 1e-2 -o model.safetensors --verbose
    out_has '^norm of the functional +[0-9.e+-]+ to [0-9.e+-]+$'
    out_has '^effective dimension +[0-9.]+$'
    out_has '^noise level +[0-9.e+-]+ to [0-9.e+-]+$'
    expect 0 fit --x x.csv --alpha 1e-2 --solver pcg -o model.safetensors --json
    valid_json out "v['rkhs_norm'][0] > 0 and v['effective_dimension'] == v['noise'] == [None] * v['q']"
}
check "fit reports norm, effective dimension and noise level" fit_norms

fit_fitted()
{
    series 50 >x.csv
    expect 0 fit --x x.csv:a --y x.csv:b --alpha 1e-8 --fitted yhat.csv -o m.safetensors
    lines_of yhat.csv 51
    [ "$(sed -n 1p yhat.csv)" = b ] || fail "the header is $(sed -n 1p yhat.csv)"
    expect 0 score --truth x.csv:b --pred yhat.csv --json
    cp out score.json
    expect 0 fit --x x.csv:a --y x.csv:b --alpha 1e-8 -o m.safetensors --json
    valid_json out "abs(v['r2'] - json.load(open('score.json'))['r2']) < 1e-12 and not v['feedback'] and 'alphas' not in v"
}
check "fit --fitted writes the fitted values" fit_fitted

fit_ahead()
{
    series 40 >x.csv
    expect 0 fit --x x.csv --ahead 3 -o m.safetensors --json
    valid_json out "v['n'] == 37 and v['ahead'] == 3 and not v['feedback']"
    grep -aqE '"pending_inputs":\{[^}]*"shape":\[3,2\]' m.safetensors || fail "the model lacks the rows without a target"
    expect 2 fit --x x.csv --y x.csv -o m.safetensors --json
    err_has "target 'a' .*input 0"
    err_has 'allow-target-in-inputs'
    expect 0 fit --x x.csv --y x.csv --allow-target-in-inputs -o m.safetensors --json
    valid_json out "v['n'] == 40 and v['ahead'] == 0 and not v['feedback']"
    expect 0 fit --x x.csv --y x.csv --ahead 1 -o m.safetensors --json
    valid_json out "v['n'] == 39 and v['feedback']"
    # The next inputs are in a separate file with other names and are recognised by their values.
    head -n 40 x.csv >this.csv
    { echo p,q; tail -n +3 x.csv; } >next.csv
    expect 0 fit --x this.csv --y next.csv -o m.safetensors --json
    valid_json out "v['n'] == 39 and v['feedback']"
    # The last row has no known next value; for the row before it the value must be correct.
    sed '$s/.*/1,1/' next.csv >last.csv
    expect 0 fit --x this.csv --y last.csv -o m.safetensors --json
    valid_json out "v['feedback']"
    sed '39s/.*/1,1/' next.csv >before.csv
    expect 0 fit --x this.csv --y before.csv -o m.safetensors --json
    valid_json out "not v['feedback']"
    expect 2 fit --x x.csv --ahead 0 -o m2.safetensors
    expect 2 fit --x x.csv --ahead 40 -o m2.safetensors
    err_names 40 rows
    absent m2.safetensors
}
check "fit --ahead, and models that continue supports" fit_ahead

fit_rows()
{
    series 40 >x.csv
    { sed -n 1p x.csv; sed -n '11,30p' x.csv; } >part.csv
    expect 0 fit --x part.csv -o part.safetensors --fitted part-fitted.csv
    expect 0 fit --x x.csv --rows 9:29 -o rows.safetensors --fitted rows-fitted.csv
    same part-fitted.csv rows-fitted.csv
    expect 0 fit --x x.csv --rows -31:-11 -o rows.safetensors --fitted rows-fitted.csv
    same part-fitted.csv rows-fitted.csv
}
check "fit --rows selects rows" fit_rows

fit_missing()
{
    series 40 | sed '10s/.*/0.1,/' >x.csv
    expect 1 fit --x x.csv -o m.safetensors
    err_has "x.csv.*line 10.*'?b'?.*--missing interpolate"
    absent m.safetensors
    expect 0 fit --x x.csv:a -o m.safetensors
    no_err
    expect 0 fit --x x.csv --missing drop -o m.safetensors
    err_has '^volterra: warning: .*1 row '
    out_has '^data +38 rows'
    expect 0 fit --x x.csv --missing interpolate -o m.safetensors
    err_names warning 1 interpolated
    out_has '^data +39 rows'
    expect 0 fit --x x.csv --missing interpolate --quiet -o m.safetensors
    no_err
    # A missing input drops the row of both files.
    series 40 >whole.csv
    expect 0 fit --x x.csv:b --y whole.csv:a --missing drop -o m.safetensors
    out_has '^data +39 rows'
}
check "fit --missing error, drop, interpolate" fit_missing

fit_missing_most()
{
    # A column that holds one value, as files with a sampling time have it: 1 of 40 rows is whole.
    series 40 | awk -F, 'NR == 1 { print $0 ",Ts"; next } { print $0 "," (NR == 2 ? 4 : "") }' >x.csv
    expect 1 fit --x x.csv --missing drop -o m.safetensors
    err_has '(1|one) row.*39 of 40 rows'
    expect 1 fit --x x.csv:a,Ts --y x.csv:b --missing drop -o m.safetensors
    err_has '(1|one) row.*39 of 40 rows'
    absent m.safetensors
    expect 0 fit --x x.csv:a,b --missing drop -o m.safetensors
    no_err
    # 12 of 40 whole rows are enough to fit, and few enough for a warning; 28 are not.
    awk -F, 'NR > 1 && NR > 13 { $3 = "" } NR > 1 && NR <= 13 { $3 = 4 } { print $1 "," $2 "," $3 }' x.csv >some.csv
    expect 0 fit --x some.csv --missing drop -o m.safetensors
    err_names warning some.csv 28 40 rows columns
    lines_of err 1
    expect 0 predict m.safetensors --x some.csv --missing drop -o y.csv
    err_has '28 of 40 rows'
    expect 0 fit --x some.csv --missing drop --quiet -o m.safetensors
    no_err
    expect 2 fit --x some.csv --missing drop --washout 20 -o m.safetensors
    err_has 'washout.*28 of 40 rows'
}
check "fit --missing drop with more than half of the rows dropped" fit_missing_most

fit_switches()
{
    series 60 1 | sed 's/^a$/u/' >x.csv
    expect 0 fit --x x.csv --no-intercept -o m.safetensors --json
    valid_json out "not v['intercept'] and v['scaled']"
    expect 0 fit --x x.csv --no-scale --kernel volterra:tau=0.5,lambda=0.5 -o m.safetensors --json
    valid_json out "v['intercept'] and not v['scaled'] and v['tau'] == 0.5 and v['lambda'] == 0.5"
    expect 0 fit --x x.csv -o m.safetensors --threads 1 --quiet
}
check "fit --no-intercept, --no-scale, --threads" fit_switches

fit_pipes()
{
    small_model
    expect 0 fit --x - --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 -o piped.safetensors <x.csv
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 -o -
    cp out written.safetensors
    expect 0 continue model.safetensors --steps 4
    cp out path.csv
    expect 0 continue piped.safetensors --steps 4
    same out path.csv
    expect 0 continue written.safetensors --steps 4
    same out path.csv
    expect 0 continue - --steps 4 <model.safetensors
    same out path.csv
    sed '1s/^/# /' x.csv >marked.csv # a header with the mark of a comment
    expect 0 fit --x - --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 -o marked.safetensors <marked.csv
    expect 0 continue marked.safetensors --steps 4
    same out path.csv
    expect 2 fit --x - --y - -o m <x.csv
    expect 2 fit --x x.csv --json -o -
    expect 2 predict - --x - <x.csv
    expect 2 stream - <x.csv
    expect 1 continue - --steps 4 <x.csv
}
check "fit from standard input and to standard output" fit_pipes

fit_protects_inputs()
{
    series 30 >x.csv
    cp x.csv copy.csv
    expect 2 fit --x x.csv -o x.csv
    err_names input
    expect 2 fit --x x.csv:a --y x.csv:b -o ./x.csv
    expect 2 fit --x x.csv --fitted x.csv -o m.safetensors
    expect 2 fit --x x.csv --fitted m -o m
    same x.csv copy.csv
    absent m
}
check "fit does not overwrite its inputs" fit_protects_inputs

lift_bounds()
{
    # |z| <= 1, tau 0.9: the bound is 0.4359 for geometric, 0.5864 for even, 1 for rbf.
    series 40 1 >x.csv
    expect 2 fit --x x.csv --kernel volterra:tau=0.9,lambda=0.5 -o m.safetensors
    err_has '0\.5.*0\.4358'
    expect 0 fit --x x.csv --kernel volterra:tau=0.9,lambda=0.5,lift=even -o m.safetensors
    expect 2 fit --x x.csv --kernel volterra:tau=0.9,lambda=0.6,lift=even -o m.safetensors
    expect 0 fit --x x.csv --kernel volterra:gamma=0.5,lambda=0.95,lift=rbf -o m.safetensors
    expect 2 fit --x x.csv --kernel volterra:tau=0.9,lambda=0.95 -o m.safetensors
    expect 2 fit --x x.csv --kernel volterra:gamma=0.5,lambda=1,lift=rbf -o m.safetensors
}
check "lambda within the bound of even or rbf, outside that of geometric" lift_bounds

fit_missing_target()
{
    # Only the target is missing: the row updates the state and is not fitted.
    awk "$uniform"'BEGIN { seeded(5); print "u,y"; for (t = 0; t < 80; t++) { x = uniform() - 0.5; printf "%.6f,", x
         if (t % 9 == 4) print "NA"; else printf "%.6f\n", x + 0.5 * p; p = x } }' >holes.csv
    expect 1 fit --x holes.csv:u --y holes.csv:y -o m.safetensors
    err_has "column 'y'"
    expect 0 fit --x holes.csv:u --y holes.csv:y --missing drop -o m.safetensors --json --fitted f.csv
    err_names 9 80 rows
    valid_json out "v['n'] == 80 and v['r2'] > 0.9 and v['heldout_r2'] > 0.5"
    lines_of f.csv 81
    # A row with missing inputs is dropped.
    awk -F, 'NR == 20 { print "," $2; next } { print }' holes.csv >both.csv
    expect 0 fit --x both.csv:u --y both.csv:y --missing drop -o m.safetensors --json
    valid_json out "v['n'] == 79"
}
check "fit --missing drop: inputs of a row without target enter the state" fit_missing_target
