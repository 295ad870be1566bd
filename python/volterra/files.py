"""Model files, shared by the estimators and the program ``volterra``, and sums of models."""

from __future__ import annotations

from typing import Any, List, NoReturn, Optional, Sequence, Union

import numpy as np

from ._core._arguments import choice
from ._core._data import Array
from ._core._kernel import Kernel
from ._core._model import SUM_KINDS, Model, PathLike
from ._core._types import Beyond, Self, Start
from ._regressor import SequenceRegressor
from ._training import Horizons
from .classifier import VolterraClassifier
from .ridge import SequenceKernelRidge, VolterraRidge

__all__ = ["ModelSum", "combine", "load", "save"]

Loaded = Union[VolterraRidge, SequenceKernelRidge, VolterraClassifier, "ModelSum"]


def save(estimator: SequenceRegressor, path: PathLike) -> None:
    """Save a fitted estimator as a safetensors file, which ``volterra predict`` and other commands can read.

    Parameters
    ----------
    estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
    path : path-like
        The file is replaced atomically.

    Examples
    --------
    >>> import os, tempfile, numpy as np, volterra
    >>> x = volterra.datasets.lorenz(400)
    >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x)
    >>> path = os.path.join(tempfile.mkdtemp(), "lorenz.safetensors")
    >>> volterra.save(model, path)
    >>> bool(np.array_equal(volterra.load(path).continue_(5), model.continue_(5)))
    True
    """
    estimator.save(path)


def load(path: PathLike) -> Loaded:
    """Load a model file written by `save` or by the program.

    Predictions of rows that follow the training data are bit-identical to those of the saved estimator. An X that begins with
    all training rows is recognised by the first ones and has the fitted values, to rounding (not with ``feedback``). The
    attribute ``fitted_`` does not exist, and the index of a data frame is not stored.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    VolterraRidge, SequenceKernelRidge, VolterraClassifier or ModelSum
        Depending on the kernel of the model and its loss. `ModelSum` for a sum of models (`combine`).

    Raises
    ------
    FileNotFoundError, OSError
        The file is missing or cannot be read.
    ValueError
        The file is truncated, damaged, of another type or from a later version.

    Notes
    -----
    The last `ahead` rows of the training data have no target yet. The file contains them, and `predict` here expects the rows
    that follow them. The program's ``predict`` expects X to begin with them, `ahead` rows before the end of the training data.
    Files of development versions contain them one step ahead only; with those, X for a model further ahead begins as for the program.
    Results on held-out rows (``report_`` and similar) are not in the file.
    """
    return estimator_of(Model.load(path))


def combine(
    estimators: Sequence[SequenceRegressor],
    weights: Optional[Sequence[float]] = None,
    *,
    kind: str = "average",
) -> Loaded:
    """Return an estimator whose predictions are a weighted sum of those of fitted estimators.

    Parameters
    ----------
    estimators : list of VolterraRidge, SequenceKernelRidge, VolterraRidgeCV or ModelSum
        Fitted, with the same inputs, outputs, ``ahead`` and loss. Kernels, scales, ``washout`` and ``feedback`` may differ; each
        estimator feeds back its own outputs.
    weights : list of float, optional
        One weight per estimator. None: ``1 / n`` each, or with kind "residual" 1 each.
    kind : {"average", "residual"}, default="average"
        "average": all were fitted on the targets. "residual": each was fitted on the targets less the weighted predictions of
        those before it. With ``feedback`` and ``y_known``, each receives the measured outputs, or what is left of them.

    Returns
    -------
    ModelSum, or VolterraClassifier for classifiers
        The estimators are shared with it, and later changes of them have no effect. `volterra.save` writes it as one file.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(600, seed=1)
    >>> linear = volterra.SequenceKernelRidge("fir:mu=0.9", alpha=1e-3).fit(u[:400], y[:400])
    >>> rest = volterra.VolterraRidge(alpha=1e-3).fit(u[:400], y[:400] - linear.fitted_)
    >>> both = volterra.combine([linear, rest], kind="residual")
    >>> bool(np.allclose(both.predict(u[400:]), linear.predict(u[400:]) + rest.predict(u[400:])))
    True
    """
    choice("kind", kind, SUM_KINDS)
    models = []
    for estimator in estimators:
        estimator._check_is_fitted()
        estimator._refresh_model()
        models.append(estimator._model)
    if weights is not None and len(weights) != len(models):
        raise ValueError(f"weights must have one number per estimator, {len(models)} (got {len(weights)})")
    return estimator_of(Model.sum(models, weights, kind))


