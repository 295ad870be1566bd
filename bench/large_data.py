"""bench/large_data.py: long sequences of known systems for bench_large.py, with the standard library only.

Files are NPY, '<f8' in C order, as the program writes them. Each file is created once per length and folder."""

import array
import ast
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import time

RECORD = 100_000  # rows of NARMA10 from one seed: for most seeds it diverges after 1e5 to 6e5 rows
STEPS_AHEAD = 5  # of the Lorenz system
NOISE = 0.01  # of its standard deviation, on the inputs and the targets


def program():
    return os.environ.get("VOLTERRA", "build/volterra")


def run(*words, check=True):
    """Run the program. Returns its JSON, or its text output, and wall time, processor time and peak memory of the process."""
    begin = time.perf_counter()
    child = subprocess.Popen([program(), *map(str, words)], stdout=subprocess.PIPE, text=True)
    output = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    figures = {
        "wall_s": round(time.perf_counter() - begin, 3),
        "cpu_s": round(used.ru_utime + used.ru_stime, 3),
        "peak_mib": round(used.ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20), 1),
    }
    if check and child.returncode != 0:
        sys.exit(f"bench_large: status {child.returncode}: volterra {' '.join(map(str, words))}")
    try:
        return json.loads(output), figures
    except ValueError:
        return output, figures


# ---- NPY -----------------------------------------------------------------------------------------


def read_npy(path, first=0, rows=None):
    """Rows of a file as a flat array('d'), and the number of columns."""
    with open(path, "rb") as file:
        start = file.read(10)
        header = ast.literal_eval(file.read(struct.unpack("<H", start[8:])[0]).decode("ascii"))
        assert header["descr"] == "<f8" and not header["fortran_order"] and sys.byteorder == "little", path
        length, cols = (*header["shape"], 1)[:2]
        rows = length - first if rows is None else rows
        file.seek(8 * first * cols, os.SEEK_CUR)
        values = array.array("d")
        values.fromfile(file, rows * cols)
    return values, cols


def write_npy(path, values, cols):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(values) // cols}, {cols}), }}"
    header = text.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii"))
        values.tofile(file)


def column(values, cols, k):
    return values[k::cols]


# ---- systems -------------------------------------------------------------------------------------


def simulate(path, *options):
    command = [program(), "simulate", *map(str, options), "--quiet", "-o", path]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def make_narma(folder, rows):
    """Inputs u, targets y of NARMA10: consecutive records of 100,000 rows, from seeds that do not diverge. After each of the joints,
    nine in a million rows, about ten rows have the wrong history."""
    u, y = array.array("d"), array.array("d")
    part, seed = folder / "part.npy", 0
    while len(u) < rows:
        length = min(RECORD, rows - len(u))
        if simulate(part, "narma10", "--length", RECORD, "--seed", seed).returncode == 0:
            values, cols = read_npy(part, 0, length)
            u.extend(column(values, cols, 0))
            y.extend(column(values, cols, 1))
        seed += 1
    part.unlink()
    return u, 1, y, 1


def make_lorenz(folder, rows):
    """The Lorenz system, every fourth step of 0.005, with noise of 1 % on all observations; targets are five rows later."""
    part, every = folder / "part.npy", 4
    simulate(part, "lorenz", "--length", (rows + STEPS_AHEAD) * every, "--discard", 1000).check_returncode()
    values, cols = read_npy(part)
    part.unlink()
    rng = random.Random(5)
    seen = array.array("d", bytes(8 * (rows + STEPS_AHEAD) * cols))
    for k in range(cols):
        series = values[k :: cols * every]
        mean = sum(series) / len(series)
        noise = NOISE * (sum((v - mean) ** 2 for v in series) / len(series)) ** 0.5
        seen[k::cols] = array.array("d", [v + noise * rng.gauss(0, 1) for v in series])
    return seen[: rows * cols], cols, seen[STEPS_AHEAD * cols :], cols


SYSTEMS = {"narma": make_narma, "lorenz": make_lorenz}


def data(folder, system, rows):
    """Paths of the inputs and targets with this number of rows."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    x, y = (folder / f"{system}_{rows}_{which}.npy" for which in "xy")
    if not y.exists():
        inputs, d, targets, q = SYSTEMS[system](folder, rows)
        write_npy(x, inputs, d)
        write_npy(y, targets, q)
    return x, y


# ---- errors --------------------------------------------------------------------------------------


def relative_error(forecast, truth, cols):
    """Root mean squared error over the standard deviation of the truth, the mean over outputs."""
    total = 0
    for k in range(cols):
        f, y = column(forecast, cols, k), column(truth, cols, k)
        mean = sum(y) / len(y)
        variance = sum((v - mean) ** 2 for v in y)
        total += (sum((a - b) ** 2 for a, b in zip(f, y)) / variance) ** 0.5
    return total / cols
