"""tests/reference/make_classical.py: Theta and exponential smoothing by statsforecast -> classical.json.

Run in a virtual environment with statsforecast and SciPy:  python tests/reference/make_classical.py
The recursions, likelihoods and forecasts follow statsforecast. Its optimiser stops early, so the parameters are
refined by SciPy on statsforecast's own residuals: for Theta by least squares that are linear in the initial level and
1 - 1/theta for each alpha, for exponential smoothing by L-BFGS-B from the parameters of statsforecast, with our prior for
beta/alpha. Real series: bench/series."""
import json
import os
import warnings

import numpy as np
import statsforecast
from scipy.optimize import lsq_linear, minimize, minimize_scalar
from statsforecast.ets import ets_f, pegelsresid_C
from statsforecast.theta import _theta, auto_theta, forecast_theta

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
SERIES = os.path.join(HERE, "..", "..", "bench", "series")
SEED = 20261117
AHEAD = 8
FORMS = ["ANN", "AAN", "AAdN", "MNN", "MAN", "MAdN", "ANA", "AAA", "AAdA", "MNA", "MAA", "MAdA", "MNM", "MAM", "MAdM"]


def real(name, count):
    with open(os.path.join(SERIES, name + ".csv")) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return np.array([float(line.split(",")[-1]) for line in lines[-count:]])


def theta(y, S, model):
    """statsforecast's fit, and the optimum of its objective: parameters, root mean square and forecasts."""
    theirs = auto_theta(y, S, model=model)
    n, kind = len(y), getattr(_theta.ModelType, model)
    adjusted = y
    if theirs.get("decompose"):
        effects = np.resize(theirs["seas_forecast"]["mean"], n + S)
        effects = effects[(-n) % S :][:n]  # the forecasts begin at phase n mod S
        adjusted = y / effects if theirs["decomposition_type"] == "multiplicative" else y - effects

    # The level is level = c - w start, with the first forecast c of the line within ten ranges of the series.
    slope, intercept = np.polyfit(np.arange(1, n + 1), adjusted, 1)
    start = intercept + slope if model == "OTM" else adjusted[0]
    low, high = min(adjusted), max(adjusted)
    low, high = low - 10 * (high - low), high + 10 * (high - low)

    def errors(alpha, first, weight):
        return _theta.pegels_resid(adjusted, kind, first - weight * start, alpha, 1 / (1 - weight), 3)[1][3:]

    def best_of(alpha):
        base = errors(alpha, 0.0, 0.0)
        A = np.column_stack([base - errors(alpha, 1.0, 0.0), 2 * (base - errors(alpha, 0.0, 0.5))])
        scale = np.linalg.norm(A, axis=0)
        x = lsq_linear(A / scale, base, ([low * scale[0], 0.0], [high * scale[0], (1 - 1e-10) * scale[1]]), tol=1e-14).x / scale
        return np.sum(errors(alpha, *x) ** 2), x

    grid = np.linspace(0.1, 0.99, 90)
    values = [best_of(a)[0] for a in grid]
    i = int(np.argmin(values))
    found = minimize_scalar(lambda a: best_of(a)[0], bounds=(grid[max(i - 1, 0)], grid[min(i + 1, 89)]),
                            method="bounded", options={"xatol": 1e-9})
    alpha = found.x if found.fun < values[i] else grid[i]
    squares, (first, weight) = best_of(alpha)
    level = first - weight * start
    best = dict(theirs)
    best["par"] = dict(alpha=alpha, theta=1 / (1 - weight), initial_smoothed=level)
    best["states"] = _theta.pegels_resid(adjusted, kind, level, alpha, 1 / (1 - weight), 3)[2]
    p = theirs["par"]
    weight_of_theirs = 1 - 1 / p["theta"]
    at_theirs = errors(p["alpha"], p["initial_smoothed"] + weight_of_theirs * start, weight_of_theirs)
    season = ["additive", "multiplicative"].index(theirs["decomposition_type"]) + 1 if theirs.get("decompose") else 0
    return {"season": season, "alpha": alpha, "theta": 1 / (1 - weight), "rmse": np.sqrt(squares / (n - 3)),
            "theirs": np.sqrt(np.mean(at_theirs**2)), "mean": list(forecast_theta(best, AHEAD)["mean"])}


