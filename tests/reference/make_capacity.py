#!/usr/bin/env python3
"""Writes capacity.json: capacities of an echo state network and of a Volterra kernel, from the definitions.

    tests/reference/make_capacity.py >tests/reference/capacity.json

Requires NumPy and SciPy. The inputs are those of the library (Philox). States of the network are computed one by one, and its
capacities without regularisation by least squares, target by target, as in Dambre, Verstraeten, Schrauwen and Massar,
"Information processing capacity of dynamical systems", Scientific Reports 2, 514 (2012). The kernel is the sum over the past of
make_norms.py, and its capacities are y' K (K + alpha I)^-1 y / y' y.
"""

import json
from itertools import combinations_with_replacement

import numpy as np
from make_norms import LAM, TAU, gram
from numpy.polynomial import legendre
from scipy.stats import chi2

SEED = 7


def inputs(rows):
    generator = np.random.Generator(np.random.Philox(key=np.array([SEED, 0], dtype=np.uint64)))
    return 2 * generator.random(rows) - 1


def polynomial(degree, u):
    """Legendre polynomial of variance 1."""
    return np.sqrt(2 * degree + 1) * legendre.legval(u, np.eye(degree + 1)[degree])


def targets(u, washout, degree, delay):
    """Pairs (delay, degree) of each target, and its values after the washout."""
    for total in range(degree + 1):
        for delays in combinations_with_replacement(range(delay + 1), total):
            factors = [(j, delays.count(j)) for j in sorted(set(delays))]
            y = np.ones(len(u) - washout)
            for j, k in factors:
                y = y * polynomial(k, u[washout - j : len(u) - j])
            yield factors, y


def results(n, pairs, dimension, capacity):
    factors, values = zip(*((f, capacity(y)) for f, y in pairs))
    return {
        "effective_dimension": dimension,
        "threshold": 2 * chi2.isf(1e-4, dimension) / n,
        "factors": [[pair for one in f for pair in one] for f in factors],
        "capacities": list(values),
    }


def network(rng):
    n, washout, size, degree, delay, leak = 300, 40, 12, 3, 4, 0.7
    A = rng.normal(size=(size, size))
    A *= 0.8 / np.abs(np.linalg.eigvals(A)).max()
    C, b = rng.uniform(-1, 1, (size, 1)), rng.uniform(-0.5, 0.5, size)
    u, x, states = inputs(n + washout), np.zeros(size), []
    for z in u:
        x = (1 - leak) * x + leak * np.tanh(A @ x + C[:, 0] * z + b)
        states.append(x)
    X = np.array(states)[washout:]

    def least_squares(y):
        w = np.linalg.lstsq(X, y, rcond=None)[0]
        return 1 - np.sum((y - X @ w) ** 2) / np.sum(y**2)

    alpha, K = 0.5, X.T @ X
    inverse = np.linalg.inv(K + alpha * np.eye(size))
    return {
        "rows": n,
        "washout": washout,
        "degree": degree,
        "delay": delay,
        "leak": leak,
        "A": A.tolist(),
        "C": C.tolist(),
        "b": b.tolist(),
        "condition": np.linalg.cond(X),
        "plain": results(n, targets(u, washout, degree, delay), int(np.linalg.matrix_rank(X)), least_squares),
        "alpha": alpha,
        "ridge": results(
            n,
            targets(u, washout, degree, delay),
            np.trace(K @ inverse),
            lambda y: (X.T @ y) @ inverse @ (X.T @ y) / (y @ y),
        ),
    }


def volterra():
    n, washout, degree, delay, alpha = 60, 10, 2, 3, 0.4
    u = inputs(n + washout)
    K = gram(u[:, None], u[:, None])[washout:, washout:]
    H = K @ np.linalg.inv(K + alpha * np.eye(n))
    return {
        "kernel": f"volterra:tau={TAU!r},lambda={LAM!r}",
        "rows": n,
        "washout": washout,
        "degree": degree,
        "delay": delay,
        "alpha": alpha,
        "ridge": results(n, targets(u, washout, degree, delay), np.trace(H), lambda y: y @ H @ y / (y @ y)),
    }


def main():
    tails = [(p, f, chi2.isf(p, f)) for p in (0.5, 0.05, 1e-4, 1e-9) for f in (0.2, 1, 2.5, 10, 100, 4000)]
    golden = {"seed": SEED, "network": network(np.random.default_rng(7)), "volterra": volterra(), "chi_square": tails}
    print(json.dumps(golden, indent=1))


if __name__ == "__main__":
    main()
