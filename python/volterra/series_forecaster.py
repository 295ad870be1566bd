"""Forecast series in one call: `forecast`, and the estimator `Forecaster`.

All decisions are automatic. ``volterra forecast`` and `volt_forecast_run` compute the same numbers.
"""

from __future__ import annotations

import sys
from ctypes import POINTER, c_void_p, cast
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._assess import read_notes
from ._core import _native as c
from ._core._arguments import choice, end_suffixes, kernel_word, season_rows, seconds_of, seed_number, whole
from ._core._data import (
    Array,
    FrameForm,
    as_matrix,
    as_targets,
    column_names,
    is_frame,
    library_of,
    pandas_module,
)
from ._core._errors import GapWarning, VolterraWarning, warn
from ._core._gaps import MISSING, TimeColumns, Times, dates_of, future_index, step_of, training_gap, warn_of_gap
from ._core._machine import use_threads
from ._core._order import index_of
from ._core._progress import Watch, run
from ._core._protocol import Estimator
from ._core._types import Frame, Prediction, Season, Self

__all__ = ["ForecastWarning", "Forecaster", "forecast"]

SEARCHES = {
    c.CONSTANTS[f"VOLT_FORECAST_SEARCH_{word.upper()}"]: word
    for word in ("none", "rows", "time", "worse", "rejected", "accepted")
}


def _check_order(y: Any) -> None:
    """Reject an index in which a row is not later than the row before it."""
    index = index_of(y)
    times = None if index is None else Times.of(index)
    row = None if times is None else times.disorder()
    if row is not None:
        raise ValueError(
            f"the index of y is not in time order: {index[row]} follows {index[row - 1]}. Sort the rows, one for each time: "
            "y.groupby(level=0).last()"
        )


def _check_follows(y: Any, known: Any) -> None:
    """Reject inputs whose index is not that of y, continued in its step; with a step that is unknown or has closed weekdays, in
    order: future trading days may skip holidays."""
    if not (is_frame(y) and is_frame(known)):
        return
    n, times, later = len(y), Times.of(y.index), Times.of(known.index[len(y) :])
    if list(known.index[:n]) != list(y.index):
        row = next(row for row in range(n) if row >= len(known) or known.index[row] != y.index[row])
        have = known.index[row] if row < len(known) else "no row"
        raise ValueError(f"row {row} of known has the index {have}, and must have {y.index[row]}: the index of y, continued")
    if times is None or later is None or times.kind != later.kind or not len(later.values):
        return
    step = c.TimeStep(seconds=1.0) if times.kind.startswith("periods") else times.check().step
    row = later.misplaced(times, step)
    if row is not None:
        due = future_index(y.index, 1, row + 1)
        must = f", and must have {due[row]}" if due.dtype == y.index.dtype and not step.closed_weekdays else ""
        raise ValueError(f"row {n + row} of known has the index {known.index[n + row]}{must}, which does not continue the index of y")


def _select(y: Any, keep: Array) -> Any:
    """Return the columns of y with a mark."""
    if library_of(y) == "polars":
        return y.select([column for column, kept in zip(y.columns, keep) if kept])
    return y.iloc[:, keep] if is_frame(y) else np.asarray(y)[:, keep]


