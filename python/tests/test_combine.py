"""Weighted sums of models: predictions, streams, files, and what they do not support."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import volterra


def system(rows=120, seed=3):
    rng = np.random.default_rng(seed)
    u, y = rng.normal(size=(rows, 1)), np.zeros(rows)
    for t in range(1, rows):
        y[t] = 0.6 * y[t - 1] + np.tanh(u[t, 0])
    return u, y


@pytest.fixture
def members():
    u, y = system()
    linear = volterra.SequenceKernelRidge("fir:mu=0.9", alpha=1e-3).fit(u[:80], y[:80])
    rest = volterra.SequenceKernelRidge("fading", alpha=1e-3, feedback=0.5).fit(u[:80], y[:80] - linear.fitted_)
    return linear, rest, u[80:], y[80:]


def test_predictions_are_weighted_sums(members):
    linear, rest, u, _ = members
    total = volterra.combine([linear, rest], kind="residual")
    assert isinstance(total, volterra.ModelSum)
    expected = linear.predict(u) + rest.predict(u)
    np.testing.assert_allclose(total.predict(u), expected, rtol=1e-14, atol=1e-14)
    mixed = volterra.combine([linear, rest], [0.25, -2])
    np.testing.assert_allclose(mixed.predict(u), 0.25 * linear.predict(u) - 2 * rest.predict(u), rtol=1e-13, atol=1e-13)
    assert mixed.kind_ == "average" and list(mixed.weights_) == [0.25, -2]
    assert total.predict(u).shape == (len(u),)
    assert 0 < total.score(u, members[3]) <= 1


def test_known_outputs_of_residuals(members):
    linear, rest, u, y = members
    total = volterra.combine([linear, rest], kind="residual")
    left = y - linear.predict(u)
    expected = linear.predict(u) + rest.predict(u, y_known=left, warm_up=5)
    np.testing.assert_allclose(total.predict(u, y_known=y, warm_up=5), expected, rtol=1e-14, atol=1e-14)
    shared = volterra.combine([rest, rest])
    np.testing.assert_array_equal(shared.predict(u, y_known=y), rest.predict(u, y_known=y))


def test_stream(members):
    linear, rest, u, _ = members
    total = volterra.combine([linear, rest])
    stream = total.stream()
    rows = np.array([stream.feed(row) for row in u]).ravel()
    np.testing.assert_allclose(rows, total.predict(u), rtol=1e-11, atol=1e-11)


def test_files(members, tmp_path, program):
    linear, rest, u, _ = members
    total = volterra.combine([volterra.combine([linear, rest], kind="residual"), linear], [0.5, 0.5])
    path = tmp_path / "sum.safetensors"
    volterra.save(total, path)
    loaded = volterra.load(path)
    np.testing.assert_array_equal(loaded.predict(u), total.predict(u))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(total)).predict(u), total.predict(u))
    inner, single = loaded.members_
    assert inner.kind_ == "residual" and inner.kernel_ == total.members_[0].kernel_
    np.testing.assert_array_equal(single.predict(u), linear.predict(u))
    del loaded, total
    np.testing.assert_array_equal(single.predict(u), linear.predict(u))  # members keep their sum alive
    table, out = tmp_path / "u.csv", tmp_path / "out.csv"
    np.savetxt(table, u, fmt="%.17g")
    program("predict", str(path), "--x", str(table), "-o", str(out), "--quiet")
    np.testing.assert_array_equal(np.loadtxt(out, skiprows=1, ndmin=1), volterra.load(path).predict(u))


def test_classifiers_average_probabilities():
    u, y = system()
    labels = (y > 0).astype(int)
    members = [volterra.VolterraClassifier(kernel, alpha=0.1).fit(u[:80], labels[:80]) for kernel in ("fir", "volterra")]
    mean = volterra.combine(members)
    expected = (members[0].predict_proba(u[80:]) + members[1].predict_proba(u[80:])) / 2
    np.testing.assert_allclose(mean.predict_proba(u[80:]), expected, rtol=1e-13, atol=1e-15)


def test_unsupported(members):
    linear, rest, u, y = members
    total = volterra.combine([linear, rest])
    for call in (
        lambda: total.fit(u, y),
        lambda: total.explain(),
        lambda: total.orders(u),
        lambda: total.continue_(3),
        lambda: total.impulse_response(3),
        lambda: total.predict(u, return_std=True),
        lambda: total.predict_interval(u, coverage=0.9),
        lambda: total.predict_var(u),
        lambda: total.partial_fit(u, y),
        lambda: total.update(u, y),
        lambda: total.learner(),
        lambda: total.forecast(),
    ):
        with pytest.raises((ValueError, AttributeError)):
            call()
    for name in ("dual_coef_", "intercept_", "fitted_", "baselines_", "prequential_errors_"):
        with pytest.raises(AttributeError):
            getattr(total, name)
    with pytest.raises(ValueError, match="members"):
        total.fit(u, y)
    with pytest.raises(ValueError, match="weights.* 2 .*3"):
        volterra.combine([linear, rest], [1, 2, 3])
    with pytest.raises(ValueError, match="kind"):
        volterra.combine([linear, rest], kind="mean")
    with pytest.raises(ValueError, match="member 2"):
        volterra.combine([linear, volterra.VolterraRidge(alpha=1).fit(np.hstack([u, u * u]), y)])
    with pytest.raises(volterra.NotFittedError):
        volterra.combine([volterra.VolterraRidge()])
    with pytest.raises(ValueError, match="1000"):
        volterra.combine([])
