# tests/cli/cases/6_score_skill.sh: score relative to baselines, and its plot.

score_skill()
{
    # Truth 1 2 4 7 | 11 16 22; errors of the forecast 1 -1 2, of naive 4 5 6.
    printf 'y\n1\n2\n4\n7\n11\n16\n22\n' >truth.csv
    printf 'y\n10\n17\n20\n' >pred.csv
    expect 0 score --truth truth.csv --truth-rows 4: --pred pred.csv --json
    valid_json out "abs(v['skill'] - (1 - 6 / 77)) < 1e-15 and abs(v['mase'] - 4 / 15) < 1e-15 \
        and v['skill_rows'] == 3 and v['ahead'] == 1 and v['notes'] == [] and abs(v['rmse'] - 2 ** 0.5) < 1e-15"
    expect 0 score --truth truth.csv --truth-rows 4: --pred pred.csv --verbose
    out_has '^RMSE +1\.414$'
    out_has '^skill +0\.9221$'
    out_has '^MASE +0\.2667$'
    out_has '^naive forecast .*truth 1 row before, .*3 rows$'
    # A free run is compared only on request.
    expect 0 score --truth truth.csv --truth-rows 4: --pred pred.csv --json --lyapunov 1 --dt 1
    valid_json out "'skill' not in v and 'mase' not in v and v['valid_rows'] == 3"
    expect 0 score --truth truth.csv --truth-rows 4: --pred pred.csv --json --lyapunov 1 --dt 1 --ahead 1
    valid_json out "abs(v['skill'] - (1 - 6 / 77)) < 1e-15"
    # Two rows ahead, errors 7 9 11; a season of 3 rows, which two rows ahead is one season back: errors 9 12 15.
    expect 0 score --truth truth.csv --truth-rows 4: --pred pred.csv --ahead 2 --season 3 --json
    valid_json out "abs(v['skill'] - (1 - 6 / 251)) < 1e-15 and abs(v['skill_seasonal'] - (1 - 6 / 450)) < 1e-15 \
        and abs(v['mase_seasonal'] - 4 / 36) < 1e-15 and v['season'] == 3 and v['skill_seasonal_rows'] == 3"
}
check "score: skill and MASE known by hand" score_skill

score_past()
{
    # Without rows before, the first ones cannot be compared, for the forecast either.
    printf '7\n11\n16\n22\n' >truth.csv
    printf '0\n10\n17\n20\n' >pred.csv
    printf '1\n2\n4\n' >past.csv
    expect 0 score --truth truth.csv --pred pred.csv --json
    valid_json out "abs(v['skill'] - (1 - 6 / 77)) < 1e-15 and v['skill_rows'] == 3 and v['rows'] == 4"
    expect 0 score --truth truth.csv --pred pred.csv
    out_has '^naive forecast .* 3 rows; first 1 .*\(--past\)'
    expect 0 score --truth truth.csv --pred pred.csv --past past.csv --json
    valid_json out "abs(v['skill'] - (1 - 55 / 86)) < 1e-15 and v['skill_rows'] == 4"
    # --past takes the place of the rows of the truth's own file.
    expect 0 score --truth truth.csv --truth-rows 1: --pred pred.csv --pred-rows 1: --past past.csv --json
    valid_json out "abs(v['skill'] - (1 - 6 / (49 + 25 + 36))) < 1e-15"
    expect 0 score --truth truth.csv --pred pred.csv --ahead 9
    out_has '^skill +unknown: .* 9 rows .*\(--past\)$'
    expect 0 score --truth truth.csv --pred pred.csv --ahead 9 --json
    valid_json out "v['skill'] is None and v['mase'] is None and v['skill_rows'] == 0"
    # A naive forecast with zero error cannot be used as a unit.
    printf '5\n5\n5\n5\n' >constant.csv
    expect 0 score --truth constant.csv --pred pred.csv
    out_has '^skill +unknown: '
    expect 0 score --truth constant.csv --pred constant.csv --json
    valid_json out "v['skill'] is None and v['r2'] == 1"
    printf '1,2\n3,4\n' >two.csv
    expect 1 score --truth truth.csv --pred pred.csv --past two.csv
    err_names two.csv 2 columns truth.csv 1
    expect 2 score --truth truth.csv --pred - --past - <pred.csv
    err_names --pred --past input
    expect 2 score --truth truth.csv --pred pred.csv --ahead 0
    expect 2 score --truth truth.csv --pred pred.csv --season 1
    expect 2 score --truth truth.csv --pred pred.csv --ahead 9000000000
    err_names --ahead 1 1000000000 9000000000
}
check "score: the rows that a naive forecast needs" score_past

