"""Kernels of the library: their texts, parameters by the names of C or Python, and properties."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Dict, Union

import numpy as np

from . import _native as c
from ._arguments import kernel_word, whole
from ._errors import check
from ._handles import Owner


class Kernel(Owner):
    """A kernel parsed by the library, which reports errors in the text."""

    _FREE = "volt_kernel_free"

    def __init__(self, text: str) -> None:
        handle = c_void_p()
        check(c.lib.volt_kernel_parse(c.encode("the kernel", kernel_word(text)), byref(handle)))
        self._own(handle)

    def __reduce__(self) -> Any:
        return Kernel, (self.text,)

    def _info(self) -> c.KernelInfo:
        info = c.KernelInfo()
        check(c.lib.volt_kernel_get_info(self, byref(info)))
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
            check(c.lib.volt_kernel_get(self, name, byref(value)))
            if value.given:
                found[c.text(name)] = _plain_value(value)
        return found


def _plain_value(value: c.KernelValue) -> Union[int, float, str]:
    kind = value.info.contents.kind
    if kind in (c.PARAMETER_KINDS["choice"], c.PARAMETER_KINDS["text"]):
        return c.text(value.text)
    return int(value.number) if kind == c.PARAMETER_KINDS["integer"] else float(value.number)


def plain_facts(facts: c.KernelFacts) -> Dict[str, float]:
    return {name: float(getattr(facts, name)) for name, *_ in c.KernelFacts._fields_[1:]}


def kernel_facts(kernel: str, radius: float, d: int, eps: float = 2.0**-52) -> Dict[str, float]:
    """``volt_kernel_query``: properties of a kernel on inputs of norm at most `radius`."""
    facts = c.KernelFacts()
    inputs = whole("the number of inputs", d, 1)
    check(c.lib.volt_kernel_query(Kernel(kernel), radius, inputs, eps, byref(facts)))
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
