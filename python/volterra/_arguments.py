"""Arguments on their way into the library: every whole number, seeds, budgets and choices pass here."""

from __future__ import annotations

import operator
import re
from typing import Any, Union

import numpy as np

MOST = 2**63 - 1  # int64_t
MOST_SEED = 2**64 - 1  # uint64_t
UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


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


def seed_of(random_state: Any) -> int:
    """The seed that a ``random_state`` of scikit-learn stands for: a number, a generator of it, or None."""
    if random_state is None:
        random_state = np.random
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if hasattr(random_state, "randint"):  # np.random or a RandomState
        return int(random_state.randint(2**31))
    return seed_number("random_state", random_state)


def seconds_of(budget: Union[None, float, str]) -> float:
    """A budget in seconds: a number, or a text such as "90s", "30m", "2h"."""
    if budget is None:
        return 0.0
    if isinstance(budget, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*(s|m|min|h)\s*", budget)
        if not match:
            raise ValueError(
                f"budget is {budget!r}, and must be a number of seconds or such as '90s', '30m' or '2h'"
            )
        return float(match[1]) * UNITS[match[2]]
    if not budget > 0:
        raise ValueError(f"budget is {budget} seconds, and must be above 0")
    return float(budget)


def choice(name: str, value: Any, allowed: Any) -> Any:
    """One of the values that are allowed."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, and must be one of {', '.join(map(repr, allowed))}")
    return value