score_words()
{
    # A negative skill is always explained.
    printf '1\n2\n3\n4\n' >truth.csv
    printf '4\n3\n2\n1\n' >pred.csv
    expect 0 score --truth truth.csv --pred pred.csv --season 2
    out_has '^R2 +-3$'
    [ "$(sed -n '/^note /,$p' out | grep -cE '(R2|skill) is below 0')" -eq 3 ] || fail "$(cat out)"
    expect 0 score --truth truth.csv --pred pred.csv --json
    valid_json out "len(v['notes']) == 2"
    # MAPE has no meaning where the truth is 0.
    printf '0\n2\n3\n4\n' >zero.csv
    expect 0 score --truth zero.csv --pred pred.csv
    out_has '^MAPE +undefined'
    expect 0 score --truth zero.csv --pred pred.csv --json
    valid_json out "v['mape'] is None and v['mae'] > 0"
}
check "score: negative R2 and zeros of the truth" score_words

score_picture()
{
    series 300 >truth.csv
    series 300 | tail -n 100 | sed '1i a,b' >pred.csv
    expect 2 score --truth truth.csv --pred truth.csv --plot truth.csv
    expect 2 score --truth truth.csv --pred truth.csv --plot - --json
    expect 1 score --truth truth.csv --pred truth.csv --plot no-such/s.svg
    expect 0 score --truth truth.csv --truth-rows 200: --pred pred.csv --plot s.svg
    out_has '^plot +s\.svg$'
    grep -q '</svg>' s.svg || fail "s.svg is not a whole SVG"
    for word in measured predicted row a b; do
        grep -q ">$word<" s.svg || fail "s.svg does not name $word"
    done
    # The axis has the times of the rows that are scored.
    awk 'NR == 1 { print "day,v" } NR > 1 { printf "%d-01-01,%d\n", 1700 + NR, NR % 7 }' truth.csv >dated.csv
    expect 0 score --truth dated.csv:v --truth-rows 200:240 --pred dated.csv:v --pred-rows 200:240 --plot d.svg
    grep -qE '>(190[2-9]|191[0-9]|192[0-9]|193[0-9]|194[01])' d.svg || fail "d.svg has none of the years 1902 to 1941"
    ! grep -qE '>(17|18|19[5-9])[0-9]+(-01-01)?<' d.svg || fail "d.svg has a year that was not scored"
    expect 0 score --truth truth.csv --pred truth.csv --plot - --rows 0:1
    grep -q '</svg>' out || fail "no SVG on standard output"
    ! grep -q 'MSE' out || fail "figures in the picture's stream"
    expect 0 score --truth truth.csv --pred truth.csv --plot t.svg --json
    valid_json out "v['plot'] == 't.svg'"
}
check "score --plot" score_picture

score_holes_before()
{
    # Rows before the scored rows are not requested: missing values there are unknown, not an error.
    printf 'y\n1\n2\n\n"a"\n11\n16\n22\n' >garbage.csv
    printf 'y\n1\n2\n4\nNA\n11\n16\n22\n' >hole.csv
    printf 'y\n1\nNA\n4\n7\n11\n16\n22\n' >earlier.csv
    printf 'y\n10\n17\n20\n' >pred.csv
    expect 0 score --truth hole.csv --truth-rows 4: --pred pred.csv
    out_has ' 2 rows; first 1 '
    expect 0 score --truth earlier.csv --truth-rows 4: --pred pred.csv --ahead 2 --json
    valid_json out "v['skill_rows'] == 3"
    expect 0 score --truth earlier.csv --truth-rows 4: --pred pred.csv --ahead 3 --json
    valid_json out "v['skill_rows'] == 2"
    expect 0 score --truth garbage.csv --truth-rows -3: --pred pred.csv --json
    valid_json out "v['rows'] == 3 and v['skill_rows'] == 2"
    # Standard input is read once.
    expect 0 score --truth - --truth-rows 4: --pred pred.csv --json <earlier.csv
    valid_json out "v['skill_rows'] == 2"
    # Names choose the columns of the past too.
    printf 'z,y\n0,1\n0,2\n0,4\n0,7\n0,11\n0,16\n0,22\n' >two.csv
    expect 0 score --truth two.csv --truth-rows 4: --pred pred.csv --json
    valid_json out "abs(v['skill'] - (1 - 6 / 77)) < 1e-15"
}
check "score: missing values before the scored rows" score_holes_before
