"""`export` of the estimators: C source with the numbers of a stream, JSON, and errors."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from export_reader import predict

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
    y = np.convolve(x[:60, 0] ** 2, [1, 0.5])[:60]
    return volterra.VolterraRidge(alpha=1e-3, lambda_coef=0.3).fit(x[:60], y), x[60:]


def test_source_has_the_licence(fitted, root, tmp_path):
    fitted[0].export(tmp_path / "model.c")
    source = (tmp_path / "model.c").read_text()
    assert "SPDX-License-Identifier: BSD-3-Clause" in source
    assert "SPDX-License-Identifier: BSD-3-Clause" in (tmp_path / "model.h").read_text()
    text = (root / "LICENSE").read_text().partition("\n")[2]  # without its name
    assert " ".join(text.split()) in " ".join(source.replace("\n *", "\n").split())


def test_c_equals_stream(fitted, tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    model, x = fitted
    report = model.export(tmp_path / "model.c")
    assert report.rows == 60 and report.landmark_error is None
    assert report.state_bytes >= 60 * 8 and report.constant_bytes >= 2 * 60 * 8
    (tmp_path / "run.c").write_text(RUN)
    command = "gcc -std=c99 -Wall -Wextra -pedantic -Werror model.c run.c -o run -lm"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
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


def two_inputs():
    t = np.arange(90.0)
    u = np.stack([np.sin(0.9 * t) + 0.2 * np.sin(t * t), np.cos(1.3 * t)], axis=1)
    return u, np.convolve(u[:, 0] * u[:, 1] + u[:, 0], [1, 0.6, 0.3])[:90]


@pytest.mark.parametrize(
    "options",
    [
        dict(kernel="volterra:tau_coef=0.5,lambda_coef=0.7 + fading:pole=0.5*rbf:gamma=0.5"),
        dict(kernel="memory:gamma=1,rho=0.5,mu=0.6 + fir:mu=0.7,corr=0.3", feedback=0.3),
        dict(kernel="volterra:lift=even,tau_coef=0.5,lambda_coef=0.7 + cauchy", scale_each=True),
        dict(kernel="fading:pair=0.5,angle=0.3", initial=[0.2, 0.1]),
        dict(kernel="rbf:gamma=0.5", input="both", season=4, target="change", ahead=1),
    ],
    ids=lambda options: options["kernel"].split(":")[0],
)
def test_json_predicts(options, tmp_path):
    """The documented fields are sufficient: another implementation has the same predictions."""
    u, y = two_inputs()
    of_inputs = (u[:60],) if "ahead" in options else (u[:60], y[:60])
    model = volterra.SequenceKernelRidge(alpha=1e-2, **options).fit(*of_inputs)
    model.export(tmp_path / "model.json", format="json")
    content = json.loads((tmp_path / "model.json").read_text())
    for start in ("continue", "reset"):
        stream = model.stream(start=start)
        expected = np.array([stream.feed(row) for row in u[60:]]).reshape(30, -1)
        pending = int("ahead" in options and start == "continue")  # the last row of u[:60] has no target yet
        found = predict(content, u[60 - pending :], "end" if start == "continue" else "start")[pending:]
        # 60 products of coefficients below 100 and kernels below 10, fed back over 30 rows
        np.testing.assert_allclose(found, expected, rtol=0, atol=30 * 60 * 1e3 * 2.3e-16)


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
    paths = volterra.SequenceKernelRidge(kernel="gak:window=4", alpha=1).fit(np.arange(9.0)[:, None], np.arange(9.0) ** 2)
    with pytest.raises(ValueError, match="gak"):
        paths.export(tmp_path / "model.c")
    assert not list(tmp_path.iterdir())
