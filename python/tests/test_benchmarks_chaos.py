"""``python -m volterra.benchmarks chaos``: initial conditions, valid times, the report."""

from __future__ import annotations

import json

import numpy as np
import pytest
from volterra.benchmarks._chaos import LocalModel
from volterra.benchmarks._chaos import SYSTEMS, ChaosRun, _normals, make_start, valid_rows
from volterra.benchmarks.__main__ import main
from volterra.ridge import SequenceKernelRidge


class Path:
    """A model with a known simulation; `ends` raises an error at its end."""

    def __init__(self, outputs, ends=False):
        self.outputs, self.ends, self.at = [np.atleast_1d(one) for one in outputs], ends, 0

    def continue_(self, steps):
        if not self.outputs:
            raise ValueError("the path diverges")
        return np.array(self.outputs[:steps])

    def stream(self):
        return self

    def feed(self, row):
        np.testing.assert_array_equal(row, self.outputs[self.at])  # its own outputs are the next inputs
        self.at += 1
        if self.ends and self.at == len(self.outputs):
            raise ValueError("the path diverges")
        return self.outputs[self.at]


def test_valid_rows():
    truth = np.zeros((6, 1))
    assert valid_rows(Path([0.1, 0.2, 0.5, 0, 0, 0]), truth, 0.5) == 3  # the error reaches the limit
    assert valid_rows(Path([9, 0, 0, 0, 0, 0]), truth, 0.5) == 1
    assert valid_rows(Path([0.1] * 6), truth, 0.5) == 6
    assert valid_rows(Path([0.1, np.nan, 0, 0, 0, 0]), truth, 0.5) == 2
    assert valid_rows(Path([0.1, 0.1], ends=True), truth, 0.5) == 3
    assert valid_rows(Path([]), truth, 0.5) == 1
    norm = np.array([[0.3, 0.4]])
    assert valid_rows(Path([norm[0], norm[0]]), np.zeros((2, 2)), 0.6) == 2
    assert valid_rows(Path([norm[0], norm[0]]), np.zeros((2, 2)), 0.4) == 1


def test_normal_numbers_are_those_of_the_library(program, tmp_path):
    program("simulate", "lorenz", "--length", 2, "--seed", 5, "-o", tmp_path / "x.csv")
    start = np.loadtxt(tmp_path / "x.csv", delimiter=",", skiprows=1, ndmin=2)[0]
    normals = _normals(np.random.Generator(np.random.Philox(key=np.array([5, 0], dtype=np.uint64))))
    np.testing.assert_array_equal(start, [base + 0.1 * next(normals) for base in (0, 1, 1.05)])


def test_starts():
    run = ChaosRun(SYSTEMS["mackey-glass"], 60, 2)
    first, again, other = (make_start(run, 1, number) for number in (0, 0, 1))
    np.testing.assert_array_equal(first.rows, again.rows)
    assert first.rows.shape == (61 + 4000, 1) and np.abs(first.rows - other.rows).max() > 0.1
    assert first.spread == pytest.approx(first.rows[:61].std())
    assert make_start(ChaosRun(SYSTEMS["lorenz"], 60, 2), 2**64 - 1, 0).rows.shape == (61 + 1600, 3)


def test_starts_of_simulated_systems():
    for name, columns in (("lorenz96", 40), ("kuramoto-sivashinsky", 64)):
        system = {**SYSTEMS[name], "discard": 2, "longest": 3}
        run = ChaosRun(system, None, 1)
        assert run.rows == system["rows"]
        run.rows = 5
        first, again, other = (make_start(run, 1, number) for number in (0, 0, 1))
        np.testing.assert_array_equal(first.rows, again.rows)
        assert first.rows.shape == (9, columns) and np.any(first.rows != other.rows)


def test_local_models():
    """The change of a column of a ring is linear in it and its neighbours: one model predicts all columns."""
    rows = [np.random.default_rng(1).standard_normal(12)]
    for _ in range(80):
        rows.append(rows[-1] + 0.1 * (np.roll(rows[-1], 1) - 2 * rows[-1] + np.roll(rows[-1], -1)))
    rows = np.array(rows)
    for group in (1, 2):
        settings = {"alpha": 1e-12, "washout": 5, "target": "level", "input": "level", "season": None}
        kernel = SequenceKernelRidge("linear:window=1", **settings)
        model = LocalModel({"group": group, "reach": 1, "samples": 240}, kernel).fit(rows[:61])
        stream = model.stream()
        np.testing.assert_allclose(model.continue_(2), rows[61:63], rtol=0, atol=1e-7)
        np.testing.assert_allclose(stream.feed(rows[61]), rows[62], rtol=0, atol=1e-7)
        assert valid_rows(model, rows[61:], 1e-5) == 20


def test_lorenz(capsys):
    arguments = ["chaos", "--only", "lorenz", "--rows", "150", "--starts", "2", "--seed", "3", "--quiet"]
    assert main([*arguments, "--json"]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert captured.err == "" and found["benchmark"] == "chaos"
    system = {"dataset": "lorenz", "n": 150, "starts": 2, "step": 0.025, "lyapunov": 0.9056, "threshold": 0.4}
    assert found["systems"] == [system]
    assert [row["method"] for row in found["rows"]] == [m["method"] for m in SYSTEMS["lorenz"]["methods"]]
    for row in found["rows"]:
        assert len(row["values"]) == 2 and row["value"] == pytest.approx(np.mean(row["values"]))
        assert row["lower_quartile"] <= row["value"] <= row["upper_quartile"]
        assert all(0 <= value < 37 for value in row["values"]) and 0.1 < row["validation"] < 37
        assert row["unit"] == "Lyapunov times" and row["published"][0]["value"] == 6
    assert found["rows"][0]["value"] > 1


def test_text_report(capsys):
    assert main(["chaos", "--only", "lorenz", "--rows", "50", "--starts", "1", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Lorenz: 1 starts, 50 training rows")
    assert any("arXiv 2508.06730" in line and line.split()[-2:] == ["30", "published"] for line in lines)
    assert any(line.startswith("volterra ") and "tau_coef" in line for line in lines)


@pytest.mark.parametrize(
    "arguments, word",
    [
        ("--data .", "--data"),
        ("-o t", "-o"),
        ("--only lorentz", "'lorentz'"),
        ("--rows 49", "50"),
        ("--rows 20001", "20000"),
        ("--starts 0", "--starts"),
        ("--starts 10001", "10000"),
        ("--task anomaly", "--task"),
    ],
)
def test_wrong_options(arguments, word, capsys):
    assert main(["chaos", *arguments.split()]) == 2
    assert word in capsys.readouterr().err
