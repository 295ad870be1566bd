"""Fixtures: golden files, the program, example sequences."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any, Callable, Dict

import numpy as np
import pytest
import volterra

collect_ignore = ["typed_scripts"]  # only for type checkers

ROOT = pathlib.Path(os.environ.get("VOLTERRA_ROOT", pathlib.Path(__file__).parents[2]))


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    """The repository."""
    return ROOT


class Golden:
    """Expected figures from tests/reference, each with its tolerance."""

    def __init__(self, name: str) -> None:
        self.content: Dict[str, Any] = json.loads((ROOT / "tests/reference" / f"{name}.json").read_text())
        self.params = self.content["params"]
        self.inputs = self.content["inputs"]
        self.expected = self.content["expected"]

    def array(self, name: str) -> np.ndarray:
        return np.array(self.inputs[name], dtype=float)

    def tol(self, field: str) -> float:
        return self.content.get("tol_by_field", {}).get(field, self.content["tol"])

    def check(self, field: str, actual: Any, how: str = "max", expected: Any = None) -> None:
        """how: "max" (relative to the largest expected), "each" or "absolute"."""
        wanted = np.asarray(self.expected[field] if expected is None else expected, dtype=float)
        actual = np.asarray(actual, dtype=float).reshape(wanted.shape)
        size = {"max": np.abs(wanted).max(), "each": np.abs(wanted), "absolute": 1.0}[how]
        worst = np.max(np.abs(actual - wanted) - self.tol(field) * size)
        assert worst <= 0, (
            f"{field}: off by {np.abs(actual - wanted).max():.3g}, allowed {self.tol(field):.3g} ({how})"
        )


@pytest.fixture
def golden() -> Callable[[str], Golden]:
    return Golden


@pytest.fixture(scope="session")
def program_path(root: pathlib.Path) -> str:
    """The program ``volterra``."""
    path = os.environ.get("VOLTERRA_PROGRAM", str(root / "build/volterra"))
    if not os.path.exists(path):
        pytest.skip("the program was not built")
    return path


@pytest.fixture(scope="session")
def program(program_path: str) -> Callable[..., str]:
    """Run the program ``volterra`` with the threads of the library and return its standard output."""

    def run(*arguments: Any, input: str = "") -> str:  # noqa: A002 - as subprocess calls it
        done = subprocess.run(
            [program_path, *map(str, arguments), "--threads", str(volterra.threads())],
            check=False,
            input=input,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240607)


@pytest.fixture
def system(rng: np.random.Generator) -> Any:
    """Inputs and one target of a system with fading memory, 300 rows."""
    X = rng.uniform(-1, 1, size=(300, 2))
    y = np.zeros(300)
    for t in range(1, 300):
        y[t] = 0.2 * y[t - 1] + X[t, 0] * X[t - 1, 1] + 0.3 * X[t, 1]
    return X, y
