# tests/cli/cases/4_solvers.sh: solvers of the readout (fit --solver, --landmarks).

# y remembers u.
remembering()
{
    awk "$uniform"'BEGIN { seeded(21); print "run,u,y"
        for (t = 0; t < 240; t++) { if (t % 80 == 0) p = 0
            x = uniform() - 0.5; p = x + 0.6 * p; printf "%d,%.6f,%.6f\n", t / 80, x, p * p + p } }'
}

solvers_agree()
{
    remembering >rows.csv
    expect 0 fit --x rows.csv:u --y rows.csv:y --rows :200 --alpha 1e-3 --solver exact -o e.safetensors --fitted e.csv
    expect 0 fit --x rows.csv:u --y rows.csv:y --rows :200 --alpha 1e-3 --solver nystrom --landmarks 200 \
        -o n.safetensors --fitted n.csv --json
    valid_json out "v['n'] == 200 and v['solver'] == 'nystrom' and v['landmarks'] == 200 and v['kernel_rows'] == 200"
    valid_json out "v['loo_rmse'] > 0 and v['gcv_rmse'] > 0 and v['loo_rows'] == 200"
    awk -F, 'NR == FNR { f[FNR] = $NF; next } FNR > 1 && ($NF - f[FNR]) ^ 2 > 1e-12 { exit 1 }' e.csv n.csv ||
        fail "all rows as landmarks differ from the exact fit"
    # A few landmarks: predict, stream and another reader of the file give the same results.
    expect 0 fit --x rows.csv:u --y rows.csv:y --rows :200 --solver nystrom --landmarks 64 -o m.safetensors
    out_has "nystrom: 64 landmarks"
    out_has "^R2 held out +[0-9.e-]+ .*[0-9]+ rows"
    expect 0 predict m.safetensors --x rows.csv:u --rows 200: -o p.csv
    sed -n '202,$p' rows.csv | cut -d, -f2 | "$VOLTERRA" stream m.safetensors >s.csv || fail "stream failed"
    paste -d, <(sed 1d p.csv) s.csv | awk -F, '($1 - $NF) ^ 2 > 1e-12 * (1 + $1 ^ 2) { exit 1 }' ||
        fail "a stream differs from predict"
    expect 0 predict m.safetensors --x rows.csv:u --rows 200: --interval 0.8 -o i.csv
    expect 0 explain m.safetensors --lags 3 --json
}
check "nystrom on all rows is exact; models on few rows continue" solvers_agree

landmarks_chosen()
{
    remembering >rows.csv
    fit=(fit --x rows.csv:u --y rows.csv:y --rows :200 --alpha 1e-3 --kernel linear --solver nystrom)
    expect 0 "${fit[@]}" --landmarks auto -o a.safetensors --json
    valid_json out "v['landmarks_tried'] == 200 and v['landmarks'] < 200 and v['landmarks_gain'] < 0.01 and v['landmarks_why']"
    number=$(sed -n 's/.*"landmarks": \([0-9]*\).*/\1/p' out)
    expect 0 "${fit[@]}" --landmarks "$number" -o b.safetensors --quiet
    cmp -s a.safetensors b.safetensors || fail "the model differs from the one with $number landmarks"
    expect 0 "${fit[@]}" --landmarks auto:last -o c.safetensors
    out_has "200 tried"
}
check "number of landmarks chosen by held-out errors" landmarks_chosen

landmarks_of_records()
{
    remembering >rows.csv
    expect 0 fit --x rows.csv:u --y rows.csv:y --series rows.csv:run --alpha 1e-3 --solver nystrom --landmarks 40:last \
        -o m.safetensors --json
    valid_json out "v['n'] == 240 and v['records'] == 3 and v['landmarks'] == 40"
    expect 0 predict m.safetensors --x rows.csv:u --series rows.csv:run -o p.csv
    printf '# new\n0.1\n\n0.2\n' | "$VOLTERRA" stream m.safetensors >out || fail "a stream of records failed"
    lines_of out 2
    expect 0 fit --x rows.csv:u --y rows.csv:y --alpha 1e-3 --solver nystrom --landmarks 30:random -o r.safetensors --json
    valid_json out "v['landmarks'] == 30"
}
check "landmarks of several records, the last ones, random ones" landmarks_of_records

