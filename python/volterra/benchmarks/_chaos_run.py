"""Train on the rows of a start, simulate, and measure the valid prediction time.

Starts are drawn with Philox 4x64-10, key (seed, start), as in ``volt_rng`` of the library.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from .._core._arrays import Array
from .._core._errors import SingularError
from .._core._progress import Bar
from ..datasets import lorenz, mackey_glass, simulate
from ..ridge import SequenceKernelRidge
from ._chaos_local import LocalModel
from ._common import Machine, load_data

_DATA = load_data("chaos")
_VALIDATION: int = _DATA["validation_starts"]
_FIRST_VALIDATION = 1_000_000  # number of the first validation start

#: name: entry of ``data/chaos.json``
SYSTEMS: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _DATA["systems"]}


class Start(NamedTuple):
    """The rows of one start: training rows, the first input of the free run, and the rows that follow."""

    rows: Array
    spread: float  # root mean squared distance of the training rows from their mean


class Result:
    """Results of one method on one system."""

    setting: Dict[str, Any]

    def __init__(self) -> None:
        self.validation = -1.0  # median on the validation starts
        self.times: List[float] = []  # in Lyapunov times
        self.fit_seconds = self.run_seconds = 0.0  # of one start, mean

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.times, share))


class ChaosRun:
    """One system with its results, one for each method."""

    def __init__(self, system: Dict[str, Any], rows: Optional[int], starts: int) -> None:
        self.system = system
        self.rows: int = rows or system["rows"]
        self.starts = starts
        self.results: List[Result] = []

    @property
    def validation_starts(self) -> int:
        return min(self.starts, _VALIDATION)


# ---- starts ------------------------------------------------------------------------------------------------


def _normals(generator: np.random.Generator) -> Iterator[float]:
    """Standard normal numbers (Box-Muller)."""
    while True:
        radius = math.sqrt(-2 * math.log(1 - generator.random()))
        angle = 2 * math.pi * generator.random()
        yield radius * math.cos(angle)
        yield radius * math.sin(angle)


def _simulate(system: Dict[str, Any], generator: np.random.Generator, count: int) -> Array:
    """Rows on the attractor from a random initial condition."""
    discard = system["discard"]
    if system["name"] == "lorenz":
        normals = _normals(generator)
        start = [value + next(normals) for value in (0.0, 1.0, 1.05)]
        return lorenz(count, step=0.025, start=start, discard=discard, method="accurate")
    if system["name"] == "mackey-glass":
        return mackey_glass(count, start=0.8 + 0.6 * generator.random(), discard=discard, method="accurate")
    start = [0.5 + generator.random()]
    return simulate(system["simulate"], count, start=start, discard=discard, **system["integration"])


def make_start(run: ChaosRun, seed: int, number: int) -> Start:
    key = np.array([seed, number], dtype=np.uint64)
    generator = np.random.Generator(np.random.Philox(key=key))
    rows = _simulate(run.system, generator, run.rows + 1 + run.system["longest"])
    return Start(rows, float(np.sqrt(rows[: run.rows + 1].var(axis=0).sum())))


# ---- a model -----------------------------------------------------------------------------------------------


Model = Union[SequenceKernelRidge, LocalModel]


def _fit(run: ChaosRun, start: Start, setting: Dict[str, Any]) -> Model:
    local = run.system.get("local")
    model = SequenceKernelRidge(
        setting["kernel"],
        alpha=setting["alpha"],
        solver=setting["solver"],
        washout=min(run.system["washout"], run.rows // 4),
        target="level" if local else "change",
        input="level",
        season=None,
    )
    rows = start.rows[: run.rows + 1]
    return LocalModel(local, model).fit(rows) if local else model.fit(rows)


def valid_rows(model: Model, truth: Array, limit: float) -> int:
    """Rows of the free run until its error first reaches `limit`; at most the rows of `truth`.

    A free run that overflows is invalid from there on.
    """
    count = 1  # rows forecast so far
    try:
        output, stream = model.continue_(1)[0], model.stream()
        while count < len(truth) and np.linalg.norm(truth[count - 1] - output) < limit:
            count += 1
            output = np.atleast_1d(stream.feed(output))
    except ValueError:
        pass
    return count


def _measure(run: ChaosRun, start: Start, setting: Dict[str, Any], result: Result) -> float:
    """The valid time in Lyapunov times. A setting whose matrix is singular has valid time 0."""
    begun = time.perf_counter()
    try:
        model = _fit(run, start, setting)
    except SingularError:
        return 0.0
    fitted = time.perf_counter()
    rows = valid_rows(model, start.rows[run.rows + 1 :], run.system["threshold"] * start.spread)
    result.fit_seconds += fitted - begun
    result.run_seconds += time.perf_counter() - fitted
    return rows * run.system["step"] * run.system["lyapunov"]


# ---- a system ----------------------------------------------------------------------------------------------


def _run_method(
    run: ChaosRun,
    settings: Sequence[Dict[str, Any]],
    starts: List[Start],
    others: List[Start],
    advance: Callable[[], None],
) -> Result:
    """Choose the setting on the validation starts `others`, then measure it on `starts`."""
    result = Result()
    for setting in settings:
        times = []
        for start in others:
            times.append(_measure(run, start, setting, Result()))
            advance()
        if np.median(times) > result.validation:
            result.validation, result.setting = float(np.median(times)), setting
    for start in starts:
        result.times.append(_measure(run, start, result.setting, result))
        advance()
    result.fit_seconds /= run.starts
    result.run_seconds /= run.starts
    return result


def compute(run: ChaosRun, machine: Machine) -> None:
    """All methods on all starts of a system."""
    starts = [make_start(run, machine.seed, number) for number in range(run.starts)]
    others = [
        make_start(run, machine.seed, _FIRST_VALIDATION + number) for number in range(run.validation_starts)
    ]
    methods = run.system["methods"]
    total = sum(run.starts + len(method["settings"]) * len(others) for method in methods)
    bar = Bar(run.system["title"]) if machine.verbose else None
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if bar is not None:
            bar.update("starts", done / total)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # alphas at the rounding level are intended: rows have no noise
        run.results = [_run_method(run, method["settings"], starts, others, advance) for method in methods]
    if bar is not None:
        bar.close()
