"""Run the first block of Python in a document; any exception is a failure.

readme_example.py python/README.md
"""

from __future__ import annotations

import doctest
import pathlib
import re
import sys


def python_blocks(text: str) -> list:
    """Return the fenced blocks of Python."""
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


if __name__ == "__main__":
    blocks = python_blocks(pathlib.Path(sys.argv[1]).read_text())
    if not blocks:
        sys.exit(f"{sys.argv[1]} has no block of Python")
    code = doctest.script_from_examples(blocks[0]) if ">>>" in blocks[0] else blocks[0]
    exec(compile(code, sys.argv[1], "exec"), {"__name__": "__main__"})
