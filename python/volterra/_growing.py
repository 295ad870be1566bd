"""Estimators that continue learning after `fit`."""

from __future__ import annotations

import copy
import functools
from typing import Any, Callable, Optional, Tuple

import numpy as np

from ._core._arguments import horizon_bounds
from ._core._arrays import Array, as_matrix, is_collection
from ._core._devices import use_machine
from ._core._frames import is_frame
from ._core._gaps import align
from ._core._gaps import future_index
from ._core._model import PathLike
from ._core._progress import Watch
from ._core._threads import use_threads
from ._core._types import ForgetWhat
from ._learner import Learner
from ._live import LiveOptions

FIRST_ROWS = 50  # minimum number of rows for the first fit, if they arrive in smaller batches


class WhenLearnable:
    """A method of estimators that support learning row by row. For other estimators, access raises AttributeError with
    the reason."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        functools.update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, estimator: Any, owner: Any) -> Any:
        if estimator is None:
            return self._method
        reason = estimator._why_not_learn()
        if reason:
            raise AttributeError(reason)
        return self._method.__get__(estimator, owner)


def _joined(before: Any, after: Any) -> Any:
    """Concatenate the rows of two batches, keeping their type if both have the same."""
    if before is None:
        return after
    if is_frame(before) and is_frame(after):
        import pandas

        return pandas.concat([before, after])
    if hasattr(before, "to_pandas") and type(before) is type(after):  # polars
        import polars

        return polars.concat([before, after])
    return np.concatenate([np.asarray(before), np.asarray(after)])


class Learns:
    """Lets estimators continue learning: `learner`, and `partial_fit` and `update`, which keep one internally."""

    _tail: Optional[Array]
    _grown: Optional[Learner] = None  # set when rows are learned after fit
    _is_behind: bool = False  # the model lacks some of the learned rows
    _first: Optional[Tuple[Any, Any]] = None  # X and y of the first calls of partial_fit, while they are few
    _refits_first_rows: bool = True

    def learner(
        self: Any,
        *,
        window: Optional[int] = None,
        forget: float = 1.0,
        forget_what: ForgetWhat = "all",
        coverage: Any = None,
        state: Optional[PathLike] = None,
    ) -> Learner:
        """Return a learner that continues from the end of training.

        Parameters
        ----------
        window : int, optional
            Number of rows kept; when the window is full, the oldest row is dropped (at least 1). The learner starts
            with the last rows of training. None: all rows.
        forget : float, default=1.0
            Forgetting factor phi: the kernel of rows i and j is multiplied by phi^(abs(i-j)/2) (above 0 and at most
            1).
        forget_what : {"dynamics", "all"}, default="all"
            Scope of ``forget``; dynamics: the response to inputs; all: the level as well. Both scopes are equal for
            kernels without a constant part: all except ``volterra`` with a lift other than ``"rbf"``, and sums with
            it.
        coverage : float or list of float, optional
            Prediction intervals of this coverage, adapted to the errors so far; lines of inputs and then targets or
            NA (between 0 and 1). See `Learner.interval`.
        state : path-like, optional
            State file, resumed if it exists and replaced at the end; during the run every minute or 10,000 rows. In
            Python only `Learner.save` writes it. It is locked while the learner exists.

        Returns
        -------
        Learner
            ``learner.update(x, y)`` predicts a row and then learns it.
        """
        model, beyond, flat = self._stream_parts()
        options = LiveOptions(beyond, coverage, state, self._tail)
        return Learner(model, beyond, flat, self._is_series, options, window, forget, forget_what)

    # ---- estimator -----------------------------------------------------------------------------------------

    @property
    def learner_(self) -> Learner:
        """The learner of `partial_fit` and `update`, after the first call of one of them."""
        if self._grown is None:
            raise AttributeError("no rows were learned since fit: call partial_fit or update, or create a learner with learner()")
        return self._grown

    @WhenLearnable
    def partial_fit(self: Any, X: Any, y: Any = None) -> Any:
        """Learn rows that follow all rows learned so far.

        The first 50 rows are fitted together: until then every call fits all rows so far, and a single row is kept until a
        second one arrives. From then on, or after `fit`, rows are learned one by one. After each row the readout equals a fit on
        all rows so far, to rounding, at the cost of one row. The kernel, the scales of inputs and targets, alpha, the kind of
        target and the season do not change. A constant chosen by the fit (``alpha_`` is infinite) becomes the mean of all
        targets, and a naive forecast stays naive.

        All other methods refer to all rows: `predict` and `score` take rows that follow them, or with ``start="reset"`` a new
        sequence; `forecast`, `continue_`, `predict_interval`, `stream`, `explain`, `save` and ``dual_coef_`` use a model of all
        rows, which is computed on demand and takes as long as a fit. ``fitted_``, ``report_``, ``baselines_`` and the other
        results on held-out rows are not updated. For a window or forgetting see `learner`.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            As for `fit`. Rows with NaN initialise the state and are not learned.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(300.0) + 1e-5 * np.arange(300.0) ** 2).reshape(-1, 1)
        >>> y = x[:, 0] ** 2
        >>> whole = volterra.VolterraRidge(alpha=1e-3, scale=False).fit(x[:250], y[:250])
        >>> parts = volterra.VolterraRidge(alpha=1e-3, scale=False).partial_fit(x[:200], y[:200])
        >>> parts = parts.partial_fit(x[200:250], y[200:250])
        >>> bool(np.allclose(parts.predict(x[250:]), whole.predict(x[250:]), atol=1e-4))
        True
        """
        if self._first is None and self.__sklearn_is_fitted__():
            self.update(X, y)
            return self
        return self._fit_first(X, y)

    def _fit_first(self: Any, X: Any, y: Any) -> Any:
        """Fit all rows so far if there are enough."""
        if self._first is None and is_collection(X):
            return self.fit(X, y)
        if self.__sklearn_is_fitted__():
            self._read_inputs(X)
        before = self._first or (None, None)
        if self._first is not None and (before[1] is None) != (y is None):
            given = "not given" if before[1] is None else "given"
            raise ValueError(f"y was {given} with the rows before: give it with all batches or with none")
        joined = _joined(before[0], X), None if y is None else _joined(before[1], y)
        rows = as_matrix(joined[0], "X")
        bounds = horizon_bounds(self.ahead)
        ahead = bounds[1] if bounds is not None else int(y is None)
        known = rows[: max(len(rows) - ahead, 0)]  # rows with a target
        if len(rows) >= 2 and len(known) > 0 and bool(np.any(known != known[0])):
            self.fit(*joined)
            self._first = joined if self._refits_first_rows and len(rows) < FIRST_ROWS else None
        else:
            self._first = joined
        return self

    @WhenLearnable
    def update(self: Any, X: Any, y: Any = None) -> Any:
        """Predict each row, then learn it, as `partial_fit` of a fitted estimator does.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            As for `fit`: row by row with X; with ``ahead`` of H a row is learned when its target is known, H rows later.

        Returns
        -------
        ndarray of shape (n_steps,) or (n_steps, n_outputs)
            The predictions made before the rows were learned.
        """
        X, y = align(X, y)
        rows = self._read_inputs(X)
        grown = self._grown
        if grown is None:
            model, beyond, flat = self._stream_parts()
            grown = Learner(model, beyond, flat, self._is_series, LiveOptions(beyond, pending=self._tail))
        before = grown.fed
        try:
            with use_threads(self.n_jobs):
                out = grown.advance(rows, y)
        finally:  # a rejected row ends the batch; earlier rows are kept
            if grown.fed > before:
                self._take_in(grown, rows[: grown.fed - before], X, y)
        return self._dress(out.reshape(len(rows), -1), X)

    def _take_in(self: Any, grown: Learner, rows: Array, X: Any, y: Any) -> None:
        """Record the rows as learned."""
        self._grown, self._is_behind, self._first = grown, True, None
        ahead = self._horizons.last
        if ahead:
            self._tail = (rows if self._tail is None else np.vstack([self._tail, rows]))[-ahead:].copy()
        if self._rows is not None:
            self._rows = self._rows.extended(rows, X)
        if self._future is not None:
            form, index = self._future
            source = X if y is None else y
            more = source.index[: len(rows)] if is_frame(source) else future_index(index, 1, len(rows))
            self._future = form, index.append(more)[-max(len(index), 3) :]

    def _why_not_learn(self: Any) -> Optional[str]:
        """Reason why the estimator cannot learn row by row; None: it can."""
        if getattr(self, "_readout", None) is not None:
            return "whole series are not learned row by row: fit again"
        fitted = self.__sklearn_is_fitted__()
        if getattr(self, "loss", None) not in (None, "squares") or (fitted and self._model.loss is not None):
            return "learning row by row requires squared loss without weights: fit again"
        return None

    def _refresh_model(self: Any) -> None:
        """Update the model to all rows, if rows were learned since it was fitted."""
        if not self._is_behind:
            return
        with use_machine(self), Watch("fit", self.verbose) as watch:
            self._model = self._grown.model_of_all(bool(getattr(self, "keep_factor", False)), watch)
        self._is_behind = False
        self._set_attributes()

    def _follow_grown(self: Any, a: Array, start: str) -> Array:
        """Predictions for rows after all learned rows, or for a new sequence."""
        learner = self._grown
        if start == "reset":
            learner = copy.copy(learner)
            learner.restart()
        with use_threads(self.n_jobs):
            return learner.predict(a).reshape(len(a), -1)
