"""Solvers of a fit: landmarks instead of rows."""

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


def test_all_rows_as_landmarks_equal_exact_fit(narma):
    exact = fit(narma, solver="exact").predict(narma[0][300:])
    model = fit(narma, solver="nystrom", landmarks=300)
    assert np.allclose(model.predict(narma[0][300:]), exact, rtol=0, atol=1e-6)


@pytest.mark.parametrize("landmarks", [100, "100", "100:last", "100:random"])
def test_few_landmarks_approximate_rows(narma, landmarks):
    u, y = narma
    model = fit(narma, solver="nystrom", landmarks=landmarks)
    coefficients = model.dual_coef_
    assert np.count_nonzero(coefficients) == 100
    assert len(coefficients) >= 100
    assert model.score(u[300:], y[300:]) > 0.3
    report = model.report_
    assert report["loo_rows"] == 300 and report["loo_mse"][0] > 0 and report["gcv"][0] > 0
    assert len(model.fitted_) == 300


def test_automatic_number_of_landmarks(narma):
    model = fit(narma, solver="nystrom", landmarks="auto")
    report = model.report_
    assert report["landmarks_tried"] == 300 and 0 < report["landmarks"] <= 300 and report["landmarks_why"]
    given = fit(narma, solver="nystrom", landmarks=report["landmarks"])
    assert np.array_equal(given.dual_coef_, model.dual_coef_)
    assert given.report_["landmarks_tried"] == 0 and given.report_["landmarks_why"] == ""
    with pytest.raises(ValueError, match="landmarks.*automatic"):
        fit(narma, solver="nystrom", landmarks="automatic")


def test_files_and_pickles_keep_landmarks(narma, tmp_path):
    import pickle

    u, _ = narma
    model = fit(narma, solver="nystrom", landmarks=64)
    model.save(tmp_path / "model.safetensors")
    expected = model.predict(u[300:])
    assert np.array_equal(volterra.load(tmp_path / "model.safetensors").predict(u[300:]), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(u[300:]), expected)


def test_parameters_follow_scikit_learn():
    model = volterra.VolterraRidge(solver="nystrom", landmarks="50:last")
    assert model.get_params()["solver"] == "nystrom"
    assert model.get_params()["landmarks"] == "50:last"


@pytest.mark.parametrize(
    "settings, sentence",
    [
        (dict(solver="quick"), "solver"),
        (dict(solver="nystrom", landmarks=301), "landmarks must be 1 to 300.*got 301"),
        (dict(solver="nystrom", landmarks=0), "at least 1"),
        (dict(solver="nystrom", landmarks="many"), 'landmarks must be .*got "many"'),
        (dict(solver="nystrom", landmarks="10:first"), 'landmarks must be .*got "10:first"'),
        (dict(solver="exact", landmarks=10), "does not support landmarks"),
        (dict(solver="features"), "explicit states"),
        (dict(solver="nystrom", keep_factor=True), "factor"),
        (dict(solver="nystrom", loss="huber:delta=1"), "nystrom"),
    ],
)
def test_bad_settings_are_rejected(narma, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(narma, **settings)


def test_landmarks_must_be_integer(narma):
    with pytest.raises(TypeError, match="whole number"):
        fit(narma, solver="nystrom", landmarks=1.5)


# ---- searches ------------------------------------------------------------------------------------


def search(narma, **settings):
    u, y = narma
    return volterra.VolterraRidgeCV(draws=6, random_state=1, kernel="memory", **settings).fit(u[:300], y[:300])


def test_landmark_search_fits_winner_on_landmarks(narma):
    u, y = narma
    found = search(narma, solver="nystrom", landmarks=40)
    assert found.best_score_ > 0.3
    best = found.best_estimator_
    assert best.solver == "nystrom" and best.landmarks == 40
    assert np.count_nonzero(found.dual_coef_) == 40
    again = volterra.SequenceKernelRidge(
        found.kernel_, alpha=found.alpha_, solver="nystrom", landmarks=40
    ).fit(u[:300], y[:300])
    assert np.array_equal(found.predict(u[300:]), again.predict(u[300:]))


def test_all_rows_as_landmarks_equal_exact_search(narma):
    exact = search(narma, folds=1)
    landmarks = search(narma, folds=1, solver="nystrom", landmarks=150)
    for name in ("mean_test_score",):
        assert np.allclose(exact.cv_results_[name][1:], landmarks.cv_results_[name][1:], rtol=0, atol=1e-5)


@pytest.mark.parametrize("scoring", ["neg_nmse", "neg_mse", "neg_loo", "neg_gcv"])
def test_scores_supported_by_landmarks(narma, scoring):
    found = search(narma, solver="nystrom", landmarks="30:last", scoring=scoring, refit=False)
    assert np.isfinite(found.best_score_) and found.best_score_ < 0


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"landmarks": 51}, "1 to 50"),
        ({"scoring": "log"}, "likelihood"),
        ({"scoring": "prequential"}, "prequential"),
        ({"loss": "huber:delta=1"}, "loss other than squares"),
        ({"solver": "features"}, "does not fit candidates"),
        ({"solver": "exact", "landmarks": 5}, "does not support landmarks"),
    ],
)
def test_bad_solvers_of_searches_are_rejected(narma, settings, words):
    with pytest.raises(ValueError, match=words):
        search(narma, **{"solver": "nystrom", **settings})
