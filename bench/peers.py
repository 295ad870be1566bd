"""bench/peers.py: the same work with numba, NumPy and scikit-learn; see bench/peer.h.

    peers.py gram X.npy TAU LAMBDA
    peers.py fit  X.npy Y.npy TAU_COEF LAMBDA_COEF ALPHA WASHOUT
    peers.py step X.npy Y.npy TAU_COEF LAMBDA_COEF ALPHA WASHOUT NEXT.npy

Prints "ready VALUE NAME", where VALUE is a number about the result. Then, for every line that it reads, it runs the work once and
prints the seconds. Lines of JSON before that are additional measurements.

gram: the recursion in numba, by several methods; the fastest is the peer.
fit, step: as in the authors' class (a compiled double loop with one dot product per entry, both triangles filled; an explicit
inverse; one new column of the Gram matrix per step and one dot product per output).
"""

import json
import os
import sys
import time

import numpy as np

try:
    from numba import njit, prange

    @njit
    def _probe(x):
        return x + 1.0

    _probe(1.0)
except Exception:  # the LLVM of numba does not support some ARM cores
    if os.environ.get("NUMBA_CPU_NAME") == "generic":
        raise
    os.environ["NUMBA_CPU_NAME"] = "generic"
    os.execv(sys.executable, [sys.executable, *sys.argv])


# ---- the recursion -----------------------------------------------------------------------------


@njit
def gram_by_dots(X, tau2, lambda2, K):
    """The authors' method: one entry after the other, a dot product for each."""
    border = 1.0 / (1.0 - lambda2)
    for i in range(X.shape[0]):
        for j in range(i + 1):
            previous = border if j == 0 else K[i - 1, j - 1]
            K[i, j] = 1.0 + lambda2 * previous / (1.0 - tau2 * np.dot(X[i], X[j]))
            K[j, i] = K[i, j]


@njit
def gram_by_loops(X, tau2, lambda2, K):
    """The same with the dot product inlined, lower triangle only."""
    n, d = X.shape
    border = 1.0 / (1.0 - lambda2)
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(d):
                s += X[i, k] * X[j, k]
            previous = border if j == 0 else K[i - 1, j - 1]
            K[i, j] = 1.0 + lambda2 * previous / (1.0 - tau2 * s)


@njit
def recursion(S, tau2, lambda2, K):
    border = 1.0 / (1.0 - lambda2)
    for i in range(S.shape[0]):
        K[i, 0] = 1.0 + lambda2 * border / (1.0 - tau2 * S[i, 0])
        for j in range(1, i + 1):
            K[i, j] = 1.0 + lambda2 * K[i - 1, j - 1] / (1.0 - tau2 * S[i, j])


@njit(parallel=True)
def recursion_on_diagonals(S, tau2, lambda2, K):
    n = S.shape[0]
    border = 1.0 / (1.0 - lambda2)
    for lag in prange(n):
        previous = border
        for j in range(n - lag):
            previous = 1.0 + lambda2 * previous / (1.0 - tau2 * S[lag + j, j])
            K[lag + j, j] = previous


def gram_ways(X):
    """Name and function of each method; BLAS products are written to mapped memory."""
    S = np.ones((X.shape[0], X.shape[0]))

    def blas_then(step):
        def fill(X, tau2, lambda2, K):
            np.dot(X, X.T, out=S)
            step(S, tau2, lambda2, K)

        return fill

    return {
        "numba, a dot product per entry": gram_by_dots,
        "numba, plain loops": gram_by_loops,
        "BLAS products, then numba by rows": blas_then(recursion),
        "BLAS products, then parallel numba by diagonals": blas_then(recursion_on_diagonals),
    }


# ---- the authors' class ------------------------------------------------------------------------


@njit
def next_column(X, x, tau2, lambda2, column):
    """The kernel of the history followed by x and each training row."""
    fresh = np.zeros(X.shape[0])
    previous = 1.0 / (1.0 - lambda2)
    for j in range(X.shape[0]):
        fresh[j] = 1.0 + lambda2 * previous / (1.0 - tau2 * np.dot(X[j], x))
        previous = column[j]
    return fresh


