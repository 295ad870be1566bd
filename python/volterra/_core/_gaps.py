"""Times of the rows of a data frame: their order, missing rows, and the rows after the last.

An estimator assumes one row per step. If an index of dates has a gap, the row after it would be taken as the next step.
The library finds the step of an index and missing rows (``volt_times_check``); this module converts an index to times.
"""

from __future__ import annotations

from ctypes import POINTER, c_int, c_int64, cast, pointer
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _native as c
from ._data import Array, is_frame, pandas_module
from ._errors import GapWarning, VolterraWarning, check, warn

UNORDERED, MISSING, TRAINING, SERIAL = (
    c.CONSTANTS[f"VOLT_WARNING_{word}"] for word in ("ROWS_UNORDERED", "ROWS_MISSING", "TRAINING_ROWS", "SERIAL_DATES")
)


class Gap(NamedTuple):
    before: Any  # the rows on either side
    after: Any
    missing: int  # rows between them; 0: unknown because the nights have no rows
    total: int  # rows missing in all gaps

    def __str__(self) -> str:
        count = "rows are" if self.total == 0 else "1 row is" if self.total == 1 else f"{self.total} rows are"
        first = "" if self.total == self.missing else ", the first"
        return f"{count} missing{first} between {self.before} and {self.after}"


def _seconds(index: Any) -> Array:
    """Seconds of an index of dates or durations; nan for NaT."""
    whole, rest = np.divmod(index.to_numpy().astype(f"{index.dtype.kind}8[ns]").astype(np.int64), 1_000_000_000)
    return np.where(index.isna(), np.nan, whole + rest / 1e9)


class Times(NamedTuple):
    """Times of rows. They can be compared with others of the same kind."""

    kind: str
    values: Array  # (n, 2): seconds, and seconds on the local clock

    @classmethod
    def of(cls, index: Any) -> "Optional[Times]":
        """Return the times of an index of dates, periods, durations or numbers; None: of texts."""
        pandas = pandas_module()
        if isinstance(index, pandas.DatetimeIndex):
            utc, local = (index, index) if index.tz is None else (index.tz_convert(None), index.tz_localize(None))
            return cls("dates" if index.tz is None else "dates with a time zone", np.column_stack([_seconds(utc), _seconds(local)]))
        if isinstance(index, pandas.PeriodIndex):
            numbers, kind = np.where(index.isna(), np.nan, index.asi8), f"periods of {index.freqstr}"
        elif isinstance(index, pandas.TimedeltaIndex):
            numbers, kind = _seconds(index), "durations"
        elif getattr(index.dtype, "kind", "O") in "iuf":
            numbers, kind = np.asarray(index, dtype=float), "numbers"
        else:
            return None
        return cls(kind, np.column_stack([numbers, numbers]).astype(float))

    def _grid(self) -> Optional[c.TimeGrid]:
        """The grid that the kind implies; None: the library finds it."""
        if self.kind.startswith("dates"):
            return None
        return c.TimeGrid(step=c.TimeStep(seconds=1.0 if self.kind.startswith("periods") else 0.0))

    def check(self, grid: Optional[c.TimeGrid] = None, last: "Optional[Times]" = None) -> c.TimesReport:
        """Return the report of the library. `grid` and `last` describe the training rows; a last row of another kind is unknown."""
        report, values = c.TimesReport(), np.ascontiguousarray(self.values)
        grid = self._grid() if grid is None else grid
        is_known = last is not None and last.kind == self.kind
        before = c.Time(*last.values[-1]) if last is not None and is_known else c.Time(np.nan, np.nan)
        times = cast(values.ctypes.data, POINTER(c.Time))
        check(c.lib.volt_times_check(times, len(values), grid, before, report))
        return report

    def disorder(self) -> Optional[int]:
        """Return the first row that is not later than the row before it; None: there is none."""
        row = int(self.check().disorder)
        return row if row < len(self.values) else None

    def misplaced(self, last: "Times", step: c.TimeStep) -> Optional[int]:
        """Return the first row that does not follow the row `last` in this step; None: all of them follow."""
        row = int(self.check(c.TimeGrid(step=step), last).misplaced)
        return row if row < len(self.values) else None

    def later(self, step: c.TimeStep, count: int) -> c.Time:
        """Return the time `count` steps after the last row."""
        return c.lib.volt_time_advance(c.Time(*self.values[-1]), step, count)


def warning_of(report: c.TimesReport, code: int) -> Optional[c.Warning]:
    """Return the warning with that code; None: there is none."""
    return next((w for w in report.warnings[: report.n_warnings] if w.code == code), None)


