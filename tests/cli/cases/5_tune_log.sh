# tests/cli/cases/5_tune_log.sh: tune after interruptions, and its logs. The helpers are in 5_tune.sh.

tune_killed()
{
    system_with_memory 500
    local options="--x u.csv --y y.csv --draws 60 --race none --threads 1" i wanted seed=$RANDOM
    RANDOM=$seed
    expect 0 tune $options --log whole.jsonl --json
    best_of >whole.best
    lines_of whole.jsonl 60
    : >killed.jsonl
    for ((i = 0; i < 10; i++)); do
        "$VOLTERRA" tune $options --log killed.jsonl --resume >/dev/null 2>&1 &
        wanted=$((5 * i + RANDOM % 5))
        while kill -0 $! 2>/dev/null && [ "$(wc -l <killed.jsonl)" -lt $wanted ]; do sleep 0.002; done
        sleep "0.00$((RANDOM % 10))"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
    done
    [ "$(wc -l <killed.jsonl)" -ge 45 ] || fail "the search does not get on (seed $seed)"
    expect 0 tune $options --log killed.jsonl --resume --json
    best_of >killed.best
    same whole.best killed.best
    what_was_tried whole.jsonl >whole.tried
    what_was_tried killed.jsonl >killed.tried
    diff whole.tried killed.tried >difference || fail "the logs differ (seed $seed): $(head -n 4 difference)"
    # The log is complete, and another run has nothing to do.
    expect 0 tune $options --log killed.jsonl --resume --json
    valid_json out "v['draws'] == 60 and v['resumed'] == 60"
    best_of >again.best
    same whole.best again.best
}
check "tune --resume after kill -9 at ten times: same result" tune_killed

tune_cut_log()
{
    system_with_memory 150
    local options="--x u.csv --y y.csv --draws 12 --race none" size cut
    expect 0 tune $options --log whole.jsonl --json
    best_of >whole.best
    what_was_tried whole.jsonl >whole.tried
    size=$(wc -c <whole.jsonl)
    for cut in 1 $((size / 3)) $((size / 2 + 7)) $((size - 1)) $((size - 20)); do
        head -c "$cut" whole.jsonl >cut.jsonl
        expect 0 tune $options --log cut.jsonl --resume --json
        best_of >cut.best
        same whole.best cut.best
        what_was_tried cut.jsonl >cut.tried
        same whole.tried cut.tried
    done
    # A log is not overwritten and is accepted only by its own search.
    expect 2 tune $options --log whole.jsonl
    err_names --resume
    expect 1 tune $options --folds 4 --log whole.jsonl --resume
    err_has 'another search'
    what_was_tried whole.jsonl >still.tried
    same whole.tried still.tried
    sed '3s/"kernel"/"kernle"/' whole.jsonl >bad.jsonl
    expect 1 tune $options --log bad.jsonl --resume
    err_has 'line 3'
}
check "tune --resume: truncated log, log of another search" tune_cut_log

