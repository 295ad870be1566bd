# tests/cli/cases/5_forecast_series.sh: forecasts of a series, and fits with several horizons.

bench_series=$here/../../bench/series

# A report with more lines than the 40 that it once had room for: a season, naive kept for some of many outputs,
# all baselines, and a note.
fit_long_report()
{
    expect 0 fit --x "$bench_series/elec_equip.csv" --ahead 1..24 -o m.safetensors
    no_err
    out_has '^data +233 rows, 1 input, 24 outputs'
    out_has '^note +autoregression '
    out_has '^can continue +no'
    expect 0 fit --x "$bench_series/elec_equip.csv" --ahead 1..24 -o m.safetensors --json
    valid_json out "v['q'] == 24 and len(v['alphas']) == 24 and len(v['baselines']) == 4"
}
check "fit reports many horizons, however long the report" fit_long_report

# monthly ROWS [COLUMNS]: months of a season of 12 with a trend and some noise, under a column of dates
monthly()
{
    awk -v n="$1" -v d="${2:-1}" 'BEGIN {
        srand(7)
        printf "month"
        for (j = 0; j < d; j++) printf ",%c", 97 + j
        print ""
        for (t = 0; t < n; t++) {
            printf "%d-%02d", 2000 + int(t / 12), t % 12 + 1
            for (j = 0; j < d; j++)
                printf ",%.6f", 100 ^ j * (20 + 0.05 * t + 5 * sin(0.523599 * t + j) + rand())
            print ""
        }
    }'
}

forecast_one()
{
    monthly 150 >sales.csv
    mkdir elsewhere
    cd elsewhere || fail "no folder"
    expect 0 forecast ../sales.csv
    no_err
    out_has '^rows +150, 2000-01 to 2012-06$'
    out_has '^season +12 rows, found in the series$'
    out_has '^forecast +12 steps, 2012-07 to 2013-06$'
    out_has '^made by +(fit|seasonal)'
    out_has '^error to expect +RMSE [0-9.]+ at the first step, [0-9.]+ at the last$'
    out_has '^measured on +the last [0-9]+ rows, each forecast from what was known then \([0-9]+ at the last step\)$'
    for name in naive 'seasonal naive' drift autoregression; do
        out_has "^$name +RMSE [0-9.]+; the forecast has [0-9.e-]+ of its squared error\$"
    done
    out_has '^2013-06  [0-9.]+ \+- [0-9.]+$'
    lines_of sales-forecast.csv 13
    [ "$(sed -n 1p sales-forecast.csv)" = month,a,a.error ] || fail "$(sed -n 1p sales-forecast.csv)"
    sed -n 2p sales-forecast.csv | grep -q '^2012-07,' || fail "$(sed -n 2p sales-forecast.csv)"
    # The file can be read back.
    expect 0 score --truth sales-forecast.csv:a --pred sales-forecast.csv:a
    if command -v gnuplot >/dev/null; then
        out=$(cat sales-forecast.svg)
        case $out in *'<svg'*'held-out error'*'</svg>'*) ;; *) fail "no picture of the error: $(head -c 200 sales-forecast.svg)" ;; esac
    fi
    nothing_left
    expect 0 forecast ../sales.csv --steps 1 -o one.csv
    out_has '^measured on +the last [0-9]+ rows, each forecast from what was known then$'
}
check "forecast: a series in, its next values, their errors and a picture out" forecast_one

# Step H equals the prediction of fit --ahead H for the last row, in value and in error.
forecast_is_fit()
{
    monthly 150 >s.csv
    expect 0 forecast s.csv --steps 3 --json
    cp out f.json
    [ -z "$(ls ./*-forecast.*)" ] || fail "--json wrote a file that nobody asked for"
    for h in 1 2 3; do
        expect 0 fit --x s.csv:a --ahead $h --season 12 -o m.safetensors --json
        cp out fit.json
        expect 0 predict m.safetensors --x s.csv:a --rows -$h: -o p.csv
        valid_json f.json "abs(v['forecast'][$h - 1][0] - $(tail -n 1 p.csv | sed 's/.*,//')) < 1e-8 \
            and abs(v['rmse'][$h - 1][0] / json.load(open('fit.json'))['heldout_rmse'] - 1) < 1e-8"
    done
    valid_json f.json "v['steps'] == 3 and v['horizons'] == [1, 2, 3] and v['time'] == ['2012-07', '2012-08', '2012-09'] and v['season'] == 12 \
        and v['target'] == 'change' and v['kernel'].startswith('volterra:') and v['skill'] > 0.5 \
        and len(v['naive_rmse']) == 3 and len(v['series'][0]['made_by']) == 3 and {b['name'] for b in v['baselines']} >= {'naive', 'seasonal naive', 'drift'}"
}
check "forecast: every step is that of fit --ahead" forecast_is_fit

