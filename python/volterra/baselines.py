"""Baseline forecasts, and the season of a series."""

from __future__ import annotations

from ctypes import c_int64
from typing import Any, Optional

import numpy as np

from ._core import _native as c
from ._core._arguments import choice, whole
from ._core._data import Array, as_targets
from ._core._errors import check
from ._core._types import Baseline

__all__ = ["baseline", "season"]


def season(y: Any) -> int:
    """Return the season of a series: its period in rows, 4 to 400, from the autocorrelation of its changes.

    Returns 0 if no season is significant, as for a constant or fewer than 15 values. The result does not depend on unit
    and level.

    Parameters
    ----------
    y : array-like of shape (n_steps,) or (n_steps, 1)

    Examples
    --------
    >>> import numpy as np
    >>> import volterra
    >>> volterra.season(np.sin(2 * np.pi * np.arange(200) / 24))
    24
    """
    a = as_targets(y)[0]
    if a.shape[1] != 1:
        raise ValueError(f"y must have one column (got {a.shape[1]})")
    a = np.ascontiguousarray(a)
    found = c_int64()
    check(c.lib.volt_season_find(a, a.shape[0], 1, found))
    return found.value


def baseline(
    kind: Baseline,
    y: Any,
    ahead: int = 1,
    season: Optional[int] = None,
    train: Optional[int] = None,
    begin: Optional[int] = None,
    end: Optional[int] = None,
) -> Array:
    """Return baseline forecasts of rows ``begin <= t < end`` of a series.

    Each row is forecast from the rows at least `ahead` before it, each column separately.

    Parameters
    ----------
    kind : {"naive", "seasonal", "drift", "ar"}
        The last known value; the last known value of the same phase of the season; the last known value plus the mean change;
        a linear autoregression on ten lags and, with a season, the lags near it.
    y : array-like of shape (n_steps,) or (n_steps, n_outputs)
    ahead : int, default=1
    season : int, optional
        Season in rows, 0 for none. By default "seasonal" and "ar" estimate it with `volterra.season` from the first `train`
        rows (all, without `train`) of the first column.
    train : int, optional
        "drift" and "ar" learn from the first `train` rows. By default they are fitted again for every row, on all rows known
        when it is forecast.
    begin : int, optional
        By default `train`, or the first row with the history that it needs if that is later.
    end : int, optional
        At most ``n_steps + ahead``; by default n_steps.

    Returns
    -------
    forecasts : ndarray of shape (end - begin,) or (end - begin, n_outputs)

    Examples
    --------
    >>> import volterra
    >>> volterra.baseline("naive", [1.0, 2.0, 4.0, 7.0])
    array([1., 2., 4.])
    >>> volterra.baseline("drift", [1.0, 2.0, 3.0, 4.0], ahead=2, begin=4, end=6)
    array([5., 6.])
    """
    a, flat = as_targets(y)
    n = a.shape[0]
    kind = choice("kind", kind, c.BASELINES)
    ahead = whole("ahead", ahead, 1)
    learn = 0 if train is None else whole("train", train, 1, n)
    if season is None:
        rows = _season(a[: learn or n, :1]) if kind in ("seasonal", "ar") else 0
    else:
        rows = whole("season", season)
    behind = -(-ahead // rows) * rows if kind == "seasonal" and rows else ahead
    first = max(learn, behind) if begin is None else whole("begin", begin)
    last = n if end is None else whole("end", end)
    if last <= first:
        raise ValueError(f"there is no row to forecast: begin is {first} and end is {last}")
    out = np.empty((last - first, a.shape[1]))
    check(c.lib.volt_baseline_forecast(c.BASELINES[kind], a, ahead, rows, learn, first, out))
    return out[:, 0] if flat else out


_season = season  # for `baseline`, which has an argument of that name
