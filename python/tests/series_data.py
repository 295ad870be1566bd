"""Series of the forecasting tests."""

from __future__ import annotations

import numpy as np


def monthly(rows: int, series: int = 1, seed: int = 7) -> np.ndarray:
    """Rows x series with a trend, a season of 12 rows and noise; the scale of each is 100 times that of the one before."""
    rng = np.random.default_rng(seed)
    print("seed", seed)
    t, k = np.arange(rows)[:, None], np.arange(series)
    return 100.0**k * (20 + 0.05 * t + 5 * np.sin(0.523599 * t + k) + rng.random((rows, series)))
