"""Losses other than squares, weights and classes."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraClassifier, VolterraRidge

pytestmark = pytest.mark.filterwarnings("ignore::volterra.VolterraWarning")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = np.c_[np.sin(0.4 * np.arange(120)) + 0.2 * rng.normal(size=120), rng.uniform(size=120)]
    y = X[:, 0] + X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=120)
    return X, y


GOLDEN = {
    "huber": lambda p: f"huber:delta={p['delta']}",
    "quantile_10": lambda p: f"quantile:q={p['q']}",
    "quantile_90": lambda p: f"quantile:q={p['q']}",
    "quantiles": lambda p: "quantile:q=" + "/".join(str(q) for q in p["q"]),
    "epsilon": lambda p: f"epsilon:epsilon={p['epsilon']}",
    "expectile": lambda p: f"expectile:q={p['q']}",
    "poisson": lambda p: "poisson",
    "logistic": None,
    "multinomial": None,
}


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("case", [0, 1])
def test_golden(root, name, case):
    """Objectives and forecasts of another solver."""
    file = json.loads((root / f"tests/reference/m2_loss_{name}.json").read_text())
    p, n, expected = file["params"], file["inputs"]["rows_train"], file["expected"][case]
    Z, y = np.array(file["inputs"]["Z"]), np.array(file["inputs"]["y"])
    given = dict(
        kernel=f"volterra:tau={p['tau']!r},lambda={p['lambda']!r}",
        alpha=p["alpha"],
        scale=False,
        fit_intercept=expected["intercept"],
        tolerance=1e-12,
        beyond="allow",
    )
    want = np.array(expected["forecast"])
    if GOLDEN[name] is None:
        model = VolterraClassifier(**given).fit(Z[:n], y.astype(int))
        u = model.decision_function(Z[n:])
    else:
        model = VolterraRidge(loss=GOLDEN[name](p), **given).fit(Z[:n], y)
        u = model.predict(Z[n:])
        u = np.log(u) if name == "poisson" else u
        want = np.sort(want, axis=1) if name == "quantiles" else want
    assert abs(model.objective_ - expected["objective"]) <= file["tol"] * abs(expected["objective"])
    assert 0 <= model.duality_gap_ <= 1e-12 * abs(model.objective_)
    assert np.abs(u - want).max() <= expected["tol_forecast"] * np.abs(want).max()


def test_several_quantiles_are_columns_that_never_cross(rows):
    X, y = rows
    model = VolterraRidge(alpha=0.01, loss="quantile:q=0.1/0.5/0.9").fit(X[:100], y[:100])
    assert model.n_outputs_ == 3 and model.fitted_.shape == (100, 3)
    assert (np.diff(model.fitted_, axis=1) >= 0).all()
    assert (np.diff(model.predict(X[100:]), axis=1) >= 0).all()
    levels = np.array([0.1, 0.5, 0.9])  # the optimality of an intercept
    assert ((y[:100, None] < model.fitted_ - 1e-9).mean(axis=0) <= levels + 1e-9).all()
    assert ((y[:100, None] > model.fitted_ + 1e-9).mean(axis=0) <= 1 - levels + 1e-9).all()
    stream = model.stream()
    assert np.allclose(stream.feed(X[100]), model.predict(X[100:101])[0])
    assert 0 < model.score(X[:100], y[:100]) < 1
    both = SequenceKernelRidge("rbf", alpha=0.1, loss="quantile:q=0.2/0.8").fit(X, np.c_[y, -y])
    assert both.predict(X).shape == (120, 4)
    assert np.allclose(both.fitted_[:, :2], -both.fitted_[:, :1:-1], atol=1e-4)


def test_weights(rows):
    X, y = rows
    given = dict(alpha=0.1, scale=False, tolerance=1e-12)
    for loss in ("squares", "huber:delta=0.5", "quantile:q=0.7"):
        once = SequenceKernelRidge("rbf", loss=loss, **given).fit(X, y, sample_weight=np.full(120, 2.0))
        half = SequenceKernelRidge("rbf", loss=loss, **{**given, "alpha": 0.05}).fit(X, y)
        assert np.allclose(once.fitted_, half.fitted_, atol=1e-6)
        zero = np.where(np.arange(120) < 100, 1.0, 0.0)
        part = SequenceKernelRidge("rbf", loss=loss, **given).fit(X, y, sample_weight=zero)
        less = SequenceKernelRidge("rbf", loss=loss, **given).fit(X[:100], y[:100])
        assert np.allclose(part.fitted_, less.predict(X), atol=1e-6)  # rows alone: no past
    with pytest.raises(ValueError, match="weight 4 must be .*got -1"):
        VolterraRidge(alpha=1).fit(X, y, sample_weight=np.where(np.arange(120) == 3, -1, 1))
    with pytest.raises(ValueError, match="weights are zero"):
        VolterraRidge(alpha=1).fit(X, y, sample_weight=np.zeros(120))
    with pytest.raises(ValueError, match="expected"):
        VolterraRidge(alpha=1).fit(X, y, sample_weight=np.ones(5))
    ahead = VolterraRidge(alpha=1, ahead=2, loss="huber:delta=1").fit(X, y, sample_weight=np.arange(120.0))
    assert ahead.fitted_.shape == (118,)


def test_targets_of_weight_0_are_ignored(rows):
    X, y = rows
    weight = np.where(np.arange(120) % 5 == 2, 0.0, 1.0)
    for settings in (
        dict(loss="squares"),
        dict(loss="squares", fit_intercept=False),
        dict(loss="quantile:q=0.7", alpha=0.1),
        dict(loss="epsilon:epsilon=0.1", fit_intercept=False),
    ):
        fits = [
            VolterraRidge(**settings).fit(X, np.where(weight > 0, y, placeholder), sample_weight=weight)
            for placeholder in (0.0, -9999.0, 1e300)
        ]
        for other in fits[1:]:
            assert other.alpha_ == fits[0].alpha_
            assert np.array_equal(other.predict(X), fits[0].predict(X))


def test_against_scikit_learn(rows):
    svm = pytest.importorskip("sklearn.svm")
    linear = pytest.importorskip("sklearn.linear_model")
    X, y = rows
    K = volterra.gram(X, kernel="rbf:gamma=1")
    ours = SequenceKernelRidge(
        "rbf:gamma=1", alpha=0.2, loss="epsilon:epsilon=0.1", scale=False, tolerance=1e-10
    ).fit(X, y)
    theirs = svm.SVR(kernel="precomputed", C=1 / 0.2, epsilon=0.1, tol=1e-6).fit(K, y)
    assert np.abs(ours.fitted_ - theirs.predict(K)).max() <= 1e-3
    labels = np.where(y > 0.1, "b", "a")
    ours = VolterraClassifier("linear", alpha=0.5, scale=False, tolerance=1e-10).fit(X, labels)
    theirs = linear.LogisticRegression(C=1 / 0.5, tol=1e-10, max_iter=1000).fit(X, labels)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() <= 1e-4


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier(rows, classes):
    X, y = rows
    labels = np.array(["low", "mid", "top"])[np.digitize(y, [-0.3, 0.6][: classes - 1])]
    model = VolterraClassifier(alpha=0.05).fit(X[:100], labels[:100])
    assert model.classes_.tolist() == sorted(set(labels))
    p = model.predict_proba(X[100:])
    assert p.shape == (20, classes) and np.allclose(p.sum(axis=1), 1) and (p > 0).all()
    assert np.array_equal(model.predict(X[100:]), model.classes_[p.argmax(axis=1)])
    assert model.score(X[:100], labels[:100]) > 0.6
    assert model.decision_function(X).shape == ((120,) if classes == 2 else (120, classes))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X[100:]), p)
    assert VolterraClassifier().fit(X[:100], labels[:100]).alpha_ > 0
    weighted = VolterraClassifier(alpha=0.05).fit(
        X[:100], labels[:100], sample_weight=np.where(labels[:100] == "low", 9, 1)
    )
    assert (weighted.predict(X[:100]) == "low").sum() > (model.predict(X[:100]) == "low").sum()


def test_files(rows, tmp_path):
    X, y = rows
    path = tmp_path / "m.safetensors"
    model = VolterraRidge(alpha=0.1, loss="quantile:q=0.1/0.9", tolerance=1e-8).fit(X[:100], y[:100])
    model.save(path)
    loaded = volterra.load(path)
    assert loaded.loss == "quantile:q=0.1/0.9" and loaded.tolerance == 1e-8
    assert loaded.objective_ == model.objective_ and loaded.duality_gap_ == model.duality_gap_
    assert np.array_equal(loaded.predict(X[100:]), model.predict(X[100:]))
    labels = np.where(y > 0, 7, -2)
    model = VolterraClassifier(alpha=0.1).fit(X[:100], labels[:100])
    model.save(path)
    loaded = volterra.load(path)
    assert loaded.classes_.tolist() == [-2, 7]
    assert np.array_equal(loaded.predict(X[100:]), model.predict(X[100:]))


def test_program_and_package_agree(rows, program, tmp_path):
    X, y = rows
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b", comments="")
    np.savetxt(tmp_path / "y.csv", y, header="y", comments="")
    given = [
        "--x",
        tmp_path / "x.csv",
        "--y",
        tmp_path / "y.csv",
        "--alpha",
        "0.1",
        "--loss",
        "huber:delta=0.3",
    ]
    program("fit", *given, "-o", tmp_path / "m.safetensors", "--fitted", tmp_path / "f.csv")
    fitted = VolterraRidge(alpha=0.1, loss="huber:delta=0.3").fit(X, y).fitted_
    assert np.abs(np.loadtxt(tmp_path / "f.csv", skiprows=1) - fitted).max() <= 1e-9


def test_invalid_arguments(rows):
    X, y = rows
    for loss, words in [
        ("hubber:delta=1", "did you mean"),
        ("huber:delta=0", "greater than 0"),
        ("quantile:q=0.9/0.1", "must increase"),
        ("quantile:q=1", "between 0 and 1"),
        ("logistic", "use VolterraClassifier"),
        ("poisson", "counts must be at least 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            VolterraRidge(alpha=1, loss=loss).fit(X, y)
    with pytest.raises(ValueError, match="tolerance must be .*got 2"):
        VolterraRidge(alpha=1, loss="huber:delta=1", tolerance=2).fit(X, y)
    with pytest.raises(ValueError, match="1 class"):
        VolterraClassifier().fit(X, ["a"] * 120)
    with pytest.raises(ValueError, match="continuous"):
        VolterraClassifier().fit(X, y)
    with pytest.raises(ValueError, match="requires"):
        VolterraClassifier().fit(X)
    with pytest.raises(ValueError, match="1d array"):
        VolterraClassifier().fit(X, np.ones((120, 2), dtype=int))


def test_records_of_classes(rows):
    X, y = rows
    labels = np.where(y > 0, "up", "down")
    parts, marks = [X[:50], X[50:]], [labels[:50], labels[50:]]
    one = VolterraClassifier(alpha=0.1).fit(parts, marks)
    two = VolterraClassifier(alpha=0.1).fit(X, labels, groups=np.repeat([0, 1], [50, 70]))
    assert np.array_equal(one.fitted_, two.fitted_)
