#!/usr/bin/env python3
"""tests/cli/figures.py: compare the numbers and names in text files with a reference.

    figures.py REFERENCE TOLERANCE FILE...        VOLT_RECORD=1 writes the reference instead

The reference has the number of lines of each file and, of each line, the values in order: numbers, colours, options
(--name), keys and words in double quotes, values of one word in a report, fields of a CSV line, and all words of a plot's
script or of C. Sentences are not compared. Of a long table (or line) there are the first and the last row, the number
of rows, and sums over the rows: of the absolute values, and of the positive ones with weights that grow from 1 to 2.

Two whole numbers must be equal. Others may differ by one unit of the last printed digit (at most 2 %), by the relative
TOLERANCE or by 1e-9, because the order of summation depends on the machine. Running times ("0.02 s"), times of day, style
sheets and the origin of a page are ignored.
"""

import math
import os
import re
import sys

NUMBER = re.compile(r"#[0-9a-f]{6}\b|(?<![\w.#])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|NaN|inf)(?!\w)(?!\.\d)")
NAME = re.compile(r'"[^"\s/]+"|--[a-z][a-z-]*|(?<=: )(?:true|false|null)\b|(?<=  )[^\s/]+$|^\w[^\s,]*(?:,[^\s,]*)+$')
CODE = re.compile(r"[^\s,]+")
IGNORED = re.compile(r"<style>.*?</style>|<dl.*?</dl>|\d{4}-\d\d-\d\d \d\d:\d\d|[\d.]+ (?:s|ms|us|min|h)\b|"
                     r'by volterra [\d.]+|"\w*(?:seconds|flops|parallel|version)\w*": [^,}\n]*', re.S)
LONG = 6  # rows of a table
WIDE = 30  # numbers of a line


def values_of(line, pattern):
    """The numbers and names of a line. The text of a name that contains numbers comes before them."""
    values, end = [], 0
    for match in pattern.finditer(line):
        values += NUMBER.findall(line[end:match.start()])
        end = match.end()
        for word in match.group().split(","):
            rest = NUMBER.sub("", word).replace(" ", "")
            values += ([rest] if rest else []) + NUMBER.findall(word)
    return values + NUMBER.findall(line[end:])


def numbers_of(path):
    """["name: N lines", numbers and names of a line, ...]"""
    pattern = CODE if path.endswith((".gp", ".c", ".h")) else NAME
    with open(path, encoding="utf-8") as file:
        text = IGNORED.sub(lambda match: "\n" * match.group().count("\n"), file.read())
    lines = text.split("\n")
    found, table = [f"{os.path.basename(path)}: {len(lines) - 1} lines"], []
    for line in lines + [""]:
        words = NUMBER.findall(line)
        is_row = bool(words) and not re.sub(r"[\s,]", "", NUMBER.sub("", line)) and "#" not in line
        if table and (not is_row or len(words) != len(table[0])):
            found += summary(table) if len(table) > LONG else map(" ".join, table)
            table = []
        if is_row:
            table.append(words)
        elif len(words) > WIDE and "#" not in line:
            found += summary([[word] for word in words])
        elif values := values_of(line, pattern):
            found.append(" ".join(values))
    return found


def summary(table):
    values = [[v if math.isfinite(v) else 0 for v in map(float, row)] for row in table]
    sums = [sum(abs(v) for v in column) for column in zip(*values)]
    weighted = [sum((1 + i / len(column)) * max(v, 0) for i, v in enumerate(column)) for column in zip(*values)]
    return [" ".join(table[0]), " ".join(table[-1]), f"{len(table)} rows " + " ".join(f"{v:.5e}" for v in sums + weighted)]


def is_whole(word):
    return re.fullmatch(r"[-+]?\d+", word) or not math.isfinite(float(word))


def allowed(word, other, tolerance):
    if is_whole(word):
        return 0 if is_whole(other) else 1e-9
    value = abs(float(word))
    mantissa, _, exponent = word.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return max(tolerance * value, min(1.01 * unit, 0.02 * value), 1e-9)


def is_same(wanted, found, tolerance):
    words, others = wanted.split(), found.split()
    if len(words) != len(others):
        return False
    return all(word == other or (NUMBER.fullmatch(word) and NUMBER.fullmatch(other) and "#" not in word + other and
                                 abs(float(word) - float(other)) <= allowed(word, other, tolerance))
               for word, other in zip(words, others))


def main():
    reference, tolerance, *paths = sys.argv[1:]
    found = [line for path in paths for line in numbers_of(path)]
    if os.environ.get("VOLT_RECORD"):
        with open(reference, "w", encoding="utf-8") as file:
            file.write("\n".join(found) + "\n")
        return 0
    with open(reference, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    place = ""
    for one, other in zip(wanted, found):
        place = one if re.search(r": \d+ lines$", one) else place
        if not is_same(one, other, float(tolerance)):
            print(f"{os.path.basename(reference)}, {place}: '{one}' expected, '{other}' found")
            return 1
    if len(wanted) != len(found):
        print(f"{os.path.basename(reference)}: {len(wanted)} lines of numbers expected, {len(found)} found")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
