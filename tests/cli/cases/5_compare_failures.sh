# tests/cli/cases/5_compare_failures.sh: a failure in a comparison affects only one row. Uses the data of
# 5_compare.sh.

compare_log_names()
{
    small_problem 80
    local long=rbf:gamma=0.00000000000000000000000000000000000000000000000000000000001
    expect 0 compare --x u.csv --y y.csv --kernel rbf:gamma=1e-3 rbf:gamma=1e+3 ${long}1 ${long}2 --draws 2 \
        --log logs --json
    cp out first
    [ "$(ls logs | wc -l)" -eq 4 ] || fail "four kernels have these logs: $(ls logs)"
    [ -s logs/01-rbf-gamma-1e-3.jsonl ] && [ -s logs/02-rbf-gamma-1e-3.jsonl ] || fail "the logs are $(ls logs)"
    expect 0 compare --x u.csv --y y.csv --kernel rbf:gamma=1e-3 rbf:gamma=1e+3 ${long}1 ${long}2 --draws 2 \
        --log logs --resume --json
    grep '"nmse"\|"kernel"' first >before
    grep '"nmse"\|"kernel"' out >after
    same before after
}
check "compare --log: kernels with similar names have separate logs" compare_log_names

# The second of three logs is unusable: two rows have results and one has an error, in every output format.
compare_bad_log()
{
    small_problem 80
    mkdir logs
    echo 'not a log' >logs/02-rbf.jsonl
    volterra compare --x u.csv --y y.csv --kernel linear rbf volterra --draws 2 --log logs --resume --quiet \
        --csv t.csv --latex t.tex --report r.html
    [ "$status" -eq 1 ] || fail "status $status, not 1"
    one_line compare
    err_names RBF logs/02-rbf.jsonl line 1 JSON
    out_has '^rbf +- +- +- +- '
    out_has '^rbf failed: logs/02-rbf.jsonl, line 1'
    out_has '^linear +[0-9.]+'
    out_has '^volterra +[0-9.]+'
    grep -q '^"*RBF"*,.*02-rbf.jsonl, line 1' t.csv || fail "the CSV has no reason: $(cat t.csv)"
    [ "$(grep -c '' t.csv)" -eq 4 ] || fail "the CSV has not all rows: $(cat t.csv)"
    grep -q 'RBF failed: logs/02-rbf.jsonl, line 1' t.tex || fail "the LaTeX table has no reason"
    grep -q 'failed: logs/02-rbf.jsonl, line 1' r.html || fail "the report has no reason"
    volterra compare --x u.csv --y y.csv --kernel linear rbf volterra --draws 2 --log logs --resume --quiet --json
    [ "$status" -eq 1 ] || fail "status $status, not 1"
    valid_json out "[r['nmse'] is None for r in v['rows']] == [False, True, False] \
        and 'line 1' in v['rows'][1]['failure'] and v['rows'][1]['best'] is None"
    [ "$(cat logs/02-rbf.jsonl)" = 'not a log' ] || fail "the log was changed"
    nothing_left
}
check "compare: a failing log fails its row only" compare_bad_log

compare_found_first()
{
    small_problem 60
    local compare="compare --x u.csv --y y.csv --kernel linear --draws 1" option
    echo old >kept
    chmod a-w kept
    mkdir closed seeds seeds/seed-2
    echo line >seeds/seed-2/01-linear.jsonl
    chmod a-w closed
    for option in report csv latex; do
        expect_bound 1 $compare --log logs --$option kept
        err_names Permission
        expect_bound 1 $compare --log logs --$option closed/new
        err_names Permission
    done
    absent logs
    expect_bound 1 $compare --log closed
    err_names Permission
    # The second sample's logs are found before the first is studied.
    expect 2 $compare --seed 1 --repeat 2 --log seeds
    err_names seeds/seed-2
    [ -z "$(ls seeds/seed-1)" ] || fail "the first sample was studied"
    [ "$(cat kept)" = old ] || fail "a protected file was written"
}
check "compare: unwritable files and folders are detected before the search" compare_found_first

compare_two_at_once()
{
    small_problem 100
    local compare="compare --x u.csv --y y.csv --kernel linear volterra --quiet --threads 1" job i
    "$VOLTERRA" $compare --budget 30s --log logs >first 2>first.err &
    job=$!
    for ((i = 0; i < 6000; i++)); do
        [ -s logs/01-linear.jsonl ] && break
        sleep 0.02
    done
    kill -STOP $job # it holds its lock and leaves the processor to the others
    volterra $compare --draws 2 --log logs --resume
    [ "$status" -eq 1 ] || { kill -9 $job; fail "status $status, not 1"; }
    err_names logs
    kill -CONT $job
    kill -INT $job
    wait $job
    expect 0 $compare --draws 2 --log logs --resume
}
check "compare: log folder in use by another comparison" compare_two_at_once
