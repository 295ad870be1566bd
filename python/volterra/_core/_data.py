"""The data that users pass: arrays, data frames, records, collections of series, and their names.

A float64 array with contiguous rows is passed to the library without a copy, also if it is a slice of a larger one. Everything
else (other types, Fortran order, lists, data frames) is converted. pandas and polars are not imported here: a value can only be
of their types where the caller has imported them.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import sys
from ctypes import byref, c_int, c_int64
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from . import _native as c
from ._arguments import choice
from ._errors import check, warn
from ._protocol import DataConversionWarning, Estimator

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


# ---- arrays -------------------------------------------------------------------------------------------------


_ITEM = 8  # bytes of a double


def _rows_are_contiguous(a: Array) -> bool:
    rows, cols = a.shape
    inner = cols == 1 or a.strides[1] == _ITEM
    outer = rows == 1 or (a.strides[0] % _ITEM == 0 and a.strides[0] >= cols * _ITEM)
    return inner and outer


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


def as_labels(y: Any) -> Array:
    """Return class labels as a vector: texts, or whole numbers."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warn("A column-vector y was passed when a 1d array was expected: its only column is taken", DataConversionWarning)
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array of labels, got an array of shape {labels.shape} instead")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity (inf), which are not labels")
        if (labels != np.floor(labels)).any():
            raise ValueError("Unknown label type: continuous. y must hold classes, texts or whole numbers")
    return labels


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


# ---- names of columns ------------------------------------------------------------------------------------


def select_columns(value: Any, known: Any, what: str) -> Any:
    """Return the columns of a data frame that have the `known` names, in their order (`volt_columns_match`); None: all. Columns of
    which none has one of the names are used by position, with a warning."""
    names = None if known is None or is_series(value) else column_names(value)
    if names is None:
        return value
    places = match_names(names, known, what)
    return value[[names[j] for j in places]] if len(set(names)) == len(names) else value


def select_cells(row: Any, known: Any) -> Any:
    """The same for a row of pandas: a Series whose index has the names of the columns."""
    if known is None or not is_frame(row) or not is_series(row) or not all(isinstance(name, str) for name in row.index):
        return row
    return row.iloc[match_names(row.index, known, "the row")]


def match_names(names: Any, known: Any, what: str) -> List[int]:
    """Return the position among the names of every known name (`volt_columns_match`)."""
    places, by_position = (c_int64 * len(known))(), c_int()
    given, wanted = c.names_array(f"a column of {what}", names), c.names_array("a name", known)
    try:
        check(c.lib.volt_columns_match(given, len(names), wanted, len(known), places, byref(by_position)))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    if by_position.value:
        warn(f"the columns {list(names)} of {what} are used by position as {list(known)}: none has one of these names")
    return list(places)


