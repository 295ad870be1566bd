# tests/cli/cases/5_learn.sh: stream --learn: online learning.

# A model of 40 rows of one input and one target, and 30 rows of both that follow.
learning_model()
{
    awk 'BEGIN {
        for (t = 0; t < 70; t++) {
            u = sin(0.7 * t) + 0.5 * cos(1.9 * t * t); v = 0.6 * before + u * (1 + 0.4 * before); before = u
            printf "%.6f\n", u > (t < 40 ? "x.csv" : "x-after.csv")
            printf "%.6f\n", v > (t < 40 ? "y.csv" : "y-after.csv")
        } }'
    sed -i '1i u' x.csv
    sed -i '1i v' y.csv
    paste -d, x-after.csv y-after.csv >pairs
    expect 0 fit --x x.csv --y y.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 0.05 -o model.safetensors
}

learn_rows()
{
    learning_model
    # The first prediction equals that of the model; later ones are better than without learning.
    expect 0 stream model.safetensors --learn <pairs
    lines_of out 30
    cp out learned
    expect 0 stream model.safetensors <x-after.csv
    near <(head -n 1 learned) <(head -n 1 out) 1e-9
    cmp -s out learned && fail "nothing was learned"
    # With a window the first prediction uses only its rows. A window of all rows uses all of them.
    expect 0 stream model.safetensors --learn --window 5 <pairs
    cp out few
    cmp -s few learned && fail "the window makes no difference"
    expect 0 stream model.safetensors --learn --window 1000 <pairs
    same out learned
    expect 0 stream model.safetensors --learn --forget 0.9 <pairs
    cmp -s out learned && fail "forgetting makes no difference"
    cp out faded
    expect 0 stream model.safetensors --learn --forget 0.9 --forget-what all <pairs
    same out faded
    expect 0 stream model.safetensors --learn --forget 0.9 --forget-what dynamics <pairs
    cmp -s out faded && fail "what fades makes no difference"
    # Headers name inputs and targets, in any order; JSON and a header of its own are as without --learn.
    { echo v,u; paste -d, y-after.csv x-after.csv; } >named
    expect 0 stream model.safetensors --learn --header <named
    [ "$(head -n 1 out)" = v ] || fail "the header is $(head -n 1 out)"
    tail -n +2 out | cmp -s - learned || fail "the order of the columns makes a difference"
    expect 0 stream model.safetensors --learn --json <pairs
    tr -d '[]' <out | cmp -s - learned || fail "JSON has other answers"
}
check "stream --learn predicts each row, then learns it" learn_rows

learn_is_a_fit()
{
    learning_model
    # The prediction of a row equals a fit on the previous rows, in the scales of the model: none here.
    tail -n +2 x.csv >x-all.csv && cat x-after.csv >>x-all.csv
    tail -n +2 y.csv >y-all.csv && cat y-after.csv >>y-all.csv
    # Inputs beyond those of training would be clipped: taken as they are while the kernel allows it.
    local fit=(--kernel 'volterra:tau=0.2,lambda=0.6' --alpha 0.05 --no-scale)
    expect 0 fit --x x.csv --y y.csv "${fit[@]}" -o plain.safetensors
    expect 0 stream plain.safetensors --learn --beyond allow <pairs
    cp out learned
    local rows
    for rows in 41 55 69; do
        head -n "$rows" x-all.csv >x-part.csv
        head -n "$rows" y-all.csv >y-part.csv
        sed -n "$((rows + 1))p" x-all.csv >next.csv
        expect 0 fit --x x-part.csv --y y-part.csv "${fit[@]}" -o part.safetensors
        expect 0 stream part.safetensors --beyond allow <next.csv
        near <(sed -n "$((rows - 39))p" learned) out 1e-8
    done
}
check "stream --learn equals a fit on the rows so far" learn_is_a_fit

learn_bad_lines()
{
    learning_model
    expect 0 stream model.safetensors --learn <pairs
    cp out learned
    # Invalid and non-finite lines are skipped, and the other answers do not change.
    sed '3i oops,1\n0.1\n0.1,inf\n0.1,0.2,0.3\n,0.3' pairs >garbage
    expect 0 stream model.safetensors --learn <garbage
    grep -vx NA out | cmp -s - learned || fail "other answers"
    [ "$(grep -cx NA out)" -eq 5 ] || fail "$(grep -cx NA out) lines are answered with NA"
    err_names 4 lines input line 3
    err_names 1 line input 7
    # Missing target: the row is predicted and updates the state.
    sed '4s/,.*/,NA/' pairs >holed
    expect 0 stream model.safetensors --learn <holed
    lines_of out 30
    head -n 4 out | cmp -s - <(head -n 4 learned) || fail "the forecast of the row is another"
    tail -n 1 out | cmp -s - <(tail -n 1 learned) && fail "the target was learned"
    err_names 1 line input target 4
    expect 1 stream model.safetensors --learn --missing error <holed
    err_names line 4 input
    # A row may be held, and has its target.
    sed '4s/.*,/,/' pairs >held
    expect 0 stream model.safetensors --learn --missing hold <held
    grep -q NA out && fail "a line was not held"
    # Nothing is learned where alpha is nothing against rounding, and the row comes again and again.
    printf '0.5\n' >one-x && printf '1\n' >one-y
    expect 0 fit --x one-x --y one-y --kernel rbf:gamma=1 --alpha 1e-17 --no-intercept --no-scale -o one.safetensors
    printf '0.5,1\n0.5,2\n' >again
    expect 0 stream one.safetensors --learn <again
    lines_of out 2
    err_names line 1 input row pivot alpha 1e-17
    err_names 2 lines input
}
check "stream --learn: invalid lines, missing targets, redundant rows" learn_bad_lines

