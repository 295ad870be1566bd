"""Learners: models that learn row by row."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import volterra
from volterra import Learner, SequenceKernelRidge, VolterraRidge

TEXTS = {
    "m2_online_geometric": "volterra:tau={tau},lambda={lambda}",
    "m2_online_rbf": "volterra:lift=rbf,gamma={gamma},lambda={lambda}",
    "m2_online_memory": "memory:gamma={gamma},rho={rho},mu={mu}",
}


def fitted(file, rows, intercept):
    """An estimator of the first rows of a reference file, without scaling."""
    text = TEXTS[file.content["name"]].format(**file.params)
    model = SequenceKernelRidge(
        text, alpha=file.params["alpha"], scale=False, fit_intercept=intercept, beyond="allow", target="level", input="level"
    )
    return model.fit(file.array("Z")[:rows], file.array("y")[:rows])


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_window_equals_direct_solve(golden, name):
    file = golden(name)
    file.content["name"] = name
    Z, y = file.array("Z"), file.array("y")
    counts = {"script": 0, "window": 0, "forgetting_kernel": 0}
    for case in file.content["expected"]:
        if case["kind"] == "weights":  # not offered
            continue
        counts[case["kind"]] += 1
        if case["kind"] == "script":
            t = case["script"][0][1]
            learner = fitted(file, t, case["intercept"]).learner()
            for (what, count), snapshot in zip(case["script"], case["snapshots"]):
                if what == "drop":
                    learner.drop(count)
                elif snapshot["end"] > t:
                    learner.update(Z[t : t + count], y[t : t + count])
                    t += count
                assert learner.rows_.tolist() == list(range(snapshot["first"], snapshot["end"]))
                file.check("coefficients", learner.coefficients_[:, 0], expected=snapshot["coefficients"])
                file.check("intercept", learner.intercepts_[0], "absolute", snapshot["intercept"])
                file.check("forecast", learner.predict(Z[t : t + 1])[0], "absolute", snapshot["forecast_next"])
        else:
            t = case["first_forecast_row"]
            learner = fitted(file, t, case["intercept"]).learner(
                window=case["window"], forget=case.get("phi", 1.0), forget_what="all"
            )
            file.check("forecast", learner.update(Z[t:], y[t:]), "absolute", case["forecast"])
    assert counts == {"script": 2, "window": 2, "forgetting_kernel": 2}


def test_learner_equals_fit_on_rows(system):
    X, y = system
    options = dict(alpha=1e-2, scale=False)
    model = VolterraRidge(**options).fit(X[:120], y[:120])
    learner = model.learner()
    assert learner.rows == 120 and learner.window is None and learner.forget == 1.0
    np.testing.assert_allclose(learner.predict(X[120:140]), model.predict(X[120:140]), atol=1e-9)
    forecasts = learner.update(X[120:160], y[120:160])
    assert forecasts.shape == (40,)
    assert learner.learned == learner.fed == 40
    # One row is a number; feed and learn are equivalent to update.
    other = copy.copy(learner)
    one = learner.update(X[160], y[160])
    assert isinstance(one, float) and other.feed(X[160]) == one
    other.learn(y[160])
    assert other.update(X[161], y[161]) == learner.update(X[161], y[161])
    assert learner.partial_fit(X[162:170], y[162:170]) is learner
    assert learner.rows == 170 and learner.condition > 1


def test_missing_targets_update_state(system):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    holed = y[100:130].copy()
    holed[[3, 4, 9]] = np.nan
    learner = model.learner(window=50)
    learner.update(X[100:130], holed)
    assert (learner.fed, learner.learned, learner.rows) == (30, 27, 50)
    assert not set(learner.rows_) & {103, 104, 109}


def test_series_as_target():
    x = volterra.datasets.lorenz(400)
    model = VolterraRidge(alpha=1e-6).fit(x[:300])
    learner = model.learner(window=250)
    assert learner.fed == 1  # the last row, whose target comes next
    forecasts = learner.update(x[300:])
    assert forecasts.shape == (100, 3)
    assert learner.learned == 100
    # The forecast of a row comes after the target of the row before it.
    assert np.mean((forecasts[:-1] - x[301:]) ** 2) < 1e-2 * np.var(x)
    with pytest.raises(ValueError, match="missing"):
        VolterraRidge(alpha=1e-2).fit(x[:50], x[:50, 0] ** 2).learner().update(x[50:60])


def test_river_interface(system):
    X, y = system
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({f"x{k}": X[:, k] for k in range(X.shape[1])})
    model = VolterraRidge(alpha=1e-2).fit(frame[:100], y[:100])
    plain = VolterraRidge(alpha=1e-2).fit(X[:100], y[:100])
    learner, rows = model.learner(window=60), plain.learner(window=60)
    for t in range(100, 130):
        x = {name: frame[name][t] for name in reversed(frame.columns)}  # by name, in any order
        forecast = learner.predict_one(x)
        assert forecast == learner.predict_one(x)
        assert learner.learn_one(x, y[t]) is None
        assert forecast == pytest.approx(rows.update(X[t], y[t]), abs=1e-9)
    with pytest.raises(ValueError, match="row.*'x0'"):
        learner.predict_one({"other": 1.0})
    # Without names, those of the first dict are used.
    unnamed = plain.learner()
    first = unnamed.predict_one(dict(zip("abcdefgh", X[100])))
    assert first == pytest.approx(unnamed.predict_one(dict(reversed(list(zip("abcdefgh", X[100]))))))


@pytest.mark.parametrize("kernel", ["volterra", "memory", "rbf:window=5", "gak:window=4", "2*fir + linear*rbf"])
def test_loaded_learner_continues_bitwise(system, kernel, tmp_path):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-2).fit(X[:80], y[:80])
    learner = model.learner(window=40, forget=0.99)
    learner.update(X[80:110], y[80:110])
    learner.save(tmp_path / "learner")
    volterra.save(model, tmp_path / "model.safetensors")
    expected = learner.update(X[110:140], y[110:140]).tolist()
    for other in (model, pickle.loads(pickle.dumps(model)), volterra.load(tmp_path / "model.safetensors")):
        again = Learner.load(tmp_path / "learner", other)
        assert (again.window, again.forget, again.learned) == (40, 0.99, 30)
        assert np.ravel(again.update(X[110:140], y[110:140])).tolist() == expected


def test_state_file(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:80], y[:80])
    expected = model.learner(window=30).update(X[80:120], y[80:120]).tolist()
    state = tmp_path / "state"
    learner = model.learner(window=30, state=state)
    found = learner.update(X[80:95], y[80:95]).tolist()
    with pytest.raises(OSError, match="state"):
        model.learner(window=30, state=state)
    learner.save()
    del learner
    learner = model.learner(window=30, state=state)
    assert learner.fed == 15
    assert found + learner.update(X[95:120], y[95:120]).tolist() == expected


def test_program_and_python_share_learners(system, tmp_path, program):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:80], y[:80])
    volterra.save(model, tmp_path / "model.safetensors")
    learner = model.learner(window=30)
    expected = learner.update(X[80:100], y[80:100])
    learner.save(tmp_path / "state")
    lines = "\n".join(",".join(repr(float(v)) for v in [*X[t], y[t]]) for t in range(100, 120)) + "\n"
    answers = program("stream", tmp_path / "model.safetensors", "--learn", "--state", tmp_path / "state", input=lines)
    assert [float(a) for a in answers.split()] == learner.update(X[100:120], y[100:120]).tolist()
    assert Learner.load(tmp_path / "state", model).fed == 40
    assert len(expected) == 20


def test_invalid_arguments(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-2).fit(X[:80], y[:80])
    for window in (0, -2, 2.5):
        with pytest.raises(ValueError, match="window must be"):
            model.learner(window=window)
    for forget in (0.0, 1.2, -1.0, np.nan):
        with pytest.raises(ValueError, match="forget must be"):
            model.learner(forget=forget)
    with pytest.raises(ValueError, match="forget_what.*'dynamics'.*'all'"):
        model.learner(forget_what="level")
    learner = model.learner(window=20)
    with pytest.raises(ValueError, match="first"):
        learner.learn(1.0)
    with pytest.raises(ValueError, match="21.*rows.*dropped.*window.*20"):
        learner.drop(21)
    for row in (np.full(X.shape[1], np.nan), X[0, :0]):
        with pytest.raises(ValueError):
            learner.feed(row)
    with pytest.raises(ValueError):
        learner.learn_one(X[80], np.nan)
    with pytest.raises(ValueError, match="outputs"):
        learner.update(X[80:82], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="inconsistent"):
        learner.update(X[80:82], y[80:83])
    assert learner.fed == 0 and learner.rows == 20
    with pytest.raises(FileNotFoundError, match="nothing"):
        Learner.load(tmp_path / "nothing", model)
    with pytest.raises(volterra.NotFittedError):
        VolterraRidge().learner()