class FeatureNames(Estimator):
    """Compares the inputs of later calls with those of fit."""

    n_features_in_: int
    feature_names_in_: Array

    def _remember_names(self, names: Optional[Array]) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X: Any) -> None:
        """Compare the columns of a data frame with those of fit."""
        names, known = column_names(X), getattr(self, "feature_names_in_", None)
        kind = type(self).__name__
        if known is None and names is not None:
            warn(f"X has feature names, but {kind} was fitted without feature names")
        elif known is not None and names is None:
            warn(f"X does not have valid feature names, but {kind} was fitted with feature names")
        elif known is not None and names is not None and list(known) != list(names):
            raise ValueError(self._names_message(list(known), list(names)))

    @staticmethod
    def _names_message(known: list, names: list) -> str:
        lines = ["The feature names should match those that were passed during fit."]
        unseen = sorted(set(names) - set(known))
        missing = sorted(set(known) - set(names))
        if unseen:
            lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen)]
        if missing:
            lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in missing)]
        if not unseen and not missing:
            lines += ["Feature names must be in the same order as they were in fit."]
        return "\n".join(lines) + "\n"

    def _read_inputs(self, X: Any) -> Array:
        """Inputs for a fitted estimator."""
        self._check_is_fitted()
        self._check_names(X)
        a = as_matrix(X, "X")
        if a.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {a.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        return a


# ---- records ---------------------------------------------------------------------------------------------


def is_list(X: Any) -> bool:
    """Return whether it is a list of matrices, data frames or Series, one per record. A list of rows is one matrix."""
    if not isinstance(X, (list, tuple)) or len(X) == 0:
        return False
    return all(len(getattr(x, "shape", ())) == 2 for x in X) or all(is_series(x) for x in X)


class Records(NamedTuple):
    X: Any  # all rows
    y: Any  # row by row with X, or None
    lengths: Optional[List[int]]  # None: one sequence

    @classmethod
    def read(cls, X: Any, y: Any = None, groups: Any = None) -> "Records":
        if is_list(X):
            if groups is not None:
                raise ValueError("give a list of records or groups, not both")
            return cls._of_list(X, y)
        lengths = None if groups is None else lengths_of(groups, np.shape(X)[0])
        return cls(X, y, lengths)

    @classmethod
    def _of_list(cls, X: Any, y: Any) -> "Records":
        lengths = [int(np.shape(x)[0]) for x in X]
        columns = {1 if np.ndim(x) == 1 else int(np.shape(x)[1]) for x in X}
        if len(columns) > 1:
            raise ValueError(f"records must have equal numbers of columns (got {min(columns)} to {max(columns)})")
        if 0 in lengths:
            raise ValueError(f"record {lengths.index(0)} (counted from 0) has no rows")
        if y is None:
            return cls(_join(X), None, lengths)
        if not isinstance(y, (list, tuple)) or len(y) != len(X):
            raise ValueError(f"X is a list of {len(X)} records, and y must be a list of the same length")
        for r, (rows, targets) in enumerate(zip(lengths, y)):
            if np.ndim(targets) == 0 or np.shape(targets)[0] != rows:
                raise ValueError(
                    f"record {r} (counted from 0) has {rows} rows of X, and y has {np.shape(targets) or 'none'}"
                )
        return cls(_join(X), _join(y), lengths)

    def shorter(self, ahead: int) -> Optional[List[int]]:
        """Return the rows that have a target `ahead` rows later inside their record."""
        if self.lengths is None:
            return None
        for r, rows in enumerate(self.lengths):
            if rows <= ahead:
                raise ValueError(
                    f"record {r} (counted from 0) has {rows} row{'s' if rows > 1 else ''}, and a target {ahead} "
                    f"ahead requires at least {ahead + 1}"
                )
        return [rows - ahead for rows in self.lengths]


def _join(parts: Any) -> Any:
    library = library_of(parts[0])
    if library is not None and all(library_of(part) == library for part in parts):
        return sys.modules[library].concat(list(parts))
    if all(np.ndim(part) == 1 for part in parts):
        return np.concatenate([np.asarray(part) for part in parts])
    return np.vstack([as_matrix(part, "a record") for part in parts])


def lengths_of(groups: Any, rows: int) -> List[int]:
    """Return the lengths of the runs of equal groups; a repeated group is an error."""
    names = np.asarray(groups)
    if names.shape != (rows,):
        raise ValueError(f"groups has shape {names.shape}, and ({rows},) is needed: one for every row of X")
    starts = [0] + [i for i in range(1, rows) if names[i] != names[i - 1]]
    seen = set()
    for start in starts:
        name = names[start].item() if isinstance(names[start], np.generic) else names[start]
        if name in seen:
            raise ValueError(
                f"row {start} (counted from 0) belongs to group {name!r}, which ended before: the rows of a record "
                "must stand together"
            )
        seen.add(name)
    return [end - start for start, end in zip(starts, starts[1:] + [rows])]


def pieces(a: Array, lengths: List[int]) -> List[Array]:
    """The rows of every record."""
    return np.split(a, np.cumsum(lengths)[:-1])


# ---- forms of collections --------------------------------------------------------------------------------


#: The axes of a series: (n_steps, n_channels), (n_channels, n_steps), or determined from the shapes.
LAYOUTS = ("auto", "time", "channels")


def read_collection(
    X: Any, layout: str = "auto", name: str = "X", rows_are_series: bool = False
) -> Tuple[List[Array], str]:
    """Return the matrices of a collection, and its layout.

    ``rows_are_series``: a 2-D array or frame has a univariate series in each row.
    """
    choice("layout", layout, LAYOUTS)
    if hasattr(X, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, which is not supported: use a dense array")
    if not isinstance(X, (list, tuple, np.ndarray)) and not is_frame(X) and hasattr(X, "__array__"):
        X = np.asarray(X)
    _check_some(X, name)
    frame = _series_of_frame(X) if is_frame(X) else None
    if frame is not None:
        return as_collection(frame, name), layout
    if rows_are_series:
        univariate = _univariate(X, name)
        if univariate is not None:
            return as_collection(univariate, name), layout
    if not is_collection(X):
        raise ValueError(
            f"{name} must be a collection: an array (n_series, n_channels, n_steps) or (n_series, n_steps, n_channels), "
            "see layout, or a list of 2-D arrays"
            + (", a 2-D array (n_series, n_steps) of univariate series, or a nested frame" if rows_are_series else "")
        )
    if layout == "auto":
        layout = _find_layout(X, name)
    if isinstance(X, np.ndarray) and X.ndim == 3:
        X = [_without_padding(one, 0 if layout == "time" else 1, f"{name}[{i}]") for i, one in enumerate(X)]
    if layout == "channels":
        X = [np.asarray(one).T for one in X]
    return as_collection(X, name), layout


def _find_layout(X: Any, name: str) -> str:
    """Return the time axis of a series: the one with several lengths, or a length other than 1, or the one that is at least
    twice as long, with a warning. Otherwise an array is rejected, and the series of a list are steps x channels, with a warning."""
    shapes: Set[Tuple[int, ...]] = {X.shape[1:]} if isinstance(X, np.ndarray) and X.ndim == 3 else {np.shape(s) for s in X}
    firsts, seconds = {s[0] for s in shapes}, {s[-1] for s in shapes}
    if len(shapes) > 1:
        return "channels" if len(firsts) == 1 and max(seconds) > max(firsts) else "time"
    first, second = firsts.pop(), seconds.pop()
    if second == 1 or first == 1:
        return "time" if second == 1 else "channels"
    is_array = isinstance(X, np.ndarray) and X.ndim == 3
    shape = X.shape if is_array else (len(X), first, second)
    is_ambiguous = max(first, second) < 2 * min(first, second)
    if is_ambiguous and is_array:
        raise ValueError(
            f"{name} has shape {shape}, and its time axis is ambiguous: set layout='channels' for (n_series, n_channels, "
            "n_steps), as in aeon and sktime, or layout='time' for (n_series, n_steps, n_channels), as in tslearn"
        )
    layout = "time" if first > second or is_ambiguous else "channels"
    steps, channels = (first, second) if layout == "time" else (second, first)
    warn(
        f"{name} of shape {shape} is read as {steps} steps of {channels} channels "
        f"(layout={layout!r}); set layout to 'channels' or 'time' to state it"
    )
    return layout


def _univariate(X: Any, name: str) -> Optional[List[Array]]:
    """The rows of a 2-D array or frame, or a list of 1-D arrays: univariate series, the longest without its padding."""
    if isinstance(X, (list, tuple)) and all(np.ndim(one) == 1 for one in X):
        rows: Any = [np.asarray(one) for one in X]
    elif is_frame(X) or (isinstance(X, np.ndarray) and X.ndim == 2):
        rows = np.asarray(X)
        if rows.dtype.kind != "c" and rows.shape[1] == 1:
            raise ValueError(f"{name} has shape {rows.shape}: series of 1 step (n_features=1) are not supported")
    else:
        return None
    return [_without_padding(_column(one), 0, f"{name}[{i}]") for i, one in enumerate(rows)]


def _check_some(X: Any, name: str) -> None:
    shape = X.shape if hasattr(X, "shape") else (len(X),) if isinstance(X, (list, tuple)) else (1,)
    if 0 in shape:
        what = "sample" if shape[0] == 0 else "feature"
        raise ValueError(f"{name}: found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
    if len(shape) == 1 and isinstance(X, np.ndarray) and X.dtype != object:
        raise ValueError(
            f"{name} must be a collection of series, and has shape {tuple(shape)}. Reshape your data: X.reshape(1, -1) is one "
            "univariate series"
        )


def _column(values: Any) -> Array:
    a = np.asarray(values)
    if a.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    return np.asarray(a, dtype=float)[:, None]


def _series_of_frame(frame: Any) -> Optional[List[Array]]:
    """Return the series of sktime's frames: one in every cell, or rows with an index of series and time."""
    if getattr(frame, "ndim", 0) == 1:
        frame = frame.to_frame()
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        return None
    if frame.index.nlevels == 2:
        return [np.asarray(one, dtype=float) for _, one in frame.groupby(level=0, sort=False)]
    if not all(np.ndim(cell) == 1 for cell in frame.iloc[0]):
        return None
    found = []
    for i in range(len(frame)):
        cells = [np.asarray(cell, dtype=float) for cell in frame.iloc[i]]
        lengths = {len(cell) for cell in cells}
        if len(lengths) > 1:
            raise ValueError(f"the channels of series {i} have different lengths: {sorted(lengths)}")
        found.append(np.column_stack(cells))
    return found


def _without_padding(one: Array, axis: int, name: str) -> Array:
    """Remove the nan padding of tslearn, in which all series of an array have the length of the longest."""
    if one.dtype.kind != "f" or not np.isnan(one).any():
        return one
    steps = np.flatnonzero(~np.isnan(one).all(axis=1 - axis))
    if len(steps) == 0:
        raise ValueError(f"{name} has no step that is not nan")
    return one[: steps[-1] + 1] if axis == 0 else one[:, : steps[-1] + 1]


def check_channels(estimator: Any, series: List[Array]) -> None:
    """Check that new series have the channels of the training series."""
    channels, known = series[0].shape[1], estimator.n_features_in_
    if channels != known:
        raise ValueError(f"X has {channels} channels, and {type(estimator).__name__} learned {known}")


class SeriesEstimator(Estimator):
    """Base of the estimators of collections. A pickle has no object of the library: it is fitted again when needed."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__() if hasattr(Estimator, "__getstate__") else vars(self))
        state.pop("_handle", None)
        return state

    def _read_series(self, X: Any) -> List[Array]:
        """Series with the layout and the channels of the training series."""
        self._check_is_fitted()
        series = read_collection(X, self.layout_, rows_are_series=True)[0]
        check_channels(self, series)
        return series
