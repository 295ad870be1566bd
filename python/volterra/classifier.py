"""`VolterraClassifier`: classes of the rows of a sequence."""

from __future__ import annotations

from typing import Any, Callable, Dict, Literal, Mapping, Optional, Tuple, Union, cast

import numpy as np

from ._core._arguments import choice, kernel_word
from ._core._data import Array, as_labels
from ._core._gaps import align
from ._core._kernel import read_weights
from ._core._model import Model, fit_fields
from ._core._progress import ProgressCallback
from ._core._protocol import ClassifierMixin
from ._core._types import Beyond, FoldsBy, Race, Search, Self, Start
from ._regressor import BEYOND, STARTS, SequenceRegressor
from ._training import Horizons, Training
from .search import Found, Trial, VolterraRidgeCV

__all__ = ["VolterraClassifier", "VolterraClassifierCV"]


class ClassForecasts(ClassifierMixin):
    """Base of the classifiers: labels, and predictions as probabilities."""

    classes_: Array

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags = None  # a classifier, although it inherits from the regressors
        tags.target_tags.multi_output = False
        tags.target_tags.required = True
        return tags

    def _read_classes(
        self, X: Any, y: Any, groups: Any, sample_weight: Any
    ) -> Tuple[Training, Dict[str, Any], Array]:
        """Return rows with class numbers, the fields of ``volt_fit_options``, and the labels."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        X, y, sample_weight, groups = align(X, y, sample_weight, groups)
        parts = y if groups is None and isinstance(X, (list, tuple)) and np.ndim(X[0]) == 2 else None
        labels = np.concatenate([_labels(p) for p in parts]) if parts is not None else _labels(y)
        # scikit-learn's order, by the type of the labels; volt_texts_number, for texts of files, reads numbers by value.
        classes, codes = np.unique(labels, return_inverse=True)
        numbers = codes.astype(float)
        coded = numbers if parts is None else np.split(numbers, np.cumsum([len(p) for p in parts])[:-1])
        fields = fit_fields(self)
        fields.update(loss="logistic" if len(classes) == 2 else "multinomial", classes=[str(name) for name in classes])
        training = Training(X, coded, Horizons(0, 0), groups, fields=fields)
        training.flat, training.form, training.output_names = False, None, None
        if len(classes) < 2:
            raise ValueError(
                f"a classifier requires at least two classes (y has 1 class, {classes[0]!r})"
            )
        fields["weights"] = read_weights(sample_weight, len(training.rows))
        return training, fields, classes

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

    def _why_not_learn(self) -> Optional[str]:
        return "learning row by row requires squared loss: fit the classifier again"

    # ---- forecasts -----------------------------------------------------------------------------------------

    def predict_proba(self, X: Any, *, start: Optional[str] = None, groups: Any = None) -> Array:
        """Return probabilities of the classes, one column each, in the order of ``classes_``; arguments as for
        `VolterraRidge.predict`."""
        return np.asarray(super().predict(X, start=start, groups=groups))

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of `predict_proba`."""
        return np.log(np.maximum(self.predict_proba(X), 1e-300))

    def predict(self, X: Any, *, start: Optional[str] = None, groups: Any = None) -> Array:  # type: ignore[override]
        """Return the most probable class of every row; arguments as for `VolterraRidge.predict`."""
        p = self.predict_proba(X, start=start, groups=groups)
        return self.classes_[np.argmax(p, axis=1)]

    def decision_function(self, X: Any) -> Array:
        """Return for two classes the log odds of the second; for more the value u of each class, with sum 0."""
        u = self.predict_log_proba(X)
        return u[:, 1] - u[:, 0] if u.shape[1] == 2 else u - u.mean(axis=1, keepdims=True)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # type: ignore[override]
        """Return the accuracy."""
        return float(np.average(self.predict(X) == _labels(y), weights=sample_weight))


