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
    """


class CancelledError(RuntimeError):
    """Cancelled by a progress callback."""


class DeviceError(RuntimeError):
    """A GPU cannot be used: none available, no plugin, or lost; the message states the reason."""


class VolterraWarning(UserWarning):
    """Warning of the library, such as an alpha below the rounding level."""


class BeyondWarning(VolterraWarning):
    """Inputs were outside the ball of the training inputs, and were projected onto it or used unchanged; or an input was
    outside its range in training by more than 10 % of it."""


class DivergenceWarning(VolterraWarning):
    """A free run of a model with feedback left the range of the training targets, and its outputs were bounded."""


class StartWarning(VolterraWarning):
    """A free run of a model with feedback starts without a measured output: give ``y_known`` and ``warm_up``."""


class OrderWarning(VolterraWarning):
    """The rows given to `predict` or `score` do not follow those of training, as after a shuffled split."""


class GapWarning(VolterraWarning):
    """Rows are missing from the dates of a data frame: the row after a gap is taken for the next step."""


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
