# tests/cli/cases/9_readme.sh: commands in documents print what stands there.

# Blocks with a prompt: "$ build/volterra ..." and what follows it; and blocks that begin as the output of a
# command without a prompt does. Words and whole numbers must be the
# same, other numbers to a part in a thousand, and after a chaotic path (--lyapunov) not at all; times of the machine are
# passed over, and a line that ends in "..." is the beginning of one. Comparisons of a preset take minutes: not here.
readme_commands()
{
    command -v python3 >/dev/null || skip "there is no python3"
    command -v gnuplot >/dev/null || skip "there is no gnuplot"
    [ "$sanitized" = no ] || skip "it is numbers, which the plain pass has checked"
    mkdir build
    ln -s "$VOLTERRA" build/volterra
    ln -s "$here/../../examples" examples
    ln -s "$here/../../bench" bench
    cat >check.py <<'END'
import re
import subprocess
import sys

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def blocks(text):
    """Every indented block as (command, lines); command None: lines that something before it printed; lines None:
    what the command prints is not shown with it."""
    found = []
    for block in re.findall(r"(?:^    .*\n(?:\n+(?=    ))?)+", text, re.MULTILINE):
        block = re.sub(r" *\\\n *", " ", re.sub(r"^    ", "", block, flags=re.MULTILINE))
        shown = None if "$ " in block or "build/volterra" in block else (None, [])
        for line in block.splitlines():
            if line.startswith(("$ ", "build/volterra ")):
                shown = (line[2:], []) if line.startswith("$ ") else (line, None)
                found.append(shown)
            elif shown and shown[1] is not None:
                shown[1].append(line)
        if shown and shown[0] is None:
            found.append(shown)
    return found


def same(expected, printed, is_chaotic):
    if expected.endswith("..."):
        printed = printed[: len(expected) - 3] + "..."
    if re.sub(r" +", " ", NUMBER.sub("#", expected)) != re.sub(r" +", " ", NUMBER.sub("#", printed)):
        return False
    for a, b in zip(NUMBER.findall(expected), NUMBER.findall(printed)):
        if "." not in a and "e" not in a:
            if a != b and not is_chaotic:
                return False
        elif not is_chaotic and abs(float(a) - float(b)) > 1e-3 * abs(float(a)):
            return False
    return True


def compare(printed, expected, command):
    if expected and not expected[-1]:
        expected.pop()  # between a command and the next one
    if len(printed) != len(expected):
        sys.exit(f"{len(printed)} lines, and the document has {len(expected)}: {command}")
    for line, told in zip(printed, expected):
        if not line.startswith("time ") and not same(told, line, "--lyapunov" in command):
            sys.exit(f"it prints '{line}', and the document says '{told}': {command}")
    return len(printed)


count = 0
silent = []  # what commands printed of which that is not shown
for command, expected in blocks("".join(open(path).read() for path in sys.argv[1:])):
    if command is None:
        for earlier, printed in silent:
            if printed[0].split()[0] == expected[0].split()[0]:
                count += compare(printed, expected, earlier)
        continue
    if "build/volterra" not in command or command.startswith("build/volterra compare"):
        continue
    run = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300)
    if run.returncode:
        sys.exit(f"status {run.returncode}: {command}: {run.stderr}")
    if expected is not None:
        count += compare(run.stdout.splitlines(), expected, command)
    elif run.stdout:
        silent.append((command, run.stdout.splitlines()))
sys.exit(count < 60 and f"only {count} lines were compared")
END
    python3 check.py "$here/../../README.md" "$here/../../docs/adding_a_kernel.md" \
        "$here/../../docs/identify_a_system.md" >says 2>&1 || fail "$(tail -n 1 says)"
}
check "the README's commands print what it says, and those of two chapters of docs/" readme_commands

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