class VolterraClassifier(ClassForecasts, SequenceRegressor):  # type: ignore[misc]
    """Classifier of the rows of a sequence, from each row and the rows before it.

    Two classes use one function, ``log(1 + exp(-y u))`` (loss "logistic"); more use one function each ("multinomial"). Rows are
    time steps in order, as for `VolterraRidge`.

    Parameters
    ----------
    kernel : str, default="volterra"
        The kernel, as for `SequenceKernelRidge`.
    alpha : float or "auto", default="auto"
        Regularisation strength (positive). "auto": chosen by the log loss on the last third of the rows.
    tolerance : float, default=1e-6
        Relative duality gap of the objective, or relative residual of pcg (between 0 and 1).
    washout, fit_intercept, scale, scale_each, start, beyond, n_jobs, verbose
        As in `VolterraRidge`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    objective_, duality_gap_ : float
        Objective, and an upper bound of its distance from the minimum.
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

    # The target of a row is its class.
    ahead = None
    target = "level"
    input = "level"
    season = None
    feedback = False

    def __init__(
        self,
        kernel: str = "volterra",
        alpha: Union[float, str] = "auto",
        *,
        tolerance: float = 1e-6,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: Start = "auto",
        beyond: Beyond = "auto",
        n_jobs: Optional[int] = None,
        verbose: Any = False,
        scale_each: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def _kernel_text(self) -> str:
        return kernel_word(self.kernel)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
    ) -> Self:
        """Fit one sequence, or several records.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Inputs, one row per time step, in time order.
        y : array-like of shape (n_steps,)
            Labels, strings or integers, of at least two classes.
        sample_weight : array-like of shape (n_steps,), optional
            Weights of the rows, at least 0, that multiply the loss. Targets of rows with weight 0 are ignored; their inputs
            still enter the state.
        groups, progress
            As for `VolterraRidge.fit`.

        Returns
        -------
        self
        """
        training, fields, classes = self._read_classes(X, y, groups, sample_weight)
        self._fit_model(training, self._kernel_text(), fields, progress)
        self.classes_ = classes
        return self


class VolterraClassifierCV(ClassForecasts, VolterraRidgeCV):  # type: ignore[misc]
    """`VolterraClassifier` with its kernel's parameters and alpha chosen by cross-validation in time order.

    The score of candidates is the log loss on the validation blocks. Every training part must contain all classes: use fewer
    folds if a class appears late.

    Parameters
    ----------
    draws, budget, folds, race, search, kernel, candidates, ranges, gap, max_train, folds_by, washout, fit_intercept, \
    scale, scale_each, start, beyond, refit, log, resume, n_jobs, random_state, verbose
        As in `VolterraRidgeCV`.
    scoring : {"neg_log_loss"}, default="neg_log_loss"
        Higher is better.
    tolerance : float, default=1e-6
        Relative duality gap of the objective, or relative residual of pcg (between 0 and 1).

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    best_params_, best_score_, best_index_, cv_results_, n_splits_, search_time_
        As in `VolterraRidgeCV`; scores are negative log losses.
    best_estimator_ : VolterraClassifier
        The refitted estimator.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.random.default_rng(1).normal(size=(200, 1))
    >>> labels = np.where(u[:, 0] + np.append(0, u[:-1, 0]) > 0, "up", "down")
    >>> search = volterra.VolterraClassifierCV(draws=5, random_state=0).fit(u[:150], labels[:150])
    >>> bool(search.best_score_ > -0.5), bool(search.score(u[150:], labels[150:]) > 0.8)
    (True, True)
    """

    # The target of a row is its class.
    ahead = None
    target = "level"
    input = "level"
    season = None
    feedback = False
    validate = "simulate"
    method = "draws"

    def __init__(
        self,
        draws: Optional[int] = None,
        budget: Union[None, float, str] = None,
        folds: int = 5,
        race: Race = "exact",
        *,
        search: Search = "random",
        kernel: str = "volterra",
        candidates: Any = None,
        ranges: Optional[Mapping[str, Any]] = None,
        scoring: Literal["neg_log_loss"] = "neg_log_loss",
        gap: Optional[int] = None,
        max_train: Optional[int] = None,
        folds_by: FoldsBy = "rows",
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: Start = "auto",
        beyond: Beyond = "auto",
        refit: bool = True,
        log: Any = None,
        resume: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        verbose: Any = False,
        tolerance: float = 1e-6,
        scale_each: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def _score(self, loss: Optional[str]) -> Tuple[str, int]:
        choice("scoring", self.scoring, ("neg_log_loss",))
        return "loss", -1

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
        on_trial: Optional[Callable[[Trial], Any]] = None,
    ) -> Self:
        """Search, then fit the best candidate on all rows; arguments as for `VolterraClassifier.fit` and
        `VolterraRidgeCV.fit`."""
        choice("start", self.start, STARTS)
        choice("beyond", self.beyond, BEYOND)
        training, fields, classes = self._read_classes(X, y, groups, sample_weight)
        self._fit_best(training, fields, progress, on_trial)
        self.classes_ = classes
        return self

    def _keep(self, found: Found, given: Any) -> None:
        super()._keep(found, given or {t["index"]: {"kernel": t["kernel"], "alpha": t["alpha"]} for t in found.trials})

    def _estimator(self, given: Dict[str, Any]) -> VolterraClassifier:
        names = ("washout", "fit_intercept", "scale", "scale_each", "start", "beyond")
        shared = {name: getattr(self, name) for name in names}
        estimator = VolterraClassifier(
            self._best["kernel"],
            self._best["alpha"],
            tolerance=cast(float, self.tolerance),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            **shared,
        )
        estimator.classes_ = self.classes_
        return estimator


def _labels(y: Any) -> Array:
    labels = as_labels(y)
    return np.array([str(label) for label in labels]) if labels.dtype.kind == "O" else labels
