"""The package and the program give bit-identical results and read each other's files."""

from __future__ import annotations

import json

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")
KERNELS = [
    "volterra:tau_coef=0.3,lambda_coef=0.9",
    "volterra:lift=even,tau_coef=0.5,lambda_coef=0.8",
    "rbf:gamma=0.3,window=5",
    "gak:sigma=1,window=4",
    "sig:level=3,window=4",
    "memory:gamma=1,rho=0.5,mu=0.85",
]


@pytest.fixture
def files(system, tmp_path):
    """Inputs and targets as NPY files, of 300 rows."""
    X, y = system
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", np.c_[y, y**2])
    return X, np.c_[y, y**2], tmp_path


@pytest.mark.parametrize("kernel", KERNELS)
def test_fit_and_predict(files, program, kernel):
    X, Y, folder = files
    program(
        *("fit", "--x", folder / "x.npy", "--y", folder / "y.npy", "--rows", ":200", "--washout", 5),
        *(
            "--kernel",
            kernel,
            "--alpha",
            1e-3,
            "--fitted",
            folder / "fitted.npy",
            "-o",
            folder / "m.safetensors",
        ),
    )
    for start in ("continue", "reset"):
        program(
            *("predict", folder / "m.safetensors", "--x", folder / "x.npy", "--rows", "200:"),
            *("--start", start, "-o", folder / f"{start}.npy"),
        )
    model = SequenceKernelRidge(kernel, alpha=1e-3, washout=5).fit(X[:200], Y[:200])
    assert np.array_equal(model.fitted_, np.load(folder / "fitted.npy"))
    assert np.array_equal(model.predict(X[200:]), np.load(folder / "continue.npy"))
    assert np.array_equal(model.predict(X[200:], start="reset"), np.load(folder / "reset.npy"))


def test_alpha_of_a_slow_system(files, program):
    X, _, folder = files
    level = np.zeros(len(X))
    for t in range(1, len(X)):
        level[t] = 0.97 * level[t - 1] + np.tanh(X[t, 0])
    np.save(folder / "level.npy", level)
    found = program(
        *("fit", "--x", folder / "x.npy", "--y", folder / "level.npy", "--rows", ":200", "--kernel", "memory"),
        *("-o", folder / "m.safetensors", "--json"),
    )
    model = SequenceKernelRidge("memory", alpha="auto").fit(X[:200], level[:200])
    assert model.report_["blocks"] == 20
    assert json.loads(found)["alpha"] == model.alpha_
    assert json.loads(found)["heldout_r2"] == model.heldout_r2_
    given = SequenceKernelRidge("memory", alpha=model.alpha_).fit(X[:200], level[:200])
    assert given.heldout_r2_ == pytest.approx(model.heldout_r2_, rel=1e-9)


def test_models_are_exchanged_both_ways(files, program):
    X, Y, folder = files
    model = VolterraRidge(tau=0.4, lam=0.6, alpha=1e-3, washout=3).fit(X[:200], Y[:200])
    volterra.save(model, folder / "volt.safetensors")
    program(
        "predict",
        folder / "volt.safetensors",
        "--x",
        folder / "x.npy",
        "--rows",
        "200:",
        "-o",
        folder / "p.npy",
    )
    assert np.array_equal(np.load(folder / "p.npy"), model.predict(X[200:]))

    program(
        *("fit", "--x", folder / "x.npy", "--y", folder / "y.npy", "--rows", ":200", "--washout", 3),
        *("--kernel", "volterra:tau=0.4,lambda=0.6", "--alpha", 1e-3, "-o", folder / "theirs.safetensors"),
    )
    theirs = volterra.load(folder / "theirs.safetensors")
    assert isinstance(theirs, VolterraRidge)
    assert np.array_equal(theirs.predict(X[200:]), model.predict(X[200:]))
    assert theirs.washout == 3 and theirs.alpha == 1e-3 and theirs.kernel_ == model.kernel_
    assert (folder / "theirs.safetensors").read_bytes() == (folder / "volt.safetensors").read_bytes()
    assert not hasattr(theirs, "fitted_")


def test_series_and_its_continuation(program, tmp_path):
    x = volterra.datasets.lorenz(320)
    np.save(tmp_path / "x.npy", x)
    program(
        *(
            "fit",
            "--x",
            tmp_path / "x.npy",
            "--rows",
            ":300",
            "--kernel",
            "volterra:tau_coef=0.3,lambda_coef=0.3",
        ),
        *("--alpha", 1e-8, "-o", tmp_path / "m.safetensors"),
    )
    program("continue", tmp_path / "m.safetensors", "--steps", 20, "-o", tmp_path / "path.npy")
    # the program's inputs begin with the last row of the series, the package's with the row after it
    program(
        "predict",
        tmp_path / "m.safetensors",
        "--x",
        tmp_path / "x.npy",
        "--rows",
        "299:",
        "-o",
        tmp_path / "p.npy",
    )
    model = VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8).fit(x[:300])
    loaded = volterra.load(tmp_path / "m.safetensors")
    for one in (model, loaded):
        assert np.array_equal(one.continue_(20), np.load(tmp_path / "path.npy"))
        assert np.array_equal(one.predict(x[300:]), np.load(tmp_path / "p.npy")[1:])


