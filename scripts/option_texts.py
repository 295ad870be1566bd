#!/usr/bin/env python3
"""scripts/option_texts.py: texts made from the program's tables of options (`volterra help --json`).

    option_texts.py man PROGRAM [TEMPLATE]      the man page on standard output
    option_texts.py python PROGRAM [--check]    write, or check, the docstrings of python/volterra

In the template of the man page four comments are replaced: `@SYNOPSIS`, `@DESCRIPTION COMMAND`, `@OPTIONS` (those of
every command) and `@OPTIONS COMMAND`. Between `@OPTIONS` and `@END` the template may have items `.It NAME` with details, which follow the
sentence of the table.

The first sentence of a parameter in a docstring is copied from the corresponding option.
"""

import ast
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Where the parameters of each command are documented in Python.
DOCSTRINGS = {
    "fit": ["ridge.py VolterraRidge", "ridge.py SequenceKernelRidge", "classifier.py VolterraClassifier"],
    "predict": ["ridge.py VolterraRidge"],
    "tune": ["search.py VolterraRidgeCV", "classifier.py VolterraClassifierCV"],
    "continue": ["_regressor.py continue_"],
    "stream": ["_regressor.py learner"],
    "explain": ["_regressor.py explain"],
    "forecast": ["series_forecaster.py Forecaster"],
    "identify": ["identification.py identify"],
    "curve": ["learning.py learning_curve"],
    "classify": ["series_classifier.py SeriesClassifier"],
    "anomaly": ["anomaly.py SeriesAnomaly", "anomaly.py RowAnomaly"],
    "gram": ["kernels.py gram"],
    "mcs": ["confidence_set.py MCS"],
    "capacity": ["capacities.py capacity"],
}
WIDTH = 118


def read_tables(program):
    done = subprocess.run([program, "help", "--json"], check=True, capture_output=True, text=True)
    tables = json.loads(done.stdout)
    return {c["name"]: c for c in tables["commands"]}, tables["options"]


def upper_first(text):
    return text[:1].upper() + text[1:]


# ---- man page --------------------------------------------------------------------------------------------------------


def escape(text):
    """Text of a line of mdoc."""
    text = text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in (".", "'") else text


def flag(option):
    """`-o model`, `--alpha A` or `--solver auto | exact`, in macros of mdoc."""
    if "positional" in option:
        return f"Ar {option['positional']}"
    words = f"Fl {option['letter']}" if "letter" in option else f"Fl -{option['name']}"
    if option["type"] == "choice":
        return f"{words} Cm {option['value'].replace('|', ' | ')}"
    return f"{words} Ar {option['value']}" if option["value"] else words


def synopsis(commands):
    lines = []
    for command in commands.values():
        for form in range(1, 1 + max([1, *(o["form"] for o in command["options"])])):
            lines += [".Nm", f".Cm {command['name']}"]
            for option in command["options"]:
                if option["form"] in (0, form):
                    is_required = option["required"]
                    lines.append("." + ("" if is_required else "Op ") + flag(option))
    topics = ".Op Ar command | Cm options | Cm kernels Op Ar name | Cm solvers | Cm systems"
    return lines + [".Nm", ".Cm help", topics, ".Nm", ".Cm completion", ".Cm bash | zsh"]


def item(option, details):
    head = flag(option)
    if "letter" in option:
        head = head.replace(f"Fl {option['letter']}", f"Fl {option['letter']} , -{option['name']}", 1)
    sentence = upper_first(option["help"]) + "."
    return [f".It {head}", *map(escape, textwrap.wrap(sentence, WIDTH)), *details]


def description(command):
    """Paragraphs, with lines that begin with blanks or lists of names as they are."""
    lines = [escape(upper_first(command["summary"]) + ".")]
    for paragraph in command["description"].rstrip("\n").split("\n\n"):
        rows = paragraph.split("\n")
        is_text = all(len(row) > 75 for row in rows[:-1]) and not paragraph.startswith(" ")
        lines += [".Pp", *map(escape, rows)] if is_text else [".Bd -literal", *map(escape, rows), ".Ed"]
    return lines


def option_list(options, details):
    names = {o.get("name", o.get("positional")) for o in options}
    unknown = set(details) - names
    if unknown:
        sys.exit(f"the template of the man page has details of options that do not exist: {', '.join(sorted(unknown))}")
    lines, group = [".Bl -tag -width Ds"], None
    if not options:
        return []
    for option in options:
        if group not in (None, option["group"]):
            lines += [".El", ".Pp", f"{upper_first(option['group'])}:", ".Bl -tag -width Ds"]
        elif group is None and option["group"] != "options":
            lines[:0] = [".Pp", f"{upper_first(option['group'])}:"]
        group = option["group"]
        lines += item(option, details.get(option.get("name", option.get("positional")), []))
    return lines + [".El"]


