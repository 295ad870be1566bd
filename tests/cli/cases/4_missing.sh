# tests/cli/cases/4_missing.sh: handling of missing values.

# A series of 40 rows with a hole in row 5, column b, another in row 35, column a, and a column `note` of text.
holed_series()
{
    series 40 | awk -F, -v OFS=, '
        NR == 1 { print $0, "note"; next }
        NR == 7 { $2 = "" }
        NR == 37 { $1 = "NA" }
        { print $1, $2, "text" }'
}

missing_beside_rows()
{
    holed_series | cut -d, -f1,2 >x.csv
    series 40 >whole.csv
    # Rows 6 to 34 are complete. Commands with a row range ignore the other rows.
    expect 0 fit --x x.csv --rows 6:35 --alpha 1e-4 -o m.safetensors --fitted part.csv
    no_err
    expect 0 fit --x whole.csv --rows 6:35 --alpha 1e-4 -o m.safetensors --fitted whole-part.csv
    same part.csv whole-part.csv
    expect 0 fit --x x.csv:a --y x.csv:b --rows 6:35 --alpha 1e-4 -o xy.safetensors
    expect 0 tune --x x.csv --rows 6:35 --kernel rbf --draws 2 --folds 2
    expect 0 compare --x x.csv --rows 6:35 --kernel linear rbf --draws 1 --folds 2
    expect 0 predict m.safetensors --x x.csv --rows 6:35 -o part.csv
    expect 0 predict m.safetensors --x whole.csv --rows 6:35 -o whole-part.csv
    same part.csv whole-part.csv
    expect 0 predict m.safetensors --x x.csv --rows -34:-5 -o part.csv
    same part.csv whole-part.csv
    expect 0 score --truth x.csv --pred whole.csv --rows 6:35
    out_has '^data +29 rows'
    expect 0 score --truth x.csv --truth-rows 6:35 --pred whole-part.csv
    expect 0 gram --x x.csv --rows 6:35 --y x.csv --y-rows 10:12 --kernel linear -o K.csv
    lines_of K.csv 29
    expect 0 mcs x.csv --rows 6:35 --reps 50
    # A missing value within the range is reported with its line in the file.
    expect 1 fit --x x.csv --rows 6:36 -o m.safetensors
    err_names x.csv line 37 column "'a'" "'NA'" --missing drop interpolate
    expect 1 predict m.safetensors --x x.csv --rows 5: -o p.csv
    err_names line 7 column "'b'"
    expect 1 score --truth x.csv --pred whole.csv --rows :35
    err_has "line 7, column 'b'"
    # Row numbers refer to the file, before rows are dropped.
    expect 0 fit --x x.csv --rows 4:35 --missing drop -o m.safetensors
    err_names warning x.csv 1 row
    out_has '^data +29 rows'
    expect 0 fit --x x.csv:b --y x.csv:a --rows 4:35 --missing drop -o m.safetensors
    out_has '^data +30 rows'
    expect 0 fit --x x.csv --rows 6:35 --missing drop -o m.safetensors
    no_err
    expect 2 fit --x x.csv --rows 30:41 --missing drop -o m.safetensors
    err_names --rows 30:41 40 rows x.csv
    expect 2 score --truth whole.csv --pred whole.csv --pred-rows 8:8
    err_has '^volterra score: --pred-rows 8:8 .*40 rows of whole.csv'
    # Files that belong together are compared whole.
    head -n 38 whole.csv >short.csv
    expect 1 fit --x x.csv:a --y short.csv:b --rows 6:35 -o m.safetensors
    err_names x.csv:a 40 rows short.csv:b 37 row
}
check "missing values outside --rows are ignored" missing_beside_rows

missing_beside_columns()
{
    holed_series >x.csv
    series 40 >whole.csv
    expect 0 fit --x whole.csv:a --alpha 1e-4 -o m.safetensors
    expect 0 predict m.safetensors --x whole.csv -o expected.csv
    # Holes and text in columns that a model does not take, in a file and through a pipe.
    awk -F, -v OFS=, 'NR == 37 { $1 = "-1" } { print }' x.csv >b.csv
    awk -F, -v OFS=, 'NR == 37 { $1 = "-1" } { print }' whole.csv >w.csv
    expect 0 predict m.safetensors --x w.csv -o expected.csv
    expect 0 predict m.safetensors --x b.csv -o y.csv
    same y.csv expected.csv
    "$VOLTERRA" predict m.safetensors --x - -o y.csv <b.csv >out 2>err || fail "predict refuses standard input"
    same y.csv expected.csv
    expect 1 predict m.safetensors --x x.csv -o y.csv
    err_names x.csv line 37 column "'a'" "'NA'" --missing drop interpolate
    # A score looks at the columns of the forecast.
    cut -d, -f1 w.csv >a.csv
    expect 0 score --truth b.csv --pred a.csv
    out_has '^RMSE +0$'
    "$VOLTERRA" score --truth - --pred a.csv <b.csv >out 2>err || fail "score refuses standard input"
    expect 1 score --truth b.csv:a,b --pred w.csv
    err_has "b.csv: line 7, column 'b'"
}
check "missing values in unused columns are ignored" missing_beside_columns

