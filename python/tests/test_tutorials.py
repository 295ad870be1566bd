"""Every tutorial runs and is listed."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ.get("VOLTERRA_ROOT", pathlib.Path(__file__).parents[2]))
TUTORIALS = sorted((ROOT / "python/tutorials").glob("*.py"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    done = subprocess.run(
        [sys.executable, path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_every_tutorial_is_listed():
    text = (ROOT / "python/tutorials/README.md").read_text()
    assert TUTORIALS and all(f"({path.name})" in text for path in TUTORIALS)
