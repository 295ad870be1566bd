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

import copy
import functools
import sys
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Literal,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    get_args,
    overload,
)

import numpy as np

from ._assess import Assessment, Note, assess
from ._core import _native as c
from ._core._arguments import choice, end_suffixes, horizon_bounds, level_list, whole
from ._core._data import (
    Array,
    FeatureNames,
    FrameForm,
    Records,
    as_matrix,
    as_targets,
    empty,
    is_collection,
    is_frame,
    is_list,
    library_of,
    pieces,
    same_rows,
    select_columns,
)
from ._core._errors import BeyondWarning, GapWarning, OrderWarning, warn
from ._core._gaps import align, future_index, partner_rows
from ._core._kernel import Loss, read_weights
from ._core._machine import use_machine, use_threads
from ._core._model import HELD_OUT, NORMS, Model, PathLike, fit_fields
from ._core._order import TrainingRows, pending_complaint, place_after
from ._core._progress import PROGRESS, ProgressCallback, Watch, run
from ._core._protocol import RegressorMixin
from ._core._types import (
    Beyond,
    FedRows,
    FloatArray,
    ForgetWhat,
    Frame,
    Levels,
    Numbers,
    Prediction,
    RecordList,
    Rows,
    Self,
    Start,
    StreamStart,
    Table,
    Unpack,
)
from ._live import Learner, Stream, live_options
from ._training import Horizons, Training, is_usually_flat, spread_records
from .metrics import _explained

STARTS = get_args(Start)
BEYOND = get_args(Beyond)


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


def banded(forecast: Any, values: Array, ends: Sequence[str]) -> Any:
    """Return a DataFrame like that of the predictions, with a column for each of its columns and ends."""
    form = FrameForm(forecast)
    columns = [f"{name}{end}" for name in form.names for end in ends]
    return form.frame(values, forecast.index if is_frame(forecast) else None, columns)


About = Union[str, Sequence[float], float]


class Explanation(NamedTuple):
    """The Volterra series of a model about a constant input, in the units of inputs and outputs.

    ``f = g0 + sum_m g1[m] delta[-m] + sum_{m1 <= m2} delta[-m1]' g2[m1, m2] delta[-m2] + ...``
    """

    about: Array  # inputs: the constant
    g0: Array  # outputs
    g1: Array  # outputs x lags x inputs
    g2: Optional[Array]  # outputs x lags x lags x inputs x inputs, 0 where the first lag exceeds the second
    g1_std: Optional[Array]  # as g1: standard deviations
    shares: Optional[Dict[str, Array]]  # "order1", "order2", ..., "higher", outputs each: cov(f_p, f) / var(f)
    variances: Optional[Dict[str, Array]]  # the same: var(f_p) / var(f)
    memory: Array  # outputs: number of lags with 99 % of the response of g1 and g2 to white inputs
    kernels: List[Array]  # g1, g2, ... up to the requested order


def _explain_options(model: Model, about: About, order: int, **fields: Any) -> c.ExplainOptions:
    inputs = int(model.info.expansion_inputs)
    options = c.fill(c.lib.volt_explain_options_default(), order=whole("order", order, 1, 8), **fields)
    if isinstance(about, str):
        if about not in ("mean", "zero"):
            raise ValueError(f'about must be "mean", "zero" or a number for every input (got {about!r})')
        return c.fill(options, about=c.ABOUT[about])
    point = np.ravel(np.asarray(about, dtype=float))
    if point.shape != (inputs,):
        raise ValueError(f"about has {point.size} number{'s' if point.size != 1 else ''}, and the model takes {inputs}")
    return c.fill(options, about=c.ABOUT["point"], point=point)


def _named(numbers: Array) -> Dict[str, Array]:
    orders = numbers.shape[1] - 1
    names = [f"order{p + 1}" for p in range(orders)] + ["higher"]
    return {name: numbers[:, p].copy() for p, name in enumerate(names)}


