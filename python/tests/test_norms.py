"""Norms, effective dimensions, spectra, distances of states and forgetting."""

import json
from pathlib import Path

import numpy as np
import pytest
import volterra

GOLDEN = json.loads((Path(__file__).parents[2] / "tests/reference/norms.json").read_text())
KERNEL = f"volterra:tau={GOLDEN['tau']!r},lambda={GOLDEN['lambda']!r}"
X, Y, TARGETS = (np.array(GOLDEN[name]) for name in ("X", "Y", "targets"))


@pytest.mark.parametrize("expected", GOLDEN["ridge"], ids=lambda e: f"{e['alpha']}-{e['intercept']}")
def test_attributes_of_a_fit(expected):
    model = volterra.SequenceKernelRidge(
        KERNEL, alpha=expected["alpha"], fit_intercept=bool(expected["intercept"]), scale=False
    ).fit(X, TARGETS)
    np.testing.assert_allclose(model.rkhs_norm_, expected["rkhs_norm"], rtol=1e-8)
    np.testing.assert_allclose(model.effective_dimension_, [expected["effective_dimension"]] * 2, rtol=1e-8)
    np.testing.assert_allclose(model.noise_, expected["noise"], rtol=1e-8)
    assert (model.report_["dimension_error"] == 0).all()


def test_attributes_are_kept_by_pickle_and_absent_in_files(tmp_path):
    import pickle

    model = volterra.VolterraRidge(alpha=0.1).fit(X, TARGETS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.rkhs_norm_, model.rkhs_norm_)
    pcg = volterra.VolterraRidge(alpha=0.1, solver="pcg").fit(X, TARGETS)
    assert np.isfinite(pcg.rkhs_norm_).all() and np.isnan(pcg.effective_dimension_).all()


def test_spectrum():
    values, dimensions = volterra.gram_spectrum(X, KERNEL, radius=1)
    np.testing.assert_allclose(values, GOLDEN["eigenvalues"], atol=1e-12 * values[0])
    np.testing.assert_allclose(dimensions, GOLDEN["dimensions"], rtol=1e-8)
    few, below = volterra.gram_spectrum(X, KERNEL, radius=1, count=5)
    np.testing.assert_allclose(few, values[:5], atol=1e-10 * values[0])
    assert (below <= dimensions[:5] * (1 + 1e-9)).all()
    for count in (0, len(X) + 1, 2.5):
        with pytest.raises((ValueError, TypeError), match="count"):
            volterra.gram_spectrum(X, KERNEL, count=count)


def test_distances():
    found = volterra.gram(X, Y, KERNEL, radius=1, distance=True)
    np.testing.assert_allclose(found, GOLDEN["distance"], atol=1e-12)
    series = [X[:10], X[:20], Y]
    pairs = volterra.gram(series, kernel=KERNEL, radius=1, distance=True)
    assert pairs[0, 0] == 0 and np.isclose(pairs[0, 1], volterra.gram(X[:20], kernel=KERNEL, radius=1, distance=True)[9, 19])


def test_forgetting():
    model = volterra.SequenceKernelRidge(KERNEL, alpha=0.1, scale=False).fit(X, TARGETS)
    curve = model.forgetting(X[:15], X[15:30], X[30:])
    np.testing.assert_allclose(curve[:, 0], GOLDEN["forgetting"], atol=1e-12)
    bound = GOLDEN["forgetting"][0] * GOLDEN["contraction"] ** np.arange(11)
    np.testing.assert_allclose(curve[:, 1], bound, rtol=1e-12)
    with pytest.raises(ValueError):
        model.forgetting(X[:15, :1], X[15:30], X[30:])
