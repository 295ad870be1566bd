"""Inputs that are scaled separately: results that do not depend on their units."""

import numpy as np
import pytest
import volterra

UNITS = np.array([1.0, 1024.0, 2.0**-30])  # removed without rounding


def rows(n=120):
    x = np.random.default_rng(5).normal(size=(n, 3))
    y = x[:, 0] * x[:, 1] + np.sin(x[:, 2]) + np.append(0, x[:-1, 1])
    return x, y


@pytest.mark.parametrize(
    "make",
    [
        lambda each: volterra.VolterraRidge(alpha=0.1, scale_each=each),
        lambda each: volterra.SequenceKernelRidge("rbf", alpha=0.1, input="both", scale_each=each),
        lambda each: volterra.VolterraRidgeCV(draws=4, folds=2, random_state=1, kernel="volterra", scale_each=each),
    ],
)
def test_units_do_not_matter(make):
    x, y = rows()
    first, second = (make(True).fit(u[:100], y[:100]).predict(u[100:]) for u in (x, x * UNITS))
    assert np.array_equal(first, second)
    first, second = (make(False).fit(u[:100], y[:100]).predict(u[100:]) for u in (x, x * UNITS))
    assert not np.allclose(first, second, rtol=1e-3)


def test_classes():
    x, y = rows()
    found = [
        volterra.VolterraClassifier("rbf", alpha=0.1, scale_each=True).fit(u[:100], y[:100] > 0).predict_proba(u[100:])
        for u in (x, x * UNITS)
    ]
    assert np.array_equal(*found)


def test_file_and_search(tmp_path):
    x, y = rows()
    x[:, 1] = 3  # a constant input is ignored
    search = volterra.VolterraRidgeCV(draws=4, folds=2, random_state=1, scale_each=True).fit(x[:100], y[:100])
    model = search.best_estimator_
    assert model.scale_each is True
    volterra.save(model, tmp_path / "m.safetensors")
    loaded = volterra.load(tmp_path / "m.safetensors")
    assert loaded.scale_each is True and loaded.n_features_in_ == 3
    assert np.array_equal(loaded.predict(x[100:]), model.predict(x[100:]))
    again = type(loaded)(**loaded.get_params()).fit(x[:100], y[:100])
    assert np.allclose(again.predict(x[100:]), model.predict(x[100:]), rtol=0, atol=1e-9)


def test_identify():
    u, y = rows(150)
    found = [volterra.identify(v, y, draws=2) for v in (u, u * UNITS)]
    assert found[0].test_rmse_ == found[1].test_rmse_ and found[0].model.scale_each is True
    assert volterra.Identifier(draws=1, scale_each=False).fit(u, y).model_.scale_each is False
    assert volterra.identify(u[:, 0], y, draws=1).model.scale_each is False


def test_requires_scale():
    x, y = rows()
    with pytest.raises(ValueError, match="scale_each"):
        volterra.VolterraRidge(alpha=0.1, scale=False, scale_each=True).fit(x, y)
