"""Checks of arguments: integers, seeds, budgets and choices."""

from __future__ import annotations

import difflib
import operator
import re
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._types import Levels

MOST = 2**63 - 1  # int64_t
MAX_SEED = 2**64 - 1  # uint64_t
# Duration as for --budget of the program: larger units first, each at most once.
UNITS = (("d|days?", 86400.0), ("h|hrs?|hours?", 3600.0), ("m|mins?|minutes?", 60.0), ("s|secs?|seconds?", 1.0))
DURATION = re.compile("".join(rf"\s*(?:([0-9]*\.?[0-9]+)\s*(?:{names}))?" for names, _ in UNITS) + r"\s*")


def whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """Check an integer from `least` to `most`. ctypes would silently truncate a larger one to 64 bits.

    Raises
    ------
    TypeError
        Not an integer: 1.5, but also 2.0 and "2", which may be mistakes.
    ValueError
        Out of range.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number (got {value!r})") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least} (got {number})")
    if number > most:
        raise ValueError(f"{name} must be at most {most} (got {number})")
    return number


def feedback_number(value: Any) -> float:
    """Return the feedback weight: True is 1, False and None are 0."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return float(bool(value))
    try:
        weight = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"feedback must be True, False or a weight above 0 (got {value!r})") from None
    if not (weight > 0 and np.isfinite(weight)):
        raise ValueError(f"feedback must be True, False or a weight above 0 (got {value!r})")
    return weight


def seed_number(name: str, value: Any) -> int:
    return whole(name, value, 0, MAX_SEED)


def seed_of(random_state: Any) -> int:
    """Return the seed of a ``random_state`` as in scikit-learn: a number, a generator, or None."""
    if random_state is None:
        random_state = np.random
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if hasattr(random_state, "randint"):  # np.random or a RandomState
        return int(random_state.randint(2**31))
    return seed_number("random_state", random_state)


def seconds_of(budget: Union[None, float, str], name: str = "budget") -> float:
    """Return a time in seconds: a number, or a text such as "90s", "3min", "1h30m"."""
    if budget is None:
        return 0.0
    if isinstance(budget, str):
        match = DURATION.fullmatch(budget)
        if not match or not any(match.groups()):
            raise ValueError(
                f"{name} must be a number of seconds, or a text such as '90s', '3min', '2h' or '1h30m' (got {budget!r})"
            )
        seconds = sum(float(value) * unit for value, (_, unit) in zip(match.groups(), UNITS) if value)
    else:
        seconds = budget
    if not seconds > 0:
        raise ValueError(f"{name} must be above 0 (got {budget} seconds)")
    return float(seconds)


def alpha_number(alpha: Any) -> float:
    """Return the library's alpha: 0 for "auto"."""
    allowed = "alpha must be one positive, finite number, or 'auto' for automatic choice"
    if isinstance(alpha, str):
        if alpha != "auto":
            raise ValueError(f"{allowed} (got {alpha!r}{nearest(alpha, ['auto'])})")
        return 0.0
    try:
        number = float(alpha)
    except (TypeError, ValueError):
        raise TypeError(f"{allowed} (got {alpha!r})") from None
    if not 0 < number < float("inf"):
        raise ValueError(f"{allowed} (got {number:g})")
    return number


def season_rows(season: Any) -> int:
    """Return the library's season: -1 for "auto", 0 for None."""
    if season is None:
        return 0
    if isinstance(season, str):
        if season != "auto":
            near = nearest(season, ["auto"])
            raise ValueError(f"season must be a number of rows of at least 2, None, or 'auto' (got {season!r}{near})")
        return -1
    return whole("season", season, 2)


def landmark_count(landmarks: Any) -> Tuple[int, str]:
    """Number and choice of landmarks; None: 0, the default. 2000, "2000", "2000:last", "2000:random" or "auto": -1."""
    if landmarks is None:
        return 0, "spread"
    if not isinstance(landmarks, str):
        return whole("landmarks", landmarks, 1), "spread"
    count, _, which = landmarks.partition(":")
    if count == "auto" and which in ("", "last", "random"):
        return -1, which or "spread"
    if not count.isascii() or not count.isdigit() or int(count) < 1 or which not in ("", "last", "random"):
        raise ValueError(
            f'landmarks must be "auto" or a number above 0, such as 2000, "2000:last" or "2000:random" (got "{landmarks}")'
        )
    return whole("landmarks", int(count), 1), which or "spread"


def horizon_bounds(ahead: Any) -> Optional[Tuple[int, int]]:
    """Return the first and last horizon: a number, or consecutive numbers such as range(1, 25)."""
    if ahead is None:
        return None
    try:
        steps = [whole("ahead", step) for step in ahead]
    except TypeError:
        if not hasattr(ahead, "__iter__"):
            only = whole("ahead", ahead)
            return only, only
        raise
    if not steps or steps != list(range(steps[0], steps[0] + len(steps))):
        raise ValueError(f"ahead must be a number of rows, or several such as range(1, 25) (got {ahead!r})")
    if steps[0] < 1:
        raise ValueError(f"ahead begins with {steps[0]}, and several must begin with at least 1")
    return steps[0], steps[-1]


def nearest(value: Any, allowed: Any) -> str:
    """Return a suggestion for a message: the closest allowed word; '' if there is none."""
    words = [word for word in allowed if isinstance(word, str)]
    near = difflib.get_close_matches(value.lower(), words, 1) if isinstance(value, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def choice(name: str, value: Any, allowed: Any) -> Any:
    """Check that a value is one of the allowed ones."""
    try:
        known = value in allowed
    except (TypeError, ValueError):  # a list or an array
        known = False
    if not known:
        words = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} must be one of {words} (got {value!r}{nearest(value, allowed)})")
    return value


def kernel_word(value: Any) -> str:
    """Check the text of a kernel."""
    if not isinstance(value, str):
        raise TypeError(
            f"kernel must be a text such as 'volterra' or 'rbf:gamma=1,window=5' (got {value!r}): see volterra.kernel_table()"
        )
    return value


def solver_word(value: Any) -> str:
    """Check the text of a solver."""
    if not isinstance(value, str):
        raise TypeError(f"solver must be a text such as 'exact' (got {value!r}): see volterra.solver_table()")
    return value


def level_list(name: str, value: Levels) -> Tuple[List[float], bool]:
    """Return one level or several as an array, and whether it was one; each must be between 0 and 1."""
    levels = np.asarray(value, dtype=float)
    if levels.ndim > 1 or levels.size == 0:
        raise ValueError(f"{name} must be a number or a list of numbers, not {value!r}")
    for level in levels.ravel():
        if not 0 < level < 1:
            raise ValueError(f"{name} must be between 0 and 1 (got {level:g})")
    return [float(level) for level in levels.ravel()], levels.ndim == 0


def end_suffixes(levels: Sequence[float]) -> List[str]:
    """Suffixes of the columns of interval ends: .lo80, .hi80, .lo95, ..."""
    return [f".{end}{100 * level:.10g}" for level in levels for end in ("lo", "hi")]
