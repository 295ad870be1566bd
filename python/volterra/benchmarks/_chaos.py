"""``python -m volterra.benchmarks chaos``: valid times of free runs.

Starts are drawn with Philox 4x64-10, key (seed, start), as in ``volt_rng`` of the library.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from .._core._data import Array
from .._core._errors import SingularError
from .._core._progress import Bar
from ..datasets import lorenz, mackey_glass, simulate
from ..ridge import SequenceKernelRidge
from ._common import Machine, UsageError, choose, format_seconds, load_data, print_json

_WARM_UP = 50  # rows that initialise the state of each site before the free run


class LocalModel:
    """Predicts the change of ``group`` adjacent columns from them and ``reach`` groups on either side.

    The columns are a ring, and all groups have the same model. It is fitted to records of equidistant groups, as many
    as have ``samples`` rows together. Implements the part of `SequenceKernelRidge` that a free run needs.
    """

    def __init__(self, local: Dict[str, Any], model: SequenceKernelRidge) -> None:
        self._size, self._reach, self._samples = local["group"], local["reach"], local["samples"]
        self._model = model

    def _inputs(self, rows: Array, group: int) -> Array:
        columns = np.arange(-self._reach * self._size, (self._reach + 1) * self._size) + group * self._size
        return np.asarray(rows[..., columns % rows.shape[-1]])

    def fit(self, rows: Array) -> LocalModel:
        self._groups = rows.shape[1] // self._size
        changes = np.diff(rows, axis=0)
        records = max(1, min(self._groups, self._samples // len(changes)))
        chosen = [index * self._groups // records for index in range(records)]
        columns = [slice(group * self._size, (group + 1) * self._size) for group in chosen]
        inputs = [self._inputs(rows[:-1], group) for group in chosen]
        self._model.fit(inputs, [changes[:, part] for part in columns])
        self._last = rows[-_WARM_UP:]
        return self

    def continue_(self, steps: int) -> Array:
        """The first rows of the free run."""
        stream = self.stream()
        rows = [stream.output]
        while len(rows) < steps:
            rows.append(stream.feed(rows[-1]))
        return np.array(rows)

    def stream(self) -> LocalStream:
        return LocalStream(self, self._last)

    def _streams(self) -> List[Any]:
        return [self._model.stream(start="reset") for _ in range(self._groups)]


class LocalStream:
    """The state of all sites after `rows`, and the prediction that follows them."""

    def __init__(self, model: LocalModel, rows: Array) -> None:
        self._model, self._streams = model, model._streams()
        for row in rows:
            self.output = self.feed(row)

    def feed(self, row: Array) -> Array:
        """Return the prediction of the row that follows `row`."""
        changes = [
            np.atleast_1d(stream.feed(self._model._inputs(row, group)))
            for group, stream in enumerate(self._streams)
        ]
        return np.asarray(row + np.concatenate(changes))


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


def _row(run: ChaosRun, method: str, result: Result) -> Dict[str, Any]:
    return {
        "dataset": run.system["name"],
        "method": method,
        "measure": "median valid time",
        "value": result.quantile(0.5),
        "unit": "Lyapunov times",
        "lower_quartile": result.quantile(0.25),
        "upper_quartile": result.quantile(0.75),
        "values": result.times,
        "kernel": result.setting["kernel"],
        "alpha": result.setting["alpha"],
        "validation": result.validation,
        "fit_seconds": result.fit_seconds,
        "run_seconds": result.run_seconds,
        "published": run.system["published"],
    }


def _rows(run: ChaosRun) -> List[Dict[str, Any]]:
    return [_row(run, method["method"], result) for method, result in zip(run.system["methods"], run.results)]


def _system(run: ChaosRun) -> Dict[str, Any]:
    system = run.system
    return {
        "dataset": system["name"],
        "n": run.rows,
        "starts": run.starts,
        "step": system["step"],
        "lyapunov": system["lyapunov"],
        "threshold": system["threshold"],
    }


def _print_run(run: ChaosRun) -> None:
    system = run.system
    print(
        f"{system['title']}: {run.starts} starts, {run.rows} training rows, {system['step']:g} apart; "
        f"Lyapunov time {1 / system['lyapunov']:.4g}; threshold {system['threshold']:g}"
    )
    print(f"{'valid time, in Lyapunov times':<58} {'median':>7} {'quartiles':>15}  setting")
    for row in _rows(run):
        quartiles = f"{row['lower_quartile']:6.2f} to {row['upper_quartile']:5.2f}"
        print(f"{row['method']:<58} {row['value']:7.2f} {quartiles}  {row['kernel']}, alpha {row['alpha']:g}")
    for entry in system["published"]:
        print(f"{entry['method']:<58} {entry['value']:7g} {'':15}  published")
    seconds = run.starts * sum(result.fit_seconds + result.run_seconds for result in run.results)
    print(f"time: {format_seconds(seconds)} for all starts with the chosen settings")


def print_report(runs: List[ChaosRun], as_json: bool) -> None:
    if as_json:
        rows = [row for run in runs for row in _rows(run)]
        print_json(
            {
                "benchmark": "chaos",
                "systems": [_system(run) for run in runs],
                "rows": rows,
            }
        )
        return
    for number, run in enumerate(runs):
        if number:
            print()
        _print_run(run)


# ---- options -------------------------------------------------------------------------------------------------

SUMMARY = "valid times of free-running forecasts of chaotic systems"
DESCRIPTION = """\
How long a free-running forecast follows a chaotic system. No files are needed:
  lorenz        Lorenz 1963, three variables, rows 0.025 apart
  mackey-glass  Mackey-Glass with a delay of 17, one variable, rows 1 apart
  lorenz96      Lorenz 1996, forcing 10, 40 variables, rows 0.01 apart; one local model for all variables
  kuramoto-sivashinsky
                Kuramoto-Sivashinsky on a domain of 22, 64 points, rows 0.25 apart
