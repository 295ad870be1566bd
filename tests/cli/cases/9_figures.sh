# tests/cli/cases/9_figures.sh: every number of reports, tables, pages and plots, on small problems.
#
# The references in data/figures hold the numbers, not the words: see figures.py. VOLT_RECORD=1 writes them again.

# figures NAME TOLERANCE FILE...: the numbers of the files are those of the reference
figures()
{
    command -v python3 >/dev/null || skip "there is no python3"
    local name=$1
    shift
    python3 -IS "$here/figures.py" "$here/data/figures/$name.txt" "$@" >figures-say 2>&1 || fail "$(cat figures-say)"
}

# keep_scripts: a program in place of gnuplot that adds what it is given to script.gp
keep_scripts()
{
    mkdir -p bin
    printf '#!/bin/sh\ncat >>"%s/script.gp"\necho "<svg></svg>"\n' "$PWD" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH
}

# kept NAME: the output of the last command as the file NAME
kept() { mv out "$1"; }

# monthly ROWS [COLUMNS]: dates and noisy seasonal columns
monthly()
{
    awk -v n="$1" -v d="${2:-1}" 'BEGIN {
        printf "month"
        for (j = 1; j <= d; j++) printf ",s%d", j
        print ""
        for (t = 0; t < n; t++) {
            printf "%04d-%02d", 2015 + int(t / 12), 1 + t % 12
            for (j = 1; j <= d; j++)
                printf ",%.8g", 20 * j + 0.1 * t + 3 * sin(6.2831853 * (t + j) / 12) + cos(1.3 * t * t + j)
            print ""
        }
    }'
}

# wiener ROWS: d.csv with columns u, v and y of a system with memory
wiener()
{
    awk -v n="$1" 'BEGIN {
        print "u,v,y"
        for (t = 0; t < n; t++) {
            u = sin(1.7 * t * t + 0.3); v = cos(2.9 * t * t); x = 0.6 * x + u; z = 0.3 * z + v
            printf "%.10g,%.10g,%.10g\n", u, v, x + 0.3 * x * x - 0.5 * z + 0.1 * cos(7.1 * t * t)
        }
    }' >d.csv
}

figures_of_forecasts()
{
    keep_scripts
    monthly 60 >m.csv
    expect 0 forecast m.csv --steps 6 --season 12
    kept report.txt
    expect 0 forecast m.csv --steps 6 --season 12 --interval 0.5,0.9,0.7 --rows 24: -o last.csv --verbose
    kept last.txt
    expect 0 forecast m.csv --steps 1 --season none -o one.csv --plot none --json
    kept one.json
    figures forecast 1e-6 report.txt m-forecast.csv last.txt last.csv one.json script.gp
    [ -e one.svg ] && fail "--plot none draws"
    rm script.gp
    # More columns than a plot has panels, without dates; and a series of constant values.
    monthly 48 7 | cut -d, -f2- >many.csv
    expect 0 forecast many.csv --steps 3 --season 12 --alone
    kept many.txt
    awk 'BEGIN { print "flat"; for (t = 0; t < 40; t++) print 5 }' >flat.csv
    expect 0 forecast flat.csv --steps 2
    kept flat.txt
    figures forecast_many 1e-6 many.txt many-forecast.csv flat.txt flat-forecast.csv script.gp
}
check "figures of forecast: report, table, JSON, plot" figures_of_forecasts

figures_of_backtests()
{
    monthly 60 2 >m.csv
    expect 0 forecast m.csv --steps 3 --season 12 --backtest 4 -o table.csv
    kept report.txt
    expect 0 forecast m.csv --steps 3 --season 12 --backtest 4 --interval 0.6 --json
    kept report.json
    { echo unique_id,ds,y; sed 1d m.csv | awk -F, '{ print "a," $1 "," $2 }'; sed 1d m.csv | awk -F, '{ print "b," $1 "," $3 }'; } >long.csv
    expect 0 forecast long.csv --steps 2 --season 12 -o long-forecast.csv --interval 0.9
    kept long.txt
    expect 0 forecast long.csv --steps 2 --season 12 --json
    kept long.json
    figures backtest 1e-6 report.txt table.csv report.json long.txt long-forecast.csv long.json
}
check "figures of forecast --backtest and of many series" figures_of_backtests

figures_of_models()
{
    keep_scripts
    wiener 90
    expect 0 fit --x d.csv:u,v --y d.csv:y --kernel volterra:tau=0.4,lambda=0.5 --alpha 1e-3 --washout 5 --rows :70 \
        --keep-factor --fitted fitted.csv -o m.safetensors --verbose
    kept fit.txt
    expect 0 fit --x d.csv:u,v --y d.csv:y --kernel rbf:gamma=0.5,window=3 --alpha 1e-2 --rows :70 --scale-each \
        -o r.safetensors --json
    kept fit.json
    expect 0 predict m.safetensors --x d.csv:u,v --rows 70: --interval 0.5,0.9 --std --index -o p.csv --plot p.svg
    kept predict.txt
    expect 0 score --truth d.csv:y --truth-rows 70: --pred p.csv --ahead 2 --season 4 --plot s.svg --verbose
    kept score.txt
    expect 0 combine m.safetensors r.safetensors --weights 0.25,0.75 -o c.safetensors --verbose
    kept combine.txt
    expect 0 predict c.safetensors --x d.csv:u,v --rows 70: -o c.csv --json
    kept predict.json
    # Several horizons with dates: the path from the last row.
    monthly 40 2 >months.csv
    expect 0 fit --x months.csv --ahead 1..3 --kernel volterra:tau=0.01,lambda=0.5 --alpha 0.1 -o h.safetensors
    kept ahead.txt
    expect 0 predict h.safetensors --x months.csv --rows 30: --interval 0.8,0.6 -o path.csv --plot path.svg
    expect 0 fit --x months.csv --kernel volterra:tau=0.01,lambda=0.5 --alpha 0.1 -o f.safetensors
    expect 0 continue f.safetensors --steps 4 --paths 20 --interval 0.8 -o next.csv --verbose
    kept continue.txt
    figures models 1e-6 fit.txt fitted.csv fit.json predict.txt p.csv score.txt combine.txt c.csv ahead.txt path.csv continue.txt \
        next.csv script.gp
}
check "figures of fit, predict, score, combine, continue" figures_of_models

