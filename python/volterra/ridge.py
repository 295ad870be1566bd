"""Estimators of one kernel: `VolterraRidge` and `SequenceKernelRidge`."""

from __future__ import annotations

from typing import Any, Optional

from ._kernel import join_text
from ._regressor import SequenceRegressor

__all__ = ["SequenceKernelRidge", "VolterraRidge"]


class VolterraRidge(SequenceRegressor):
    """Ridge regression with the Volterra reservoir kernel on one sequence of inputs and targets.

    The kernel ``K[i, j] = 1 + lam^2 kappa(x_i, x_j) K[i-1, j-1]``, ``kappa(x, y) = 1/(1 - tau^2 <x, y>)``,
    compares the whole pasts of two rows, products of inputs of all orders and lags, with weights that fade.
    The readout solves ``(K + alpha I) A = Y`` exactly.

    Rows are time steps in order, and what a row means depends on the rows before it: do not shuffle, and
    cross-validate with ``TimeSeriesSplit``. Rows that cannot follow those of training, by the index of a data frame or
    because training has seen them, are an `OrderWarning`.

    Parameters
    ----------
    tau : float, optional
        Weight of products of inputs, in the units of the (scaled) inputs: ``tau M < 1``, where M is the
        largest norm (1 when ``scale``).
    lam : float, optional
        How slowly the past fades: ``lam^2 sup kappa < 1``.
    alpha : float, default=1e-6
        Regularisation of the readout, above 0.
    lift : str, default="geometric"
        The local kernel kappa: "geometric", "even" (for targets that do not see the sign of the inputs, such as
        covariances), "exponential", "poly:P" or "rbf".
    tau_coef, lam_coef : float, optional
        In (0, 1), in place of tau and lam, as shares of their bounds: never out of bounds. 0.3 and 0.9 when
        neither form is given. ``lambda_coef``, as in kernel texts, is another name of lam_coef.
    gamma : float, optional
        Of the lift "rbf", ``exp(-gamma |x - y|^2)``.
    kernel : str, optional
        The kernel as a text, ``"volterra:tau=0.4,lambda=0.7"``, in place of tau, lam, lift and their like.
    washout : int, default=0
        First rows that feed the past but are not fitted.
    fit_intercept : bool, default=True
        An unpenalised constant.
    scale : bool, default=True
        Shift and scale the inputs so that the largest has norm 1 (lift "even": scale only), standardise the
        targets. What is learned here comes from the rows given to fit only.
    start : {"auto", "continue", "reset"}, default="auto"
        What the rows of `predict` are. "auto": when X begins with all the rows of training, those have their
        fitted values and later rows go on from there (so ``fit(X, y).score(X, y)`` is the in-sample score);
        every other X follows the training rows, as the test part of a ``TimeSeriesSplit`` does. "continue": X
        always follows the training rows, even if it repeats them. "reset": X is a new sequence after a past
        of zeros.
    beyond : {"auto", "clip", "error", "allow"}, default="auto"
        An input larger than any in training. "clip": project it to the largest norm seen, with a
        `BeyondWarning`; "error": refuse it; "allow": take it as it is while the kernel stays bounded, else
        refuse it. "auto" is "clip" with ``scale``, and "allow" without, where inputs are taken as they are.
    n_jobs : int, optional
        Threads; None: as set by `volterra.set_threads`, -1: one per core.
    verbose : bool, default=False
        Show a bar.

    Attributes
    ----------
    fitted_ : ndarray of the shape of y
        Fitted values of the training rows.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Columns of X, when it was a data frame whose columns are all texts.
    n_outputs_ : int
        Number of outputs.
    kernel_ : str
        The kernel with every parameter.
    facts_ : dict
        What the kernel is on the ball of these inputs: tau, lambda and its bound, contraction, horizon, ...
    rcond_ : float
        Estimated reciprocal condition number of ``K + alpha I``.
    dual_coef_ : ndarray of shape (n_rows, n_outputs)
        Coefficients of the readout, of the scaled targets.
    intercept_ : ndarray of shape (n_outputs,)
        The constant of the forecast.

    See Also
    --------
    VolterraRidgeCV : choose the parameters by cross-validation.
    SequenceKernelRidge : the same with any other kernel.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(1200, seed=1)
    >>> model = volterra.VolterraRidge(tau_coef=0.2, lam_coef=0.95, alpha=1e-4, washout=50)
    >>> model.fit(u[:1000], y[:1000])
    VolterraRidge(alpha=0.0001, lam_coef=0.95, tau_coef=0.2, washout=50)
    >>> bool(model.score(u[1000:], y[1000:]) > 0.9)
    True

    A series that forecasts itself, and runs on:

    >>> x = volterra.datasets.lorenz(1001)
    >>> model = volterra.VolterraRidge(tau_coef=0.3, lam_coef=0.3, alpha=1e-8).fit(x[:-1])
    >>> model.continue_(100).shape
    (100, 3)
    """

    def __init__(
        self,
        tau: Optional[float] = None,
        lam: Optional[float] = None,
        alpha: float = 1e-6,
        lift: str = "geometric",
        *,
        tau_coef: Optional[float] = None,
        lam_coef: Optional[float] = None,
        gamma: Optional[float] = None,
        kernel: Optional[str] = None,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: str = "auto",
        beyond: str = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
        lambda_coef: Optional[float] = None,
    ) -> None:
        self.tau = tau
        self.lam = lam
        self.alpha = alpha
        self.lift = lift
        self.tau_coef = tau_coef
        self.lam_coef = lam_coef
        self.lambda_coef = lambda_coef
        self.gamma = gamma
        self.kernel = kernel
        self.washout = washout
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.start = start
        self.beyond = beyond
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _kernel_text(self) -> str:
        given = dict(
            tau=self.tau,
            tau_coef=self.tau_coef,
            gamma=self.gamma,
            lam=self.lam,
            lam_coef=self.lam_coef,
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
    """Ridge regression on one sequence with any kernel of the library.

    Parameters
    ----------
    kernel : str, default="volterra"
        NAME or NAME:PARAMETER=VALUE,...: ``"gak:sigma=1,window=20"``, ``"memory:gamma=1,rho=0.5,mu=0.85"``,
        ``"rbf:gamma=0.1,window=20"``. `volterra.kernel_table` lists all kernels. gak, sig and sigpde need
        ``window=`` or ``path=rows``.
    alpha : float, default=1e-6
        Regularisation of the readout, above 0.
    washout, fit_intercept, scale, start, beyond, n_jobs, verbose
        As in `VolterraRidge`. Kernels that take any input do not project those that lie beyond the training
        inputs.

    Attributes
    ----------
    fitted_, n_features_in_, feature_names_in_, n_outputs_, kernel_, facts_, rcond_, dual_coef_, intercept_
        As in `VolterraRidge`.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(700, seed=1)
    >>> model = volterra.SequenceKernelRidge("gak:sigma=1,window=12", alpha=1e-3).fit(u[:500], y[:500])
    >>> model.predict(u[500:]).shape
    (200,)
    """

    def __init__(
        self,
        kernel: str = "volterra",
        alpha: float = 1e-6,
        *,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: str = "auto",
        beyond: str = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.washout = washout
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.start = start
        self.beyond = beyond
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _kernel_text(self) -> str:
        return str(self.kernel)
