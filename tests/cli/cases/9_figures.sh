# tests/cli/cases/9_figures.sh: reports, tables, pages and plots on small problems, with their layout.
#
# The references are in data/figures: see figures.py. VOLT_RECORD=1 writes them again.

# figures NAME TOLERANCE FILE...: the files agree with the reference
figures()
{
    command -v python3 >/dev/null || skip "there is no python3"
    local name=$1
    shift
    python3 -IS "$here/figures.py" "$here/data/figures/$name.txt" "$@" >figures-say 2>&1 || fail "$(cat figures-say)"
}

# plain_only: many runs of the program, which would take long with sanitizers
plain_only() { [ "$sanitized" = no ] || skip "the plain pass compares the numbers"; }

# kept NAME: the output of the last command as the file NAME, and its messages (without progress) at the end
kept()
{
    grep -vE '^volterra [a-z]+: +[0-9]+% done ' err >>out
    mv out "$1"
}

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

# wiener ROWS: d.csv with the inputs u, v and the outputs y, z of a system with memory
wiener()
{
    awk -v n="$1" 'BEGIN {
        print "u,v,y,z"
        for (t = 0; t < n; t++) {
            u = sin(1.7 * t * t + 0.3); v = cos(2.9 * t * t); x = 0.6 * x + u; z = 0.3 * z + v
            printf "%.10g,%.10g,%.10g,%.10g\n", u, v, x + 0.3 * x * x - 0.5 * z + 0.1 * cos(7.1 * t * t),
                4 * z + x + 2 + 0.3 * sin(5.3 * t * t)
        }
    }' >d.csv
}

figures_of_forecasts()
{
    monthly 60 >m.csv
    expect 0 forecast m.csv --steps 6 --season 12
    kept report.txt
    expect 0 forecast m.csv --steps 6 --season 12 --interval 0.5,0.9,0.7 --rows 24: -o last.csv --verbose
    kept last.txt
    expect 0 forecast m.csv --steps 1 --season none -o one.csv --plot none --json
    kept one.json
    figures forecast 1e-6 report.txt m-forecast.csv last.txt last.csv one.json m-forecast.svg last.svg
    [ -e one.svg ] && fail "--plot none draws"
    # More columns than a plot has panels, without dates; and a series of constant values.
    monthly 48 7 | cut -d, -f2- >many.csv
    expect 0 forecast many.csv --steps 3 --season 12 --alone
    kept many.txt
    awk 'BEGIN { print "flat"; for (t = 0; t < 40; t++) print 5 }' >flat.csv
    expect 0 forecast flat.csv --steps 2
    kept flat.txt
    # Dates that do not begin with the year have ticks at equal distances.
    awk 'BEGIN { print "day,v"; for (t = 0; t < 40; t++) printf "%02d.%02d.2020,%.6g\n", 1 + t % 28, 1 + int(t / 28), sin(t * t) + 0.1 * t }' >days.csv
    expect 0 forecast days.csv --steps 3
    kept days.txt
    figures forecast_many 1e-6 many.txt many-forecast.csv flat.txt flat-forecast.csv days.txt days-forecast.csv many-forecast.svg flat-forecast.svg days-forecast.svg
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
    wiener 90
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel volterra:tau=0.4,lambda=0.5 --alpha 1e-3 --washout 5 --rows :70 \
        --keep-factor --fitted fitted.csv -o m.safetensors --verbose
    kept fit.txt
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel rbf:gamma=0.5,window=3 --alpha 1e-2 --rows :70 --scale-each \
        -o r.safetensors --json
    kept fit.json
    expect 0 predict m.safetensors --x d.csv:u,v --rows 70: --interval 0.5,0.9 --std --index -o p.csv --plot p.svg
    kept predict.txt
    expect 0 score --truth d.csv:y,z --truth-rows 70: --pred p.csv --ahead 2 --season 4 --plot s.svg --verbose
    kept score.txt
    # Of more rows than pixels, the lowest and the highest value of each column of pixels are drawn.
    awk 'BEGIN { print "a,b"; for (t = 0; t < 2300; t++) printf "%.6g,%.6g\n", sin(1.3 * t * t) + t / 500, cos(0.7 * t * t) }' >long.csv
    expect 0 score --truth long.csv:a,b --pred long.csv:b,a --plot long.svg
    kept long.txt
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
        next.csv long.txt p.svg s.svg long.svg path.svg
}
check "figures of fit, predict, score, combine, continue" figures_of_models

