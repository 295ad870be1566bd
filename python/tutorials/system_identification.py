"""System identification: two water tanks, a pump voltage in, the level of the second tank out.

The model sees the voltage only, never the level: it is a simulation, not a one-step-ahead forecast.
"""

# %% The data: one row per sample, in time order.
from pathlib import Path

import numpy as np
import volterra

folder = Path(__file__).resolve().parents[2] / "examples/data"
table = np.genfromtxt(folder / "tanks.csv", delimiter=",", names=True)
pump, level = table["pump"].reshape(-1, 1), table["level"]
train, test = slice(0, 1200), slice(1200, None)

# %% The first rows fill the tanks: they feed the past of the model, but are not fitted (washout).
model = volterra.VolterraRidge(tau_coef=0.3, lam_coef=0.99, alpha=1e-3, washout=100)
model.fit(pump[train], level[train])
print(f"in sample  R2 {volterra.metrics.r2(level[100:1200], model.fitted_[100:]):.6f} after the washout")

# %% Rows that follow: forecasts go on from the end of training. Inputs larger than any in training are
#    projected to the largest norm seen there, and a warning says how many.
import warnings  # noqa: E402

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    forecast = model.predict(pump[test])
print(f"test       R2 {volterra.metrics.r2(level[test], forecast):.6f}")
for warning in caught:
    print("warning:  ", warning.message)

# %% What is it worth to remember the training rows? Start from an empty past instead.
warnings.simplefilter("ignore", volterra.BeyondWarning)
reset = model.predict(pump[test], start="reset")
print(
    f"first 50 rows: RMSE {np.sqrt(volterra.metrics.mse(level[1200:1250], forecast[:50])):.4f} continued,",
    end=" ",
)
print(f"{np.sqrt(volterra.metrics.mse(level[1200:1250], reset[:50])):.4f} after a past of zeros")

# %% Another kernel on the same data: the recent past by a Gaussian, seen through a fading filter.
memory = volterra.SequenceKernelRidge("memory:gamma=1,rho=0.5,mu=0.95", alpha=1e-4, washout=100)
memory.fit(pump[train], level[train])
print(f"memory     R2 {memory.score(pump[test], level[test]):.6f}")

# %% On line: one row at a time, each answered at once; the same numbers as predict.
stream = model.stream()
live = [stream.feed(row) for row in pump[test]]
print(f"streamed {len(live)} rows, {stream.beyond} of them beyond the training inputs")
assert np.allclose(live, forecast, rtol=0, atol=1e-8)

# %% Draw it.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib: no picture")
else:
    volterra.plot.forecast(level[test], forecast, history=level[1000:1200], names=["level"])
    plt.show()
