"""bench/forecast_methods.py: the peers of `volterra forecast`: statsforecast and LightGBM, with their defaults.

One setting for all series:

    statsforecast   The models get the season of the frequency and nothing else. AutoARIMA selects orders by
                    approximate likelihoods above 150 rows or 12 rows per season, as auto.arima in R does.
                    Because of its run time it has no season above 24 rows and uses the last ARIMA_ROWS rows
                    of hourly series.
    MSTL            Decomposition by STL for weekly, daily and hourly series (24 and 168 rows, if six weeks are
                    known); the rest by AutoETS.
    LightGBM        One model per series of first differences on lags 1 to max(season, 8), at most a third of
                    the rows, and on the lags 1 and 2 seasons; 200 trees of 15 leaves, recursive forecasts.
                    Intervals: normal, with the root mean square error of each step in up to 10 held-out
                    windows (random walk if there are none).
"""

import time
import warnings

import numpy as np
from forecast_scores import COVERAGE, NORMAL

ARIMA_ROWS = 1000
LEVEL = round(100 * COVERAGE)


class BoostedTrees:
    def __init__(self, season):
        self.season = season

    def lags(self, n):
        most = max(1, min(max(self.season, 8), n // 3))
        seasonal = [lag for lag in (self.season, 2 * self.season) if most < lag <= n // 3]
        return [*range(1, most + 1), *seasonal]

    def fit(self, y):
        import lightgbm

        change = np.diff(y)
        self.unit = np.std(change) or 1.0
        change = change / self.unit
        self.used = self.lags(len(change))
        first = max(self.used)
        X = np.column_stack([change[first - lag : len(change) - lag] for lag in self.used])
        self.model = lightgbm.LGBMRegressor(
            n_estimators=200,
            learning_rate=0.05,
            num_leaves=15,
            min_child_samples=5,
            random_state=0,
            deterministic=True,
            n_jobs=1,
            verbose=-1,
        ).fit(X, change[first:])

    def predict(self, y, steps):
        change = list(np.diff(y) / self.unit)
        for _ in range(steps):
            row = np.array([[change[-lag] for lag in self.used]])
            change.append(float(self.model.booster_.predict(row)[0]))
        return y[-1] + np.cumsum(change[-steps:]) * self.unit

    def forecast(self, y, h, level):
        windows = min(10, (len(y) - max(2 * self.season, 20)) // h)
        if windows > 0:
            begin = len(y) - windows * h
            self.fit(y[:begin])
            errors = [y[t : t + h] - self.predict(y[:t], h) for t in range(begin, len(y), h)]
            spread = np.sqrt(np.mean(np.square(errors), 0))
        else:
            spread = np.std(np.diff(y)) * np.sqrt(np.arange(1, h + 1))
        self.fit(y)
        found = self.predict(y, h)
        return {"mean": found, f"lo-{LEVEL}": found - NORMAL * spread, f"hi-{LEVEL}": found + NORMAL * spread}


def methods(n, season, frequency):
    """(name, model, number of rows it uses) of a series of n rows."""
    from statsforecast import models

    yield "AutoETS", models.AutoETS(season_length=season), n
    arima_season = season if season <= 24 else 1
    arima_rows = min(n, ARIMA_ROWS) if frequency == "hourly" else n
    approximate = arima_rows > 150 or arima_season > 12
    yield "AutoARIMA", models.AutoARIMA(season_length=arima_season, approximation=approximate), arima_rows
    yield "Theta", models.Theta(season_length=season), n
    yield "OptimizedTheta", models.OptimizedTheta(season_length=season), n
    yield "AutoCES", models.AutoCES(season_length=season), n
    if frequency in ("weekly", "daily", "hourly") and season > 1:
        seasons = [24, 168] if season == 24 and n >= 6 * 168 else [season]
        yield "MSTL", models.MSTL(season_length=seasons, trend_forecaster=models.AutoETS(model="ZZN")), n
    yield "LightGBM", BoostedTrees(season), n


def peer_forecasts(train, season, horizon, frequency, known=()):
    """Forecasts of all methods that are not in `known`: name -> forecast, low, high, seconds, or error."""
    warnings.simplefilter("ignore")
    y = np.array(train, float)
    results = {}
    for name, model, rows in methods(len(y), season, frequency):
        if name in known:
            continue
        begun = time.perf_counter()
        try:
            found = model.forecast(y=y[-rows:], h=horizon, level=[LEVEL])
            result = {
                key: np.asarray(found[column], float).tolist()
                for key, column in (("forecast", "mean"), ("low", f"lo-{LEVEL}"), ("high", f"hi-{LEVEL}"))
            }
            if not np.isfinite([*result.values()]).all():
                raise ArithmeticError("forecasts that are not finite")
        except Exception as error:  # noqa: BLE001 (a failure of a peer is a result)
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        result["seconds"] = round(time.perf_counter() - begun, 3)
        results[name] = result
    return results
