"""Non-numeric columns of data frames, and Series of pandas and polars."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV

pd = pytest.importorskip("pandas")
try:
    import polars as pl
except ImportError:
    pl = None
needs_polars = pytest.mark.skipif(pl is None, reason="polars is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")

ROWS = 120
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(ROWS)]
STAMPS = [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=k) for k in range(ROWS)]
SPANS = [datetime.timedelta(hours=k) for k in range(ROWS)]
WORDS = ["ab"[k % 2] for k in range(ROWS)]
FLAGS = [None if k == 50 else k % 2 == 0 for k in range(ROWS)]

PANDAS = {
    "datetime": lambda: pd.to_datetime(STAMPS),
    "zoned": lambda: pd.to_datetime(STAMPS).tz_localize("UTC"),
    "dates as objects": lambda: pd.Series(DAYS, dtype=object),
    "period": lambda: pd.period_range("2024-01-01", periods=ROWS, freq="D"),
    "duration": lambda: pd.to_timedelta(SPANS),
    "text": lambda: pd.Series(WORDS),
    "text as objects": lambda: pd.Series(WORDS, dtype=object),
    "numbers as text": lambda: pd.Series([str(k) for k in range(ROWS)], dtype=object),
    "category": lambda: pd.Categorical(WORDS),
    "category of numbers": lambda: pd.Categorical(np.arange(ROWS) % 3),
    "flags as objects": lambda: pd.Series(FLAGS, dtype=object),
    "tuples": lambda: pd.Series([(k, k) for k in range(ROWS)]),
}


def numbers(seed=7):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=ROWS)
    return u, np.convolve(u, [0.5, 0.3])[:ROWS]


@pytest.mark.parametrize("kind", PANDAS)
def test_pandas_columns_without_numbers(kind):
    u, y = numbers()
    X = pd.DataFrame({"u": u, "when": PANDAS[kind]()})
    for call in (
        lambda: VolterraRidge().fit(X, y),
        lambda: VolterraRidgeCV(draws=2).fit(X, y),
        lambda: VolterraRidge(alpha=0.1).fit(np.c_[u, u], X),
        lambda: VolterraRidge(alpha=0.1).fit(pd.DataFrame({"u": u, "when": u}), y).predict(X),
        lambda: volterra.gram(X, kernel="rbf"),
        lambda: VolterraRidge().fit([X, X]),
    ):
        with pytest.raises(TypeError, match="'when'.*drop"):
            call()


def test_dates_may_be_the_index():
    u, y = numbers()
    X = pd.DataFrame({"u": u, "when": pd.to_datetime(STAMPS)})
    with pytest.raises(TypeError, match=r"set_index\('when'\)"):
        VolterraRidge().fit(X, y)
    assert VolterraRidge(alpha=0.1).fit(X.set_index("when"), y).n_features_in_ == 1
    with pytest.raises(TypeError, match=r"parse_dates=\['when'\]"):
        VolterraRidge(alpha=0.1).fit(X.assign(when=X["when"].astype(str)), y)


def test_columns_of_numbers_of_every_type():
    u, y = numbers()
    X = pd.DataFrame({"u": u, "bool": u > 0, "int": np.arange(ROWS) % 5, "object": pd.Series(u, dtype=object)})
    X["nullable"] = pd.array(u, dtype="Float64")
    fitted = VolterraRidge(alpha=0.1).fit(X, y)
    plain = np.c_[u, u > 0, np.arange(ROWS) % 5, u, u]
    assert np.array_equal(fitted.fitted_, VolterraRidge(alpha=0.1).fit(plain, y).fitted_)
    twice = pd.DataFrame(np.c_[u, u], columns=["u", "u"])  # a name may be repeated
    assert VolterraRidge(alpha=0.1).fit(twice, y).n_features_in_ == 2


def polars_columns():
    return {
        "date": pl.Series(DAYS),
        "datetime": pl.Series(STAMPS),
        "time": pl.Series([s.time() for s in STAMPS]),
        "duration": pl.Series(SPANS),
        "text": pl.Series(WORDS),
        "category": pl.Series(WORDS, dtype=pl.Categorical),
        "list": pl.Series([[1.0, 2.0]] * ROWS),
        "object": pl.Series(WORDS, dtype=pl.Object),
        "null": pl.Series([None] * ROWS),
    }


@needs_polars
@pytest.mark.parametrize(
    "kind", ["date", "datetime", "time", "duration", "text", "category", "list", "object", "null"]
)
def test_polars_columns_without_numbers(kind):
    u, y = numbers()
    X = pl.DataFrame({"u": u, "when": polars_columns()[kind]})
    for call in (
        lambda: VolterraRidge().fit(X, y),
        lambda: VolterraRidge(alpha=0.1).fit(pl.DataFrame({"u": u, "when": u}), y).predict(X),
    ):
        with pytest.raises(TypeError, match=r"'when'.*drop\('when'\)"):
            call()
    with pytest.raises(TypeError, match="Series"):
        VolterraRidge().fit(X["when"])


@needs_polars
def test_polars_columns_of_numbers():
    u, y = numbers()
    X = pl.DataFrame({"u": u, "flag": u > 0, "small": (np.arange(ROWS) % 5).astype(np.int8)})
    fitted = VolterraRidge(alpha=0.1).fit(X, y)
    plain = np.c_[u, u > 0, np.arange(ROWS) % 5]
    assert np.array_equal(fitted.fitted_, VolterraRidge(alpha=0.1).fit(plain, y).fitted_)
    with pytest.raises(ValueError, match="NaN at row 4, column 0"):
        broken = X.with_columns(pl.when(pl.arange(ROWS) == 4).then(None).otherwise(pl.col("u")).alias("u"))
        VolterraRidge().fit(broken, y)


# ---- Series ------------------------------------------------------------------------------------------------


def wave(rows=ROWS):
    return np.sin(0.4 * np.arange(rows)) + 0.1 * np.random.default_rng(1).normal(size=rows)


@pytest.mark.parametrize("ahead", [None, 2, range(1, 4)])
def test_series_of_pandas(ahead):
    index = pd.bdate_range("2024-01-01", periods=ROWS)
    x = pd.Series(wave(), index=index, name="load")
    series = VolterraRidge(alpha=0.1, ahead=ahead).fit(x)
    matrix = VolterraRidge(alpha=0.1, ahead=ahead).fit(x.to_numpy()[:, None])
    assert list(series.feature_names_in_) == ["load"]
    forecast = series.forecast()
    assert isinstance(forecast, pd.Series) and forecast.name == "load"
    assert np.array_equal(forecast.to_numpy(), matrix.forecast()[:, 0])
    assert list(forecast.index) == list(pd.bdate_range(index[-1], periods=len(forecast) + 1)[1:])
    found = series.predict(x)
    assert np.array_equal(found.to_numpy().reshape(ROWS, -1), matrix.predict(x.to_numpy()[:, None]))
    assert found.index.equals(index) and (isinstance(found, pd.Series) or ahead == range(1, 4))
    assert series.score(x) == pytest.approx(matrix.score(x.to_numpy()[:, None]), rel=1e-12)
    assert series.fitted_.ndim == (2 if ahead == range(1, 4) else 1)


def test_series_in_every_place():
    index = pd.date_range("2024-01-01", periods=ROWS, freq="h")
    x = pd.Series(wave(), index=index, name="load")
    table = x.to_numpy()[:, None]
    fitted = VolterraRidge(alpha=0.1).fit(x[:100])
    plain = VolterraRidge(alpha=0.1).fit(table[:100])
    assert np.array_equal(fitted.continue_(5, after=x[100:]), plain.continue_(5, after=table[100:]))
    assert fitted.forecast(3).index.equals(index[100:103])
    assert np.array_equal(fitted.predict_interval(x[100:]).to_numpy(), plain.predict_interval(table[100:])[:, 0])
    assert list(fitted.predict_interval(x[100:]).columns) == ["load.lo90", "load.hi90"]
    search = VolterraRidgeCV(draws=2, random_state=1).fit(x[:100])
    assert search.forecast().name == "load" and search.predict(x[100:]).index.equals(index[100:])
    y = pd.Series(np.roll(x, 1), index=index, name="next")
    one = SequenceKernelRidge("rbf", alpha=0.1).fit(x, y)  # inputs and targets
    assert one.predict(x).name == "next"
    assert np.array_equal(volterra.gram(x, kernel="rbf"), volterra.gram(table, kernel="rbf"))
    records = VolterraRidge(alpha=0.1).fit([x[:50], x[60:]])
    same = VolterraRidge(alpha=0.1).fit([table[:50], table[60:]])
    assert np.array_equal(records.forecast().to_numpy(), same.forecast()[:, 0])
    grown = VolterraRidge(alpha=0.1).fit(x[:100])
    assert np.array_equal(grown.update(x[100:]).to_numpy(), plain.update(table[100:])[:, 0])


def test_series_without_a_name():
    fitted = VolterraRidge(alpha=0.1).fit(pd.Series(wave()))
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.forecast().name is None and list(fitted.forecast(2).index) == [ROWS, ROWS + 1]
    assert list(fitted.forecast(coverage=0.5).columns) == ["y", "y.lo50", "y.hi50"]


def test_vectors_of_numpy_are_still_rejected():
    with pytest.raises(ValueError, match="Expected.*2D.*1D"):
        VolterraRidge().fit(wave())


@needs_polars
def test_series_of_polars():
    x = pl.Series("load", wave())
    table = x.to_numpy()[:, None]
    fitted = VolterraRidge(alpha=0.1).fit(x[:100])
    plain = VolterraRidge(alpha=0.1).fit(table[:100])
    for found, wanted in (
        (fitted.forecast(3), plain.forecast(3)),
        (fitted.predict(x[100:]), plain.predict(table[100:])),
        (fitted.predict(x), plain.predict(table)),
    ):
        assert isinstance(found, pl.Series) and found.name == "load"
        assert np.array_equal(found.to_numpy(), wanted[:, 0])
    assert fitted.predict_interval(x[100:]).columns == ["load.lo90", "load.hi90"]
    assert fitted.predict_quantiles(x[100:], [0.1, 0.5]).columns == ["load.q0.1", "load.q0.5"]


@needs_polars
def test_frames_of_polars():
    u, y = numbers()
    X = pl.DataFrame({"u": u, "v": y})
    fitted = VolterraRidge(alpha=0.1, ahead=2, keep_factor=True).fit(X[:100])
    plain = VolterraRidge(alpha=0.1, ahead=2, keep_factor=True).fit(X[:100].to_numpy())
    forecast = fitted.forecast()
    assert isinstance(forecast, pl.DataFrame) and forecast.columns == ["u", "v"]
    assert np.array_equal(forecast.to_numpy(), plain.forecast())
    assert np.array_equal(fitted.predict_var(X[100:]).to_numpy(), plain.predict_var(X[100:].to_numpy()))
    assert isinstance(VolterraRidge(alpha=0.1).fit(X, 2 * y).predict(X), np.ndarray)  # y was an array
    records = VolterraRidge(alpha=0.1).fit([X[:50], X[60:]])
    assert list(records.feature_names_in_) == ["u", "v"]


# ---- rows of the same date, columns of the same name ------------------------------------------------------------


def _dated(rows=60):
    days = pd.date_range("2020-01-01", periods=rows)
    u = np.random.default_rng(3).uniform(-1, 1, (rows, 2))
    X = pd.DataFrame(u, index=days, columns=["u", "v"])
    return X, pd.Series(u[:, 0] + 0.5 * u[:, 1] ** 2, index=days, name="y"), pd.Timedelta(days=1)


def test_rows_of_common_dates_are_fitted_and_scored():
    X, y, day = _dated()
    late = y.set_axis(y.index + 28 * day)
    with pytest.warns(volterra.VolterraWarning, match="32 of 60"):
        model = volterra.VolterraRidge(alpha=1e-3).fit(X, late)
    same = volterra.VolterraRidge(alpha=1e-3).fit(X[28:], y[:32].to_numpy())
    assert np.array_equal(model.fitted_, same.fitted_)
    with pytest.warns(volterra.VolterraWarning, match="32 of 60"):
        assert model.score(X, late) == same.score(X[28:], y[:32].to_numpy())
    weights = late * 0 + 1.0
    with pytest.warns(volterra.VolterraWarning, match="32 of 60"):
        assert len(volterra.VolterraRidge(alpha=1e-3).fit(X, y, weights).fitted_) == 32
    with pytest.raises(ValueError, match="2020-01-01.*2021"):
        volterra.VolterraRidge(alpha=1e-3).fit(X, y.set_axis(y.index + 600 * day))
    with pytest.raises(ValueError, match="X and y"):
        volterra.VolterraRidge(alpha=1e-3).fit(X, y[::-1])
    with pytest.warns(volterra.VolterraWarning, match="55 of 60"):
        assert volterra.metrics.scores(y, y[5:])["mse"] == 0


def test_known_outputs_of_other_dates_are_unknown():
    X, y, _ = _dated()
    model = volterra.VolterraRidge(alpha=1e-3, feedback=True).fit(X, y)
    expected = model.predict(X, start="reset", y_known=y, warm_up=10)
    assert np.array_equal(model.predict(X, start="reset", y_known=y[:10], warm_up=10), expected)


def test_columns_of_streams_and_detectors_are_found_by_name():
    X, y, day = _dated()
    model = volterra.VolterraRidge(alpha=1e-3).fit(X, y)
    turned, partly = X[["v", "u"]], X.rename(columns={"u": "w"})
    one, other = model.stream(), model.stream()
    assert one.feed(X.iloc[0]) == other.feed(turned.iloc[0])
    assert np.array_equal(one.predict(X[1:]), other.predict(turned[1:]))
    learner, second = model.learner(), model.learner()
    assert np.array_equal(learner.update(X, y), second.update(turned, y))
    detector, later = volterra.RowAnomaly().fit(X), X.set_axis(X.index + 60 * day)
    assert np.array_equal(detector.score_samples(later), detector.score_samples(later[["v", "u"]]), equal_nan=True)
    for call in (lambda: one.feed(partly.iloc[0]), lambda: one.predict(partly), lambda: detector.predict(partly)):
        with pytest.raises(ValueError, match="u, v.*w, v"):
            call()
    with pytest.warns(UserWarning, match="by position"):
        one.feed(X.iloc[0].set_axis(["a", "b"]))
