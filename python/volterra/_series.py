"""Collections of series in the layouts of aeon and tslearn, for the estimators of whole series."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from ._arguments import choice
from ._arrays import Array, as_collection, is_collection

#: The axes of a series: (n_steps, n_channels) or (n_channels, n_steps).
LAYOUTS = ("time", "channels")


def read_series(X: Any, layout: str = "time", name: str = "X") -> List[Array]:
    """A collection as a list of matrices of time steps x channels."""
    choice("layout", layout, LAYOUTS)
    if not is_collection(X):
        axes = "(n_series, n_steps, n_channels)" if layout == "time" else "(n_series, n_channels, n_steps)"
        raise ValueError(f"{name} must be a collection: an array {axes}, or a list of 2-D arrays")
    if isinstance(X, np.ndarray) and X.ndim == 3:
        X = [_without_padding(one, 0 if layout == "time" else 1, f"{name}[{i}]") for i, one in enumerate(X)]
    if layout == "channels":
        X = [np.asarray(one).T for one in X]
    return as_collection(X, name)


def _without_padding(one: Array, axis: int, name: str) -> Array:
    """A series of an array has as many steps as the longest: tslearn fills up with nan in every channel."""
    if one.dtype.kind != "f" or not np.isnan(one).any():
        return one
    steps = np.flatnonzero(~np.isnan(one).all(axis=1 - axis))
    if len(steps) == 0:
        raise ValueError(f"{name} has no step that is not nan")
    return one[: steps[-1] + 1] if axis == 0 else one[:, : steps[-1] + 1]


def check_channels(estimator: Any, series: List[Array]) -> None:
    """New series have as many channels as those of fit."""
    channels, known = series[0].shape[1], estimator.n_features_in_
    if channels != known:
        raise ValueError(f"X has {channels} channels, and {type(estimator).__name__} learned {known}")
