# tests/cli/cases/5_time.sh: the times of rows: in forecasts, against the end of training, as inputs.

# hourly ROWS [FIRST]: a column `when` of hours from 2020-01-01 on and a column `load`, from row FIRST on
hourly()
{
    awk -v n="$1" -v first="${2:-0}" 'BEGIN {
        print "when,load"
        for (t = first; t < first + n; t++)
            printf "2020-%02d-%02d %02d:00,%.12g\n", 1 + int(t / 744), 1 + int(t / 24) % 31, t % 24,
                   500 + 40 * sin(t * 0.2617993877991494) + 9 * cos(0.37 * t)
    }'
}

predict_times()
{
    hourly 100 >x.csv
    expect 0 fit --x x.csv --rows :80 --ahead 3 --alpha 1e-3 -o model.safetensors
    # A forecast made at row t is for row t+3: the file's own times, and counted on behind its end.
    expect 0 predict model.safetensors --x x.csv --rows 77: -o yhat.csv
    no_err
    lines_of yhat.csv 24
    [ "$(sed -n 1p yhat.csv)" = when,load ] || fail "the header is $(sed -n 1p yhat.csv)"
    [ "$(sed -n 2p yhat.csv | cut -d, -f1)" = '2020-01-04 08:00' ] || fail "the first row is $(sed -n 2p yhat.csv)"
    [ "$(sed -n 24p yhat.csv | cut -d, -f1)" = '2020-01-05 06:00' ] || fail "the last row is $(sed -n 24p yhat.csv)"
    expect 0 predict model.safetensors --x x.csv --rows 77: --json
    valid_json out "v['columns'] == ['load'] and len(v['time']) == 23 and v['time'][-1] == '2020-01-05 06:00'"
    # A numeric file receives only numbers.
    expect 0 predict model.safetensors --x x.csv --rows 77: -o yhat.npy
    no_err
    # Without dates nothing changes.
    cut -d, -f2 x.csv >bare.csv
    expect 0 predict model.safetensors --x bare.csv --rows 77: -o bare_yhat.csv
    cut -d, -f2 yhat.csv | cmp -s - bare_yhat.csv || fail "the dates changed the forecast"
    # A model of the same row: the time belongs to the row.
    awk -F, 'NR == 1 { print $1 ",in,out" } NR > 1 { print $1 "," $2 "," 2 * $2 }' x.csv >xy.csv
    expect 0 fit --x xy.csv:in --y xy.csv:out --rows :80 --alpha 1e-3 -o same.safetensors
    expect 0 predict same.safetensors --x xy.csv --rows 80:82
    [ "$(sed -n 2p out | cut -d, -f1)" = '2020-01-04 08:00' ] || fail "the first row is $(sed -n 2p out)"
}
check "predict: the first column has the times of the predicted rows" predict_times

time_gaps()
{
    hourly 60 >x.csv
    sed 31d x.csv >one.csv
    expect 0 fit --x one.csv --alpha 1e-3 -o model.safetensors
    err_has ' 1 row missing .*2020-01-02 04:00.*2020-01-02 06:00'
    sed 31,33d x.csv >three.csv
    expect 0 fit --x three.csv --alpha 1e-3 -o model.safetensors
    err_has ' 3 rows missing .*2020-01-02 04:00.*2020-01-02 08:00'
}
check "gaps in the times of training rows: their length and ends" time_gaps

