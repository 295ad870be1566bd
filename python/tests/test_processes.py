"""Forked children of a process that has used the library use it too, on one thread.

Each case runs in an interpreter of its own, which is ended after a generous time: the fault it looks for is a
child that waits for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from bare_python import BARE_PYTHON

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
HANGS = 300  # seconds

BEGIN = """
    import multiprocessing, os, sys, warnings
    import numpy as np
    import volterra

    warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, on forks among threads
    rng = np.random.default_rng(11)
    X = rng.uniform(-1, 1, size=(700, 2))
    y = np.convolve(X[:, 0] * X[:, 1], [1, 0.5, 0.2])[:700]

    def work(n_jobs=None):
        model = volterra.VolterraRidge(alpha=0.1, washout=5, n_jobs=n_jobs).fit(X[:600], y[:600])
        paths = volterra.SequenceKernelRidge("sig:level=2,window=4", alpha=0.1).fit(X[:300], y[:300])
        search = volterra.VolterraRidgeCV(draws=2, folds=2, random_state=0, race="none").fit(X[:300], y[:300])
        stream = model.stream()
        return [
            model.predict(X[600:]),
            paths.predict(X[300:400]),
            search.cv_results_["mean_test_score"],
            np.array([stream.feed(row) for row in X[600:650]]),
        ]

    def near(found, expected):  # BLAS may sum in another order on another number of threads
        return all(np.allclose(a, b, rtol=1e-7, atol=1e-7) for a, b in zip(found, expected))

    def job(n_jobs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = work(n_jobs)
        return volterra.threads(), results, [str(w.message) for w in caught if "one thread" in str(w.message)]

    volterra.set_threads(2)
    expected = work()
"""


def run(body, python=BARE_PYTHON):
    code = textwrap.dedent(BEGIN) + textwrap.dedent(body)
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == ["right"], done.stdout + done.stderr


def test_fork():
    run("""
        for _ in range(2):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if near(work(), expected) and volterra.threads() == 1 else 1)
            assert os.waitpid(pid, 0)[1] == 0
        assert near(work(), expected) and volterra.threads() == 2
        print("right")
    """)


def test_pool_of_forked_processes():
    run("""
        with multiprocessing.get_context("fork").Pool(2) as pool:
            done = pool.map(job, [None, 1, -1, 4])
        assert [threads for threads, *_ in done] == [1] * 4
        assert all(near(results, expected) for _, results, _ in done)
        warned = [bool(sentences) for *_, sentences in done]
        assert warned == [False, False, False, True], done  # only who asks for more is told
        assert "one thread, not 4" in done[3][2][0]
        print("right")
    """)


def test_more_threads_in_a_child_give_a_warning():
    run("""
        pid = os.fork()
        if pid == 0:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                volterra.set_threads(1)
                volterra.set_threads()
                quiet = not caught
                volterra.set_threads(4)
            right = quiet and issubclass(caught[0].category, volterra.VolterraWarning)
            os._exit(0 if right and volterra.threads() == 1 and near(work(), expected) else 1)
        assert os.waitpid(pid, 0)[1] == 0
        print("right")
    """)


def test_joblib_multiprocessing():
    pytest.importorskip("joblib")
    run("""
        import joblib
        with joblib.parallel_backend("multiprocessing", n_jobs=2):
            done = joblib.Parallel()(joblib.delayed(job)(n) for n in (None, 2, None))
        assert all(near(results, expected) for _, results, _ in done)
        assert [threads for threads, *_ in done] == [1] * 3
        print("right")
    """, sys.executable)


def test_spawned_process_has_all_threads():
    run("""
        code = "import volterra; volterra.set_threads(2); print(volterra.threads())"
        import subprocess
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.split() == ["2"], done
        print("right")
    """)
