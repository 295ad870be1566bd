# tests/cli/cases/5_forecast.sh: predict, continue, stream.

predict_file()
{
    small_model
    expect 0 predict model.safetensors --x x.csv --rows -1: -o yhat.csv
    no_out
    no_err
    lines_of yhat.csv 2
    [ "$(sed -n 1p yhat.csv)" = a,b ] || fail "the header is $(sed -n 1p yhat.csv)"
    expect 0 predict model.safetensors --x x.csv --rows -1:
    same out yhat.csv
    expect 0 predict model.safetensors --x - --rows -1: <x.csv
    same out yhat.csv
    expect 0 predict model.safetensors --x x.csv --start reset
    lines_of out 61
    expect 0 predict model.safetensors --x x.csv --json
    valid_json out "v['columns'] == ['a', 'b'] and len(v['rows']) == 60 and v['beyond'] == 0"
    expect 0 predict model.safetensors --x x.csv --json -o yhat.npy
    valid_json out "v['rows'] == 60 and v['columns'] == 2"
}
check "predict" predict_file

predict_reset()
{
    # Started anew on the training rows, the model gives the fitted values again.
    series 60 >x.csv
    expect 0 fit --x x.csv --alpha 1e-6 --fitted fitted.csv -o model.safetensors
    expect 0 predict model.safetensors --x x.csv --rows :59 --start reset -o reset.csv
    expect 0 score --truth fitted.csv --pred reset.csv --json
    valid_json out "v['rows'] == 59 and v['nmse'] < 1e-16"
    expect 0 predict model.safetensors --x x.csv --rows :59 -o onward.csv
    expect 0 score --truth fitted.csv --pred onward.csv --json
    valid_json out "v['nmse'] > 1e-16"
}
check "predict --start reset reproduces the fitted values" predict_reset

predict_names()
{
    small_model
    expect 0 predict model.safetensors --x x.csv
    cp out expected.csv
    # Another column order, additional columns, and text and missing values in unused columns.
    awk -F, 'NR == 1 { print "note,b,a,hole" } NR > 1 { print "text," $2 "," $1 "," (NR % 2 ? "" : 1) }' x.csv >wide.csv
    expect 0 predict model.safetensors --x wide.csv
    same out expected.csv
    awk -F, '{ print $2 "," $1 }' x.csv >turned.csv
    expect 0 predict model.safetensors --x - <turned.csv
    same out expected.csv
    sed '1s/.*/p,q/' x.csv >renamed.csv
    expect 0 predict model.safetensors --x renamed.csv
    same out expected.csv
    err_names warning renamed.csv "'p, q'" "'a, b'"
    tail -n +2 x.csv >bare.csv
    expect 0 predict model.safetensors --x bare.csv
    same out expected.csv
    ! grep -q 'by position' err || fail "a warning for columns without names: $(cat err)"
    # Some of the names: neither by name nor by position.
    sed '1s/.*/b,c/' x.csv >partly.csv
    for command in predict explain; do
        option=$([ $command = predict ] && echo --x || echo --along)
        expect 1 $command model.safetensors $option partly.csv
        err_names partly.csv "'a, b'" "'b, c'"
        no_out
    done
    expect 1 continue model.safetensors --after partly.csv --steps 2
    err_names partly.csv "'a, b'" "'b, c'"
    expect 1 score --truth partly.csv --pred x.csv
    err_names partly.csv "'a, b'" "'b, c'"
    expect 1 gram --x x.csv --y partly.csv --kernel linear
    err_names partly.csv "'a, b'" "'b, c'"
    expect 0 gram --x x.csv --y x.csv --kernel linear
    cp out same.csv
    expect 0 gram --x x.csv --y turned.csv --kernel linear
    same out same.csv
    sed '1s/.*/a,q/; s/$/,1/; 1s/1$/r/' x.csv >lacking.csv
    expect 1 predict model.safetensors --x lacking.csv
    err_names column
    expect 1 predict model.safetensors --x x.csv:a
}
check "predict finds the model's columns by name" predict_names

predict_beyond()
{
    small_model
    { cat x.csv; echo 100,-100; echo 0,50; } >far.csv
    expect 0 predict model.safetensors --x far.csv -o yhat.csv
    err_names warning 2 62 input rows
    err_names far.csv 59 --start
    lines_of err 3
    ! grep -qiE 'nan|inf' yhat.csv || fail "the forecast is not finite"
    expect 0 predict model.safetensors --x far.csv --quiet -o yhat.csv
    no_err
    rm yhat.csv
    expect 1 predict model.safetensors --x far.csv --beyond error -o yhat.csv
    err_has '(row|line) 6[01]'
    absent yhat.csv
    expect 1 predict model.safetensors --x far.csv --beyond allow -o yhat.csv
    absent yhat.csv
    { cat x.csv; awk -F, 'NR > 1 && $1 * $1 + $2 * $2 > 2.5 { print $1 * 1.05 "," $2 * 1.05 }' x.csv; } >near.csv
    expect 0 predict model.safetensors --x near.csv --beyond allow -o yhat.csv
}
check "predict --beyond clip, error, allow" predict_beyond

