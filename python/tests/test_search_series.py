"""VolterraRidgeCV on a series without y: defaults first, changes, gaps, the naive forecast."""

from __future__ import annotations

import json

import numpy as np
import pytest
import volterra
from volterra import VolterraRidgeCV

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")


def _walk_with_season(seed, rows=160):
    rng = np.random.default_rng(seed)
    t = np.arange(rows)
    level = np.cumsum(rng.uniform(-0.5, 0.5, rows)) + 5 * np.sin(2 * np.pi * t / 12)
    return (100 + level + 0.15 * rng.uniform(-1, 1, rows)).reshape(-1, 1)


def test_series_search_equals_program(tmp_path, program):
    x = _walk_with_season(1)
    np.save(tmp_path / "v.npy", x)
    search = VolterraRidgeCV(draws=5, ahead=3, random_state=4).fit(x)
    out = tmp_path / "m.safetensors"
    words = ["--ahead", 3, "--draws", 5, "--seed", 4, "-o", out, "--json"]
    told = json.loads(program("tune", "--x", tmp_path / "v.npy", *words))
    assert search.best_index_ == told["best"]["index"] and search.best_score_ == told["best"]["score"]
    assert search.cv_results_["alpha"][search.best_index_] == told["best"]["alpha"]
    assert told["gap"] == 2 and search.input_ == told["input"] == "both"
    assert search.season_ == told["season"] == 12
    names = {"naive": "naive", "seasonal naive": "seasonal", "drift": "drift", "autoregression": "ar"}
    assert [names[one.pop("name")] for one in told["baselines"]] == list(search.validation_baselines_)
    assert told["baselines"] == list(search.validation_baselines_.values())
    loaded = volterra.load(out)
    assert np.array_equal(loaded.forecast(), search.forecast())
    again = search.best_estimator_
    assert (again.target, again.input, again.season, again.ahead) == ("change", "both", 12, 3)


def test_loss_constants_equal_program(tmp_path, program):
    x = _walk_with_season(3, 90)
    np.save(tmp_path / "v.npy", x)
    loss = "quantile:q=0.1/0.9"
    search = VolterraRidgeCV(draws=2, random_state=4, loss=loss).fit(x)
    words = ["--draws", 2, "--seed", 4, "--loss", loss, "--json"]
    told = json.loads(program("tune", "--x", tmp_path / "v.npy", *words))
    found = search.validation_baselines_
    assert [one["name"] for one in told["baselines"]] == list(found) and len(found) == 2
    assert [one["score"] for one in told["baselines"]] == [one["loss"] for one in found.values()]
    assert [one["skill"] for one in told["baselines"]] == [one["skill"] for one in found.values()]


@pytest.mark.parametrize("seed", range(4))
def test_ten_draws_are_never_worse_than_the_defaults(seed):
    x = _walk_with_season(seed, 80)
    none = VolterraRidgeCV(draws=1, random_state=seed).fit(x)
    ten = VolterraRidgeCV(draws=10, random_state=seed).fit(x)
    assert none.cv_results_["kernel"] == [volterra.VolterraRidge(alpha=1.0).fit(x).kernel_]
    assert ten.best_score_ >= none.best_score_


def test_given_alpha_searches_levels():
    x = _walk_with_season(2, 80)
    drawn = VolterraRidgeCV(draws=3, ranges={"alpha": (1e-3, 1)}, random_state=0).fit(x)
    candidates = [{"alpha": 0.1}, {"alpha": "auto"}, {"lambda_coef": 0.5}]
    listed = VolterraRidgeCV(candidates=candidates, race="none").fit(x)
    for search in (drawn, listed):
        assert search.target_ == search.input_ == "level"
    assert (listed.cv_results_["alpha"] > 0).all()  # what a profile came to
    grid = [{"alpha": listed.cv_results_["alpha"][1] * 10.0**power} for power in (-1, 0, 1)]
    around = VolterraRidgeCV(candidates=grid, race="none").fit(x)
    assert around.cv_results_["mean_test_score"][1] == pytest.approx(listed.cv_results_["mean_test_score"][1])
    change = VolterraRidgeCV(draws=2, ranges={"alpha": (1e-3, 1)}, target="change", random_state=0).fit(x)
    assert change.input_ == "level" and change.best_estimator_.target == "change"


def test_gap_follows_from_ahead():
    x = _walk_with_season(3, 90)
    for gap in (None, 5):
        found = VolterraRidgeCV(draws=2, ahead=6, gap=gap, random_state=0).fit(x)
        assert gap is None or found.best_score_ == last.best_score_
        last = found
    assert VolterraRidgeCV(draws=2, ahead=6, gap=0, random_state=0).fit(x).best_score_ != last.best_score_
    VolterraRidgeCV(draws=2, ahead=6, scoring="log", random_state=0).fit(x)
    with pytest.raises(ValueError, match="does not support a gap"):
        VolterraRidgeCV(draws=2, ahead=6, gap=2, scoring="log", random_state=0).fit(x)


def test_random_walk_keeps_naive_forecast():
    x = np.cumsum(np.random.default_rng(8).normal(size=150)).reshape(-1, 1)
    search = VolterraRidgeCV(draws=4, season=None, random_state=0).fit(x)
    assert np.isinf(search.alpha_) and search.report_["share"] == 0
    assert np.array_equal(search.predict(x[-1:]), x[-1:])
