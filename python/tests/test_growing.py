"""Learning after fit: partial_fit and update."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge

# Without scaling, models of some rows and of all rows have the same settings.
PLAIN = dict(alpha=1e-2, scale=False, beyond="allow", target="level", input="level")
KERNEL = "volterra:tau=0.1,lambda=0.6"


def near(found, expected):
    np.testing.assert_allclose(found, expected, atol=1e-8 * max(1.0, float(np.max(np.abs(expected)))))


def test_parts_equal_whole_fit(system):
    X, y = system
    whole = VolterraRidge(kernel=KERNEL, **PLAIN).fit(X[:160], y[:160])
    parts = VolterraRidge(kernel=KERNEL, **PLAIN)
    assert parts.partial_fit(X[:100], y[:100]) is parts  # the first part is a fit
    near(parts.predict(X[:100]), parts.fitted_)
    with pytest.raises(AttributeError, match="rows.*fit"):
        _ = parts.learner_
    assert parts.partial_fit(X[100:130], y[100:130]) is parts
    forecasts = parts.update(X[130:160], y[130:160])
    assert forecasts.shape == (30,) and parts.learner_.learned == 60
    learner = VolterraRidge(kernel=KERNEL, **PLAIN).fit(X[:100], y[:100]).learner()
    assert learner.update(X[100:160], y[100:160])[30:].tolist() == forecasts.tolist()
    near(parts.predict(X[160:200]), whole.predict(X[160:200]))
    near(parts.predict(X[160:200], start="reset"), whole.predict(X[160:200], start="reset"))
    assert parts.score(X[160:200], y[160:200]) == pytest.approx(whole.score(X[160:200], y[160:200]), abs=1e-8)
    # It is unchanged until more is learned; a fit starts again.
    near(parts.predict(X[160:200]), whole.predict(X[160:200]))
    parts.fit(X[:100], y[:100])
    with pytest.raises(AttributeError):
        _ = parts.learner_


@pytest.mark.parametrize("ahead", [1, 3])
def test_series_with_late_targets(ahead):
    x = volterra.datasets.lorenz(330) / 40
    for y in (None, x[:, 0] * x[:, 1]):
        pick = (lambda a, b: (x[a:b],)) if y is None else (lambda a, b: (x[a:b], y[a:b]))
        whole = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 300))
        parts = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 250))
        for first in range(250, 300, 10):
            out = parts.update(*pick(first, first + 10))
        assert len(out) == 10 and parts.learner_.learned == 50
        near(parts.predict(x[300:]), whole.predict(x[300:]))
        # The learner row by row.
        learner = SequenceKernelRidge(KERNEL, ahead=ahead, **PLAIN).fit(*pick(0, 250)).learner()
        rows = [learner.advance(x[t], None if y is None else y[t]) for t in range(250, 300)]
        assert np.array_equal(np.array(rows[-10:]).reshape(10, -1), np.asarray(out).reshape(10, -1))
    with pytest.raises(ValueError, match="become"):
        SequenceKernelRidge(KERNEL, ahead=range(1, 4), **PLAIN).fit(x[:250]).partial_fit(x[250:260])


def test_missing_targets_are_not_learned(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    holed = y[100:120].copy()
    holed[[2, 7]] = np.nan
    model.partial_fit(X[100:120], holed)
    assert (model.learner_.fed, model.learner_.learned) == (20, 18)


def test_pickles_and_copies_preserve_learning(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100]).partial_fit(X[100:140], y[100:140])
    expected = model.predict(X[140:160]).tolist()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.predict(X[140:160]).tolist() == expected
        other.partial_fit(X[140:150], y[140:150])
        assert model.predict(X[140:160]).tolist() == expected  # independent
        same = copy.deepcopy(model).partial_fit(X[140:150], y[140:150])
        assert other.predict(X[150:160]).tolist() == same.predict(X[150:160]).tolist()


def test_scikit_learn_conventions(system):
    base = pytest.importorskip("sklearn.base")
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100]).partial_fit(X[100:120], y[100:120])
    other = base.clone(model)
    assert other.get_params() == model.get_params() and not other.__sklearn_is_fitted__()
    with pytest.raises(ValueError, match="X.*1.*features.*VolterraRidge"):
        model.partial_fit(X[:5, :1], y[:5])
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit(X[120:125], y[120:126])
    with pytest.raises(ValueError, match="missing"):
        model.partial_fit(X[120:125])
    with pytest.raises(volterra.NotFittedError):
        VolterraRidge().update(X, y)
    assert model.learner_.fed == 20
    # If learning row by row is not supported, the methods are missing and the error has the reason.
    assert not hasattr(volterra.VolterraClassifier(), "partial_fit")
    assert not hasattr(VolterraRidge(loss="huber:delta=1"), "update")
    weighted = VolterraRidge(alpha=1e-2).fit(X[:50], y[:50], sample_weight=np.arange(50.0))
    with pytest.raises(AttributeError, match="loss.*weights"):
        weighted.partial_fit(X[50:60], y[50:60])


def test_pandas_input(system):
    pd = pytest.importorskip("pandas")
    X, y = system
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    truth = pd.Series(y, name="y")
    model = VolterraRidge(alpha=1e-2).fit(frame[:100], truth[:100])
    out = model.update(frame[100:120], truth[100:120])
    assert list(out.index) == list(range(100, 120)) and out.name == "y"
    assert list(model.predict(frame[120:130]).index) == list(range(120, 130))


def grown_and_whole(kind, X, y, first, last, **settings):
    """An estimator fitted on rows up to `first` that learned those up to `last`, and one fitted on all of them."""
    pick = (lambda a, b: (X[a:b],)) if y is None else (lambda a, b: (X[a:b], y[a:b]))
    grown, whole = (kind(kernel=KERNEL, **PLAIN, **settings) for _ in range(2))
    grown.partial_fit(*pick(0, first)).partial_fit(*pick(first, last - 7)).partial_fit(*pick(last - 7, last))
    return grown, whole.fit(*pick(0, last))


def test_all_methods_refer_to_all_rows(system, tmp_path):
    X, y = system
    grown, whole = grown_and_whole(VolterraRidge, X, y, 100, 160, keep_factor=True)
    for call in (
        lambda m: m.predict_interval(X[160:], [0.5, 0.9]),
        lambda m: m.predict_quantiles(X[160:]),
        lambda m: m.predict(X[160:], return_std=True)[1],
        lambda m: m.predict(X[160:], return_std=True, start="reset")[1],
        lambda m: np.vstack([part.reshape(-1, 1) for part in m.predict([X[:5], X[5:9]])]),
        lambda m: m.orders(X[160:165]),
        lambda m: [m.stream().feed(row) for row in X[160:165]],
        lambda m: m.learner(window=90).update(X[160:180], y[160:180]),
        lambda m: m.prequential_errors_[60:],
        lambda m: m.dual_coef_,
        lambda m: m.intercept_,
    ):
        near(call(grown), call(whole))
    path = tmp_path / "model.safetensors"
    grown.save(path)
    again = volterra.load(path)
    assert again.predict(X[160:]).tolist() == pickle.loads(pickle.dumps(again)).predict(X[160:]).tolist()
    near(again.predict(X[160:]), whole.predict(X[160:]))
    near(again.predict_interval(X[160:]), whole.predict_interval(X[160:]))
    again.partial_fit(X[160:180], y[160:180])  # a model from a file grows as well
    grown.partial_fit(X[160:180], y[160:180])
    near(again.predict_interval(X[180:]), grown.predict_interval(X[180:]))
    again.save(path)
    near(volterra.load(path).predict(X[180:]), grown.predict(X[180:]))


@pytest.mark.parametrize("ahead", [1, 3])
def test_forecast_continues_from_the_last_row(ahead):
    x = volterra.datasets.lorenz(330) / 40
    for y in (None, x[:, 0] * x[:, 1]):
        grown, whole = grown_and_whole(SequenceKernelRidge, x, y, 250, 300, ahead=ahead)
        near(grown.forecast(), whole.forecast())
        near(grown.predict_interval(x[300:310], 0.8), whole.predict_interval(x[300:310], 0.8))
        near([grown.stream().feed(row) for row in x[300:303]], [whole.stream().feed(row) for row in x[300:303]])
        if y is None and ahead == 1:
            near(grown.forecast(4), whole.forecast(4))
            near(grown.continue_(3, after=x[:305]), whole.continue_(3, after=x[:305]))  # begins with all that was learned
            near(grown.continue_(3, after=x[300:305]), whole.continue_(3, after=x[300:305]))


def test_forecast_index_continues_last_rows(system):
    pd = pytest.importorskip("pandas")
    X, y = system
    index = pd.date_range("2024-01-01", periods=len(X), freq="h")
    frame, truth = pd.DataFrame(X, index=index, columns=["a", "b"]), pd.Series(y, index=index, name="y")
    model = VolterraRidge(ahead=2, **PLAIN).fit(frame[:100], truth[:100])
    model.partial_fit(frame[100:130], truth[100:130])
    out = model.forecast()
    assert list(out.index) == list(index[130:132]) and out.name == "y"
    model.partial_fit(X[130:150], y[130:150])  # arrays continue with the step of the index
    assert list(model.forecast().index) == list(index[150:152])
    series = VolterraRidge(alpha=1e-2).fit(frame[:100]).partial_fit(frame[100:130])
    with pytest.warns(volterra.OrderWarning, match="2024-01-06 09"):  # end of the learned rows
        series.continue_(1, after=frame[110:140])


def test_constant_models_learn(rng, tmp_path):
    X = rng.normal(size=(200, 1))
    for seed in range(20):
        y = 5 + np.random.default_rng(seed).normal(size=200)
        model = VolterraRidge().fit(X[:80], y[:80])
        if np.isinf(model.alpha_):
            break
    assert np.isinf(model.alpha_)
    forecasts = model.update(X[80:120], y[80:120])
    near(forecasts, [y[:t].mean() for t in range(80, 120)])
    model.partial_fit(X[120:150], y[120:150])
    near(model.predict(X[150:]), np.full(50, y[:150].mean()))
    ends = model.predict_interval(X[150:], 0.8)
    near(ends.mean(axis=1), np.full(50, y[:150].mean()))
    # The last quarter is judged by the mean of the rows before it, those before one row ahead.
    errors = np.sort([abs(y[t] - y[: min(t, 150 - 150 // 4)].mean()) for t in range(50, 150)])
    near((ends[:, 1] - ends[:, 0]) / 2, np.full(50, errors[int(np.ceil(101 * 0.8)) - 1]))
    model.save(tmp_path / "constant.safetensors")
    near(volterra.load(tmp_path / "constant.safetensors").predict(X[150:]), np.full(50, y[:150].mean()))
    # The naive forecast stays naive.
    walk = np.cumsum(rng.normal(size=400)).reshape(-1, 1)
    naive = VolterraRidge().fit(walk[:300])
    assert np.isinf(naive.alpha_)
    naive.partial_fit(walk[300:])
    near(naive.forecast(), walk[-1:])


@pytest.mark.filterwarnings("ignore::volterra.BeyondWarning")
def test_first_rows_one_by_one(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2)
    for t in range(60):
        assert model.partial_fit(X[t : t + 1], y[t : t + 1]) is model
        if t == 0:
            with pytest.raises(volterra.NotFittedError):
                model.predict(X[1:2])
        elif t < 50:  # fits of all rows so far
            whole = VolterraRidge(alpha=1e-2).fit(X[: t + 1], y[: t + 1])
            assert model.predict(X[t + 1 : 80]).tolist() == whole.predict(X[t + 1 : 80]).tolist()
    other = VolterraRidge(alpha=1e-2).fit(X[:50], y[:50]).partial_fit(X[50:60], y[50:60])
    assert model.predict(X[60:80]).tolist() == other.predict(X[60:80]).tolist()
    assert model.learner_.learned == 10
    # A rejected row leaves earlier rows learned.
    model = VolterraRidge(alpha=1e-2).partial_fit(X[:1], y[:1])
    with pytest.raises(ValueError):
        model.partial_fit(X[1:2, :1], y[1:2])
    with pytest.raises(ValueError, match="y was"):
        model.partial_fit(X[1:2])
    model.partial_fit(X[1:30], y[1:30])
    assert model.predict(X[30:]).tolist() == VolterraRidge(alpha=1e-2).fit(X[:30], y[:30]).predict(X[30:]).tolist()
    # A series: the first two rows have one target, and equal rows have nothing to scale by.
    series = np.vstack([np.ones((3, 1)), X[:60, :1]])
    model = VolterraRidge(alpha=1e-2)
    for row in series:
        model.partial_fit(row.reshape(1, 1))
    assert model.forecast().shape == (1, 1)


def test_records_and_series_in_one_call(system):
    X, y = system
    records = [X[:60], X[60:100]], [y[:60], y[60:100]]
    grown = VolterraRidge(kernel=KERNEL, **PLAIN).partial_fit(*records).partial_fit(X[100:130], y[100:130])
    whole = VolterraRidge(kernel=KERNEL, **PLAIN).fit([X[:60], X[60:130]], [y[:60], y[60:130]])
    near(grown.predict(X[130:150]), whole.predict(X[130:150]))
    near(grown.predict_interval(X[130:150]), whole.predict_interval(X[130:150]))
    numbers = SequenceKernelRidge("gak").partial_fit([X[k : k + 20] for k in range(0, 100, 20)], np.arange(5.0))
    with pytest.raises(AttributeError, match="whole series"):
        numbers.partial_fit([X[:20]], [1.0])


def test_rejected_row_keeps_previous_rows(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2, beyond="error", ahead=2).fit(X[:100], y[:100])
    rows = X[100:110].copy()
    rows[4] = 9.0
    with pytest.raises(ValueError):
        model.partial_fit(rows, y[100:110])
    assert model.learner_.fed == 2 + 4  # the last rows of fit had no target yet
    rest = VolterraRidge(alpha=1e-2, beyond="error", ahead=2).fit(X[:100], y[:100]).partial_fit(X[100:104], y[100:104])
    near(model.forecast(), rest.forecast())


def test_learner_state_is_separate(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100]).partial_fit(X[100:120], y[100:120])
    model.learner_.save(tmp_path / "state")
    plain = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    assert volterra.Learner.load(tmp_path / "state", plain).predict(X[120:130]).tolist() == model.predict(X[120:130]).tolist()


def test_learners_track_intervals(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    learner = model.learner(window=80)
    with pytest.raises(ValueError, match="intervals"):
        learner.interval()
    learner = model.learner(window=80, coverage=[0.5, 0.9])
    widths = []
    for t in range(100, 160):
        learner.update(X[t], y[t])
        widths.append(learner.interval())
        assert widths[-1].shape == (2, 1) and widths[-1][0, 0] <= widths[-1][1, 0]
    assert len({float(w[0, 0]) for w in widths}) > 10
    learner.save(tmp_path / "state")
    again = volterra.Learner.load(tmp_path / "state", model)
    assert again.feed(X[160]) == learner.feed(X[160])
    assert again.interval().tolist() == learner.interval().tolist()
