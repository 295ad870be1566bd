"""Long calls: callbacks, bars, Ctrl-C."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import textwrap
import time

import numpy as np
import pytest
import volterra
from bare_python import BARE_PYTHON
from volterra._core._progress import Bar


@pytest.fixture
def long_series(rng):
    return rng.normal(size=(1500, 3))


def test_callback_receives_full_range(long_series):
    seen = []
    model = volterra.VolterraRidge(alpha=1e-2)
    model.fit(long_series, long_series[:, 0] ** 2, progress=lambda stage, share: seen.append((stage, share)))
    stages = [stage for stage, _ in seen]
    shares = [share for _, share in seen]
    assert stages[0] == "gram" and len(set(stages)) >= 2
    assert shares == sorted(shares) and 0 <= shares[0] and shares[-1] == 1.0


def test_callback_cancels(long_series):
    model = volterra.VolterraRidge(alpha=1e-2).fit(long_series[:50], long_series[:50, 0] ** 2)
    before = model.predict(long_series[:60])
    with pytest.raises(volterra.CancelledError, match="cancelled"):
        model.fit(long_series, long_series[:, 0] ** 2, progress=lambda stage, share: True)
    assert np.array_equal(model.predict(long_series[:60]), before)  # as it was
    with pytest.raises(volterra.CancelledError):
        volterra.gram(long_series, progress=lambda *_: True)


def test_callback_exception_propagates(long_series):
    def fail(stage, share):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        volterra.VolterraRidge(alpha=1e-2).fit(long_series, long_series[:, 0] ** 2, progress=fail)


def test_cancelled_search_keeps_best(long_series):
    search, seen = volterra.VolterraRidgeCV(draws=1000, random_state=0), []
    with pytest.raises(volterra.CancelledError):
        search.fit(
            long_series[:300],
            long_series[:300, 0] ** 2,
            on_trial=seen.append,
            progress=lambda stage, share: len(seen) >= 5,
        )
    done = len(search.cv_results_["params"])
    assert 5 <= done < 1000 and search.best_score_ == max(
        trial["score"] for trial in seen if not trial["stopped"] and trial["failure"] is None
    )
    volterra.VolterraRidge(**search.best_params_).fit(long_series[:300], long_series[:300, 0] ** 2)
    with pytest.raises(volterra.NotFittedError):
        search.predict(long_series)


SCRIPT = """
    import signal, sys, threading, os
    import numpy as np, volterra
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    x = np.random.default_rng(0).normal(size=({rows}, 3))
    begun = []
    def tell(stage, share):
        if not begun:
            begun.append(stage)
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        {call}
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted")
        {after}
"""


def interrupted(rows, call, after="pass"):
    """Return the output of a script that is interrupted soon after its first progress report."""
    script = textwrap.dedent(SCRIPT.format(rows=rows, call=call, after=after))
    done = subprocess.run(
        [BARE_PYTHON, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == "", done.stderr  # nothing of ctypes about exceptions that it ignored
    assert done.stdout.startswith("interrupted"), done.stdout
    return done.stdout.splitlines()


def test_ctrl_c_stops_fit():
    # n = 9000: seconds of work, most of them in the factorisation
    interrupted(9000, "volterra.VolterraRidge(alpha=1e-2).fit(x, x[:, 0] ** 2, progress=tell)")


def test_ctrl_c_stops_search_and_keeps_best():
    call = "s = volterra.VolterraRidgeCV(draws=100000, random_state=0); s.fit(x, x[:, 0] ** 2, progress=tell)"
    lines = interrupted(400, call, "print(sorted(s.best_params_), len(s.cv_results_['params']) > 0)")
    assert lines[1] == "['alpha', 'lambda_coef', 'tau_coef'] True"


def test_handler_is_restored(long_series):
    before = signal.getsignal(signal.SIGINT)
    volterra.VolterraRidge(alpha=1e-2).fit(long_series, long_series[:, 0] ** 2)
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_other_than_the_first(long_series):
    from concurrent.futures import ThreadPoolExecutor

    def score(seed):
        return (
            volterra.VolterraRidge(alpha=1e-2 * (seed + 1))
            .fit(long_series[:300], long_series[:300, 0] ** 2)
            .fitted_
        )

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(score, range(8)))
    for seed, fitted in enumerate(together):
        assert np.allclose(fitted, score(seed), rtol=0, atol=1e-12)


# ---- bars --------------------------------------------------------------------------------------------------


def test_lines_without_terminal():
    out = io.StringIO()
    bar = Bar("fit", out)
    for share in np.linspace(0, 1, 101):
        bar.update("gram", share)
    bar.close()
    lines = out.getvalue().splitlines()
    assert 10 <= len(lines) <= 11 and lines[0] == "fit: gram   0%" and "\r" not in out.getvalue()


def read_all(terminal):
    """Read the output of the closed other end; it may arrive in pieces."""
    pieces = []
    while True:
        try:
            pieces.append(os.read(terminal, 10000))
        except OSError:  # end of file on Linux
            break
        if not pieces[-1]:
            break
    return b"".join(pieces)


@pytest.fixture
def terminal_pair():
    """The two ends of a terminal; a chroot without /dev/pts has none."""
    try:
        return pty.openpty()
    except OSError as failure:
        pytest.skip(f"no pseudo-terminal can be opened here: {failure}")


def test_bar_on_a_terminal(monkeypatch, terminal_pair):
    monkeypatch.setattr("volterra._core._progress.time.monotonic", lambda: 1000.0)
    main, other = terminal_pair
    with os.fdopen(other, "w") as terminal:
        bar = Bar("search", terminal)
        bar.begun = 970.0
        bar.update("search", 0.5)
        bar.note = ", best 0.9"
        bar.update("search", 1.0)
        bar.close()
    shown = read_all(main).decode()
    assert "\rsearch [##############..............]  50% search, 30 s, 30 s left" in shown
    assert "[############################] 100% search, 30 s, best 0.9" in shown and shown.endswith("\n")


def test_verbose_writes_to_stderr(long_series, capsys):
    volterra.VolterraRidge(alpha=1e-2, verbose=True).fit(long_series, long_series[:, 0] ** 2)
    captured = capsys.readouterr()
    assert "fit: gram" in captured.err and captured.out == ""
    volterra.VolterraRidge(alpha=1e-2).fit(long_series[:50], long_series[:50, 0] ** 2)
    assert capsys.readouterr().err == ""