predict_monthly()
{
    # Times continue in their own format.
    local form
    for form in '%d-%02d' '%d/%d/1' '01.%2$02d.%1$d'; do
        awk -v form="$form" 'BEGIN {
            print "date,v"
            for (t = 0; t < 40; t++) {
                y = 2019 + int(t / 12); m = 1 + t % 12
                if (form ~ /^01/) printf "01.%02d.%d", m, y; else printf form, y, m
                printf ",%.9g\n", sin(0.5 * t) + 0.1 * cos(1.3 * t)
            }
        }' >x.csv
        expect 0 fit --x x.csv --rows :36 --ahead 2 --alpha 1e-3 -o model.safetensors
        expect 0 predict model.safetensors --x x.csv --rows 34:
        case $form in
            '%d-%02d') tail -n 1 out | grep -q '^2022-06,' || fail "the last row is $(tail -n 1 out)" ;;
            '%d/%d/1') tail -n 1 out | grep -q '^2022/6/1,' || fail "the last row is $(tail -n 1 out)" ;;
            *) tail -n 1 out | grep -q '^01.06.2022,' || fail "the last row is $(tail -n 1 out)" ;;
        esac
    done
}
check "predict: months continue in the format of the file" predict_monthly

years_and_quarters()
{
    # A column of years is not treated as a series.
    awk 'BEGIN { print "year,v"; for (t = 0; t < 40; t++) printf "%d,%.9g\n", 1971 + t, sin(0.5 * t) + 0.1 * cos(1.3 * t) }' >x.csv
    expect 0 fit --x x.csv --rows :36 --alpha 1e-3 -o model.safetensors --json
    valid_json out "v['d'] == 1 and v['q'] == 1"
    expect 0 predict model.safetensors --x x.csv --rows 35:
    [ "$(sed -n 1p out)" = year,v ] || fail "the header is $(sed -n 1p out)"
    tail -n 1 out | grep -q '^2011,' || fail "the last row is $(tail -n 1 out)"
    expect 0 fit --x x.csv:year,v --y x.csv:v --ahead 1 --alpha 1e-3 -o both.safetensors --json
    valid_json out "v['d'] == 2"
    awk -F, 'NR == 1 { print "quarter," $2 } NR > 1 { print 1999 + int(NR / 4) "Q" 1 + NR % 4 "," $2 }' x.csv >q.csv
    expect 0 fit --x q.csv --alpha 1e-3 -o quarters.safetensors
    expect 0 predict quarters.safetensors --x q.csv --rows 39:
    tail -n 1 out | grep -q '^2009Q3,' || fail "the last row is $(tail -n 1 out)"
}
check "years and quarters are times" years_and_quarters

# months_as NAME FORM [TRIMMED]: 30 months from 2020-01 on in a column NAME; FORM has year and month, after r month and year
months_as()
{
    awk -v name="$1" -v form="$2" -v trimmed="${3:-0}" 'BEGIN {
        print name ",v"
        for (t = 0; t < 30; t++) {
            y = 2020 + int(t / 12); m = 1 + t % 12
            text = form ~ /^r/ ? sprintf(substr(form, 2), m, y) : sprintf(form, y, m)
            if (trimmed) sub(/0$/, "", text)
            printf "%s,%.9g\n", text, 100 + t + 9 * sin(t * 0.5235987756) + cos(2.3 * t)
        } }' >x.csv
}

