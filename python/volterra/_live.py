"""Models that take one row at a time: streams, and what learners have in common with them."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from ctypes import byref, c_char_p, c_double, c_void_p, cast, POINTER
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple, Type, TypeVar

import numpy as np

from . import _native as c
from ._arguments import whole
from ._arrays import Array, address, as_matrix, as_row, empty, to_float64, view
from ._errors import check
from ._handles import Owner
from ._intervals import level_list
from ._model import Model, PathLike, missing_file

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


AnyLive = TypeVar("AnyLive", bound="Live")


@contextlib.contextmanager
def _scratch_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
        yield Path(folder, "state")


def _restore(kind: Type[AnyLive], content: bytes, *settings: Any) -> AnyLive:
    with _scratch_file() as path:
        path.write_bytes(content)
        return kind._read(path, LiveOptions(settings[1]), *settings)


class LiveOptions:
    """``volt_live_options``, and what its pointers point to."""

    def __init__(
        self,
        beyond: str,
        coverage: Any = None,
        state: Optional[PathLike] = None,
        journal: Optional[PathLike] = None,
        pending: Optional[Array] = None,
        lock: bool = False,
    ) -> None:
        self.c = options = c.lib.volt_live_options_default()
        self._kept: List[Any] = [pending]
        options.beyond, options.lock = c.BEYOND[beyond], int(lock)
        if coverage is not None:
            levels = np.ascontiguousarray(level_list("coverage", coverage)[0])
            options.coverages, options.n_coverages = cast(address(levels), POINTER(c_double)), len(levels)
            self._kept.append(levels)
        for name, path in (("state", state), ("journal", journal)):
            if path is not None:
                encoded = c.encode_path(name, path)
                setattr(options, name, c_char_p(encoded))
                self._kept.append(encoded)
        if pending is not None:
            options.pending = view(pending)


class Live(Owner):
    """A model that takes one row after the other, from one thread at a time."""

    _FREE = "volt_live_free"
    _LEARNS: bool

    def _begin(self, model: Model, beyond: str, flat: bool) -> None:
        """What the object has beside that of the library."""
        self._model = model
        self._policy = beyond
        self._flat = flat
        self._busy = threading.Lock()

    def _open(self, options: LiveOptions, path: Optional[PathLike] = None) -> None:
        """Create the object, or load it from a file."""
        handle = c_void_p()
        options.c.learn = int(self._LEARNS)
        where = () if path is None else (c.encode_path("the path", path),)
        function = c.lib.volt_live_create if path is None else c.lib.volt_live_load
        check(function(self._model, byref(options.c), *where, byref(handle)))
        self._own(handle, self._model)

    def _info(self) -> c.LiveInfo:
        info = c.LiveInfo()
        check(c.lib.volt_live_get_info(self, byref(info)))
        return info

    def _call(self, name: str, *arguments: Any) -> None:
        """A function of the library, while no other thread uses it. It does not wait: the order of rows would be chance."""
        if not self._busy.acquire(blocking=False):
            kind = type(self).__name__.lower()
            raise RuntimeError(
                f"another thread is in a call of this {kind}: feed from one thread at a time, or give each "
                f"thread a {kind} of its own (copy.copy)"
            )
        try:
            check(getattr(c.lib, f"volt_live_{name}")(self, *arguments))
        finally:
            self._busy.release()

    def _settings(self) -> Tuple[Any, ...]:
        """The arguments of `_begin`."""
        return self._model, self._policy, self._flat

    def __copy__(self: AnyLive) -> AnyLive:
        handle = c_void_p()
        self._call("copy", byref(handle))
        other = type(self).__new__(type(self))
        other._begin(*self._settings())
        other._own(handle, self._model)
        return other

    def __deepcopy__(self: AnyLive, _memo: Any) -> AnyLive:
        return self.__copy__()

    @classmethod
    def _read(cls: Type[AnyLive], path: PathLike, options: LiveOptions, *settings: Any) -> AnyLive:
        """From a file that `save` wrote."""
        live = cls.__new__(cls)
        live._begin(*settings)
        live._open(options, path)
        return live

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

    @property
    def fed(self) -> int:
        """Rows since the estimator's training ended."""
        return int(self._info().fed)

    @property
    def beyond(self) -> int:
        """Rows so far that lay beyond the ball of the training inputs."""
        return int(self._info().beyond)

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

    def feed(self, x: Any) -> Any:
        """Take the next row of inputs and return its prediction.

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
        self._call("feed", address(row), address(out))
        return self._answer(out)

    def restart(self) -> None:
        """Begin another record, with a zero initial state. What was learned stays."""
        self._call("restart")

    def learn(self, y: Any, back: int = 0) -> None:
        """Give the target of a row: a learner learns it. It updates the intervals, and with ``feedback`` it is fed back with
        the next row in place of the prediction.

        Parameters
        ----------
        y : float, or array-like of shape (n_outputs,)
            The target of that row, as in `fit`; of an estimator that was fitted on a series alone, the next row of it. A
            refused target changes nothing. nan, for a stream: not known.
        back : int, default=0
            The target is that of the row fed so many rows before the last one: for a stream up to ``ahead`` of the
            estimator, for a learner 0 or ``ahead - 1``.

        Raises
        ------
        ValueError
            No row waits for this target, or a number is not finite; of a stream also when it neither tracks intervals nor
            feeds outputs back.
        """
        self._call("learn", whole("back", back), address(self._target(y)))

    def predict(self, X: Any) -> Any:
        """Predictions for rows that follow. The object is unchanged.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        rows = as_matrix(X)
        out = empty(len(rows), self._model.q)
        self._call("predict", view(rows), 0, view(out), None)
        return out[:, 0] if self._flat else out

    def interval(self) -> Any:
        """Half-widths of shape (n_coverages, n_outputs) about the last prediction, as of when it was made; inf where there
        are too few errors so far.

        They adapt as targets arrive (docs/math.md, "Intervals"): each miss makes the next ones wider, each hit a little
        narrower, so that the share inside converges to the coverage for any data. Set ``coverage`` of ``stream`` or
        ``learner`` to track them.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> rng = np.random.default_rng(0)
        >>> u = rng.uniform(-1, 1, (300, 1))
        >>> y = u[:, 0] + 0.1 * rng.normal(size=300)
        >>> stream = volterra.SequenceKernelRidge("linear", 1e-2).fit(u[:200], y[:200]).stream(coverage=0.9)
        >>> for row, target in zip(u[200:], y[200:]):
        ...     prediction, half = stream.feed(row), stream.interval()
        ...     stream.learn(target)
        """
        half = np.empty((max(int(self._info().n_coverages), 1), self._model.q))
        self._call("interval", address(half))
        return half

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: Optional[PathLike] = None) -> None:
        """Write the state to a file; ``load`` of the class and ``volterra stream --state`` continue from it.

        Parameters
        ----------
        path : path-like, optional
            The file is replaced as a whole or not at all. It does not hold the model. None: the state file that the object
            was made with or loaded from; the journal, where there is one, is emptied then.

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
        >>> live = [stream.feed(row) for row in x[150:160]]
        >>> path = os.path.join(tempfile.mkdtemp(), "model.state")
        >>> stream.save(path)
        >>> volterra.Stream.load(path, model).feed(x[160]) == stream.feed(x[160])
        True
        """
        self._call("save", None if path is None else c.encode_path("the path", path))


