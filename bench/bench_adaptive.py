"""bench/bench_adaptive.py: adaptive search compared with random draws on 20 problems, with equal numbers of draws.

    bench_adaptive.py      run by bench/run.sh adaptive

    ADAPTIVE_DRAWS    draws of each search (200)
    ADAPTIVE_SEEDS    searches of each kind on each problem (5)

Every problem is searched on its first rows, with the default folds and race, by both strategies with the same seeds: they share
the first 64 draws. The comparison is by the mean over the seeds of log(1 - r2), where r2 is the best score in the folds; a
difference below one per cent is a tie. The same comparison on the held-out rows that follow shows the effect of overfitting the
folds. The rank of a strategy is 1 or 2, 1.5 for a tie.
"""

import os
import pathlib
import warnings

import numpy as np
import volterra
from measure import report

HERE = pathlib.Path(__file__).parent
DRAWS = int(os.environ.get("ADAPTIVE_DRAWS", "200"))
SEEDS = int(os.environ.get("ADAPTIVE_SEEDS", "5"))
SAME = 0.01


def column(path, number):
    with open(path) as file:
        return np.array([float(line.split(",")[number]) for line in file.readlines()[1:]])


def ahead(rows, steps):
    """Inputs, and their first column `steps` rows later."""
    rows = np.asarray(rows, dtype=float).reshape(len(rows), -1)
    return rows[:-steps], rows[steps:, :1]


def series(name, steps, rows):
    return ahead(column(HERE / "series" / f"{name}.csv", 1)[-rows:], steps)


def tanks(rows):
    path = HERE.parent / "examples" / "data" / "tanks.csv"
    return column(path, 1)[:rows], column(path, 2)[:rows]


def narma(rows):
    return volterra.datasets.narma10(rows, seed=1)


def lorenz(rows, steps):
    path = volterra.datasets.lorenz(4 * rows)[::4]
    noise = np.random.default_rng(1).normal(size=path.shape)
    return ahead(path + 0.02 * path.std(axis=0) * noise, steps)


def mackey_glass(rows, steps):
    return ahead(volterra.datasets.mackey_glass(rows), steps)


def bekk(rows):
    """Innovations and covariances."""
    sample = volterra.covolatility.BEKK.preset("sp500-d5").simulate(rows, seed=1)
    return sample.innovations, sample.covariances


PROBLEMS = {
    "narma10 volterra": (narma(450), "volterra"),
    "narma10 memory": (narma(450), "memory"),
    "narma10 sum": (narma(450), "fir + memory:pole=?"),
    "narma10 three": (narma(450), "volterra | memory | rbf"),
    "lorenz volterra": (lorenz(450, 5), "volterra"),
    "lorenz windows": (lorenz(450, 5), "rbf"),
    "lorenz lift": (lorenz(450, 5), "volterra:lift=rbf"),
    "mackey-glass volterra": (mackey_glass(450, 6), "volterra"),
    "mackey-glass fading": (mackey_glass(450, 6), "fading"),
    "mackey-glass memory": (mackey_glass(450, 6), "memory:pole=?"),
    "bekk even": (bekk(450), "volterra:lift=even"),
    "bekk memory": (bekk(450), "memory"),
    "tanks pair": (tanks(450), "fir + memory:pair=?,angle=?"),
    "tanks lift": (tanks(450), "volterra:lift=rbf"),
    "tanks two": (tanks(450), "fir + memory:pole=? | volterra:lift=rbf"),
    "sunspots": (series("sunspots_yearly", 1, 310), "volterra"),
    "elnino": (series("elnino", 3, 450), "memory"),
    "parking": (series("parking", 1, 450), "fading"),
    "wind": (series("nyc_wind_speed", 1, 450), "fir + rbf"),
    "temperature": (series("nyc_temp", 6, 450), "cauchy"),
}


def search(problem, kernel, strategy, seed):
    """log(1 - r2) in the folds of the first two thirds of the rows, and on the others."""
    X, Y = (np.asarray(one).reshape(len(one), -1) for one in problem)
    n = 2 * len(X) // 3
    found = volterra.VolterraRidgeCV(draws=DRAWS, kernel=kernel, search=strategy, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # later rows may be outside the ball of training
        forecast = found.fit(X[:n], Y[:n]).predict(X[n:]).reshape(len(X) - n, -1)
    later = np.mean((Y[n:] - forecast) ** 2, axis=0) / Y[n:].var(axis=0)
    return np.log(1 - found.best_score_), np.log(np.mean(later))


def compare(differences):
    """Wins, ties and losses of adaptive and its mean rank, from differences adaptive - random (lower is better)."""
    verdicts = [0 if abs(d) < np.log1p(SAME) else (-1 if d < 0 else 1) for d in differences]
    return {
        "wins": verdicts.count(-1),
        "draws": verdicts.count(0),
        "losses": verdicts.count(1),
        "rank": 1.5 + 0.5 * float(np.mean(verdicts)),
    }


def main():
    differences = {"folds": [], "later rows": []}
    for name, (problem, kernel) in PROBLEMS.items():
        random, adaptive = (
            np.mean([search(problem, kernel, strategy, seed) for seed in range(SEEDS)], axis=0)
            for strategy in ("random", "adaptive")
        )
        for rows, difference in zip(differences, adaptive - random):
            differences[rows].append(float(difference))
        words = ", ".join(f"{rows} {np.exp(by[-1]):.3f}" for rows, by in differences.items())
        print(f"{name:<22} {kernel:<42} 1 - r2, adaptive / random: {words}", flush=True)
    for rows, by in differences.items():
        verdict = compare(by)
        print(
            f"{rows}: {verdict['wins']} wins of adaptive, {verdict['draws']} draws, {verdict['losses']} losses; mean rank "
            f"{verdict['rank']:.3f} against {3 - verdict['rank']:.3f}; 1 - r2 is {np.exp(np.mean(by)):.3f} times random's"
        )
        report(
            f"adaptive, {rows}",
            {"wins": verdict["wins"], "even": verdict["draws"], "losses": verdict["losses"], "draws": DRAWS},
            value=verdict["rank"],
            unit="mean rank",
            at_most=1.5 if rows == "folds" else 0,
        )


if __name__ == "__main__":
    main()
