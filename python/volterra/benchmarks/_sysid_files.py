"""The files of ``sysid -o PREFIX``: a CSV and a plot of every simulation, and an HTML report of all."""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from .._core._arrays import Array
from ._sysid_page import page
from ._sysid_plot import draw
from ._sysid_run import Run
from ._sysid_sets import Test

COLUMNS = ("input", "measured", "simulated", "error")


def _tests(runs: List[Run]) -> Iterator[Tuple[Run, int, Test]]:
    for run in runs:
        for index, test in enumerate(run.set.tests):
            yield run, index, test


def _name(prefix: str, run: Run, test: Test, ending: str) -> str:
    return f"{prefix}-{run.set.name}-{test.name}{ending}"


def check_files(runs: List[Run], prefix: str) -> None:
    """Raise OSError unless the files can be written, before any computation."""
    names = [f"{prefix}.html", *(_name(prefix, run, test, ".csv") for run, _, test in _tests(runs))]
    for name in names:
        folder = Path(name).parent
        if Path(name).is_dir():
            raise OSError(f"cannot write {name}: it is a directory")
        if not folder.is_dir():
            raise OSError(f"cannot write {name}: there is no directory {folder}")
        if not os.access(folder, os.W_OK):
            raise OSError(f"cannot write {name}: {folder} is not writable")


def _replace(path: str, text: str) -> None:
    """Write a file atomically."""
    handle, temporary = tempfile.mkstemp(dir=Path(path).parent, prefix=".volterra-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _table(run: Run, index: int) -> Array:
    """Columns input, measured, simulated and error, in the units of the file."""
    values, simulated = run.data.tests[index], run.simulated[index]
    return np.column_stack([values, simulated, simulated - values[:, 1]])


def _csv(table: Array) -> str:
    lines = [",".join(COLUMNS), *(",".join(map(repr, row)) for row in table.tolist())]
    return "\n".join(lines) + "\n"


def _pictures_possible() -> bool:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        warnings.warn("no plots were drawn: Matplotlib is not installed (pip install matplotlib)", stacklevel=2)
        return False
    return True


def write_files(runs: List[Run], prefix: str, line: str) -> None:
    """Write PREFIX.html, and PREFIX-SET-TEST.csv and .svg of every test; without Matplotlib there are no plots."""
    draws = _pictures_possible()
    plots: Dict[Any, Optional[str]] = {}
    for run, index, test in _tests(runs):
        table = _table(run, index)
        _replace(_name(prefix, run, test, ".csv"), _csv(table))
        if draws:
            svg = draw(run.set, test, table)
            _replace(_name(prefix, run, test, ".svg"), svg)
            plots[run.set.name, test.name] = svg
    _replace(f"{prefix}.html", page(runs, plots, line))
