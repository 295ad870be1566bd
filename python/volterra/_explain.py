"""Volterra series of a fitted model, its standard deviations, and variance shares of the orders."""

from __future__ import annotations

from ctypes import POINTER, byref, c_double
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import whole
from ._core._arrays import Array, empty, view
from ._core._model import Model, record_fields
from ._core._progress import Watch
from ._core._records import Records
from ._core._threads import use_threads

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


def _options(model: Model, about: About, order: int, watch: Watch) -> Any:
    """``volt_explain_options``, and the objects that must outlive it."""
    inputs = model.expansion_inputs
    options = c.lib.volt_explain_options_default()
    options.order = whole("order", order, 1, 8)
    options.progress = watch.progress
    if isinstance(about, str):
        if about not in ("mean", "zero"):
            raise ValueError(f'about must be "mean", "zero" or a number for every input (got {about!r})')
        options.about = c.ABOUT[about]
        return options, None
    point = np.ravel(np.asarray(about, dtype=float))
    if point.shape != (inputs,):
        raise ValueError(f"about has {point.size} number{'s' if point.size != 1 else ''}, and the model takes {inputs}")
    kept = (c_double * inputs)(*point)
    options.about = c.ABOUT["point"]
    options.point = kept
    return options, kept


def _named(numbers: Array) -> Dict[str, Array]:
    orders = numbers.shape[1] - 1
    names = [f"order{p + 1}" for p in range(orders)] + ["higher"]
    return {name: numbers[:, p].copy() for p, name in enumerate(names)}


def explain(
    model: Model,
    lags: Optional[int],
    order: int,
    about: About,
    std: bool,
    shares: bool,
    along: Optional[Array],
    records: Optional[Sequence[int]],
    verbose: Any,
) -> Explanation:
    with Watch("explain", verbose, values=float(model.n) ** 2) as watch:
        options, point = _options(model, about, order, watch)
        options.lags = 0 if lags is None else whole("lags", lags, 1)
        options.band, options.shares = bool(std), bool(shares)
        if along is not None:
            options.along = view(along)
            for name, value in record_fields(records).items():
                setattr(options, name, value)
        found = POINTER(c.Explanation)()
        watch.check(c.lib.volt_model_explain(model, byref(options), byref(found)))
        del point
    try:
        return copy_explanation(found.contents)
    finally:
        c.lib.volt_explanation_free(found)


def copy_explanation(e: Any) -> Explanation:
    def array(pointer: Any, *shape: int) -> Array:
        return np.ctypeslib.as_array(pointer, shape).copy()

    d, q, lags, orders = int(e.d), int(e.q), int(e.lags), int(e.share_orders)
    kernels = [array(e.kernels[p - 1], q, *(lags,) * p, *(d,) * p) for p in range(1, int(e.order) + 1)]
    return Explanation(
        about=array(e.about, d),
        g0=array(e.g0, q),
        g1=kernels[0],
        g2=kernels[1] if len(kernels) > 1 else None,
        g1_std=array(e.g1_std, q, lags, d) if e.g1_std else None,
        shares=_named(array(e.shares, q, orders + 1)) if e.shares else None,
        variances=_named(array(e.variances, q, orders + 1)) if e.variances else None,
        memory=array(e.memory, q),
        kernels=kernels,
    )


class Explains:
    """Explanation methods of the estimators."""

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
            Lags 0 to ``lags - 1``; when not given, until the past counts for less than a thousandth, 40 at most.
        order : int, default=2
            Highest order of the kernels, 1 to 8.
        about : "mean", "zero" or array-like of shape (n_features,), default="mean"
            The constant input. The point must be inside the ball of the training inputs if the kernel requires this.
            With ``feedback`` the outputs of the previous row are additional inputs after the others: the series
            describes one step.
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
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        rows, lengths = None, None
        if along is not None:
            read = Records.read(along, None, groups)
            rows, lengths = self._read_inputs(read.X), read.lengths  # type: ignore[attr-defined]
        elif groups is not None:
            raise ValueError("groups are records of along, which is not given")
        with use_threads(self.n_jobs):  # type: ignore[attr-defined]
            return explain(
                self._model,  # type: ignore[attr-defined]
                lags,
                order,
                about,
                std,
                shares,
                rows,
                lengths,
                self.verbose,  # type: ignore[attr-defined]
            )

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
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        rows = [self._read_inputs(Records.read(part, None, None).X) for part in (first, second, X)]  # type: ignore[attr-defined]
        out = empty(len(rows[2]) + 1, 2)
        with use_threads(self.n_jobs):  # type: ignore[attr-defined]
            values = float(sum(len(part) for part in rows)) ** 2
            with Watch("forgetting", self.verbose, values=values) as watch:  # type: ignore[attr-defined]
                model: Model = self._model  # type: ignore[attr-defined]
                views = [view(part) for part in rows]
                watch.check(c.lib.volt_model_forgetting(model, *views, watch.progress, view(out)))
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
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        model: Model = self._model  # type: ignore[attr-defined]
        read = Records.read(X, None, groups)
        rows = self._read_inputs(read.X)  # type: ignore[attr-defined]
        with use_threads(self.n_jobs):  # type: ignore[attr-defined]
            with Watch("orders", self.verbose, values=float(model.n) * len(rows)) as watch:  # type: ignore[attr-defined]
                options, point = _options(model, about, order, watch)
                for name, value in record_fields(read.lengths).items():
                    setattr(options, name, value)
                out = empty(len(rows), model.q * (options.order + 2))
                watch.check(c.lib.volt_model_orders(model, view(rows), byref(options), view(out)))
                del point
        return out.reshape(len(rows), model.q, -1)
