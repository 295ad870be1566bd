# tests/cli/cases/5_records.sh: several records in one file (--series).

# Runs of 30, 1 and 25 rows: y remembers the inputs of its own run.
runs()
{
    awk "$uniform"'BEGIN { seeded(11); print "run,u,y"
        split("30 1 25", n); split("first \"a,b\" 3", name)
        for (r = 1; r <= 3; r++) { p = 0
            for (t = 0; t < n[r]; t++) { x = uniform() - 0.5; p = x + 0.6 * p; printf "%s,%.6f,%.6f\n", name[r], x, p * p + p } } }'
}

records_in_fit_and_predict()
{
    runs >runs.csv
    expect 0 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --alpha 1e-4 -o m.safetensors --fitted f.csv --json
    valid_json out "v['n'] == 56 and v['records'] == 3 and v['r2'] > 0.9"
    # The fitted values are the forecasts of the same records, which a first column names.
    expect 0 predict m.safetensors --x runs.csv:u --series runs.csv:run -o p.csv
    [ "$(cut -d, -f1 p.csv | uniq -c | awk '{ printf "%s ", $1 }')" = "1 30 1 25 " ] || fail "$(head -n 40 p.csv)"
    awk -F, 'NR == FNR { f[FNR] = $NF; next } FNR > 1 && ($NF - f[FNR]) ^ 2 > 1e-12 { exit 1 }' f.csv p.csv ||
        fail "fitted values are not the forecasts of the records"
    # The parts of the orders add up to the same forecasts.
    expect 0 explain m.safetensors --along runs.csv:u --series runs.csv:run --lags 3 --no-band --csv -o parts
    paste -d, <(sed 1d parts.orders.csv) <(sed 1d f.csv) | awk -F, '($1 + $2 + $3 + $4 - $5) ^ 2 > 1e-20 { exit 1 }' ||
        fail "parts of records do not add up to the forecasts of the records"
    # The same rows as one sequence give another model.
    expect 0 fit --x runs.csv:u --y runs.csv:y --alpha 1e-4 -o one.safetensors --fitted g.csv
    cmp -s f.csv g.csv && fail "records make no difference"
    # Without its name the column series is looked for, and numbers are names too.
    sed 's/^run,/series,/' runs.csv >series.csv
    expect 0 fit --x runs.csv:u --y runs.csv:y --series series.csv --alpha 1e-4 -o m2.safetensors --fitted g.csv
    cmp f.csv g.csv || fail "the column series was not taken"
    # With --ahead every record loses its last rows.
    sed '/"a,b"/d' runs.csv >two.csv
    expect 0 fit --x two.csv:u --y two.csv:y --series two.csv:run --ahead 4 --alpha 1 -o m2.safetensors --json
    valid_json out "v['n'] == 26 + 21"
}
check "fit and predict on several records" records_in_fit_and_predict

records_in_streams()
{
    runs >runs.csv
    expect 0 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --alpha 1e-4 -o m.safetensors
    expect 0 predict m.safetensors --x runs.csv:u --series runs.csv:run -o p.csv
    { echo '# first'; sed -n 2,31p runs.csv; echo; sed -n 32p runs.csv; echo '# 3'; sed -n 33,57p runs.csv; } |
        sed 's/^first,\|^"a,b",\|^3,//; s/,.*//' >lines
    "$VOLTERRA" stream m.safetensors <lines >out 2>err || fail "stream failed"
    lines_of out 56
    paste -d, <(sed 1d p.csv | sed 's/.*,//') out | awk -F, '($1 - $2) ^ 2 > 1e-14 * (1 + $1 ^ 2) { exit 1 }' ||
        fail "a stream of records differs from predict"
    # A model of one sequence ignores empty lines.
    expect 0 fit --x runs.csv:u --y runs.csv:y --alpha 1e-4 -o one.safetensors
    printf '0.1\n0.2\n' | "$VOLTERRA" stream one.safetensors >plain
    printf '0.1\n\n0.2\n' | "$VOLTERRA" stream one.safetensors >blank
    cmp plain blank || fail "an empty line changed the forecasts of one sequence"
}
check "an empty line, or # name, begins a record in a stream" records_in_streams

records_in_tune()
{
    runs >runs.csv
    expect 0 tune --x runs.csv:u --y runs.csv:y --series runs.csv:run --folds 2 --folds-by records --draws 3 \
        --kernel rbf:window=3 --log log --json -o m.safetensors
    valid_json out "v['folds'] == 2 and '--series runs.csv:run' in v['command']"
    # Folds of whole records are another search than folds of rows, so the log cannot be resumed.
    expect 1 tune --x runs.csv:u --y runs.csv:y --series runs.csv:run --folds 2 --draws 3 --kernel rbf:window=3 \
        --log log --resume
    expect 2 tune --x runs.csv:u --y runs.csv:y --folds-by records --draws 3
    err_names --series
}
check "tune on records: folds by rows or by records" records_in_tune

records_in_compare()
{
    runs >runs.csv
    expect 0 compare --x runs.csv:u --y runs.csv:y --series runs.csv:run --kernel linear rbf --draws 2 --folds 2 --train 40 --json
    valid_json out "len(v['rows']) == 2 and not v.get('baselines')"
    expect 2 compare --series runs.csv:run --draws 2
    err_names --x
}
check "compare on records" records_in_compare

# Times may restart with a record. Rows are missing only within the third one.
times_of_records()
{
    awk 'BEGIN { print "date,run,u,y"
        split("8 9 12", n)
        for (r = 1; r <= 3; r++)
            for (t = 0; t < n[r]; t++)
                printf "2021-%02d-%02d,%d,%g,%g\n", 2 * r, t + 1 + (r == 3 && t > 4 ? 2 : 0), r, sin(t * t + r), cos(t * t + r)
    }' >dated.csv
    expect 0 fit --x dated.csv:u --y dated.csv:y --series dated.csv:run --alpha 1 -o m.safetensors
    err_names 2 2021-06-05 2021-06-08
}
check "gaps in the times of records: their length and ends" times_of_records

bad_records()
{
    runs >runs.csv
    { sed -n 1,5p runs.csv; sed -n 40,41p runs.csv; sed -n 6,7p runs.csv; } >torn.csv
    expect 1 fit --x torn.csv:u --y torn.csv:y --series torn.csv:run -o m.safetensors
    err_names row 6 record "'first'"
    expect 1 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --ahead 1 -o m.safetensors
    err_has "record 'a,b' has 1 row.* 2"
    expect 1 fit --x runs.csv:u --y runs.csv:y --series runs.csv:rum -o m.safetensors
    err_names column "'rum'" "'run'"
    expect 1 fit --x runs.csv:u --y runs.csv:y --series torn.csv:run -o m.safetensors
    err_names 8 rows 56
    expect 2 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --washout 300 --alpha 1 -o m.safetensors
    err_names washout 300
    sed '9s/^first//' runs.csv >empty.csv
    expect 1 fit --x empty.csv:u --y empty.csv:y --series empty.csv:run -o m.safetensors
    err_names line 9 column records
    expect 2 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --alpha 1 -o runs.csv
    [ ! -e m.safetensors ] || fail "a model was written"
    expect 0 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run --alpha 1 -o m.safetensors
    expect 2 predict m.safetensors --x runs.csv:u --series runs.csv:run --plot p.svg -o p.csv
}
check "records: interrupted, too short or missing" bad_records
