# tests/cli/cases/5_forecast_many.sh: forecasts of the many series of a file in long format.

# long_months SERIES ROWS: series m0, m1, ... of months, whose rows alternate
long_months()
{
    awk -v n="$1" -v rows="$2" "$uniform"'BEGIN {
        seeded(11)
        print "unique_id,ds,y"
        for (t = 0; t < rows; t++)
            for (s = 0; s < n; s++)
                printf "m%d,%d-%02d-01,%.6f\n", s, 2000 + int(t / 12), t % 12 + 1, \
                    20 + 10 * s + 0.05 * t + 5 * sin(0.523599 * t + s) + uniform()
    }'
}

forecast_many_as_one()
{
    long_months 3 60 >long.csv
    expect 0 forecast long.csv --steps 5 --interval 0.8
    no_err
    out_has '^series +3$'
    out_has '^written +long-forecast.csv$'
    absent long-forecast.svg
    lines_of long-forecast.csv 16
    [ "$(head -n 1 long-forecast.csv)" = unique_id,ds,y,y.error,y.lo80,y.hi80 ] || fail "$(head -n 1 long-forecast.csv)"
    [ "$(cut -d, -f1,2 long-forecast.csv | sed -n 7p)" = m1,2005-01-01 ] || fail "$(sed -n 7p long-forecast.csv)"
    # The same as the forecast of that series on its own, whatever the number of threads.
    for s in 0 1 2; do
        (echo ds,y && grep "^m$s," long.csv | cut -d, -f2-) >one.csv
        expect 0 forecast one.csv --steps 5 --interval 0.8 -o one-forecast.csv --plot none --threads 1
        sed 1d one-forecast.csv >one-rows
        grep "^m$s," long-forecast.csv | cut -d, -f2- >many-rows
        same one-rows many-rows
    done
    expect 0 forecast long.csv --steps 5 --interval 0.8 --threads 3 -o - --quiet
    same out long-forecast.csv
    expect 0 forecast long.csv --steps 5 --interval 0.8 --json
    valid_json out "[float(x) for line in list(open('long-forecast.csv'))[1:] for x in line.split(',')[2:]] == [x for s in v['series'] \
        for step in zip(s['forecast'], s['rmse'], s['intervals'][0]['lower'], s['intervals'][0]['upper']) for x in step]"
    # The same with other names of the columns.
    sed '1s/.*/shop,ds,sold/' long.csv >shops.csv
    expect 0 forecast shops.csv:sold --id shop --steps 5 --interval 0.8 -o shops-forecast.csv
    [ "$(head -n 1 shops-forecast.csv)" = shop,ds,sold,sold.error,sold.lo80,sold.hi80 ] || fail "$(head -n 1 shops-forecast.csv)"
    sed 1d shops-forecast.csv >shops-rows
    sed 1d long-forecast.csv >long-rows
    same shops-rows long-rows
    # Dates in another column than ds, and no dates.
    sed '1s/.*/shop,day,sold/' long.csv >days.csv
    expect 0 forecast days.csv:sold --id shop --steps 5 --interval 0.8 -o days-forecast.csv
    [ "$(head -n 1 days-forecast.csv)" = shop,day,sold,sold.error,sold.lo80,sold.hi80 ] || fail "$(head -n 1 days-forecast.csv)"
    sed 1d days-forecast.csv >days-rows
    same days-rows long-rows
    cut -d, -f1,3 shops.csv >dateless.csv
    expect 0 forecast dateless.csv:sold --id shop --steps 2 -o -
    [ "$(cut -d, -f1,2 out | sed -n 1,3p | tr '\n' ' ')" = 'shop,step m0,1 m0,2 ' ] || fail "$(head -n 3 out)"
}
check "forecast of a file in long format has the forecast of each series" forecast_many_as_one

forecast_many_broken()
{
    long_months 2 40 >long.csv
    printf '%s\n' hole,2000-01-01,1 hole,2000-02-01, hole,2000-03-01,3 hole,2000-04-01,4 hole,2000-05-01,5 \
        brief,2000-01-01,1 brief,2000-02-01,2 twice,2000-01-01,1 twice,2000-01-01,2 twice,2000-02-01,3 >>long.csv
    expect 0 forecast long.csv --steps 2 -o next.csv
    warnings_are 3
    err_names hole 2000-02-01 brief 3 twice 2000-01-01
    out_has '^series +5$'
    out_has '^no forecast +3$'
    lines_of next.csv 5
    expect 0 forecast long.csv --steps 2 --json
    valid_json out "v['count'] == 5 and v['forecasts'] == 2 and [s['id'] for s in v['skipped']] == ['hole', 'brief', 'twice'] \
        and [s['id'] for s in v['series']] == ['m0', 'm1'] and len(v['series'][0]['forecast']) == 2"
    expect 0 forecast long.csv --steps 2 --missing drop -o next.csv
    lines_of next.csv 7
    # All of them: status 1, and the file is kept.
    (head -n 1 long.csv && grep -E '^(hole|brief|twice)' long.csv) >broken.csv
    echo kept >next.csv
    expect 1 forecast broken.csv --steps 2 -o next.csv
    err_names broken.csv hole 2000-02-01
    [ "$(cat next.csv)" = kept ] || fail "$(head -n 1 next.csv)"
    nothing_left
}
check "forecast of a file in long format skips broken series and names them" forecast_many_broken

