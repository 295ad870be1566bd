"""The inputs before the first row of a record."""

from __future__ import annotations

import json

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidgeCV

pytestmark = pytest.mark.filterwarnings("ignore::volterra.FitWarning")

KERNEL = "memory:gamma=0.1,rho=0.5,mu=0.7"
PREFIX = 300


def records(seed=1):
    """Two records that are at rest before their first row."""
    rng = np.random.default_rng(seed)
    inputs, outputs = [], []
    for level in (2.0, 4.0):
        u = level + rng.uniform(-0.5, 0.5, size=40)
        u[0], y, before = level, np.zeros(40), level
        for t in range(40):
            y[t] = before = 0.7 * before + 0.3 * u[t]
        inputs.append(u[:, None])
        outputs.append(y)
    return inputs, outputs


def estimator(**settings):
    return SequenceKernelRidge(KERNEL, alpha=1e-3, scale=False, start="reset", **settings)


def test_first_is_a_long_constant_past():
    inputs, outputs = (of[0] for of in records())
    fresh = inputs[::-1].copy()

    def after_rest(u):
        return np.vstack([np.repeat(u[:1], PREFIX, axis=0), u])

    got = estimator(initial="first").fit(inputs, outputs).predict(fresh)
    expected = estimator(washout=PREFIX).fit(after_rest(inputs), np.r_[np.zeros(PREFIX), outputs])
    wanted = expected.predict(after_rest(fresh))[PREFIX:]
    # 40 rows, entries below 1 / (1 - mu) = 10 / 3, alpha 1e-3: as in tests/property/test_initial.c
    np.testing.assert_allclose(got, wanted, atol=40**2 * (10 / 3) ** 2 * 64 * 2.2e-16 / 1e-3**2)


@pytest.mark.parametrize("initial", ["zero", "first", "mean", [3.0]])
def test_files_and_parameters(tmp_path, initial):
    inputs, outputs = records()
    model = estimator(initial=initial).fit(inputs, outputs)
    path = tmp_path / "model.safetensors"
    volterra.save(model, path)
    loaded = volterra.load(path)
    assert loaded.initial == initial
    loaded.set_params(start="reset")
    np.testing.assert_array_equal(loaded.predict(inputs[0]), model.predict(inputs[0]))


def test_the_same_as_the_program(program, tmp_path):
    inputs, outputs = records()
    u, y, path = (str(tmp_path / name) for name in ("u.csv", "y.csv", "m.safetensors"))
    np.savetxt(u, inputs[0], header="u", comments="")
    np.savetxt(y, outputs[0], header="y", comments="")
    words = ["fit", "--x", u, "--y", y, "--kernel", KERNEL, "--alpha", "1e-3", "--initial", "2.5", "--json"]
    assert json.loads(program(*words, "-o", path))["initial_values"] == [2.5]
    model = SequenceKernelRidge(KERNEL, alpha=1e-3, start="reset", initial=[2.5]).fit(inputs[0], outputs[0])
    loaded = volterra.load(path).set_params(start="reset")
    np.testing.assert_array_equal(loaded.predict(inputs[1]), model.predict(inputs[1]))


def test_search_uses_it():
    inputs, outputs = records()
    scores = {}
    for initial in ("zero", "first"):
        search = VolterraRidgeCV(
            kernel=KERNEL, draws=3, initial=initial, start="reset", folds=1, folds_by="records", random_state=1
        )
        scores[initial] = search.fit(inputs, outputs).best_score_
        assert search.best_estimator_.initial == initial
    assert scores["first"] > scores["zero"]


@pytest.mark.parametrize(
    ("initial", "error", "term"),
    [
        ("last", ValueError, "last"),
        ([1.0, 2.0], ValueError, "1 value"),
        ([np.nan], ValueError, "nan"),
        (object(), TypeError, "object"),
        ([[1.0]], ValueError, "initial"),
    ],
)
def test_wrong_values(initial, error, term):
    inputs, outputs = records()
    with pytest.raises(error, match="initial") as caught:
        estimator(initial=initial).fit(inputs[0], outputs[0])
    assert term in str(caught.value)


def test_feedback_needs_zero_or_first():
    inputs, outputs = records()
    with pytest.raises(ValueError, match="feedback.*mean"):
        estimator(initial="mean", feedback=True).fit(inputs[0], outputs[0])