def gap_of(report: c.TimesReport, index: Any, last: Any = None) -> Optional[Gap]:
    """Return the gap in the report of an index; `last` is the row before it."""
    found = warning_of(report, MISSING)
    if found is None:
        return None
    row = int(found.row)
    before = last if row == report.before and last is not None else index[row - 1]
    return Gap(before, index[row], int(found.value), int(report.missing))


def training_gap(X: Any, lengths: Any = None) -> Tuple[Optional[c.TimeGrid], Optional[Gap]]:
    """Return the grid of the (last record of the) training rows, and the first gap inside a record."""
    if not is_frame(X):
        return None, None
    bounds = np.concatenate([[0], np.cumsum(lengths)]) if lengths is not None else [0, len(X.index)]
    first, grid = None, None
    for begin, end in zip(bounds[:-1], bounds[1:]):
        index = X.index[begin:end]
        times = Times.of(index)
        if times is not None:
            report = times.check()
            grid, first = report.grid, first or gap_of(report, index)
    return grid, first


def warn_of_gap(gap: Optional[Gap], name: str = "X") -> None:
    """Warn of a gap in the training rows."""
    if gap is not None:
        warn(
            f"the index of {name} has a gap: {gap}. The row after a gap is taken for the next step: fill the missing rows "
            "(reindex and interpolate), or give the parts as records (groups=)",
            GapWarning,
        )


# ---- rows of two data frames -----------------------------------------------------------------------------------


def dates_of(value: Any) -> "Optional[Times]":
    """Return the dates in the index of a pandas object; None: it has none."""
    if not is_frame(value):
        return None
    times = Times.of(value.index.to_timestamp() if hasattr(value.index, "to_timestamp") else value.index)
    return times if times is not None and times.kind.startswith("dates") else None


def partner_rows(first: Any, second: Any, names: Tuple[str, str] = ("X", "y")) -> Optional[Array]:
    """Return the row of `second` with the date of each row of `first`, -1 for none; None: the rows match one by one, because an
    index has no dates or both have the same.

    Raises
    ------
    ValueError
        The dates differ and have none in common, or do not increase.
    """
    times, others = dates_of(first), dates_of(second)
    if times is None or others is None or not len(times.values) or not len(others.values):
        return None
    rows = np.empty(len(times.values), dtype=np.int64)
    keep = [(np.ascontiguousarray(t.values), np.arange(len(t.values))) for t in (times, others)]
    tables = [
        c.Table(
            rows=len(numbers),
            file_rows=len(numbers),
            row_numbers=cast(numbers.ctypes.data, POINTER(c_int64)),
            times=cast(values.ctypes.data, POINTER(c.Time)),
        )
        for values, numbers in keep
    ]
    pointers = (POINTER(c.Table) * 2)(*(pointer(table) for table in tables))
    check(c.lib.volt_tables_align(pointers, c.names_array("the name of the rows", names), 2, None, rows))
    return None if len(rows) == len(others.values) and np.array_equal(rows, np.arange(len(rows))) else rows


def _take_rows(value: Any, rows: Array) -> Any:
    if is_frame(value):
        return value.iloc[rows]
    return [value[i] for i in rows] if isinstance(value, (list, tuple)) else value[rows]


def align(X: Any, *others: Any, names: Sequence[str] = ("X", "y", "sample_weight", "groups")) -> Tuple[Any, ...]:
    """Return X and others with the rows whose dates are in all indexes of dates (pandas), with a warning if rows are
    left out. Values without dates are matched row by row with X. Lists are records, each with its own index."""
    if isinstance(X, (list, tuple)):
        if not (X and others and isinstance(others[0], (list, tuple)) and len(X) == len(others[0]) and is_frame(X[0])):
            return (X, *others)
        parts = [align(x, y, names=names) for x, y in zip(X, others[0])]
        return ([part[0] for part in parts], [part[1] for part in parts], *others[1:])
    partners = [partner_rows(X, other, (names[0], name)) for other, name in zip(others, names[1:])]
    if all(rows is None for rows in partners):
        return (X, *others)
    n = len(X)
    kept = np.logical_and.reduce([rows >= 0 for rows in partners if rows is not None])
    if not kept.any():
        raise ValueError(f"{' and '.join(names[: len(others) + 1])} have no date in common")
    if not kept.all() or any(rows is not None and len(other) != n for rows, other in zip(partners, others)):
        which = [f"{len(other)} of {name}" for rows, other, name in zip(partners, others, names[1:]) if rows is not None]
        used = int(np.count_nonzero(kept))
        warn(f"the indexes have {used} dates in common: {used} of {n} rows of {names[0]} and of {', '.join(which)} are used", VolterraWarning)
    taken = [_take_rows(X, np.flatnonzero(kept))]
    for other, rows in zip(others, partners):
        if rows is None and np.ndim(other) == 0:
            taken.append(other)
        elif rows is None and len(other) != n:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n, len(other)]}")
        else:
            taken.append(_take_rows(other, np.flatnonzero(kept) if rows is None else rows[kept]))
    return tuple(taken)


