"""Failures of the library as Python exceptions, and what it has to say as warnings."""

from __future__ import annotations

import collections
import logging
import os
import sys
import warnings
from typing import Deque, Tuple, Type

import numpy as np

from . import _native as c

try:  # the class that scikit-learn's own tools look for, where it is installed
    from sklearn.exceptions import NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator was used before it was fitted."""


class SingularError(np.linalg.LinAlgError):
    """The matrix ``K + alpha I`` is not positive definite; the message has an alpha that would do.

    A subclass of `numpy.linalg.LinAlgError` and, through it, of `ValueError`.
    """


class CancelledError(RuntimeError):
    """A progress callback asked for an end."""


class VolterraWarning(UserWarning):
    """What the library warns about, such as an alpha below the rounding level."""


class BeyondWarning(VolterraWarning):
    """Inputs lay beyond the ball of the training inputs, and were projected to it or taken as they are."""


_EXCEPTIONS = {
    c.ERR_MEMORY: MemoryError,
    c.ERR_SINGULAR: SingularError,
    c.ERR_IO: OSError,
    c.ERR_CANCELLED: CancelledError,
}


def check(status: int) -> None:
    """Raise the exception of a status, with the library's sentence, unless it is a success."""
    if status == c.OK:
        return
    sentence = c.text(c.lib.volt_error_detail()) or c.text(c.lib.volt_status_message(status))
    if status == c.ERR_SINGULAR and _messages:  # what was warned about may be why
        sentence += f" ({_messages[-1][1]})"
    _messages.clear()
    raise _EXCEPTIONS.get(status, ValueError)(sentence)


# ---- log ---------------------------------------------------------------------------------------------------

# The library may speak from any thread, and an exception cannot cross it: messages wait until its call ends.
_messages: Deque[Tuple[int, str]] = collections.deque(maxlen=100)
_PACKAGE = os.path.dirname(__file__) + os.sep
_logger = logging.getLogger("volterra")


def _keep(level: int, message: bytes, _context: object) -> None:
    _messages.append((level, c.text(message)))


_keep_callback = c.LogFn(_keep)
c.lib.volt_set_log(_keep_callback, None)


def warn(message: str, category: Type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def tell_messages() -> None:
    """Pass on what the library said: warnings as `VolterraWarning`, the rest to the logger ``volterra``."""
    while _messages:
        level, message = _messages.popleft()
        if level == c.LOG_LEVELS["VOLT_LOG_WARNING"]:
            warn(message, VolterraWarning)
        else:
            _logger.info(message)