class _Series(NamedTuple):
    """The series of y without the columns that are times of the rows."""

    y: Any
    values: Array
    flat: bool
    times: TimeColumns

    @classmethod
    def of(cls, y: Any, missing: bool) -> "_Series":
        values, flat = as_targets(y, "y", missing)
        times = TimeColumns.find(values, column_names(y))
        for warning in times.warnings():
            if warning.code == MISSING and missing:
                continue
            warn(times.text(warning), GapWarning if warning.code == MISSING else ForecastWarning)
        if not times.is_time.any():
            return cls(y, values, flat, times)
        if times.is_time.all():
            raise ValueError("every column of y only counts the rows: there is nothing to forecast (pass one as a Series)")
        return cls(_select(y, ~times.is_time), np.ascontiguousarray(values[:, ~times.is_time]), flat, times)

    def row_times(self) -> Array:
        """Return the times of the rows, by which missing rows are found: dates, otherwise the column that numbers the rows."""
        times, j = dates_of(self.y), self.times.found.counter
        if times is not None:
            return np.ascontiguousarray(times.values)
        if j < 0:
            return np.empty((0, 2))
        steps = np.rint((self.times.values[:, j] - self.times.values[0, j]) / self.times.found.step)
        return np.column_stack([steps, steps])

    def counter(self) -> Optional[Tuple[str, float, float]]:
        """Name, last value and step of the column that numbers the rows of y, if its index has no times."""
        pandas, j = pandas_module(), self.times.found.counter
        if j < 0 or not is_frame(self.y) or not isinstance(self.y.index, pandas.RangeIndex):
            return None
        return self.times.names[j], float(self.times.values[-1, j]), float(self.times.found.step)