The methods are trained on noise-free rows from each of --starts initial conditions and then run free.
The valid time is the time until the error first reaches a multiple of the standard deviation of the
training rows (0.4, for the last two 0.5), in Lyapunov times. The table lists its median and quartiles
over the starts, for the Volterra kernel, a next generation reservoir computer (ridge regression on
monomials of delayed rows) and an echo state network. Each method uses the setting with the best median
on five other starts (fewer with fewer --starts).
"""
EXAMPLES = """\
examples:
  python -m volterra.benchmarks chaos
  python -m volterra.benchmarks chaos --only lorenz --rows 400 --json
"""
_MIN_ROWS, _MAX_ROWS, _MAX_STARTS = 50, 20000, 10000
_ROWS = ", ".join(f"{name} {system['rows']}" for name, system in SYSTEMS.items())


def add_options(parser: argparse.ArgumentParser, count_of: Any, duration: Any) -> None:
    del duration
    add = parser.add_argument
    add("--only", metavar="SETS", help=f"comma-separated list of systems: {', '.join(SYSTEMS)} (default: all)")
    add(
        "--rows",
        type=count_of(2),
        metavar="N",
        help=f"training rows (default: {_ROWS})",
    )
    add(
        "--starts",
        type=count_of(1, _MAX_STARTS),
        default=20,
        metavar="N",
        help="initial conditions, each with its own training rows (default 20)",
    )


def run(options: argparse.Namespace, machine: Machine, line: str) -> None:
    del line
    names = choose(options.only, list(SYSTEMS))
    if options.rows is not None and not _MIN_ROWS <= options.rows <= _MAX_ROWS:
        raise UsageError(f"--rows must be between {_MIN_ROWS} and {_MAX_ROWS} (got {options.rows})")
    runs = [ChaosRun(SYSTEMS[name], options.rows, options.starts) for name in names]
    for one in runs:
        compute(one, machine)
    print_report(runs, options.json)
