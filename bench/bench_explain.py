"""bench/bench_explain.py: accuracy of explain on a known system.

    bench_explain.py      run by bench/run.sh explain

    EXPLAIN_SAMPLES   samples for the coverage of the band (50)
    EXPLAIN_ROWS      sizes of the two fits (2000,5000)

The system has order 2 and memory 8; the inputs are uniform on (-1, 1) and the noise has 1 % of the standard deviation of the
output. tau, lambda and alpha are chosen by `volterra tune` on 500 rows by the log score, and alpha again by a fit with all rows.
Errors are relative in the 2-norm over 12 lags, 4 beyond the memory of the system. The band of g1 should contain 90 % of the true
values, over samples of 500 rows with the settings of the search. The time includes kernels and shares of 5000 rows, one input,
40 lags, order 2.
"""

import json
import os
import subprocess
import tempfile
import time

import numpy as np
import volterra
from measure import report

SAMPLES = int(os.environ.get("EXPLAIN_SAMPLES", "50"))
ROWS = [int(rows) for rows in os.environ.get("EXPLAIN_ROWS", "2000,5000").split(",")]
MEMORY, LAGS, TUNED = 8, 12, 500
KERNEL = "volterra:lift=exponential"

m = np.arange(LAGS)
G1 = np.where(m < MEMORY, 0.9 * 0.75**m * np.cos(0.7 * m), 0)
G2 = np.triu(np.where((m[:, None] < MEMORY) & (m < MEMORY), 0.7 * 0.7 ** (m[:, None] + m) * np.cos(0.5 * (m - m[:, None])), 0))


def sample(seed, rows):
    """Inputs and outputs, and the parts of orders 1 and 2 of the outputs."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, rows + LAGS)
    lagged = np.array([x[LAGS - lag : LAGS - lag + rows] for lag in range(LAGS)])
    linear, square = G1 @ lagged, np.einsum("ij,it,jt->t", G2, lagged, lagged)
    y = linear + square
    return x[LAGS:, None], y + 0.01 * y.std() * rng.normal(size=rows), linear, square


def tune(x, y):
    """The kernel and alpha chosen by the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        np.savetxt(path, np.column_stack([x, y]), delimiter=",", header="x,y", comments="", fmt="%.17g")
        words = ["tune", "--x", path + ":x", "--y", path + ":y", "--kernel", KERNEL, "--draws", "60", "--score", "log"]
        words += ["--seed", "1", "--quiet", "--json"]
        found = json.loads(subprocess.run([os.environ["VOLTERRA"], *words], check=True, capture_output=True).stdout)["best"]
    return found["kernel"], found["alpha"]


def error(found, true):
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def main():
    x, y, _, _ = sample(1, TUNED)
    kernel, alpha = tune(x, y)
    print(json.dumps({"name": "explain", "kernel": kernel, "alpha": alpha}), flush=True)
    for rows, most1, most2 in zip(ROWS, (0.015, 0.008), (0.03, 0.02)):
        x, y, linear, square = sample(2, rows)
        model = volterra.SequenceKernelRidge(kernel, alpha="auto").fit(x, y)
        found = model.explain(LAGS, about="zero", std=False)
        truth = linear + square
        true = [np.cov(part, truth)[0, 1] / truth.var(ddof=1) for part in (linear, square)]
        mean = model.explain(LAGS, about="zero", std=False, along=x)
        off = max(float(abs(mean.shares[f"order{p + 1}"][0] - true[p])) for p in range(2))
        report("explain_g1", {"rows": rows}, value=100 * error(found.g1[0, :, 0], G1), unit="%", at_most=100 * most1)
        report("explain_g2", {"rows": rows}, value=100 * error(found.g2[0, :, :, 0, 0], G2), unit="%", at_most=100 * most2)
        report("explain_shares", {"rows": rows}, value=off, unit="off", at_most=0.02)
    begun = time.perf_counter()
    model.explain(40, std=False)
    report("explain", {"rows": rows, "lags": 40}, value=time.perf_counter() - begun, unit="s", at_most=1)
    begun = time.perf_counter()
    model.explain(40, shares=False)
    report("explain_band", {"rows": rows, "lags": 40}, value=time.perf_counter() - begun, unit="s")

    inside = count = 0
    for seed in range(SAMPLES):
        x, y, _, _ = sample(100 + seed, TUNED)
        found = volterra.SequenceKernelRidge(kernel, alpha=alpha).fit(x, y).explain(LAGS, about="zero", shares=False)
        off = np.abs(found.g1[0, :MEMORY, 0] - G1[:MEMORY])
        inside += int((off <= 1.6448536 * found.g1_std[0, :MEMORY, 0]).sum())
        count += MEMORY
    coverage = 100 * inside / count
    report("explain_coverage", {"samples": SAMPLES, "rows": TUNED}, value=coverage, unit="%")
    return 0 if 85 <= coverage <= 95 else 1


if __name__ == "__main__":
    raise SystemExit(main())
