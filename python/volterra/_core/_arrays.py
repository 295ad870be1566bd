"""Conversion and checks of arrays; copies are made only if necessary.

A float64 array with contiguous rows is passed without a copy, also if it is a slice of a larger one. Everything else (other
types, Fortran order, lists, data frames) is converted.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy as np

from . import _native as c
from ._frames import check_columns, is_series, pandas_module

Array = np.ndarray
_ITEM = 8  # bytes of a double


# ---- views -------------------------------------------------------------------------------------------------


def _rows_are_contiguous(a: Array) -> bool:
    rows, cols = a.shape
    inner = cols == 1 or a.strides[1] == _ITEM
    outer = rows == 1 or (a.strides[0] % _ITEM == 0 and a.strides[0] >= cols * _ITEM)
    return inner and outer


def view(a: Array) -> c.Matrix:
    """Return the library's view of a matrix from `as_matrix` or `empty`. The array must outlive it."""
    rows, cols = a.shape
    ld = a.strides[0] // _ITEM if rows > 1 else cols
    return c.Matrix(address(a), rows, cols, ld)


def address(a: Array) -> int:
    """Address of the first number: ``a.ctypes.data``, but faster."""
    return int(a.__array_interface__["data"][0])


NO_MATRIX = c.Matrix(None, 0, 0, 0)


def empty(rows: int, cols: int) -> Array:
    """Return a matrix for the library to fill."""
    return np.empty((rows, cols), dtype=np.float64)


# ---- checks ------------------------------------------------------------------------------------------------


def _refuse_masked(value: Any, name: str) -> None:
    """Reject masked values, which NumPy would convert to data, in masked arrays and in lists and object arrays of them."""
    if isinstance(value, np.ma.MaskedArray):
        hidden = np.argwhere(np.ma.getmaskarray(value))
        if len(hidden):
            count = f"{len(hidden)} masked value{'s' if len(hidden) > 1 else ''}"
            place = f" (the first at {tuple(hidden[0].tolist())}, counted from 0)" if value.ndim else ""
            raise ValueError(
                f"{name} has {count}{place}, and none may be missing: fill them or leave their rows out"
            )
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        for one in value if np.ndim(value) else ():
            if isinstance(one, (list, tuple, np.ndarray)):
                _refuse_masked(one, name)


def _refuse_missing(a: Array, name: str) -> None:
    """Reject None and pandas' NA in object arrays."""
    pandas = pandas_module()
    for place, one in np.ndenumerate(a):
        if one is None or (pandas is not None and (one is pandas.NA or one is pandas.NaT)):
            raise ValueError(f"{name} contains {one} at {place}, counted from 0; all values must be finite")


def to_float64(value: Any, name: str) -> Array:
    """Convert numeric data to a float64 array of any shape."""
    if hasattr(value, "collect") and hasattr(value, "collect_schema"):
        raise TypeError(f"{name} is a {type(value).__name__}, which has no values yet: pass {name}.collect()")
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise TypeError(f"{name} is a sparse matrix, and dense data are needed: pass {name}.toarray()")
    check_columns(value, name)
    _refuse_masked(value, name)
    a = np.asarray(value)
    if a.dtype == np.float64:
        return a
    if a.dtype == object:
        _refuse_missing(a, name)
    if a.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {a.dtype}")
    if a.dtype.kind in "US":
        raise ValueError(f"{name} holds text (dtype {a.dtype}), and numbers are needed")
    if a.dtype.kind in "Mm":
        raise TypeError(f"{name} holds dates or times (dtype {a.dtype}), and numbers are needed")
    return a.astype(np.float64)


def _where_not_finite(a: Array, name: str) -> str:
    row, col = (int(i) for i in np.argwhere(~np.isfinite(a))[0])
    what = "NaN" if np.isnan(a[row, col]) else "infinity (inf)"
    return f"{name} contains {what} at row {row}, column {col}, counted from 0; all values must be finite"


def as_matrix(value: Any, name: str = "X", missing: bool = False) -> Array:
    """Return a finite 2-D float64 array with contiguous rows, without a copy if possible. A Series is one column. With `missing`,
    NaN is accepted."""
    a = to_float64(value, name)
    if is_series(value):
        a = a.reshape(-1, 1)
    if a.ndim != 2:
        if a.ndim < 2:
            raise ValueError(
                f"Expected 2D array, got {'scalar' if a.ndim == 0 else '1D'} array instead for {name}. "
                "Rows are time steps, columns are features. Reshape your data either using "
                "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a single row."
            )
        raise ValueError(f"Found array with dim {a.ndim} for {name}, and 2 are needed: steps x features")
    rows, cols = a.shape
    if rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={a.shape}) while a minimum of 1 is required.")
    if cols == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={a.shape}) while a minimum of 1 is required.")
    if not (np.isfinite(a).all() or (missing and not np.isinf(a).any())):
        raise ValueError(_where_not_finite(a, name))
    return a if _rows_are_contiguous(a) and a.flags.aligned else np.ascontiguousarray(a)


def as_targets(value: Any, name: str = "y", missing: bool = False) -> Tuple[Array, bool]:
    """Return targets as a matrix, and whether they were 1-D."""
    a = to_float64(value, name)
    flat = a.ndim == 1
    return as_matrix(a.reshape(-1, 1) if flat else a, name, missing), flat


def as_row(value: Any) -> Array:
    """Return one row of inputs, contiguous."""
    return np.ascontiguousarray(to_float64(value, "the row"))


def as_integers(value: Any, name: str) -> Array:
    """Return a contiguous int64 array; the input must contain integers."""
    _refuse_masked(value, name)
    a = np.asarray(value)
    if a.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {a.dtype}, and whole numbers are needed")
    if a.dtype == np.uint64 and a.size and a.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds {a.max()}, and at most {np.iinfo(np.int64).max} is possible")
    return np.ascontiguousarray(a, dtype=np.int64)


def same_rows(X: Array, Y: Array) -> None:
    if X.shape[0] != Y.shape[0]:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[X.shape[0], Y.shape[0]]} "
            "(rows of X and of y)"
        )


def copy_of(matrix: c.Matrix) -> Array:
    """Copy a matrix of the library."""
    rows, cols, ld = int(matrix.rows), int(matrix.cols), int(matrix.ld)
    numbers = (c.c_double * ((rows - 1) * ld + cols)).from_address(matrix.data)
    strides = (ld * _ITEM, _ITEM)
    return np.lib.stride_tricks.as_strided(np.ctypeslib.as_array(numbers), (rows, cols), strides).copy()


# ---- collections of series ---------------------------------------------------------------------------------


def is_collection(value: Any) -> bool:
    """Return whether the value is a collection, (series, time, channels) or a list of 2-D arrays, and not one sequence."""
    if isinstance(value, np.ndarray):
        return value.ndim == 3 or (value.dtype == object and value.ndim == 1 and np.ndim(value[0]) == 2)
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and np.ndim(value[0]) == 2
    return False


def as_collection(value: Any, name: str = "X") -> List[Array]:
    """Return the series of a collection, each a matrix of time steps x channels."""
    series = [as_matrix(one, f"{name}[{i}]") for i, one in enumerate(value)]
    channels = {one.shape[1] for one in series}
    if len(channels) > 1:
        raise ValueError(f"the series of {name} have different numbers of channels: {sorted(channels)}")
    return series


def views(series: Sequence[Array]) -> Any:
    """Return a C array of the views of a collection."""
    return (c.Matrix * len(series))(*[view(one) for one in series])