learn_refusals()
{
    learning_model
    local option
    for option in '--window 5' '--forget 0.9'; do
        expect 2 stream model.safetensors $option <pairs
        err_names "${option%% *}" --learn
    done
    expect 2 stream model.safetensors --learn --window 0 <pairs
    err_names --window 1 0
    expect 2 stream model.safetensors --learn --window -3 <pairs
    expect 2 stream model.safetensors --learn --forget 0 <pairs
    expect 2 stream model.safetensors --learn --forget 1.2 <pairs
    err_names --forget 0 1 1.2
    # States: of a stream, with another window, of another model.
    expect 0 stream model.safetensors --state plain.state <x-after.csv
    expect 1 stream model.safetensors --learn --state plain.state <pairs
    err_names 0
    expect 0 stream model.safetensors --learn --window 9 --state nine.state <pairs
    expect 2 stream model.safetensors --learn --window 8 --state nine.state <pairs
    err_names nine.state --window 9 8
    expect 2 stream model.safetensors --learn --forget 0.5 --state nine.state <pairs
    err_names nine.state --forget 1 0.5
    expect 2 stream model.safetensors --learn --forget-what all <pairs
    err_names --forget-what --forget
    expect 2 stream model.safetensors --learn --forget 0.9 --forget-what level <pairs
    expect 0 stream model.safetensors --learn --forget 0.9 --forget-what all --state all.state <pairs
    expect 0 stream model.safetensors --learn --forget 0.9 --state all.state <pairs
    expect 2 stream model.safetensors --learn --forget 0.9 --forget-what dynamics --state all.state <pairs
    err_names all.state --forget-what
    expect 1 stream model.safetensors --state nine.state <x-after.csv
    err_names 1
    small_model
    expect 1 stream model.safetensors --learn --state nine.state <x.csv
    err_names model
}
check "stream --learn: unsupported options" learn_refusals

learn_in_parts()
{
    learning_model
    expect 0 stream model.safetensors --learn --window 20 --forget 0.98 --state whole.state <pairs
    cp out whole
    # Stopped and resumed: answers and state are bitwise equal.
    local n
    for n in 1 2 3; do
        sed -n "$((10 * n - 9)),$((10 * n))p" pairs >part
        expect 0 stream model.safetensors --learn --window 20 --forget 0.98 --state part.state <part
        cat out >>answers
    done
    same answers whole
    same part.state whole.state
}
check "stream --learn resumes from its state" learn_in_parts

