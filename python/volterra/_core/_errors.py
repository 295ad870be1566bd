"""Errors of the library as Python exceptions, and its messages as warnings."""

from __future__ import annotations

import collections
import logging
import os
import sys
import threading
import warnings
from typing import Deque, List, NamedTuple, Type

import numpy as np

from . import _native as c

try:  # the class that scikit-learn's tools expect, if it is installed
    from sklearn.exceptions import NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator was used before it was fitted."""


class SingularError(np.linalg.LinAlgError):
    """The matrix ``K + alpha I`` is not positive definite; the message has an alpha that is large enough.

    A subclass of `numpy.linalg.LinAlgError` and, through it, of `ValueError`.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.tile([[1.0], [-1.0]], (30, 1))
    >>> model = volterra.SequenceKernelRidge("linear", alpha=1e-300, fit_intercept=False)
    >>> try:
    ...     _ = model.fit(x, x[:, 0] ** 2)
    ... except volterra.SingularError:
    ...     _ = model.set_params(alpha=1e-6).fit(x, x[:, 0] ** 2)
    """


class CancelledError(RuntimeError):
    """Cancelled by a progress callback.

    Examples
    --------
    >>> import volterra
    >>> try:
    ...     K = volterra.gram(volterra.datasets.lorenz(100), progress=lambda stage, done: True)
    ... except volterra.CancelledError:
    ...     print("no matrix")
    no matrix
    """


class DeviceError(RuntimeError):
    """A GPU cannot be used: none available, no plugin, or lost; the message states the reason.

    Examples
    --------
    >>> import volterra
    >>> try:
    ...     volterra.set_device("gpu:99")
    ... except volterra.DeviceError:
    ...     print(volterra.device())
    auto
    """


class VolterraWarning(UserWarning):
    """Warning of the library, such as an alpha below the rounding level; base class of the others.

    Examples
    --------
    Each class can be silenced or turned into an error with the module `warnings`:

    >>> import warnings, volterra
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", volterra.OrderWarning)
    ...     warnings.simplefilter("ignore", volterra.BeyondWarning)
    ...     x = volterra.datasets.lorenz(300)
    ...     path = volterra.VolterraRidge(alpha=1e-6).fit(x).continue_(10)
    """


class BeyondWarning(VolterraWarning):
    """Inputs were outside the ball of the training inputs, and were projected onto it or used unchanged; or an input was
    outside its range in training by more than 10 % of it.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(200)
    >>> model = volterra.VolterraRidge(alpha=1e-3).fit(u, y)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = model.predict(10 * u[:5], start="reset")
    >>> caught[0].category.__name__
    'BeyondWarning'
    """


class DivergenceWarning(VolterraWarning):
    """A free run of a model with feedback left the range of the training targets, and its outputs were bounded.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> u, y = np.eye(12, 1), 1.5 ** np.arange(12.0)
    >>> model = volterra.SequenceKernelRidge("linear", alpha=1e-8, feedback=1, scale=False).fit(u, y)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = model.predict(np.zeros((20, 1)))
    >>> caught[0].category.__name__
    'DivergenceWarning'
    """


class StartWarning(VolterraWarning):
    """A free run of a model with feedback starts without a measured output: give ``y_known`` and ``warm_up``.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> u, y = volterra.datasets.narma10(200)
    >>> model = volterra.VolterraRidge(alpha=1e-3, feedback=True).fit(u[:150], y[:150])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = model.predict(u[150:], start="reset")
    >>> caught[0].category.__name__
    'StartWarning'
    """


class OrderWarning(VolterraWarning):
    """The rows given to `predict` or `score` do not follow those of training, as after a shuffled split.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> x = np.random.default_rng(0).normal(size=(100, 1)).cumsum(axis=0)
    >>> model = volterra.VolterraRidge(ahead=1).fit(x[:80])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = model.predict(x[40:60])
    >>> caught[0].category.__name__
    'OrderWarning'
    """


class GapWarning(VolterraWarning):
    """Rows are missing from the dates of a data frame: the row after a gap is taken for the next step.

    Examples
    --------
    >>> import warnings, numpy as np, pandas as pd, volterra
    >>> days = pd.date_range("2024-01-01", periods=40)
    >>> y = pd.Series(np.sin(np.arange(40.0)), index=days).drop("2024-01-20")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = volterra.forecast(y, steps=2)
    >>> caught[0].category.__name__
    'GapWarning'
    """


_EXCEPTIONS = {
    c.ERR_MEMORY: MemoryError,
    c.ERR_SINGULAR: SingularError,
    c.ERR_IO: OSError,
    c.ERR_CANCELLED: CancelledError,
    c.ERR_DEVICE: DeviceError,
}


def check(status: int) -> None:
    """Raise the exception of a status, with the library's message, unless it is a success."""
    if status == c.OK:
        return
    sentence = c.text(c.lib.volt_error_detail()) or c.text(c.lib.volt_status_message(status))
    messages = _take_messages()
    if status == c.ERR_SINGULAR and messages:  # a warning may explain the failure
        sentence += f" ({messages[-1].text})"
    raise _EXCEPTIONS.get(status, ValueError)(sentence)


# ---- log ---------------------------------------------------------------------------------------------------


class _Message(NamedTuple):
    thread: int
    level: int
    text: str


# The library may log from any thread, and an exception cannot cross it: messages are queued until its call returns.
_messages: Deque[_Message] = collections.deque(maxlen=100)
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_logger = logging.getLogger("volterra")


def _keep(level: int, message: bytes, _context: object) -> None:
    _messages.append(_Message(threading.get_ident(), level, c.text(message)))


def _take_messages() -> List[_Message]:
    """Messages of this thread's calls: logged by it, or by a thread of the library, unknown to Python."""
    if not _messages:
        return []
    others = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
    taken: List[_Message] = []
    for _ in range(len(_messages)):
        try:
            message = _messages.popleft()
        except IndexError:  # another thread has taken its messages meanwhile
            break
        (_messages if message.thread in others else taken).append(message)
    return taken


_keep_callback = c.LogFn(_keep)
c.lib.volt_set_log(_keep_callback, None)


def warn(message: str, category: Type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def tell_messages() -> None:
    """Forward log messages of the library: warnings as `VolterraWarning`, others to the logger ``volterra``."""
    for message in _take_messages():
        if message.level == c.LOG_LEVELS["VOLT_LOG_WARNING"]:
            warn(message.text, VolterraWarning)
        else:
            _logger.info(message.text)
