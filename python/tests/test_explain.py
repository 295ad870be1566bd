"""Explanations of models: reference kernels and parts of the orders, and a known system."""

from __future__ import annotations

import json

import numpy as np
import pytest
import volterra

TAYLOR = ["geometric", "even", "exponential", "poly", "rbf", "fading", "memory"]


def kernel_text(params):
    text = params["kernel"] + ":" + ",".join(
        f"{name}={params[name]!r}" for name in ("tau", "gamma", "lambda", "rho", "mu") if name in params
    )
    if "lift" in params:
        text += f",lift={params['lift']}" + (f":{params['degree']}" if "degree" in params else "")
    return text


def model_of(params, Z, A):
    """Return a model with these coefficients, by a fit to the corresponding targets."""
    K = volterra.gram(Z, kernel=kernel_text(params))
    model = volterra.SequenceKernelRidge(kernel_text(params), alpha=1.0, fit_intercept=False, scale=False)
    model.fit(Z, K @ A + A)
    np.testing.assert_allclose(model.dual_coef_, A, rtol=0, atol=1e-13 * np.abs(A).max())
    return model


@pytest.mark.parametrize("name", TAYLOR)
def test_golden_kernels(root, name):
    file = json.loads((root / "tests/reference" / f"m2_taylor_{name}.json").read_text())
    for case in file["cases"]:
        given, wanted = case["inputs"], case["expected"]
        scale, shift = given["input_scale"], np.array(given["input_shift"])
        A, unit = np.array(given["coefficients"]), np.array(given["target_scale"])
        model = model_of(case["params"], scale * (np.array(given["X"]) - shift), A)
        about = scale * (np.array(given["expand_about"]) - shift)
        found = model.explain(case["params"]["lags"], about=about, std=False, shares=False)
        g0 = np.array(given["target_mean"]) + unit * (found.g0 + np.array(given["intercepts"]))
        for p, (field, value) in enumerate([("g0", g0), ("g1", found.g1), ("g2", found.g2)]):
            expected = np.array(wanted[field])
            if p:
                value = value * scale**p * unit.reshape(-1, *(1,) * (value.ndim - 1))
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-11 * max(np.abs(expected).max(), 1e-3))


def test_golden_orders(root):
    file = json.loads((root / "tests/reference/m2_orders.json").read_text())
    for case in file["cases"]:
        given, wanted = case["inputs"], case["expected"]
        model = model_of(case["params"], np.array(given["Z"]), np.array(given["coefficients"])[:, None])
        parts = model.orders(np.array(given["test"]), about="zero")[:, 0, :]
        size = np.abs(wanted["total"]).max()
        for p, field in enumerate(["order0", "order1", "order2", "higher"]):
            np.testing.assert_allclose(parts[:, p], wanted[field], rtol=0, atol=1e-12 * size)


@pytest.fixture(scope="module")
def known():
    rng = np.random.default_rng(5)
    u = rng.uniform(-1, 1, size=(400, 2))
    y = 1 + 2 * u[1:, 0] - u[:-1, 1] + 0.8 * u[1:, 0] * u[:-1, 1]
    return u[1:], y, volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.5, alpha=1e-6, washout=2).fit(u[1:], y)


def test_known_system(known):
    u, y, model = known
    found = model.explain(3, about="zero")
    assert found.g1.shape == found.g1_std.shape == (1, 3, 2) and found.g2.shape == (1, 3, 3, 2, 2)
    np.testing.assert_allclose(found.g1[0], [[2, 0], [0, -1], [0, 0]], atol=0.05)
    assert abs(found.g2[0, 0, 1, 0, 1] - 0.8) < 0.1 and abs(found.g0[0] - 1) < 0.05
    assert list(found.shares) == ["order1", "order2", "higher"]
    assert abs(sum(found.shares.values())[0] - 1) < 1e-12 and found.memory[0] == 2
    assert (found.g1_std > 0).all()
    parts = model.orders(u[:20], about="zero", order=3)
    assert parts.shape == (20, 1, 5)
    np.testing.assert_allclose(parts.sum(axis=2)[:, 0], model.predict(u[:20], start="reset"), atol=1e-11)
    assert len(model.explain(2, order=4, std=False, shares=False).kernels) == 4


def test_along_other_rows(known):
    u, _, model = known
    one = model.explain(2, std=False, along=u[:60])
    records = model.explain(2, std=False, along=[u[:30], u[30:60]])
    groups = model.explain(2, std=False, along=u[:60], groups=np.repeat([1, 2], 30))
    assert records.shares["order1"] == groups.shares["order1"] != one.shares["order1"]


def test_feedback():
    rng = np.random.default_rng(6)
    u, y = rng.uniform(-1, 1, size=(300, 1)), np.zeros(300)
    for t in range(1, 300):
        y[t] = 0.5 * y[t - 1] + u[t, 0]
    model = volterra.VolterraRidge(tau_coef=0.2, lambda_coef=0.3, alpha=1e-6, feedback=1.0).fit(u, y)
    found = model.explain(2, about="zero")
    np.testing.assert_allclose(found.g1[0, 0], [1, 0.5], atol=0.1)
    with pytest.raises(ValueError, match="with feedback"):
        model.orders(u)
    with pytest.raises(ValueError, match="about.*1.*model.*2"):
        model.explain(2, about=[0.0])


def test_invalid_arguments(known):
    u, y, model = known
    with pytest.raises(ValueError, match="lags"):
        model.explain(0)
    with pytest.raises(ValueError, match="lags.*399.*rows"):
        model.explain(400)
    with pytest.raises(ValueError, match="order"):
        model.explain(order=9)
    with pytest.raises(ValueError, match="numbers"):
        model.explain(order=8)
    with pytest.raises(ValueError, match="training"):
        model.explain(about=[9.0, 9.0])
    with pytest.raises(ValueError, match='must be "mean", "zero"'):
        model.explain(about="nowhere")
    with pytest.raises(ValueError, match="records.*along"):
        model.explain(groups=[1, 2])
    with pytest.raises(volterra.NotFittedError):
        volterra.VolterraRidge().explain()
    gak = volterra.SequenceKernelRidge("gak:window=2", alpha=1.0).fit(u[:20], y[:20])
    with pytest.raises(ValueError, match="kernel.*gak.*power.*series"):
        gak.explain()