def man(program, template):
    commands, common = read_tables(program)
    page, details, name, options = [], None, None, None
    for line in Path(template).read_text().split("\n"):
        mark = re.match(r'\.\\" @(\w+) ?(\w*)$', line)
        if mark and mark[1] == "SYNOPSIS":
            page += synopsis(commands)
        elif mark and mark[1] == "DESCRIPTION":
            page += description(commands[mark[2]])
        elif mark and mark[1] == "OPTIONS":
            details, name = {}, None
            options = commands[mark[2]]["options"] if mark[2] else common
        elif mark and mark[1] == "END":
            page += option_list(options, details)
            details = None
        elif details is not None and line.startswith(".It "):
            name = line[4:]
            details[name] = []
        elif details is not None:
            details[name].append(line)
        else:
            page.append(line)
    sys.stdout.write("\n".join(page))


# ---- docstrings ------------------------------------------------------------------------------------------------------


def python_sentence(option, options):
    """The meaning of an option with other options named as parameters: `--target change` is ``target="change"``."""
    by_name = {o["name"]: o for o in options if "name" in o}

    def parameter(match):
        other, value = by_name.get(match[1]), match[2]
        if not other or not other["python"]:
            return match[0]
        if value and other["type"] == "choice" and value in other["value"].split("|"):
            return f'``{other["python"]}="{value}"``'
        if value and re.fullmatch(r"\d+", value):
            return f"``{other['python']}={value}``"
        return f"``{other['python']}``" + (f" {value}" if value else "")

    text = re.sub(r"--([a-z-]+[a-z])(?: ([\w-]+))?", parameter, option["meaning"])
    text = re.sub(r"\bauto\b", '"auto"', text)
    allowed = option["range"]
    if allowed and allowed != "at least 0":
        text += f" ({allowed})"
    return upper_first(text) + "."


def replace_sentences(path, name, options, used):
    """The source of a module with the sentences of the options in the docstring of `name`."""
    source = path.read_text()
    lines = source.split("\n")
    node = next(n for n in ast.walk(ast.parse(source)) if getattr(n, "name", None) == name)
    first, last = node.body[0].lineno - 1, node.body[0].end_lineno
    sentences = {o["python"]: python_sentence(o, options) for o in options if o.get("name") and o["python"]}
    starts = [i for i in range(first, last) if re.match(r"\s+Parameters$", lines[i]) and "---" in lines[i + 1]]
    if not starts:
        return source
    indent = re.match(r"\s*", lines[starts[0]])[0]
    out, i = lines[: starts[0] + 2], starts[0] + 2
    while i < last and not re.match(rf"{indent}-+$", lines[i + 1]):
        out.append(lines[i])
        head = re.match(rf"{indent}(\w+) : ", lines[i])
        i += 1
        if not head or head[1] not in sentences:
            continue
        body = []
        while i < last and lines[i].startswith(indent + "    "):
            body.append(lines[i].strip())
            i += 1
        rest = re.split(r"(?<=\.)\s", " ".join(body), maxsplit=1)[1:]
        text = " ".join([sentences[head[1]], *rest])
        out += textwrap.wrap(text, WIDTH, initial_indent=indent + "    ", subsequent_indent=indent + "    ",
                             break_long_words=False, break_on_hyphens=False)
        used.add((name, head[1]))
    return "\n".join(out + lines[i:])


def python(program, check):
    commands, common = read_tables(program)
    stale, used = [], set()
    for command, places in DOCSTRINGS.items():
        for place in places:
            file, name = place.split()
            path = ROOT / "python" / "volterra" / file
            text = replace_sentences(path, name, commands[command]["options"] + common, used)
            if text != path.read_text():
                stale.append(f"{file} ({name})")
                if not check:
                    path.write_text(text)
    print(f"{len(used)} parameters with the sentences of their options")
    if check and stale:
        sys.exit(f"not current, run scripts/option_texts.py python PROGRAM: {', '.join(stale)}")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("man", "python"):
        sys.exit(__doc__)
    if sys.argv[1] == "man":
        man(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ROOT / "docs/man/volterra.1.in")
    else:
        python(sys.argv[2], "--check" in sys.argv)


if __name__ == "__main__":
    main()
