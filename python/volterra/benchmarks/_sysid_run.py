"""Fit a setting on training rows, simulate the tests and score them."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from .._core._data import Array
from .._core._errors import BeyondWarning
from ..datasets import read_table
from ..identification import identify
from ..ridge import SequenceKernelRidge
from ._common import DataError, Machine, command_line, load_data
from .packages import Record, simulate

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


class Run:
    """One set: its data, the fitted setting and the simulations of its tests."""

    data: Data

    def __init__(self, one: Set, setting: Setting, warm_up: int) -> None:
        self.set = one
        self.setting = setting
        self._warm_up = warm_up
        self.simulated: List[Array] = []
        self.rmse: List[List[float]] = []  # of each test, of each measure, in the unit of the set
        self.fit_seconds = self.simulate_seconds = self.search_seconds = 0.0
        self.trials = 0  # of identify; 0: a preset
        self.family = ""  # that identify chose

    @property
    def warm_up(self) -> int:
        """Measured outputs that a simulation uses: 0 without feedback."""
        return self._warm_up if self.setting.feedback_weight > 0 else 0

    def training_rows(self, first: int, count: int) -> Array:
        """Rows of the file, columns input and output."""
        begin = first - self.set.train.first
        return self.data.train[begin : begin + count]


def fit_and_simulate(run: Run, machine: Machine) -> None:
    setting = run.setting
    rows = run.training_rows(setting.first, setting.washout + setting.rows)
    model = SequenceKernelRidge(
        setting.kernel,
        alpha=setting.alpha,
        washout=setting.washout,
        feedback=setting.feedback_weight or False,
        beyond="allow",
        verbose=machine.verbose,
    )
    begun = time.perf_counter()
    model.fit(rows[:, :1], rows[:, 1])
    run.fit_seconds = time.perf_counter() - begun
    simulate_tests(run, model)


def simulate_tests(run: Run, model: Any) -> None:
    """Simulate all tests with a fitted model, and score them."""
    for test, values in zip(run.set.tests, run.data.tests):
        begun = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BeyondWarning)  # tests that extrapolate are part of the benchmark
            run.simulated.append(simulate(model, Record(values[:, :1], values[:, 1], run.warm_up)))
        run.simulate_seconds += time.perf_counter() - begun
        errors = run.simulated[-1] - values[:, 1]
        run.rmse.append([_rmse(errors, measure, run.set.per_unit) for measure in test.measures])


def _rmse(errors: Array, measure: Measure, per_unit: float) -> float:
    return per_unit * float(np.sqrt(np.mean(errors[measure.after : measure.end] ** 2)))


# ---- the same with the program -------------------------------------------------------------------------------


def _fit_command(run: Run, model: str) -> str:
    setting, part, path = run.setting, run.set.train, run.data.path
    end = setting.first + setting.washout + setting.rows
    words: List[Any] = ["volterra", "fit", "--x", f"{path}:{part.input}", "--y", f"{path}:{part.output}"]
    words += ["--rows", f"{setting.first}:{end}", "--washout", setting.washout, "--kernel", setting.kernel]
    words += ["--alpha", float(setting.alpha)]
    if setting.feedback_weight > 0:
        words += ["--feedback", "--feedback-weight", float(setting.feedback_weight)]
    return command_line([*words, "-o", model])


def _predict_command(run: Run, test: Test, count: int, model: str, output: str) -> str:
    path, part = run.data.path, test.part
    words: List[Any] = [
        "volterra",
        "predict",
        model,
        "--x",
        f"{path}:{part.input}",
        "--rows",
        f"{part.first}:{part.first + count}",
    ]
    words += ["--start", "reset", "--beyond", "allow"]
    if run.warm_up > 0:
        words += ["--known", f"{path}:{part.output}", "--warm-up", run.warm_up]
    return command_line([*words, "-o", output])


def _score_command(run: Run, test: Test, measure: Measure, count: int, output: str) -> str:
    first, end = test.part.first, count if measure.end is None else measure.end
    words = ["volterra", "score", "--truth", f"{run.data.path}:{test.part.output}", "--pred", output]
    words += ["--truth-rows", f"{first + measure.after}:{first + end}", "--pred-rows", f"{measure.after}:{end}"]
    return command_line(words)


def commands(run: Run) -> List[str]:
    """Commands of the program ``volterra`` that fit the model, simulate the tests and score them."""
    model = f"{run.set.name}.safetensors"
    lines = [_fit_command(run, model)]
    for test, values in zip(run.set.tests, run.data.tests):
        output = f"{run.set.name}-{test.name}.csv"
        lines.append(_predict_command(run, test, len(values), model, output))
        lines += [_score_command(run, test, measure, len(values), output) for measure in test.measures]
    return lines


_TEST_ROWS = 2000  # that identify simulates: all tests are simulated afterwards


def identify_and_simulate(
    run: Run, rows: Optional[int], draws: Optional[int], budget: Optional[float], machine: Machine
) -> None:
    """Replace the setting of the run by the model that `identify` finds, and simulate the tests with it.

    Parameters
    ----------
    run : Run
    rows : int or None
        Use only the first training rows.
    draws, budget : int or None, float or None
        Candidates of every search, or seconds.
    machine : Machine
    """
    train, test = run.data.train[:rows], run.data.tests[0][:_TEST_ROWS]
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BeyondWarning)
            found = identify(
                train[:, :1],
                train[:, 1],
                budget,
                draws=draws,
                test=(test[:, :1], test[:, 1]),
                seed=machine.seed,
                verbose=machine.verbose,
            )
    except ValueError as failure:
        raise DataError(f"{run.set.title}: {failure}") from None
    run.search_seconds = time.perf_counter() - begun
    run.trials, run.family = sum(one["trials"] for one in found.candidates_), found.chosen_
    chosen = next(one for one in found.candidates_ if one["name"] == found.chosen_)
    washout = found.rows_["washout"]
    run.setting = run.setting._replace(
        name=None,
        origin=None,
        kernel=chosen["kernel"],
        alpha=chosen["alpha"],
        feedback_weight=chosen["feedback_weight"],
        first=run.set.train.first + found.rows_["fit_begin"],
        washout=washout,
        rows=found.rows_["fit_rows"] - washout,
    )
    simulate_tests(run, found.model)
