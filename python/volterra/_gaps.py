"""Missing rows in the index of a data frame.

An estimator assumes one row per step. If an index of dates has a gap, the row after it would be taken as the next step. A
`TimeGrid` determines the step of an index and finds missing rows:

- a fixed step (the median), or calendar months from 27 days on;
- weekdays that do not occur in the index (weekends) are closed, and a closure every night (trading hours) is not a gap;
- with closed weekdays and a step of one day, up to two missing days are a holiday.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from ._errors import GapWarning, warn
from ._frames import is_frame, pandas_module

DAY = 86_400_000_000_000  # nanoseconds
MONTH_LEAST = 27 * DAY
LATE = 1.5  # largest distance of consecutive rows, in steps
HOLIDAY = 2  # working days
RARE = 0.1  # relative to an even distribution over weekdays: a rarer weekday is closed


class Gap(NamedTuple):
    before: Any  # the rows on either side
    after: Any
    missing: Optional[int]  # rows between them; None: unknown because of closed nights

    def __str__(self) -> str:
        count = "rows are" if self.missing is None else "1 row is" if self.missing == 1 else f"{self.missing} rows are"
        return f"{count} missing between {self.before} and {self.after}"


def _nanoseconds(index: Any, is_local: bool) -> np.ndarray:
    """Use local time for days and months, and UTC for other steps, which clock changes must not affect."""
    if index.tz is not None:
        index = index.tz_localize(None) if is_local else index.tz_convert(None)
    return index.to_numpy().astype("datetime64[ns]").astype(np.int64)


def _months(times: np.ndarray) -> np.ndarray:
    return times.astype("datetime64[ns]").astype("datetime64[M]").astype(np.int64)


class TimeGrid:
    """The step of an index of dates or periods."""

    def __init__(self, step: float, months: int = 0, weekmask: Optional[str] = None, is_periods: bool = False) -> None:
        self.step = step  # nanoseconds; of months and periods 1
        self.months = months  # 0: a fixed step
        self.weekmask = weekmask  # open weekdays; None: all are open
        self.is_periods = is_periods
        self.is_local = months > 0 or step >= DAY
        self.closes_nightly = False

    @classmethod
    def of(cls, X: Any) -> "Optional[TimeGrid]":
        """Return the grid of a frame's index; None: it has no dates, or no fixed step."""
        pandas = pandas_module()
        if not is_frame(X) or len(X.index) < 3 or not X.index.is_monotonic_increasing or X.index.hasnans:
            return None
        if isinstance(X.index, pandas.PeriodIndex):
            return cls(1, is_periods=True)
        if not isinstance(X.index, pandas.DatetimeIndex):
            return None
        step = float(np.median(np.diff(_nanoseconds(X.index, False))))
        if step <= 0:
            return None
        if step >= 23 / 24 * DAY:  # clocks may have been changed
            step = float(np.median(np.diff(_nanoseconds(X.index, True))))
        times = _nanoseconds(X.index, step >= DAY)
        steps = np.diff(times)
        if step >= MONTH_LEAST and np.mean(steps == step) < 0.9:
            months = np.diff(_months(times))
            usual = int(np.median(months))
            return cls(1, months=usual) if usual > 0 and np.mean(months == usual) > 0.5 else None
        grid = cls(step, weekmask=cls._open_weekdays(times, step) if step <= DAY else None)
        apart = grid._steps(times)
        if np.mean(np.abs(apart - 1) < LATE - 1) <= 0.5:
            return None  # rows at irregular times have no step
        grid._find_nights(times, apart)
        return grid

    @staticmethod
    def _open_weekdays(times: np.ndarray, step: float) -> Optional[str]:
        """Open weekdays of the index, Monday first, as NumPy's busday functions take them; None: all are open. A weekday that the
        dates do not cover counts as open, except a weekend after daily rows."""
        days = times // DAY + 3  # 1970-01-01 was a Thursday
        counts = np.bincount(days % 7, minlength=7)
        passed = np.bincount(np.arange(days[0], days[-1] + 1) % 7, minlength=7)
        is_open = counts > RARE * len(days) / 7
        is_open[:5] |= passed[:5] < 2
        is_open[5:] |= (passed[5:] == 0) & (step < DAY)
        return None if is_open.all() else "".join("1" if one else "0" for one in is_open)

    def _find_nights(self, times: np.ndarray, apart: np.ndarray) -> None:
        """Nights are closed if there are several rows a day and most nights have none."""
        is_new_day = np.diff(times // DAY) > 0
        nights = int(np.count_nonzero(is_new_day))
        if self.step < DAY and nights > 1:
            self.closes_nightly = np.count_nonzero(is_new_day & (apart > LATE)) > nights / 2

    def _steps(self, times: np.ndarray) -> np.ndarray:
        """Return the number of steps between consecutive rows: 1 if none is missing."""
        if self.is_periods:
            return np.diff(times).astype(float)
        if self.months:
            return np.diff(_months(times)) / self.months
        apart = np.diff(times).astype(float)
        if self.weekmask is not None:
            days = (times // DAY).astype("datetime64[D]")
            one = np.timedelta64(1, "D")
            work = np.busday_count(days[:-1] + one, days[1:] + one, weekmask=self.weekmask)
            apart -= (np.diff(days).astype(np.int64) - work) * float(DAY)
        return apart / self.step

    def _missing(self, times: np.ndarray) -> np.ndarray:
        apart = self._steps(times)
        if self.closes_nightly:
            days = (times // DAY).astype("datetime64[D]")
            nights = np.busday_count(days[:-1], days[1:], weekmask=self.weekmask or "1111111")
            apart[(nights > 0) & (nights <= (1 if self.weekmask is None else 1 + HOLIDAY))] = 1.0
        missing = np.where(apart > LATE, np.rint(apart).astype(np.int64) - 1, 0)
        if self.weekmask is not None and self.step == DAY:
            missing[missing <= HOLIDAY] = 0
        return missing

    def first_gap(self, index: Any) -> Optional[Gap]:
        """Return the first gap in an index of the same kind; None: no gap."""
        pandas = pandas_module()
        is_same = isinstance(index, pandas.PeriodIndex if self.is_periods else pandas.DatetimeIndex)
        if not is_same or len(index) < 2 or index.hasnans or not index.is_monotonic_increasing:
            return None
        missing = self._missing(index.asi8 if self.is_periods else _nanoseconds(index, self.is_local))
        found = np.flatnonzero(missing)
        if not len(found):
            return None
        i = int(found[0])
        return Gap(index[i], index[i + 1], None if self.closes_nightly else int(missing[i]))


def training_gap(X: Any, lengths: Any = None) -> Tuple[Optional[TimeGrid], Optional[Gap]]:
    """Return the grid of the (last record of the) training rows, and the first gap inside a record."""
    if not is_frame(X):
        return None, None
    bounds = np.concatenate([[0], np.cumsum(lengths)]) if lengths is not None else [0, len(X.index)]
    first, grid = None, None
    for begin, end in zip(bounds[:-1], bounds[1:]):
        grid = TimeGrid.of(X.iloc[begin:end])
        gap = None if grid is None else grid.first_gap(X.index[begin:end])
        first = first or gap
    return grid, first


def warn_of_gap(gap: Optional[Gap], name: str = "X") -> None:
    """Warn of a gap in the training rows."""
    if gap is not None:
        warn(
            f"the index of {name} has a gap: {gap}. The row after a gap is taken for the next step: fill the missing rows "
            "(reindex and interpolate), or give the parts as records (groups=)",
            GapWarning,
        )
