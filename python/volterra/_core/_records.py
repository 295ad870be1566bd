"""Several records in one fit: a list of arrays, or `groups`, is converted to consecutive rows and their lengths."""

from __future__ import annotations

import sys
from typing import Any, List, NamedTuple, Optional

import numpy as np

from ._arrays import Array, as_matrix
from ._frames import is_series, library_of


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
