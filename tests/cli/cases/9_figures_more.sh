# tests/cli/cases/9_figures_more.sh: numbers of less common options; see 9_figures.sh.

# adds COMMAND...: run the program and add its output and messages to all
adds()
{
    expect 0 "$@"
    kept one
    { echo "$*"; cat one; } >>all
}

figures_of_covolatility()
{
    plain_only
    expect 0 bekk simulate --preset sp500-d5 --length 160 --seed 4
    awk -F, 'NR == 1 { print "r,s"; next } { print 100 * $6 "," 100 * $7 }' out >r.csv
    awk -F, 'NR == 1 { print "a_name_of_24_characters,TWO"; print "100,50"; p = q = 0; next }
        { p += $1 / 100; q += $2 / 100; printf "%.12g,%.12g\n", 100 * exp(p), 50 * exp(q) }' r.csv >p.csv
    adds bekk fit p.csv --starts 3 -o b.json --verbose --quiet
    adds bekk score b.json --prices p.csv --json
    adds bekk simulate b.json --length 4 --seed 2
    sed -i -E 's/"(evaluations|gain_left)": [^,]*//' b.json
    sed -i -E '/^evaluations|gain/d' all
    figures covolatility 1e-3 all b.json
}
check "figures of bekk" figures_of_covolatility

figures_of_expansions()
{
    plain_only
    wiener 60
    local kernel
    for kernel in volterra:tau=0.4,lambda=0.5 volterra:tau=0.4,lambda=0.3,lift=exponential linear:window=4 poly:degree=2,window=3 rbf:window=2 \
        fading:rho=0.5 memory:rho=0.3,mu=0.5 fir:mu=0.5 fir:mu=0.4,pole=0.3 cauchy:window=2 'fir:mu=0.3 + rbf:window=2' '0.5*cauchy*linear:window=2'; do
        expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel "$kernel" --alpha 0.1 -o m.safetensors
        adds explain m.safetensors --verbose
        adds explain m.safetensors --lags 2 --order 2 --about mean --no-band --json
    done
    for kernel in rbf:gamma=0.5 fading:rho=0 fir:mu=0; do # no memory
        expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel "$kernel" --alpha 0.1 -o n.safetensors
        adds explain n.safetensors --verbose
    done
    adds explain m.safetensors --lags 2 --order 1 --about 0.1,0.2 --no-shares
    adds explain m.safetensors --lags 2 --order 2 --along d.csv:u,v --rows 10:40 --verbose
    figures expansions 1e-5 all
}
check "figures of explain: kernels and options" figures_of_expansions

figures_of_runs()
{
    plain_only
    wiener 80
    awk -F, 'NR == 1 { print "run," $0; next } { print int((NR - 2) / 20) "," $0 }' d.csv >r.csv
    local fit="--kernel volterra:tau=0.4,lambda=0.5 --alpha 0.05 --rows :60"
    # With feedback: simulations, known outputs, a warm-up, records.
    adds fit --x d.csv:u,v --y d.csv:y,z $fit --feedback -o f.safetensors --verbose
    adds predict f.safetensors --x d.csv:u,v --rows 60: --known d.csv:y,z --interval 0.8
    adds predict f.safetensors --x d.csv:u,v --rows 60: --known d.csv:y,z --warm-up 5
    adds predict f.safetensors --x d.csv:u,v --rows 60: --known d.csv:y,z --start reset
    adds fit --x d.csv:u,v --y d.csv:y,z $fit --feedback --initial first -o i.safetensors
    adds predict i.safetensors --x d.csv:u,v --rows 60: --start reset
    adds fit --x r.csv:u,v --y r.csv:y,z --series r.csv:run --kernel fading --alpha 0.05 --washout 3 -o s.safetensors --verbose
    adds predict s.safetensors --x r.csv:u,v --series r.csv:run --rows 35:50
    # Sums of models, rows beyond the training range, missing values.
    adds fit --x d.csv:u,v --y d.csv:y,z --kernel linear:window=2 --alpha 0.05 --rows :40 -o l.safetensors
    adds combine l.safetensors f.safetensors --kind residual -o c.safetensors
    adds predict c.safetensors --x d.csv:u,v --rows 60:70
    awk -F, -v OFS=, 'NR > 1 { $1 *= NR % 4 ? 1 : 3 } NR == 8 { $2 = "NA" } { print }' d.csv >far.csv
    adds predict c.safetensors --x far.csv:u,v --start reset --missing interpolate --beyond allow --rows :14
    adds predict l.safetensors --x far.csv:u,v --start reset --missing drop --rows :14
    sed 1d far.csv | cut -d, -f1,2 | sed 12q >rows
    adds stream c.safetensors --missing hold --beyond clip <rows
    sed 1d d.csv | sed -n 61,75p >rows
    adds stream f.safetensors --known --header <rows
    # Targets ahead: learned late, with a state that is resumed.
    adds fit --x d.csv:u,v,y --ahead 2 $fit -o a.safetensors --verbose
    sed 1d d.csv | cut -d, -f1-3 | sed -n 61,70p >first
    sed 1d d.csv | cut -d, -f1-3 | sed -n 71,80p >second
    adds stream a.safetensors --learn --targets now --window 30 --state s.state <first
    adds stream a.safetensors --learn --targets now --window 30 --state s.state <second
    adds predict a.safetensors --x d.csv:u,v,y --rows 70: --interval 0.5,0.9
    # A path, its noisy copies, and rows fed first.
    adds fit --x d.csv:u,v $fit -o p.safetensors
    adds continue p.safetensors --steps 3 --after d.csv:u,v --rows 60:66 --beyond allow
    adds continue p.safetensors --steps 3 --paths 5 --interval 0.6 --seed 4 --json
    adds score --truth d.csv:y,z --truth-rows 40: --pred d.csv:z,y --pred-rows :40 --lyapunov 0.5 --dt 0.2 --threshold 3
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "y,z"; next } { print $at["y"] "," $at["u"] }' d.csv >yu.csv
    adds score --truth d.csv:y,z --rows 40: --pred yu.csv --past d.csv:y,z --ahead 3 --verbose
    figures runs 1e-5 all
}
check "figures of predict, stream and continue: feedback, records, sums, late targets" figures_of_runs

