"""Streams of the library as Python objects that own them."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Tuple

from . import _native as c
from ._arguments import whole
from ._arrays import address
from ._errors import check
from ._live import Live, state_lock
from ._model import Model, PathLike, missing_file

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


class Stream(Live):
    """A model that takes one row at a time; made by the method ``stream`` of an estimator.

    ``copy.copy(stream)`` is an independent stream in the same state. A pickle holds the model and the state; `save` and
    `load` keep the state alone in a file. One thread at a time may push: rows have an order.

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

    _KIND, _FREE = "stream", "volt_stream_free"

    def __init__(self, model: Model, start: str, beyond: str, flat: bool) -> None:
        options = c.PredictOptions(start=c.STARTS[start], beyond=c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_stream_create(model, byref(options), byref(handle)))
        self._begin(handle, model, flat)
        self._policy = beyond

    @classmethod
    def load(cls, path: PathLike, estimator: "SequenceRegressor", *, lock: bool = False) -> "Stream":
        """The stream whose moment `save` wrote, or the program with ``stream --state``.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The one that the stream was made from, or the same model read from a file.
        lock : bool, default=False
            Lock the file as long as the stream exists: no other stream or learner, of this process or another, and no
            ``volterra stream --state`` can lock it or save to it. The lock ends with the process.

        Returns
        -------
        Stream
            It goes on, to the last bit, as the stream that was saved.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read, or with ``lock`` another owner has locked it.
        ValueError
            The file is truncated, damaged, foreign, from a later version or of another model.
        """
        with missing_file(path), state_lock(path, lock) as held:
            stream = cls._read(path, *estimator._stream_parts())
        stream._hold(held)
        return stream

    @classmethod
    def _read(cls, path: PathLike, model: Model, beyond: str, flat: bool) -> "Stream":  # type: ignore[override]
        options = c.PredictOptions(start=c.STARTS["continue"], beyond=c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_stream_load(model, byref(options), c.encode_path("the path", path), byref(handle)))
        stream = cls.__new__(cls)
        stream._begin(handle, model, flat)
        stream._policy = beyond
        return stream

    def _settings(self) -> Tuple[Any, ...]:
        return self._model, self._policy, self._flat

    def _figures(self) -> Dict[str, Any]:
        return {"n_features": self._model.d, "n_outputs": self._model.q, "beyond": self.beyond}

    def __copy__(self) -> "Stream":
        handle = c_void_p()
        self._call("copy", byref(handle))
        other = Stream.__new__(type(self))
        other._begin(handle, self._model, self._flat)
        other._policy = self._policy
        return other

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
        self._call("feed", address(self._target(y)))

    def observe(self, y: Any, back: int = 0) -> None:
        """What came of a forecast, for the intervals that are tracked.

        Parameters
        ----------
        y : float or array-like of shape (n_outputs,)
            nan: not known.
        back : int, default=0
            Of the forecast made so many rows before the last one, up to the ``ahead`` of the estimator.
        """
        self._call("observe", whole("back", back), address(self._target(y)))

    def _info(self) -> c.StreamInfo:
        info = c.StreamInfo()
        check(c.lib.volt_stream_get_info(self, byref(info)))
        return info

    @property
    def beyond(self) -> int:
        """Rows so far that lay beyond the ball of the training inputs."""
        return int(self._info().beyond)
