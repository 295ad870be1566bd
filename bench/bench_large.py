"""bench/bench_large.py: fits of many rows: time, memory and errors, compared with other methods on the same rows.

    bench/run.sh large                                   all of it, about an hour on two cores
    bench/bench_large.py growth [--sizes N,...] [--solvers S,...] [--most SOLVER=N ...] [--longest SECONDS]
    bench/bench_large.py accuracy [--rows N] [--systems narma,lorenz] [--sizes N,...] [--landmarks M,...] [--exact N,...]
    bench/bench_large.py peers [--rows N] [--systems ...] [--landmarks M,...]
    bench/bench_large.py docs                            tables of bench/large/README.md and the plot from the measurements

growth     `fit` on NARMA10 with alpha given, each in a separate process: wall clock, processor time, peak memory (getrusage).
accuracy   errors on rows after the training rows: landmarks on n rows up to them against exact fits on the last n.
peers      the same rows by scikit-learn's Nystroem + Ridge on windows of lags, and by averaged exact fits of segments of 5000.

Every measurement is a row of a CSV file in LARGE_RESULTS (bench/large). Existing measurements are not repeated, so that an
interrupted run can be resumed (--again: repeat them). Data are written to LARGE_DATA (build/bench_large). VOLTERRA is the path of
the program. Only the peer requires scikit-learn; the rest uses the standard library. For a quick run: growth --sizes 2000,4000, accuracy
--rows 8000 --sizes 4000 --exact 2000 --landmarks 100, peers --rows 6000 --landmarks 100; --draws 4 --tests 1000.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import large_data
from large_data import read_npy, relative_error, run

RESULTS = pathlib.Path(os.environ.get("LARGE_RESULTS", "bench/large"))
DATA = pathlib.Path(os.environ.get("LARGE_DATA", "build/bench_large"))
SEGMENT, WARM_UP = 5000, 500  # rows of a segment; rows before the tests that initialise the state of an earlier model
COLUMNS = {
    "growth": ("solver", "landmarks", "n", "wall_s", "cpu_s", "peak_mib", "r2"),
    "settings": ("system", "side", "rows", "draws", "value"),
    "accuracy": ("system", "solver", "landmarks", "n", "error", "alpha", "wall_s", "cpu_s", "peak_mib"),
    "peers": ("system", "method", "landmarks", "n", "error", "wall_s", "cpu_s", "peak_mib"),
}
KEYS = {
    "growth": ("solver", "landmarks", "n"),
    "settings": ("system", "side", "rows", "draws"),
    "accuracy": ("system", "solver", "landmarks", "n"),
    "peers": ("system", "method", "landmarks", "n"),
}


# ---- results -------------------------------------------------------------------------------------


def stored(name):
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def find(name, key):
    return next((row for row in stored(name) if all(row[k] == str(key[k]) for k in KEYS[name])), None)


def store(name, row):
    """Replace a measurement with the same key."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows = [old for old in stored(name) if any(old[k] != str(row[k]) for k in KEYS[name])] + [row]
    with open(RESULTS / f"{name}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS[name], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measured(arguments, name, key, measure):
    """Return the row of this key: stored, or measured by measure()."""
    row = None if arguments.again else find(name, key)
    if row is None:
        row = {**key, **measure()}
        store(name, row)
        words = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()]
        print(name, *words, flush=True)
    return row


def solvers():
    """Solvers of this program."""
    help_text = subprocess.run([large_data.program(), "help", "solvers"], stdout=subprocess.PIPE, text=True).stdout
    return [name for name in ("exact", "nystrom", "pcg") if f"\n{name} " in help_text]


# ---- growth --------------------------------------------------------------------------------------

GROWTH = {"exact": 3, "nystrom": 1, "pcg": 2}  # exponents of n in the time


def growth(arguments):
    sizes = arguments.sizes or [5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000]
    most = {"exact": 20000, "nystrom": 1000000, "pcg": 50000} | dict(
        (name, int(n)) for name, n in (words.split("=") for words in arguments.most)
    )
    known = solvers()
    for solver in arguments.solvers or known:
        if solver not in known:
            print(f"growth: fit has no solver {solver}, which is left out", file=sys.stderr)
            continue
        landmarks = {"nystrom": arguments.landmarks or [1000]}.get(solver, [0])
        for m in landmarks:
            last = None
            for n in (n for n in sorted(sizes) if n <= most[solver]):
                if last and last[1] * (n / last[0]) ** GROWTH[solver] > arguments.longest:
                    print(f"growth: {solver} with n = {n} would take more than {arguments.longest} s", file=sys.stderr)
                    break
                row = measured(
                    arguments,
                    "growth",
                    {"solver": solver, "landmarks": m, "n": n},
                    lambda n=n, m=m, solver=solver: grow(n, m, solver),
                )
                last = n, float(row["wall_s"])


