"""Classification of whole series by a kernel."""

from __future__ import annotations

from ctypes import c_void_p
from typing import Any, Literal, Mapping, Optional, Union

import numpy as np

from ._assess import read_notes
from ._core import _native as c
from ._core._arguments import alpha_number, choice, kernel_word, seconds_of, seed_of, whole
from ._core._data import Array, SeriesEstimator, as_labels, empty, read_collection
from ._core._errors import VolterraWarning, check, warn
from ._core._progress import PROGRESS, run
from ._core._protocol import ClassifierMixin
from ._core._types import Input, Layout, SeriesCompare, SeriesScale
from .search import range_of

__all__ = ["SeriesClassifier"]

LOSSES = ("squares", "multinomial")
MAX_BLEND = 8


def _or_auto(name: str, value: Any, words: Mapping[str, int]) -> int:
    if value == "auto":
        return c.SERIES_CHOOSE
    return words[choice(name, value, ("auto", *words))]


def _count_or_auto(name: str, value: Any) -> int:
    return c.SERIES_CHOOSE if value == "auto" else whole(name, value)


class SeriesClassifier(ClassifierMixin, SeriesEstimator):
    """Classifier of whole series, which may differ in length; equivalent to ``volterra classify``.

    The readout uses the Gram matrix of a kernel between training series. Open parameters of the kernel, alpha and the
    preparation are selected on the training series by leave-one-out accuracy.

    Parameters
    ----------
    kernel : str, optional
        Kernel of series; parameters in the text are fixed, the others are searched; 'A | B' searches several kernels.
        None: a list of kernels that fits the series.
    loss : {"squares", "multinomial"}, default="squares"
        Loss function: squares, or multinomial for class probabilities. `predict_proba` works with both.
    alpha : float or "auto", default="auto"
        Regularisation strength (positive). "auto": chosen for every kernel.
    draws : int, optional
        Number of kernels to evaluate, without a time limit (at least 1). None: 60, or one for each preparation where
        the kernel has no open parameters.
    budget : float, str or None, default="auto"
        Time limit of search and fit: 90s, 3min, 2h, or seconds. "auto": 30 s, or no limit with `draws`. None: no
        limit. The result depends on the speed of the machine only if the budget ended the search (`cut_`).
    screen : int or "auto", default="auto"
        Number of series for a first evaluation of all kernels; 0: all series; "auto": by the amount of work. The best
        kernels of that evaluation are evaluated on all series.
    landmarks : int or "auto", default="auto"
        Number of training series in the readout; 0: all; "auto": all up to 500 series, 300 above, fewer for long
        series.
    blend : int, default=3
        Maximum number of kernels in an average of the best of each kind; 1: one kernel (from 1 to 8).
    ranges : dict, optional
        Ranges of parameters of the kernel, as in `VolterraRidgeCV`: ``{"sigma": (0.1, 10)}``.
    scale : {"auto", "channels", "series", "none"}, default="auto"
        Scaling of each channel to mean 0 and standard deviation 1: over all training series, within each series, or
        none; "auto" tries the first two.
    input : {"auto", "level", "change", "both"}, default="auto"
        Values of a step: levels, changes, or both; "auto" tries levels and both.
    compare : {"auto", "series", "steps"}, default="auto"
        Comparison of whole series, or of all pairs of steps; pairs of steps have no order in time, and "auto" tries
        both.
    splits : int, default=20
        Stratified splits with 30 % held out, to evaluate the chosen kernel; 0: none.
    folds : int, default=5
        Folds of the nested accuracy, 2 to 10; 0: none.
    layout : {"auto", "time", "channels"}, default="auto"
        Axes of a series in a 3-D array or in a list of 2-D arrays: "channels", (n_channels, n_steps), as in aeon and sktime, or
        "time", (n_steps, n_channels), as in tslearn. "auto": time is the axis whose length differs between series, or the
        only one longer than 1; else the one that is at least twice as long, with a warning; other shapes are rejected.
        Steps at the end of a series that are nan in every channel are ignored: padding of arrays.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the random numbers. None: another at each fit.
    n_jobs : int, optional
        Threads of this call.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    kernel_ : str
        The kernel with all parameters; of several, the best one.
    parts_ : list of dict
        All kernels of the average, each with "kernel", "scale", "input" and "compare".
    alpha_ : float
    nested_accuracy_ : float
        Expected accuracy: the selection is repeated without each fold and evaluated on it. nan without folds, or if the
        budget ended the search too early.
    left_out_accuracy_ : float
        Leave-one-out accuracy of the selected kernel (ridge regression), which is optimistic because it selected the
        kernel.
    left_out_ : ndarray of shape (n_series, n_classes)
        Leave-one-out outputs.
    split_mean_, split_deviation_ : float
        Accuracy of the selected kernel over the splits; nan without.
    log_loss_ : float
        "multinomial": mean -log probability over five stratified folds; else nan.
    n_tried_, n_failed_, n_finalists_ : int
        Kernels tried, those whose matrix could not be factored, and those tried on all series.
    n_screen_, n_landmarks_ : int
        Series in the screening sample, and landmarks of the readout; 0: all.
    cut_ : bool
        Whether the budget ended the search.
    warnings_ : list of Note
        Warnings of the fit, also issued as `VolterraWarning`: classes with one training series, a search that the budget ended.
    temperature_ : float
        "squares": probabilities are ``softmax(outputs / temperature_)``.
    layout_ : str
        The layout of the training series.
    n_features_in_ : int
        Channels.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> t = np.arange(30)
    >>> X = np.stack([np.sin((0.4 if i % 2 else 0.6) * t + 0.3 * i)[:, None] for i in range(20)])
    >>> y = np.where(np.arange(20) % 2, "slow", "fast")
    >>> model = volterra.SeriesClassifier("gak", draws=8, scale="channels", compare="series").fit(X, y)
    >>> model.left_out_accuracy_
    1.0
    >>> model.predict([np.sin(0.4 * t[:25] + 0.1)[:, None], np.sin(0.6 * t + 0.2)[:, None]]).tolist()
    ['slow', 'fast']
    """

    def __init__(
        self,
        kernel: Optional[str] = None,
        *,
        loss: str = "squares",
        alpha: Union[float, str] = "auto",
        draws: Optional[int] = None,
        budget: Union[None, float, str] = "auto",
        blend: int = 3,
        ranges: Optional[Mapping[str, Any]] = None,
        scale: Union[SeriesScale, Literal["auto"]] = "auto",
        input: Input = "auto",
        compare: Union[SeriesCompare, Literal["auto"]] = "auto",
        splits: int = 20,
        layout: Layout = "auto",
        random_state: Any = 0,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
        screen: Union[int, str] = "auto",
        landmarks: Union[int, str] = "auto",
        folds: int = 5,
    ) -> None:
        self._keep_arguments(locals())

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self) -> Any:
        return c.fill(
            c.lib.volt_series_options_default(),
            kernel=None if self.kernel is None else kernel_word(self.kernel),
            loss=choice("loss", self.loss, LOSSES),
            scale=_or_auto("scale", self.scale, c.OBJECT_SCALES),
            input=_or_auto("input", self.input, c.OBJECT_INPUTS),
            compare=_or_auto("compare", self.compare, c.OBJECT_COMPARES),
            alpha=alpha_number(self.alpha),
            draws=c.SERIES_CHOOSE if self.draws is None else whole("draws", self.draws, 1),
            budget=c.SERIES_CHOOSE if self.budget == "auto" else seconds_of(self.budget),
            screen=_count_or_auto("screen", self.screen),
            landmarks=_count_or_auto("landmarks", self.landmarks),
            folds=whole("folds", self.folds),
            blend=whole("blend", self.blend, 1, MAX_BLEND),
            splits=whole("splits", self.splits),
            ranges=[range_of(name, law) for name, law in (self.ranges or {}).items()],
        )

    def _learn(self, options: Any) -> None:
        """Fit a classifier of the library to the stored series."""
        pointer = c_void_p()
        arguments = (self._series, len(self._series), self._numbers, len(self.classes_), c.Matrix(), options, pointer)
        run("classify", c.lib.volt_series_fit, *arguments, n_jobs=self.n_jobs, verbose=self.verbose)
        self._handle = c.Handle(pointer.value, c.lib.volt_series_model_free)

    def fit(self, X: Any, y: Any) -> "SeriesClassifier":
        """Fit the classifier.

        Parameters
        ----------
        X : collection of series
            A 3-D array or a list of 2-D arrays, with axes as in `layout`; lengths may differ in a list. A 2-D array
            (n_series, n_steps) or a list of 1-D arrays: univariate series. A pandas frame with a series in every cell, or with
            an index of series and time, as in sktime.
        y : array-like of shape (n_series,)
            Labels.
        """
        options = self._options()
        series, layout = read_collection(X, self.layout, rows_are_series=True)
        if y is None:
            raise ValueError("SeriesClassifier requires y to be passed, but the target y is None")
        labels = as_labels(y)
        seed = seed_of(self.random_state)
        options.seed = seed
        if labels.shape != (len(series),):
            raise ValueError(f"y has shape {labels.shape}, and ({len(series)},) is needed: a label for each series")
        classes, numbers = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"a classifier requires at least two classes (y has 1 class, {classes[0]!r})")
        before = dict(self.__dict__)
        try:
            self.classes_, self._series, self._seed, self.layout_ = classes, series, seed, layout
            self._numbers = np.ascontiguousarray(numbers, dtype=np.int64)
            self._learn(options)
        except BaseException:
            self.__dict__ = before  # restore
            raise
        self.n_features_in_ = series[0].shape[1]
        self._set_attributes()
        return self

    def _set_attributes(self) -> None:
        info = c.SeriesInfo()
        check(c.lib.volt_series_model_get_info(self._handle.pointer, info))
        self.kernel_, self.alpha_ = c.text(info.kernel), info.alpha
        self.parts_ = [c.values(info.kernels[index]) for index in range(info.parts)]
        self.left_out_accuracy_ = info.left_out
        self.split_mean_, self.split_deviation_ = info.split_mean, info.split_deviation
        self.log_loss_ = info.log_loss
        self.n_tried_, self.n_failed_, self.n_finalists_ = info.tried, info.failed, info.finalists
        self.n_screen_, self.n_landmarks_, self.cut_ = info.screen, info.landmarks, bool(info.cut)
        self.nested_accuracy_, self.temperature_ = info.nested, info.temperature
        self.left_out_ = c.array(info.left_out_outputs, info.series, info.classes)
        self.warnings_ = read_notes(info.warnings, info.n_warnings)
        for text in dict.fromkeys(note.text for note in self.warnings_):
            warn(text, VolterraWarning)

    def _classifier(self) -> Any:
        if not hasattr(self, "_handle"):
            options = self._options()
            parts = [c.fill(c.SeriesKernel(), **part) for part in self.parts_]
            c.fill(options, parts=parts)
            options.alpha, options.splits, options.folds = self.alpha_, 0, 0
            options.landmarks, options.seed = self.n_landmarks_, self._seed
            self._learn(options)
        return self._handle.pointer

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parts_")

    # ---- classes -------------------------------------------------------------------------------------------

    def _outputs(self, X: Any, probabilities: bool = False) -> Array:
        series, classifier = self._read_series(X), self._classifier()
        out = empty(len(series), len(self.classes_))
        outputs = (None, out) if probabilities else (out, None)
        arguments = (classifier, series, len(series), PROGRESS, *outputs, None)
        run("classes", c.lib.volt_series_model_predict, *arguments, n_jobs=self.n_jobs, verbose=self.verbose)
        return out

    def predict(self, X: Any) -> Array:
        """Return the class of each series."""
        outputs = self._outputs(X)
        return self.classes_[np.argmax(outputs, axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Return probabilities of the classes, a column each, in the order of ``classes_``.

        Outputs of "multinomial" are probabilities. For "squares" they are ``softmax(outputs / temperature_)``, where the
        temperature minimises the leave-one-out log loss on the training series.
        """
        return self._outputs(X, probabilities=True)

    def decision_function(self, X: Any) -> Array:
        """Return the outputs of the classes, a column each (log probabilities less their mean for "multinomial"); for two
        classes the difference of the second and the first."""
        u = self._outputs(X)
        if self.loss == "multinomial":
            u = np.log(np.maximum(u, 1e-300))
            u -= u.mean(axis=1, keepdims=True)
        return u[:, 1] - u[:, 0] if u.shape[1] == 2 else u

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))
