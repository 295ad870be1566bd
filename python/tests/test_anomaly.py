"""SeriesAnomaly: distances against NumPy, threshold, layouts, the outlier detector API of scikit-learn."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import volterra


def waves(count, frequency, seed, steps=24):
    rng = np.random.default_rng(seed)
    t = np.arange(steps)[:, None] + np.array([0.0, 1.0])
    return [np.sin(frequency * t + 0.6 * rng.random()) + 0.1 * rng.normal(size=t.shape) for _ in range(count)]


NORMAL, STRANGE = waves(16, 0.5, 1), waves(6, 1.1, 2)


def plain(K, C, alpha, score):
    """The formulas of docs/math.md, by eigenvalues of the covariance operator."""
    n = len(K)
    centre = np.eye(n) - 1 / n
    Kc = centre @ K @ centre
    Cc = (C - K.mean(axis=0)) @ centre
    values, U = np.linalg.eigh(Kc)
    keep = values > 1e-12 * values.max()
    values, U = values[keep], U[:, keep]
    mu, a = values / n, alpha * np.trace(Kc) / n
    weight = np.sqrt(mu) / (mu + a)
    new, old = Cc @ U / np.sqrt(values) * weight, Kc @ U / np.sqrt(values) * weight
    if score == "mahalanobis":
        return np.linalg.norm(new, axis=1)
    return np.linalg.norm(new[:, None] - old[None], axis=2).min(axis=1)


@pytest.mark.parametrize("score", ["conformance", "mahalanobis"])
def test_scores_equal_covariance_operator(score):
    kernel = "gak:sigma=2"
    model = volterra.SeriesAnomaly(kernel, score=score, alpha=1e-3, scale="none").fit(NORMAL)
    K = volterra.gram(NORMAL, kernel=kernel, normalise=True)
    C = volterra.gram(STRANGE, NORMAL, kernel=kernel, normalise=True)
    expected = plain(K, C, 1e-3, score)
    assert np.allclose(-model.score_samples(STRANGE), expected, rtol=1e-7)
    assert model.alpha_ == 1e-3 and model.kernel_.startswith("gak:sigma=2")


def test_outlier_detector_interface():
    model = volterra.SeriesAnomaly("gak:sigma=1", rate=0.1).fit(NORMAL)
    assert (model.predict(STRANGE) == -1).all()
    decision = model.decision_function(STRANGE)
    assert np.array_equal(decision, model.score_samples(STRANGE) - model.offset_) and (decision < 0).all()
    assert model.offset_ == -model.threshold_ and model.left_out_.shape == (16,) and model.n_features_in_ == 2
    again = volterra.SeriesAnomaly("gak:sigma=1", rate=0.2).fit_predict(NORMAL)
    assert (again == -1).sum() == 2  # of 16 left out two lie above place 14, ceil(17 (1 - 0.2))


def test_layouts_and_arrays():
    X = np.stack(NORMAL)
    model = volterra.SeriesAnomaly("gak:sigma=1").fit(X)
    other = volterra.SeriesAnomaly("gak:sigma=1", layout="channels").fit(X.transpose(0, 2, 1))
    expected = model.score_samples(STRANGE)
    assert np.array_equal(expected, other.score_samples([one.T for one in STRANGE]))
    # Series of different lengths.
    assert model.score_samples([STRANGE[0][:17]]).shape == (1,)


def test_univariate_arrays_and_random_states():
    flat = np.stack(NORMAL)[:, :, 0]
    model = volterra.SeriesAnomaly("gak:sigma=1", random_state=None).fit(flat)
    expected = volterra.SeriesAnomaly("gak:sigma=1").fit(flat[:, :, None])
    assert np.array_equal(model.score_samples(flat[:4]), expected.score_samples(flat[:4, :, None]))


def test_examples_choose_alpha():
    X, y = NORMAL + STRANGE, [1] * 16 + [-1] * 6
    model = volterra.SeriesAnomaly("gak:sigma=100", draws=6, random_state=3).fit(X, y)
    assert model.kernel_.startswith("gak:") and len(model.left_out_) == 16
    with pytest.raises(ValueError, match="draws"):
        volterra.SeriesAnomaly(draws=3).fit(NORMAL)


def test_pickles_copies_and_clones():
    model = volterra.SeriesAnomaly("gak:sigma=1").fit(NORMAL)
    expected = model.score_samples(STRANGE)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(twin.score_samples(STRANGE), expected)
    params = volterra.SeriesAnomaly("esn", rate=0.2).get_params()
    assert params["kernel"] == "esn" and params["rate"] == 0.2
    base = pytest.importorskip("sklearn.base")
    assert base.clone(model).kernel == "gak:sigma=1"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"score": "far"}, "score must be .*got 'far'"),
        ({"alpha": -1}, "alpha must be .*got -1"),
        ({"alpha": "some"}, "alpha must be .*got 'some'"),
        ({"rate": 1.5}, "rate must be .*got 1.5"),
        ({"scale": "all"}, "scale must be .*got 'all'"),
        ({"layout": "rows"}, "layout must be .*got 'rows'"),
        ({"draws": -1}, "draws must be .*got -1"),
        ({"kernel": "gakk"}, "gak"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        volterra.SeriesAnomaly(**arguments).fit(NORMAL)


def test_wrong_data():
    with pytest.raises(ValueError, match="at.*3"):
        volterra.SeriesAnomaly().fit(NORMAL[:2])
    with pytest.raises(ValueError, match="collection"):
        volterra.SeriesAnomaly().fit(NORMAL[0][:, 0])
    with pytest.raises(ValueError, match="y must hold"):
        volterra.SeriesAnomaly().fit(NORMAL, [1] * 15)
    with pytest.raises(ValueError, match="ambiguous"):
        volterra.SeriesAnomaly().fit(np.stack(NORMAL)[:, :3])
    with pytest.raises(volterra.NotFittedError):
        volterra.SeriesAnomaly().predict(NORMAL)
    with pytest.raises(ValueError, match="channels"):
        volterra.SeriesAnomaly().fit(NORMAL).predict([one[:, :1] for one in NORMAL])


def test_too_few_series_for_the_rate():
    with pytest.warns(volterra.VolterraWarning):
        model = volterra.SeriesAnomaly(rate=0.01).fit(NORMAL)
    assert [note.value for note in model.warnings_] == [1 / 17]
    assert volterra.SeriesAnomaly(rate=0.1).fit(NORMAL).warnings_ == []
