# tests/cli/cases/5_forecast_backtest.sh: backtests, further inputs and their future values.

# driven ROWS FIRST: months from row FIRST of a season of 12 that a random promotion and a price shift.
driven()
{
    awk -v n="$1" -v first="${2:-0}" "$uniform"'BEGIN {
        seeded(11)
        print "month,sales,promo,price"
        for (t = 0; t < n; t++) {
            promo = (uniform() < 0.3)
            price = 10 + uniform()
            y = 20 + 5 * sin(0.523599 * t) + 8 * promo - 2 * price + 0.1 * uniform()
            if (t >= first) printf "%d-%02d,%.6f,%d,%.6f\n", 2000 + int(t / 12), t % 12 + 1, y, promo, price
        }
    }'
}

backtest_table()
{
    driven 90 >s.csv
    expect 0 forecast s.csv:sales --steps 4 --backtest 3
    no_err
    out_has '^backtest +3 .* 4 steps.* 78 rows.* 4 rows$'
    out_has '^intervals +80 %: coverage [0-9.]+, mean width [0-9.]+; 95 %'
    out_has '^forecast +[0-9.]+ +[0-9.]+ +[0-9.]+$'
    [ "$(wc -l <out)" -le 13 ] || fail "$(wc -l <out) lines"
    # The last line names the method with the lowest MASE if it is lower than that of the forecast; decimals are equal.
    [ "$(awk '$1 == "forecast" { own = best = $2 } own && NF == 4 && $2 < best { best = $2; name = $1 }
        END { if (name) print name, best, own }' out)" = "$(sed -nE 's/^([a-z ]+) has .*MASE.*\((.*), (.*)\)$/\1 \2 \3/p' out)" ] || fail "$(cat out)"
    [ "$(awk '$1 == "forecast" { is_table = 1 } is_table && NF == 4 { print $2 }' out | sed 's/.*[.]//' | awk '{ print length }' |
        sort -u | wc -l)" -eq 1 ] || fail "$(cat out)"
    absent s-forecast.csv
    expect 0 forecast s.csv:sales --steps 4 --backtest 3 -o b.csv --interval 0.5
    lines_of b.csv 9
    [ "$(sed -n 1p b.csv)" = method,sales.mase,sales.smape,sales.rmse,sales.coverage50,sales.width50 ] ||
        fail "$(sed -n 1p b.csv)"
    expect 0 forecast s.csv:sales --steps 4 --backtest 3 -o - --interval 0.5
    same out b.csv
    expect 0 forecast s.csv:sales,price --steps 4 --backtest 2 --json
    valid_json out "v['steps'] == 4 and v['origins'] == 2 and v['distance'] == 4 and v['first_rows'] == 82 \
        and len(v['methods']) == 16 and len(v['intervals']) == 4 and v['methods'][0]['values'] == 8"
}
check "forecast --backtest" backtest_table

# One origin is the forecast from the rows before the last ones.
backtest_values()
{
    driven 90 >s.csv
    head -n 87 s.csv >head.csv
    expect 0 forecast head.csv:sales --steps 4 --json
    cp out run.json
    expect 0 forecast s.csv:sales --steps 4 --backtest 1 --json
    mv out test.json
    sed -n '88,$p' s.csv | cut -d, -f2 >truth
    python3 - <<'END' || fail "the RMSE is another"
import json
f = [row[0] for row in json.load(open("run.json"))["forecast"]]
y = [float(line) for line in open("truth")]
rmse = (sum((a - b) ** 2 for a, b in zip(f, y)) / 4) ** 0.5
found = json.load(open("test.json"))["methods"][0]["rmse"]
assert abs(found - rmse) <= 1e-12 * rmse, (found, rmse)
END
}
check "forecast --backtest 1 is a forecast from earlier rows" backtest_values

backtest_errors()
{
    driven 40 >s.csv
    expect 2 forecast s.csv:sales --backtest 0
    err_names --backtest
    expect 2 forecast s.csv:sales --steps 10 --backtest 12
    err_names --backtest 12 11
    expect 1 forecast s.csv:sales --steps 38 --backtest 1
    err_names 40 41
    expect 2 forecast s.csv:sales --backtest 1 --plot p.svg
    err_names --plot --backtest
    expect 2 forecast s.csv:sales --backtest 1 -o s.csv
}
check "forecast --backtest: errors" backtest_errors

future_inputs()
{
    driven 90 >s.csv
    driven 96 90 | cut -d, -f1,3,4 >future.csv
    driven 96 90 | cut -d, -f2 >truth.csv
    expect 0 forecast s.csv:sales --x promo,price --future future.csv --plot none -o known.csv
    no_err
    out_has '^forecast +6 steps, 2007-07 to 2007-12$'
    out_has '^further inputs +promo, price of the rows to forecast$'
    expect 0 forecast s.csv --x promo,price --steps 6 --plot none -o lagged.csv
    expect 0 forecast s.csv:sales --steps 6 --plot none -o without.csv
    # With the future inputs, the errors are those of the noise and the fit; without them, those of the promotions.
    expect 0 score --truth truth.csv --pred known.csv:sales --json
    cp out known.json
    for other in lagged without; do
        expect 0 score --truth truth.csv --pred $other.csv:sales --json
        python3 -c "import json; a, b = (json.load(open(f))['mse'] for f in ('known.json', 'out')); assert a < 0.5 * b, (a, b)" ||
            fail "the future inputs are of no use"
    done
    # Rows without a target are the same future values.
    { cat s.csv; driven 96 90 | tail -n +2 | awk -F, '{ print $1 ",," $3 "," $4 }'; } >both.csv
    expect 0 forecast both.csv --x promo,price --plot none -o both-out.csv
    same both-out.csv known.csv
    # The columns are found by name, and later rows are ignored.
    awk -F, '{ print $3 ",x," $2 "," $1 }' future.csv >turned.csv
    expect 0 forecast s.csv:sales --x promo,price --future turned.csv --steps 6 --plot none -o turned-out.csv
    same turned-out.csv known.csv
    expect 0 forecast s.csv:sales --x promo,price --future future.csv --steps 2 --json
    valid_json out "v['steps'] == 2 and v['inputs'] == ['promo', 'price'] and v['inputs_known']"
    expect 0 forecast s.csv:sales --x promo,price --future future.csv --backtest 2 --steps 3
    expect 0 forecast s.csv:sales --x promo,price --future future.csv --calendar month -o c.csv --plot none
    lines_of c.csv 7
}
check "forecast --x and --future" future_inputs

future_errors()
{
    driven 90 >s.csv
    driven 96 90 | cut -d, -f1,3,4 >future.csv
    expect 2 forecast s.csv:sales --future future.csv
    err_names --future --x
    expect 1 forecast s.csv:sales --x promo,cost
    err_names cost
    expect 1 forecast s.csv --x sales,promo,price
    err_names --x s.csv
    expect 1 forecast s.csv:sales --x promo,price --future missing.csv
    err_names missing.csv
    cut -d, -f1,2 future.csv >narrow.csv
    expect 1 forecast s.csv:sales --x promo,price --future narrow.csv
    err_names narrow.csv price
    expect 1 forecast s.csv:sales --x promo,price --future future.csv --steps 7
    err_names --steps 7 6
    sed 2d future.csv >later.csv
    expect 1 forecast s.csv:sales --x promo,price --future later.csv
    err_names later.csv 2007-08 2007-07
    sed '4s/,[^,]*$/,/' future.csv >holes.csv
    expect 1 forecast s.csv:sales --x promo,price --future holes.csv
    err_names holes.csv price 2
    sed '5s/,[^,]*,/,,/' s.csv >gap.csv
    expect 1 forecast gap.csv:sales --x promo,price --future future.csv
    err_names gap.csv sales --missing
    expect 0 forecast gap.csv:sales --x promo,price --future future.csv --missing interpolate --plot none
    { cat s.csv; driven 96 90 | tail -n +2 | awk -F, '{ print $1 ",," $3 "," $4 }'; } >both.csv
    expect 2 forecast both.csv:sales --x promo,price --future future.csv
    err_names --future 6
    expect 2 forecast - --x promo <s.csv
    err_names --x
    # A second series with values in these rows: they are not dropped and forecast.
    { awk -F, '{ print $0 (NR == 1 ? ",q" : "," NR % 5) }' s.csv
        driven 96 90 | tail -n +2 | awk -F, '{ print $1 ",," $3 "," $4 "," NR }'; } >part.csv
    for alone in '' --alone; do
        expect 1 forecast part.csv:sales,q --x promo $alone --plot none -o part-out.csv
        err_names part.csv q 95 '--x promo,q'
        absent part-out.csv
    done
    expect 0 forecast part.csv:sales,q --x promo,q --plot none -o part-out.csv
    [ "$(head -n 1 part-out.csv)" = month,sales,sales.error ] ||
        fail "$(head -n 1 part-out.csv)"
    # Numbers as times: those of --future or of the last rows of the file follow the last one by its step.
    numbered() { awk -F, -v first="$1" -v step="$2" -v OFS=, 'NR == 1 { $1 = "t" } NR > 1 { $1 = first + (NR - 2) * step } 1'; }
    numbered 10 5 <s.csv >t.csv
    for begin in '955 5' '960 5' '10 5' '460 1' '460 10'; do
        numbered $begin <future.csv >after.csv
        { cat t.csv; awk -F, 'NR > 1 { print $1 ",," $2 "," $3 }' after.csv; } >joined.csv
        for given in 't.csv --future after.csv' 't.csv --future after.csv:promo,price' joined.csv; do
            expect 1 forecast ${given%% *} --x promo,price $(echo "$given" | sed 's/^[^ ]*//') --plot none -o t-out.csv
            case $begin in 460*) err_names 465 455 5 ;; *) err_names "${begin% *}" 460 455 5 ;; esac
            absent t-out.csv
        done
    done
    numbered 460 5 <future.csv >after.csv
    expect 0 forecast t.csv --x promo,price --future after.csv --plot none -o t-out.csv
    [ "$(cut -d, -f1 t-out.csv | tr '\n' ' ')" = 't 460 465 470 475 480 485 ' ] || fail "$(cat t-out.csv)"
    # The row before the rows to forecast is not dropped.
    sed '91s/,[^,]*$/,/' both.csv >last.csv
    expect 1 forecast last.csv:sales --x promo,price --missing drop --plot none
    err_names --missing 89
    expect 0 forecast last.csv:sales --x promo,price --missing interpolate --plot none -o last-out.csv
    lines_of last-out.csv 7
}
check "forecast --future: errors" future_errors

# Times of the day that decide the level are known for the steps.
future_calendar()
{
    awk "$uniform"'BEGIN { seeded(5); print "time,y"
        for (t = 0; t < 240; t++) { h = t % 24; printf "2021-03-%02d %02d:00,%.5f\n", 1 + int(t / 24), h, (h > 7 && h < 19) + 0.01 * uniform() } }' >h.csv
    expect 0 forecast h.csv --calendar hour --season none --steps 30 --plot none -o next.csv
    no_err
    lines_of next.csv 31
    expect 0 forecast h.csv --calendar hour --season none --plot none -o next.csv
    lines_of next.csv 13
    expect 0 forecast h.csv --calendar hour --steps 5 --backtest 2
}
check "forecast --calendar of the steps" future_calendar
