"""bench/tune_peer.py: cross-validation of a list of draws with scikit-learn, with the protocol of peers.py.

    tune_peer.py gram   X.npy TAU LAMBDA
    tune_peer.py search X.npy Y.npy DRAWS.csv FOLDS TRIED SCORES.npy

gram: the Gram matrix of the search below, one triangle. VALUE is the mean of that triangle.

search: the draws (columns tau, lambda, alpha) over expanding folds: the recursion in numba, KernelRidge on the
precomputed matrices, TimeSeriesSplit, r2_score. The peer is GridSearchCV over an estimator like the authors', with BLAS on all
cores or with a process per core and one BLAS thread each, whichever is faster on the first TRIED draws. A loop that computes one
matrix per draw and uses its leading blocks for the folds, which is half of what the library does, is timed on those draws and
reported too. VALUE is the mean score of the first TRIED draws; every run writes the scores, a row for each draw, to SCORES.npy.
"""

import json
import os
import sys

import joblib
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit

from peers import njit, seconds_of, serve


# ---- the recursion -----------------------------------------------------------------------------


@njit
def fill_gram(X, tau2, lambda2, K):
    """The upper triangle, as read by SciPy's solver for symmetric matrices."""
    n, d = X.shape
    border = 1.0 / (1.0 - lambda2)
    for i in range(n):
        for j in range(i, n):
            s = 0.0
            for k in range(d):
                s += X[i, k] * X[j, k]
            previous = border if i == 0 else K[i - 1, j - 1]
            K[i, j] = 1.0 + lambda2 * previous / (1.0 - tau2 * s)


@njit
def fill_cross(V, X, tau2, lambda2, K):
    """Rows of a new sequence with zero initial state against the training rows."""
    d = X.shape[1]
    border = 1.0 / (1.0 - lambda2)
    for i in range(V.shape[0]):
        for j in range(X.shape[0]):
            s = 0.0
            for k in range(d):
                s += V[i, k] * X[j, k]
            previous = border if i == 0 or j == 0 else K[i - 1, j - 1]
            K[i, j] = 1.0 + lambda2 * previous / (1.0 - tau2 * s)


def gram(X, tau, lambda_):
    K = np.zeros((len(X), len(X)))
    fill_gram(X, tau**2, lambda_**2, K)
    return K


def cross_gram(V, X, tau, lambda_):
    K = np.empty((len(V), len(X)))
    fill_cross(V, X, tau**2, lambda_**2, K)
    return K


# ---- methods: each returns the scores, one row per draw ----------------------------------------


class VolterraRidge(BaseEstimator, RegressorMixin):
    """An estimator like the authors': its own Gram matrices, then KernelRidge."""

    def __init__(self, tau=0.1, lambda_=0.1, alpha=1.0):
        self.tau, self.lambda_, self.alpha = tau, lambda_, alpha

    def fit(self, X, Y):
        self.X_ = np.ascontiguousarray(X)
        self.ridge_ = KernelRidge(alpha=self.alpha, kernel="precomputed")
        self.ridge_.fit(gram(self.X_, self.tau, self.lambda_), Y)
        return self

    def predict(self, X):
        return self.ridge_.predict(cross_gram(np.ascontiguousarray(X), self.X_, self.tau, self.lambda_))


def scores_by_grid_search(X, Y, draws, folds, jobs):
    """A grid of one point for each draw."""
    grid = [{"tau": [tau], "lambda_": [lambda_], "alpha": [alpha]} for tau, lambda_, alpha in draws]
    search = GridSearchCV(VolterraRidge(), grid, cv=TimeSeriesSplit(folds), refit=False, n_jobs=jobs, error_score="raise")
    results = search.fit(X, Y).cv_results_
    return np.stack([results[f"split{fold}_test_score"] for fold in range(folds)], axis=1)


def scores_of_draw(X, Y, draw, folds):
    tau, lambda_, alpha = draw
    splits = list(TimeSeriesSplit(folds).split(X))
    K = gram(X[: len(splits[-1][0])], tau, lambda_)
    scores = []
    for train, validate in splits:
        m, rows = len(train), slice(validate[0], validate[-1] + 1)
        ridge = KernelRidge(alpha=alpha, kernel="precomputed").fit(K[:m, :m], Y[:m])
        scores.append(r2_score(Y[rows], ridge.predict(cross_gram(X[rows], X[:m], tau, lambda_))))
    return scores


def scores_by_loop(X, Y, draws, folds, jobs):
    work = (joblib.delayed(scores_of_draw)(X, Y, draw, folds) for draw in draws)
    return np.array(joblib.Parallel(n_jobs=jobs)(work))


def ways(X, Y, folds):
    cores = int(os.environ.get("OMP_NUM_THREADS", "0")) or os.cpu_count() or 1

    def by(scores_by, jobs):
        def run(draws):
            # Set explicitly: if the environment sets a number of threads, every worker would use that many.
            with joblib.parallel_config("loky", inner_max_num_threads=max(1, cores // jobs)):
                return scores_by(X, Y, draws, folds, jobs)

        return run

    kinds = {"GridSearchCV": scores_by_grid_search, "a loop by hand, one Gram per draw": scores_by_loop}
    layouts = {"BLAS on all cores": 1, "a process per core": cores}
    return {f"{kind}, {layout}": by(scores_by, jobs) for kind, scores_by in kinds.items() for layout, jobs in layouts.items()}


# ---- tasks -------------------------------------------------------------------------------------


def task_gram(path, tau, lambda_):
    X = np.ascontiguousarray(np.load(path))
    K = np.ones((len(X), len(X)))
    tau2, lambda2 = float(tau) ** 2, float(lambda_) ** 2
    fill_gram(X, tau2, lambda2, K)
    serve(K[np.triu_indices(len(X))].mean(), "numba, plain loops",
          lambda: seconds_of(lambda: fill_gram(X, tau2, lambda2, K)))


def task_search(x_path, y_path, draws_path, folds, tried, scores_path):
    X, Y = (np.ascontiguousarray(np.load(path)) for path in (x_path, y_path))
    draws = [tuple(draw) for draw in np.loadtxt(draws_path, delimiter=",", skiprows=1, ndmin=2)]
    folds, first = int(folds), draws[: int(tried)]
    fastest, expected = None, None
    for name, run in ways(X, Y, folds).items():
        scores = run(first)  # compiles, and starts the processes
        expected = scores if expected is None else expected
        if not np.abs(scores - expected).max() < 1e-8:
            sys.exit(f"peers: {name} disagrees")
        seconds = seconds_of(lambda run=run: run(first))
        print(json.dumps({"name": "tune, a way of the peer",
                          "parameters": {"n": len(X), "d": X.shape[1], "q": Y.shape[1], "draws": len(first), "way": name},
                          "seconds": seconds, "value": seconds / len(first), "unit": "s a draw"}), flush=True)
        if name.startswith("GridSearchCV") and (fastest is None or seconds < fastest[0]):
            fastest = (seconds, name, run)
    serve(expected.mean(), fastest[1],
          lambda: seconds_of(lambda: np.save(scores_path, fastest[2](draws))))


if __name__ == "__main__":
    {"gram": task_gram, "search": task_search}[sys.argv[1]](*sys.argv[2:])
