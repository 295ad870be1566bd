"""docs/site/program_reference.py: write one page per command of the program, from its table of options.

    program_reference.py PROGRAM PAGES
"""

import json
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path


def help_of(program, *words):
    return subprocess.run([program, "help", *words], check=True, capture_output=True, text=True).stdout.rstrip("\n")


def upper_first(text):
    return text[:1].upper() + text[1:]


def prose(text):
    """Return Markdown of a help text, with its options as code."""
    text = text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")
    return re.sub(r"(?<![\w-])--[a-z][a-z-]*", lambda match: f"`{match[0]}`", text)


def paragraphs(text):
    """Return Markdown of a description: indented lines are code, all others prose."""
    blocks = []
    for block in text.strip("\n").split("\n\n"):
        is_code = any(line.startswith("  ") for line in block.split("\n"))
        blocks.append(f"```text\n{block}\n```" if is_code else prose(block))
    return "\n\n".join(blocks)


def option_row(option):
    name = f"--{option['name']}" if "name" in option else option["positional"]
    words = [f"-{option['letter']}, {name}" if "letter" in option else name, option["value"] or ""]
    use = " ".join(words).strip().replace("|", "\\|")
    return f"| `{use}` | {prose(option['help'])} |\n"


def option_tables(options, heading):
    text = ""
    for group, rows in groupby(options, lambda option: option["group"]):
        text += f"{heading} {upper_first(group)}\n\n| option | |\n|---|---|\n{''.join(map(option_row, rows))}\n"
    return text


def command_page(program, command):
    usage = help_of(program, command["name"]).split("\n\n")[1]
    text = f"# volterra {command['name']}\n\n{prose(upper_first(command['summary']))}.\n\n```text\n{usage}\n```\n\n"
    text += f"{paragraphs(command['description'])}\n\n{option_tables(command['options'], '##')}"
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
    rows = ""
    for group, commands in groupby(tables["commands"], lambda command: command["group"]):
        rows += f"| **{group}** | |\n" + "".join(f"| [{c['name']}]({c['name']}.md) | {prose(c['summary'])} |\n" for c in commands)
    rows += "| [completion](completion.md) | completion scripts for bash and zsh |\n"
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
