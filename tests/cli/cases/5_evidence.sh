# tests/cli/cases/5_evidence.sh: tune with the evidence and with leave-one-out errors, and the output of fit.

# driven N SEED: u.csv and y.csv, a filtered input through a square
driven()
{
    awk -v n="$1" -v seed="$2" "$uniform"'BEGIN {
        seeded(seed); print "u" >"u.csv"; print "y" >"y.csv"
        for (t = 0; t < n; t++) {
            u = 2 * uniform() - 1; past = 0.6 * past + u
            printf "%.10g\n", u >"u.csv"
            printf "%.10g\n", past + 0.3 * past * past + 0.05 * (uniform() - 0.5) >"y.csv"
        }
    }'
}

# winner, winner_field NAME: the best draw out of the JSON in `out`, and one field of it without quotes
winner() { sed -n '/"best": {/,/}/p' out; }
winner_field() { winner | sed -n 's/^    "'"$1"'": "\{0,1\}\([^"]*[^",]\)"\{0,1\},\{0,1\}$/\1/p'; }

# evidence is another word for log, and the winner's evidence is what fit reports of it.
tune_evidence()
{
    driven 90 1
    for score in log evidence; do
        expect 0 tune --x u.csv --y y.csv --kernel memory --draws 8 --score $score --seed 2 --json
        winner >$score.out
    done
    cmp log.out evidence.out || fail "log and evidence differ"
    valid_json out "v['score'] == 'log' and len(v['best']['folds']) == 1"
    kernel=$(winner_field kernel)
    alpha=$(winner_field alpha)
    score=$(winner_field score)
    expect 0 fit --x u.csv --y y.csv --kernel "$kernel" --alpha "$alpha" -o m.safetensors --json
    valid_json out "abs(v['log_likelihood'] - $score) < 1e-9 * (1 + abs($score))"
    expect 0 fit --x u.csv --y y.csv --kernel "$kernel" --alpha "$alpha" --verbose -o m.safetensors
    out_has '^log likelihood +-?[0-9.]+$'
    # Alpha chosen: defined for a level, but not for a kept naive forecast.
    expect 0 fit --x u.csv --y y.csv --kernel "$kernel" -o m.safetensors --json
    valid_json out "v['log_likelihood'] <= $score + 50 and v['alpha_chosen']"
}
check "tune --score evidence is the log score, and fit reports the same figure" tune_evidence

tune_left_out()
{
    driven 60 3
    for score in loo gcv; do
        expect 0 tune --x u.csv --y y.csv --kernel memory --draws 12 --score $score --log $score.jsonl --json
        valid_json out "v['score'] == '$score' and 0 < v['best']['score'] < 1 and all(b['skill'] is None for b in v['baselines'])"
        expect 0 tune --x u.csv --y y.csv --kernel memory --score $score --log $score.jsonl --resume --json
        valid_json out "v['score'] == '$score' and v['resumed'] == 12"
    done
    expect 2 tune --x u.csv --y y.csv --draws 3 --score loo --start reset
    err_names score reset
    expect 2 tune --x u.csv --y y.csv --score evidence --draws 3 --gap 2
    err_names score log gap
    expect 2 tune --x u.csv --y y.csv --score evidence --draws 3 --search climb
    err_names --search 'random|adaptive|cma' "'climb'"
}
check "tune --score loo and gcv: the lowest is best" tune_left_out
