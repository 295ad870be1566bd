"""Datasets: simulated systems, the BEKK model of covolatility, and data files.

Simulated sequences equal those of ``volterra simulate``, on every machine.
"""

from __future__ import annotations

from ctypes import POINTER, c_int, c_int64
from itertools import count, takewhile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._core import _native as c
from ._core._arguments import MOST, choice, seed_number, whole
from ._core._data import Array, empty, to_float64
from ._core._errors import check
from ._core._model import PathLike, missing_file
from ._core._progress import Watch, run
from ._core._types import OdeMethod as _OdeMethod
from .covolatility import BEKK, BEKKSample, bekk, bekk_presets, log_returns

__all__ = [
    "BEKK",
    "BEKKSample",
    "Series",
    "Table",
    "bekk",
    "bekk_presets",
    "log_returns",
    "lorenz",
    "mackey_glass",
    "narma10",
    "read_series",
    "read_table",
    "simulate",
    "systems",
]


def _method(method: str) -> int:
    return c.ODE_METHODS[choice("method", method, c.ODE_METHODS)]


def _simulate(system: str, options: c.SimulateOptions, length: int, columns: int) -> Array:
    out = empty(whole("length", length, 1), columns)
    run("simulate", c.lib.volt_simulate, c.SYSTEMS[system], options, out)
    return out


def lorenz(
    length: int,
    *,
    step: float = 0.005,
    start: Sequence[float] = (0.0, 1.0, 1.05),
    sigma: float = 10.0,
    rho: float = 28.0,
    beta: float = 8.0 / 3.0,
    discard: int = 0,
    method: _OdeMethod = "rk4",
) -> Array:
    """Simulate the Lorenz system of 1963.

    Parameters
    ----------
    length : int
        Number of rows.
    step : float, default=0.005
        Time between rows.
    start : three numbers, default=(0, 1, 1.05)
        The first row, if nothing is discarded.
    sigma, rho, beta : float
        ``u' = sigma (v - u)``, ``v' = rho u - v - u w``, ``w' = u v - beta w``.
    discard : int, default=0
        Initial rows to discard.
    method : {"rk4", "accurate"}, default="rk4"
        One Runge-Kutta step per row, or a Taylor series of high order, accurate to rounding.

    Returns
    -------
    ndarray of shape (length, 3)

    Examples
    --------
    >>> import volterra
    >>> volterra.datasets.lorenz(3)[0]
    array([0.  , 1.  , 1.05])
    """
    options = c.lib.volt_simulate_options_default(c.SYSTEMS["lorenz"])
    options.sigma, options.rho, options.beta = sigma, rho, beta
    options.start[:] = to_float64(start, "start").tolist()
    options.step, options.discard, options.method = step, whole("discard", discard), _method(method)
    return _simulate("lorenz", options, length, 3)


def mackey_glass(
    length: int,
    *,
    delay: float = 17.0,
    a: float = 0.2,
    b: float = 0.1,
    power: float = 10.0,
    start: float = 1.2,
    step: float = 0.02,
    every: int = 50,
    discard: int = 0,
    method: _OdeMethod = "rk4",
) -> Array:
    """Simulate the Mackey-Glass equation ``x' = a x(t - delay) / (1 + x(t - delay)^power) - b x``.

    Parameters
    ----------
    length : int
        Number of rows.
    delay : float, default=17
        An integer number of steps.
    a, b, power : float
    start : float, default=1.2
        The constant history.
    step : float, default=0.02
        Integration step.
    every : int, default=50
        Integration steps per row: rows are ``every * step`` apart in time.
    discard : int, default=0
        Initial rows to discard.
    method : {"rk4", "accurate"}, default="rk4"

    Returns
    -------
    ndarray of shape (length, 1)

    Examples
    --------
    >>> import volterra
    >>> volterra.datasets.mackey_glass(500, discard=100).shape
    (500, 1)
    """
    options = c.lib.volt_simulate_options_default(c.SYSTEMS["mackey_glass"])
    options.a, options.b, options.power, options.delay = a, b, power, delay
    options.start[0], options.step, options.every = start, step, whole("every", every, 1)
    options.discard, options.method = whole("discard", discard), _method(method)
    return _simulate("mackey_glass", options, length, 1)


