# tests/cli/cases/2_completion.sh: shell completion scripts.

# completes WORD...: completions of the last WORD in bash, sorted, on one line
completes()
{
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _volterra
    printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}

# offered WANTED WORD...
offered()
{
    local wanted=$1 got
    shift
    got=$(completes "$@")
    [ "$got" = "$wanted" ] || fail "'$*' is completed to '$got', not to '$wanted'"
}

completion_bash()
{
    expect 0 completion bash
    no_err
    . ./out
    offered 'combine compare completion continue' volterra co
    offered 'fit' volterra 'fi'
    offered '--help' volterra --h
    offered 'bash' volterra completion b
    offered 'kernels' volterra help k
    offered 'systems' volterra help sy
    offered 'solvers' volterra help so
    offered 'options' volterra help o
    offered 'drop' volterra fit --missing d
    offered 'drop error interpolate' volterra fit --missing =
    offered 'interpolate' volterra fit --missing = i
    offered 'sig sigmoid sigpde' volterra fit --x x.csv --kernel sig
    offered 'lorenz lorenz96' volterra simulate lor
    offered '--washout' volterra fit --x x.csv --wash
    offered '' volterra fit --x ''        # files are left to the shell
    offered '' volterra simulate -o lor   # after the short option as after the long one
    offered '' volterra simulate --output lor
    offered '' volterra simulate --length '' # and so are numbers
    offered '' volterra nothing ''
    # Every option of the help is offered, and no other.
    local command
    for command in $all_commands; do
        completes volterra "$command" -- | tr ' ' '\n' >got
        "$VOLTERRA" help "$command" | grep -oE '^  (-[a-z], )?--[a-z-]+' | grep -oE '[-]-[a-z-]+$' | sort -u >wanted
        diff wanted got >difference || fail "$command: $(cat difference)"
    done
}
check "completion bash: commands, options, words of tables" completion_bash

completion_zsh()
{
    local command
    expect 0 completion zsh
    no_err
    cp out script
    for command in $all_commands; do
        grep -qE "(^|[ '])${command}[:) ']" script || fail "no $command"
    done
    ! grep -E "^ +'[a-z]+:'$" script >bare || fail "nothing is said of $(head -n 1 bare)"
    grep -q 'error drop interpolate' script || fail "no words of --missing"
    ! command -v zsh >/dev/null || zsh -n script 2>said || fail "zsh does not read it: $(cat said)"
}
check "completion zsh: every command, a valid script" completion_zsh

completion_wrong()
{
    expect 0 help completion
    out_has 'usage: volterra completion bash'
    expect 0 completion --help
    out_has 'usage: volterra completion bash'
    expect 2 completion
    err_names bash zsh
    expect 2 completion bash zsh
    expect 2 completion tcsh
    err_names "'tcsh'"
    expect 2 completon bash
    err_names completion
}
check "completion: missing or unknown shell" completion_wrong
