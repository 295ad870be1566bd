# tests/cli/cases/5_identify.sh: volterra identify, from rows to a tested model.

# A filter, a function and a filter: data.csv with the columns u, y and flat, of 300 rows; test.csv of 80 rows.
identify_rows()
{
    awk "$uniform"'BEGIN {
        seeded(3); file = "data.csv"; print "u,y,flat" > file
        for (t = 0; t < 380; t++) {
            if (t == 300) { file = "test.csv"; print "u,y,flat" > file; a = b = 0 }
            u = 2 * uniform() + 2 * uniform() - 2; a = 0.6 * a + u; x = exp(3 * a); b = 0.5 * b + (x - 1) / (x + 1)
            printf "%.17g,%.17g,1\n", u, b > file
        }
    }'
}

identify_report()
{
    identify_rows
    expect 0 identify data.csv --x u --y y --draws 12 -o m.safetensors --quiet
    no_err
    lines_of out 14
    out_has '^initial state +'
    out_has '^chosen +'
    out_has '^test RMSE +'
    expect 0 identify data.csv --x u --y y --draws 12 -o again.safetensors --quiet --json --threads 2
    valid_json out "len(v['candidates']) == 6 and v['rows'] == 300 and v['train_rows'] == 240 and v['test_rows'] == 60"
    valid_json out "v['test_rmse'] < v['linear_test_rmse'] and v['fit_rows'] == 240 and not v['test_is_separate']"
    cmp m.safetensors again.safetensors || fail "the number of threads changes the model"
    valid_json out "open('command', 'w').write(v['command'].split(' ', 1)[1].replace('again', 'fitted')) > 0"
    valid_json out "open('rmse', 'w').write(repr(v['test_rmse'])) > 0"
    # The command of the report fits the same model, whose predictions have the error of the report.
    eval "set -- $(cat command)"
    expect 0 "$@" --quiet
    cmp m.safetensors fitted.safetensors || fail "the command fits another model"
    expect 0 predict m.safetensors --x data.csv:u --rows 240: -o p.csv --quiet
    expect 0 score --truth data.csv:y --truth-rows 240: --pred p.csv --json
    valid_json out "abs(v['rmse'] - $(cat rmse)) <= 1e-12"
    expect 0 explain m.safetensors
    sed 1d test.csv | cut -d, -f1 | "$VOLTERRA" stream m.safetensors >lines || fail "stream"
    lines_of lines 80
}
check "identify: report, model and the command that fits it again" identify_report

identify_test_file()
{
    identify_rows
    expect 0 identify --x data.csv:u --y data.csv:y --test test.csv --draws 2 -o m.safetensors --quiet --json
    valid_json out "v['test_is_separate'] and v['train_rows'] == 300 and v['test_washout'] == 8 and v['test_rows'] == 72"
    expect 0 identify data.csv --x u,flat --y y --draws 1 -o m.safetensors
    err_names flat constant
    expect 0 identify data.csv --x y --y u --draws 1 -o m.safetensors
    err_names --x --y
}
check "identify: a separate test, and warnings of the data check" identify_test_file

# A column of numbers named as a time: missing rows and uneven steps are named, t1 is not a time.
identify_clock()
{
    local name
    identify_rows
    for name in t 'Time (s)' t1; do
        awk -v name="$name" -F, 'NR == 1 { print name "," $0 } NR > 1 { print (NR - 2 + 5 * (NR > 101)) / 100 "," $0 }' data.csv >gap.csv
        expect 0 identify gap.csv --x u --y y --draws 1 -o m.safetensors
        if [ "$name" = t1 ]; then
            ! grep -q missing err || fail "$(cat err)"
        else
            err_names "5 rows missing" 'row 99' 'row 100' "$name = 0.99" 1.05
        fi
    done
    awk -F, 'NR == 1 { print "time," $0 } NR > 1 { print NR * NR "," $0 }' data.csv >uneven.csv
    expect 0 identify uneven.csv --x u --y y --draws 1 -o m.safetensors --json
    err_names 'steps' 'row 1'
    valid_json out "v['uneven_steps'] > 200"
}
check "identify: a clock with missing rows and uneven steps" identify_clock

