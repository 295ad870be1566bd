"""bench/identify_methods.py: other methods of system identification, for bench_identify_peers.py.

Every method chooses its settings by free runs over three blocks of the training rows (blocks) within a limit
of processor time, is then fitted to all training rows, and simulates the test. Measured outputs of the first
`known` rows of a run set the initial state. Columns are standardised on the training rows.

output error   linear, all inputs with one denominator; orders 1 to 8 (Levenberg-Marquardt, SciPy)
FROLS          polynomial NARX of SysIdentPy; degrees 1 to 3, lags 1 to 8, 4 to 40 terms
kernel NARX    kernel ridge regression (RBF) on lags of outputs and inputs; random search
GRU            one layer of 16 units, on simulation errors (PyTorch, Adam), all of the time
"""

import time
import warnings

import numpy as np
import torch
from scipy.optimize import least_squares
from scipy.signal import lfilter
from sklearn.kernel_ridge import KernelRidge
from sysidentpy.basis_function import Polynomial
from sysidentpy.model_structure_selection import FROLS
from sysidentpy.parameter_estimation import LeastSquares

SEED = 1
MOST_KERNEL_ROWS = 3000
GRU_UNITS, GRU_KNOWN_ROWS, GRU_ROWS = 16, 20, 100  # units; rows with known outputs, other rows of a sequence
REFIT_SHARE = 0.7  # of the time, for the choice of settings; the rest is for the fit of the winner


class Clock:
    """Processor time of this process."""

    def __init__(self, budget):
        self.begun, self.budget = time.process_time(), budget

    def used(self):
        return time.process_time() - self.begun

    def has(self, share):
        return self.used() < share * self.budget


