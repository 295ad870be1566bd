"""Threads and device of the library, and its build information."""

from __future__ import annotations

import contextlib
from ctypes import c_int64
from typing import Any, ContextManager, Dict, Iterator, List, Optional

from . import _native as c
from ._arguments import whole
from ._errors import DeviceError, check, tell_messages


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
    info = c.BuildInfo()
    c.lib.volt_build_info_get(info)
    return int(info.threads)


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
    check(c.lib.volt_set_threads_local(_build_info().default_threads if count == -1 else count, before))
    try:
        yield
    finally:
        c.lib.volt_set_threads_local(before, None)


def _build_info() -> c.BuildInfo:
    build = c.BuildInfo()
    c.lib.volt_build_info_get(build)
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


# ---- device ----------------------------------------------------------------------------------------------


def device() -> str:
    """Return the choice of `set_device`: "auto", "cpu", or "gpu:0" and so on.

    Examples
    --------
    >>> import volterra
    >>> volterra.device()
    'auto'
    """
    return c.text(_devices().chosen)


def _devices() -> c.Devices:
    found = c.Devices()
    check(c.lib.volt_devices_get(found, 0, None))
    return found


def set_device(name: str = "auto") -> None:
    """Set the device that stores and factors Gram matrices, for the whole process.

    The function must not be called while another thread uses the library.

    Parameters
    ----------
    name : str, default="auto"
        "auto": the first GPU for fits and searches that fit in its memory and are estimated to be faster there, otherwise the
        CPU; "cpu"; "gpu": the first GPU, for everything that the plugin supports; "gpu:1": the second, and so on;
        "gpu:0,1" or "gpu:all": several GPUs, for searches and for the solvers "nystrom" and "pcg".

    Raises
    ------
    DeviceError
        The device does not exist or cannot be opened, or its plugin is missing (``libvolterra_cuda.so``, in the directory of
        the library or at ``VOLT_CUDA_PLUGIN``). The message states the reason. The choice is unchanged.

    Examples
    --------
    >>> import volterra
    >>> volterra.set_device("cpu")
    >>> volterra.device()
    'cpu'
    >>> volterra.set_device()
    """
    if not isinstance(name, str):
        raise TypeError(f"a device is a text such as 'auto', 'cpu' or 'gpu', not {type(name).__name__}")
    check(c.lib.volt_set_device(name.encode()))
    tell_messages()


def devices() -> List[Dict[str, Any]]:
    """Return the available GPUs: for each its name, driver, total and available memory in bytes.

    Raises
    ------
    DeviceError
        No GPU or no plugin; the message states the reason.
    """
    all_of_them = _devices()
    if all_of_them.count == 0:
        raise DeviceError(c.text(all_of_them.why))
    found = []
    for number in range(all_of_them.count):
        info = c.DeviceInfo()
        check(c.lib.volt_devices_get(all_of_them, number, info))
        found.append(
            {
                "device": f"gpu:{number}",
                "name": c.text(info.name),
                "driver": c.text(info.driver),
                "memory": info.memory,
                "available": info.available,
            }
        )
    return found


@contextlib.contextmanager
def use_machine(estimator: Any) -> Iterator[None]:
    """Use the threads and the device of an estimator's parameters, and restore both afterwards."""
    wanted: Optional[str] = getattr(estimator, "device", None)
    with use_threads(estimator.n_jobs):
        if wanted is None:
            yield
            return
        before = device()
        set_device(wanted)
        try:
            yield
        finally:
            check(c.lib.volt_set_device(before.encode()))
