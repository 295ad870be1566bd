"""Outlier detection for the rows of one series."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Dict, Optional

import numpy as np

from ._core import _native as c
from ._core._arguments import kernel_word, whole
from ._core._arrays import Array, address, as_matrix, view
from ._core._errors import NotFittedError
from ._core._frames import column_names, is_frame
from ._core._model import Model
from ._core._names import select_columns
from ._core._order import TrainingRows
from ._core._progress import Watch
from ._core._protocol import BaseEstimator, OutlierMixin
from ._core._threads import use_threads

__all__ = ["RowAnomaly"]


class RowAnomaly(OutlierMixin, BaseEstimator):
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
        self.kernel = kernel
        self.rate = rate
        self.window = window
        self.n_jobs = n_jobs

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self, train_rows: int = 0, names: Any = None) -> c.RowAnomalyOptions:
        options = c.lib.volt_row_anomaly_options_default()
        options.kernel = c.encode("the kernel", kernel_word(self.kernel))
        options.train_rows = train_rows
        options.names = c.names_array("the name of a column", names)
        options.rate = float(self.rate)
        options.window = whole("window", self.window)
        return options

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
        with use_threads(self.n_jobs), Watch("fit") as watch:
            options = self._options(len(rows) if train_rows is None else train_rows, names)
            options.progress = watch.progress
            watch.check(c.lib.volt_row_anomaly_fit(view(rows), byref(options), byref(handle)))
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

    # ---- rows ----------------------------------------------------------------------------------------------

    def _judge(self, X: Any) -> Dict[str, Array]:
        """Results of the library for every row of X, except leading rows of `fit`."""
        if not hasattr(self, "_model"):
            raise NotFittedError("this RowAnomaly is not fitted yet: call fit first")
        rows = self._rows(select_columns(X, getattr(self, "feature_names_in_", None), "X"))
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but RowAnomaly is expecting {self.n_features_in_} features as input"
            )
        first = self._known.n if self._known.begin(rows) else 0
        found, channels = np.full((len(rows), 3), [np.nan, np.nan, 0.0]), np.full(len(rows), -1, dtype=np.int64)
        if first < len(rows):
            options = self._options()
            with use_threads(self.n_jobs), Watch("score") as watch:
                options.progress = watch.progress
                new, scores = view(rows[first:]), view(found[first:])
                watch.check(
                    c.lib.volt_row_anomaly_score(self._model, new, byref(options), scores, address(channels[first:]))
                )
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