def blocks(n):
    """(end of training, end of block) of three consecutive blocks after the first half."""
    edges = [n // 2 + k * (n - n // 2) // 3 for k in range(4)]
    return list(zip(edges[:-1], edges[1:]))


def rmse(truth, run, known):
    errors = (run - truth)[known:]
    return float(np.sqrt(np.mean(errors**2))) if np.isfinite(errors).all() else np.inf


def block_error(fit, u, y, known):
    """Root mean square over the blocks of the free-run errors of the models that `fit` returns.

    A block begins with `known` rows before it, as a test does.
    """
    total = 0.0
    for begin, end in blocks(len(y)):
        model = fit(u[:begin], y[:begin])
        first = begin - known
        run = model(u[first:end], y[first:begin])
        total += rmse(y[first:end], run, known) ** 2
        if not np.isfinite(total):
            return np.inf
    return np.sqrt(total / 3)


def lag_matrix(values, lags, first):
    """Row t - first: values[t - lag] for every lag; values are zero before row 0."""
    n, d = values.shape
    padded = np.vstack([np.zeros((max(lags), d)), values])
    rows = np.arange(first, n) + max(lags)
    return np.hstack([padded[rows - lag] for lag in lags])


# ---- linear output error -----------------------------------------------------------------------------------


def oe_run(parameters, order, u, y_known):
    """Simulation; the initial state is the least squares one over the known outputs."""
    f, b, level = parameters[:order], parameters[order:-1].reshape(u.shape[1], order + 1), parameters[-1]
    a = np.r_[1.0, f]
    with np.errstate(all="ignore"):
        forced = sum(lfilter(row, a, u[:, k]) for k, row in enumerate(b)) + level
        if len(y_known):
            impulses = np.zeros((order, len(u)))
            impulses[np.arange(order), np.arange(order)] = 1.0
            free = lfilter([1.0], a, impulses, axis=1).T
            k = len(y_known)
            if np.isfinite(free).all() and np.isfinite(forced).all():
                state = np.linalg.lstsq(free[:k], y_known - forced[:k], rcond=1e-6)[0]
                forced = forced + free @ state
    return np.nan_to_num(forced, nan=1e6, posinf=1e6, neginf=-1e6)


def oe_start(u, y, order):
    """ARX by least squares, then iterations of Steiglitz and McBride; the best simulation of all."""
    f, best = np.zeros(0), (np.inf, None)
    for _ in range(12):
        a = np.r_[1.0, f]
        uf, yf = lfilter([1.0], a, u, axis=0), lfilter([1.0], a, y)
        rows = np.hstack(
            [
                -lag_matrix(yf[:, None], range(1, order + 1), order),
                *(lag_matrix(uf[:, k : k + 1], range(order + 1), order) for k in range(u.shape[1])),
                lfilter([1.0], a, np.ones(len(y)))[order:, None],
            ]
        )
        found = np.linalg.lstsq(rows, yf[order:], rcond=1e-10)[0]
        f = found[:order]
        roots = np.roots(np.r_[1.0, f])
        large = np.abs(roots) > 1
        if large.any():
            roots[large] = 0.99 / np.conj(roots[large])
            f = np.real(np.poly(roots))[1:]
            found = np.r_[f, found[order:]]
        parameters = found.copy()
        parameters[-1] /= 1 + f.sum() if abs(1 + f.sum()) > 1e-3 else 1.0
        error = rmse(y, oe_run(parameters, order, u, y[: max(len(y) // 20, order)]), 0)
        if error < best[0]:
            best = error, parameters
    return best[1]


def oe_fit(u, y, order, evaluations):
    known = y[: max(len(y) // 20, order)]
    start = oe_start(u, y, order)

    def residuals(parameters):
        return np.clip(oe_run(parameters, order, u, known) - y, -1e3, 1e3)

    found = least_squares(residuals, start, method="trf", x_scale="jac", max_nfev=evaluations).x
    if np.sum(residuals(found) ** 2) > np.sum(residuals(start) ** 2):
        found = start
    return lambda u, y_known: oe_run(found, order, u, y_known)


def output_error(u, y, known, clock):
    best = np.inf, 1
    for order in range(1, 9):
        if not clock.has(REFIT_SHARE):
            break
        error = block_error(lambda u, y, n=order: oe_fit(u, y, n, 30), u, y, known)
        if error < best[0]:
            best = error, order
    return oe_fit(u, y, best[1], 100), f"order {best[1]}"


# ---- polynomial NARX ---------------------------------------------------------------------------------------


def frols_fit(u, y, degree, lag, terms):
    lags = list(range(1, lag + 1))
    model = FROLS(
        order_selection=False,
        n_terms=terms,
        ylag=lags,
        xlag=lags if u.shape[1] == 1 else [lags] * u.shape[1],
        basis_function=Polynomial(degree=degree),
        estimator=LeastSquares(),
        err_tol=None,
    )
    # The input of a row may act on the output of the same row: shift the inputs by one row.
    model.fit(X=np.vstack([u[1:], u[-1:]])[:-1], y=y[:-1, None])

    def run(u, y_known):
        shifted = np.vstack([u[1:], u[-1:]])
        start = len(y_known) - model.max_lag
        found = model.predict(X=shifted[start:], y=y_known[start:, None])
        return np.r_[y_known[:start], np.asarray(found)[:, 0]]

    return run


def frols(u, y, known, clock):
    settings = [
        (degree, lag, terms) for terms in (4, 8, 14, 24, 40) for lag in (1, 2, 3, 5, 8) for degree in (1, 2, 3)
    ]
    columns = {s: _polynomial_columns(1 + s[1] * (1 + u.shape[1]), s[0]) for s in settings}
    settings = [s for s in settings if s[2] <= columns[s] <= 700 and s[1] < known]
    settings.sort(key=lambda s: (columns[s] > 200, s[2], columns[s]))
    best = np.inf, settings[0]
    for setting in settings:
        if not clock.has(REFIT_SHARE):
            break
        try:
            error = block_error(lambda u, y, s=setting: frols_fit(u, y, *s), u, y, known)
        except (ValueError, np.linalg.LinAlgError, OverflowError, IndexError):
            continue
        if error < best[0]:
            best = error, setting
    degree, lag, terms = best[1]
    return frols_fit(u, y, degree, lag, terms), f"degree {degree}, {lag} lags, {terms} terms"


def _polynomial_columns(variables, degree):
    count = 1
    for k in range(1, degree + 1):
        count = count * (variables - 1 + k) // k
    return count


# ---- kernel NARX -------------------------------------------------------------------------------------------


def kernel_fit(u, y, ny, nu, gamma, alpha, most_rows):
    first = max(ny, nu)
    past = lag_matrix(y[:, None], range(1, ny + 1), first) if ny else np.zeros((len(y) - first, 0))
    rows = np.hstack([past, lag_matrix(u, range(nu), first)])
    scale = np.sqrt(gamma / rows.shape[1])
    rows, targets = rows[-most_rows:] * scale, y[first:][-most_rows:]
    solver = KernelRidge(kernel="rbf", gamma=1.0, alpha=alpha).fit(rows, targets)
    weights, squares = solver.dual_coef_, np.sum(rows**2, axis=1)

    def run(u, y_known):
        inputs = lag_matrix(u, range(nu), 0) * scale
        if ny == 0:
            return solver.predict(inputs)
        run = np.r_[np.zeros(ny), y_known, np.zeros(len(u) - len(y_known))]
        for t in range(len(y_known), len(u)):
            point = np.r_[run[t : t + ny][::-1] * scale, inputs[t]]
            run[t + ny] = np.exp(2 * (rows @ point) - squares - point @ point) @ weights
        return run[ny:]

    return run


def kernel_narx(u, y, known, clock):
    rng = np.random.default_rng(SEED)
    best, count = (np.inf, (2, 2, 0.1, 1e-2)), 0
    longest = min(16, known)
    while clock.has(REFIT_SHARE):
        ny = 0 if rng.random() < 0.2 else int(np.exp(rng.uniform(0, np.log(longest + 0.99))))
        nu = int(np.exp(rng.uniform(0, np.log((3 if ny == 0 else 1) * longest + 0.99))))
        setting = ny, nu, 10 ** rng.uniform(-3, 1), 10 ** rng.uniform(-8, 0)
        error = block_error(lambda u, y, s=setting: kernel_fit(u, y, *s, 1000), u, y, known)
        count += 1
        if error < best[0]:
            best = error, setting
    ny, nu, gamma, alpha = best[1]
    text = f"lags {ny} and {nu}, gamma {gamma:.2g}, alpha {alpha:.2g}, {count} trials"
    return kernel_fit(u, y, ny, nu, gamma, alpha, MOST_KERNEL_ROWS), text


# ---- GRU ---------------------------------------------------------------------------------------------------


def gru(u, y, known, clock):
    """Inputs: the inputs, the known output or 0, and whether it is known. Early stopping on the last block."""
    torch.set_num_threads(1)
    known = min(known, GRU_KNOWN_ROWS)
    end = blocks(len(y))[-1][0]
    length = min(end, known + GRU_ROWS)

    def columns(u, y_known):
        padded = np.zeros((len(u), 2))
        padded[: len(y_known), 0], padded[: len(y_known), 1] = y_known, 1.0
        return torch.tensor(np.hstack([u, padded]), dtype=torch.float32)

    held_out, truth = columns(u[end - known :], y[end - known : end]), y[end:]
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    net = torch.nn.GRU(u.shape[1] + 2, GRU_UNITS, batch_first=True)
    head = torch.nn.Linear(GRU_UNITS, 1)
    weights = [*net.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(weights, lr=1e-2)
    best, kept, step, text = np.inf, None, 0, ""
    while clock.has(1.0):
        for group in optimiser.param_groups:
            group["lr"] = 1e-2 * 0.03 ** (clock.used() / clock.budget)
        starts = rng.integers(0, end - length + 1, 16)
        batch = torch.stack([columns(u[s : s + length], y[s : s + known]) for s in starts])
        target = torch.tensor(np.stack([y[s : s + length] for s in starts]), dtype=torch.float32)
        loss = torch.mean((head(net(batch)[0])[:, known:, 0] - target[:, known:]) ** 2)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        step += 1
        if step % 20 == 0:
            with torch.no_grad():
                run = head(net(held_out[None])[0])[0, known:, 0].numpy()
            error = rmse(truth, run, 0)
            if error < best:
                best, text = error, f"step {step}"
                kept = [p.detach().clone() for p in weights]
    with torch.no_grad():
        for p, value in zip(weights, kept):
            p.copy_(value)

    def run(u, y_known):
        first = len(y_known) - known
        with torch.no_grad():
            found = head(net(columns(u[first:], y_known[first:])[None])[0])[0, :, 0]
        return np.r_[y_known[:first], found.numpy().astype(float)]

    return run, f"{text} of {step}"


METHODS = {"output error": output_error, "FROLS": frols, "kernel NARX": kernel_narx, "GRU": gru}


def peer_result(name, train, test, known, budget):
    """RMSE of the free run over the test rows after the known ones; train and test: (inputs, output)."""
    warnings.simplefilter("ignore")
    (u, y), (u_test, y_test) = train, test
    u_mean, u_scale, y_mean, y_scale = u.mean(0), u.std(0), y.mean(), y.std()
    u_scale = np.where(u_scale > 0, u_scale, 1.0)
    clock = Clock(budget)
    begun = time.perf_counter()
    try:
        model, setting = METHODS[name]((u - u_mean) / u_scale, (y - y_mean) / y_scale, known, clock)
        run = model((u_test - u_mean) / u_scale, ((y_test - y_mean) / y_scale)[:known])
        error = rmse(y_test, run * y_scale + y_mean, known)
        result = {"rmse": error, "setting": setting} if np.isfinite(error) else {"error": "diverged"}
    except Exception as failure:  # noqa: BLE001 (a failure of a peer is a result)
        result = {"error": f"{type(failure).__name__}: {failure}"[:200]}
    return {**result, "cpu_seconds": round(clock.used(), 1), "seconds": round(time.perf_counter() - begun, 1)}
