"""bench/bench_python.py: overhead of Python over C, and the search compared with scikit-learn's.

    bench_python.py      VOLTERRA_LIBRARY: path of the library; PYTHONPATH: the folder python; set by bench/run.sh

overhead: a call of the package less the same prepared call of the library, plus an empty call of ctypes, so that all of Python is
included: predict and stream.push of one row, gram of ten.

search: VolterraRidgeCV compared with RandomizedSearchCV over an estimator like the authors' (tune_peer.py: the recursion in
numba, then KernelRidge) on the same draws and folds. Both compute all scores, which must agree. The peer uses BLAS on all cores
or a process per core, whichever is faster on the first draws. BENCH_TUNE_ROWS and BENCH_TUNE_DRAWS: a smaller search, without a
budget.
"""

import os
import sys
import time
import warnings
from ctypes import byref, c_int64

import numpy as np
import volterra
from measure import report
from volterra._core import _native as c
from volterra._core._data import empty
from volterra._core._kernel import Kernel

warnings.simplefilter("ignore")


def seconds_of(run):
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


# ---- overhead ----------------------------------------------------------------------------------


def per_call(call, count=25, batches=400):
    """Best of many short batches of the mean time of a call; short batches are rarely disturbed by other work."""
    seconds = []
    for _ in range(batches):
        begun = time.perf_counter()
        for _ in range(count):
            call()
        seconds.append((time.perf_counter() - begun) / count)
    return min(seconds)


def bench_overhead():
    volterra.set_threads(1)  # starting threads is not part of the overhead
    x = volterra.datasets.lorenz(301)
    estimator = volterra.VolterraRidge(alpha=1e-6).fit(x[:300], x[1:])
    model, row = estimator._model, x[300:]
    stream, out, ten = estimator.stream(), np.empty(3), np.ascontiguousarray(x[:10]) / 100

    forecast = empty(1, 3)
    prepared_row, prepared_out = c.view(row), c.view(forecast)
    options, beyond = c.lib.volt_predict_options_default(), c_int64()
    K, gram_options = empty(10, 10), c.lib.volt_gram_options_default()
    prepared_ten, prepared_K = c.view(ten), c.view(K)
    pairs = {
        "predict": (
            lambda: estimator.predict(row),
            lambda: c.lib.volt_model_predict(model, prepared_row, byref(options), prepared_out, byref(beyond)),
        ),
        "push": (
            lambda: stream.feed(row[0]),
            lambda: c.lib.volt_live_feed(stream, row.ctypes.data, out.ctypes.data),
        ),
        "gram": (
            lambda: volterra.gram(ten),
            lambda: c.lib.volt_gram(
                Kernel("volterra"), prepared_ten, None, byref(gram_options), prepared_K
            ),
        ),
    }
    empty_call = per_call(lambda: c.lib.volt_version())
    for name, (volt, bare) in pairs.items():
        whole, inside = per_call(volt), per_call(bare)
        overhead = 1e6 * (whole - inside + empty_call)
        report(
            "python overhead",
            {"call": name, "n": 300, "d": 3},
            seconds=whole,
            value=overhead,
            unit="us",
            at_most=50,
        )
    volterra.set_threads()


# ---- search ------------------------------------------------------------------------------------


def sample(rows, count):
    """Covariances of ten stocks from past innovations: inputs of norm at most 1, standardised targets."""
    z, _, h = volterra.datasets.bekk("sp500-d10", rows + 1, seed=1)
    X, Y = z[:-1] / np.linalg.norm(z[:-1], axis=1).max(), 1000 * h[1:]
    rng = np.random.default_rng(1)
    tau = 10 ** rng.uniform(-1, -0.002, count)
    lam = np.exp(rng.uniform(np.log(0.01), np.log(0.999 * np.sqrt(1 - tau**2))))
    alpha = 10 ** rng.uniform(-5, 1, count)
    return X, (Y - Y.mean(axis=0)) / Y.std(axis=0), list(zip(tau.tolist(), lam.tolist(), alpha.tolist()))


