"""Forecasts of many series in long format: a DataFrame with columns unique_id, ds and y.

The library groups the rows, checks each series and forecasts it; this module converts the columns.
"""

from __future__ import annotations

import sys
from ctypes import POINTER, byref, c_char_p, c_double, cast
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._core import _native as c
from ._core._arrays import Array
from ._core._errors import GapWarning, VolterraWarning, warn
from ._core._frames import library_of
from ._core._progress import Watch
from ._core._threads import use_threads
from ._intervals import end_suffixes

COLUMNS = ("unique_id", "ds", "y")
MOST_NAMED = 20  # series without a forecast that the warning names


class ForecastWarning(VolterraWarning):
    """A warning of the library about a forecast; `Forecaster.warnings_` has its parts.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = volterra.forecast(np.array([1.0, 2.0, 3.0]), steps=2)
    >>> caught[0].category.__name__
    'ForecastWarning'
    """


def is_long(data: Any) -> bool:
    """Return whether it is a DataFrame with columns unique_id, ds and y."""
    return library_of(data) is not None and len(data.shape) == 2 and set(COLUMNS) <= {str(name) for name in data.columns}


# ---- times as text, and back -------------------------------------------------------------------------------


def _date_texts(dates: Array) -> List[str]:
    """Dates as text: 2020-01-31, with the time of day if a row has one."""
    whole = dates[~np.isnat(dates)]
    for unit in ("D", "s", "us", "ns"):
        if np.array_equal(whole.astype(f"datetime64[{unit}]").astype("datetime64[ns]"), whole.astype("datetime64[ns]")):
            break
    return [text.replace("T", " ") for text in np.datetime_as_string(dates.astype(f"datetime64[{unit}]")).tolist()]


class Times:
    """The column ds: its texts for the library, and the texts of the steps in its type."""

    def __init__(self, column: Any) -> None:
        self.library = library_of(column)
        self.dtype = column.dtype
        self.freq = getattr(column.dtype, "freq", None) if self.library == "pandas" else None
        if self.freq is not None:  # periods
            column = column.dt.to_timestamp()
        self.zone = getattr(column.dtype, "tz", None) if self.library == "pandas" else getattr(column.dtype, "time_zone", None)
        if self.zone is not None:
            column = column.dt.tz_localize(None) if self.library == "pandas" else column.dt.replace_time_zone(None)
        values = column.to_numpy()
        self.kind = values.dtype.kind
        if self.kind == "M":
            self.texts = _date_texts(values)
        elif self.kind in "iuf":
            self.texts = [repr(value) for value in values.tolist()]
        else:
            self.texts = [str(value) for value in values]

    def column(self, texts: Sequence[str], dated: Array) -> Any:
        """The times of the steps; those of a series without a regular step are missing where the type has no numbers."""
        if self.kind in "iuf":
            numbers = np.array([float(text) for text in texts])
            return numbers.astype(np.int64) if self.kind in "iu" and np.array_equal(numbers, np.floor(numbers)) else numbers
        if self.kind != "M":
            return np.array(texts, dtype=object)
        dates = np.array([text if is_dated else "NaT" for text, is_dated in zip(texts, dated)], dtype="datetime64[us]")
        module: Any = sys.modules[self.library or "pandas"]
        if self.library == "polars":
            column = module.Series("ds", dates)
            column = column if self.zone is None else column.dt.replace_time_zone(self.zone)
            return column.cast(self.dtype)
        index = module.DatetimeIndex(dates.astype("datetime64[ns]"))
        if self.zone is not None:
            return index.tz_localize(self.zone)
        return index if self.freq is None else index.to_period(self.freq)


# ---- values -------------------------------------------------------------------------------------------------


def _values(column: Any) -> Tuple[Array, Optional[List[Optional[str]]]]:
    """The column y as numbers, and the faults of its cells (None: it has numbers only)."""
    try:
        return np.ascontiguousarray(column.to_numpy(), dtype=float), None
    except (TypeError, ValueError):
        pass
    values = np.full(len(column), np.inf)
    faults: List[Optional[str]] = [None] * len(column)
    for row, cell in enumerate(column.to_list()):
        try:
            values[row] = np.nan if cell is None else float(cell)
        except (TypeError, ValueError):
            faults[row] = f"{cell!r} is not a number"
    return values, faults


# ---- the call ----------------------------------------------------------------------------------------------


