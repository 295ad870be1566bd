#!/usr/bin/env python3
"""Writes curve.json: learning curves from the definitions, with one solve for each row, alpha and size.

    tests/reference/make_curve.py >tests/reference/curve.json

Requires NumPy. Rows of a repeat: WASHOUT, the largest training set, GAP, TEST. The scales are those of the largest
training set. alpha is chosen for each size and output among unit * 10^3 ... unit * 10^-8 and infinity: the mean of the
targets. The later half of the training rows is divided into at most BLOCKS blocks of equal length, and each block is predicted
from the rows that were known AHEAD rows before its first row.
"""

import json

import numpy as np

TAU, LAM, GAMMA = 0.6, 0.7, 2.0
PAST = 400  # lambda^{2 PAST} < 1e-120
WASHOUT, AHEAD, TEST, REPEAT, SIZES = 3, 2, 12, 2, [14, 25, 45]
GAP = AHEAD - 1
BLOCKS = 20


def volterra(z, w):
    local = np.ones(PAST)
    steps = min(len(z), len(w))
    local[:steps] = 1 / (1 - TAU**2 * np.einsum("ij,ij->i", z[::-1][:steps], w[::-1][:steps]))
    return 1 + np.sum(np.cumprod(LAM**2 * local))


def rbf(z, w):
    return np.exp(-GAMMA * np.sum((z[-1] - w[-1]) ** 2))


# text, kernel of two sequences, constant contained in every entry (the unit of alpha is without it)
KERNELS = [
    (f"volterra:tau={TAU},lambda={LAM}", volterra, 1 / (1 - LAM**2)),
    (f"rbf:gamma={GAMMA}", rbf, 0.0),
]


def gram(kernel, Z):
    return np.array([[kernel(Z[: i + 1], Z[: j + 1]) for j in range(len(Z))] for i in range(len(Z))])


def predict(K, y, rows, row, alpha):
    """Prediction of `row` by ridge regression with an intercept on `rows`."""
    if np.isinf(alpha):
        return np.mean(y[rows])
    n = len(rows)
    R = np.linalg.inv(K[np.ix_(rows, rows)] + alpha * np.eye(n))
    one = np.ones(n)
    c = one @ R @ y[rows] / (one @ R @ one)
    return K[row, rows] @ R @ (y[rows] - c) + c


def choose(K, y, kept, alphas):
    """The alpha with the least error in the later half of the rows."""
    m = len(kept)
    held = range(max(m // 2, 2 * AHEAD + 2, 8), m)
    block = -(-len(held) // BLOCKS)
    best, least = None, np.inf
    for alpha in alphas:
        known = {t: kept[: t - (t - held[0]) % block - AHEAD + 1] for t in held}
        error = np.mean([(y[kept[t]] - predict(K, y, known[t], kept[t], alpha)) ** 2 for t in held])
        if error < least:
            best, least = alpha, error
    return best


def curve(X, Y, kernel, common):
    train = WASHOUT + SIZES[-1]
    mean = X[:train].mean(axis=0)
    Z = (X - mean) / np.linalg.norm(X[:train] - mean, axis=1).max()
    if kernel is volterra:  # defined on the ball of the training inputs
        norms = np.linalg.norm(Z, axis=1)
        Z[norms > 1] /= norms[norms > 1][:, None]
    K = gram(kernel, Z)
    unit = np.mean(np.diag(K)[WASHOUT:train] - common)
    alphas = [np.inf] + [unit * 10.0**p for p in range(3, -9, -1)]
    test = np.arange(train + GAP, train + GAP + TEST)
    nmse, rmse, chosen = [], [], []
    for size in SIZES:
        kept = np.arange(WASHOUT, WASHOUT + size)
        errors, roots, row = [], [], []
        for y in Y.T:
            alpha = choose(K, y, kept, alphas)
            e = y[test] - np.array([predict(K, y, kept, t, alpha) for t in test])
            errors.append(np.mean(e**2) / np.var(y[test]))
            roots.append(np.sqrt(np.mean(e**2)))
            row.append(alpha if np.isfinite(alpha) else -1)
        nmse.append(np.mean(errors))
        rmse.append(np.mean(roots))
        chosen.append(row)
    return nmse, rmse, chosen


def main():
    rng = np.random.default_rng(18)
    rows = WASHOUT + SIZES[-1] + GAP + REPEAT * TEST + 2
    X = rng.normal(size=(rows, 2))
    X[-4] *= 3  # outside the ball of the training rows
    x = np.vstack([np.zeros(2), X])
    noise = rng.normal(size=(rows, 2))
    Y = np.stack([X[:, 0] * X[:, 1] + 0.5 * x[:-1, 0], np.abs(X[:, 0]) + 0.5 * x[:-1, 1]], axis=1) + 0.4 * noise
    first = [rows - (REPEAT - r) * TEST - GAP - SIZES[-1] - WASHOUT for r in range(REPEAT)]
    length = WASHOUT + SIZES[-1] + GAP + TEST
    results = []
    for text, kernel, common in KERNELS:
        parts = [curve(X[f : f + length], Y[f : f + length], kernel, common) for f in first]
        nmse = np.array([p[0] for p in parts])
        half = len(SIZES) // 2
        slopes = [np.polyfit(np.log(SIZES[half:]), np.log(one[half:]), 1)[0] for one in nmse]
        results.append(
            {
                "kernel": text,
                "nmse": nmse.tolist(),
                "rmse": [p[1] for p in parts],
                "alphas": [p[2] for p in parts],
                "mean_nmse": nmse.mean(axis=0).tolist(),
                "nmse_error": (nmse.std(axis=0, ddof=1) / np.sqrt(REPEAT)).tolist(),
                "rate": np.mean(slopes),
                "rate_error": np.std(slopes, ddof=1) / np.sqrt(REPEAT),
            }
        )
    print(
        json.dumps(
            {
                "washout": WASHOUT,
                "ahead": AHEAD,
                "test": TEST,
                "repeat": REPEAT,
                "sizes": SIZES,
                "first": first,
                "X": X.tolist(),
                "Y": Y.tolist(),
                "curves": results,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
