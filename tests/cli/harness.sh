# tests/cli/harness.sh: test cases and assertions. Sourced by run.sh.

count=0 failed=0 seen=0

# awk's rand() differs from one awk to another. A program that begins with these functions calls seeded(SEED), then uniform().
uniform='function seeded(n) { state = 1000003 * n } function uniform() { state = 16807 * state % 2147483647; return state / 2147483647 } '

# check NAME FUNCTION: run FUNCTION in a fresh directory; it fails through `fail`, or skips through `skip`.
check()
{
    local name=$1 body=$2 report status
    [[ $name =~ $pattern ]] || return 0
    seen=$((seen + 1))
    [ $((seen % ${VOLT_SLICES:-1})) -eq "${VOLT_SLICE:-0}" ] || return 0
    count=$((count + 1))
    mkdir "$scratch/$count"
    # Standard error of the case is closed, so that the shell's message about a killed program is not shown.
    report=$(cd "$scratch/$count" && "$body" 2>shell-says </dev/null)
    status=$?
    chmod -R u+w "$scratch/$count"
    rm -rf "${scratch:?}/$count"
    case $status in
        0) echo "ok $count - $name" ;;
        77) echo "ok $count - $name # SKIP $report" ;;
        *)
            echo "not ok $count - $name"
            printf '%s\n' "$report" | sed 's/^/# /'
            failed=$((failed + 1))
            ;;
    esac
}

fail()
{
    printf '%s\n' "$*"
    if [ -e err ]; then
        printf 'standard error was:\n'
        head -n 5 err
    fi
    exit 1
}

skip()
{
    printf '%s' "$*"
    exit 77
}

# volterra ARGUMENTS...: run the program; output in `out` and `err`, its end in $status
volterra()
{
    "$VOLTERRA" "$@" >out 2>err
    status=$?
}

# The commands in the order of the help.
commands_of_help() { "$VOLTERRA" help | sed -n '/^usage/,/^first steps/s/^  \([a-z]*\) .*/\1/p' | grep -vxE 'help|completion'; }

