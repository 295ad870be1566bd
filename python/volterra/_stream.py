"""Streams of the library as Python objects that own them."""

from __future__ import annotations

import threading
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native as c
from ._arguments import whole
from ._arrays import Array, address, as_row
from ._errors import check
from ._handles import Owner
from ._intervals import level_list
from ._model import Model, PathLike, missing_file

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


class Live(Owner):
    """What takes one row after the other, from one thread at a time: a stream or a learner of a model."""

    def _begin(self, handle: c_void_p, model: Model, flat: bool) -> None:
        self._own(handle)
        self._model = model  # must outlive it
        self._flat = flat
        self._busy = threading.Lock()

    def _call(self, function: Any, *arguments: Any) -> None:
        """While no other thread uses it. It does not wait: the order of rows would be chance."""
        if not self._busy.acquire(blocking=False):
            kind = type(self).__name__.lower()
            raise RuntimeError(
                f"another thread is in a call of this {kind}: push from one thread at a time, or give each "
                f"thread a {kind} of its own (copy.copy)"
            )
        try:
            check(function(self, *arguments))
        finally:
            self._busy.release()

    def _row(self, x: Any) -> Array:
        """One row of inputs."""
        row = as_row(x)
        if row.ndim == 0 and self._model.d == 1:
            row = row.reshape(1)
        if row.shape != (self._model.d,):
            raise ValueError(f"the row has shape {row.shape}, and ({self._model.d},) is needed")
        return row

    def _answer(self, out: Array) -> Any:
        return float(out[0]) if self._flat else out


class Stream(Live):
    """A model that takes one row at a time; made by the method ``stream`` of an estimator.

    ``copy.copy(stream)`` is another stream at the same moment, which goes on by itself. A stream cannot be
    pickled: `save` and `load` keep its moment in a file, and the estimator is pickled or saved by itself. One
    thread at a time may push: rows have an order.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
    >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
    >>> stream = model.stream()
    >>> live = [stream.push(row) for row in x[150:]]
    >>> bool(np.allclose(live, model.predict(x[150:])))
    True
    """

    _FREE = "volt_stream_free"

    def __init__(self, model: Model, start: str, beyond: str, flat: bool) -> None:
        options = c.PredictOptions(c.STARTS[start], c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_stream_create(model, byref(options), byref(handle)))
        self._begin(handle, model, flat)

    @classmethod
    def load(cls, path: PathLike, estimator: "SequenceRegressor") -> "Stream":
        """The stream whose moment `save` wrote, or the program with ``stream --state``.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The one that the stream was made from, or the same model read from a file.

        Returns
        -------
        Stream
            It goes on, to the last bit, as the stream that was saved.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read.
        ValueError
            The file is truncated, damaged, foreign, from a later version or of another model.
        """
        model, beyond, flat = estimator._stream_parts()
        options = c.PredictOptions(c.STARTS["continue"], c.BEYOND[beyond])
        handle = c_void_p()
        raw = c.encode_path("the path", path)
        with missing_file(path):
            check(c.lib.volt_stream_load(model, byref(options), raw, byref(handle)))
        stream = cls.__new__(cls)
        stream._begin(handle, model, flat)
        return stream

    def __copy__(self) -> "Stream":
        handle = c_void_p()
        self._call(c.lib.volt_stream_copy, byref(handle))
        other = Stream.__new__(type(self))
        other._begin(handle, self._model, self._flat)
        return other

    def __deepcopy__(self, _memo: Any) -> "Stream":
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise TypeError("a Stream cannot be pickled: save it to a file, and pickle the estimator")

    def push(self, x: Any) -> Any:
        """The forecast for the next row of inputs.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            A row that is refused (not finite, or beyond the ball with ``beyond="error"``) leaves the stream as
            it was.

        Returns
        -------
        float, or ndarray of shape (n_outputs,)
            A float when the estimator was fitted on a 1-D ``y``.
        """
        row = self._row(x)
        out = np.empty(self._model.q)
        self._call(c.lib.volt_stream_push, address(row), address(out))
        return self._answer(out)

    def feed(self, y: Any) -> None:
        """What the output of the last row really was, to come back with the next row in place of the forecast.

        Parameters
        ----------
        y : float or array-like of shape (n_outputs,)

        Raises
        ------
        ValueError
            The estimator was fitted without ``feedback``, or a number is not finite.
        """
        row = as_row(y)
        row = row.reshape(1) if row.ndim == 0 else row
        if row.shape != (self._model.q,):
            raise ValueError(f"the output has shape {row.shape}, and ({self._model.q},) is needed")
        self._call(c.lib.volt_stream_feed, address(row))

    def track(self, coverage: Any = 0.9) -> None:
        """Keep intervals about the forecasts that adapt as truths arrive: each miss makes the next ones wider, each hit a
        little narrower, so that in the long run the share inside is the one that is wanted, whatever the data.

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
        self._call(c.lib.volt_stream_track, address(levels), len(levels))

    def interval(self) -> Any:
        """Half-widths about the last forecast, (n_coverages, n_outputs); inf where the errors so far bound nothing."""
        count = c.lib.volt_stream_coverages(self, None)
        half = np.empty((max(int(count), 1), self._model.q))
        self._call(c.lib.volt_stream_interval, address(half))
        return half

    def observe(self, y: Any, back: int = 0) -> None:
        """What came of a forecast, for the intervals that are tracked.

        Parameters
        ----------
        y : float or array-like of shape (n_outputs,)
            nan: not known.
        back : int, default=0
            Of the forecast made so many rows before the last one, up to the ``ahead`` of the estimator.
        """
        row = np.ascontiguousarray(np.atleast_1d(np.asarray(y, dtype=float)))
        if row.shape != (self._model.q,):
            raise ValueError(f"the output has shape {row.shape}, and ({self._model.q},) is needed")
        self._call(c.lib.volt_stream_observe, whole("back", back), address(row))

    def restart(self) -> None:
        """Another record begins: back to a past of zeros."""
        self._call(lambda stream: c.lib.volt_stream_restart(stream) or 0)

    def save(self, path: PathLike) -> None:
        """Write the moment of the stream to a file; `Stream.load` and ``volterra stream --state`` go on from there.

        Parameters
        ----------
        path : path-like
            The file is replaced as a whole or not at all. It does not hold the model.

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
        self._call(c.lib.volt_stream_save, c.encode_path("the path", path))

    @property
    def beyond(self) -> int:
        """Rows so far that lay beyond the ball of the training inputs."""
        return int(c.lib.volt_stream_beyond(self))