continue_path()
{
    small_model
    expect 0 continue model.safetensors --steps 25 -o path.csv
    no_out
    lines_of path.csv 26
    [ "$(sed -n 1p path.csv)" = a,b ] || fail "the header is $(sed -n 1p path.csv)"
    # Its first row is the forecast for the last training target, its second the forecast for the first.
    { sed -n 1p x.csv; tail -n 1 x.csv; sed -n 2p path.csv; } >two.csv
    expect 0 predict model.safetensors --x two.csv -o yhat.csv
    head -n 3 path.csv >first.csv
    expect 0 score --truth first.csv --pred yhat.csv --json
    valid_json out "v['nmse'] < 1e-16"
    expect 2 continue model.safetensors --steps 0
    expect 1 continue model.safetensors --steps 1e14
    err_has 'memory'
    expect 0 fit --x x.csv:a --y x.csv:b -o other.safetensors
    expect 2 continue other.safetensors --steps 3
    err_has 'cannot continue'
}
check "continue" continue_path

continue_after()
{
    series 80 >all.csv
    head -n 61 all.csv >x.csv # rows 0 to 59
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 -o model.safetensors
    # From the last training row on, as for predict, or from the row after it: the same path.
    expect 0 continue model.safetensors --after all.csv --rows 59:75 --steps 8 -o path.csv
    no_out
    lines_of path.csv 9
    expect 0 continue model.safetensors --after all.csv --rows 60:75 --steps 8 -o later.csv
    same path.csv later.csv
    # Its first row is the forecast of the last row that went in, its second that of the first.
    { sed -n 1p all.csv; sed -n 61,76p all.csv; sed -n 2p path.csv; } >rows.csv
    expect 0 predict model.safetensors --x rows.csv -o yhat.csv
    { sed -n 1p yhat.csv; tail -n 2 yhat.csv; } >two.csv
    head -n 3 path.csv >first.csv
    near two.csv first.csv 1e-9
    # It is another path than that from the end of training.
    expect 0 continue model.safetensors --steps 8 -o end.csv
    cmp -s path.csv end.csv && fail "the rows of --after changed nothing"
    tail -n +61 all.csv | sed '1i a,b' >in.csv
    expect 0 continue model.safetensors --after - --steps 3 --json <in.csv
    valid_json out "len(v['rows']) == 3"
    expect 2 continue model.safetensors --steps 3 --rows 3:
    err_names --rows --after
    expect 2 continue model.safetensors --after x.csv --steps 3 -o x.csv
    err_names input
    expect 1 continue model.safetensors --after nofile.csv --steps 3
    expect 1 continue model.safetensors --after x.csv:a --steps 3
    printf 'a,b\n1,\n' >hole.csv
    expect 1 continue model.safetensors --after hole.csv --steps 3
    err_has 'missing'
}
check "continue --after: later rows enter the state" continue_after

continue_after_dates()
{
    awk 'BEGIN { print "day,a"; for (t = 1; t <= 28; t++) printf "2024-02-%02d,%.12g\n", t, sin(0.3 * t) }' >x.csv
    expect 0 fit --x x.csv:a --rows :20 --alpha 1e-4 -o model.safetensors
    expect 0 continue model.safetensors --after x.csv --rows 20: --steps 3
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'day 2024-02-29 2024-03-01 2024-03-02 ' ] || fail "the times: $(cat out)"
    sed '12d;15d' x.csv >gaps.csv
    expect 0 continue model.safetensors --after gaps.csv --rows 8: --steps 2
    err_names column "'day'" gaps.csv rows
    [ "$(head -n 1 out)" = a ] || fail "the header is $(head -n 1 out)"
}
check "continue --after: the times of the path" continue_after_dates

# The first new row has the value of the last training row. Dates decide; without dates a warning says what was done.
values_after() # NAME ARGUMENTS...: the path alone, without its times, into NAME
{
    expect 0 continue "${@:2}" --steps 3
    sed 's/.*,//' out >"$1"
}