class Readout:
    """Kernel ridge regression on the Volterra kernel, by an explicit inverse."""

    def __init__(self, tau_coef, lambda_coef, alpha, washout):
        self.tau_coef, self.lambda_coef, self.alpha, self.washout = tau_coef, lambda_coef, alpha, washout

    def train(self, X, Y):
        norm = max(np.linalg.norm(x) for x in X)
        tau2 = (self.tau_coef / norm) ** 2
        self.tau2, self.lambda2 = tau2, self.lambda_coef**2 * (1.0 - tau2 * norm**2)
        K = np.zeros((len(X), len(X)))
        gram_by_dots(X, self.tau2, self.lambda2, K)
        kept = K[self.washout :, self.washout :]
        targets = Y[self.washout :]
        self.coefficients = np.linalg.inv(kept + self.alpha * np.identity(len(kept))) @ targets
        self.constant = targets.mean(axis=0) - self.coefficients.T @ kept.mean(axis=0)
        self.X, self.column = X, K[:, -1].copy()
        return self

    def step(self, x):
        self.column = next_column(self.X, x, self.tau2, self.lambda2, self.column)
        kept = self.column[self.washout :]
        return np.array([np.dot(self.coefficients[:, c], kept) + self.constant[c] for c in range(len(self.constant))])


# ---- tasks -------------------------------------------------------------------------------------


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def serve(value, name, run):
    """Answer every line with the seconds of one run."""
    print(f"ready {value:.17g} {name}", flush=True)
    for _ in sys.stdin:
        print(f"{run():.9g}", flush=True)


def task_gram(path, tau, lambda_):
    X = np.ascontiguousarray(np.load(path))
    n, d = X.shape
    tau2, lambda2 = float(tau) ** 2, float(lambda_) ** 2
    K = np.ones((n, n))
    fastest, fastest_name, expected = None, None, None
    for name, fill in gram_ways(X).items():
        fill(X, tau2, lambda2, K)  # compiles
        value = K[np.tril_indices(n)].mean()
        expected = value if expected is None else expected
        if not abs(value / expected - 1.0) < 1e-12:
            sys.exit(f"peers: {name} disagrees")
        seconds = min(seconds_of(lambda fill=fill: fill(X, tau2, lambda2, K)) for _ in range(5))
        rate = 1e-9 * n * (n + 1) / 2 / seconds
        print(json.dumps({"name": "gram, a way of the peer", "parameters": {"n": n, "d": d, "way": name},
                          "seconds": seconds, "rate": rate, "unit": "G entries/s"}), flush=True)
        if fastest is None or seconds < fastest[0]:
            fastest, fastest_name = (seconds, fill), name
    serve(expected, fastest_name, lambda: seconds_of(lambda: fastest[1](X, tau2, lambda2, K)))


def readout_of(x_path, y_path, tau_coef, lambda_coef, alpha, washout):
    X, Y = (np.ascontiguousarray(np.load(path)) for path in (x_path, y_path))
    gram_by_dots(X[:2], 0.1, 0.1, np.zeros((2, 2)))  # compiles
    return Readout(float(tau_coef), float(lambda_coef), float(alpha), int(washout)), X, Y


def task_fit(*arguments):
    readout, X, Y = readout_of(*arguments)
    readout.train(X, Y)
    serve(readout.step(Y[-1]).sum(), "the authors' way in numba and NumPy", lambda: seconds_of(lambda: readout.train(X, Y)))


def task_step(*arguments):
    readout, X, Y = readout_of(*arguments[:-1])
    following = np.ascontiguousarray(np.load(arguments[-1]))
    readout.train(X, Y)
    for x in following:
        value = readout.step(x).sum()
    serve(value, "the authors' way in numba and NumPy",
          lambda: float(np.median([seconds_of(lambda x=x: readout.step(x)) for x in following])))


if __name__ == "__main__":
    {"gram": task_gram, "fit": task_fit, "step": task_step}[sys.argv[1]](*sys.argv[2:])