conjugate_gradients()
{
    remembering >rows.csv
    fit=(fit --x rows.csv:u --y rows.csv:y --rows :200 --alpha 1e-3)
    expect 0 "${fit[@]}" --solver exact -o e.safetensors
    expect 0 predict e.safetensors --x rows.csv:u --rows 200: -o e.csv
    expect 0 "${fit[@]}" --solver pcg --landmarks 40 --tolerance 1e-9 -o p.safetensors --json
    valid_json out "v['n'] == 200 and v['solver'] == 'pcg' and v['landmarks'] == 40 and v['iterations'] > 0 and 0 < v['residual'] <= 1e-9"
    expect 0 predict p.safetensors --x rows.csv:u --rows 200: -o p.csv
    awk -F, 'NR == FNR { f[FNR] = $NF; next } FNR > 1 && ($NF - f[FNR]) ^ 2 > 1e-12 { exit 1 }' e.csv p.csv ||
        fail "forecasts are not those of the exact fit"
    expect 0 "${fit[@]}" --solver pcg -o q.safetensors
    out_has "pcg: "
    out_has "^R2 held out +[0-9.e-]+ .*[0-9]+ rows"
    expect 0 predict q.safetensors --x rows.csv:u --rows 200: --interval 0.8 -o i.csv
    expect 0 "${fit[@]}" --solver pcg --landmarks 2 --iterations 2 -o q.safetensors
    err_has "pcg.* 2 steps.* residual"
}
check "pcg equals the exact fit to its tolerance" conjugate_gradients

# Killed after some iterations and resumed: the model is byte-identical.
checkpoints()
{
    remembering >rows.csv
    fit=(fit --x rows.csv:u --y rows.csv:y --alpha 1e-3 --solver pcg --landmarks 4 --tolerance 1e-8)
    expect 0 "${fit[@]}" -o whole.safetensors
    expect 0 "${fit[@]}" --iterations 5 --checkpoint fit.ckpt -o some.safetensors
    [ ! -e fit.ckpt ] || fail "the checkpoint is still there"
    for round in 1 2 3; do
        "$VOLTERRA" "${fit[@]}" --checkpoint fit.ckpt --checkpoint-every 0.001s --quiet -o killed.safetensors >killed.out 2>&1 &
        process=$!
        for _ in $(seq 1000); do # until it has begun, or is done
            if [ -e fit.ckpt ] || ! kill -0 $process 2>/dev/null; then break; fi
            sleep 0.01
        done
        kill -9 $process 2>/dev/null
        wait $process 2>/dev/null
        ! grep -q 'volterra fit: ' killed.out || fail "$(cat killed.out)"
    done
    expect 0 "${fit[@]}" --checkpoint fit.ckpt -o again.safetensors
    cmp -s whole.safetensors again.safetensors || fail "the model that was gone on with is another"
    [ ! -e fit.ckpt ] || fail "the checkpoint is still there"
    echo nothing >fit.ckpt
    expect 1 "${fit[@]}" --checkpoint fit.ckpt -o again.safetensors
    err_has "fit.ckpt"
    expect 1 "${fit[@]}" --checkpoint no/where/fit.ckpt -o again.safetensors
    err_has "no/where/fit.ckpt"
    expect 1 "${fit[@]}" --checkpoint . -o again.safetensors
    err_names directory
}
check "a killed fit resumes from its checkpoint" checkpoints