missing_at_ends()
{
    series 40 | awk -F, -v OFS=, 'NR == 2 || NR == 3 { $2 = "" } NR == 41 { $1 = "NA" } NR == 20 { $1 = "" } { print }' >x.csv
    expect 0 fit --x x.csv --missing interpolate -o m.safetensors
    out_has '^data +39 rows'
    err_names warning x.csv 1 interpolated
    err_names warning x.csv 3 columns 2 1 column "'b'"
    lines_of err 2
    expect 0 fit --x x.csv --missing interpolate --quiet -o m.safetensors
    no_err
    expect 0 fit --x x.csv:b --missing interpolate -o m.safetensors
    err_names 2 columns column "'b'"
    # The ends of the selected rows count, and the nearest value is used.
    awk -F, -v OFS=, 'NR == 11 { $1 = "" } { print }' x.csv >y.csv
    awk -F, -v OFS=, 'NR == 10 { a = $1 } NR == 11 { $1 = a } { print }' x.csv >filled.csv
    expect 0 fit --x y.csv --rows 4:10 --alpha 1e-4 --missing interpolate -o m.safetensors --fitted one.csv
    err_names 1 columns
    expect 0 fit --x filled.csv --rows 4:10 --alpha 1e-4 -o m.safetensors --fitted two.csv
    same one.csv two.csv
    awk -F, -v OFS=, 'NR > 1 { $2 = "" } { print }' x.csv >empty.csv
    expect 1 fit --x empty.csv --missing interpolate -o n.safetensors
    err_names empty.csv column "'b'" 40 rows
    absent n.safetensors
}
check "--missing interpolate at the ends of a column" missing_at_ends

# Records of 20 rows on levels 0 and 1000. Values filled in at the end or start of a record depend only on that
# record.
missing_in_records()
{
    awk 'function level(t) { return 1000 * int(t / 20) + sin(0.9 * t) }
        BEGIN { print "series,a,b" >"x.csv"; print "series,a,b" >"whole.csv"
        for (t = 0; t < 40; t++) {
            hole = t == 5 || t == 18 || t == 19 || t == 20
            v = t == 5 ? (level(4) + level(6)) / 2 : t == 18 || t == 19 ? level(17) : level(t == 20 ? 21 : t)
            b = 1000 * int(t / 20) + cos(0.9 * t)
            r = int(t / 20)
            printf("r%d,%s,%.15g\n", r, (hole ? "" : sprintf("%.15g", v)), b) >"x.csv"
            printf("r%d,%.15g,%.15g\n", r, v, b) >"whole.csv" } }'
    for y in '' '--y FILE:b'; do
        for file in x whole; do
            expect 0 fit --x $file.csv:a,b ${y//FILE:b/$file.csv:a} --ahead 1 --series $file.csv:series --alpha 1e-3 \
                --missing interpolate -o $file.safetensors --fitted fitted-$file.csv
            [ $file = whole ] || err_names 1 interpolated
            [ $file = whole ] || err_names 3
        done
        near fitted-x.csv fitted-whole.csv 1e-8
    done
    for file in x whole; do
        expect 0 predict whole.safetensors --x $file.csv:a,b --series $file.csv:series --missing interpolate -o p-$file.csv
        cut -d, -f2- p-$file.csv >yhat-$file.csv
        expect 0 explain whole.safetensors --along $file.csv:a,b --series $file.csv:series --missing interpolate -o parts-$file \
            --csv
    done
    near yhat-x.csv yhat-whole.csv 1e-8
    near parts-x.shares.csv parts-whole.shares.csv 1e-6
    sed 's/^r1,[^,]*,/r1,,/' x.csv >empty.csv
    expect 1 fit --x empty.csv:a,b --series empty.csv:series --missing interpolate --alpha 1 -o m.safetensors
    err_has "empty.csv.*column 'a'.*record 2"
}
check "missing values in records are filled in from their own record" missing_in_records