class Forecaster(Estimator):
    """Forecasts of one series or several: kernel fits and classical methods combined, with expected errors and intervals.

    The forecast is a weighted mean of kernel fits, one for each step, the optimised Theta method, exponential smoothing, the
    seasonal naive forecast and an autoregression.
    Season, number of steps, the choices of the fits and the weights are automatic.

    Parameters
    ----------
    steps : int, optional
        Forecast horizon in rows (from 1 to 1000000). None: one season, at most 60, or 12 without a season.
    season : int, None or "auto", default="auto"
        Season length in rows, or none; "auto": detected in the series. None: no season.
    kernel : str, default="volterra"
    separate : bool, default=False
        A separate model for each series, without the other series as inputs.
    all_rows : bool, default=False
        Use every row. By default the latest rows, limited to a few seconds of work.
    coverage : float or sequence of float, optional
        Prediction intervals of this coverage; in columns NAME.lo90 and NAME.hi90 (between 0 and 1). For example
        ``[0.8, 0.95]``.
    calendar : str, optional
        Calendar inputs from the column of dates: minute, hour, weekday, month, yearday, separated by commas, each as
        a sine and a cosine.
    missing : {"error", "interpolate"}, default="error"
        Treatment of missing values in selected rows; ``rows`` counts before rows are dropped. Weekends and holidays
        of up to two working days are not filled in.
    budget : float or str, optional
        Search time for the parameters of the kernel: 90s, 3min, 2h. A number is in seconds. None: no search.
    random_state : int, default=0
        Seed of the random numbers.
    n_jobs : int, optional
        Threads of this call.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    forecast_, errors_ : ndarray of shape (steps, n_series)
        Values, and expected root mean squared errors.
    lower_, upper_ : ndarray of shape (n_coverages, steps, n_series)
        Ends of the prediction intervals.
    members_ : dict of ndarray of shape (steps, n_series)
        Values of each member: "kernel", "theta", "ets", "seasonal naive", "autoregression" and the baselines "naive" and
        "drift"; nan: none.
    member_errors_ : dict of ndarray of shape (steps, n_series)
        Root mean squared errors of the members in forecasts from earlier rows.
    weights_ : dict of ndarray of shape (n_series,)
        Weights of the members in the forecast.
    mase_ : ndarray of shape (n_series,)
        Mean absolute error of forecasts from earlier rows, relative to that of the (seasonal) naive forecast one step ahead.
    ets_ : list of str
        Form of the exponential smoothing of each series, such as "ETS(A,Ad,M)".
    seasons_ : list of int
        Season of each series, 0 for none.
    kernel_ : str
    rows_ : int
        Rows used, the latest of the data.
    inserted_rows_, interpolated_ : int
        Rows inserted between the times of y, and values of y interpolated, with those of such rows (see `missing`).
    search_ : dict
        Outcome of the search, number of candidates, and their errors relative to the naive forecast.
    warnings_ : list of Note
        Of the series, then of columns of y that are times (see `fit`), whose ``series`` is the column.
    backtest_ : dict
        Of `backtest`: number of origins, steps, rows before the first origin, and rows between two.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> t = np.arange(150.0)
    >>> y = 10 + 0.05 * t + np.sin(2 * np.pi * t / 12) + np.random.default_rng(1).normal(scale=0.2, size=150)
    >>> model = volterra.Forecaster(steps=3).fit(y)
    >>> model.seasons_
    [12]
    >>> model.predict().round(1)
    array([17.4, 17. , 16.7])
    >>> {member: round(float(weight[0]), 1) for member, weight in model.weights_.items() if weight[0] > 0}
    {'kernel': 0.4, 'theta': 0.1, 'ets': 0.3, 'seasonal naive': 0.0, 'autoregression': 0.2}
    """

    def __init__(
        self,
        steps: Optional[int] = None,
        *,
        season: Season = "auto",
        kernel: str = "volterra",
        separate: bool = False,
        all_rows: bool = False,
        coverage: Union[None, float, Sequence[float]] = None,
        calendar: Optional[str] = None,
        missing: str = "error",
        budget: Union[None, float, str] = None,
        random_state: int = 0,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def _options(self) -> Any:
        return c.fill(
            c.lib.volt_forecast_options_default(),
            kernel=kernel_word(self.kernel),
            steps=0 if self.steps is None else whole("steps", self.steps, 1),
            season=season_rows(self.season),
            separate=bool(self.separate),
            all_rows=bool(self.all_rows),
            missing=c.MISSING[choice("missing", self.missing, ("error", "interpolate"))],
            search_seconds=0.0 if self.budget is None else seconds_of(self.budget),
            seed=seed_number("random_state", self.random_state),
            coverages=self._levels(),
            calendar=self.calendar,
        )

    def _request(self, data: _Series, known: Any) -> c.ForecastOptions:
        """Return the options of the library for y."""
        y, series, options = data.y, data.values, self._options()
        _check_order(y)
        if is_frame(y) and len(y.index) > 0 and isinstance(y.index[0], str):
            warn("the index of y is text and not used as dates: y.index = pandas.to_datetime(y.index)", ForecastWarning)
        is_filled = self.missing == "interpolate"
        if not is_filled:
            warn_of_gap(training_gap(y)[1], "y")
        if self.calendar is not None and dates_of(y) is None:
            raise ValueError("calendar requires a DataFrame or Series with an index of dates")
        times, later = data.row_times() if is_filled or self.calendar is not None else None, None
        inputs = None if known is None else as_matrix(known, "known", is_filled)
        if inputs is not None:
            _check_follows(y, known)
            dates = dates_of(known[len(y) :])
            later = None if dates is None or not len(dates.values) else dates.values
            if self.steps is None and len(inputs) > len(series):
                options.steps = len(inputs) - len(series)
        options.step = step_of(y.index) if is_frame(y) else c.TimeStep()
        times = times if times is not None and len(times) else None
        return c.fill(options, times=times, future_times=later, names=column_names(y), known=inputs)

    def fit(self, y: Any, *, known: Any = None) -> Self:
        """Forecast the rows after the last row of y.

        Parameters
        ----------
        y : array-like of shape (n_steps,) or (n_steps, n_series), Series or DataFrame
            The series in time order, without missing values unless `missing` is "interpolate". The index of a pandas
            object gives the dates. Columns that are times of the rows are not forecast, as in the program, with a
            `ForecastWarning`: a first column, or one named as a time, ``index``, ``year``, ..., that increases by the
            same step in every row (a tenth of them may be missing), and a column named ``t``, ``time``, ``date``,
            ``datetime``, ``timestamp`` or ``ds`` whose numbers increase. If y has no other index, one of these columns
            numbers the rows of the forecast: the first with a step and the name of a time, otherwise the first with a
            step.
        known : array-like of shape (n_steps, n_inputs) or (n_steps + steps, n_inputs), optional
            Additional inputs of every row. With more than ``n_steps`` rows, those of the rows to forecast are used, such as a
            calendar or a price; without `steps`, the number of these rows is the number of steps. If y and `known` are pandas
            objects, the index of `known` must be that of y, continued.

        Returns
        -------
        self
        """
        data = _Series.of(y, self.missing == "interpolate")
        y, series, self._flat = data.y, data.values, data.flat
        names = column_names(y)
        pointer = c_void_p()
        options = self._request(data, known)
        run("forecast", c.lib.volt_forecast_run, series, options, pointer, n_jobs=self.n_jobs, verbose=self.verbose)
        found = c.Handle(pointer.value, c.lib.volt_forecast_free)  # freed with this variable
        self._read(found.pointer)
        self._form = FrameForm(y) if library_of(y) else None
        self._index = y.index if is_frame(y) else None
        given = known.index[len(y) :] if is_frame(y) and is_frame(known) else None
        is_dated = given is not None and len(given) >= len(self.forecast_) and given.dtype == y.index.dtype
        self._given = given if is_dated else None
        self._counter = data.counter()
        if self.interpolated_ > 0:
            rows = f"{self.inserted_rows_} rows missing between the times, filled in; " if self.inserted_rows_ else ""
            warn(f"y: {rows}{self.interpolated_} missing values interpolated", GapWarning)
        for note in self.warnings_:
            name = f"series {note.series if names is None else repr(names[note.series])}"
            warn(f"{name}: {note.text}" + (f" ({note.baseline})" if note.baseline else ""), ForecastWarning)
        self.warnings_ += read_notes(data.times.found.warnings, data.times.found.n_warnings)
        return self

    def backtest(self, y: Any, k: int = 3, *, known: Any = None) -> Any:
        """Return the errors of forecasts from `k` earlier rows, each a complete forecast from the rows before it.

        The last of these origins is `steps` rows before the end of y. The others are `steps` rows apart, or as far as the first
        can have half of the rows. ``backtest_`` has their number, the steps, the rows before the first, and their distance.

        Parameters
        ----------
        y : array-like of shape (n_steps,) or (n_steps, n_series), Series or DataFrame
        k : int, default=3
            Number of origins.
        known : array-like, optional
            As in `fit`.

        Returns
        -------
        DataFrame, or dict of arrays
            A row for "forecast" and for every method, the index in pandas and the column "method" otherwise. For each series the
            columns NAME.mase, NAME.smape (in percent) and NAME.rmse, and, for the forecast, with `coverage`, the share of values
            within the intervals and their mean width: NAME.coverage80, NAME.width80.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> t = np.arange(120.0)
        >>> table = volterra.Forecaster(steps=4).backtest(5 + np.sin(2 * np.pi * t / 12), 2)
        >>> list(table)
        ['method', 'y1.mase', 'y1.smape', 'y1.rmse']
        >>> print(table["method"][0])
        forecast
        """
        origins = whole("k", k, 1)
        data = _Series.of(y, self.missing == "interpolate")
        y, series = data.y, data.values
        options = self._request(data, known)
        levels, count = self._levels(), series.shape[1]
        errors = np.empty((3, c.CONSTANTS["VOLT_BACKTEST_METHODS"], count))
        intervals = np.empty((2, len(levels), count))
        result = c.fill(c.Backtest(), **dict(zip(("mase", "smape", "rmse", "coverage", "width"), (*errors, *intervals))))
        arguments = (series, options, origins, result)
        run("backtest", c.lib.volt_forecast_backtest, *arguments, n_jobs=self.n_jobs, verbose=self.verbose)
        self.backtest_ = {word: int(getattr(result, word)) for word in ("origins", "steps", "first_rows", "distance")}
        methods = [c.text(result.names[i]) for i in range(errors.shape[1])]
        form = FrameForm(y) if library_of(y) else None
        columns: Dict[str, Array] = {}
        for j, name in enumerate(form.names if form is not None else [f"y{j + 1}" for j in range(count)]):
            for part, word in zip(errors, ("mase", "smape", "rmse")):
                columns[f"{name}.{word}"] = part[:, j].copy()
            for i, level in enumerate(levels):
                for part, word in zip(intervals, ("coverage", "width")):
                    column = np.full(len(methods), np.nan)
                    column[0] = part[i, j]
                    columns[f"{name}.{word}{100 * level:.10g}"] = column
        if form is None:
            return {"method": np.array(methods), **columns}
        return form.table("method", methods, columns)

    def _read(self, handle: Any) -> None:
        info = c.ForecastInfo()
        c.lib.volt_forecast_get_info(handle, info)
        steps, series = info.steps, info.series

        rows = [[c.lib.volt_forecast_step_at(handle, h, k).contents for k in range(series)] for h in range(steps)]

        def table(read: Any) -> Array:
            return np.array([[read(one) for one in row] for row in rows])

        self.forecast_, self.errors_ = table(lambda one: one.value), table(lambda one: one.rmse)
        levels = range(len(self._levels()))
        self.lower_ = np.array([table(lambda one, i=i: one.lower[i]) for i in levels])
        self.upper_ = np.array([table(lambda one, i=i: one.upper[i]) for i in levels])
        named = list(zip(c.texts(info.member_names, info.members), range(info.members)))
        self.members_: Dict[str, Array] = {word: table(lambda one, i=i: one.member_value[i]) for word, i in named}
        self.member_errors_: Dict[str, Array] = {word: table(lambda one, i=i: one.member_rmse[i]) for word, i in named}
        found = [c.lib.volt_forecast_series_at(handle, k).contents for k in range(series)]
        self.weights_: Dict[str, Array] = {word: np.array([one.member_weight[i] for one in found]) for word, i in named}
        self.mase_ = np.array([one.mase for one in found])
        self.ets_ = [c.text(one.ets) for one in found]
        self.seasons_ = [int(one.season) for one in found]
        self.kernel_ = c.text(info.kernel)
        self.rows_ = int(info.rows)
        self.inserted_rows_, self.interpolated_ = int(info.inserted_rows), int(info.interpolated)
        self.search_ = {
            "outcome": SEARCHES[info.search],
            "draws": int(info.search_draws),
            "mse": info.search_mse,
            "given_mse": info.search_mse_given,
        }
        self.warnings_ = read_notes(info.warnings, info.n_warnings)

    def predict(self, steps: Optional[int] = None) -> Prediction:
        """Return the first `steps` rows of the forecast, by default all.

        Returns
        -------
        ndarray of shape (steps,) or (steps, n_series), or Series or DataFrame with the index continued
        """
        count = self._count(steps)
        values = self.forecast_[:count]
        values = values[:, 0] if self._flat else values
        return values if self._form is None else self._form.dress(values, self._future(len(values)))

    def _levels(self) -> List[float]:
        if self.coverage is None:
            return []
        return [float(level) for level in np.atleast_1d(np.asarray(self.coverage, dtype=float))]

    def table(self, steps: Optional[int] = None) -> Any:
        """Return the forecast with columns NAME, NAME.error and, with `coverage`, NAME.lo90, NAME.hi90.

        A DataFrame of the library of y, or a dict of arrays.
        """
        count = self._count(steps)
        names = self._form.names if self._form is not None else [f"y{k + 1}" for k in range(self.forecast_.shape[1])]
        columns = [name + suffix for name in names for suffix in ("", ".error", *end_suffixes(self._levels()))]
        parts = [self.forecast_, self.errors_]
        for lower, upper in zip(self.lower_, self.upper_):
            parts += [lower, upper]
        values = np.stack([part[:count] for part in parts], axis=2).reshape(count, -1)
        if self._form is None:
            return {column: values[:, i] for i, column in enumerate(columns)}
        return self._form.frame(values, self._future(count), columns)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "forecast_")

    def _count(self, steps: Optional[int]) -> int:
        self._check_is_fitted()
        most = len(self.forecast_)
        count = most if steps is None else whole("steps", steps, 1)
        if count > most:
            raise ValueError(f"steps must be at most {most}, the steps that were fitted (got {count})")
        return count

    def _future(self, count: int) -> Any:
        if self._given is None and self._counter is not None:
            name, last, step = self._counter
            later = last + step * np.arange(1, count + 1)
            whole = bool(np.all(later == np.rint(later)) and np.all(np.abs(later) < 1e15))
            return pandas_module().Index(later.astype(np.int64) if whole else later, name=name)
        return future_index(self._index, 1, count) if self._given is None else self._given[:count]


