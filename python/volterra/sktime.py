"""An adapter for sktime: `VolterraForecaster` follows its forecaster protocol.

Needs sktime (``pip install sktime``); nothing else of the package does.

>>> from volterra.sktime import VolterraForecaster                                           # doctest: +SKIP
>>> forecaster = VolterraForecaster("volterra").fit(y, fh=[1, 2, 3])                          # doctest: +SKIP
>>> forecaster.predict(), forecaster.predict_interval(coverage=[0.8, 0.95])                   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any, List

import numpy as np

try:
    import pandas
    from sktime.forecasting.base import BaseForecaster
except ImportError as error:  # pragma: no cover
    raise ImportError("volterra.sktime needs sktime: pip install sktime") from error

from .ridge import SequenceKernelRidge

__all__ = ["VolterraForecaster"]


class VolterraForecaster(BaseForecaster):
    """Forecasts of one series or several together, every horizon from the last row that is known.

    All horizons up to the largest of ``fh`` are outputs of one fit. Intervals are conformal, from the errors that the fit
    keeps of its own rows, at no second fit; quantiles follow from them.

    Parameters
    ----------
    kernel : str, default="volterra"
        As for `volterra.SequenceKernelRidge`.
    alpha : float or "auto", default="auto"
        Regularisation; "auto": chosen on held-out rows, and "as now" stays where nothing is clearly better.
    season : int, None or "auto", default="auto"
        Rows of a season.

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
        "capability:exogenous": False,
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
        self.set_config(remember_data=False)  # the rows are kept here

    def _fit(self, y: Any, X: Any = None, fh: Any = None) -> VolterraForecaster:
        self._last_horizon = int(max(fh.to_relative(self.cutoff)))
        if self._last_horizon < 1:
            raise ValueError("fh must reach beyond the end of y: in-sample forecasts are not made")
        ahead = 1 if self._last_horizon == 1 else range(1, self._last_horizon + 1)
        self.estimator_ = SequenceKernelRidge(self.kernel, self.alpha, ahead=ahead, season=self.season)
        self.estimator_.fit(np.asarray(y, dtype=float))
        self._names = list(y.columns)
        self._known = y  # rows of the fit
        self._since: List[Any] = []  # rows that came after those that were fitted
        return self

    def _update(self, y: Any, X: Any = None, update_params: bool = True) -> VolterraForecaster:
        """With update_params a fit on all rows; else the new rows are only looked back on."""
        fresh = y[y.index > self._known.index[-1]] if not self._since else y[y.index > self._since[-1].index[-1]]
        since = self._since + ([fresh] if len(fresh) else [])
        if update_params:
            return self._fit(pandas.concat([self._known, *since]), None, self._fh)
        self._since = since
        return self

    def _steps(self, fh: Any) -> Any:
        steps = np.asarray(fh.to_relative(self.cutoff), dtype=int)
        if steps.min() < 1 or steps.max() > self._last_horizon:
            raise ValueError(f"fh must lie within 1 to {self._last_horizon} steps, for which the forecaster was fitted")
        return steps

    def _by_step(self, outputs: Any) -> Any:
        """Outputs of the estimator, series by series with all horizons, as steps x series."""
        return np.asarray(outputs).reshape(len(self._names), self._last_horizon).T

    def _path(self) -> Any:
        """Forecasts of all horizons."""
        if self._since:
            return self._by_step(self.estimator_.predict(np.asarray(pandas.concat(self._since), dtype=float), start="continue")[-1])
        return np.asarray(self.estimator_.forecast()).reshape(self._last_horizon, len(self._names))

    def _predict(self, fh: Any, X: Any = None) -> Any:
        values = self._path()[self._steps(fh) - 1]
        return pandas.DataFrame(values, index=fh.to_absolute_index(self.cutoff), columns=self._names)

    def _predict_interval(self, fh: Any, X: Any = None, coverage: Any = (0.9,)) -> Any:
        steps, levels = self._steps(fh) - 1, [float(level) for level in coverage]
        path, half = self._path()[steps], self.estimator_._model.interval(levels)
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
