#!/usr/bin/env python3
"""tests/cli/figures.py: compare the text files that the program writes with a reference.

    figures.py REFERENCE TOLERANCE FILE...        VOLT_RECORD=1 writes the reference instead

The reference has the number of lines of each file, and a line for each line of the file with anything to compare:

- reports, tables and pages: the line itself with its spaces, so that the layout is compared;
- messages of the program ("volterra: ..."): numbers, options (--name) and words in double quotes, no sentences;
- CSV and JSON: the same, keys and fields; the keys of a JSON object are compared in alphabetical order;
- plots: their texts, and for each path its colour, the number of its coordinates and their sum;
- C: all words.

Of a long table (or line) there are the first and the last row, the number of rows, and sums over the rows: of the
absolute values, and of the positive ones with weights that grow from 1 to 2.

Two whole numbers must be equal. Others may differ by one unit of the last printed digit (at most 2 %), by the relative
TOLERANCE or by 1e-9, because the order of summation depends on the machine. The spaces of a report are compared if its
numbers have the same lengths. Running times ("0.02 s"), times of day, directories, style sheets and the origin of a page
are ignored.
"""

import json
import math
import os
import re
import sys

NUMBER = re.compile(r"#[0-9a-f]{6}\b|(?<![\w.#])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|NaN|inf)(?!\w)(?!\.\d)")
NAME = re.compile(r'"[^"\s/]+"|--[a-z][a-z-]*|(?<=: )(?:true|false|null)\b|(?<=  )[^\s/]+$|^\w[^\s,]*(?:,[^\s,]*)+$')
CODE = re.compile(r"[^\s,]+")
VALUES = re.compile(r'volterra( [a-z]+)?: |\s*["\[\]{}]')  # messages and JSON, also in a file with reports
IGNORED = re.compile(r"<style[^>]*>.*?</style>|<dl.*?</dl>|\d{4}-\d\d-\d\d \d\d:\d\d|[\d.]+ (?:s|ms|us|min|h)\b|"
                     r'by volterra [\d.]+|"\w*(?:seconds|flops|parallel|version)\w*": [^,}\n]*', re.S)
DIRECTORY = re.compile(r"(?<![^\s\"'=])/[^\s:\"']*/")
IGNORED_MARK = "~"
DIGITS = "\x01"  # before the digits of a number of JSON, which stay as printed
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


def with_sorted_keys(text):
    """The text with the keys of each JSON object (or objects, one per line) that begins a line in alphabetical order."""
    mark = lambda digits: DIGITS + digits
    decoder = json.JSONDecoder(parse_float=mark, parse_int=mark)
    parts, end = [], 0
    for match in re.finditer(r"^\{", text, re.M):
        if match.start() < end:
            continue
        try:
            value, after = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError:
            continue
        printed = json.dumps(value, indent=2 if "\n" in text[match.start():after] else None, sort_keys=True, ensure_ascii=False)
        printed = re.sub(r"\[[^][{}]*\]", lambda array: " ".join(array.group().split()), printed)
        parts += [text[end:match.start()], re.sub(r'"\\u0001([^"]*)"', r"\1", printed)]
        end = after
    return "".join(parts) + text[end:]


def plot_line(line):
    """A line of an SVG without places of texts, rules and panels, which follow from the sizes of fonts and panels."""
    if match := re.fullmatch(r"<text[^>]*>(.*)</text>", line):
        return re.sub("<title>.*", "", match[1])
    if match := re.fullmatch(r'<path class="(c\d)".* d="([^"]*)"/>', line):
        numbers = [abs(float(word)) for word in re.findall(r"-?\d+(?:\.\d+)?", match[2])]
        return f"{match[1]}: {len(numbers)} coordinates, sum {sum(numbers):.3e}"
    return "" if re.match(r"</?(svg|g)\b|<path class=.(grid|axis)", line) else line