# hourly_load ROWS: a column of hours, a load with a daily season, a temperature
hourly_load()
{
    awk -v n="$1" 'BEGIN { print "time,load,temperature"
        for (t = 0; t < n; t++)
            printf "2021-03-%02d %02d:00,%.8g,%.8g\n", 1 + int(t / 24), t % 24, 30 + 5 * sin(0.2617994 * t) + cos(2.3 * t * t), 10 + 4 * cos(0.2617994 * t) + 0.5 * sin(3.1 * t * t) }'
}

figures_of_series()
{
    plain_only
    hourly_load 120 >h.csv
    adds forecast h.csv --steps 4 -o a.csv --plot none
    adds forecast h.csv:load --steps 3 --calendar hour,weekday -o b.csv --plot none --json
    adds forecast h.csv --x temperature --steps 3 --rows :110 -o c.csv --plot none --verbose
    sed -n '1p; 102,$p' h.csv | cut -d, -f1,3 >future.csv
    head -n 101 h.csv >past.csv
    adds forecast past.csv --x temperature --future future.csv --steps 5 -o d.csv --plot none
    awk -F, -v OFS=, 'NR == 30 { $2 = "" } { print }' h.csv >gap.csv
    adds forecast gap.csv:load --missing interpolate --steps 2 --season none -o e.csv --plot none
    adds forecast h.csv:load --steps 2 --season 24 --kernel linear:window=3 --interval 0.5 -o f.csv --plot none
    awk 'BEGIN { print "n,v"; for (t = 0; t < 40; t++) printf "%d,%.8g\n", t, exp(0.05 * t) + 0.2 * cos(t * t) }' >grow.csv
    adds forecast grow.csv --steps 5 -o g.csv --plot none --json
    awk 'BEGIN { print "v"; for (t = 0; t < 9; t++) print t * t % 7 }' >few.csv
    adds forecast few.csv --steps 2 -o h9.csv --plot none
    adds fit --x h.csv:load --ahead 1..3 --calendar hour --season 24 -o m.safetensors --verbose
    adds predict m.safetensors --x h.csv:load --rows 100:110 --interval 0.8
    adds fit --x h.csv:load,temperature --ahead 1 --guard -o m.safetensors
    figures series 1e-4 all a.csv b.csv c.csv d.csv e.csv f.csv g.csv h9.csv
}
check "figures of forecast: inputs, calendars, gaps" figures_of_series

