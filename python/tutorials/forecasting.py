"""Forecasting: tomorrow's covariances of five stocks from the shocks up to today.

A BEKK model with parameters estimated on S&P 500 stocks produces shocks z_t and covariance matrices H_t.
H_{t+1} depends on all past shocks, with a weaker effect of older ones. It is an even function of each shock:
the sign does not matter.
"""

# %% The data: inputs z_t, targets 1000 vech(H_{t+1}). Rows are time steps.
import numpy as np
import volterra

z, returns, h = volterra.datasets.bekk("sp500-d5", 1301, seed=1)
X, Y = z[:-1], 1000 * h[1:]
print("inputs", X.shape, "targets", Y.shape)

# %% Split in time order, never at random: the first 1000 rows are the training rows.
X_train, X_test, Y_train, Y_test = X[:1000], X[1000:], Y[:1000], Y[1000:]

# %% A first model with default parameters. Alpha is chosen on held-out rows, each predicted from the rows
# before it. The score on these rows is the expected score. Baselines are scored on the same rows.
first = volterra.VolterraRidge(washout=50).fit(X_train, Y_train)
print(f"with the defaults:   R2 {first.score(X_test, Y_test):.3f} on the test rows")
print(
    f"                     R2 {first.heldout_r2_:.3f} on the {first.report_['rows']} held-out rows"
)
for name, scores in first.baselines_.items():
    print(f"{name:>20} R2 {scores['r2']:.3f} there (uses past covariances, the model only shocks)")

# %% Properties of the kernel: the contraction rate and the memory length.
facts = first.facts_
print(f"contraction rate {facts['contraction']:.2f}, memory length {facts['horizon']:.0f} steps")

# %% Covariances do not depend on the sign of a shock, and neither does the lift "even".
# tau_coef and lambda_coef in (0, 1) are valid for any data.
even = volterra.VolterraRidge(tau_coef=0.5, lambda_coef=0.9, lift="even", washout=50).fit(X_train, Y_train)
print(f"with lift even:       R2 {even.score(X_test, Y_test):.3f}")

# %% Search the parameters: 60 candidates, each with five folds from one factorisation. A race stops poor
# candidates early.
search = volterra.VolterraRidgeCV(draws=60, kernel="volterra:lift=even", washout=50, random_state=0)
search.fit(X_train, Y_train)
print(f"after the search:    R2 {search.score(X_test, Y_test):.3f}, in {search.search_time_:.1f} s")
print(
    "best parameters",
    {k: v if isinstance(v, str) else float(f"{v:.3g}") for k, v in search.best_params_.items()},
)
stopped = search.cv_results_["stopped"].sum()
print(f"{stopped} of {len(search.cv_results_['params'])} candidates were stopped by the race")
assert search.score(X_test, Y_test) > first.score(X_test, Y_test)

# %% Comparison with a constant prediction, the mean of the training rows.
mean = np.broadcast_to(Y_train.mean(axis=0), Y_test.shape)
ours, plain = (volterra.metrics.nmse(Y_test, forecast) for forecast in (search.predict(X_test), mean))
print(f"NMSE {ours:.3f}, of the mean {plain:.3f}")

# %% Forecast a series: the volatility of the first stock over the next ten days. The model learns changes
# from levels and changes. It keeps the naive forecast (the last value) for a day unless held-out rows clearly
# prefer the fit.
volatility = np.sqrt(h[:, :1])
ahead = volterra.VolterraRidge(ahead=range(1, 11)).fit(volatility[:1000])
kept = int((ahead.report_["share"] == 0).sum())
print(
    f"volatility: skill {ahead.baselines_['naive']['skill']:.2f} relative to the naive forecast,",
    f"which was kept for {kept} of 10 days",
)
print(
    "the next three days",
    ahead.forecast()[:3].ravel().round(4),
    "truth",
    volatility[1000:1003].ravel().round(4),
)

# %% Save the model. The program reads the same file: volterra predict covariances.safetensors --x ...
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

path = Path(tempfile.mkdtemp(), "covariances.safetensors")
volterra.save(search, path)
assert np.array_equal(volterra.load(path).predict(X_test), search.predict(X_test))

# %% Plot.
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no plot: matplotlib is not installed")
else:
    volterra.plot.forecast(Y_test[:, :2], search.predict(X_test)[:, :2], names=["h11", "h21"])
    volterra.plot.search(search)
    plt.show()
