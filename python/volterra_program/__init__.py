"""The command ``volterra`` of an installed wheel: the program that lies in the package's folder ``bin``.

A package of its own, so that the command starts without loading NumPy.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn


def program() -> Path:
    """Where the program lies, or would lie."""
    found = importlib.util.find_spec("volterra")
    folders = list(found.submodule_search_locations or []) if found else []
    return Path(folders[0] if folders else ".") / "bin" / "volterra"


def main() -> NoReturn:
    path = program()
    if not path.exists():
        sys.exit(f"volterra: this installation has the Python package alone; there is no program at {path}")
    os.execv(path, [sys.argv[0], *sys.argv[1:]])
