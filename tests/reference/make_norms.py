#!/usr/bin/env python3
"""Writes norms.json: norms, effective dimensions, spectra, distances of states and forgetting, from the definitions.

    tests/reference/make_norms.py >tests/reference/norms.json

Requires NumPy. The kernel is the sum over the past in the paper's proposition on the Volterra reservoir kernel, with an
explicit zero past, not the recursion of the library:

    K(z, w) = 1 + sum_{k >= 1} lambda^{2k} prod_{j < k} 1 / (1 - tau^2 <z_{-j}, w_{-j}>)
"""

import json

import numpy as np

TAU, LAM = 0.6, 0.7  # |z| <= 1: lambda < 0.8
PAST = 400  # lambda^{2 PAST} < 1e-120


def kernel(z, w):
    """Kernel of two sequences (rows in time order) with a zero past."""
    local = np.ones(PAST)
    steps = min(len(z), len(w))
    inner = np.einsum("ij,ij->i", z[::-1][:steps], w[::-1][:steps])
    local[:steps] = 1 / (1 - TAU**2 * inner)
    return 1 + np.sum(np.cumprod(LAM**2 * local))


def gram(x, y):
    return np.array([[kernel(x[: i + 1], y[: j + 1]) for j in range(len(y))] for i in range(len(x))])


def rows_in_ball(rng, n, d):
    rows = rng.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1).max()


def ridge(K, Y, alpha, intercept):
    """Norms, effective dimension and noise levels of kernel ridge regression."""
    n = len(K)
    R = np.linalg.inv(K + alpha * np.eye(n))
    c = (np.ones(n) @ R @ Y) / (np.ones(n) @ R @ np.ones(n)) if intercept else np.zeros(Y.shape[1])
    A = R @ (Y - c)
    H = np.eye(n) - np.ones((n, n)) / n if intercept else np.eye(n)
    values = np.linalg.eigvalsh(H @ K @ H)
    dimension = np.sum(values / (values + alpha))
    residuals = Y - c - K @ A
    freedom = n - intercept - dimension
    return {
        "alpha": alpha,
        "intercept": int(intercept),
        "rkhs_norm": np.sqrt(np.einsum("ik,ij,jk->k", A, K, A)).tolist(),
        "effective_dimension": dimension,
        "noise": np.sqrt(np.sum(residuals**2, axis=0) / freedom).tolist(),
    }


def main():
    rng = np.random.default_rng(32)
    n, d = 40, 2
    X, Y = rows_in_ball(rng, n, d), rows_in_ball(rng, 12, d)
    targets = rng.normal(size=(n, 2))
    K, Kxy, Kyy = gram(X, X), gram(X, Y), gram(Y, Y)
    values = np.linalg.eigvalsh(K)[::-1]
    distance = np.sqrt(np.diag(K)[:, None] + np.diag(Kyy)[None, :] - 2 * Kxy)
    # Histories X[:15] and X[15:30], then the common rows X[30:].
    first = np.vstack([X[:15], X[30:]])
    second = np.vstack([X[15:30], X[30:]])
    forgetting = []
    for s in range(11):
        a, b = first[: 15 + s], second[: 15 + s]
        forgetting.append(np.sqrt(kernel(a, a) + kernel(b, b) - 2 * kernel(a, b)))
    print(
        json.dumps(
            {
                "tau": TAU,
                "lambda": LAM,
                "X": X.tolist(),
                "Y": Y.tolist(),
                "targets": targets.tolist(),
                "ridge": [ridge(K, targets, a, i) for a in (1e-3, 0.1, 10.0) for i in (False, True)],
                "eigenvalues": values.tolist(),
                "dimensions": [float(np.sum(values / (values + v))) for v in values],
                "distance": distance.tolist(),
                "forgetting": forgetting,
                "contraction": LAM / np.sqrt(1 - TAU**2),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