figures_of_searches()
{
    keep_scripts
    wiener 80
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel volterra --draws 6 --folds 3 --seed 5 --log t.log --plot t.svg \
        -o m.safetensors --verbose
    kept tune.txt
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel rbf --range gamma=log:0.1..2 --alpha 0.01 --draws 4 --score nmse --gap 2 \
        --washout 3 --max-train 40 --json
    kept tune.json
    expect 0 tune --x d.csv:u,v --y d.csv:y --merge t.log --plot merged.svg
    kept merge.txt
    expect 0 tune --x d.csv:u --y d.csv:y --kernel linear --draws 3 --folds 2 --feedback --plot one.svg
    kept feedback.txt
    figures tune 1e-6 tune.txt tune.json merge.txt feedback.txt script.gp
}
check "figures of tune: report, JSON, merged log, plot" figures_of_searches

figures_of_comparisons()
{
    keep_scripts
    wiener 90
    expect 0 compare --x d.csv:u,v --y d.csv:y --kernel linear rbf volterra --draws 3 --folds 2 --seed 2 --repeat 2 \
        --report r.html --csv c.csv --latex c.tex --verbose
    kept compare.txt
    expect 0 compare --x d.csv:u,v --y d.csv:y --kernel linear rbf --draws 2 --folds 2 --test-share 0.3 --gap 2 --json
    kept compare.json
    # without running times
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' compare.txt
    sed -i -E 's/& [0-9.]+ & \$O/\& $O/' c.tex
    sed -i -E 's/(<td>[0-9]+<\/td><td>[0-9]+<\/td>)<td>[0-9.]+<\/td>/\1/' r.html
    sed -i -E 's/(",[0-9]+,[0-9]+),[0-9.e-]+,"/\1,"/' c.csv
    figures compare 1e-6 compare.txt compare.json c.csv c.tex r.html script.gp
}
check "figures of compare: report, JSON, page, plots" figures_of_comparisons

figures_of_curves()
{
    keep_scripts
    wiener 120
    expect 0 curve --x d.csv:u,v --y d.csv:y --kernel linear rbf:window=2 --sizes 20,40,70 --repeat 2 --test 20 --washout 4 \
        --plot c.svg -o c.csv --verbose
    kept curve.txt
    expect 0 capacity --kernel esn:size=12 --rows 300 --delay 5 --degree 3 --plot k.svg --verbose
    kept capacity.txt
    expect 0 gram --x d.csv:u,v --rows :40 --kernel volterra:tau=0.4,lambda=0.5 --spectrum --count 12 -o s.csv --plot g.svg
    kept gram.txt
    figures curves 1e-6 curve.txt c.csv capacity.txt gram.txt s.csv script.gp
}
check "figures of curve, capacity and gram --spectrum" figures_of_curves

figures_of_explanations()
{
    keep_scripts
    wiener 100
    awk -F, 'NR == 1 { print $0 ",w"; next } { printf "%s,%.10g\n", $0, $3 * $3 - $1 }' d.csv >e.csv
    expect 0 fit --x e.csv:u,v --y e.csv:y,w --kernel volterra:tau=0.4,lambda=0.5 --alpha 1e-2 -o m.safetensors
    expect 0 explain m.safetensors --lags 6 --order 2 -o e --csv --plot --report --verbose
    kept explain.txt
    expect 0 explain m.safetensors --forgetting --along e.csv:u,v --rows :30 -o f --csv --plot
    kept forgetting.txt
    figures explain 1e-6 explain.txt forgetting.txt e.*.csv f.forgetting.csv e.html script.gp
}
check "figures of explain: report, tables, page, plots" figures_of_explanations

figures_of_identification()
{
    keep_scripts
    wiener 200
    expect 0 identify d.csv --x u,v --y y --draws 3 -o m.safetensors --report page.html
    kept identify.txt
    sed -i -E 's/<td>[0-9]+\.[0-9][0-9]<\/td><\/tr>//' page.html # running times
    figures identify 1e-3 identify.txt page.html script.gp
}
check "figures of identify: report, page, plots" figures_of_identification

figures_of_classes()
{
    local train=$here/../../examples/data/turns_train.ts test=$here/../../examples/data/turns_test.ts
    expect 0 classify --train $train --test $test --kernel volterra:tau=0.2,lambda=0.5 --alpha 0.1 -o classes.csv --verbose
    kept classify.txt
    expect 0 classify --train $train --kernel rbf --draws 3 --json
    kept classify.json
    expect 0 anomaly --train $train --test $test --normal left --kernel volterra:tau=0.2,lambda=0.5 --alpha 0.01 -o among.csv --verbose
    kept among.txt
    wiener 150
    awk -F, 'NR > 1 { $3 = NR == 121 ? $3 + 9 : $3 } { print $1 "," $3 }' d.csv >watch.csv
    expect 0 anomaly --x watch.csv --train-rows 60 --rate 0.02 -o along.csv --verbose
    kept along.txt
    figures classes 1e-6 classify.txt classes.csv classify.json among.txt among.csv along.txt along.csv
}
check "figures of classify and anomaly" figures_of_classes
