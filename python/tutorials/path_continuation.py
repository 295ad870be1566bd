"""Path continuation: a model of the Lorenz system runs on its own outputs.

The series learns to forecast itself one step ahead; fed back, the forecasts become a path. Two paths of a
chaotic system part at an exponential rate, so the measure is the time until the forecast is off, in Lyapunov
times.
"""

# %% The data: 3 columns, a row every 0.005 units of time.
import numpy as np
import volterra

STEP, LYAPUNOV = 0.005, 0.9
x = volterra.datasets.lorenz(5501, step=STEP)
past, future = x[:3001], x[3001:]

# %% Without y the target of a row is the next row.
model = volterra.VolterraRidge(tau_coef=0.3, lam_coef=0.3, alpha=1e-10, washout=100)
model.fit(past)
print(f"one step ahead: NMSE {1 - model.score(future):.1e}")

# %% Let it run.
path = model.continue_(len(future))
time = volterra.metrics.valid_time(future, path, STEP, LYAPUNOV)
print(f"the path is right for {time:.1f} Lyapunov times ({volterra.metrics.valid_rows(future, path)} rows)")

# %% After that it is another path of the same system: the distributions agree.
distance = volterra.metrics.w1(future, path)
print(f"W1 distance of the distributions: {distance:.3f}, spread of the data {future.std():.1f}")

# %% How much data does it take? The future goes further out than a short past did; a path would be projected
#    back to the ball of its training rows there (beyond="clip", with a warning). "allow" takes it as it is.
for rows in (500, 1000, 2000, 3001):
    short = volterra.VolterraRidge(tau_coef=0.3, lam_coef=0.3, alpha=1e-10, washout=100, beyond="allow")
    short.fit(past[-rows:])
    valid = volterra.metrics.valid_time(future, short.continue_(len(future)), STEP, LYAPUNOV)
    print(f"{rows:5d} rows: {valid:.1f} Lyapunov times")
assert time > 2

# %% A stream does the same by hand: push a row, take the answer as the next row. It starts where training
#    ended, after the last row of the series, so begin with pairs whose last input is the row before.
pairs = volterra.VolterraRidge(tau_coef=0.3, lam_coef=0.3, alpha=1e-10, washout=100).fit(past[:-1], past[1:])
stream, row, by_hand = pairs.stream(), past[-1], []
for _ in range(50):
    row = stream.feed(row)
    by_hand.append(row)
print("by hand and by continue_:", np.abs(np.array(by_hand) - path[:50]).max())

# %% Draw it.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib: no picture")
else:
    volterra.plot.forecast(future, path, history=past[-300:], names=["u", "v", "w"])
    plt.show()
