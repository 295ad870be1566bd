"""How many threads the library works with, and what it is."""

from __future__ import annotations

import contextlib
from ctypes import byref
from typing import Any, ContextManager, Dict, Iterator, Optional

from . import _native as c
from ._errors import check


def threads() -> int:
    """Threads that the library uses, for its own loops and for BLAS.

    Examples
    --------
    >>> import volterra
    >>> volterra.threads() >= 1
    True
    """
    return int(c.lib.volt_threads())


def set_threads(count: int = 0) -> None:
    """Set the number of threads of the library, for the whole process.

    Parameters
    ----------
    count : int, default=0
        0 restores the default: ``OMP_NUM_THREADS``, or one per core.

    Examples
    --------
    >>> import volterra
    >>> volterra.set_threads(2)
    >>> volterra.threads()
    2
    >>> volterra.set_threads()
    """
    check(c.lib.volt_set_threads(int(count)))


_AS_IT_IS = contextlib.nullcontext()


def use_threads(n_jobs: Optional[int]) -> ContextManager[None]:
    """Work with this many threads and restore the number after; None: as it is, -1: one per core."""
    return _AS_IT_IS if n_jobs is None else _change_threads(n_jobs)


@contextlib.contextmanager
def _change_threads(n_jobs: int) -> Iterator[None]:
    if n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs is {n_jobs}, and must be a number of threads, -1 (all cores) or None")
    before = threads()
    set_threads(0 if n_jobs == -1 else n_jobs)
    try:
        yield
    finally:
        set_threads(before)


def info() -> Dict[str, Any]:
    """The version of the library, how it was built, and what it runs on.

    Examples
    --------
    >>> import volterra
    >>> sorted(volterra.info())
    ['blas', 'compiler', 'cpu_flags', 'fast_loops', 'memory', 'threads', 'version']
    """
    build = c.BuildInfo()
    c.lib.volt_build_info_get(byref(build))
    values = {name: getattr(build, name) for name, *_ in c.BuildInfo._fields_}
    return {name: c.text(value) if isinstance(value, bytes) else value for name, value in values.items()}