figures_of_labels()
{
    plain_only
    cp "$here"/../../examples/data/turns_{train,test}.ts . # reports are as wide as the names of files
    local train=turns_train.ts test=turns_test.ts
    adds classify --train $train --test $test --kernel volterra:tau=0.2,lambda=0.5 --loss multinomial --alpha 0.1 --scale series --json --splits 3
    adds classify --train $train --kernel 'gak | fading' --draws 4 --landmarks 10 --blend 2 --folds 3 --splits 2 --input change --compare series
    adds classify --train $train --test $test --kernel rbf:window=3,gamma=0.5 --compare steps --input both --scale none --splits 0 --folds 0
    adds classify --train $train --kernel memory --draws 5 --screen 12 --range gamma=log:0.1..1 --seed 3 --splits 2 --json
    adds anomaly --train $train --test $test --normal left --score mahalanobis --draws 3 --kernel fading --scale series --input both
    adds anomaly --train $train --kernel volterra:tau=0.2,lambda=0.5 --alpha 0.1 --rate 0.2 --scale none --json
    wiener 140
    awk -F, 'NR == 1 { print $0 ",fault"; next } { bad = NR == 90 || NR == 120; if (bad) $4 += 30; print $1 "," $3 "," $4 "," $2 "," bad + 0 }' OFS=, d.csv |
        sed '1s/.*/u,y,z,v,fault/' >w.csv
    adds anomaly --x w.csv:u,y,z --labels w.csv:fault --train-rows 60 --rate 0.05 -o rows.csv
    adds anomaly --x w.csv:y,z --train-rows 50 --window 0 --rate 0.05 --json
    adds anomaly --x w.csv:y,z --rows 10: --kernel fading --window 40 --rate 0.1
    figures labels 1e-4 all rows.csv
}
check "figures of classify and anomaly: options" figures_of_labels

figures_of_exports()
{
    plain_only
    wiener 40
    local kernel
    for kernel in volterra:tau=0.4,lambda=0.5 volterra:tau=0.4,lambda=0.3,lift=poly:3 volterra:gamma=0.6,lambda=0.7,lift=rbf linear:window=2 \
        poly:degree=3,window=2 rbf:window=2 sigmoid:gamma=0.2,coef0=0.1 cauchy:window=2 fading memory:pole=0.3 fir:mu=0.5,corr=0.2 \
        memory:mu=0.5,pair=0.6,angle=0.3 esn:size=4 esn:size=3,activation=erf,degree=2 sas:size=3 recurrent recurrent:activation=relu \
        recurrent:activation=sign,bias=0.4 '0.5*fir:mu=0.8 + memory*rbf'; do
        expect 0 fit --x d.csv:u,v --y d.csv:y,z --kernel "$kernel" --alpha 0.1 -o m.safetensors
        case $kernel in
            rbf:* | fading | volterra:gamma*) adds export m.safetensors -o m.json --format json --landmarks 6 ;;
            *) adds export m.safetensors -o m.json --format json ;;
        esac
        adds export m.safetensors -o m.c --precision single
        sed -n 3,8p m.c >>all # names, kernel, memory, work
        valid_json m.json
        cat m.json >>all
    done
    expect 0 fit --x d.csv:y,z --ahead 1 --target change --input both --kernel fading --season 4 --alpha 0.1 -o m.safetensors
    adds export m.safetensors -o m.json --format json
    valid_json m.json
    cat m.json >>all
    expect 0 fit --x d.csv:u,v --y d.csv:y,z --feedback --scale-each --initial first --kernel fading --alpha 0.1 -o m.safetensors
    adds export m.safetensors -o m.json --format json
    valid_json m.json
    cat m.json >>all
    awk -F, -v OFS=, 'NR == 1 { print $0, "c"; next } { print $0, ($3 > 0.3) }' d.csv >c.csv
    expect 0 fit --x c.csv:u,v --y c.csv:c --loss logistic --kernel fading --alpha 0.1 -o m.safetensors
    adds export m.safetensors -o m.json --format json
    valid_json m.json "'logistic' in str(v)"
    cat m.json >>all
    figures exports 1e-5 all
}
check "figures of export: kernels and inputs" figures_of_exports