def values_of_file(path):
    """["name: N lines", ...]: pairs of a text and whether it is a line of a report"""
    pattern = CODE if path.endswith((".c", ".h")) else NAME
    is_report = pattern is NAME and not path.endswith((".csv", ".json"))
    with open(path, encoding="utf-8") as file:
        text = IGNORED.sub(lambda match: IGNORED_MARK * is_report + "\n" * match.group().count("\n"), with_sorted_keys(file.read()))
    lines = [plot_line(line) for line in DIRECTORY.sub("", text).split("\n")]
    found, table = [(f"{os.path.basename(path)}: {len(lines) - 1} lines", False)], []
    for line in lines + [""]:
        words = NUMBER.findall(line)
        is_row = bool(words) and not re.sub(r"[\s,]", "", NUMBER.sub("", line)) and "#" not in line
        if table and (not is_row or len(words) != len(table[0][1])):
            found += summary(table, is_report) if len(table) > LONG else rows_of(table, is_report)
            table = []
        if is_row:
            table.append((line, words))
        elif len(words) > WIDE and "#" not in line:
            found += summary([(word, [word]) for word in words], False)
        elif is_report and not VALUES.match(line):
            found += [(line.rstrip(), True)] * bool(line.strip())
        elif values := values_of(line, pattern):
            found.append((" ".join(values), False))
    return found


def rows_of(table, is_report):
    return [(line.rstrip(), True) if is_report and "," not in line else (" ".join(words), False) for line, words in table]


def summary(table, is_report):
    values = [[v if math.isfinite(v) else 0 for v in map(float, words)] for _, words in table]
    sums = [sum(abs(v) for v in column) for column in zip(*values)]
    weighted = [sum((1 + i / len(column)) * max(v, 0) for i, v in enumerate(column)) for column in zip(*values)]
    return rows_of([table[0], table[-1]], is_report) + [
        (f"{len(table)} rows " + " ".join(f"{v:.5e}" for v in sums + weighted), False)]


def is_whole(word):
    return re.fullmatch(r"[-+]?\d+", word) or not math.isfinite(float(word))


def allowed(word, other, tolerance):
    if is_whole(word):
        return 0 if is_whole(other) else 1e-9
    value = abs(float(word))
    mantissa, _, exponent = word.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return max(tolerance * value, min(1.01 * unit, 0.02 * value), 1e-9)


def is_near(word, other, tolerance):
    return word == other or (NUMBER.fullmatch(word) and NUMBER.fullmatch(other) and "#" not in word + other and
                             abs(float(word) - float(other)) <= allowed(word, other, tolerance))


def is_same(wanted, found, is_line, tolerance):
    words, others = (NUMBER.findall(line) if is_line else line.split() for line in (wanted, found))
    if len(words) != len(others) or not all(is_near(word, other, tolerance) for word, other in zip(words, others)):
        return False
    if not is_line:
        return True
    texts = [NUMBER.sub("0", line) for line in (wanted, found)]
    if list(map(len, words)) != list(map(len, others)) or IGNORED_MARK in found:
        texts = [" ".join(text.split()) for text in texts]
    return texts[0] == texts[1]


def main():
    reference, tolerance, *paths = sys.argv[1:]
    found = [entry for path in paths for entry in values_of_file(path)]
    if os.environ.get("VOLT_RECORD"):
        with open(reference, "w", encoding="utf-8") as file:
            file.write("".join(text + "\n" for text, _ in found))
        return 0
    with open(reference, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    place = ""
    for one, (other, is_line) in zip(wanted, found):
        place = one if re.search(r": \d+ lines$", one) else place
        if not is_same(one, other, is_line, float(tolerance)):
            print(f"{os.path.basename(reference)}, {place}: '{one}' expected, '{other}' found")
            return 1
    if len(wanted) != len(found):
        print(f"{os.path.basename(reference)}: {len(wanted)} lines expected, {len(found)} found")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