def copy_explanation(e: Any) -> Explanation:
    d, q, lags = int(e.d), int(e.q), int(e.lags)
    kernels = [c.array(e.kernels[p - 1], q, *(lags,) * p, *(d,) * p) for p in range(1, int(e.order) + 1)]
    found = c.values(e)
    found.update({name: _named(found[name]) for name in ("shares", "variances") if found[name] is not None})
    given = {name: found[name] for name in ("about", "g0", "g1_std", "shares", "variances", "memory")}
    return Explanation(g1=kernels[0], g2=kernels[1] if len(kernels) > 1 else None, kernels=kernels, **given)


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


_FORMATS = {"c": c.CONSTANTS["VOLT_EXPORT_C"], "json": c.CONSTANTS["VOLT_EXPORT_JSON"]}
_PRECISIONS = ("double", "single")


class ExportReport(NamedTuple):
    """Size and work of an exported model."""

    rows: int  # rows of the kernel; 0: the states of a reservoir are read directly
    state_bytes: int  # of the state struct, without padding
    constant_bytes: int  # of the tables
    operations: float  # additions, multiplications and divisions of a step
    calls: float  # calls of exp, tanh and others of a step
    landmark_error: Optional[float]  # change of the training predictions over their standard deviation


class SequenceRegressor(RegressorMixin, FeatureNames):
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
    _grown: Optional[Learner] = None  # set when rows are learned after fit
    _is_behind: bool = False  # the model lacks some of the learned rows
    _first: Optional[Tuple[Any, Any]] = None  # X and y of the first calls of partial_fit, while they are few
    _refits_first_rows: bool = True

    #: Attributes set by a fit, in addition to those derived from the model.
    _STATE = (
        *("_model", "_rows", "_tail", "_fitted", "_flat", "_flat_series", "_form", "_horizons", "_is_series"),
        *("_future", "_assessment", "_records", "report_", "heldout_r2_", "log_likelihood_"),
        *[name + "_" for name in NORMS],
    )

    def _kernel_text(self) -> str:
        raise NotImplementedError

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
        kernel, fields = self._kernel_text(), fit_fields(self)
        X, y, sample_weight, groups = align(X, y, sample_weight, groups)
        horizons = None if bounds is None else Horizons(*bounds)
        training = Training(X, y, horizons, groups, self.allow_target_in_inputs, fields)
        weights = read_weights(sample_weight, len(training.rows))
        if weights is not None:
            fields["weights"] = training.pairing.of_inputs(weights)
        self._fit_model(training, kernel, fields, progress)
        return self

    def _fit_model(
        self, training: Training, kernel: str, fields: Dict[str, Any], progress: Optional[ProgressCallback]
    ) -> None:
        pairing = training.pairing
        fields = dict(
            fields,
            ahead=training.horizons.last,
            feedback=pairing.feedback,
            anchors=pairing.anchors,
            records=pairing.records,
            pending=pairing.pending,
            input_names=training.input_names,
            output_names=training.output_names,
        )
        with use_machine(self), Watch("fit", self.verbose, progress) as watch:
            model, fitted = Model.fit(kernel, training.inputs, training.targets, fields, watch, training.notes)
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
        self._set_report(training, fields)
        self._set_attributes()
        if self.verbose:
            print(self._summary(), file=sys.stderr)
        if self._assessment is not None:
            self._assessment.warn()

    def _set_report(self, training: Training, fields: Dict[str, Any]) -> None:
        """Results on held-out rows. Model files do not contain them."""
        self._assessment = assess(training.pairing, fields, self._model, self._fitted)
        self.report_ = self._model.report
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

    def _ready(self) -> Model:
        """Return the model of all rows learned so far."""
        self._check_is_fitted()
        self._refresh_model()
        return self._model

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
    def predict(self, X: Numbers, *, return_std: Literal[True], **options: Unpack[Rows]) -> Tuple[FloatArray, FloatArray]: ...
    @overload
    def predict(self, X: Numbers, *, return_std: Literal[False] = False, **options: Unpack[FedRows]) -> FloatArray: ...
    @overload
    def predict(self, X: Frame, *, return_std: Literal[True], **options: Unpack[Rows]) -> Tuple[Prediction, Prediction]: ...
    @overload
    def predict(self, X: Frame, *, return_std: Literal[False] = False, **options: Unpack[FedRows]) -> Prediction: ...
    @overload
    def predict(self, X: RecordList, *, return_std: Literal[True], **options: Unpack[Rows]) -> Tuple[List[Any], List[Any]]: ...
    @overload
    def predict(self, X: RecordList, *, return_std: Literal[False] = False, **options: Unpack[FedRows]) -> List[Any]: ...
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
        return Stream(model, beyond, flat, start, live_options(beyond, coverage, state, pending=pending))

    def _stream_parts(self) -> Tuple[Model, str, bool]:
        """Arguments of a stream."""
        return self._ready(), self._beyond(), self._flat

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
        return self._ready().coefficients

    @property
    def intercept_(self) -> Array:
        """Intercept of the predictions, in the units of the targets."""
        return self._ready().intercepts

    # ---- predictions of the model ---------------------------------------------------------------------------

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
            fed = dict(known=known, warm_up=warm_up)
            out, beyond = self._model.predict(a, "reset", self._beyond(), self.verbose, lengths, **fed)
        self._warn_beyond(beyond, a.shape[0])
        return out

    def _check_one_step(self) -> None:
        """Reject intervals of simulations: errors one step ahead do not apply to them."""
        if self._ready().feedback_weight > 0:
            raise ValueError("intervals require predictions one step ahead, but with feedback predict simulates")

    def _fed(self, a: Array, start: str, known: Array, warm_up: int) -> Array:
        """Predictions with known outputs fed back. The training rows are treated as a new sequence."""
        self._refresh_model()
        if start == "auto":
            begins = self._model.begins(a) if self._rows is None else self._rows.begin(a)
            start = "reset" if begins else "continue"
        with use_machine(self):
            out, beyond = self._model.predict(a, start, self._beyond(), self.verbose, known=known, warm_up=warm_up)
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
        return self._ready().impulse(whole("lags", lags, 1))

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
        self._ready()
        most = len(self._horizons.each) if self._horizons.several else self._horizons.last
        if most == 0:
            raise ValueError(
                "forecast requires a horizon of at least 1 (ahead is 0): fit with ahead of at least 1, or use "
                "predict"
            )
        count = most if steps is None else whole("steps", steps, 1)
        runs = count > most
        if runs and not (self._model.info.feedback and most == 1):
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
        self._ready()
        rows = whole("steps", steps, 1)
        known, start = (None, "continue") if after is None else self._rows_after(after)
        with use_machine(self):
            out, beyond = self._model.run_on(rows, self._beyond(), self.verbose, known, start)
        self._warn_beyond(beyond, rows if known is None else rows + known.shape[0])
        return out

    # ---- intervals and quantiles ----------------------------------------------------------------------------

    @property
    def prequential_errors_(self) -> Array:
        """Errors of the training rows after the washout, each predicted from the rows whose targets were known before it.

        NaN if a row was not predicted. An estimator with landmarks (``solver="nystrom"``) has at most the last 2048 rows.
        """
        errors = self._ready().errors()
        if errors is None:
            raise AttributeError("the model has no errors of its training rows")
        return errors[:, 0] if self._flat else errors

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
        self._check_is_fitted()
        text = self._model.loss
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

        forecast = self.predict(X, start=start, groups=groups)
        return [pick(part) for part in forecast] if isinstance(forecast, list) else pick(forecast)

    def _check_moment(self, X: Any, start: Any, groups: Any) -> None:
        """Reject rows that do not follow the training rows, according to the data: the intervals do not apply to them."""
        if (start or self.start) != "auto" or groups is not None or is_list(X) or self._grown is not None:
            return
        a = self._read_inputs(X)
        complaint = None if self._begins(a) or self._training_place(a, X) is not None else self._complaint(a, X)
        if complaint:
            raise ValueError(complaint)

    def _fitted_ends(self, coverage: float) -> List[int]:
        """Return the two levels of the interval with this coverage."""
        ends = [(1 - coverage) / 2, (1 + coverage) / 2]
        places = [self._place(end) for end in ends]
        if None in places:
            raise ValueError(
                f"an interval of coverage {coverage:g} requires the quantiles {ends[0]:g} and {ends[1]:g}, and the "
                f"estimator was fitted with the loss {self._model.loss}"
            )
        return [place for place in places if place is not None]

    # ---- standard deviations --------------------------------------------------------------------------------

    def _predict_std(self, X: Any, start: str, groups: Any) -> Any:
        """Standard deviations for ``predict``."""
        found = Records.read(X, None, groups)
        a = self._read_inputs(found.X)
        self._refresh_model()
        tail = None
        if found.lengths is not None or start == "reset":
            where = "reset"
        elif start == "auto" and self._begins(a):
            where = "reset"  # the training rows again, and those after them
        else:
            where, tail = "continue", self._tail
        cut, later = 0 if tail is None else len(tail), a
        place = self._training_place(a, X) if start == "auto" and where == "continue" else None
        if place is not None:
            cut, later = place - len(self._fitted), a[self._rows.n - place :]
            if cut < 0:
                raise ValueError(
                    "X is a part of the training rows: for their standard deviations pass all training rows, or start='reset'"
                )
        rows = later if tail is None else np.vstack([tail, later])
        with use_threads(self.n_jobs):
            std = np.empty((len(rows), self._model.q))
            self._model.predict(rows, where, self._beyond(), self.verbose, found.lengths, std=std)
        std = std[cut : cut + len(a)]
        if found.lengths is None or found.X is X:
            return self._dress(std, X)
        return [self._dress(part, x) for part, x in zip(pieces(std, found.lengths), X)]

    @overload
    def predict_var(self, X: Numbers, **options: Unpack[Rows]) -> FloatArray: ...
    @overload
    def predict_var(self, X: Frame, **options: Unpack[Rows]) -> Prediction: ...
    @overload
    def predict_var(self, X: RecordList, **options: Unpack[Rows]) -> List[Any]: ...
    def predict_var(self, X: Any, *, start: Optional[Start] = None, groups: Any = None) -> Any:
        """Return variances of observations about the predictions: the squares of the result of ``return_std=True``.

        Requires ``keep_factor=True``.
        """
        std = self.predict(X, start=start, groups=groups, return_std=True)[1]
        return [part * part for part in std] if isinstance(std, list) else std * std

    @overload
    def predict_interval(self, X: Numbers, coverage: Levels = 0.9, **options: Unpack[Rows]) -> FloatArray: ...
    @overload
    def predict_interval(self, X: Frame, coverage: Levels = 0.9, **options: Unpack[Rows]) -> Union[FloatArray, Table]: ...
    @overload
    def predict_interval(self, X: RecordList, coverage: Levels = 0.9, **options: Unpack[Rows]) -> List[Any]: ...
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
        self._check_one_step()
        levels, single = level_list("coverage", coverage)
        ends = end_suffixes(levels)
        shape = (2,) if single else (2, len(levels))
        self._check_moment(X, start, groups)
        if self._own_levels():
            pairs = np.array([self._fitted_ends(level) for level in levels])
            return self._fitted_levels(X, start, groups, pairs.T.ravel().tolist(), shape, ends)
        half = self._model.interval(levels)
        forecast = self.predict(X, start=start, groups=groups)
        # For data frames ordered by level, as the program writes them; for arrays the ends first.
        offsets = np.stack([-half.T, half.T], axis=-1)  # outputs x levels x 2
        if library_of(forecast[0] if isinstance(forecast, list) else forecast) is None:
            offsets = np.swapaxes(offsets, 1, 2)
        return self._beside(forecast, offsets.reshape(len(offsets), -1), shape, ends)

    @overload
    def predict_quantiles(self, X: Numbers, alpha: Optional[Levels] = None, **options: Unpack[Rows]) -> FloatArray: ...
    @overload
    def predict_quantiles(self, X: Frame, alpha: Optional[Levels] = None, **options: Unpack[Rows]) -> Union[FloatArray, Table]: ...
    @overload
    def predict_quantiles(self, X: RecordList, alpha: Optional[Levels] = None, **options: Unpack[Rows]) -> List[Any]: ...
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
        self._check_one_step()
        self._check_moment(X, start, groups)
        own = self._own_levels()
        levels, single = level_list("alpha", (own or (0.05, 0.5, 0.95)) if alpha is None else alpha)
        ends, shape = [f".q{level:g}" for level in levels], () if single else (len(levels),)
        if own:
            places = [self._place(level) for level in levels]
            if None in places:
                level = levels[places.index(None)]
                raise ValueError(
                    f"the quantile {level:g} was not fitted: the loss is {self._model.loss}"
                )
            return self._fitted_levels(X, start, groups, [p for p in places if p is not None], shape, ends)
        columns = []
        for level in levels:
            coverage = abs(1 - 2 * level)
            half = self._model.interval([coverage])[0] if coverage > 0 else 0.0
            columns.append(np.sign(level - 0.5) * half * np.ones(self._model.q))
        forecast = self.predict(X, start=start, groups=groups)
        return self._beside(forecast, np.stack(columns, axis=1), shape, ends)

    # ---- learning after fit ---------------------------------------------------------------------------------

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
        options = live_options(beyond, coverage, state, self._tail)
        return Learner(model, beyond, flat, self._is_series, options, window, forget, forget_what)

    # ---- estimator -----------------------------------------------------------------------------------------

    @property
    def learner_(self) -> Learner:
        """The learner of `partial_fit` and `update`, after the first call of one of them."""
        if self._grown is None:
            raise AttributeError("no rows were learned since fit: call partial_fit or update, or create a learner with learner()")
        return self._grown

    @WhenLearnable
    def partial_fit(self, X: Any, y: Any = None) -> Any:
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

    def _fit_first(self, X: Any, y: Any) -> Any:
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
    def update(self, X: Any, y: Any = None) -> Any:
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
            grown = Learner(model, beyond, flat, self._is_series, live_options(beyond, pending=self._tail))
        before = grown.fed
        try:
            with use_threads(self.n_jobs):
                out = grown.advance(rows, y)
        finally:  # a rejected row ends the batch; earlier rows are kept
            if grown.fed > before:
                self._take_in(grown, rows[: grown.fed - before], X, y)
        return self._dress(out.reshape(len(rows), -1), X)

    def _take_in(self, grown: Learner, rows: Array, X: Any, y: Any) -> None:
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

    def _why_not_learn(self) -> Optional[str]:
        """Reason why the estimator cannot learn row by row; None: it can."""
        if getattr(self, "_readout", None) is not None:
            return "whole series are not learned row by row: fit again"
        fitted = self.__sklearn_is_fitted__()
        if getattr(self, "loss", None) not in (None, "squares") or (fitted and self._model.loss is not None):
            return "learning row by row requires squared loss without weights: fit again"
        return None

    def _refresh_model(self) -> None:
        """Update the model to all rows, if rows were learned since it was fitted."""
        if not self._is_behind:
            return
        with use_machine(self), Watch("fit", self.verbose) as watch:
            self._model = self._grown.model_of_all(bool(getattr(self, "keep_factor", False)), watch)
        self._is_behind = False
        self._set_attributes()

    def _follow_grown(self, a: Array, start: str) -> Array:
        """Predictions for rows after all learned rows, or for a new sequence."""
        learner = self._grown
        if start == "reset":
            learner = copy.copy(learner)
            learner.restart()
        with use_threads(self.n_jobs):
            return learner.predict(a).reshape(len(a), -1)

    # ---- explanation ----------------------------------------------------------------------------------------

    def explain(
        self,
        lags: Optional[int] = None,
        *,
        order: int = 2,
        about: About = "mean",
        std: bool = True,
        shares: bool = True,
        along: Any = None,
        groups: Any = None,
    ) -> Explanation:
        """Return the Volterra series of the model.

        About a constant input, ``delta = x - about``, in the units of the data, filters and changes of the inputs included:

        ``f = g0 + sum_m g1[m] delta[-m] + sum_{m1 <= m2} delta[-m1]' g2[m1, m2] delta[-m2] + ...``

        Parameters
        ----------
        lags : int, optional
            Number of lags, from 0 to L - 1 (at least 1).
        order : int, default=2
            Highest order of the Volterra kernels (from 1 to 8).
        about : "mean", "zero" or array-like of shape (n_features,), default="mean"
            Constant input of the expansion: mean, zero, or one number per input, separated by commas. The point must
            be inside the ball of the training inputs if the kernel requires this. With ``feedback`` the outputs of
            the previous row are additional inputs after the others: the series describes one step.
        std : bool, default=True
            Standard deviations of g1, for a Gaussian process with this kernel and alpha. The computation takes as long
            as a fit.
        shares : bool, default=True
            Variance share of every order.
        along : array-like of shape (n_steps, n_features), optional
            Rows for the shares, a new sequence; default: the training rows.
        groups : array-like of shape (n_steps,), optional
            Records of ``along``, as for `predict`.

        Returns
        -------
        Explanation
            With the fields about, g0, g1, g2, g1_std, shares, variances, memory and kernels.

        Raises
        ------
        ValueError
            The kernel has no power series, or lags, order or point are out of range.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> u = np.random.default_rng(1).uniform(-1, 1, size=(400, 1))
        >>> y = u[:, 0] + 0.5 * np.append(0, u[:-1, 0]) * u[:, 0]
        >>> model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.5, alpha=1e-6).fit(u, y)
        >>> found = model.explain(3, about="zero")
        >>> abs(found.g1[0, :, 0].round(1)).tolist(), float(found.g2[0, 0, 1, 0, 0].round(1))
        ([1.0, 0.0, 0.0], 0.5)
        """
        model, fields = self._ready(), dict(band=bool(std), shares=bool(shares))
        if along is not None:
            read = Records.read(along, None, groups)
            fields.update(along=self._read_inputs(read.X), records=read.lengths)
        elif groups is not None:
            raise ValueError("groups are records of along, which is not given")
        options = _explain_options(model, about, order, lags=0 if lags is None else whole("lags", lags, 1), **fields)
        watched = dict(n_jobs=self.n_jobs, verbose=self.verbose, values=float(model.n) ** 2)
        with c.result(c.Explanation, c.lib.volt_explanation_free) as found:
            run("explain", c.lib.volt_model_explain, model, options, found, **watched)
            return copy_explanation(found.contents)

    def forgetting(self, first: Any, second: Any, X: Any) -> Array:
        """Return the distance of two states after different histories and the same inputs.

        Parameters
        ----------
        first, second : array-like of shape (n_steps, n_features)
            The two histories, each from the initial state of the model.
        X : array-like of shape (n_steps, n_features)
            The inputs after both. Inputs outside the ball of training are clipped.

        Returns
        -------
        ndarray of shape (n_steps + 1, 2)
            After 0, 1, 2, ... rows of X, the distance (see `gram`) and its bound by the contraction of the state map,
            ``distance[0] * (lam * sqrt(sup kappa)) ** s``. The bound is nan unless the kernel is volterra without filters
            or other factors and the inputs are levels.
        """
        model = self._ready()
        rows = [self._read_inputs(Records.read(part, None, None).X) for part in (first, second, X)]
        out = empty(len(rows[2]) + 1, 2)
        watched = dict(n_jobs=self.n_jobs, verbose=self.verbose, values=float(sum(map(len, rows))) ** 2)
        run("forgetting", c.lib.volt_model_forgetting, model, *rows, PROGRESS, out, **watched)
        return out

    def orders(self, X: Any, *, order: int = 2, about: About = "mean", groups: Any = None) -> Array:
        """Decompose the predictions of a new sequence with zero initial state by order.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            The inputs; those outside the ball of training are clipped.
        order, about, groups
            As for `explain`.

        Returns
        -------
        ndarray of shape (n_steps, n_outputs, order + 2)
            Orders 0, 1, ..., ``order`` and all higher ones; their sum is ``predict(X, start="reset")``.
        """
        model, read = self._ready(), Records.read(X, None, groups)
        rows = self._read_inputs(read.X)
        options = _explain_options(model, about, order, records=read.lengths)
        out = empty(len(rows), model.q * (options.order + 2))
        watched = dict(n_jobs=self.n_jobs, verbose=self.verbose, values=float(model.n) * len(rows))
        run("orders", c.lib.volt_model_orders, model, rows, options, out, **watched)
        return out.reshape(len(rows), model.q, -1)

    # ---- files ----------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write the model as a safetensors file, which the program reads too; see `volterra.load`."""
        self._ready().save(path)

    def export(
        self,
        path: PathLike,
        *,
        format: str = "c",
        precision: str = "double",
        landmarks: Optional[int] = None,
        coverage: Union[float, Sequence[float], None] = None,
        name: Optional[str] = None,
    ) -> ExportReport:
        """Write the model as C source code for other machines, or as JSON.

        The code is C99, needs ``math.h`` and ``float.h``, allocates nothing, and predicts as `stream` does, with inputs
        outside the training range clipped. Its ``NAME_continue`` is the state after the last row that has a target: with
        ``ahead``, feed the rows after it first.

        Parameters
        ----------
        path : path-like
            File ``NAME.c``, to which ``NAME.h`` is added, or a JSON file.
        format : {"c", "json"}, default="c"
            C99 source file and header, or all numbers as JSON.
        precision : {"double", "single"}, default="double"
            Type of the numbers in C.
        landmarks : int, optional
            Number of training rows that approximate the model; default: all rows.
        coverage : float or sequence of float, optional
            Prediction intervals of this coverage, with widths from the training errors that do not change.
        name : str, optional
            Prefix of the functions and types in C; default: the name of the file.

        Returns
        -------
        ExportReport
            rows, state_bytes, constant_bytes, operations, calls, landmark_error.

        Raises
        ------
        ValueError
            The model is not supported: kernels between paths (gak, sig, sigpde).
        OSError
            A file cannot be written.

        Examples
        --------
        >>> import os, tempfile, numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
        >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x, x[:, 0] ** 2)
        >>> model.export(os.path.join(tempfile.mkdtemp(), "square.c")).rows
        200
        """
        self._ready()
        if format not in _FORMATS:
            raise ValueError(f"format must be one of {', '.join(_FORMATS)} (got {format!r})")
        if precision not in _PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(_PRECISIONS)} (got {precision!r})")
        levels = [] if coverage is None else list(np.ravel(np.asarray(coverage, dtype=float)))
        report = c.ExportReport()
        options = c.fill(
            c.ExportOptions(),
            format=_FORMATS[format],
            single=precision == "single",
            name=name,
            landmarks=0 if landmarks is None else whole("landmarks", landmarks, 1),
            coverages=levels or None,
        )
        target = c.encode_path("the path", path)
        run("export", c.lib.volt_model_export, self._model, options, target, report, verbose=getattr(self, "verbose", False))
        found = {name: getattr(report, name) for name in ExportReport._fields}
        return ExportReport(**found)._replace(**({"landmark_error": None} if landmarks is None else {}))
