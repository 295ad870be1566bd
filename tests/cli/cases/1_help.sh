# tests/cli/cases/1_help.sh: help, version, and the first word of the command line.

all_commands=$(commands_of_help)

help_overview()
{
    expect 0 help
    no_err
    cp out overview
    for group in 'Forecast and identify' Models Evaluate 'Whole series' Tools; do
        out_has "^$group:\$"
    done
    [ "$(wc -w <<<"$all_commands")" -ge 22 ] || fail "only the commands $all_commands"
    [ -z "$(sort overview | uniq -d | grep .)" ] || fail "a command is listed twice"
    lines_at_most overview 60
    expect 0 --help
    same overview out
}
check "help lists the commands" help_overview

# table COMMAND: the options of `help --json`, a line "--name VALUE" each, sorted
table()
{
    "$VOLTERRA" help --json | python3 -c '
import json, sys
tables = json.load(sys.stdin)
for option in next(c for c in tables["commands"] if c["name"] == sys.argv[1])["options"]:
    if "name" in option:
        print(" ".join(["--" + option["name"], option["value"] or ""]).strip())' "$1" | LC_ALL=C sort
}

help_of_command()
{
    expect 0 help "$command"
    no_err
    cp out help
    out_has "^volterra $command: [a-z]"
    out_has "^usage: volterra $command( |\$)"
    out_has '^  --help '
    # Every option of the table, with its value, and no other.
    sed '/^options of every command/,$d' help | grep -E '^  (-[a-z], )?--[a-z]' |
        sed -E 's/^ *(-[a-z], )?//; s/  .*//; s/ +$//' | LC_ALL=C sort >listed
    table "$command" >wanted
    diff wanted listed >difference || fail "$(cat difference)"
    # Each of them in the usage, by its letter if it has one.
    sed -n '/^usage/,/^$/p' help >usage
    sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\1 \2/p' help | sed '/--json/,$d; s/,//' | while read -r word _; do
        grep -q -e "$word\b" usage || fail "the usage lacks $word"
    done || exit 1
    awk 'length > 100 { exit 1 }' help || fail "a line is longer than 100 characters"
    # In short: every option is named, and the last line names the whole text.
    expect 0 "$command" --help
    no_err
    cp out short
    lines_at_most short 60
    tail -n 1 short | grep -q "volterra help $command\b" || fail "the last line does not name volterra help $command"
    while read -r word _; do
        grep -qE -- "$word\b" short || fail "--help lacks $word"
    done <wanted
    expect 0 "$command" --no-such-option -h
    same short out
}
for command in $all_commands; do
    check "help $command and $command --help" help_of_command
done

help_kernels()
{
    expect 0 help kernels
    no_err
    cp out all
    for word in volterra linear rbf poly sigmoid fading memory fir gak sig sigpde cauchy esn sas; do
        out_has "^$word\$"
        expect 0 help kernels $word
        no_err
        [ "$(sed -n 1p out)" = "$word" ] || fail "help kernels $word begins with '$(sed -n 1p out)'"
        out_has '^  cost of one entry: O\('
        out_has '^search: '
        # The help of one kernel equals its entry in the full list.
        grep -vxFf all out >other && fail "help kernels has not: $(cat other)"
        cp all out
    done
    for word in tau tau_coef lambda lambda_coef gamma lift rho mu sigma level order dyadic window augment; do
        out_has "^    $word +[a-z1]"
    done
    out_has '^ +in \(0, 1\); default 0\.3; search 0\.1 to 0\.995, log-uniform$'
    out_has '^ +1 to 1000000; default 1; search 1 to 64, whole numbers, log-uniform$'
    out_has '; search 0\.3 to 10 x unit, log-uniform$'
    out_has '^unit|; unit: '
    # The help lists all lifts of volterra with their formulas.
    for word in geometric even exponential poly:P rbf; do
        out_has "one of .*$word"
        out_has "^    $word +(1|exp).*  +(1|exp)"
    done
    awk 'length > 100 { exit 1 }' out || fail "a line is longer than 100 characters"
    expect 2 help kernels gakk
    err_names "'gakk'" gak
    expect 2 help kernels xylophone
    err_names volterra
    expect 2 help kernels rbf gak
    err_names kernel
}
check "help kernels prints the table of kernels, or one of them" help_kernels

help_options()
{
    expect 0 help options
    no_err
    for word in json threads device decimal thousands seed quiet verbose help; do
        out_has "^  --$word "
    done
    expect 2 options
    err_names 'help options'
}
check "help options prints what every command has in common" help_options

