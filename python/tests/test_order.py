"""Warnings for rows that do not follow those of training, and none for rows that do."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, ShuffleSplit, TimeSeriesSplit, cross_val_score, train_test_split
from volterra import BeyondWarning, OrderWarning, VolterraRidge, VolterraRidgeCV, load


def walk(rng, rows=120, columns=1):
    return np.cumsum(rng.normal(size=(rows, columns)), axis=0)


def warned(call, category=OrderWarning):
    """Return the messages of the warnings of that category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if issubclass(one.category, category)]


def fit_and_score(X, y, train, test, **given):
    model = VolterraRidge(alpha=1e-3, **given).fit(X[train], y[train])
    return warned(lambda: model.score(X[test], y[test]))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("split", [KFold(5, shuffle=True, random_state=0), ShuffleSplit(3, random_state=0)])
def test_shuffled_series(rng, split, columns):
    series = walk(rng, 150, columns)
    X, y = series[:-1], series[1:]
    for targets in (y, y[:, 0]):
        for train, test in split.split(X):
            sentences = fit_and_score(X, targets, train, test)
            assert len(sentences) == 1 and "TimeSeriesSplit" in sentences[0], sentences


def test_time_order_is_silent():
    for seed in range(20):
        print("seed", seed)
        rng = np.random.default_rng(seed)
        smooth, coarse, noise = walk(rng), np.round(walk(rng)), rng.normal(size=(120, 2))
        for series in (smooth, coarse, noise):
            for train, test in TimeSeriesSplit(3).split(series[:-1]):
                assert fit_and_score(series[:-1], series[1:, 0], train, test) == []
        # Independent rows in any order cannot be detected: no warning.
        train, test = train_test_split(np.arange(120), random_state=seed)
        assert fit_and_score(noise, noise[:, 0] ** 2, train, test) == []


def test_training_rows(rng):
    X = walk(rng, 100, 2)
    model = VolterraRidge(alpha=1e-3).fit(X, X[:, 0] ** 2)
    assert warned(lambda: model.predict(X)) == []  # fitted values
    sentences = warned(lambda: model.predict(X[60:]))
    assert len(sentences) == 1 and "40 of 40 rows of X were trained on" in sentences[0]
    assert len(warned(lambda: model.predict(rng.permutation(X)))) == 1
    for start in ("continue", "reset"):
        assert warned(lambda start=start: model.predict(X[60:], start=start)) == []
    assert warned(lambda: model.predict(X[96:98])) == []  # too few to tell
    assert len(warned(lambda: model.predict(X[98:]))) == 1  # but for the very end


def test_inputs_that_repeat(rng):
    """With repeated values (weekdays, a square wave), a known row means nothing."""
    X = np.tile(np.eye(7), (12, 1))
    model = VolterraRidge(alpha=1e-3).fit(X[:70], walk(rng, 70))
    assert warned(lambda: model.predict(X[70:])) == []


INDICES = [pd.date_range("2020-01-01", periods=120), pd.RangeIndex(120), np.arange(120) * 0.5]


@pytest.mark.parametrize("index", INDICES)
def test_index(rng, index):
    """Detection by the index only: inputs and targets are unrelated."""
    X = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"], index=index)
    y = pd.Series(rng.normal(size=120), index=index)
    model = VolterraRidge(alpha=1e-3)
    for train, test in TimeSeriesSplit(3).split(X):
        assert warned(lambda t=train, s=test: model.fit(X.iloc[t], y.iloc[t]).predict(X.iloc[s])) == []
    assert len(warned(lambda: cross_val_score(model, X, y, cv=KFold(4, shuffle=True, random_state=0)))) == 4
    train, test = list(KFold(4).split(X))[1]  # a block to be forecast from later ones too
    model.fit(X.iloc[train], y.iloc[train])
    (sentence,) = warned(lambda: model.predict(X.iloc[test]))
    assert f"{len(test)} of {len(test)} rows of X have an index at or before {X.index[-1]}" in sentence
    assert warned(lambda: model.predict(X.iloc[test].reset_index(drop=True))) == []  # a count says nothing
    assert warned(lambda: model.predict(X.iloc[test], start="continue")) == []


def test_index_not_in_order(rng):
    X = pd.DataFrame({"a": rng.normal(size=60)}, index=pd.date_range("2020-01-01", periods=60))
    y = X["a"] ** 2
    train, test = train_test_split(np.arange(60), random_state=1)
    (sentence,) = warned(lambda: VolterraRidge(alpha=1e-3).fit(X.iloc[train], y.iloc[train]))
    assert sentence.startswith("the index of X is not in order")
    assert len(warned(lambda: VolterraRidge(alpha=1e-3).fit(X[::-1], y[::-1]))) == 1  # the newest row first
    assert len(warned(lambda: VolterraRidgeCV(draws=2, random_state=0).fit(X[::-1], y[::-1]))) == 1
    names = X.set_axis([f"row {i}" for i in rng.permutation(60)])
    assert warned(lambda: VolterraRidge(alpha=1e-3).fit(names, y.to_numpy()).predict(names[:10])) != []
    assert warned(lambda: VolterraRidge(alpha=1e-3).fit(names, y.to_numpy())) == []  # texts have no order


# ---- outside the ball: one warning per call, for existing rows ---------------------------------------------


def test_extrapolation_warning_once_per_call(rng, tmp_path):
    x = walk(rng, 100, 2)
    far, y = 50 + 3 * x[:20], x[:, 0] ** 2
    pairs, series = VolterraRidge(alpha=1e-3).fit(x, y), VolterraRidge(alpha=1e-3).fit(x)
    last = np.array([[99.0, 99.0]])  # has no target yet, and does not contribute to the ball
    outside = VolterraRidge(alpha=1e-3).fit(np.vstack([x, last]))
    outside.save(tmp_path / "model.safetensors")
    calls = [
        lambda: pairs.predict(far),
        lambda: pairs.predict(far, start="reset"),
        lambda: pairs.score(far, y[:20]),
        lambda: pairs.predict(np.vstack([x, far])),
        lambda: series.predict(far),
        lambda: series.score(far),
        lambda: series.predict(np.vstack([x, far])),
        lambda: outside.predict(far),
        lambda: load(tmp_path / "model.safetensors").predict(far),
        lambda: VolterraRidgeCV(draws=2, random_state=0).fit(x, y).predict(far),
    ]
    for number, call in enumerate(calls):
        (sentence,) = [text for text in warned(call, BeyondWarning) if " of " in text.split(" input ")[0]]  # "3 of 20"
        count, total = (int(word) for word in sentence.split() if word.isdigit())
        assert 0 < count <= total, (number, sentence)
