"""bench/bench_intervals.py: coverage and cost of 90 % intervals.

Each problem is drawn, or cut from a record, SAMPLES times: the model is fitted to the first rows and predicts those after them,
with intervals. Printed are the mean coverage and the seconds of the intervals. A stream whose noise grows threefold is measured
with adaptive intervals and, if the packages are installed, with MAPIE (conformal by refits on blocks, with ridge regression on
windows) and sktime (its conformal wrapper, which refits along the series, with the naive forecast).

BENCH_DATA            a folder with sysid/cascaded_tanks.csv; empty: examples/data/tanks.csv only
INTERVALS_SAMPLES     samples of each problem (20)
INTERVALS_OTHERS      not empty: only the problems on which the rule was chosen (interval_problems.py)
"""

import json
import os
import time
import warnings
from pathlib import Path

import numpy as np

import interval_problems
import volterra

SAMPLES = int(os.environ.get("INTERVALS_SAMPLES", "20"))
COVERAGE = 0.9
HERE = Path(__file__).resolve().parent


def narma(seed):
    u, y = volterra.datasets.narma10(1500, seed=seed)
    return u, y, 1000, "volterra:tau_coef=0.3,lambda_coef=0.9", 1e-3


def lorenz(seed):
    """Next x of the Lorenz system; all three coordinates are observed with noise of 2 %."""
    rng = np.random.default_rng(seed)
    rows = volterra.datasets.lorenz(3000, step=0.05)[int(rng.integers(0, 1500)) :][:1501]
    seen = rows + 0.02 * rows.std(axis=0) * rng.normal(size=rows.shape)
    return seen[:-1], seen[1:, :1], 1000, "volterra:tau_coef=0.3,lambda_coef=0.3", 1e-4


def bekk(seed):
    """First entry of the covariance of the next return, from the innovations."""
    sample = volterra.datasets.bekk("sp500-d5", 1501, seed=seed)
    inputs, covariances = sample.innovations[:-1], sample.covariances[1:]
    return inputs, 1000 * covariances[:, :1], 1000, "volterra:tau_coef=0.3,lambda_coef=0.9,lift=even", 1e-2