# Candidates follow from trials, in whatever order they ended.
tune_following()
{
    system_with_memory 120
    local options="--x u.csv --y y.csv --draws 90 --search $1" kernel='rbf | fir + memory:pole=?' cut
    expect 0 tune $options --kernel "$kernel" --threads 1 --log whole.jsonl --json
    best_of >whole.best
    what_was_tried whole.jsonl >whole.tried
    expect 0 tune $options --kernel "$kernel" --threads 3 --log three.jsonl --json
    best_of >three.best
    what_was_tried three.jsonl >three.tried
    same whole.best three.best
    same whole.tried three.tried
    for cut in 30 70 85; do
        head -n $cut three.jsonl >cut.jsonl
        expect 0 tune $options --kernel "$kernel" --log cut.jsonl --resume --json
        valid_json out "v['resumed'] == $cut and v['draws'] == 90"
        what_was_tried cut.jsonl >cut.tried
        same whole.tried cut.tried
    done
    grep -q '"kernel":"rbf' whole.jsonl || fail "there is no rbf"
    grep -q '"kernel":"fir' whole.jsonl || fail "there is no fir"
    # Without a limit the log is only reported: its text does not change.
    cp whole.jsonl kept.jsonl
    expect 0 tune ${options/--draws 90/} --kernel "$kernel" --log whole.jsonl --resume -o m.safetensors --json
    valid_json out "v['resumed'] == 90 and v['draws'] == 90"
    best_of >resumed.best
    same whole.best resumed.best
    same whole.jsonl kept.jsonl
    expect 0 predict m.safetensors --x u.csv -o forecast.csv
    expect 1 tune --x u.csv --y y.csv --draws 90 --kernel "$kernel" --log whole.jsonl --resume
    err_has 'another search'
    expect 2 tune $options --grid 3
    err_names --search "$1" --grid
    printf 'gamma,alpha\n1,1\n' >candidates.csv
    expect 2 tune --x u.csv --y y.csv --kernel rbf --candidates candidates.csv --search $1
    err_names --search "$1" --candidates
    expect 2 tune --x u.csv --y y.csv --draws 3 --search adaptve
    err_has 'adaptive'
    expect 2 tune --x u.csv --y y.csv --draws 3 --kernel 'rbf |'
    err_names 2
    expect 2 tune --x u.csv --y y.csv --draws 3 --kernel 'rbf | linear' --range depth=int:1..2
    err_has 'depth'
}
tune_adaptive() { tune_following adaptive; }
check "tune --search adaptive: threads, --resume, several kernels" tune_adaptive

tune_cma() { tune_following cma; }
check "tune --search cma: threads, --resume, several kernels" tune_cma

# A log without further draws: the same winner as the search that wrote it.
tune_reports_log()
{
    system_with_memory 150
    local options="--x u.csv --y y.csv"
    expect 0 tune $options --draws 17 --log t.jsonl --json -o whole.safetensors
    best_of >whole.best
    cp t.jsonl kept.jsonl
    expect 0 tune $options --log t.jsonl --resume -o again.safetensors --json
    best_of >again.best
    same whole.best again.best
    valid_json out "v['draws'] == 17 and v['resumed'] == 17"
    same again.safetensors whole.safetensors
    same t.jsonl kept.jsonl
    expect 2 tune $options --log t.jsonl
    err_names --draws --budget --resume
    expect 1 tune $options --log empty.jsonl --resume
    expect 1 tune $options --folds 3 --log t.jsonl --resume
    err_has 't.jsonl, line 1'
}
check "tune --resume without draws reports the log" tune_reports_log

tune_interrupted()
{
    system_with_memory 1500
    "$VOLTERRA" tune --x u.csv --y y.csv --draws 100000 --log log.jsonl -o m.safetensors >out 2>err &
    local job=$! i status
    for ((i = 0; i < 6000; i++)); do
        [ -e log.jsonl ] && [ "$(wc -l <log.jsonl)" -ge 3 ] && break
        sleep 0.05
    done
    kill -INT $job 2>/dev/null || fail "the search was over too soon"
    wait $job
    status=$?
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    out_has '^best kernel +volterra:'
    out_has '^draws +[0-9]+.*; interrupted$'
    grep -v 'done' err >words
    mv words err
    one_line tune
    err_names draws --resume
    err_names --resume log.jsonl
    absent m.safetensors
    [ "$(tail -c 1 log.jsonl | od -An -c | tr -d ' ')" = '\n' ] || fail "the log ends in the middle of a line"
    nothing_left
}
check "Ctrl-C during tune: status 130, best result so far" tune_interrupted

tune_budget()
{
    system_with_memory 200
    expect 0 tune --x u.csv --y y.csv --budget 1 --json
    valid_json out "v['draws'] >= 1 and v['out_of_time'] and v['seconds'] < 30"
    err_names budget 1
    expect 0 tune --x u.csv --y y.csv --budget 1h --draws 5 --quiet --json
    no_err
    valid_json out "v['draws'] == 5 and not v['out_of_time']"
}
check "tune --budget ends in time and prints the expected draws" tune_budget

tune_budget_units()
{
    series 40 >x.csv
    for time in 3m 3min '3 minutes' 180 180sec '2 min 60 secs' 1h 1hr '1 hour' 0.5hours 1d 2days '1h 30 min'; do
        expect 0 tune --x x.csv --budget "$time" --draws 1 --quiet --json
        valid_json out "v['draws'] == 1 and not v['out_of_time']"
    done
    # Units mean what they say: 0.02 of a minute is over, 1.2 seconds.
    expect 0 tune --x x.csv --budget '0.02 min'
    err_names budget 1.2
}
check "tune --budget: units of time" tune_budget_units

