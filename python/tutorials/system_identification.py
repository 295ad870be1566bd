"""System identification: two water tanks, from the setting of a pump to the level of the second tank.

The model uses only the pump, not measured levels: it simulates, and does not predict one step ahead.
"""

# %% The data: one row per sample, in time order.
from pathlib import Path

import numpy as np
import volterra

folder = Path(__file__).resolve().parents[2] / "examples/data"
table = np.genfromtxt(folder / "tanks.csv", delimiter=",", names=True)
pump, level = table["pump"].reshape(-1, 1), table["level"]
train, test = slice(0, 1200), slice(1200, None)

# %% The first rows fill the tanks. They initialise the state but are excluded from the fit (washout).
model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.99, alpha=1e-3, washout=100)
model.fit(pump[train], level[train])
print(f"in sample  R2 {volterra.metrics.r2(level[100:1200], model.fitted_[100:]):.6f} after the washout")

# %% Test rows: predictions continue from the end of training. Inputs with a larger norm than all training
# inputs are projected to the largest training norm, and a warning reports their number.
import warnings  # noqa: E402

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    forecast = model.predict(pump[test])
print(f"test       R2 {volterra.metrics.r2(level[test], forecast):.6f}")
for warning in caught:
    print("warning:  ", warning.message)

# %% What is the effect of the state at the end of training? Start from a zero initial state instead.
warnings.simplefilter("ignore", volterra.BeyondWarning)
reset = model.predict(pump[test], start="reset")
print(
    f"first 50 rows: RMSE {np.sqrt(volterra.metrics.mse(level[1200:1250], forecast[:50])):.4f} continued,",
    end=" ",
)
print(f"{np.sqrt(volterra.metrics.mse(level[1200:1250], reset[:50])):.4f} from a zero initial state")

# %% Another kernel on the same data: a Gaussian of recent inputs, followed by a decaying filter.
memory = volterra.SequenceKernelRidge("memory:gamma=1,rho=0.5,mu=0.95", alpha=1e-4, washout=100)
memory.fit(pump[train], level[train])
print(f"memory     R2 {memory.score(pump[test], level[test]):.6f}")

# %% Online: one row at a time, with the same numbers as predict.
stream = model.stream()
live = [stream.feed(row) for row in pump[test]]
print(f"streamed {len(live)} rows, {stream.beyond} of them beyond the training inputs")
assert np.allclose(live, forecast, rtol=0, atol=1e-8)

# %% Plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no plot: matplotlib is not installed")
else:
    volterra.plot.forecast(level[test], forecast, history=level[1000:1200], names=["level"])
    plt.show()