class _Rows:
    """The rows of all forecasts, as the library reports them."""

    def __init__(self, levels: int, is_filled: bool) -> None:
        self.levels, self.is_filled = levels, is_filled
        self.series: List[Tuple[int, int]] = []  # index and steps of each forecast
        self.skipped: List[Tuple[str, str]] = []
        self.late = 0  # series that did not begin within the time limit
        self.numbers: List[List[float]] = []
        self.times: List[str] = []
        self.dated: List[bool] = []
        self.gaps = 0

    def take(self, found: Any) -> None:
        if found.status == c.CONSTANTS["VOLT_ERR_CANCELLED"]:
            self.late += 1
            return
        if found.status:
            self.skipped.append((c.text(found.id), c.text(found.message)))
            return
        info = c.ForecastInfo()
        c.lib.volt_forecast_get_info(found.forecast, byref(info))
        self.series.append((found.index, info.steps))
        self.gaps += found.missing_rows > 0
        for h in range(info.steps):
            step = c.lib.volt_forecast_step_at(found.forecast, h, 0).contents
            ends = [end for i in range(self.levels) for end in (step.lower[i], step.upper[i])]
            self.numbers.append([step.value, step.rmse, *ends])
            self.times.append(c.text(found.times[h]))
            self.dated.append(bool(found.is_dated))

    def tell(self, count: int) -> None:
        """Warn about series without a forecast, without regular times, and with gaps."""
        if self.skipped:
            named = "; ".join(f"{name!r}: {reason}" for name, reason in self.skipped[:MOST_NAMED])
            more = "; ..." if len(self.skipped) > MOST_NAMED else ""
            warn(f"{len(self.skipped)} of {count} series have no forecast: {named}{more}", ForecastWarning)
        if self.late:
            warn(f"{self.late} of {count} series did not begin within time_limit", ForecastWarning)
        if not all(self.dated):
            warn("the times of some series have no regular step, and their forecasts no times", ForecastWarning)
        if self.gaps:
            use = "they are filled in" if self.is_filled else "the row after a gap is used as the next step"
            warn(f"rows are missing in {self.gaps} series; {use}", GapWarning)


def forecast_long(data: Any, options: Any, levels: Sequence[float], n_jobs: Any, verbose: bool) -> Any:
    """Forecast every series of a long DataFrame; the result has the same form."""
    ids = data["unique_id"].to_list() if library_of(data) == "polars" else list(data["unique_id"])
    names: Dict[str, Any] = {}  # in order of first appearance, as in the library
    for value in ids:
        if value is None or value != value:
            raise ValueError("column 'unique_id' has a missing value, and every row must name its series")
        names.setdefault(str(value), value)
    times = Times(data["ds"])
    values, faults = _values(data["y"])
    fault_texts = None
    if faults is not None:
        fault_texts = (c_char_p * len(faults))(*(None if fault is None else fault.encode() for fault in faults))
    id_texts = c.names_array("column 'unique_id'", ids)
    time_texts = c.names_array("column 'ds'", times.texts)
    shares = (c_double * max(1, len(levels)))(*levels)
    options.coverages = cast(shares, POINTER(c_double))
    options.n_coverages = len(levels)
    rows = c.LongRows(
        rows=len(values),
        ids=cast(id_texts, POINTER(c_char_p)),
        times=cast(time_texts, POINTER(c_char_p)),
        values=values.ctypes.data_as(POINTER(c_double)),
        faults=None if fault_texts is None else cast(fault_texts, POINTER(c_char_p)),
    )
    found = _Rows(len(levels), options.missing != c.MISSING["error"])
    with use_threads(n_jobs), Watch("forecast", verbose) as watch:

        def take(pointer: Any, _context: Any) -> int:
            watch.guard(found.take, cast(pointer, POINTER(c.ForecastResult)).contents)
            return int(watch.failure is not None)

        options.progress = watch.progress
        watch.check(c.lib.volt_forecast_many(byref(rows), byref(options), c.ForecastFn(take), None))
    found.tell(len(names))
    numbers, keys = np.array(found.numbers), list(names.values())
    ends = [f"y{suffix}" for suffix in end_suffixes(levels)]
    columns: Dict[str, Any] = {
        "unique_id": [keys[index] for index, steps in found.series for _ in range(steps)],
        "ds": times.column(found.times, np.array(found.dated)),
    }
    columns.update({name: numbers[:, j] for j, name in enumerate(["y", "y.error", *ends])})
    module: Any = sys.modules[library_of(data) or "pandas"]
    return module.DataFrame(columns)
