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
    awk -v n="$1" -v d="${2:-1}" "$uniform"'BEGIN {
        seeded(7)
        printf "month"
        for (j = 0; j < d; j++) printf ",%c", 97 + j
        print ""
        for (t = 0; t < n; t++) {
            printf "%d-%02d", 2000 + int(t / 12), t % 12 + 1
            for (j = 0; j < d; j++)
                printf ",%.6f", 100 ^ j * (20 + 0.05 * t + 5 * sin(0.523599 * t + j) + uniform())
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
    out_has '^season +12 rows'
    out_has '^forecast +12 steps, 2012-07 to 2013-06$'
    out_has '^weights +.*theta [0-9.]+, ETS\([AM],[ANd]+,[ANM]\) [0-9.]+'
    out_has '^expected error +RMSE [0-9.]+ .*MASE [0-9.]+$'
    out_has '^baselines +RMSE naive [0-9.]+, seasonal naive [0-9.]+, drift [0-9.]+, autoregression [0-9.]+$'
    out_has '^2013-06  [0-9.]+ \+- [0-9.]+$'
    lines_of sales-forecast.csv 13
    [ "$(sed -n 1p sales-forecast.csv)" = month,a,a.error ] || fail "$(sed -n 1p sales-forecast.csv)"
    sed -n 2p sales-forecast.csv | grep -q '^2012-07,' || fail "$(sed -n 2p sales-forecast.csv)"
    # The file can be read back.
    expect 0 score --truth sales-forecast.csv:a --pred sales-forecast.csv:a
    out=$(cat sales-forecast.svg)
    case $out in *'<svg'*'95 % interval'*'80 % interval'*'</svg>'*) ;;
        *) fail "no plot of the intervals: $(head -c 200 sales-forecast.svg)" ;; esac
    nothing_left
}
check "forecast: values, expected errors, weights, baselines and a plot" forecast_one

# Without a season, the kernel member of step H equals the prediction of fit --ahead H for the last row. Its alpha is chosen as
# by fit at the steps 1, 2, 4, ...
forecast_kernel_is_fit()
{
    monthly 150 >s.csv
    expect 0 forecast s.csv --steps 2 --season none --json
    cp out f.json
    [ -z "$(ls ./*-forecast.*)" ] || fail "--json wrote a file"
    expect 0 fit --x s.csv:a --ahead 1 --season none -o m.safetensors
    expect 0 predict m.safetensors --x s.csv:a --rows -1: -o p.csv
    valid_json f.json "abs(v['members'][0]['forecast'][0] - $(tail -n 1 p.csv | sed 's/.*,//')) < 1e-8"
}
check "forecast: the kernel forecast of step 1 is that of fit --ahead 1" forecast_kernel_is_fit

forecast_json()
{
    monthly 150 >s.csv
    expect 0 forecast s.csv --steps 3 --interval 0.8,0.95 --json
    valid_json out "v['steps'] == 3 and v['horizons'] == [1, 2, 3] and v['time'] == ['2012-07', '2012-08', '2012-09'] and v['season'] == 12 \
        and v['kernel'].startswith('volterra:') and 0.5 < v['skill'] < 1 and v['origins'] == 16 and v['rows'] == 150 \
        and len(v['naive_rmse']) == 3 and len(v['series']) == 1 and v['series'][0]['ets'].startswith('ETS(')"
    # The forecast is the weighted mean of the members, and the weights sum to 1.
    python3 - <<'END' || fail "the members do not make the forecast"
import json
v = json.load(open("out"))
names = [m["name"] for m in v["members"]]
assert names == ["kernel", "theta", "ets", "naive", "seasonal naive", "drift", "autoregression"], names
weights = {m["name"]: m["weight"] for m in v["members"]}
assert abs(sum(weights.values()) - 1) < 1e-12 and weights["naive"] == weights["drift"] == 0, weights
assert all(m["rmse"] > 0 and m["series"] == "a" and len(m["forecast"]) == 3 for m in v["members"])
for h in range(3):
    mean = sum(m["weight"] * m["forecast"][h] for m in v["members"])
    assert abs(mean - v["forecast"][h][0]) < 1e-10 * abs(mean), (h, mean)
inner, outer = v["intervals"]
assert [inner["coverage"], outer["coverage"]] == [0.8, 0.95]
for h in range(3):
    y, a, b, c, d = (x[h][0] for x in (v["forecast"], outer["lower"], inner["lower"], inner["upper"], outer["upper"]))
    assert a < b < y < c < d and abs(b + c - 2 * y) < 1e-9 * abs(y), (h, a, b, y, c, d)
    assert h == 0 or v["rmse"][h][0] >= v["rmse"][h - 1][0]
END
    expect 0 forecast s.csv --steps 1 --json
    valid_json out "'intervals' not in v and 'warnings' not in v"
}
check "forecast --json: members, weights, intervals" forecast_json

