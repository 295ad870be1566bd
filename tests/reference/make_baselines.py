"""tests/reference/make_baselines.py: season and baselines of random and real series -> baselines.json.

Run with NumPy:  python tests/reference/make_baselines.py
Written only from the formulas of docs/math.md. The autoregression solves the augmented least squares problem of its
regressors once for every forecast, and once for every pair that is left out: no normal equations, no shared sums, no
formula for leverages. Real series: bench/series."""
import json
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SERIES = os.path.join(HERE, "..", "..", "bench", "series")
SEED = 20261115
RIDGES = [10.0**g for g in range(2, -7, -1)]


def real(name, count):
    path = os.path.join(SERIES, name + ".csv")
    with open(path) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return np.array([float(line.split(",")[-1]) for line in lines[1 : count + 1]])


def season(y):
    d = np.diff(y)
    d = d - d.mean()
    N = len(d)
    M = min(2 * N // 3, 800)
    r = np.array([d[l:] @ d[: N - l] / (d @ d) * N / (N - l) for l in range(M + 1)])
    found = [
        S
        for S in range(4, min((M - 1) // 2, 400) + 1)
        if r[S] > r[S - 1] and r[S] >= r[S + 1] and r[S] > max(0.2, 3 / np.sqrt(N - S))
        and r[: S + 1].min() < r[S] / 2 and r[2 * S - 1 : 2 * S + 2].max() >= r[S] / 2
    ]
    return next((S for S in found if r[S] >= 0.8 * max(r[s] for s in found)), 0)


def lags_for(lag, S, learned, most):
    sets = [list(range(lag, lag + k)) for k in range(10, 0, -1)]
    if S and S >= lag:
        sets.insert(0, sorted(set(sets[0]) | {l for l in (S - 1, S, S + 1) if l >= lag}))
    return next((L for L in sets if max(L) <= most and learned - max(L) >= 3 * (len(L) + 1)), [])


def regression(Z, y, ridge, without=None):
    """Weights on standardised regressors and the constant, by least squares of the augmented matrix; the pair `without`
    is left out."""
    m, p = Z.shape
    A = np.vstack([np.hstack([Z, np.ones((m, 1))]), np.sqrt(ridge * m) * np.eye(p, p + 1)])
    b = np.concatenate([y, np.zeros(p)])
    if without is not None:
        A, b = np.delete(A, without, 0), np.delete(b, without)
    return np.linalg.lstsq(A, b, rcond=None)[0]


def left_out(Z, y, ridge):
    errors = []
    for i in range(len(Z)):
        w = regression(Z, y, ridge, without=i)
        errors.append(y[i] - Z[i] @ w[:-1] - w[-1])
    return np.sum(np.square(errors))


def ar(y, lag, S, learned, row, ridge=None):
    """The forecast of `row` from rows < learned; ridge None: by leave-one-out."""
    L = lags_for(lag, S, learned, row)
    if not L:
        return y[row - lag], 0.0
    X = np.array([[y[t - l] for l in L] for t in range(max(L), learned)])
    target = y[max(L) : learned]
    mean, sd = X.mean(0), X.std(0)
    Z = (X - mean) / sd
    if ridge is None:
        errors = [left_out(Z, target, a) for a in RIDGES]
        ridge = RIDGES[int(np.argmin(errors))]
    w = regression(Z, target, ridge)
    return ((np.array([y[row - l] for l in L]) - mean) / sd) @ w[:-1] + w[-1], ridge


def baselines(y, lag, S, learn_end, begin, count):
    rows = range(begin, begin + count)
    out = {"naive": [y[r - lag] for r in rows]}
    if S:
        out["seasonal"] = [y[r - S * -(-lag // S)] for r in rows]
    out["drift"], out["ar"], ridge = [], [], None
    for r in rows:
        known = learn_end or r - lag + 1
        out["drift"].append(y[r - lag] + lag * (np.mean(np.diff(y[:known])) if known > 1 else 0.0))
        # Frozen: which lags is decided once, for the first row.
        if learn_end and ridge is None:
            L0 = lags_for(lag, S, learn_end, begin)
            ridge = ar(y, lag, S, learn_end, begin)[1]
            assert all(lags_for(lag, S, learn_end, q) == L0 for q in rows)
        out["ar"].append(ar(y, lag, S, known, r, ridge if learn_end else 1e-3)[0])
    return {"ridge": ridge or 0.0, **{k: [float(v) for v in w] for k, w in out.items()}}


def main():
    rng = np.random.default_rng(SEED)
    t = np.arange(240)
    random_series = {
        "walk": np.cumsum(rng.normal(size=200)) + 50,
        "noise": rng.normal(size=160),
        "season 7": 10 + 3 * np.sin(2 * np.pi * t / 7) + 0.02 * t + rng.normal(size=240) * 0.5,
        "season 24, walk": 5 * np.cos(2 * np.pi * t / 24) + np.cumsum(rng.normal(size=240)) * 0.3,
    }
    found = {
        name: real(name, 1000)
        for name in ("co2_monthly", "elec_equip", "elnino", "nile", "nyc_flights_daily", "nyc_flights_hourly",
                     "nyc_temp", "parking", "sunspots_yearly", "us_unemp")
    }
    everything = {**random_series, **found}
    names = list(everything)
    series = [{"name": name, "season": season(y), "y": [float(v) for v in y]} for name, y in everything.items()]
    forecasts = []
    tasks = [  # series, lag, learn_end, begin, count
        ("walk", 1, 150, 150, 50), ("walk", 1, 0, 1, 199), ("walk", 5, 0, 5, 195), ("walk", 3, 17, 20, 10),
        ("noise", 1, 120, 120, 40), ("noise", 2, 2, 30, 4), ("season 7", 1, 180, 180, 60), ("season 7", 7, 0, 7, 240),
        ("season 7", 9, 180, 188, 60), ("season 24, walk", 1, 0, 24, 200), ("season 24, walk", 24, 180, 203, 61),
        ("season 24, walk", 12, 0, 24, 228), ("season 24, walk", 1, 50, 60, 20),
        ("elec_equip", 1, 150, 150, 46), ("elec_equip", 12, 150, 161, 35), ("nile", 1, 75, 75, 26), ("nile", 5, 0, 5, 100),
        ("us_unemp", 4, 150, 153, 50),
    ]
    for name, lag, learn_end, begin, count in tasks:
        y = everything[name]
        S = 0 if name in ("walk", "noise") else season(y)
        begin = max(begin, S * -(-lag // S)) if S else begin
        count = min(count, len(y) + lag - begin)
        forecasts.append({"series": names.index(name), "lag": lag, "season": S, "learn_end": learn_end, "begin": begin,
                          "expected": baselines(y, lag, S, learn_end, begin, count)})
    case = {
        "name": "baselines",
        "source": f"numpy {np.__version__}, make_baselines.py: lstsq of the augmented regressors, seed {SEED}",
        "params": {"seed": SEED},
        "inputs": {"series": series, "forecasts": forecasts},
        "tol": 1e-9,
        "notes": "relative to max|forecast|; the ridge bounds the condition of the normal equations by p/1e-6, so that "
                 "their rounding is 1e-16 p 1e6 ~ 1e-9 of the spread of a series",
    }
    with open(os.path.join(HERE, "baselines.json"), "w") as file:
        json.dump(case, file, separators=(",", ":"))
        file.write("\n")


main()
