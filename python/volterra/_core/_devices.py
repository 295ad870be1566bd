"""Choice of the device that stores the library's matrices: CPU or GPU."""

from __future__ import annotations

import contextlib
from ctypes import byref
from typing import Any, Dict, Iterator, List, Optional

from . import _native as c
from ._errors import DeviceError, check, tell_messages
from ._threads import use_threads


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
    check(c.lib.volt_devices_get(byref(found)))
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
