"""Metrics of predictions, each the mean over outputs.

Every function takes ``truth`` and ``forecast`` of shape (n_steps,) or (n_steps, n_outputs), in this order.
"""

from __future__ import annotations

from ctypes import c_double, c_int, c_int64
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._core import _native as c
from ._core._data import Array, as_targets, to_float64
from ._core._errors import check
from ._core._gaps import align
from ._core._kernel import Loss

__all__ = [
    "mae",
    "mape",
    "mase",
    "mdae",
    "mse",
    "nmse",
    "r2",
    "ranking",
    "rmse",
    "scores",
    "skill",
    "valid_rows",
    "valid_time",
    "w1",
]


def _pair(truth: Any, forecast: Any) -> Tuple[Array, Array]:
    """Rows of the same date, if both have an index of dates."""
    truth, forecast = align(truth, forecast, names=("truth", "forecast"))
    return as_targets(truth, "truth")[0], as_targets(forecast, "forecast")[0]


def scores(truth: Any, forecast: Any) -> Dict[str, float]:
    """Return all metrics: mse, nmse, r2, mae, mdae, w1, mape and rmse.

    Examples
    --------
    >>> from volterra import metrics
    >>> round(metrics.scores([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])["mae"], 3)
    0.333
    """
    a, b = _pair(truth, forecast)
    values = c.Metrics()
    check(c.lib.volt_metrics_compute(a, b, values))
    return c.values(values)


def mse(truth: Any, forecast: Any) -> float:
    """Mean squared error.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.mse([0.0, 0.0], [1.0, 3.0])
    5.0
    """
    return scores(truth, forecast)["mse"]


def rmse(truth: Any, forecast: Any) -> float:
    """Square root of the mean squared error of an output.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.rmse([0.0, 0.0], [3.0, 3.0])
    3.0
    """
    return scores(truth, forecast)["rmse"]


def nmse(truth: Any, forecast: Any) -> float:
    """Mean squared error over the population variance of the truth; ``1 - r2``.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.nmse([-1.0, 1.0], [-1.0, 2.0])
    0.5
    """
    return scores(truth, forecast)["nmse"]


def r2(truth: Any, forecast: Any, sample_weight: Any = None) -> float:
    """Coefficient of determination.

    For a constant truth (also a single row) it is 1 if the prediction is exact, else 0.

    Parameters
    ----------
    truth, forecast : array-like of shape (n_steps,) or (n_steps, n_outputs)
    sample_weight : array-like of shape (n_steps,), optional

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.r2([-1.0, 1.0], [-1.0, 2.0])
    0.5
    """
    if sample_weight is None:
        return scores(truth, forecast)["r2"]
    a, b = _pair(truth, forecast)
    weight = to_float64(sample_weight, "sample_weight").reshape(-1, 1)
    if a.shape != b.shape or weight.shape[0] != a.shape[0]:
        raise ValueError(
            f"truth, forecast and sample_weight have shapes {a.shape}, {b.shape} and {weight.shape[:1]}, "
            "which do not agree"
        )
    left = (weight * (a - b) ** 2).sum(axis=0)
    all_of_it = (weight * (a - np.average(a, axis=0, weights=weight[:, 0])) ** 2).sum(axis=0)
    constant = all_of_it == 0
    share = 1 - left / np.where(constant, 1, all_of_it)
    return float(np.mean(np.where(constant, (left == 0).astype(float), share)))


def mae(truth: Any, forecast: Any) -> float:
    """Mean absolute error.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.mae([0.0, 0.0], [1.0, -3.0])
    2.0
    """
    return scores(truth, forecast)["mae"]


def mdae(truth: Any, forecast: Any) -> float:
    """Median absolute error.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.mdae([0.0, 0.0, 0.0], [1.0, -3.0, 9.0])
    3.0
    """
    return scores(truth, forecast)["mdae"]


def mape(truth: Any, forecast: Any) -> float:
    """Mean absolute error relative to the truth, not in percent.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.mape([1.0, 2.0], [1.0, 3.0])
    0.25
    """
    return scores(truth, forecast)["mape"]


def w1(first: Any, second: Any) -> float:
    """Wasserstein-1 distance between the empirical distributions, the mean over outputs.

    Two 1-D samples may have different lengths.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.w1([0.0, 1.0], [1.0, 2.0])
    1.0
    """
    if np.ndim(first) == 1 and np.ndim(second) == 1:
        a, b = (np.ascontiguousarray(as_targets(s, "the sample")[0]) for s in (first, second))
        distance = c_double()
        check(c.lib.volt_wasserstein(a, len(a), b, len(b), distance))
        return distance.value
    return scores(first, second)["w1"]


def _against(truth: Any, forecast: Any, baseline: Any, ahead: int, season: int, past: Any) -> c.Skill:
    """Return the errors of the prediction relative to the baseline; None: the naive forecast."""
    a, b = _pair(truth, forecast)
    other = None if baseline is None else as_targets(baseline, "baseline")[0]
    before = None if past is None else as_targets(past, "past")[0]
    values = c.Skill()
    check(
        c.lib.volt_skill_compute(
            a,
            b,
            None if other is None else other,
            None if before is None else before,
            ahead,
            season,
            values,
        )
    )
    return values


