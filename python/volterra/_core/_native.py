"""The C library: its location, the types of its functions (`_generated`), the words of its enums, and the owners of its objects."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import c_char_p
from pathlib import Path
from typing import Any, Callable, Dict, NoReturn

from ._generated import *  # noqa: F403  the rest of the package finds everything in this module
from ._generated import CONSTANTS, PROTOTYPES

# ---- the library -------------------------------------------------------------------------------------------


def _library_path() -> str:
    """Return ``$VOLTERRA_LIBRARY`` if it is set, else the library installed in the directory of the package."""
    chosen = os.environ.get("VOLTERRA_LIBRARY")
    if chosen:
        return chosen
    name = "libvolterra.dylib" if sys.platform == "darwin" else "libvolterra.so"
    path = Path(__file__).parents[1] / name
    if not path.exists():
        raise ImportError(
            f"volterra: {name} is not in the directory of the package ({path.parent}). Install the package with "
            "`pip install .` from the root of the repository, or set VOLTERRA_LIBRARY to a library that "
            "was built there."
        )
    return str(path)


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_library_path())
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


#: The library. ctypes releases the GIL while one of its functions runs.
lib = _load()


def text(raw: Any) -> str:
    """Convert a string of the library; '' for NULL."""
    return raw.decode() if raw else ""


def encode(what: str, value: Any) -> bytes:
    """Encode a string for the library, which must not contain a null character."""
    raw = str(value).encode()
    if b"\0" in raw:
        raise ValueError(f"{what} must not contain a null character (got {str(value)!r})")
    return raw


def encode_path(what: str, path: Any) -> bytes:
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError(f"{what} must not contain a null character (got {path!r})")
    return raw


def names_array(what: str, names: Any) -> Any:
    """Return strings as a C array, or None for no names. Keep the result while C uses it."""
    if names is None:
        return None
    return (c_char_p * len(names))(*[encode(what, name) for name in names])


# ---- words of enums --------------------------------------------------------------------------------------


def _words(prefix: str, words: str) -> Dict[str, int]:
    """Return the constants PREFIX_WORD by their words."""
    return {word: CONSTANTS[f"{prefix}_{word.upper().replace('-', '_')}"] for word in words.split()}


OK: int = CONSTANTS["VOLT_OK"]
ERR_ARGUMENT: int = CONSTANTS["VOLT_ERR_ARGUMENT"]
ERR_KERNEL: int = CONSTANTS["VOLT_ERR_KERNEL"]
ERR_SHAPE: int = CONSTANTS["VOLT_ERR_SHAPE"]
ERR_NOT_FINITE: int = CONSTANTS["VOLT_ERR_NOT_FINITE"]
ERR_DATA: int = CONSTANTS["VOLT_ERR_DATA"]
ERR_DOMAIN: int = CONSTANTS["VOLT_ERR_DOMAIN"]
ERR_MEMORY: int = CONSTANTS["VOLT_ERR_MEMORY"]
ERR_SINGULAR: int = CONSTANTS["VOLT_ERR_SINGULAR"]
ERR_IO: int = CONSTANTS["VOLT_ERR_IO"]
ERR_FORMAT: int = CONSTANTS["VOLT_ERR_FORMAT"]
ERR_CANCELLED: int = CONSTANTS["VOLT_ERR_CANCELLED"]
ERR_DEVICE: int = CONSTANTS["VOLT_ERR_DEVICE"]

KERNEL_LENGTH: int = CONSTANTS["VOLT_KERNEL_LENGTH"]
VALUE_LENGTH: int = CONSTANTS["VOLT_VALUE_LENGTH"]
EXPLAIN_ORDERS: int = CONSTANTS["VOLT_EXPLAIN_ORDERS"]
SERIES_CHOOSE: int = CONSTANTS["VOLT_SERIES_CHOOSE"]

LOG_LEVELS = {name: CONSTANTS[name] for name in ("VOLT_LOG_INFO", "VOLT_LOG_WARNING")}
STARTS = _words("VOLT_START", "continue reset")
PATH_STARTS = _words("VOLT_START", "continue reset at_target after_target")  # of `continue_`
BEYOND = _words("VOLT_BEYOND", "clip error allow")
ODE_METHODS = _words("VOLT_ODE", "rk4 accurate")
SYSTEMS = _words(
    "VOLT_SYSTEM",
    "lorenz mackey_glass narma10 lorenz96 kuramoto_sivashinsky henon duffing van_der_pol wiener_hammerstein bouc_wen "
    "wiener relay",
)
PARAMETER_KINDS = _words("VOLT_PARAMETER", "real integer choice text")
SEARCH_LAWS = _words("VOLT_SEARCH", "none log linear integer log_integer")
UNITS = _words("VOLT_UNIT", "one distance square inverse_square")
SCORES = _words("VOLT_SCORE", "r2 nmse mse prequential log loo gcv loss")
RACES = _words("VOLT_RACE", "exact fast none")
STRATEGIES = _words("VOLT_STRATEGY", "random adaptive cma")
VALIDATIONS = _words("VOLT_VALIDATE", "simulate one-step")
MCS_METHODS = _words("VOLT_MCS", "R max")
BLOCKS = {word: float(value) for word, value in _words("VOLT_BLOCK", "sqrt auto").items()}
TARGETS = _words("VOLT_TARGET", "level change auto")
INITIALS = _words("VOLT_INITIAL", "zero first mean values")
INPUTS = _words("VOLT_INPUT", "level change both auto")
LANDMARKS = _words("VOLT_LANDMARKS", "spread last random")
ABOUT = _words("VOLT_ABOUT", "mean zero point")
BASELINES = _words("VOLT_BASELINE", "naive seasonal drift ar")
MISSING = _words("VOLT_MISSING", "error keep drop interpolate")
FORGET_WHAT = _words("VOLT_FORGET", "dynamics all")
ANOMALY_SCORES = _words("VOLT_ANOMALY", "mahalanobis conformance")
OBJECT_SCALES = _words("VOLT_OBJECT_SCALE", "channels series none")
OBJECT_INPUTS = _words("VOLT_OBJECT_INPUT", "level change both")
OBJECT_COMPARES = _words("VOLT_OBJECT_COMPARE", "series steps")


# ---- owners of objects -----------------------------------------------------------------------------------


class Handle:
    """The address of an object of the library, which is freed when the last reference to this is dropped.

    Freeing is done here and not by the owner, so that two owners of one address cannot free it twice.
    """

    __slots__ = ("_free", "_keeps", "pointer")

    def __init__(self, pointer: Any, free: Callable[[Any], None], keeps: Any = None) -> None:
        self.pointer = pointer
        self._free = free
        self._keeps = keeps  # objects that must outlive this one

    def __del__(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer:
            self._free(pointer)

    def __reduce__(self) -> NoReturn:
        raise TypeError("the address of an object of the library cannot be copied or pickled")


class Owner:
    """Base of the classes that own an object of the library; they can be passed to its functions directly.

    `_FREE` is the function that frees the object. Copying and pickling raise an error unless a class implements them.
    """

    _FREE: str
    _handle: Handle

    def _own(self, pointer: Any, keeps: Any = None) -> None:
        """Take ownership of an object returned by the library; it must not outlive `keeps`."""
        self._handle = Handle(pointer, getattr(lib, self._FREE), keeps)

    @property
    def _as_parameter_(self) -> Any:  # used by ctypes; the call holds `self`, so the object outlives it
        handle = getattr(self, "_handle", None)
        if handle is None or not handle.pointer:
            raise ValueError(f"this {type(self).__name__} is empty: it was not created, or its memory was freed")
        return handle.pointer

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")
