"""Plots of forecasts, searches, capacities and learning curves; requires matplotlib."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from ._core._data import Array, as_targets, column_names

__all__ = ["capacity", "forecast", "learning_curve", "search"]

_MEASURED, _PREDICTED, _MARK = "0.55", "tab:blue", "tab:red"


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("volterra.plot requires matplotlib: pip install matplotlib") from None
    return pyplot


def _panels(rows: int, columns: int, axes: Any, **figure: Any) -> Any:
    """The given axes, or those of a new figure, without a frame at the top and on the right."""
    panels = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if axes is None:
        panels = _pyplot().subplots(rows, columns, squeeze=False, layout="constrained", **figure)[1].ravel()
    if len(panels) != rows * columns:
        raise ValueError(f"there are {len(panels)} axes, and {rows * columns} are needed")
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    return panels


def forecast(
    truth: Any,
    forecast: Any,
    *,
    history: Any = None,
    names: Optional[Sequence[str]] = None,
    axes: Any = None,
) -> Any:
    """Plot measured and predicted values, one panel per output.

    Parameters
    ----------
    truth, forecast : array-like of shape (n_steps,) or (n_steps, n_outputs)
        Measured and predicted values. The index of a Series or DataFrame is used for the horizontal axis.
    history : array-like, optional
        Targets before the forecast.
    names : sequence of str, optional
        One per output; default: the columns of a data frame.
    axes : Axes or array of Axes, optional
        Default: a new figure.

    Returns
    -------
    ndarray of Axes, one per output

    Examples
    --------
    >>> import volterra
    >>> x = volterra.datasets.lorenz(1300)
    >>> model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:1000])
    >>> axes = volterra.plot.forecast(x[1000:], model.continue_(300), history=x[800:1000], names="uvw")
    >>> len(axes)
    3
    """
    a, _ = as_targets(truth, "truth")
    b, _ = as_targets(forecast, "forecast")
    if a.shape != b.shape:
        raise ValueError(f"truth has shape {a.shape} and forecast {b.shape}, and they must agree")
    time = _time(truth, forecast, len(a))
    before = None if history is None else as_targets(history, "history")[0]
    if names is None:
        found = column_names(truth) if column_names(truth) is not None else column_names(forecast)
        names = [f"y{k + 1}" for k in range(a.shape[1])] if found is None else list(found)
    panels = _panels(a.shape[1], 1, axes, sharex=True, figsize=(9, 1.7 * a.shape[1] + 0.6))
    for k, panel in enumerate(panels):
        if before is not None:
            earlier = _earlier(history, len(before), time)
            panel.plot(earlier, before[:, k], color=_MEASURED, linewidth=1.2)
            panel.axvline(time[0], color="0.8", linewidth=0.8)
        panel.plot(time, a[:, k], color=_MEASURED, linewidth=1.8, label="measured")
        panel.plot(time, b[:, k], color=_PREDICTED, linewidth=1.1, label="predicted")
        panel.set_ylabel(names[k])
    panels[0].legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, ncols=2, borderaxespad=0)
    if np.issubdtype(time.dtype, np.number):
        panels[-1].set_xlabel("row")
    elif np.issubdtype(time.dtype, np.datetime64):
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        ticks = AutoDateLocator()
        panels[-1].xaxis.set_major_locator(ticks)
        panels[-1].xaxis.set_major_formatter(
            ConciseDateFormatter(
                ticks,
                formats=["%Y", "%Y-%m", "%m-%d", "%H:%M", "%H:%M", "%H:%M:%S"],
                zero_formats=["%Y", "%Y", "%Y-%m-%d", "%m-%d", "%H:%M", "%H:%M"],
                offset_formats=["", "", "%Y", "%Y-%m-%d", "%Y-%m-%d", "%Y-%m-%d"],
            )
        )
    return panels


def _index(values: Any) -> Optional[Array]:
    """Return the index of a Series or DataFrame, with the first day of periods."""
    index = getattr(values, "index", None)
    if index is None or callable(index):
        return None
    return np.asarray(index.to_timestamp() if hasattr(index, "to_timestamp") else index)


def _time(truth: Any, forecast: Any, steps: int) -> Array:
    index = _index(truth)
    index = _index(forecast) if index is None else index
    return np.arange(steps) if index is None else index


def _earlier(history: Any, steps: int, time: Array) -> Array:
    index = _index(history)
    if index is not None:
        return index
    if not np.issubdtype(time.dtype, np.number):
        raise ValueError("truth has an index of dates, so history requires one as well")
    return time[0] - steps + np.arange(steps)


def search(cv: Any, *, worst: float = 0.0, axes: Any = None) -> Any:
    """Plot the scores of a search against each searched parameter.

    Parameters
    ----------
    cv : VolterraRidgeCV, or its ``cv_results_``
        Candidates stopped early are pale, the best one is red.
    worst : float, default=0.0
        Lower scores are drawn at this value.
    axes : array of Axes, optional
        One per parameter; default: a new figure.

    Returns
    -------
    ndarray of Axes, one per parameter

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(400)
    >>> cv = volterra.VolterraRidgeCV(draws=10, random_state=1).fit(u, y)
    >>> [axes.get_xlabel() for axes in volterra.plot.search(cv)]
    ['alpha', 'lambda_coef', 'tau_coef']
    """
    results = getattr(cv, "cv_results_", cv)
    score = np.maximum(np.nan_to_num(results["mean_test_score"], nan=-np.inf), worst)
    pale = np.asarray(results.get("stopped", np.zeros(len(score), dtype=bool)))
    best = int(np.argmin(results["rank_test_score"]))
    columns = {
        key[len("param_") :]: _values(results[key]) for key in sorted(results) if key.startswith("param_")
    }
    searched = [name for name, values in columns.items() if len(set(map(str, values))) > 1]
    if not searched:
        raise ValueError("no parameter was searched: all candidates are the same")
    panels = _panels(1, len(searched), axes, sharey=True, figsize=(3.2 * len(searched), 3.2))
    for name, panel in zip(searched, panels):
        values = columns[name]
        if all(isinstance(v, (int, float, np.number)) for v in values):
            x = np.array(values, dtype=float)
            if x.min() > 0 and x.max() / x.min() > 20:
                panel.set_xscale("log")
        else:
            words = sorted(set(map(str, values)))
            x = np.array([words.index(str(v)) for v in values], dtype=float)
            panel.set_xticks(range(len(words)), words)
        panel.scatter(x[pale], score[pale], s=14, color=_PREDICTED, alpha=0.25, linewidths=0)
        panel.scatter(x[~pale], score[~pale], s=18, color=_PREDICTED, linewidths=0)
        panel.scatter(x[best], score[best], s=60, facecolors="none", edgecolors=_MARK, linewidths=1.5)
        panel.set_xlabel(name)
    panels[0].set_ylabel("mean score")
    return panels


def capacity(found: Any, *, axes: Any = None) -> Any:
    """Plot the memory curve, and the capacities of all degrees over the largest delay of a target.

    Parameters
    ----------
    found : Capacity
        Result of `volterra.capacity`.
    axes : array of two Axes, optional
        Default: a new figure.

    Returns
    -------
    ndarray of two Axes

    Examples
    --------
    >>> import volterra
    >>> axes = volterra.plot.capacity(volterra.capacity("esn:size=20", rows=500, delay=5))
    >>> [a.get_xlabel() for a in axes]
    ['delay (rows)', 'largest delay of a target (rows)']
    """
    panels = _panels(2, 1, axes, figsize=(6, 5.6))
    delays = np.arange(found.by_delay.shape[1])
    panels[0].plot(delays, found.memory_curve, marker="o", markersize=3, color=_PREDICTED)
    panels[0].set(xlabel="delay (rows)", ylabel="capacity of degree 1", ylim=(0, 1.05))
    below = np.zeros(len(delays))
    for degree, values in enumerate(found.by_delay, 1):
        panels[1].bar(delays, values, bottom=below, label=f"degree {degree}")
        below = below + values
    panels[1].set(xlabel="largest delay of a target (rows)", ylabel="capacity")
    panels[1].legend(frameon=False)
    return panels


def learning_curve(curve: Any, *, axes: Any = None) -> Any:
    """Plot the mean NMSE of held-out rows against the number of training rows, on logarithmic axes.

    Parameters
    ----------
    curve : LearningCurve
        Result of `volterra.learning_curve`. Bars are standard errors over the repeats.
    axes : Axes, optional
        Default: a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(300)
    >>> curve = volterra.learning_curve(u, y, ["volterra", "linear"], points=3)
    >>> volterra.plot.learning_curve(curve).get_xlabel()
    'training rows'
    """
    panel = _panels(1, 1, axes, figsize=(6, 4))[0]
    for kernel, mean, error in zip(curve.kernels, curve.mean_nmse, curve.nmse_error):
        bars = None if np.isnan(error).any() else error
        panel.errorbar(curve.sizes, mean, yerr=bars, marker="o", markersize=3, linewidth=1.4, capsize=2, label=kernel)
    panel.set(xscale="log", yscale="log", xlabel="training rows", ylabel="NMSE of held-out rows")
    panel.legend(frameon=False)
    return panel


def _values(column: Any) -> List[Any]:
    """Values of one parameter; its default for candidates without it."""
    hidden = np.ma.getmaskarray(column)
    return ["default" if masked else value for value, masked in zip(np.ma.getdata(column), hidden)]