def grow(n, landmarks, solver):
    x, y = large_data.data(DATA, "narma", n)
    words = ["--landmarks", min(landmarks, n)] if landmarks else []
    with tempfile.TemporaryDirectory() as folder:
        summary, figures = run(
            "fit", "--x", x, "--y", y, "--alpha", 1e-2, "--solver", solver, *words, "--json", "--quiet", "-o",
            f"{folder}/model",
        )  # fmt: skip
    return {**figures, "r2": summary["r2"]}


# ---- settings ------------------------------------------------------------------------------------


def kernel_of(arguments, system, rows):
    """The kernel's parameters, by a search on the last training rows; alpha is chosen again in every fit."""
    key = {"system": system, "side": "volterra", "rows": arguments.search_rows, "draws": arguments.draws}
    x, y = large_data.data(DATA, system, rows + arguments.tests)
    first = max(0, rows - arguments.search_rows)

    def search():
        summary, _ = run(
            "tune", "--x", x, "--y", y, "--rows", f"{first}:{rows}", "--kernel", "volterra",
            "--draws", arguments.draws, "--json", "--quiet",
        )  # fmt: skip
        return {"value": summary["best"]["kernel"]}

    return measured(arguments, "settings", key, search)["value"]


# ---- accuracy ------------------------------------------------------------------------------------


def fit_and_test(arguments, system, rows, n, words, kernel, test_rows=None):
    """Fit rows rows - n .. rows - 1, and predict those after them."""
    x, y = large_data.data(DATA, system, rows + arguments.tests)
    with tempfile.TemporaryDirectory() as folder:
        model, forecast = f"{folder}/model", f"{folder}/forecast.npy"
        summary, figures = run(
            "fit", "--x", x, "--y", y, "--rows", f"{rows - n}:{rows}", "--kernel", kernel, *words,
            "--json", "--quiet", "-o", model,
        )  # fmt: skip
        run("predict", model, "--x", x, "--rows", f"{rows}:{rows + arguments.tests}", "--quiet", "-o", forecast)
        found, cols = read_npy(forecast)
        truth, _ = read_npy(y, rows, arguments.tests)
    return {"error": relative_error(found, truth, cols), "alpha": summary["alpha"], **figures}


def accuracy(arguments):
    rows = arguments.rows or 1_000_000
    sizes = arguments.sizes or [20000, 100000, rows]
    for system in arguments.systems:
        kernel = kernel_of(arguments, system, rows)
        jobs = [("exact", 0, n) for n in (arguments.exact if arguments.exact is not None else [20000])]
        jobs += [("nystrom", m, n) for m in arguments.landmarks or [1000, 2000] for n in sizes]
        for solver, m, n in jobs:
            words = ["--solver", solver, *(["--landmarks", m] if m else [])]
            key = {"system": system, "solver": solver, "landmarks": m, "n": n}
            measured(
                arguments, "accuracy", key, lambda n=n, words=words: fit_and_test(arguments, system, rows, n, words, kernel)
            )


# ---- peers ---------------------------------------------------------------------------------------


def segments(arguments, system, rows, n, kernel):
    """Exact fits of segments of 5000 rows, with the alpha chosen by the last one; their predictions are averaged."""
    x, y = large_data.data(DATA, system, rows + arguments.tests)
    total, wall, cpu, peak, count = None, 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        model, forecast = f"{folder}/model", f"{folder}/forecast.npy"
        alpha = []
        for first in range(rows - SEGMENT, rows - n - 1, -SEGMENT):
            summary, fitted = run(
                "fit", "--x", x, "--y", y, "--rows", f"{first}:{first + SEGMENT}", "--kernel", kernel, *alpha,
                "--solver", "exact", "--json", "--quiet", "-o", model,
            )  # fmt: skip
            alpha = ["--alpha", summary["alpha"]]
            run(
                "predict", model, "--x", x, "--rows", f"{rows - WARM_UP}:{rows + arguments.tests}", "--start", "reset",
                "--quiet", "-o", forecast,
            )  # fmt: skip
            found, cols = read_npy(forecast, WARM_UP)
            total = [a + b for a, b in zip(total, found)] if total else list(found)
            count += 1
            wall, cpu, peak = wall + fitted["wall_s"], cpu + fitted["cpu_s"], max(peak, fitted["peak_mib"])
    truth, _ = read_npy(y, rows, arguments.tests)
    found = [value / count for value in total]
    return {"error": relative_error(found, truth, cols), "wall_s": wall, "cpu_s": cpu, "peak_mib": peak}


