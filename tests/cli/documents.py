"""tests/cli/documents.py: commands in documents print the documented output.

    documents.py LINES FILE...     run the commands of the files, one after the other, in an empty folder with links to
                                   the program ($VOLTERRA, or build/volterra), examples and bench; fails where fewer
                                   than LINES lines were compared
    documents.py --record FILE...  run them, each file in a folder of its own, and rewrite the output that differs

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

import contextlib
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n(?:\n+(?=    ))?)+)", re.MULTILINE | re.DOTALL)
DURATION = re.compile(r"time +[\d.e+]+ (us|ms|s|min|h)\b")  # depends on the machine
PROGRESS = re.compile(r"volterra \w+: \d+% done")  # of a machine that is busy
MESSAGE = re.compile(r"volterra( \w+)?: (?!warning: )")


class Command:
    """A command of a document; text None: lines that an earlier one printed; lines None: not shown with it."""

    def __init__(self, text, lines, is_terminal, first=0):
        self.text, self.lines, self.is_terminal = text, lines, is_terminal
        self.first = first  # line of the document with the first of the lines


def commands_of(document):
    found = []
    for match in BLOCK.finditer(document):
        language, fenced, indented = match.groups()
        if fenced and language != "console":
            continue
        at = document.count("\n", 0, match.start(2 if fenced else 3))
        block = fenced or re.sub(r"^    ", "", indented, flags=re.MULTILINE)
        is_output = not fenced and "$ " not in block and "build/volterra" not in block
        shown = Command(None, [], False, at) if is_output else None
        for line in re.findall(r"(?:.*\\\n)*.*\n?", block)[:-1]:
            at += line.count("\n")
            line = re.sub(r" *\\\n *", " ", line).rstrip("\n")
            if line.startswith("$ "):
                shown = Command(line[2:], [], bool(fenced), at)
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


def run_commands(document, silent, compare):
    """Run the commands; compare(command, printed, text) gets what each of them printed."""
    for command in commands_of(document):
        if command.text is None:
            for earlier, printed in silent:
                if printed[0].split()[0] == command.lines[0].split()[0]:
                    compare(command, printed, earlier)
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
            compare(command, printed, command.text)
        elif printed:
            silent.append((command.text, printed))


def check(path, silent):
    """Run the commands of one document; the number of lines that were compared."""
    counts = []

    def compare(command, printed, text):
        wrong = difference(command.lines, printed, "--lyapunov" in text)
        if wrong:
            sys.exit(f"{wrong}: {text}")
        counts.append(len(command.lines))

    run_commands(path.read_text(encoding="utf-8"), silent, compare)
    return sum(counts)


# ---- recording -----------------------------------------------------------------------------------


def recorded_line(told, printed, is_chaotic):
    """The printed line; numbers and beginnings of lines that agree with it stay as they are."""
    if told.endswith("..."):
        if agree(told, printed, is_chaotic):
            return told
        end = r"\S*" if told.endswith(" ...") else ""
        return re.match(rf".{{{len(told) - 3}}}{end}|.*", printed)[0] + "..."
    if DURATION.match(told) and DURATION.match(printed):
        return told
    numbers = NUMBER.findall(told)

    def earlier(match):
        for at, number in enumerate(numbers):
            lengths = len(number), len(match[0])
            if (lengths[0] == lengths[1] or min(lengths) > 9) and same_line(number, match[0], is_chaotic):
                del numbers[: at + 1]
                return number
        return match[0]

    return NUMBER.sub(earlier, printed)


def likeness(told, printed, is_chaotic):
    """How well two lines match: 3 (they agree), more than 1 (same first word), less (at least half of the words), or 0."""
    if agree(told, printed, is_chaotic):
        return 3
    words, other = told.rstrip(".").split() or [""], printed.split() or [""]
    ratio = difflib.SequenceMatcher(None, words, other[: len(words)] if told.endswith("...") else other).ratio()
    return (words[0] == other[0]) + ratio * (words[0] == other[0] or ratio > 0.5)


def pairs_of(told, printed, is_chaotic):
    """Pairs of positions, both ascending, with the largest sum of likenesses."""
    best = [[(0, ())] * (len(printed) + 1) for _ in range(len(told) + 1)]
    for i, line in enumerate(told):
        for j, other in enumerate(printed):
            value = line != "..." and likeness(line, other, is_chaotic)
            choices = [best[i][j + 1], best[i + 1][j]]
            if value:
                choices.append((best[i][j][0] + value, (best[i][j][1], (i, j))))
            best[i + 1][j + 1] = max(choices, key=lambda choice: choice[0])
    chain, pairs = best[-1][-1][1], []
    while chain:
        chain, pair = chain
        pairs.append(pair)
    return dict(reversed(pairs))


def recorded(told, printed, is_chaotic):
    """The lines that replace those of the document: those printed, without what "..." omits."""
    end = len(told)
    while end and not told[end - 1]:
        end -= 1  # between a command and the next one
    blank, told = told[end:], told[:end]
    pairs = pairs_of(told, printed, is_chaotic)
    old_of = {j: i for i, j in pairs.items()}
    lines, begin = [], 0
    while True:
        end = told.index("...", begin) if "..." in told[begin:] else len(told)
        found = [pairs[i] for i in range(begin, end) if i in pairs]
        first = 0 if begin == 0 else min(found, default=len(printed))
        last = len(printed) if end == len(told) else max(found, default=first - 1) + 1
        lines += [
            recorded_line(told[old_of[j]], printed[j], is_chaotic) if j in old_of else printed[j]
            for j in range(first, last)
        ]
        if end == len(told):
            is_same = [line.split() for line in lines] == [line.split() for line in told]
            return (told if is_same else lines) + blank
        lines.append("...")
        begin = end + 1


def record(path):
    """Rewrite the output in a document; returns whether all its commands ran."""
    document = path.read_text(encoding="utf-8")
    lines, changes = document.split("\n"), {}

    def compare(command, printed, text):
        new = recorded(command.lines, printed, "--lyapunov" in text)
        if new != command.lines and not (command.text is None and command.first in changes):
            indent = "" if command.is_terminal else "    "
            changes[command.first] = (len(command.lines), [(indent + line).rstrip() for line in new])

    failure = None
    try:
        run_commands(document, [], compare)
    except (SystemExit, subprocess.TimeoutExpired) as error:
        failure = error
        print(f"{path}: {error}: later commands did not run", file=sys.stderr)
    for first, (count, new) in sorted(changes.items(), reverse=True):
        lines[first : first + count] = new
    if changes:
        path.write_text("\n".join(lines), encoding="utf-8")
        print(f"{path}: {len(changes)} outputs")
    return not failure


@contextlib.contextmanager
def empty_folder():
    """A folder as that of the project after a build, in which commands may write."""
    program = pathlib.Path(os.environ.get("VOLTERRA", ROOT / "build/volterra")).resolve()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("build")
        for name, target in (
            ("build/volterra", program),
            ("examples", ROOT / "examples"),
            ("bench", ROOT / "bench"),
        ):
            os.symlink(target, name)
        os.environ["PATH"] = f"{folder}/build:{os.environ['PATH']}"
        yield
        os.chdir(before)


def main(least, *names):
    paths = [pathlib.Path(name).resolve() for name in names]
    if least == "--record":
        all_ran = True
        for path in paths:
            with empty_folder():
                all_ran = record(path) and all_ran
        return not all_ran
    with empty_folder():
        silent = []  # what commands printed of which that is not shown
        compared = sum(check(path, silent) for path in paths)
    return compared < int(least) and f"only {compared} lines were compared"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
