# tests/cli/cases/6_bekk.sh: bekk fit, simulate, score; simulate bekk.

# made_prices ROWS: prices.csv with dates and three assets, from simulated returns
made_prices()
{
    expect 0 bekk simulate --preset sp500-d5 --length "$1" --seed 4 -o sample.csv
    expect 0 bekk simulate --preset sp500-d5 --length "$1" --seed 4
    awk -F, 'NR == 1 { print "date,ONE,TWO,THREE"; next }
        { for (j = 1; j <= 3; j++) p[j] += $(5 + j)
          printf "%04d-%02d-%02d,%.15g,%.15g,%.15g\n", 2000 + NR / 360, 1 + NR % 360 / 30, 1 + NR % 30,
                 100 * exp(p[1]), 50 * exp(p[2]), exp(p[3]) }' out >prices.csv
}

bekk_simulates()
{
    expect 0 simulate bekk --preset sp500-d5 --length 30 --seed 3 -o rows.csv
    no_err
    out_has '^rows.csv +30 rows of bekk, 5 assets, parameters of sp500-d5$'
    lines_of rows.csv 31
    [ "$(sed -n 1p rows.csv)" = z1,z2,z3,z4,z5,r1,r2,r3,r4,r5,h11,h21,h31,h41,h51,h22,h32,h42,h52,h33,h43,h53,h44,h54,h55 ] ||
        fail "the header is $(sed -n 1p rows.csv)"
    expect 0 bekk simulate --preset sp500-d5 --length 30 --seed 3
    same out rows.csv
    expect 0 simulate bekk --length 30 --seed 3 --threads 1
    same out rows.csv
    expect 0 simulate bekk --length 20 --seed 3 --discard 1010
    diff <(tail -n 20 rows.csv) <(tail -n 20 out) >/dev/null || fail "--discard 1010 is not ten rows less than 1000"
    expect 0 simulate bekk --length 30 --seed 4
    cmp -s out rows.csv && fail "the seed changes nothing"
    expect 0 simulate bekk --length 1 --preset sp500-d15
    out_has ',r15,h1_1,h2_1,.*,h15_15$'
    expect 0 bekk simulate --preset sp500-d10 --length 2 --json
    valid_json out "len(v['columns']) == 75 and len(v['rows']) == 2"
    expect 0 simulate bekk --length 4 --json -o four.csv
    valid_json out "(v['system'], v['rows'], v['columns'], v['assets'], v['output']) == ('bekk', 4, 25, 5, 'four.csv')"
    expect 0 simulate bekk
    lines_of out 3762
}
check "simulate bekk: columns, seeds, presets" bekk_simulates

bekk_fits()
{
    made_prices 400
    expect 0 bekk fit prices.csv -o params.json --quiet
    no_err
    out_has '^asset +a +b +a\^2 \+ b\^2$'
    out_has '^THREE +0\.[0-9]{4} \(0\.[0-9]{4}\) +0\.[0-9]{4} \(0\.[0-9]{4}\) +0\.[0-9]{4}$'
    out_has '^prices +2000-01-03 to 2001-02-12$'
    out_has '^returns +399$'
    out_has '^converged +yes'
    valid_json params.json "(v['tickers'] == ['ONE', 'TWO', 'THREE'] and v['dates'][0] == '2000-01-03' and v['converged'] and
        v['command'] == 'volterra bekk fit prices.csv' and v['observations'] == 399 and v['C'][1][0] == 0 and
        all(x * x + y * y < 1 for x, y in zip(v['a'], v['b'])) and sum(v['a']) > 0 and sum(v['b']) > 0 and
        all(v['C'][i][i] > 0 for i in range(3)) and len(v['a_error']) == 3)"
    # Estimated parameters can be scored and simulated, and a second estimation gives the same values.
    expect 0 bekk score params.json --prices prices.csv --json
    cp out score.json
    valid_json score.json "abs(v['loglik'] - __import__('json').load(open('params.json'))['loglik']) < 1e-6"
    expect 0 bekk fit prices.csv --json
    same out params.json
    expect 0 bekk fit prices.csv -o -
    same out params.json
    expect 0 bekk simulate params.json --length 10 -o again.csv
    out_has 'parameters of params.json'
    mkdir deep
    cp prices.csv deep/
    expect 0 bekk fit "deep/prices.csv:TWO,ONE" -o two.json --starts 3 --verbose
    out_has '^starts +3, of which 3 '
    valid_json two.json "(v['tickers'] == ['TWO', 'ONE'] and v['command'] == 'volterra bekk fit prices.csv:TWO,ONE --starts 3' and
        v['dates'][1] == '2001-02-12')"
    expect 0 bekk fit prices.csv --assets 1 -o one.json
    valid_json one.json "v['tickers'] == ['ONE']"
    nothing_left
}
check "bekk fit: table, file, use of the file" bekk_fits

