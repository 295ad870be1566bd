"""bench/large_peer.py: scikit-learn's Nystroem + Ridge on windows of lags, tuned as an experienced user would.

    large_peer.py X.npy Y.npy ROWS N M TESTS SEARCH_ROWS DRAWS

Settings (lags, gamma, alpha) are the best of DRAWS draws in five folds in time order of the last SEARCH_ROWS training rows, as in
`volterra tune`. alpha is chosen again on the second half of the last 4096 rows, as in `volterra fit`, and the model is fitted on rows
ROWS - N .. ROWS - 1. Prints the error on the TESTS rows after those, relative to their standard deviation, the seconds and
processor seconds of the fit with the choice of alpha, and the settings."""

import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit
from sklearn.pipeline import make_pipeline

MAX_LAGS, SEARCH_LANDMARKS, HELD_OUT = 40, 500, 2048


def windows(x, first, end, lags):
    """Rows first .. end - 1 with the lags - 1 rows before each; the first row is repeated before itself."""
    index = np.arange(first, end)[:, None] - np.arange(lags)[None, :]
    return x[np.maximum(index, 0)].reshape(end - first, -1)


def error(forecast, truth):
    return float(np.mean(np.sqrt(np.mean((forecast - truth) ** 2, axis=0)) / truth.std(axis=0)))


def search(x, y, first, end, draws, landmarks):
    """The best of `draws` settings: lags, gamma, alpha."""
    rng = np.random.default_rng(3)
    best, chosen = np.inf, None
    for _ in range(draws):
        lags = int(np.exp(rng.uniform(np.log(3), np.log(MAX_LAGS + 1))))
        gamma = np.exp(rng.uniform(np.log(1e-4), np.log(1))) / x.shape[1]
        alpha = np.exp(rng.uniform(np.log(1e-8), np.log(1)))
        X, Y = windows(x, first, end, lags), y[first:end]
        errors = []
        for train, valid in TimeSeriesSplit(5).split(X):
            features = Nystroem(gamma=gamma, n_components=min(landmarks, len(train)), random_state=0)
            fitted = make_pipeline(features, Ridge(alpha)).fit(X[train], Y[train])
            errors.append(error(fitted.predict(X[valid]).reshape(len(valid), -1), Y[valid]))
        if np.mean(errors) < best:
            best, chosen = np.mean(errors), (lags, gamma, alpha)
    return chosen


def fit(x, y, first, end, setting, landmarks):
    lags, gamma, alpha = setting
    X, Y = windows(x, first, end, lags), y[first:end]
    features = Nystroem(gamma=gamma, n_components=landmarks, random_state=0).fit(X)
    F = features.transform(X)
    held = min(HELD_OUT, len(Y) // 4)
    tried = {}
    for candidate in alpha * np.array([1e-2, 1e-1, 1, 10, 100]):
        early = Ridge(candidate).fit(F[:-held], Y[:-held])
        tried[candidate] = error(early.predict(F[-held:]).reshape(held, -1), Y[-held:])
    alpha = min(tried, key=tried.get)
    return features, Ridge(alpha).fit(F, Y), alpha


def main():
    x, y = (np.load(path) for path in sys.argv[1:3])
    rows, n, landmarks, tests, search_rows, draws = map(int, sys.argv[3:9])
    begin = rows - n
    x = (x - x[begin:rows].mean(axis=0)) / x[begin:rows].std(axis=0)
    setting = search(x, y, max(begin, rows - search_rows), rows, draws, min(landmarks, SEARCH_LANDMARKS))
    wall, cpu = time.perf_counter(), time.process_time()
    features, ridge, alpha = fit(x, y, begin, rows, setting, landmarks)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    forecast = ridge.predict(features.transform(windows(x, rows, rows + tests, setting[0]))).reshape(tests, -1)
    settings = f"lags={setting[0]} gamma={setting[1]:.3g} alpha={alpha:.3g}"
    print(error(forecast, y[rows : rows + tests]), wall, cpu, settings)


main()
