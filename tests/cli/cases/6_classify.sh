# tests/cli/cases/6_classify.sh: classification of time series.

# wave_series FILE SEED: 18 univariate series of classes slow, fast and flat, 12 or 14 steps, as a .ts file; noise from a small
# generator of its own, so that the numbers are the same everywhere.
wave_series()
{
    awk -v seed="$2" 'BEGIN {
        print "@problemName Waves\n@univariate true\n@classLabel true slow fast flat\n@data"
        state = seed
        for (i = 0; i < 18; i++) {
            split("slow fast flat", names, " ")
            which = i % 3
            line = ""
            for (t = 0; t < 12 + 2 * (i % 2); t++) {
                state = (state * 1103 + 12345) % 65536
                noise = 0.3 * (state / 65536 - 0.5)
                value = (which == 2 ? 0 : sin(i + t * (which == 1 ? 1.9 : 0.6))) + noise
                line = line (t ? "," : "") sprintf("%.5f", value)
            }
            print line ":" names[which + 1]
        }
    }' >"$1"
}

classify_report()
{
    wave_series a.ts 1
    wave_series b.ts 77
    expect 0 classify --train a.ts --test b.ts --kernel rbf:window=4,gamma=2 --compare steps --threads 1 --verbose
    out_has '^train +a\.ts: 18 series of 1 channel, 12\.\.14 steps, 3 classes$'
    out_has '^  applied to +all steps with each other; values.*, scaled by channels'
    out_has '^selected +from 4 kernels$'
    out_has '^leave-one-out +[0-9.]+% \([0-9]+ of 18\)'
    out_has '^nested +[0-9.]+% \([0-9]+ of 18\), .* 5 folds$'
    out_has '^accuracy +100\.00% \(18 of 18\)$'
    out_has '^class +training +series +recall +precision$'
    out_has '^fast +6 +6 +100\.0% +100\.0%$'
    out_has '^truth +fast +flat +slow +predicted$'
    out_has '^flat +0 +6 +0$'
    expect 0 classify --train a.ts --kernel rbf:window=4,gamma=2 --compare steps --threads 1 --verbose
    out_has '^\(leave-one-out .*training series\)$'
}
check "classify: accuracy, classes, confusion table" classify_report

classify_json()
{
    wave_series a.ts 1
    wave_series b.ts 77
    expect 0 classify --train a.ts --test b.ts --draws 8 --splits 3 --json -o found.csv
    out_has '"classes"'
    for key in accuracy left_out_accuracy nested_accuracy left_out_error split_accuracy split_deviation alpha seconds; do
        out_has "\"$key\": [0-9]"
    done
    out_has '"tried": 8'
    out_has '"splits": 3'
    valid_json out 'v["folds"] == 5 and v["planned"] == 8 and v["finalists"] == 8 and v["screen"] == 0 and v["landmarks"] == 0 and v["cut"] is False'
    valid_json out 'all(abs(sum(p) - 1) < 1e-12 and p.index(max(p)) == u.index(max(u)) for p, u in zip(v["probabilities"], v["outputs"]))'
    out_has '"confusion"'
    out_has '"predicted"'
    [ "$(sed -n 1p found.csv)" = "class,fast,flat,slow" ] || fail "header is $(sed -n 1p found.csv)"
    lines_of found.csv 19
    expect 0 classify --train a.ts --test b.ts --kernel memory --draws 2 --loss multinomial --json
    out_has '"log_loss": [0-9]'
    out_has '"loss": "multinomial"'
    # A race on nine of the series, and landmarks: all by number, so that no time enters.
    expect 0 classify --train a.ts --test b.ts --draws 48 --screen 9 --landmarks 12 --folds 3 --json
    valid_json out 'v["tried"] == 48 and v["screen"] == 9 and v["finalists"] < 48 and v["landmarks"] == 12 and v["folds"] == 3'
    cp out first
    expect 0 classify --train a.ts --test b.ts --draws 48 --screen 9 --landmarks 12 --folds 3 --threads 1 --json
    valid_json out 'all(v[k] == json.load(open("first"))[k] for k in ("kernel", "alpha", "nested_accuracy", "left_out_accuracy", "finalists"))'
    expect 0 classify --train a.ts --test b.ts --draws 48 --screen 9 --landmarks 12 --folds 0 --verbose
    out_has '^selected +from 48 kernels: all on 9 series, [0-9]+ on all'
    out_has '^landmarks +12 of 18 series$'
    ! grep -q '^nested' out || fail 'a nested accuracy without folds'
    # Series and classes in files of their own, and on standard output.
    awk -F: '/^@/ { next } { n = split($1, v, ","); for (t = 1; t <= n; t++) print NR "," v[t] }' b.ts |
        { echo series,v; cat; } >long.csv
    sed -n '/^@/d; s/.*://p' b.ts | { echo label; cat; } >labels.csv
    expect 0 classify --train a.ts --test long.csv --test-labels labels.csv:label --kernel rbf:window=4,gamma=2 --compare steps -o -
    [ "$(cut -d, -f1 out | sed 1d | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" = "6 6 6 " ] || fail "$(cat out)"
}
check "classify: JSON, predictions, both readouts, labels in a file" classify_json

classify_wrong()
{
    wave_series a.ts 1
    sed 's/:.*/:slow/' a.ts >one.ts
    sed 's/flat/bent/' a.ts >bent.ts
    awk 'NR > 1 && /:flat/ && !seen++ || !/:flat/' a.ts >single.ts
    printf 'series,v,w\n1,1,2\n1,2,3\n2,2,2\n2,1,0\n' >two.csv
    printf 'label\nx\n' >few.csv
    expect 1 classify --train one.ts
    err_names 18 series class
    expect 1 classify --train two.csv
    err_names two.csv --train-labels FILE
    expect 1 classify --train two.csv --train-labels few.csv
    err_names few.csv 1 labels two.csv 2 series
    expect 1 classify --train a.ts --test two.csv
    err_names series a.ts 1 channel two.csv 2
    expect 2 classify --train a.ts --test-labels few.csv
    err_names --test-labels --test
    expect 2 classify --train a.ts -o p.csv
    err_names series --test B
    expect 2 classify --train a.ts --kernel gakk
    err_has 'gak'
    expect 2 classify --train a.ts --kernel rbf --compare series
    err_names series
    expect 2 classify --train a.ts --loss huber
    err_names loss huber squares
    expect 2 classify --train a.ts --screen few
    err_has '\-\-screen .*few'
    expect 2 classify --train a.ts --landmarks -3
    err_has '\-\-landmarks .*-3'
    expect 2 classify --train a.ts --landmarks 19 --draws 1
    err_names landmarks 19 18
    expect 2 classify --train a.ts --folds 1
    err_has 'folds must be .*got 1'
    expect 2 classify --train a.ts --range alpha=log:1..2
    err_names alpha
    expect 2 classify --train a.ts --scale channel
    err_has 'channels'
    expect 2 classify
    err_has '\-\-train'
    expect 2 classify --train - --test -
    err_names input
    expect 2 classify --train - --train-labels -
    err_names series labels input
    expect 2 classify --train a.ts --test - --test-labels -
    err_names series labels input
    expect 1 classify --train nothing.ts
    err_has 'nothing.ts'
    expect 0 classify --train a.ts --test bent.ts --kernel gak:sigma=1 --compare series --json
    err_names 6 18 series
    out_has '"unseen": 6'
    expect 0 classify --train single.ts --kernel gak:sigma=1 --compare series --json
    err_names class series
}
check "classify: one class, unseen classes, single series, other channels, invalid options" classify_wrong
