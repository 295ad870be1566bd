"""Several Python threads at a time: ctypes releases the GIL, so the library runs in all of them in parallel."""

from __future__ import annotations

import copy
import threading
import warnings

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, VolterraRidge, VolterraRidgeCV
from volterra._core._machine import use_threads

WAIT = 300  # seconds; only a hang takes that long


@pytest.fixture(autouse=True)
def threads_are_restored():
    before = volterra.threads()
    yield
    volterra.set_threads()
    assert volterra.threads() == before


def run_together(jobs):
    """Return the results of functions that run in separate threads, started together."""
    results, gate = [None] * len(jobs), threading.Barrier(len(jobs))

    def go(place, job):
        gate.wait(WAIT)
        try:
            results[place] = job()
        except BaseException as failure:
            results[place] = failure

    threads = [threading.Thread(target=go, args=entry, daemon=True) for entry in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive(), "a thread hangs"
    failed = [result for result in results if isinstance(result, BaseException)]
    assert not failed, failed
    return results


# ---- the number of threads ---------------------------------------------------------------------------------


@pytest.mark.parametrize("process", [2, 3])
def test_interleaved_thread_counts_are_restored(process):
    """first enters, second enters, first leaves, second leaves: the number used to stay what first had set."""
    volterra.set_threads(process)
    steps = [threading.Event() for _ in range(3)]
    seen = {}

    def first():
        with use_threads(1):
            steps[0].set()
            assert steps[1].wait(WAIT)
            seen["first, inside"] = volterra.threads()
        seen["first, after"] = volterra.threads()
        steps[2].set()

    def second():
        assert steps[0].wait(WAIT)
        with use_threads(4):
            steps[1].set()
            assert steps[2].wait(WAIT)
            seen["second, inside"] = volterra.threads()
        seen["second, after"] = volterra.threads()

    run_together([first, second])
    assert seen == {
        "first, inside": 1,
        "first, after": process,
        "second, inside": 4,
        "second, after": process,
    }
    assert volterra.threads() == process


def test_nested_numbers_and_failures():
    volterra.set_threads(2)
    with use_threads(3):
        with use_threads(None):
            assert volterra.threads() == 3
        with use_threads(1):
            assert volterra.threads() == 1
            with pytest.raises(ValueError, match="n_jobs must be .*got 0"), use_threads(0):
                pass
            with use_threads(-1):
                volterra.set_threads(4)  # of the process
                one_per_core = volterra.threads()
            assert volterra.threads() == 1
        assert volterra.threads() == 3
    assert volterra.threads() == 4
    volterra.set_threads()
    assert volterra.threads() == one_per_core
    with pytest.raises(ZeroDivisionError), use_threads(3):
        1 / 0  # noqa: B018
    assert volterra.threads() == one_per_core


def test_random_interleavings(rng):
    volterra.set_threads(2)
    seeds = rng.integers(2**31, size=6)

    def job(seed):
        own = np.random.default_rng(seed)

        def enter(depth):
            count = int(own.integers(1, 6))
            with use_threads(count):
                if depth:
                    enter(depth - 1)
                assert volterra.threads() == count

        for _ in range(100):
            enter(int(own.integers(4)))
        return volterra.threads()

    assert run_together([lambda s=seed: job(s) for seed in seeds]) == [2] * 6
    assert volterra.threads() == 2


# ---- results -----------------------------------------------------------------------------------------------


def jobs_of(X, y, model, n_jobs):
    """Work of every kind; `model` is shared by all threads."""

    def fit():
        one = VolterraRidge(alpha=0.1, washout=7, n_jobs=n_jobs).fit(X, y)
        return np.r_[one.predict(X[:50] / 2), one.dual_coef_[:, 0]]

    def paths():
        return (
            SequenceKernelRidge("sig:level=2,window=4", alpha=0.1, n_jobs=n_jobs).fit(X, y).predict(X[:90] / 2)
        )

    def predict():
        return model.predict(X[:400] / 2)

    def stream():
        own = model.stream()
        return np.array([own.feed(row) for row in X[:200] / 2])

    def search():
        found = VolterraRidgeCV(draws=3, folds=3, random_state=1, race="none", n_jobs=n_jobs)
        return found.fit(X[:150], y[:150]).cv_results_["mean_test_score"]

    def gram():
        return volterra.gram(X, kernel="gak:sigma=1,window=3", n_jobs=n_jobs)

    return [fit, paths, predict, stream, search, gram]


def test_results_equal_sequential_execution(rng):
    X = rng.uniform(-1, 1, size=(500, 2))
    y = np.convolve(X[:, 0] * X[:, 1], [1, 0.5, 0.2])[:500]
    volterra.set_threads(2)
    model = VolterraRidge(alpha=0.1).fit(X, y)
    jobs = [job for n_jobs in (None, 1, 3) for job in jobs_of(X, y, model, n_jobs)]
    serial = [job() for job in jobs]
    for _ in range(3):
        order = rng.permutation(len(jobs))
        together = run_together([jobs[i] for i in order])
        for i, result in zip(order, together):
            # alpha = 0.1 and |K| < 500 * 10: a condition below 1e5, and BLAS may sum in another order
            assert np.allclose(result, serial[i], rtol=1e-8, atol=1e-8), jobs[i].__name__
    assert volterra.threads() == 2


def test_one_stream_in_two_threads(rng):
    """Rows have an order: a concurrent feed is rejected, and accepted rows are fed completely."""
    X = rng.uniform(-1, 1, size=(3000, 2))
    model = VolterraRidge(alpha=0.1).fit(X, X[:, 0] ** 2)
    stream, row = model.stream(start="reset"), np.zeros(2)

    def job():
        taken = refused = 0
        for _ in range(300):
            try:
                stream.feed(row)
                taken += 1
            except RuntimeError as failure:
                assert "another thread" in str(failure)
                refused += 1
        return taken, refused

    results = run_together([job] * 3)
    taken = sum(taken for taken, _ in results)
    other = model.stream(start="reset")
    for _ in range(taken):
        last = other.feed(row)
    assert stream.feed(row) == other.feed(row) and np.isfinite(last)
    with stream._busy:  # as while another thread is in a push
        for call in (lambda: stream.feed(row), lambda: copy.copy(stream)):
            with pytest.raises(RuntimeError, match="another"):
                call()


def test_warnings_stay_with_their_thread(rng):
    """The library has one log per process; a thread must neither report nor drop the warnings of another."""
    X = rng.uniform(-1, 1, size=(200, 2))
    y = 2 * X[:, 0]
    told = []
    gate = threading.Barrier(2)

    def or_break_the_gate(job):
        """Avoid a deadlock when a job has failed: report the failure."""
        try:
            return job()
        except BaseException:
            gate.abort()
            raise

    def warns():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("volterra._core._errors.warn", lambda text, kind: told.append(threading.get_ident()))
            gate.wait(WAIT)
            for _ in range(20):
                SequenceKernelRidge("rbf", alpha=1e-14).fit(X, y)
            gate.wait(WAIT)
        return threading.get_ident()

    def is_quiet():
        gate.wait(WAIT)
        for _ in range(200):
            VolterraRidge(alpha=0.1).fit(X[:60], y[:60])
            with pytest.raises(ValueError, match="-1"):
                VolterraRidge(alpha=-1.0).fit(X[:60], y[:60])
        gate.wait(WAIT)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ident, _ = run_together([lambda: or_break_the_gate(warns), lambda: or_break_the_gate(is_quiet)])
    assert told == [ident] * 20
