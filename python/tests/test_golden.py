"""Reference values of independent implementations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import volterra

pytestmark = pytest.mark.filterwarnings("ignore:kernel .* need not be positive semidefinite")
GRAMS = [f"volterra_gram_d{d}_p{p}" for d in (1, 3, 7) for p in (0, 1, 2)]


@pytest.mark.parametrize("name", GRAMS)
def test_volterra_gram(golden, name):
    file = golden(name)
    X, Y = file.array("X"), file.array("Y")
    given = dict(tau=file.params["tau"], lam=file.params["omega_lambda"])
    radius = max(np.linalg.norm(X, axis=1).max(), np.linalg.norm(Y, axis=1).max())
    file.check("gram_xx", volterra.volterra_kernel(X, **given), "each")
    file.check("gram_yx", volterra.volterra_kernel(Y, X, radius=radius, **given), "each")


@pytest.mark.parametrize("name", ["volterra_ridge_c0", "volterra_ridge_c1"])
def test_volterra_ridge(golden, name):
    """The authors' class; their constant alpha0 is reg times the mean of the coefficients, added here."""
    file = golden(name)
    p = file.params
    model = volterra.VolterraRidge(
        tau_coef=p["tau_coef"],
        lambda_coef=p["ld_coef"],
        alpha=p["reg"],
        washout=int(p["washout"]),
        fit_intercept=False,
        scale=False,
        beyond="allow",
    )
    model.fit(file.array("train_input"), file.array("train_teacher"))
    coefficients = model.dual_coef_[int(p["washout"]) :]
    alpha0 = p["reg"] * coefficients.mean(axis=0)
    assert abs(model.facts_["tau"] / file.expected["tau"] - 1) <= file.tol("tau")
    assert abs(model.facts_["lambda"] / file.expected["ld"] - 1) <= file.tol("ld")
    file.check("alpha_quad", coefficients)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", volterra.BeyondWarning)
        file.check("forecast_quad", model.predict(file.array("test_input")) + alpha0)

    stream, path, row = model.stream(), [], np.ravel(file.array("latest_input"))
    for _ in range(len(file.expected["path_continue_quad"])):
        row = stream.feed(row) + alpha0
        path.append(row)
    file.check("path_continue_quad", path)


@pytest.mark.parametrize("name", ["static_d1", "static_d4", "static_d15"])
def test_static_kernels(golden, name):
    file = golden(name)
    X, Y = file.array("X"), file.array("Y")
    gamma, coef0 = file.params["gamma"], file.params["coef0"]
    cases = {
        "linear": "linear",
        "rbf": f"rbf:gamma={gamma}",
        "rbf_default_gamma": "rbf",
        "poly_deg2": f"poly:degree=2,gamma={gamma},coef0={coef0}",
        "poly_deg5": f"poly:degree=5,gamma={gamma},coef0={coef0}",
        "sigmoid": f"sigmoid:gamma={gamma},coef0={coef0}",
    }
    for field, kernel in cases.items():
        file.check(field, volterra.gram(X, Y, kernel))
    file.check("rbf_xx", volterra.gram(X, kernel=cases["rbf"]))


@pytest.mark.parametrize("name", ["gak_cdist_d1", "gak_cdist_d3"])
def test_gak(golden, name):
    file = golden(name)
    X, Y, sigma = file.array("X"), file.array("Y"), file.params["sigma"]
    file.check("cdist_xy", volterra.gak_kernel(X, Y, sigma=sigma), "each")
    file.check("cdist_xx", volterra.gak_kernel(X, sigma=sigma), "each")
    file.check("cdist_xy", volterra.gak_kernel(list(X), list(Y), sigma=sigma), "each")


def test_gak_of_rows(golden):
    """Each row is a series of d numbers."""
    file = golden("gak_rows")
    for sigma in file.params["sigmas"]:
        file.check(f"sigma_{sigma:g}", volterra.gak_kernel(file.array("X"), sigma=sigma, path="rows"), "each")


def test_gak_of_unequal_lengths(golden):
    file = golden("gak_pairs")
    for pair, expected in zip(file.inputs["pairs"], file.expected["pairs"]):
        x, y = (np.array(pair[name], dtype=float) for name in "xy")
        x, y = (series.reshape(len(series), -1) for series in (x, y))
        for sigma, gak in zip(expected["sigma"], expected["gak"]):
            value = volterra.gak_kernel([x], [y], sigma=sigma)[0, 0]
            assert abs(value - gak) <= file.tol("gak") * abs(gak)


