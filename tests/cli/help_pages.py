#!/usr/bin/env python3
"""tests/cli/help_pages.py: the help of every command has the layout of its table.

    help_pages.py PROGRAM

Writes `help COMMAND` from `help --json` a second time and compares it with what the program prints, with all spaces and
line breaks. Prints the first line that differs. The help of an option must be its meaning, range and default.

`COMMAND --help` must have two sentences, at most three examples, and each option in one line that begins its meaning, or
among the names after "also".
"""

import json
import re
import subprocess
import sys

WIDTH = 100  # of a line
COLUMN = 30  # of the descriptions of options


def output_of(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def synopsis(name, options, form):
    head = ("usage:" if form == 1 else "      ") + f" volterra {name}"
    lines = [head]
    for option in options:
        if option["form"] not in (0, form):
            continue
        word = option.get("positional") or ("-" + option["letter"] if "letter" in option else "--" + option["name"])
        use = f"{word} {option['value']}" if option["value"] else word
        if not option["required"]:
            use = f"[{use}]"
        if len(lines[-1]) + 1 + len(use) > WIDTH:
            lines.append(" " * len(head))
        lines[-1] += " " + use
    return lines


def described(head, text):
    """The head, and the text from COLUMN on: in the next line if there is no room for two spaces."""
    lines = [head] if len(head) + 2 > COLUMN else []
    line = ("" if lines else head).ljust(COLUMN)
    for k, word in enumerate(text.split()):
        if k and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = " " * COLUMN + word
        else:
            line += " " * bool(k) + word
    return lines + [line]


def help_is_complete(option):
    """The help is the meaning and, in brackets, the range and the default. The range "at least 0" is omitted. A default
    that depends on other options is only part of the help."""
    known = [] if option["range"] in ("", "at least 0") else [option["range"]]
    if option["default"]:
        known.append("default: " + option["default"])
    tail = " (" + "; ".join(known) + ")" if known else ""
    if option["help"] == option["meaning"] + tail:
        return True
    start = option["meaning"] + (tail[:-1] + "; " if known else " (") + "default: "
    return not option["default"] and option["help"].startswith(start) and option["help"].endswith(")")


def head_of(option):
    head = "  " + (f"-{option['letter']}, " if "letter" in option else "")
    head += option.get("positional") or "--" + option["name"]
    return head + (" " + option["value"] if option["value"] else "")


def entry(option):
    return described(head_of(option), option["help"])


def page(command, common):
    options = command["options"]
    lines = [f"volterra {command['name']}: {command['summary']}", ""] + synopsis(command["name"], options, 1)
    if any(option["form"] == 2 for option in options):
        lines += synopsis(command["name"], options, 2)
    lines += ["", *(command["description"] + "\n").splitlines()]
    for k, option in enumerate(options):
        if k == 0 or option["group"] != options[k - 1]["group"]:
            lines += [""] * (k > 0) + [option["group"] + ":"]
        lines += entry(option)
    lines += [""] * bool(options) + ["options of every command:"]
    for option in common:
        lines += entry(option)
    lines += described("  --help", "usage, examples and the options in one line each")
    return lines + (["", "examples:", *command["examples"].splitlines()] if command["examples"] else [])


def short_fault(command, text):
    """What is wrong in `COMMAND --help`, or None."""
    lines = text.splitlines()
    paragraph = " ".join(text.split("\n\n")[2].split("\n"))
    sentences = 1 + len(re.findall(r"\.\)? (?=[A-Za-z-])", paragraph))
    if sentences != 2 or not paragraph.endswith("."):
        return f"{sentences} sentences in '{paragraph}'"
    if any(len(line) > WIDTH for line in lines):
        return f"a line of more than {WIDTH} characters"
    examples = text.split("\nexamples:\n")[-1].split("\n\n")[0]
    if command["examples"] and not command["examples"].startswith(examples + "\n"):
        return "other examples"
    also = re.findall(r"--([a-z-]+)", " ".join(line for line in lines if re.match(r"  also| {6} *--", line)))
    for option in command["options"]:
        begin = head_of(option) + "  "
        found = [line[len(begin) :].strip() for line in lines if line.startswith(begin)]
        meaning = re.sub(r" \(default: [^)]*\)$", "", found[0]) if found else ""
        if not (found and meaning and option["meaning"].startswith(meaning)) and option.get("name") not in also:
            return f"no line of {begin.strip()}"
    return None


def main():
    tables = json.loads(output_of("help", "--json"))
    overview = output_of("help").splitlines()
    for option in tables["options"] + [option for command in tables["commands"] for option in command["options"]]:
        if not help_is_complete(option):
            sys.exit(f"help of {option.get('name')}: '{option['help']}', range '{option['range']}'")
    for command in tables["commands"]:
        line = f"  {command['name']:10} {command['summary']}"
        if line not in overview:
            sys.exit(f"help lacks '{line}'")
        wanted, printed = page(command, tables["options"]), output_of("help", command["name"]).splitlines()
        for k, line in enumerate(wanted + [None]):
            found = printed[k] if k < len(printed) else None
            if line != found:
                sys.exit(f"help {command['name']}, line {k + 1}: '{found}' printed, '{line}' expected")
        fault = short_fault(command, output_of(command["name"], "--help"))
        if fault:
            sys.exit(f"{command['name']} --help: {fault}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
