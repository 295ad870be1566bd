"""Columns and targets of a search, as a fit with the same settings would learn from them."""

from __future__ import annotations

from ctypes import POINTER, byref
from typing import List, NamedTuple, Optional, Tuple

from ._core import _native as c
from ._core._arrays import Array, copy_of, view
from ._core._errors import check
from ._core._model import FitSettings


class Prepared(NamedTuple):
    X: Array
    Y: Array
    base: Optional[Array]  # added to targets to obtain levels; None: they are levels
    target: str
    input: str
    season: int
    guarded: bool  # fit the best candidate with FitSettings.guarded
    initial: Tuple[str, Optional[List[float]]]  # as columns of X


def _word(words: dict, value: int) -> str:
    return next(word for word, number in words.items() if number == value)


def prepare(X: Array, Y: Array, settings: FitSettings) -> Prepared:
    """``volt_prepare``, learned from all rows; the data unchanged if levels are learned from levels with one scale."""
    options = settings.options(X.shape[1])
    found = POINTER(c.Prepared)()
    check(c.lib.volt_prepare(view(X), view(Y), byref(options), X.shape[0], byref(found)))
    try:
        made = found.contents
        target, input = _word(c.TARGETS, made.target), _word(c.INPUTS, made.input)
        is_plain = target == input == "level" and not settings.plain.get("scale_each")
        found_columns = (X, Y) if is_plain else (copy_of(made.X), copy_of(made.Y))
        base = copy_of(made.base) if made.base.data else None
        word = _word(c.INITIALS, made.initial)
        values = [made.initial_values[k] for k in range(made.X.cols)] if word == "values" else None
        return Prepared(
            *found_columns, base, target, input, int(made.season), bool(made.guarded), (word, values)
        )
    finally:
        c.lib.volt_prepared_free(found)