@pytest.mark.parametrize("d", [2, 3])
def test_discrete_signatures(golden, d):
    file = golden(f"sigtrunc_discrete_d{d}")
    paths = [np.array(path) for path in file.inputs["paths"]]
    for level in range(1, file.params["max_level"] + 1):
        expected = np.array(file.expected["kernel_cumulative"])[:, :, level]
        file.check(
            "kernel_cumulative", volterra.signature_kernel(paths, level=level, order=1), expected=expected
        )


def test_search_of_the_authors(golden):
    """Their estimator inside scikit-learn's grid search: scores of every fold, winner, refitted forecasts."""
    file = golden("endtoend_volterra_cv")
    X, Y = file.array("X"), file.array("y")
    tuples = zip(file.params["tuples_tau_omega_alpha"], file.params["omega_effective"])
    candidates = [dict(tau=tau, lam=lam, alpha=alpha) for (tau, _, alpha), lam in tuples]
    search = volterra.VolterraRidgeCV(
        candidates=candidates, race="none", scale=False, fit_intercept=False, start="reset"
    ).fit(X, Y)
    folds = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)]).T
    file.check("r2_per_fold", folds, "absolute")
    file.check("r2_mean", search.cv_results_["mean_test_score"], "absolute")
    assert search.best_index_ == file.expected["best_index"]
    file.check("predict_first20_refit", search.predict(X[:20]))


@pytest.mark.parametrize("d", [2, 4])
@pytest.mark.parametrize("static", ["linear", "rbf0", "rbf1"])
def test_sigpde(golden, static, d):
    file = golden(f"sigpde_{static}_d{d}")
    X, Y = file.array("X"), file.array("Y")
    given = dict(static=static[:3] if static != "linear" else static, sigma=file.params["sigma"])
    for dyadic in file.params["dyadic_orders"]:
        file.check(f"gram_xy_q{dyadic}", volterra.sigpde_kernel(X, Y, dyadic=dyadic, **given), "each")
        file.check(f"gram_xx_q{dyadic}", volterra.sigpde_kernel(X, dyadic=dyadic, **given), "each")


@pytest.mark.parametrize("d", [2, 3])
def test_signatures(golden, d):
    file = golden(f"sigtrunc_d{d}")
    paths = [np.array(path) for path in file.inputs["paths"]]  # of unequal lengths
    for level in file.params["depths"]:
        file.check(f"kernel_N{level}", volterra.signature_kernel(paths, level=level, order=level))


def test_metrics(golden):
    file = golden("metrics")
    truth, forecast = file.array("y_true"), file.array("y_pred")
    scores = volterra.metrics.scores(truth, forecast)
    for field in ("r2", "nmse", "mdae", "mae", "mse"):
        file.check(field, scores[field], "each")
        assert getattr(volterra.metrics, field)(truth, forecast) == scores[field]
    file.check("wasserstein_mean", volterra.metrics.w1(truth, forecast), "each")
    m = file.params["unequal_m"]
    file.check("wasserstein_unequal_sizes_col0", volterra.metrics.w1(truth[:, 0], forecast[:m, 0]), "each")
    weights = np.ones(len(truth))
    assert volterra.metrics.r2(truth, forecast, weights) == pytest.approx(scores["r2"], abs=1e-14)


def test_lorenz(golden):
    file = golden("lorenz")
    given = dict(start=file.params["z0"], step=file.params["h"])
    path = volterra.datasets.lorenz(file.params["n_steps"] + 1, **given)
    file.check("rk4_first300", path[:300])
    for step, state in file.expected["rk4_at"].items():
        wanted = np.array(state)
        assert np.abs(path[int(step)] - wanted).max() <= file.tol(f"rk4_at_{step}") * np.abs(wanted).max()
    file.check("quad_richardson_first300", volterra.datasets.lorenz(300, method="accurate", **given))


def test_mackey_glass(golden):
    file = golden("mackeyglass")
    file.check("first300", volterra.datasets.mackey_glass(300, every=1)[:, 0])
    sliced = file.expected["sliced"]
    file.check("sliced", volterra.datasets.mackey_glass(len(sliced), every=file.params["slicing"])[:, 0])
