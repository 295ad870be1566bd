"""`export` of the estimators: C source with the numbers of a stream, JSON, and errors."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import volterra

RUN = """
#include <stdio.h>
#include "model.h"
int main(void)
{
    model_state state;
    double x[MODEL_INPUTS], y[MODEL_OUTPUTS];
    model_continue(&state);
    while (scanf("%lf", &x[0]) == 1) {
        model_step(&state, x, y);
        printf("%.17g\\n", y[0]);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def fitted():
    x = np.sin(0.3 * np.arange(80.0) ** 1.1).reshape(-1, 1)
    return volterra.VolterraRidge(alpha=1e-3, lambda_coef=0.3).fit(x[:60], np.convolve(x[:60, 0] ** 2, [1, 0.5])[:60]), x[60:]


def test_c_equals_stream(fitted, tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    model, x = fitted
    report = model.export(tmp_path / "model.c")
    assert report.rows == 60 and report.landmark_error is None
    assert report.state_bytes >= 60 * 8 and report.constant_bytes >= 2 * 60 * 8
    (tmp_path / "run.c").write_text(RUN)
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "model.c", "run.c", "-o", "run", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    lines = "\n".join(repr(float(v)) for v in x[:, 0])
    out = subprocess.run([tmp_path / "run"], input=lines, capture_output=True, text=True, check=True).stdout
    stream = model.stream()
    expected = [float(stream.feed(row)) for row in x]
    # sums of 60 products of coefficients below 1e3 and kernels below 10
    np.testing.assert_allclose([float(v) for v in out.split()], expected, rtol=0, atol=60 * 1e4 * 2.3e-16)


def test_landmarks_and_intervals(fitted, tmp_path):
    model, _ = fitted
    few = model.export(tmp_path / "few.c", landmarks=8, precision="single", coverage=[0.5, 0.9], name="pump")
    many = model.export(tmp_path / "many.c", landmarks=50)
    assert 0 <= many.landmark_error < few.landmark_error
    assert few.rows < many.rows
    text = (tmp_path / "few.h").read_text()
    assert "PUMP_LEVELS = 2" in text and "int pump_step(pump_state *state, const float *x, float *y);" in text


def test_json(fitted, tmp_path):
    model, _ = fitted
    model.export(tmp_path / "model.json", format="json", coverage=0.8)
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["format"] == "volterra-export" and content["inputs"] == 1 and content["coverages"] == [0.8]
    part = content["parts"][0]
    assert len(part["rows"]) == len(part["coefficients"]) == 60
    assert set(part["factors"][0]["constants"]) == {"tau2", "lambda2"}


def test_errors(fitted, tmp_path):
    model, _ = fitted
    for options, word in [
        ({"format": "cobol"}, "format"),
        ({"precision": "half"}, "precision"),
        ({"landmarks": 61}, "61"),
        ({"landmarks": 0}, "landmarks"),
        ({"coverage": 2}, "2"),
        ({"name": "a b"}, "name"),
        ({"format": "json", "precision": "single"}, "single"),
    ]:
        with pytest.raises(ValueError, match=word):
            model.export(tmp_path / "model.c", **options)
    with pytest.raises(ValueError, match="model.txt"):
        model.export(tmp_path / "model.txt")
    with pytest.raises(OSError, match="nowhere"):
        model.export(tmp_path / "nowhere" / "model.c")
    with pytest.raises(ValueError, match="gak"):
        volterra.SequenceKernelRidge(kernel="gak:window=4", alpha=1).fit(np.arange(9.0)[:, None], np.arange(9.0) ** 2).export(
            tmp_path / "model.c"
        )
    assert not list(tmp_path.iterdir())
