"""Intervals and quantiles of predictions, from the errors of the last training rows (docs/math.md, "Intervals").

Intervals are valid for each output and row separately, if new errors are distributed like those of the last training
rows.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from ._core._arrays import Array
from ._core._frames import FrameForm, is_frame, library_of
from ._core._loss import Loss
from ._core._records import Records, is_list, pieces
from ._core._threads import use_threads
from ._core._types import FloatArray, Frame, Levels, Numbers, Prediction, RecordList, Start, Table


def level_list(name: str, value: Levels) -> Tuple[List[float], bool]:
    """Return one level or several as an array, and whether it was one; each must be between 0 and 1."""
    levels = np.asarray(value, dtype=float)
    if levels.ndim > 1 or levels.size == 0:
        raise ValueError(f"{name} must be a number or a list of numbers, not {value!r}")
    for level in levels.ravel():
        if not 0 < level < 1:
            raise ValueError(f"{name} must be between 0 and 1 (got {level:g})")
    return [float(level) for level in levels.ravel()], levels.ndim == 0


def end_suffixes(levels: Sequence[float]) -> List[str]:
    """Suffixes of the columns of interval ends: .lo80, .hi80, .lo95, ..."""
    return [f".{end}{100 * level:.10g}" for level in levels for end in ("lo", "hi")]


def banded(forecast: Any, values: Array, ends: Sequence[str]) -> Any:
    """Return a DataFrame like that of the predictions, with a column for each of its columns and ends."""
    form = FrameForm(forecast)
    columns = [f"{name}{end}" for name in form.names for end in ends]
    return form.frame(values, forecast.index if is_frame(forecast) else None, columns)


class Intervals:
    """Interval and quantile methods of the estimators."""

    @property
    def prequential_errors_(self) -> Array:
        """Errors of the training rows after the washout, each predicted from the rows whose targets were known before it.

        NaN if a row was not predicted. An estimator with landmarks (``solver="nystrom"``) has at most the last 2048 rows.
        """
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        errors = self._model.errors()  # type: ignore[attr-defined]
        if errors is None:
            raise AttributeError("the model has no errors of its training rows")
        return errors[:, 0] if self._flat else errors  # type: ignore[attr-defined]

    def _beside(self, forecast: Any, offsets: Array, shape: Tuple[int, ...], ends: Sequence[str]) -> Any:
        """Return predictions plus offsets (outputs x ends): DataFrames for pandas, else arrays whose last axes have `shape`."""
        if isinstance(forecast, list):
            return [self._beside(part, offsets, shape, ends) for part in forecast]
        values = np.asarray(forecast, dtype=float)
        rows = len(values)
        ended = values.reshape(rows, -1)[:, :, None] + offsets[None, :, :]
        if library_of(forecast) is not None:
            return banded(forecast, ended.reshape(rows, -1), ends)
        return ended.reshape(values.shape + shape)

    # ---- fitted quantile levels -----------------------------------------------------------------------------

    def _own_levels(self) -> List[float]:
        """Levels of the quantile loss of the fit; empty for other losses."""
        self._check_is_fitted()  # type: ignore[attr-defined]
        text = self._model.loss  # type: ignore[attr-defined]
        loss = None if text is None else Loss(text)
        return loss.levels if loss is not None and loss.name == "quantile" else []

    def _place(self, level: float) -> Optional[int]:
        """Return the index of a fitted level."""
        near = [k for k, own in enumerate(self._own_levels()) if abs(own - level) <= 1e-9]
        return near[0] if near else None

    def _fitted_levels(
        self, X: Any, start: Any, groups: Any, places: List[int], shape: Tuple[int, ...], ends: Sequence[str]
    ) -> Any:
        """Predictions at fitted levels, in the form of other predictions."""
        count = len(self._own_levels())

        def pick(forecast: Any) -> Any:
            values = np.asarray(forecast, dtype=float)
            rows = len(values)
            picked = values.reshape(rows, -1, count)[:, :, places]
            if library_of(forecast) is not None:
                return banded(forecast, picked.reshape(rows, -1), ends)
            picked = picked.reshape((rows, picked.shape[1]) + shape)
            return picked[:, 0] if picked.shape[1] == 1 else picked

        forecast = self.predict(X, start=start, groups=groups)  # type: ignore[attr-defined]
        return [pick(part) for part in forecast] if isinstance(forecast, list) else pick(forecast)

    def _check_moment(self, X: Any, start: Any, groups: Any) -> None:
        """Reject rows that do not follow the training rows, according to the data: the intervals do not apply to them."""
        me: Any = self
        if (start or me.start) != "auto" or groups is not None or is_list(X) or me._grown is not None:
            return
        a = me._read_inputs(X)
        complaint = None if me._begins(a) or me._training_place(a, X) is not None else me._complaint(a, X)
        if complaint:
            raise ValueError(complaint)

    def _fitted_ends(self, coverage: float) -> List[int]:
        """Return the two levels of the interval with this coverage."""
        ends = [(1 - coverage) / 2, (1 + coverage) / 2]
        places = [self._place(end) for end in ends]
        if None in places:
            raise ValueError(
                f"an interval of coverage {coverage:g} requires the quantiles {ends[0]:g} and {ends[1]:g}, and the "
                f"estimator was fitted with the loss {self._model.loss}"  # type: ignore[attr-defined]
            )
        return [place for place in places if place is not None]

    # ---- standard deviations --------------------------------------------------------------------------------

    def _predict_std(self, X: Any, start: str, groups: Any) -> Any:
        """Standard deviations for ``predict``."""
        me: Any = self
        found = Records.read(X, None, groups)
        a = me._read_inputs(found.X)
        me._refresh_model()
        tail = None
        if found.lengths is not None or start == "reset":
            where = "reset"
        elif start == "auto" and me._begins(a):
            where = "reset"  # the training rows again, and those after them
        else:
            where, tail = "continue", me._tail
        cut, later = 0 if tail is None else len(tail), a
        place = me._training_place(a, X) if start == "auto" and where == "continue" else None
        if place is not None:
            cut, later = place - len(me._fitted), a[me._rows.n - place :]
            if cut < 0:
                raise ValueError(
                    "X is a part of the training rows: for their standard deviations pass all training rows, or start='reset'"
                )
        rows = later if tail is None else np.vstack([tail, later])
        with use_threads(me.n_jobs):
            _, std, _ = me._model.predict_std(rows, where, me._beyond(), me.verbose, found.lengths)
        std = std[cut : cut + len(a)]
        if found.lengths is None or found.X is X:
            return me._dress(std, X)
        return [me._dress(part, x) for part, x in zip(pieces(std, found.lengths), X)]

    @overload
    def predict_var(self, X: Numbers, *, start: Optional[Start] = None, groups: Any = None) -> FloatArray: ...

    @overload
    def predict_var(self, X: Frame, *, start: Optional[Start] = None, groups: Any = None) -> Prediction: ...

    @overload
    def predict_var(self, X: RecordList, *, start: Optional[Start] = None, groups: None = None) -> List[Any]: ...

    def predict_var(self, X: Any, *, start: Optional[Start] = None, groups: Any = None) -> Any:
        """Return variances of observations about the predictions: the squares of the result of ``return_std=True``.

        Requires ``keep_factor=True``.
        """
        std = self.predict(X, start=start, groups=groups, return_std=True)[1]  # type: ignore[attr-defined]
        return [part * part for part in std] if isinstance(std, list) else std * std

    @overload
    def predict_interval(
        self, X: Numbers, coverage: Levels = 0.9, *, start: Optional[Start] = None, groups: Any = None
    ) -> FloatArray: ...

    @overload
    def predict_interval(
        self, X: Frame, coverage: Levels = 0.9, *, start: Optional[Start] = None, groups: Any = None
    ) -> Union[FloatArray, Table]: ...

    @overload
    def predict_interval(
        self, X: RecordList, coverage: Levels = 0.9, *, start: Optional[Start] = None, groups: None = None
    ) -> List[Any]: ...

    def predict_interval(
        self, X: Any, coverage: Levels = 0.9, *, start: Optional[Start] = None, groups: Any = None
    ) -> Any:
        """Return prediction intervals.

        The half-width is a quantile of at most 300 errors of the last training rows; the last quarter of them is predicted by a
        model of the rows before it (split conformal prediction; docs/math.md, "Intervals"). An estimator with a quantile loss
        only has intervals between two of its levels: with 0.1/0.5/0.9, coverage 0.8.

        Parameters
        ----------
        X, start, groups
            As for ``predict``.
            Rows that do not follow those of training, according to the data, are rejected (an `OrderWarning` in ``predict``).
        coverage : float or list of float, default=0.9
            Between 0 and 1. With fewer errors than ``p / (1 - p)`` normal tails are used (Student's t).

        Returns
        -------
        ndarray of shape (n_steps, 2) or (n_steps, n_outputs, 2), or a list of them
            Lower and upper ends; for a list of coverages they are the last axis. If ``predict`` returns a pandas or polars
            object, a DataFrame with the columns ``NAME.lo90`` and ``NAME.hi90`` for each coverage in percent.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> rng = np.random.default_rng(0)
        >>> u = rng.uniform(-1, 1, (500, 1))
        >>> y = u[:, 0] + rng.uniform(-0.1, 0.1, 500)
        >>> model = volterra.SequenceKernelRidge("linear", alpha=1e-3).fit(u[:400], y[:400])
        >>> ends = model.predict_interval(u[400:], coverage=0.9)
        >>> inside = (ends[:, 0] <= y[400:]) & (y[400:] <= ends[:, 1])
        >>> bool(0.8 <= inside.mean() <= 1)
        True
        """
        self._check_one_step()  # type: ignore[attr-defined]
        levels, single = level_list("coverage", coverage)
        ends = end_suffixes(levels)
        shape = (2,) if single else (2, len(levels))
        self._check_moment(X, start, groups)
        if self._own_levels():
            pairs = np.array([self._fitted_ends(level) for level in levels])
            return self._fitted_levels(X, start, groups, pairs.T.ravel().tolist(), shape, ends)
        half = self._model.interval(levels)  # type: ignore[attr-defined]
        forecast = self.predict(X, start=start, groups=groups)  # type: ignore[attr-defined]
        # For data frames ordered by level, as the program writes them; for arrays the ends first.
        offsets = np.stack([-half.T, half.T], axis=-1)  # outputs x levels x 2
        if library_of(forecast[0] if isinstance(forecast, list) else forecast) is None:
            offsets = np.swapaxes(offsets, 1, 2)
        return self._beside(forecast, offsets.reshape(len(offsets), -1), shape, ends)

    @overload
    def predict_quantiles(
        self, X: Numbers, alpha: Optional[Levels] = None, *, start: Optional[Start] = None, groups: Any = None
    ) -> FloatArray: ...

    @overload
    def predict_quantiles(
        self, X: Frame, alpha: Optional[Levels] = None, *, start: Optional[Start] = None, groups: Any = None
    ) -> Union[FloatArray, Table]: ...

    @overload
    def predict_quantiles(
        self, X: RecordList, alpha: Optional[Levels] = None, *, start: Optional[Start] = None, groups: None = None
    ) -> List[Any]: ...

    def predict_quantiles(
        self, X: Any, alpha: Optional[Levels] = None, *, start: Optional[Start] = None, groups: Any = None
    ) -> Any:
        """Return quantiles of the observations.

        Quantile ``a`` is an end of the interval of coverage ``|1 - 2 a|``, and 0.5 is the prediction. An estimator with a
        quantile loss only has the levels of that loss.

        Parameters
        ----------
        X, start, groups
            As for ``predict``.
        alpha : float or list of float, optional
            Between 0 and 1; None: 0.05, 0.5 and 0.95, or the levels of the loss.

        Returns
        -------
        ndarray of shape (n_steps, n_alpha) or (n_steps, n_outputs, n_alpha), or a list of them
            Without the last axis for a single number. If ``predict`` returns a pandas or polars object, a DataFrame with the
            columns ``NAME.q0.05`` and so on.
        """
        self._check_one_step()  # type: ignore[attr-defined]
        self._check_moment(X, start, groups)
        own = self._own_levels()
        levels, single = level_list("alpha", (own or (0.05, 0.5, 0.95)) if alpha is None else alpha)
        ends, shape = [f".q{level:g}" for level in levels], () if single else (len(levels),)
        if own:
            places = [self._place(level) for level in levels]
            if None in places:
                level = levels[places.index(None)]
                raise ValueError(
                    f"the quantile {level:g} was not fitted: the loss is {self._model.loss}"  # type: ignore[attr-defined]
                )
            return self._fitted_levels(X, start, groups, [p for p in places if p is not None], shape, ends)
        columns = []
        for level in levels:
            coverage = abs(1 - 2 * level)
            half = self._model.interval([coverage])[0] if coverage > 0 else 0.0  # type: ignore[attr-defined]
            columns.append(np.sign(level - 0.5) * half * np.ones(self._model.q))  # type: ignore[attr-defined]
        forecast = self.predict(X, start=start, groups=groups)  # type: ignore[attr-defined]
        return self._beside(forecast, np.stack(columns, axis=1), shape, ends)
