"""Linear memory and information processing capacity of kernels and reservoirs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import List, Optional, Tuple

from ._core import _native as c
from ._core._arguments import MOST, seed_number, whole
from ._core._data import Array
from ._core._kernel import Kernel
from ._core._progress import ProgressCallback, run

__all__ = ["Capacity", "capacity"]


@dataclass(frozen=True)
class Capacity:
    """Result of `capacity`.

    Attributes
    ----------
    kernel : str
        Text of the kernel with every parameter.
    rows, washout : int
        Rows of the targets, and rows before them.
    states : int
        Explicit states of the kernel; 0: the kernel matrix was used.
    alpha, effective_dimension, threshold : float
    total : float
        Sum of all capacities, at most about the effective dimension.
    by_degree : ndarray of shape (degree + 1,)
        Sums over the targets of each degree, from 0, the constant.
    n_targets, n_significant : ndarray of int of shape (degree + 1,)
        Number of targets of each degree, and of those that are not below the threshold.
    by_delay : ndarray of shape (degree, delay + 1)
        Sums over the targets of degree 1, 2, ... (rows) whose largest delay is 0, 1, ... (columns).
    targets : list of tuple
        For each target the pairs (delay, degree) of its factors, in the order of the delays. The constant has none.
    capacities : ndarray of shape (len(targets),)
        Capacities of the targets; 0 below the threshold.

    Examples
    --------
    >>> import volterra
    >>> found = volterra.capacity("linear:window=3", rows=400, degree=2, delay=5)
    >>> round(found.linear_memory, 2), found.by_degree.round(2).tolist()
    (3.0, [0.0, 3.0, 0.0])
    >>> [target for target, value in zip(found.targets, found.capacities) if value > 0.9]
    [((0, 1),), ((1, 1),), ((2, 1),)]
    """

    kernel: str
    rows: int
    washout: int
    states: int
    alpha: float
    effective_dimension: float
    threshold: float
    total: float
    by_degree: Array
    n_targets: Array
    n_significant: Array
    by_delay: Array
    targets: List[Tuple[Tuple[int, int], ...]]
    capacities: Array

    @property
    def linear_memory(self) -> float:
        """Sum of the capacities of degree 1."""
        return float(self.by_degree[1])

    @property
    def memory_curve(self) -> Array:
        """Capacity of degree 1 of each delay from 0."""
        curve: Array = self.by_delay[0]
        return curve

    def __repr__(self) -> str:
        return (
            f"Capacity({self.kernel!r}, effective_dimension={self.effective_dimension:.6g}, "
            f"linear_memory={self.linear_memory:.6g}, total={self.total:.6g})"
        )


def capacity(
    kernel: str = "volterra",
    *,
    rows: int = 5000,
    degree: int = 3,
    delay: int = 30,
    washout: Optional[int] = None,
    alpha: Optional[float] = None,
    dimension: Optional[float] = None,
    significance: float = 1e-4,
    threshold: Optional[float] = None,
    seed: int = 0,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    progress: Optional[ProgressCallback] = None,
) -> Capacity:
    """Return the capacity of a kernel to reconstruct functions of its past inputs.

    Inputs are random, independent and uniform on [-1, 1]. A target is a product of Legendre polynomials of delayed inputs.
    Its capacity is ``y' K (K + alpha I)^-1 y / y' y``, between 0 and 1. For reservoirs without regularisation it is the
    capacity of Dambre et al. (2012), the share of the variance that a linear readout of the states explains.

    Parameters
    ----------
    kernel : str, default="volterra"
        Kernel; see volterra help kernels.
    rows : int, default=5000
        Rows of random inputs (at least 10).
    degree : int, default=3
        Largest degree of the targets (from 1 to 20).
    delay : int, default=30
        Largest delay of the targets.
    washout : int, optional
        Rows before the others, which initialise the state (at least 1). None: 200, or the delay if that is larger.
    alpha : float, optional
        Regularisation strength. 0 requires a kernel with fewer explicit states than rows: esn or sas with degree=1,
        or a sum of them. None: 0 for these kernels, otherwise chosen for `dimension`.
    dimension : float, optional
        Effective dimension that alpha is chosen for (positive). None: 100, or a twentieth of the rows if that is
        smaller, for kernels without explicit states. Not with `alpha`.
    significance : float, default=1e-4
        Tail probability of the threshold of capacities (between 0 and 1).
    threshold : float, optional
        Threshold below which capacities are set to 0 (from 0 to 1). None: twice the quantile of chi-square with as
        many degrees of freedom as the effective dimension, over the number of rows.
    seed : int, default=0
        Seed of the inputs.
    n_jobs : int, optional
        Threads.
    verbose : bool, default=False
        Show a progress bar.
    progress : callable, optional
        As in `gram`.

    Returns
    -------
    Capacity

    Raises
    ------
    ValueError
        A value is out of range.
    SingularError
        alpha is too small for the kernel, or the kernel is not positive semidefinite.

    See Also
    --------
    volterra.plot.capacity : plot of the result.

    Examples
    --------
    >>> import volterra
    >>> found = volterra.capacity("linear:window=4", rows=400, degree=2, delay=6)
    >>> found.memory_curve.round(3)
    array([1., 1., 1., 1., 0., 0., 0.])
    >>> float(found.by_degree[2])
    0.0
    >>> reservoir = volterra.capacity("esn:size=20", rows=1000, delay=10)
    >>> reservoir.total < reservoir.effective_dimension == 20
    True
    """
    parsed = Kernel(kernel)
    if alpha is not None and not alpha >= 0:
        raise ValueError(f"alpha must be at least 0 (got {alpha})")
    if dimension is not None and not dimension > 0:
        raise ValueError(f"dimension must be positive (got {dimension})")
    if threshold is not None and not threshold >= 0:
        raise ValueError(f"threshold must be at least 0 (got {threshold})")
    options = c.CapacityOptions(
        rows=whole("rows", rows, 10, MOST),
        washout=0 if washout is None else whole("washout", washout, 1),
        degree=whole("degree", degree, 1, c.CONSTANTS["VOLT_CAPACITY_DEGREE"]),
        delay=whole("delay", delay),
        alpha=-1 if alpha is None else alpha,
        dimension=0 if dimension is None else dimension,
        significance=significance,
        threshold=-1 if threshold is None else threshold,
        seed=seed_number("seed", seed),
    )
    with c.result(c.Capacity, c.lib.volt_capacity_free) as result:
        run("capacity", c.lib.volt_capacity_compute, parsed, options, result, n_jobs=n_jobs, verbose=verbose, progress=progress)
        return _take(parsed.text, result.contents)


def _take(kernel: str, found: c.Capacity) -> Capacity:
    values = c.values(found)
    values.update(kernel=kernel, n_targets=values["targets"], n_significant=values["significant"])
    values["targets"] = [tuple((j, k) for j, k in target if k > 0) for target in values["factors"].tolist()]
    return Capacity(**{field.name: values[field.name] for field in fields(Capacity)})
