# tests/cli/cases/5_combine.sh: models that are weighted sums of models.

# Two models of the same columns, one with feedback; rows.csv has 60 rows.
two_models()
{
    awk 'BEGIN { print "u,y"; for (t = 0; t < 60; t++) { u = sin(t * t); y = 0.5 * y + u + 0.3 * u * u; print u "," y } }' >rows.csv
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fir --alpha 0.01 --rows :40 -o linear.safetensors
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fading --alpha 0.01 --feedback --rows :40 -o fed.safetensors
}

combine_predicts()
{
    local name
    two_models
    expect 0 combine linear.safetensors fed.safetensors --weights 0.25,0.75 -o sum.safetensors
    out_has 'average'
    out_has '0.75 fed.safetensors'
    for name in linear fed sum; do
        expect 0 predict "$name.safetensors" --x rows.csv:u --rows 40: -o "$name.csv"
    done
    paste -d, linear.csv fed.csv sum.csv | awk -F, 'NR > 1 { d = $3 - (0.25 * $1 + 0.75 * $2); if (d * d > 1e-26) exit 1 }' ||
        fail "the predictions are not the weighted sum"
    # A stream gives the same numbers to rounding, and continues from its state.
    tail -n 20 rows.csv | cut -d, -f1 >inputs
    head -n 8 inputs >first
    tail -n 12 inputs >second
    expect 0 stream sum.safetensors --state state <first
    cp out answers
    expect 0 stream sum.safetensors --state state <second
    cat out >>answers
    tail -n +2 sum.csv | paste -d, - answers | awk -F, '{ d = $1 - $2; if (d * d > 1e-24) exit 1 }' ||
        fail "the stream differs: $(paste sum.csv answers)"
    lines_of answers 20
    # Measured outputs of the residual kind reach the second model less the first.
    expect 0 combine linear.safetensors fed.safetensors --kind residual -o rest.safetensors --json
    out_has '"kind": "residual"'
    expect 0 predict rest.safetensors --x rows.csv:u --known rows.csv:y --rows 40: -o known.csv
    expect 0 predict rest.safetensors --x rows.csv:u --rows 40: -o free.csv
    cmp -s known.csv free.csv && fail "known outputs have no effect"
    expect 0 combine rest.safetensors sum.safetensors -o nested.safetensors
    expect 0 predict nested.safetensors --x rows.csv:u --rows 40: -o nested.csv
    paste -d, free.csv sum.csv nested.csv | awk -F, 'NR > 1 { d = $3 - ($1 + $2) / 2; if (d * d > 1e-26) exit 1 }' ||
        fail "the predictions of a sum of sums are not the mean"
}
check "combine: predictions and streams are weighted sums" combine_predicts

combine_refusals()
{
    two_models
    expect 0 combine linear.safetensors linear.safetensors -o sum.safetensors
    expect 2 combine linear.safetensors fed.safetensors --weights 1 -o other.safetensors
    err_names --weights 2 1
    expect 2 combine linear.safetensors -o linear.safetensors
    expect 2 combine -o other.safetensors
    err_names MODELS
    expect 1 combine linear.safetensors rows.csv -o other.safetensors
    err_names rows.csv
    expect 0 fit --x rows.csv:y --y rows.csv:u --kernel fir --alpha 0.01 -o swapped.safetensors
    expect 2 combine linear.safetensors swapped.safetensors -o other.safetensors
    err_names member 2 names inputs
    [ ! -e other.safetensors ] || fail "a file was written"
    # Operations that a sum does not support name themselves.
    expect 2 explain sum.safetensors
    err_names Volterra sum
    expect 2 predict sum.safetensors --x rows.csv:u --interval 0.9
    err_names interval sum
    volterra stream sum.safetensors --learn <rows.csv
    [ "$status" -ne 0 ] || fail "a sum learns"
    err_names learning sum
    volterra continue sum.safetensors --steps 3
    [ "$status" -ne 0 ] || fail "a sum continues"
    err_names sum.safetensors sum of models
    volterra predict sum.safetensors --x rows.csv:u --std
    [ "$status" -ne 0 ] || fail "a sum has standard deviations"
    err_names standard deviation sum
}
check "combine: models that differ, and operations that a sum does not support" combine_refusals
