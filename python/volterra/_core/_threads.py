"""Number of threads of the library, and its build information."""

from __future__ import annotations

import contextlib
from ctypes import byref, c_int64
from typing import Any, ContextManager, Dict, Iterator, Optional

from . import _native as c
from ._arguments import whole
from ._errors import check, tell_messages


def threads() -> int:
    """Return the number of threads of the library in calls from this thread, for its loops and for BLAS.

    The number is 1 in a child that was forked (``os.fork``, ``multiprocessing`` with "fork", joblib's
    "multiprocessing") from a process with several threads, which do not exist in the child. New processes ("spawn",
    loky) can use all threads.

    Examples
    --------
    >>> import volterra
    >>> volterra.threads() >= 1
    True
    """
    return int(c.lib.volt_threads())


def set_threads(count: int = 0) -> None:
    """Set the number of threads of the library, for the whole process.

    The function must not be called while another thread uses the library.

    Parameters
    ----------
    count : int, default=0
        0 restores the default: ``OMP_NUM_THREADS``, or one per available core. In a forked child, more than 1 has no effect and
        causes a `VolterraWarning`, see `threads`.

    Examples
    --------
    >>> import volterra
    >>> volterra.set_threads(2)
    >>> volterra.threads()
    2
    >>> volterra.set_threads()
    """
    check(c.lib.volt_set_threads(whole("the number of threads", count)))
    tell_messages()


_AS_IT_IS = contextlib.nullcontext()


def use_threads(n_jobs: Optional[int]) -> ContextManager[None]:
    """Use this number of threads and restore the previous one afterwards; None: unchanged, -1: one per core.

    The number applies only to the calling thread; calls from other threads are not affected.
    """
    return _AS_IT_IS if n_jobs is None else _change_threads(n_jobs)


@contextlib.contextmanager
def _change_threads(n_jobs: int) -> Iterator[None]:
    count = whole("n_jobs", n_jobs, -1)
    if count == 0:
        raise ValueError("n_jobs must be a number of threads, -1 (all cores) or None (got 0)")
    before = c_int64()
    check(c.lib.volt_set_threads_local(_build_info().default_threads if count == -1 else count, byref(before)))
    try:
        yield
    finally:
        c.lib.volt_set_threads_local(before, None)


def _build_info() -> c.BuildInfo:
    build = c.BuildInfo()
    c.lib.volt_build_info_get(byref(build))
    return build


def info() -> Dict[str, Any]:
    """Return the version of the library, its build options and run-time properties.

    Examples
    --------
    >>> import volterra
    >>> sorted(volterra.info())
    ['blas', 'compiler', 'cpu_flags', 'default_threads', 'fast_loops', 'memory', 'threads', 'threads_from', 'version']
    """
    build = _build_info()
    values = {name: getattr(build, name) for name, *_ in c.BuildInfo._fields_[1:]}
    return {name: c.text(value) if isinstance(value, bytes) else value for name, value in values.items()}