def objective(x, y, S, form, states):
    error, trend, season = form[0], form[1], form[-1]
    k = 1 + (trend != "N") + (season != "N") + ("d" in form)
    smoothing = list(x[:k])
    alpha = smoothing.pop(0)
    beta = alpha * smoothing.pop(0) if trend != "N" else np.nan
    gamma = (1 - alpha) * smoothing.pop(0) if season != "N" else np.nan
    phi = smoothing.pop(0) if "d" in form else np.nan
    state = np.array(x[k:])
    if season != "N":
        rest = state[1 + (trend != "N") :]
        state = np.append(state, (S if season == "M" else 0) - rest.sum())
        if season == "M" and state[1 + (trend != "N") :].min() < 1e-3:
            return 1e10
    out = pegelsresid_C(y, S, state, error, trend, season, "d" in form, alpha, beta, gamma, phi, 3)
    if error == "M" and not np.all(y / (1 + out[1]) > 0):
        return 1e10
    if states is not None:
        states.update(alpha=alpha, beta=beta, gamma=gamma, phi=phi, state=state, likelihood=out[3])
    share = 0.0 if trend == "N" else beta / alpha
    return out[3] + 16 * share**2 if np.isfinite(out[3]) else 1e10  # the prior of beta/alpha


def refined(y, S, form, fit):
    """The maximum of the likelihood with the prior near the parameters of a fit, as the fields of a golden form."""
    alpha, beta, gamma, phi = fit["par"][:4]
    has_trend, has_season = form[1] != "N", form[-1] != "N"
    x = [alpha] + ([beta / alpha] if has_trend else []) + ([min(gamma / (1 - alpha), 0.9999)] if has_season else [])
    x += [phi] if "d" in form else []
    bounds = [(1e-4, 0.9999)] * (1 + has_trend + has_season) + [(0.8, 0.98)] * ("d" in form)
    initial = fit["par"][4:]
    x += list(initial[: len(initial) - has_season])
    unit = np.array([1.0] * len(bounds) + [np.std(np.diff(y))] * (1 + has_trend))
    unit = np.append(unit, [np.std(np.diff(y)) / (np.mean(y) if form[-1] == "M" else 1)] * (len(x) - len(unit)))
    bounds += [(-np.inf, np.inf)] * (len(x) - len(bounds))
    z = np.clip(np.array(x), [b[0] for b in bounds], [b[1] for b in bounds]) / unit
    scaled = [(a / u, b / u) for (a, b), u in zip(bounds, unit)]
    for _ in range(3):
        z = minimize(lambda v: objective(v * unit, y, S, form, None), z, bounds=scaled, method="L-BFGS-B",
                     options={"maxiter": 1000, "maxfun": 100000, "ftol": 1e-13, "gtol": 1e-6}).x
    states = {}
    objective(z * unit, y, S, form, states)
    return states


def exponential_smoothing(y, S, form):
    try:
        fit = ets_f(y, S, model=form[0] + form[1] + form[-1], damped="d" in form)
    except Exception:
        return None
    if not np.isfinite(fit["loglik"]) or (form[0] == "M" and not np.all(fit["fitted"] > 0)):
        return None  # negative forecasts with relative errors: not a likelihood
    initial = fit["par"][4:]
    k = 1 + (form[1] != "N")
    number = lambda v: 0.0 if np.isnan(v) else float(v)
    best = refined(y, S, form, fit)
    parameters = fit["n_params"]
    share = 0.0 if form[1] == "N" else best["beta"] / best["alpha"]
    return {"form": form, "alpha": number(fit["par"][0]), "beta": number(fit["par"][1]), "gamma": number(fit["par"][2]),
            "phi": number(fit["par"][3]) or 1.0, "level": float(initial[0]), "slope": float(initial[1]) if k == 2 else 0.0,
            "effects": [float(v) for v in initial[k:][::-1]], "likelihood": -2 * fit["loglik"],
            "mean": path(S, form, fit["par"][3], fit["states"][-1]),
            "refined": best["likelihood"] + 16 * share**2, "parameters": int(parameters),
            "aicc": best["likelihood"] + 2 * parameters + 2 * parameters * (parameters + 1) / (len(y) - parameters - 1),
            "refined_mean": refined_path(y, S, form, best)}


