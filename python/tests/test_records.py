"""Several records in one fit: lists of arrays, and groups."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import volterra


def golden():
    path = Path(os.environ["VOLTERRA_ROOT"], "tests", "reference", "m2_records.json")
    return json.loads(path.read_text(encoding="utf-8"))


def make_records(seed=5, lengths=(40, 1, 25)):
    """Targets depend on earlier inputs of the same record."""
    rng = np.random.default_rng(seed)
    print("seed", seed)
    X, Y = [], []
    for n in lengths:
        x, y, memory = rng.uniform(-1, 1, (n, 2)), np.empty(n), 0.0
        for t in range(n):
            memory = 0.6 * memory + x[t, 0] * x[t, 1] + x[t, 0]
            y[t] = memory
        X.append(x)
        Y.append(y)
    return X, Y


def test_golden():
    case = golden()
    X, Y = [np.array(x) for x in case["records"]], [np.array(y) for y in case["targets"]]
    model = volterra.SequenceKernelRidge(case["kernel"], case["alpha"], scale=False, fit_intercept=case["intercept"])
    model.fit(X, Y)
    for start in ("continue", "reset"):
        expected = np.array(case[f"forecast_{start}"])
        found = model.predict(np.array(case["H"]), start=start)
        assert np.abs(found - expected).max() <= case["rtol"] * np.abs(expected).max()


def test_groups_are_lists():
    X, Y = make_records()
    names = np.repeat(["first", "b", "3"], [40, 1, 25])
    listed = volterra.VolterraRidge(alpha=1e-3).fit(X, Y)
    grouped = volterra.VolterraRidge(alpha=1e-3).fit(np.vstack(X), np.concatenate(Y), groups=names)
    assert np.array_equal(listed.fitted_, grouped.fitted_)
    parts = listed.predict(X)
    assert [len(part) for part in parts] == [40, 1, 25]
    assert np.array_equal(np.concatenate(parts), grouped.predict(np.vstack(X), groups=names))
    # Fitted values are the forecasts of the records; the same rows as one sequence are another model.
    assert np.allclose(np.concatenate(parts), listed.fitted_, rtol=0, atol=1e-8)
    assert listed.score(X, Y) == pytest.approx(grouped.score(np.vstack(X), np.concatenate(Y)), abs=1e-9)
    one = volterra.VolterraRidge(alpha=1e-3).fit(np.vstack(X), np.concatenate(Y))
    assert not np.allclose(one.fitted_, listed.fitted_)


def test_files_and_streams(tmp_path):
    X, Y = make_records(6)
    model = volterra.VolterraRidge(alpha=1e-3).fit(X, Y)
    model.save(tmp_path / "model.safetensors")
    loaded = volterra.load(tmp_path / "model.safetensors")
    assert np.array_equal(np.concatenate(loaded.predict(X)).ravel(), np.concatenate(model.predict(X)))
    stream = model.stream(start="reset")
    for x, expected in zip(X, model.predict(X)):
        assert np.allclose([stream.feed(row) for row in x], expected, rtol=1e-10, atol=1e-12)
        stream.restart()


def test_ahead_stays_inside_records():
    X, _ = make_records(7, (30, 12))
    series = [x[:, :1] for x in X]
    model = volterra.VolterraRidge(alpha=1e-2, ahead=3).fit(series)
    assert model.fitted_.shape == (27 + 9, 1)
    with pytest.raises(ValueError, match="record 1 .*3 rows.* 4"):
        model.fit([series[0], series[1][:3]])
    # Pending rows belong to the last record.
    following = model.predict(np.zeros((2, 1)), start="continue")
    longer = model.stream()
    assert np.allclose([longer.feed(row) for row in np.zeros((2, 1))], following)
    assert np.isfinite(model.score(series))


def test_search_by_rows_and_by_records():
    X, Y = make_records(8, (20, 30, 25, 15))
    for folds_by in ("rows", "records"):
        search = volterra.VolterraRidgeCV(
            folds=2, folds_by=folds_by, candidates=[dict(tau=0.3, lam=0.5, alpha=1e-3)], scale=False
        )
        search.fit(X, Y)
        assert search.n_splits_ == 2
        assert search._model.records.tolist() == [20, 30, 25, 15]
    # The last of two folds by records is a fit on the first three records.
    separate = volterra.VolterraRidge(tau=0.3, lam=0.5, alpha=1e-3, scale=False, beyond="allow").fit(X[:3], Y[:3])
    split = search.cv_results_["split1_test_score"][0]
    assert split == pytest.approx(separate.score(X[3:], Y[3:]), abs=1e-9)


def test_bad_records():
    X, Y = make_records(9, (10, 8))
    model = volterra.VolterraRidge(alpha=1.0)
    with pytest.raises(ValueError, match="row.*12.*'a'"):
        model.fit(np.vstack(X), np.concatenate(Y), groups=["a"] * 10 + ["b"] * 2 + ["a"] * 6)
    with pytest.raises(ValueError, match="every.*row"):
        model.fit(np.vstack(X), np.concatenate(Y), groups=["a"] * 5)
    with pytest.raises(ValueError, match="not both"):
        model.fit(X, Y, groups=["a"] * 18)
    with pytest.raises(ValueError, match="y must be a list"):
        model.fit(X, Y[:1])
    with pytest.raises(ValueError, match="record.*1.*8.*rows.*X"):
        model.fit(X, [Y[0], Y[1][:3]])
    with pytest.raises(ValueError, match="columns"):
        model.fit([X[0], X[1][:, :1]], Y)
    with pytest.raises(ValueError, match="washout"):
        volterra.VolterraRidge(alpha=1.0, washout=10).fit(X, Y)
