# tests/cli/cases/5_feedback.sh: models with output feedback (--feedback).

# The golden file as CSV: train.csv, test.csv, and what free runs on the latter give, continued and warmed up.
golden_feedback()
{
    command -v python3 >/dev/null || skip "there is no python3"
    python3 - "$here/../reference/m2_feedback.json" <<'PY'
import json, sys
g = json.load(open(sys.argv[1]))
n = g["train_rows"]
rows = [f"{x[0]!r},{y!r}" for x, y in zip(g["x"], g["y"])]
open("train.csv", "w").write("\n".join(["u,y"] + rows[:n]) + "\n")
open("test.csv", "w").write("\n".join(["u,y"] + rows[n:n + len(g["simulated_continue"])]) + "\n")
open("continued", "w").write("\n".join(map(repr, g["simulated_continue"])) + "\n")
open("warmed", "w").write("\n".join(map(repr, g["simulated_reset_after_warm_up"])) + "\n")
PY
}
golden_fit=(--kernel '5*fir:mu=0.3,corr=0 + fading:gamma=0.5,rho=0.3' --alpha 1e-4 --no-scale --feedback --feedback-weight 2.5)

feedback_golden()
{
    golden_feedback
    expect 0 fit --x train.csv:u --y train.csv:y "${golden_fit[@]}" -o m.safetensors --json
    valid_json out "v['feedback_weight'] == 2.5 and v['feedback'] is False and v['columns'] == 2 and v['d'] == 1"
    expect 0 predict m.safetensors --x test.csv:u -o free.csv
    near <(sed 1d free.csv) continued 1e-6
    expect 0 predict m.safetensors --x test.csv:u --start reset --known test.csv:y --warm-up 8 -o warm.csv
    near <(sed 1d warm.csv) warmed 1e-6
    # Columns of the model's outputs are found by name.
    expect 0 predict m.safetensors --x test.csv:u --start reset --known test.csv --warm-up 8 -o named.csv
    cmp warm.csv named.csv || fail "--known does not find its column by name"
    # One step ahead the fitted values come out again.
    expect 0 fit --x train.csv:u --y train.csv:y "${golden_fit[@]}" -o m.safetensors --fitted fitted.csv
    expect 0 predict m.safetensors --x train.csv:u --start reset --known train.csv:y -o steps.csv
    near steps.csv fitted.csv 1e-6
    # A stream feeds its own outputs back, also from a state.
    sed 1d test.csv | cut -d, -f1 | head -n 15 | "$VOLTERRA" stream m.safetensors --state s >one || fail "stream"
    sed 1d test.csv | cut -d, -f1 | tail -n +16 | "$VOLTERRA" stream m.safetensors --state s >two || fail "stream --state"
    cat one two | cmp - <(sed 1d free.csv) || fail "a stream differs from predict"
    # With --known the measured outputs are fed back; a missing one is replaced by the prediction of the stream.
    expect 0 predict m.safetensors --x test.csv:u --known test.csv:y -o steps.csv
    rm s
    sed 1d test.csv | head -n 15 | "$VOLTERRA" stream m.safetensors --known --state s >one || fail "stream --known"
    sed 1d test.csv | tail -n +16 | "$VOLTERRA" stream m.safetensors --known --state s >two || fail "stream --known --state"
    cat one two | cmp - <(sed 1d steps.csv) || fail "stream --known differs from predict --known"
    sed 1d test.csv | sed 's/,.*/,NA/' | "$VOLTERRA" stream m.safetensors --known >free || fail "stream --known, NA"
    cmp free <(sed 1d free.csv) || fail "outputs that are not known are not the stream's own"
    sed 1d test.csv | "$VOLTERRA" stream m.safetensors --known --interval 0.9 >out || fail "stream --known --interval"
    cut -d, -f1 out | cmp - <(sed 1d steps.csv) || fail "--interval changes the forecasts"
    expect 2 stream m.safetensors --known --learn <test.csv
    err_names --known --learn
    expect 0 fit --x train.csv:u --y train.csv:y --kernel fading --alpha 1e-4 -o plain.safetensors
    expect 2 stream plain.safetensors --known <test.csv
    err_names --known --feedback
}
check "feedback: golden values with fit, predict and stream" feedback_golden

