"""The C library: its location, the types of its functions (`_generated`) and the words of its enums (`_words`)."""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import c_char_p
from pathlib import Path
from typing import Any

from ._generated import *  # noqa: F403  the rest of the package finds everything in this module
from ._generated import PROTOTYPES
from ._words import *  # noqa: F403

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
