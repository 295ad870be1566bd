"""Forecasts of many series in long format: the numbers of the program and of each series, dates, broken series."""

from __future__ import annotations

import numpy as np
import pytest
import volterra

pandas = pytest.importorskip("pandas")


def months(rng, series=3, rows=50):
    """Long frame of monthly series with a season; rows of different series alternate."""
    parts = []
    for s in range(series):
        t = np.arange(rows + 3 * s)
        parts.append(
            pandas.DataFrame(
                {
                    "unique_id": f"m{s}",
                    "ds": pandas.date_range("2001-01-01", periods=len(t), freq="MS"),
                    "y": 50 + 10 * s + 5 * np.sin(2 * np.pi * t / 12) + rng.normal(size=len(t)),
                }
            )
        )
    return pandas.concat(parts).sort_values(["ds", "unique_id"], ignore_index=True)


def test_program_gives_the_same_bits(rng, program, tmp_path):
    frame = months(rng)
    path = tmp_path / "long.csv"
    frame.to_csv(path, index=False, float_format="%.17g")
    text = program("forecast", path, "--steps", 5, "--interval", "0.8,0.95", "-o", "-")
    rows = [line.split(",") for line in text.splitlines()]
    expected = pandas.DataFrame({name: column for name, *column in zip(*rows)}).astype({name: float for name in rows[0][2:]})
    found = volterra.forecast(frame, steps=5, coverage=[0.8, 0.95])
    assert list(found.columns) == list(expected.columns)
    assert found["unique_id"].tolist() == expected["unique_id"].tolist() == ["m0"] * 5 + ["m1"] * 5 + ["m2"] * 5
    assert found["ds"].astype(str).tolist() == expected["ds"].tolist()
    for name in expected.columns[2:]:
        assert np.array_equal(found[name], expected[name])


def test_series_are_forecast_as_each_one(rng):
    frame = months(rng)
    found = volterra.forecast(frame, steps=4, n_jobs=2)
    for name, rows in frame.groupby("unique_id"):
        one = volterra.forecast(rows.set_index("ds")["y"], steps=4, n_jobs=1)
        mine = found[found["unique_id"] == name]
        assert np.array_equal(mine["y"], one["y"]) and np.array_equal(mine["y.error"], one["y.error"])
        assert mine["ds"].tolist() == one.index.tolist()


def test_types_of_times(rng):
    frame = months(rng, 2, 30)
    dated = volterra.forecast(frame, steps=2)
    periods = volterra.forecast(frame.assign(ds=frame["ds"].dt.to_period("M")), steps=2)
    assert periods["ds"].tolist() == dated["ds"].dt.to_period("M").tolist()
    texts = volterra.forecast(frame.assign(ds=frame["ds"].dt.strftime("%Y-%m")), steps=2)
    assert texts["ds"].tolist() == dated["ds"].dt.strftime("%Y-%m").tolist()
    hours = frame.sort_values(["unique_id", "ds"], ignore_index=True)
    hours["ds"] = pandas.date_range("2020-01-01 05:30", periods=len(hours), freq="h", tz="Europe/Berlin")
    later = volterra.forecast(hours, steps=2)["ds"]
    assert later.tolist()[-1] == hours["ds"].iloc[-1] + pandas.Timedelta(hours=2)
    counted = frame.sort_values(["unique_id", "ds"], ignore_index=True)
    counted["ds"] = counted.groupby("unique_id").cumcount() + 1
    counted["unique_id"] = counted["unique_id"].map({"m0": 7, "m1": 3})
    found = volterra.forecast(counted, steps=2)
    assert found["ds"].tolist() == [31, 32, 34, 35] and found["unique_id"].tolist() == [7, 7, 3, 3]


def test_polars(rng):
    polars = pytest.importorskip("polars")
    frame = months(rng, 2, 30)
    expected = volterra.forecast(frame, steps=2)
    found = volterra.forecast(polars.DataFrame(frame.to_dict("list")), steps=2)
    assert isinstance(found, polars.DataFrame) and found.columns == list(expected.columns)
    assert np.array_equal(found["y"].to_numpy(), expected["y"]) and found["ds"].to_list() == expected["ds"].tolist()


def test_broken_series_are_named(rng):
    frame = months(rng, 3, 30)
    frame.loc[frame.index[frame["unique_id"] == "m1"][4], "y"] = np.nan
    frame.loc[frame.index[frame["unique_id"] == "m2"][3], "ds"] = pandas.Timestamp("2001-03-01")
    with pytest.warns(volterra.ForecastWarning, match=r"2 of 3 .*m1.*2001-05-01.*m2.*2001-03-01"):
        found = volterra.forecast(frame, steps=2)
    assert found["unique_id"].tolist() == ["m0", "m0"]
    with pytest.raises(ValueError, match=r"2 .*m1.*2001-05-01"):
        volterra.forecast(frame[frame["unique_id"] != "m0"], steps=2)
    gap = months(rng, 1, 40).drop(index=7)
    with pytest.warns(volterra.GapWarning, match="1 series"):
        volterra.forecast(gap, steps=2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_text_among_values(rng, library):
    frame = months(rng, 3, 30)
    expected = volterra.forecast(frame[frame["unique_id"] != "m1"], steps=2)
    cells = frame["y"].astype(object)
    cells[frame.index[frame["unique_id"] == "m1"][4]] = "closed"
    if library == "polars":
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({**frame.to_dict("list"), "y": [str(cell) for cell in cells]})
    else:
        frame["y"] = cells
    with pytest.warns(volterra.ForecastWarning, match=r"1 of 3 .*m1.*2001-05-01.*'closed'"):
        found = volterra.forecast(frame, steps=2)
    assert found["unique_id"].to_list() == ["m0", "m0", "m2", "m2"]
    assert np.array_equal(found["y"], expected["y"])


def test_time_limit_of_all_series(rng):
    frame = months(rng, 4, 30)
    expected = volterra.forecast(frame[frame["unique_id"] == "m0"], steps=2)
    with pytest.warns(volterra.ForecastWarning, match="3 of 4 .*time_limit"):
        found = volterra.forecast(frame, steps=2, time_limit="0.000001s", n_jobs=1)
    assert found["unique_id"].tolist() == ["m0", "m0"]
    assert np.array_equal(found["y"], expected["y"])
    assert len(volterra.forecast(frame, steps=2, time_limit=600)) == 8


def test_invalid_arguments(rng):
    frame = months(rng, 2, 30)
    with pytest.raises(ValueError, match="known"):
        volterra.forecast(frame, steps=2, known=np.zeros((len(frame), 1)))
    with pytest.raises(ValueError, match="steps"):
        volterra.forecast(frame, steps=0)
    with pytest.raises(ValueError, match="budget.*time_limit"):
        volterra.forecast(frame, steps=2, budget=1)
    with pytest.raises(ValueError, match="time_limit must be .*'soon'"):
        volterra.forecast(frame, steps=2, time_limit="soon")
    with pytest.raises(ValueError, match="time_limit requires .*budget"):
        volterra.forecast(np.arange(30.0), steps=2, time_limit=1)
    with pytest.raises(ValueError, match="unique_id"):
        volterra.forecast(frame.assign(unique_id=None), steps=2)
