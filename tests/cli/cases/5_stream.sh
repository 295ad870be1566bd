# tests/cli/cases/5_stream.sh: stream with invalid input lines.

# Four rows, with $1 as a line after the second.
rows_with() { printf '0.1,0.2\n0.3,0.1\n%b\n0.2,0.2\n-0.1,0.3\n' "$1"; }

# The answers to the four rows without the extra line.
plain_answers()
{
    printf '0.1,0.2\n0.3,0.1\n0.2,0.2\n-0.1,0.3\n' >plain
    expect 0 stream model.safetensors <plain
    no_err
    cp out plain-answers
}

stream_garbage()
{
    local garbage=('oops,0.2' '0.1' '0.1,0.2,0.3' 'a,b' '0.1,"0.2' '1e999,0.1' '0.1,inf' '0.1\0,0.2' '\377\376,0.1'
        '2020-01-01,0.1' '1e200,1') number
    small_model
    plain_answers
    # An invalid line affects only itself: every line has one answer, and the other answers do not change.
    rows_with "$(IFS=; printf '%s\\n' "${garbage[@]}" | head -c -2)" >rows
    expect 0 stream model.safetensors <rows
    lines_of out $((4 + ${#garbage[@]}))
    grep -vx NA,NA out | cmp -s - plain-answers || fail "other answers: $(cat out)"
    for ((number = 3; number < 3 + ${#garbage[@]}; number++)); do
        [ "$(sed -n "${number}p" out)" = NA,NA ] || fail "line $number is answered with $(sed -n "${number}p" out)"
        err_names line "$number" input NA
    done
    err_names warning lines input line 3
    lines_of err $((1 + ${#garbage[@]}))
    expect 1 stream model.safetensors --strict <rows
    err_names line 3 input column 1 "'oops'"
    lines_of out 2
    sed '2a NA,NA' plain-answers >expected
    rows_with 'oops,0.2\n\n7' >rows
    expect 0 stream model.safetensors --json <rows
    lines_of out 6
    [ "$(sed -n '3,4p' out | tr '\n' ' ')" = 'null null ' ] || fail "the answers are $(sed -n '3,4p' out)"
    err_names line 3 input column 1 "'oops'"
    err_names 2 lines input line 3
    expect 0 stream model.safetensors --quiet <rows
    no_err
    # A line rejected by the model (--beyond error) is also skipped and does not change the state.
    rows_with '9000,1' >rows
    expect 0 stream model.safetensors --beyond error <rows
    same out expected
    err_names line 3 input norm NA
    printf '9000,1\n' >rows
    expect 0 stream model.safetensors <rows
    err_has 'warning: 1 of 1 input rows'
    # The stream fails if no line gives a prediction.
    printf 'x\noops,1\n1\n' >rows
    volterra stream model.safetensors <rows
    [ "$status" -eq 1 ] || fail "status $status for nothing but garbage"
    err_names line input 3 0
    lines_of out 3
}
check "stream: an invalid line is skipped and reported" stream_garbage

# 1 MiB, and 1 KiB for each of the two inputs and two outputs, with the line end
stream_long_lines()
{
    local most=$(((1 << 20) + 4 * 1024))
    small_model
    plain_answers
    printf "%$((most - 1))s\n" 0.1,0.2 >rows
    expect 0 stream model.safetensors <rows
    same out <(head -n 1 plain-answers)
    printf "%${most}s\n" 0.1,0.2 >rows
    expect 1 stream model.safetensors <rows
    err_names line 1 $most
    no_out
}
check "stream: length of a line" stream_long_lines

stream_garbage_first()
{
    # Garbage between a header and its first row: the header is divided as the first row shows, whenever that comes.
    small_model
    plain_answers
    awk -F, -v OFS=';' 'NR == 1 { print "b", "z", "a"; print "x,y w"; print "1,2" } { print $2, 7, $1 }' plain >rows
    expect 0 stream model.safetensors <rows
    { printf 'NA,NA\nNA,NA\n'; cat plain-answers; } | cmp -s - out || fail "other answers: $(cat out)"
    # The date of the first row is missing.
    awk -F, -v OFS=, 'NR == 1 { print "date", "b", "a" } { print (NR > 1 ? "2020-01-01" : "NA"), $2, $1 }' plain >rows
    expect 0 stream model.safetensors <rows
    same out plain-answers
    # A blank line before the header.
    { printf '\n \nb,a\n'; awk -F, -v OFS=, '{ print $2, $1 }' plain; } >rows
    expect 0 stream model.safetensors <rows
    same out plain-answers
    no_err
}
check "stream: invalid lines before the first row" stream_garbage_first

# A header has all names of the model, in any order. Another text has an answer like any invalid line, also after a restart.
stream_header()
{
    local words
    small_model
    plain_answers
    { echo NA,NA; cat plain-answers; } >expected
    for words in 'sensor offline' 'p,q' 'sensor,offline' a; do
        { echo "$words"; cat plain; } >rows
        expect 0 stream model.safetensors <rows
        same out expected
        err_names line 1 input NA
    done
    rm -f state
    { echo 'sensor offline'; echo b,a; sed -n 1,2p plain | awk -F, '{ print $2 "," $1 }'; } >rows
    expect 0 stream model.safetensors --state state <rows
    cp out parts
    { echo a,b; sed 1,2d plain; } >rows
    expect 0 stream model.safetensors --state state <rows
    cat out >>parts
    same parts expected
    for words in 'b,c' 'b;c' 'date,b,c' 'b,c,d'; do
        { echo "$words"; cat plain; } >rows
        expect 1 stream model.safetensors <rows
        err_names line 1 "'a, b'" b c
        no_out
    done
}
check "stream: what is a header" stream_header

stream_missing()
{
    local word
    small_model
    plain_answers
    sed '2a NA,NA' plain-answers >skipped
    printf '0.1,0.2\n0.3,0.1\n0.4,0.1\n0.2,0.2\n-0.1,0.3\n' >rows
    expect 0 stream model.safetensors <rows
    cp out held
    rows_with '0.4,' >rows
    expect 0 stream model.safetensors <rows
    same out skipped
    err_names line 3 input column "'b'" NA
    err_names warning 1 line input 3
    lines_of err 2
    expect 0 stream model.safetensors --missing skip --strict <rows
    same out skipped
    # hold: the value of the row before
    for word in '' nan '?'; do
        rows_with "0.4,$word" >rows
        expect 0 stream model.safetensors --missing hold <rows
        same out held
        err_names warning 1 line input row 3
        lines_of err 1
    done
    expect 1 stream model.safetensors --missing error <rows
    err_names line 3 input column "'b'" --missing
    lines_of out 2
    rows_with '0.4,\n,\n,1' >rows
    expect 0 stream model.safetensors --json <rows
    [ "$(grep -cx null out)" -eq 3 ] || fail "answers: $(cat out)"
    err_names 3 lines input line
    [ "$(grep -c 'the value is missing' err)" -eq 1 ] || fail "every line with a hole is reported"
    # The first row has none before it, whatever its form: NA is no name of a column.
    for word in NA,0.1 NA,NA ','; do
        { echo "$word"; cat plain; } >rows
        expect 0 stream model.safetensors --missing hold <rows
        { echo NA,NA; cat plain-answers; } | cmp -s - out || fail "other answers: $(cat out)"
        err_names line 1 input column "'a'" row NA
    done
    # Missing values in unused columns are ignored.
    awk -F, -v OFS=, 'NR == 1 { print "b", "z", "a" } { print $2, "", $1 }' plain >rows
    expect 0 stream model.safetensors --missing error <rows
    same out plain-answers
    no_err
    printf 'NA,1\n,2\n' >rows
    volterra stream model.safetensors <rows
    [ "$status" -eq 1 ] || fail "status $status where every line lacks a value"
    err_names line input 0 2
    expect 2 stream model.safetensors --missing drop <rows
}
check "stream --missing skip, hold, error" stream_missing

stream_state()
{
    local kernel part
    series 80 >x.csv
    tail -n 30 x.csv | sed '14s/.*/,/; 22s/.*/garbage/' >rows
    for kernel in 'rbf:window=5' chosen; do
        if [ "$kernel" = chosen ]; then # a model of changes, which looks back over rows
            expect 0 fit --x x.csv --rows :50 --target change --input both --season 12 -o model.safetensors
        else
            expect 0 fit --x x.csv --rows :50 --alpha 1e-4 --kernel "$kernel" -o model.safetensors
        fi
        expect 0 stream model.safetensors --missing hold <rows
        cp out unbroken
        # In parts, the first of them empty and one that begins with a hole: bit for bit as unbroken.
        rm -f moment parts
        for part in 1,0p 1,1p 2,13p 14,22p 23,30p; do
            sed -n "$part" rows >part
            [ "$part" != 1,0p ] || : >part
            expect 0 stream model.safetensors --missing hold --state moment <part
            [ -s moment ] || fail "no state after lines $part"
            cat out >>parts
        done
        same parts unbroken
        nothing_left
    done
    # --start applies only to the first part.
    rm moment
    expect 0 stream model.safetensors --start reset <rows
    cp out unbroken
    head -n 10 rows >part
    expect 0 stream model.safetensors --start reset --state moment <part
    cp out parts
    tail -n +11 rows >part
    expect 0 stream model.safetensors --start reset --state moment <part
    cat out >>parts
    same parts unbroken
    # A line that ends the stream does not lose the rows before it.
    rm moment
    expect 0 stream model.safetensors <rows
    cp out unbroken
    expect 1 stream model.safetensors --missing error --state moment <rows
    cp out parts
    lines_of parts 13
    tail -n +14 rows >part
    expect 0 stream model.safetensors --state moment <part
    cat out >>parts
    same parts unbroken
    # Rows beyond the ball are counted per call.
    printf '90000,1\n' >far
    expect 0 stream model.safetensors --state moment <far
    err_has 'warning: 1 of 1 input rows'
    expect 0 stream model.safetensors --state moment <far
    err_has 'warning: 1 of 1 input rows'
}
check "stream --state resumes exactly" stream_state

stream_state_signals()
{
    local signal job reply state
    small_model
    tail -n 6 x.csv >rows
    expect 0 stream model.safetensors <rows
    cp out unbroken
    for signal in TERM INT HUP; do
        rm -f question answer moment parts
        mkfifo question answer
        "$VOLTERRA" stream model.safetensors --state moment <question >answer 2>err &
        job=$!
        exec 3>question 4<answer
        sed -n 1,3p rows >&3
        for _ in 1 2 3; do
            read -r -t 30 reply <&4 || fail "no answer"
            echo "$reply" >>parts
        done
        kill -$signal $job
        wait $job
        state=$?
        exec 3>&- 4<&-
        [ "$state" -eq $((128 + $(kill -l $signal))) ] || fail "status $state after $signal"
        err_has 'interrupted'
        lines_of err 1
        sed -n 4,6p rows >part
        expect 0 stream model.safetensors --state moment <part
        cat out >>parts
        same parts unbroken
    done
}
check "stream --state: the state is saved on a signal" stream_state_signals

stream_state_refused()
{
    small_model
    tail -n 4 x.csv >rows
    expect 0 stream model.safetensors --state moment <rows
    cp moment kept
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-5 -o other.safetensors
    expect 1 stream other.safetensors --state moment <rows
    err_names volterra
    no_out
    same moment kept
    head -c 100 kept >moment
    expect 1 stream model.safetensors --state moment <rows
    err_has '^volterra stream: moment'
    expect 1 stream model.safetensors --state other.safetensors <rows
    err_names other.safetensors state volterra
    expect 2 stream model.safetensors --state model.safetensors <rows
    err_names model.safetensors input
    expect 2 stream model.safetensors --state - <rows
    err_has -- '--state must be a file'
    expect 1 stream model.safetensors --state . <rows
    err_names directory
    expect 1 stream model.safetensors --state none/moment <rows
    err_names none/moment
    no_out
    # If answers cannot be written, the old state is kept so that they can be repeated.
    if [ -e /dev/full ]; then
        cp kept moment
        "$VOLTERRA" stream model.safetensors --state moment <rows >/dev/full 2>err
        [ $? -eq 1 ] || fail "stream on a full disk does not fail"
        same moment kept
    fi
    # The model identifies the state, not its file name.
    cp kept moment
    cp model.safetensors copy.safetensors
    expect 0 stream copy.safetensors --state moment <rows
}
check "stream --state: invalid states" stream_state_refused

# Two streams on one state: the second is refused while the first runs, and loses nothing of it.
state_is_locked()
{
    small_model
    awk 'NR > 1 { print $0 "," $0 }' x.csv | head -n 20 >pairs.csv # inputs, and a target for each
    for learn in '' --learn; do
        rm -f state state.lock first.out
        mkfifo rows
        [ -n "$learn" ] && lines=pairs.csv || lines=plain.csv
        tail -n +2 x.csv | head -n 20 >plain.csv
        "$VOLTERRA" stream model.safetensors $learn --state state <rows >first.out 2>first.err &
        first=$!
        exec 9>rows
        head -n 3 $lines >&9
        until [ -s first.out ]; do kill -0 $first || fail "the first stream ended: $(cat first.err)"; sleep 0.02; done
        expect 1 stream model.safetensors $learn --state state <$lines
        err_names state
        no_out
        tail -n +4 $lines | head -n 3 >&9
        exec 9>&-
        wait $first || fail "the first stream: $(cat first.err)"
        rm rows
        absent state.lock
        # The state contains six rows, and the next call resumes from it.
        expect 0 stream model.safetensors $learn --state state < <(sed -n 7p $lines)
        cp out seventh
        expect 0 stream model.safetensors $learn < <(head -n 7 $lines)
        tail -n 1 out >expected
        near seventh expected 1e-9
    done
    # The lock file of a killed process does not block others.
    rm state first.out
    mkfifo rows
    "$VOLTERRA" stream model.safetensors --state state <rows >first.out 2>first.err &
    first=$!
    exec 9>rows
    head -n 1 plain.csv >&9
    until [ -s first.out ]; do kill -0 $first || fail "the stream ended: $(cat first.err)"; sleep 0.02; done
    kill -KILL $first
    wait $first 2>/dev/null
    exec 9>&-
    [ -e state.lock ] || fail "the killed stream had no lock"
    expect 0 stream model.safetensors --state state <plain.csv
    absent state.lock
}
check "stream --state: a second stream on the same state is rejected" state_is_locked

# State files of version 1.0, of a stream and of a learner with rows that wait for their targets: the same answers.
stream_old_states()
{
    local old=$here/data/state_1_0 kind
    cp "$old"/*.state .
    expect 0 stream "$old/model.safetensors" --interval 0.8 --state stream.state <"$old/rows.csv"
    cp out stream.csv
    expect 0 stream "$old/model.safetensors" --learn --interval 0.8 --targets now --state learner.state <"$old/rows.csv"
    cp out learner.csv
    for kind in stream learner; do
        paste -d, "$old/$kind.csv" $kind.csv | awk -F, '
            { for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d * d > 1e-18) bad = 1 } }
            END { exit bad || NR != 20 }' || fail "$kind: other answers than version 1.0 gave"
        grep -aq volterra-live $kind.state || fail "$kind.state is not of the new format"
    done
}
check "stream --state: states of version 1.0 are read" stream_old_states
