"""What all estimators of one sequence share: checking data, fit, and forecasts in the form of the data.

Rows are time steps in order. What ``predict`` means follows from where its rows stand in time; the parameter
``start`` says which reading is taken:

``"auto"`` (default)
    X begins with the very rows that were trained on: those rows get their fitted values, and rows after them
    are forecast from the end of training. So ``fit(X, y).predict(X)`` and ``score(X, y)`` are in-sample, as
    everywhere in scikit-learn. Any other X follows the training rows, which is what a later block of a
    ``TimeSeriesSplit`` does.
``"continue"``
    X always follows the training rows, also when it repeats them (a second period of a periodic input, say).
``"reset"``
    X is a new sequence after a past of zeros.
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _native as c
from ._arguments import choice, whole
from ._arrays import Array, FrameForm, as_matrix, as_targets, column_names, is_frame, same_rows
from ._errors import BeyondWarning, NotFittedError, OrderWarning, warn
from ._model import FitSettings, Model, PathLike
from ._order import ADVICE, TrainingRows, index_of, is_ordered
from ._progress import ProgressCallback, Watch
from ._protocol import BaseEstimator, RegressorMixin
from ._stream import Stream
from ._threads import use_threads
from .metrics import r2

STARTS = ("auto", "continue", "reset")
BEYOND = ("auto", "clip", "error", "allow")


class Training(NamedTuple):
    """What is fitted."""

    rows: Array  # all rows of X
    inputs: Array  # the rows that have a target
    targets: Array
    flat: bool  # targets came as one column without a second dimension
    is_series: bool  # no y was given: the target of a row is the next row
    feedback: bool  # every target is the next input, so that outputs can be fed back
    input_names: Optional[Array]  # columns of data frames
    output_names: Optional[Array]
    form: Optional[FrameForm]  # of the forecasts, where X and y are pandas objects
    source: Any  # X as it was given

    @classmethod
    def read(cls, X: Any, y: Any) -> "Training":
        rows = as_matrix(X, "X")
        if not is_ordered(index_of(X)):
            warn(f"the index of X is not in order: {ADVICE}", OrderWarning)
        if rows.shape[0] < 2:
            raise ValueError(
                f"Found array with 1 sample(s) (shape={rows.shape}) while a minimum of 2 is required: "
                "a sequence is learned from its course in time."
            )
        source = X if y is None else y
        form = FrameForm(source) if is_frame(X) and is_frame(source) else None
        names = column_names(X), column_names(source)
        if y is None:
            return cls(rows, rows[:-1], rows[1:], False, True, True, *names, form, X)
        targets, flat = as_targets(y, "y")
        same_rows(rows, targets)
        feedback = rows.shape == targets.shape and bool(np.array_equal(targets[:-1], rows[1:]))
        return cls(rows, rows, targets, flat, False, feedback, *names, form, X)


class SequenceRegressor(RegressorMixin, BaseEstimator):
    """Base of the estimators. A subclass has ``_kernel_text()`` and the parameters that are used below."""

    _model: Model
    _rows: Optional[TrainingRows]  # None: the model comes from a file
    _fitted: Optional[Array]
    _tail: Optional[Array]  # the last row of a series, which had no target yet

    def _kernel_text(self) -> str:
        raise NotImplementedError

    def _kernel_and_settings(self) -> Tuple[str, Dict[str, Any]]:
        """What to fit with: the kernel, and alpha, washout, intercept and scale."""
        settings = dict(
            alpha=float(self.alpha),
            washout=whole("washout", self.washout),
            intercept=bool(self.fit_intercept),
            scale=bool(self.scale),
        )
        return self._kernel_text(), settings

    # ---- data ----------------------------------------------------------------------------------------------

    def _remember_names(self, names: Optional[Array]) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X: Any) -> None:
        """Compare the columns of a data frame with those of fit."""
        names, known = column_names(X), getattr(self, "feature_names_in_", None)
        kind = type(self).__name__
        if known is None and names is not None:
            warn(f"X has feature names, but {kind} was fitted without feature names")
        elif known is not None and names is None:
            warn(f"X does not have valid feature names, but {kind} was fitted with feature names")
        elif known is not None and names is not None and list(known) != list(names):
            raise ValueError(self._names_message(list(known), list(names)))

    @staticmethod
    def _names_message(known: list, names: list) -> str:
        lines = ["The feature names should match those that were passed during fit."]
        unseen = sorted(set(names) - set(known))
        missing = sorted(set(known) - set(names))
        if unseen:
            lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen)]
        if missing:
            lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in missing)]
        if not unseen and not missing:
            lines += ["Feature names must be in the same order as they were in fit."]
        return "\n".join(lines) + "\n"

    def _read_inputs(self, X: Any) -> Array:
        """Inputs for a fitted estimator."""
        self._check_is_fitted()
        self._check_names(X)
        a = as_matrix(X, "X")
        if a.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {a.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        return a

    # ---- fit -----------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, progress: Optional[ProgressCallback] = None) -> Any:
        """Learn from one sequence.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Inputs, one row per time step, in time order.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            Targets, row by row with X. None: the series forecasts itself, the target of a row is the next
            row; the last row has no target yet and is where forecasts go on.
        progress : callable, optional
            Called with a stage ("gram", "factor", ...) and the share that is done, 0 to 1. A true result ends
            the fit with `CancelledError`. Ctrl-C ends it within a second; the estimator is then as it was
            before.

        Returns
        -------
        self
        """
        choice("start", self.start, STARTS)
        choice("beyond", self.beyond, BEYOND)
        training = Training.read(X, y)
        kernel, settings = self._kernel_and_settings()
        self._fit_model(training, kernel, settings, progress)
        return self

    def _fit_model(
        self,
        training: Training,
        kernel: str,
        settings: Dict[str, Any],
        progress: Optional[ProgressCallback],
    ) -> None:
        with use_threads(self.n_jobs), Watch("fit", self.verbose, progress) as watch:
            model, fitted = Model.fit(
                kernel,
                training.inputs,
                training.targets,
                FitSettings(ahead=int(training.is_series), feedback=training.feedback, **settings),
                watch,
                training.input_names,
                training.output_names,
            )
        self._remember_names(training.input_names)
        self._model = model
        self._fitted = fitted
        self._rows = TrainingRows(training.rows, training.targets, training.source)
        self._tail = training.rows[-1:].copy() if training.is_series else None
        self._flat, self._form = training.flat, training.form
        self._set_attributes()

    def _set_attributes(self) -> None:
        self.n_features_in_ = self._model.d
        self.n_outputs_ = self._model.q
        self.kernel_ = self._model.kernel
        self.facts_ = self._model.facts
        self.rcond_ = self._model.rcond

    def _adopt(self, model: Model, tail: Optional[Array]) -> Any:
        """Become the estimator of a model that was read from a file."""
        self._model = model
        self._rows = None
        self._tail = tail
        self._fitted = None
        self._flat = model.q == 1 and not model.settings.ahead
        self._form = None
        self._remember_names(model.input_names)
        self._set_attributes()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def _check_is_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # ---- forecast ------------------------------------------------------------------------------------------

    def _beyond(self) -> str:
        """The library's policy for inputs beyond the ball of training."""
        if choice("beyond", self.beyond, BEYOND) == "auto":
            return "clip" if self.scale else "allow"
        return str(self.beyond)

    def _warn_beyond(self, count: int, total: int) -> None:
        if count and self._beyond() == "clip":
            rows = f"{count} of {total} input rows"
            warn(f"{rows} lay beyond the ball of the training inputs and were projected to it", BeyondWarning)

    def _warn_order(self, a: Array, X: Any) -> None:
        complaint = self._rows.complaint(a, X) if self._rows is not None else None
        if complaint:
            warn(complaint, OrderWarning)

    def _dress(self, values: Array, X: Any = None) -> Any:
        """Forecasts in the form of the targets: 1-D for 1-D, pandas for pandas."""
        if self._flat:
            values = values[:, 0]
        if self._form is not None and is_frame(X):
            return self._form.dress(values, X.index)
        return values

    def _forecast(self, a: Array, start: str, X: Any = None) -> Array:
        """Forecasts for the rows of `a`, which came as X; see the head of this file."""
        if start == "reset":
            return self._follow(a, "reset", None)
        if start == "auto" and self._rows is not None and self._fitted is not None and self._rows.begin(a):
            known = self._fitted.shape[0]
            rest = self._follow(a[known:], "continue", None) if a.shape[0] > known else a[:0]
            return np.vstack([self._fitted, rest]) if len(rest) else self._fitted.copy()
        if start == "auto" and self._rows is not None:
            self._warn_order(a, X)
        return self._follow(a, "continue", self._tail)

    def _follow(self, a: Array, start: str, tail: Optional[Array]) -> Array:
        rows = a if tail is None else np.vstack([tail, a])
        with use_threads(self.n_jobs):
            out, beyond = self._model.predict(rows, start, self._beyond(), self.verbose)
        self._warn_beyond(beyond, rows.shape[0])
        return out if tail is None else out[tail.shape[0] :]

    def predict(self, X: Any, *, start: Optional[str] = None) -> Any:
        """Forecast the targets of inputs.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            One row per time step, in time order.
        start : {"auto", "continue", "reset"}, optional
            Where the rows stand in time; the parameter of the estimator when not given. With "auto", rows
            that were trained on have their fitted values when X begins with all of them, and every other X
            follows the training rows.

        Returns
        -------
        ndarray, Series or DataFrame of shape (n_steps,) or (n_steps, n_outputs)
            1-D when ``y`` was. When both X and the ``y`` of fit are pandas objects: with the index of X and
            the name or columns of y.
        """
        a = self._read_inputs(X)
        return self._dress(self._forecast(a, choice("start", start or self.start, STARTS), X), X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R^2 of ``predict(X)``, the mean over outputs.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            May be left out when the estimator was fitted without: the forecast of every row is then compared
            with the next row of X.
        sample_weight : array-like of shape (n_steps,), optional

        Returns
        -------
        float
        """
        a = self._read_inputs(X)
        forecast = self._forecast(a, choice("start", self.start, STARTS), X)
        if y is None:
            if not self._model.settings.ahead:
                raise ValueError("score needs y: this estimator was fitted with targets of their own")
            if a.shape[0] < 2:
                raise ValueError(f"score without y needs at least 2 rows of X, and there is {a.shape[0]}")
            return r2(a[1:], forecast[:-1], sample_weight)
        targets, _ = as_targets(y, "y")
        same_rows(a, targets)
        return r2(targets, forecast, sample_weight)

    def _rows_after(self, X: Any) -> Optional[Array]:
        """The rows of X that go in after training, with the last row of training before them where it had no
        target; None: there are none."""
        a = self._read_inputs(X)
        if self._rows is not None and self._rows.begin(a):
            a = a[self._rows.n :]
        elif self._rows is not None and self.start == "auto":
            self._warn_order(a, X)
        if not len(a):
            return None
        return a if self._tail is None else np.vstack([self._tail, a])

    def continue_(self, steps: int, *, after: Any = None) -> Array:
        """Let the model run on its own outputs, from the end of training or of rows that came since.

        Parameters
        ----------
        steps : int
            How many rows to forecast.
        after : array-like of shape (n_steps, n_features), optional
            Rows that follow those of training, as for `predict`; they go in first. It may begin with all rows of
            training.

        Returns
        -------
        ndarray of shape (steps, n_outputs)
            The rows that follow the last training target, or the last row of `after`.

        Raises
        ------
        ValueError
            The outputs are not the next inputs: the model must be fitted without y, or with a y whose rows
            are the next rows of X. Or the path diverges.
        """
        self._check_is_fitted()
        rows = whole("steps", steps, 1)
        known = None if after is None else self._rows_after(after)
        with use_threads(self.n_jobs):
            out, beyond = self._model.run_on(rows, self._beyond(), self.verbose, known)
        self._warn_beyond(beyond, rows if known is None else rows + known.shape[0])
        return out

    def stream(self, *, start: str = "continue") -> Stream:
        """A stream that takes one row at a time, from the end of training or from a past of zeros.

        Parameters
        ----------
        start : {"continue", "reset"}, default="continue"

        Returns
        -------
        Stream
            ``stream.push(row)`` is the forecast of that row; pushing rows one by one equals `predict` of all.
        """
        model, beyond, flat = self._stream_parts()
        stream = Stream(model, choice("start", start, c.STARTS), beyond, flat)
        if start == "continue" and self._tail is not None:
            for row in self._tail:
                stream.push(row)
        return stream

    def _stream_parts(self) -> Tuple[Model, str, bool]:
        """What a stream is made of."""
        self._check_is_fitted()
        return self._model, self._beyond(), self._flat

    def save(self, path: PathLike) -> None:
        """Write the model as a safetensors file, which the program reads too; see `volterra.load`."""
        self._check_is_fitted()
        self._model.save(path)

    # ---- what was learned ----------------------------------------------------------------------------------

    @property
    def fitted_(self) -> Array:
        """Fitted values, of the shape of ``y``; one row less than X when the series forecasts itself."""
        self._check_is_fitted()
        if self._fitted is None:
            raise AttributeError("a model that was read from a file has no fitted values")
        return self._fitted[:, 0] if self._flat else self._fitted

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the readout, (n_rows, n_outputs), of the scaled targets."""
        self._check_is_fitted()
        return self._model.coefficients

    @property
    def intercept_(self) -> Array:
        """The constant of the forecast, in the units of the targets."""
        self._check_is_fitted()
        return self._model.intercepts
