#!/usr/bin/env python3
"""tests/reference/make_forecast_choice.py: choices of a fit on real series, by the rule of docs/math.md in NumPy.

    python3 tests/reference/make_forecast_choice.py

writes forecast_choice.json in this folder. Series come from bench/series. Every forecast of a row held out is a solve of
its own, by numpy.linalg.solve, and the kernel a double loop: nothing is shared with the library but the rule.
"""
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SERIES = HERE.parents[1] / "bench" / "series"
CASES = (("nile", 1), ("nile", 5), ("elec_equip", 1), ("elec_equip", 12), ("us_unemp", 1), ("us_tbilrate", 1))
TAU_COEF, LAMBDA_COEF = 0.3, 0.9
# Student's t at 0.99 (and 0.95, one step ahead) with 3 to 19 degrees of freedom.
Q99 = "4.541 3.747 3.365 3.143 2.998 2.896 2.821 2.764 2.718 2.681 2.650 2.624 2.602 2.583 2.567 2.552 2.539"
Q95 = "2.353 2.132 2.015 1.943 1.895 1.860 1.833 1.812 1.796 1.782 1.771 1.761 1.753 1.746 1.740 1.734 1.729"
QUANTILES = {0.99: [float(q) for q in Q99.split()], 0.95: [float(q) for q in Q95.split()]}


