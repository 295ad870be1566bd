"""Anomaly detection among series, and in the rows of one series.

`SeriesAnomaly` uses distances in the variance norm of a kernel: Cass, Gonon and Zozoulenko, "Variance norms for kernelized anomaly
detection"; docs/math.md has the formulas.
"""

from __future__ import annotations

from ctypes import c_void_p
from typing import Any, Dict, Optional

import numpy as np

from ._assess import read_notes
from ._core import _native as c
from ._core._arguments import alpha_number, kernel_word, seed_of, whole
from ._core._data import (
    Array,
    SeriesEstimator,
    as_matrix,
    column_names,
    is_frame,
    read_collection,
    select_columns,
)
from ._core._errors import VolterraWarning, check, warn
from ._core._model import Model
from ._core._order import TrainingRows
from ._core._progress import PROGRESS, run
from ._core._protocol import Estimator, OutlierMixin
from ._core._types import AnomalyScore, Layout, SeriesInput, SeriesScale

__all__ = ["RowAnomaly", "SeriesAnomaly"]


class SeriesAnomaly(OutlierMixin, SeriesEstimator):
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
        Axes of a series, as in `SeriesClassifier`.
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
        self._keep_arguments(locals())

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self) -> Any:
        return c.fill(
            c.lib.volt_series_anomaly_options_default(),
            scale=self.scale,
            input=self.input,
            score=self.score,
            alpha=alpha_number(self.alpha),
            rate=float(self.rate),
            draws=whole("draws", self.draws),
            seed=seed_of(self.random_state),
        )

    def _learn(self, kernel: str, options: Any) -> None:
        """Fit a detector of the library to the stored series."""
        pointer, text = c_void_p(), c.encode("the kernel", kernel_word(kernel))
        normal, others = self._normal, self._examples
        series = (normal, len(normal), others or None, len(others))
        run("anomaly", c.lib.volt_series_anomaly_fit, text, *series, options, pointer, n_jobs=self.n_jobs)
        self._handle = c.Handle(pointer.value, c.lib.volt_series_anomaly_free)

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
        check(c.lib.volt_series_anomaly_get_info(self._handle.pointer, info))
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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    def _detector(self) -> Any:
        if not hasattr(self, "_handle"):
            options = self._options()
            options.draws, options.alpha = 0, self.alpha_
            self._learn(self.kernel_, options)
        return self._handle.pointer

    # ---- scores --------------------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Array:
        """Return minus the distance of each series: the lower, the less normal."""
        series, detector = self._read_series(X), self._detector()
        out = np.empty(len(series))
        run("scores", c.lib.volt_series_anomaly_score, detector, series, len(series), PROGRESS, out, n_jobs=self.n_jobs)
        return -out

    def decision_function(self, X: Any) -> Array:
        """Return the score less the offset; negative: an anomaly."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """Return -1 for anomalies, 1 for the others."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class RowAnomaly(OutlierMixin, Estimator):
    """Outlier detector for the rows of one series.

    Each row is predicted from the rows before it. The score of a row is the absolute error divided by 1.4826 times the
    median of the last 300 absolute errors, for the channel in which this ratio is largest. An alarm is a score above
    the threshold, which a share ``rate`` of the scores so far exceed. ``volterra anomaly --x`` computes the same
    numbers, bit for bit.

    Parameters
    ----------
    kernel : str, default="volterra"
        Kernel of the model that predicts the rows, see :func:`volterra.kernel_table`.
    rate : float, default=0.001
        Expected share of normal series or rows above the threshold (between 0 and 1).
    window : int, default=500
        Number of latest rows that are learned; 0: no learning after the training rows. Rows with an alarm are not
        learned.
    n_jobs : int, optional
        Number of threads.

    Attributes
    ----------
    kernel_ : str
        The kernel with all parameters.
    n_features_in_ : int
        Number of channels.
    feature_names_in_ : ndarray of str
        Columns of X, if it is a data frame.
    train_rows_ : int
        Number of training rows.

    See Also
    --------
    SeriesAnomaly : anomaly detection among series.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(400.0)) + 0.05 * np.random.default_rng(1).normal(size=400)
    >>> x[300] += 2
    >>> detector = volterra.RowAnomaly().fit(x[:200])
    >>> int(np.argmin(detector.score_samples(x[200:])))
    100
    >>> int(detector.predict(x[200:])[100])
    -1
    """

    def __init__(
        self, kernel: str = "volterra", *, rate: float = 0.001, window: int = 500, n_jobs: Optional[int] = None
    ) -> None:
        self._keep_arguments(locals())

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self, train_rows: int = 0, names: Any = None) -> c.RowAnomalyOptions:
        return c.fill(
            c.lib.volt_row_anomaly_options_default(),
            kernel=kernel_word(self.kernel),
            train_rows=train_rows,
            names=names,
            rate=float(self.rate),
            window=whole("window", self.window),
        )

    @staticmethod
    def _rows(X: Any) -> Array:
        """One column for 1-D data."""
        if getattr(X, "ndim", None) == 1 or (isinstance(X, (list, tuple)) and np.ndim(X) == 1):
            X = np.asarray(X).reshape(-1, 1)
        return as_matrix(X, "X")

    def fit(self, X: Any, y: Any = None) -> "RowAnomaly":
        """Fit the model that predicts each row from the rows before it.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_channels) or (n_steps,)
            Rows in time order, at least 3; a few hundred are better. Anomalies among them raise the
            threshold.
        y : ignored

        Returns
        -------
        self
        """
        return self._fit(X, self._rows(X))

    def _fit(self, X: Any, rows: Array, train_rows: Optional[int] = None) -> "RowAnomaly":
        """Fit that number of leading rows of X; 0: the default of the library, None: all."""
        if len(rows) < 3:
            raise ValueError(
                f"Found array with {len(rows)} sample(s) (shape={rows.shape}) while a minimum of 3 is required."
            )
        names = column_names(X) if getattr(X, "ndim", 2) == 2 else None
        handle = c_void_p()
        options = self._options(len(rows) if train_rows is None else train_rows, names)
        run("fit", c.lib.volt_row_anomaly_fit, rows, options, handle, n_jobs=self.n_jobs)
        self._model = Model(handle)
        self.kernel_, self.n_features_in_, self.train_rows_ = self._model.kernel, rows.shape[1], self._model.n + 1
        self._known = TrainingRows(rows[: self.train_rows_], rows[: self.train_rows_])
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Fit the first rows, and label all: a third of them is fitted, 50 to 2000, and has label 1.

        ``volterra anomaly`` fits the same rows by default.
        """
        return self._fit(X, self._rows(X), 0).predict(X)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # ---- rows ----------------------------------------------------------------------------------------------

    def _judge(self, X: Any) -> Dict[str, Array]:
        """Results of the library for every row of X, except leading rows of `fit`."""
        self._check_is_fitted()
        rows = self._rows(select_columns(X, getattr(self, "feature_names_in_", None), "X"))
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but RowAnomaly is expecting {self.n_features_in_} features as input"
            )
        first = self._known.n if self._known.begin(rows) else 0
        found, channels = np.full((len(rows), 3), [np.nan, np.nan, 0.0]), np.full(len(rows), -1, dtype=np.int64)
        if first < len(rows):
            new, out = rows[first:], (found[first:], channels[first:])
            run("score", c.lib.volt_row_anomaly_score, self._model, new, self._options(), *out, n_jobs=self.n_jobs)
        return {"score": found[:, 0], "threshold": found[:, 1], "alarm": found[:, 2] > 0, "channel": channels}

    @staticmethod
    def _dress(values: Array, X: Any, name: str) -> Any:
        """Return a Series with the index of X if X is a pandas object."""
        if not is_frame(X):
            return values
        import pandas

        return pandas.Series(values, index=X.index, name=name)

    def details(self, X: Any) -> Any:
        """Return score, threshold, alarm and channel of every row.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_channels) or (n_steps,)
            Rows that follow those of `fit`, in time order. Every call starts from the end of `fit`. X may begin with all
            rows of `fit`, which then have no score.

        Returns
        -------
        dict of ndarray, or DataFrame with the index of X if X is a pandas object
            ``score`` (nan: none), ``threshold`` (inf while fewer than 30 errors are known), ``alarm`` (bool) and ``channel``,
            the number of the column with the largest scaled error (-1: none).
        """
        out = self._judge(X)
        if not is_frame(X):
            return out
        import pandas

        return pandas.DataFrame(out, index=X.index)

    def score_samples(self, X: Any) -> Any:
        """Return minus the score of each row: the lower, the less normal; nan: no score. X as for `details`."""
        return self._dress(-self._judge(X)["score"], X, "score")

    def decision_function(self, X: Any) -> Any:
        """Return threshold minus score of each row: negative for an alarm; nan: no score. X as for `details`."""
        out = self._judge(X)
        return self._dress(out["threshold"] - out["score"], X, "decision")

    def predict(self, X: Any) -> Any:
        """Return -1 for rows that raise an alarm, 1 for the others. X as for `details`."""
        return self._dress(np.where(self._judge(X)["alarm"], -1, 1), X, "label")