bekk_scores()
{
    expect 0 bekk simulate --preset sp500-d5 --length 50 -o rows.csv
    expect 0 bekk score --preset sp500-d5 --returns 'rows.csv:r*' --json
    valid_json out "v['rows'] == 50 and v['assets'] == 5 and v['loglik'] > 0"
    expect 0 bekk score --preset sp500-d5 --returns 'rows.csv:r1..r5'
    out_has '^log-likelihood +[0-9.]+$'
    # Three returns of one asset, by hand: h = 1, 1.05, 1.082.
    echo '{"C": [[0.5]], "a": [0.4], "b": [0.8]}' >one.json
    printf '1\n-1\n0\n' >r.csv
    expect 0 bekk score one.json --returns r.csv --json
    valid_json out "abs(v['loglik'] + 0.5 * (3 * 1.8378770664093453 + __import__('math').log(1.05 * 1.082) + 1 + 1 / 1.05)) < 1e-12"
    # Columns are found by ticker, in any order.
    echo '{"C": [[0.5, 0.1], [0, 0.6]], "a": [0.4, 0.2], "b": [0.8, 0.9], "tickers": ["B", "A"]}' >two.json
    printf 'A,X,B\n1,7,2\n-1,7,0.5\n0,7,-1\n0.5,8,0.25\n' >wide.csv
    printf 'p,q\n2,1\n0.5,-1\n-1,0\n0.25,0.5\n' >plain.csv
    expect 0 bekk score two.json --returns wide.csv
    cp out wide
    expect 0 bekk score two.json --returns plain.csv
    same out wide
}
check "bekk score: by hand, columns by ticker" bekk_scores

bekk_wrong()
{
    expect 2 bekk
    err_names ACTION
    expect 2 bekk fitt prices.csv
    err_names fit
    expect 2 bekk paint
    err_names score
    expect 2 bekk fit
    err_has 'volterra bekk fit prices.csv'
    expect 1 bekk fit nowhere.csv
    err_has 'nowhere.csv'
    expect 2 bekk fit x.csv --length 3
    err_names --length
    expect 2 bekk simulate --preset sp500-d5 --assets 3
    expect 2 bekk simulate
    err_has 'presets: sp500-d5, sp500-d10, sp500-d15'
    expect 2 bekk simulate --preset sp500-5
    err_names sp500-d5
    expect 2 simulate bekk --preset nasdaq
    err_has "preset 'nasdaq'"
    expect 2 simulate lorenz --preset sp500-d5
    err_names --preset
    expect 2 simulate bekk --step 0.1
    expect 2 bekk simulate p.json --preset sp500-d5
    err_names p.json --preset sp500-d5
    expect 2 bekk score --preset sp500-d5
    err_has '--returns'
    expect 2 bekk score --preset sp500-d5 --returns a.csv --prices b.csv
    echo '{"C": [[1]], "a": [0.9], "b": [0.9]}' >wild.json
    expect 2 bekk simulate wild.json
    err_names 1 1.62
    echo '{"C": [[1]], "a": [0.9]}' >damaged.json
    expect 1 bekk simulate damaged.json
    err_names '"b"' damaged.json
    echo 'z1,z2' >rows.json
    expect 1 bekk score rows.json --returns rows.json
    err_has 'not JSON'
}
check "bekk: invalid options and files" bekk_wrong

bekk_bad_prices()
{
    made_prices 120
    expect 2 bekk fit prices.csv --assets 4
    err_names --assets 4 prices.csv 3 columns
    expect 2 bekk fit prices.csv -o prices.csv
    err_names input
    head -n 41 prices.csv >short.csv
    expect 1 bekk fit short.csv
    err_names 39 12 50
    sed '30s/,[^,]*$/,/' prices.csv >gap.csv
    expect 1 bekk fit gap.csv -o params.json
    err_has 'line 30'
    sed '30s/,[^,]*$/,-3/' prices.csv >negative.csv
    expect 1 bekk fit negative.csv -o params.json
    err_names row 29 column 3 -3 0
    sed -E 's/^([^,]*,[^,]*,[^,]*),.*/\1,7/' prices.csv >constant.csv
    expect 1 bekk fit constant.csv -o params.json
    absent params.json
    sed 1d prices.csv >bare.csv
    expect 0 bekk fit bare.csv --json
    valid_json out "'tickers' not in v and v['dates'][0] == '2000-01-03'"
    printf 'a\n1\n' >single.csv
    expect 1 bekk fit single.csv
    err_names single.csv 1 2
}
check "bekk fit: invalid prices" bekk_bad_prices
