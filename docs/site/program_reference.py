"""docs/site/program_reference.py: write one page per command of the program, from its table of options.

    program_reference.py PROGRAM PAGES
"""

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path


def help_of(program, *words):
    return subprocess.run([program, "help", *words], check=True, capture_output=True, text=True).stdout.rstrip("\n")


def upper_first(text):
    return text[:1].upper() + text[1:]


def cell(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def option_row(option):
    name = f"--{option['name']}" if "name" in option else option["positional"]
    words = [f"-{option['letter']}, {name}" if "letter" in option else name, option["value"] or ""]
    use = " ".join(words).strip().replace("|", "\\|")
    return f"| `{use}` | {cell(option['help'])} |\n"


def option_tables(options, heading):
    text = ""
    for group, rows in groupby(options, lambda option: option["group"]):
        text += f"{heading} {upper_first(group)}\n\n| option | |\n|---|---|\n{''.join(map(option_row, rows))}\n"
    return text


def command_page(program, command):
    usage = help_of(program, command["name"]).split("\n\n")[1]
    text = f"# volterra {command['name']}\n\n{cell(upper_first(command['summary']))}.\n\n```text\n{usage}\n```\n\n"
    text += f"```text\n{command['description'].rstrip()}\n```\n\n{option_tables(command['options'], '##')}"
    text += "[Options of every command](index.md#options-of-every-command).\n"
    if command["examples"]:
        text += f"\n## Examples\n\n```text\n{command['examples'].rstrip()}\n```\n"
    return text


def main():
    program, pages = sys.argv[1], Path(sys.argv[2])
    pages.mkdir(parents=True, exist_ok=True)
    tables = json.loads(help_of(program, "--json"))
    for command in tables["commands"]:
        (pages / f"{command['name']}.md").write_text(command_page(program, command))
    (pages / "completion.md").write_text(f"# volterra completion\n\n```text\n{help_of(program, 'completion')}\n```\n")
    (pages / "kernels.md").write_text(f"# volterra help kernels\n\n```text\n{help_of(program, 'kernels')}\n```\n")
    rows = "".join(f"| [{c['name']}]({c['name']}.md) | {cell(c['summary'])} |\n" for c in tables["commands"])
    rows += "| [completion](completion.md) | completion scripts for bash, zsh and fish |\n"
    names = "\n".join([*(c["name"] for c in tables["commands"]), "completion", "kernels"])
    common = "".join(map(option_row, tables["options"]))
    (pages / "index.md").write_text(
        "# The program\n\n`volterra COMMAND [options]`. These pages contain the text of `volterra help COMMAND`; "
        "`volterra help kernels` prints [the kernels](kernels.md).\n\n"
        f"| command | |\n|---|---|\n{rows}\n## Options of every command\n\n| option | |\n|---|---|\n{common}\n"
        f"```{{toctree}}\n:hidden:\n{names}\n```\n"
    )


if __name__ == "__main__":
    main()
