"""Forecasts of series with one call: the numbers of the program and of the C example, frames, warnings, failures."""

from __future__ import annotations

import csv
import json
import os
import subprocess

import numpy as np
import pytest
import volterra
from series_data import monthly
from volterra import Forecaster, ForecastWarning, forecast


@pytest.mark.parametrize("series", [1, 2])
def test_same_bits_as_the_program(program_path, tmp_path, series):
    y = monthly(120, series)
    names = [f"s{k}" for k in range(series)]
    lines = [",".join(names)] + [",".join(repr(float(v)) for v in row) for row in y]
    (tmp_path / "y.csv").write_text("\n".join(lines) + "\n")
    command = [program_path, "forecast", tmp_path / "y.csv", "--steps", "4", "--json", "--threads", "1", "--interval", "0.8,0.95"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(printed)
    model = Forecaster(steps=4, n_jobs=1, coverage=[0.8, 0.95]).fit(y)
    assert model.forecast_.tolist() == found["forecast"]
    assert model.errors_.tolist() == found["rmse"]
    assert model.member_errors_["naive"].tolist() == found["naive_rmse"]
    assert model.lower_.tolist() == [one["lower"] for one in found["intervals"]]
    assert model.upper_.tolist() == [one["upper"] for one in found["intervals"]]
    assert [w for k in range(series) for w in (model.weights_[m][k] for m in model.weights_)] == [
        one["weight"] for one in found["members"]
    ]
    assert model.kernel_ == found["kernel"]
    assert model.seasons_ == [one["season"] for one in found["series"]]


def test_same_bits_as_the_c_example(root, tmp_path):
    example = root / "build/examples/15_forecast"
    if not example.exists():
        pytest.skip("the examples are not built")
    y = monthly(100)[:, 0]
    path = tmp_path / "y.csv"
    path.write_text("y\n" + "\n".join(repr(float(v)) for v in y) + "\n")
    printed = subprocess.run(
        [example, f"{path}:y", "3"], capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    ).stdout
    values = [float(line.split()[1]) for line in printed.splitlines()[1:4]]
    assert values == Forecaster(steps=3, n_jobs=1).fit(y).predict().tolist()


def test_arrays():
    y = monthly(120)[:, 0]
    model = Forecaster(steps=3).fit(y)
    assert model.predict().shape == (3,)
    assert model.predict(2).tolist() == model.forecast_[:2, 0].tolist()
    assert sum(weight[0] for weight in model.weights_.values()) == pytest.approx(1, abs=1e-14)
    assert (model.members_["naive"] == y[-1]).all()
    assert model.ets_[0].startswith("ETS(") and 0 < model.mase_[0] < 1
    assert model.rows_ == 120 and model.search_["outcome"] == "none"
    table = forecast(y, steps=3)
    assert table["y1"].tolist() == model.forecast_[:, 0].tolist()
    assert table["y1.error"].tolist() == model.errors_[:, 0].tolist()


def test_default_steps_and_season():
    y = monthly(120)[:, 0]
    assert len(Forecaster().fit(y).predict()) == 12
    assert Forecaster(season=None, steps=1).fit(y).seasons_ == [0]
    assert Forecaster(season=6, steps=1).fit(y).seasons_ == [6]


def test_pandas():
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2015-01-01", periods=100, freq="MS")
    y = pandas.Series(monthly(100)[:, 0], index=index, name="sales")
    found = forecast(y, 3, coverage=0.8)
    assert list(found.columns) == ["sales", "sales.error", "sales.lo80", "sales.hi80"]
    assert (found["sales.lo80"] < found["sales"]).all() and (found["sales"] < found["sales.hi80"]).all()
    assert list(found.index) == list(pandas.date_range("2023-05-01", periods=3, freq="MS"))
    predicted = Forecaster(steps=3).fit(y).predict()
    assert isinstance(predicted, pandas.Series) and predicted.name == "sales"
    assert predicted.index.equals(found.index)
    with pytest.warns(volterra.GapWarning):
        forecast(y.drop(index[50]), 1)
    with pytest.raises(ValueError, match="order"):
        forecast(y.sort_values(), 1)
    with pytest.warns(volterra.ForecastWarning, match="text"):
        forecast(y.set_axis(y.index.strftime("%Y-%m")), 1)


@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_trading_days(zone):
    pandas = pytest.importorskip("pandas")
    holidays = pandas.DatetimeIndex(["2024-01-01", "2024-01-15", "2024-02-19", "2024-03-29"])
    days = pandas.bdate_range("2024-01-01", "2024-04-10").difference(holidays).tz_localize(zone)
    y = pandas.Series(monthly(len(days))[:, 0], days, name="close")
    train, later = y[:"2024-03-27"], days[days > y[:"2024-03-27"].index[-1]]
    found = forecast(train, 3)
    assert list(found.index) == list(pandas.DatetimeIndex(["2024-03-28", "2024-03-29", "2024-04-01"]).tz_localize(zone))
    assert found["close"].tolist() == forecast(train.to_numpy(), 3)["y1"].tolist()  # the dates do not change the numbers
    inputs = pandas.DataFrame({"x": np.arange(len(y), dtype=float)}, days)
    assert list(Forecaster(steps=3).fit(train, known=inputs).predict().index) == list(later[:3])  # the inputs have the holidays
    with pytest.raises(ValueError, match="index"):
        Forecaster(steps=3).fit(train, known=inputs.set_axis(days[::-1]))


def test_missing_rows_and_values_are_interpolated():
    pandas = pytest.importorskip("pandas")
    t = np.arange(120.0)
    full = pandas.Series(t + 3 * np.sin(2 * np.pi * t / 7), index=pandas.date_range("2018-01-01", periods=120), name="y")
    full.iloc[[20, 21, 50]] = [(2 * full.iloc[19] + full.iloc[22]) / 3, (full.iloc[19] + 2 * full.iloc[22]) / 3, full.iloc[[49, 51]].mean()]
    known = pandas.Series(t % 3, index=full.index).to_frame("x")
    absent, blank = full.drop(full.index[[20, 21, 50]]), full.copy()
    blank.iloc[[20, 21, 50]] = np.nan
    with pytest.raises(ValueError, match="NaN at row 20"):
        Forecaster(steps=3).fit(blank)
    with pytest.warns(volterra.GapWarning, match="3 rows are missing, the first between 2018-01-20"):
        Forecaster(steps=3).fit(absent)
    expected = Forecaster(steps=3).fit(full)
    plain = Forecaster(steps=3).fit(full.to_numpy())
    numbered = pandas.DataFrame({"t": 5 * t[absent.index.dayofyear - 1], "y": absent.to_numpy()})
    for y, rows in ((absent, 3), (blank, 0), (blank.dropna().to_period("D"), 3), (blank.to_numpy(), 0), (numbered, 3)):
        with pytest.warns(volterra.GapWarning, match=f"{rows} rows .*3 missing values" if rows else "y: 3 missing values"):
            model = Forecaster(steps=3, missing="interpolate").fit(y)
        assert (model.inserted_rows_, model.interpolated_, model.rows_) == (rows, 3, 120)
        same = plain if y is numbered or isinstance(y, np.ndarray) else expected  # the calendar has the season
        assert np.allclose(np.ravel(model.predict()), same.predict(), rtol=1e-9)
    found = Forecaster(steps=3, missing="interpolate").backtest(absent, 2)
    assert np.allclose(found["y.rmse"], Forecaster(steps=3).backtest(full, 2)["y.rmse"], rtol=1e-9)
    assert list(Forecaster(steps=3, missing="interpolate").fit(absent).predict().index) == list(expected.predict().index)
    holes = known.copy()
    holes.iloc[30] = np.nan
    known.iloc[30] = (known.iloc[29] + known.iloc[31]) / 2
    with_input = Forecaster(steps=3).fit(full, known=known).predict()
    assert np.allclose(Forecaster(steps=3, missing="interpolate").fit(full, known=holes).predict(), with_input, rtol=1e-9)
    long = pandas.DataFrame({"unique_id": "a", "ds": absent.index, "y": absent.to_numpy()})
    found = forecast(pandas.concat([long, long.assign(unique_id="b").set_axis(range(200, 317))]), steps=3, missing="interpolate")
    assert np.allclose(found["y"], np.tile(expected.predict(), 2), rtol=1e-9)
    with pytest.raises(ValueError, match="missing"):
        Forecaster(steps=3, missing="drop").fit(full)


def test_numbers_of_known_follow():
    pandas = pytest.importorskip("pandas")
    t = np.arange(60)
    y = pandas.DataFrame({"y": 10 + np.sin(t / 3)})
    uneven = np.where(t < 30, t + 1, t + t % 2 + 1)
    for past, good, wrongs in (
        (t + 1, np.arange(61, 67), (np.arange(101, 107), np.arange(1, 7), np.arange(62, 74, 2))),
        (0.1 * t, 0.1 * np.arange(60, 66), (0.1 * np.arange(100, 106), 0.1 * np.arange(6))),
        (np.cumsum(uneven), np.cumsum(uneven)[-1] + 7 * np.arange(1, 7), (np.arange(1, 7), np.cumsum(uneven)[-1] - np.arange(6))),
    ):
        x = pandas.DataFrame({"promo": np.arange(66) % 3}, index=np.concatenate([past, good]))
        Forecaster(steps=2).fit(y.set_axis(past), known=x)
        for wrong in wrongs:
            with pytest.raises(ValueError, match=f"60 of known.* {wrong[0]}"):
                Forecaster(steps=2).fit(y.set_axis(past), known=x.set_axis(np.concatenate([past, wrong])))
    assert np.allclose(Forecaster(steps=2).fit(y.set_axis(0.1 * t)).predict().index, [6.0, 6.1])


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": monthly(60)[:, 0], "b": monthly(60, seed=8)[:, 0]})
    found = forecast(frame, 2, separate=True)
    assert found.columns == ["a", "a.error", "b", "b.error"]
    assert found["a"].to_list() == forecast(frame["a"], 2)["a"].to_list()


def test_known_inputs():
    rng = np.random.default_rng(3)
    print("seed 3")
    known = rng.normal(size=(120, 1))
    y = np.cumsum(np.r_[0, known[:-1, 0]]) + 0.01 * rng.normal(size=120)  # moves with the input of the row before
    with_input = Forecaster(steps=1, season=None).fit(y, known=known)
    assert with_input.errors_[0, 0] < 0.5 * Forecaster(steps=1, season=None).fit(y).errors_[0, 0]


def test_season_from_the_index():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    print("seed 5")
    noisy = 10 + np.sin(np.arange(60) * np.pi / 6) + 0.5 * rng.normal(size=60)
    for index in (pandas.date_range("2015-01-31", periods=60, freq="ME"), pandas.period_range("2015-01", periods=60, freq="M")):
        assert Forecaster(steps=1).fit(pandas.Series(noisy, index=index)).seasons_ == [12]


def test_future_inputs():
    rng = np.random.default_rng(4)
    print("seed 4")
    price = rng.normal(size=(123, 1))
    y = 50 + 4 * price[:, 0] + 0.1 * rng.normal(size=123)
    model = Forecaster(steps=3, season=None).fit(y[:120], known=price)
    assert np.abs(model.predict() - y[120:]).max() < 1  # the spread of y is 4


def test_short_and_constant_series():
    assert forecast(np.array([1.0, 2.0, 3.0]), 2)["y1"].shape == (2,)
    with pytest.warns(ForecastWarning):
        assert (forecast(np.full(40, 5.0), 2)["y1"] == 5).all()


def test_warnings():
    still = np.r_[np.arange(20) % 3, np.ones(60)].astype(float)
    with pytest.warns(ForecastWarning):
        model = Forecaster(steps=1).fit(still)
    assert len(model.warnings_) == 1 and model.warnings_[0].series == 0


def test_search():
    model = Forecaster(steps=1, budget=0.3).fit(monthly(80)[:, 0])
    assert model.search_["outcome"] in ("time", "worse", "rejected", "accepted")


@pytest.mark.parametrize(
    "options, part",
    [
        ({"steps": 0}, "steps"),
        ({"coverage": 1.5}, "1.5"),
        ({"season": 1}, "season"),
        ({"season": 31}, "season"),
        ({"kernel": "nothing"}, "nothing"),
        ({"kernel": 3}, "kernel"),
        ({"budget": "soon"}, "budget"),
    ],
)
def test_invalid_options(options, part):
    with pytest.raises((ValueError, TypeError), match=part):
        Forecaster(**options).fit(monthly(60)[:, 0])


def test_invalid_data():
    y = monthly(60)[:, 0]
    with pytest.raises(ValueError, match="3"):
        forecast(y[:2])
    with pytest.raises(ValueError, match="NaN"):
        forecast(np.r_[y, np.nan])
    with pytest.raises(ValueError, match="59"):
        forecast(y, known=y[:-1, None])
    with pytest.raises(volterra.NotFittedError):
        Forecaster().predict()
    with pytest.raises(ValueError, match="steps"):
        Forecaster(steps=2).fit(y).predict(3)


def test_csv_of_the_program(program_path, tmp_path):
    """The program's file has the columns of `forecast`."""
    y = monthly(80)[:, 0]
    (tmp_path / "y.csv").write_text("a\n" + "\n".join(repr(float(v)) for v in y) + "\n")
    subprocess.run(
        [program_path, "forecast", tmp_path / "y.csv", "--steps", "2", "-o", tmp_path / "f.csv", "--plot", "none", "--threads", "1"],
        check=True,
        capture_output=True,
    )
    with (tmp_path / "f.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = forecast(y, 2, n_jobs=1)
    assert [float(row["a"]) for row in rows] == found["y1"].tolist()
    assert [float(row["a.error"]) for row in rows] == found["y1.error"].tolist()


def test_short_season_is_a_warning():
    pandas = pytest.importorskip("pandas")
    y = np.random.default_rng(4).normal(size=12)
    months = pandas.Series(y, pandas.date_range("2020-01-01", periods=12, freq="MS"), name="y")
    with pytest.warns(ForecastWarning, match="two seasons"):
        model = Forecaster(steps=2).fit(months)
    assert any("two seasons" in note.text for note in model.warnings_)
    assert not any("two seasons" in note.text for note in Forecaster(steps=2).fit(y).warnings_)


@pytest.mark.parametrize(
    "name, times",
    [
        ("t", 5.0 * np.arange(100)),
        ("Time (s)", 0.25 * np.arange(100)),
        ("Date", 45292.0 + np.arange(100)),
        ("date", 45292.0 + np.arange(100) + 2 * (np.arange(100) // 5)),  # working days in Excel
        ("timestamp", np.arange(100) + 7.0 * (np.arange(100) >= 60)),  # a gap
    ],
)
def test_columns_of_times_as_in_the_program(program_path, tmp_path, name, times):
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({name: times, "y": monthly(100)[:, 0]})
    data.to_csv(tmp_path / "y.csv", index=False)
    command = [program_path, "forecast", tmp_path / "y.csv", "--steps", "3", "--threads", "1", "--plot", "none", "-o"]
    done = subprocess.run([*command, tmp_path / "f.csv"], capture_output=True, text=True, check=True)
    theirs = pandas.read_csv(tmp_path / "f.csv")
    with pytest.warns(volterra.VolterraWarning) as caught:
        model = Forecaster(steps=3, n_jobs=1).fit(data)
    ours = model.table()
    assert ours.to_numpy().tolist() == theirs.iloc[:, 1:].to_numpy().tolist() and list(ours) == list(theirs)[1:]
    counts = np.mean(np.diff(times) > np.diff(times).min()) < 0.1  # with few gaps
    assert list(ours.index) == (list(theirs.iloc[:, 0]) if counts else [100, 101, 102])
    assert ours.index.name == (name if counts else None)
    assert counts == (f"'{name}' numbers the rows" in done.stdout)
    words = {"ROW_COUNTER": counts, "UNEVEN_CLOCK": not counts, "SERIAL_DATES": "2024-01-01" in done.stdout}
    words["ROWS_MISSING"] = "missing" in done.stderr
    codes = {volterra._core._native.CONSTANTS[f"VOLT_WARNING_{word}"] for word, given in words.items() if given}
    assert {note.code for note in model.warnings_} >= codes and all(name in str(w.message) for w in caught[: len(codes)])
    assert words["SERIAL_DATES"] == name.lower().startswith("date") and words["ROWS_MISSING"] == (name == "timestamp")
    gaps = [w for w in caught if "7 rows are missing between 59 and 67" in str(w.message)]
    assert len(gaps) == (name == "timestamp")


def test_row_numbers_next_to_times(program_path, tmp_path):
    """Files of R have row names: the forecast continues the times, also after rows were dropped."""
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame({"rownames": np.arange(1, 61), "time": 1949 + np.arange(60) / 12, "value": monthly(60)[:, 0]})
    for frame in (data, data.drop(index=[7, 30, 31])):
        frame.to_csv(tmp_path / "y.csv", index=False)
        command = [program_path, "forecast", tmp_path / "y.csv", "--steps", "2", "--plot", "none", "-o", tmp_path / "f.csv"]
        subprocess.run(command, capture_output=True, check=True)
        theirs = pandas.read_csv(tmp_path / "f.csv", index_col=0)
        with pytest.warns(ForecastWarning, match="'time'"):
            ours = Forecaster(steps=2).fit(frame.reset_index(drop=True)).table()
        assert ours.index.name == theirs.index.name == "time" and list(ours) == list(theirs)
        np.testing.assert_allclose(theirs.index, [1954, 1954 + 1 / 12], rtol=1e-10)
        np.testing.assert_allclose(ours.index, theirs.index, rtol=1e-10)  # the file has 12 digits


def test_columns_of_times_are_left_out():
    pandas = pytest.importorskip("pandas")
    y = monthly(60, 2)
    alone = Forecaster(steps=2).fit(y)
    with pytest.warns(ForecastWarning, match="'1'"):
        assert Forecaster(steps=2).fit(np.column_stack([np.arange(60.0), y])).forecast_.tolist() == alone.forecast_.tolist()
    frame = pandas.DataFrame({"year": np.arange(60), "a": y[:, 0]}, index=pandas.date_range("2020-01-01", periods=60))
    with pytest.warns(ForecastWarning, match="'year'"):
        assert list(forecast(frame, 2).index) == list(pandas.date_range("2020-03-01", periods=2))
    with pytest.warns(ForecastWarning), pytest.raises(ValueError, match="counts the rows"):
        forecast(pandas.DataFrame({"t": np.arange(9.0), "index": 2 * np.arange(9.0)}))
    polars = pytest.importorskip("polars")
    with pytest.warns(ForecastWarning, match="'t'"):
        found = forecast(polars.DataFrame({"t": np.arange(60), "a": y[:, 0]}), 2)
    assert found.columns == ["a", "a.error"]
