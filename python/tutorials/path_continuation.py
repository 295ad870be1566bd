"""Path continuation: a model of the Lorenz system runs in a closed loop.

The model learns the series one step ahead. With its outputs fed back as inputs, it simulates a path. Two paths
of a chaotic system diverge at an exponential rate, so the accuracy is the time until the path deviates from the
truth, in Lyapunov times.
"""

# %% The data: 3 columns, a row every 0.005 units of time.
import numpy as np
import volterra

STEP, LYAPUNOV = 0.005, 0.9
x = volterra.datasets.lorenz(5501, step=STEP)
past, future = x[:3001], x[3001:]

# %% Without y the target of a row is the next row.
model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-10, washout=100)
model.fit(past)
print(f"one step ahead: NMSE {1 - model.score(future):.1e}")

# %% Continue the series.
path = model.continue_(len(future))
time = volterra.metrics.valid_time(future, path, STEP, LYAPUNOV)
print(f"the path is valid for {time:.1f} Lyapunov times ({volterra.metrics.valid_rows(future, path)} rows)")

# %% Later the path differs, but its values have a similar distribution.
distance = volterra.metrics.w1(future, path)
print(f"W1 distance of the distributions: {distance:.3f}, spread of the data {future.std():.1f}")

# %% How many training rows are needed? A path may leave the range of few training rows. By default, such
# inputs are projected to the training range with a warning (beyond="clip"); "allow" uses them unchanged.
for rows in (500, 1000, 2000, 3001):
    short = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-10, washout=100, beyond="allow")
    short.fit(past[-rows:])
    valid = volterra.metrics.valid_time(future, short.continue_(len(future)), STEP, LYAPUNOV)
    print(f"{rows:5d} rows: {valid:.1f} Lyapunov times")
assert time > 2

# %% A stream does the same step by step: feed a row, and use the prediction as the next row. A stream starts
# after the last training input, so fit on pairs whose last input is the last row but one.
pairs = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-10, washout=100).fit(past[:-1], past[1:])
stream, row, by_hand = pairs.stream(), past[-1], []
for _ in range(50):
    row = stream.feed(row)
    by_hand.append(row)
print("largest difference of stream and continue_:", np.abs(np.array(by_hand) - path[:50]).max())

# %% Plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no plot: matplotlib is not installed")
else:
    volterra.plot.forecast(future, path, history=past[-300:], names=["u", "v", "w"])
    plt.show()