@pytest.mark.parametrize("kernel", KERNELS)
def test_gram(files, program, kernel):
    X, _, folder = files
    np.save(folder / "other.npy", X[:50])
    program("gram", "--x", folder / "x.npy", "--kernel", kernel, "-o", folder / "K.npy")
    program(
        "gram", "--x", folder / "x.npy", "--y", folder / "other.npy", "--kernel", kernel, "-o", folder / "L.npy"
    )
    assert np.array_equal(volterra.gram(X, kernel=kernel), np.load(folder / "K.npy"))
    assert np.array_equal(volterra.gram(X, X[:50], kernel), np.load(folder / "L.npy"))


def test_gram_of_a_collection(program, tmp_path, rng):
    series = rng.normal(size=(6, 15, 2))
    np.save(tmp_path / "c.npy", series)
    program("gram", "--collection", tmp_path / "c.npy", "--kernel", "gak:sigma=1", "-o", tmp_path / "K.npy")
    assert np.array_equal(volterra.gak_kernel(series, sigma=1), np.load(tmp_path / "K.npy"))


def test_simulate(program, tmp_path):
    def simulated(*arguments):
        program("simulate", *arguments, "-o", tmp_path / "out.npy")
        return np.load(tmp_path / "out.npy")

    assert np.array_equal(simulated("lorenz", "--length", 50), volterra.datasets.lorenz(50))
    assert np.array_equal(simulated("mackey-glass", "--length", 50), volterra.datasets.mackey_glass(50))
    u, y = volterra.datasets.narma10(50, seed=4)
    assert np.array_equal(simulated("narma10", "--length", 50, "--seed", 4), np.c_[u, y])


def test_score(files, program):
    _, Y, folder = files
    forecast = Y + 0.1 * Y[::-1]
    np.save(folder / "p.npy", forecast)
    theirs = json.loads(program("score", "--truth", folder / "y.npy", "--pred", folder / "p.npy", "--json"))
    volt = volterra.metrics.scores(Y, forecast)
    if (Y == 0).any():  # the program omits errors relative to 0, the library follows scikit-learn
        assert theirs["mape"] is None
        volt["mape"] = None
    assert {name: theirs[name] for name in volt} == volt


def test_tune(files, program):
    X, Y, folder = files
    program(
        *("tune", "--x", folder / "x.npy", "--y", folder / "y.npy", "--kernel", "volterra", "--draws", 12),
        *("--seed", 5, "--log", folder / "trials.jsonl", "-o", folder / "best.safetensors"),
    )
    search = VolterraRidgeCV(draws=12, random_state=5).fit(X, Y)
    theirs = [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()]
    theirs = {(t["kernel"], t["alpha"]): t["score"] for t in theirs if "kernel" in t and "alpha" in t}
    results = search.cv_results_
    volt = {
        (kernel, params["alpha"]): score
        for kernel, params, score in zip(results["kernel"], results["params"], results["mean_test_score"])
    }
    assert volt == theirs
    best = volterra.load(folder / "best.safetensors")
    assert np.array_equal(best.predict(X[:20]), search.predict(X[:20]))


def test_mcs(program, tmp_path, rng):
    losses = rng.normal(size=(200, 4)) ** 2 + [0, 0, 0.3, 1]
    np.save(tmp_path / "l.npy", losses)
    theirs = json.loads(program("mcs", tmp_path / "l.npy", "--json", "--reps", 1000))
    volt = volterra.MCS(losses, reps=1000)
    assert theirs["pvalues"] == volt.pvalues.tolist()
    assert len(theirs["included"]) == len(volt.included)


@pytest.mark.parametrize("kernel", ["volterra", "esn:size=12"])
def test_capacity(program, kernel):
    given = ["--rows", 300, "--degree", 2, "--delay", 5, "--washout", 20, "--seed", 4, "--significance", 0.01]
    theirs = json.loads(program("capacity", "--kernel", kernel, "--json", *given))
    volt = volterra.capacity(kernel, rows=300, degree=2, delay=5, washout=20, seed=4, significance=0.01)
    assert [t["capacity"] for t in theirs["targets"]] == volt.capacities.tolist()
    assert [tuple(map(tuple, t["factors"])) for t in theirs["targets"]] == volt.targets
    for name in ("kernel", "rows", "washout", "states", "alpha", "effective_dimension", "threshold", "total"):
        assert theirs[name] == getattr(volt, name)
    assert theirs["linear_memory"] == volt.linear_memory
    assert theirs["by_delay"] == volt.by_delay.tolist()
    columns = {"capacity": volt.by_degree, "targets": volt.n_targets, "significant": volt.n_significant}
    for key, values in columns.items():
        assert [d[key] for d in theirs["by_degree"]] == values.tolist()


def test_bekk(program, tmp_path):
    model = volterra.datasets.BEKK.preset("sp500-d5")
    model.save(tmp_path / "params.json")
    program("bekk", "simulate", tmp_path / "params.json", "--length", 40, "--seed", 3, "-o", tmp_path / "s.csv")
    sample = model.simulate(40, seed=3)
    table = np.genfromtxt(tmp_path / "s.csv", delimiter=",", names=True)
    columns = [np.array([table[name] for name in table.dtype.names if name[0] == letter]).T for letter in "zrh"]
    assert all(np.array_equal(a, b) for a, b in zip(columns, sample))
    np.save(tmp_path / "r.npy", sample.returns)
    theirs = json.loads(
        program("bekk", "score", tmp_path / "params.json", "--returns", tmp_path / "r.npy", "--json")
    )
    assert theirs["loglik"] == model.score(sample.returns)
