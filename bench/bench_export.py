#!/usr/bin/env python3
# bench/bench_export.py: time of a step and sizes of exported models of 500 rows, for docs/tasks/export.md.
"""Usage: bench/run.sh export

Compiles with gcc -O2 and takes the fastest of 40 runs of 500 steps."""

import os
import pathlib
import subprocess
import tempfile

import numpy as np
from measure import report

import volterra

ROWS = 500
KERNELS = ("volterra", "fading", "memory", "recurrent", "esn:size=100")
RUN = """
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "model.h"

int main(void)
{
    static model_state state;
    REAL x[1], y[1];
    double fastest = 1.0, sum = 0.0;
    model_reset(&state);
    for (int run = 0; run < 40; run++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int t = 0; t < 500; t++) {
            x[0] = (REAL)(0.4 * sin(0.1 * t));
            if (model_step(&state, x, y) < 0)
                return 1;
            sum += y[0];
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        double seconds = (end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec)) / 500;
        fastest = seconds < fastest ? seconds : fastest;
    }
    printf("%g %zu %g\\n", fastest, sizeof state, sum);
    return 0;
}
"""


def data():
    rng = np.random.default_rng(34)
    u, y = np.zeros((ROWS, 1)), np.zeros(ROWS)
    for t in range(1, ROWS):
        u[t] = 0.7 * u[t - 1] + rng.uniform(-0.5, 0.5)
        y[t] = 0.5 * y[t - 1] + u[t, 0] + 0.3 * u[t, 0] ** 2
    return u, y


def measure(kernel, precision, folder):
    u, y = data()
    volterra.SequenceKernelRidge(kernel, alpha=1e-3).fit(u, y).export(folder / "model.c", precision=precision)
    (folder / "run.c").write_text(RUN)
    real = "-DREAL=" + {"double": "double", "single": "float"}[precision]
    for command in ("gcc -std=c99 -O2 -c model.c", f"gcc -std=c99 -O2 {real} run.c model.o -o run -lm"):
        subprocess.run(command.split(), cwd=folder, check=True)
    seconds, state, _ = subprocess.run([folder / "run"], capture_output=True, text=True, check=True).stdout.split()
    sizes = subprocess.run(["size", "model.o"], cwd=folder, capture_output=True, text=True, check=True).stdout
    return float(seconds), int(state), int(sizes.splitlines()[1].split()[0])


def main():
    for kernel in KERNELS:
        for precision in ("double", "single"):
            with tempfile.TemporaryDirectory() as folder:
                seconds, state, constants = measure(kernel, precision, pathlib.Path(folder))
            parameters = dict(kernel=kernel, n=ROWS, d=1, precision=precision, state=state, constants=constants)
            report("export step", parameters, value=1e6 * seconds, unit="us", at_most=20)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
