# tests/cli/cases/6_benchmark.sh: the published tables of system identification, on made-up data in their layouts.
#
# Rows that belong to no part are empty cells: reading one of them would be an error.

# wh_layout: sysid/wiener_hammerstein.csv
wh_layout()
{
    mkdir -p sysid
    awk 'BEGIN {
        print "\"uBenchMark\",\"yBenchMark\",\"fs\","
        for (t = 0; t < 188000; t++) {
            u = sin(0.37 * t) * cos(0.013 * t) + 0.4 * sin(0.0007 * t * t)
            y = 0.6 * y + 0.4 * u + 0.05 * u * u
            if (t < 5200 || t >= 184000) print ",,,"
            else printf "%.7g,%.7g,,\n", u, y
        }
    }' >sysid/wiener_hammerstein.csv
}

# silverbox_layout: sysid/SNLS80mV.csv
silverbox_layout()
{
    mkdir -p sysid
    awk 'BEGIN {
        print "\"V1\",\"V2\","
        for (t = 0; t < 128000; t++) {
            u = 0.1 * sin(0.31 * t) * cos(0.017 * t)
            y = 0.5 * y + 0.5 * u
            if (t < 100 || (t >= 40575 && t < 40650) || t >= 127400) print ",,"
            else printf "%.7g,%.7g,\n", u, y
        }
    }' >sysid/SNLS80mV.csv
}

# tanks_layout: sysid/cascaded_tanks.csv, four columns and a sampling time in the first row alone
tanks_layout()
{
    mkdir -p sysid
    awk 'BEGIN {
        print "\"uEst\",\"uVal\",\"yEst\",\"yVal\",\"Ts\","
        for (t = 0; t < 1024; t++) {
            u = 3 + sin(0.05 * t) + sin(0.021 * t * (1 + t / 1000)); v = 3 + sin(0.043 * t) + sin(0.03 * t * (1 + t / 1000))
            y = 0.9 * y + 0.1 * u; z = 0.9 * z + 0.1 * v
            printf "%.7g,%.7g,%.7g,%.7g,%s,\n", u, v, y, z, t ? "" : "4"
        }
    }' >sysid/cascaded_tanks.csv
}

# rmse_of FILE FIRST END FACTOR: of the columns measured and simulated, rows FIRST <= t < END
rmse_of()
{
    awk -F, -v a="$2" -v b="$3" -v f="$4" 'NR > 1 && NR - 2 >= a && NR - 2 < b { s += ($3 - $2)^2; n++ }
        END { printf "%.12g", f * sqrt(s / n) }' "$1"
}

# row_is NUMBER DATASET AFTER VALUE: what --json has in that row of the table, to rounding
row_is()
{
    valid_json out "v['rows'][$1]['dataset'] == '$2' and v['rows'][$1]['measure'] == 'rmse after $3 rows'"
    valid_json out "abs(v['rows'][$1]['value'] / $4 - 1) < 1e-9"
}

# run_commands: the commands of `out` do the same by hand; figures go to `figures`
run_commands()
{
    python3 -c '
import json, subprocess, sys
program, json_file = sys.argv[1:]
for setting in json.load(open(json_file))["settings"]:
    for line in setting["commands"]:
        words = subprocess.check_output(["bash", "-c", "for w in " + line + "; do printf \"%s\\0\" \"$w\"; done"])
        words = words.decode().split("\0")[1:-1]
        if words[0] == "score":
            print(json.loads(subprocess.check_output([program] + words + ["--json"]))["rmse"])
        else:
            subprocess.check_output([program] + words)' "$VOLTERRA" out >figures 2>err || fail "a command fails"
}

