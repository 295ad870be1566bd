"""SequenceKernel in the Gaussian processes of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import volterra

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import WhiteKernel
from sklearn.model_selection import TimeSeriesSplit, cross_val_score
from volterra.gaussian_process import SequenceKernel

TEXT = "volterra:tau_coef=0.4,lambda_coef=0.8 + fir:mu=0.9"
RANGES = {"lambda_coef": (0.5, 0.99), "mu": (0.5, 0.99)}


def test_entries_and_gradient(system):
    X = system[0][:40]
    kernel, rows, K = SequenceKernel(X, TEXT, RANGES), np.arange(40)[::-3, None], volterra.gram(X, kernel=TEXT)
    chosen = rows[:, 0]
    assert np.array_equal(kernel(rows), K[np.ix_(chosen, chosen)])
    assert np.array_equal(kernel(rows, rows[:2]), K[np.ix_(chosen, chosen[:2])])
    assert np.array_equal(kernel.diag(rows), np.diag(K)[chosen])
    assert np.exp(kernel.theta).tolist() == pytest.approx([0.8, 0.9]) and kernel.bounds.shape == (2, 2)
    slopes, h = kernel(rows, eval_gradient=True)[1], 1e-4
    for i in range(2):
        ends = [kernel.clone_with_theta(kernel.theta + sign * h * np.eye(2)[i])(rows) for sign in (1, -1)]
        np.testing.assert_allclose(slopes[:, :, i], (ends[0] - ends[1]) / (2 * h), rtol=1e-3, atol=1e-4)
    assert repr(kernel) == f"SequenceKernel({TEXT!r})" and not kernel.is_stationary()


def test_regression_equals_ridge(system):
    """A fixed kernel with noise alpha has the predictions of kernel ridge regression without a constant."""
    X, y = system
    rows = np.arange(len(X))[:, None]
    process = GaussianProcessRegressor(SequenceKernel(X, "volterra"), alpha=0.1).fit(rows[:200], y[:200])
    K = volterra.gram(X, kernel="volterra")
    expected = K[200:, :200] @ np.linalg.solve(K[:200, :200] + 0.1 * np.eye(200), y[:200])
    np.testing.assert_allclose(process.predict(rows[200:]), expected, rtol=1e-8, atol=1e-8)
    assert process.predict(rows[200:], return_std=True)[1].shape == (100,)


def test_likelihood_is_maximised(system):
    X, y = system[0][:150], system[1][:150]
    rows, start = np.arange(150)[:, None], SequenceKernel(X, ranges={"tau_coef": (0.05, 0.95)})
    kernels = [kernel + WhiteKernel(0.1, "fixed") for kernel in (SequenceKernel(X), start)]
    fixed, free = (GaussianProcessRegressor(kernel).fit(rows, y) for kernel in kernels)
    assert free.log_marginal_likelihood_value_ > fixed.log_marginal_likelihood_value_ + 1
    assert start.kernel == "volterra" and free.kernel_.k1.kernel != "volterra"
    scores = cross_val_score(clone(free).set_params(optimizer=None), rows, y, cv=TimeSeriesSplit(3))
    assert scores.shape == (3,) and np.isfinite(scores).all()


def test_series():
    t = np.arange(25)
    series = [np.sin((0.4 if i % 2 else 0.6) * t + 0.3 * i)[: 20 + i % 5, None] for i in range(24)]
    numbers, labels = np.arange(24)[:, None], np.arange(24) % 2
    model = GaussianProcessClassifier(SequenceKernel(series, "gak:sigma=1")).fit(numbers[:16], labels[:16])
    assert model.score(numbers[16:], labels[16:]) == 1


def test_invalid_arguments(system):
    X, y = system
    for wrong in (X, [[300]], [[-1]], [[0.5]], np.arange(3)):
        with pytest.raises(ValueError, match="from 0 to 299"):
            SequenceKernel(X)(wrong)
    for name in ("lam", "nu"):
        with pytest.raises(ValueError, match=name):
            SequenceKernel(X, ranges={name: (0.1, 0.2)}).theta
    with pytest.raises(ValueError, match="Y=None"):
        SequenceKernel(X)([[0]], [[1]], eval_gradient=True)
