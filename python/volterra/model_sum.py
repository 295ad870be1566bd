"""`ModelSum`: a weighted sum of fitted models."""

from __future__ import annotations

from typing import Any, List, NoReturn, Optional

from ._core._arrays import Array
from ._core._model import Model
from ._core._types import Beyond, Self, Start
from ._regressor import SequenceRegressor

__all__ = ["ModelSum"]


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
        self.start = start
        self.beyond = beyond
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

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