figures_of_searches()
{
    wiener 80
    awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 1 + NR % 3 }' d.csv >w.csv
    mv w.csv d.csv
    expect 0 tune --x d.csv:u,v --y d.csv:y,z --kernel volterra --draws 6 --folds 3 --seed 5 --log t.log --plot t.svg \
        -o m.safetensors --verbose
    kept tune.txt
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel rbf --range gamma=log:0.1..2 --alpha 0.01 --draws 4 --score nmse --gap 2 \
        --washout 3 --max-train 40 --json
    kept tune.json
    expect 0 tune --x d.csv:u,v --y d.csv:y,z --kernel volterra --folds 3 --seed 5 --log t.log --resume --plot resumed.svg
    kept resumed.txt
    expect 0 tune --x d.csv:u --y d.csv:y --kernel linear --draws 3 --folds 2 --feedback --plot one.svg
    kept feedback.txt
    # Words on an axis, and the fit command of a search with many options.
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel volterra --range 'lift=geometric|even' --draws 5 --folds 2 --plot words.svg --no-scale \
        --no-intercept --washout 3 --rows 2:60 --initial first --missing drop --weights d.csv:w --solver exact
    kept words.txt
    expect 0 tune --x d.csv:u,v --ahead 2 --kernel fading --draws 2 --folds 2 --target change --input both --scale-each --season 4 \
        --solver nystrom --landmarks 9:random
    kept options.txt
    # Scores over two decades have a logarithmic axis.
    expect 0 tune --x d.csv:u,v --y d.csv:z --kernel fir --range alpha=log:1e-6..1e4 --draws 6 --folds 2 --score nmse --plot decades.svg
    kept decades.txt
    # More than four panels have two columns.
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel 'fir:corr=? + memory:pole=?' --draws 4 --folds 2 --plot many.svg
    kept many.txt
    figures tune 1e-6 tune.txt tune.json resumed.txt feedback.txt words.txt options.txt decades.txt many.txt t.svg resumed.svg one.svg words.svg decades.svg many.svg
}
check "figures of tune: report, JSON, resumed log, plot" figures_of_searches

figures_of_comparisons()
{
    plain_only # a tie between two alphas is broken by rounding
    wiener 90
    expect 0 compare --x d.csv:u,v --y d.csv:y,z --kernel linear rbf volterra --draws 3 --folds 2 --seed 2 --repeat 2 \
        --report r.html --csv c.csv --latex c.tex --verbose
    kept compare.txt
    expect 0 compare --x d.csv:u,v --y d.csv:y --kernel linear rbf --draws 2 --folds 2 --test-share 0.3 --gap 2 --json
    kept compare.json
    # without running times
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' compare.txt
    sed -i -E 's/& [0-9.]+ & \$O/\& $O/' c.tex
    sed -i -E 's/(<td>[0-9]+<\/td><td>[0-9]+<\/td>)<td>[0-9.]+<\/td>/\1/' r.html
    sed -i -E 's/(",[0-9]+,[0-9]+),[0-9.e-]+,"/\1,"/' c.csv
    figures compare 1e-6 compare.txt compare.json c.csv c.tex r.html
}
check "figures of compare: report, JSON, page, plots" figures_of_comparisons

figures_of_curves()
{
    wiener 120
    expect 0 curve --x d.csv:u,v --y d.csv:y,z --kernel fading rbf:window=2 --sizes 20,40,70 --repeat 2 --test 20 --washout 4 \
        --plot c.svg -o c.csv --verbose
    kept curve.txt
    expect 0 capacity --kernel esn:size=12 --rows 300 --delay 5 --degree 3 --plot k.svg --verbose
    kept capacity.txt
    expect 0 gram --x d.csv:u,v --rows :40 --kernel volterra:tau=0.4,lambda=0.5 --spectrum --count 12 -o s.csv --plot g.svg
    kept gram.txt
    figures curves 1e-6 curve.txt c.csv capacity.txt gram.txt s.csv c.svg k.svg g.svg
}
check "figures of curve, capacity and gram --spectrum" figures_of_curves