# expect STATUS ARGUMENTS...: run and check the status. A failure must print one line and no result.
expect()
{
    local wanted=$1
    shift
    volterra "$@"
    [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted: volterra $*"
    [ "$wanted" -eq 0 ] || one_line "$@"
}

# expect_bound STATUS ARGUMENTS...: expect, without what lets root pass over permissions
expect_bound()
{
    if [ "$(id -u)" -eq 0 ]; then
        bound='--bounding-set -dac_override,-dac_read_search'
        setpriv $bound true 2>/dev/null || skip "root may write everywhere, and cannot give that up here"
        printf '#!/bin/sh\nexec setpriv %s "%s" "$@"\n' "$bound" "$VOLTERRA" >bound.sh
        chmod +x bound.sh
        local VOLTERRA=$PWD/bound.sh
    fi
    expect "$@"
}

# until_it_minds JOB: wait until the program has taken charge of Ctrl-C, which a shell's background job ignores before.
# From then on the signal ends it with status 130 wherever it comes, so that nothing depends on the load.
until_it_minds()
{
    local i mask
    if [ ! -r "/proc/$1/status" ]; then
        sleep 2
        return
    fi
    for ((i = 0; i < 6000; i++)); do
        mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
        [ -n "$mask" ] || fail "the program was over too soon"
        [ $((0x$mask & 2)) -eq 0 ] || return 0
        sleep 0.01
    done
    fail "the program does not mind Ctrl-C"
}

# The shell itself examines standard error: a process for each of 5000 checks would take a tenth of the suite.
one_line()
{
    local line begins='^volterra( [a-z]+)?: .'
    { IFS= read -r line && ! IFS= read -r; } <err ||
        fail "$(wc -l <err) lines on standard error, not one: volterra $*"
    [[ $line =~ $begins ]] || fail "the line does not begin with 'volterra: ': volterra $*"
}

out_has() { grep -qE -- "$1" out || fail "nothing on standard output matches '$1': $(head -n 5 out)"; }
err_has() { grep -qE -- "$1" err || fail "nothing on standard error matches '$1'"; }
# err_names TERM...: standard error has every term, in any order. Terms are options, files and values, not sentences.
err_names()
{
    local term text number
    text=$(<err)
    for term; do
        number="(^|[^0-9A-Za-z.])$term([^0-9A-Za-z]|\$)"
        case $term in
            '' | *[!0-9]*) [[ $text == *"$term"* ]] ;;
            *) [[ $text =~ $number ]] ;;
        esac || fail "standard error does not name '$term'"
    done
}
# Progress of a slow machine is not an error.
warnings_are() # NUMBER: lines on standard error without progress
{
    local lines
    lines=$(grep -cvE '^volterra [a-z]+: +[0-9]+% done ' err)
    [ "$lines" -eq "$1" ] || fail "$lines lines on standard error, not $1"
}
no_err() { warnings_are 0; }
no_out() { [ ! -s out ] || fail "standard output is not empty: $(head -n 3 out)"; }
lines_of() { [ "$(wc -l <"$1")" -eq "$2" ] || fail "$1 has $(wc -l <"$1") lines, not $2"; }
lines_at_most() { [ "$(wc -l <"$1")" -le "$2" ] || fail "$1 has $(wc -l <"$1") lines, more than $2"; }
absent() { [ ! -e "$1" ] || fail "$1 is there"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
# near FIRST SECOND TOLERANCE: two CSV files of numbers, of the same shape, whose entries are that close
near()
{
    local worst
    cat "$1" >near-first # either may be a pipe, and both are read twice
    cat "$2" >near-second
    [ -s near-first ] || fail "$1 is empty"
    grep -qiE '(^|,)-?(nan|inf)' near-first near-second && fail "$1 or $2 holds a number that is not finite"
    [ "$(tr -dc ',\n' <near-first | tr '\n' ';')" = "$(tr -dc ',\n' <near-second | tr '\n' ';')" ] ||
        fail "$1 and $2 have different shapes"
    worst=$(paste -d, near-first near-second | awk -F, '
        NR == 1 && /^[a-z]/ { next }
        { for (k = 1; k <= NF / 2; k++) {
              gap = $k - $(k + NF / 2)
              if (gap < 0) gap = -gap
              if (!(gap <= worst)) worst = gap } }
        END { print worst + 0 }')
    awk -v a="$worst" -v b="$3" 'BEGIN { exit !(a + 0 <= b + 0) }' || fail "$1 and $2 differ by $worst"
}
nothing_left()
{
    [ -z "$(find . -name '.volterra-*')" ] || fail "a temporary file is left: $(find . -name '.volterra-*')"
}

# ids_are_there PAGE: every internal link of the page has a target
ids_are_there()
{
    grep -oE "(aria-labelledby|href)=['\"]?#?[^'\" >]*" "$1" | grep -E '^aria|#' | sed "s/.*[='\"#]//" | sort -u >wanted
    grep -oE " id=['\"][^'\"]*" "$1" | sed "s/.*['\"]//" | sort -u >there
    [ -s wanted ] || fail "$1 refers to nothing in itself"
    comm -23 wanted there >lacking
    [ ! -s lacking ] || fail "$1 refers to $(head -n 1 lacking), which is not there"
}

# valid_json FILE [EXPRESSION]: FILE is JSON, and EXPRESSION (of `v`, in Python) is true of it
valid_json()
{
    command -v python3 >/dev/null || return 0
    python3 -IS -c '
import json, sys
v = json.load(open(sys.argv[1]), parse_constant=lambda c: sys.exit("not JSON: " + c))
sys.exit(0 if eval(sys.argv[2]) else "false: " + sys.argv[2])' "$1" "${2:-True}" 2>json-says ||
        fail "$1 is not the expected JSON: $(cat json-says) in $(head -c 300 "$1")"
}

# ---- data ---------------------------------------------------------------------------------------

# series ROWS [COLUMNS]: a smooth sequence with a header a,b,c,...
series()
{
    awk -v n="$1" -v d="${2:-2}" 'BEGIN {
        for (j = 0; j < d; j++) printf "%s%c", j ? "," : "", 97 + j
        print ""
        for (t = 0; t < n; t++) {
            for (j = 0; j < d; j++) printf "%s%.12g", j ? "," : "", sin(0.1 * (j + 1) * t) + 0.3 * cos(0.37 * t)
            print ""
        }
    }'
}

# small_model: x.csv (60 rows, columns a and b) and model.safetensors fitted on it
small_model()
{
    series 60 >x.csv
    expect 0 fit --x x.csv --kernel volterra:tau_coef=0.5,lambda_coef=0.6 --alpha 1e-6 -o model.safetensors
}