# ---- columns that are times ------------------------------------------------------------------------------------


class TimeColumns(NamedTuple):
    """Columns of numbers that are times of the rows (``volt_time_columns_find``)."""

    is_time: Array  # of each column
    found: c.TimeColumns
    names: List[str]
    values: Array

    @classmethod
    def find(cls, values: Array, names: Any = None, lengths: Optional[Sequence[int]] = None) -> "TimeColumns":
        """Find the times among the columns of `values`; `lengths` are those of the records."""
        marks, found = np.zeros(values.shape[1], dtype=np.intc), c.TimeColumns()
        texts = c.names_array("the name of a column", names)
        counts = None if lengths is None else (c_int64 * len(lengths))(*lengths)
        pointer = marks.ctypes.data_as(POINTER(c_int))
        check(
            c.lib.volt_time_columns_find(
                values, texts, counts, 0 if lengths is None else len(lengths), pointer, found
            )
        )
        words = [str(j + 1) for j in range(len(marks))] if names is None else [str(name) for name in names]
        return cls(marks != 0, found, words, values)

    def warnings(self) -> List[c.Warning]:
        return list(self.found.warnings[: self.found.n_warnings])

    def text(self, warning: c.Warning) -> str:
        """Return the text of a warning with the name of its column and its values."""
        name, column = self.names[warning.series], self.values[:, warning.series]
        about = f"column {name!r}: {c.text(c.lib.volt_warning_text(warning.code))}"
        if warning.code == MISSING:
            row = int(warning.row)
            return f"{about} ({Gap(f'{column[row - 1]:.9g}', f'{column[row]:.9g}', int(warning.value), int(self.found.missing))})"
        if warning.code == SERIAL:
            day = np.datetime64(int(warning.value // 86400), "D")
            return f"{about} ({c.text(self.found.serial)}: {np.floor(column[0]):.0f} is {day})"
        return about


# ---- rows after the last ---------------------------------------------------------------------------------------


def step_of(index: Any) -> c.TimeStep:
    """Return the time between two rows of an index of dates or periods; all zero: unknown."""
    times = Times.of(index.to_timestamp() if hasattr(index, "to_timestamp") else index)
    return times.check().step if times is not None and times.kind.startswith("dates") else c.TimeStep()


def _dates_like(index: Any, times: Any, step: c.TimeStep) -> Any:
    """Return times as dates of the type of `index`: days, months and steps with closed weekdays on its clock, others in UTC."""
    on_clock = step.months > 0 or step.seconds >= 86400 or step.closed_weekdays
    counts = [round(1e6 * (time.clock if on_clock else time.seconds)) for time in times]
    dates = pandas_module().DatetimeIndex(np.array(counts, dtype="int64").astype("M8[us]"))
    if index.tz is not None and on_clock:
        dates = dates.tz_localize(index.tz, ambiguous=True, nonexistent="shift_forward")
    elif index.tz is not None:
        dates = dates.tz_localize("UTC").tz_convert(index.tz)
    return dates.astype(index.dtype)


def future_index(index: Any, first: int, count: int) -> Any:
    """Return the index of rows `first`, first + 1, ... after the end of an index: continued with its frequency or the step that
    the library finds (closed weekdays are skipped, holidays are not known), otherwise the step numbers. None for None
    (polars)."""
    if index is None:
        return None
    pandas = pandas_module()
    steps = range(first, first + count)
    if isinstance(index, pandas.PeriodIndex):
        return pandas.PeriodIndex([index[-1] + step for step in steps])
    if isinstance(index, pandas.DatetimeIndex):
        if index.freq is not None:
            return pandas.date_range(index[-1], periods=first + count, freq=index.freq)[first:]
        times, step = Times.of(index), step_of(index)
        if times is not None and (step.seconds > 0 or step.months > 0):
            return _dates_like(index, [times.later(step, count) for count in steps], step)
    elif index.dtype.kind in "iuf" and len(index) > 1:
        values = np.asarray(index)
        each = (values[-1] - values[0]) / (len(values) - 1)
        if each != 0 and np.allclose(values, values[0] + each * np.arange(len(values)), rtol=1e-12, atol=1e-6 * abs(each)):
            later = values[-1] + each * np.array(steps)
            return pandas.Index(later if index.dtype.kind == "f" else np.rint(later).astype(np.int64))
    return pandas.RangeIndex(first, first + count)
