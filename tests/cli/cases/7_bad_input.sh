# tests/cli/cases/7_bad_input.sh: invalid data, kernels and numbers: exit status, one-line message, no output
# file.

# refuse STATUS PATTERN FIT-ARGUMENTS...
refuse()
{
    local wanted=$1 about=$2
    shift 2
    expect "$wanted" fit "$@" -o m.safetensors
    err_has "$about"
    no_out
    absent m.safetensors
    nothing_left
}

bad_cells()
{
    series 20 | sed '7s/.*/0.5,nan/' >x.csv
    refuse 1 "line 7.*b" --x x.csv
    series 20 | sed '7s/.*/0.5,-inf/' >x.csv
    refuse 1 "line 7.*b" --x x.csv
    series 20 | sed '8s/.*/hello,0.5/' >x.csv
    refuse 1 "line 8.*a.*hello" --x x.csv
    series 20 | sed '9s/.*/,0.5/' >x.csv
    refuse 1 "line 9.*a" --x x.csv
    # The same in the targets.
    series 20 >good.csv
    refuse 1 "x.csv.*line 9" --x good.csv --y x.csv
}
check "NaN, infinity, text and empty CSV cells" bad_cells

ragged_rows()
{
    series 20 | sed '11s/.*/0.5/' >x.csv
    refuse 1 'line 11' --x x.csv
    series 20 | sed '12s/.*/0.5,0.5,0.5/' >x.csv
    refuse 1 'line 12' --x x.csv
}
check "ragged rows" ragged_rows

empty_files()
{
    : >x.csv
    refuse 1 'x.csv' --x x.csv
    echo a,b >x.csv
    refuse 1 'x.csv' --x x.csv
    printf 'a,b\n1,2\n' >x.csv
    refuse 1 '1 row' --x x.csv
    refuse 1 . --x x.csv --y x.csv
    printf 'date\n2020-01-01\n2020-01-02\n' >x.csv
    refuse 1 'column' --x x.csv
    printf '\n\n\n' >x.csv
    refuse 1 'x.csv' --x x.csv
    : >x.npy
    refuse 1 'x.npy' --x x.npy
    : >x.mat
    refuse 1 'x.mat' --x x.mat
    refuse 1 'no-such.csv.*No such file' --x no-such.csv
    mkdir folder.csv
    refuse 1 'folder.csv' --x folder.csv
    refuse 1 'standard input' --x - </dev/null
}
check "empty file, one row, zero columns, no file" empty_files

