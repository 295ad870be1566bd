"""The C library: its location, the types of its functions (`_generated`), the words of its enums, and the owners of its objects."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import os
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_void_p, cast, pointer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Optional

import numpy as np

from ._arguments import choice, nearest
from ._generated import *  # noqa: F403  the rest of the package finds everything in this module
from ._generated import CONSTANTS, PROTOTYPES, Matrix

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


def view(a: Optional[np.ndarray]) -> Matrix:
    """Return the library's view of a float64 matrix with contiguous rows, which must outlive it; None: no matrix."""
    if a is None:
        return Matrix(None, 0, 0, 0)
    rows, cols = a.shape
    return Matrix(address(a), rows, cols, a.strides[0] // a.itemsize if rows > 1 else cols)


def address(a: np.ndarray) -> int:
    """Address of the first number: ``a.ctypes.data``, but faster."""
    return int(a.__array_interface__["data"][0])


class _View:
    """Argument that is a matrix: an array, or None."""

    @staticmethod
    def from_param(value: Any) -> Any:
        return value if isinstance(value, Matrix) else view(value)


class _Views:
    """Argument that is a collection: a list of arrays, or None."""

    @staticmethod
    def from_param(value: Any) -> Any:
        return None if value is None else (Matrix * len(value))(*map(view, value))


class _Address:
    """Argument that is an address: an array, a number that receives a result, or an object of the library."""

    @staticmethod
    def from_param(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return c_void_p(address(value))
        return byref(value) if isinstance(value, (c_double, c_int, c_int64)) else c_void_p.from_param(value)


_ARGUMENTS = {Matrix: _View, POINTER(Matrix): _Views, c_void_p: _Address}


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_library_path())
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = [_ARGUMENTS.get(kind, kind) for kind in arguments]
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
    return (c_char_p * len(names))(*[None if name is None else encode(what, name) for name in names])


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


@contextlib.contextmanager
def result(kind: Any, free: Callable[[Any], None]) -> Iterator[Any]:
    """A pointer for a result of the library, which is freed at the end."""
    pointer = POINTER(kind)()
    try:
        yield pointer
    finally:
        free(pointer)


# ---- options -----------------------------------------------------------------------------------------------


def fill(options: Any, **fields: Any) -> Any:
    """Set fields of an options struct, and return it. None keeps a field.

    A word becomes the number of an enum. A list or an array also sets the field ``n_NAME`` of its length. The struct keeps texts and
    arrays alive.
    """
    kinds = dict(field[:2] for field in options._fields_)
    for name, value in fields.items():
        if name not in kinds:
            raise TypeError(f"{type(options).__name__} has no field {name!r}{nearest(name, kinds)}")
        if value is not None:
            setattr(options, name, _field_value(options, name, kinds[name], value))
        if value is not None and f"n_{name}" in kinds:
            setattr(options, f"n_{name}", len(value))
    return options


def _field_value(options: Any, name: str, kind: Any, value: Any) -> Any:
    if isinstance(value, str) and kind is c_int:
        words = words_of(described(type(options))[name])
        return words[choice(name, value, words)]
    if kind is c_char_p:
        return value if isinstance(value, bytes) else encode(name, value)
    if kind is Matrix:
        made: Any = view(value)
    elif kind is POINTER(c_char_p):
        value = names_array(name, value)
        made = cast(value, kind)
    elif isinstance(value, np.ndarray) or isinstance(value, (list, tuple)) and kind in _NUMBERS:
        value = np.ascontiguousarray(value, dtype=_NUMBERS.get(kind))
        made = cast(address(value), kind)
    elif isinstance(value, (list, tuple)):
        return (kind._type_ * len(value))(*value)
    elif isinstance(value, ctypes.Structure) and kind is not type(value):
        return pointer(value)
    else:
        return int(value) if isinstance(value, (bool, np.bool_)) else value
    vars(options).setdefault("_kept", []).append(value)
    return made


_NUMBERS = {POINTER(c_double): np.float64, POINTER(c_int64): np.int64}


# ---- results -----------------------------------------------------------------------------------------------


def array(pointer: Any, *shape: int) -> Any:
    """Copy an array of the library; None for NULL."""
    return np.ctypeslib.as_array(pointer, shape).copy() if pointer else None


def copy_of(matrix: Matrix) -> np.ndarray:
    """Copy a matrix of the library."""
    rows, cols, ld = int(matrix.rows), int(matrix.cols), int(matrix.ld)
    numbers = (c_double * ((rows - 1) * ld + cols)).from_address(matrix.data)
    strides = (ld * 8, 8)
    return np.lib.stride_tricks.as_strided(np.ctypeslib.as_array(numbers), (rows, cols), strides).copy()


def texts(pointer: Any, count: int) -> List[str]:
    return [text(raw) for raw in pointer[:count]] if pointer else []


@functools.lru_cache(maxsize=None)
def described(kind: Any) -> Dict[str, Field]:
    """The description of a struct of the library: its fields by name (``volt_struct_find``)."""
    name = next((name for name, one in STRUCTS.items() if one is kind), "")
    found = lib.volt_struct_find(name.encode()).contents
    return {text(one.name): one for one in found.fields[: found.n_fields]}


def words_of(field: Field) -> Dict[str, int]:
    """The words of a field whose value is one of an enum."""
    found = itertools.takewhile(lambda one: one.text, (field.words[i] for i in itertools.count()))
    return {text(one.text): one.value for one in found}


def values(struct: Any, **sizes: int) -> Dict[str, Any]:
    """Copy the fields of a result: numbers, texts, arrays (None for NULL), and structs as dicts. `sizes` are the dimensions that are
    not fields of the struct. What the table of fields does not describe is left out."""
    fields = {name: field for name, field in described(type(struct)).items() if field.kind != _OTHER}
    found = {name: _value(struct, name, field, sizes) for name, field in fields.items()}
    return {name: value for name, value in found.items() if value is not _UNKNOWN}


def _value(struct: Any, name: str, field: Field, sizes: Dict[str, int]) -> Any:
    value = getattr(struct, name)
    shape = [_dimension(struct, one, sizes) for one in field.shape[: field.n_dimensions]]
    if None in shape:
        return _UNKNOWN
    if field.is_pointer and field.kind != _TEXT and not value:
        return None
    if field.kind in _NUMERIC and shape:
        made = np.ctypeslib.as_array(value, shape if field.is_pointer else None)
        return made.reshape(-1)[: int(np.prod(shape))].reshape(shape).copy()
    if shape:
        return [_plain(one, field) for one in value[: int(np.prod(shape))]]
    return _plain(value.contents if field.kind == _STRUCT and field.is_pointer else value, field)


def _dimension(struct: Any, dimension: Any, sizes: Dict[str, int]) -> Optional[int]:
    if not dimension.is_given:
        parts = [int(part) if part.isdigit() else sizes.get(part) for part in text(dimension.text).split(" + ")]
        return None if None in parts else sum(parts)
    start, offsets = ctypes.addressof(struct), dimension.offsets[: dimension.n_offsets]
    return int(dimension.plus) + sum(c_int64.from_address(start + offset).value for offset in offsets)


def _plain(value: Any, field: Field) -> Any:
    if field.kind in (_TEXT, CONSTANTS["VOLT_KIND_CHARS"]):
        return text(value)
    if field.kind == _STRUCT:
        return values(value)
    if field.kind == CONSTANTS["VOLT_KIND_VIEW"]:
        return copy_of(value) if value.data else None
    if field.kind == _WORD:
        return word_of(words_of(field), value)
    return bool(value) if field.kind == _FLAG else value


_UNKNOWN = object()
_FLAG, _WORD, _TEXT, _STRUCT, _OTHER = (CONSTANTS[f"VOLT_KIND_{word}"] for word in ("FLAG", "WORD", "TEXT", "STRUCT", "OTHER"))
_NUMERIC = {CONSTANTS[f"VOLT_KIND_{word}"] for word in ("DOUBLE", "INT64", "UINT64", "INT", "FLAG")}


def entries(function: Callable[[int], Any]) -> Iterator[Any]:
    """The entries of a table of the library, which `function` gives by number, up to NULL."""
    number = 0
    while entry := function(number):
        yield entry.contents
        number += 1


def word_of(words: Dict[str, int], value: int) -> str:
    """The word of a value of an enum."""
    return next(word for word, number in words.items() if number == value)
