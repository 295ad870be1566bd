"""Data files read by the library: tables of numbers and collections of series."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_double
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _native as c
from ._arguments import MOST, choice, whole
from ._arrays import Array
from ._errors import check
from ._model import PathLike, missing_file

__all__ = ["Series", "Table", "read_series", "read_table"]


class Table(NamedTuple):
    """Columns of a data file.

    Examples
    --------
    >>> import pathlib, tempfile, volterra
    >>> path = pathlib.Path(tempfile.mkdtemp(), "table.csv")
    >>> _ = path.write_text("a,b\\n1,2\\n3,4\\n")
    >>> table = volterra.datasets.read_table(path)
    >>> table.names, table.values.tolist()
    (['a', 'b'], [[1.0, 2.0], [3.0, 4.0]])
    """

    values: Array  #: (n_rows, n_columns)
    names: List[str]  #: of the columns
    file_rows: int  #: rows of the file, read or not


class Series(NamedTuple):
    """Series of a data file, with labels if the file has them.

    Examples
    --------
    >>> import pathlib, tempfile, volterra
    >>> path = pathlib.Path(tempfile.mkdtemp(), "waves.csv")
    >>> _ = path.write_text("series,y\\na,1\\na,2\\nb,3\\nb,4\\n")
    >>> [one[:, 0].tolist() for one in volterra.datasets.read_series(path).series]
    [[1.0, 2.0], [3.0, 4.0]]
    """

    series: List[Array]  #: (n_steps, n_channels) each
    labels: Optional[List[str]]  #: of the series


def read_table(
    path: PathLike,
    columns: Optional[str] = None,
    *,
    rows: Optional[Tuple[int, Optional[int]]] = None,
    missing: str = "error",
    decimal: Optional[str] = None,
    thousands: Optional[str] = None,
) -> Table:
    """Read a table of numbers from a CSV, NPY or MAT file, as the program ``volterra`` does.

    Parameters
    ----------
    path : path-like
        The format follows the extension: .npy, .mat, otherwise CSV.
    columns : str, optional
        Comma-separated names, ranges ``first..last`` and patterns ``h*``. None: all columns but dates.
    rows : (first, end), optional
        Read rows ``first <= t < end``, counted from 0; an end of None is the last row. Other rows are ignored.
    missing : {"error", "keep", "drop", "interpolate"}, default="error"
        Missing values: error, nan, dropped rows, or linear interpolation.
    decimal : {".", ","}, optional
        Decimal mark of a CSV file. None: detected, or not the separator of thousands.
    thousands : {".", ",", " ", "'"}, optional
        Separator of thousands of a CSV file. None: not the decimal mark, if that is given; otherwise a point with decimal commas. A
        column with 996 and 1.045 is an error unless one of the two is given.

    Returns
    -------
    Table
        ``values``, ``names`` and ``file_rows``.

    Examples
    --------
    >>> import os, tempfile, volterra
    >>> path = os.path.join(tempfile.mkdtemp(), "data.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("u,y\\n1,2\\n3,4\\n5,6\\n")
    >>> table = volterra.datasets.read_table(path, "y", rows=(1, None))
    >>> table.values[:, 0].tolist(), table.file_rows
    ([4.0, 6.0], 3)
    """
    options = c.lib.volt_read_options_default()
    options.missing = c.MISSING[choice("missing", missing, c.MISSING)]
    options.decimal = None if decimal is None else c.encode("decimal", decimal)
    options.thousands = None if thousands is None else c.encode("thousands", thousands)
    if rows is not None:
        first, end = rows
        options.first = whole("the first row", first)
        options.end = MOST if end is None else whole("the end of the rows", end)
    source = c.encode_path("the path", path)
    if columns is not None:
        source += b":" + c.encode("the columns", columns)
    found = POINTER(c.Table)()
    with missing_file(path):
        check(c.lib.volt_table_read(source, byref(options), byref(found)))
    try:
        table = found.contents
        values = np.ctypeslib.as_array(table.values, (table.rows, table.cols)).copy()
        return Table(values, [c.text(table.names[k]) for k in range(table.cols)], int(table.file_rows))
    finally:
        c.lib.volt_table_free(found)


def read_series(path: PathLike) -> Series:
    """Read a collection of series: .ts files of the UEA archive, .npy, or CSV with a column ``series``.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Series
        ``series``, a list of arrays (n_steps, n_channels), and ``labels``, a list of str or None.

    Examples
    --------
    >>> import os, tempfile, volterra
    >>> path = os.path.join(tempfile.mkdtemp(), "waves.ts")
    >>> with open(path, "w") as file:
    ...     _ = file.write("@univariate true\\n@classLabel true up down\\n@data\\n1,2,3:up\\n3,2,1:down\\n")
    >>> waves = volterra.datasets.read_series(path)
    >>> waves.series[1][:, 0].tolist(), waves.labels
    ([3.0, 2.0, 1.0], ['up', 'down'])
    """
    found = POINTER(c.Collection)()
    source = c.encode_path("the path", path)
    with missing_file(path):
        check(c.lib.volt_collection_read(source, byref(found)))
    try:
        collection = found.contents
        count = int(collection.count)
        labels = [c.text(collection.labels[i]) for i in range(count)] if collection.labels else None
        return Series([_copy(collection.series[i]) for i in range(count)], labels)
    finally:
        c.lib.volt_collection_free(found)


def _copy(matrix: Any) -> Array:
    """Copy a view of the library to an array."""
    numbers = ctypes.cast(matrix.data, POINTER(c_double))
    whole_rows = np.ctypeslib.as_array(numbers, ((matrix.rows - 1) * matrix.ld + matrix.cols,))
    strides = (matrix.ld * whole_rows.itemsize, whole_rows.itemsize)
    return np.lib.stride_tricks.as_strided(whole_rows, (matrix.rows, matrix.cols), strides).copy()
