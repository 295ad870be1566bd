"""What streams and learners have in common: rows one at a time, a moment in a file, intervals."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, Tuple, Type, TypeVar

import numpy as np

from . import _native as c
from ._arrays import Array, address, as_row, to_float64
from ._errors import check
from ._handles import Owner
from ._intervals import level_list
from ._model import Model, PathLike


AnyLive = TypeVar("AnyLive", bound="Live")


@contextlib.contextmanager
def _scratch_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
        yield Path(folder, "state")


def _restore(kind: Type[AnyLive], content: bytes, *settings: Any) -> AnyLive:
    with _scratch_file() as path:
        path.write_bytes(content)
        return kind._read(path, *settings)


@contextlib.contextmanager
def state_lock(path: PathLike, wanted: bool) -> Iterator[c_void_p]:
    """The lock of a state file, for `_Live._hold`; it is given up where loading fails."""
    lock = c_void_p()
    if wanted:
        check(c.lib.volt_state_lock_take(c.encode_path("the path", path), byref(lock)))
    try:
        yield lock
    except BaseException:
        c.lib.volt_state_lock_free(lock)
        raise


class Live(Owner):
    """What takes one row after the other, from one thread at a time: a stream or a learner of a model.

    `_KIND` is how the library calls it: its functions are ``volt_stream_push``, ``volt_learner_push`` and so on.
    """

    _KIND: str

    def _begin(self, handle: c_void_p, model: Model, flat: bool) -> None:
        self._own(handle)
        self._model = model  # must outlive it
        self._flat = flat
        self._busy = threading.Lock()

    def _hold(self, lock: c_void_p) -> None:
        """Take over the lock of the state file, or none."""
        if lock:
            self._function("hold")(self, lock)

    def _function(self, name: str) -> Callable[..., Any]:
        return getattr(c.lib, f"volt_{self._KIND}_{name}")  # type: ignore[no-any-return]

    def _info(self) -> Any:
        """What the library says of it: `StreamInfo` or `LearnerInfo`."""
        raise NotImplementedError

    def _call(self, name: str, *arguments: Any) -> None:
        """A function of the library, while no other thread uses it. It does not wait: the order of rows would be chance."""
        if not self._busy.acquire(blocking=False):
            raise RuntimeError(
                f"another thread is in a call of this {self._KIND}: push from one thread at a time, or give each "
                f"thread a {self._KIND} of its own (copy.copy)"
            )
        try:
            check(self._function(name)(self, *arguments) or 0)  # None: it cannot fail
        finally:
            self._busy.release()

    def __deepcopy__(self, _memo: Any) -> Any:
        return self.__copy__()  # type: ignore[attr-defined]

    def _settings(self) -> Tuple[Any, ...]:
        """The arguments of `_read` after the path."""
        raise NotImplementedError

    @classmethod
    def _read(cls: Type[AnyLive], path: PathLike, *settings: Any) -> AnyLive:
        """From a file that `save` wrote."""
        raise NotImplementedError

    def __reduce__(self) -> Any:
        with _scratch_file() as path:
            self.save(path)
            return _restore, (type(self), path.read_bytes(), *self._settings())

    def _figures(self) -> Dict[str, Any]:
        """Further fields of the representation."""
        return {}

    def __repr__(self) -> str:
        handle = getattr(self, "_handle", None)
        if handle is None or not handle.pointer:
            return f"{type(self).__name__}(empty)"
        figures = {"kernel": self._model.kernel, **self._figures()}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in figures.items())})"

    # ---- rows ----------------------------------------------------------------------------------------------

    def _row(self, x: Any) -> Array:
        """One row of inputs."""
        row = as_row(x)
        if row.ndim == 0 and self._model.d == 1:
            row = row.reshape(1)
        if row.shape != (self._model.d,):
            raise ValueError(f"the row has shape {row.shape}, and ({self._model.d},) is needed")
        return row

    def _target(self, y: Any) -> Array:
        """One row of outputs; nan: not known."""
        row = np.ascontiguousarray(np.atleast_1d(to_float64(y, "y")))
        if row.shape != (self._model.q,):
            raise ValueError(f"the output has shape {row.shape}, and ({self._model.q},) is needed")
        return row

    def _answer(self, out: Array) -> Any:
        return float(out[0]) if self._flat else out

    def push(self, x: Any) -> Any:
        """The forecast for the next row of inputs, which feeds the past.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            A row that is refused (not finite, or beyond the ball with ``beyond="error"``) changes nothing.

        Returns
        -------
        float, or ndarray of shape (n_outputs,)
            A float when the estimator was fitted on a 1-D ``y``.
        """
        row = self._row(x)
        out = np.empty(self._model.q)
        self._call("push", address(row), address(out))
        return self._answer(out)

    def restart(self) -> None:
        """Another record begins, after a past of zeros. What was learned stays."""
        self._call("restart")

    # ---- intervals -----------------------------------------------------------------------------------------

    def track(self, coverage: Any = 0.9) -> None:
        """Track intervals that adapt as targets arrive (docs/math.md, "Intervals"): each miss makes the next ones wider, each
        hit a little narrower, so that the share inside converges to the coverage for any data.

        Pass targets to a stream with `Stream.observe`. A learner uses the targets that it learns. Call this before the
        learner opens a journal.

        Parameters
        ----------
        coverage : float or list of float, default=0.9
            Between 0 and 1.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> rng = np.random.default_rng(0)
        >>> u = rng.uniform(-1, 1, (300, 1))
        >>> y = u[:, 0] + 0.1 * rng.normal(size=300)
        >>> stream = volterra.SequenceKernelRidge("linear", 1e-2).fit(u[:200], y[:200]).stream()
        >>> stream.track(0.9)
        >>> for row, truth in zip(u[200:], y[200:]):
        ...     forecast, half = stream.push(row), stream.interval()
        ...     stream.observe(truth)
        """
        levels = np.ascontiguousarray(level_list("coverage", coverage)[0])
        self._call("track", address(levels), len(levels))

    def interval(self) -> Any:
        """Half-widths of shape (n_coverages, n_outputs) about the last forecast; inf where there are too few errors so far.

        After `Stream.observe` they are those of the next forecast.
        """
        half = np.empty((max(int(self._info().n_coverages), 1), self._model.q))
        self._call("interval", address(half))
        return half

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write this moment to a file; ``load`` of the class and ``volterra stream --state`` go on from there.

        Parameters
        ----------
        path : path-like
            The file is replaced as a whole or not at all. It does not hold the model.

        Raises
        ------
        OSError
            The file cannot be written, or another owner has locked it: ``volterra stream --state``, or a stream or
            learner that was loaded with ``lock=True``.

        Examples
        --------
        >>> import os, tempfile, numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
        >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
        >>> stream = model.stream()
        >>> live = [stream.push(row) for row in x[150:160]]
        >>> path = os.path.join(tempfile.mkdtemp(), "moment.state")
        >>> stream.save(path)
        >>> volterra.Stream.load(path, model).push(x[160]) == stream.push(x[160])
        True
        """
        self._call("save", c.encode_path("the path", path))
