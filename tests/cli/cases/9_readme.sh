# tests/cli/cases/9_readme.sh: commands in documents print the output shown there.

# documents.py has the rules. Each page of docs/tasks is a case of its own: it must work alone, in a fresh folder.
commands_of() # LINES FILE...: run the commands of the files; at least LINES lines are compared
{
    command -v python3 >/dev/null || skip "there is no python3"
    command -v gnuplot >/dev/null || skip "there is no gnuplot"
    [ "$sanitized" = no ] || skip "it is numbers, which the plain pass has checked"
    mkdir build
    ln -s "$VOLTERRA" build/volterra
    ln -s "$here/../../examples" examples
    ln -s "$here/../../bench" bench
    PATH=$PWD/build:$PATH python3 -B "$here/documents.py" "$@" >says 2>&1 || fail "$(tail -n 1 says)"
}

readme_commands() { commands_of 60 "$here/../../README.md" "$here/../../docs/adding_a_kernel.md"; }
check "the README's commands print what it says, and those of a chapter of docs/" readme_commands

task_commands() { commands_of 8 "$page"; }
for page in "$here"/../../docs/tasks/*.md; do
    check "the commands of docs/tasks/${page##*/} print what it says" task_commands
done

# Every kernel and every command has its row, and the number of kernels is right where it is said.
readme_counts()
{
    local readme=$here/../../README.md name kernels=0
    local words=(no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen)
    volterra help kernels
    for name in $(grep -E '^[a-z0-9]+$' out); do
        kernels=$((kernels + 1))
        grep -qE "^\| \`$name\` \| \`$name:" "$readme" || fail "the README's table has no kernel $name"
    done
    [ "$(grep -cE '^\| `[a-z]+` \| `[a-z]+:' "$readme")" -eq "$kernels" ] || fail "there are $kernels kernels"
    tr '\n' ' ' <"$readme" | grep -q "and ${words[$kernels - 1]} other kernels of rows" ||
        fail "the README does not say ${words[$kernels - 1]} other kernels"
    volterra help
    for name in $(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out); do
        grep -qE "^\| .*\`$name\`.* \|" "$readme" || fail "the README's table has no command $name"
    done
}
check "the README has every kernel and every command" readme_counts
