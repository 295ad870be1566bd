"""Kernels and losses, which the library parses: their texts, parameters and properties."""

from __future__ import annotations

from ctypes import POINTER, c_double, c_void_p
from typing import Any, Dict, List, Optional, Union

import numpy as np

from . import _native as c
from ._arguments import kernel_word, whole
from ._data import Array, to_float64
from ._errors import check


class Kernel(c.Owner):
    """A kernel parsed by the library, which reports errors in the text."""

    _FREE = "volt_kernel_free"

    def __init__(self, text: str) -> None:
        handle = c_void_p()
        check(c.lib.volt_kernel_parse(c.encode("the kernel", kernel_word(text)), handle))
        self._own(handle)

    def __reduce__(self) -> Any:
        return Kernel, (self.text,)

    def _info(self) -> c.KernelInfo:
        info = c.KernelInfo()
        check(c.lib.volt_kernel_get_info(self, info))
        return info

    @property
    def text(self) -> str:
        """The text with every parameter."""
        return c.text(self._info().text)

    @property
    def name(self) -> str:
        return c.text(self._info().name)

    @property
    def is_volterra(self) -> bool:
        """Whether it is the kernel volterra and not an expression, so that its parameters have no factor numbers."""
        info = self._info()
        return self.name == "volterra" and "." not in c.text(info.names[0])

    def given(self) -> Dict[str, Union[int, float, str]]:
        """Parameters given in the text, by the library's names."""
        info = self._info()
        found: Dict[str, Union[int, float, str]] = {}
        for name in info.names[: info.n_names]:
            value = c.KernelValue()
            check(c.lib.volt_kernel_get(self, name, value))
            if value.given:
                found[c.text(name)] = _plain_value(value)
        return found


def _plain_value(value: c.KernelValue) -> Union[int, float, str]:
    kind = value.info.contents.kind
    if kind in (c.PARAMETER_KINDS["choice"], c.PARAMETER_KINDS["text"]):
        return c.text(value.text)
    return int(value.number) if kind == c.PARAMETER_KINDS["integer"] else float(value.number)


def plain_facts(facts: c.KernelFacts) -> Dict[str, float]:
    return c.values(facts)


def kernel_facts(kernel: str, radius: float, d: int, eps: float = 2.0**-52) -> Dict[str, float]:
    """``volt_kernel_query``: properties of a kernel on inputs of norm at most `radius`."""
    facts = c.KernelFacts()
    inputs = whole("the number of inputs", d, 1)
    check(c.lib.volt_kernel_query(Kernel(kernel), radius, inputs, eps, facts))
    return plain_facts(facts)


def library_name(parameter: str) -> str:
    """Return the library's name of a parameter, with the number of its factor if it has one: "2.lam" is 2.lambda, a Python
    keyword."""
    factor, dot, name = parameter.rpartition(".")
    return factor + dot + ("lambda" if name == "lam" else name)


def value_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))  # the shortest text that reads back exactly
    return str(value)


def join_text(name: str, parameters: Dict[str, Any]) -> str:
    """NAME:PARAMETER=VALUE,... from Python's names; None means not given."""
    given = [f"{library_name(key)}={value_text(value)}" for key, value in parameters.items() if value is not None]
    return f"{name}:{','.join(given)}" if given else name


def given_parameters(kernel: Kernel) -> Dict[str, Any]:
    """The parameters that a kernel's text gives, by Python's names."""
    return {"lam" if key == "lambda" else key: value for key, value in kernel.given().items()}


# ---- losses ----------------------------------------------------------------------------------------------


class Loss(c.Owner):
    """A loss parsed by the library, which reports errors in the text."""

    _FREE = "volt_loss_free"

    def __init__(self, text: str) -> None:
        handle = c_void_p()
        check(c.lib.volt_loss_parse(c.encode("the loss", text), handle))
        self._own(handle)
        info = c.LossInfo()
        c.lib.volt_loss_get_info(self, info)
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
                np.ascontiguousarray(truth),
                np.ascontiguousarray(forecast),
                None if weights is None else weights.ctypes.data_as(POINTER(c_double)),
                value,
            )
        )
        return value.value


def loss_outputs(fields: Dict[str, Any], targets: int) -> int:
    """Return the outputs of a fit with these fields of ``volt_fit_options``."""
    return Loss(fields["loss"]).outputs(targets, len(fields.get("classes") or ())) if fields.get("loss") else targets


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