continue_after_equal_row()
{
    # Rows 19 (the last of training) and 20 are equal. Weeks of five days have no regular step.
    awk 'BEGIN { print "day,a"; for (t = 0; t < 28; t++) { d += t % 5 == 4 ? 3 : 1; x = t == 20 ? last : sin(0.7 * t)
            last = x; printf "2024-%02d-%02d,%.12g\n", 1 + int(d / 28), 1 + d % 28, x } }' >weeks.csv
    awk 'BEGIN { print "day,a"; for (t = 0; t < 28; t++) { x = t == 20 ? last : sin(0.7 * t)
            last = x; printf "2024-02-%02d,%.12g\n", t + 1, x } }' >days.csv
    for data in weeks days; do
        expect 0 fit --x $data.csv:a --rows :20 --alpha 1e-4 -o model.safetensors
        # The last training row in front, or not: the same rows are new, and the path is the same.
        values_after at.csv model.safetensors --after $data.csv --rows 19:24
        grep -q 'equals' err && fail "dates decide"
        values_after behind.csv model.safetensors --after $data.csv --rows 20:24
        grep -q 'equals' err && fail "dates decide"
        same at.csv behind.csv
        # Rows of training before it are left out, and counted.
        values_after before.csv model.safetensors --after $data.csv --rows 12:24
        err_has '7 rows before'
        same at.csv before.csv
        expect 1 continue model.safetensors --after $data.csv --rows 3:9 --steps 3
        err_names row
        # Without dates the row counts as the last training row, which a warning says; behind that row it is new.
        cut -d, -f2 $data.csv >plain.csv
        values_after guessed.csv model.safetensors --after plain.csv --rows 20:24
        err_names row
        values_after plain19.csv model.safetensors --after plain.csv --rows 19:24
        same at.csv plain19.csv
        cmp -s guessed.csv at.csv && fail "the new row changed nothing"
    done
    expect 0 continue model.safetensors --after days.csv --rows 22:25 --steps 1
    err_has ': 2 row' # 20 and 21
}
check "continue --after: a first row equal to the last training row" continue_after_equal_row

stream_lines()
{
    small_model
    expect 0 predict model.safetensors --x x.csv -o yhat.csv
    expect 0 stream model.safetensors --header <x.csv
    cp out streamed.csv
    lines_of streamed.csv 61
    [ "$(sed -n 1p streamed.csv)" = a,b ] || fail "the header is $(sed -n 1p streamed.csv)"
    # Line by line: to rounding, which is far below 1e-9 here.
    paste -d, yhat.csv streamed.csv | awk -F, 'NR > 1 {
        if (($1 - $3) ^ 2 + ($2 - $4) ^ 2 > 1e-18) { print "line " NR ": " $0; bad = 1 } } END { exit bad }' ||
        fail "stream and predict differ"
    tail -n +2 x.csv >bare.csv
    expect 0 stream model.safetensors <bare.csv
    tail -n +2 streamed.csv | cmp -s - out || fail "without header lines the numbers differ"
    expect 0 stream model.safetensors --start reset --json <bare.csv
    head -n 1 out >one.json
    valid_json one.json 'len(v) == 2'
    awk -F, '{ print (NR == 1 ? "date" : "2020-01-01") "," $2 "," $1 }' x.csv >dated.csv
    expect 0 stream model.safetensors --header <dated.csv
    same out streamed.csv
    expect 0 stream model.safetensors </dev/null
    no_out
}
check "stream equals predict, line by line" stream_lines

stream_separators()
{
    # However a line is divided, the first row is no header, and a header orders the columns.
    local with separator
    small_model
    head -n 9 x.csv >few.csv
    expect 0 stream model.safetensors --header <few.csv
    cp out expected.csv
    for with in ';' '\t' '  '; do
        separator=$(printf '%b' "$with")
        tail -n +2 few.csv | sed "s/,/$separator/" >rows
        expect 0 stream model.safetensors --header <rows
        same out expected.csv
        awk -F, -v OFS="$separator" '{ print $2, 7, $1 }' few.csv | sed '1s/7/z/' >rows
        expect 0 stream model.safetensors --header <rows
        same out expected.csv
    done
    # Prefixes of a header: a byte order mark, the '#' of numpy.savetxt.
    awk -F, -v OFS=, '{ print (NR == 1 ? "\357\273\277" : "") $2, $1 }' few.csv >rows
    expect 0 stream model.safetensors --header <rows
    same out expected.csv
    awk -F, '{ print (NR == 1 ? "# " : "") $2 " " $1 }' few.csv >rows
    expect 0 stream model.safetensors --header <rows
    same out expected.csv
    # A row that lacks a cell is no row with a date before it.
    printf 'z,a,b\n0.1,0.2\n' >rows
    expect 1 stream model.safetensors --strict <rows
    err_names line 2 input 3
    no_out
}
check "stream: separators, marks and short rows" stream_separators

stream_answers()
{
    # The answer to a line comes before the next line is sent.
    small_model
    mkfifo question answer
    "$VOLTERRA" stream model.safetensors <question >answer 2>err &
    local job=$! reply i
    exec 3>question 4<answer
    for i in 1 2 3; do
        echo "0.$i,-0.$i" >&3
        read -r -t 30 reply <&4 || fail "no answer to line $i"
        [[ $reply == *,* ]] || fail "the answer is '$reply'"
    done
    exec 3>&-
    wait $job || fail "status $?"
}
check "stream writes each prediction before reading the next line" stream_answers