# Five records of 60 rows in random order of their names; row 20 has a missing output.
identify_records()
{
    identify_rows
    awk -F, -v OFS=, 'NR == 1 { print "run", $0; next }
        { r = int((NR - 2) / 60); if (NR == 21) $2 = "NA"; print substr("zbxay", r + 1, 1), $0 }' data.csv >runs.csv
    awk -F, -v OFS=, 'NR == 1 { print "run", $0; next } { print NR < 42 ? "p" : "q", $0 }' test.csv >other.csv
    expect 1 identify runs.csv --x u --y y --series run --draws 4 -o m.safetensors
    err_names runs.csv 21 "'y'" --missing
    expect 0 identify runs.csv --x u --y y --series run --missing interpolate --draws 4 -o m.safetensors --quiet --json
    valid_json out "v['train_records'] == 4 and v['train_rows'] == 240 and v['washout'] == 3 and v['test_rows'] == 57"
    valid_json out "v['test_washout'] == 3 and v['fit_begin'] == 0"
    # Two families have nearly the same error: the commands fit both and their average.
    valid_json out "v['averaged'] == 2 and open('commands', 'w').write(v['command'].replace(' && ', '\\n') + '\\n') > 0"
    mv m.safetensors found.safetensors
    while read -r _ rest; do
        eval "set -- $rest"
        expect 0 "$@" --quiet
    done <commands
    for model in m found; do
        expect 0 predict $model.safetensors --x runs.csv:u --rows 240: -o $model.csv --quiet
    done
    cmp m.csv found.csv || fail "the commands make another model"
    # The same with sources, a part of the rows and rows dropped; the test file has two records.
    expect 0 identify --x runs.csv:u --y runs.csv:y --series runs.csv:run --rows 10:200 --missing drop --test other.csv \
        --draws 1 -o m.safetensors --quiet --json
    valid_json out "v['rows'] == 189 and v['train_records'] == 4 and v['test_rows'] == 76 and v['test_washout'] == 2"
    valid_json out "'--rows 10:200' in v['command'] and '--missing drop' in v['command']"
    expect 1 identify runs.csv --x u --y y --series run --missing drop --test test.csv --draws 1 -o m.safetensors
    err_names test.csv run
    expect 2 identify runs.csv --x u --y y --series run --missing zero --draws 1 -o m.safetensors
    err_names --missing zero
}
check "identify: records, missing values, a part of the rows, an average" identify_records

# A system that is at rest, away from the mean input, when a record starts; and a budget for one trial.
identify_initial_state()
{
    awk "$uniform"'BEGIN { seeded(1); print "run,u,y"
        for (t = 0; t < 240; t++) { if (t % 10 == 0) u = uniform(); if (t % 40 == 0) y = u; y += 0.03 * (u - y)
            print int(t / 40) "," u "," y + 0.0001 * uniform() } }' >rest.csv
    expect 0 identify rest.csv --x u --y y --series run --draws 2 -o m.safetensors --quiet --json
    valid_json out "v['initial'] == 'first' and '--initial first' in v['command']"
    identify_rows
    expect 0 identify data.csv --x u --y y --budget 0.001 -o m.safetensors --quiet --json
    valid_json out "v['initial'] == 'zero' and all(one['trials'] > 0 for one in v['candidates'] if one['linear'])"
}
check "identify: initial state and a short budget" identify_initial_state

identify_bad_input()
{
    identify_rows
    expect 1 identify data.csv --x u --y flat --draws 2 -o m.safetensors
    err_names output constant
    expect 1 identify data.csv --x flat --y y --draws 2 -o m.safetensors
    err_names inputs constant
    head -n 60 data.csv >short.csv
    expect 1 identify short.csv --x u --y y --draws 2 -o m.safetensors
    err_names 59 60
    sed '20s/^[^,]*/NA/' data.csv >gap.csv
    expect 1 identify gap.csv --x u --y y --draws 2 -o m.safetensors
    err_names gap.csv 20
    expect 2 identify data.csv --x u --y y --draws 2 --budget 3s -o m.safetensors
    err_names --draws --budget
    expect 2 identify data.csv --x u --y y --draws 2 --json -o -
    err_names --json
    expect 2 identify data.csv --y y --draws 2 -o m.safetensors
    err_names --x
    expect 1 identify data.csv --x u --y z --draws 2 -o m.safetensors
    err_names z
    [ ! -e m.safetensors ] || fail "a model was written"
    # The outputs respond after the end of the rows, and a growing output.
    awk -F, -v OFS=, "$uniform"'BEGIN { seeded(9) } NR == 1 { print; next } { print $1, uniform() - 0.5, 1 }' data.csv >late.csv
    expect 0 identify late.csv --x u --y y --draws 4 -o m.safetensors
    err_names NMSE
    awk -F, -v OFS=, 'NR == 1 { print; next } { y = 1.03 * y + $1; print $1, y, 1 }' data.csv >growing.csv
    expect 0 identify growing.csv --x u --y y --draws 4 -o m.safetensors --quiet --json
    valid_json out "0 < v['test_rmse'] < 1e300"
    head -n 101 data.csv >hundred.csv
    expect 0 identify hundred.csv --x u --y y --draws 4 -o m.safetensors --quiet --json
    valid_json out "v['train_rows'] == 80 and v['test_rows'] == 20"
}
check "identify: bad input" identify_bad_input