tune_failures()
{
    series 60 >x.csv
    # Two columns make a Gram matrix of rank 2: without alpha there is no factor.
    expect 1 tune --x x.csv --kernel linear:window=1 --alpha 1e-300 --draws 3 --no-intercept --log log.jsonl \
        -o m.safetensors --plot search.svg
    no_out
    err_names 3 Cholesky pivot
    lines_of log.jsonl 3
    grep -q '"failure":"' log.jsonl || fail "the log has no reasons"
    absent m.safetensors
    absent search.svg
    # Some trials fail; the others are used.
    expect 0 tune --x x.csv --kernel linear:window=1 --range 'alpha=1e-300|0.1' --draws 12 --no-intercept --json
    valid_json out "0 < v['failed'] < 12 and v['best']['alpha'] == 0.1 and 'Cholesky failed' in v['failure']"
    expect 1 tune --x x.csv --kernel linear:window=1 --alpha 1e-300 --draws 3 --no-intercept --log log.jsonl \
        --resume
    err_names 3 Cholesky pivot
}
check "tune: some or all draws fail" tune_failures

# Two processes on one log: the second fails and nothing is lost, whether it starts or resumes.
tune_two_writers()
{
    system_with_memory 100
    local options="--x u.csv --y y.csv --race none --quiet --threads 1" job i before
    "$VOLTERRA" tune $options --draws 100000 --log log.jsonl >first 2>first.err &
    job=$!
    for ((i = 0; i < 6000; i++)); do
        [ -e log.jsonl ] && [ "$(wc -l <log.jsonl)" -ge 5 ] && break
        sleep 0.05
    done
    kill -STOP $job # it holds its lock and leaves the processor to the others
    before=$(wc -l <log.jsonl)
    volterra tune $options --draws 5 --log log.jsonl --resume
    [ "$status" -eq 1 ] || { kill -9 $job; fail "status $status, not 1, of a second process on a log"; }
    err_names log.jsonl log
    one_line tune
    volterra tune $options --draws 5 --log log.jsonl
    [ "$status" -ne 0 ] || { kill -9 $job; fail "a second search began on a log"; }
    [ "$(wc -l <log.jsonl)" -eq "$before" ] || { kill -9 $job; fail "lines of the log are gone"; }
    kill -CONT $job
    kill -INT $job
    wait $job
    # Every trial is present once, and the next run resumes.
    sed 's/.*"index":\([0-9]*\).*/\1/' log.jsonl | sort -n >numbers
    [ "$(uniq -d numbers | wc -l)" -eq 0 ] || fail "a draw is there twice"
    [ "$(wc -l <numbers)" -ge "$before" ] || fail "lines are gone"
    expect 0 tune $options --draws 5 --log log.jsonl --resume --json
    valid_json out "v['resumed'] == 5"
}
check "tune: log in use by another process" tune_two_writers

# The text of a log reaches tables, pictures and command lines: nothing of it is used unread.
tune_hostile_log()
{
    system_with_memory 80
    expect 0 tune --x u.csv --y y.csv --kernel rbf --draws 3 --log log.jsonl
    local text
    for text in 'rbf:gamma=1\nsystem(\"touch ran\")\n' 'rbf:gamma=`touch ran`' '$(touch ran)' 'rbf\u001b[2J'; do
        sed "2s/\"kernel\":\"[^\"]*\"/\"kernel\":\"$(printf %s "$text" | sed 's/[\\&/]/\\&/g')\"/" log.jsonl >bad.jsonl
        cmp -s log.jsonl bad.jsonl && fail "the log was not changed"
        expect 1 tune --x u.csv --y y.csv --kernel rbf --draws 3 --log bad.jsonl --resume --plot p.svg
        err_has 'bad.jsonl, line 2: its kernel'
        ! grep -q "$(printf '\033')" err || fail "an escape sequence reached the terminal"
        absent ran
        absent p.svg
    done
}
check "tune: a log with terminal commands is rejected with its line" tune_hostile_log