figures_of_short_reports()
{
    plain_only
    wiener 70
    cp "$here"/../../examples/data/turns_{train,test}.ts . # reports are as wide as the names of files
    local train=turns_train.ts test=turns_test.ts
    adds fit --x d.csv:u,v --y d.csv:y,z --kernel fading --alpha 0.1 -o m.safetensors
    adds fit --x d.csv:u,v --y d.csv:y --kernel fading --washout 2 -o m.safetensors --fitted f.csv
    adds tune --x d.csv:u,v --y d.csv:y --kernel fading --draws 5 --folds 2 --gap 1
    adds tune --x d.csv:u,v --y d.csv:y --kernel fading --draws 5 --folds 1 --race none --log t.log --verbose
    adds tune --x d.csv:u,v --y d.csv:y --kernel fading --draws 7 --folds 1 --race none --log t.log --resume
    adds compare --x d.csv:u,v --y d.csv:y --kernel linear fading --draws 2 --folds 2
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' all # running times
    adds compare --x d.csv:u,v --y d.csv:y --kernel linear --draws 1 --folds 1
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' all
    adds curve --x d.csv:u,v --y d.csv:y --kernel fading --sizes 20,40 --test 15
    adds capacity --kernel esn:size=6 --rows 120 --delay 3 --degree 2
    adds gram --x d.csv:u,v --kernel fading -o g.npy
    adds gram --x d.csv:u,v --kernel fading --spectrum -o g.csv
    adds mcs d.csv:u,v,y --reps 100
    adds explain m.safetensors --lags 3
    adds identify d.csv --x u,v --y y,z --draws 1 -o i.safetensors --json
    adds classify --train $train --test $test --kernel fading --alpha 0.1 --splits 2
    adds anomaly --train $train --test $test --kernel fading --alpha 0.1
    adds anomaly --x d.csv:y,z --train-rows 40 --rate 0.1
    adds combine m.safetensors m.safetensors -o c.safetensors
    adds score --truth d.csv:y,z --pred d.csv:z,y --json
    adds score --truth d.csv:y,z --pred d.csv:z,y
    adds simulate lorenz --length 20 -o l.csv
    adds simulate bekk --length 5 -o b.csv
    figures short_reports 1e-3 all f.csv g.csv
}
check "figures of reports without details" figures_of_short_reports

# Commands that succeed with warnings and notes: the numbers in them, and how many there are.
figures_of_warnings()
{
    plain_only
    wiener 60
    awk -F, -v OFS=, 'NR == 1 { print $0, "flat", "noise", "step"; next } { print $0, 7, sin(9.1 * NR * NR) "", int(NR / 20) }' d.csv >w.csv
    adds fit --x w.csv:u,flat --y w.csv:noise --kernel fading -o m.safetensors
    adds fit --x w.csv:noise --ahead 1 --kernel volterra -o n.safetensors
    adds tune --x w.csv:u,v --y w.csv:noise --kernel rbf --draws 3 --folds 2 -o t.safetensors
    adds compare --x w.csv:u,v --y w.csv:noise --kernel linear rbf --draws 2 --folds 2
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' all # running times
    awk -F, -v OFS=, 'NR > 1 { $1 *= 9 } { print }' w.csv >far.csv
    adds predict m.safetensors --x far.csv:u,flat --beyond allow --start reset -o p.csv
    adds predict m.safetensors --x far.csv:u,flat --start reset -o q.csv
    adds predict m.safetensors --x w.csv:u,flat -o again.csv
    adds predict n.safetensors --x w.csv:noise --rows 50: --json
    adds forecast w.csv:noise --steps 3 -o f.csv --plot none
    adds forecast w.csv:flat,step --steps 3 -o g.csv --plot none
    adds score --truth w.csv:flat --pred w.csv:u
    adds score --truth w.csv:step --pred w.csv:y --ahead 2
    adds identify w.csv --x u,flat --y noise --draws 1 -o i.safetensors --json
    adds gram --x far.csv:u,v --y w.csv:u,v -o k.csv
    adds curve --x w.csv:u,v --y w.csv:noise --kernel linear --sizes 20,30 --test 10
    awk 'BEGIN { print "a"; for (t = 0; t < 30; t++) print 1.2 ^ t }' >grow.csv
    adds fit --x grow.csv --alpha 1e-3 --kernel linear -o l.safetensors
    adds continue l.safetensors --steps 4 --beyond allow
    figures warnings 1e-3 all p.csv q.csv f.csv g.csv
}
check "figures of warnings and notes" figures_of_warnings

# many_classes N: N classes of two series, the last one with a long name
many_classes()
{
    awk -v n="$1" 'BEGIN {
        printf "@problemName Many\n@univariate true\n@classLabel true"
        for (k = 1; k <= n; k++) printf " %s", k < n ? "c" k : "a_class_of_23_characters"
        print "\n@data"
        for (k = 1; k <= n; k++)
            for (r = 0; r < 2; r++) {
                for (t = 0; t < 5; t++) printf "%s%.6g", t ? "," : "", k * k + sin(k * t + r)
                print ":" (k < n ? "c" k : "a_class_of_23_characters")
            }
    }'
}