all_zero()
{
    awk 'BEGIN { print "a,b"; for (t = 0; t < 20; t++) print "0,0" }' >x.csv
    volterra fit --x x.csv -o m.safetensors
    [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "status $status"
    one_line
    absent m.safetensors
    err_has 'zero|constant|same'
}
check "inputs all zero" all_zero

bad_kernels()
{
    series 20 1 >x.csv
    refuse 2 'did you mean "?volterra' --x x.csv --kernel voltera
    refuse 2 'did you mean "?lambda' --x x.csv --kernel volterra:lamda=0.5
    refuse 2 'tau' --x x.csv --kernel volterra:tau=1,lambda=0.1
    refuse 2 'tau' --x x.csv --kernel volterra:tau=1.5,lambda=0.1
    refuse 2 'tau' --x x.csv --kernel volterra:tau=-0.5
    refuse 2 'tau_coef' --x x.csv --kernel volterra:tau_coef=1
    refuse 2 'number' --x x.csv --kernel volterra:tau=half
    refuse 2 'lift' --x x.csv --kernel volterra:lift=evne
    refuse 2 . --x x.csv --kernel volterra:tau
    refuse 2 . --x x.csv --kernel volterra:
    refuse 2 . --x x.csv --kernel volterra:tau=0.5,tau=0.5
    refuse 2 . --x x.csv --kernel volterra:tau=nan
    refuse 2 'must not be empty' --x x.csv --kernel ''
}
check "unknown kernel or parameter: the nearest one is named; tau >= 1" bad_kernels

lambda_bound()
{
    # tau = 0.6 and M = 1: the bound is 0.8, up to the rounding of the scale.
    series 20 1 >x.csv
    refuse 2 'lambda.*0\.8' --x x.csv --kernel volterra:tau=0.6,lambda=0.8
    refuse 2 'lambda.*0\.8' --x x.csv --kernel volterra:tau=0.6,lambda=0.9
    refuse 2 'lambda' --x x.csv --kernel volterra:tau=0.6,lambda=1
    refuse 2 'lambda' --x x.csv --kernel volterra:lambda=0
    expect 0 fit --x x.csv --kernel volterra:tau=0.6,lambda=0.799 -o m.safetensors
}
check "lambda at and above its bound" lambda_bound

bad_numbers()
{
    series 20 >x.csv
    refuse 2 '--alpha must be positive \(got 0\)' --x x.csv --alpha 0
    refuse 2 '--alpha must be positive \(got -1\)' --x x.csv --alpha -1
    refuse 2 'alpha' --x x.csv --alpha nan
    refuse 2 'alpha' --x x.csv --alpha inf
    refuse 2 'alpha' --x x.csv --alpha small
    refuse 2 'washout.*19' --x x.csv --washout 19
    refuse 2 'washout' --x x.csv --washout 100
    refuse 2 'washout' --x x.csv --washout -1
}
check "alpha <= 0, washout >= n" bad_numbers

tiny_alpha()
{
    # Equal inputs after a long past make equal rows of K: alpha far below rounding cannot hold them apart.
    awk 'BEGIN { for (t = 0; t < 300; t++) print (t % 2 ? 1 : -1) }' >x.csv
    volterra fit --x x.csv --kernel volterra:tau_coef=0.3,lambda_coef=0.3 --alpha 1e-300 -o m.safetensors
    if [ "$status" -eq 0 ]; then
        err_has '^volterra: warning: .*alpha'
    else
        [ "$status" -eq 1 ] || fail "status $status"
        one_line
        err_has 'alpha'
        absent m.safetensors
    fi
}
check "alpha below the rounding level" tiny_alpha

mismatched_rows()
{
    series 20 >x.csv
    series 19 >y.csv
    refuse 1 'x.csv has 20 rows but y.csv has 19' --x x.csv --y y.csv
    refuse 1 'x.csv has 20 rows but y.csv has 19' --x x.csv --y y.csv --missing drop
}
check "mismatched rows of x and y" mismatched_rows

unknown_column()
{
    printf 'alpha,beta\n1,2\n3,4\n5,7\n' >x.csv
    refuse 1 "'alhpa'.*'alpha'.*'beta'" --x x.csv:alhpa
    refuse 1 'x.csv' --x x.csv:gamma*
    refuse 1 'FILE:COLUMN.*x.csv:beta' --x x.csv:alpha --y beta
}
check "unknown column: the nearest one is named" unknown_column

too_large()
{
    # 400,000 rows: 1.2 TiB for the Gram matrix. Refused before it is allocated.
    expect 0 simulate mackey-glass --length 400000 --every 1 -o x.npy
    refuse 1 'requires .*GiB.*run: volterra plan --n 399999 --d 1' --x x.npy --solver exact
    expect 1 gram --x x.npy -o K.npy
    err_has 'memory'
    absent K.npy
}
check "n too large for the memory: rejected with advice" too_large

too_large_for_limit()
{
    [ "$sanitized" = no ] || skip "no address space limit under AddressSanitizer"
    series 12000 1 >x.csv
    # 1.1 GiB of matrix in 0.8 GiB of address space; one thread, because each takes its own share of it.
    export OMP_NUM_THREADS=1
    ( ulimit -v 800000 && expect 1 fit --x x.csv --solver exact -o m.safetensors && err_has 'requires .*GiB.*available' ) || exit 1
    absent m.safetensors
}
check "n too large for the resource limit" too_large_for_limit

foreign_files()
{
    series 20 >x.csv
    head -c 5000 /dev/urandom >noise.npy
    refuse 1 'noise.npy' --x noise.npy
    head -c 5000 /dev/urandom >noise.mat
    refuse 1 'noise.mat' --x noise.mat
    head -c 5000 /dev/zero >zeros.csv
    refuse 1 'zeros.csv' --x zeros.csv
    expect 1 predict x.csv --x x.csv
    err_has 'x.csv'
    expect 1 predict no-such.safetensors --x x.csv
    err_names no-such.safetensors No
    mkdir folder
    expect 1 predict folder --x x.csv
    : >empty
    expect 1 predict empty --x x.csv
}
check "files of another format" foreign_files

# Endless files: an error after the first bytes, not after all memory is used.
endless_files()
{
    small_model
    for file in /dev/zero /dev/urandom; do
        for command in "predict $file --x x.csv" "continue $file --steps 2" "predict model.safetensors --x $file" \
            "fit --x $file -o m.safetensors" "bekk simulate --params $file --length 5" "gram --x $file" \
            "stream model.safetensors --state $file" "fit --x x.csv --y x.csv:a --series $file -o m.safetensors"; do
            read -ra words <<<"$command"
            timeout 20 "$VOLTERRA" "${words[@]}" </dev/null >out 2>err
            status=$?
            [ $status -eq 1 ] || [ $status -eq 2 ] || fail "status $status: $command"
            one_line
        done
        timeout 20 "$VOLTERRA" predict - --x x.csv <$file >out 2>err
        [ $? -eq 1 ] || fail "a model from standard input, $file"
        timeout 20 "$VOLTERRA" fit --x - -o m.safetensors <$file >out 2>err
        [ $? -eq 1 ] || fail "a table from standard input, $file"
    done
    timeout 20 "$VOLTERRA" stream model.safetensors </dev/zero >out 2>err
    [ $? -eq 1 ] || fail "a line without an end"
    err_names line 1
    absent m.safetensors
    # A pipe with a model or a table in it is read as ever, also one that holds more than a model.
    expect 0 predict model.safetensors --x x.csv -o expected.csv
    "$VOLTERRA" predict - --x x.csv -o piped.csv <model.safetensors >out 2>err || fail "a model through standard input"
    same expected.csv piped.csv
    cat model.safetensors | "$VOLTERRA" predict /dev/stdin --x <(cat x.csv) -o piped.csv >out 2>err || fail "pipes"
    same expected.csv piped.csv
    cat model.safetensors /dev/zero 2>cat.err | timeout 20 "$VOLTERRA" predict - --x x.csv >out 2>err
    [ "${PIPESTATUS[1]}" -eq 1 ] || fail "zeros behind the last tensor"
    err_names tensor
    # Endless rows: the memory limit stops the reader.
    [ $sanitized = yes ] && return
    (ulimit -v 1000000; yes 1,2 | timeout 60 "$VOLTERRA" fit --x - -o m.safetensors --threads 1 >out 2>err
        [ "${PIPESTATUS[1]}" -eq 1 ]) || fail "rows without an end"
    err_has 'memory|allocate'
}
check "endless input files" endless_files

thousands()
{
    local mark other
    for mark in . ,; do
        other=$(printf %s "$mark" | tr .,  ,.)
        awk -v mark="$mark" 'BEGIN { print "month;y"
            for (t = 0; t < 36; t++) { v = 960 + 5 * t + int(30 * sin(t * 0.5235987756) + 0.5)
                printf "%d-%02d;%s\n", 2020 + int(t / 12), 1 + t % 12,
                       v < 1000 ? v : int(v / 1000) mark sprintf("%03d", v % 1000) } }' >x.csv
        rm -f yhat.csv
        expect 1 forecast x.csv --plot none -o yhat.csv
        err_names x.csv "'y'" "'1${mark}0" thousands decimal "'$mark'"
        [ ! -e yhat.csv ] || fail "yhat.csv was written"
        expect 0 forecast x.csv --steps 1 --plot none --thousands "$mark" -o yhat.csv
        sed -n 2p yhat.csv | awk -F, '$2 < 1000 || $2 > 1300 { exit 1 }' || fail "the forecast is $(sed -n 2p yhat.csv)"
        expect 0 forecast x.csv --steps 1 --plot none --decimal "$other" -o same.csv
        cmp -s yhat.csv same.csv || fail "--decimal $other is not --thousands $mark"
        expect 0 forecast x.csv --steps 1 --plot none --decimal "$mark" -o yhat.csv
        sed -n 2p yhat.csv | awk -F, '$2 > 1000 { exit 1 }' || fail "the forecast is $(sed -n 2p yhat.csv)"
    done
    # Another column shows the decimal mark.
    printf 'a;b\n996;1,5\n1.045;2,25\n1.100;3\n997;4,5\n' >x.csv
    expect 0 score --truth x.csv:a --pred x.csv:b --json
    valid_json out "abs(v['mae'] - (996 + 1045 + 1100 + 997 - 11.25) / 4) < 1e-9"
    expect 2 forecast x.csv --thousands x
    err_names thousands "'x'"
    expect 2 forecast x.csv --thousands . --decimal .
    err_names thousands decimal
    expect 2 stream none.safetensors --thousands .
    err_names --thousands stream
    printf 'series,x\na,996\na,1.045\n' >c.csv
    expect 1 gram --collection c.csv --kernel gak -o k.csv
    err_names c.csv "'x'" "'1.045'"
    expect 2 gram --collection c.csv --kernel gak -o k.csv --thousands .
    err_names --thousands collections
}
check "separators of thousands are an error unless the marks are given" thousands