bad_solvers()
{
    remembering >rows.csv
    fit=(fit --x rows.csv:u --y rows.csv:y -o m.safetensors)
    expect 2 "${fit[@]}" --solver quick
    err_has "quick"
    expect 2 "${fit[@]}" --solver pcg:depth=2
    err_has 'unknown solver "pcg:depth=2"'
    expect 2 "${fit[@]}" --solver nystrom --landmarks 0
    err_names 0
    expect 2 "${fit[@]}" --solver nystrom --landmarks many
    err_names "'many'"
    expect 2 "${fit[@]}" --solver nystrom --landmarks 10:first
    expect 2 "${fit[@]}" --solver nystrom --landmarks automatic
    err_names "'automatic'"
    expect 2 "${fit[@]}" --solver nystrom --landmarks auto:first
    expect 2 "${fit[@]}" --solver exact --landmarks auto
    err_names landmarks
    expect 2 tune --x rows.csv:u --y rows.csv:y --draws 1 --solver nystrom --landmarks auto -o m.safetensors
    err_names --landmarks
    expect 2 "${fit[@]}" --solver nystrom --landmarks -5
    expect 2 "${fit[@]}" --solver exact --landmarks 10
    err_names landmarks
    expect 2 "${fit[@]}" --solver exact --checkpoint x
    err_names checkpoint
    expect 2 "${fit[@]}" --solver nystrom --iterations 5
    err_names iterations
    expect 2 "${fit[@]}" --solver pcg --iterations 0
    expect 2 "${fit[@]}" --solver pcg --tolerance 1
    expect 2 "${fit[@]}" --solver pcg --checkpoint m.safetensors
    expect 2 "${fit[@]}" --solver pcg --landmarks 1000
    err_has 'landmarks must be .*got 1000'
    expect 2 "${fit[@]}" --solver nystrom --landmarks 241
    err_names landmarks 241 1 240
    expect 2 "${fit[@]}" --solver nystrom --loss huber:delta=1
    err_has "nystrom"
    expect 2 "${fit[@]}" --solver nystrom --keep-factor
    expect 2 "${fit[@]}" --solver features
    err_has "explicit states"
    absent m.safetensors
    expect 0 fit --x rows.csv:u --y rows.csv:y --solver nystrom --landmarks 20 -o m.safetensors
    "$VOLTERRA" stream m.safetensors --learn </dev/null >out 2>err && fail "a learner went on from landmarks"
    err_has "landmarks"
}
check "invalid solvers and landmarks are rejected" bad_solvers

# ---- searches -----------------------------------------------------------------------------------

search_on_landmarks()
{
    remembering >rows.csv
    tune=(tune --x rows.csv:u --y rows.csv:y --rows :200 --kernel memory --draws 6 --seed 3 --json)
    expect 0 "${tune[@]}" --solver nystrom --landmarks 30 --log all.jsonl -o m.safetensors
    cp out first.json
    valid_json first.json "v['solver'] == 'nystrom' and v['landmarks'] == 30 and v['draws'] == 6"
    valid_json first.json "'--solver nystrom' in v['command'] and '--landmarks 30 ' in v['command']"
    expect 0 fit --x rows.csv:u --y rows.csv:y --rows :200 --kernel "$(awk -F'"' '/"kernel"/ { print $4; exit }' first.json)" \
        --alpha "$(awk -F'[ ,]+' '/"alpha"/ { print $3; exit }' first.json)" --solver nystrom --landmarks 30 -o f.safetensors
    cmp -s m.safetensors f.safetensors || fail "the winner is not what fit makes of it"
    # Logs can be resumed, and are not mixed with those of another solver.
    head -n 3 all.jsonl >some.jsonl
    expect 0 "${tune[@]}" --solver nystrom --landmarks 30 --log some.jsonl --resume
    valid_json out "v['resumed'] == 3 and v['best'] == json.load(open('first.json'))['best']"
    expect 1 "${tune[@]}" --log some.jsonl --resume
    expect 1 "${tune[@]}" --solver nystrom --landmarks 29 --log some.jsonl --resume
    for score in nmse mse loo gcv; do
        expect 0 "${tune[@]}" --solver nystrom --landmarks 30:last --score $score
    done
    expect 0 tune --x rows.csv:u --y rows.csv:y --series rows.csv:run --kernel memory --draws 2 --solver nystrom --landmarks 20 --verbose
    out_has "^solver +nystrom: 20 landmarks"
    out_has "--landmarks 20"
    expect 0 tune --x rows.csv:u --y rows.csv:y --kernel 'fir + memory:pole=?' --feedback --draws 4 --solver nystrom \
        --landmarks 20 -o fed.safetensors
    expect 0 predict fed.safetensors --x rows.csv:u --rows 200: -o p.csv
}
check "a search on landmarks: logs, scores, records, feedback" search_on_landmarks

