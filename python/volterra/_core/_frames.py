"""Data frames and series of pandas and polars: checks of their columns, and predictions in the same form.

Neither library is imported here. A value can only be of their types where the caller has imported them.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

Array = np.ndarray


def pandas_module() -> Any:
    return sys.modules.get("pandas")


def library_of(value: Any) -> Optional[str]:
    """Return "pandas" or "polars" for a DataFrame or Series of these, else None."""
    for name in ("pandas", "polars"):
        module = sys.modules.get(name)
        if module is not None and isinstance(value, (module.DataFrame, module.Series)):
            return name
    return None


def is_frame(value: Any) -> bool:
    """Return whether it is a DataFrame or Series of pandas, which has an index."""
    return library_of(value) == "pandas"


def is_series(value: Any) -> bool:
    """Return whether it is a Series of pandas or polars, that is 1-D."""
    return library_of(value) is not None and len(value.shape) == 1


def column_names(value: Any) -> Optional[Array]:
    """Return the columns of a data frame, or the name of a Series, if all are strings (an object array), else None."""
    columns = [value.name] if is_series(value) else getattr(value, "columns", None)
    if columns is None:
        return None
    names = np.asarray(list(columns), dtype=object)
    return names if len(names) and all(isinstance(name, str) and name for name in names) else None


# ---- types of columns --------------------------------------------------------------------------------------


def _columns(value: Any) -> List[Tuple[Any, Any]]:
    """Return name and type of each column."""
    return [(value.name, value.dtype)] if len(value.shape) == 1 else list(zip(value.columns, value.dtypes))


def _values(value: Any, k: int) -> Any:
    """Return column k by position; names may be repeated."""
    if len(value.shape) == 1:
        return value
    return value.iloc[:, k] if library_of(value) == "pandas" else value.to_series(k).to_list()


def _kind_of_objects(values: Any) -> Optional[str]:
    """Return the first kind of value in an object column that is not a number, or None. Missing values are checked elsewhere."""
    kinds = (
        ((bool, np.bool_), "True and False as objects"),
        ((str, bytes), "text"),
        ((datetime.date, datetime.time, np.datetime64), "dates"),
        ((datetime.timedelta, np.timedelta64), "durations"),
        ((numbers.Real, decimal.Decimal), None),
    )
    pandas = pandas_module()
    for one in values:
        if one is None or (pandas is not None and (one is pandas.NA or one is pandas.NaT)):
            continue
        kind = next((kind for types, kind in kinds if isinstance(one, types)), "objects")
        if kind is not None:
            return kind
    return None


def _kind_in_pandas(dtype: Any) -> Optional[str]:
    """Return the kind of values of a column if they are not numbers, else None."""
    types = pandas_module().api.types
    if types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype):
        return None
    if types.is_timedelta64_dtype(dtype):
        return "durations"
    if types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pandas_module().PeriodDtype):
        return "dates"
    if isinstance(dtype, pandas_module().CategoricalDtype):
        return "categories"
    return "objects" if dtype == object else "text"


def _kind_in_polars(dtype: Any) -> Optional[str]:
    if dtype.is_numeric() or dtype == sys.modules["polars"].Boolean:
        return None
    name = str(dtype)
    if name.startswith("Duration"):
        return "durations"
    if dtype.is_temporal():
        return "dates"
    if name.startswith(("Categorical", "Enum")):
        return "categories"
    return "objects" if name == "Object" else "text" if name == "String" else "nested values or nothing"


def _advice(kind: str, column: Any, library: str, is_one: bool, name: str) -> str:
    if is_one:
        drop = "pass numbers"
    else:
        drop = f"drop it: {name}.drop({'columns=' if library == 'pandas' else ''}{column!r})"
    if kind == "dates" and library == "pandas" and not is_one:
        return f"make it the index, {name}.set_index({column!r}), or {drop}"
    if kind == "durations":
        return f"convert it with dt.total_seconds(), or {drop}"
    if kind == "text" and library == "pandas" and not is_one:
        return f"read dates as dates (parse_dates=[{column!r}]), encode other text as numbers, or {drop}"
    if kind in ("text", "categories"):
        return f"encode it as numbers, or {drop}"
    if "objects" in kind:
        return f"convert it to numbers ({'astype(float)' if library == 'pandas' else 'cast(pl.Float64)'}), or {drop}"
    return drop


def check_columns(value: Any, name: str) -> None:
    """Reject a DataFrame or Series with a column that is not numeric.

    Raises
    ------
    TypeError
        With the name of the first such column, its type and advice.
    """
    library = library_of(value)
    if library is None:
        return
    kind_of = _kind_in_pandas if library == "pandas" else _kind_in_polars
    for k, (column, dtype) in enumerate(_columns(value)):
        kind = kind_of(dtype)
        if kind == "objects":
            kind = _kind_of_objects(_values(value, k))
        if kind is not None:
            what = f"{name} (a Series)" if len(value.shape) == 1 else f"column {column!r} of {name}"
            advice = _advice(kind, column, library, len(value.shape) == 1, name)
            raise TypeError(f"{what} holds {kind} (dtype {dtype}), and numbers are required: {advice}")


# ---- predictions -------------------------------------------------------------------------------------------


class FrameForm:
    """Library, name and columns of targets, for predictions in the same form or with other columns."""

    def __init__(self, targets: Any, columns: Optional[Sequence[str]] = None) -> None:
        self.library = library_of(targets)
        own = list(targets.columns) if len(targets.shape) == 2 else None
        self.columns = own if columns is None else list(columns)
        self.name = None if len(targets.shape) == 2 else targets.name

    def dress(self, values: Array, index: Any) -> Any:
        if self.columns is not None:
            return self.frame(values, index, self.columns)
        if self.library == "polars":
            return sys.modules["polars"].Series(self.name, values)
        return pandas_module().Series(values, index=index, name=self.name)

    def frame(self, values: Array, index: Any, columns: Sequence[Any]) -> Any:
        """Return a DataFrame with other columns."""
        if self.library == "polars":
            return sys.modules["polars"].DataFrame(np.ascontiguousarray(values), schema=list(columns))
        return pandas_module().DataFrame(values, index=index, columns=list(columns))

    def table(self, name: str, rows: Sequence[str], columns: Dict[str, Array]) -> Any:
        """Return a DataFrame with named rows: the index in pandas, a first column in polars."""
        if self.library == "polars":
            return sys.modules["polars"].DataFrame({name: list(rows), **columns})
        return pandas_module().DataFrame(columns, index=pandas_module().Index(list(rows), name=name))

    @property
    def names(self) -> List[Any]:
        """Column names; a Series without a name is "y"."""
        if self.columns is not None:
            return list(self.columns)
        return ["y" if self.name is None or self.name == "" else self.name]

    def is_of(self, X: Any) -> bool:
        """Return whether X belongs to the same library."""
        return self.library == library_of(X)

    @staticmethod
    def of(X: Any, targets: Any, columns: Any = None) -> "Optional[FrameForm]":
        """Return the form of predictions if X and the targets belong to one library, else None."""
        if library_of(X) is None or library_of(X) != library_of(targets):
            return None
        return FrameForm(targets, columns)