digit_months()
{
    local name form trimmed next
    while read -r name form trimmed next; do
        months_as "$name" "$form" "$trimmed"
        expect 0 forecast x.csv --steps 2 --plot none -o yhat.csv
        no_err
        [ "$(sed -n 1p yhat.csv)" = "$name,v,v.error" ] || fail "$form: the header is $(sed -n 1p yhat.csv)"
        [ "$(sed -n 2p yhat.csv | cut -d, -f1)" = "$next" ] || fail "$form: the first row is $(sed -n 2p yhat.csv)"
    done <<'END'
month %d.%02d 0 2022.07
month %d.%02d 1 2022.07
date %d.%d 0 2022.7
x %d.%d 1 2022.7
month r%d.%d 0 7.2022
month r%d.%d 1 7.2022
quarter %d.%02d 0 2022.07
END
    # Decimal years and counters stay numbers.
    awk 'BEGIN { print "time,v"; for (t = 0; t < 30; t++) printf "%.2f,%.9g\n", 2018 + t / 12, sin(0.5 * t) + 0.1 * cos(1.3 * t) }' >x.csv
    expect 0 forecast x.csv --steps 2 --plot none -o yhat.csv
    [ "$(sed -n 1p yhat.csv)" = step,v,v.error ] || fail "the header is $(sed -n 1p yhat.csv)"
    awk 'BEGIN { print "t,v"; for (t = 0; t < 30; t++) printf "%.2f,%.9g\n", 1 + t / 100, sin(0.5 * t) + 0.1 * cos(1.3 * t) }' >x.csv
    expect 0 forecast x.csv --steps 2 --plot none -o yhat.csv
    [ "$(sed -n 2p yhat.csv | cut -d, -f1)" = 1.3 ] || fail "the first row is $(sed -n 2p yhat.csv)"
    # Dates that are the same in both orders of day and month.
    awk 'BEGIN { print "date,v"; for (t = 0; t < 30; t++) printf "01/01/%d,%.9g\n", 1990 + t, sin(0.5 * t) + 0.1 * cos(1.3 * t) }' >x.csv
    expect 0 forecast x.csv --steps 2 --plot none -o yhat.csv
    no_err
    [ "$(sed -n 3p yhat.csv | cut -d, -f1)" = 01/01/2021 ] || fail "the second row is $(sed -n 3p yhat.csv)"
}
check "forecast: months as numbers continue in the form of the file" digit_months

time_as_series()
{
    awk 'BEGIN { print "month,v"; for (t = 0; t < 36; t++) printf "%d,%.9g\n", 1 + t % 12, sin(0.5 * t) + 0.1 * cos(1.3 * t) }' >x.csv
    expect 0 forecast x.csv --steps 2 --plot none -o yhat.csv
    err_names warning x.csv "'month'"
    expect 0 forecast x.csv:month,v --steps 2 --plot none -o yhat.csv
    no_err
    expect 0 forecast x.csv:v --steps 2 --plot none -o yhat.csv
    no_err
}
check "forecast: a series named as a time has a warning" time_as_series

predict_irregular()
{
    # Working days: the date of the next row is unknown.
    awk 'BEGIN { print "date,v"
        for (t = 0; t < 40; t++) { day = 6 + 7 * int(t / 5) + t % 5
            printf "2020-%02d-%02d,%.9g\n", 1 + int((day - 1) / 28), 1 + (day - 1) % 28, sin(0.4 * t) } }' >x.csv
    expect 0 fit --x x.csv --rows :30 --alpha 1e-3 -o model.safetensors
    expect 0 predict model.safetensors --x x.csv --rows 29:
    [ "$(sed -n 1p out)" = v ] || fail "the header is $(sed -n 1p out)"
    err_names warning column "'date'" x.csv rows
    # Texts that are not dates.
    sed '2,$s/^2020-\(..\)/day \1 of/' x.csv >words.csv
    expect 0 predict model.safetensors --x words.csv --rows 29:
    err_names words.csv "'date'" "'day 02 of-17'"
}
check "predict: irregular times are omitted with a message" predict_irregular

predict_index()
{
    small_model
    expect 0 predict model.safetensors --x x.csv --rows 57: --index -o yhat.csv
    [ "$(sed -n 1p yhat.csv)" = row,a,b ] || fail "the header is $(sed -n 1p yhat.csv)"
    [ "$(cut -d, -f1 yhat.csv | tr '\n' ' ')" = 'row 57 58 59 ' ] || fail "the rows are $(cut -d, -f1 yhat.csv)"
    expect 0 predict model.safetensors --x x.csv --rows 57: -o plain.csv
    cut -d, -f2- yhat.csv | cmp -s - plain.csv || fail "--index changed the forecast"
    # Rows that are left out keep their numbers away.
    awk -F, 'NR == 60 { print "," $2; next } { print }' x.csv >hole.csv
    expect 0 predict model.safetensors --x hole.csv --rows 57: --missing drop --index
    [ "$(cut -d, -f1 out | tr '\n' ' ')" = 'row 57 59 ' ] || fail "the rows are $(cut -d, -f1 out)"
    expect 0 predict model.safetensors --x x.csv --rows 58: --index --json
    valid_json out "v['columns'] == ['row', 'a', 'b'] and [r[0] for r in v['rows']] == [58, 59]"
}
check "predict --index numbers the rows of the file" predict_index