def skill(
    truth: Any,
    forecast: Any,
    baseline: Any = None,
    *,
    ahead: int = 1,
    season: int = 0,
    past: Optional[Any] = None,
) -> float:
    """1 - mean squared error relative to a baseline: 1 is exact; negative: the baseline is better.

    The mean over the outputs for which the baseline has an error.

    Parameters
    ----------
    truth, forecast : array-like of shape (n_steps,) or (n_steps, n_outputs)
    baseline : array-like of the same shape, optional
        Other predictions, such as a forecast of `volterra.baseline`. By default the naive forecast, the truth `ahead` rows
        before; rows without an earlier truth are then excluded.
    ahead : int, default=1
        Horizon of the forecasts.
    season : int, default=0
        Season length in rows, at least 2: compare with the seasonal naive forecast.
    past : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        The rows before the truth, for the naive forecast.

    Examples
    --------
    >>> from volterra import metrics
    >>> round(metrics.skill([2.0, 4.0, 6.0], [2.0, 3.0, 5.0], past=[0.0]), 3)
    0.833
    """
    return float(_against(truth, forecast, baseline, ahead, season, past).skill)


def mase(
    truth: Any,
    forecast: Any,
    baseline: Any = None,
    *,
    ahead: int = 1,
    season: int = 0,
    past: Optional[Any] = None,
) -> float:
    """Mean absolute error relative to a baseline on the same rows; arguments as in `skill`.

    Examples
    --------
    >>> from volterra import metrics
    >>> round(metrics.mase([2.0, 4.0, 6.0], [2.0, 3.0, 5.0], past=[0.0]), 3)
    0.333
    """
    return float(_against(truth, forecast, baseline, ahead, season, past).mase)


def valid_rows(truth: Any, forecast: Any, threshold: float = 0.2) -> int:
    """Number of valid rows: the first t, from 1, with ``|y_t - yhat_t| / |y_t| >= threshold``.

    Returns the number of all rows if there is no such row. Norms are Euclidean, over the outputs.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.valid_rows([1.0, 1.0, 1.0], [1.0, 1.1, 1.5])
    3
    """
    a, b = _pair(truth, forecast)
    rows, reached = c_int64(), c_int()
    check(c.lib.volt_valid_rows(a, b, threshold, rows, reached))
    return rows.value


def valid_time(truth: Any, forecast: Any, step: float, lyapunov: float = 1.0, threshold: float = 0.2) -> float:
    """Valid prediction time: `valid_rows` times the step, in Lyapunov times if the exponent is given.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.valid_time([1.0, 1.0, 1.0, 1.0], [1.0, 1.1, 1.0, 1.5], step=0.5, lyapunov=0.9)
    1.8
    """
    return valid_rows(truth, forecast, threshold) * step * lyapunov


def ranking(marked: Any, scores: Any) -> Dict[str, float]:
    """Areas under the ROC curve and the precision-recall curve, for scores of marked and other rows.

    Parameters
    ----------
    marked : array-like of bool of shape (n_rows,)
        Rows of both kinds are required.
    scores : array-like of shape (n_rows,)
        Larger for marked rows. Ties count half in the ROC area.

    Returns
    -------
    dict
        ``roc_auc`` and ``pr_auc``, the average precision.

    Examples
    --------
    >>> from volterra import metrics
    >>> metrics.ranking([True, False, True, False], [4.0, 3.0, 2.0, 1.0])["roc_auc"]
    0.75
    """
    values = np.ascontiguousarray(scores, dtype=float)
    marks = np.ascontiguousarray(np.asarray(marked, dtype=bool), dtype=np.intc)
    if values.ndim != 1 or marks.shape != values.shape:
        raise ValueError(f"marked and scores must be 1-D and of equal length (got shapes {marks.shape} and {values.shape})")
    areas = c.Ranking()
    check(c.lib.volt_ranking_compute(values, marks, len(values), areas))
    return {"roc_auc": areas.roc_auc, "pr_auc": areas.pr_auc}


def _explained(text: Optional[str], truth: Array, forecast: Array, weights: Optional[Array]) -> float:
    """R2; for quantiles and counts D2, 1 - the mean loss relative to that of the best constant."""
    loss = None if text is None else Loss(text)
    if loss is None or loss.name not in ("quantile", "poisson"):
        return r2(truth, forecast, weights)
    levels = loss.levels if loss.name == "quantile" else []
    constant = np.array(
        [value for k in range(truth.shape[1]) for value in _best_constants(truth[:, k], levels, weights)]
    )
    left = loss.score(truth, forecast, weights)
    whole = loss.score(truth, np.broadcast_to(constant, forecast.shape), weights)
    return 1 - left / whole if whole > 0 else float(left == 0)


def _best_constants(y: Array, levels: List[float], weights: Optional[Array]) -> List[float]:
    if not levels:
        return [float(np.average(y, weights=weights))]
    order = np.argsort(y, kind="stable")
    mass = np.cumsum(np.ones(len(y)) if weights is None else weights[order])
    return [float(y[order][np.searchsorted(mass, q * mass[-1])]) for q in levels]
