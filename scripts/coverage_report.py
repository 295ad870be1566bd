#!/usr/bin/env python3
"""Covered lines and branches by folder, and uncovered lines without a documented reason.

    coverage_report.py COUNTS LEFT UNCOVERED

COUNTS is what ``gcovr --json`` wrote. LEFT holds lines ``file:function: reason`` (``*`` for every function of a
file); others are comments when they begin with ``#``. UNCOVERED is written: each line that did not run and each line with a
branch that was never taken. The status is 1 when a line did not run and LEFT has no reason for it.
"""

import json
import sys
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path


def read_reasons(path):
    """{(file, function): reason}"""
    reasons = {}
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        place, _, reason = line.partition(": ")
        file, _, function = place.partition(":")
        if not function or not reason.strip() or not Path(file).is_file():
            sys.exit(f"{path}:{number}: not `file:function: reason` with a file that is there: {line}")
        reasons[file, function] = reason.strip()
    return reasons


def counted_lines(record):
    """The lines of one file that hold code: (number, count, branches, function)."""
    functions = sorted((function["lineno"], function["name"]) for function in record.get("functions", []))
    starts = [start for start, _ in functions]
    for line in record["lines"]:
        if line.get("gcovr/noncode") or line.get("gcovr/excluded"):
            continue
        before = bisect_right(starts, line["line_number"]) - 1
        function = functions[before][1] if before >= 0 else "?"
        yield line["line_number"], line["count"], line["branches"], function


def share(part, whole):
    return f"{100 * part / whole if whole else 100:7.2f} % {part:6d} of {whole:6d}"


def main(counts, left, uncovered):
    reasons = read_reasons(left)
    sums = defaultdict(lambda: [0, 0, 0, 0])  # folder: lines that ran, lines, branches taken, branches
    missed, unexplained, used = [], [], set()
    for record in json.loads(Path(counts).read_text())["files"]:
        file = record["file"]
        source = Path(file).read_text().splitlines()
        for number, count, branches, function in counted_lines(record):
            taken = sum(branch["count"] > 0 for branch in branches)
            for folder in ("src", str(Path(file).parents[-3])):
                for i, one in enumerate((count > 0, 1, taken, len(branches))):
                    sums[folder][i] += one
            place = f"{file}:{number}: {function}: {source[number - 1].strip()}"
            if count == 0:
                missed.append(f"line     {place}")
                names = {(file, function), (file, "*")} & set(reasons)
                used |= names
                if not names:
                    unexplained.append(place)
            elif taken < len(branches):
                missed.append(f"{taken} of {len(branches):2d}  {place}")

    Path(uncovered).write_text("".join(line + "\n" for line in missed))
    print(f"{'folder':14}{'lines that ran':>26}{'branches taken':>28}")
    for folder, (ran, lines, taken, branches) in sorted(sums.items()):
        print(f"{folder:14}{share(ran, lines):>26}{share(taken, branches):>28}")
    for file, function in sorted(set(reasons) - used):
        print(f"{left}: {file}:{function} ran as a whole: the line can go")
    if unexplained:
        print(f"{len(unexplained)} lines did not run, and {left} gives no reason:")
        print("".join(f"    {place}\n" for place in unexplained), end="")
    return 1 if unexplained else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