predict_order()
{
    hourly 60 >x.csv
    expect 0 fit --x x.csv --rows :40 --alpha 1e-3 -o model.safetensors
    { sed -n 1p x.csv; tail -n +41 x.csv | sort -r; } >turned.csv
    expect 0 predict model.safetensors --x turned.csv -o yhat.csv
    err_names turned.csv row 2020-01-03 11:00 column "'when'" rows
    awk 'NR == 51 { held = $0; next } { print } NR == 55 { print held }' x.csv >swapped.csv
    expect 0 predict model.safetensors --x swapped.csv -o yhat.csv
    err_names swapped.csv rows order row 53 2020-01-03 01:00 05:00
}
check "predict: rows out of time order are reported" predict_order

predict_start_times()
{
    hourly 100 >x.csv
    expect 0 fit --x x.csv --rows :80 --ahead 2 --alpha 1e-3 -o model.safetensors
    # The model saw inputs up to row 77: row 78 follows, and says nothing.
    expect 0 predict model.safetensors --x x.csv --rows 78: -o yhat.csv
    no_err
    # The rows behind the training file, without its last two, which were targets only.
    hourly 20 80 >new.csv
    expect 0 predict model.safetensors --x new.csv -o yhat.csv
    err_names warning new.csv 2020-01-04 08:00 row rows 06:00 2 targets
    lines_of err 1
    expect 0 predict model.safetensors --x x.csv --rows 90: -o yhat.csv
    err_names 2020-01-04 06:00 12 rows
    # The rows of training.
    expect 0 predict model.safetensors --x x.csv -o yhat.csv
    err_names warning x.csv 2020-01-01 00:00 rows 2020-01-04 05:00 --start reset
    lines_of err 1
    expect 0 predict model.safetensors --x x.csv --start reset -o yhat.csv
    no_err
    # One row has no step of its own: the model knows it.
    expect 0 predict model.safetensors --x x.csv --rows 78:79
    no_err
    [ "$(sed -n 2p out | cut -d, -f1)" = '2020-01-04 08:00' ] || fail "the row is $(sed -n 2p out)"
}
check "predict warns if X does not begin after the training rows" predict_start_times

predict_start_rows()
{
    # Without times the rows are matched by their values.
    small_model
    expect 0 predict model.safetensors --x x.csv -o yhat.csv
    err_names warning x.csv rows 59 --start reset
    expect 0 predict model.safetensors --x x.csv --rows 59: -o yhat.csv
    no_err
    expect 0 predict model.safetensors --x x.csv --rows 30: -o yhat.csv
    no_err
    expect 0 predict model.safetensors --x x.csv --start reset -o yhat.csv
    no_err
    # Constant rows cannot be matched.
    { echo a; yes 5 | head -n 20; series 30 1 | tail -n +2; } >asleep.csv
    expect 0 fit --x asleep.csv --alpha 1e-3 -o asleep.safetensors
    expect 0 predict asleep.safetensors --x asleep.csv -o yhat.csv
    no_err
}
check "predict warns if X begins with the training rows" predict_start_rows

training_order()
{
    hourly 60 >x.csv
    { sed -n 1p x.csv; tail -n +2 x.csv | sort -r; } >turned.csv
    expect 0 fit --x turned.csv --alpha 1e-3 -o model.safetensors
    err_names turned.csv row 2020-01-03 11:00 column "'when'"
}
check "fit: warning for a file in reverse time order" training_order

