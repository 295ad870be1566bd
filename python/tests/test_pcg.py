"""Fits by conjugate gradients: solver="pcg"."""

import warnings

import numpy as np
import pytest

import volterra

KERNEL = "memory:gamma=1,rho=0.5,mu=0.8"


@pytest.fixture(scope="module")
def narma():
    return volterra.datasets.narma10(360, seed=5)


def fit(narma, **settings):
    u, y = narma
    return volterra.SequenceKernelRidge(KERNEL, **{"alpha": 1e-2, **settings}).fit(u[:300], y[:300])


def test_predictions_equal_exact_solver(narma):
    u, y = narma
    exact = fit(narma, solver="exact").predict(u[300:])
    usual = fit(narma, solver="pcg")
    tight = fit(narma, solver="pcg", tolerance=1e-10, landmarks="40:random")
    assert np.abs(usual.predict(u[300:]) - exact).max() <= 1e-3 * exact.std()
    assert np.abs(tight.predict(u[300:]) - exact).max() <= 1e-8 * exact.std()
    report = usual.report_
    assert report["solver"] == "pcg" and report["landmarks"] == 192
    assert 0 < report["residual"] <= 1e-4 and report["iterations"] > 0
    assert tight.report_["residual"] <= 1e-10 and tight.report_["iterations"] > report["iterations"]
    assert fit(narma, solver="exact").report_["solver"] == "exact"
    assert np.isnan(fit(narma, solver="exact").report_["residual"])
    assert len(usual.dual_coef_) == 300


def test_alpha_and_several_outputs(narma):
    u, y = narma
    targets = np.column_stack([y, np.roll(y, 3) ** 2])
    model = volterra.VolterraRidge(solver="pcg", landmarks=60, tolerance=1e-10).fit(u[:300], targets[:300])
    alphas = np.atleast_1d(model.alpha_) * np.ones(2)
    for k in range(2):
        exact = volterra.VolterraRidge(alpha=alphas[k], solver="exact").fit(u[:300], targets[:300])
        assert np.allclose(model.predict(u[300:])[:, k], exact.predict(u[300:])[:, k], rtol=0, atol=1e-6)


def test_checkpoint_is_kept_and_resumed(narma, tmp_path):
    path = tmp_path / "fit.ckpt"
    settings = dict(solver="pcg", tolerance=1e-8, landmarks=20)
    expected = fit(narma, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit(narma, **settings, iterations=3, checkpoint=path)
    assert path.exists()
    resumed = fit(narma, **settings, checkpoint=str(path))
    assert np.array_equal(resumed.dual_coef_, expected.dual_coef_)
    assert resumed.report_["iterations"] == expected.report_["iterations"]
    with pytest.raises(ValueError, match="belongs to another fit"):
        fit(narma, **settings, alpha=2e-2, checkpoint=path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="fit.ckpt"):
        fit(narma, **settings, checkpoint=path)


def test_unconverged_fit_warns(narma):
    with pytest.warns(volterra.VolterraWarning, match="2 steps .* residual"):
        model = fit(narma, solver="pcg", landmarks=4, iterations=2)
    assert model.report_["residual"] > 1e-4


def test_parameters_follow_scikit_learn(tmp_path):
    model = volterra.VolterraRidge(solver="pcg", iterations=7, checkpoint="x", tolerance=1e-3)
    assert {"iterations": 7, "checkpoint": "x", "tolerance": 1e-3}.items() <= model.get_params().items()


@pytest.mark.parametrize(
    "settings, sentence",
    [
        (dict(solver="pcg", iterations=0), "iterations"),
        (dict(solver="pcg", tolerance=1), "tolerance"),
        (dict(solver="exact", iterations=4), "does not support iterations"),
        (dict(solver="exact", checkpoint="x"), "does not support a checkpoint"),
        (dict(solver="pcg", landmarks=301), "landmarks must be 1 to 300.*got 301"),
        (dict(solver="pcg", loss="huber:delta=0.5"), '"pcg" does not support losses'),
        (dict(solver="pcg", keep_factor=True), '"pcg" does not support keeping the factor'),
    ],
)
def test_invalid_settings_are_reported(narma, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(narma, **settings)


def test_files_and_pickles_predict_equal(narma, tmp_path):
    import pickle

    u, _ = narma
    model = fit(narma, solver="pcg")
    model.save(tmp_path / "model.safetensors")
    expected = model.predict(u[300:])
    assert np.array_equal(volterra.load(tmp_path / "model.safetensors").predict(u[300:]), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(u[300:]), expected)