def season_of(y):
    d = np.diff(y)
    d = d - d.mean()
    n = len(d)
    most = min(2 * n // 3, 800)
    r = np.array([d[lag:] @ d[: n - lag] / (d @ d) * n / (n - lag) for lag in range(most + 1)])
    found = []
    for s in range(4, min((most - 1) // 2, 400) + 1):
        peak = r[s] > r[s - 1] and r[s] >= r[s + 1] and r[s] > max(0.2, 3 / np.sqrt(n - s))
        if peak and r[: s + 1].min() < r[s] / 2 and r[2 * s - 1 : 2 * s + 2].max() >= r[s] / 2:
            found.append(s)
    return next((s for s in found if r[s] >= 0.8 * max(r[found])), 0)


def columns_of(y, ahead, season):
    """All rows of the series: level, change, and with a season the value one season before the target."""

    def lag(k):
        return np.concatenate([np.full(min(k, len(y)), y[0]), y[: len(y) - k]])

    columns = [y, y - lag(1)]
    if season > ahead:
        columns.append(lag(season - ahead) - y)
    if season >= max(ahead, 2):
        columns.append(lag(season - ahead) - lag(season))
    return np.column_stack(columns)


def kernel_of(Z):
    """Less its constant part: K[i, j] = 1 + lambda^2 / (1 - tau^2 <z_i, z_j>) K[i-1, j-1] - 1 / (1 - lambda^2)."""
    tau2 = TAU_COEF**2
    lambda2 = LAMBDA_COEF**2 * (1 - tau2)
    G = Z @ Z.T
    K = np.empty_like(G)
    for i in range(len(Z)):
        for j in range(len(Z)):
            past = K[i - 1, j - 1] if i and j else 1 / (1 - lambda2)
            K[i, j] = 1 + lambda2 / (1 - tau2 * G[i, j]) * past
    return K - 1 / (1 - lambda2)


def solve(K, Y, h, alpha, constant):
    """Coefficients and constant from the first h targets."""
    if np.isinf(alpha):
        return np.zeros(h), Y[:h].mean() if constant else 0.0
    R = np.linalg.solve(K[:h, :h] + alpha * np.eye(h), np.column_stack([Y[:h], np.ones(h)]))
    c = R[:, 0].sum() / R[:, 1].sum() if constant else 0.0
    return R[:, 0] - c * R[:, 1], c


def held_out(K, Y, ahead, begin, alpha, constant, frozen):
    errors = []
    for t in range(begin, len(Y)):
        h = (begin if frozen else t) - ahead + 1
        if t == begin or not frozen:
            A, c = solve(K, Y, h, alpha, constant)
        errors.append(Y[t] - c - K[t, :h] @ A)
    return np.array(errors)


def is_better(e, rival, ahead, sure=0.99):
    d = rival**2 - e**2
    blocks = min(20, len(d) // ahead)
    if blocks < 4:
        return False
    means = np.array([part.mean() for part in np.array_split(d, blocks)])
    return bool(means.mean() > QUANTILES[sure][blocks - 4] * means.std(ddof=1) / np.sqrt(blocks))


def best_of(K, Y, ahead, begin, constants):
    size = K.diagonal()[: len(Y)].mean()
    alphas = [np.inf] + [size * 10.0**g for g in range(3, -9, -1)]
    floor = 10 * len(Y) * np.finfo(float).eps * K.diagonal()[: len(Y)].max()
    found = (np.inf, None, None, None)
    for alpha in alphas:
        for constant in constants:
            if alpha > floor:
                e = held_out(K, Y, ahead, begin, alpha, constant, False)
                if np.mean(e**2) < found[0]:
                    found = (np.mean(e**2), alpha, constant, e)
    return found


def choose(y, train, ahead):
    m = train - ahead
    season = season_of(y[:m])
    X = columns_of(y, ahead, season)
    low, high, mean, sd = X[:m].min(0), X[:m].max(0), X[:m].mean(0), X[:m].std(0)
    Z = (np.clip(X, low, high) - mean) / sd * sd[0]
    radius = np.linalg.norm(Z[:m], axis=1).max()
    Z = Z / radius
    norms = np.linalg.norm(Z, axis=1)
    Z = Z / np.maximum(norms, 1)[:, None]
    K = kernel_of(Z)
    Y = y[ahead : m + ahead] - y[:m]
    begin = max(m // 2, 2 * ahead + 2, 8)
    mse, alpha, constant, e = best_of(K, Y, ahead, begin, (False, True))
    levels = y[ahead : m + ahead] - y[ahead : m + ahead].mean()
    level = best_of(K, levels, ahead, begin, (True,))
    assert not is_better(level[3], e, ahead), "a case in which levels win would need its own figures"
    naive = Y[begin:]
    z = held_out(K, Y, ahead, begin, alpha, constant, True)
    is_naive = np.isinf(alpha) and not constant
    kept = is_naive or not (is_better(e, naive, ahead) and is_better(z, naive, ahead))
    half = ahead == 1 and not is_naive and is_better(e, naive, ahead, 0.95) and is_better(z, naive, ahead, 0.95)
    assert not (kept and half), "nor is one half-way here"
    A, c = (np.zeros(m), 0.0) if kept else solve(K, Y, m, alpha, constant)
    rows = range(m, m + 5)
    return {
        "training_rows": train,
        "ahead": ahead,
        "season": season,
        "columns": X.shape[1],
        "mean_diagonal": K.diagonal()[:m].mean(),
        "first_held_out": begin,
        "best_alpha": 0 if np.isinf(alpha) else alpha,  # 0: infinite
        "best_mse": mse,
        "naive_mse": np.mean(naive**2),
        "naive_kept": int(kept),
        "forecasts": [y[t] + c + K[t, :m] @ A for t in rows],
    }


def main():
    cases = []
    for name, ahead in CASES:
        y = np.genfromtxt(SERIES / f"{name}.csv", delimiter=",", skip_header=1, usecols=-1)
        train = len(y) - max(30, round(len(y) / 4))
        cases.append({"name": name, **choose(y, train, ahead), "y": y.tolist()})
        print(name, ahead, {k: v for k, v in cases[-1].items() if k != "y"})
    text = {
        "name": "forecast_choice",
        "source": f"numpy {np.__version__}, make_forecast_choice.py: one solve for every row held out; bench/series",
        "params": {"kernel": "volterra", "tau_coef": TAU_COEF, "lambda_coef": LAMBDA_COEF},
        # Rows times eps times the condition of K + alpha I, at most rows * largest entry / alpha: 181^2 eps 1e3.
        "tol": 1e-8,
        "inputs": {"cases": cases},
        "expected": {},
    }
    (HERE / "forecast_choice.json").write_text(json.dumps(text, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
