"""scikit-learn: its estimator checks and tools."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraClassifier, VolterraRidge, VolterraRidgeCV

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone, is_regressor  # noqa: E402
from sklearn.compose import TransformedTargetRegressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402
from sklearn.utils.validation import has_fit_parameter  # noqa: E402

pytestmark = pytest.mark.filterwarnings(
    "ignore::volterra.VolterraWarning", "ignore:X does not have valid feature names"
)

# Checks that contradict time order, by name.
EXPECTED = {
    "check_methods_sample_order_invariance": "rows are time steps: a forecast depends on their order",
    "check_methods_subset_invariance": "rows are time steps: left-out rows change the past of others",
}
# Regressors: the check fits y = X[:, 0].
OF_REGRESSORS = {"check_regressors_no_decision_function": "a target that is an input of its row is refused"}
# The same of estimators that take weights.
WEIGHTED = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 0 still feeds the past, a row left out does not",
}
ESTIMATORS = [
    VolterraRidge(),
    VolterraRidge(loss="huber:delta=1", alpha=0.1),
    VolterraClassifier(alpha=0.1),
    VolterraRidge(lift="exponential", scale=False, tau_coef=0.2, lambda_coef=0.5, alpha=1e-3),
    SequenceKernelRidge(),
    SequenceKernelRidge("gak:sigma=1,window=5"),
    SequenceKernelRidge("rbf:window=5"),
    VolterraRidgeCV(draws=5),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_check_estimator(estimator):
    expected = {**EXPECTED, **(WEIGHTED if has_fit_parameter(estimator, "sample_weight") else {})}
    if not isinstance(estimator, VolterraClassifier):
        expected.update(OF_REGRESSORS)
    results = estimator_checks.check_estimator(
        estimator, expected_failed_checks=expected, on_fail=None, on_skip=None
    )
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert len([r for r in results if r["status"] == "passed"]) > 40
    # all of them still fail: the list has no superfluous names
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(expected)


# Whole series: rows of a 2-D array are univariate series, whose channel, not whose steps, is the feature.
STEPS_ARE_NO_FEATURES = {
    "check_n_features_in": "n_features_in_ counts channels",
    "check_n_features_in_after_fitting": "series may have any number of steps",
}


class Unlabelled(volterra.SeriesAnomaly):
    """Without y, which marks examples: other labels are rejected."""

    def fit(self, X, y=None):
        return super().fit(X)


OF_SERIES = [
    (volterra.SeriesClassifier("rbf", draws=2, compare="series", splits=0), STEPS_ARE_NO_FEATURES),
    (
        Unlabelled("rbf"),
        {
            **STEPS_ARE_NO_FEATURES,
            "check_fit_score_takes_y": "score is a parameter",
            "check_pipeline_consistency": "score is a parameter",
            "check_outliers_fit_predict": "fit_predict judges training series by detectors that have not learned them",
            "check_outliers_train": "the threshold is for new series: it lies above all training scores",
        },
    ),
]


@pytest.mark.parametrize("estimator, expected", OF_SERIES, ids=["SeriesClassifier", "SeriesAnomaly"])
@pytest.mark.filterwarnings("ignore")
def test_check_estimators_of_series(estimator, expected):
    results = estimator_checks.check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert not {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert len([r for r in results if r["status"] == "passed"]) > 35
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(expected)


def test_tags():
    kinds = {
        "regressor": [VolterraRidge(), SequenceKernelRidge(), VolterraRidgeCV()],
        "classifier": [VolterraClassifier(), volterra.VolterraClassifierCV(), volterra.SeriesClassifier()],
        "outlier_detector": [volterra.SeriesAnomaly()],
    }
    for kind, estimators in kinds.items():
        for estimator in estimators:
            tags = sklearn.utils.get_tags(estimator)
            assert tags.estimator_type == kind, estimator
            assert (tags.classifier_tags is not None) == (kind == "classifier")
            assert (tags.regressor_tags is not None) == (kind == "regressor")
            assert tags.target_tags.multi_output == (kind == "regressor")
            assert tags.target_tags.required == (kind == "classifier")
    for estimator in (volterra.SeriesClassifier(), volterra.SeriesAnomaly(), SequenceKernelRidge()):
        assert sklearn.utils.get_tags(estimator).input_tags.three_d_array


GRID = {"tau": [0.2, 0.5], "lam": [0.3, 0.7], "alpha": [1e-3, 1e-1]}


@pytest.mark.parametrize("start", ["auto", "continue", "reset"])
@pytest.mark.parametrize("intercept", [True, False])
def test_search_equals_grid_search(system, start, intercept):
    """The same candidates and folds: the same scores to 1e-9, winner and ranks."""
    X, y = system
    X = X / 1.5  # of norm at most 1, so that all candidates lie within the bounds
    given = dict(scale=False, start=start, fit_intercept=intercept, washout=3)
    theirs = GridSearchCV(VolterraRidge(**given), GRID, cv=TimeSeriesSplit(5)).fit(X, np.c_[y, y**2])
    volt = VolterraRidgeCV(candidates=GRID, race="none", **given).fit(X, np.c_[y, y**2])
    fields = ["mean_test_score", "std_test_score", *(f"split{k}_test_score" for k in range(5))]
    for field in fields:
        assert np.abs(theirs.cv_results_[field] - volt.cv_results_[field]).max() <= 1e-9, field
    assert theirs.cv_results_["params"] == volt.cv_results_["params"]
    assert np.array_equal(theirs.cv_results_["rank_test_score"], volt.cv_results_["rank_test_score"])
    assert theirs.best_params_ == volt.best_params_ and theirs.best_index_ == volt.best_index_
    assert abs(theirs.best_score_ - volt.best_score_) <= 1e-9
    assert np.array_equal(theirs.predict(X), volt.predict(X))


def test_race_finds_the_same_winner(system):
    X, y = system
    given = dict(candidates=GRID, scale=False)
    whole = VolterraRidgeCV(race="none", **given).fit(X / 1.5, y)
    raced = VolterraRidgeCV(**given).fit(X / 1.5, y)
    assert raced.best_params_ == whole.best_params_ and raced.best_score_ == whole.best_score_


def test_pipeline(system):
    X, y = system
    pipe = make_pipeline(StandardScaler(), VolterraRidge(alpha=1e-3)).fit(X[:200], y[:200])
    assert pipe.score(X[200:], y[200:]) > 0.8
    assert np.array_equal(pipe.predict(X[:200]), pipe[-1].fitted_)
    again = pickle.loads(pickle.dumps(pipe))
    assert np.array_equal(again.predict(X[200:]), pipe.predict(X[200:]))
    grid = GridSearchCV(pipe, {"volterraridge__alpha": [1e-4, 1e-2]}, cv=TimeSeriesSplit(3), n_jobs=2).fit(X, y)
    assert set(grid.best_params_) == {"volterraridge__alpha"}


def test_transformed_target(system):
    X, y = system
    y = y - y.min() + 1
    model = TransformedTargetRegressor(VolterraRidge(alpha=1e-3), func=np.log, inverse_func=np.exp)
    assert model.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.8
    scaled = TransformedTargetRegressor(VolterraRidge(alpha=1e-3), transformer=StandardScaler())
    plain = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    assert np.allclose(scaled.fit(X[:200], y[:200]).predict(X[200:]), plain.predict(X[200:]), atol=1e-8)


def test_transformed_target_with_pandas(system):
    pandas = pytest.importorskip("pandas")
    X, y = system
    frame, series = pandas.DataFrame(X, columns=["u", "v"]), pandas.Series(y, name="y")
    model = TransformedTargetRegressor(VolterraRidge(alpha=1e-3), transformer=StandardScaler())
    assert model.fit(frame[:200], series[:200]).predict(frame[200:]).shape == (100,)


def test_clone_and_params(system):
    X, y = system
    model = VolterraRidge(tau=0.3, lam=0.5, alpha=1e-3).fit(X, y)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(volterra.NotFittedError):
        fresh.predict(X)
    assert is_regressor(fresh)
    with pytest.raises(ValueError, match="Invalid parameter 'taw'"):
        fresh.set_params(taw=1)


def test_cross_validation_tools(system):
    X, y = system
    scores = cross_val_score(VolterraRidge(alpha=1e-3), X, y, cv=TimeSeriesSplit(4))
    assert (scores[1:] > 0.8).all()
    series = volterra.datasets.mackey_glass(300)
    assert (cross_val_score(VolterraRidge(alpha=1e-6), series, cv=TimeSeriesSplit(3)) > 0.9).all()
    with pytest.raises(ValueError):  # folds of a time series are no partition
        cross_val_predict(VolterraRidge(), X, y, cv=TimeSeriesSplit(4))


def test_not_fitted():
    with pytest.raises(sklearn.exceptions.NotFittedError, match="VolterraRidge.*fitted"):
        VolterraRidge().predict([[1.0]])
    assert not hasattr(VolterraRidge(), "fitted_")
