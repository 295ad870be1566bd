"""VolterraRidgeCV: draws, ranges, budgets, logs, results."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import volterra
from volterra import VolterraRidge, VolterraRidgeCV
from volterra._core._arguments import seconds_of

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")


def test_draws_are_reproducible(system):
    X, y = system
    one = VolterraRidgeCV(draws=8, random_state=3).fit(X, y)
    two = VolterraRidgeCV(draws=8, random_state=3).fit(X, y)
    assert one.cv_results_["params"] == two.cv_results_["params"] and one.best_score_ == two.best_score_
    other = VolterraRidgeCV(draws=8, random_state=4).fit(X, y)
    assert one.cv_results_["params"] != other.cv_results_["params"]
    longer = VolterraRidgeCV(draws=12, random_state=3).fit(X, y)  # draw i depends only on the seed and i
    assert longer.cv_results_["params"][:8] == one.cv_results_["params"]
    np.random.seed(7)
    first = VolterraRidgeCV(draws=2).fit(X, y).cv_results_["params"]
    np.random.seed(7)
    assert VolterraRidgeCV(draws=2).fit(X, y).cv_results_["params"] == first
    for state in (np.random.default_rng(1), np.random.RandomState(1)):
        VolterraRidgeCV(draws=2, random_state=state).fit(X, y)


@pytest.mark.parametrize("strategy", ["adaptive", "cma"])
def test_following_search_is_reproducible(system, tmp_path, strategy):
    X, y = system
    settings = dict(draws=90, random_state=3, search=strategy, folds=3, kernel="volterra | rbf")
    log = tmp_path / "trials.jsonl"
    one = VolterraRidgeCV(**settings, n_jobs=1, log=log).fit(X[:120], y[:120])
    two = VolterraRidgeCV(**settings, n_jobs=2).fit(X[:120], y[:120])
    assert one.cv_results_["kernel"] == two.cv_results_["kernel"] and one.best_score_ == two.best_score_
    random = VolterraRidgeCV(**{**settings, "search": "random"}).fit(X[:120], y[:120])
    assert random.cv_results_["kernel"][:64] == one.cv_results_["kernel"][:64]
    assert random.cv_results_["kernel"] != one.cv_results_["kernel"]
    assert {kernel.split(":")[0] for kernel in one.cv_results_["kernel"]} == {"volterra", "rbf"}
    log.write_text("".join(log.read_text().splitlines(True)[:77]))
    again = VolterraRidgeCV(**settings, log=log, resume=True).fit(X[:120], y[:120])
    assert again.cv_results_["kernel"] == one.cv_results_["kernel"]
    assert np.array_equal(again.best_estimator_.predict(X), one.predict(X))
    with pytest.raises(ValueError, match="search"):
        VolterraRidgeCV(draws=3, search="adaptve").fit(X, y)
    with pytest.raises(ValueError, match="search"):
        VolterraRidgeCV(candidates={"tau_coef": [0.1, 0.2]}, search=strategy).fit(X, y)


def test_results_are_in_order(system):
    X, y = system
    search = VolterraRidgeCV(draws=20, random_state=0).fit(X, y)
    results = search.cv_results_
    assert all(len(column) == 20 for column in results.values())
    assert search.n_splits_ == 5 and search.best_index_ == int(np.argmin(results["rank_test_score"]))
    assert results["rank_test_score"][search.best_index_] == 1
    complete = results["n_splits_done"] == 5
    assert search.best_score_ == results["mean_test_score"][complete].max()
    assert (results["stopped"] == ~complete).all() and results["stopped"].any()
    folds = np.array([results[f"split{k}_test_score"] for k in range(5)])
    assert np.allclose(
        folds[:, complete].mean(axis=0), results["mean_test_score"][complete], rtol=0, atol=1e-14
    )
    assert (np.isnan(folds).sum(axis=0) == 5 - results["n_splits_done"]).all()
    assert list(results["param_alpha"]) == [p["alpha"] for p in results["params"]]


def test_refit_is_a_fit_with_the_best(system):
    X, y = system
    search = VolterraRidgeCV(draws=10, random_state=0, washout=4).fit(X[:200], y[:200])
    by_hand = VolterraRidge(**search.best_params_, washout=4).fit(X[:200], y[:200])
    for model in (search, search.best_estimator_, pickle.loads(pickle.dumps(search))):
        assert np.array_equal(model.predict(X), by_hand.predict(X))
    assert search.best_estimator_.get_params() == by_hand.get_params()
    search = VolterraRidgeCV(draws=3, random_state=0, refit=False).fit(X, y)
    with pytest.raises(volterra.NotFittedError):
        search.predict(X)


def test_ranges_and_fixed_parameters(system):
    X, y = system
    search = VolterraRidgeCV(
        draws=15,
        random_state=0,
        kernel="volterra:tau_coef=0.25",
        ranges={"alpha": (1e-3, 1e-2), "lambda_coef": ("linear", 0.5, 0.6), "lift": ["geometric", "even"]},
    ).fit(X, y)
    params = search.cv_results_["params"]
    assert {p["tau_coef"] for p in params} == {0.25}
    assert all(1e-3 <= p["alpha"] <= 1e-2 and 0.5 <= p["lambda_coef"] <= 0.6 for p in params)
    assert {p.get("lift", "geometric") for p in params} == {"geometric", "even"}


def test_other_kernels(system):
    X, y = system
    search = VolterraRidgeCV(draws=4, random_state=0, kernel="rbf:window=3").fit(X, y)
    assert (
        search.best_params_["kernel"].startswith("rbf:gamma=")
        and search.best_estimator_.kernel_ == search.kernel_
    )


def test_candidates(system):
    X, y = system
    listed = [{"tau_coef": 0.2, "lambda_coef": 0.8, "alpha": 1e-3}, {"kernel": "rbf:gamma=1", "alpha": 1e-2}]
    search = VolterraRidgeCV(candidates=listed, race="none").fit(X, y)
    assert search.cv_results_["params"] == listed
    assert search.cv_results_["param_kernel"].mask.tolist() == [True, False]
    assert search.best_params_ in listed


def test_scores(system):
    X, y = system
    grid = {"tau": [0.3], "lam": [0.5], "alpha": [1e-3, 1e-2]}
    given = dict(candidates=grid, race="none")
    r2 = VolterraRidgeCV(**given).fit(X, y).cv_results_["mean_test_score"]
    nmse = VolterraRidgeCV(scoring="neg_nmse", **given).fit(X, y).cv_results_["mean_test_score"]
    assert np.allclose(1 + nmse, r2, rtol=0, atol=1e-13)
    for scoring in ("neg_mse", "prequential", "log"):
        search = VolterraRidgeCV(scoring=scoring, **given).fit(X, y)
        assert search.best_score_ == search.cv_results_["mean_test_score"].max()


def test_budget(system):
    X, y = system
    search = VolterraRidgeCV(budget=0.3, random_state=0).fit(X, y)
    assert search.out_of_time_ and len(search.cv_results_["params"]) >= 1
    assert [seconds_of(b) for b in (None, 2, "90s", "1.5m", "2h", "3 min")] == [0, 2, 90, 90, 7200, 180]
    # As the program reads them.
    assert [seconds_of(b) for b in ("3min", "1h30m", "2 hours 5 secs", "1day")] == [180, 5400, 7205, 86400]
    for nonsense in ("", "h", "1h30", "3ms", "1m1h", "1 2", "1.2.3s", "0s"):
        with pytest.raises(ValueError, match="budget must be"):
            seconds_of(nonsense)


def test_log_and_resume(system, tmp_path):
    X, y = system
    log = tmp_path / "trials.jsonl"
    first = VolterraRidgeCV(draws=6, random_state=1, log=log).fit(X, y)
    seen = []
    again = VolterraRidgeCV(draws=9, random_state=1, log=log, resume=True).fit(X, y, on_trial=seen.append)
    assert again.cv_results_["params"][:6] == first.cv_results_["params"]
    whole = VolterraRidgeCV(draws=9, random_state=1).fit(X, y)
    assert again.best_params_ == whole.best_params_ and again.best_score_ == whole.best_score_


def test_failed_candidates_are_trials(system):
    X, y = system
    search = VolterraRidgeCV(candidates={"tau": [0.3, 50.0], "lam": [0.5]}).fit(X, y)
    assert search.best_params_ == {"lam": 0.5, "tau": 0.3}
    assert "tau" in search.cv_results_["failure"][1] and np.isnan(search.cv_results_["mean_test_score"][1])
    with pytest.raises(ValueError, match="tau"):
        VolterraRidgeCV(candidates={"tau": [50.0], "lam": [0.5]}).fit(X, y)


def test_series():
    x = volterra.datasets.mackey_glass(300)
    search = VolterraRidgeCV(draws=10, random_state=0).fit(x[:250])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert search.score(x[250:]) > 0.9
    assert search.continue_(10).shape == (10, 1)
