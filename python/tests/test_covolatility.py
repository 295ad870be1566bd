"""BEKK: likelihood against reference values, estimates from simulated data, files."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from volterra.datasets import BEKK, bekk, bekk_presets, log_returns


def test_loglik(golden):
    file = golden("bekk_loglik")
    returns = file.array("returns")
    model = BEKK(file.array("C"), np.diag(file.array("A")), np.diag(file.array("B")))
    file.check("loglik", model.score(returns), "each")
    file.check("H_path_vech", model.covariances(returns))


def test_simulation_obeys_the_recursion():
    model = BEKK.preset("sp500-d5")
    z, r, h = bekk(model, 60, seed=1)
    rows, cols = np.triu_indices(5)  # vech: columns from the diagonal down
    H = np.zeros((60, 5, 5))
    H[:, cols, rows] = h
    H[:, rows, cols] = h
    for t in range(60):
        values, vectors = np.linalg.eigh(H[t])
        assert np.allclose((vectors * np.sqrt(values)) @ vectors.T @ z[t], r[t], rtol=0, atol=1e-12)
    A, B, C = np.diag(model.a), np.diag(model.b), model.C
    for t in range(1, 60):
        rr = np.outer(r[t - 1], r[t - 1])
        assert np.allclose(H[t], C @ C.T + A @ rr @ A + B @ H[t - 1] @ B, rtol=0, atol=1e-15)


def test_estimate_and_its_file(tmp_path):
    truth = BEKK([[0.01, 0.003], [0, 0.01]], [0.3, 0.25], [0.9, 0.92], tickers=["X", "Y"])
    returns = truth.simulate(1500, seed=2).returns
    estimate = BEKK.fit(returns)
    assert estimate.fit_info["converged"] and estimate.converged
    assert np.abs(estimate.b - truth.b).max() < 5 * estimate.b_error.max() < 0.5
    assert estimate.score(returns - returns.mean(axis=0)) == pytest.approx(estimate.loglik, rel=1e-12)
    assert estimate.loglik > truth.score(returns - returns.mean(axis=0))
    estimate.save(tmp_path / "params.json")
    again = BEKK.load(tmp_path / "params.json")
    for name in ("C", "a", "b"):
        assert np.array_equal(getattr(again, name), getattr(estimate, name))
    assert np.allclose(again.C_error, estimate.C_error, rtol=1e-3)  # the file has them to four digits
    assert np.array_equal(pickle.loads(pickle.dumps(estimate)).C, estimate.C)
    assert truth.tickers == ["X", "Y"] and "tickers=['X', 'Y']" in repr(truth)


def test_presets():
    assert "sp500-d5" in bekk_presets()
    assert BEKK.preset("sp500-d5").d == 5
    with pytest.raises(ValueError, match="sp500-d5"):
        BEKK.preset("sp500-d6x")


def test_returns_of_prices():
    pandas = pytest.importorskip("pandas")
    prices = pandas.DataFrame({"A": [1.0, 2.0, 4.0]}, index=["mon", "tue", "wed"])
    returns = log_returns(prices)
    assert list(returns.index) == ["tue", "wed"] and np.allclose(returns["A"], np.log(2))
    with pytest.raises(ValueError, match="price|above 0|positive"):
        log_returns([[1.0], [-1.0]])


def test_wrong():
    with pytest.raises(ValueError, match="triangular"):
        BEKK([[1.0, 0.0], [1.0, 1.0]], [0.1, 0.1], [0.9, 0.9])
    with pytest.raises(ValueError, match="shapes"):
        BEKK([[1.0]], [0.1, 0.1], [0.9])
    with pytest.raises(ValueError, match="stationary|a_|1"):
        BEKK([[1.0]], [0.9], [0.9]).simulate(10)
    with pytest.raises(ValueError, match="1.*columns.*model.*5"):
        BEKK.preset("sp500-d5").score(np.ones((10, 1)))
