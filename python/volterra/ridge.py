"""Ridge regression with one kernel: `VolterraRidge` and `SequenceKernelRidge`."""

from __future__ import annotations

import inspect
from ctypes import c_void_p
from typing import Any, Dict, Iterable, List, Optional, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import alpha_number, choice, kernel_word
from ._core._data import Array, as_targets, check_channels, empty, is_collection, read_collection
from ._core._errors import NotFittedError, check
from ._core._kernel import join_text
from ._core._progress import PROGRESS, ProgressCallback, run
from ._core._types import Ahead, Alpha, Beyond, Input, Landmarks, Layout, Season, Self, Solver, Start, Target
from ._regressor import SequenceRegressor
from .metrics import _explained

__all__ = ["SequenceKernelRidge", "VolterraRidge"]


class VolterraRidge(SequenceRegressor):
    """Ridge regression with the Volterra reservoir kernel on one sequence of inputs and targets.

    The kernel ``K[i, j] = 1 + lam^2 kappa(x_i, x_j) K[i-1, j-1]``, ``kappa(x, y) = 1/(1 - tau^2 <x, y>)``,
    compares the complete input histories of two rows: products of inputs of all orders and lags, with fading weights. The
    readout solves ``(K + alpha I) A = Y`` exactly.

    Rows are time steps in order, and each row depends on the rows before it: do not shuffle, and cross-validate with
    ``TimeSeriesSplit``. Rows that cannot follow those of training, by the index of a data frame or because they are training
    rows, cause an `OrderWarning`.

    Parameters
    ----------
    tau : float, optional
        Weight of products of inputs, in the units of the (scaled) inputs: ``tau M < 1``, where M is the
        largest norm (1 when ``scale``).
    lam : float, optional
        Memory of the kernel: ``lam^2 sup kappa < 1``; larger values fade more slowly.
    alpha : float or "auto", default="auto"
        Regularisation strength (positive). "auto": chosen on held-out rows, together with every "auto" below; see
        Notes. With a number, levels are learned from levels unless ``target`` and ``input`` are given.
    lift : str, default="geometric"
        The local kernel kappa: "geometric", "even" (for targets that do not depend on the sign of the inputs, such as
        covariances), "exponential", "poly:P" or "rbf".
    tau_coef, lambda_coef : float, optional
        tau and lam relative to their upper bounds, in (0, 1). 0.3 and 0.9 if neither form is given.
    gamma : float, optional
        Parameter of the lift "rbf", ``exp(-gamma |x - y|^2)``.
    kernel : str, optional
        The kernel as a text, ``"volterra:tau=0.4,lambda=0.7"``, instead of tau, lam, lift and the other parameters.
    ahead : int or range, optional
        Forecast horizon in rows; several horizons are separate outputs. The target of row t is row t + ahead of y, or
        of X without y; the default is 0 with y and 1 without. The last rows have no target; `predict` continues from
        there. ``range(1, 25)`` has every column of y at each of these horizons.
    target : {"auto", "level", "change"}, default="auto"
        Quantity learned: the level of the target, or its change from the current row; "auto": the change if alpha is
        not given and every target is an input, otherwise the level. "auto" is also the level if it is clearly better
        on held-out rows. Predictions are levels in every case. "change" requires ``ahead`` of at least 1.
    input : {"auto", "level", "change", "both"}, default="auto"
        Inputs of the kernel: levels, changes from the previous row, or both with the values one season ago; "auto":
        both if alpha is not given and every target is an input, otherwise levels.
    season : int, None or "auto", default="auto"
        Season length in rows, or none; "auto": detected in the series. None: no season. See `volterra.season`.
    allow_target_in_inputs : bool, default=False
        Allow a target that is also an input of the same row, with ``ahead=0``.
    feedback : bool or float, default=False
        Outputs of the previous row as additional inputs (NARX model); measured outputs in training. The inputs of the
        kernel are ``(x_t, w y_{t-1})`` with this weight w, 1 for True; y is standardised and 0 before the first row
        (docs/math.md). `predict` runs free unless ``y_known`` is given. Requires y and ``ahead=0``. ``alpha="auto"``
        is chosen by predictions one step ahead. Outputs of a free run are bounded to the range of the training
        targets plus 4.5 ranges on either side, with a `DivergenceWarning` (ValueError with ``beyond="error"``). A run
        that starts without a measured output (``start="reset"``, several records) issues a `StartWarning`.
    washout : int, default=0
        Leading rows of every record excluded from the fit; they initialise the state.
    initial : {"zero", "first", "mean"} or array, default="zero"
        Constant input before the first row of every record: zero after scaling, the first row of the record, the mean
        of the inputs, or values in their units, one per input. The state before the first row is stationary for this
        input. With ``feedback`` only "zero" and "first" are supported; the output before the first row is then the
        first one in ``y_known``, or the stationary output for the first input.
    fit_intercept : bool, default=True
        An unpenalised constant.
    scale : bool, default=True
        Shift and scale the inputs so that the largest has norm 1 (lift "even": scale only), standardise the
        targets. Scales are learned from the rows given to fit only.
    scale_each : bool, default=False
        Every input divided by its standard deviation, for different units; constant inputs are ignored. Requires
        ``scale``. The common scale is applied afterwards.
    keep_factor : bool, default=False
        Factor of the Gram matrix in the model, for standard deviations; 4 bytes times the square of the rows.
        Required by ``predict(X, return_std=True)`` and `predict_var`.
    solver : str, default="auto"
        Method for the readout: "auto", exact, nystrom, features or pcg; "auto": exact if memory and time allow,
        features where they are few, otherwise nystrom. `volterra.solver_table` lists all. "exact" stores and factors
        the Gram matrix. "nystrom" is approximate, for hundreds of thousands of rows; the model stores the landmarks
        only. "features" is exact, for reservoir kernels. "pcg" is exact up to ``tolerance``, by conjugate gradients
        without the matrix.
    landmarks : None, int or str, default=None
        Number of landmarks, of nystrom and of the preconditioner of pcg: in runs of 32 over all rows, M:last or
        M:random; "auto": as many as reduce the held-out error or the cost. ``"2000:last"`` are the last rows,
        ``"2000:random"`` random rows. None: 2000, or for "pcg" 12.7 times the square root of the rows.
    iterations : int, optional
        Maximum number of iterations of pcg (at least 1). None: 1000. ``report_`` has the residual; a warning is
        issued if it exceeds the tolerance.
    checkpoint : path, optional
        Checkpoint file of pcg; an existing checkpoint is resumed. It is written about every minute and when the fit
        is interrupted, and it is not removed after the fit.
    start : {"auto", "continue", "reset"}, default="auto"
        State before the first row: continued from training, or zero. "auto": if X begins with all rows of training,
        these have their fitted values and later rows continue from there, so that ``fit(X, y).score(X, y)`` is the
        in-sample score; any other X follows the training rows, as the test part of a ``TimeSeriesSplit`` does.
        "continue": X follows the training rows, even if it repeats them. "reset": X is a new sequence with a zero
        initial state.
    beyond : {"auto", "clip", "error", "allow"}, default="auto"
        Inputs with a larger norm than any in training: projected to that norm, rejected, or accepted if the kernel is
        bounded. "clip" issues a `BeyondWarning`. "auto" is "clip" with ``scale`` and "allow" without.
    n_jobs : int, optional
        Threads; None: as set by `volterra.set_threads`, -1: one per core.
    device : {"auto", "cpu", "gpu", "gpu:1", "gpu:0,1", "gpu:all", ...}, optional
        Device for the matrices: "auto", cpu, gpu, gpu:K, a list gpu:K,L or gpu:all. None: as set by
        `volterra.set_device`. The setting is global: do not change it from several threads at the same time.
    verbose : bool, default=False
        Show a progress bar.
    loss : str, default="squares"
        Loss function: squares, huber, quantile, epsilon, expectile, logistic, multinomial or poisson, with parameters
        as in huber:delta=0.5 or quantile:q=0.1/0.5/0.9. delta and epsilon are in units of y. Quantiles are columns of
        every prediction and never cross. The prediction of "poisson" is the mean of a count. With a loss other than
        squares ``alpha="auto"`` is chosen by the loss on the last third of the rows. For classes see
        `VolterraClassifier`.
    tolerance : float, optional
        Relative duality gap of the objective, or relative residual of pcg (between 0 and 1). None: 1e-6, or 1e-4 for
        "pcg", relative to the targets without their mean.

    Attributes
    ----------
    objective_, duality_gap_ : float
        With a loss other than squares, or weights: the sum of the losses and ``alpha / 2 |f|^2`` in the units of the
        solver, and an upper bound of its distance from the minimum. 0 for squares.
    fitted_ : ndarray of the shape of y
        Fitted values of the training rows.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Columns of X, if it was a data frame with string column names.
    n_outputs_ : int
        Number of outputs.
    kernel_ : str
        The kernel with every parameter.
    facts_ : dict
        Properties of the kernel on the ball of these inputs: tau, lambda and its bound, contraction, horizon, ...
    alpha_ : float, or ndarray of shape (n_outputs,) where outputs differ
        Given or chosen. inf: no kernel part; with a target of changes, this is the naive forecast, which is kept unless
        another alpha is clearly better on held-out rows.
    target_ : {"level", "change"}, or ndarray of these where outputs differ
    input_ : {"level", "change", "both"}
    season_ : int
        Season of the inputs in rows; 0: none.
    heldout_r2_ : float
        R2 on held-out rows: the second half, each predicted from the rows known before it, or before its block if the past of
        y is not an input (``report_["blocks"]``). nan: too few rows.
    log_likelihood_ : float
        Log marginal likelihood of the targets given the kernel and alpha (see `volterra.evidence`), in their units. nan: an
        output is not a pure kernel fit.
    rkhs_norm_ : ndarray of shape (n_outputs,)
        Norm of the fitted functional in the space of the kernel, without its constant, in the units of y. nan: fitted with a
        loss.
    effective_dimension_ : ndarray of shape (n_outputs,)
        ``tr K (K + alpha I)^-1`` over the fitted rows, with K centred if there is an intercept. Above 1024 rows an estimate
        with the standard error ``report_["dimension_error"]``. nan: unknown, with the solver pcg or a loss.
    noise_ : ndarray of shape (n_outputs,)
        Noise level in the units of y: root of the sum of squared residuals divided by the rows less the effective dimension.
        nan: unknown.
    report_ : dict
        Results on the held-out rows: rows (their number), first, blocks (each predicted from the rows before it; 0:
        rows are predicted one by one), mse, best_mse (best candidate, used or not), naive_mse and share (1: fit, 0:
        naive forecast, 1/2: mean of the two), one per output.
    baselines_ : dict
        Baseline forecasts of the same rows: "naive", "seasonal", "drift" and "ar", each with mse, rmse, mae, r2 and
        skill (1 - the squared error of this estimator relative to the baseline). If y is not among the columns of X,
        the baselines use past targets, but the estimator does not.
    verdict_ : dict
        Assessment of the fit: heldout_rows and heldout_rmse, loo_rmse, gcv_rmse, naive_outputs and halfway_outputs (number of
        outputs that use the naive forecast, or its mean with the fit), naive_ratio, r2 of the fitted values, and more.
    warnings_ : list
        Warnings of the library about the fit, each with code and text. If a baseline or a constant is better than the fit, a
        `FitWarning` is issued as well.
    rcond_ : float
        Estimated reciprocal condition number of ``K + alpha I``.
    dual_coef_ : ndarray of shape (n_rows, n_outputs)
        Coefficients of the readout, for scaled targets.
    intercept_ : ndarray of shape (n_outputs,)
        Intercept of the predictions.

    Notes
    -----
    With ``alpha="auto"`` a fit takes about twelve factorisations instead of one (above 4096 rows: of the last 4096
    rows, then of all rows). The fit chooses alpha, the intercept, and change or level by the errors of the second half
    of the rows, each predicted from the rows known before it (docs/math.md). A series is therefore never forecast much
    worse than by the naive forecast, which is kept unless two tests on those rows reject it. If the past of y is not an
    input, these rows are divided into at most 20 blocks, each predicted from the rows before it: `predict` continues
    from inputs only.

    A y that equals a column of X row by row, with ``ahead=0``, is rejected unless ``allow_target_in_inputs`` is set: the model
    would read the target from X.

    See Also
    --------
    VolterraRidgeCV : choose the parameters by cross-validation.
    SequenceKernelRidge : the same with any other kernel.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(1200, seed=1)
    >>> model = volterra.VolterraRidge(tau_coef=0.2, lambda_coef=0.95, alpha=1e-4, washout=50)
    >>> model.fit(u[:1000], y[:1000])
    VolterraRidge(alpha=0.0001, lambda_coef=0.95, tau_coef=0.2, washout=50)
    >>> bool(model.score(u[1000:], y[1000:]) > 0.9)
    True

    Forecast of a series one day ahead, hour by hour, with automatic choices:

    >>> load = 50 + 10 * np.sin(2 * np.pi * np.arange(500) / 24) + np.random.default_rng(1).normal(size=500)
    >>> model = volterra.VolterraRidge(ahead=range(1, 25)).fit(load.reshape(-1, 1))
    >>> model.forecast().shape, model.season_
    ((24, 1), 24)
    >>> bool(model.baselines_["naive"]["skill"] > 0.5)
    True

    A system with feedback of its outputs, simulated after a warm-up of ten measured outputs:

    >>> u = np.random.default_rng(2).normal(size=600)
    >>> y = np.zeros(600)
    >>> for t in range(1, 600):
    ...     y[t] = 0.7 * y[t - 1] + np.tanh(u[t])
    >>> model = volterra.SequenceKernelRidge("fading:gamma=10,rho=0.3", alpha=1e-4, feedback=True)
    >>> simulated = model.fit(u[:400, None], y[:400]).predict(u[400:, None], start="reset", y_known=y[400:], warm_up=10)
    >>> bool(np.std(simulated[10:] - y[410:]) < 0.2)
    True

    A series continued with its own outputs:

    >>> x = volterra.datasets.lorenz(1001)
    >>> model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:-1])
    >>> model.continue_(100).shape
    (100, 3)
    """

    def __init__(
        self,
        tau: Optional[float] = None,
        lam: Optional[float] = None,
        alpha: Alpha = "auto",
        lift: str = "geometric",
        *,
        tau_coef: Optional[float] = None,
        lambda_coef: Optional[float] = None,
        gamma: Optional[float] = None,
        kernel: Optional[str] = None,
        ahead: Ahead = None,
        target: Target = "auto",
        input: Input = "auto",
        season: Season = "auto",
        allow_target_in_inputs: bool = False,
        feedback: Union[bool, float] = False,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        keep_factor: bool = False,
        start: Start = "auto",
        beyond: Beyond = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
        loss: str = "squares",
        tolerance: Optional[float] = None,
        device: Optional[str] = None,
        solver: Solver = "auto",
        landmarks: Landmarks = None,
        iterations: Optional[int] = None,
        checkpoint: Any = None,
        initial: Any = "zero",
        scale_each: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def _kernel_text(self) -> str:
        given = dict(
            tau=self.tau,
            tau_coef=self.tau_coef,
            gamma=self.gamma,
            lam=self.lam,
            lambda_coef=self.lambda_coef,
            lift=None if self.lift == "geometric" else self.lift,
        )
        if self.kernel is None:
            return join_text("volterra", given)
        both = [name for name, value in given.items() if value is not None]
        if both:
            raise ValueError(
                f"give the kernel as a text or its parameters, not both: kernel and {', '.join(both)}"
            )
        return self.kernel


class SequenceKernelRidge(SequenceRegressor):
    """Ridge regression with any kernel of the library, on one sequence or on a collection of series with numeric targets.

    Parameters
    ----------
    kernel : str, default="volterra"
        NAME or NAME:PARAMETER=VALUE,...: ``"gak:sigma=1,window=20"``, ``"memory:gamma=1,rho=0.5,mu=0.85"``,
        ``"rbf:gamma=0.1,window=20"``. `volterra.kernel_table` lists all kernels. gak, sig and sigpde require
        ``window=`` or ``path=rows``. Kernels can be added and multiplied: ``"2*fir:mu=0.8 + memory:pole=0.7*rbf"``.
    alpha : float or "auto", default="auto"
        Regularisation strength (positive). "auto": chosen on held-out rows.
    ahead, target, input, season, feedback, washout, fit_intercept, scale, start, beyond, n_jobs, device, verbose
        As in `VolterraRidge`. Kernels without a bound do not project inputs outside the ball of training.
    loss, tolerance, solver, landmarks, iterations, checkpoint, initial, scale_each
        As in `VolterraRidge`.
    layout : {"auto", "time", "channels"}, default="auto"
        Axes of the series of a collection, as in `SeriesClassifier`.
    normalise : bool, default=True
        Collections: divide the kernel of two series by the square root of the product of their kernels with themselves.
        False: the magnitude of the series matters, as is appropriate for "linear".

    Attributes
    ----------
    left_out_ : ndarray of the shape of y
        Collections: leave-one-out outputs of the training series.
    left_out_r2_ : float
        R2 of ``left_out_``, the mean over outputs.
    fitted_, n_features_in_, feature_names_in_, n_outputs_, kernel_, facts_, alpha_, target_, input_, season_, \
    heldout_r2_, log_likelihood_, rkhs_norm_, effective_dimension_, noise_, report_, baselines_, verdict_, warnings_, \
    rcond_, dual_coef_, intercept_
        As in `VolterraRidge`.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(700, seed=1)
    >>> model = volterra.SequenceKernelRidge("gak:sigma=1,window=12", alpha=1e-3).fit(u[:500], y[:500])
    >>> model.predict(u[500:]).shape
    (200,)

    A number for each series, here its frequency. Alpha minimises the leave-one-out errors, which require one factorisation
    each. The kernels are those that compare series (`volterra.kernel_table`).

    >>> t = np.arange(40)[:, None]
    >>> frequency = np.random.default_rng(1).uniform(0.2, 0.5, size=40)
    >>> X = np.stack([np.sin(f * t) for f in frequency])
    >>> model = volterra.SequenceKernelRidge("gak:sigma=1").fit(X[:30], frequency[:30])
    >>> bool(model.left_out_r2_ > 0.9 and model.score(X[30:], frequency[30:]) > 0.9)
    True
    """

    def __init__(
        self,
        kernel: str = "volterra",
        alpha: Alpha = "auto",
        *,
        ahead: Ahead = None,
        target: Target = "auto",
        input: Input = "auto",
        season: Season = "auto",
        allow_target_in_inputs: bool = False,
        feedback: Union[bool, float] = False,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        keep_factor: bool = False,
        start: Start = "auto",
        beyond: Beyond = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
        loss: str = "squares",
        tolerance: Optional[float] = None,
        device: Optional[str] = None,
        solver: Solver = "auto",
        landmarks: Landmarks = None,
        iterations: Optional[int] = None,
        checkpoint: Any = None,
        layout: Layout = "auto",
        normalise: bool = True,
        initial: Any = "zero",
        scale_each: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def _kernel_text(self) -> str:
        return kernel_word(self.kernel)

    # ---- collections of series with numeric targets ------------------------------------------------------------

    _readout: Optional[SeriesReadout] = None  # of a fit to a collection; there is no model then

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True  # collections of series
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
    ) -> Self:
        """Fit one sequence, several records, or a collection of series with numeric targets.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), list of records, or collection
            A collection is an array (n_series, n_steps, n_channels), with axes as in `layout`, or a list of 2-D arrays.
        y : array-like
            For a collection: an array of shape (n_series,) or (n_series, n_outputs). A list of arrays means records, with a
            target for every row. After a collection, `predict` and `score` also take collections, without further arguments.
        sample_weight, groups, progress
            As in `VolterraRidge.fit`; the first two apply to sequences.
        """
        if not is_of_series(X, y):
            super().fit(X, y, sample_weight, groups=groups, progress=progress)
            self._readout = None
            self._forget(("left_out_", "left_out_r2_"))
            return self
        refuse_settings(self)
        if sample_weight is not None or groups is not None:
            raise ValueError("collections of series support neither sample_weight nor groups")
        readout = SeriesReadout(self, X, y, progress)
        self._forget([name for name in vars(self) if name.endswith("_")])  # of a sequence
        self._model, self._readout = None, readout  # type: ignore[assignment]
        self.n_features_in_, self.n_outputs_ = readout.series[0].shape[1], readout.targets.shape[1]
        self.kernel_, self.alpha_ = readout.kernel, readout.alpha
        self.left_out_, self.left_out_r2_ = readout.dress(readout.left_out), 1 - readout.error
        return self

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self.__dict__.pop(name, None)

    def __sklearn_is_fitted__(self) -> bool:
        return self._readout is not None or super().__sklearn_is_fitted__()

    def _check_is_fitted(self) -> None:
        super()._check_is_fitted()
        if self._readout is not None:
            raise NotFittedError(
                "this SequenceKernelRidge was fitted to whole series with a number each, of which it has predict and score "
                "alone: fit it to one sequence for the rest"
            )

    def _predict(self, X: Any, start: Any, groups: Any, y_known: Any, warm_up: Optional[int], return_std: bool) -> Any:
        """As `VolterraRidge.predict`; or predict the numbers of whole series, if the estimator was fitted to a collection: X is
        then a collection, and there are no further arguments."""
        if self._readout is None:
            return super()._predict(X, start, groups, y_known, warm_up, return_std)
        settings = dict(start=start, groups=groups, y_known=y_known, warm_up=warm_up, return_std=return_std)
        for name, value in settings.items():
            if value is not None and value is not False:
                raise ValueError(f"collections of series do not support {name}")
        series = read_collection(X, self._readout.layout)[0]
        check_channels(self, series)
        return self._readout.dress(self._readout.predict(series, self.n_jobs, self.verbose))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> float:
        """Return R^2 of ``predict(X)``, the mean over outputs; arguments as in `VolterraRidge.score`."""
        if self._readout is None:
            return super().score(X, y, sample_weight, groups=groups)
        truth, _ = as_targets(y)
        found = self.predict(X, groups=groups).reshape(len(X), -1)
        if found.shape != truth.shape:
            raise ValueError(f"y has shape {truth.shape}, and {found.shape} is needed: a row for each series")
        return _explained(None, truth, found, sample_weight)


# ---- collections of series with numeric targets ----------------------------------------------------------


#: Parameters that apply to whole series; the others must have their defaults there.
OF_SERIES = ("kernel", "alpha", "input", "scale", "layout", "normalise", "n_jobs", "verbose")


def is_of_series(X: Any, y: Any) -> bool:
    """Return whether y has a row for each series of X, and not for each of their steps. A list of records has a list of targets,
    an array for each."""
    if not is_collection(X) or y is None:
        return False
    return getattr(X, "ndim", 0) == 3 or not isinstance(y, (list, tuple)) or np.ndim(y[0] if len(y) else 0) == 0


def refuse_settings(estimator: Any) -> None:
    """Reject settings that apply only to sequences."""
    for name, parameter in list(inspect.signature(type(estimator).__init__).parameters.items())[1:]:
        value = getattr(estimator, name)
        if name not in OF_SERIES and value is not parameter.default and value != parameter.default:
            raise ValueError(f"{name} is {value!r}, which is not supported for collections of series")


class SeriesReadout:
    """Ridge regression of the library with its training data; unpickling fits it again."""

    def __init__(self, estimator: Any, X: Any, y: Any, progress: Optional[ProgressCallback]) -> None:
        choice("input", estimator.input, ("auto", *c.OBJECT_INPUTS))
        self.fields = dict(
            kernel=estimator._kernel_text(),
            alpha=alpha_number(estimator.alpha),
            scale=c.OBJECT_SCALES["channels" if estimator.scale else "none"],
            input=c.OBJECT_INPUTS["level" if estimator.input == "auto" else estimator.input],
            normalise=bool(estimator.normalise),
        )
        self.series, self.layout = read_collection(X, estimator.layout)
        targets, self.flat = as_targets(y)
        self.targets = targets.copy()
        if len(targets) != len(self.series):
            raise ValueError(f"y has {len(targets)} rows, and X has {len(self.series)} series")
        self._learn(estimator.n_jobs, estimator.verbose, progress)
        info = c.SeriesInfo()
        check(c.lib.volt_series_model_get_info(self._handle.pointer, info))
        self.kernel, self.alpha, self.error = c.text(info.kernel), info.alpha, info.left_out_error
        self.left_out = c.array(info.left_out_outputs, *targets.shape)
        self.fields["alpha"] = self.alpha

    def _learn(self, n_jobs: Any, verbose: Any, progress: Any) -> None:
        options, pointer = c.fill(c.lib.volt_series_options_default(), **self.fields), c_void_p()
        arguments = (self.series, len(self.series), None, 0, self.targets, options, pointer)
        run("fit", c.lib.volt_series_fit, *arguments, n_jobs=n_jobs, verbose=verbose, progress=progress)
        self._handle = c.Handle(pointer.value, c.lib.volt_series_model_free)

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_handle"}

    def dress(self, values: Array) -> Array:
        return values[:, 0] if self.flat else values

    def predict(self, series: List[Array], n_jobs: Any, verbose: Any) -> Array:
        if not hasattr(self, "_handle"):
            self._learn(n_jobs, False, None)
        out = empty(len(series), self.targets.shape[1])
        arguments = (self._handle.pointer, series, len(series), PROGRESS, out, None, None)
        run("predict", c.lib.volt_series_model_predict, *arguments, n_jobs=n_jobs, verbose=verbose)
        return out
