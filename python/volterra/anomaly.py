"""Anomaly detection among series: distances in the variance norm of a kernel, with a threshold.

Cass, Gonon and Zozoulenko, "Variance norms for kernelized anomaly detection"; docs/math.md has the formulas.
"""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Dict, Optional

import numpy as np

from ._assess import read_notes
from ._core import _native as c
from ._core._arguments import alpha_number, choice, kernel_word, seed_of, whole
from ._core._arrays import Array, views
from ._core._errors import NotFittedError, VolterraWarning, check, warn
from ._core._handles import Handle
from ._core._progress import Watch
from ._core._protocol import BaseEstimator, OutlierMixin
from ._core._series import check_channels, read_collection, read_series
from ._core._threads import use_threads
from ._core._types import AnomalyScore, Layout, SeriesInput, SeriesScale

__all__ = ["SeriesAnomaly"]


class SeriesAnomaly(OutlierMixin, BaseEstimator):
    """Anomaly detector for whole series, by their distance from normal series relative to the spread of these.

    Parameters
    ----------
    kernel : str, default="volterra"
        A kernel that compares series, see :func:`volterra.kernel_table`.
    score : {"conformance", "mahalanobis"}, default="conformance"
        Distance from the nearest normal series, or from their mean; relative to their spread.
    rate : float, default=0.05
        Expected share of normal series or rows above the threshold (between 0 and 1).
    alpha : float or "auto", default="auto"
        Regularisation strength: minimum variance of a direction, as a share of the total variance (positive). "auto"
        chooses one of 1e-8, 1e-7, ..., 1: by the examples of anomalies if there are any, otherwise by the
        leave-one-out likelihood of the normal series.
    draws : int, default=0
        Kernels tried in addition to ``kernel``, drawn for the series. Requires examples of anomalies.
    scale : {"channels", "series", "none"}, default="channels"
        Scaling of each channel: over all normal series, within each series, or none.
    input : {"level", "change", "both"}, default="level"
        Values of a step: levels, changes, or both.
    layout : {"auto", "time", "channels"}, default="auto"
        Axes of a series in a 3-D array or in a list of 2-D arrays: "channels", (n_channels, n_steps), as in aeon and sktime, or
        "time", (n_steps, n_channels), as in tslearn. "auto": time is the axis whose length differs between series, or the
        only one longer than 1; else the one that is at least twice as long, with a warning; other shapes are rejected.
        Steps at the end of a series that are nan in every channel are ignored: padding of arrays.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the random numbers. None: another at each fit.
    n_jobs : int, optional
        Threads of this call.

    Attributes
    ----------
    kernel_ : str
        The kernel with all parameters.
    alpha_, threshold_ : float
    offset_ : float
        ``-threshold_``: ``decision_function`` is ``score_samples - offset_``.
    left_out_ : ndarray of shape (n_normal,)
        Leave-one-out scores of the normal series.
    warnings_ : list of Note
        Warnings of the fit, also issued as `VolterraWarning`: too few normal series for the rate.
    n_features_in_ : int
        Channels.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> t = np.arange(30)
    >>> X = np.stack([np.sin(0.5 * t + 0.05 * i)[:, None] for i in range(20)])
    >>> model = volterra.SeriesAnomaly(kernel="gak:sigma=1").fit(X)
    >>> model.predict([np.sin(0.5 * t + 0.31)[:, None], np.sin(1.1 * t)[:, None]])
    array([ 1, -1])
    """

    def __init__(
        self,
        kernel: str = "volterra",
        *,
        score: AnomalyScore = "conformance",
        rate: float = 0.05,
        alpha: Any = "auto",
        draws: int = 0,
        scale: SeriesScale = "channels",
        input: SeriesInput = "level",
        layout: Layout = "auto",
        random_state: Any = 0,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.kernel = kernel
        self.score = score
        self.rate = rate
        self.alpha = alpha
        self.draws = draws
        self.scale = scale
        self.input = input
        self.layout = layout
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self) -> Any:
        options = c.lib.volt_series_anomaly_options_default()
        options.scale = c.OBJECT_SCALES[choice("scale", self.scale, c.OBJECT_SCALES)]
        options.input = c.OBJECT_INPUTS[choice("input", self.input, c.OBJECT_INPUTS)]
        options.score = c.ANOMALY_SCORES[choice("score", self.score, c.ANOMALY_SCORES)]
        options.alpha = alpha_number(self.alpha)
        options.rate = float(self.rate)
        options.draws = whole("draws", self.draws)
        options.seed = seed_of(self.random_state)
        return options

    def _learn(self, kernel: str, options: Any) -> None:
        """Fit a detector of the library to the stored series."""
        others = views(self._examples) if self._examples else None
        pointer = c_void_p()
        with use_threads(self.n_jobs), Watch("anomaly") as watch:
            options.progress = watch.progress
            watch.check(
                c.lib.volt_series_anomaly_fit(
                    c.encode("the kernel", kernel_word(kernel)),
                    views(self._normal),
                    len(self._normal),
                    others,
                    len(self._examples),
                    byref(options),
                    byref(pointer),
                )
            )
        self._handle = Handle(pointer.value, c.lib.volt_series_anomaly_free)

    def fit(self, X: Any, y: Any = None) -> "SeriesAnomaly":
        """Fit the detector to normal series.

        Parameters
        ----------
        X : collection of series
            As in `SeriesClassifier.fit`.
        y : array-like of shape (n_series,), optional
            1: normal, -1: an example of an anomaly, used to choose alpha and the kernel. Default: all are normal.
        """
        options = self._options()
        series, layout = read_collection(X, self.layout, rows_are_series=True)
        marks = np.ones(len(series)) if y is None else np.asarray(y)
        if marks.shape != (len(series),) or not np.isin(marks, (-1, 1)).all():
            raise ValueError("y must hold 1 (normal) or -1 for every series")
        count = int((marks == 1).sum())
        if count < 3:
            raise ValueError(f"X has {count} normal series (n_samples={count}), and at least 3 are needed")
        self._normal = [one for one, mark in zip(series, marks) if mark == 1]
        self._examples = [one for one, mark in zip(series, marks) if mark == -1]
        self._learn(self.kernel, options)
        self.layout_ = layout
        info = c.AnomalyInfo()
        check(c.lib.volt_series_anomaly_get_info(self._handle.pointer, byref(info)))
        self.kernel_ = c.text(info.kernel)
        self.alpha_, self.threshold_ = info.alpha, info.threshold
        self.offset_ = -info.threshold
        self.left_out_ = np.array(info.left_out[: info.n])
        self._scores = np.array(info.scores[: info.n])
        self.warnings_ = read_notes(info.warnings, info.n_warnings)
        for note in self.warnings_:
            warn(note.text, VolterraWarning)
        self.n_features_in_ = series[0].shape[1]
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Fit, and predict the same series; the normal ones by leave-one-out."""
        self.fit(X, y)
        labels = self.predict(X)
        normal = np.ones(len(labels), dtype=bool) if y is None else np.asarray(y) == 1
        labels[normal] = np.where(self._scores > self.threshold_, -1, 1)
        return labels

    # ---- pickling: the library's object is fitted again when needed -------------------------------------------

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__() if hasattr(BaseEstimator, "__getstate__") else self.__dict__)
        state.pop("_handle", None)
        return state

    def _detector(self) -> Any:
        if not hasattr(self, "threshold_"):
            raise NotFittedError("this SeriesAnomaly is not fitted yet: call fit first")
        if not hasattr(self, "_handle"):
            options = self._options()
            options.draws, options.alpha = 0, self.alpha_
            self._learn(self.kernel_, options)
        return self._handle.pointer

    # ---- scores --------------------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Array:
        """Return minus the distance of each series: the lower, the less normal."""
        detector = self._detector()
        series = read_series(X, self.layout_, rows_are_series=True)
        check_channels(self, series)
        out = np.empty(len(series))
        with use_threads(self.n_jobs), Watch("scores") as watch:
            watch.check(
                c.lib.volt_series_anomaly_score(
                    detector, views(series), len(series), watch.progress, out.ctypes.data
                )
            )
        return -out

    def decision_function(self, X: Any) -> Array:
        """Return the score less the offset; negative: an anomaly."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """Return -1 for anomalies, 1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)
