"""Kernels between sequences, and their Gram matrices.

Kernels are given as text, as in the program and in model files: ``"volterra:tau=0.4,lambda=0.7"``,
``"gak:sigma=1,window=20"``. Kernels can be added and multiplied, and a factor may filter its inputs: ``"2*fir:mu=0.8 +
memory:pole=0.7*rbf"``. `gram` takes the text; the functions `volterra_kernel`, `gak_kernel`, `signature_kernel` and
`sigpde_kernel` build it from their arguments. `kernel_table` lists all kernels with their parameters.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from ._core import _native as c
from ._core._arguments import choice, whole
from ._core._data import LAYOUTS, Array, as_matrix, empty, is_collection, read_collection
from ._core._kernel import Kernel, join_text
from ._core._kernel import kernel_facts as _query
from ._core._progress import ProgressCallback, run
from ._core._types import Layout

__all__ = [
    "gak_kernel",
    "gram",
    "gram_spectrum",
    "kernel_facts",
    "kernel_table",
    "solver_table",
    "kernel_text",
    "signature_kernel",
    "sigpde_kernel",
    "volterra_kernel",
]


def kernel_text(kernel: str) -> str:
    """Return the text of a kernel with every parameter, including defaults.

    Parameters
    ----------
    kernel : str
        NAME or NAME:PARAMETER=VALUE,...

    Raises
    ------
    ValueError
        The kernel or a parameter is unknown (the message suggests the closest name), or a value is out of range.

    Examples
    --------
    >>> import volterra
    >>> volterra.kernel_text("volterra")
    'volterra:tau_coef=0.3,lambda_coef=0.9'
    """
    return Kernel(kernel).text


def kernel_table() -> Dict[str, Dict[str, Any]]:
    """Return all kernels: formula, cost of an entry, and parameters.

    Examples
    --------
    >>> import volterra
    >>> table = volterra.kernel_table()
    >>> list(table)[:3]
    ['volterra', 'linear', 'rbf']
    >>> print(table["rbf"]["formula"])
    exp(-gamma |x - y|^2)
    >>> table["rbf"]["parameters"]["window"]["default"]
    '1'
    """
    return {
        c.text(one.name): {
            "formula": c.text(one.formula),
            "cost": c.text(one.cost),
            "parameters": {
                c.text(p.name): {"meaning": c.text(p.meaning), "default": c.text(p.fallback) or None, "range": c.text(p.range)}
                for p in one.parameters[: one.n_parameters]
            },
        }
        for one in c.entries(c.lib.volt_kernel_at)
    }


def solver_table() -> Dict[str, Dict[str, Any]]:
    """Return all solvers with a description.

    Examples
    --------
    >>> import volterra
    >>> print(volterra.solver_table()["exact"]["meaning"])
    exact: the Gram matrix is stored and factored
    """
    return {c.text(one.name): {"meaning": c.text(one.meaning)} for one in c.entries(c.lib.volt_solver_at)}


def kernel_facts(
    kernel: str, radius: float = 1.0, n_features: int = 1, eps: float = 2.0**-52
) -> Dict[str, float]:
    """Return the properties of a kernel on inputs of norm at most `radius`: computed parameters and their bounds.

    Parameters
    ----------
    kernel : str
    radius : float, default=1.0
        M, the largest norm of an input.
    n_features : int, default=1
    eps : float, default=2**-52
        The horizon is the number of steps until the influence of an input is below this value.

    Returns
    -------
    dict
        ``radius``, ``tau``, ``lambda``, ``lambda_bound``, ``sup_kappa``, ``contraction``, ``largest``,
        ``horizon``.

    Examples
    --------
    >>> import volterra
    >>> facts = volterra.kernel_facts("volterra:tau=0.6,lambda_coef=0.5")
    >>> round(facts["lambda_bound"], 12), round(facts["lambda"], 12)
    (0.8, 0.4)
    """
    return _query(kernel, radius, n_features, eps)


# ---- Gram matrices -----------------------------------------------------------------------------------------


def gram(
    X: Any,
    Y: Any = None,
    kernel: str = "volterra",
    *,
    radius: Optional[float] = None,
    normalise: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    progress: Optional[ProgressCallback] = None,
    layout: Layout = "auto",
    distance: bool = False,
) -> Array:
    """Return the Gram matrix of a kernel.

    On one sequence or two, entry (i, j) is the kernel of X up to row i and Y up to row j, both with zero initial state. On
    collections it is the kernel of series X[i] and series Y[j].

    Parameters
    ----------
    X : array-like of shape (n_steps, n_features), or a collection
        A collection is an array (n_series, n_steps, n_channels), or a list of 2-D arrays (n_steps,
        n_channels) whose lengths may differ. Values are not scaled. Float64 arrays with contiguous rows are not copied.
    Y : same kind as X, optional
        None: X with itself, a symmetric matrix.
    kernel : str, default="volterra"
        NAME or NAME:PARAMETER=VALUE,...; see `kernel_table`. On a sequence gak, sig and sigpde require ``window=`` or
        ``path=rows``.
    radius : float, optional
        Bound of the norm of the inputs (positive). None: the largest norm in X and Y. ``tau_coef`` and
        ``lambda_coef`` are relative to bounds that depend on it, so matrices of one problem, such as ``gram(train)``
        and ``gram(test, train)``, require the same radius. Without a radius, a `VolterraWarning` is issued if rows of
        X exceed those of Y.
    normalise : bool, default=False
        Normalisation so that K(x, x) = 1. Entry (i, j) is divided by ``sqrt(k(x_i, x_i) k(y_j, y_j))``.
    n_jobs : int, optional
        Threads; None: as set by `set_threads`, -1: one per core.
    verbose : bool, default=False
        Show a progress bar.
    progress : callable, optional
        Called with a stage and the completed fraction; a true result cancels the call with `CancelledError`.
    layout : {"auto", "time", "channels"}, default="auto"
        Axes of the series of a collection, as in `SeriesClassifier`. Steps at the end of a series of a 3-D array that are nan
        in every channel are ignored: padding.
    distance : bool, default=False
        Distances of the states in place of the kernel. Distances below about 6e-8 of the norms of the states are
        rounding errors and become 0.

    Returns
    -------
    ndarray of shape (len(X), len(Y))

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.array([[0.5], [-0.2], [0.1]])
    >>> volterra.gram(x, kernel="volterra:tau=0.5,lambda=0.5").round(3)
    array([[1.356, 1.325, 1.338],
           [1.325, 1.342, 1.33 ],
           [1.338, 1.33 , 1.336]])
    >>> series = [np.ones((4, 2)), np.zeros((6, 2)), np.ones((5, 2))]
    >>> volterra.gram(series, kernel="gak:sigma=1").shape
    (3, 3)

    >>> volterra.gram(x, kernel="volterra:tau=0.5,lambda=0.5", distance=True).round(3).tolist()
    [[0.0, 0.218, 0.13], [0.218, 0.0, 0.139], [0.13, 0.139, 0.0]]

    Series in aeon's layout, (n_series, n_channels, n_steps), for the methods of scikit-learn that take a matrix:

    >>> from sklearn.svm import SVC
    >>> t = np.arange(25)
    >>> X = np.stack([np.sin([(0.4 if i % 2 else 0.6) * t + 0.3 * i]) for i in range(24)])
    >>> y = np.arange(24) % 2
    >>> kernel = dict(kernel="gak:sigma=1", normalise=True, layout="channels")
    >>> model = SVC(kernel="precomputed").fit(volterra.gram(X[:16], **kernel), y[:16])
    >>> model.score(volterra.gram(X[16:], X[:16], **kernel), y[16:])
    1.0
    """
    options, watched = _gram_options(radius, normalise, distance), dict(n_jobs=n_jobs, verbose=verbose, progress=progress)
    if Y is not None and is_collection(X) != is_collection(Y):
        raise ValueError("one of X and Y is a collection of series, the other one sequence: both must be of one kind")
    if is_collection(X):
        first, layout = read_collection(X, layout, "X")
        second = first if Y is None else read_collection(Y, layout, "Y")[0]
        others = (None, 0) if Y is None else (second, len(second))
        out = empty(len(first), len(second))
        run("gram", c.lib.volt_gram_collection, Kernel(kernel), first, len(first), *others, options, out, **watched)
        return out
    if choice("layout", layout, LAYOUTS) == "channels":
        raise ValueError(f"layout is {layout!r}, and X is one sequence: layouts apply to collections")
    a = as_matrix(X, "X")
    b = a if Y is None else as_matrix(Y, "Y")
    out = empty(a.shape[0], b.shape[0])
    run("gram", c.lib.volt_gram, Kernel(kernel), a, None if Y is None else b, options, out, values=out.size, **watched)
    return out


def _gram_options(radius: Optional[float], normalise: bool, distance: bool = False) -> c.GramOptions:
    return c.GramOptions(radius=radius or 0.0, mirror=1, normalise=bool(normalise), distance=bool(distance))


def gram_spectrum(
    X: Any,
    kernel: str = "volterra",
    *,
    count: Optional[int] = None,
    radius: Optional[float] = None,
    normalise: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    progress: Optional[ProgressCallback] = None,
) -> Tuple[Array, Array]:
    """Return the largest eigenvalues of the Gram matrix of a sequence, and effective dimensions.

    Parameters
    ----------
    X : array-like of shape (n_steps, n_features)
        One sequence. The matrix is stored.
    kernel, radius, normalise, n_jobs, verbose, progress
        As in `gram`.
    count : int, optional
        Number of eigenvalues. None: all, by a full decomposition. Up to a sixth of the rows are computed by a Lanczos
        iteration, for many rows.

    Returns
    -------
    eigenvalues : ndarray of shape (count,)
        In decreasing order. Those below ``n_steps * eps`` times the first are rounding errors.
    effective_dimension : ndarray of shape (count,)
        ``tr K (K + alpha I)^-1`` for alpha equal to each eigenvalue; a lower bound if ``count < n_steps``.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.array([[0.5], [-0.2], [0.1]])
    >>> values, dimensions = volterra.gram_spectrum(x, "volterra:tau=0.5,lambda=0.5")
    >>> bool(np.isclose(values.sum(), np.trace(volterra.gram(x, kernel="volterra:tau=0.5,lambda=0.5"))))
    True
    """
    a = as_matrix(X, "X")
    out = empty(whole("count", a.shape[0] if count is None else count, 1, a.shape[0]), 2)
    watched = dict(n_jobs=n_jobs, verbose=verbose, progress=progress, values=float(a.shape[0]) ** 2)
    run("spectrum", c.lib.volt_gram_spectrum, Kernel(kernel), a, _gram_options(radius, normalise), out, **watched)
    return out[:, 0].copy(), out[:, 1].copy()


def volterra_kernel(
    X: Any,
    Y: Any = None,
    *,
    tau: Optional[float] = None,
    lam: Optional[float] = None,
    lift: Optional[str] = None,
    tau_coef: Optional[float] = None,
    lambda_coef: Optional[float] = None,
    gamma: Optional[float] = None,
    radius: Optional[float] = None,
    normalise: bool = False,
    n_jobs: Optional[int] = None,
) -> Array:
    """The Volterra reservoir kernel: ``K[i, j] = 1 + lam^2 kappa(x_i, y_j) K[i-1, j-1]``.

    Parameters
    ----------
    X, Y : as in `gram`
        On collections the final states of two series are compared.
    tau : float, optional
        Weight of products of inputs, ``kappa(x, y) = 1/(1 - tau^2 <x, y>)``; ``tau M < 1``, where M is the
        largest norm.
    lam : float, optional
        Memory of the kernel; ``lam^2 sup kappa < 1``; larger values fade more slowly.
    lift : str, optional
        The local kernel kappa: geometric (default), even, exponential, poly:P or rbf.
    tau_coef, lambda_coef : float, optional
        tau and lam relative to their upper bounds, in (0, 1). 0.3 and 0.9 if neither form is given.
    gamma : float, optional
        Parameter of the lift rbf, ``exp(-gamma |x - y|^2)``.
    radius, normalise, n_jobs : as in `gram`

    Returns
    -------
    ndarray of shape (len(X), len(Y))

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.array([[0.5], [-0.2]])
    >>> K = volterra.volterra_kernel(x, tau=0.5, lam=0.5)
    >>> bool(np.isclose(K[0, 0], 1 + 0.25 / (1 - 0.25 * 0.25) / (1 - 0.25)))
    True
    """
    parameters = dict(
        tau=tau, tau_coef=tau_coef, gamma=gamma, lam=lam, lambda_coef=lambda_coef, lift=lift
    )
    return gram(X, Y, join_text("volterra", parameters), radius=radius, normalise=normalise, n_jobs=n_jobs)


def gak_kernel(
    X: Any,
    Y: Any = None,
    *,
    sigma: Optional[float] = None,
    window: Optional[int] = None,
    n_jobs: Optional[int] = None,
    **parameters: Any,
) -> Array:
    """The global alignment kernel of Cuturi, normalised.

    Parameters
    ----------
    X, Y : as in `gram`
    sigma : float, optional
        Width of the local Gaussian ``exp(-|x - y|^2 / (2 sigma^2))``.
    window : int, optional
        Number of past steps in an entry; required on a sequence (or ``path="rows"``), not on collections.
    n_jobs : as in `gram`
    **parameters
        Other parameters of ``kernel_table()["gak"]``.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> series = np.random.default_rng(0).normal(size=(3, 10, 2))
    >>> K = volterra.gak_kernel(series, sigma=2.0)
    >>> bool(np.allclose(np.diag(K), 1))
    True
    """
    return gram(X, Y, join_text("gak", dict(sigma=sigma, window=window, **parameters)), n_jobs=n_jobs)


def signature_kernel(
    X: Any,
    Y: Any = None,
    *,
    level: Optional[int] = None,
    order: Optional[int] = None,
    window: Optional[int] = None,
    augment: Optional[str] = None,
    n_jobs: Optional[int] = None,
    **parameters: Any,
) -> Array:
    """The signature kernel truncated at a level: ``1 + sum_{k <= level} <S^k(x), S^k(y)>``.

    Parameters
    ----------
    X, Y : as in `gram`
    level : int, optional
    order : int, optional
        ``level``: exact for the piecewise linear path; 1: the discretised kernel of Kiraly and Oberhauser.
    window : int, optional
        Number of past steps in an entry; required on a sequence (or ``path="rows"``), not on collections.
    augment : str, optional
        ``"time"``, ``"leadlag"``, ``"basepoint"``, joined with ``+``; default: none.
    n_jobs : as in `gram`
    **parameters
        Other parameters of ``kernel_table()["sig"]``.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> line = np.array([[[0.0], [1.0], [2.0]]])
    >>> float(volterra.signature_kernel(line, level=2)[0, 0])  # 1 + 2^2 + (2^2 / 2!)^2
    9.0
    """
    given = dict(level=level, order=order, window=window, augment=augment, **parameters)
    return gram(X, Y, join_text("sig", given), n_jobs=n_jobs)


def sigpde_kernel(
    X: Any,
    Y: Any = None,
    *,
    dyadic: Optional[int] = None,
    static: Optional[str] = None,
    sigma: Optional[float] = None,
    window: Optional[int] = None,
    augment: Optional[str] = None,
    n_jobs: Optional[int] = None,
    **parameters: Any,
) -> Array:
    """The untruncated signature kernel, as the solution of a Goursat PDE.

    Parameters
    ----------
    X, Y : as in `gram`
    dyadic : int, optional
        Refinement: every cell of the grid is split 2^dyadic times in each direction.
    static : {"linear", "rbf"}, optional
        The kernel of the points of the paths; rbf is ``exp(-|x - y|^2 / sigma)``.
    sigma : float, optional
    window : int, optional
        Number of past steps in an entry; required on a sequence (or ``path="rows"``), not on collections.
    augment : str, optional
        ``"time"``, ``"leadlag"``, ``"basepoint"``, joined with ``+``.
    n_jobs : as in `gram`
    **parameters
        Other parameters of ``kernel_table()["sigpde"]``.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> paths = np.cumsum(np.random.default_rng(0).normal(size=(4, 12, 2)) / 5, axis=1)
    >>> volterra.sigpde_kernel(paths, static="linear", dyadic=1).shape
    (4, 4)
    """
    given = dict(dyadic=dyadic, static=static, sigma=sigma, window=window, augment=augment, **parameters)
    return gram(X, Y, join_text("sigpde", given), n_jobs=n_jobs)
