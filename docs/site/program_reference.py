"""docs/site/program_reference.py: a page for each command of the program, with what its help says.

    program_reference.py PROGRAM PAGES
"""

import re
import subprocess
import sys
from pathlib import Path


def help_of(program, *words):
    return subprocess.run([program, "help", *words], check=True, capture_output=True, text=True).stdout.rstrip("\n")


def main():
    program, pages = sys.argv[1], Path(sys.argv[2])
    pages.mkdir(parents=True, exist_ok=True)
    overview = help_of(program)
    listed = overview.split("\ncommands:\n")[1].split("\n\n")[0]
    commands = [tuple(line.split(None, 1)) for line in listed.split("\n")]
    for name, _ in commands:
        if name != "help":
            (pages / f"{name}.md").write_text(f"# volterra {name}\n\n```text\n{help_of(program, name)}\n```\n")
    (pages / "kernels.md").write_text(f"# volterra help kernels\n\n```text\n{help_of(program, 'kernels')}\n```\n")
    rows = "\n".join(f"| [{n}]({n}.md) | {re.sub(r'[|]', '/', m)} |" for n, m in commands if n != "help")
    names = "\n".join(n for n, _ in commands if n != "help")
    (pages / "index.md").write_text(
        "# The program\n\n`volterra COMMAND [options]`; `volterra help COMMAND` prints what these pages show, and "
        "`volterra help kernels` [the kernels](kernels.md).\n\n"
        f"| command | |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n{names}\nkernels\n```\n"
    )


if __name__ == "__main__":
    main()