figures_of_explanations()
{
    wiener 100
    awk -F, 'NR == 1 { print $0 ",w"; next } { printf "%s,%.10g\n", $0, $3 * $3 - $1 }' d.csv >e.csv
    expect 0 fit --x e.csv:u,v --y e.csv:y,w --kernel volterra:tau=0.4,lambda=0.5 --alpha 1e-2 -o m.safetensors
    expect 0 explain m.safetensors --lags 6 --order 2 -o e --csv --plot --report --verbose
    kept explain.txt
    expect 0 explain m.safetensors --forgetting --along e.csv:u,v --rows :30 -o f --csv --plot
    kept forgetting.txt
    figures explain 1e-6 explain.txt forgetting.txt e.*.csv f.forgetting.csv e.html e.*.svg f.forgetting.svg
}
check "figures of explain: report, tables, page, plots" figures_of_explanations

figures_of_identification()
{
    wiener 200
    expect 0 identify d.csv --x u,v --y y,z --draws 3 -o m.safetensors --report page.html
    kept identify.txt
    sed -i -E 's/<td>[0-9]+\.[0-9][0-9]<\/td><\/tr>//' page.html # running times
    figures identify 1e-3 identify.txt page.html
}
check "figures of identify: report, page, plots" figures_of_identification

figures_of_classes()
{
    cp "$here"/../../examples/data/turns_{train,test}.ts . # reports are as wide as the names of files
    local train=turns_train.ts test=turns_test.ts
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

# small_table: s.csv, 7 rows of 2 columns
small_table()
{
    awk 'BEGIN { print "a,b"; for (t = 0; t < 7; t++) printf "%.6g,%.6g\n", 0.6 * sin(1.3 * t * t + 0.4), 0.5 * cos(2.1 * t * t) }' >s.csv
}

figures_of_kernels()
{
    plain_only
    small_table
    local kernel
    for kernel in volterra:tau=0.5,lambda=0.6 volterra:tau=0.5,lambda=0.6,lift=even volterra:tau=0.7,lambda_coef=0.6,lift=exponential \
        volterra:tau=0.8,lambda_coef=0.5,lift=poly:3 volterra:gamma=0.7,lambda=0.8,lift=rbf linear:window=3 rbf:window=2 \
        poly:degree=2,gamma=0.4,coef0=0.3,window=2 sigmoid:gamma=0.2,coef0=0.1 fading:gamma=0.5,rho=0.7 \
        memory:gamma=0.5,rho=0.6,mu=0.7 fir:mu=0.6,corr=0.3 fir:mu=0.5,pole=0.4 memory:mu=0.5,pair=0.6,angle=0.3 \
        gak:sigma=0.7,window=3 gak:window=3,centre=yes sig:level=3,window=4 sig:level=3,order=1,window=3,augment=time \
        sig:features=rbf,level=2,gamma=0.5,window=3 sig:features=linear,level=2,scale=2,window=3 sigpde:window=4,dyadic=1 \
        sigpde:window=3,static=rbf,sigma=0.8,augment=leadlag gak:path=rows sig:path=rows,level=2 sigpde:path=rows,prescale=0.5 \
        cauchy:gamma=0.6,window=2 esn:size=5,leak=0.6,seed=3 esn:size=4,activation=erf,norm=0.8,degree=2 \
        esn:size=6,activation=identity,density=0.5,start=zero sas:size=4,degree=2,seed=2 recurrent:radius=0.7,leak=0.8 \
        recurrent:activation=relu,bias=0.3,radius=0.8 recurrent:activation=sign,bias=0.4 \
        '2*fir:mu=0.8 + memory:pole=0.7*rbf' '0.5*volterra:tau=0.3,lambda=0.4*linear + cauchy'; do
        expect 0 gram --x s.csv --kernel "$kernel"
        { echo "$kernel"; cat out; } >>all
        expect 0 gram --x s.csv --rows :3 --y s.csv --y-rows 3:6 --kernel "$kernel"
        cat out >>all
    done
    expect 0 gram --x s.csv --kernel fading:rho=0.7 --distance
    cat out >>all
    expect 0 gram --x s.csv --kernel memory --normalise
    cat out >>all
    printf 'series,a,b\n1,0.1,0.5\n1,0.3,-0.2\n1,0.7,0.1\n2,0.2,0.2\n2,-0.4,0.6\n3,0.9,0.1\n' >c.csv
    for kernel in volterra:tau=0.5,lambda=0.6 gak:sigma=0.8 sig:level=3 sigpde:dyadic=1 fading memory fir esn:size=5 sas:size=4 recurrent; do
        expect 0 gram --collection c.csv --kernel "$kernel"
        { echo "$kernel"; cat out; } >>all
        expect 0 gram --collection c.csv --with c.csv --kernel "$kernel" --distance
        cat out >>all
    done
    figures kernels 1e-6 all
}
check "figures of gram: every kernel" figures_of_kernels

# fits OPTIONS...: a fit on d.csv; its report, the fitted values and the predictions of the rows from 50 on are added to all
fits()
{
    expect 0 fit --x d.csv:u,v "$@" --rows :50 -o m.safetensors --fitted fitted.csv --verbose
    { echo "$*"; grep -viE 'iteration|gap' out; } >>all # they depend on rounding
    expect 0 predict m.safetensors --x d.csv:u,v --rows 50: -o p.csv
    cat fitted.csv p.csv >>all
}

figures_of_solvers()
{
    plain_only
    wiener 64
    local base="--y d.csv:y,z --kernel volterra:tau=0.4,lambda=0.5"
    fits $base --alpha 1e-2 --solver exact --washout 4
    fits $base --alpha 1e-2 --solver nystrom --landmarks 15
    fits $base --alpha 1e-2 --solver nystrom --landmarks 15:last --no-intercept
    fits $base --alpha 1e-2 --solver nystrom --landmarks 15:random --seed 3
    fits $base --alpha 1e-2 --solver pcg --landmarks 10 --tolerance 1e-10
    fits --y d.csv:y,z --kernel esn:size=8 --alpha 1e-2 --solver features
    fits --y d.csv:y --kernel sas:size=6 --alpha 1e-2 --solver features --no-intercept --no-scale
    fits $base
    fits $base --solver nystrom --landmarks 20
    fits --y d.csv:v --ahead 1 --kernel fading --target change --input both --alpha 0.1
    fits $base --initial first --alpha 0.1
    fits $base --initial mean --scale-each --alpha 0.1
    fits $base --feedback --alpha 0.1 --feedback-weight 0.5
    fits $base --feedback
    fits --y d.csv:y --ahead 2 --kernel rbf:window=3 --season 4 --alpha 0.1
    fits --kernel volterra --guard
    figures solvers 1e-5 all
}
check "figures of fit: solvers, targets, initial states" figures_of_solvers

figures_of_losses()
{
    plain_only
    wiener 64
    awk -F, -v OFS=, 'NR == 1 { print $0, "n", "c", "k", "w"; next }
        { print $0, int(1 + $3 * $3), ($3 > 0.3), ($1 > 0.4 ? 2 : ($2 > 0)), 1 + NR % 3 }' d.csv >e.csv
    mv e.csv d.csv
    local kernel="--kernel volterra:tau=0.4,lambda=0.5 --alpha 0.1 --tolerance 1e-9"
    fits --y d.csv:y $kernel --loss huber:delta=0.3
    fits --y d.csv:y,z $kernel --loss quantile:q=0.1/0.5/0.9
    fits --y d.csv:y,z $kernel --loss epsilon:epsilon=0.2
    fits --y d.csv:y $kernel --loss expectile:q=0.3
    fits --y d.csv:c $kernel --loss logistic
    fits --y d.csv:k $kernel --loss multinomial
    fits --y d.csv:n $kernel --loss poisson
    fits --y d.csv:y,z $kernel --weights d.csv:w
    fits --y d.csv:y $kernel --loss huber:delta=0.3 --weights d.csv:w --washout 3
    fits --y d.csv:y $kernel --loss quantile:q=0.3 --no-intercept
    expect 0 tune --x d.csv:u,v --y d.csv:y --kernel rbf --loss quantile:q=0.2/0.8 --draws 3 --folds 2
    cat out >>all
    expect 0 tune --x d.csv:u,v --y d.csv:c --kernel rbf --loss logistic --draws 3 --folds 2
    cat out >>all
    fits --y d.csv:v,u --ahead 1 --kernel fading --alpha 0.1 --target change --input both --loss huber:delta=0.3 --washout 2
    # alpha chosen by the loss
    fits --y d.csv:y,z --kernel fading --loss huber:delta=0.3
    fits --y d.csv:c --kernel fading --loss logistic
    fits --y d.csv:y,z --kernel fading --loss quantile:q=0.2/0.7 --washout 2
    fits --y d.csv:k --kernel fading --loss multinomial
    fits --y d.csv:n --kernel fading --loss poisson
    figures losses 1e-4 all
}
check "figures of fit: losses and weights" figures_of_losses

# searches OPTIONS...: a search on d.csv; its JSON report is added to all
searches()
{
    expect 0 tune --x d.csv:u,v --y d.csv:y "$@" --json
    { echo "$*"; cat out; } >>all
}

figures_of_validation()
{
    plain_only
    wiener 70
    local score
    for score in r2 nmse mse prequential log evidence loo gcv; do
        searches --kernel rbf:window=2 --draws 4 --folds 3 --score $score --seed 2
    done
    searches --kernel memory --draws 70 --folds 2 --search adaptive --race fast
    searches --kernel fading --draws 70 --folds 2 --search cma --race none
    searches --kernel 'fir + memory:pole=? | volterra' --draws 4 --folds 2 --rolling --start reset
    searches --kernel linear:window=2 --grid 3 --folds 3 --min-train 20 --gap 3
    searches --kernel volterra --draws 4 --folds 2 --solver nystrom --landmarks 12
    searches --kernel esn:size=6 --draws 3 --folds 2
    searches --kernel volterra --draws 4 --folds 2 --feedback --validate one-step
    searches --kernel volterra --draws 3 --folds 2 --feedback
    searches --kernel fading --draws 3 --folds 2 --loss huber:delta=0.5 --washout 3
    searches --kernel volterra --draws 3 --folds 2 --target auto --input auto
    awk -F, 'NR == 1 { print "run," $0; next } { print int((NR - 2) / 14) "," $0 }' d.csv >r.csv
    expect 0 tune --x r.csv:u,v --y r.csv:y --series r.csv:run --kernel volterra --draws 3 --folds 2 --folds-by records --washout 2 --json
    cat out >>all
    figures validation 1e-3 all
}
check "figures of tune: scores, searches, folds" figures_of_validation

figures_of_streams()
{
    plain_only
    wiener 90
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel volterra:tau=0.4,lambda=0.5 --alpha 0.01 --rows :60 --keep-factor -o m.safetensors
    expect 0 export m.safetensors -o m.c --interval 0.9 --landmarks 20
    kept export.txt
    sed -i '/^ \* SPDX/,/^ \*\//d' m.c # without the licence
    expect 0 export m.safetensors -o m.json --format json
    sed 1,61d d.csv >rows
    expect 0 stream m.safetensors --interval 0.8,0.5 --header <rows
    kept stream.csv
    sed '4s/.*/NA,1,1,2/; 6s/.*/x,1,2,3/; 9s/[^,]*$/NA/' rows >damaged
    volterra stream m.safetensors --learn --window 40 --header <damaged
    kept learn.csv
    expect 0 stream m.safetensors --learn --window 30 --forget 0.95 --missing hold --json <rows
    kept forget.json
    expect 0 stream m.safetensors --learn --forget 0.9 --forget-what all --window 50 --state s.state <rows
    kept state.csv
    cut -d, -f1,2 rows | sed 5q >few
    expect 0 stream m.safetensors --start reset --beyond allow <few
    kept reset.csv
    figures streams 1e-6 export.txt m.json m.h m.c stream.csv learn.csv forget.json state.csv reset.csv
}
check "figures of stream and export" figures_of_streams

figures_of_systems()
{
    plain_only
    local system discard
    for system in lorenz mackey-glass narma10 lorenz96 kuramoto-sivashinsky henon duffing van-der-pol wiener-hammerstein bouc-wen wiener relay; do
        discard=()
        [[ $system =~ ^(lorenz|kuramoto|henon) ]] && discard=(--discard 5)
        expect 0 simulate $system --length 8 --seed 2 "${discard[@]}"
        { echo $system; cat out; } >>all
    done
    expect 0 simulate lorenz --length 6 --method accurate --step 0.01 --discard 3 --start 1,2,3
    cat out >>all
    expect 0 simulate bekk --preset sp500-d5 --length 6 --seed 3
    cat out >>all
    awk 'BEGIN { print "p,q,r"; for (t = 0; t < 80; t++) printf "%.8g,%.8g,%.8g\n", 1 + sin(t * t), 1.3 + sin(1.7 * t * t), 1.02 + cos(0.9 * t * t) }' >l.csv
    expect 0 mcs l.csv --reps 200 --method max --block 5 --verbose
    cat out >>all
    expect 0 mcs l.csv --reps 200 --size 0.1 --json
    cat out >>all
    figures systems 1e-6 all
}
check "figures of simulate and mcs" figures_of_systems
