# tests/cli/cases/7_hostile_text.sh: names and texts from files are printed and plotted, never executed.

esc=$'\033' csi=$'\302\233' del=$'\177' # ESC, U+009B (which a terminal takes for ESC [), DEL
nasty="a${esc}[31m${csi}2J${del}z"
shown='a?[31m?2J?z'

# no_controls FILE...: nothing that a terminal obeys, but the ends of lines
no_controls()
{
    local file
    for file in "$@"; do
        LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$file" &&
            fail "there are control characters in $file: $(cat -v "$file" | head -n 5)"
    done
    return 0
}

# shows FILE TEXT: with the text in it, as it is
shows() { grep -qF -- "$2" "$1" || fail "$1 does not show '$2': $(cat -v "$1" | head -n 5)"; }

# columns_named FIRST SECOND [ROWS]: a table of two columns with these names
columns_named()
{
    printf '"%s","%s"\n' "${1//\"/\"\"}" "${2//\"/\"\"}"
    series "${3:-80}" 2 | tail -n +2
}

# ---- on a terminal ------------------------------------------------------------------------------

hostile_errors()
{
    local text
    # The program's own sentences, and those of the library.
    for text in "$nasty" "$esc" "$csi" "$del" $'\n' $'\r' $'a\tb'; do
        expect 2 "$text"
        no_controls err
        expect 2 help "$text"
        no_controls err
        expect 2 fit "--$text"
        no_controls err
        expect 2 fit --x x.csv --kernel "rbf:$text=1" -o m
        no_controls err
        expect 1 fit --x "$text.csv" -o m
        no_controls err
    done
    expect 2 "$nasty"
    shows err "unknown command '$shown'"
    expect 1 fit --x "$nasty.csv" -o m
    shows err "$shown.csv"
    columns_named "$nasty" b >x.csv
    expect 1 fit --x x.csv:nosuch -o m
    no_controls err
    expect 1 fit --x "x.csv:$nasty$nasty" -o m
    no_controls err
    shows err "$shown"
    # Letters of other scripts are shown unchanged.
    expect 1 fit --x $'Temp\303\251rature.csv' -o m
    shows err $'Temp\303\251rature.csv'
}
check "control characters in errors: neither C0 nor C1 reaches the terminal" hostile_errors

hostile_warnings()
{
    columns_named "$nasty" "b$nasty" >x.csv
    awk -F, 'NR == 1 { print; next } { print $1 "," $1 }' x.csv >equal.csv
    expect 0 mcs equal.csv --reps 100
    no_controls out err
    series 60 2 | sed '7s/,.*/,/' >"$nasty.csv"
    expect 0 fit --x "$nasty.csv" --missing drop -o m
    no_controls out err
    shows err "warning: $shown.csv: 1 row"
}
check "control characters in warnings" hostile_warnings

hostile_tables()
{
    columns_named "$nasty" $'\303\251t\303\251' 200 | awk -F, 'NR == 1 { print; next } { print $1 ^ 2 "," $2 ^ 2 + 1 }' >l.csv
    expect 0 mcs l.csv --reps 100
    no_controls out err
    shows out "$shown"
    # Columns are aligned regardless of the byte length of their names.
    sed -n 's/'$'\303\251t\303\251''/ete/; s/ *\*\*$//; /^\(model\|ete\|a?\)/p' out | awk '{ print length($0) }' | sort -u >widths
    lines_of widths 1
    expect 0 mcs l.csv --reps 100 --json
    tr -d "$del" <out >without # harmless, and JSON need not escape it
    no_controls without
    valid_json out "v['columns'] == ['a\\x1b[31m\\x9b2J\\x7fz', '\\xe9t\\xe9']"
    # File names of the user's in a table.
    columns_named a b >"$nasty.csv"
    expect 0 compare --x "$nasty.csv" --kernel linear --draws 2 --csv "$nasty.out"
    no_controls out err
    shows out "$shown.csv: "
    shows out "$shown.out"
    expect 0 compare --x "$nasty.csv" --kernel linear --draws 2 --latex - --quiet
    no_controls out
    expect 0 tune --x "$nasty.csv" --kernel linear --draws 2 --log "$nasty.jsonl"
    no_controls out err
    # Tickers.
    made_prices 150
    sed "1s/ONE/$nasty/" prices.csv >odd.csv
    expect 0 bekk fit odd.csv --quiet
    no_controls out err
    shows out "$shown"
    expect 0 bekk fit odd.csv --quiet --json
    tr -d "$del" <out >without # harmless, and JSON need not escape it
    no_controls without
    valid_json out "v['tickers'][0] == 'a\\x1b[31m\\x9b2J\\x7fz'"
}
check "control characters in tables and in JSON" hostile_tables

