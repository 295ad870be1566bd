"""Kernel for the Gaussian processes of scikit-learn.

Requires scikit-learn (``pip install scikit-learn``); the rest of the package does not.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

try:
    from sklearn.gaussian_process.kernels import Hyperparameter, Kernel
except ImportError as error:  # pragma: no cover
    raise ImportError("volterra.gaussian_process requires scikit-learn: pip install scikit-learn") from error

from ._core._data import Array
from .kernels import gram, kernel_text

__all__ = ["SequenceKernel"]


def __dir__() -> List[str]:
    return __all__


_STEP = 1e-5  # of the logarithm of a parameter, for differences


class SequenceKernel(Kernel):
    """Any kernel of this package, for ``GaussianProcessRegressor`` and ``GaussianProcessClassifier``.

    The samples are the rows of one record, or the series of a collection, and X is the column of their numbers. The kernel of
    two rows compares the complete histories up to these rows, as in `volterra.gram`, in whatever order and part X has them. The kernel
    can be added to and multiplied by kernels of scikit-learn.

    Parameters
    ----------
    data : array-like of shape (n_steps, n_features), or a collection
        Inputs of all samples, also of those that will be predicted. They are not scaled.
    kernel : str, default="volterra"
        NAME or NAME:PARAMETER=VALUE,...; see `volterra.kernel_table`.
    ranges : dict, optional
        Smallest and largest value of parameters that the process optimises, by maximum likelihood with derivatives from
        differences: two matrices for each parameter and step. None: the kernel is fixed.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
    >>> from volterra.gaussian_process import SequenceKernel
    >>> u, y = volterra.datasets.narma10(300)
    >>> rows = np.arange(300)[:, None]
    >>> kernel = ConstantKernel() * SequenceKernel(u, ranges={"lambda_coef": (0.5, 0.99)}) + WhiteKernel(1e-3)
    >>> model = GaussianProcessRegressor(kernel, normalize_y=True).fit(rows[:200], y[:200])
    >>> np.exp(model.kernel_.k1.k2.theta).round(2)  # lambda_coef
    array([0.96])
    >>> mean, std = model.predict(rows[200:], return_std=True)
    >>> round(volterra.metrics.r2(y[200:], mean), 2)
    0.93
    """

    def __init__(
        self, data: Any, kernel: str = "volterra", ranges: Optional[Dict[str, Tuple[float, float]]] = None
    ) -> None:
        self.data = data
        self.kernel = kernel
        self.ranges = ranges

    @property
    def hyperparameters(self) -> List[Hyperparameter]:
        """Parameters in `ranges`."""
        return [Hyperparameter(name, "numeric", ends) for name, ends in sorted((self.ranges or {}).items())]

    @property
    def theta(self) -> Array:
        """Logarithms of the parameters in `ranges`."""
        return np.log([float(self._place(one.name).group(1)) for one in self.hyperparameters])

    @theta.setter
    def theta(self, theta: Array) -> None:
        for one, logarithm in zip(self.hyperparameters, theta):
            self.kernel = self._with(one.name, float(np.exp(logarithm)))

    def _place(self, name: str) -> Any:
        """The one place of a parameter in the text of the kernel."""
        places = list(re.finditer(rf"\b{name}=([-+.\de]+)", kernel_text(self.kernel)))
        if len(places) != 1:
            raise ValueError(
                f"the kernel {self.kernel!r} has {len(places)} parameters {name}, and ranges requires one"
            )
        return places[0]

    def _with(self, name: str, value: float) -> str:
        place = self._place(name)
        return f"{place.string[: place.start(1)]}{value!r}{place.string[place.end(1) :]}"

    def _matrix(self) -> Array:
        """Gram matrix of all data; the last one is kept, since predictions require it twice."""
        if getattr(self, "_kept", ("", None))[0] != self.kernel:
            self._kept = self.kernel, gram(self.data, kernel=self.kernel)
        return self._kept[1]

    def _numbers(self, X: Any) -> Array:
        numbers, count = np.asarray(X, dtype=float), len(self.data)
        if numbers.shape[1:] != (1,) or not np.isin(numbers, np.arange(count)).all():
            raise ValueError(f"X must be one column of numbers of samples, from 0 to {count - 1}")
        return numbers[:, 0].astype(int)

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Return the kernel of the samples in X and Y, and its derivatives by `theta`."""
        rows = self._numbers(X)
        K = self._matrix()[np.ix_(rows, rows if Y is None else self._numbers(Y))]
        if not eval_gradient:
            return K
        if Y is not None:
            raise ValueError("the gradient is available only for Y=None")
        slopes = np.empty((*K.shape, self.n_dims))
        for i in range(self.n_dims):
            step = _STEP * (np.arange(self.n_dims) == i)
            ends = [self.clone_with_theta(self.theta + sign * step)(X) for sign in (1, -1)]
            slopes[:, :, i] = (ends[0] - ends[1]) / (2 * _STEP)
        return K, slopes

    def diag(self, X: Any) -> Array:
        """Return the kernel of each sample in X with itself."""
        diagonal: Array = np.diag(self._matrix())
        return diagonal[self._numbers(X)]

    def is_stationary(self) -> bool:
        """Whether the kernel depends on differences of rows only: False."""
        return False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r})"