def narma10(length: int, *, seed: int = 0, discard: int = 200) -> Tuple[Array, Array]:
    """Simulate NARMA10: ``y[t+1] = 0.3 y[t] + 0.05 y[t] sum_{i<10} y[t-i] + 1.5 u[t-9] u[t] + 0.1``.

    Parameters
    ----------
    length : int
        Number of rows.
    seed : int, default=0
        Seed of the inputs, uniform on [0, 0.5). The system diverges for rare inputs: use another seed.
    discard : int, default=200
        Initial rows to discard.

    Returns
    -------
    u : ndarray of shape (length, 1)
        Inputs u[t].
    y : ndarray of shape (length,)
        Targets y[t+1].

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(1000, seed=3)
    >>> u.shape, y.shape
    ((1000, 1), (1000,))
    """
    options = c.lib.volt_simulate_options_default(c.SYSTEMS["narma10"])
    options.seed, options.discard = seed_number("seed", seed), whole("discard", discard)
    both = _simulate("narma10", options, length, 2)
    return both[:, :1], both[:, 1].copy()


def simulate(
    system: str,
    length: int,
    *,
    start: Optional[Sequence[float]] = None,
    step: Optional[float] = None,
    every: Optional[int] = None,
    discard: Optional[int] = None,
    seed: Optional[int] = None,
) -> Array:
    """Simulate any system of `systems`, with the parameters in its text.

    Parameters
    ----------
    system : str
        ``NAME`` or ``NAME:PARAMETER=VALUE,...``, for example ``"lorenz96:forcing=10,dimension=20"``.
    length : int
        Number of rows.
    start : numbers, optional
        Initial values.
    step : float, optional
        Integration step.
    every : int, optional
        Integration steps per row.
    discard : int, optional
        Initial rows to discard.
    seed : int, optional
        Seed of the input, default 0. Without an input, adds 0.1 times a standard normal draw to each initial value.

    Returns
    -------
    ndarray of shape (length, columns)
        The states, or the input and the output of a system with input.

    Examples
    --------
    >>> import volterra
    >>> volterra.datasets.simulate("lorenz96:dimension=6", 100).shape
    (100, 6)
    """
    which, columns, options = c_int(), c_int64(), c.SimulateOptions()
    check = Watch("simulate").check
    check(c.lib.volt_system_parse(str(system).encode(), which, options))
    info = c.lib.volt_system_at(which.value).contents
    if start is not None:
        values = to_float64(start, "start").ravel().tolist()
        if len(values) != info.n_start:
            raise ValueError(f"start must have {info.n_start} numbers (got {len(values)})")
        options.start[: len(values)] = values
    c.fill(
        options,
        step=step,
        every=None if every is None else whole("every", every, 1),
        discard=None if discard is None else whole("discard", discard),
    )
    if seed is not None:
        options.seed, options.start_noise = seed_number("seed", seed), 0.0 if info.has_input else 0.1
    check(c.lib.volt_simulate_columns(which.value, options, columns))
    out = empty(whole("length", length, 1), columns.value)
    run("simulate", c.lib.volt_simulate, which.value, options, out)
    return out


def systems() -> Dict[str, Dict[str, Any]]:
    """The systems that `simulate` knows, as in ``volterra help systems``.

    Returns
    -------
    dict
        By name: ``equation``; ``columns``, one name if their number is a parameter; ``accuracy``, the measured
        error of the default step, or None; and ``parameters``, by name their ``meaning``, ``default``, ``low`` and
        ``high``.

    Examples
    --------
    >>> import volterra
    >>> volterra.datasets.systems()["henon"]["parameters"]["a"]["default"]
    1.4
    """
    return {
        c.text(one.name): {
            "equation": c.text(one.equation),
            "columns": [c.text(name) for name in takewhile(bool, (one.columns[i] for i in count()))],
            "accuracy": c.text(one.accuracy) or None,
            "parameters": {
                c.text(p.name): {"meaning": c.text(p.meaning), "default": p.fallback, "low": p.low, "high": p.high}
                for p in one.parameters[: one.n_parameters]
            },
        }
        for one in c.entries(c.lib.volt_system_at)
    }