class Stream(Live):
    """A model that takes one row at a time; made by the method ``stream`` of an estimator.

    ``copy.copy(stream)`` is an independent stream in the same state. A pickle holds the model and the state; `save` and
    `load` keep the state in a file. One thread at a time may feed: rows have an order.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
    >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
    >>> stream = model.stream()
    >>> live = [stream.feed(row) for row in x[150:]]
    >>> bool(np.allclose(live, model.predict(x[150:])))
    True
    """

    _LEARNS = False

    def __init__(self, model: Model, beyond: str, flat: bool, start: str, options: LiveOptions) -> None:
        self._begin(model, beyond, flat)
        options.c.start = c.STARTS[start]
        self._open(options)

    @classmethod
    def load(
        cls, path: PathLike, estimator: "SequenceRegressor", *, coverage: Any = None, lock: bool = False
    ) -> "Stream":
        """The stream whose state `save` wrote, or the program with ``stream --state``.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The one that the stream was made from, or the same model read from a file.
        coverage : float or list of float, optional
            Intervals to track from now on, where the file has none.
        lock : bool, default=False
            Lock the file as long as the stream exists: no other stream or learner, of this process or another, and no
            ``volterra stream --state`` can lock it or save to it. The lock ends with the process.

        Returns
        -------
        Stream
            It continues, to the last bit, as the stream that was saved.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read, or with ``lock`` another owner has locked it.
        ValueError
            The file is truncated, damaged, foreign, from a later version, of another model or of a learner.
        """
        parts = estimator._stream_parts()
        with missing_file(path):
            return cls._read(path, LiveOptions(parts[1], coverage, lock=lock), *parts)

    def _figures(self) -> Dict[str, Any]:
        return {"n_features": self._model.d, "n_outputs": self._model.q, "beyond": self.beyond}
