#!/usr/bin/env python3
# bench/bench_initial.py: test errors with different inputs before the first row (initial), for bench/NOTES.md.
"""Usage: PYTHONPATH=python python3 bench/bench_initial.py [cascaded_tanks.csv]

Records of a simulated system that starts at rest at a random level, and, if the file is given, the Cascaded Tanks."""

import sys
import warnings

import numpy as np

import volterra

INITIALS = ("zero", "first", "mean")
SEED, RECORDS, ROWS = 1, 40, 60


def at_rest(rng):
    """Records of y_t = 0.95 y_{t-1} + 0.05 (u_t + 0.2 u_t^2), each stationary before its first row."""
    inputs, outputs = [], []
    for _ in range(RECORDS):
        level, change = rng.uniform(2, 6), 0.0
        u, y = np.full(ROWS, level), np.zeros(ROWS)
        for t in range(1, ROWS):
            change = 0.9 * change + 0.2 * rng.normal()
            u[t] += change
        before = level + 0.2 * level**2
        for t in range(ROWS):
            y[t] = before = 0.95 * before + 0.05 * (u[t] + 0.2 * u[t] ** 2)
        inputs.append(u[:, None])
        outputs.append(y + 0.01 * rng.normal(size=ROWS))
    return inputs, outputs


def rmse(truth, predictions, skipped):
    errors = [np.asarray(t)[skipped:] - np.asarray(p).ravel()[skipped:] for t, p in zip(truth, predictions)]
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))


def errors(fit_inputs, fit_outputs, test_inputs, test_outputs, kernel, draws, skips):
    for initial in INITIALS:
        search = volterra.VolterraRidgeCV(
            kernel=kernel, draws=draws, initial=initial, start="reset", random_state=SEED, search="adaptive"
        )
        search.fit(fit_inputs, fit_outputs)
        predictions = [search.predict(x) for x in test_inputs]
        values = ", ".join(f"{rmse(test_outputs, predictions, skip):.4g} after {skip} rows" for skip in skips)
        print(f"  initial={initial}: {values}; {search._best['kernel']}, alpha {search._best['alpha']:.3g}")


def main():
    warnings.simplefilter("ignore")
    inputs, outputs = at_rest(np.random.default_rng(SEED))
    print(f"records at rest, seed {SEED}: {RECORDS // 2} of {ROWS} rows for training, {RECORDS // 2} for testing")
    half = RECORDS // 2
    for kernel in ("memory", "volterra:lift=rbf"):
        print(kernel)
        errors(inputs[:half], outputs[:half], inputs[half:], outputs[half:], kernel, 80, (0, 5, 20))
    if len(sys.argv) < 2:
        return
    table = np.genfromtxt(sys.argv[1], delimiter=",", skip_header=1, usecols=(0, 1, 2, 3))
    print("Cascaded Tanks")
    for kernel in ("volterra:lift=rbf,pole=? + fir", "memory:pole=? + fir"):
        print(kernel)
        errors(table[:, :1], table[:, 2], [table[:, 1:2]], [table[:, 3]], kernel, 120, (0, 5, 50))


if __name__ == "__main__":
    main()