# ---- data files ------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """Columns of a data file.

    Examples
    --------
    >>> import pathlib, tempfile, volterra
    >>> path = pathlib.Path(tempfile.mkdtemp(), "table.csv")
    >>> _ = path.write_text("a,b\\n1,2\\n3,4\\n")
    >>> table = volterra.datasets.read_table(path)
    >>> table.names, table.values.tolist()
    (['a', 'b'], [[1.0, 2.0], [3.0, 4.0]])
    """

    values: Array  #: (n_rows, n_columns)
    names: List[str]  #: of the columns
    file_rows: int  #: rows of the file, read or not


class Series(NamedTuple):
    """Series of a data file, with labels if the file has them.

    Examples
    --------
    >>> import pathlib, tempfile, volterra
    >>> path = pathlib.Path(tempfile.mkdtemp(), "waves.csv")
    >>> _ = path.write_text("series,y\\na,1\\na,2\\nb,3\\nb,4\\n")
    >>> [one[:, 0].tolist() for one in volterra.datasets.read_series(path).series]
    [[1.0, 2.0], [3.0, 4.0]]
    """

    series: List[Array]  #: (n_steps, n_channels) each
    labels: Optional[List[str]]  #: of the series


def read_table(
    path: PathLike,
    columns: Optional[str] = None,
    *,
    rows: Optional[Tuple[int, Optional[int]]] = None,
    missing: str = "error",
    decimal: Optional[str] = None,
    thousands: Optional[str] = None,
) -> Table:
    """Read a table of numbers from a CSV, NPY or MAT file, as the program ``volterra`` does.

    Parameters
    ----------
    path : path-like
        The format follows the extension: .npy, .mat, otherwise CSV.
    columns : str, optional
        Comma-separated names, ranges ``first..last`` and patterns ``h*``. None: all columns but dates.
    rows : (first, end), optional
        Read rows ``first <= t < end``, counted from 0; an end of None is the last row. Other rows are ignored.
    missing : {"error", "keep", "drop", "interpolate"}, default="error"
        Missing values: error, nan, dropped rows, or linear interpolation.
    decimal : {".", ","}, optional
        Decimal mark of a CSV file. None: detected, or not the separator of thousands.
    thousands : {".", ",", " ", "'"}, optional
        Separator of thousands of a CSV file. None: not the decimal mark, if that is given; otherwise a point with decimal commas. A
        column with 996 and 1.045 is an error unless one of the two is given.

    Returns
    -------
    Table
        ``values``, ``names`` and ``file_rows``.

    Examples
    --------
    >>> import os, tempfile, volterra
    >>> path = os.path.join(tempfile.mkdtemp(), "data.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("u,y\\n1,2\\n3,4\\n5,6\\n")
    >>> table = volterra.datasets.read_table(path, "y", rows=(1, None))
    >>> table.values[:, 0].tolist(), table.file_rows
    ([4.0, 6.0], 3)
    """
    options = c.lib.volt_read_options_default()
    options.missing = c.MISSING[choice("missing", missing, c.MISSING)]
    options.decimal = None if decimal is None else c.encode("decimal", decimal)
    options.thousands = None if thousands is None else c.encode("thousands", thousands)
    if rows is not None:
        first, end = rows
        options.first = whole("the first row", first)
        options.end = MOST if end is None else whole("the end of the rows", end)
    source = c.encode_path("the path", path)
    if columns is not None:
        source += b":" + c.encode("the columns", columns)
    found = POINTER(c.Table)()
    with missing_file(path):
        check(c.lib.volt_table_read(source, options, found))
    try:
        table = found.contents
        values = np.ctypeslib.as_array(table.values, (table.rows, table.cols)).copy()
        return Table(values, [c.text(table.names[k]) for k in range(table.cols)], int(table.file_rows))
    finally:
        c.lib.volt_table_free(found)


def read_series(path: PathLike) -> Series:
    """Read a collection of series: .ts files of the UEA archive, .npy, or CSV with a column ``series``.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Series
        ``series``, a list of arrays (n_steps, n_channels), and ``labels``, a list of str or None.

    Examples
    --------
    >>> import os, tempfile, volterra
    >>> path = os.path.join(tempfile.mkdtemp(), "waves.ts")
    >>> with open(path, "w") as file:
    ...     _ = file.write("@univariate true\\n@classLabel true up down\\n@data\\n1,2,3:up\\n3,2,1:down\\n")
    >>> waves = volterra.datasets.read_series(path)
    >>> waves.series[1][:, 0].tolist(), waves.labels
    ([3.0, 2.0, 1.0], ['up', 'down'])
    """
    found = POINTER(c.Collection)()
    source = c.encode_path("the path", path)
    with missing_file(path):
        check(c.lib.volt_collection_read(source, found))
    try:
        collection = found.contents
        count = int(collection.count)
        labels = [c.text(collection.labels[i]) for i in range(count)] if collection.labels else None
        return Series([c.copy_of(collection.series[i]) for i in range(count)], labels)
    finally:
        c.lib.volt_collection_free(found)
