"""bench/forecast_scores.py: scores of forecasts and the Naive2 forecast of the M4 competition, without numpy.

MASE, sMAPE and OWA follow Makridakis, Spiliotis and Assimakopoulos (2020), The M4 Competition, International
Journal of Forecasting 36. The scale of MASE, of interval widths and of interval scores is the mean absolute
seasonal difference of the training rows.
"""

import math

COVERAGE = 0.9
NORMAL = 1.6448536269514722  # quantile (1 + COVERAGE) / 2 of the normal distribution


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else math.nan


def scale(train, season):
    """Mean absolute error of the seasonal naive forecast in the training rows."""
    return mean(abs(later - earlier) for earlier, later in zip(train, train[season:]))


def scores(train, truth, season, result):
    """Scores of one series, whose result has "forecast", "low" and "high"."""
    unit = scale(train, season)
    outside = 2 / (1 - COVERAGE)
    steps = list(zip(truth, result["forecast"], result["low"], result["high"]))
    return {
        "mase": mean(abs(y - f) for y, f, _, _ in steps) / unit,
        "smape": mean(200 * abs(y - f) / (abs(y) + abs(f)) if y or f else 0.0 for y, f, _, _ in steps),
        "coverage": mean(low <= y <= high for y, _, low, high in steps),
        "width": mean(high - low for _, _, low, high in steps) / unit,
        "score": mean(high - low + outside * (max(low - y, 0) + max(y - high, 0)) for y, _, low, high in steps)
        / unit,
    }


def is_seasonal(values, season):
    """The test of M4: the autocorrelation at one season differs from 0 with a confidence of 90 %."""
    n = len(values)
    if season < 2 or n < 3 * season:
        return False
    centre = mean(values)
    centred = [value - centre for value in values]
    variance = math.fsum(value * value for value in centred)
    if variance == 0:
        return False
    r = [math.fsum(a * b for a, b in zip(centred, centred[lag:])) / variance for lag in range(1, season + 1)]
    limit = NORMAL * math.sqrt((1 + 2 * math.fsum(value * value for value in r[:-1])) / n)
    return abs(r[-1]) > limit


def seasonal_indices(values, season):
    """Classical decomposition: (indices, whether they multiply). Additive if a value is not positive."""
    multiply = min(values) > 0
    half = season // 2
    ratios = [[] for _ in range(season)]
    for t in range(half, len(values) - half):
        around = values[t - half : t + half + 1]
        if season % 2 == 0:
            trend = (math.fsum(around) - (around[0] + around[-1]) / 2) / season
        else:
            trend = math.fsum(around) / season
        ratios[t % season].append(values[t] / trend if multiply else values[t] - trend)
    indices = [mean(found) for found in ratios]
    centre = mean(indices)
    return [index / centre if multiply else index - centre for index in indices], multiply


def naive2(train, season, horizon):
    """The last value, seasonally adjusted if the series is seasonal. Intervals: normal, of a random walk."""
    if is_seasonal(train, season):
        indices, multiply = seasonal_indices(train, season)
    else:
        indices, multiply = [0.0] * season, False
    n = len(train)

    def adjusted(t):
        return train[t] / indices[t % season] if multiply else train[t] - indices[t % season]

    def restored(value, t):
        return value * indices[t % season] if multiply else value + indices[t % season]

    last = adjusted(n - 1)
    spread = math.sqrt(mean((adjusted(t) - adjusted(t - 1)) ** 2 for t in range(1, n)))
    steps = range(1, horizon + 1)
    return {
        "forecast": [restored(last, n - 1 + h) for h in steps],
        "low": [restored(last - NORMAL * spread * math.sqrt(h), n - 1 + h) for h in steps],
        "high": [restored(last + NORMAL * spread * math.sqrt(h), n - 1 + h) for h in steps],
    }
