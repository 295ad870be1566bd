"""Backtests, and inputs of the rows to forecast: the numbers of the program and of a loop, indices, failures."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from series_data import monthly
from volterra import Forecaster, forecast

pd = pytest.importorskip("pandas")

# ---- backtest ----------------------------------------------------------------------------------------------


def test_backtest_same_bits_as_the_program(program_path, tmp_path):
    y = monthly(90, 2)
    frame = pd.DataFrame(y, columns=["a", "b"])
    frame.to_csv(tmp_path / "y.csv", index=False)
    command = [program_path, "forecast", "y.csv", "--steps", "4", "--backtest", "2", "--interval", "0.8", "-o", "table.csv"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    expected = pd.read_csv(tmp_path / "table.csv", index_col="method")
    model = Forecaster(steps=4, coverage=0.8)
    pd.testing.assert_frame_equal(model.backtest(frame, 2), expected, check_exact=True)
    assert model.backtest_ == {"origins": 2, "steps": 4, "first_rows": 82, "distance": 4}


def test_backtest_is_a_loop():
    y = monthly(80)[:, 0]
    table = Forecaster(steps=3, coverage=[0.5]).backtest(y, 2)
    runs = [Forecaster(steps=3, coverage=[0.5]).fit(y[:rows]) for rows in (74, 77)]
    errors = np.concatenate([y[rows : rows + 3] - run.forecast_[:, 0] for rows, run in zip((74, 77), runs)])
    # The library sums the squares in another order: a relative error of 6 eps at most.
    np.testing.assert_allclose(table["y1.rmse"][0], np.sqrt(np.mean(errors**2)), rtol=1e-14)
    widths = np.concatenate([run.upper_[0] - run.lower_[0] for run in runs])
    np.testing.assert_allclose(table["y1.width50"][0], widths.mean(), rtol=1e-13)
    assert np.isnan(table["y1.width50"][1:]).all()
    assert list(table["method"][:3]) == ["forecast", "kernel", "theta"]


def test_backtest_of_polars_and_errors():
    pl = pytest.importorskip("polars")
    y = monthly(60)[:, 0]
    table = Forecaster(steps=2).backtest(pl.Series("s", y), 1)
    assert table.columns == ["method", "s.mase", "s.smape", "s.rmse"]
    with pytest.raises(ValueError, match="at most"):
        Forecaster(steps=2).backtest(y, 60)
    with pytest.raises(ValueError, match="k"):
        Forecaster(steps=2).backtest(y, 0)


# ---- inputs of the rows to forecast ------------------------------------------------------------------------


def test_known_rows_set_the_steps():
    y = monthly(60)[:, 0]
    known = np.random.default_rng(4).normal(size=(67, 1))
    assert len(forecast(y, known=known)["y1"]) == 7
    assert len(forecast(y, steps=3, known=known)["y1"]) == 3  # later rows are ignored
    with pytest.raises(ValueError, match="known"):
        forecast(y, steps=8, known=known)
    known[62] = np.nan
    with pytest.raises(ValueError, match="known"):
        forecast(y, known=known)


@pytest.mark.parametrize("kind", ["dates", "periods", "numbers"])
def test_known_index_follows(kind):
    index = {
        "dates": pd.date_range("2020-01-01", periods=63, freq="MS"),
        "periods": pd.period_range("2020-01", periods=63, freq="M"),
        "numbers": pd.RangeIndex(100, 163),
    }[kind]
    y = pd.Series(monthly(60)[:, 0], index=index[:60], name="y")
    known = pd.DataFrame({"price": np.random.default_rng(5).normal(size=63)}, index=index)
    assert list(forecast(y, known=known).index) == list(index[60:])
    with pytest.raises(ValueError, match="row 60 of known"):
        forecast(y, known=known.drop(index[60]))
    with pytest.raises(ValueError, match="row 0 of known"):
        forecast(y, known=known[1:])


def test_future_inputs_same_bits_as_the_program(program_path, tmp_path):
    index = pd.date_range("2015-01-01", periods=84, freq="MS").strftime("%Y-%m-%d")
    promo = (np.random.default_rng(6).random(84) < 0.3).astype(float)
    frame = pd.DataFrame({"date": index, "y": monthly(84)[:, 0] + 5 * promo, "promo": promo})
    frame[:80].to_csv(tmp_path / "past.csv", index=False)
    frame[80:][["date", "promo"]].to_csv(tmp_path / "future.csv", index=False)
    command = [program_path, "forecast", "past.csv:y", "--x", "promo", "--future", "future.csv", "-o", "next.csv"]
    subprocess.run([*command, "--plot", "none"], cwd=tmp_path, check=True, capture_output=True)
    expected = pd.read_csv(tmp_path / "next.csv")
    dates = pd.DatetimeIndex(frame["date"])
    y = pd.Series(frame["y"].to_numpy()[:80], index=dates[:80], name="y")
    found = forecast(y, known=pd.DataFrame({"promo": promo}, index=dates))
    assert np.array_equal(found["y"], expected["y"]) and np.array_equal(found["y.error"], expected["y.error"])