feedback_searches()
{
    golden_feedback
    expect 0 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --draws 8 --folds 3 --log log --json -o best.safetensors
    valid_json out "0.1 <= v['best']['feedback'] <= 100 and ' --feedback --feedback-weight ' in v['command']"
    grep -q '"feedback":' log || fail "the log does not say the weight"
    # The command that it prints makes the same model.
    cp best.safetensors kept
    python3 -c 'import json, sys; print(json.load(open("out"))["command"].replace("volterra", sys.argv[1], 1))' "$VOLTERRA" >"command"
    sh ./command >/dev/null || fail "the command of the result fails"
    cmp best.safetensors kept || fail "the command makes another model"
    # A log can be resumed, and includes the weight.
    expect 0 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --draws 10 --folds 3 --log log --resume --json
    valid_json out "v['resumed'] == 8 and v['draws'] == 10"
    cp out whole
    expect 0 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --folds 3 --log log --resume --json
    valid_json out "v['best'] == json.load(open('whole'))['best']"
    # Another validation method is another search; a given weight is not drawn.
    expect 1 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --validate one-step --draws 10 --folds 3 --log log --resume
    err_has 'another search'
    expect 0 tune --x train.csv:u --y train.csv:y --kernel 'fading | linear' --feedback --feedback-weight 3 --search adaptive \
        --draws 70 --folds 2 --json
    valid_json out "v['best']['feedback'] == 3"
    printf 'gamma,rho,alpha,feedback\n1,0.3,1e-4,2\n2,0.2,auto,0.5\n' >c.csv
    expect 0 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --candidates c.csv --folds 3 --json
    valid_json out "v['best']['feedback'] in (2, 0.5) and v['draws'] == 2"
    expect 0 tune --x train.csv:u --y train.csv:y --kernel fading --feedback --candidates c.csv --folds 3 --verbose
    out_has '^feedback weight +(2|0\.5)$'
}
check "feedback: searches draw the weight, log it and fit with it" feedback_searches

feedback_of_records()
{
    golden_feedback
    awk -F, -v OFS=, 'NR == 1 { print "run", $0; next } { print (NR <= 50 ? "a" : "b"), $0 }' train.csv >runs.csv
    expect 0 fit --x runs.csv:u --y runs.csv:y --series runs.csv:run "${golden_fit[@]}" -o m.safetensors
    expect 0 predict m.safetensors --x runs.csv:u --series runs.csv:run --known runs.csv:y --warm-up 5 -o both.csv
    # Each record runs independently.
    expect 0 predict m.safetensors --x runs.csv:u --rows 49: --start reset --known runs.csv:y --warm-up 5 -o second.csv
    cmp <(tail -n 71 both.csv | cut -d, -f2) <(sed 1d second.csv) || fail "the second record differs from a run of its own"
    expect 2 predict m.safetensors --x runs.csv:u --series runs.csv:run --known runs.csv:y --warm-up 50
    err_names 50 rows row 1 49
    expect 0 tune --x runs.csv:u --y runs.csv:y --series runs.csv:run --kernel fading --feedback --draws 2 --folds 1 --folds-by records
}
check "feedback: every record begins with zero outputs" feedback_of_records

feedback_diverges()
{
    awk 'BEGIN { print "u,y"; y = 0; for (t = 0; t < 40; t++) { u = (t % 3) - 1; y = 1.5 * y + u; if (t < 12) printf "%d,%.17g\n", u, y } }' >grow.csv
    awk 'BEGIN { print "u"; for (t = 0; t < 40; t++) print 1 }' >ones.csv
    expect 0 fit --x grow.csv:u --y grow.csv:y --kernel linear --alpha 1e-9 --no-scale --feedback -o m.safetensors
    expect 0 predict m.safetensors --x ones.csv -o bounded.csv
    err_names output 1 row bounded
    row=$(sed -n 's/.*output 1 of row \([0-9]*\) .*/\1/p' err)
    # The rows before it are those of a shorter run, which has no warning; the rows from it on are at one bound.
    head -n "$row" ones.csv >shorter.csv
    expect 0 predict m.safetensors --x shorter.csv -o before.csv
    [ ! -s err ] || fail "a run inside the bounds warns: $(cat err)"
    cmp before.csv <(head -n "$row" bounded.csv) || fail "the rows before the bound differ"
    [ "$(wc -l <bounded.csv)" = 41 ] || fail "rows are missing"
    [ "$(tail -n +"$((row + 1))" bounded.csv | sort -u | wc -l)" = 1 ] || fail "the outputs are not bounded"
    expect 1 predict m.safetensors --x ones.csv -o out.csv --beyond error
    err_names row
    [ ! -e out.csv ] || fail "a run that fails left a file"
    # Without a previous output, the run starts from a value that was not measured.
    expect 0 predict m.safetensors --x shorter.csv --start reset -o reset.csv
    err_names --known --warm-up row 1
    expect 0 predict m.safetensors --x grow.csv:u --start reset --known grow.csv:y --warm-up 3 -o reset.csv
    [ ! -s err ] || fail "a warm-up warns: $(cat err)"
    # In a search it is a draw that failed, with the reason in the log.
    printf 'alpha,feedback\n1e-9,1\n' >c.csv
    awk 'BEGIN { print "u,y"; y = 0; for (t = 0; t < 40; t++) { u = (t % 3) - 1; y = 2 * y + u; printf "%d,%.17g\n", u, y } }' >grow.csv
    expect 1 tune --x grow.csv:u --y grow.csv:y --kernel linear --no-scale --feedback --candidates c.csv --folds 2 --log log
    grep -q 'the free run diverges' log || fail "$(cat log)"
}
check "feedback: runs that diverge are bounded" feedback_diverges

