"""Failures of the library are Python exceptions with its message."""

from __future__ import annotations

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge


def test_value_errors_have_the_message(system):
    X, y = system
    cases = [
        (VolterraRidge(alpha=-1.0), "alpha must be one positive, finite number.*got -1"),
        (VolterraRidge(washout=300), "the washout must be 0 to 299.*got 300"),
        (VolterraRidge(tau=2.0), "tau"),
        (VolterraRidge(tau_coef=0.3, tau=0.3), "give tau or tau_coef, not both"),
        (SequenceKernelRidge("voltera"), "volterra"),
        (SequenceKernelRidge("rbf:gama=1"), "gamma"),
        (SequenceKernelRidge("gak:sigma=1"), "window"),
        (VolterraRidge(start="begin"), "start must be one of 'auto', 'continue', 'reset'.*got 'begin'"),
        (VolterraRidge(beyond="cut"), "beyond must be .*got 'cut'"),
    ]
    for model, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            model.fit(X, y)


def test_singular():
    x = np.ones((60, 1))
    x[::2] = -1
    with pytest.raises(volterra.SingularError, match="alpha") as caught:
        SequenceKernelRidge("linear", alpha=1e-300, fit_intercept=False).fit(x, x[:, 0] ** 2)
    assert isinstance(caught.value, (ValueError, np.linalg.LinAlgError))


def test_memory():
    rows = 4_000_000  # K would take 128 TB
    with pytest.raises(MemoryError, match="rows would fit"):
        VolterraRidge(solver="exact").fit(np.random.default_rng(0).normal(size=(rows, 1)), np.zeros(rows))


def test_files(tmp_path, system):
    with pytest.raises(FileNotFoundError, match="nothing.safetensors"):
        volterra.load(tmp_path / "nothing.safetensors")
    X, y = system
    with pytest.raises(OSError, match="no-folder"):
        volterra.save(VolterraRidge().fit(X, y), tmp_path / "no-folder" / "m.safetensors")
    broken = tmp_path / "broken.safetensors"
    volterra.save(VolterraRidge().fit(X, y), broken)
    content = bytearray(broken.read_bytes())
    content[-20] ^= 1
    broken.write_bytes(content)
    with pytest.raises(ValueError, match="broken.safetensors"):
        volterra.load(broken)


def test_data(system):
    X, y = system
    with pytest.raises(ValueError, match="NaN at row 2, column 0"):
        VolterraRidge().fit([[1.0], [2.0], [np.nan]], [1, 2, 3])
    with pytest.raises(ValueError, match="inf"):
        VolterraRidge().fit(X, np.r_[np.inf, y[1:]])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[300, 299\]"):
        VolterraRidge().fit(X, y[1:])
    with pytest.raises(ValueError, match="Reshape"):
        VolterraRidge().fit(y, y)
    with pytest.raises(ValueError, match="X.*1.*features.*VolterraRidge.*2"):
        VolterraRidge().fit(X, y).predict(X[:, :1])
    with pytest.raises(ValueError, match="text"):
        VolterraRidge().fit([["a"], ["b"]], [1, 2])
    with pytest.raises(ValueError, match="the inputs"):
        VolterraRidge().fit(np.ones((5, 1)), np.arange(5.0))


def test_log_becomes_a_warning(system):
    X, y = system
    with pytest.warns(volterra.VolterraWarning, match="rounding") as caught:
        SequenceKernelRidge("rbf", alpha=1e-14).fit(X, y)
    assert caught[0].filename == __file__  # the line that called, not one inside the package


def test_bad_search():
    u, y = volterra.datasets.narma10(100)
    cases = [
        (dict(draws=0), "draws must be .*got 0"),
        (dict(budget="soon"), "budget must be .*got 'soon'"),
        (dict(budget=-1), "budget must be .*got -1"),
        (dict(race="slow"), "race must be .*got 'slow'"),
        (dict(scoring="accuracy"), "scoring must be .*got 'accuracy'"),
        (dict(folds=99), "folds|rows"),
        (dict(candidates=[]), "candidates is empty"),
        (dict(ranges={"taw": (0.1, 1)}), "taw"),
        (dict(ranges={"alpha": ("gauss", 0.1, 1)}), "law of alpha must be .*got 'gauss'"),
    ]
    for given, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            volterra.VolterraRidgeCV(**given).fit(u, y)