forecast_interval()
{
    monthly 120 2 >s.csv
    expect 0 forecast s.csv --steps 2 --interval 0.8,0.995 -o -
    [ "$(sed -n 1p out)" = month,a,a.error,a.lo80,a.hi80,a.lo99.5,a.hi99.5,b,b.error,b.lo80,b.hi80,b.lo99.5,b.hi99.5 ] ||
        fail "$(sed -n 1p out)"
    awk -F, 'NR > 1 && !($6 < $4 && $4 < $2 && $2 < $5 && $5 < $7) { exit 1 }' out || fail "$(cat out)"
    expect 0 forecast s.csv:a --steps 2 --interval 0.9 --plot p.svg -o f.csv
    grep -q '90 % interval' p.svg || fail "the plot has no interval of 90 %"
    grep -q '80 % interval' p.svg && fail "the plot has an interval of 80 %"
    for wrong in 0 1 1.5 -0.1 80 nan x '0.8,' ''; do
        expect 2 forecast s.csv --interval "$wrong"
        err_names --interval
    done
    expect 2 forecast s.csv --interval 0.8,0.8
    err_names --interval 0.8
}
check "forecast --interval" forecast_interval

# A constant series of quarters of an hour, so that there are no fits. Ticks at days have no time of day.
forecast_ticks()
{
    awk 'BEGIN { print "time,y"; for (t = 0; t < 480; t++) printf "2023-03-%02d %02d:%02d,5\n", 1 + int(t / 96), int(t / 4) % 24, t % 4 * 15 }' >q.csv
    expect 0 forecast q.csv --season 96 --steps 96 --plot days.svg
    expect 0 forecast q.csv --steps 4 --season none --plot hours.svg
    grep -q '>2023-03-05<' days.svg || fail "no label of a day: $(grep -o '2023-03[^<]*' days.svg)"
    grep -qE '>[0-9]+:[0-9]+<' days.svg && fail "a label of a day has a time: $(grep -oE '>[0-9]+:[0-9]+<' days.svg)"
    [ "$(grep -cE '>[0-2][0-9]:[0-5][0-9]<' hours.svg)" -ge 2 ] && [ "$(grep -cE '>[0-2][0-9]:[0-5][0-9]<' hours.svg)" -le 8 ] ||
        fail "too few or too many labels: $(grep -oE '>[0-9]+:[0-9]+<' hours.svg)"
    grep -q '>2023-03-05<' hours.svg || fail "the labels of hours have no day"
    awk 'BEGIN { print "time,y"; for (t = 0; t < 200; t++) printf "2023-03-01 09:%02d:%02d,%d\n", t / 10, t * 6 % 60, t % 7 }' >s.csv
    expect 0 forecast s.csv --season none --steps 4 --plot minutes.svg
    labels=$(grep -oE '>[0-9]+:[0-9][^<]*' minutes.svg)
    grep -q . <<<"$labels" && ! grep -qvE '>09:[0-9]{2}$' <<<"$labels" || fail "labels with seconds: $labels"
}
check "forecast --plot: ticks of days, hours and minutes" forecast_ticks

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
    out_has '^inputs +'
    out_has '^a +expected RMSE .*MASE [0-9.]+$'
    out_has '^b +expected RMSE .*MASE [0-9.]+$'
    [ "$(grep -c 'season 12 rows; .*theta' out)" -eq 2 ] || fail "$(cat out)"
    [ "$(sed -n 1p many-forecast.csv)" = month,a,a.error,b,b.error ] || fail "$(sed -n 1p many-forecast.csv)"
    cut -d, -f2 many-forecast.csv >first
    awk -F, 'NR == 1 { print } NR > 1 { printf "%s,%.12g,%s\n", $1, 1e6 * $2, $3 }' many.csv >other.csv
    expect 0 forecast other.csv --steps 4 --plot none
    cut -d, -f2 other-forecast.csv | awk 'NR == 1 { print } NR > 1 { printf "%.12g\n", $1 / 1e6 }' >second
    near first second 1e-6
    expect 0 forecast many.csv --steps 2 --alone -o alone.csv --plot none
    expect 0 forecast many.csv:a --steps 2 -o a.csv --plot none
    near <(cut -d, -f2 alone.csv) <(cut -d, -f2 a.csv) 1e-9
    expect 0 forecast many.csv --steps 2 --json
    valid_json out "v['names'] == ['a', 'b'] and len(v['members']) == 14 and [len(row) for row in v['forecast']] == [2, 2] \
        and {m['series'] for m in v['members']} == {'a', 'b'} and [s['season'] for s in v['series']] == [12, 12]"
}
check "forecast: several series, joint or separate" forecast_many