# The rows of a series as they come: with each row, the target of the row H rows before becomes known.
learn_as_targets_come()
{
    awk 'BEGIN { for (t = 0; t < 60; t++) printf "%.6f,%.6f\n", sin(0.5 * t) + 0.3 * cos(1.7 * t), 0.6 * cos(0.4 * t) }' >all.csv
    { echo a,b; head -n 40 all.csv; } >fitted.csv
    local fit=(--kernel 'volterra:tau=0.3,lambda=0.6' --alpha 0.05 --no-scale --target level --input level) ahead rows
    # H = 1: the targets of a row are in the next line.
    expect 0 fit --x fitted.csv "${fit[@]}" -o one.safetensors
    tail -n +40 all.csv >lines
    expect 0 stream one.safetensors --learn --window 30 --beyond allow --targets now <lines
    lines_of out 21
    cp out answers
    expect 0 stream one.safetensors --learn --window 30 --beyond allow \
        < <(paste -d, <(head -n 20 lines) <(tail -n +2 lines))
    head -n 20 answers | cmp -s - out || fail "--targets now differs from the targets of each row"
    # H = 3: the prediction after a row equals a fit on everything known with it, of one column or of all.
    for ahead in '--y fitted.csv:a' ''; do
        expect 0 fit --x fitted.csv $ahead --ahead 3 "${fit[@]}" -o three.safetensors
        tail -n +38 all.csv >lines
        rm -f whole.state
        expect 0 stream three.safetensors --learn --beyond allow --targets now --state whole.state <lines
        lines_of out 23
        cp out answers
        for rows in 41 50 60; do
            { echo a,b; head -n "$rows" all.csv; } >part.csv
            expect 0 fit --x part.csv ${ahead/fitted/part} --ahead 3 "${fit[@]}" -o part.safetensors
            expect 0 stream part.safetensors --beyond allow < <(sed -n "$((rows - 2)),${rows}p" all.csv)
            near <(sed -n "$((rows - 37))p" answers) <(tail -n 1 out) 1e-8
        done
        # In parts, with a state.
        rm -f part.state parts
        for rows in 1,2 3,9 10,23; do
            expect 0 stream three.safetensors --learn --beyond allow --targets now --state part.state < <(sed -n "${rows}p" lines)
            cat out >>parts
        done
        same parts answers
        same part.state whole.state
    done
    # Targets next to the inputs, one line later: a line holds both as they are measured.
    sed 's/^a,b/u,v/' fitted.csv >beside.csv
    expect 0 fit --x beside.csv:u --y beside.csv:v --ahead 2 --kernel memory --alpha 0.1 -o beside.safetensors
    expect 0 stream beside.safetensors --learn --targets now --interval 0.8 <lines
    lines_of out 23
    expect 0 stream beside.safetensors --targets now --interval 0.8 <lines
    lines_of out 23
    # An observation that is missing is not learned, and the row is passed over or held.
    sed '5s/,.*/,NA/' lines >holed
    expect 0 stream one.safetensors --learn --targets now --missing hold <holed
    lines_of out 23
    err_names line input target
    expect 2 stream one.safetensors --targets now <lines
    err_names --targets --learn --interval
    expect 0 fit --x fitted.csv --ahead 1..3 --kernel memory --alpha 0.1 -o several.safetensors
    expect 2 stream several.safetensors --learn --targets now <lines
    err_names 1..3 rows ahead
}
check "stream --learn --targets now: targets are learned as they become known" learn_as_targets_come

# The state is replaced every 10,000 rows. A process that is killed at any time leaves such a state, from which a stream of the
# remaining rows reaches the same end.
learn_killed()
{
    learning_model
    awk 'BEGIN { for (t = 0; t < 32000; t++) printf "%.4f,%.4f\n", sin(0.7 * t), cos(t * t) }' >many
    expect 0 stream model.safetensors --learn --window 6 --state whole.state <many
    local moment job kept
    for moment in 1 4 9 11 14 19 21 27 31; do
        rm -f killed.state
        "$VOLTERRA" stream model.safetensors --learn --window 6 --state killed.state <many >heard 2>err &
        job=$!
        until [ "$(wc -l <heard)" -ge "${moment}000" ] || ! kill -0 $job 2>err; do sleep 0.01; done
        kill -KILL $job 2>err
        wait $job
        kept=0
        [ ! -e killed.state ] || kept=$(grep -ao '"rows":"[0-9]*"' killed.state | grep -o '[0-9]*')
        [ $((kept % 10000)) -eq 0 ] || [ "$kept" -eq 32000 ] || fail "$moment: $kept rows are kept"
        [ "$(wc -l <heard)" -lt $((kept + 10100)) ] || fail "$moment: $kept rows are kept of $(wc -l <heard)"
        tail -n +"$((kept + 1))" many >rest
        expect 0 stream model.safetensors --learn --window 6 --state killed.state <rest
        same killed.state whole.state
        nothing_left
    done
}
check "stream --learn --state: kill -9 at any time" learn_killed

# Lines of records: another one begins with an empty line.
learn_records()
{
    learning_model
    { echo u,v,part; paste -d, <(tail -n +2 x.csv) <(tail -n +2 y.csv) <(yes a | head -n 25; yes b | head -n 15); } >table.csv
    expect 0 fit --x table.csv:u --y table.csv:v --series table.csv:part --kernel memory:gamma=1,rho=0.5,mu=0.8 \
        --alpha 0.05 -o records.safetensors
    sed '11i\\' pairs >broken
    expect 0 stream records.safetensors --learn --state together.state <broken
    lines_of out 30
    cp out together
    expect 0 stream records.safetensors --learn <pairs
    head -n 10 out | cmp -s - <(head -n 10 together) || fail "the first record differs"
    cmp -s out together && fail "the record that begins makes no difference"
    head -n 14 broken >first && tail -n +15 broken >second
    expect 0 stream records.safetensors --learn --state parts.state <first
    expect 0 stream records.safetensors --learn --state parts.state <second
    tail -n 17 together | cmp -s - out || fail "the state leads to other answers"
    same parts.state together.state
}
check "stream --learn: records" learn_records