calendar_inputs()
{
    hourly 120 >x.csv
    expect 0 fit --x x.csv --rows :100 --calendar hour,weekday --alpha 1e-3 -o model.safetensors --json
    valid_json out "v['d'] == 5 and v['q'] == 1 and not v['feedback']"
    # predict and stream make the columns themselves.
    expect 0 predict model.safetensors --x x.csv --rows 99: --quiet -o yhat.csv
    { sed -n 1p x.csv; tail -n 21 x.csv; } >rows.csv
    expect 0 stream model.safetensors <rows.csv
    cut -d, -f2 yhat.csv | tail -n +2 >expected
    near out expected 1e-9
    tail -n 21 x.csv >bare.csv
    expect 0 stream model.safetensors <bare.csv
    near out expected 1e-9
    # A line without a date does not repeat the problem of the line before.
    printf '2021-13-04 00:00,30\n31\n' >bare.csv
    volterra stream model.safetensors <bare.csv
    [ "$(grep -c '2021-13-04' err)" = 1 ] && [ "$(grep -c 'line [12] .*date' err)" = 2 ] || fail "$(cat err)"
    # They are what one would make by hand, in the scale of the load: a model of such columns is the same.
    awk -F, -v OFS=, 'NR > 1 && NR < 102 { n++; s += $2; q += $2 * $2 }
        { line[NR] = $0 }
        END { scale = sqrt(2 * (q / n - (s / n) ^ 2)); turn = 6.283185307179586
            print line[1] ",hs,hc,ws,wc"
            for (i = 2; i <= NR; i++) { t = i - 2; w = (int(t / 24) + 2) % 7
                printf "%s,%.17g,%.17g,%.17g,%.17g\n", line[i], scale * sin(turn * (t % 24) / 24),
                       scale * cos(turn * (t % 24) / 24), scale * sin(turn * w / 7), scale * cos(turn * w / 7) } }' x.csv >hand.csv
    expect 0 fit --x hand.csv:load,hs,hc,ws,wc --y x.csv:load --ahead 1 --rows :100 --alpha 1e-3 -o hand.safetensors
    expect 0 predict hand.safetensors --x hand.csv --rows 99: -o byhand.csv
    cut -d, -f2 byhand.csv | tail -n +2 >byhand
    near byhand expected 1e-6
    # tune carries them into the command that it prints, and into the model.
    expect 0 tune --x x.csv --calendar hour --draws 2 --folds 2 --seed 1 -o tuned.safetensors --json
    expect 0 predict tuned.safetensors --x x.csv --rows 119: --quiet
    [ "$(sed -n 2p out | cut -d, -f1)" = '2020-01-06 00:00' ] || fail "the row is $(sed -n 2p out)"
}
check "--calendar adds inputs from the dates, in fit, tune, predict and stream" calendar_inputs

calendar_refused()
{
    hourly 60 >x.csv
    cut -d, -f2 x.csv >bare.csv
    expect 1 fit --x bare.csv --calendar hour -o model.safetensors
    err_names bare.csv column --calendar
    expect 2 fit --x x.csv --calendar hour,fortnight -o model.safetensors
    err_names "'fortnight'"
    awk -F, 'NR == 1 { print } NR > 1 { print "3/4/2020 " NR % 24 ":00," $2 }' x.csv >either.csv
    expect 1 fit --x either.csv --calendar hour -o model.safetensors
    err_names either.csv column "'when'" --calendar "'"
    absent model.safetensors
    expect 0 fit --x x.csv --calendar hour --alpha 1e-3 -o model.safetensors
    expect 1 predict model.safetensors --x bare.csv
    err_names bare.csv column calendar
    printf '2020-01-03 12:00,500\n501\n' >rows
    expect 0 stream model.safetensors <rows
    err_names line 2 input calendar
    lines_of out 2
}
check "--calendar without dates is rejected" calendar_refused

