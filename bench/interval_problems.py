"""bench/interval_problems.py: the problems on which the rule for intervals was chosen; none of them is in the results.

Each takes a sample number and returns inputs, targets, the number of training rows, the kernel and alpha. Those from records
require BENCH_DATA (a folder with sysid/*.csv).
"""

import functools
import os
from pathlib import Path

import numpy as np

import volterra


@functools.lru_cache(maxsize=None)
def record(name):
    return np.genfromtxt(Path(os.environ["BENCH_DATA"], "sysid", name), delimiter=",", skip_header=1)


def narma_short(sample):
    u, y = volterra.datasets.narma10(1000, seed=100 + sample)
    return u, y, 500, "volterra:tau_coef=0.3,lambda_coef=0.9", 1e-2


def narma_window(sample):
    u, y = volterra.datasets.narma10(1500, seed=100 + sample)
    return u, y, 1000, "rbf:window=10,gamma=0.5", 1e-2


def lorenz_height(sample):
    rng = np.random.default_rng(100 + sample)
    rows = volterra.datasets.lorenz(4500, step=0.05)[int(rng.integers(0, 3000)) :][:1501]
    seen = rows + 0.05 * rows.std(axis=0) * rng.normal(size=rows.shape)
    return seen[:-1], seen[1:, 2:], 1000, "volterra:tau_coef=0.3,lambda_coef=0.5", 1e-3


def mackey_glass(sample):
    rng = np.random.default_rng(100 + sample)
    x = np.ravel(volterra.datasets.mackey_glass(4000))[int(rng.integers(0, 2480)) :][:1510]
    x = x + 0.02 * x.std() * rng.normal(size=1510)
    return x[:1500, None], x[6:1506], 1000, "volterra:tau_coef=0.3,lambda_coef=0.8", 1e-3


def stretch(name, first, step, span, sample):
    begin = first + (100 + sample) * step % span
    rows = record(name)[begin : begin + 1200]
    return rows[:, :1], rows[:, 1]


def silverbox(sample):
    return *stretch("silverbox_snls80mv.csv", 40650, 3779, 80000, sample), 800, "memory:gamma=0.05,rho=0.9,mu=0.9", 1e-3


def silverbox_arrow(sample):
    u, y = stretch("silverbox_snls80mv.csv", 100, 1931, 38000, sample)
    return u, y, 800, "volterra:tau_coef=0.3,lambda_coef=0.9", 1e-3


def wiener_hammerstein(sample):
    u, y = stretch("wiener_hammerstein.csv", 5200, 3779, 170000, sample)
    return u, y, 800, "volterra:tau_coef=0.3,lambda_coef=0.95", 1e-2


def laser(sample):
    values = record("santafe_laser.csv").ravel()[(100 + sample) * 97 % 8500 :][:1201]
    return values[:-1, None], values[1:], 800, "volterra:tau_coef=0.3,lambda_coef=0.6", 1e-3


def filtered(values, keeps):
    for t in range(1, len(values)):
        values[t] += keeps * values[t - 1]
    return values


def slow_noise(sample):
    rng = np.random.default_rng(100 + sample)
    u = rng.uniform(-1, 1, (1500, 1))
    y = filtered(u[:, 0].copy(), 0.8) + filtered(0.3 * rng.normal(size=1500), 0.9)
    return u, y, 1000, "volterra:tau_coef=0.3,lambda_coef=0.8", 1e-1


def heavy_tails(sample, rows=1000, all_rows=1500):
    rng = np.random.default_rng(100 + sample)
    u = rng.uniform(-1, 1, (1500, 1))
    v = u[:, 0].copy()
    for t in range(1, 1500):
        v[t] += 0.7 * np.tanh(2 * v[t - 1]) * u[t, 0] + 0.3 * v[t - 1]
    y = v + 0.2 * rng.standard_t(5, 1500)
    return u[:all_rows], y[:all_rows], rows, "volterra:tau_coef=0.3,lambda_coef=0.8", 1e-1


def heavy_tails_few_rows(sample):
    return heavy_tails(sample, 200, 400)


def bekk_other(sample):
    drawn = volterra.datasets.bekk("sp500-d5", 1501, seed=100 + sample)
    y = 1000 * drawn.covariances[1:, 3]
    return drawn.innovations[:-1], y, 1000, "volterra:tau_coef=0.4,lambda_coef=0.9", 1e-2


def simulated_tanks(sample):
    rng = np.random.default_rng(100 + sample)
    u = np.repeat(rng.uniform(0.5, 5, 41), 25)[:1000] + 0.3 * rng.normal(size=1000)
    u = np.clip(u, 0, 6)
    upper = lower = 4.0
    y = np.zeros(1000)
    for t in range(1000):
        for _ in range(4):
            flow = 0.14 * np.sqrt(upper)
            filled = upper + 0.09 * u[t] - flow
            lower = float(np.clip(lower + flow - 0.15 * np.sqrt(lower) + 0.5 * max(filled - 10, 0), 0, 10))
            upper = float(np.clip(filled, 0, 10))
        y[t] = lower + 0.02 * rng.normal()
    return u[:, None], y, 700, "volterra:tau_coef=0.3,lambda_coef=0.99", 1e-2


SIMULATED = {
    "narma10, 500 rows": narma_short,
    "narma10, rbf window": narma_window,
    "lorenz z, noise of 5 %": lorenz_height,
    "mackey-glass, 6 ahead": mackey_glass,
    "slow noise": slow_noise,
    "heavy tails": heavy_tails,
    "heavy tails, 200 rows": heavy_tails_few_rows,
    "bekk, another entry": bekk_other,
    "tanks, simulated": simulated_tanks,
}
MEASURED = {
    "silverbox multisine": silverbox,
    "silverbox arrow": silverbox_arrow,
    "wiener-hammerstein": wiener_hammerstein,
    "santa fe laser": laser,
}
