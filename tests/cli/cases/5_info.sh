# tests/cli/cases/5_info.sh: contents of model files.

rows_of_info()
{
    awk 'BEGIN { print "u,y,c"; for (t = 0; t < 80; t++) { u = sin(t * t); y = 0.5 * y + u + 0.3 * u * u; print u "," y "," (u > 0 ? "up" : "down") } }' >rows.csv
}

# says TEXT...: a line of the result begins with each text
says()
{
    local text
    for text; do
        grep -qF -- "$text" <(tr -s ' ' <out) || fail "no '$text' in: $(cat out)"
    done
}

info_of_model()
{
    local version
    rows_of_info
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fir:mu=0.8 --alpha 0.25 --washout 5 -o m.safetensors
    expect 0 info m.safetensors
    no_err
    version=$("$VOLTERRA" --version)
    says 'model m.safetensors' 'kind regression' "written by $version" 'size ' 'training rows 80' 'inputs 1: u' 'outputs 1: y' \
        'kernel fir:mu=0.8' 'alpha 0.25' 'solver exact' 'washout 5' 'training RMSE 0.'
    expect 0 info m.safetensors --json
    valid_json out "v['rows'] == 80 and v['inputs'] == ['u'] and v['outputs'] == ['y'] and v['alpha'] == [0.25] and v['bytes'] == $(wc -c <m.safetensors)"
    valid_json out "v['kind'] == 'regression' and v['library'] == '${version#* }' and v['washout'] == 5 and len(v['rmse']) == 1"
    "$VOLTERRA" info - <m.safetensors >out 2>err || fail "a model on standard input: $(cat err)"
    says 'kernel fir:mu=0.8'
}
check "info: kernel, alpha, rows and names of a model" info_of_model

info_of_kinds()
{
    rows_of_info
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fading --alpha 0.01 --feedback --feedback-weight 0.5 -o fed.safetensors
    expect 0 info fed.safetensors
    says 'feedback outputs of the previous row, weight 0.5'
    expect 0 fit --x rows.csv:u --y rows.csv:c --loss logistic --alpha 1 -o class.safetensors
    expect 0 info class.safetensors
    says 'kind classifier' 'loss logistic' 'classes 2: down, up'
    expect 0 fit --x rows.csv:u,y --alpha 0.1 --solver nystrom --landmarks 20 --initial first -o series.safetensors
    expect 0 info series.safetensors
    says 'solver nystrom, 20 landmarks' 'initial input first' '(volterra continue)' 'training RMSE'
    expect 0 fit --x rows.csv:u --y rows.csv:y --alpha 0.1 -o m.safetensors
    expect 0 combine m.safetensors fed.safetensors --weights 0.25,0.75 -o sum.safetensors
    expect 0 info sum.safetensors
    says 'kind average of models' 'member 0.25 times volterra' 'member 0.75 times fading'
    expect 0 combine m.safetensors sum.safetensors --kind residual -o nested.safetensors
    expect 0 info nested.safetensors --json
    valid_json out "[m['weight'] for m in v['members']] == [1, 1] and 'alpha' not in v"
    expect 0 identify rows.csv --x u --y y --draws 5 -o system.safetensors
    expect 0 info system.safetensors
    says 'kernel ' 'alpha ' 'inputs 1: u'
    # Many names are cut.
    awk 'BEGIN { for (j = 0; j < 40; j++) printf "column%d%s", j, j < 39 ? "," : "\n"; for (t = 0; t < 30; t++) for (j = 0; j < 40; j++) printf "%g%s", sin(t * t * j), j < 39 ? "," : "\n" }' >wide.csv
    head -n 31 rows.csv >few.csv
    expect 0 fit --x wide.csv --y few.csv:y --alpha 1 -o wide.safetensors
    expect 0 info wide.safetensors
    says 'inputs 40: column0, column1' '...'
    awk 'length > 140 { exit 1 }' out || fail "a long line: $(cat out)"
}
check "info: feedback, classes, landmarks, sums, identified systems" info_of_kinds

info_of_other_files()
{
    local file
    rows_of_info
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fir --alpha 0.01 -o m.safetensors
    head -c 900 m.safetensors >short.safetensors
    sed 's/mu=0/mu=1/' m.safetensors >damaged.safetensors
    cut -d, -f1 rows.csv | head -n 9 >inputs
    "$VOLTERRA" stream m.safetensors --state s.state <inputs >out
    : >empty
    for file in short.safetensors damaged.safetensors s.state empty rows.csv missing .; do
        expect 1 info "$file"
        err_names "$file"
    done
    expect 2 info m.safetensors rows.csv
    err_names rows.csv
}
check "info: missing, damaged and other files" info_of_other_files
