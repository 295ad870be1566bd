"""bench/bench_reservoirs.py: echo state networks compared with the Volterra kernels and with reservoirpy, in equal time.

    bench/run.sh reservoirs

On every problem each contender is tuned for RESERVOIRS_BUDGET seconds (20) on the training rows; its best setting is fitted on all
of them and predicts the test rows. The validation is the same for all: five folds in time order, each trained on all rows before
its block (scikit-learn's TimeSeriesSplit), with states continued from the training rows into the block, and from the last training
row into the test rows. The setting with the best mean R2 of the blocks is used. All run on one thread.

The library's contenders run `volterra compare`. reservoirpy (if PEER_PYTHON has it) is used as an experienced user would: the
reservoir runs once over all rows, and a Ridge node is fitted on the states of each fold. It draws from the ranges of `esn`: radius,
leak, input scale, bias and ridge, with the same number of units, on inputs scaled in the same way, and otherwise has its defaults
(a tenth of the connections, input weights +-1). Prints NMSE on the test rows, draws, the time of one draw, wall clock and processor
seconds. If these two differ, the machine was busy, and the budgets were not equal.

RESERVOIRS_TABLE: a file for the table, in Markdown. BENCH_DATA: a folder with sysid/*.csv, for four more problems.
RESERVOIRS_ONLY: words; only problems with one of them in their name are run. RESERVOIRS_MODELS: the same for
contenders.
RESERVOIRS_DRAWS: draws of each of the library's contenders, instead of the budget; for a busy machine.
"""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy brings its BLAS
    os.environ[name] = "1"

import numpy as np  # noqa: E402
from measure import report  # noqa: E402

PROGRAM = os.environ["VOLTERRA"]
BUDGET = float(os.environ.get("RESERVOIRS_BUDGET", 20))
DRAWS = os.environ.get("RESERVOIRS_DRAWS")
SIZE, FOLDS = 200, 5
CONTENDERS = {
    "volterra": "volterra",
    "volterra rbf": "volterra:lift=rbf",
    "esn": f"esn:size={SIZE},start=zero",
    "esn linear, degree 2": f"esn:size={SIZE},activation=identity,degree=2,start=zero",
    "recurrent erf": "recurrent:activation=erf",
    "recurrent relu": "recurrent:activation=relu",
}
PEER = "reservoirpy"
ROWS, TEST = 3000, 750


# ---- problems ------------------------------------------------------------------------------------


def simulate(folder, system, length, *options):
    path = folder / f"{system}.npy"
    subprocess.run([PROGRAM, "simulate", system, "--length", str(length), "-o", path, "--quiet", *options], check=True)
    return np.load(path)


def ahead(rows, steps):
    """A series and its values `steps` rows later."""
    return rows[:-steps], rows[steps:]


def read(path, *columns):
    return np.genfromtxt(path, delimiter=",", skip_header=1, usecols=columns)


def problems(folder):
    """Name, inputs, targets, rows that train."""
    n, four_fifths = ROWS + TEST, ROWS
    bekk = simulate(folder, "bekk", n + 1)  # innovations, returns, covariances of 5 stocks
    yield "BEKK, 5 stocks", bekk[:-1, :5], 1000 * bekk[1:, 10:], four_fifths
    narma = simulate(folder, "narma10", n)
    yield "NARMA10", narma[:, :1], narma[:, 1:], four_fifths
    yield ("Lorenz, 20 steps ahead", *ahead(simulate(folder, "lorenz", n + 20, "--discard", "1000"), 20), four_fifths)
    mackey = simulate(folder, "mackey-glass", n + 10, "--discard", "500")
    yield ("Mackey-Glass, 10 steps ahead", *ahead(mackey, 10), four_fifths)
    data = pathlib.Path(os.environ.get("BENCH_DATA", "none")) / "sysid"
    if (data / "cascaded_tanks.csv").exists():
        tanks = read(data / "cascaded_tanks.csv", 0, 1, 2, 3)  # two records of 1024 rows, here one after the other
        yield "Cascaded tanks", np.r_[tanks[:, 0], tanks[:, 1]][:, None], np.r_[tanks[:, 2], tanks[:, 3]][:, None], 1024
    if (data / "wiener_hammerstein.csv").exists():
        rows = read(data / "wiener_hammerstein.csv", 0, 1)[20000 : 20000 + n]
        yield "Wiener-Hammerstein", rows[:, :1], rows[:, 1:], four_fifths
    if (data / "silverbox_snls80mv.csv").exists():
        rows = read(data / "silverbox_snls80mv.csv", 0, 1)[41000 : 41000 + n]
        yield "Silverbox, multisine", rows[:, :1], rows[:, 1:], four_fifths
    if (data / "santafe_laser.csv").exists():
        laser = read(data / "santafe_laser.csv", 0)[: n + 1, None]
        yield ("Santa Fe laser, 1 step ahead", *ahead(laser, 1), four_fifths)


