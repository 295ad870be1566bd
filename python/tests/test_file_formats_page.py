"""The Python in docs/file_formats.md reads a model and predicts its next row."""

from __future__ import annotations

import sys

import numpy as np
import volterra
from readme_example import python_blocks


def test_blocks(root, tmp_path, monkeypatch):
    (block,) = python_blocks((root / "docs/file_formats.md").read_text())
    rng = np.random.default_rng(3)
    inputs = rng.uniform(-1, 1, size=(60, 2))
    targets = inputs[:, 0] + np.roll(inputs[:, 1], 1)
    model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.99, alpha=1e-2).fit(inputs[:50], targets[:50])
    path = tmp_path / "model.safetensors"
    volterra.save(model, path)
    monkeypatch.setattr(sys, "argv", ["read", str(path)])
    # The first test row, shorter than the longest training row: inside the ball.
    row = 0.5 * inputs[50]
    names: dict = {"x": row}
    exec(block, names)
    # Coefficients of size |y| / alpha = 100, of which n = 50 are summed: rounding is below 50 * 100 * 1e-15.
    assert abs(names["y"][0] - model.predict(row.reshape(1, -1))[0]) < 1e-11