# 10,000 series of four rows, of which one has a text, one a wrong date and one no date
forecast_many_faults()
{
    awk 'BEGIN {
        print "unique_id,ds,y"
        for (s = 0; s < 10000; s++)
            for (t = 1; t <= 4; t++)
                printf "s%d,%s,%s\n", s, s == 7 && t == 2 ? "2000-13-01" : s == 8 && t == 3 ? "" : "2000-0" t "-01", \
                    s == 9998 && t == 1 ? "closed" : s % 10 + (t * t) % 5
    }' >many.csv
    expect 0 forecast many.csv --steps 1 -o next.csv
    warnings_are 3
    err_names s7 'line 31' ds 2000-13-01 s8 'line 36' s9998 'line 39994' "'y'" "'closed'"
    out_has '^series +10000$'
    out_has '^no forecast +3$'
    lines_of next.csv 9998
    # With all of them broken, the first one is named.
    (head -n 1 many.csv && grep -E '^s(7|9998),' many.csv) >broken.csv
    expect 1 forecast broken.csv --steps 1
    err_names broken.csv s7 'line 3' 2000-13-01
    # The others of a file without dates
    cut -d, -f1,3 many.csv | sed -n '1p;39986,$p' >short.csv
    expect 0 forecast short.csv --id unique_id --steps 1 -o next.csv
    err_names s9998 'line 10' closed
}
check "forecast of 10,000 series of which some are broken names line, column and value" forecast_many_faults

forecast_many_resume()
{
    long_months 30 40 >long.csv
    expect 0 forecast long.csv --steps 3 --interval 0.8 -o whole.csv
    # A limit that is over at once: one series for each thread.
    expect 0 forecast long.csv --steps 3 --interval 0.8 -o next.csv --time-limit 0.000001s --threads 1
    err_names --time-limit --resume 29 30
    out_has '^not begun +29$'
    lines_of next.csv 4
    expect 0 forecast long.csv --steps 3 --interval 0.8 -o next.csv --resume --time-limit 1h # another limit
    no_err
    out_has '^of an earlier run +1$'
    same next.csv whole.csv
    # Finished series are not computed again: their lines are copied, whatever their numbers are.
    awk -F, -v OFS=, 'NR == 2 { $3 = 1 } $1 != "m3"' whole.csv >next.csv
    cp next.csv changed.csv
    expect 0 forecast long.csv --steps 3 --interval 0.8 -o next.csv --resume --json
    valid_json out "v['resumed'] == 29 and v['forecasts'] == 30 and [s['id'] for s in v['series']] == ['m3']"
    grep -v '^m3,' next.csv >others
    same others changed.csv
    [ "$(grep '^m3,' next.csv)" = "$(grep '^m3,' whole.csv)" ] || fail "m3 has another forecast"
    # Another horizon, other columns, and data that are newer than the output
    expect 0 forecast long.csv --steps 2 --interval 0.8 -o next.csv --resume
    err_names next.csv --steps 3 2
    lines_of next.csv 61
    expect 0 forecast long.csv --steps 2 -o next.csv --resume
    err_names --resume next.csv
    ! grep -q 'earlier run' out || fail "$(cat out)"
    touch -d '2001-01-01' next.csv
    expect 0 forecast long.csv --steps 2 -o next.csv --resume
    err_names --resume long.csv next.csv
    # Another file, other options, a file without options: all are forecast again, as by a new run.
    (cat long.csv && echo m5,2003-05-01,70) >longer.csv
    local next
    for next in 'longer.csv --steps 3' 'long.csv --steps 3 --season none' 'long.csv --steps 3 --kernel linear' \
        'long.csv --steps 3 --missing drop'; do
        expect 0 forecast long.csv --steps 3 -o next.csv --time-limit 0.000001s --threads 1
        expect 0 forecast $next -o next.csv --resume
        err_names --resume next.csv
        expect 0 forecast $next -o new.csv
        same next.csv new.csv
    done
    rm next.csv.options
    expect 0 forecast long.csv --steps 3 -o next.csv --resume
    err_names --resume next.csv.options
    # A series with one row more in a file that is older than the output
    sed -i -e '$a m5,2003-05-01,70' long.csv
    touch -d '2001-01-01' long.csv
    expect 0 forecast long.csv --steps 3 -o next.csv --resume
    out_has '^of an earlier run +29$'
    grep -q '^m5,2003-06-01' next.csv || fail "$(grep '^m5' next.csv)"
    nothing_left
    expect 2 forecast long.csv --resume -o -
    err_names --resume -o
    expect 2 forecast long.csv:y --resume
    err_names --resume
}
check "forecast of a file in long format: time limit and resume" forecast_many_resume

