"""pandas in, pandas out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import volterra
from volterra import VolterraRidge

pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")


@pytest.fixture
def frames(system):
    X, y = system
    index = pandas.date_range("2024-01-01", periods=300, freq="h")
    return pandas.DataFrame(X, index=index, columns=["u", "v"]), pandas.Series(y, index=index, name="level")


def test_index_and_names_are_kept(frames):
    X, y = frames
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    forecast = model.predict(X[200:])
    assert isinstance(forecast, pandas.Series) and forecast.name == "level"
    assert forecast.index.equals(X.index[200:])
    assert list(model.feature_names_in_) == ["u", "v"]
    plain = VolterraRidge(alpha=1e-3).fit(X[:200].to_numpy(), y[:200].to_numpy())
    assert np.array_equal(forecast.to_numpy(), plain.predict(X[200:].to_numpy()))


def test_frame_of_targets(frames):
    X, y = frames
    Y = pandas.DataFrame({"a": y, "b": 2 * y})
    forecast = VolterraRidge(alpha=1e-3).fit(X[:200], Y[:200]).predict(X[200:])
    assert list(forecast.columns) == ["a", "b"] and forecast.index.equals(X.index[200:])


def test_separate_series(frames):
    X, _ = frames
    model = VolterraRidge(alpha=1e-3).fit(X[:200])
    assert list(model.predict(X[200:]).columns) == ["u", "v"]


def test_arrays_in_one_place_give_arrays(frames):
    X, y = frames
    assert isinstance(VolterraRidge().fit(X, y.to_numpy()).predict(X), np.ndarray)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert isinstance(VolterraRidge().fit(X, y).predict(X.to_numpy()), np.ndarray)


def test_columns_must_match(frames):
    X, y = frames
    model = VolterraRidge().fit(X, y)
    with pytest.raises(ValueError, match="unseen at fit time:\n- w"):
        model.predict(X.rename(columns={"v": "w"}))
    with pytest.raises(ValueError, match="same order"):
        model.predict(X[["v", "u"]])


def test_names_are_saved_in_file(frames, tmp_path):
    X, y = frames
    model = VolterraRidge(alpha=1e-3).fit(X, y)
    volterra.save(model, tmp_path / "m.safetensors")
    assert list(volterra.load(tmp_path / "m.safetensors").feature_names_in_) == ["u", "v"]
    with pytest.raises(ValueError, match="NaN at row 3, column 1"):
        broken = X.copy()
        broken.iloc[3, 1] = np.nan
        model.predict(broken)


def test_index_determines_first_row_after_training(program, tmp_path):
    """The row after the last training target has the same value, so that values cannot distinguish them."""
    x = np.sin(0.7 * np.arange(60.0))
    x[50] = x[49]
    days = pandas.DataFrame({"a": x}, index=pandas.date_range("2024-01-01", periods=60, freq="D"))
    settings = dict(tau_coef=0.5, lambda_coef=0.6, alpha=1e-4)
    expected = volterra.VolterraRidge(**settings).fit(days[:50]).continue_(3, after=days[50:55])
    # Targets with the index of the inputs; their own would be matched by date.
    y = days.iloc[1:50].set_axis(days.index[:49])
    pairs = volterra.VolterraRidge(**settings).fit(days[:49], y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", volterra.VolterraWarning)
        assert np.array_equal(pairs.continue_(3, after=days[49:55]), expected)
        assert np.array_equal(pairs.continue_(3, after=days[50:55]), expected)
        assert np.array_equal(pairs.continue_(3, after=days[:55]), expected)
    # Without an index the row is taken as the last target, with a warning.
    with pytest.warns(volterra.VolterraWarning, match="equals the last training row"):
        assert not np.array_equal(pairs.continue_(3, after=days[50:55].reset_index(drop=True)), expected)
    # A series from a file, of the program or of Python: rows given are new ones, as after fit(X).
    days.to_csv(tmp_path / "days.csv", index_label="day")
    file, kernel = tmp_path / "m.safetensors", "volterra:tau_coef=0.5,lambda_coef=0.6"
    source = f"{tmp_path / 'days.csv'}:a"
    program("fit", "--x", source, "--rows", ":50", "--alpha", "1e-4", "--kernel", kernel, "-o", file)
    with warnings.catch_warnings():
        warnings.simplefilter("error", volterra.VolterraWarning)
        got = volterra.load(file).continue_(3, after=days[50:55])
    assert np.allclose(got, expected, rtol=1e-9, atol=0)  # the CSV file has 17 digits, sums may be ordered otherwise
