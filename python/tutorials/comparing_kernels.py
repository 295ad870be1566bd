"""Comparing kernels: NARMA10 with five kernels, the model confidence set, and kernels between whole series.

Every kernel has the same folds and the same number of draws.
"""

# %% A system of order ten: y[t+1] depends on the last ten outputs and on u[t - 9] u[t].
import warnings

import numpy as np
import volterra

warnings.simplefilter("ignore", volterra.VolterraWarning)
u, y = volterra.datasets.narma10(1000, seed=2)
train, test = slice(0, 800), slice(800, None)

# %% Search the parameters of every kernel. Parameters given in the text are fixed, the others are searched.
kernels = ["volterra", "memory", "rbf", "linear", "gak:window=12"]
forecasts = {}
for kernel in kernels:
    search = volterra.VolterraRidgeCV(draws=25, kernel=kernel, washout=20, folds=3, random_state=0)
    forecasts[kernel] = search.fit(u[train], y[train]).predict(u[test])
    scores = volterra.metrics.scores(y[test], forecasts[kernel])
    print(f"{kernel:14s} NMSE {scores['nmse']:.4f}  MdAE {scores['mdae']:.4f}  W1 {scores['w1']:.4f}")
    print(f"{'':14s} {search.kernel_}")

# %% Are the differences significant? The model confidence set contains the best kernel with probability 0.75.
losses = np.column_stack([volterra.losses(y[test], forecasts[kernel]) for kernel in kernels])
mcs = volterra.MCS(losses, size=0.25)
for kernel, pvalue, mean in zip(kernels, mcs.pvalues, mcs.mean_losses):
    print(f"{kernel:14s} mean loss {mean:.4f}  p {pvalue:.3f}{'  in the set' if pvalue > 0.25 else ''}")

# %% Kernels between whole series of unequal lengths: classify left and right turns of a path.
rng = np.random.default_rng(0)


def turn(direction):
    """Return a noisy path in the plane that turns, with a random number of steps."""
    steps = rng.integers(20, 36)
    angle = direction * np.linspace(0, 2, steps)
    return np.c_[np.cos(angle), np.sin(angle)] + 0.05 * rng.normal(size=(steps, 2))


labels = np.array([1, -1] * 12)
series = [turn(direction) for direction in labels]
for kernel in ("gak:sigma=1", "sig:level=3", "volterra"):
    K = volterra.gram(series[16:], series[:16], kernel)
    guess = np.where(K @ (labels[:16] == 1) > K @ (labels[:16] == -1), 1, -1)
    print(f"{kernel:12s} {np.mean(guess == labels[16:]):.0%} of the turns are classified correctly")

# %% Other methods can use the same matrices, for example scikit-learn's SVC(kernel="precomputed").
K = volterra.signature_kernel(series, level=3)
assert K.shape == (24, 24) and np.array_equal(K, K.T)
