"""Adapter for sktime: `VolterraForecaster` follows its forecaster API.

Requires sktime (``pip install sktime``); the rest of the package does not.

>>> from volterra.sktime import VolterraForecaster                                           # doctest: +SKIP
>>> forecaster = VolterraForecaster("volterra").fit(y, fh=[1, 2, 3])                          # doctest: +SKIP
>>> forecaster.predict(), forecaster.predict_interval(coverage=[0.8, 0.95])                   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any, List

import numpy as np

try:
    import pandas
    from sktime.forecasting.base import BaseForecaster, ForecastingHorizon
except ImportError as error:  # pragma: no cover
    raise ImportError("volterra.sktime requires sktime: pip install sktime") from error

from .ridge import SequenceKernelRidge

__all__ = ["VolterraForecaster"]


def __dir__() -> List[str]:
    return __all__


class VolterraForecaster(BaseForecaster):
    """Forecasts of one series or several together, every horizon from the last known row.

    All horizons up to the largest of ``fh`` are outputs of one fit. Exogenous inputs X are inputs of the model at every
    horizon of ``fh``: `fit` requires them at the times of y, `predict` at the times of ``fh``. Between these times, a
    time without a row of X uses the last row before it. Intervals are computed by
    `volterra.SequenceKernelRidge.predict_interval` for each horizon; quantiles follow from them.

    Parameters
    ----------
    kernel : str, default="volterra"
        As for `volterra.SequenceKernelRidge`.
    alpha : float or "auto", default="auto"
        Regularisation; "auto": chosen on held-out rows, and the naive forecast is kept if nothing is clearly better.
    season : int, None or "auto", default="auto"
        Season in rows.

    Examples
    --------
    >>> import numpy as np, pandas
    >>> from volterra.sktime import VolterraForecaster
    >>> y = pandas.Series(np.sin(np.arange(100) / 5))
    >>> forecaster = VolterraForecaster("rbf:window=3", alpha=0.1)
    >>> forecaster.fit(y, fh=[1, 2])
    VolterraForecaster(...)
    >>> ends = forecaster.predict_interval(coverage=0.9)
    """

    _tags = {
        "authors": ["volterra"],
        "maintainers": ["volterra"],
        "capability:multivariate": True,
        "capability:exogenous": True,
        "X_inner_mtype": "pd.DataFrame",
        "capability:insample": False,
        "capability:pred_int": True,
        "capability:pred_int:insample": False,
        "capability:missing_values": False,
        "capability:update": True,
        "y_inner_mtype": "pd.DataFrame",
        "requires-fh-in-fit": True,
    }

    def __init__(self, kernel: str = "volterra", alpha: Any = "auto", season: Any = "auto") -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.season = season
        super().__init__()
        self.set_config(remember_data=False)  # the rows are stored here

    # ---- rows of the estimator --------------------------------------------------------------------------------

    def _exogenous(self, index: Any, X: Any) -> Any:
        """Return exogenous inputs at these times, the known ones and those in X; times without any use the last one before."""
        parts = [part for part in (self._known_X, X) if part is not None]
        known = pandas.concat(parts)
        known = known[~known.index.duplicated(keep="last")].sort_index()
        return known.reindex(known.index.union(index)).ffill().reindex(index)

    def _rows(self, y: Any, X: Any = None) -> Any:
        """Return inputs of the estimator, a row for each of y: its values, and the exogenous inputs, if any, at every horizon of
        ``fh``. X contains those after the end."""
        values = np.asarray(y, dtype=float)
        if self._known_X is None:
            return values
        index = y.index.append(self._future_index())
        inputs = np.asarray(self._exogenous(index, X), dtype=float)
        return np.hstack([values, *(inputs[h : h + len(values)] for h in self._leads)])

    def _future_index(self) -> Any:
        steps = ForecastingHorizon(range(1, self._last_horizon + 1), is_relative=True)
        return steps.to_absolute_index(self.cutoff)

    def _check_future(self, fh: Any, X: Any) -> Any:
        """Check X of `predict`, which must have a row for each horizon."""
        if self._known_X is None:
            return None
        wanted = fh.to_absolute_index(self.cutoff)
        if X is None or not wanted.isin(X.index).all():
            missing = wanted if X is None else wanted[~wanted.isin(X.index)]
            raise ValueError(f"the forecaster was fitted with X, and predict needs X at {list(missing)[:3]}")
        return X[self._known_X.columns]

    # ---- fit -------------------------------------------------------------------------------------------------

    def _fit(self, y: Any, X: Any = None, fh: Any = None) -> VolterraForecaster:
        relative = fh.to_relative(self.cutoff)
        self._last_horizon = int(max(relative))
        if self._last_horizon < 1:
            raise ValueError("fh must reach beyond the end of y: in-sample forecasts are not supported")
        if X is not None and not y.index.isin(X.index).all():
            raise ValueError("X must have a row for every row of y")
        self._leads = [int(h) for h in relative]
        self._known_X = None if X is None or X.shape[1] == 0 else X
        ahead = 1 if self._last_horizon == 1 else range(1, self._last_horizon + 1)
        self.estimator_ = SequenceKernelRidge(self.kernel, self.alpha, ahead=ahead, season=self.season)
        values = np.asarray(y, dtype=float)
        if self._known_X is None:
            self.estimator_.fit(values)
        else:
            self.estimator_.fit(self._rows(y), values)
        self._names = list(y.columns)
        self._known = y  # rows of the fit
        self._since: List[Any] = []  # rows after the last fit
        return self

    def _update(self, y: Any, X: Any = None, update_params: bool = True) -> VolterraForecaster:
        """Fit all rows with update_params; otherwise store the new rows for predictions."""
        fresh = y[y.index > self._known.index[-1]] if not self._since else y[y.index > self._since[-1].index[-1]]
        since = self._since + ([fresh] if len(fresh) else [])
        inputs = self._known_X
        if inputs is not None and len(fresh):
            if X is None or not fresh.index.isin(X.index).all():
                raise ValueError("the forecaster was fitted with X, and update needs X at every row of y")
            inputs = pandas.concat([inputs, X.loc[fresh.index, inputs.columns]])
        if update_params:
            return self._fit(pandas.concat([self._known, *since]), inputs, self._fh)
        self._since, self._known_X = since, inputs
        return self

    # ---- predict ---------------------------------------------------------------------------------------------

    def _steps(self, fh: Any) -> Any:
        steps = np.asarray(fh.to_relative(self.cutoff), dtype=int)
        if steps.min() < 1 or steps.max() > self._last_horizon:
            raise ValueError(f"fh must lie within 1 to {self._last_horizon} steps, for which the forecaster was fitted")
        return steps

    def _by_step(self, outputs: Any) -> Any:
        """Reshape outputs of the estimator, series by series with all horizons, to steps x series."""
        return np.asarray(outputs).reshape(len(self._names), self._last_horizon).T

    def _path(self, X: Any = None) -> Any:
        """Predict all horizons from the last row."""
        known = pandas.concat([self._known, *self._since])
        count = self._last_horizon + sum(len(rows) for rows in self._since)  # rows after those of the fit
        rows = np.ascontiguousarray(self._rows(known, X)[-count:])
        return self._by_step(self.estimator_._follow(rows, "continue", None)[-1])

    def _predict(self, fh: Any, X: Any = None) -> Any:
        values = self._path(self._check_future(fh, X))[self._steps(fh) - 1]
        return pandas.DataFrame(values, index=fh.to_absolute_index(self.cutoff), columns=self._names)

    def _predict_interval(self, fh: Any, X: Any = None, coverage: Any = (0.9,)) -> Any:
        steps, levels = self._steps(fh) - 1, [float(level) for level in coverage]
        path, half = self._path(self._check_future(fh, X))[steps], self.estimator_._model.interval(levels)
        columns, data = [], []
        for j, name in enumerate(self._get_varnames()):
            for level, widths in zip(levels, half):
                width = self._by_step(widths)[steps, j]
                columns += [(name, level, "lower"), (name, level, "upper")]
                data += [path[:, j] - width, path[:, j] + width]
        index = fh.to_absolute_index(self.cutoff)
        return pandas.DataFrame(np.column_stack(data), index=index, columns=pandas.MultiIndex.from_tuples(columns))

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> List[dict]:
        return [{"kernel": "rbf:window=3", "alpha": 0.1, "season": None}, {"kernel": "linear:window=2"}]