def search_with_sklearn(X, Y, draws, jobs, threads):
    """Scores of every draw (rows) and fold, by RandomizedSearchCV; a draw is one value of one parameter."""
    import joblib
    from sklearn.model_selection import RandomizedSearchCV, TimeSeriesSplit

    search = RandomizedSearchCV(
        peer_estimator(), {"draw": draws}, n_iter=len(draws), cv=TimeSeriesSplit(5), refit=False,
        n_jobs=jobs, random_state=0, error_score="raise",
    )  # fmt: skip
    with joblib.parallel_config("loky", inner_max_num_threads=threads):
        results = search.fit(X, Y).cv_results_
    found = {params["draw"]: [results[f"split{k}_test_score"][i] for k in range(5)]
             for i, params in enumerate(results["params"])}  # fmt: skip
    return np.array([found[draw] for draw in draws])


def search_with_volterra(X, Y, draws, race):
    """The same by VolterraRidgeCV."""
    candidates = [dict(tau=tau, lam=lam, alpha=alpha) for tau, lam, alpha in draws]
    search = volterra.VolterraRidgeCV(
        candidates=candidates, race=race, scale=False, fit_intercept=False, start="reset", refit=False
    ).fit(X, Y)
    return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)]).T, search.best_index_


def peer_estimator():
    from peer_by_draw import VolterraRidgeByDraw

    return VolterraRidgeByDraw()


def fastest_layout(X, Y, draws):
    """(jobs, threads each, name) of the peer."""
    cores = int(os.environ.get("OMP_NUM_THREADS", "0")) or os.cpu_count() or 1
    layouts = [(1, cores, "BLAS on all cores"), (cores, 1, "a process per core")]
    times = []
    for jobs, threads, _ in layouts:
        search_with_sklearn(X, Y, draws, jobs, threads)  # compiles, and starts the processes
        times.append(seconds_of(lambda: search_with_sklearn(X, Y, draws, jobs, threads)))
    return layouts[int(np.argmin(times))]


def bench_search():
    rows, count = int(os.environ.get("BENCH_TUNE_ROWS", "3008")), int(os.environ.get("BENCH_TUNE_DRAWS", "100"))
    is_whole = (rows, count) == (3008, 100)
    X, Y, draws = sample(rows, count)
    parameters = {"n": rows, "d": X.shape[1], "q": Y.shape[1], "folds": 5, "draws": count}
    volt = {}
    seconds = {}
    for race in ("none", "exact"):
        search_with_volterra(X, Y, draws[:2], race)
        seconds[race] = seconds_of(lambda: volt.update({race: search_with_volterra(X, Y, draws, race)}))
    if volt["none"][1] != volt["exact"][1]:
        sys.exit("bench_python: the race found another winner")

    peer, peer_seconds = None, None
    try:
        jobs, threads, layout = fastest_layout(X, Y, draws[:2])
    except ImportError as error:
        print(f"bench_python: no peer: {error}", file=sys.stderr)
    else:
        theirs = {}
        peer_seconds = seconds_of(lambda: theirs.update(scores=search_with_sklearn(X, Y, draws, jobs, threads)))
        peer = f"RandomizedSearchCV, {layout}"
        off = np.abs(theirs["scores"] - volt["none"][0]).max()
        if not off < 1e-6:
            sys.exit(f"bench_python: the scores of the peer differ by {off:.3g}")
    for race, name in (("none", "VolterraRidgeCV"), ("exact", "VolterraRidgeCV, raced")):
        budget = 4 if is_whole and race == "none" else 0
        report(name, parameters, seconds=seconds[race], peer=peer, peer_seconds=peer_seconds,
               value=seconds[race] / count, unit="s a draw", at_least=budget)  # fmt: skip


if __name__ == "__main__":
    bench_overhead()
    bench_search()