# ---- contenders ----------------------------------------------------------------------------------


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_ours(folder, kernel, X, Y, train):
    """NMSE, draws, wall clock and processor seconds of volterra compare, the fit of the winner and its forecasts included,
    and the winner."""
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", Y)
    command = [PROGRAM, "compare", "--x", folder / "x.npy", "--y", folder / "y.npy", "--train", str(train)]
    command += ["--draws", DRAWS] if DRAWS else ["--budget", f"{BUDGET:g}s"]
    command += ["--folds", str(FOLDS), "--json", "--quiet", "--target", "level"]
    command += ["--input", "level", "--allow-target-in-inputs", "--kernel", kernel]
    wall, before = time.perf_counter(), processor_seconds()
    run = subprocess.run(command, capture_output=True, text=True)
    wall, used = time.perf_counter() - wall, processor_seconds() - before
    if run.returncode:
        print(f"reservoirs: {kernel}: {run.stderr.strip()}", flush=True)  # no draw ended inside the budget
        return None
    row = json.loads(run.stdout)["rows"][0]
    return row["nmse"], row["draws"], wall, used, f"{row['best']['kernel']} alpha={row['best']['alpha']:.3g}"


def nmse(truth, forecast):
    """As compare: the mean over outputs of squared error over variance."""
    return float(np.mean(np.mean((truth - forecast) ** 2, axis=0) / np.var(truth, axis=0)))


def folds_of(n):
    block = n // (FOLDS + 1)
    return [(n - (FOLDS - k) * block, n - (FOLDS - k - 1) * block) for k in range(FOLDS)]


def states_of(setting, X):
    from reservoirpy.nodes import Reservoir

    radius, leak, scale, bias, _ = setting
    constants = bias * np.random.default_rng(1).uniform(-1, 1, size=SIZE)
    return np.asarray(Reservoir(SIZE, sr=radius, lr=leak, input_scaling=scale, bias=constants, seed=1).run(X))


def ridge_forecast(setting, train, Z, F):
    from reservoirpy.nodes import Ridge

    return np.asarray(Ridge(ridge=setting[-1]).fit(train, Z).run(F)).reshape(len(F), -1)


def draw(rng):
    return (
        rng.uniform(0.1, 1.3),
        0.05 ** rng.uniform(0, 1),
        0.03 * (10 / 0.03) ** rng.uniform(),
        rng.uniform(0, 2),
        10.0 ** rng.uniform(-8, 1),
    )


def run_peer(X, Y, train):
    try:
        import reservoirpy
    except ImportError:
        return None
    if hasattr(reservoirpy, "verbosity"):
        reservoirpy.verbosity(0)
    X = (X - X[:train].mean(axis=0)) / np.linalg.norm(X[:train] - X[:train].mean(axis=0), axis=1).max()
    Z = (Y - Y[:train].mean(axis=0)) / Y[:train].std(axis=0)
    rng, best, draws = np.random.default_rng(1), (np.inf, None), 0
    wall, begun = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < BUDGET:
        setting = draw(rng)
        F = states_of(setting, X[:train])
        errors = [nmse(Z[b:e], ridge_forecast(setting, F[:b], Z[:b], F[b:e])) for b, e in folds_of(train)]
        best = min(best, (float(np.mean(errors)), setting), key=lambda one: one[0])
        draws += 1
    used, wall = time.process_time() - begun, time.perf_counter() - wall
    F = states_of(best[1], X)
    forecast = ridge_forecast(best[1], F[:train], Z[:train], F[train:])
    return nmse(Z[train:], forecast), draws, wall, used, "sr=%.3g lr=%.3g input=%.3g bias=%.3g ridge=%.3g" % best[1]


# ---- the table -----------------------------------------------------------------------------------


def chosen(variable, names):
    """The names that contain a word of an environment variable; all if it is not set."""
    words = os.environ.get(variable, "").split()
    return [name for name in names if not words or any(word in name for word in words)]


def main():
    labels = chosen("RESERVOIRS_MODELS", [*CONTENDERS, PEER])
    lines = ["| problem | " + " | ".join(labels) + " |", "|---|" + "---|" * len(labels)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for problem, X, Y, train in problems(folder):
            if not chosen("RESERVOIRS_ONLY", [problem]):
                continue
            cells = []
            for label in labels:
                result = run_peer(X, Y, train) if label == PEER else run_ours(folder, CONTENDERS[label], X, Y, train)
                if result is None or result[0] is None:
                    cells.append("–")
                    continue
                score, draws, wall, used, winner = result
                setting = {"problem": problem, "model": label, "draws": draws, "wall": round(wall, 1), "cpu": round(used, 1)}
                report("reservoirs", {**setting, "winner": winner}, used / max(draws, 1), score, "NMSE")
                cells.append(f"{score:.3g} ({draws})")
            lines.append(f"| {problem} | " + " | ".join(cells) + " |")
            if os.environ.get("RESERVOIRS_TABLE"):
                pathlib.Path(os.environ["RESERVOIRS_TABLE"]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
