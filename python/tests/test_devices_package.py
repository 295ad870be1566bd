"""Devices from Python, with the plugin of tests/plugin/fake_plugin.c, which computes on the CPU."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest
import volterra
from bare_python import BARE_PYTHON

PROGRAM = os.environ.get("VOLTERRA_PROGRAM", "")
FAKE = pathlib.Path(PROGRAM).parent / "tests/plugin/fake_plugin.so"


def run(code, faults="", plugin=FAKE):
    """Return the output of statements in a separate process that loads the plugin."""
    if plugin == FAKE and not FAKE.exists():
        pytest.skip("there is no fake plugin")
    env = dict(os.environ, VOLT_CUDA_PLUGIN=str(plugin), VOLT_FAKE_DEVICE=faults)
    env["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(volterra.__file__).parents[1]), env.get("PYTHONPATH", "")])
    done = subprocess.run([BARE_PYTHON, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


DATA = """
import numpy as np, volterra
rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, (80, 2))
y = X[:, 0] - 0.5 * X[:, 1] * np.roll(X[:, 0], 1)
"""


def test_words():
    assert volterra.device() == "auto"
    volterra.set_device("cpu")
    assert volterra.device() == "cpu"
    volterra.set_device()
    with pytest.raises(ValueError, match="device.*'tpu'.*auto.*cpu.*gpu"):
        volterra.set_device("tpu")
    with pytest.raises(TypeError, match="not int"):
        volterra.set_device(0)
    assert volterra.device() == "auto"


def test_no_plugin():
    lines = run(
        DATA
        + """
for call in (volterra.devices, lambda: volterra.set_device("gpu"), volterra.VolterraRidge(device="gpu").fit):
    try:
        call(X, y) if "fit" in str(call) else call()
    except volterra.DeviceError as error:
        print(error)
print(volterra.device())
""",
        plugin="/nowhere/x.so",
    )
    assert all("VOLT_CUDA_PLUGIN names /nowhere/x.so" in line for line in lines[:3])
    assert lines[3] == "auto"


def test_list():
    lines = run(
        "import volterra; print(volterra.devices()[1]); volterra.set_device('gpu:1'); print(volterra.device())", "memory=5e8"
    )
    assert lines[0] == (
        "{'device': 'gpu:1', 'name': 'Fake 1', 'driver': '1.0', 'memory': 2000000000, 'available': 500000000}"
    )
    assert lines[1] == "gpu:1"


def test_same_forecasts():
    lines = run(
        DATA
        + """
for make in (
    lambda d: volterra.VolterraRidge(alpha=1e-3, device=d),
    lambda d: volterra.SequenceKernelRidge("rbf:gamma=0.5,window=3", alpha=1e-3, device=d),
    lambda d: volterra.VolterraRidgeCV(draws=4, folds=3, random_state=1, device=d),
):
    here, there = (make(d).fit(X[:60], y[:60]).predict(X[60:]) for d in ("cpu", "gpu"))
    print(bool(np.abs(here - there).max() < 1e-7), volterra.device())
"""
    )
    assert lines[:3] == ["True auto"] * 3


def test_lost():
    lines = run(
        DATA
        + """
model = volterra.VolterraRidge(alpha=1e-3, device="gpu")
try:
    model.fit(X, y)
except volterra.DeviceError as error:
    print(error, hasattr(model, "alpha_"), volterra.device())
""",
        "lost=5",
    )
    assert lines[0] == "the device was lost: it fell off the bus False auto"
