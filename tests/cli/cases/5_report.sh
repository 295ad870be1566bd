# tests/cli/cases/5_report.sh: compare --report: a self-contained HTML page.

report_problem()
{
    series 120 3 >x.csv
    expect 0 compare --x x.csv:a,b --y x.csv:c,a,b --allow-target-in-inputs \
        --kernel linear rbf volterra --draws 5 --seed 2 "$@"
}

# page_has PATTERN: the page r.html matches
page_has() { grep -qE -- "$1" "${2:-r.html}" || fail "the report has no '$1'"; }

# count_of PATTERN FILE
count_of() { grep -oE -- "$1" "$2" | wc -l; }

report_page()
{
    report_problem --report r.html --quiet
    no_err
    out_has '^report +r\.html$'
    nothing_left
    page_has '<p class="finding">Lowest NMSE: [A-Z][A-Za-z]+, '
    for name in Linear RBF Volterra; do
        [ "$(count_of "</span>$name</th>" r.html)" -eq 2 ] || fail "$name is not a row of both tables"
    done
    page_has '<pre class="command">volterra compare --x x\.csv:a,b --y x\.csv:c,a,b --allow-target-in-inputs --kernel linear'
    for item in Seed Date volterra BLAS Threads; do
        page_has "<dt>$item</dt><dd>[^<]"
    done
    page_has 'history protocol'
    page_has ',<wbr>' # long parameters may break after a comma
    # Forecasts (for small and for large screens), cumulated loss, errors, and a search per kernel.
    [ "$(count_of '<svg class="plot"' r.html)" -eq 7 ] || fail "$(count_of '<svg class="plot"' r.html) pictures, not 7"
    [ "$(count_of '</svg>' r.html)" -eq "$(count_of '<svg' r.html)" ] || fail "a picture does not end"
    grep -q 'c1">.*Volterra\|>Volterra<' r.html || fail "no plot names a kernel"
    [ "$(count_of '<figcaption>Figure [0-9]+\. [A-Z]' r.html)" -eq 6 ] || fail "a figure has no caption"
    # Nothing from elsewhere, no script, and every id once.
    grep -nE '(src|href)=.?(https?:|//)|<script|<link|@import|url\((.?https?:|//)' r.html >outside &&
        fail "the report asks for something outside: $(head -n 1 outside)"
    grep -q 'http' r.html && fail "there is an address in the report: $(grep -m 1 -oE '.{20}http.{20}' r.html)"
    grep -oE " id=['\"][^'\"]*" r.html | sort | uniq -d >twice
    [ ! -s twice ] || fail "ids that stand twice: $(head -n 3 twice)"
    ids_are_there r.html
}
check "compare --report: tables, plots, origin, no external content" report_page

# browse PAGE NAME: load PAGE in a browser for which no name resolves; what it then holds goes to NAME.dom, and the
# addresses it asked for to NAME.asked, without the browser's own errands
browse()
{
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$PWD/profile" --host-resolver-rules='MAP * ~NOTFOUND' \
        --log-net-log="$PWD/$2.net" --dump-dom "file://$PWD/$1" >"$2.dom" 2>browser-says </dev/null ||
        skip "Chromium does not start here"
    [ -s "$2.dom" ] && [ -s "$2.net" ] || skip "Chromium prints nothing here"
    grep -oE '"url":"(https?|wss?|ftp):[^"]*' "$2.net" | cut -d'"' -f4 |
        grep -vE '^https?://[a-z0-9.-]+\.(google|googleapis|gstatic)\.com/' >"$2.asked"
}

report_browser()
{
    [ "$sanitized" = no ] || skip "it is the browser, which the plain pass has asked"
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        skip "there is no Chromium"
    report_problem --report r.html --quiet
    # First a page that does ask for something: the browser must be seen to try.
    sed 's#</body>#<img src="http://elsewhere.invalid/picture.png"></body>#' r.html >asking.html
    browse asking.html asking
    grep -q '^http://elsewhere.invalid/' asking.asked || skip "the log of Chromium's network has another form here"
    browse r.html report
    [ ! -s report.asked ] || fail "the page fetched $(head -n 1 report.asked)"
    # Two tables of three kernels, and one of the four baselines.
    [ "$(count_of '<table' report.dom)" -eq 3 ] || fail "$(count_of '<table' report.dom) tables in the browser, not 3"
    [ "$(count_of '<tr' report.dom)" -eq 13 ] || fail "$(count_of '<tr' report.dom) rows of tables, not 13"
    [ "$(count_of '<svg class="plot"' report.dom)" -eq 7 ] || fail "$(count_of '<svg class="plot"' report.dom) pictures in the browser, not 7"
    [ "$(count_of '<figcaption' report.dom)" -eq 6 ] || fail "$(count_of '<figcaption' report.dom) captions, not 6"
    [ "$(count_of '<path' report.dom)" -gt 40 ] || fail "the pictures are empty"
    grep -q '</html>' report.dom || fail "the page does not end"
}
check "compare --report in a browser: tables and plots, no network" report_browser

report_formulas()
{
    series 80 2 >x.csv
    expect 0 compare --x x.csv --kernel linear gak:window=2 --draws 2 --report r.html
    no_err
    [ "$(count_of '<table' r.html)" -eq 3 ] || fail "the tables are not there"
    page_has 'window<sup>2</sup>'
    [ "$(count_of '<sup>' r.html)" -eq "$(count_of '</sup>' r.html)" ] || fail "an exponent is not closed once"
}
check "compare --report: costs as formulas" report_formulas

# The key of the plot of forecasts, which is drawn for small and for large screens, lists the kernels shown.
report_forecasts()
{
    local kernels key count
    series 60 1 >x.csv
    while read -r key kernels; do
        # shellcheck disable=SC2086 # words are words
        expect 0 compare --x x.csv --kernel $kernels --draws 1 --report r.html
        sed -n '/<h3>Measured and predicted/,/<figcaption/p' r.html >figure
        count=$(grep -cE '^<text [^>]*>(measured|[A-Z][A-Za-z]*)</text>$' figure)
        [ "$count" -eq $((2 * key + 2)) ] || fail "$count entries in two keys, not $key kernels each: $kernels"
    done <<END
1 linear
2 linear rbf
3 linear rbf volterra gak
END
}
check "compare --report: forecasts of up to three kernels" report_forecasts

report_repeat()
{
    series 80 2 >x.csv
    expect 0 compare --x x.csv --kernel linear rbf --draws 2 --repeat 3 --report - --quiet
    cp out r.html
    page_has '<!DOCTYPE html>'
    [ "$(count_of '<table' r.html)" -eq 4 ] || fail "there is no table of the samples"
    page_has 'Baselines on the test rows'
    page_has '<th scope="row">naive</th>'
    page_has 'seed 2<'
    page_has '<dt>Seed</dt><dd>0 to 2</dd>'
    page_has 'NMSE in every sample'
    # Names that HTML could take for its own.
    printf 'a<b,"x&y"\n' >odd.csv
    tail -n +2 x.csv >>odd.csv
    expect 0 compare --x odd.csv --kernel linear --draws 2 --report r.html
    page_has 'a&lt;b'
    if command -v python3 >/dev/null; then
        python3 -c 'import re, sys, xml.dom.minidom as m
for svg in re.findall(r"<svg class=.*?</svg>\n(?=</div>)", open("r.html").read(), re.S):
    m.parseString(svg)' 2>xml-says ||
            fail "a picture is not XML: $(tail -n 1 xml-says)"
    fi
}
check "compare --report: several samples, odd names" report_repeat
