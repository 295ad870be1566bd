"""`VolterraClassifier`: classes of the rows of a sequence."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._arrays import Array
from ._errors import warn
from ._loss import LossSettings, read_tolerance, read_weights
from ._model import Model
from ._progress import ProgressCallback
from ._protocol import ClassifierMixin, DataConversionWarning
from ._regressor import SequenceRegressor
from ._training import Horizons, Training

__all__ = ["VolterraClassifier"]


class VolterraClassifier(ClassifierMixin, SequenceRegressor):
    """The class of every row of a sequence, from the row and its past.

    Two classes are one function, ``log(1 + exp(-y u))`` (loss "logistic"); more are one function each
    ("multinomial"). Rows are time steps in order, as for `VolterraRidge`.

    Parameters
    ----------
    kernel : str, default="volterra"
        The kernel, as for `SequenceKernelRidge`.
    alpha : float or "auto", default="auto"
        Regularisation of the readout, above 0; "auto": chosen by the log loss on the last third of the rows.
    tolerance : float, default=1e-6
        How far above its minimum the objective may lie, relative to itself: the duality gap.
    washout, fit_intercept, scale, start, beyond, n_jobs, verbose
        As in `VolterraRidge`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    objective_, duality_gap_ : float
        What was minimised, and how far above the minimum it may lie.
    n_features_in_, feature_names_in_, kernel_, facts_, alpha_, rcond_
        As in `VolterraRidge`.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.random.default_rng(1).normal(size=(300, 1))
    >>> past = u[:, 0] + np.append(0, u[:-1, 0])
    >>> model = volterra.VolterraClassifier("volterra", alpha=0.1).fit(u[:250], np.where(past > 0, "up", "down")[:250])
    >>> model.classes_.tolist()
    ['down', 'up']
    >>> model.predict_proba(u[250:]).shape
    (50, 2)
    >>> bool(model.score(u[250:], np.where(past > 0, "up", "down")[250:]) > 0.8)
    True
    """

    # Rows forecast their own class.
    ahead = None
    target = "level"
    input = "level"
    season = None
    feedback = False
    keep_factor = False

    def __init__(
        self,
        kernel: str = "volterra",
        alpha: Union[float, str] = "auto",
        *,
        tolerance: float = 1e-6,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: str = "auto",
        beyond: str = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.tolerance = tolerance
        self.washout = washout
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.start = start
        self.beyond = beyond
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _kernel_text(self) -> str:
        return str(self.kernel)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
    ) -> Any:
        """Learn the classes of the rows of one sequence, or of several records.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Inputs, one row per time step, in time order.
        y : array-like of shape (n_steps,)
            Labels, texts or whole numbers, of at least two classes.
        sample_weight : array-like of shape (n_steps,), optional
            Weights of the rows, at least 0, that multiply the loss. Rows of weight 0 feed the past alone.
        groups, progress
            As for `VolterraRidge.fit`.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: it has the labels"
            )
        parts = y if groups is None and isinstance(X, (list, tuple)) and np.ndim(X[0]) == 2 else None
        labels = np.concatenate([_labels(p) for p in parts]) if parts is not None else _labels(y)
        classes, codes = np.unique(labels, return_inverse=True)
        numbers = codes.astype(float)
        coded = numbers if parts is None else np.split(numbers, np.cumsum([len(p) for p in parts])[:-1])
        training = Training.read(X, coded, Horizons(0, 0), groups)._replace(
            flat=False, form=None, output_names=None
        )
        if len(classes) < 2:
            raise ValueError(
                f"y has labels of 1 class, {classes[0]!r}, and a classifier needs at least two classes"
            )
        kernel, settings = self._kernel_and_settings()
        settings["losses"] = LossSettings(
            loss="logistic" if len(classes) == 2 else "multinomial",
            tolerance=read_tolerance(self.tolerance),
            weights=read_weights(sample_weight, len(training.rows)),
            classes=[str(name) for name in classes],
        )
        self._fit_model(training, kernel, settings, progress)
        self.classes_ = classes
        return self

    def _adopt(self, model: Model, tail: Optional[Array]) -> Any:
        super()._adopt(model, tail)
        self._flat = self._flat_series = False
        names = model.classes
        try:
            self.classes_ = np.array(
                [float(name) if "." in name or "e" in name else int(name) for name in names]
            )
        except ValueError:
            self.classes_ = np.array(names)
        return self

    # ---- forecasts -----------------------------------------------------------------------------------------

    def _why_not_learn(self) -> Optional[str]:
        return "a classifier is not learned row by row, which goes with squares alone: fit it again"

    def predict_proba(self, X: Any, *, start: Optional[str] = None, groups: Any = None) -> Array:
        """Probabilities of the classes, one column each, in the order of ``classes_``; arguments as for
        `VolterraRidge.predict`."""
        return np.asarray(super().predict(X, start=start, groups=groups))

    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms."""
        return np.log(np.maximum(self.predict_proba(X), 1e-300))

    def predict(self, X: Any, *, start: Optional[str] = None, groups: Any = None) -> Array:  # type: ignore[override]
        """The most probable class of every row; arguments as for `VolterraRidge.predict`."""
        p = self.predict_proba(X, start=start, groups=groups)
        return self.classes_[np.argmax(p, axis=1)]

    def decision_function(self, X: Any) -> Array:
        """Of two classes the logarithm of the odds of the second; of more u for each, whose sum is 0."""
        u = self.predict_log_proba(X)
        return u[:, 1] - u[:, 0] if u.shape[1] == 2 else u - u.mean(axis=1, keepdims=True)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # type: ignore[override]
        """The share of rows whose class is forecast."""
        return float(np.average(self.predict(X) == _labels(y), weights=sample_weight))


def _labels(y: Any) -> Array:
    """Labels as a vector."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected: its only column is taken",
            DataConversionWarning,
        )
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array of labels, got an array of shape {labels.shape} instead")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity: every row needs a label")
        if (labels != np.floor(labels)).any():
            raise ValueError("Unknown label type: continuous. y must hold classes, texts or whole numbers")
    elif labels.dtype.kind == "O":
        labels = np.array([str(label) for label in labels])
    return labels