benchmark_tanks()
{
    tanks_layout
    expect 0 benchmark sysid --quiet --data sysid --only tanks --rows 300 --json -o t
    no_err
    lines_of t-tanks-validation.csv 1025
    [ "$(head -n 1 t-tanks-validation.csv)" = input,measured,simulated,error ] || fail "other columns"
    cut -d, -f1,2 t-tanks-validation.csv | tail -n +2 >simulated
    tail -n +2 sysid/cascaded_tanks.csv | cut -d, -f2,4 >measured
    near simulated measured 1e-12
    row_is 0 "Cascaded Tanks" 5 "$(rmse_of t-tanks-validation.csv 5 1024 1)"
    row_is 1 "Cascaded Tanks" 50 "$(rmse_of t-tanks-validation.csv 50 1024 1)"
    valid_json out "v['benchmark'] == 'sysid' and [r['unit'] for r in v['rows']] == ['V', 'V']"
    valid_json out "{'method': 'GRU', 'value': 0.396} in v['rows'][0]['published'] and v['rows'][1]['published'] == []"
    valid_json out "len(v['rows'][0]['published']) == 16 and all(p['value'] > 0 for p in v['rows'][0]['published'])"
    valid_json out "'2405.10779' in v['published_source']"
    valid_json out "v['settings'][0]['preset'] == 'tanks-1' and v['settings'][0]['n'] == 300"
    valid_json out "v['settings'][0]['set'] == 'tanks' and v['settings'][0]['file'] == 'sysid/cascaded_tanks.csv'"
    grep -q 'GRU' t.html || fail "the page has no published figures"
    ids_are_there t.html
    cp t-tanks-validation.csv first.csv

    # The same by hand.
    command -v python3 >/dev/null || return 0
    run_commands
    valid_json out "all(abs(r['value'] / float(f) - 1) < 1e-9 for r, f in zip(v['rows'], open('figures')))"

    # The simulation sees no measured output of the test.
    awk -F, -v OFS=, 'NR > 1 { $4 = 7 } 1' sysid/cascaded_tanks.csv >other && mv other sysid/cascaded_tanks.csv
    expect 0 benchmark sysid --quiet --data sysid --preset tanks-1 --rows 300 -o t
    cut -d, -f3 first.csv >a
    cut -d, -f3 t-tanks-validation.csv >b
    same a b
    out_has '^volterra +[0-9.]+ +[0-9.]+$'
    out_has '^GRU +0\.396 +-$'
    out_has '^volterra score --truth sysid/cascaded_tanks\.csv:yVal --pred tanks-validation\.csv --truth-rows 50:1024 '
}
check "benchmark: tanks, split, scores, JSON, the same by hand" benchmark_tanks