forecast_clock()
{
    monthly 100 | awk -F, 'NR == 1 { print "t,a" } NR > 1 { print 5 * NR "," $2 }' >t.csv
    expect 0 forecast t.csv --steps 2 --plot none
    out_has "^note +column 't' "
    [ "$(cut -d, -f1 t-forecast.csv | tr '\n' ' ')" = 't 510 515 ' ] || fail "$(cat t-forecast.csv)"
    # A single column is the series.
    cut -d, -f1 t.csv >only.csv
    expect 0 forecast only.csv --steps 1 -o -
    [ "$(sed -n 1p out)" = step,t,t.error ] || fail "$(cat out)"
    awk 'BEGIN { print "t,index"; for (t = 0; t < 50; t++) print t "," 2 * t }' >clocks.csv
    expect 1 forecast clocks.csv
    err_names column clocks.csv rows
}
check "forecast: a column of row numbers is the time" forecast_clock

# Numbers of their own: those of rand() differ from awk to awk. Noise of variance 1/12.
noise='function noise() { x = (16807 * x) % 2147483647; return x / 2147483647 - 0.5 } BEGIN { x = 7 }'

# Two years of months are too short for the autocorrelations. The F test of the calendar finds the season.
forecast_season()
{
    awk "$noise"'BEGIN { print "month,y"; for (t = 0; t < 40; t++)
        printf "%d-%02d,%.6f\n", 2000 + int(t / 12), t % 12 + 1, 50 + 10 * sin(0.523599 * t) + noise() }' >dated.csv
    cut -d, -f2 dated.csv >plain.csv
    expect 0 forecast dated.csv --json --steps 24 --interval 0.8
    valid_json out "v['season'] == 12"
    # The season is repeated in the second year, with intervals that do not shrink.
    python3 - <<'END' || fail "the second year"
import json, math
v = json.load(open("out"))
rows = [row[0] for row in v["forecast"]]
for h, value in enumerate(rows, 1):
    truth = 50 + 10 * math.sin(0.523599 * (39 + h))
    assert abs(value - truth) < 2, (h, value, truth)   # noise of standard deviation 0.29, trend of 40 rows
width = [b[0] - a[0] for a, b in zip(v["intervals"][0]["lower"], v["intervals"][0]["upper"])]
assert all(b >= a * 0.999 for a, b in zip(width, width[1:])), width
END
    expect 0 forecast plain.csv --season none --json
    valid_json out "v['season'] == 0 and v['steps'] == 12 and [m['weight'] for m in v['members'] if m['name'] == 'seasonal naive'] == [0]"
    # A cycle of five months: all twelve months have the same mean, so the year is not the season.
    awk "$noise"'BEGIN { print "month,y"; for (t = 0; t < 132; t++)
        printf "%d-%02d,%.6f\n", 2000 + int(t / 12), t % 12 + 1, 50 + 10 * sin(1.256637 * t) + noise() }' >five.csv
    expect 0 forecast five.csv --json
    valid_json out "v['season'] == 5 and v['steps'] == 5"
}
check "forecast: a dated monthly file has the season 12, also beyond one season" forecast_season

