"""bench/bench_reservoirs.py: echo state networks against the Volterra kernels, and against reservoirpy, in the same time.

    bench/run.sh reservoirs

On every problem each contender may search for RESERVOIRS_BUDGET seconds (30) on the training rows; its best setting is
fitted on all of them and forecasts the test rows. Ours are `volterra compare`; reservoirpy (pip install reservoirpy, where
PEER_PYTHON has it) draws radius, leak, input scale, bias and ridge at random from the ranges of `esn`, with as many units,
on the first four fifths of the training rows, scored on the last. Prints NMSE on the test rows, draws, and the time of one
draw. RESERVOIRS_TABLE: a file for the table, in Markdown. BENCH_DATA: a folder with sysid/*.csv, for two more problems.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from measure import report

PROGRAM = os.environ["VOLTERRA"]
BUDGET = float(os.environ.get("RESERVOIRS_BUDGET", 30))
SIZE = 200
KERNELS = ["volterra", "volterra:lift=rbf", f"esn:size={SIZE}", f"esn:size={SIZE},activation=identity,degree=2"]
LABELS = ["volterra", "volterra rbf", "esn", "esn linear, degree 2", "reservoirpy"]
ROWS, TEST = 3000, 750


def simulate(folder, system, length, *options):
    path = folder / f"{system}.npy"
    subprocess.run([PROGRAM, "simulate", system, "--length", str(length), "-o", path, "--quiet", *options], check=True)
    return np.load(path)


def ahead(rows, steps):
    """A series that forecasts itself, so many steps ahead."""
    return rows[:-steps], rows[steps:]


def table(path, inputs, targets):
    rows = np.genfromtxt(path, delimiter=",", names=True, dtype=None, encoding=None)
    return tuple(np.column_stack([rows[name] for name in names]).astype(float) for names in (inputs, targets))


def problems(folder):
    n = ROWS + TEST
    bekk = simulate(folder, "bekk", n + 1)  # innovations, returns, covariances of 5 stocks
    yield "BEKK, 5 stocks", bekk[:-1, :5], 1000 * bekk[1:, 10:]
    narma = simulate(folder, "narma10", n)
    yield "NARMA10", narma[:, :1], narma[:, 1:]
    yield ("Lorenz, 20 steps ahead", *ahead(simulate(folder, "lorenz", n + 20, "--discard", "1000"), 20))
    yield ("Mackey-Glass, 10 steps ahead", *ahead(simulate(folder, "mackey-glass", n + 10, "--discard", "500"), 10))
    yield ("tanks (example)", *table("examples/data/tanks.csv", ["pump"], ["level"]))
    data = pathlib.Path(os.environ.get("BENCH_DATA", "none")) / "sysid"
    if (data / "wiener_hammerstein.csv").exists():
        rows = np.genfromtxt(data / "wiener_hammerstein.csv", delimiter=",", skip_header=1, usecols=(0, 1))
        rows = rows[5000 : 5000 + n]
        yield "Wiener-Hammerstein", rows[:, :1], rows[:, 1:]
    if (data / "santafe_laser.csv").exists():
        laser = np.genfromtxt(data / "santafe_laser.csv", delimiter=",", skip_header=1)
        yield ("Santa Fe laser", *ahead(laser.reshape(len(laser), -1)[:, -1:], 1))


def run_ours(folder, X, Y, train):
    """Rows of volterra compare: name, NMSE, draws, seconds."""
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", Y)
    command = [PROGRAM, "compare", "--x", folder / "x.npy", "--y", folder / "y.npy", "--train", str(train)]
    command += ["--budget", f"{BUDGET:g}s", "--folds", "5", "--json", "--quiet", "--target", "level"]
    command += ["--input", "level", "--allow-target-in-inputs", "--kernel", *KERNELS]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
    return [(row["nmse"], row["draws"], row["seconds"]) for row in rows]


def nmse(truth, forecast):
    """As compare: the mean over outputs of squared error over variance."""
    return float(np.mean(np.mean((truth - forecast) ** 2, axis=0) / np.var(truth, axis=0)))


def fit_peer(setting, X, Y, seed, washout):
    from reservoirpy.nodes import Reservoir, Ridge

    radius, leak, scale, bias, ridge = setting
    constants = bias * np.random.default_rng(seed).uniform(-1, 1, size=SIZE)
    model = Reservoir(SIZE, sr=radius, lr=leak, input_scaling=scale, bias=constants, seed=seed) >> Ridge(ridge=ridge)
    return model.fit(X, Y, warmup=washout)


def run_peer(X, Y, train, washout=50):
    try:
        import reservoirpy
    except ImportError:
        return None
    if hasattr(reservoirpy, "verbosity"):
        reservoirpy.verbosity(0)
    X = (X - X[:train].mean(axis=0)) / np.linalg.norm(X[:train] - X[:train].mean(axis=0), axis=1).max()
    mean, sd = Y[:train].mean(axis=0), Y[:train].std(axis=0)
    Z = (Y - mean) / sd
    rng, best, draws, split = np.random.default_rng(1), (np.inf, None), 0, train * 4 // 5
    begun = time.perf_counter()
    while time.perf_counter() - begun < BUDGET:
        setting = (
            rng.uniform(0.1, 1.3),
            0.05 ** rng.uniform(0, 1),
            0.03 * (10 / 0.03) ** rng.uniform(),
            rng.uniform(0, 2),
            10.0 ** rng.uniform(-8, 1),
        )
        model = fit_peer(setting, X[:split], Z[:split], 1, washout)
        score = nmse(Z[split:train], np.asarray(model.run(X[split:train])).reshape(train - split, -1))
        best = min(best, (score, setting), key=lambda one: one[0])
        draws += 1
    seconds = time.perf_counter() - begun
    model = fit_peer(best[1], X[:train], Z[:train], 1, washout)
    forecast = np.asarray(model.run(X[train:])).reshape(len(X) - train, -1)
    return nmse(Z[train:], forecast), draws, seconds


def main():
    lines = ["| problem | " + " | ".join(LABELS) + " |", "|---|" + "---|" * len(LABELS)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for problem, X, Y in problems(folder):
            train = len(X) * 4 // 5
            results = [*run_ours(folder, X, Y, train), run_peer(X, Y, train)]
            cells = []
            for label, result in zip(LABELS, results):
                if result is None or result[0] is None:
                    cells.append("–")
                    continue
                score, draws, seconds = result
                report("reservoirs", {"problem": problem, "model": label, "draws": draws}, seconds / max(draws, 1), score, "NMSE")
                cells.append(f"{score:.3g} ({draws})")
            lines.append(f"| {problem} | " + " | ".join(cells) + " |")
    if os.environ.get("RESERVOIRS_TABLE"):
        pathlib.Path(os.environ["RESERVOIRS_TABLE"]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
