"""Where the library's matrices live: on the CPU or on a GPU."""

from __future__ import annotations

import contextlib
from ctypes import byref
from typing import Any, Dict, Iterator, List, Optional

from . import _native as c
from ._errors import DeviceError, check, tell_messages
from ._threads import use_threads


def device() -> str:
    """The choice of `set_device`: "auto", "cpu", or "gpu:0" and so on.

    Examples
    --------
    >>> import volterra
    >>> volterra.device()
    'auto'
    """
    return c.text(_devices().chosen)


def _devices() -> c.Devices:
    found = c.Devices()
    check(c.lib.volt_devices_get(byref(found)))
    return found


def set_device(name: str = "auto") -> None:
    """Say where Gram matrices live and are factored, for the whole process. Not while another thread is in a call.

    Parameters
    ----------
    name : str, default="auto"
        "auto": the first GPU for fits and searches that it pays for and that fit in its memory, the CPU for all
        else; "cpu"; "gpu": the first GPU, for everything that the plugin covers; "gpu:1": the second, and so on.

    Raises
    ------
    DeviceError
        There is no such device, no plugin for it (``libvolterra_cuda.so``, beside the library or at
        ``VOLT_CUDA_PLUGIN``), or it cannot be opened: the message says which. The choice stays as it was.

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
    """The GPUs there are: for each its name, driver, memory and what is available of it, in bytes.

    Raises
    ------
    DeviceError
        There is none, or no plugin for it: the message says which.
    """
    all_of_them = _devices()
    if all_of_them.count == 0:
        raise DeviceError(c.text(all_of_them.why))
    found = []
    for number in range(all_of_them.count):
        info = c.DeviceInfo()
        check(c.lib.volt_device_get_info(number, byref(info)))
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
    """Work with the threads and on the device that an estimator's parameters name, and restore both after."""
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
