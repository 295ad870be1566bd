"""Objects of the library: copied, pickled and freed exactly once."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV
from volterra._core._native import Handle, Owner
from volterra._core._kernel import Kernel
from volterra.search import Candidates

COPIES = [copy.copy, copy.deepcopy]
KERNELS = ["volterra", "memory:gamma=1,rho=0.5,mu=0.8", "rbf:gamma=1,window=4", "sig:level=2,window=5"]


def push(stream, rows):
    return [stream.feed(row) for row in rows]


@pytest.mark.parametrize("make", COPIES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_copied_stream_is_independent(system, make, kernel):
    X, y = system
    stream = SequenceKernelRidge(kernel, alpha=1e-3).fit(X[:200], y[:200]).stream()
    push(stream, X[200:230])
    other = make(stream)
    assert type(other) is volterra.Stream and other.beyond == stream.beyond
    expected = push(stream, X[230:260])
    assert push(other, X[230:260]) == expected  # bit for bit, whatever the other has taken
    del stream
    gc.collect()
    again = make(other)
    del other
    gc.collect()
    assert np.isfinite(push(again, X[260:])).all()  # the copies outlive the original


def test_copies_freed_in_any_order(system):
    X, y = system
    for _ in range(50):
        stream = VolterraRidge(alpha=1e-3).fit(X[:50], y[:50]).stream()
        copies = [copy.copy(stream), copy.deepcopy(stream), copy.copy(copy.copy(stream))]
        for one in (copies.pop(1), stream):
            one.feed(X[60])
            del one
        del stream
        assert copies[0].feed(X[60]) == copies[1].feed(X[60])
    gc.collect()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kernel", KERNELS)
def test_streams_and_learners_are_pickled(system, kernel, protocol):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-3, beyond="error").fit(X[:200], y[:200])
    stream, learner = model.stream(coverage=0.8), model.learner(window=150)
    push(stream, X[200:230])
    learner.update(X[200:230], y[200:230])
    learner.learn_one({"a": X[230, 0], "b": X[230, 1]}, y[230])
    states = pickle.dumps((stream, learner), protocol)
    expected = push(stream, X[231:250]), learner.update(X[231:250], y[231:250]).tolist()
    del stream, learner, model
    gc.collect()
    stream, learner = pickle.loads(states)
    assert (push(stream, X[231:250]), learner.update(X[231:250], y[231:250]).tolist()) == expected
    assert stream.interval().shape == (1, 1) and learner.window == 150
    with pytest.raises(ValueError, match="row.*'b'"):
        learner.learn_one({"a": 0.0}, 0.0)
    with pytest.raises(ValueError, match="beyond"):  # the policy is kept
        stream.feed([9.0, 9.0])


def test_representations(system):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:100], y[:100])
    stream, learner = model.stream(), model.learner(window=60)
    learner.update(X[100:110], y[100:110])
    assert repr(stream) == f"Stream(kernel={model.kernel_!r}, n_features=2, n_outputs=1, beyond=0)"
    assert repr(learner) == f"Learner(kernel={model.kernel_!r}, rows=60, window=60, forget=1.0, fed=10, learned=10)"
    stream._handle.__del__()
    assert repr(stream) == "Stream(empty)"


@pytest.mark.parametrize("make", [*COPIES, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_of_everything_else(system, make):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    search = VolterraRidgeCV(draws=2, random_state=0).fit(X[:200], y[:200])
    for original in (model, search, search.best_estimator_):
        expected = original.predict(X[200:])
        other = make(original)
        del original
        gc.collect()
        assert np.array_equal(other.predict(X[200:]), expected)
    kernel = Kernel("rbf:gamma=2")
    assert make(kernel).text == kernel.text
    inner = make(model._model)
    assert inner.kernel == model.kernel_ and np.array_equal(inner.coefficients, model.dual_coef_)
    bekk = volterra.datasets.BEKK.fit(volterra.datasets.BEKK([[0.01]], [0.3], [0.9]).simulate(200).returns)
    other, info, C = make(bekk), bekk.fit_info, bekk.C
    del bekk
    gc.collect()
    assert np.array_equal(other.C, C) and other.fit_info == info
    table = np.abs(X)
    mcs = volterra.MCS(table, reps=50)
    assert np.array_equal(make(mcs).pvalues, mcs.pvalues)


@pytest.mark.parametrize("make", [*COPIES, pickle.dumps])
def test_uncopyable_objects_raise(make):
    candidates = Candidates.drawn("volterra", np.eye(3), 0, {}, True)
    with pytest.raises(TypeError, match="Candidates"):
        make(candidates)
    with pytest.raises(TypeError, match="pickled"):
        make(candidates._handle)


def test_shared_handle_is_freed_once():
    freed = []
    owner = Owner()
    owner._handle = Handle(17, freed.append)
    other = Owner()
    other.__dict__.update(owner.__dict__)  # the default of copy.copy
    del owner
    gc.collect()
    assert freed == [] and other._as_parameter_ == 17
    del other
    gc.collect()
    assert freed == [17]


def test_empty_handle_is_rejected(system):
    X, y = system
    with pytest.raises(ctypes.ArgumentError, match="Kernel"):
        Kernel.__new__(Kernel).text  # noqa: B018
    with pytest.raises(ctypes.ArgumentError, match="Stream"):
        volterra.Stream.__new__(volterra.Stream).beyond  # noqa: B018
    stream = VolterraRidge(alpha=1e-3).fit(X, y).stream()
    stream._handle.__del__()  # freed by force
    stream._handle.__del__()
    for call in (lambda: stream.feed(X[0]), lambda: stream.beyond, lambda: copy.copy(stream)):
        with pytest.raises(ctypes.ArgumentError, match="Stream"):
            call()


def test_kernel_values_equal_library():
    kernel = Kernel(" volterra : tau = 0.25 , lift = poly:3 ")
    assert kernel.name == "volterra"
    assert kernel.given() == {"tau": 0.25, "lift": "poly:3"}
    assert Kernel(kernel.text).given() == {"tau": 0.25, "lambda_coef": 0.9, "lift": "poly:3"}
    assert Kernel("linear").given() == {}
    degree = Kernel("poly:degree=2,coef0=1").given()
    assert degree == {"degree": 2, "coef0": 1.0}
    assert isinstance(degree["degree"], int) and isinstance(degree["coef0"], float)