bad_feedback()
{
    golden_feedback
    expect 0 fit --x train.csv:u --y train.csv:y "${golden_fit[@]}" -o m.safetensors
    expect 0 fit --x train.csv:u --y train.csv:y --alpha 1 -o plain.safetensors
    expect 2 fit --x train.csv:u --feedback -o x
    err_has '--feedback, --y, --ahead'
    expect 2 fit --x train.csv:u --y train.csv:y --feedback --ahead 1 -o x
    err_has 'ahead must be 0.*--feedback, --y, --ahead'
    expect 2 fit --x train.csv:u --y train.csv:y --feedback-weight 2 -o x
    err_names --feedback
    for weight in 0 -1 nan inf; do
        expect 2 fit --x train.csv:u --y train.csv:y --feedback --feedback-weight "$weight" -o x
        err_has '--feedback-weight'
    done
    sed '5s/,.*/,NA/' train.csv >holes.csv
    expect 1 fit --x holes.csv:u --y holes.csv:y --missing drop --feedback --alpha 1 -o x
    err_names target 1 row 4 feedback
    sed '$s/,.*/,NA/' train.csv >open.csv
    expect 0 fit --x open.csv:u --y open.csv:y --missing drop --feedback --alpha 1 -o open.safetensors
    expect 2 predict open.safetensors --x test.csv:u
    err_names target
    expect 0 predict open.safetensors --x test.csv:u --start reset

    expect 2 predict plain.safetensors --x test.csv:u --known test.csv:y
    err_names --known --feedback
    expect 2 predict m.safetensors --x test.csv:u --warm-up 3
    err_names --known
    expect 2 predict m.safetensors --x test.csv:u --known test.csv:y --warm-up 41
    err_names 41 rows
    expect 1 predict m.safetensors --x test.csv:u --known train.csv:y
    err_names 120 rows
    sed 's/^u,y/a,b/' test.csv >other.csv
    expect 1 predict m.safetensors --x test.csv:u --known other.csv
    err_names other.csv 2 columns 1 "'y'"
    sed '4s/,.*/,/' test.csv >holes.csv
    expect 1 predict m.safetensors --x test.csv:u --known holes.csv:y
    err_names output 1 row 3
    expect 0 predict m.safetensors --x test.csv:u --known holes.csv:y --warm-up 2
    expect 2 predict m.safetensors --x test.csv:u --interval 0.9
    err_names --known
    expect 2 continue m.safetensors --steps 3
    err_names m.safetensors --feedback

    expect 2 tune --x train.csv:u --y train.csv:y --draws 2 --validate one-step
    err_names --validate --feedback
    expect 2 tune --x train.csv:u --y train.csv:y --draws 2 --feedback --score log
    err_names --validate
    expect 2 tune --x train.csv:u --y train.csv:y --draws 2 --range feedback=2
    err_has 'no feedback'
    expect 2 tune --x train.csv:u --y train.csv:y --draws 2 --feedback --feedback-weight 2 --range feedback=3
    err_names feedback
    printf 'gamma,alpha\n1,1\n' >c.csv
    expect 2 tune --x train.csv:u --y train.csv:y --kernel rbf --feedback --candidates c.csv
    err_names column feedback
    expect 2 tune --x train.csv:u --feedback --draws 2
    err_has '--feedback, --y, --ahead'
    expect 2 compare --x train.csv:u --y train.csv:y --feedback --draws 2
    err_has '--feedback'
}
check "feedback: unsupported options" bad_feedback
