"""Forecasting: tomorrow's covariances of five stocks from the shocks up to today.

A BEKK model with parameters estimated on S&P 500 stocks produces shocks z_t and covariance matrices H_t.
H_{t+1} is a function of all past shocks that fades with time, and even in each of them: the sign of a shock
does not matter.
"""

# %% The data: inputs z_t, targets 1000 vech(H_{t+1}). Rows are time steps.
import numpy as np
import volterra

z, returns, h = volterra.datasets.bekk("sp500-d5", 1301, seed=1)
X, Y = z[:-1], 1000 * h[1:]
print("inputs", X.shape, "targets", Y.shape)

# %% Split in time, never at random: the first 1000 rows are the past.
X_train, X_test, Y_train, Y_test = X[:1000], X[1000:], Y[:1000], Y[1000:]

# %% A first model, with nothing given: alpha is chosen on held-out rows, each forecast from what was known then.
# What it scored there is what to expect, and what needs no model scored there too.
first = volterra.VolterraRidge(washout=50).fit(X_train, Y_train)
print(f"with the defaults:   R2 {first.score(X_test, Y_test):.3f} on the rows that follow")
print(
    f"                     R2 {first.prequential_r2_:.3f} on the {first.report_['rows']} rows held out of training"
)
for name, scores in first.baselines_.items():
    print(f"{name:>20} R2 {scores['r2']:.3f} there (it has seen past covariances, the model only shocks)")

# %% What it learned. `facts_` says how much of the past one step keeps, and how far back it sees.
facts = first.facts_
print(f"one step keeps {facts['contraction']:.2f} of the past; {facts['horizon']:.0f} steps until it has faded")

# %% Covariances do not see the sign of a shock, and neither does the lift "even".
# Coefficients in (0, 1) cannot be out of bounds, whatever the data.
even = volterra.VolterraRidge(tau_coef=0.5, lam_coef=0.9, lift="even", washout=50).fit(X_train, Y_train)
print(f"the lift even:       R2 {even.score(X_test, Y_test):.3f}")

# %% Search the rest: 60 candidates, five folds from one factorisation each, hopeless ones given up.
search = volterra.VolterraRidgeCV(draws=60, kernel="volterra:lift=even", washout=50, random_state=0)
search.fit(X_train, Y_train)
print(f"after the search:    R2 {search.score(X_test, Y_test):.3f}, in {search.search_time_:.1f} s")
print(
    "best parameters",
    {k: v if isinstance(v, str) else float(f"{v:.3g}") for k, v in search.best_params_.items()},
)
given_up = search.cv_results_["stopped"].sum()
print(f"{given_up} of {len(search.cv_results_['params'])} candidates were given up by the race")
assert search.score(X_test, Y_test) > first.score(X_test, Y_test)

# %% Against a plain forecast: the mean of the past.
mean = np.broadcast_to(Y_train.mean(axis=0), Y_test.shape)
ours, plain = (volterra.metrics.nmse(Y_test, forecast) for forecast in (search.predict(X_test), mean))
print(f"NMSE {ours:.3f}, of the mean {plain:.3f}")

# %% A series that forecasts itself: the volatility of the first stock, the next ten days at once. Its change is learned from
# levels and changes; "as now" stays the forecast of a day unless held-out rows clearly prefer another.
volatility = np.sqrt(h[:, :1])
ahead = volterra.VolterraRidge(ahead=range(1, 11)).fit(volatility[:1000])
kept = int((ahead.report_["share"] == 0).sum())
print(
    f"volatility: skill {ahead.baselines_['naive']['skill']:.2f} against 'as now', which was kept for {kept} of 10 days"
)
print(
    "the next three days",
    ahead.forecast()[:3].ravel().round(4),
    "and as they were",
    volatility[1000:1003].ravel().round(4),
)

# %% Keep the model. The program reads the file too: volterra predict covariances.safetensors --x ...
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

path = Path(tempfile.mkdtemp(), "covariances.safetensors")
volterra.save(search, path)
assert np.array_equal(volterra.load(path).predict(X_test), search.predict(X_test))

# %% Draw it.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no matplotlib: no picture")
else:
    volterra.plot.forecast(Y_test[:, :2], search.predict(X_test)[:, :2], names=["h11", "h21"])
    volterra.plot.search(search)
    plt.show()
