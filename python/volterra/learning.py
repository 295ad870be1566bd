"""Learning curves: held-out error against the number of training rows.

``volterra curve`` and `volt_curve_run` compute the same numbers.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import horizon_bounds, kernel_word, whole
from ._core._data import as_matrix, as_targets, column_names
from ._core._model import fit_fields, fit_options
from ._core._progress import run
from ._core._types import Alpha, Input, Season, Target
from ._training import pair
from .identification import _inputs, _records

__all__ = ["LearningCurve", "learning_curve"]


class LearningCurve:
    """Result of `learning_curve`.

    Attributes
    ----------
    kernels : list of str
        Full texts of the kernels.
    sizes : ndarray of int, shape (n_sizes,)
        Numbers of training rows, without the washout.
    nmse, rmse : ndarray of shape (n_kernels, n_repeats, n_sizes)
        Errors of the held-out rows, as in `volterra.metrics`.
    alphas : ndarray of shape (n_kernels, n_repeats, n_sizes, n_outputs)
        Regularisation strengths; inf: the kernel is not used.
    mean_nmse, nmse_error : ndarray of shape (n_kernels, n_sizes)
        Mean over the repeats and its standard error; nan: one repeat.
    rate, rate_error : ndarray of shape (n_kernels,)
        Slope of log NMSE against log rows over the larger half of the sizes (at least two), mean over the repeats, and
        its standard error. The standard error is from the slopes of the repeats, or with one repeat from the residuals
        of the line, which are correlated.
    first : ndarray of int, shape (n_repeats,)
        First row of every repeat: ``washout`` rows, the largest training set, ``gap`` rows, and ``test_rows`` held-out rows.
    test_rows, washout, gap : int

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(600)
    >>> curve = volterra.learning_curve(u, y, ["linear"], sizes=[100, 200, 400], test=150)
    >>> curve.sizes, curve.mean_nmse.round(2)
    (array([100, 200, 400]), array([[0.73, 0.72, 0.74]]))
    """

    def __init__(self, found: c.Curve) -> None:
        values = c.values(found)
        self.kernels: List[str] = values["kernels"]
        self.sizes, self.nmse, self.rmse, self.alphas = (values[name] for name in ("sizes", "nmse", "rmse", "alphas"))
        self.mean_nmse, self.nmse_error = values["mean_nmse"], values["nmse_error"]
        self.rate, self.rate_error, self.first = values["rate"], values["rate_error"], values["first"]
        self.test_rows, self.washout, self.gap = values["test_rows"], values["washout"], values["gap"]

    def plot(self, axes: Any = None) -> Any:
        """Plot the curves, see `volterra.plot.learning_curve`.

        Parameters
        ----------
        axes : Axes, optional
            Default: a new figure.

        Returns
        -------
        Axes
        """
        from .plot import learning_curve as draw

        return draw(self, axes=axes)

    def __repr__(self) -> str:
        rates = ", ".join(f"{kernel}: {rate:.3g}" for kernel, rate in zip(self.kernels, self.rate))
        return f"<LearningCurve: {len(self.sizes)} sizes up to {self.sizes[-1]} rows, rates {rates}>"


def learning_curve(
    X: Any,
    y: Any = None,
    kernels: Union[str, Sequence[str]] = "volterra",
    *,
    sizes: Optional[Sequence[int]] = None,
    points: int = 8,
    test: Optional[int] = None,
    repeat: int = 1,
    groups: Any = None,
    alpha: Alpha = "auto",
    ahead: Any = None,
    allow_target_in_inputs: bool = False,
    target: Target = "auto",
    input: Input = "auto",
    season: Season = "auto",
    washout: int = 0,
    initial: Any = "zero",
    fit_intercept: bool = True,
    scale: bool = True,
    scale_each: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> LearningCurve:
    """Measure the error of held-out rows against the number of training rows.

    The held-out rows follow the training rows and are the same for all sizes. A smaller training set is the beginning of the
    largest one. Scales and ranges are learned from the largest one. One Gram matrix, and one factorisation for each alpha,
    serve all sizes.

    Parameters
    ----------
    X : array-like of shape (n_steps, n_inputs) or (n_steps,), or list of these
        Inputs, one row per time step. A list has one array per record, for example one for each seed of a simulated
        system; every record has its own training and held-out rows.
    y : array-like of shape (n_steps, n_outputs) or (n_steps,), or list of these, optional
        Targets; rows of the same date if X and Y have dates, otherwise row by row. None: X.
    kernels : str or list of str, default="volterra"
        Texts of the kernels.
    sizes : list of int, optional
        Numbers of training rows, increasing.
    points : int, default=8
        Number of sizes at equal ratios; the smallest is the larger of 20 and a hundredth of the largest possible size
        (from 1 to 1000).
    test : int, optional
        Held-out rows of each repeat (at least 1).
    repeat : int, default=1
        Origins in every record. The held-out rows of each follow those of the one before; the last ``repeat * test`` rows are
        held out.
    groups : array-like of shape (n_steps,), optional
        Record of each row, in place of a list. The rows of a record must be adjacent.
    alpha, ahead, allow_target_in_inputs, target, input, season, washout, initial, fit_intercept, scale, scale_each
        As in `VolterraRidge`.
    n_jobs : int, optional
        Number of threads.
    verbose : bool, default=False
        Progress bar.

    Returns
    -------
    LearningCurve

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(600)
    >>> curve = volterra.learning_curve(u, y, ["volterra", "linear"], sizes=[100, 200, 400], test=150)
    >>> curve.nmse.shape
    (2, 1, 3)
    >>> bool(curve.mean_nmse[0, -1] < curve.mean_nmse[1, -1])
    True
    """
    fields = fit_fields(SimpleNamespace(**locals()))
    rows = _records(X, y, groups)
    inputs = as_matrix(_inputs(rows.X, "X"), "X")
    series = None if rows.y is None else as_targets(rows.y)[0]
    least = 0 if series is not None else 1
    first, last = horizon_bounds(ahead) or (least, least)
    pairs = pair(
        inputs,
        series,
        first,
        last,
        records=rows.lengths,
        input_names=column_names(rows.X),
        target_names=column_names(rows.X if series is None else rows.y),
        allow_target_in_inputs=allow_target_in_inputs,
    )
    fit = fit_options(inputs.shape[1], {**fields, "ahead": last, "anchors": pairs.anchors})
    counts = None if sizes is None else [whole("sizes", size, 2) for size in sizes]
    if counts == []:
        raise ValueError("sizes must have at least one number (got none)")
    options = c.fill(
        c.lib.volt_curve_options_default(),
        fit=fit,
        sizes=counts,
        points=whole("points", points, 1),
        test=0 if test is None else whole("test", test, 1),
        repeat=whole("repeat", repeat, 1),
        records=pairs.records,
    )
    texts = [kernel_word(text) for text in ([kernels] if isinstance(kernels, str) else kernels)]
    names = c.names_array("a kernel", np.array(texts, dtype=object))
    with c.result(c.Curve, c.lib.volt_curve_free) as found:
        arguments = (pairs.inputs, pairs.targets, names, len(texts), options, found)
        run("curve", c.lib.volt_curve_run, *arguments, n_jobs=n_jobs, verbose=verbose)
        return LearningCurve(found.contents)