def path(S, form, phi, states):
    """Forecasts from the last states. statsforecast 2.1 adds phi twice in the sum phi + phi^2 + ... of a damped trend."""
    level, slope, effects = states[0], states[1] if form[1] != "N" else 0.0, states[1 + (form[1] != "N") :][::-1]
    powers = np.cumsum((phi if "d" in form else 1.0) ** np.arange(1, AHEAD + 1))
    trend, season = level + powers * slope, np.resize(effects, AHEAD) if form[-1] != "N" else None
    return [float(v) for v in (trend if season is None else trend + season if form[-1] == "A" else trend * season)]


def refined_path(y, S, form, best):
    states = pegelsresid_C(y, S, best["state"], form[0], form[1], form[-1], "d" in form, best["alpha"], best["beta"],
                           best["gamma"], best["phi"], 3)[2]
    return path(S, form, best["phi"], states[-1])


def synthetic():
    rng = np.random.default_rng(SEED)
    t = np.arange(84)
    season = np.array([1.2, 0.9, 0.7, 1.1, 1.3, 0.8])
    yield "walk", 1, np.cumsum(rng.normal(size=60)) + 30
    yield "with negatives, season 6", 6, 4 * np.sin(2 * np.pi * t / 6) + 0.05 * t + rng.normal(size=84)
    yield "multiplicative, season 6", 6, (20 + 0.5 * t) * season[t % 6] * np.exp(0.03 * rng.normal(size=84))
    yield "damped", 1, 50 + 20 * (1 - 0.93**np.arange(70)) + 0.5 * rng.normal(size=70)


def main():
    problems = [(name, S, real(name, n)) for name, S, n in [
        ("nile", 1, 80), ("sunspots_yearly", 1, 90), ("us_realgdp", 4, 80), ("us_tbilrate", 4, 80), ("us_unemp", 4, 60),
        ("elec_equip", 12, 96), ("co2_monthly", 12, 84), ("us_jobs_nonfarm", 12, 120), ("nyc_flights_daily", 7, 98),
        ("seattle_wind", 7, 90), ("co2_weekly", 52, 157), ("nyc_temp", 24, 120), ("nyc_flights_hourly", 24, 120)]]
    cases = []
    for name, S, y in problems + list(synthetic()):
        y = np.round(y, 6)
        forms = FORMS[:6] if S == 1 or S > 24 else FORMS if S < 24 else ["ANN", "ANA", "AAdA", "MNM"]
        fits = [exponential_smoothing(y, S, form) for form in forms if form[0] == "A" or min(y) > 0]
        cases.append({"name": name, "season": S, "y": [float(v) for v in y], "theta": theta(y, S, "OTM"),
                      "dynamic": theta(y, S, "DOTM"), "forms": [fit for fit in fits if fit],
                      "all_forms": S < 24})
        print(name, len(cases[-1]["forms"]))
    case = {
        "name": "classical",
        "source": f"statsforecast {statsforecast.__version__}, make_classical.py, seed {SEED}; bench/series",
        "params": {"seed": SEED},
        "inputs": {"series": cases},
        "tol": 1e-10,
        "tol_by_field": {"theta": 1e-4, "theta_rmse": 1e-7, "theta_theirs": 0.005, "refined": 0.1, "chosen": 0.02},
        "notes": "tol: recursions with given parameters, relative to max|forecast|. theta: forecasts at the optimum, relative to "
                 "the mean absolute seasonal difference; the search for alpha ends within 5e-6. refined: -2 log L with the "
                 "prior at the optimum, absolute. chosen: forecasts of the automatic choice, relative to the same scale",
    }
    with open(os.path.join(HERE, "classical.json"), "w") as file:
        json.dump(case, file, separators=(",", ":"))
        file.write("\n")


main()