def forecast(
    data: Union[Frame, Any], steps: Optional[int] = None, *, time_limit: Union[None, float, str] = None, **options: Any
) -> Any:
    """Forecast the next rows of one series or several, with expected errors.

    Parameters
    ----------
    data : array-like of shape (n_steps,) or (n_steps, n_series), Series or DataFrame
        The series in time order. A DataFrame with columns unique_id, ds and y has many series in long format: every
        series is forecast from its own rows, with its own season and dates. Rows of different series may alternate. A
        series has no forecast if a value is missing (unless ``missing="interpolate"`` is given) or not a number, if its
        times are unreadable, repeated or unordered, or if it has fewer than 3 rows. A `ForecastWarning` names such
        series; if no series has a forecast, ValueError is raised. ``budget`` is not supported.
    steps : int, optional
        Rows to forecast; by default one season, at most 60, or 12 without a season.
    time_limit : float or str, optional
        Only for a DataFrame of many series: time limit of the whole call, in seconds or as "10min". Series that did not begin
        within it have no forecast, and the warning counts them.
    **options
        Parameters of `Forecaster`, and ``known``.

    Returns
    -------
    DataFrame, or dict of arrays
        Columns NAME, NAME.error (expected root mean squared error of the step) and, with ``coverage``, NAME.lo90 and
        NAME.hi90 for every series. A DataFrame of pandas or polars if the data are, with the index continued, otherwise a
        dict of arrays. For a DataFrame in long format: columns unique_id, ds, y, y.error and, with ``coverage``, y.lo90 and
        y.hi90, one row for every series and step.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> t = np.arange(120.0)
    >>> found = volterra.forecast(5 + np.sin(2 * np.pi * t / 12), steps=2)
    >>> sorted(found)
    ['y1', 'y1.error']
    """
    known = options.pop("known", None)
    if is_long(data):
        if known is not None:
            raise ValueError("known is not supported for a DataFrame with columns unique_id, ds and y")
        model = Forecaster(steps, **options)
        if model.budget is not None:
            raise ValueError("budget, the time of a search, is not supported for many series: time_limit limits the call")
        request = model._options()
        request.many_seconds = seconds_of(time_limit, "time_limit")
        return forecast_long(data, request, model._levels(), model.n_jobs, model.verbose)
    if time_limit is not None:
        raise ValueError("time_limit requires a DataFrame with columns unique_id, ds and y: budget is the time of a search")
    return Forecaster(steps, **options).fit(data, known=known).table()


# ---- many series in long format: a DataFrame with columns unique_id, ds and y ----------------------------


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


class _TimeColumn:
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
        c.lib.volt_forecast_get_info(found.forecast, info)
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
    times = _TimeColumn(data["ds"])
    values, faults = _values(data["y"])
    rows = c.fill(c.LongRows(rows=len(values)), ids=ids, times=times.texts, values=values, faults=faults)
    found = _Rows(len(levels), options.missing != c.MISSING["error"])
    with use_threads(n_jobs), Watch("forecast", verbose) as watch:

        def take(pointer: Any, _context: Any) -> int:
            watch.guard(found.take, cast(pointer, POINTER(c.ForecastResult)).contents)
            return int(watch.failure is not None)

        options.progress = watch.progress
        watch.check(c.lib.volt_forecast_many(rows, options, c.ForecastFn(take), None))
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
