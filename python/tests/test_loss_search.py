"""Searches with losses other than squares, with weights and classes; fitted quantiles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraClassifier, VolterraClassifierCV, VolterraRidge, VolterraRidgeCV

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")

SMALL = dict(draws=6, folds=3, random_state=1, ranges={"alpha": (1e-3, 1)})


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(15)
    X = np.c_[np.sin(0.9 * np.arange(90)) + 0.2 * rng.normal(size=90), rng.uniform(size=90)]
    y = X[:, 0] + X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=90)
    return X, y


def pinball(y, forecast, q):
    r = y - forecast
    return np.maximum(q * r, (q - 1) * r).mean()


def test_scores_equal_folds(rows):
    """One candidate, by hand."""
    X, y = rows
    given = dict(kernel="rbf:gamma=0.5", scale=False, tolerance=1e-10)
    search = VolterraRidgeCV(
        candidates=[{"alpha": 0.1}], folds=3, loss="quantile:q=0.2/0.8", beyond="allow", **given
    ).fit(X, y)
    folds = []
    for end in (24, 46, 68):
        model = SequenceKernelRidge(alpha=0.1, loss="quantile:q=0.2/0.8", beyond="allow", **given).fit(X[:end], y[:end])
        levels = model.predict(X[end : end + 22])
        folds.append(sum(pinball(y[end : end + 22], levels[:, k], q) for k, q in enumerate((0.2, 0.8))) / 2)
    found = [search.cv_results_[f"split{k}_test_score"][0] for k in range(3)]
    assert np.allclose(found, -np.array(folds), rtol=0, atol=1e-5)
    assert search.best_score_ == pytest.approx(-np.mean(folds), abs=1e-5)


@pytest.mark.parametrize("loss", ["huber:delta=0.5", "quantile:q=0.1/0.9", "epsilon:epsilon=0.1", "expectile:q=0.3"])
def test_refit_is_a_fit_with_the_best(rows, loss):
    X, y = rows
    search = VolterraRidgeCV(loss=loss, **SMALL).fit(X[:70], y[:70])
    by_hand = VolterraRidge(**search.best_params_, loss=loss).fit(X[:70], y[:70])
    for model in (search, search.best_estimator_, pickle.loads(pickle.dumps(search))):
        assert np.array_equal(model.predict(X[70:]), by_hand.predict(X[70:]))
    assert search.best_estimator_.get_params() == by_hand.get_params()
    assert (search.cv_results_["mean_test_score"] < 0).all()
    named = VolterraRidgeCV(loss=loss, scoring="neg_loss", **SMALL).fit(X[:70], y[:70])
    assert named.best_score_ == search.best_score_


def test_counts_and_series(rows):
    X, y = rows
    counts = np.floor(3 * np.abs(y))
    search = VolterraRidgeCV(loss="poisson", **SMALL).fit(X, counts)
    assert (search.predict(X) > 0).all()
    series = VolterraRidgeCV(draws=3, folds=3, random_state=0, loss="quantile:q=0.1/0.9").fit(y[:, None])
    assert series.target_ == "change" and series.predict(y[:, None]).shape == (90, 2)


def test_weights(rows):
    X, y = rows
    ones = np.ones(90)
    for scoring in ("r2", "neg_nmse", "neg_mse"):
        plain = VolterraRidgeCV(scoring=scoring, **SMALL).fit(X, y)
        same = VolterraRidgeCV(scoring=scoring, **SMALL).fit(X, y, sample_weight=ones)
        assert same.best_params_ == plain.best_params_
        assert same.best_score_ == pytest.approx(plain.best_score_, rel=1e-6)
    later = np.where(np.arange(90) < 45, 0.1, 2.0)
    weighted = VolterraRidgeCV(**SMALL).fit(X, y, sample_weight=later)
    by_hand = VolterraRidge(**weighted.best_params_).fit(X, y, sample_weight=later)
    assert np.array_equal(weighted.fitted_, by_hand.fitted_)
    with pytest.raises(ValueError, match="weights"):
        VolterraRidgeCV(scoring="evidence", **SMALL).fit(X, y, sample_weight=ones)
    with pytest.raises(ValueError, match="weights.*0"):
        VolterraRidgeCV(**SMALL).fit(X, y, sample_weight=np.where(np.arange(90) < 24, 0, 1))


def test_invalid_arguments(rows):
    X, y = rows
    for scoring in ("neg_mse", "evidence", "neg_loo", "neg_gcv", "prequential"):
        with pytest.raises(ValueError, match="squares"):
            VolterraRidgeCV(loss="huber:delta=1", scoring=scoring, **SMALL).fit(X, y)
    with pytest.raises(ValueError, match="feedback"):
        VolterraRidgeCV(loss="huber:delta=1", feedback=True, draws=3).fit(X, y)
    with pytest.raises(ValueError, match="VolterraClassifier"):
        VolterraRidgeCV(loss="multinomial", draws=3).fit(X, y)
    with pytest.raises(ValueError, match="levels|increas"):
        VolterraRidgeCV(loss="quantile:q=0.9/0.1", draws=3).fit(X, y)
    with pytest.raises(ValueError, match="tolerance"):
        VolterraRidgeCV(loss="huber:delta=1", tolerance=2, draws=3).fit(X, y)
    with pytest.raises(ValueError, match="counts.*0"):
        VolterraRidgeCV(loss="poisson", draws=3).fit(X, y)


# ---- classes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_classes(rows, classes):
    X, y = rows
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [0.0] if classes == 2 else [-0.3, 0.5])]
    search = VolterraClassifierCV(**SMALL).fit(X[:70], labels[:70])
    best = search.best_estimator_
    assert isinstance(best, VolterraClassifier) and set(search.best_params_) == {"kernel", "alpha"}
    by_hand = VolterraClassifier(**search.best_params_).fit(X[:70], labels[:70])
    for model in (search, best, pickle.loads(pickle.dumps(search))):
        assert np.array_equal(model.predict_proba(X[70:]), by_hand.predict_proba(X[70:]))
        assert model.classes_.tolist() == sorted(set(labels))
    assert best.get_params() == by_hand.get_params()
    frequencies = np.unique(labels[:70], return_counts=True)[1] / 70
    assert search.best_score_ > (frequencies * np.log(frequencies)).sum()
    assert search.score(X[70:], labels[70:]) > 0.5
    with pytest.raises(ValueError, match="scoring"):
        VolterraClassifierCV(scoring="accuracy", **SMALL).fit(X, labels)
    late = np.where(np.arange(90) < 60, "a", labels)
    with pytest.raises(ValueError, match="class"):
        VolterraClassifierCV(**SMALL).fit(X, late)
    with pytest.raises(ValueError, match="1 class"):
        VolterraClassifierCV(**SMALL).fit(X, np.full(90, "a"))


# ---- fitted quantiles ----------------------------------------------------------------------------------------------


def test_fitted_levels(rows):
    X, y = rows
    model = VolterraRidge(alpha=0.05, loss="quantile:q=0.05/0.25/0.75/0.95").fit(X[:70], y[:70])
    all_levels = model.predict(X[70:])
    assert np.array_equal(model.predict_quantiles(X[70:]), all_levels)
    assert np.array_equal(model.predict_quantiles(X[70:], [0.95, 0.25]), all_levels[:, [3, 1]])
    assert np.array_equal(model.predict_quantiles(X[70:], 0.25), all_levels[:, 1])
    assert np.array_equal(model.predict_interval(X[70:]), all_levels[:, [0, 3]])
    both = model.predict_interval(X[70:], coverage=[0.5, 0.9])
    assert both.shape == (20, 2, 2)
    assert np.array_equal(both[:, :, 0], all_levels[:, [1, 2]]) and np.array_equal(both[:, :, 1], all_levels[:, [0, 3]])
    with pytest.raises(ValueError, match=r"quantile.*0\.5.*fitted.*loss.*quantile:q=0\.05/0\.25/0\.75/0\.95"):
        model.predict_quantiles(X[70:], [0.25, 0.5])
    with pytest.raises(ValueError, match=r"coverage.*0\.8.*quantiles.*0\.1.*0\.9"):
        model.predict_interval(X[70:], coverage=0.8)
    two = SequenceKernelRidge("rbf", alpha=0.1, loss="quantile:q=0.2/0.8").fit(X, np.c_[y, -y])
    assert two.predict_quantiles(X).shape == (90, 2, 2)
    assert np.array_equal(two.predict_quantiles(X)[:, 1], two.predict(X)[:, 2:])
    assert np.array_equal(two.predict_interval(X, 0.6), two.predict_quantiles(X))
    other = VolterraRidge(alpha=0.1, loss="huber:delta=1").fit(X, y)
    for call in (other.predict_interval, other.predict_quantiles):
        with pytest.raises(ValueError, match="loss.*huber:delta=1"):
            call(X)


def test_fitted_levels_of_records_and_frames(rows):
    X, y = rows
    parts = SequenceKernelRidge("rbf", alpha=0.1, loss="quantile:q=0.1/0.9").fit([X[:40], X[40:]], [y[:40], y[40:]])
    found = parts.predict_quantiles([X[:40], X[40:]])
    assert [part.shape for part in found] == [(40, 2), (50, 2)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b"])
    one = SequenceKernelRidge("rbf", alpha=0.1, loss="quantile:q=0.9").fit(frame, pandas.Series(y, name="load"))
    found = one.predict_quantiles(frame)
    assert list(found.columns) == ["load.q0.9"]
    assert np.array_equal(found.to_numpy()[:, 0], one.predict(frame).to_numpy())


def test_default_is_squares():
    assert volterra.VolterraRidgeCV().loss == "squares"
