"""bench/path_peers.py: kernels of windows by other packages, with the protocol of peers.py.

    path_peers.py gak    X.npy Y.npy WINDOW SIGMA
    path_peers.py sigpde X.npy Y.npy WINDOW
    path_peers.py sig    X.npy Y.npy WINDOW LEVEL

The cross Gram matrix of the windows of X and those of Y; rows before the first are zeros. VALUE is the mean of the
matrix.

gak: tslearn's cdist_gak. sigpde: the batched Gram matrices of pysiglib and sigkernel, dyadic order 0; the faster one is the peer.
sig: features by iisignature, then one matrix product. If none of a task's packages is installed, the recursion in numba is used
and named accordingly.
"""

import json
import math
import sys

import numpy as np

from peers import njit, prange, seconds_of, serve


def windows_of(path, window):
    """n x window x d."""
    X = np.load(path)
    padded = np.vstack([np.zeros((window - 1, X.shape[1])), X])
    stacked = np.lib.stride_tricks.sliding_window_view(padded, window, axis=0)
    return np.ascontiguousarray(stacked.transpose(0, 2, 1))


# ---- replacements ------------------------------------------------------------------------------


@njit
def alignments(x, y, sigma, M):
    for a in range(len(x)):
        for b in range(len(y)):
            s = 0.0
            for k in range(x.shape[1]):
                s += (x[a, k] - y[b, k]) ** 2
            e = math.exp(-s / (2.0 * sigma * sigma))
            M[a + 1, b + 1] = e / (2.0 - e) * (M[a, b + 1] + M[a + 1, b] + M[a, b])
    return M[-1, -1]


@njit(parallel=True)
def alignments_of_all(x, y, sigma, K):
    for i in prange(len(x)):
        M = np.zeros((x.shape[1] + 1, y.shape[1] + 1))
        M[0, 0] = 1.0
        for j in range(len(y)):
            K[i, j] = alignments(x[i], y[j], sigma, M)


def gak_in_numba(x, y, sigma, K):
    alignments_of_all(x, y, sigma, K)
    for paths, axis in ((x, 0), (y, 1)):
        selves = np.ones((len(paths), 1))
        for p, path in enumerate(paths):
            alignments_of_all(path[None], path[None], sigma, selves[p : p + 1])
        K /= np.sqrt(selves if axis == 0 else selves.T)


@njit(parallel=True)
def sigpde_in_numba(x, y, K):
    for i in prange(len(x)):
        U = np.ones((x.shape[1], y.shape[1]))
        for j in range(len(y)):
            for a in range(x.shape[1] - 1):
                for b in range(y.shape[1] - 1):
                    g = 0.0
                    for k in range(x.shape[2]):
                        g += (x[i, a + 1, k] - x[i, a, k]) * (y[j, b + 1, k] - y[j, b, k])
                    U[a + 1, b + 1] = (U[a + 1, b] + U[a, b + 1]) * (1.0 + g / 2.0 + g * g / 12.0) - U[a, b] * (
                        1.0 - g * g / 12.0
                    )
            K[i, j] = U[-1, -1]


def signature_in_numpy(paths, level):
    """Levels 1 .. level of every path, by Chen's identity, all paths at once."""
    n, window, d = paths.shape
    S = [np.ones((n, 1))] + [np.zeros((n, d**m)) for m in range(1, level + 1)]
    for t in range(window - 1):
        dx = paths[:, t + 1] - paths[:, t]
        for m in range(level, 0, -1):
            grown = np.ones((n, 1))
            for i in range(m):  # Horner's rule
                grown = (grown[:, :, None] * dx[:, None, :] / (m - i)).reshape(n, -1)
                grown += S[i + 1] if i + 1 < m else 0.0
            S[m] += grown
    return np.hstack(S[1:])


# ---- methods: name -> function that returns the Gram matrix ------------------------------------


def gak_ways(x, y, sigma):
    try:
        import tslearn
        from tslearn.metrics import cdist_gak
    except ImportError:
        K = np.ones((len(x), len(y)))

        def fill():
            gak_in_numba(x, y, sigma, K)
            return K

        return {"a replacement of tslearn in parallel numba": fill}
    name = f"tslearn {tslearn.__version__} cdist_gak"
    return {f"{name}, n_jobs={jobs}": lambda jobs=jobs: cdist_gak(x, y, sigma=sigma, n_jobs=jobs) for jobs in (1, 2)}


def sigpde_ways(x, y):
    ways = {}
    try:
        import pysiglib

        version = getattr(pysiglib, "__version__", "")
        for jobs in (1, 2):
            ways[f"pysiglib {version} sig_kernel_gram, n_jobs={jobs}"] = lambda jobs=jobs: np.asarray(
                pysiglib.sig_kernel_gram(x, y, 0, n_jobs=jobs))
    except Exception as error:  # a missing shared library is not an ImportError
        print(f"peers: pysiglib: {error}", file=sys.stderr)
    try:
        import sigkernel
        import torch

        kernel = sigkernel.SigKernel(sigkernel.LinearKernel(), 0)
        tensors = torch.from_numpy(x), torch.from_numpy(y)
        ways["sigkernel compute_Gram"] = lambda: kernel.compute_Gram(*tensors, max_batch=100).numpy()
    except Exception as error:
        print(f"peers: sigkernel: {error}", file=sys.stderr)
    if not ways:
        K = np.ones((len(x), len(y)))

        def fill():
            sigpde_in_numba(x, y, K)
            return K

        ways["a replacement of pysiglib and sigkernel in parallel numba"] = fill
    return ways


def sig_ways(x, y, level):
    def gram(signature):
        return signature(x, level) @ signature(y, level).T + 1.0

    try:
        import iisignature

        return {"iisignature features and a product": lambda: gram(iisignature.sig)}
    except ImportError:
        return {"a replacement of iisignature in NumPy, and a product": lambda: gram(signature_in_numpy)}


# ---- tasks -------------------------------------------------------------------------------------


def compete(task, x, y, ways):
    """Serve with the fastest method."""
    best = None
    for name, gram in ways.items():
        value = gram().mean()  # also compiles
        if best and not abs(value / best[2] - 1.0) < 1e-9:
            sys.exit(f"peers: {name} disagrees")
        seconds = min(seconds_of(gram) for _ in range(2))
        parameters = {"n": len(x), "m": len(y), "window": x.shape[1], "d": x.shape[2], "way": name}
        print(json.dumps({"name": f"{task}, a way of the peer", "parameters": parameters, "seconds": seconds,
                          "rate": 1e-6 * len(x) * len(y) / seconds, "unit": "M pairs/s"}), flush=True)
        if best is None or seconds < best[0]:
            best = (seconds, name, value, gram)
    serve(best[2], best[1], lambda: seconds_of(best[3]))


def main(task, x_path, y_path, window, *more):
    ways, kind = {"gak": (gak_ways, float), "sigpde": (sigpde_ways, float), "sig": (sig_ways, int)}[task]
    x, y = windows_of(x_path, int(window)), windows_of(y_path, int(window))
    compete(task, x, y, ways(x, y, *map(kind, more)))


if __name__ == "__main__":
    main(*sys.argv[1:])
