"""Local models of a ring of columns: one model that every site shares, fed with a site and its neighbours."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .._core._arrays import Array
from ..ridge import SequenceKernelRidge

_WARM_UP = 50  # rows that initialise the state of each site before the free run


class LocalModel:
    """Predicts the change of ``group`` adjacent columns from them and ``reach`` groups on either side.

    The columns are a ring, and all groups have the same model. It is fitted to records of equidistant groups, as many
    as have ``samples`` rows together. Implements the part of `SequenceKernelRidge` that a free run needs.
    """

    def __init__(self, local: Dict[str, Any], model: SequenceKernelRidge) -> None:
        self._size, self._reach, self._samples = local["group"], local["reach"], local["samples"]
        self._model = model

    def _inputs(self, rows: Array, group: int) -> Array:
        columns = np.arange(-self._reach * self._size, (self._reach + 1) * self._size) + group * self._size
        return np.asarray(rows[..., columns % rows.shape[-1]])

    def fit(self, rows: Array) -> LocalModel:
        self._groups = rows.shape[1] // self._size
        changes = np.diff(rows, axis=0)
        records = max(1, min(self._groups, self._samples // len(changes)))
        chosen = [index * self._groups // records for index in range(records)]
        columns = [slice(group * self._size, (group + 1) * self._size) for group in chosen]
        inputs = [self._inputs(rows[:-1], group) for group in chosen]
        self._model.fit(inputs, [changes[:, part] for part in columns])
        self._last = rows[-_WARM_UP:]
        return self

    def continue_(self, steps: int) -> Array:
        """The first rows of the free run."""
        stream = self.stream()
        rows = [stream.output]
        while len(rows) < steps:
            rows.append(stream.feed(rows[-1]))
        return np.array(rows)

    def stream(self) -> LocalStream:
        return LocalStream(self, self._last)

    def _streams(self) -> List[Any]:
        return [self._model.stream(start="reset") for _ in range(self._groups)]


class LocalStream:
    """The state of all sites after `rows`, and the prediction that follows them."""

    def __init__(self, model: LocalModel, rows: Array) -> None:
        self._model, self._streams = model, model._streams()
        for row in rows:
            self.output = self.feed(row)

    def feed(self, row: Array) -> Array:
        """Return the prediction of the row that follows `row`."""
        changes = [
            np.atleast_1d(stream.feed(self._model._inputs(row, group)))
            for group, stream in enumerate(self._streams)
        ]
        return np.asarray(row + np.concatenate(changes))
