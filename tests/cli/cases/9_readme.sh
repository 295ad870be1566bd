# tests/cli/cases/9_readme.sh: commands in documents print the output shown there.

# documents.py has the rules. Each page is a separate case and must work by itself.
commands_of() # LINES FILE...: run the commands of the files; at least LINES lines are compared
{
    command -v python3 >/dev/null || skip "there is no python3"
    [ "$sanitized" = no ] || skip "it is numbers, which the plain pass has checked"
    VOLTERRA=$VOLTERRA python3 -B "$here/documents.py" "$@" >says 2>&1 || fail "$(tail -n 1 says)"
}

page_commands() { commands_of "$least" "$here/../../$page"; }
for page in 15:README.md 30:docs/first_steps.md 15:docs/paper.md 15:docs/universality.md 1:docs/adding_a_kernel.md; do
    least=${page%%:*} page=${page#*:}
    check "the commands of $page print the output shown" page_commands
done
least=8
for page in "$here"/../../docs/tasks/*.md; do
    page=docs/tasks/${page##*/}
    check "the commands of $page print the output shown" page_commands
done

# Every kernel and every command has a row, and the README gives the number of kernels.
documents_complete()
{
    local readme=$here/../../README.md docs=$here/../../docs name kernels=0
    local words=(no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen)
    volterra help kernels
    for name in $(grep -E '^[a-z0-9]+$' out); do
        kernels=$((kernels + 1))
        grep -qE "^\| \`$name\` \| \`$name:" "$docs/kernels.md" || fail "the table of docs/kernels.md has no kernel $name"
    done
    [ "$(grep -cE '^\| `[a-z]+` \| `[a-z]+:' "$docs/kernels.md")" -eq "$kernels" ] || fail "there are $kernels kernels"
    tr '\n' ' ' <"$readme" | grep -q "and ${words[$kernels - 1]} other kernels" ||
        fail "the README does not say ${words[$kernels - 1]} other kernels"
    for name in $all_commands help completion; do
        grep -qE "^\| .*\`volterra ${name}[ \`].* \|" "$docs/which_command.md" || fail "docs/which_command.md has no command $name"
    done
}
check "the documents have every kernel and every command" documents_complete

# `COMMAND --option` in the page on the paper is an option of that command.
paper_options_exist()
{
    local command option checked=0
    while read -r command option; do
        checked=$((checked + 1))
        volterra help "$command"
        grep -qE "^ .*$option( |,|$)" out || fail "docs/paper.md: volterra $command has no option $option"
    done < <(grep -oE '`[a-z]+ --[a-z-]+' "$here/../../docs/paper.md" | tr -d '`' | sort -u)
    [ "$checked" -ge 15 ] || fail "only $checked options were checked"
}
check "the options in docs/paper.md exist" paper_options_exist
