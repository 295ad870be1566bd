"""Reservoirs as kernels: reference matrices with user-defined weights, estimators, files, warnings, invalid weights."""

from __future__ import annotations

import json
import pickle
import struct

import numpy as np
import pytest
import volterra
from volterra._core._kernel import Kernel


def write_weights(path, **arrays):
    """A safetensors file as other programs write it."""
    header, data = {}, b""
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        kind = {"f": {4: "F32", 8: "F64"}}[array.dtype.kind][array.dtype.itemsize]
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        data += array.astype(array.dtype.newbyteorder("<")).tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


@pytest.fixture
def weights(tmp_path):
    rng = np.random.default_rng(5)
    return write_weights(tmp_path / "w.safetensors", A=rng.normal(size=(6, 6)), C=rng.normal(size=(6, 2)))


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(150, 2))
    y = np.convolve(X[:, 0] * X[:, 1] + X[:, 0], [1, 0.5, 0.25])[:150]
    return X, y


@pytest.mark.parametrize(
    "name, kernel",
    [
        ("m2_reservoir_esn", "esn:leak=1"),
        ("m2_reservoir_esn_leaky", "esn:leak=0.32"),
        ("m2_reservoir_sas", "sas:degree=2"),
        ("m2_reservoir_linear_poly", "esn:activation=identity,degree=3,coef0=1.333"),
    ],
)
def test_golden(golden, tmp_path, name, kernel):
    file = golden(name)
    inputs = {key: np.asarray(value, float) for key, value in file.inputs.items()}
    Z = inputs.pop("Z")
    path = write_weights(tmp_path / "w.safetensors", **inputs)
    expected = file.expected
    cases = expected if isinstance(expected, list) else [{"start": "rest", **expected}]
    for case in cases:
        K = volterra.gram(Z, kernel=f"{kernel},weights={path},start={case['start']}")
        wanted = np.asarray(case["gram"])
        assert np.abs(K - wanted).max() <= file.tol("gram") * np.abs(wanted).max()


def test_states_by_hand(tmp_path, data):
    """The Gram matrix equals that of a NumPy loop over states."""
    X, _ = data
    rng = np.random.default_rng(7)
    A, C, b = 0.3 * rng.normal(size=(5, 5)), rng.normal(size=(5, 2)).astype(np.float32), rng.normal(size=5)
    path = write_weights(tmp_path / "w.safetensors", A=A, C=C, b=b)
    x, states = np.zeros(5), []
    for z in X:
        x = 0.6 * x + 0.4 * np.tanh(A @ x + C.astype(float) @ z + b)
        states.append(x)
    K = volterra.gram(X, kernel=f"esn:weights={path},leak=0.4,start=zero")
    np.testing.assert_allclose(K, np.array(states) @ np.array(states).T, atol=1e-12)


@pytest.mark.parametrize("kernel", ["esn:size=30,radius=0.8", "sas:size=20", "own", "esn:size=10*rbf + linear"])
def test_estimators(kernel, data, weights, tmp_path):
    X, y = data
    if kernel == "own":
        kernel = f"esn:weights={weights},radius=0.5"
    model = volterra.SequenceKernelRidge(kernel, alpha=1e-4, beyond="allow").fit(X[:120], y[:120])
    path = tmp_path / "m.safetensors"
    model.save(path)
    weights.unlink()
    loaded = volterra.load(path).set_params(beyond="allow")
    forecast = model.predict(X[120:])
    np.testing.assert_array_equal(np.ravel(loaded.predict(X[120:])), np.ravel(forecast))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X[120:]), forecast)
    stream = model.stream()
    np.testing.assert_allclose([np.ravel(stream.feed(x))[0] for x in X[120:]], forecast, rtol=0, atol=1e-8)
    assert np.mean((forecast - y[120:]) ** 2) < np.var(y[120:])


def test_parameters(weights):
    given = Kernel(f"esn:weights={weights},leak=0.5,degree=2").given()
    assert given == {"leak": 0.5, "degree": 2, "weights": str(weights)}


def test_missing_fading_memory(data):
    X, _ = data
    with pytest.warns(UserWarning, match="does not fade"):
        volterra.gram(X, kernel="esn:size=50,radius=4,bias=0,input=0.01,start=zero")


@pytest.mark.parametrize(
    "kernel, sentence",
    [
        ("esn:size=0", "size=0 lies outside 1 to 10000"),
        ("esn:radius=-1", r"radius=-1 lies outside \[0, 10\)"),
        ("esn:radius=3", "does not converge"),
        ("esn:weights=nowhere.safetensors", "nowhere.safetensors"),
    ],
)
def test_bad_reservoirs(kernel, sentence, data):
    with pytest.raises((ValueError, OSError), match=sentence):
        volterra.gram(data[0], kernel=kernel)


def test_bad_weights(tmp_path, data):
    A, C = np.eye(3) / 2, np.ones((3, 2))
    path = tmp_path / "w.safetensors"
    cases = [
        (dict(A=A[:, :2], C=C), "tensor A must be 3 x 3.*got 3 x 2"),
        (dict(A=A, C=C[:, :1]), "tensor C must be 3 x 2.*got 3 x 1"),
        (dict(A=A * np.nan, C=C), "tensor 'A' .*nan"),
    ]
    for arrays, sentence in cases:
        write_weights(path, **arrays)
        with pytest.raises(ValueError, match=sentence):
            volterra.gram(data[0], kernel=f"esn:weights={path}")
