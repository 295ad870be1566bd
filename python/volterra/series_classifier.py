"""Classes of whole series: a readout on the Gram matrix of a kernel between them."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Union

import numpy as np

from . import _native as c
from ._arguments import alpha_number, choice, kernel_word, seconds_of, seed_number, whole
from ._arrays import Array, empty, view, views
from ._candidates import range_of
from ._errors import NotFittedError, check
from ._handles import Handle
from ._progress import Watch
from ._protocol import BaseEstimator, ClassifierMixin
from ._series import check_channels, read_series
from ._threads import use_threads
from ._types import Input, Layout, SeriesCompare, SeriesScale

__all__ = ["SeriesClassifier"]

LOSSES = ("squares", "multinomial")
MOST_BLEND = 8


def _or_auto(name: str, value: Any, words: Mapping[str, int]) -> int:
    if value == "auto":
        return c.CLASSIFY_CHOOSE
    return words[choice(name, value, ("auto", *words))]


class SeriesClassifier(ClassifierMixin, BaseEstimator):
    """Classes of whole series, which may differ in length, as ``volterra classify`` finds them.

    The Gram matrix of a kernel between training series carries a readout. What is left open, the kernel's parameters, alpha
    and how series are prepared, is chosen on the training series alone: each is left out and told from all others, exactly
    and from one factorisation.

    Parameters
    ----------
    kernel : str, optional
        What it leaves open is drawn; ``"gak | rbf"`` are drawn in turn. None: a list of kernels that fits the series.
    loss : {"squares", "multinomial"}, default="squares"
        Ridge regression on a column for each class, or a readout whose outputs are probabilities (`predict_proba`).
    alpha : float or "auto", default="auto"
        Regularisation; "auto": chosen for every kernel.
    draws : int, optional
        Kernels that are tried. None: 60, or one for each way to prepare series where the kernel leaves nothing open.
    budget : float or str, optional
        No kernel is begun after so many seconds, or "90s", "3min".
    blend : int, default=3
        The mean of up to so many kernels, each the best of its kind, is taken where it tells more series left out. At
        most 8; 1: one kernel.
    ranges : dict, optional
        What parameters of the kernel are drawn from, as in `VolterraRidgeCV`: ``{"sigma": (0.1, 10)}``.
    scale : {"auto", "channels", "series", "none"}, default="auto"
        What values are scaled by: each channel over all training series, each channel of each series, nothing. "auto"
        tries the first two.
    input : {"auto", "level", "change", "both"}, default="auto"
        What a step is: its values, their changes, or both. "auto" tries values and both.
    compare : {"auto", "series", "steps"}, default="auto"
        Whole series, or all of their steps with each other, whenever they come. "auto" tries both.
    splits : int, default=20
        Stratified splits, holding out 30%, that the chosen kernel is judged by as well.
    layout : {"time", "channels"}, default="time"
        Series are (n_steps, n_channels), as tslearn has them, or (n_channels, n_steps), as aeon has them. Of a 3-D
        array the steps at the end of a series that are nan in every channel are left out: tslearn's padding.
    random_state : int, default=0
        Seed of draws and splits.
    n_jobs : int, optional
        Threads of this call.
    verbose : bool, default=False
        Show a bar.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    kernel_ : str
        The kernel with all its parameters; of several, the one that is best alone.
    parts_ : list of dict
        All kernels whose mean it is, each with "kernel", "scale", "input" and "compare".
    alpha_ : float
    left_out_accuracy_ : float
        Of the training series, each told from all others by ridge regression.
    left_out_ : ndarray of shape (n_series, n_classes)
        Their outputs then.
    split_mean_, split_deviation_ : float
        Accuracy over the splits; nan without.
    log_loss_ : float
        Of "multinomial": mean -log probability over five stratified folds; else nan.
    n_tried_, n_failed_ : int
        Kernels that were tried, and those of them whose matrix could not be factored.
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
        budget: Union[None, float, str] = None,
        blend: int = 3,
        ranges: Optional[Mapping[str, Any]] = None,
        scale: Union[SeriesScale, Literal["auto"]] = "auto",
        input: Input = "auto",
        compare: Union[SeriesCompare, Literal["auto"]] = "auto",
        splits: int = 20,
        layout: Layout = "time",
        random_state: int = 0,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.alpha = alpha
        self.draws = draws
        self.budget = budget
        self.blend = blend
        self.ranges = ranges
        self.scale = scale
        self.input = input
        self.compare = compare
        self.splits = splits
        self.layout = layout
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---- fit -----------------------------------------------------------------------------------------------

    def _options(self) -> Any:
        options = c.lib.volt_classify_options_default()
        options.kernel = None if self.kernel is None else c.encode("the kernel", kernel_word(self.kernel))
        options.loss = choice("loss", self.loss, LOSSES).encode()
        options.scale = _or_auto("scale", self.scale, c.OBJECT_SCALES)
        options.input = _or_auto("input", self.input, c.OBJECT_INPUTS)
        options.compare = _or_auto("compare", self.compare, c.OBJECT_COMPARES)
        options.alpha = alpha_number(self.alpha)
        options.draws = c.CLASSIFY_CHOOSE if self.draws is None else whole("draws", self.draws, 1)
        options.budget = seconds_of(self.budget)
        options.blend = whole("blend", self.blend, 1, MOST_BLEND)
        options.splits = whole("splits", self.splits)
        options.seed = seed_number("random_state", self.random_state)
        ranges = [range_of(name, law) for name, law in (self.ranges or {}).items()]
        options.ranges, options.n_ranges = (c.Range * len(ranges))(*ranges), len(ranges)
        return options

    def _learn(self, options: Any) -> None:
        """A classifier of the library, from the series that are kept."""
        pointer = c_void_p()
        with use_threads(self.n_jobs), Watch("classify", self.verbose) as watch:
            options.progress = watch.progress
            watch.check(
                c.lib.volt_classify_fit(
                    views(self._series),
                    len(self._series),
                    self._numbers.ctypes.data,
                    len(self.classes_),
                    byref(options),
                    byref(pointer),
                )
            )
        self._handle = Handle(pointer.value, c.lib.volt_classifier_free)

    def fit(self, X: Any, y: Any) -> "SeriesClassifier":
        """Learn the classes of series.

        Parameters
        ----------
        X : array of shape (n_series, n_steps, n_channels), or list of 2-D arrays
            Lengths may differ in a list. Axes as `layout` says.
        y : array-like of shape (n_series,)
            Their labels.
        """
        options = self._options()
        series = read_series(X, self.layout)
        labels = np.asarray(y)
        if labels.shape != (len(series),):
            raise ValueError(f"y has shape {labels.shape}, and ({len(series)},) is needed: a label for each series")
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("y contains NaN or infinity (inf), which are no labels")
        classes, numbers = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has labels of 1 class, {classes[0]!r}, and a classifier needs at least two classes")
        before = dict(self.__dict__)
        try:
            self.classes_, self._series = classes, series
            self._numbers = np.ascontiguousarray(numbers, dtype=np.int64)
            self._learn(options)
        except BaseException:
            self.__dict__ = before  # as it was
            raise
        self.n_features_in_ = series[0].shape[1]
        self._set_attributes()
        return self

    def _set_attributes(self) -> None:
        info = c.ClassifierInfo()
        c.lib.volt_classifier_describe(self._handle.pointer, byref(info))
        self.kernel_, self.alpha_ = c.text(info.kernel), info.alpha
        self.parts_ = [self._part(index) for index in range(info.parts)]
        self.left_out_accuracy_ = info.left_out
        self.split_mean_, self.split_deviation_ = info.split_mean, info.split_deviation
        self.log_loss_ = info.log_loss
        self.n_tried_, self.n_failed_ = info.tried, info.failed
        self.left_out_ = empty(info.series, info.classes)
        check(c.lib.volt_classifier_left_out(self._handle.pointer, view(self.left_out_)))

    def _part(self, index: int) -> Dict[str, str]:
        part = c.ClassifierKernel()
        check(c.lib.volt_classifier_part(self._handle.pointer, index, byref(part)))
        words = {"scale": c.OBJECT_SCALES, "input": c.OBJECT_INPUTS, "compare": c.OBJECT_COMPARES}
        names = {name: list(values)[getattr(part, name)] for name, values in words.items()}
        return {"kernel": c.text(part.kernel), **names}

    # ---- pickling: the library's object is learned again where it is needed ----------------------------------

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__() if hasattr(BaseEstimator, "__getstate__") else self.__dict__)
        state.pop("_handle", None)
        return state

    def _classifier(self) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this SeriesClassifier is not fitted yet: call fit first")
        if not hasattr(self, "_handle"):
            options = self._options()
            parts = [
                c.ClassifierKernel(
                    part["kernel"].encode(),
                    c.OBJECT_SCALES[part["scale"]],
                    c.OBJECT_INPUTS[part["input"]],
                    c.OBJECT_COMPARES[part["compare"]],
                )
                for part in self.parts_
            ]
            options.parts, options.n_parts = (c.ClassifierKernel * len(parts))(*parts), len(parts)
            options.alpha, options.splits = self.alpha_, 0
            self._learn(options)
        return self._handle.pointer

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parts_")

    # ---- classes -------------------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> Array:
        classifier = self._classifier()
        series: List[Array] = read_series(X, self.layout)
        check_channels(self, series)
        out = empty(len(series), len(self.classes_))
        with use_threads(self.n_jobs), Watch("classes", self.verbose) as watch:
            watch.check(
                c.lib.volt_classifier_predict(
                    classifier, views(series), len(series), byref(watch.progress), view(out), None
                )
            )
        return out

    def predict(self, X: Any) -> Array:
        """The class of each series."""
        outputs = self._outputs(X)
        return self.classes_[np.argmax(outputs, axis=1)]

    @property
    def predict_proba(self) -> Callable[[Any], Array]:
        """``predict_proba(X)``: probabilities of the classes, a column each; with ``loss="multinomial"`` alone."""
        if self.loss != "multinomial":
            raise AttributeError(
                f"predict_proba needs loss='multinomial', and the loss is {self.loss!r}: see decision_function"
            )
        return self._outputs

    def decision_function(self, X: Any) -> Array:
        """The outputs of the classes, a column each (logarithms of probabilities for "multinomial", less their mean); of two
        classes one number, that of the second less that of the first."""
        u = self._outputs(X)
        if self.loss == "multinomial":
            u = np.log(np.maximum(u, 1e-300))
            u -= u.mean(axis=1, keepdims=True)
        return u[:, 1] - u[:, 0] if u.shape[1] == 2 else u

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of series whose class is found."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))
