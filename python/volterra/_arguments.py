"""Whole numbers on their way into the library: every one of them passes here."""

from __future__ import annotations

import operator
from typing import Any

MOST = 2**63 - 1  # int64_t
MOST_SEED = 2**64 - 1  # uint64_t


def whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """A whole number from `least` to `most`. ctypes would cut a larger one to its last 64 bits without a word.

    Raises
    ------
    TypeError
        It is no whole number: 1.5, but also 2.0 and "2", which may be slips.
    ValueError
        It lies outside the range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, and must be a whole number") from None
    if number < least:
        raise ValueError(f"{name} is {number}, and must be at least {least}")
    if number > most:
        raise ValueError(f"{name} is {number}, and must be at most {most}")
    return number


def seed_number(name: str, value: Any) -> int:
    return whole(name, value, 0, MOST_SEED)
