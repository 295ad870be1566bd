# tests/cli/cases/1_help.sh: help, version, and the first word of the command line.

all_commands="forecast compare simulate fit tune predict continue stream explain classify anomaly gram score mcs bekk plan info"

# same_help FILE: `out` is the stored text (the version may change)
same_help()
{
    sed -E 's/^volterra [0-9]+\.[0-9]+\.[0-9]+:/volterra VERSION:/' out >text
    [ -z "${UPDATE_EXPECTED:-}" ] || cp text "$here/expected/$1"
    diff -u "$here/expected/$1" text >difference || fail "$(cat difference)"
}

help_overview()
{
    expect 0 help
    no_err
    same_help help.txt
    expect 0 --help
    same_help help.txt
}
check "help lists the commands" help_overview

help_of_command()
{
    expect 0 help "$command"
    no_err
    same_help "help-$command.txt"
    expect 0 "$command" --help
    same_help "help-$command.txt"
    expect 0 "$command" --no-such-option -h
    same_help "help-$command.txt"
}
for command in $all_commands; do
    check "help $command is $command --help" help_of_command
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
        # What it says of one kernel is what it says of it among all.
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
    # The lifts of volterra are those of its table, each with its formula.
    for word in geometric even exponential poly:P rbf; do
        out_has "one of .*$word"
        out_has "^    $word +(1|exp).*  +(1|exp)"
    done
    awk 'length > 100 { exit 1 }' out || fail "a line is longer than 100 characters"
    expect 2 help kernels gakk
    err_has "^volterra: there is no kernel 'gakk'; did you mean gak\?$"
    expect 2 help kernels xylophone
    err_has 'volterra help kernels lists them'
    expect 2 help kernels rbf gak
    err_has 'one kernel at a time'
}
check "help kernels prints the table of kernels, or one of them" help_kernels

# The SYNOPSIS of the manual page, all forms of a command together: one line "--name" or "--name a|b|c" an option.
manual_options()
{
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$here/../../docs/man/volterra.1" |
        awk -v command="$1" '/^\.Cm /{ inside = $2 == command } inside' |
        sed -E 's/ Fl /\nFl /g; s/^\.(Op )?//' | grep '^Fl ' |
        sed -E 's/^Fl o .*/--output/; s/^Fl -([a-z-]+) Cm ([^ ]+( \| [^ ]+)+).*/--\1 \2/; s/^Fl -([a-z-]+).*/--\1/; s/ \| /|/g' |
        sort -u
}

# The same of the help; what the options of every command are is said once.
help_options()
{
    sed -n '/^options:/,/^options of every/p' out | grep -oE '^  (-[a-z], )?--[a-z-]+( [^ ]*\|[^ ]*)?' |
        sed -E 's/^ *(-[a-z], )?//' | sort -u
}

manual_page()
{
    for command in $all_commands; do
        expect 0 help "$command"
        # Every command with --missing has the same words, but for stream: the page calls them a policy, and lists both once.
        help_options | sed 's/^--missing .*/--missing/' >help_list
        manual_options "$command" >manual_list
        diff -u manual_list help_list >difference || fail "$command: $(cat difference)"
    done
    sed -nE 's/^\.It Fl -missing Cm //p' "$here/../../docs/man/volterra.1" | sed 's/ | /|/g; s/|/\\|/g' >policies
    lines_of policies 2
    expect 0 help fit
    out_has "^  --missing $(sed -n 1p policies)( |$)"
    expect 0 help stream
    out_has "^  --missing $(sed -n 2p policies)( |$)"
}
check "the manual page has the options and the choices of the help" manual_page

# Names that a table of the library gives stand in the help of every command that takes them, and in the manual page.
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
    for word in ${presets//,/}; do
        [ "$(grep -c -- "$word" "$here/../../docs/man/volterra.1")" -ge 3 ] || fail "the manual page has not $word"
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
    # What it proposes works.
    eval "$(sed -n 's/^ *\(try:\)\{0,1\} *volterra \(simulate .*\)$/volterra \2/p' err)"
    [ "$status" -eq 0 ] || fail "the first command it proposes does not work"
    [ -s lorenz.csv ] || fail "the first command it proposes writes nothing"
}
check "no arguments: usage with commands to try" no_arguments

unknown_command()
{
    expect 2 fti
    err_has "^volterra: there is no command 'fti'; did you mean fit\?$"
    expect 2 help predct
    err_has 'did you mean predict\?'
    expect 2 kernels
    err_has 'did you mean help kernels\?'
    expect 2 xylophone
    err_has 'volterra help lists the commands'
    expect 2 --jsn
    expect 2 help fit predict
}
check "unknown command with the nearest" unknown_command