# on_terminal COMMAND...: the standard output as a terminal receives it, in `shown`; rows come from the file `rows`, if there
# is one. Standard error, where a slow run draws its bar, goes elsewhere.
on_terminal()
{
    [ -e rows ] || : >rows
    printf ' %q' "$VOLTERRA" "$@" >"command"
    script -qec "bash -c '. ./command' <rows 2>said" /dev/null </dev/null 2>&1 | tr -d '\r' >shown
    [ "${PIPESTATUS[0]}" -eq 0 ] || fail "script: $(cat -v shown | head -n 3)"
}

# Data on standard output: as they are in a file or a pipe, and without control characters on a terminal.
hostile_data()
{
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "script(1) can not make a terminal here"
    columns_named "$nasty" $'\303\251t\303\251' >x.csv
    awk -v name="r$nasty" -F, 'NR == 1 { print "series," $0; next } { print name int(NR / 42) "," $0 }' x.csv >records.csv
    awk -v name="c$nasty" -F, 'NR == 1 { print "cls"; next } { print name NR % 2 }' x.csv >classes.csv
    expect 0 fit --x x.csv --alpha 1e-2 -o m.safetensors
    expect 0 fit --x 'x.csv:a*' --y classes.csv:cls --loss logistic --alpha 1e-1 -o c.safetensors
    expect 0 predict m.safetensors --x x.csv --start reset
    [ "$(head -n 1 out)" = "$nasty"$',\303\251t\303\251' ] || fail "a pipe has another name: $(head -n 1 out | cat -v)"
    on_terminal predict m.safetensors --x x.csv --start reset
    no_controls shown
    [ "$(head -n 1 shown)" = "$shown"$',\303\251t\303\251' ] || fail "a terminal shows $(head -n 1 shown | cat -v)"
    tail -n +2 out >plain
    tail -n +2 shown >same
    same plain same
    on_terminal predict c.safetensors --x x.csv
    no_controls shown
    shows shown "c$shown"
    expect 0 fit --x 'records.csv:a*' --series records.csv:series --alpha 1e-2 -o r.safetensors
    on_terminal predict r.safetensors --x records.csv --series records.csv:series
    no_controls shown
    shows shown "r$shown"
    for command in 'predict m.safetensors --x x.csv --json' 'continue m.safetensors --steps 2' 'forecast x.csv' \
        'forecast x.csv --json' 'explain m.safetensors --lags 2' 'stream m.safetensors --header' \
        'fit --x x.csv --alpha 1 --fitted - -o n.safetensors'; do
        tail -n +2 x.csv | head -n 2 >rows
        read -ra words <<<"$command"
        on_terminal "${words[@]}"
        no_controls shown
        [ -s shown ] || fail "nothing is shown of $command"
    done
    expect 0 forecast x.csv
    no_controls out err # a table for people has none anywhere
}
check "control characters in data on a terminal" hostile_data

