"""Shared by the benchmarks: failures, data files of this package, JSON and texts."""

from __future__ import annotations

import json
import math
import shlex
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

PROGRAM = "volterra.benchmarks"
DATA = Path(__file__).parent / "data"


class UsageError(Exception):
    """An option has a wrong value: exit status 2."""


class DataError(Exception):
    """Data are missing or are not the published ones: exit status 1."""


class Machine(NamedTuple):
    """Options of every benchmark."""

    seed: int
    quiet: bool

    @property
    def verbose(self) -> bool:
        """Show progress bars: on a terminal, unless ``--quiet``."""
        return not self.quiet and sys.stderr.isatty()


def load_data(name: str) -> Dict[str, Any]:
    """A JSON file of the folder ``data``."""
    return dict(json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")))


def choose(text: Optional[str], names: Sequence[str]) -> List[str]:
    """The names in a comma-separated list, in the order of `names`; None: all of them."""
    if text is None:
        return list(names)
    wanted = text.split(",")
    for word in wanted:
        if word not in names:
            raise UsageError(f"--only: unknown set {word!r} (choose from {', '.join(names)})")
    return [name for name in names if name in wanted]


def format_seconds(seconds: float) -> str:
    """A duration with three digits and a unit."""
    if seconds < 999.5e-6:
        return f"{1e6 * seconds:.3g} us"
    if seconds < 999.5e-3:
        return f"{1e3 * seconds:.3g} ms"
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def format_number(value: float) -> str:
    """The shortest text of at least 15 digits that parses to the same number."""
    texts = (f"{value:.{digits}g}" for digits in (15, 16, 17))
    return next(text for text in texts if float(text) == value)


def command_line(words: Sequence[Any]) -> str:
    """Words as a shell reads them; numbers are formatted."""
    return shlex.join(format_number(word) if isinstance(word, float) else str(word) for word in words)


def print_json(results: Dict[str, Any]) -> None:
    print(json.dumps(_finite(results), indent=2))


def _finite(value: Any) -> Any:
    """Replace nan and infinity, which are not valid JSON, by null."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
