"""Collections of series in the forms of aeon, sktime, tslearn and pandas, for the estimators of whole series."""

from __future__ import annotations

from typing import Any, List, Optional, Set, Tuple

import numpy as np

from ._arguments import choice
from ._arrays import Array, as_collection, is_collection
from ._errors import warn
from ._frames import is_frame

#: The axes of a series: (n_steps, n_channels), (n_channels, n_steps), or determined from the shapes.
LAYOUTS = ("auto", "time", "channels")


def read_series(X: Any, layout: str = "auto", name: str = "X", rows_are_series: bool = False) -> List[Array]:
    """A collection as a list of matrices of time steps x channels."""
    return read_collection(X, layout, name, rows_are_series)[0]


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