def sklearn_python():
    """Return a Python with scikit-learn, or None."""
    for python in filter(None, (os.environ.get("PEER_PYTHON"), sys.executable, "build/peers/bin/python")):
        try:
            if subprocess.run([python, "-c", "import sklearn"], stderr=subprocess.DEVNULL).returncode == 0:
                return python
        except OSError:
            pass
    return None


def nystroem(arguments, python, system, rows, n, m):
    """Run scikit-learn in a separate process, which prints error, seconds and its settings."""
    x, y = large_data.data(DATA, system, rows + arguments.tests)
    command = [python, "bench/large_peer.py", str(x), str(y), str(rows), str(n), str(m), str(arguments.tests)]
    command += [str(arguments.search_rows), str(arguments.draws)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    words = child.stdout.read().split(maxsplit=3)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench_large: status {child.returncode}: {' '.join(command)}")
    key = {"system": system, "side": "scikit-learn", "rows": arguments.search_rows, "draws": arguments.draws}
    store("settings", {**key, "value": words[3].strip()})
    return {
        "error": float(words[0]),
        "wall_s": float(words[1]),
        "cpu_s": float(words[2]),
        "peak_mib": round(used.ru_maxrss / 1024, 1),
    }


def peers(arguments):
    rows = arguments.rows or 100_000
    python = sklearn_python()
    if python is None:
        print("peers: no Python with scikit-learn, which is left out", file=sys.stderr)
    for system in arguments.systems:
        kernel = kernel_of(arguments, system, rows)
        for m in arguments.landmarks or [1000, 2000]:
            words = ["--solver", "nystrom", "--landmarks", m]
            key = {"system": system, "method": "volterra, landmarks", "landmarks": m, "n": rows}

            def measure_library(words=words):
                row = fit_and_test(arguments, system, rows, rows, words, kernel)
                return {name: row[name] for name in ("error", "wall_s", "cpu_s", "peak_mib")}

            measured(arguments, "peers", key, measure_library)
            key = {"system": system, "method": "scikit-learn Nystroem + Ridge", "landmarks": m, "n": rows}
            if python:
                measured(arguments, "peers", key, lambda m=m: nystroem(arguments, python, system, rows, rows, m))
        key = {"system": system, "method": "averaged exact segments of 5000", "landmarks": 0, "n": rows}
        measured(arguments, "peers", key, lambda: segments(arguments, system, rows, rows, kernel))


# ---- main ----------------------------------------------------------------------------------------


def docs(arguments):
    import large_docs

    large_docs.write({name: stored(name) for name in COLUMNS})


PARTS = {"growth": growth, "accuracy": accuracy, "peers": peers, "docs": docs}


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="growth, accuracy, peers, docs; default: the first three")
    parser.add_argument("--sizes", type=numbers)
    parser.add_argument("--rows", type=int, help="training rows of accuracy (1,000,000) and peers (100,000)")
    parser.add_argument("--landmarks", type=numbers)
    parser.add_argument("--exact", type=numbers, help="sizes of exact fits in accuracy (20000)")
    parser.add_argument("--systems", type=lambda text: text.split(","), default=list(large_data.SYSTEMS))
    parser.add_argument("--solvers", type=lambda text: text.split(","))
    parser.add_argument("--most", nargs="*", default=[], metavar="SOLVER=N", help="the largest n of a solver in growth")
    parser.add_argument("--longest", type=float, default=900, help="seconds that a fit of growth may take, as estimated")
    parser.add_argument("--tests", type=int, default=10000, help="rows that are forecast")
    parser.add_argument("--draws", type=int, default=40, help="settings that are tried, of either side")
    parser.add_argument("--search-rows", type=int, default=4000, help="training rows that they are tried on")
    parser.add_argument("--again", action="store_true", help="measure what is stored again")
    arguments = parser.parse_args()
    for part in arguments.parts or ["growth", "accuracy", "peers"]:
        if part not in PARTS:
            parser.error(f"there is no part {part}: {', '.join(PARTS)}")
        PARTS[part](arguments)


if __name__ == "__main__":
    main()
