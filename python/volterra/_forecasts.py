"""Predictions of an estimator's model: rows that follow training, records, and rows with known outputs."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple, Union, overload

import numpy as np

from ._core._arguments import whole
from ._core._arrays import Array
from ._core._devices import use_machine
from ._core._errors import BeyondWarning, warn
from ._core._gaps import future_index, partner_rows
from ._core._names import select_columns
from ._core._order import place_after
from ._core._types import FloatArray, Levels, Prediction, Table
from ._intervals import end_suffixes, level_list

MIN_PATHS = 200  # minimum number of paths for intervals ...
TAIL_PATHS = 20  # ... and minimum number outside an interval


class IntervalForecast(NamedTuple):
    """Result of `forecast` with a coverage, for arrays.

    Examples
    --------
    >>> import volterra
    >>> model = volterra.VolterraRidge(ahead=range(1, 4)).fit(volterra.datasets.mackey_glass(300))
    >>> values, ends = model.forecast(coverage=0.9)
    >>> values.shape, ends.shape
    ((3, 1), (3, 1, 2))
    """

    forecast: FloatArray  #: (steps,) or (steps, n_columns)
    interval: FloatArray  #: (steps, 2) or (steps, n_columns, 2): lower and upper ends; last axis for several coverages


def _known_of_rows(X: Any, y_known: Any) -> Array:
    """Return the known outputs of the rows of X, by date if both have an index of dates; nan: unknown."""
    values = np.asarray(y_known, dtype=float).reshape(len(y_known), -1)
    rows = partner_rows(X, y_known, ("X", "y_known"))
    return values if rows is None else np.where(rows[:, None] >= 0, values[rows], np.nan)


class ModelForecasts:
    """Prediction methods of the estimators."""

    _own_levels: Callable[[], List[float]]
    _fitted_ends: Callable[[float], List[int]]
    _read_inputs: Callable[[Any], Array]
    _begins: Callable[[Array], bool]
    _warn_order: Callable[[Array, Any], None]
    _warn_gap: Callable[..., None]
    _model: Any
    _rows: Any
    _tail: Optional[Array]
    _horizons: Any
    _future: Any
    _flat_series: bool
    n_jobs: Any
    verbose: Any
    start: Any

    def _beyond(self) -> str:
        raise NotImplementedError

    def _check_is_fitted(self) -> None:
        raise NotImplementedError

    def _refresh_model(self) -> None:
        raise NotImplementedError

    def _warn_beyond(self, count: int, total: int) -> None:
        if count and self._beyond() == "clip":
            beyond = "are outside the ball of the training inputs and were projected onto it"
            if self._model.input != "level":
                beyond = "are outside the range of the levels or changes of training and were clipped to it"
            warn(f"{count} of {total} input rows {beyond}", BeyondWarning)

    def _follow(self, a: Array, start: str, tail: Optional[Array]) -> Array:
        rows = a if tail is None else np.vstack([tail, a])
        with use_machine(self):
            out, beyond = self._model.predict(rows, start, self._beyond(), self.verbose)
        self._warn_beyond(beyond, rows.shape[0])
        return out if tail is None else out[tail.shape[0] :]

    def _of_records(self, a: Array, lengths: List[int], known: Optional[Array] = None, warm_up: int = 0) -> Array:
        self._refresh_model()
        with use_machine(self):
            out, beyond = self._model.predict(a, "reset", self._beyond(), self.verbose, lengths, known, warm_up)
        self._warn_beyond(beyond, a.shape[0])
        return out

    def _check_one_step(self) -> None:
        """Reject intervals of simulations: errors one step ahead do not apply to them."""
        self._check_is_fitted()
        self._refresh_model()
        if self._model.feedback_weight > 0:
            raise ValueError("intervals require predictions one step ahead, but with feedback predict simulates")

    def _fed(self, a: Array, start: str, known: Array, warm_up: int) -> Array:
        """Predictions with known outputs fed back. The training rows are treated as a new sequence."""
        self._refresh_model()
        if start == "auto":
            begins = self._model.begins(a) if self._rows is None else self._rows.begin(a)
            start = "reset" if begins else "continue"
        with use_machine(self):
            out, beyond = self._model.predict(a, start, self._beyond(), self.verbose, None, known, warm_up)
        self._warn_beyond(beyond, a.shape[0])
        return out

    def _read_known(
        self, X: Any, y_known: Any, warm_up: Optional[int], rows: int, in_parts: bool
    ) -> Tuple[Optional[Array], int]:
        """Return known outputs, a row for each of X (`in_parts`: a list of records), and the warm-up, 0 for all rows. The
        library rejects missing values that would be fed back."""
        if y_known is None:
            if warm_up is not None:
                raise ValueError(f"warm_up is {warm_up!r}, and needs the outputs that were measured: y_known")
            return None, 0
        names = self._model.output_names
        parts = zip(X, y_known) if in_parts else [(X, y_known)]
        known = np.vstack([_known_of_rows(x, select_columns(part, names, "y_known")) for x, part in parts])
        if known.shape[0] != rows:
            raise ValueError(f"y_known has {known.shape[0]} rows, and X has {rows}")
        return np.ascontiguousarray(known), 0 if warm_up is None else whole("warm_up", warm_up, 1)

    def impulse_response(self, lags: int = 50) -> Array:
        """Return the impulse response of the linear part: the kernel terms that consist only of ``fir``.

        Filters are included. Values are in units of the outputs per unit of the input.

        Parameters
        ----------
        lags : int, default=50
            From the row itself to ``lags - 1`` rows later.

        Returns
        -------
        ndarray of shape (n_outputs, lags, n_features)

        Raises
        ------
        ValueError
            No term of the kernel consists only of ``fir``.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> u = np.random.default_rng(1).normal(size=(400, 1))
        >>> y = u[:, 0] + 0.5 * np.append(0, u[:-1, 0])
        >>> model = volterra.SequenceKernelRidge("fir:mu=0.5 + 0.1*rbf", alpha=1e-6).fit(u, y)
        >>> model.impulse_response(3)[0, :, 0].round(1).tolist()
        [1.0, 0.5, 0.0]
        """
        self._check_is_fitted()
        self._refresh_model()
        return self._model.impulse(whole("lags", lags, 1))

    # ---- after the end of training ---------------------------------------------------------------------------

    @overload
    def forecast(self, steps: Optional[int] = None, *, coverage: None = None) -> Prediction: ...

    @overload
    def forecast(self, steps: Optional[int] = None, *, coverage: Levels) -> Union[IntervalForecast, Table]: ...

    def forecast(self, steps: Optional[int] = None, *, coverage: Optional[Levels] = None) -> Any:
        """Forecast the rows after the end of the training data.

        Parameters
        ----------
        steps : int, optional
            Number of rows; by default all that the estimator was fitted for: with ``ahead=H`` the H rows after the last one,
            each forecast H rows before; with ``ahead=range(1, 25)`` the 24 rows after the last one, all from there. More rows
            require a model that `continue_` supports, one step ahead.
        coverage : float or list of float, optional
            Also return intervals with this coverage, between 0 and 1. Within the horizons of the fit, the intervals
            equal those of `predict_interval`. Further ahead, they are quantiles of simulated paths, with noise drawn
            from the errors of training rows, as in ``volterra continue --paths``. The seed is fixed.

        Returns
        -------
        ndarray, Series or DataFrame of shape (steps,) or (steps, n_columns)
            The targets of fit, or the columns of X, one row per step. For pandas or polars objects of the same type; in
            pandas with a continued index if it has a fixed step. With coverage: a DataFrame with the columns ``NAME``,
            ``NAME.lo90``, ``NAME.hi90`` for each coverage in percent (a Series without a name is "y"), or for arrays an
            `IntervalForecast` of the forecast and the ends, shaped as in `predict_interval`.

        Raises
        ------
        ValueError
            The horizon is 0, `steps` is too large, or the model was read from a file without the rows that had no target yet
            (give them to `predict`).

        Examples
        --------
        >>> import numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(400.0)) + 0.1 * np.random.default_rng(0).normal(size=400)
        >>> model = volterra.VolterraRidge(ahead=range(1, 13)).fit(x.reshape(-1, 1))
        >>> forecast, interval = model.forecast(coverage=0.9)
        >>> forecast.shape, interval.shape
        ((12, 1), (12, 1, 2))
        """
        self._check_is_fitted()
        self._refresh_model()
        most = len(self._horizons.each) if self._horizons.several else self._horizons.last
        if most == 0:
            raise ValueError(
                "forecast requires a horizon of at least 1 (ahead is 0): fit with ahead of at least 1, or use "
                "predict"
            )
        count = most if steps is None else whole("steps", steps, 1)
        runs = count > most
        if runs and not (self._model.settings.feedback and most == 1):
            raise ValueError(f"steps is {count}, and an estimator fitted {most} ahead reaches {most}")
        if runs:
            values = self.continue_(count)
        elif self._tail is None or len(self._tail) < self._horizons.last:
            raise ValueError(
                "the model file does not contain the rows without a target: pass them, and later ones, to predict"
            )
        else:
            values = self._at_horizons(self._follow(self._tail, "continue", None))[:count]
        if coverage is None:
            return self._dress_future(values)
        levels, single = level_list("coverage", coverage)
        if runs:
            lower, upper = self._path_ends(count, levels)
        else:
            lower, upper = self._horizon_ends(values, levels)
        return self._dress_ends(values, lower, upper, levels, single)

    def _at_horizons(self, values: Array) -> Array:
        """Steps x columns, from predictions of the rows without a target: with several horizons those of the last row, which are
        ordered by column."""
        if not self._horizons.several:
            return values
        count, levels = len(self._horizons.each), len(self._own_levels()) or 1
        return values[-1].reshape(-1, count, levels).transpose(1, 0, 2).reshape(count, -1)

    def _horizon_ends(self, values: Array, levels: List[float]) -> Tuple[Array, Array]:
        """Ends of the intervals, levels x steps x columns, from the errors of the training rows at the same horizon."""
        own = len(self._own_levels())
        if own:
            places = np.array([self._fitted_ends(level) for level in levels])
            ends = values.reshape(len(values), -1, own)[:, :, places].transpose(3, 2, 0, 1)
            return ends[0], ends[1]
        rows = [self._at_horizons(half.reshape(1, -1)) for half in self._model.interval(levels)]
        half = np.stack([np.broadcast_to(row, values.shape) if len(row) == 1 else row[: len(values)] for row in rows])
        return values - half, values + half

    def _path_ends(self, steps: int, levels: List[float]) -> Tuple[Array, Array]:
        """The same from noisy paths: of N sorted values the floor((N + 1)(1 - p) / 2)-th from below and from above."""
        count = max(MIN_PATHS, int(np.ceil(TAIL_PATHS / (1 - max(levels)))))
        with use_machine(self):
            paths = np.sort(self._model.run_paths(count, steps, self._beyond(), self.verbose), axis=0)
        places = [int((count + 1) * (1 - level) / 2) for level in levels]
        return np.stack([paths[k - 1] for k in places]), np.stack([paths[count - k] for k in places])

    def _dress_ends(self, values: Array, lower: Array, upper: Array, levels: List[float], single: bool) -> Any:
        ends = np.stack([lower, upper], axis=-1).transpose(1, 2, 0, 3)  # steps x columns x levels x 2
        if self._future is None:
            ends = ends[:, :, 0] if single else np.swapaxes(ends, 2, 3)
            ends = ends[:, 0] if self._flat_series else ends
            return IntervalForecast(self._dress_future(values), np.ascontiguousarray(ends))
        form, index = self._future
        columns = []
        for name in form.names:
            columns += [name, *(f"{name}{suffix}" for suffix in end_suffixes(levels))]
        table = np.concatenate([values[:, :, None], ends.reshape(*values.shape, -1)], axis=2).reshape(len(values), -1)
        return form.frame(table, self._index_ahead(index, len(values)), columns)

    def _index_ahead(self, index: Any, count: int) -> Any:
        return future_index(index, self._horizons.first if self._horizons.several else 1, count)

    def _dress_future(self, values: Array) -> Any:
        """Return the rows after the last one in the form of the series."""
        values = values[:, 0] if self._flat_series else values
        if self._future is None:
            return values
        form, index = self._future
        return form.dress(values, self._index_ahead(index, len(values)))

    def _rows_after(self, X: Any) -> Tuple[Optional[Array], str]:
        """The rows of X after training and the tail (None: no rows), and `start` of `Model.run_on`."""
        a, start = self._read_inputs(X), "continue"
        if self._begins(a):
            a, start = a[self._model.rows_given :], "at_target"
        else:
            target = None if self._rows is None else self._rows.target_time(self._future)
            start = place_after(X, target)
            if start == "continue" and self.start == "auto":
                self._warn_order(a, X)
            elif self.start == "auto":
                self._warn_gap(X, last=target)
        if self._tail is not None and len(a):
            a, start = np.vstack([self._tail, a]), "at_target"
        return (a, start) if len(a) else (None, "continue")

    def continue_(self, steps: int, *, after: Any = None) -> FloatArray:
        """Simulate the model on its own outputs, from the end of training or of later rows.

        Parameters
        ----------
        steps : int
            Rows to forecast (at least 1).
        after : array-like of shape (n_steps, n_features), optional
            Rows that follow those of training, as for `predict`; they are fed first. They may begin with all training
            rows. After ``fit(X, y)`` they begin with the last training target or the row after it. The index determines
            which; without an index, a first row equal to the last target is taken as that target, with a warning.

        Returns
        -------
        ndarray of shape (steps, n_outputs)
            The rows that follow the last training target, or the last row of `after`.

        Raises
        ------
        ValueError
            The outputs are not the next inputs: the model must be fitted without y, or with a y whose rows are the next rows
            of X. Or the path diverges.
        """
        self._check_is_fitted()
        self._refresh_model()
        rows = whole("steps", steps, 1)
        known, start = (None, "continue") if after is None else self._rows_after(after)
        with use_machine(self):
            out, beyond = self._model.run_on(rows, self._beyond(), self.verbose, known, start)
        self._warn_beyond(beyond, rows if known is None else rows + known.shape[0])
        return out