forecast_few_rows()
{
    printf 'time,y\n2020-01,1\n2020-02,2\n2020-03,4\n' >three.csv
    expect 0 forecast three.csv --plot three.svg
    no_err
    out_has '^forecast +1 step, 2020-04$'
    out_has '^weights +theta 1.00$'
    out_has '^warning '
    grep -qi nan out && fail "$(cat out)"
    [ "$(sed -n 2p three-forecast.csv | cut -d, -f1,3)" = 2020-04,nan ] || fail "$(cat three-forecast.csv)"
    ! grep -q interval three.svg || fail "the plot has intervals of unknown width"
    expect 0 forecast three.csv --steps 5 --interval 0.9 --json
    valid_json out "v['origins'] == 0 and v['rmse'] == [[None]] * 5 and v['intervals'][0]['lower'] == [[None]] * 5 and v['time'][4] == '2020-08' \
        and all(abs(row[0]) < 100 for row in v['forecast'])"
    head -n 3 three.csv >two.csv
    expect 1 forecast two.csv
    err_names 2 3 two.csv
    # More steps than rows: errors of the steps that cannot be measured grow.
    monthly 20 >s.csv
    expect 0 forecast s.csv --steps 30 --json
    valid_json out "len(v['forecast']) == 30 and v['time'][29] == '2004-02' and all(b[0] >= a[0] for a, b in zip(v['rmse'], v['rmse'][1:])) \
        and abs((v['rmse'][29][0] / v['rmse'][24][0]) ** 2 - 30 / 25) < 1e-9"
}
check "forecast: three rows, and more steps than rows" forecast_few_rows

forecast_missing_rows()
{
    python3 - <<'END'
import datetime, math, random
random.seed(5)
day = datetime.date(2018, 1, 1)
days = [day + datetime.timedelta(i) for i in range(300)]
months = [datetime.date(2000 + i // 12, i % 12 + 1, 1) for i in range(121)]
ends = [month - datetime.timedelta(1) for month in months[1:]]
open_days = [d for d in days if d.weekday() < 5]
hours = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=i) for i in range(300)]
def write(name, times, gone, form=str):
    gone = set(gone)
    with open(name + ".csv", "w") as file:
        file.write("date,y\n" + "".join(f"{form(t)},{i}\n" for i, t in enumerate(times) if i not in gone))
write("days", days, random.sample(range(1, 299), 30))
write("months", months[:120], (30, 31, 70))
write("ends", ends, (30, 31, 70))
write("weekdays", open_days, (20, 50, 51, *range(100, 105)))  # two holidays of one and two days, and a week
write("hours", hours, (50, 51, 200), lambda t: t.strftime("%Y-%m-%d %H:%M"))
write("numbers", range(10, 510, 5), (30, 31, 70))
write("few", days[:100] + [d + datetime.timedelta(5000) for d in days[:100]], ())
END
    sed -i '1s/date/t/' numbers.csv
    # File, rows, rows missing, first gap, rows after filling, time of the first step
    while read -r name rows missing gap filled first; do
        expect 0 forecast $name.csv --steps 1 --plot none --json
        valid_json out "v['rows'] == $rows"
        err_names $name.csv "$missing rows" "$gap"
        expect 0 forecast $name.csv --steps 1 --plot none --missing interpolate --json
        valid_json out "v['rows'] == $filled and v['time'] == ['${first/T/ }'] and abs(v['forecast'][0][0] - $filled) < 3"
        err_names $name.csv "$missing rows"
        expect 0 forecast $name.csv --steps 1 --plot none
        out_has "^rows +$rows,.* $missing missing$"
    done <<'END'
days 270 30 2018-01- 300 2018-10-28
months 117 3 2002-06-01 120 2010-01-01
ends 117 3 2002-06-30 120 2010-01-31
hours 297 3 04:00 300 2020-01-13T12:00
numbers 97 3 155 100 510
END
    expect 0 forecast weekdays.csv --steps 1 --plot none --missing interpolate --json
    valid_json out "v['rows'] == 212 and v['time'] == ['2018-10-29']"
    err_names '5 rows'
    expect 1 forecast few.csv --steps 1 --plot none --missing interpolate
    err_names few.csv 200
}
check "forecast: rows missing between the times are counted, and filled in by --missing interpolate" forecast_missing_rows

