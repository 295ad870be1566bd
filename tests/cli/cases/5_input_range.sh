# tests/cli/cases/5_input_range.sh: warnings about inputs outside the range of training.

input_range()
{
    # Training on inputs from 1 to 2; then the same system on -1 to 0, and on inputs just outside the range.
    awk 'BEGIN { print "u,y"; for (t = 0; t < 100; t++) { u = 1.5 + 0.5 * sin(t * t); y = 0.5 * y + u * u; printf "%.10g,%.10g\n", u, y } }' >train.csv
    expect 0 fit --x train.csv:u --y train.csv:y --kernel fading --alpha 1e-3 -o m.safetensors
    printf 'u\n1.5\n1.2\n-1\n-0.5\n1.4\n' >below.csv
    expect 0 predict m.safetensors --x below.csv -o below.out
    err_names 2 rows row 3 input 1 u below
    printf 'u\n1.5\n2.05\n0.95\n' >margin.csv
    expect 0 predict m.safetensors --x margin.csv -o margin.out
    if grep -q 'training inputs by' err; then fail "inputs within the margin warn: $(cat err)"; fi
    printf 'u\n1.5\n2.2\n' >above.csv
    expect 0 predict m.safetensors --x above.csv -o above.out
    err_names 1 row 2 above
    # A stream has the same rule.
    sed 1d below.csv >lines
    expect 0 stream m.safetensors <lines
    err_names 2 rows row 3 input 1 below
    cmp out <(sed 1d below.out) || fail "a stream differs from predict"
    expect 0 stream m.safetensors <<<1.5
    [ ! -s err ] || fail "an input inside the range warns: $(cat err)"
}
check "inputs outside the range of training: side, row and column" input_range
