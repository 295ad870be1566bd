"""bench/gpu/gpu_large_peers.py: the data of bench_gpu_large by other programs: one input, the Lorenz system, five rows ahead.

    gpu_large_peers.py PEER:N[:M]... [--lags L] [--gamma G] [--alpha A]

Peers are sklearn (Nystroem + Ridge, on the CPU), torch (the same features and normal equations in PyTorch, in blocks of rows), sgpr
(GPyTorch with M inducing points) and cg (GPyTorch with conjugate gradients, without approximation). The kernel is RBF on windows of L
rows; all numbers are float64. Hyperparameters are given: only the fit is timed, up to a prediction of the next 1000 rows. Prints a line
of JSON for every peer: seconds, and the root mean squared error of those rows relative to their spread. A peer that is not installed or
fails is reported and skipped. VOLTERRA is the program that makes the data (build/volterra).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

AHEAD, LATER, BLOCK = 5, 1000, 16384


def series(rows):
    """The first coordinate with noise of 1 % of its standard deviation."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lorenz.npy")
        words = ["simulate", "lorenz", "--length", str(rows), "--step", "0.02", "--discard", "1000", "--quiet", "-o", path]
        subprocess.run([os.environ.get("VOLTERRA", "build/volterra"), *words], check=True)
        x = numpy.load(path)[:, 0]
    return x + 0.01 * x.std() * numpy.random.default_rng(5).standard_normal(rows)


def windows(n, lags):
    """Standardised windows of n training rows and LATER rows after them, and their targets."""
    x = series(n + LATER + AHEAD + lags)
    x = (x - x[:n].mean()) / x[:n].std()
    rows = numpy.lib.stride_tricks.sliding_window_view(x, lags)[: n + LATER]
    y = x[lags - 1 + AHEAD :][: n + LATER]
    return numpy.ascontiguousarray(rows), y


# ---- peers: each returns the predictions of the rows after n --------------------------------------


def sklearn(X, y, n, m, o):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge

    features = Nystroem(gamma=o.gamma, n_components=m, random_state=0).fit(X[:n])
    ridge = Ridge(o.alpha).fit(features.transform(X[:n]), y[:n])
    return ridge.predict(features.transform(X[n:]))


def on_device(*arrays):
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    return [torch.as_tensor(a, dtype=torch.float64, device=device) for a in arrays]


def torch(X, y, n, m, o):
    import torch

    X, y = on_device(X, y)
    chosen = torch.as_tensor(numpy.random.default_rng(0).choice(n, m, replace=False), device=X.device)
    Z, mean = X[chosen], y[:n].mean()

    def rbf(A):
        return torch.cdist(A, Z).square_().mul_(-o.gamma).exp_()

    L = torch.linalg.cholesky(rbf(Z) + 1e-10 * torch.eye(m, dtype=X.dtype, device=X.device))

    def features(A):
        return torch.linalg.solve_triangular(L, rbf(A).T, upper=False)

    G = o.alpha * torch.eye(m, dtype=X.dtype, device=X.device)
    h = torch.zeros(m, dtype=X.dtype, device=X.device)
    for first in range(0, n, BLOCK):
        end = min(first + BLOCK, n)
        F = features(X[first:end])
        G.addmm_(F, F.T)
        h += F @ (y[first:end] - mean)
    b = torch.cholesky_solve(h[:, None], torch.linalg.cholesky(G))[:, 0]
    return (mean + b @ features(X[n:])).cpu().numpy()


def gaussian_process(X, y, n, o, wrap):
    """The predictive mean of GPyTorch, without variances; wrap(kernel, likelihood) makes the kernel of the model."""
    import gpytorch
    import torch

    X, y = on_device(X, y)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.GreaterThan(1e-9))
    kernel = gpytorch.kernels.RBFKernel()

    class Model(gpytorch.models.ExactGP):
        def __init__(self):
            super().__init__(X[:n], y[:n], likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = wrap(kernel, likelihood, X)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    model = Model().to(X)
    likelihood.to(X)
    kernel.lengthscale = (2 * o.gamma) ** -0.5
    likelihood.noise = o.alpha
    model.eval()
    settings = gpytorch.settings
    with torch.no_grad(), settings.skip_posterior_variances(), settings.eval_cg_tolerance(1e-4), settings.max_cg_iterations(5000):
        with settings.max_preconditioner_size(100):
            return model(X[n:]).mean.cpu().numpy()


def sgpr(X, y, n, m, o):
    import gpytorch

    chosen = numpy.random.default_rng(0).choice(n, m, replace=False)
    return gaussian_process(
        X, y, n, o, lambda kernel, likelihood, rows: gpytorch.kernels.InducingPointKernel(kernel, rows[chosen], likelihood)
    )


def cg(X, y, n, m, o):
    return gaussian_process(X, y, n, o, lambda kernel, likelihood, rows: kernel)


PEERS = {"sklearn": sklearn, "torch": torch, "sgpr": sgpr, "cg": cg}


def measure(text, o):
    name, n, m = (text.split(":") + ["0"])[:3]
    n, m = int(n), int(m)
    X, y = windows(n, o.lags)
    try:
        PEERS[name](X[: 3000 + LATER], y[: 3000 + LATER], 3000, min(m, 500), o)  # handles, code
        begun = time.perf_counter()
        predicted = PEERS[name](X, y, n, m, o)
        seconds = time.perf_counter() - begun
    except Exception as error:  # not installed, out of memory, or another error of a peer
        print(f"peers: {text} is left out: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}", file=sys.stderr)
        return
    error = float(numpy.sqrt(numpy.mean((predicted - y[n:]) ** 2)) / y[n:].std())
    print(json.dumps({"peer": name, "n": n, "m": m, "seconds": round(seconds, 3), "error": round(error, 6)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", nargs="+")
    parser.add_argument("--lags", type=int, default=24)
    parser.add_argument("--gamma", type=float, default=0.14)
    parser.add_argument("--alpha", type=float, default=1e-4)
    o = parser.parse_args()
    for text in o.peer:
        measure(text, o)


main()