forecast_reasons()
{
    # Reasons of the choice: no kernel is named where it has no part.
    printf 'time,y\n2020-01,1\n2020-02,2\n2020-03,4\n' >three.csv
    expect 0 forecast three.csv --plot none
    out_has '^chosen by '
    ! grep -q '^kernel' out || fail "$(cat out)"
    monthly 60 >s.csv
    expect 0 forecast s.csv --steps 3 --plot none
    out_has '^chosen by +errors of forecasts from [0-9]+ earlier rows'
    # One year of months: the warning names the season that is missing.
    awk "$uniform"'BEGIN { seeded(3); print "time,y"; for (t = 0; t < 12; t++) printf "2020-%02d,%.3f\n", t + 1, 10 + uniform() }' >year.csv
    expect 0 forecast year.csv --plot none
    out_has '^warning .*12 rows'
    # Dates that begin with a day and with a month
    awk 'BEGIN { print "date,y"; for (t = 1; t < 29; t++) print (t == 5 ? "25/01/2020" : sprintf("01/%02d/2020", t)) "," t % 4 }' >mixed.csv
    expect 0 forecast mixed.csv --plot none -o -
    err_names mixed.csv date 25/01/2020
    [ "$(head -n 1 out)" = step,y,y.error ] || fail "$(head -n 1 out)"
    # The same dates without that one are months first.
    grep -v 25/01 mixed.csv >months.csv
    expect 0 forecast months.csv --plot none -o -
    [ "$(sed -n 2p out | cut -d, -f1)" = 01/29/2020 ] || fail "$(sed -n 2p out)"
}
check "forecast: reasons of the choice, short seasons, contradicting dates" forecast_reasons

# weekdays ROWS: trading days from 2024-01-02 on, without weekends and three holidays
weekdays()
{
    awk -v n="$1" 'BEGIN {
        srand(5)
        split("31 29 31 30 31 30", days, " ")
        print "Date,close,volume"
        for (d = m = 1; n > 0; k++) {
            name = sprintf("2024-%02d-%02d", m, d)
            if (k % 7 < 5 && name !~ /01-01|01-15|02-19|03-29/ && n-- > 0)
                printf "%s,%.4f,%d\n", name, 100 + k / 20 + rand(), 1000 * (1 + rand())
            if (++d > days[m]) { d = 1; m++ }
        }
    }'
}

forecast_weekdays()
{
    weekdays 60 >prices.csv
    expect 0 forecast prices.csv:close --steps 6 --plot none
    no_err
    out_has '^rows +60, 2024-01-02 to 2024-03-27$'
    [ "$(cut -d, -f1 prices-forecast.csv | tr '\n' ' ')" = 'Date 2024-03-28 2024-03-29 2024-04-01 2024-04-02 2024-04-03 2024-04-04 ' ] ||
        fail "$(cat prices-forecast.csv)"
    out_has '^forecast +6 steps, 2024-03-28 to 2024-04-04 .*holidays'
    # The numbers do not depend on the dates.
    awk -F, '{ print $2 }' prices.csv >bare.csv
    expect 0 forecast bare.csv --steps 6 --plot none
    [ "$(cut -d, -f2- prices-forecast.csv)" = "$(cut -d, -f2- bare-forecast.csv)" ] || fail "other numbers without dates"
    # Future rows know the holidays.
    weekdays 63 | tail -n 3 | awk -F, 'BEGIN { print "Date,volume" } { print $1 "," $3 }' >next.csv
    expect 0 forecast prices.csv:close --x volume --future next.csv --plot none -o -
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'Date 2024-03-28 2024-04-01 2024-04-02 ' ] || fail "$(cat out)"
    sed '4s/[^,]*/2024-03-28/' next.csv >twice.csv
    expect 1 forecast prices.csv:close --x volume --future twice.csv --plot none
    err_names twice.csv 2024-03-28
    awk -F, -v OFS=, 'NR > 1 { $2 = "" } { print }' prices.csv >gone.csv # no value at all
    expect 1 forecast gone.csv --x volume --plot none
    err_names gone.csv close
    # A model stores the step: a weekend after the training rows is not a gap.
    expect 0 fit --x prices.csv:close --rows :58 --ahead 2 --alpha 1e-3 -o model.safetensors
    expect 0 predict model.safetensors --x prices.csv:close --rows 58:
    ! grep -q missing err || fail "$(cat err)"
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'Date 2024-03-28 2024-03-29 ' ] || fail "$(cat out)"
}
check "forecast: trading days continue without weekends" forecast_weekdays

