#!/usr/bin/env python3
"""tests/reference/make_seasonal_ar.py: autoregressions around a periodic mean, in NumPy -> seasonal_ar.json.

    python3 tests/reference/make_seasonal_ar.py

Uses the series of classical.json. Every set of lags is a least-squares problem of its own, solved by numpy.linalg.lstsq
with the ridge as additional rows; the library computes nested sets from one factorisation.
"""
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
AHEAD = 30
RIDGE = 1e-6


def phases(season, rows, t):
    count = min(season - 1, 24) if season >= 2 and rows >= 3 * season else 0
    columns = []
    for j in range(count):
        k = j // 2 + 1
        angle = 2 * np.pi * k * t / season
        if 2 * k == season:
            columns.append(np.cos(angle))
        else:
            columns.append(np.sqrt(2) * (np.sin(angle) if j % 2 else np.cos(angle)))
    return columns


def forecast(y, season):
    n, level = len(y), np.mean(y)
    z = list(y - level)
    m = len(phases(season, n, 0))
    most = max(1, min(14, n // 4 - 1 - m))

    seasonal = season > 2 and 2 * (season + 1) < n and m > 0
    candidates = [list(range(1, order + 1)) for order in range(most + 1)]
    first = most
    if seasonal:
        first = max(most, season + 1)
        candidates += [[season - 1, season, season + 1, *range(1, order + 1)] for order in range(min(most, season - 2) + 1)]

    def row(t, lags):
        return [1.0, *phases(season, n, t), *(z[t - lag] for lag in lags)]

    best = None
    for lags in candidates:
        X = np.array([row(t, lags) for t in range(first, n)])
        target = np.array(z[first:n])
        ridge = np.diag(np.sqrt(RIDGE * np.sum(X**2, axis=0)))
        b = np.linalg.lstsq(np.vstack([X, ridge]), np.concatenate([target, np.zeros(X.shape[1])]), rcond=None)[0]
        # The sum of squares with its penalty, which is what one factorisation gives.
        squares = np.sum((target - X @ b) ** 2) + np.sum((ridge @ b) ** 2)
        rows, k = len(target), X.shape[1]
        if rows - k - 1 < 1:
            continue
        aicc = rows * np.log(squares / rows) + 2 * k * rows / (rows - k - 1)
        if best is None or aicc < best[0]:
            best = aicc, lags, b
    _, lags, b = best
    for t in range(n, n + AHEAD):
        z.append(float(np.dot(row(t, lags), b)))
    return lags, [value + level for value in z[n:]]


def main():
    series = json.loads((HERE / "classical.json").read_text())["inputs"]["series"]
    result = []
    for one in series:
        lags, mean = forecast(np.array(one["y"]), one["season"])
        print(one["name"], len(one["y"]), one["season"], "lags", *lags)
        result.append({"name": one["name"], "season": one["season"], "y": one["y"], "mean": mean})
    file = {"name": "seasonal_ar", "source": "tests/reference/make_seasonal_ar.py, NumPy " + np.__version__,
            "params": {"ahead": AHEAD, "ridge": RIDGE}, "inputs": {"series": result}, "tol": 1e-7, "tol_by_field": {},
            "notes": "Forecasts relative to the mean absolute seasonal difference. The normal equations square the condition "
                     "number, at most 1e6 with the ridge, so that about 1e-10 remains at each of 30 steps."}
    (HERE / "seasonal_ar.json").write_text(json.dumps(file))


main()
