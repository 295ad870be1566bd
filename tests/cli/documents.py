"""tests/cli/documents.py: commands in documents print the documented output.

    documents.py LINES FILE...     run the commands of the files, one after the other, in this folder;
                                   fails where fewer than LINES lines were compared

Commands are in indented blocks, and in fenced ones that are called console:

- "$ command" and what follows it: what it prints. Of a fenced block that is what a terminal shows, messages
  (standard error) after results; a command may fail there if its last line is a message.
- "build/volterra ..." without a prompt: its output is not shown. A later indented block without a
  command that begins with the same word is its output.

Words and whole numbers must be the same, other numbers to a part in a thousand, and after a chaotic path
(--lyapunov) not at all; times of the machine are passed over. A line that ends in "..." is the beginning of one, and
a line "..." matches any lines. Comparisons of a preset take minutes: not here.

The tests of the Python package compare what blocks of Python print in the same way.
"""

import re
import subprocess
import sys

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n(?:\n+(?=    ))?)+)", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"time +[\d.e+]+ (us|ms|s|min|h)\b")  # depends on the machine
PROGRESS = re.compile(r"volterra \w+: \d+% done")  # of a machine that is busy
MESSAGE = re.compile(r"volterra( \w+)?: (?!warning: )")


class Command:
    """A command of a document; text None: lines that an earlier one printed; lines None: not shown with it."""

    def __init__(self, text, lines, is_terminal):
        self.text, self.lines, self.is_terminal = text, lines, is_terminal


def commands_of(document):
    found = []
    for language, fenced, indented in BLOCK.findall(document):
        if fenced and language != "console":
            continue
        block = fenced or re.sub(r"^    ", "", indented, flags=re.MULTILINE)
        block = re.sub(r" *\\\n *", " ", block)
        is_output = not fenced and "$ " not in block and "build/volterra" not in block
        shown = Command(None, [], False) if is_output else None
        for line in block.splitlines():
            if line.startswith("$ "):
                shown = Command(line[2:], [], bool(fenced))
            elif line.startswith("build/volterra ") and not fenced:
                shown = Command(line, None, False)
            else:
                if shown and shown.lines is not None:
                    shown.lines.append(line)
                continue
            found.append(shown)
        if is_output:
            found.append(shown)
    return found


def same_line(told, printed, is_chaotic=False):
    if told.endswith("..."):
        printed = printed[: len(told) - 3] + "..."
    if re.sub(r" +", " ", NUMBER.sub("#", told)) != re.sub(r" +", " ", NUMBER.sub("#", printed)):
        return False
    for a, b in zip(NUMBER.findall(told), NUMBER.findall(printed)):
        if "." not in a and "e" not in a:
            if a != b and not is_chaotic:
                return False
        elif not is_chaotic and abs(float(a) - float(b)) > 1e-3 * abs(float(a)):
            return False
    return True


def find(told, printed, begin, is_chaotic):
    """Positions of lines among those printed, from ``begin`` on; None: nowhere."""
    for at in range(begin, len(printed) - len(told) + 1):
        if all(agree(a, b, is_chaotic) for a, b in zip(told, printed[at : at + len(told)])):
            return at
    return None


def agree(told, printed, is_chaotic):
    return bool(DURATION.match(told) and DURATION.match(printed)) or same_line(told, printed, is_chaotic)


def difference(told, printed, is_chaotic=False):
    """Describes differences of the printed lines, or returns None."""
    parts = [[]]
    for line in told:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    while parts[-1] and not parts[-1][-1]:
        parts[-1].pop()  # between a command and the next one
    n_told = sum(map(len, parts))
    if len(printed) < n_told or (len(parts) == 1 and len(printed) > n_told):
        return f"{len(printed)} lines, and the document has {n_told}: {printed}"
    at = 0
    for i, part in enumerate(parts):
        is_first, is_last = i == 0, i == len(parts) - 1
        if is_first or is_last:  # at the beginning, or at the end
            at = 0 if is_first else len(printed) - len(part)
            for expected, line in zip(part, printed[at:]):
                if not agree(expected, line, is_chaotic):
                    return f"it prints '{line}', and the document says '{expected}'"
        else:
            at = find(part, printed, at, is_chaotic)
            if at is None:
                return f"it does not print '{part[0]}', which the document says"
        at += len(part)
    return None


def check(path, silent):
    """Run the commands of one document; the number of lines that were compared."""

    def compare(told, printed, command):
        wrong = difference(told, printed, "--lyapunov" in command)
        if wrong:
            sys.exit(f"{wrong}: {command}")
        return len(told)

    count = 0
    for command in commands_of(open(path, encoding="utf-8").read()):
        if command.text is None:
            for earlier, printed in silent:
                if printed[0].split()[0] == command.lines[0].split()[0]:
                    count += compare(command.lines, printed, earlier)
            continue
        if not command.is_terminal and (
            "build/volterra" not in command.text or command.text.startswith("build/volterra compare")
        ):
            continue
        run = subprocess.run(command.text, shell=True, capture_output=True, text=True, timeout=300, check=False)
        printed = run.stdout.splitlines()
        if command.is_terminal:
            printed += [line for line in run.stderr.splitlines() if not PROGRESS.match(line)]
        may_fail = command.is_terminal and command.lines and MESSAGE.match(command.lines[-1])
        if run.returncode and not may_fail:
            sys.exit(f"status {run.returncode}: {command.text}: {run.stderr.strip()}")
        if command.lines is not None:
            count += compare(command.lines, printed, command.text)
        elif printed:
            silent.append((command.text, printed))
    return count


if __name__ == "__main__":
    silent = []  # what commands printed of which that is not shown
    compared = sum(check(path, silent) for path in sys.argv[2:])
    sys.exit(compared < int(sys.argv[1]) and f"only {compared} lines were compared")
