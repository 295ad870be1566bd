# tests/cli/cases/5_tune_given_up.sh: searches in which no trial has a score and not all failed. Sourced by
# run.sh.

# Stopped trials have no failure message: the error is reported without one.
only_given_up()
{
    series 80 1 >x.csv
    expect 0 tune --x x.csv --kernel rbf --draws 1 --folds 3 --log whole.log
    sed -E 's/"folds":\[([^],]*),[^]]*\],"score":[^,]*/"folds":[\1],"score":\1/; s/"stopped":null/"stopped":1/' whole.log >t.log
    cmp -s whole.log t.log && fail "the log was not changed: $(cat t.log)"
    expect 1 tune --x x.csv --kernel rbf --draws 1 --folds 3 --log t.log --resume
    err_names 1 score
    no_out
}
check "tune reports that every draw was stopped" only_given_up

# The first trial was stopped, the second failed: the reason of the second is reported.
given_up_and_failed()
{
    series 80 1 >x.csv
    expect 0 tune --x x.csv --kernel rbf --draws 2 --folds 3 --log whole.log
    sed -E '/"index":0/ { s/"folds":\[([^],]*),[^]]*\],"score":[^,]*/"folds":[\1],"score":\1/; s/"stopped":null/"stopped":1/ }
        /"index":1/ { s/"folds":\[[^]]*\]/"folds":[]/; s/"score":[^,]*/"score":null/
            s/"failure":null/"failure":"the moon was full"/ }' whole.log >t.log
    expect 1 tune --x x.csv --kernel rbf --draws 2 --folds 3 --log t.log --resume
    err_names 1 2
}
check "tune reports the first failure" given_up_and_failed

# Warnings about a whole search: a model worse than a constant, and a budget below one candidate.
tune_warnings()
{
    awk "$uniform"'BEGIN { seeded(3); print "u,y"; for (t = 0; t < 60; t++) print uniform() "," (t % 2 ? t : -t) }' >noise.csv
    expect 0 tune --x noise.csv:u --y noise.csv:y --kernel 'rbf:window=1' --alpha 1e-8 --draws 2 -o m.safetensors --json
    valid_json out "v['best']['score'] < 0"
    err_names m.safetensors
    system_with_memory 4000
    volterra tune --x u.csv --y y.csv --kernel memory --budget 0.01s
    err_names expected budget 0.01
}
check "tune: warnings about a poor model and a short budget" tune_warnings