forecast_outputs()
{
    monthly 100 >s.csv
    expect 0 forecast s.csv --steps 2 -o -
    no_err
    lines_of out 3
    absent s-forecast.csv
    absent s-forecast.svg
    expect 0 forecast s.csv --steps 2 -o next.csv --plot none
    absent next.svg
    lines_of next.csv 3
    out_has '^written +next.csv$'
    expect 2 forecast s.csv --json -o -
    err_names output
    expect 2 forecast s.csv -o s.csv
    err_names input
    expect 2 forecast s.csv -o next.csv --plot next.csv
    expect 1 forecast s.csv -o nowhere/next.csv
    # From a pipe, without a header: steps are numbered.
    tail -n +2 s.csv | cut -d, -f2 >column
    "$VOLTERRA" forecast - --steps 2 -o - <column >out 2>err || fail "a series on standard input"
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'step 1 2 ' ] || fail "$(cat out)"
}
check "forecast: where its files go" forecast_outputs

# Series of very different units: the same forecast whatever the unit.
forecast_many()
{
    monthly 120 2 >many.csv
    expect 0 forecast many.csv --steps 4 --plot none
    out_has '^inputs +every series from all of them$'
    out_has '^a +RMSE .* of the squared error of naive 0'
    out_has '^b +RMSE '
    [ "$(sed -n 1p many-forecast.csv)" = month,a,a.error,b,b.error ] || fail "$(sed -n 1p many-forecast.csv)"
    cut -d, -f2 many-forecast.csv >first
    awk -F, 'NR == 1 { print } NR > 1 { printf "%s,%.12g,%s\n", $1, 1e6 * $2, $3 }' many.csv >other.csv
    expect 0 forecast other.csv --steps 4 --plot none
    cut -d, -f2 other-forecast.csv | awk 'NR == 1 { print } NR > 1 { printf "%.12g\n", $1 / 1e6 }' >second
    near first second 1e-6
    expect 0 forecast many.csv --steps 2 --alone -o alone.csv --plot none
    out_has '^inputs +each series from itself alone$'
    expect 0 forecast many.csv:a --steps 2 -o a.csv --plot none
    near <(cut -d, -f2 alone.csv) <(cut -d, -f2 a.csv) 1e-9
}
check "forecast: several series, from all of them or alone" forecast_many

forecast_clock()
{
    monthly 100 | awk -F, 'NR == 1 { print "t,a" } NR > 1 { print 5 * NR "," $2 }' >t.csv
    expect 0 forecast t.csv --steps 2 --plot none
    out_has "^note +column 't' only counts the rows: it is their time, and is not forecast\$"
    [ "$(cut -d, -f1 t-forecast.csv | tr '\n' ' ')" = 't 510 515 ' ] || fail "$(cat t-forecast.csv)"
    # A single column is the series.
    cut -d, -f1 t.csv >only.csv
    expect 0 forecast only.csv --steps 1 -o -
    [ "$(sed -n 1p out)" = step,t,t.error ] || fail "$(cat out)"
    awk 'BEGIN { print "t,index"; for (t = 0; t < 50; t++) print t "," 2 * t }' >clocks.csv
    expect 1 forecast clocks.csv
    err_names column clocks.csv rows
}
check "forecast: a column that only counts the rows is their time" forecast_clock

# A pattern that repeats itself, too few rows to learn it from: the value of a season ago, at every step.
forecast_season()
{
    awk 'BEGIN { srand(5); for (j = 0; j < 12; j++) p[j] = 10 * rand(); print "y"
        for (t = 0; t < 90; t++) printf "%.4f\n", p[t % 12] + 0.5 * rand() }' >pattern.csv
    expect 0 forecast pattern.csv --season 12 --steps 18 --plot none --json -o p.csv
    valid_json out "v['skill'] > 0.9 and v['season'] == 12 and v['series'][0]['made_by'].count('seasonal naive') > 12"
    # Step h is 12 rows before its own row, or 24 behind the first 12.
    python3 - <<'END' || fail "a season ago is another value"