# Limits of tables: numbers of columns, lengths of names, sizes of numbers.
figures_of_tables()
{
    plain_only
    many_classes 12 >many.ts
    many_classes 13 >more.ts
    sed '/^@classLabel/s/$/ new/; s/:c3$/:new/' many.ts >new.ts
    adds classify --train many.ts --kernel rbf:gamma=0.5 --alpha 0.1 --splits 0 --folds 0
    adds classify --train more.ts --kernel rbf:gamma=0.5 --alpha 0.1 --splits 0 --folds 0
    adds classify --train many.ts --test new.ts --kernel rbf:gamma=0.5 --alpha 0.1 --splits 0 --folds 0
    wiener 60
    awk -F, -v OFS=, 'NR == 1 { print "u,v,big,huge,tiny"; next } { print $1, $2, 200 * $3, 3e8 * $3, $3 / 3e4 }' d.csv >w.csv
    local y
    for y in big huge tiny; do
        adds compare --x w.csv:u,v --y w.csv:$y --kernel linear --draws 1 --folds 1
    done
    sed -i -E 's/ +[0-9.]+  O\(/  O(/' all # running times
    # Missing values: at both ends of columns, at one end, in most rows.
    awk -F, -v OFS=, 'NR == 2 { $1 = $2 = "" } NR == 61 { $2 = "NA" } { print }' w.csv >ends.csv
    adds fit --x ends.csv:u,v --y w.csv:big --missing interpolate --kernel linear --alpha 0.1 -o m.safetensors
    adds fit --x ends.csv:u --y w.csv:big --missing interpolate --kernel linear --alpha 0.1 -o m.safetensors
    awk -F, -v OFS=, 'NR > 1 && NR % 3 { $1 = "" } { print }' w.csv >holes.csv
    adds fit --x holes.csv:u,v --missing drop --kernel linear --alpha 0.1 -o m.safetensors
    adds fit --x holes.csv:u,v --missing interpolate --kernel linear --alpha 0.1 -o m.safetensors
    figures tables 1e-4 all
}
check "figures of tables: many classes, large numbers, missing values" figures_of_tables

figures_of_help()
{
    local topic shell
    for topic in kernels 'kernels sig' solvers systems completion; do
        expect 0 help $topic
        { echo "help $topic"; cat out; } >>help.txt
    done
    expect 0 help
    sed '1s/volterra [0-9.]*/volterra/; /^usage/,/^$/d; /^[A-Z][a-z ]*:$/,/^$/d' out >>help.txt
    volterra
    sed 's/^/ /' err >>help.txt
    # Of the completions: the frame of the script and three commands.
    for shell in bash zsh; do
        expect 0 completion $shell
        awk '/^        [a-z]+\)$/ { inside = 1; shown = $1 ~ /^(simulate|mcs|continue)\)/ } !inside || shown { print } /;;$/ && !/words=/ { inside = 0 }' out >>help.txt
    done
    figures help 0 help.txt
}
check "figures of help: kernels, solvers, systems, completion" figures_of_help

# Of ten scores the axis shows the best eight if the others are far off, which are then drawn at its end.
figures_of_extreme_scores()
{
    awk "$uniform"'BEGIN { seeded(7); print "u,y"
        for (t = 0; t < 80; t++) { x = uniform() - 0.5; p = x + 0.5 * p; printf "%.6f,%.6f\n", x, p * p + p + 0.3 * (uniform() - 0.5) } }' >d.csv
    expect 0 tune --x d.csv:u --y d.csv:y --kernel fir --range alpha=log:1e-4..1e2 --draws 10 --folds 2 --score nmse --race none \
        --log t.log --plot t.svg
    grep -o '"score":[^,]*' t.log | cut -d: -f2 | sort -g >scores
    # The axis ends 8 % of its range above the eighth score. Dots are all but the best and the two triangles.
    python3 -IS - <<'END' || fail "the axis is wrong for $(tr '\n' ' ' <scores)"
import re, sys
scores, svg = [float(line) for line in open("scores")], open("t.svg").read()
panel = svg[svg.index("<svg x="):]
dots, beyond = (re.search(f'<path class="{style}.*? d="(.*?)"', panel)[1] for style in ('c1" stroke', 'c0" style'))
places = sorted((float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)h0", dots)), reverse=True)
height, wanted = float(re.search(r'height="([\d.]+)"', panel)[1]), scores[7] + 0.08 * (scores[7] - scores[0])
slope = (scores[7] - scores[1]) / (places[-1] - places[0])
top = scores[1] - slope * places[0]
sys.exit(not (len(places) == 7 and beyond.count("M") == 2 and scores[8] > wanted and scores[9] - scores[0] > 2 * (scores[7] - scores[0])
              and abs(top - wanted) < 0.002 * (wanted - scores[0]) and abs(top + slope * height - scores[0] + wanted - scores[7]) < 0.002 * wanted))
END
}
check "plot of a search: extreme scores are at the end of the axis" figures_of_extreme_scores