# Names with line breaks, quotation marks and blanks
forecast_many_resume_names()
{
    long_months 3 40 | awk -F, -v OFS=, 'NR > 1 { $1 = "\"" $1 "\n\n \"\"five\"\",\"" } { print }' >long.csv
    expect 0 forecast long.csv --steps 2 -o whole.csv
    expect 0 forecast long.csv --steps 2 -o next.csv --time-limit 0.000001s --threads 1
    expect 0 forecast long.csv --steps 2 -o next.csv --resume
    no_err
    out_has '^of an earlier run +1$'
    same next.csv whole.csv
}
check "forecast --resume keeps series whose names have line breaks" forecast_many_resume_names

forecast_many_interrupt()
{
    long_months 400 60 >long.csv
    local job seconds
    for seconds in 2 10 60; do # until a series is complete
        "$VOLTERRA" forecast long.csv --steps 3 -o next.csv --threads 1 >out 2>err &
        job=$!
        sleep "$seconds"
        kill -INT $job 2>/dev/null || skip "the forecasts were over too soon"
        wait $job
        [ $? -eq 130 ] || fail "the status is not 130: $(cat err)"
        [ ! -e next.csv ] || break
    done
    err_names next.csv --resume
    [ "$(head -n 1 next.csv)" = unique_id,ds,y,y.error ] || fail "$(head -n 1 next.csv)"
    lines=$(wc -l <next.csv)
    [ $((lines % 3)) -eq 1 ] && [ "$lines" -gt 1 ] || fail "$lines lines"
    cp next.csv part.csv
    expect 0 forecast long.csv --steps 3 -o next.csv --resume
    out_has "^of an earlier run +$((lines / 3))\$"
    lines_of next.csv 1201
    head -n "$lines" next.csv >first
    same first part.csv
}
check "Ctrl-C during forecasts of many series keeps those that are complete" forecast_many_interrupt

# Missing months and values of one series are interpolated; the other is the same.
forecast_many_missing()
{
    awk 'BEGIN { print "unique_id,ds,y"; for (s = 0; s < 2; s++) for (t = 0; t < 40; t++)
        if (s == 0 || (t != 12 && t != 13)) printf "s%d,%d-%02d,%s\n", s, 2000 + int(t / 12), t % 12 + 1, s && t == 20 ? "" : t }' >long.csv
    expect 0 forecast long.csv --steps 2 --missing interpolate -o out.csv
    err_names '1 series'
    [ "$(grep s0 out.csv | cut -d, -f2-)" = "$(grep s1 out.csv | cut -d, -f2-)" ] || fail "$(cat out.csv)"
    expect 0 forecast long.csv --steps 2 -o out.csv
    err_names s1 missing
}
check "forecast of many series: --missing interpolate" forecast_many_missing

forecast_many_refused()
{
    long_months 2 30 >long.csv
    for option in '--backtest 2' '--x y' '--future long.csv' '--calendar month' '--rows 0:20' '--plot p.svg'; do
        expect 2 forecast long.csv $option
        err_names "${option%% *}"
    done
    expect 2 forecast long.csv --budget 1s
    err_names --budget --time-limit
    expect 2 forecast long.csv:y --time-limit 1s
    err_names --time-limit --budget
    printf 'shop,month,sold\na,2020-01,1\na,2020-02,2\na,2020-03,4\nb,2020-01,1\n' >named.csv
    expect 2 forecast named.csv --id shop
    err_names --id named.csv:COLUMN
    expect 1 forecast named.csv:sold
    err_names named.csv:sold 5 --id
    expect 1 forecast long.csv --id shop
    err_names --id long.csv shop
    expect 2 forecast none.csv --id shop
    err_names --id none.csv
    expect 2 forecast long.csv -o long.csv
    err_names long.csv
    # A selected column is an ordinary file.
    (echo ds,unique_id,y && seq 30 | awk '{ print 2000 + $1 ",1," sin($1) }') >wide.csv
    expect 0 forecast wide.csv:y --steps 1 -o - --plot none
    [ "$(head -n 1 out)" = ds,y,y.error ] || [ "$(head -n 1 out)" = step,y,y.error ] || fail "$(head -n 1 out)"
}
check "forecast of a file in long format: unsupported options" forecast_many_refused