def estimator_of(model: Model) -> Loaded:
    """Return the estimator of a model of the library."""
    members = model.members
    if members and not model.classes:
        return ModelSum()._adopt_members(model, [estimator_of(member) for member in members])
    info = model.info
    horizons = Horizons.of(model)
    alphas, changes = model.alphas, model.anchors >= 0
    is_one = bool(np.all(alphas == alphas[0]) and np.isfinite(alphas[0]) and np.all(changes == changes[0]))
    parameters: Any = dict(
        kernel=model.kernel,
        alpha=info.alpha if is_one else "auto",
        target="auto" if not is_one else "change" if changes[0] else "level",
        input=model.input,
        season=model.season or None,
        ahead=horizons.each if horizons.several else info.ahead or None,
        washout=info.washout,
        fit_intercept=bool(info.intercept),
        scale=bool(info.scaled),
        scale_each=bool(info.scale_each),
        feedback=model.feedback_weight or False,
        initial=model.initial,
    )
    if model.classes:
        classifier = VolterraClassifier(
            **{name: parameters[name] for name in ("kernel", "alpha", "washout", "fit_intercept", "scale", "scale_each")},
            tolerance=model.tolerance,
        )
        return classifier._adopt(model, model.pending)
    if model.loss is not None:
        parameters.update(loss=model.loss, tolerance=model.tolerance)
    kind = VolterraRidge if Kernel(model.kernel).is_volterra else SequenceKernelRidge
    return kind(**parameters)._adopt(model, model.pending)


class ModelSum(SequenceRegressor):
    """Weighted sum of fitted models, returned by `combine` and `load`.

    `predict`, `score`, `stream` and `save` work as for `VolterraRidge`. Intervals, standard deviations, explanations,
    simulations of a series and learning row by row are not supported (ValueError).

    Parameters
    ----------
    start, beyond, n_jobs, device, verbose
        As for `VolterraRidge`.

    Attributes
    ----------
    members_ : list
        The estimators of the sum.
    weights_ : ndarray of shape (n_members,)
    kind_ : {"average", "residual"}
    kernel_ : str
        Weights and kernels of the members.
    n_features_in_, n_outputs_ : int

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(300)
    >>> models = [volterra.SequenceKernelRidge(kernel, alpha=1e-3).fit(u, y) for kernel in ("fir", "volterra")]
    >>> total = volterra.combine(models, weights=[0.25, 0.75])
    >>> total.weights_, total.predict(u[:2]).round(2)
    (array([0.25, 0.75]), array([0.5 , 0.33]))
    """

    members_: List[Any]

    def __init__(
        self,
        *,
        start: Start = "auto",
        beyond: Beyond = "auto",
        n_jobs: Optional[int] = None,
        device: Optional[str] = None,
        verbose: Any = False,
    ) -> None:
        self._keep_arguments(locals())

    @property
    def scale(self) -> bool:
        """Whether all members scale their inputs."""
        return all(member.scale for member in self.members_)

    @property
    def scale_each(self) -> bool:
        """Whether all members scale every input separately."""
        return all(member.scale_each for member in self.members_)

    def fit(self, X: Any = None, y: Any = None, *args: Any, **options: Any) -> NoReturn:  # type: ignore[override]
        """Not supported: fit the members and combine them."""
        raise ValueError("a sum of models cannot be fitted: fit its members, then combine them")

    def _adopt_members(self, model: Model, members: List[Any]) -> Self:
        """Set up the estimator from a sum of the library and the estimators of its members."""
        self.members_ = members
        self.weights_, self.kind_ = model.weights, model.sum_kind
        return self._adopt(model, model.pending)

    def _why_not_learn(self) -> Optional[str]:
        return "learning row by row is not supported for a sum of models"

    @property
    def dual_coef_(self) -> Array:
        """Not available: see the members."""
        raise AttributeError("a sum of models has no coefficients of its own: see members_")

    @property
    def intercept_(self) -> Array:
        """Not available: see the members."""
        raise AttributeError("a sum of models has no intercept of its own: see members_")
