"""Base class of the estimators of one sequence: data checks, fit, and predictions in the form of the data.

Rows are time steps in order. The meaning of ``predict`` depends on the position of its rows in time, which the parameter
``start`` defines:

``"auto"`` (default)
    If X begins with the training rows, these have their fitted values, and rows after them are predicted from the end of
    training. ``fit(X, y).predict(X)`` and ``score(X, y)`` are therefore in-sample, as in scikit-learn. Any other X follows
    the training rows, as a later block of a ``TimeSeriesSplit`` does.
``"continue"``
    X always follows the training rows, even if it repeats them (such as a second period of a periodic input).
``"reset"``
    X is a new sequence with zero initial state.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, Optional, Tuple, get_args, overload

import numpy as np

from ._assess import Assessment, Note, assess
from ._core import _native as c
from ._core._arguments import (
    alpha_number,
    choice,
    feedback_number,
    horizon_bounds,
    initial_setting,
    season_rows,
    solver_settings,
    whole,
)
from ._core._arrays import Array, as_targets, same_rows
from ._core._devices import use_machine
from ._core._errors import GapWarning, NotFittedError, OrderWarning, warn
from ._core._frames import is_frame
from ._core._gaps import align
from ._core._loss import LossSettings, loss_text, read_tolerance, read_weights
from ._core._model import HELD_OUT, NORMS, FitSettings, Model, PathLike, plain_settings
from ._core._names import FeatureNames
from ._core._order import TrainingRows, pending_complaint
from ._core._progress import ProgressCallback, Watch
from ._core._protocol import BaseEstimator, RegressorMixin
from ._core._records import Records, pieces
from ._core._types import Beyond, FloatArray, Frame, Numbers, Prediction, RecordList, Self, Start, StreamStart
from ._explain import Explains
from ._export import Files
from ._forecasts import ModelForecasts
from ._growing import Learns
from ._intervals import Intervals
from ._live import LiveOptions, Stream
from ._training import Horizons, Training, is_usually_flat, spread_records
from .metrics import _explained

STARTS = get_args(Start)
BEYOND = get_args(Beyond)


class SequenceRegressor(
    Learns, ModelForecasts, Intervals, Explains, Files, FeatureNames, RegressorMixin, BaseEstimator
):
    """Base of the estimators. A subclass has ``_kernel_text()`` and the parameters that are used below."""

    _model: Model
    _rows: Optional[TrainingRows]  # None: the model comes from a file
    _fitted: Optional[Array]
    _tail: Optional[Array]  # the last rows, which had no target yet
    _records: Optional[List[int]] = None  # rows of every record of training
    _horizons: Horizons
    _is_series: bool  # the targets are the rows of X that follow
    _future: Any  # form and index of what comes after the targets, where these are pandas objects
    _assessment: Optional[Assessment]

    #: Attributes set by a fit, in addition to those derived from the model.
    _STATE = (
        *("_model", "_rows", "_tail", "_fitted", "_flat", "_flat_series", "_form", "_horizons", "_is_series"),
        *("_future", "_assessment", "_records", "report_", "heldout_r2_", "log_likelihood_"),
        *[name + "_" for name in NORMS],
    )

    def _kernel_text(self) -> str:
        raise NotImplementedError

    def _kernel_and_settings(self) -> Tuple[str, Dict[str, Any]]:
        """Settings of the fit: the kernel, and the fields of ``FitSettings`` that do not follow from the data."""
        settings = dict(
            alpha=alpha_number(self.alpha),
            washout=whole("washout", self.washout),
            intercept=bool(self.fit_intercept),
            scale=bool(self.scale),
            target=choice("target", self.target, c.TARGETS),
            input=choice("input", self.input, c.INPUTS),
            season=season_rows(self.season),
            feedback_weight=feedback_number(self.feedback),
            initial=initial_setting(getattr(self, "initial", "zero")),
            plain=plain_settings(self),
            **solver_settings(self),
            losses=LossSettings(loss_text(getattr(self, "loss", None)), read_tolerance(getattr(self, "tolerance", None))),
        )
        return self._kernel_text(), settings

    # ---- fit -----------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
    ) -> Self:
        """Fit one sequence, or several records.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or Series
            Inputs, one row per time step, in time order. A Series of pandas or polars is one column. Columns of data frames
            must hold numbers (TypeError with the name of one that does not); dates belong in the index of pandas. A gap
            in an index of dates is a `GapWarning`.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            Targets, row by row with X, or by date if both are pandas objects with an index of dates: the rows of common dates
            are used, with a warning. With ``ahead=H`` the target of row t is row t + H of y. None: the series is forecast
            from itself; the target of a row is the next row of X, or with ``ahead=H`` row t + H. The last H rows have no
            target yet; forecasts start from them.
        sample_weight : array-like of shape (n_steps,), optional
            Weights of the rows, at least 0, that multiply the loss. Targets of rows with weight 0 are ignored; their
            inputs still enter the state.
        groups : array-like of shape (n_steps,), optional
            Record of each row, if the rows are several records, each with zero initial state. The rows of a record must be
            adjacent. Alternatively X and y may be lists with one array per record. Later rows continue the last record.
        progress : callable, optional
            Called with a stage ("gram", "factor", ...) and the completed fraction, 0 to 1. A true result cancels the fit
            with `CancelledError`. Ctrl-C cancels it within a second; the estimator is then unchanged.

        Returns
        -------
        self
        """
        choice("start", self.start, STARTS)
        choice("beyond", self.beyond, BEYOND)
        bounds = horizon_bounds(self.ahead)
        kernel, settings = self._kernel_and_settings()
        X, y, sample_weight, groups = align(X, y, sample_weight, groups)
        training = Training.read(
            X,
            y,
            None if bounds is None else Horizons(*bounds),
            groups,
            self.allow_target_in_inputs,
            settings["losses"],
            settings["feedback_weight"] > 0,
        )
        weights = read_weights(sample_weight, len(training.rows))
        if weights is not None:
            settings["losses"] = settings["losses"]._replace(weights=training.pairing.of_inputs(weights))
        self._fit_model(training, kernel, settings, progress)
        return self

    def _fit_model(
        self,
        training: Training,
        kernel: str,
        settings: Dict[str, Any],
        progress: Optional[ProgressCallback],
    ) -> None:
        losses, pairing = settings.get("losses", LossSettings()), training.pairing
        with use_machine(self), Watch("fit", self.verbose, progress) as watch:
            model, fitted = Model.fit(
                kernel,
                training.inputs,
                training.targets,
                FitSettings(
                    ahead=training.horizons.last,
                    feedback=pairing.feedback,
                    anchors=training.anchors,
                    horizons=training.horizons.note,
                    records=training.fitted_records,
                    pending=pairing.pending,
                    target_ndim=training.target_ndim,
                    **settings,
                ),
                watch,
                training.input_names,
                training.output_names,
            )
        self._remember_names(training.input_names)
        self._model = model
        self._grown, self._is_behind, self._first = None, False, None
        self._fitted = fitted
        self._rows = TrainingRows(training.rows, training.series, training.source, training.grid)
        self._tail = pairing.pending
        self._records = training.records
        same = model.q == training.targets.shape[1]
        self._flat, self._flat_series = training.flat and same, training.flat_series and same
        self._form = training.form if same else None
        self._horizons, self._is_series = training.horizons, training.is_series
        self._future = training.future if same else None
        self._set_report(training, settings.get("season", -1), losses)
        self._set_attributes()
        if self.verbose:
            print(self._summary(), file=sys.stderr)
        if self._assessment is not None:
            self._assessment.warn()

    def _set_report(self, training: Training, season: int, losses: LossSettings) -> None:
        """Results on held-out rows. Model files do not contain them."""
        self._assessment = assess(training.pairing, losses, season, self._model, self._fitted)
        self.report_ = None if self._model.report is None else self._model.report._asdict()
        found = self.report_ or {}
        self.heldout_r2_, self.log_likelihood_ = (found.get(name, float("nan")) for name in HELD_OUT)
        self.rkhs_norm_, self.effective_dimension_, self.noise_ = map(found.get, NORMS)

    def _summary(self) -> str:
        """Summary of the choices in one line."""
        alpha = self._model.alphas
        kept = int(np.count_nonzero(np.isinf(alpha)))
        words = (
            f"alpha {alpha[0]:.3g}" if np.all(alpha == alpha[0]) else f"alpha for each of {len(alpha)} outputs"
        )
        if kept == len(alpha):
            words = "the naive forecast" if np.all(self._model.anchors >= 0) else "a constant"
        elif kept:
            words += f", {kept} of them without the kernel"
        return f"fit: {words}; held-out R2 {self.heldout_r2_:.4g}"

    def _set_attributes(self) -> None:
        self.n_features_in_ = self._model.d
        self.n_outputs_ = self._model.q
        self.kernel_ = self._model.kernel
        self.facts_ = self._model.facts
        self.rcond_ = self._model.rcond
        self.season_, self.input_ = self._model.season, self._model.input
        self.objective_, self.duality_gap_ = self._model.certificate
        alphas, changes = self._model.alphas, self._model.anchors >= 0
        self.alpha_ = float(alphas[0]) if np.all(alphas == alphas[0]) else alphas
        words = np.where(changes, "change", "level")
        self.target_ = str(words[0]) if np.all(changes == changes[0]) else words

    def _adopt(self, model: Model, tail: Optional[Array]) -> Self:
        """Set up the estimator from a model that was read from a file."""
        self._model = model
        self._grown, self._is_behind, self._first = None, False, None
        self._rows, self._tail, self._fitted = None, tail, None
        self._form = self._future = self._assessment = None
        self._horizons = Horizons.of(model)
        self._records = None if model.records is None else [int(n) + self._horizons.last for n in model.records]
        ndim = model.target_ndim
        self._flat_series = ndim == 1 if ndim else is_usually_flat(model.q, self._horizons)
        self._flat = self._flat_series and not self._horizons.several
        self._is_series = self._horizons.is_of_inputs(model)
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
        tags.target_tags.required = False  # without y the next values of X are the targets
        return tags

    # ---- forecast ------------------------------------------------------------------------------------------

    def _beyond(self) -> str:
        """The library's policy for inputs beyond the ball of training."""
        if choice("beyond", self.beyond, BEYOND) == "auto":
            return "clip" if self.scale else "allow"
        return str(self.beyond)

    def _begins(self, a: Array) -> bool:
        """Return whether `a` begins with the training rows. A model file has a digest of the first ones; with feedback it
        lacks the outputs that were fed back."""
        if self._rows is not None:
            return self._rows.begin(a)
        return self._model.feedback_weight == 0 and self._model.begins(a)

    def _warn_order(self, a: Array, X: Any) -> None:
        complaint = self._complaint(a, X)
        if complaint:
            warn(complaint, OrderWarning)
        else:
            self._warn_gap(X)

    def _complaint(self, a: Array, X: Any) -> Optional[str]:
        """Reason why rows cannot follow those of training; None: unknown or valid."""
        if self._rows is not None:
            return self._rows.complaint(a, X)
        return None if self._tail is None else pending_complaint(a, self._tail)

    def _warn_gap(self, X: Any, first: int = 0, last: Any = None) -> None:
        """Warn of missing rows between the training rows (or `last`) and row `first` of X, or among later ones."""
        gap = None if self._rows is None else self._rows.gap(X, first, last)
        if gap is not None:
            warn(
                f"X does not follow the training rows step by step: {gap}. The row after a gap is taken for the next step: give the "
                "missing rows too, or fit on data up to X",
                GapWarning,
            )

    def _dress(self, values: Array, X: Any = None) -> Any:
        """Predictions in the form of the targets: 1-D for 1-D, pandas for pandas."""
        if self._flat:
            values = values[:, 0]
        if self._form is not None and self._form.is_of(X):
            return self._form.dress(values, X.index if is_frame(X) else None)
        return values

    def _forecast(self, a: Array, start: str, X: Any = None) -> Array:
        """Predictions for the rows of `a`, the array of X; see the top of this file."""
        if self._grown is not None:
            return self._follow_grown(a, start)
        if start == "reset":
            return self._follow(a, "reset", None)
        if start == "auto" and self._begins(a):
            if self._rows is not None:
                self._warn_gap(X, self._rows.n)
            if self._records is not None and not self._model.feedback_weight:
                return self._forecast_known(a, self._records)
            if self._fitted is None:
                return self._follow(a, "reset", None)
            known = self._fitted.shape[0]
            rest = self._follow(a[known:], "continue", None) if a.shape[0] > known else a[:0]
            return np.vstack([self._fitted, rest]) if len(rest) else self._fitted.copy()
        if start == "auto":
            place = self._training_place(a, X)
            if place is not None:
                return self._forecast_from(a, X, place)
            self._warn_order(a, X)
        return self._follow(a, "continue", self._tail)

    def _training_place(self, a: Array, X: Any) -> Optional[int]:
        """Index of the training row that `a` begins with, by the index of a data frame; None: unknown."""
        if self._rows is None or self._records is not None:
            return None
        return self._rows.place(a, X)

    def _forecast_from(self, a: Array, X: Any, place: int) -> Array:
        """Predict training rows from `place` on, and rows that follow them."""
        assert self._rows is not None and self._fitted is not None
        fitted, n = self._fitted, self._rows.n
        self._warn_gap(X, n - place)
        later = a[n - place :]
        pending = self._tail if self._tail is not None else a[:0]
        if place + len(a) <= len(fitted):
            return fitted[place : place + len(a)].copy()
        rest = self._follow(np.vstack([pending, later]), "continue", None)
        return np.vstack([fitted, rest])[place : place + len(a)]

    def _forecast_known(self, a: Array, lengths: List[int]) -> Array:
        """Predict the records of training, and rows that follow the last of them."""
        known = sum(lengths)
        first = self._of_records(a[:known], lengths)
        return np.vstack([first, self._follow(a[known:], "continue", self._tail)]) if len(a) > known else first

    @overload
    def predict(
        self,
        X: Numbers,
        *,
        start: Optional[Start] = None,
        groups: Any = None,
        y_known: Any = None,
        warm_up: Optional[int] = None,
        return_std: Literal[False] = False,
    ) -> FloatArray: ...

    @overload
    def predict(
        self, X: Numbers, *, start: Optional[Start] = None, groups: Any = None, return_std: Literal[True]
    ) -> Tuple[FloatArray, FloatArray]: ...

    @overload
    def predict(
        self,
        X: Frame,
        *,
        start: Optional[Start] = None,
        groups: Any = None,
        y_known: Any = None,
        warm_up: Optional[int] = None,
        return_std: Literal[False] = False,
    ) -> Prediction: ...

    @overload
    def predict(
        self, X: Frame, *, start: Optional[Start] = None, groups: Any = None, return_std: Literal[True]
    ) -> Tuple[Prediction, Prediction]: ...

    @overload
    def predict(
        self,
        X: RecordList,
        *,
        start: Optional[Start] = None,
        groups: None = None,
        y_known: Any = None,
        warm_up: Optional[int] = None,
        return_std: Literal[False] = False,
    ) -> List[Any]: ...

    @overload
    def predict(
        self, X: RecordList, *, start: Optional[Start] = None, groups: None = None, return_std: Literal[True]
    ) -> Tuple[List[Any], List[Any]]: ...

    def predict(
        self,
        X: Any,
        *,
        start: Optional[Start] = None,
        groups: Any = None,
        y_known: Any = None,
        warm_up: Optional[int] = None,
        return_std: bool = False,
    ) -> Any:
        """Predict the targets of inputs.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            One row per time step, in time order.
        start : {"auto", "continue", "reset"}, optional
            Position of the rows in time; default: the parameter of the estimator. With "auto", training rows have their
            fitted values if X begins with all of them, or if X is a data frame whose index and values match consecutive
            training rows. Any other X follows the training rows. Rows that cannot follow them cause an `OrderWarning`,
            missing rows before or in X a `GapWarning`.
        groups : array-like of shape (n_steps,), optional
            As for `fit`: records in X, each with zero initial state. The same holds for the arrays of a list.
        y_known : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            With ``feedback``: measured outputs, row by row with X (a list if X is one), which are fed back instead of
            predictions. Without them the model is simulated. Values after the warm-up, and in the last row, may be nan.
            With start "auto", training rows are a new sequence.
        warm_up : int, optional
            Number of rows of every record for which `y_known` is fed back; later rows use the predictions. Default: all
            rows, so that every prediction is one step ahead.
        return_std : bool, default=False
            Also return the predictive standard deviation of a new observation, in the same form. Requires
            ``keep_factor=True``.

        Returns
        -------
        ndarray, Series or DataFrame of shape (n_steps,) or (n_steps, n_outputs), or a list of them
            A list if X is one. 1-D if ``y`` was, or without y if X of fit was a Series. If X and the ``y`` of fit are
            both pandas objects, or both polars objects, the result is of the same library, with the name or columns of
            y and, in pandas, the index of X.
        """
        return self._predict(X, start, groups, y_known, warm_up, return_std)

    def _predict(self, X: Any, start: Any, groups: Any, y_known: Any, warm_up: Optional[int], return_std: bool) -> Any:
        word = choice("start", start or self.start, STARTS)
        if return_std:
            return self.predict(X, start=start, groups=groups), self._predict_std(X, word, groups)
        found = Records.read(X, None, groups)
        a = self._read_inputs(found.X)
        known, warm = self._read_known(X, y_known, warm_up, a.shape[0], found.X is not X)
        if found.lengths is None and known is not None:
            return self._dress(self._fed(a, word, known, warm), X)
        if found.lengths is None:
            return self._dress(self._forecast(a, word, X), X)
        values = self._of_records(a, found.lengths, known, warm)
        if found.X is X:
            return self._dress(values, X)
        return [self._dress(part, x) for part, x in zip(pieces(values, found.lengths), X)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> float:
        """Return R^2 of ``predict(X)``, the mean over outputs.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            Optional if the estimator was fitted without y: each prediction is then compared with the row of X at its
            horizon, the next row or ``ahead`` rows later. If given, it is used as in fit: row by row with X, shifted by
            ``ahead``.
        sample_weight : array-like of shape (n_steps,), optional
        groups : array-like of shape (n_steps,), optional
            Records, as for `predict`; X and y may be lists of them. Not supported with sample_weight.

        Returns
        -------
        float
        """
        X, y, sample_weight, groups = align(X, y, sample_weight, groups)
        found = Records.read(X, y, groups)
        X, y = found.X, found.y
        a = self._read_inputs(X)
        n, ahead = a.shape[0], self._horizons.last
        if y is None:
            if not self._is_series:
                raise ValueError("score requires y: this estimator was fitted with y")
            series = a
        else:
            series, _ = as_targets(y, "y")
            same_rows(a, series)
        if n <= ahead:
            least = f"score {'without y ' if y is None else ''}requires at least {ahead + 1} rows of X"
            raise ValueError(f"{least}, and there {'is' if n == 1 else 'are'} {n}")
        if found.lengths is not None:
            return self._score_records(a, series, found, sample_weight)
        forecast = self._forecast(a, choice("start", self.start, STARTS), X)
        if ahead and sample_weight is not None and np.shape(sample_weight) == (n,):
            sample_weight = sample_weight[: n - ahead]
        return _explained(self._model.loss, self._horizons.spread(series), forecast[: n - ahead], sample_weight)

    def _score_records(self, a: Array, series: Array, found: Records, sample_weight: Any) -> float:
        if sample_weight is not None:
            raise ValueError("records take no sample_weight")
        lengths, kept = found.lengths, found.shorter(self._horizons.last)
        assert lengths is not None and kept is not None
        parts = pieces(self._of_records(a, lengths), lengths)
        forecast = np.vstack([part[:rows] for part, rows in zip(parts, kept)])
        return _explained(self._model.loss, spread_records(self._horizons, series, lengths), forecast, None)

    def stream(
        self, *, start: StreamStart = "continue", coverage: Any = None, state: Optional[PathLike] = None
    ) -> Stream:
        """Return a stream, which takes one row at a time, from the end of training or from a zero initial state.

        Parameters
        ----------
        start : {"continue", "reset"}, default="continue"
        coverage : float or list of float, optional
            Coverages of the intervals, see `Stream.interval`.
        state : path-like, optional
            State file, locked while the stream exists. An existing file is resumed. `Stream.save` writes it.

        Returns
        -------
        Stream
            ``stream.feed(row)`` is the prediction of that row; feeding rows one by one equals `predict` of all.
        """
        model, beyond, flat = self._stream_parts()
        pending = self._tail if choice("start", start, c.STARTS) == "continue" else None
        return Stream(model, beyond, flat, start, LiveOptions(beyond, coverage, state, pending=pending))

    def _stream_parts(self) -> Tuple[Model, str, bool]:
        """Arguments of a stream."""
        self._check_is_fitted()
        self._refresh_model()
        return self._model, self._beyond(), self._flat

    # ---- results -------------------------------------------------------------------------------------------

    @property
    def fitted_(self) -> FloatArray:
        """Fitted values, of the shape of ``y`` without the last ``ahead`` rows, which have no target yet."""
        self._check_is_fitted()
        if self._fitted is None:
            raise AttributeError("a model read from a file has no fitted values")
        return (self._fitted[:, 0] if self._flat else self._fitted).copy()

    @property
    def baselines_(self) -> Dict[str, Dict[str, float]]:
        """Baseline forecasts ("naive", "seasonal", "drift", "ar") on the held-out rows: mse, rmse, mae, r2, and skill, 1 - the
        squared error of this estimator relative to the baseline. Empty without held-out rows."""
        return self._assessed().baselines

    @property
    def verdict_(self) -> Dict[str, float]:
        """Assessment of the fit. heldout_rows, heldout_rmse, loo_rmse and gcv_rmse are over all outputs (nan: unknown).
        naive_outputs and halfway_outputs count the outputs that use the last value, or its mean with the fit.
        naive_ratio is the squared error of the best fit relative to the last value. The others are r2 of the fitted
        values, their mean loss, and the season of the baselines."""
        return self._assessed().verdict

    @property
    def warnings_(self) -> List[Note]:
        """Warnings of the library about the fit, with their codes; see `FitWarning`."""
        return self._assessed().warnings

    def _assessed(self) -> Assessment:
        self._check_is_fitted()
        if self._assessment is None:
            raise AttributeError("a model read from a file has no results on held-out rows")
        return self._assessment

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the readout, (n_rows, n_outputs), for scaled targets. With landmarks, the rows are the landmarks and
        the rows before them, whose coefficients are 0."""
        self._check_is_fitted()
        self._refresh_model()
        return self._model.coefficients

    @property
    def intercept_(self) -> Array:
        """Intercept of the predictions, in the units of the targets."""
        self._check_is_fitted()
        self._refresh_model()
        return self._model.intercepts