predict_plot()
{
    hourly 80 >x.csv
    expect 0 fit --x x.csv --rows :60 --ahead 2 --alpha 1e-3 -o model.safetensors
    expect 2 predict model.safetensors --x x.csv --rows 58: --plot -
    err_names --plot output
    expect 2 predict model.safetensors --x x.csv --rows 58: -o y.csv --plot y.csv
    expect 2 predict model.safetensors --x x.csv --rows 58: -o y.csv --plot x.csv
    err_names --plot .svg x.csv
    expect 0 predict model.safetensors --x x.csv --rows 58: -o y.csv --plot y.svg
    grep -q 'load' y.svg && grep -q '>2020-01-0[34]<' y.svg || fail "y.svg lacks the name or the times"
    grep -q '>measured<' y.svg && grep -q '>predicted<' y.svg || fail "y.svg lacks measured or predicted rows"
    # Several horizons: the prediction at the last row.
    expect 0 fit --x x.csv --rows :70 --ahead 1..6 --alpha 1e-3 -o many.safetensors
    expect 0 predict many.safetensors --x x.csv --rows 64: -o y6.csv --plot y6.svg
    [ "$(sed -n 2p y6.csv | cut -d, -f1)" = '2020-01-03 16:00' ] || fail "the row is $(sed -n 2p y6.csv)"
    grep -q '>load<' y6.svg && ! grep -q 'load+' y6.svg || fail "y6.svg does not show the series"
    # Targets that are no inputs: the forecast alone.
    awk -F, 'NR == 1 { print $1 ",in,out" } NR > 1 { print $1 "," $2 "," 2 * $2 }' x.csv >xy.csv
    expect 0 fit --x xy.csv:in --y xy.csv:out --rows :60 --alpha 1e-3 -o other.safetensors
    expect 0 predict other.safetensors --x xy.csv --rows 60: -o y.csv --plot z.svg
    grep -q '>out<' z.svg && ! grep -q '>measured<' z.svg || fail "z.svg shows something else"
    nothing_left
}
check "predict --plot" predict_plot

score_times()
{
    hourly 100 >x.csv
    expect 0 fit --x x.csv --rows :80 --ahead 2 --alpha 1e-3 -o model.safetensors
    expect 0 predict model.safetensors --x x.csv --rows 78: --index -o yhat.csv
    # The columns of times and rows are not part of the forecast.
    expect 0 score --truth x.csv --truth-rows 80: --pred yhat.csv --pred-rows :20 --json
    valid_json out "v['rows'] == 20 and v['columns'] == 1"
    cp out expected
    no_err
    expect 0 predict model.safetensors --x x.csv --rows 78: -o plain.csv
    expect 0 score --truth x.csv --truth-rows 80: --pred plain.csv --pred-rows :20 --json
    same out expected
    # Rows are matched by their times.
    expect 0 score --truth x.csv --pred yhat.csv --json
    same out expected
    err_names warning yhat.csv x.csv 20 22 100
    expect 0 score --truth x.csv --truth-rows 78: --pred yhat.csv --json
    same out expected
    expect 1 score --truth x.csv --truth-rows :70 --pred yhat.csv
    err_names x.csv yhat.csv 2020-01-03 2020-01-04
    no_out
    cut -d, -f2 x.csv >bare.csv
    expect 1 score --truth bare.csv --pred yhat.csv
    err_names --truth-rows --pred-rows
}
check "score: rows are matched by time" score_times

# Without a number above 12, day and month follow from the regular step. 01/01/2021 leaves the order open.
slashed_months()
{
    for order in day month; do
        awk -v order=$order 'BEGIN {
            print "date,y"
            for (t = 0; t < 37; t++) {
                m = sprintf("%02d", t % 12 + 1)
                print (order == "day" ? "01/" m : m "/01") "/" 2018 + int(t / 12) "," 10 + t + 3 * sin(t)
            }
        }' >slashed.csv
        expect 0 forecast slashed.csv --steps 2 -o next.csv --plot none
        if [ $order = day ]; then due=01/02/2021; else due=02/01/2021; fi
        sed -n 2p next.csv | grep -q "^$due," || fail "$order first: $(sed -n 2p next.csv)"
    done
    head -n 13 slashed.csv >year.csv
    expect 0 forecast year.csv --steps 2 -o next.csv --plot none
    err_names year.csv date
}
check "order of day and month by the regular step" slashed_months