# Bars of trading hours are numbered; last weekdays of months continue in the next month.
forecast_closed_hours()
{
    awk 'BEGIN {
        srand(6)
        print "t,y"
        for (d = 8; d < 17; d++)
            for (k = 0; d % 7 != 6 && d % 7 != 0 && k < 14; k++)
                printf "2024-01-%02d %02d:%02d,%.4f\n", d, 9 + (k + 1) / 2, (k + 1) % 2 * 30, 5 + cos(k) + rand()
    }' >bars.csv
    grep -v ' 12:00\| 12:30\| 16:00' bars.csv >break.csv
    for file in bars.csv break.csv; do
        expect 0 forecast $file --steps 2 --plot none -o -
        lines_of err 1
        err_names $file step
        [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'step 1 2 ' ] || fail "$(cat out)"
    done
    printf 'date,y\n2023-03-31,4\n2023-04-28,7\n2023-05-31,5\n2023-06-30,8\n2023-07-31,6\n2023-08-31,9\n' >ends.csv
    expect 0 forecast ends.csv --steps 2 --plot none -o -
    no_err
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'date 2023-09-29 2023-10-31 ' ] || fail "$(cat out)"
}
check "forecast: closed hours and last weekdays of months" forecast_closed_hours

# Local hours of which one occurs twice, as clocks are put back, are in order; a repeated time is not.
forecast_hour_twice()
{
    awk 'BEGIN {
        print "ds,y"
        for (i = 0; i < 90; i++) {
            h = i - (i >= 51) # 51 hours from midnight on Friday to 02:00 on Sunday
            printf "2024-10-%02d %02d:00,%.3f\n", 25 + int(h / 24), h % 24, sin(i / 4)
        }
    }' >local.csv
    grep -c '27 02:00' local.csv | grep -qx 2 || fail "$(cat local.csv)"
    expect 0 forecast local.csv --steps 1 --plot none -o -
    [ "$(cut -d, -f1 out | tail -1)" = '2024-10-28 17:00' ] || fail "$(cat out)"
    no_err
    sed 's/^/a,/; 1s/a,/unique_id,/' local.csv >many.csv
    expect 0 forecast many.csv --steps 1 -o -
    [ "$(tail -1 out | cut -d, -f2)" = '"2024-10-28 17:00"' ] || fail "$(cat out)"
    sed '10{p;}' local.csv >twice.csv
    expect 1 forecast twice.csv --steps 1 --plot none -o -
    err_names twice.csv ds 'line 11'
}
check "forecast: an hour that occurs twice" forecast_hour_twice

# One column with decimal commas: read with a header or where a line lacks the comma, otherwise two columns with a warning
forecast_decimal_commas()
{
    awk 'BEGIN { for (t = 0; t < 30; t++) { v = sprintf("%.2f", 20 + 5 * sin(t)); sub(/[.]/, ",", v); print v } }' >bare.csv
    { echo y; cat bare.csv; } >named.csv
    tr , . <named.csv >points.csv
    expect 0 forecast named.csv --steps 2 --json
    no_err
    cp out named
    expect 0 forecast points.csv --steps 2 --json
    [ "$(grep -A3 '"forecast"' named)" = "$(grep -A3 '"forecast"' out)" ] || fail "other numbers with points"
    expect 0 forecast bare.csv --steps 2 --json
    err_names bare.csv "'20,00'"
    valid_json out "len(v['series']) == 2"
    { cat bare.csv; echo 21; } >late.csv # after the lines that decide
    expect 1 forecast late.csv --steps 2
    err_names late.csv 31 'decimal commas'
    printf 'time;level\ns;V\n1;1,5\n2;2,5\n3;3,5\n' >units.csv
    expect 1 forecast units.csv
    err_names units.csv 2 "'V'" units
    { head -n 3 bare.csv; echo 21; cat bare.csv; } >whole.csv
    expect 0 forecast whole.csv --steps 2 --json
    no_err
    valid_json out "len(v['series']) == 1"
}
check "forecast: one column with decimal commas" forecast_decimal_commas

forecast_serial_dates()
{
    local first each
    for first in 45292 739252 1704067200 1704067200000; do
        each=1
        [ "$first" -gt 999999 ] && each=86400
        [ "$first" -gt 9999999999 ] && each=86400000
        awk -v a="$first" -v s="$each" 'BEGIN { print "Date,y"; for (t = 0; t < 30; t++) printf "%.0f,%.3f\n", a + s * t, sin(t) }' >s.csv
        expect 0 forecast s.csv --steps 1 --plot none
        out_has "^note +.*$first is 2024-01-01"
        grep -q "^$((first + 30 * each)) " out || fail "$(cat out)"
    done
    awk 'BEGIN { print "Date,y"; for (t = 0; t < 30; t++) print t "," sin(t) }' >s.csv
    expect 0 forecast s.csv --steps 1 --plot none
    ! grep -q 'is 19' out || fail "row numbers are not dates: $(cat out)"
}
check "forecast: serial dates are numbers, with a note" forecast_serial_dates

