"""Evidence through Python: reference values and leave-one-out."""

from __future__ import annotations

import numpy as np
import pytest
import volterra

NAMES = ["geometric", "even", "exponential", "poly", "rbf", "fading", "memory"]


def kernel_of(params):
    parts = []
    if "lift" in params:
        parts.append(f"lift={params['lift']}" + (f":{params['degree']}" if params["lift"] == "poly" else ""))
    parts += [f"{name}={params[name]!r}" for name in ("tau", "gamma", "lambda", "rho", "mu") if name in params]
    return params["kernel"] + ":" + ",".join(parts)


@pytest.mark.parametrize("name", NAMES)
def test_golden(golden, name):
    file = golden(f"m2_evidence_{name}")
    rows = file.inputs["rows_train"]
    X, y = file.array("Z")[:rows], file.array("Y")[:rows]
    kernel, alpha = kernel_of(file.params), file.params["alpha"]
    for expected in file.expected:
        found = volterra.evidence(kernel, X, y, alpha, fit_intercept=expected["intercept"], scale=False)
        assert found.log_likelihood == pytest.approx(expected["log_likelihood"], rel=1e-10)
        np.testing.assert_allclose(found.loo_errors, expected["loo_residual"], rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.gcv, expected["gcv"], rtol=1e-10)
        np.testing.assert_allclose(found.scale, expected["scale"], rtol=1e-10)
        assert found.trace == pytest.approx(expected["trace_P"], rel=1e-10)


def system(n=120, seed=3):
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, n)
    previous, y = 0.0, np.empty(n)
    for t in range(n):
        previous = 0.6 * previous + u[t]
        y[t] = previous + 0.3 * previous**2 + 0.05 * rng.standard_normal()
    return u[:, None], y


def test_estimators_report_evidence():
    X, y = system()
    kernel = "memory:gamma=0.5,rho=0.5,mu=0.7"
    model = volterra.SequenceKernelRidge(kernel=kernel, alpha=0.1).fit(X, y)
    found = volterra.evidence(kernel, X, y, 0.1, leave_one_out=False)
    assert model.log_likelihood_ == pytest.approx(found.log_likelihood, rel=1e-10)
    assert found.loo_errors is None and found.gcv is None


def test_shapes_and_records():
    X, y = system()
    found = volterra.evidence("2*fir:mu=0.7,corr=0.2 + rbf:gamma=1", X, y, 0.1, washout=20)
    assert found.loo_errors.shape == found.loo_variances.shape == (100,)
    both = volterra.evidence("rbf:gamma=1", X, np.column_stack([y, y]), 0.1)
    one = volterra.evidence("rbf:gamma=1", X, y, 0.1)
    assert both.loo_errors.shape == (120, 2)
    assert both.log_likelihood == pytest.approx(2 * one.log_likelihood)
    listed = volterra.evidence("memory", [X[:50], X[50:]], [y[:50], y[50:]], 0.1)
    grouped = volterra.evidence("memory", X, y, 0.1, groups=[0] * 50 + [1] * 70)
    assert listed.log_likelihood == grouped.log_likelihood
    assert listed.log_likelihood != volterra.evidence("memory", X, y, 0.1).log_likelihood


def test_bad_input():
    X, y = system(20)
    with pytest.raises(ValueError, match="alpha.*0"):
        volterra.evidence("rbf", X, y, 0)
    with pytest.raises(ValueError, match="kernel"):
        volterra.evidence("rfb", X, y, 1)
    with pytest.raises(ValueError, match="rows"):
        volterra.evidence("rbf", X, y[:10], 1)
    with pytest.raises(volterra.CancelledError):
        volterra.evidence("rbf", X, y, 1, progress=lambda stage, share: True)


def test_loo_scores():
    X, y = system()
    for scoring in ("neg_loo", "neg_gcv"):
        found = volterra.VolterraRidgeCV(draws=5, kernel="memory", scoring=scoring, random_state=1).fit(X, y)
        assert -1 < found.best_score_ < 0 and found.n_splits_ == 1


def test_unknown_search():
    X, y = system(40)
    with pytest.raises(ValueError, match="search"):
        volterra.VolterraRidgeCV(draws=5, search="newton").fit(X, y)
