"""Learning curves: held-out error against the number of training rows.

``volterra curve`` and `volt_curve_run` compute the same numbers.
"""

from __future__ import annotations

from ctypes import POINTER, byref, c_int64, pointer
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import (
    alpha_number,
    choice,
    horizon_bounds,
    initial_setting,
    kernel_word,
    season_rows,
    whole,
)
from ._core._data import Array, as_matrix, as_targets, column_names, view
from ._core._machine import use_threads
from ._core._model import FitSettings, record_fields
from ._core._progress import Watch
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
        shape = (int(found.n_kernels), int(found.n_repeats), int(found.n_sizes))

        def array(numbers: Any, *of: int) -> Array:
            return np.ctypeslib.as_array(numbers, of).copy()

        self.kernels: List[str] = [c.text(text) for text in found.kernels[: shape[0]]]
        self.sizes = array(found.sizes, shape[2])
        self.nmse, self.rmse = array(found.nmse, *shape), array(found.rmse, *shape)
        self.alphas = array(found.alphas, *shape, int(found.outputs))
        self.mean_nmse, self.nmse_error = (array(n, shape[0], shape[2]) for n in (found.mean_nmse, found.nmse_error))
        self.rate, self.rate_error = array(found.rate, shape[0]), array(found.rate_error, shape[0])
        self.first = array(found.first, shape[1])
        self.test_rows, self.washout, self.gap = int(found.test_rows), int(found.washout), int(found.gap)

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
    alpha : float or "auto", default="auto"
        Regularisation strength (positive).
    ahead : int or range, optional
        Forecast horizon in rows; several horizons are separate outputs.
    allow_target_in_inputs : bool, default=False
        Allow a target that is also an input of the same row, with ``ahead=0``.
    target : {"auto", "level", "change"}, default="auto"
        Quantity learned: the level of the target, or its change from the current row; "auto": the change if alpha is
        not given and every target is an input, otherwise the level.
    input : {"auto", "level", "change", "both"}, default="auto"
        Inputs of the kernel: levels, changes from the previous row, or both with the values one season ago; "auto":
        both if alpha is not given and every target is an input, otherwise levels.
    season : int, None or "auto", default="auto"
        Season length in rows, or none; "auto": detected in the series.
    washout : int, default=0
        Leading rows of every record excluded from the fit; they initialise the state.
    initial : {"zero", "first", "mean"} or array, default="zero"
        Constant input before the first row of every record: zero after scaling, the first row of the record, the mean
        of the inputs, or values in their units, one per input.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    scale : bool, default=True
        Whether inputs and targets are scaled.
    scale_each : bool, default=False
        Every input divided by its standard deviation, for different units; constant inputs are ignored.
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
    fit = FitSettings(
        alpha=alpha_number(alpha),
        washout=whole("washout", washout),
        intercept=bool(fit_intercept),
        scale=bool(scale),
        ahead=last,
        feedback=False,
        target=choice("target", target, c.TARGETS),
        input=choice("input", input, c.INPUTS),
        season=season_rows(season),
        anchors=pairs.anchors,
        initial=initial_setting(initial),
        plain={"scale_each": int(bool(scale_each))},
    ).options(inputs.shape[1])
    options = c.lib.volt_curve_options_default()
    options.fit = pointer(fit)
    if sizes is not None:
        counts = [whole("sizes", size, 2) for size in sizes]
        if not counts:
            raise ValueError("sizes must have at least one number (got none)")
        options.sizes, options.n_sizes = (c_int64 * len(counts))(*counts), len(counts)
    options.points = whole("points", points, 1)
    options.test = 0 if test is None else whole("test", test, 1)
    options.repeat = whole("repeat", repeat, 1)
    fields = record_fields(pairs.records)
    if fields:
        options.records, options.n_records = fields["records"], fields["n_records"]
    texts = [kernel_word(text) for text in ([kernels] if isinstance(kernels, str) else kernels)]
    names = c.names_array("a kernel", np.array(texts, dtype=object))
    found = POINTER(c.Curve)()
    with use_threads(n_jobs), Watch("curve", verbose) as watch:
        options.progress = watch.progress
        watch.check(
            c.lib.volt_curve_run(
                view(pairs.inputs), view(pairs.targets), names, len(texts), byref(options), byref(found)
            )
        )
    try:
        return LearningCurve(found.contents)
    finally:
        c.lib.volt_curve_free(found)
