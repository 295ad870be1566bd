"""Feedback of outputs as additional inputs."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
import volterra


def system(n, seed=1):
    """A stable system whose output depends on earlier outputs."""
    u = np.random.default_rng(seed).normal(size=(n, 1))
    y = np.zeros(n)
    for t in range(1, n):
        y[t] = 0.6 * y[t - 1] + np.tanh(u[t, 0])
    return u, y


KERNEL = "fading:gamma=2,rho=0.3"


@pytest.fixture(scope="module")
def fitted():
    u, y = system(300)
    return volterra.SequenceKernelRidge(KERNEL, alpha=1e-4, feedback=2.0).fit(u[:200], y[:200]), u, y


def test_golden(root):
    golden = json.loads((root / "tests/reference/m2_feedback.json").read_text())
    x, y, n = np.array(golden["x"]), np.array(golden["y"]), golden["train_rows"]
    model = volterra.SequenceKernelRidge(
        golden["kernel"], alpha=golden["alpha"], feedback=golden["feedback_weight"], scale=golden["scale"]
    ).fit(x[:n], y[:n])
    limit = dict(rtol=0, atol=golden["rtol"] * np.abs(y).max())
    run = golden["simulated_continue"]
    np.testing.assert_allclose(model.predict(x[n : n + len(run)]), run, **limit)
    run = golden["simulated_reset_after_warm_up"]
    rows = slice(n, n + len(run))
    simulated = model.predict(x[rows], start="reset", y_known=y[rows], warm_up=golden["warm_up"])
    np.testing.assert_allclose(simulated, run, **limit)


def test_training_rows_give_fitted_values(fitted):
    model, u, y = fitted
    np.testing.assert_array_equal(model.predict(u[:200]), model.fitted_)
    one_step = model.predict(u[:200], y_known=y[:200])
    np.testing.assert_allclose(one_step, model.fitted_, atol=1e-8)
    assert model.score(u[200:], y[200:]) > 0.5


def test_streams_run_free_and_take_measured_outputs(fitted):
    model, u, y = fitted
    stream = model.stream()
    assert [stream.feed(row) for row in u[200:]] == model.predict(u[200:]).tolist()
    stream = model.stream(start="reset")
    simulated = model.predict(u[200:], start="reset", y_known=y[200:], warm_up=5)
    for t, row in enumerate(u[200:]):
        assert stream.feed(row) == simulated[t]
        if t < 5:
            stream.learn(y[200 + t])
        if t == 20:
            stream = copy.copy(stream)
    with pytest.raises(ValueError, match="shape"):
        stream.learn([1.0, 2.0])
    plain = volterra.SequenceKernelRidge(KERNEL, alpha=1e-4).fit(u[:200], y[:200])
    with pytest.raises(ValueError, match="feedback"):
        plain.stream().learn(1.0)


def test_files_and_pickles(fitted, tmp_path):
    model, u, _ = fitted
    model.save(tmp_path / "model.safetensors")
    read = volterra.load(tmp_path / "model.safetensors")
    assert read.feedback == 2.0
    np.testing.assert_array_equal(read.predict(u[200:]), model.predict(u[200:]))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(u[200:]), model.predict(u[200:]))


def test_records():
    u, y = system(120, seed=3)
    parts = [slice(0, 50), slice(50, 120)]
    model = volterra.SequenceKernelRidge(KERNEL, alpha=1e-4, feedback=True)
    model.fit([u[p] for p in parts], [y[p] for p in parts])
    together = model.predict([u[p] for p in parts], y_known=[y[p] for p in parts], warm_up=3)
    for p, run in zip(parts, together):
        np.testing.assert_array_equal(run, model.predict(u[p], start="reset", y_known=y[p], warm_up=3))
    groups = np.repeat([1, 2], [50, 70])
    np.testing.assert_array_equal(
        model.predict(u, groups=groups, y_known=y, warm_up=3), np.concatenate(together)
    )


def test_diverging_run():
    u = np.zeros((12, 1))
    u[0] = 1
    y = 1.5 ** np.arange(12.0)
    model = volterra.SequenceKernelRidge("linear", alpha=1e-8, feedback=1, scale=False).fit(u, y)
    rest = np.zeros((20, 1))
    with pytest.warns(volterra.DivergenceWarning, match="row 5 "):
        run = model.predict(rest)
    middle, half = (y[-1] + y[0]) / 2, (y[-1] - y[0]) / 2
    np.testing.assert_allclose(run, np.minimum(y[-1] * 1.5 ** np.arange(1, 21.0), middle + 10 * half), rtol=1e-4)
    with pytest.raises(ValueError, match="row 1"):
        model.set_params(beyond="error").predict(rest)


def test_run_without_first_output(fitted):
    model, u, y = fitted
    with pytest.warns(volterra.StartWarning, match="y_known.*warm_up"):
        model.predict(u[200:], start="reset")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(u[200:])
        model.predict(u[200:], start="reset", y_known=y[200:], warm_up=1)


def test_inputs_outside_training_range():
    u, y = system(100)
    model = volterra.SequenceKernelRidge(KERNEL, alpha=1e-4).fit(np.abs(u), y)
    inside = np.abs(u[:5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(inside, start="reset")
    with pytest.warns(volterra.BeyondWarning, match="1 input row .*row 3: input 1 .* below"):
        model.predict(np.where(np.arange(5)[:, None] == 2, -1.0, inside), start="reset")


def test_invalid_arguments(fitted):
    model, u, y = fitted
    rest = u[200:]
    wrong = [
        (dict(warm_up=3), ValueError, "needs the outputs that were measured"),
        (dict(y_known=y[200:], warm_up=101), ValueError, "the warm-up is 101 rows"),
        (dict(y_known=y[200:], warm_up=0), ValueError, "warm_up must be .*got 0"),
        (dict(y_known=y[200:], warm_up=1.5), TypeError, "warm_up"),
        (dict(y_known=y[201:]), ValueError, "y_known has 99 rows, and X has 100"),
        (dict(y_known=np.ones((100, 2))), ValueError, "must be 100 x 1.*got 100 x 2"),
        (dict(y_known=np.where(np.arange(100) == 4, np.nan, 1.0)), ValueError, "known output 1 of row 5 is missing"),
    ]
    for options, error, words in wrong:
        with pytest.raises(error, match=words):
            model.predict(rest, **options)
    plain = volterra.SequenceKernelRidge(KERNEL, alpha=1e-4).fit(u[:200], y[:200])
    with pytest.raises(ValueError, match="feedback"):
        plain.predict(rest, y_known=y[200:])
    for weight in (0, -1, np.nan, np.inf, "much"):
        with pytest.raises((TypeError, ValueError), match="feedback must be"):
            volterra.VolterraRidge(feedback=weight).fit(u, y)
    with pytest.raises(ValueError, match="feedback"):
        volterra.VolterraRidge(feedback=True).fit(u)
    with pytest.raises(ValueError, match="ahead must be .*got 1"):
        volterra.VolterraRidge(feedback=True, ahead=1, alpha=1.0).fit(u, y)
    with pytest.raises(ValueError, match="one step ahead"):
        model.predict_interval(rest)


def explicit_scores(u, y, params, folds):
    """Fits on the rows before every block, and simulations on the block."""
    block = len(u) // (folds + 1)
    scores = []
    for k in range(folds):
        begin = len(u) - (folds - k) * block
        model = volterra.VolterraRidge(**params, scale=False).fit(u[:begin], y[:begin])
        scores.append(volterra.metrics.r2(y[begin : begin + block], model.predict(u[begin : begin + block])))
    return scores


def test_search_scores_equal_free_runs():
    u, y = system(160, seed=5)
    candidates = [dict(kernel=KERNEL, alpha=1e-3, feedback=w) for w in (0.5, 2.0)]
    search = volterra.VolterraRidgeCV(candidates=candidates, folds=3, race="none", scale=False).fit(u, y)
    for i, params in enumerate(candidates):
        found = [search.cv_results_[f"split{k}_test_score"][i] for k in range(3)]
        np.testing.assert_allclose(found, explicit_scores(u, y, params, 3), atol=1e-8)
    assert search.best_params_["feedback"] == search.best_estimator_.feedback
    np.testing.assert_array_equal(search.predict(u), search.best_estimator_.predict(u))


def test_weights_are_drawn():
    u, y = system(120, seed=6)
    search = volterra.VolterraRidgeCV(
        draws=6, folds=2, kernel="fading", feedback=True, ranges={"feedback": (2.0, 3.0)}, random_state=1
    ).fit(u, y)
    weights = [one["feedback"] for one in search.cv_results_["params"]]
    assert all(2 <= w <= 3 for w in weights) and len(set(weights)) > 3
    best = search.best_estimator_
    again = volterra.VolterraRidge(**search.best_params_).fit(u, y)
    np.testing.assert_allclose(again.predict(u[:50], start="reset"), best.predict(u[:50], start="reset"), atol=1e-10)
    fixed = volterra.VolterraRidgeCV(draws=2, folds=2, kernel="fading", feedback=4.0, validate="one-step", random_state=1)
    assert {one["feedback"] for one in fixed.fit(u, y).cv_results_["params"]} == {4.0}
    with pytest.raises(ValueError, match="one-step"):
        volterra.VolterraRidgeCV(draws=2, folds=2, feedback=True, scoring="log").fit(u, y)
    with pytest.raises(ValueError, match="validate"):
        volterra.VolterraRidgeCV(draws=2, folds=2, feedback=True, validate="both").fit(u, y)
    with pytest.raises(ValueError, match="feedback"):
        volterra.VolterraRidgeCV(draws=2, folds=2, feedback=True).fit(u)