help_solvers()
{
    expect 0 help solvers
    no_err
    for word in exact nystrom features pcg; do
        out_has "^$word +[a-z]"
    done
    [ "$(grep -c '^exact' out)" = 1 ] || fail "exact is not listed once"
}
check "help solvers prints the table of solvers" help_solvers

# The man page is made from the tables: every option of every command, in the synopsis and in the list of the command.
manual_page()
{
    [ "$sanitized" = no ] || skip "it is made of the help of every command, which another case prints"
    "$here/../../scripts/option_texts.py" man "$VOLTERRA" >page 2>err || fail "no man page"
    ! grep -n '^\.\\" @' page || fail "a mark of the template is left"
    for command in $all_commands; do
        table "$command" | sed -E 's/^--output .*/o/; s/^--([a-z-]+).*/-\1/' | sort -u >wanted
        sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' page | awk -v command="$command" '/^\.Cm /{ inside = $2 == command } inside' |
            sed -nE 's/^\.(Op )?Fl ([a-z-]+).*/\2/p' | sort -u >listed
        diff wanted listed >difference || fail "synopsis of $command: $(cat difference)"
        sed -n "/^\.Ss $command\$/,/^\.S[sh] /{/^\.It Fl/p}" page | sed -E 's/^\.It Fl ([a-z-]+).*/\1/' | sort -u >listed
        diff wanted listed >difference || fail "options of $command: $(cat difference)"
    done
    grep -q '^\.It Fl -missing Cm error | drop | interpolate$' page || fail "no choices of --missing"
    grep -q '^\.It Fl -missing Cm skip | hold | error$' page || fail "no choices of --missing in stream"
    # Details of an option that does not exist are an error.
    sed 's/^\.It calendar$/.It calender/' "$here/../../docs/man/volterra.1.in" >template
    "$here/../../scripts/option_texts.py" man "$VOLTERRA" template >wrong 2>err && fail "a wrong name in the template is accepted"
    err_has 'calender'
}
check "the man page has the options and the choices of the tables" manual_page

# Names from library tables are listed in the help of every command that accepts them and in the man page.
names_of_tables()
{
    expect 2 bekk simulate
    presets=$(sed -nE 's/.*\(presets: (.*)\)$/\1/p' err)
    [ -n "$presets" ] || fail "no presets"
    for command in compare simulate bekk; do
        expect 0 help "$command"
        tr -s ' \n' ' ' <out >text
        grep -qF "${presets%, *}" text || fail "help $command has not $presets"
        grep -qF "${presets##*, }" text || fail "help $command has not $presets"
    done
    "$here/../../scripts/option_texts.py" man "$VOLTERRA" >page
    for word in ${presets//,/}; do
        [ "$(grep -c -- "$word" page)" -ge 3 ] || fail "the man page has not $word"
    done
}
check "help and manual page name the presets of the library" names_of_tables

version()
{
    expect 0 --version
    out_has '^volterra [0-9]+\.[0-9]+\.[0-9]+$'
    lines_of out 1
    no_err
}
check "--version" version

no_arguments()
{
    volterra
    [ "$status" -eq 2 ] || fail "status $status, not 2"
    no_out
    err_has '^usage: volterra COMMAND'
    err_has "volterra forecast"
    err_has 'volterra simulate lorenz'
    err_has 'volterra fit'
    # The suggested command works.
    eval "$(sed -n 's/^ *\(try:\)\{0,1\} *volterra \(simulate .*\)$/volterra \2/p' err)"
    [ "$status" -eq 0 ] || fail "the first command it proposes does not work"
    [ -s lorenz.csv ] || fail "the first command it proposes writes nothing"
}
check "no arguments: usage with commands to try" no_arguments

unknown_command()
{
    expect 2 fti
    err_names "'fti'"
    expect 2 help predct
    err_names predict
    expect 2 kernels
    err_names kernels
    expect 2 xylophone
    err_names volterra
    expect 2 --jsn
    err_names --jsn
    expect 2 help fit predict
    local words
    for words in version:--version -v:--version V:--version -version:--version --forecast:forecast train:fit lern:fit \
        hlep:help lst:help kernls:'help kernels' solver:'help solvers' systms:'help systems' completon:completion serch:tune \
        optimise:tune evaluat:score tset:score detec:anomaly generat:simulate; do
        expect 2 "${words%%:*}"
        err_has " ${words#*:}[^a-z]*$" # the line ends with the suggestion
    done
}
check "unknown command: the nearest one is named" unknown_command

help_layout()
{
    command -v python3 >/dev/null || skip "there is no python3"
    python3 -IS "$here/help_pages.py" "$VOLTERRA" >says 2>&1 || fail "$(cat says)"
}
check "help pages have the layout of their tables" help_layout
