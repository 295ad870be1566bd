"""Estimators that go on learning after fit: partial_fit and update."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge

# In the scales of the data a model of some rows and one of all are the same thing.
PLAIN = dict(alpha=1e-2, scale=False, beyond="allow", target="level", input="level")
KERNEL = "volterra:tau=0.1,lambda=0.6"


def near(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-8 * max(1.0, float(np.max(np.abs(expected)))))


def test_parts_are_the_whole(system):
    X, y = system
    whole = VolterraRidge(kernel=KERNEL, **PLAIN).fit(X[:160], y[:160])
    parts = VolterraRidge(kernel=KERNEL, **PLAIN)
    assert parts.partial_fit(X[:100], y[:100]) is parts  # the first part is a fit
    near(parts.predict(X[:100]), parts.fitted_)
    with pytest.raises(AttributeError, match="no rows were learned since fit"):
        _ = parts.learner_
    assert parts.partial_fit(X[100:130], y[100:130]) is parts
    forecasts = parts.update(X[130:160], y[130:160])
    assert forecasts.shape == (30,) and parts.learner_.learned == 60
    learner = VolterraRidge(kernel=KERNEL, **PLAIN).fit(X[:100], y[:100]).learner()
    assert learner.update(X[100:160], y[100:160])[30:].tolist() == forecasts.tolist()
    near(parts.predict(X[160:200]), whole.predict(X[160:200]))
    near(parts.predict(X[160:200], start="reset"), whole.predict(X[160:200], start="reset"))
    assert parts.score(X[160:200], y[160:200]) == pytest.approx(whole.score(X[160:200], y[160:200]), abs=1e-8)
    # It stays where it is until more is learned; a fit begins anew.
    near(parts.predict(X[160:200]), whole.predict(X[160:200]))
    parts.fit(X[:100], y[:100])
    with pytest.raises(AttributeError):
        _ = parts.learner_


@pytest.mark.parametrize("ahead", [1, 3])
def test_a_series_and_targets_that_come_late(ahead):
    x = volterra.datasets.lorenz(330) / 40
    for y in (None, x[:, 0] * x[:, 1]):
        pick = (lambda a, b: (x[a:b],)) if y is None else (lambda a, b: (x[a:b], y[a:b]))
        whole = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 300))
        parts = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 250))
        for first in range(250, 300, 10):
            out = parts.update(*pick(first, first + 10))
        assert len(out) == 10 and parts.learner_.learned == 50
        near(parts.predict(x[300:]), whole.predict(x[300:]))
        # The learner by itself, row by row.
        learner = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 250)).learner()
        rows = [learner.advance(x[t], None if y is None else y[t]) for t in range(250, 300)]
        assert np.array_equal(np.array(rows[-10:]).reshape(10, -1), np.asarray(out).reshape(10, -1))
    with pytest.raises(ValueError, match="become known one after the other"):
        SequenceKernelRidge(KERNEL, ahead=range(1, 4), **PLAIN).fit(x[:250]).partial_fit(x[250:260])


def test_missing_targets_are_not_learned(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    holed = y[100:120].copy()
    holed[[2, 7]] = np.nan
    model.partial_fit(X[100:120], holed)
    assert (model.learner_.pushed, model.learner_.learned) == (20, 18)


def test_pickles_and_copies_keep_what_was_learned(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100]).partial_fit(X[100:140], y[100:140])
    expected = model.predict(X[140:160]).tolist()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.predict(X[140:160]).tolist() == expected
        other.partial_fit(X[140:150], y[140:150])
        assert model.predict(X[140:160]).tolist() == expected  # a life of its own
        same = copy.deepcopy(model).partial_fit(X[140:150], y[140:150])
        assert other.predict(X[150:160]).tolist() == same.predict(X[150:160]).tolist()


def test_scikit_learn_habits(system):
    base = pytest.importorskip("sklearn.base")
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100]).partial_fit(X[100:120], y[100:120])
    other = base.clone(model)
    assert other.get_params() == model.get_params() and not other.__sklearn_is_fitted__()
    with pytest.raises(ValueError, match="X has 1 features, but VolterraRidge is expecting"):
        model.partial_fit(X[:5, :1], y[:5])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.partial_fit(X[120:125], y[120:126])
    with pytest.raises(ValueError, match="y is missing"):
        model.partial_fit(X[120:125])
    with pytest.raises(volterra.NotFittedError):
        VolterraRidge().update(X, y)
    assert model.learner_.pushed == 20
    # Where rows cannot be learned one by one there is no such method, and the error says why.
    assert not hasattr(volterra.VolterraClassifier(), "partial_fit")
    assert not hasattr(VolterraRidge(loss="huber:delta=1"), "update")
    weighted = VolterraRidge(alpha=1e-2).fit(X[:50], y[:50], sample_weight=np.arange(50.0))
    with pytest.raises(AttributeError, match="squares alone, without weights"):
        weighted.partial_fit(X[50:60], y[50:60])
    constant = VolterraRidge().fit(X[:100], np.random.default_rng(3).normal(size=100))
    if np.isinf(constant.alpha_):
        with pytest.raises(AttributeError, match="nothing to go on learning"):
            constant.update(X[100:110], y[100:110])


def test_pandas_goes_through(system):
    pd = pytest.importorskip("pandas")
    X, y = system
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    truth = pd.Series(y, name="y")
    model = VolterraRidge(alpha=1e-2).fit(frame[:100], truth[:100])
    out = model.update(frame[100:120], truth[100:120])
    assert list(out.index) == list(range(100, 120)) and out.name == "y"
    assert list(model.predict(frame[120:130]).index) == list(range(120, 130))


def test_what_belongs_to_a_fit_says_so(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2, keep_factor=True).fit(X[:100], y[:100]).partial_fit(X[100:120], y[100:120])
    for call in (
        lambda: model.save(tmp_path / "model"),
        lambda: model.stream(),
        lambda: model.learner(),
        lambda: model.explain(3),
        lambda: model.orders(X[:5]),
        lambda: model.predict_interval(X[120:]),
        lambda: model.predict(X[120:], return_std=True),
        lambda: model.predict([X[:5], X[5:9]]),
        lambda: model.continue_(3),
        lambda: model.forecast(),
        lambda: model.impulse_response(),
    ):
        with pytest.raises(ValueError, match="20 rows came since: fit once more on all rows"):
            call()
    model.learner_.save(tmp_path / "state")  # what was learned can be kept
    plain = VolterraRidge(alpha=1e-2, keep_factor=True).fit(X[:100], y[:100])
    assert volterra.Learner.load(tmp_path / "state", plain).predict(X[120:130]).tolist() == model.predict(X[120:130]).tolist()


def test_learners_track_intervals(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    learner = model.learner(window=80)
    with pytest.raises(ValueError, match="tracks no intervals"):
        learner.interval()
    learner.track([0.5, 0.9])
    widths = []
    for t in range(100, 160):
        learner.update(X[t], y[t])
        widths.append(learner.interval())
        assert widths[-1].shape == (2, 1) and widths[-1][0, 0] <= widths[-1][1, 0]
    assert len({float(w[0, 0]) for w in widths}) > 10
    learner.save(tmp_path / "state")
    again = volterra.Learner.load(tmp_path / "state", model)
    assert again.push(X[160]) == learner.push(X[160])
    assert again.interval().tolist() == learner.interval().tolist()
