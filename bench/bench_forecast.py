"""bench/bench_forecast.py: forecasts of real series (bench/series) compared with baselines.

    bench_forecast.py [SERIES...]      VOLTERRA: path of the program; set by bench/run.sh forecast

The test rows of every series are the last quarter, at least 30; forecasts use only the rows before them, and the model is fitted
once. Horizons: 1, and the far horizon in series/README.md. Squared errors are relative to the naive forecast:

    fit         volterra fit --x FILE:COLUMN --ahead H --rows :n -o MODEL, without any other option
    tune 10     volterra tune --draws 10 instead; FORECAST_DRAWS: another number, or empty for none
    tune 60s    the same with --budget 60s, where FORECAST_BUDGET=60s
    ridge       on max(10, season + 1) lags, with a constant; penalty by leave-one-out; the season is given
    season      the value one season ago; equal to naive without a season, or if the horizon is the season

FORECAST_TABLE names a file for the table in Markdown. The budgets apply to the defaults: none above 1.01, and at least half
better than the ridge.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from measure import report
from series_list import listed_series

FOLDER = pathlib.Path(__file__).parent / "series"
PROGRAM = os.environ.get("VOLTERRA", "build/volterra")


def tasks(wanted):
    """(series, season, far) of the table in series/README.md."""
    found = listed_series(FOLDER)
    return [(name, season, far) for name, _, season, far in found if not wanted or name in wanted]


def read_values(name):
    with open(FOLDER / f"{name}.csv") as file:
        rows = list(csv.reader(file))
    return np.array([float(row[1]) for row in rows[1:]])


def ridge_forecasts(y, n, ahead, lags):
    """Rows n, n + 1, ... of y, each from the rows up to `ahead` before it, by a ridge regression on rows < n."""

    def regressors(targets):
        return np.array([y[t - ahead - lags + 1 : t - ahead + 1][::-1] for t in targets])

    learn = np.arange(ahead + lags - 1, n)
    X, Y = regressors(learn), y[learn]
    mean, spread = X.mean(0), X.std(0)
    spread[spread == 0] = 1
    X = (X - mean) / spread
    centre = Y.mean()
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    best = None
    for alpha in len(Y) * 10.0 ** np.arange(-8, 3):
        shrink = s**2 / (s**2 + alpha)
        residual = Y - centre - U @ (shrink * (U.T @ (Y - centre)))
        leverage = (U**2) @ shrink + 1 / len(Y)
        error = np.mean((residual / (1 - leverage)) ** 2)
        if best is None or error < best[0]:
            best = error, Vt.T @ (s / (s**2 + alpha) * (U.T @ (Y - centre)))
    return centre + (regressors(np.arange(n, len(y))) - mean) / spread @ best[1]


def program_forecasts(name, rows, n, ahead, command):
    """The same by the program; also the training time in seconds."""
    source = f"{FOLDER / name}.csv:{name}"
    with tempfile.TemporaryDirectory() as scratch:
        model = str(pathlib.Path(scratch) / "model.safetensors")
        begun = time.perf_counter()
        learn = [
            PROGRAM,
            *command,
            "--x",
            source,
            "--ahead",
            str(ahead),
            "--rows",
            f":{n}",
            "-o",
            model,
            "--quiet",
        ]
        subprocess.run(learn, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - begun
        predict = [PROGRAM, "predict", model, "--x", source, "--rows", f"{n - ahead}:{rows - ahead}", "--quiet"]
        text = subprocess.run(predict, check=True, stdout=subprocess.PIPE, text=True).stdout
    return np.array([float(line.split(",")[-1]) for line in text.splitlines()[1:]]), seconds


def geometric_mean(ratios):
    return float(np.exp(np.mean(np.log(ratios))))


def main():
    learners = {"fit": ["fit"]}
    draws, budget = os.environ.get("FORECAST_DRAWS", "10"), os.environ.get("FORECAST_BUDGET")
    if draws:
        learners[f"tune {draws}"] = ["tune", "--draws", draws]
    if budget:
        learners[f"tune {budget}"] = ["tune", "--budget", budget]
    columns = [*learners, "ridge", "season"]
    ratios = {column: [] for column in columns}
    seconds = dict.fromkeys(learners, 0.0)
    lines = [f"| series | H | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    print(f"{'series':<22} {'H':>3} " + " ".join(f"{column:>9}" for column in columns), flush=True)
    for name, season, far in tasks(sys.argv[1:]):
        y = read_values(name)
        n = len(y) - max(len(y) // 4, 30)
        truth = y[n:]
        for ahead in (1, far):
            naive = np.mean((y[n - ahead : len(y) - ahead] - truth) ** 2)
            forecasts = {}
            for learner, command in learners.items():
                forecasts[learner], took = program_forecasts(name, len(y), n, ahead, command)
                seconds[learner] += took
            forecasts["ridge"] = ridge_forecasts(y, n, ahead, max(10, season + 1))
            back = season * -(-ahead // season) if season else ahead
            forecasts["season"] = y[n - back : len(y) - back]
            row = [float(np.mean((forecasts[column] - truth) ** 2) / naive) for column in columns]
            for column, ratio in zip(columns, row):
                ratios[column].append(ratio)
            lines.append(f"| {name} | {ahead} | " + " | ".join(f"{ratio:.3f}" for ratio in row) + " |")
            print(f"{name:<22} {ahead:>3} " + " ".join(f"{ratio:>9.3f}" for ratio in row), flush=True)
    count = len(ratios["ridge"])
    for column in columns:
        safe = sum(ratio <= 1.01 for ratio in ratios[column])
        text = f"{column}: at most 1.01 times naive on {safe} of {count}, largest {max(ratios[column]):.3f}, "
        if column != "ridge":
            better = sum(ratio < other for ratio, other in zip(ratios[column], ratios["ridge"]))
            text += f"better than the ridge on {better}, "
        near, later = ratios[column][::2], ratios[column][1::2]
        text += f"geometric means {geometric_mean(near):.3f} (1 step) and {geometric_mean(later):.3f} (far)"
        lines += ["", text]
        print(text, flush=True)
    for learner in learners:
        better = sum(ratio < other for ratio, other in zip(ratios[learner], ratios["ridge"]))
        where = {"by": learner, "tasks": count, "learning_s": round(seconds[learner], 1)}
        judged = learner == "fit"
        worst, behind = max(ratios[learner]), 1 - better / count
        report("forecast_worst", where, value=worst, unit="x naive", at_most=1.01 if judged else 0)
        report("forecast_ridge", where, value=behind, unit="not better", at_most=0.5 if judged else 0)
    if os.environ.get("FORECAST_TABLE"):
        pathlib.Path(os.environ["FORECAST_TABLE"]).write_text("\n".join(lines) + "\n")


main()
