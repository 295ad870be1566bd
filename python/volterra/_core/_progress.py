"""Long calls: a progress bar, the user's callback, and Ctrl-C.

The library reports its progress about twenty times a second, from the calling thread, and a report can cancel the call. An
exception cannot pass through C, so it is kept here until the call has returned.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import Any, Callable, Optional, TextIO

from . import _native as c
from ._errors import check, tell_messages
from ._machine import use_threads

ProgressCallback = Callable[[str, float], Any]


def in_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds / 3600:.0f} h {seconds % 3600 / 60:.0f} min"


class Bar:
    """One line that is rewritten on a terminal and in a notebook; elsewhere a line for every tenth."""

    WIDTH = 28

    def __init__(self, title: str, stream: Optional[TextIO] = None) -> None:
        self.title = title
        self.stream = stream if stream is not None else sys.stderr
        self.rewrites = in_notebook() or (hasattr(self.stream, "isatty") and self.stream.isatty())
        self.begun = time.monotonic()
        self.shown = -1.0  # fraction in the last line
        self.shown_at = 0.0
        self.length = 0  # of the text on the line
        self.note = ""

    def update(self, stage: str, share: float) -> None:
        now = time.monotonic()
        if self.rewrites and (now - self.shown_at >= 0.1 or share >= 1):
            self._rewrite(stage, share, now)
        elif not self.rewrites and share - self.shown >= 0.1:
            self._write(f"{self.title}: {stage} {share:4.0%}{self.note}\n")
        else:
            return
        self.shown, self.shown_at = share, now

    def close(self) -> None:
        """End the line, if any."""
        if self.rewrites and self.shown >= 0:
            self._write("\n")

    def _rewrite(self, stage: str, share: float, now: float) -> None:
        full = int(self.WIDTH * share)
        elapsed = now - self.begun
        left = f", {_duration(elapsed / share - elapsed)} left" if 0.02 < share < 1 and elapsed > 1 else ""
        bar = "#" * full + "." * (self.WIDTH - full)
        line = f"{self.title} [{bar}] {share:4.0%} {stage}, {_duration(elapsed)}{left}{self.note}"
        self._write("\r" + line.ljust(self.length))
        self.length = len(line)

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class Watch:
    """Progress of a long call.

        with Watch("fit", verbose, callback) as watch:
            options.progress = watch.progress
            watch.check(lib.volt_model_fit(...))

    While it is open, Ctrl-C in the main thread sets a flag that the next report reads, instead of raising KeyboardInterrupt
    inside a report; `check` raises it after the library has returned.

    `values` is the number of kernel values that the call computes, if known. A call with few values is short: without a bar or
    a callback, nothing is set up.
    """

    FEW = 20_000  # of the costliest kernel, about half a second

    def __init__(
        self,
        title: str,
        verbose: Any = False,
        callback: Optional[ProgressCallback] = None,
        values: float = float("inf"),
    ) -> None:
        self.bar = Bar(title) if verbose else None
        self.callback = callback
        self.best: Optional[float] = None  # score of a search
        self.interrupted = False
        self.failure: Optional[BaseException] = None
        self._handler: Any = None
        self._reports = values > self.FEW or bool(verbose) or callback is not None
        self.progress = c.Progress(c.ProgressFn(self._report), None) if self._reports else c.Progress()

    def __enter__(self) -> "Watch":
        # A foreign handler is not replaced: _report catches its exception.
        if (
            self._reports
            and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            self._handler = signal.signal(signal.SIGINT, self._mark)
        return self

    def __exit__(self, *_: object) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            self._handler = None
        if self.bar:
            self.bar.close()

    def check(self, status: int) -> None:
        """Raise Ctrl-C, an exception of the callback, or the library's failure."""
        self.raise_pending()
        check(status)
        tell_messages()

    def raise_pending(self) -> None:
        """Raise Ctrl-C or an exception of the callback, if any."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.failure is not None:
            raise self.failure

    def note_best(self, score: float, complete: bool) -> None:
        """Show the best score so far in the bar."""
        if complete and score == score and (self.best is None or score > self.best):
            self.best = score
            if self.bar:
                self.bar.note = f", best {score:.6g}"

    def guard(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Callback of the library: an exception cancels the call and is raised after it."""
        try:
            callback(*arguments)
        except BaseException as failure:
            self.failure = failure

    def _mark(self, _signal: int, _frame: object) -> None:
        self.interrupted = True

    def _report(self, stage: bytes, share: float, _context: object) -> int:
        try:
            if self.bar:
                self.bar.update(c.text(stage), share)
            if self.callback is not None and self.callback(c.text(stage), share):
                return 1
        except BaseException as failure:  # KeyboardInterrupt of a foreign handler too
            self.failure = failure
        return 1 if self.interrupted or self.failure is not None else 0


PROGRESS = object()  # among the arguments of `run`: the progress of the call


def run(
    title: str,
    function: Callable[..., int],
    *arguments: Any,
    n_jobs: Optional[int] = None,
    verbose: Any = False,
    progress: Optional[ProgressCallback] = None,
    values: float = float("inf"),
) -> None:
    """Call a long function of the library. Options among its arguments receive the progress."""
    with use_threads(n_jobs), Watch(title, verbose, progress, values) as watch:
        for one in arguments:
            if isinstance(one, c.Sized) and hasattr(one, "progress"):
                one.progress = watch.progress
        watch.check(function(*(watch.progress if one is PROGRESS else one for one in arguments)))