# mat_file FILE ROWS_OR_COLUMNS CSV: the columns of a CSV as variables of a MAT file of version 5
mat_file()
{
    python3 -c '
import struct, sys
path, shape, csv = sys.argv[1:]
rows = [line.strip().split(",") for line in open(csv)]
names = [n.strip("\"") for n in rows[0] if n.strip("\"")]
def part(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
with open(path, "wb") as out:
    out.write(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM")
    for j, name in enumerate(names):
        values = [float(r[j]) for r in rows[1:] if r[j]]
        dims = (1, len(values)) if shape == "rows" else (len(values), 1)
        body = part(6, struct.pack("<II", 6, 0)) + part(5, struct.pack("<ii", *dims)) + part(1, name.encode())
        body += part(9, struct.pack("<%dd" % len(values), *values))
        out.write(part(14, body))' "$@"
}

benchmark_mat()
{
    command -v python3 >/dev/null || skip "there is no python3 to write a MAT file"
    tanks_layout
    expect 0 benchmark sysid --quiet --data sysid --only tanks --rows 200 --json
    cp out first
    for shape in rows columns; do
        mkdir -p $shape/CascadedTanksFiles
        mat_file $shape/CascadedTanksFiles/dataBenchmark.mat $shape sysid/cascaded_tanks.csv
        expect 0 benchmark sysid --quiet --data $shape --only tanks --rows 200 --json
        valid_json out "[r['value'] for r in v['rows']] == [r['value'] for r in __import__('json').load(open('first'))['rows']]"
    done
}
check "benchmark: the original MAT file gives the figures of the CSV" benchmark_mat

benchmark_wh()
{
    [ "$sanitized" = no ] || skip "it is numbers, which the plain pass has checked"
    wh_layout
    expect 0 benchmark sysid --quiet --data sysid --only wh --rows 40 --json -o t
    no_err
    lines_of t-wh-test.csv 78801
    sed -n 105202p sysid/wiener_hammerstein.csv | cut -d, -f1,2 >a
    sed -n 2p t-wh-test.csv | cut -d, -f1,2 >b
    near a b 1e-12
    row_is 0 Wiener-Hammerstein 50 "$(rmse_of t-wh-test.csv 50 78800 1000)"
    valid_json out "v['rows'][0]['unit'] == 'mV' and {'method': 'LSTM', 'value': 4.45} in v['rows'][0]['published']"
    valid_json out "5200 <= v['settings'][0]['first_row'] and len(v['rows']) == 1"
}
check "benchmark: Wiener-Hammerstein, split and score" benchmark_wh

benchmark_silverbox()
{
    [ "$sanitized" = no ] || skip "it is numbers, which the plain pass has checked"
    silverbox_layout
    expect 0 benchmark sysid --quiet --data sysid --only silverbox --rows 40 --json -o t
    no_err
    lines_of t-silverbox-multisine.csv 21689
    lines_of t-silverbox-arrow.csv 40476
    sed -n 105714p sysid/SNLS80mV.csv | cut -d, -f1,2 >a
    sed -n 2p t-silverbox-multisine.csv | cut -d, -f1,2 >b
    near a b 1e-12
    sed -n 102p sysid/SNLS80mV.csv | cut -d, -f1,2 >a
    sed -n 2p t-silverbox-arrow.csv | cut -d, -f1,2 >b
    near a b 1e-12
    row_is 0 "Silverbox multisine" 50 "$(rmse_of t-silverbox-multisine.csv 50 21688 1000)"
    row_is 1 "Silverbox arrow" 50 "$(rmse_of t-silverbox-arrow.csv 50 40475 1000)"
    row_is 2 "Silverbox arrow, no extrapolation" 50 "$(rmse_of t-silverbox-arrow.csv 50 32000 1000)"
    valid_json out "v['settings'][0]['feedback_weight'] > 0 and v['settings'][0]['warm_up'] == 50"
    valid_json out "v['settings'][0]['first_row'] >= 40650"
    valid_json out "v['settings'][0]['first_row'] + v['settings'][0]['washout'] + v['settings'][0]['n'] <= 105712"
    command -v python3 >/dev/null || return 0
    run_commands
    valid_json out "all(abs(r['value'] / 1000 / float(f) - 1) < 1e-9 for r, f in zip(v['rows'], open('figures')))"
}
check "benchmark: Silverbox, three tests of two simulations" benchmark_silverbox

benchmark_again()
{
    tanks_layout
    expect 0 benchmark sysid --quiet --data sysid --only tanks --again --draws 3 --seed 1 --rows 100 --json
    valid_json out "v['settings'][0]['draws'] == 3 and 'preset' not in v['settings'][0] and v['rows'][0]['value'] > 0"
    cp out first
    expect 0 benchmark sysid --quiet --data sysid --only tanks --again --draws 3 --seed 1 --rows 100 --json --threads 2
    valid_json out "v['settings'][0]['kernel'] == __import__('json').load(open('first'))['settings'][0]['kernel']"
}
check "benchmark: --again searches on training rows, the same for the same seed" benchmark_again

benchmark_wrong()
{
    expect 2 benchmark
    expect 2 benchmark sysid
    err_has "the benchmark sysid needs --data FOLDER"
    expect 2 benchmark sysid --data . --starts 3
    err_has "\-\-starts does not go with the benchmark sysid"
    expect 2 benchmark sysyd --data .
    err_has "there is no benchmark 'sysyd' \(there are sysid, chaos and uea\)"
    expect 2 benchmark sysid --data . --only wh,tank
    err_has "there is no set 'tank' \(there are wh, silverbox and tanks\)"
    expect 2 benchmark sysid --data . --only wh,
    expect 2 benchmark sysid --data . --preset silver
    err_has "there is no preset 'silver' \(there are "
    expect 2 benchmark sysid --data . --only wh --preset wh-1
    expect 2 benchmark sysid --data . --preset wh-1 --again
    expect 2 benchmark sysid --data . --budget 5s
    err_has "give --again"
    expect 2 benchmark sysid --data . --rows 1
    expect 2 benchmark sysid --data . --warm-up 51
    err_has "--warm-up must be at most 50, the rows that are not scored, and not 51"
    expect 1 benchmark sysid --data nowhere
    err_has "the data of Wiener-Hammerstein are not in nowhere: there is no wiener_hammerstein\.csv, "
    tanks_layout
    expect 1 benchmark sysid --data sysid --only wh,tanks
    err_has "the data of Wiener-Hammerstein are not in sysid"
    expect 1 benchmark sysid --data sysid --only tanks -o none/t
    head -n 1000 sysid/cascaded_tanks.csv >short.csv
    mv short.csv sysid/cascaded_tanks.csv
    expect 1 benchmark sysid --data sysid --only tanks
    err_has "sysid/cascaded_tanks\.csv is not the published file of Cascaded Tanks: it has 999 rows, and 1024 are needed"
    tanks_layout
    sed -i 's/yVal/zVal/' sysid/cascaded_tanks.csv
    expect 1 benchmark sysid --data sysid --only tanks
    err_has "cascaded_tanks\.csv.*yVal"
    tanks_layout
    sed -i '7s/^[^,]*/x/' sysid/cascaded_tanks.csv
    expect 1 benchmark sysid --data sysid --only tanks
    err_has "line 7"
    absent t.html
}
check "benchmark: wrong words and files are one sentence" benchmark_wrong

benchmark_chaos()
{
    if [ "$sanitized" = yes ]; then # the numbers are the plain pass's
        expect 0 benchmark chaos --quiet --only lorenz --rows 50 --starts 1
        return
    fi
    expect 0 benchmark chaos --quiet --only lorenz --rows 150 --starts 2 --seed 3 --json
    no_err
    valid_json out "v['benchmark'] == 'chaos' and v['threshold'] == 0.4 and v['systems'][0]['n'] == 150"
    valid_json out "[r['method'] for r in v['rows']][0] == 'volterra' and len(v['rows']) == 3"
    valid_json out "all(len(r['values']) == 2 and abs(r['value'] - sum(r['values']) / 2) < 1e-9 for r in v['rows'])"
    valid_json out "all(r['lower_quartile'] <= r['value'] <= r['upper_quartile'] for r in v['rows'])"
    valid_json out "all(r['unit'] == 'Lyapunov times' and r['published'][0]['value'] == 6 for r in v['rows'])"
    valid_json out "v['rows'][0]['value'] > 1 and all(0 <= t < 37 for r in v['rows'] for t in r['values'])"
    valid_json out "all(0.1 < r['validation'] < 37 for r in v['rows'])"
    expect 0 benchmark chaos --quiet --only lorenz --rows 80 --starts 1
    out_has '^Lorenz: 1 starts, 80 rows'
    out_has '^volterra +[0-9.]+ +[0-9.]+ to +[0-9.]+  volterra:'
    out_has 'arXiv 2508\.06730.* 30 +published'
    expect 2 benchmark chaos --data .
    err_has "\-\-data does not go with the benchmark chaos"
    expect 2 benchmark chaos -o t
    expect 2 benchmark chaos --only lorentz
    err_has "there is no set 'lorentz' \(there are lorenz and mackey-glass\)"
    expect 2 benchmark chaos --rows 49
    err_has "\-\-rows must lie between 50 and 20000"
    expect 2 benchmark chaos --starts 0
}
check "benchmark: chaos, valid times of three methods" benchmark_chaos
