"""Measured systems: their published files, splits and presets, as the JSON files in ``data`` describe them."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

from .._core._arrays import Array
from .._core._tables import read_table
from ._common import DataError, load_data

Rows = Optional[Tuple[int, int]]  # first <= t < end; None: all rows


class Part(NamedTuple):
    """Columns and rows of a file."""

    input: str
    output: str
    rows: Rows

    @property
    def first(self) -> int:
        return self.rows[0] if self.rows else 0


class Measure(NamedTuple):
    """An RMSE over the rows ``after <= t < end`` of a test."""

    dataset: str
    heading: str  # of a column of the table
    column: str  # of a column of the HTML table, below the title of the set
    after: int
    published: Optional[str]  # key of the published figures
    end: Optional[int] = None
    goal: Optional[float] = None  # of --again


class Test(NamedTuple):
    """A part of the file that is simulated once."""

    name: str
    part: Part
    measures: List[Measure]


class Set(NamedTuple):
    """A measured system."""

    name: str
    title: str
    citation: str
    files: List[str]
    file_rows: int  # rows that the published file has at least
    unit: str  # of the figures
    per_unit: float  # units of the figures per unit of the file
    train: Part
    tests: List[Test]


class Setting(NamedTuple):
    """Training rows: ``washout + rows`` rows of the file from row ``first`` on."""

    name: Optional[str]  # of the preset
    set: str
    kernel: str
    alpha: float
    feedback_weight: float  # 0: no output feedback
    first: int
    washout: int
    rows: int
    origin: Optional[str]


class Data(NamedTuple):
    """The parts of a set as they were read: columns input and output."""

    path: str
    train: Array
    tests: List[Array]


def _part(entry: Dict) -> Part:
    return Part(entry["input"], entry["output"], tuple(entry["rows"]) if entry["rows"] else None)


def _set(entry: Dict) -> Set:
    tests = [Test(one["name"], _part(one), [Measure(**m) for m in one["measures"]]) for one in entry["tests"]]
    return Set(**{**entry, "train": _part(entry["train"]), "tests": tests})


#: name: set
SETS: Dict[str, Set] = {entry["name"]: _set(entry) for entry in load_data("sysid_sets")["sets"]}
#: name: preset
PRESETS: Dict[str, Setting] = {
    entry["name"]: Setting(**entry) for entry in load_data("sysid_presets")["presets"]
}


def default_preset(name: str) -> Setting:
    """The first preset of a set."""
    return next(preset for preset in PRESETS.values() if preset.set == name)


def _find_file(one: Set, folder: str) -> str:
    for name in one.files:
        path = Path(folder, name)
        if path.exists():
            return str(path)
    names = [name for name in one.files if "/" not in name]
    raise DataError(f"{folder} has no data of {one.title}: expected {', '.join(names[:-1])} or {names[-1]}")


def read_set(one: Set, folder: str) -> Data:
    """Read the training and test parts of a set. Rows of the file that belong to no part are ignored."""
    path = _find_file(one, folder)
    found = read_table(path, one.train.input, rows=(0, 1), missing="keep").file_rows
    if found < one.file_rows:
        raise DataError(
            f"{path} is not the published file of {one.title}: it has {found} rows, and {one.file_rows} are needed"
        )

    def read(part: Part) -> Array:
        return read_table(path, f"{part.input},{part.output}", rows=part.rows).values

    return Data(path, read(one.train), [read(test.part) for test in one.tests])
