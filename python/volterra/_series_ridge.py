"""Regression on whole series: `SequenceKernelRidge` fitted to a collection."""

from __future__ import annotations

import inspect
from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple

import numpy as np

from ._core import _native as c
from ._core._arguments import alpha_number, choice
from ._core._arrays import NO_MATRIX, Array, as_targets, empty, is_collection, view, views
from ._core._errors import check
from ._core._handles import Handle
from ._core._progress import ProgressCallback, Watch
from ._core._series import read_collection
from ._core._threads import use_threads

INPUTS = {"auto": "level", "level": "level", "change": "change", "both": "both"}

#: Parameters that apply to whole series; the others must have their defaults there.
OF_SERIES = ("kernel", "alpha", "input", "scale", "layout", "normalise", "n_jobs", "verbose")


def is_of_series(X: Any, y: Any) -> bool:
    """Return whether y has a row for each series of X, and not for each of their steps. A list of records has a list of targets,
    an array for each."""
    if not is_collection(X) or y is None:
        return False
    return getattr(X, "ndim", 0) == 3 or not isinstance(y, (list, tuple)) or np.ndim(y[0] if len(y) else 0) == 0


def refuse_settings(estimator: Any) -> None:
    """Reject settings that apply only to sequences."""
    for name, parameter in list(inspect.signature(type(estimator).__init__).parameters.items())[1:]:
        value = getattr(estimator, name)
        if name not in OF_SERIES and value is not parameter.default and value != parameter.default:
            raise ValueError(f"{name} is {value!r}, which is not supported for collections of series")


class Settings(NamedTuple):
    kernel: str
    alpha: float  # 0: chosen
    scale: int
    input: int
    normalise: bool

    @classmethod
    def of(cls, estimator: Any) -> "Settings":
        word = INPUTS[choice("input", estimator.input, INPUTS)]
        return cls(
            estimator._kernel_text(),
            alpha_number(estimator.alpha),
            c.OBJECT_SCALES["channels" if estimator.scale else "none"],
            c.OBJECT_INPUTS[word],
            bool(estimator.normalise),
        )


class SeriesReadout:
    """Ridge regression of the library with its training data; unpickling fits it again."""

    def __init__(
        self, settings: Settings, series: List[Array], targets: Array, n_jobs: Any, verbose: Any, progress: Any = None
    ) -> None:
        self.settings, self.series, self.targets = settings, series, targets
        self._learn(n_jobs, verbose, progress)
        info = c.SeriesInfo()
        check(c.lib.volt_series_model_get_info(self._handle.pointer, byref(info)))
        self.kernel, self.alpha, self.error = c.text(info.kernel), info.alpha, info.left_out_error
        self.left_out = np.ctypeslib.as_array(info.left_out_outputs, targets.shape).copy()
        self.settings = settings._replace(alpha=self.alpha)

    @classmethod
    def fit(cls, estimator: Any, X: Any, y: Any, progress: "ProgressCallback | None") -> "SeriesReadout":
        settings = Settings.of(estimator)
        series, layout = read_collection(X, estimator.layout)
        targets, flat = as_targets(y)
        if len(targets) != len(series):
            raise ValueError(f"y has {len(targets)} rows, and X has {len(series)} series")
        readout = cls(settings, series, targets.copy(), estimator.n_jobs, estimator.verbose, progress)
        readout.flat, readout.layout = flat, layout
        return readout

    layout: str = "time"  # of the training series
    flat: bool = False  # targets were 1-D

    def _learn(self, n_jobs: Any, verbose: Any, progress: Any) -> None:
        options = c.lib.volt_series_options_default()
        options.kernel = c.encode("the kernel", self.settings.kernel)
        options.scale, options.input = self.settings.scale, self.settings.input
        options.normalise, options.alpha = int(self.settings.normalise), self.settings.alpha
        pointer = c_void_p()
        with use_threads(n_jobs), Watch("fit", verbose, progress) as watch:
            options.progress = watch.progress
            watch.check(
                c.lib.volt_series_fit_numbers(
                    views(self.series), len(self.series), view(self.targets), byref(options), byref(pointer)
                )
            )
        self._handle = Handle(pointer.value, c.lib.volt_series_model_free)

    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_handle"}

    def dress(self, values: Array) -> Array:
        return values[:, 0] if self.flat else values

    def predict(self, series: List[Array], n_jobs: Any, verbose: Any) -> Array:
        if not hasattr(self, "_handle"):
            self._learn(n_jobs, False, None)
        out = empty(len(series), self.targets.shape[1])
        with use_threads(n_jobs), Watch("predict", verbose) as watch:
            watch.check(
                c.lib.volt_series_model_predict(
                    self._handle.pointer,
                    views(series),
                    len(series),
                    watch.progress,
                    view(out),
                    NO_MATRIX,
                    None,
                )
            )
        return out