import csv, json
y = [float(row[0]) for row in list(csv.reader(open("pattern.csv")))[1:]]
v = json.load(open("out"))
for h, (row, method) in enumerate(zip(v["forecast"], v["series"][0]["made_by"]), 1):
    back = 12 if h <= 12 else 24
    assert method != "seasonal naive" or row[0] == y[len(y) - 1 + h - back], (h, row)
END
}
check "forecast: a season that repeats itself better than the fit" forecast_season

forecast_naive()
{
    # Numbers of its own: those of rand() differ from awk to awk.
    awk 'BEGIN { x = 7; print "w"; for (t = 0; t < 60; t++) {
        x = (16807 * x) % 2147483647; y += x / 2147483647 - 0.5; printf "%.6f\n", y } }' >walk.csv
    expect 0 forecast walk.csv --steps 3 --plot none
    out_has '^made by +naive at every step$'
    out_has '^note +.*flat.* [0-9.]+ of its squared error'
    [ "$(tail -n 3 walk-forecast.csv | cut -d, -f2 | uniq | wc -l)" -eq 1 ] || fail "$(cat walk-forecast.csv)"
}
check "forecast: a flat forecast is reported" forecast_naive

# Nothing moves in the rows that are held out: errors of 0, and no ratio of two of them.
forecast_still()
{
    awk 'BEGIN { print "y"; for (t = 0; t < 60; t++) print sin(t); for (t = 0; t < 90; t++) print 0.25 }' >still.csv
    expect 0 forecast still.csv --steps 3
    no_err
    out_has '^note +.*constant.*held-out'
    grep -qi nan out still-forecast.csv && fail "a number that is none: $(grep -i nan out still-forecast.csv)"
    expect 0 forecast still.csv --steps 3 --json
    valid_json out "v['skill'] is None and v['rmse'] == [[0], [0], [0]]"
}
check "forecast: a series that stands still" forecast_still

forecast_wrong()
{
    expect 2 forecast
    err_names FILE
    expect 1 forecast nothing.csv
    err_names No
    monthly 100 >s.csv
    printf 'a,b\nx,1\ny,2\n' >text.csv
    expect 1 forecast text.csv
    err_names "'x'"
    head -n 6 s.csv >five.csv
    expect 1 forecast five.csv
    err_has '5 rows.*13.*five.csv'
    head -n 2 s.csv >single.csv
    expect 1 forecast single.csv
    err_has '1 row.*single.csv'
    expect 2 forecast s.csv --steps 1000
    err_has 'steps is 1000.*30.*100 rows.*s.csv'
    expect 2 forecast s.csv --steps 31
    expect 2 forecast s.csv --steps 0
    expect 2 forecast s.csv --season 51
    err_has 'season is .*s.csv'
    expect 2 forecast s.csv --season often
    expect 2 forecast s.csv --calendar hours
    expect 2 forecast s.csv --kernel nothing
    expect 2 forecast s.csv --rows 5:3
    awk 'BEGIN { print "a"; for (t = 0; t < 50; t++) print 5 }' >constant.csv
    expect 1 forecast constant.csv
    err_has "'a' is 5.*constant.csv"
    sed '20s/,.*/,/' s.csv >hole.csv
    expect 1 forecast hole.csv
    err_has 'line 20.*--missing interpolate'
    expect 0 forecast hole.csv --missing interpolate --steps 2 --plot none
    err_names 1 interpolated
    { sed -n 1p s.csv; tail -n +2 s.csv | tac; } >back.csv
    expect 1 forecast back.csv
    err_names row 1 2008-03 2008-04 rows column "'month'"
    sed '30d' s.csv >gap.csv
    expect 0 forecast gap.csv --steps 2 --plot none
    err_names 1 row 2002-04 2002-06
    cut -d, -f2 s.csv >plain.csv
    expect 1 forecast plain.csv --calendar month
    err_names column
    nothing_left
}
check "forecast: everything that may be wrong, in one sentence" forecast_wrong

forecast_search()
{
    monthly 120 >s.csv
    expect 0 forecast s.csv --steps 2 --budget 2s --seed 1 --plot none --quiet
    out_has '^search +([0-9]+ draws|none: the time)'
    head -n 18 s.csv >short.csv
    expect 0 forecast short.csv --steps 2 --budget 1s --plot none
    out_has '^search +none: 17 rows are too few'
    expect 0 forecast s.csv --steps 2 --budget 0.001s --plot none
    out_has '^search +none: the time is too short'
    out_has '^kernel +volterra:tau_coef=0.3,lambda_coef=0.9$'
}
check "forecast --budget: a search, or why there is none" forecast_search
