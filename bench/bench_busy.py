#!/usr/bin/env python3
# bench/bench_busy.py: the default number of threads compared with one and with all, on a quiet and on a busy machine.
"""Usage: VOLTERRA=build/volterra PYTHONPATH=bench python3 bench/bench_busy.py

Commands run on two processors, alone and beside two other busy processes. Each figure is the wall-clock time with
default options divided by the shorter of the times with one thread and with all; the bar is 1.2."""

import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from measure import report

VOLTERRA = os.path.abspath(os.environ.get("VOLTERRA", "build/volterra"))
REPEATS = 5
PROCESSORS = sorted(os.sched_getaffinity(0))[:2]


def write_series(path, rows):
    noise, state = random.Random(rows), 0.0
    with open(path, "w") as file:
        print("y", file=file)
        for t in range(rows):
            state = 0.8 * state + noise.gauss(0, 1)
            print(100 + 10 * math.sin(math.pi * t / 12) + state, file=file)


def write_system(path, rows):
    noise, x = random.Random(rows), 0.0
    with open(path, "w") as file:
        print("u,y", file=file)
        for _ in range(rows):
            u = noise.gauss(0, 1)
            x = 0.8 * x + u
            print(f"{u},{x + 0.1 * x * x + noise.gauss(0, 0.05)}", file=file)


def commands():
    for rows in (150, 1000, 3000):
        write_series(f"series{rows}.csv", rows)
        yield f"forecast {rows} rows", ["forecast", f"series{rows}.csv", "--steps", "24", "--plot", "none", "-o", "o.csv"]
    for rows in (300, 1000, 2000, 5000):
        write_system(f"system{rows}.csv", rows)
        yield f"fit {rows} rows", ["fit", "--x", f"system{rows}.csv:u", "--y", f"system{rows}.csv:y", "-o", "o.st"]
    yield "identify 1000 rows", ["identify", "system1000.csv", "--x", "u", "--y", "y", "--draws", "12", "-o", "o.st"]


def seconds(command, threads):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "OPENBLAS_"))}
    begun = time.monotonic()
    subprocess.run([VOLTERRA, *command, *threads], env=environment, check=True, capture_output=True)
    return time.monotonic() - begun


def main():
    os.sched_setaffinity(0, PROCESSORS)
    modes = {"default": [], "one": ["--threads", "1"], "all": ["--threads", str(len(PROCESSORS))]}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        cases = list(commands())
        for load in ("quiet", "busy"):
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in PROCESSORS if load == "busy"]
            try:
                for name, command in cases:
                    times = {mode: [] for mode in modes}
                    for _ in range(REPEATS):  # in turn, so that a slow minute of the machine affects all alike
                        for mode, threads in modes.items():
                            times[mode].append(seconds(command, threads))
                    median = {mode: statistics.median(values) for mode, values in times.items()}
                    best = min(median["one"], median["all"])
                    parameters = {"work": name.replace(" ", "_"), "load": load}
                    report("default_threads", parameters, median["default"], median["default"] / best, "x", at_most=1.2)
            finally:
                for process in busy:
                    process.kill()


if __name__ == "__main__":
    main()