# hostile_log FILE: the log of a search whose kernels and failures are commands for a shell and for a terminal
hostile_log()
{
    series 60 2 >x.csv
    expect 0 tune --x x.csv --kernel rbf --draws 4 --race none --log honest.jsonl
    sed -E 's/"kernel":"[^"]*gamma=([^",]*)[^"]*"/"kernel":"rbf:gamma=\1\\nsystem(\\"touch ran\\")\\n,window=`touch ran`'"'"'\\u001b[31m\\u009b2J\\u007f\1"/
        1s/"failure":null/"failure":"why \\u001b[5m\\u009b2J"/' honest.jsonl >"$1"
    grep -q 'touch ran' "$1" && grep -q u009b2J "$1" || fail "the log has another form"
}

hostile_resume()
{
    hostile_log h.jsonl
    # No text is executed.
    resume() { volterra tune --x x.csv --kernel rbf --race none --log "$@" --resume; }
    resume h.jsonl --plot p.svg
    absent ran
    no_controls out err
    resume h.jsonl
    no_controls out err
    # The failure message of a trial is arbitrary text and is printed in the table.
    sed -E '1{s/"folds":\[[^]]*\],"score":[^,]*,/"folds":[],"score":null,/;s/"failure":null/"failure":"why \\u001b[5m\\u009b2J"/}' \
        honest.jsonl >failed.jsonl
    expect 0 tune --x x.csv --kernel rbf --race none --log failed.jsonl --resume
    no_controls out err
    out_has '^first failure +why \?\[5m\?2J$'
}
check "a log that holds commands: none is run, none reaches the terminal" hostile_resume

# ---- in pictures and pages ----------------------------------------------------------------------

hostile_columns()
{
    local name i=0 names=('y`touch ran`' 'y$(touch ran)' "y'" "'''" 'y"`touch ran`"' 'y\' 'y@GPVAL_VERSION' 'y%s%d%' \
        $'y\nsystem("touch ran")' "$nasty" 'y{/Bold x}^2_3' '&#x1b; &lt;' $'\303\251\346\274\242')
    series 40 1 >u.csv
    [ "$sanitized" = no ] || names=("${names[@]:0:4}")
    for name in "${names[@]}"; do
        printf '"%s"\n' "${name//\"/\"\"}" >y.csv
        series 40 1 | tail -n +2 >>y.csv
        expect 0 compare --x u.csv --y y.csv --allow-target-in-inputs --kernel linear --draws 2 --report r.html --quiet
        absent ran
        i=$((i + 1))
        # Both pictures of the forecasts show the name, as it is but for control characters.
        command -v python3 >/dev/null || continue
        python3 -c '
import html, re, sys
page = open("r.html", encoding="utf-8").read()
drawn = [html.unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", page)]
name = re.sub("[\0-\x1f\x7f-\x9f]", "?", sys.argv[1])
sys.exit(0 if drawn.count(name) == 2 else f"{name!r} is not in {drawn[:12]!r}")' "$name" 2>python-says ||
            fail "name $i is not drawn: $(cat python-says)"
    done
    # As it was found: the name of a column, with the column chosen by a pattern.
    columns_named u 'y`touch ran`' >f.csv
    expect 0 compare --x f.csv:u --y 'f.csv:y*' --kernel linear --draws 2 --report r.html --quiet
    absent ran
}
check "compare --report: column names in plots are not executed" hostile_columns

hostile_page()
{
    local name='<img src=x onerror="alert(1)">&'"$nasty"
    columns_named 'u<b>' "y</text><b>'" >"$name.csv"
    expect 0 compare --x "$name.csv" --kernel linear --draws 2 --report r.html --quiet
    no_controls r.html out err
    # The file name is in the title, the heading and the command.
    [ "$(grep -cF '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;'"$shown" r.html)" -ge 3 ] ||
        fail "the name of the file is not on the page: $(grep -F 'src=x' r.html | head -n 3)"
    grep -qE '<img|<b>' r.html && fail "a name became markup: $(grep -m 1 -oE '.{20}(<img|<b>).{20}' r.html)"
    return 0
}
check "compare --report: names of files and columns are escaped" hostile_page
