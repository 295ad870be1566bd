"""Losses of the library, and their properties for the estimators."""

from __future__ import annotations

from ctypes import POINTER, byref, c_double, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from . import _native as c
from ._arrays import Array, to_float64, view
from ._errors import check
from ._handles import Owner


class Loss(Owner):
    """A loss parsed by the library, which reports errors in the text."""

    _FREE = "volt_loss_free"

    def __init__(self, text: str) -> None:
        handle = c_void_p()
        check(c.lib.volt_loss_parse(c.encode("the loss", text), byref(handle)))
        self._own(handle)
        info = c.LossInfo()
        c.lib.volt_loss_get_info(self, byref(info))
        self.text, self.name, self.has_classes = c.text(info.text), c.text(info.name), bool(info.classes)
        self._outputs = info.outputs  # per target; 0: one for each class
        self.levels: List[float] = [info.values[i] for i in range(info.n_values)]  # values of the parameter

    def __reduce__(self) -> Any:
        return Loss, (self.text,)

    def outputs(self, targets: int, classes: int = 0) -> int:
        """Return the number of outputs for a number of targets."""
        return targets * self._outputs if self._outputs else classes

    def score(self, truth: Array, forecast: Array, weights: Optional[Array] = None) -> float:
        """Return the mean loss of predictions."""
        value = c_double()
        check(
            c.lib.volt_loss_score(
                self,
                view(np.ascontiguousarray(truth)),
                view(np.ascontiguousarray(forecast)),
                None if weights is None else weights.ctypes.data_as(POINTER(c_double)),
                byref(value),
            )
        )
        return value.value


class LossSettings(NamedTuple):
    """Fields of ``volt_fit_options`` that concern the loss."""

    loss: Optional[str] = None  # None: squares
    tolerance: float = 1e-6
    weights: Optional[Array] = None
    classes: Optional[List[str]] = None

    def fields(self) -> Dict[str, Any]:
        weights, classes = self.weights, self.classes
        return dict(
            loss=None if self.loss is None else c.encode("the loss", self.loss),
            tolerance=self.tolerance,
            weights=None if weights is None else weights.ctypes.data_as(POINTER(c_double)),
            classes=None
            if classes is None
            else c.names_array("the name of a class", np.array(classes, dtype=object)),
            n_classes=0 if classes is None else len(classes),
        )

    def outputs(self, targets: int) -> int:
        if self.loss is None:
            return targets
        return Loss(self.loss).outputs(targets, len(self.classes or ()))


def read_tolerance(value: Any) -> float:
    """Check a tolerance; 0: the default."""
    if value is None:
        return 0.0
    number = float(value)
    if not 0 < number < 1:
        raise ValueError(f"tolerance must be between 0 and 1 (got {value!r})")
    return number


def loss_text(loss: Any) -> Optional[str]:
    """Return the text of a loss for regression; None: squares."""
    if loss is None or loss == "squares":
        return None
    read = Loss(loss)
    if read.has_classes:
        raise ValueError(f"loss {loss!r} is for classes: use VolterraClassifier")
    return read.text


def read_weights(sample_weight: Any, rows: int) -> Optional[Array]:
    """Check weights, one number for each row of X."""
    if sample_weight is None:
        return None
    weights = to_float64(sample_weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if rows and not weights.any():
        raise ValueError("all sample weights are zero: at least one must be positive")
    return np.ascontiguousarray(weights)
