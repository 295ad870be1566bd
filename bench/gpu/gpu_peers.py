"""bench/gpu/gpu_peers.py: the fit of bench_gpu in PyTorch and CuPy on the same GPU: Gram matrix row by row, Cholesky, solve.

    gpu_peers.py RESULTS [N...]

RESULTS is the output of bench_gpu (a line of JSON for every measurement); N are rows, default 20000 and 50000. Prints a line of
JSON for every peer and size, with the library's seconds and the ratio if RESULTS has that size. A peer that is not installed, or
that runs out of memory, is reported and skipped.
"""
import json
import sys
import time

import numpy

D, ALPHA = 10, 1e-2
TAU2, LAMBDA2 = 0.09, 0.81 * (1 - 0.09)  # tau_coef = 0.3 and lambda_coef = 0.9 on the unit ball


def rows(n):
    """Inputs of norm at most 1, and arbitrary targets."""
    rng = numpy.random.default_rng(5)
    x = rng.standard_normal((n, D))
    x /= numpy.linalg.norm(x, axis=1).max()
    return x, rng.standard_normal((n, 1))


def fit(empty, x, y, cholesky, solve, wait):
    """Seconds of the Gram matrix, of its factor and of the solve."""
    n = len(x)
    begun = time.perf_counter()
    K = empty((n, n))
    K[0] = 1 + LAMBDA2 / (1 - TAU2 * (x @ x[0])) / (1 - LAMBDA2)
    for i in range(1, n):
        factor = LAMBDA2 / (1 - TAU2 * (x @ x[i]))
        K[i, 1:] = 1 + factor[1:] * K[i - 1, :-1]
        K[i, 0] = 1 + factor[0] / (1 - LAMBDA2)
    K.ravel()[:: n + 1] += ALPHA
    wait()
    filled = time.perf_counter()
    L = cholesky(K)
    wait()
    factored = time.perf_counter()
    solve(L, y)
    wait()
    return filled - begun, factored - filled, time.perf_counter() - factored


def with_torch(n):
    import torch

    x, y = (torch.as_tensor(a, device="cuda") for a in rows(n))

    def empty(shape):
        return torch.empty(shape, dtype=torch.float64, device="cuda")

    torch.cuda.empty_cache()
    return fit(empty, x, y, torch.linalg.cholesky, lambda L, b: torch.cholesky_solve(b, L), torch.cuda.synchronize)


def with_cupy(n):
    import cupy
    from cupyx.scipy.linalg import solve_triangular

    def solve(L, b):
        return solve_triangular(L, solve_triangular(L, b, lower=True), lower=True, trans=1)

    x, y = (cupy.asarray(a) for a in rows(n))
    cupy.get_default_memory_pool().free_all_blocks()
    return fit(cupy.empty, x, y, cupy.linalg.cholesky, solve, cupy.cuda.runtime.deviceSynchronize)


def ours(path):
    """The library's seconds by rows."""
    found = {}
    with open(path) as file:
        for line in file:
            if line.startswith('{"name": "gpu fit"'):
                measured = json.loads(line)
                found[measured["parameters"]["n"]] = measured["value"]
    return found


def main():
    mine = ours(sys.argv[1])
    for n in [int(a) for a in sys.argv[2:]] or [20000, 50000]:
        for name, run in (("PyTorch", with_torch), ("CuPy", with_cupy)):
            try:
                run(1000)
                parts = run(n)
            except Exception as error:  # not installed, out of memory, or another error of a peer
                print(f"peers: {name} is left out at n = {n}: {str(error).splitlines()[0][:120]}", file=sys.stderr)
                continue
            line = {"name": "gpu fit", "peer": name, "n": n, "d": D, "seconds": round(sum(parts), 3)}
            line.update(zip(("gram", "factor", "solve"), (round(p, 3) for p in parts)))
            if n in mine:
                line.update(ours=round(mine[n], 3), ratio=round(sum(parts) / mine[n], 2))
            print(json.dumps(line), flush=True)


main()
