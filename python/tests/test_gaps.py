"""Missing rows in the dates of data frames."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from volterra import GapWarning, VolterraRidge, forecast
from volterra._core._gaps import future_index

pd = pytest.importorskip("pandas")


def gap_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught if issubclass(one.category, GapWarning)]


def frame(index, seed=3):
    """Inputs with this index, without its frequency."""
    rng = np.random.default_rng(seed)
    index = index if isinstance(index, pd.PeriodIndex) else pd.DatetimeIndex(list(index))
    return pd.DataFrame({"u": rng.normal(size=len(index)), "v": rng.normal(size=len(index))}, index=index)


def model():
    return VolterraRidge(alpha=0.1, ahead=1)


def exchange_days():
    """Working days of a year without its holidays, some of which follow each other."""
    days = pd.bdate_range("2023-01-02", "2023-12-29")
    return days.drop(pd.to_datetime(["2023-01-02", "2023-04-07", "2023-04-10", "2023-05-01", "2023-12-25", "2023-12-26"]))


def trading_hours():
    """Every five minutes from 9:30 to 16:00, on working days."""
    days = pd.bdate_range("2024-01-08", periods=12)
    return pd.DatetimeIndex([day + pd.Timedelta(minutes=570 + 5 * k) for day in days for k in range(79)])


REGULAR = {
    **{freq: pd.date_range("2023-01-31", periods=60, freq=freq) for freq in ("h", "15min", "D", "2D", "B", "W", "4W")},
    **{freq: pd.date_range("2001-01-31", periods=60, freq=freq) for freq in ("ME", "MS", "BME", "BMS", "QS", "QE", "YE")},
    "same day of the month": pd.DatetimeIndex([pd.Timestamp(2001 + k // 12, 1 + k % 12, 15) for k in range(60)]),
    "clocks changed": pd.date_range("2024-03-20", periods=400, freq="h", tz="Europe/Berlin"),
    "days while clocks changed": pd.date_range("2024-03-01", periods=60, freq="D", tz="Europe/Berlin"),
    "Sunday to Thursday": pd.bdate_range("2024-01-01", periods=60, freq="C", weekmask="Sun Mon Tue Wed Thu"),
    "exchange": exchange_days(),
    "trading hours": trading_hours(),
    "periods": pd.period_range("2001-01", periods=60, freq="M"),
}


@pytest.mark.parametrize("name", REGULAR)
def test_regular_dates_do_not_warn(name):
    X = frame(REGULAR[name])
    train = 40 if len(X) == 60 else len(X) * 2 // 3
    fitted = model()
    assert gap_warnings(lambda: fitted.fit(X[:train])) == []
    assert gap_warnings(lambda: fitted.predict(X[train:])) == []
    assert gap_warnings(lambda: fitted.predict(X)) == []


@pytest.mark.parametrize("name", REGULAR)
def test_gap_in_training_is_named(name):
    X = frame(REGULAR[name])
    # Up to two missing working days are holidays; elsewhere one missing row is a gap.
    lost = {"trading hours": 30, "exchange": 8, "B": 8, "Sunday to Thursday": 8}.get(name, 1)
    X = X.drop(X.index[20 : 20 + lost])
    found = gap_warnings(lambda: model().fit(X))
    assert len(found) == 1 and str(X.index[19]) in found[0] and str(X.index[20]) in found[0]
    if lost == 1:
        assert "1 row is missing" in found[0]


@pytest.mark.parametrize("name", REGULAR)
def test_gap_before_the_rows_of_predict_is_named(name):
    X = frame(REGULAR[name])
    last, lost = (79 * 3, 79 * 5) if name == "trading hours" else (40, 8)  # three days, then a week without
    fitted = model().fit(X[:last])
    later = X[last + lost :]
    found = gap_warnings(lambda: fitted.predict(later))
    assert len(found) == 1 and str(X.index[last - 1]) in found[0] and str(later.index[0]) in found[0]
    assert gap_warnings(lambda: fitted.predict(later, start="continue")) == []
    assert len(gap_warnings(lambda: fitted.predict_interval(later, coverage=0.5))) == 1


def test_gaps_inside_the_rows_of_predict():
    X = frame(REGULAR["D"])
    fitted = model().fit(X[:40])
    found = gap_warnings(lambda: fitted.predict(X[40:].drop(X.index[50])))
    assert len(found) == 1 and str(X.index[49]) in found[0]
    whole = X.drop(X.index[50])  # with the training rows before
    assert len(gap_warnings(lambda: fitted.predict(whole))) == 1


def test_records_are_apart():
    X = frame(REGULAR["h"])
    parts = X.drop(X.index[25:35])
    groups = [0] * 25 + [1] * 25
    assert gap_warnings(lambda: model().fit(parts, groups=groups)) == []
    found = gap_warnings(lambda: model().fit(parts.drop(X.index[40]), groups=groups[:-1]))
    assert len(found) == 1 and str(X.index[39]) in found[0]


@pytest.mark.parametrize("freq", ["D", "B", "W", "ME", "MS", "BME", "BMS", "QE", "BQE", "YE", "BYE", "7h"])
def test_dates_continue_without_a_frequency(freq):
    index = pd.date_range("2001-01-31", periods=24, freq=freq)
    expected = pd.date_range(index[-1], periods=9, freq=freq)[1:]
    assert list(future_index(pd.DatetimeIndex(list(index)), 1, 8)) == list(expected)


def test_closed_hours_are_numbered():
    bars = trading_hours()
    assert list(future_index(bars, 1, 2)) == [1, 2]
    assert list(future_index(bars[bars.hour != 12], 1, 2)) == [1, 2]


def test_rows_must_be_later_than_those_before():
    hours = [pd.Timestamp("2024-10-25") + pd.Timedelta(hours=i - (i >= 51)) for i in range(90)]  # clocks are put back on Sunday
    y = pd.Series(np.sin(np.arange(90) / 4), index=pd.DatetimeIndex(hours))
    assert list(forecast(y, steps=1).index) == [pd.Timestamp("2024-10-28 17:00")]
    for rows, words in ((range(89, -1, -1), "16:00:00"), ([*range(10), 9, *range(10, 40)], "09:00:00 follows")):
        with pytest.raises(ValueError, match=words):
            forecast(y.iloc[list(rows)], steps=1)


def test_irregular_dates_have_no_gaps():
    rng = np.random.default_rng(5)
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.cumsum(rng.exponential(3600, size=60)), unit="s")
    fitted = model()
    assert gap_warnings(lambda: fitted.fit(frame(times)[:40])) == []
    assert gap_warnings(lambda: fitted.predict(frame(times)[40:])) == []


def test_numbers_and_texts_are_not_dates():
    X = frame(REGULAR["D"]).reset_index(drop=True).drop([3, 4, 5])
    assert gap_warnings(lambda: model().fit(X)) == []
    assert gap_warnings(lambda: model().fit(X.set_axis([f"row {k}" for k in range(len(X))]))) == []