bad_search_solvers()
{
    remembering >rows.csv
    tune=(tune --x rows.csv:u --y rows.csv:y --kernel memory --draws 3)
    expect 2 "${tune[@]}" --solver nystrom --landmarks 41
    err_names landmarks 41 1 40
    expect 2 "${tune[@]}" --solver nystrom --landmarks 36 --washout 5
    err_has "1 to 35"
    expect 2 "${tune[@]}" --solver exact --landmarks 10
    err_names landmarks
    expect 2 "${tune[@]}" --solver features
    err_has "features"
    expect 2 "${tune[@]}" --solver nystrom --score evidence
    err_names exact
    expect 2 "${tune[@]}" --solver nystrom --score prequential
    err_has "prequential"
    expect 2 "${tune[@]}" --solver nystrom --loss huber:delta=1
    err_has "nystrom"
    expect 2 "${tune[@]}" --solver nystrom --landmarks 3.5
    err_names --landmarks "'3.5'"
}
check "invalid solvers of searches are rejected" bad_search_solvers

plan_of_solvers()
{
    [ "$sanitized" = no ] || skip "the plan of what fits runs the same code"
    expect 0 plan --n 5000 --d 2 --q 1 --kernel esn:size=20 --landmarks 1000 --json
    valid_json out "v['solvers'][2]['name'] == 'features' == v['solver'] and v['solvers'][1]['landmarks'] == 1000"
    valid_json out "v['solvers'][1]['error'] == 0.19 and v['solvers'][1]['noise_free_error'] == 0.44"
    expect 2 plan --n 300 --d 2 --landmarks 301
    err_names landmarks 301 1 300
    expect 2 plan --n 300 --d 2 --landmarks 0
}
check "plan shows every solver" plan_of_solvers

plan_of_a_search()
{
    expect 0 plan --n 60000 --d 2 --draws 10 --max-train 500 --folds 3 --solver exact --json
    valid_json out "v['search']['draws'] == 10 and v['search']['solver'] == 'exact' and v['search']['rows'] == 15500"
    valid_json out "v['search']['bytes'] > 0 and abs(v['search']['seconds'] - 10 * v['search']['draw_seconds']) < 1e-9 * v['search']['seconds']"
    valid_json out "'why' not in v['search']" # the solver was given
    expect 0 plan --n 60000 --d 2 --draws 10 --json
    valid_json out "v['search']['solver'] == 'nystrom' and v['search']['why'] and v['search']['landmarks'] == 2000"
    expect 0 plan --n 60000 --d 2 --draws 10
    out_has "^search solver +nystrom with 2000 landmarks"
    expect 2 plan --n 300 --d 2 --folds 3
    err_names --draws N
    expect 2 plan --n 300 --d 2 --draws 10 --folds 400
    err_names 300 rows 400 folds
    expect 2 plan --n 300 --d 2 --draws 10 --solver nystrom --landmarks 200
    err_has "1 to 50"
    expect 2 plan --n 300 --d 2 --draws 10 --max-train 100 --rolling
    err_names rolling
}
check "plan shows a search" plan_of_a_search
