"""Candidates of a search: drawn from ranges, or listed."""

from __future__ import annotations

import itertools
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from ._core import _native as c
from ._core._arguments import alpha_number, choice, feedback_number, kernel_word
from ._core._arrays import Array, view
from ._core._errors import check
from ._core._handles import Owner
from ._core._kernel import library_name, value_text
from .ridge import VolterraRidge


class Candidates(Owner):
    """Candidates of a search of the library."""

    _FREE = "volt_candidates_free"

    def __init__(self, make: Callable[[Any], int]) -> None:
        handle = c_void_p()
        check(make(byref(handle)))
        self._own(handle)

    @classmethod
    def drawn(
        cls, kernel: str, X: Array, seed: int, ranges: Mapping[str, Any], scale: bool, fed_outputs: Optional[Array] = None
    ) -> "Candidates":
        """`fed_outputs`: the targets, if they are fed back as inputs of the next row."""
        entries = (c.Range * len(ranges))(*[range_of(name, law) for name, law in ranges.items()])
        options = c.DrawOptions(
            seed=seed, ranges=entries if len(ranges) else None, n_ranges=len(ranges), scale=int(scale), from_defaults=1
        )
        if fed_outputs is not None:
            options.fed_outputs = view(fed_outputs)
        text = c.encode("the kernel", kernel_word(kernel))
        return cls(lambda out: c.lib.volt_candidates_draw(text, view(X), byref(options), out))

    @classmethod
    def listed(cls, estimators: Sequence[VolterraRidge]) -> "Candidates":
        kernels = c.names_array("the kernel", [estimator._kernel_text() for estimator in estimators])
        alphas = np.array([alpha_number(estimator.alpha) for estimator in estimators])  # 0: profiled
        weights = np.array([feedback_number(estimator.feedback) for estimator in estimators])
        data = (alphas.ctypes.data, weights.ctypes.data)
        return cls(lambda out: c.lib.volt_candidates_list(kernels, *data, len(alphas), out))


def range_of(name: str, law: Any) -> c.Range:
    """(low, high): log-uniform; (distribution, low, high); a list: one of these values."""
    key = c.encode("the name of a range", library_name(name))
    if isinstance(law, list):
        words = c.names_array(f"a value of {name}", [value_text(value) for value in law])
        return c.Range(key, 0, 0.0, 0.0, words, len(law))
    kind, low, high = law if len(law) == 3 else ("log", *law)
    choice(f"the law of {name}", kind, [word for word in c.SEARCH_LAWS if word != "none"])
    return c.Range(key, c.SEARCH_LAWS[kind], float(low), float(high), None, 0)


def expand(candidates: Any) -> List[Dict[str, Any]]:
    """Expand a grid (a dict of lists), or a list of grids and candidates, to a list of candidates."""
    if isinstance(candidates, Mapping):
        keys = sorted(candidates)
        axes = [v if isinstance(v, (list, tuple, np.ndarray)) else [v] for v in (candidates[k] for k in keys)]
        return [dict(zip(keys, values)) for values in itertools.product(*axes)]
    return [one for entry in candidates for one in expand(entry)]