# Files with dates that are partly the same: the rows of common dates, in each command that pairs files.
pairs_by_date()
{
    awk 'BEGIN { srand(1); print "date,u"; for (t = 0; t < 60; t++) printf "2020-%02d-%02d,%.6f\n", 1 + (t > 30), 1 + t % 31, rand() }' >x.csv
    awk -F, 'NR == 1 { print "date,y" } NR > 1 { print $1 "," $2 * $2 + u; u = $2 }' x.csv >y.csv
    awk -F, 'NR == 1 { print "date,y,w,r" } NR > 1 { print $1 "," $2 "," 1 + NR % 3 "," (NR < 40 ? "a" : "b") }' y.csv >all.csv
    # late.csv: the rows from the 29th on, and as many later ones
    { sed -n 1p all.csv; sed -n '30,61p' all.csv; sed -n '2,29p' all.csv | sed 's/^2020/2021/'; } >late.csv
    awk -F, 'NR == 1 || NR > 29' x.csv >x32.csv
    sed -n '1p;30,61p' all.csv >all32.csv
    for option in "--y late.csv:y" "--y y.csv --weights late.csv:w" "--y y.csv --series late.csv:r"; do
        expect 0 fit --x x.csv $option --alpha 1e-3 -o m.safetensors --json
        err_names warning x.csv late.csv 32 of 60
        awk -F, 'NR == 1 || NR > 29' y.csv >y32.csv
        option=${option//late.csv/all32.csv}
        expect 0 fit --x x32.csv ${option/y.csv/y32.csv} --alpha 1e-3 -o p.safetensors --json
        no_err
        expect 0 predict m.safetensors --x x.csv --start reset -o m.csv
        expect 0 predict p.safetensors --x x.csv --start reset -o p.csv
        same m.csv p.csv
    done
    # The other commands; the same dates are no reason for a message.
    expect 0 tune --x x.csv --y late.csv:y --draws 1 --quiet
    expect 0 tune --x x.csv --y late.csv:y --draws 1 -o t.safetensors
    err_names 32 of 60
    expect 0 curve --x x.csv --y late.csv:y --sizes 12 --kernel linear
    err_names 32 of 60
    expect 1 identify --x x.csv --y late.csv:y --draws 1 -o i.safetensors # requires 60 rows
    err_names 32 60
    expect 0 fit --x x.csv --y y.csv --alpha 1e-3 -o m.safetensors
    no_err
    # Dates on one side only: row by row.
    cut -d, -f2 y.csv >bare.csv
    expect 0 fit --x x.csv --y bare.csv --alpha 1e-3 -o p.safetensors
    no_err
    # None in common, or dates that do not increase.
    sed 's/^2020/2024/' y.csv >early.csv
    expect 1 fit --x x.csv --y early.csv --alpha 1e-3 -o none.safetensors
    err_names x.csv early.csv 2020-01-01 2024-01-01
    { sed -n 1p y.csv; sed 1d y.csv | tac; } >back.csv
    expect 1 fit --x x.csv --y back.csv --alpha 1e-3 -o none.safetensors
    err_names x.csv back.csv
    absent none.safetensors
    # Known outputs: those of other dates are unknown.
    expect 0 fit --x x.csv --y y.csv --feedback --alpha 1e-3 -o n.safetensors
    sed -n 1,11p y.csv >known.csv
    expect 0 predict n.safetensors --x x.csv --known known.csv --warm-up 10 --start reset -o k.csv
    err_names x.csv known.csv 10 50 of 60
    expect 0 predict n.safetensors --x x.csv --known y.csv --warm-up 10 --start reset -o full.csv
    same k.csv full.csv
}
check "dates of paired files are matched" pairs_by_date