identify_page()
{
    identify_rows
    expect 0 identify data.csv --x u,flat --y y --draws 4 -o m.safetensors --report page.html --json
    cp out found.json
    python3 - <<'END' || fail "the page"
import html.parser, json, re

text, found = open("page.html", encoding="utf-8").read(), json.load(open("found.json"))
empty, open_tags, ids = {"meta", "br", "wbr"}, [], []

class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        ids.extend(value for name, value in attributes if name == "id")
        assert not any(name in ("src", "href") and not value.startswith("#") for name, value in attributes)
        if tag not in empty:
            open_tags.append(tag)

    def handle_endtag(self, tag):
        assert open_tags.pop() == tag

    def handle_startendtag(self, tag, attributes):
        ids.extend(value for name, value in attributes if name == "id")

Page(convert_charrefs=True).feed(text)
assert not open_tags and len(set(ids)) == len(ids)
for name in ("warnings", "simulation", "residuals", "response", "kernels", "families", "check", "ranges", "same"):
    assert name in ids, name
assert "%.6g" % found["test_rmse"] in text and "flat" in text
for one in found["candidates"]:
    assert one["nmse"] is None or "<td>%.4g</td>" % one["nmse"] in text
d = found["diagnosis"]
assert len(d["measured"]) == len(d["simulated"]) == found["test_rows"]
errors = [a[0] - b[0] for a, b in zip(d["measured"], d["simulated"])]
rmse = (sum(e * e for e in errors) / len(errors)) ** 0.5
assert abs(rmse - found["test_rmse"]) < 1e-12
assert "<td>%.4g</td>" % d["autocorrelation_bound"] in text
bins = len(d["frequencies"])
assert bins > 0 and len(d["gain"]) == len(d["phase"]) == 2 and len(d["coherence"]) == 1
assert all(len(row) == bins for name in ("gain", "phase", "coherence") for row in d[name])
assert len(d["cross_bounds"]) == 2 and all(b > 0 for b in d["cross_bounds"])
END
    # Up to three outputs are drawn.
    awk -F, -v OFS=, 'NR == 1 { print $0, "b", "c", "d"; next } { print $0, 2 * $2 + $1, $2 - $1, $2 + 3 * $1 }' data.csv >more.csv
    expect 0 identify more.csv --x u --y y,b,c --draws 1 -o m.safetensors --report three.html --quiet
    expect 0 identify more.csv --x u --y y,b,c,d --draws 1 -o m.safetensors --report four.html --quiet
    ! grep -q 'screens.*not drawn' three.html || fail "an output is missing in the plot of three"
    grep -q 'screens.*not drawn: d\.' four.html || fail "four outputs in one plot"
    PATH=/nowhere "$VOLTERRA" identify data.csv --x u --y y --draws 1 -o m.safetensors --report /dev/null --json >out 2>err ||
        fail "no diagnosis without a page"
    no_err
    valid_json out "len(v['diagnosis']['measured']) == len(v['diagnosis']['simulated']) == v['test_rows']"
    expect 2 identify data.csv --x u --y y --draws 1 -o m.safetensors --report - --json
    err_names --report --json
    expect 1 identify data.csv --x u --y y --draws 1 -o m.safetensors --report nowhere/page.html
    err_names nowhere
}
check "identify: the page has every section and the numbers of the JSON" identify_page