forecast_constant()
{
    awk 'BEGIN { print "a"; for (t = 0; t < 50; t++) print 5 }' >constant.csv
    expect 0 forecast constant.csv --steps 2 --interval 0.9 --json
    valid_json out "v['forecast'] == [[5], [5]] and v['rmse'] == [[0], [0]] and v['intervals'][0]['upper'] == [[5], [5]] and v['skill'] is None \
        and [w['series'] for w in v['warnings']] == ['a']"
    expect 0 forecast constant.csv --steps 2
    out_has '^warning '
    grep -qi nan out constant-forecast.csv && fail "$(cat out)"
    # Constant in the later half only.
    awk 'BEGIN { print "y"; for (t = 0; t < 60; t++) print sin(t); for (t = 0; t < 90; t++) print 0.25 }' >still.csv
    expect 0 forecast still.csv --steps 3
    no_err
    out_has '^warning '
    grep -qi nan out still-forecast.csv && fail "$(grep -i nan out still-forecast.csv)"
    # Together with a series that changes.
    awk "$noise"'BEGIN { print "a,b"; for (t = 0; t < 60; t++) print 5 "," sin(0.7 * t) + 0.1 * noise() }' >both.csv
    expect 0 forecast both.csv --steps 2 --json
    valid_json out "[row[0] for row in v['forecast']] == [5, 5] and [m['weight'] > 0 for m in v['members'] if m['name'] == 'kernel'] == [False, True]"
}
check "forecast: constant series" forecast_constant

forecast_wrong()
{
    expect 2 forecast
    err_names FILE
    expect 1 forecast nothing.csv
    err_names nothing.csv
    monthly 100 >s.csv
    printf 'a,b\nx,1\ny,2\n' >text.csv
    expect 1 forecast text.csv
    err_names "'x'"
    head -n 2 s.csv >single.csv
    expect 1 forecast single.csv
    err_names 1 3 single.csv
    expect 2 forecast s.csv --steps 0
    expect 2 forecast s.csv --season 51
    err_names season 51 s.csv
    expect 2 forecast s.csv --season often
    expect 2 forecast s.csv --calendar hours
    expect 2 forecast s.csv --kernel nothing
    expect 2 forecast s.csv --rows 5:3
    sed '20s/,.*/,/' s.csv >hole.csv
    expect 1 forecast hole.csv
    err_has 'line 20.*--missing interpolate'
    expect 0 forecast hole.csv --missing interpolate --steps 2 --plot none
    err_names 1 interpolated
    { sed -n 1p s.csv; tail -n +2 s.csv | tac; } >back.csv
    expect 1 forecast back.csv
    err_names line 3 2008-03 2008-04 rows column "'month'"
    expect 2 forecast s.csv --horizon 3
    err_names --horizon --steps
    expect 2 forecast s.csv --confidence 0.9
    err_names --confidence --interval
    expect 2 forecast --data s.csv
    err_names --data FILE
    expect 2 fit --x s.csv --lambda 1 -o m.safetensors
    err_names --lambda --alpha
    expect 2 fit --x s.csv --target y -o m.safetensors
    err_names --target level --y
    expect 2 forecast s.csv --target=a
    err_names --target=a FILE:COLUMNS
    expect 2 forecast s.csv --plot p.png
    err_names --plot .svg "'p.png'"
    expect 2 forecast s.csv -o s.xlsx
    err_names s.xlsx .csv
    { cat s.csv; echo 'Total,1'; } >total.csv
    expect 1 forecast total.csv
    err_names total.csv line 102 "'month'" "'Total'"
    sed '30p' s.csv >twice.csv
    expect 1 forecast twice.csv
    err_names line 31 2002-05 "'month'"
    sed '30d' s.csv >gap.csv
    expect 0 forecast gap.csv --steps 2 --plot none
    err_names 1 row 2002-04 2002-06
    cut -d, -f2 s.csv >plain.csv
    expect 1 forecast plain.csv --calendar month
    err_names column
    nothing_left
}
check "forecast: errors of options and files" forecast_wrong

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
check "forecast --budget: search and its outcome" forecast_search