def tanks(sample):
    """700 rows and the next 200, from both records of the cascaded tanks, or of the example."""
    folder = os.environ.get("BENCH_DATA", "")
    path = Path(folder, "sysid", "cascaded_tanks.csv")
    if folder and path.exists():
        table = np.genfromtxt(path, delimiter=",", names=True)
        u, y = (table["uEst"], table["yEst"]) if sample % 2 else (table["uVal"], table["yVal"])
    else:
        table = np.genfromtxt(HERE.parent / "examples" / "data" / "tanks.csv", delimiter=",", names=True)
        u, y = table["pump"], table["level"]
    first = (len(u) - 900) * (sample // 2) // max((SAMPLES - 1) // 2, 1)
    window = slice(first, first + 900)
    return u[window, None], y[window, None], 700, "volterra:tau_coef=0.3,lambda_coef=0.99", 1e-2


def covered(ends, truth):
    return float(np.mean((ends[:, :, 0] <= truth) & (truth <= ends[:, :, 1])))


def measure(name, problem):
    shares, seconds, fits = [], [], []
    for sample in range(SAMPLES):
        X, Y, rows, kernel, alpha = problem(sample)
        Y = np.asarray(Y).reshape(len(X), -1)
        begun = time.perf_counter()
        model = volterra.SequenceKernelRidge(kernel, alpha, verbose=False).fit(X[:rows], Y[:rows])
        fitted = time.perf_counter()
        half = model._model.interval([COVERAGE])
        seconds.append(time.perf_counter() - fitted)
        fits.append(fitted - begun)
        forecast = model.predict(X[rows:], start="continue")
        shares.append(covered(np.stack([forecast - half, forecast + half], axis=-1), Y[rows:]))
    tell(name, "volterra", np.mean(shares), np.std(shares), np.mean(seconds), np.mean(fits), 0)


def tell(problem, method, share, spread, seconds, fit_seconds, refits):
    line = dict(
        bench="intervals", problem=problem, method=method, coverage=round(float(share), 4), sd=round(float(spread), 4)
    )
    line.update(samples=SAMPLES, seconds=float(f"{seconds:.3g}"), fit_seconds=float(f"{fit_seconds:.3g}"), refits=refits)
    print(json.dumps(line), flush=True)


def windows(X, width):
    padded = np.vstack([np.zeros((width - 1, X.shape[1])), X])
    return np.hstack([padded[i : i + len(X)] for i in range(width)])


def mapie(name, problem, samples=5):
    """Jackknife+ after bootstrap on blocks of time, the time series method of MAPIE, around ridge regression."""
    try:
        from mapie.regression import TimeSeriesRegressor
        from mapie.subsample import BlockBootstrap
        from sklearn.linear_model import Ridge
    except ImportError:
        return
    shares, seconds, fits = [], [], []
    for sample in range(samples):
        X, Y, rows, _, _ = problem(sample)
        W, y = windows(np.asarray(X), 20), np.asarray(Y).reshape(len(X), -1)[:, 0]
        begun = time.perf_counter()
        Ridge(1e-3).fit(W[:rows], y[:rows])
        fits.append(time.perf_counter() - begun)
        split = BlockBootstrap(n_resamplings=30, n_blocks=10, overlapping=False, random_state=0)
        begun = time.perf_counter()
        model = TimeSeriesRegressor(Ridge(1e-3), method="enbpi", cv=split, agg_function="mean", n_jobs=1)
        model.fit(W[:rows], y[:rows])
        _, ends = model.predict(W[rows:], confidence_level=COVERAGE, ensemble=True)
        seconds.append(time.perf_counter() - begun)
        shares.append(float(np.mean((ends[:, 0, 0] <= y[rows:]) & (y[rows:] <= ends[:, 1, 0]))))
    tell(name, "mapie enbpi", np.mean(shares), np.std(shares), np.mean(seconds), np.mean(fits), 30)


def sktime_wrapper():
    """One step ahead on a noisy series: sktime's conformal wrapper refits along the series, the adapter does not."""
    try:
        import pandas
        from sktime.forecasting.conformal import ConformalIntervals
        from sktime.forecasting.naive import NaiveForecaster

        from volterra.sktime import VolterraForecaster
    except ImportError:
        return
    rng = np.random.default_rng(0)
    values = np.sin(np.arange(301) / 5) + 0.1 * rng.normal(size=301)
    y = pandas.Series(values[:300])
    for method, made in (
        ("volterra.sktime", VolterraForecaster("rbf:window=5", 0.1)),
        ("sktime conformal", ConformalIntervals(NaiveForecaster(strategy="last"), initial_window=250)),
    ):
        begun = time.perf_counter()
        made.fit(y, fh=[1])
        fitted = time.perf_counter()
        ends = made.predict_interval(coverage=COVERAGE).to_numpy()[0]
        refits = 0 if method.startswith("volterra") else 50
        line = dict(bench="intervals", problem="sine with noise", method=method, refits=refits)
        line.update(seconds=round(time.perf_counter() - fitted, 4), fit_seconds=round(fitted - begun, 4))
        line.update(halfwidth=round(float(ends[1] - ends[0]) / 2, 4))
        print(json.dumps(line), flush=True)


def jump():
    """The noise of a stream grows threefold half-way."""
    after = []
    for seed in range(SAMPLES):
        rng = np.random.default_rng(seed)
        u = rng.uniform(-1, 1, (2400, 1))
        scale = np.where(np.arange(2400) < 1400, 0.1, 0.3)
        y = u[:, 0] + 0.5 * np.append(0, u[:-1, 0]) + scale * rng.standard_t(5, 2400)
        model = volterra.SequenceKernelRidge("linear:window=3", 1e-2).fit(u[:400], y[:400])
        stream = model.stream(coverage=[COVERAGE])
        inside = []
        for t in range(400, 2400):
            forecast = np.ravel(stream.feed(u[t]))[0]
            half = stream.interval()[0, 0]
            inside.append(abs(y[t] - forecast) <= half)
            stream.learn(y[t])
        after.append(np.mean(inside[1000:]))
    tell("threefold jump of the noise, after it", "adaptive", np.mean(after), np.std(after), 0, 0, 0)


def few_rows():
    """Coverage of 95 % of the next row after a few training rows: fewer errors than the order statistic needs (19)."""
    rng = np.random.default_rng(5)
    noises = {
        "normal": lambda n: rng.normal(size=n),
        "t4": lambda n: rng.standard_t(4, size=n),
        "uniform": lambda n: rng.uniform(-1, 1, n),
    }
    warnings.simplefilter("ignore")
    for name, noise in noises.items():
        for rows in (8, 12, 16):
            inside = []
            for _ in range(20 * SAMPLES):
                u = rng.uniform(-1, 1, (rows + 1, 1))
                y = u[:, 0] + 0.3 * noise(rows + 1)
                model = volterra.SequenceKernelRidge("linear", 0.1).fit(u[:rows], y[:rows])
                low, high = model.predict_interval(u[rows:], coverage=0.95, start="continue")[0]
                inside.append(low <= y[rows] <= high)
            tell(f"{rows} rows, {name} noise, 95 %", "volterra", np.mean(inside), np.std(inside), 0, 0, 0)


def others():
    problems = dict(interval_problems.SIMULATED)
    if os.environ.get("BENCH_DATA"):
        problems.update(interval_problems.MEASURED)
    for name, problem in problems.items():
        measure(name, problem)


if __name__ == "__main__":
    if os.environ.get("INTERVALS_OTHERS"):
        others()
        raise SystemExit
    PROBLEMS = {"lorenz with noise": lorenz, "tanks": tanks, "bekk": bekk, "narma10": narma}
    for name, problem in PROBLEMS.items():
        measure(name, problem)
    for name in ("lorenz with noise", "narma10", "tanks"):
        mapie(name, PROBLEMS[name])
    sktime_wrapper()
    jump()
    few_rows()
