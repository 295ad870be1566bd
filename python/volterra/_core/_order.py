"""Rows in time order: digests of the training rows, to detect rows that do not follow them.

After a shuffled split (``KFold(shuffle=True)``, ``train_test_split``) the rows of a sequence are not consecutive, and
predictions of the rows in between are meaningless. The data often show this by the index of a data frame, by rows that
are training rows, or by rows that were targets of training rows. If a series is forecast from itself, the target of a
row is the next input. All checks together cost a sort and a search of one number per row.
"""

from __future__ import annotations

import copy
import hashlib
from typing import Any, Optional, Tuple

import numpy as np

from . import _native as c
from ._data import Array, is_frame
from ._gaps import TRAINING, UNORDERED, Gap, Times, future_index, gap_of, warning_of

LEAST = 3  # minimum number of known rows for a conclusion
SHARE = 0.4  # and their minimum share of all rows
DISTINCT = 0.95  # minimum share of distinct training rows: with repeated values, a match means nothing

ADVICE = (
    "each row depends on the rows before it, so split in time order (TimeSeriesSplit, or "
    "train_test_split with shuffle=False); set start='continue' if X does follow the training rows"
)

END = (
    "X is the end of the training rows, not the rows after them: pass all training rows, or use forecast() for what "
    "comes next; set start='continue' if X does follow the training rows"
)


def digest(a: Array) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(a).data, digest_size=16).digest()


def row_hashes(a: Array) -> Array:
    """Return one hash per row."""
    bits = np.ascontiguousarray(a + 0.0).view(np.uint64)  # -0.0 is 0.0
    hashes = np.zeros(a.shape[0], dtype=np.uint64)
    for column in range(a.shape[1]):
        hashes = (hashes ^ bits[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    return hashes


class _Known:
    """Set of rows, by their hashes."""

    def __init__(self, hashes: Array) -> None:
        self.sorted = np.unique(hashes)
        self.is_telling = len(self.sorted) >= DISTINCT * len(hashes)

    def joined(self, a: Array) -> "_Known":
        other = copy.copy(self)
        other.sorted = np.union1d(self.sorted, row_hashes(a))
        return other

    def count(self, a: Array) -> int:
        """Return the number of rows of `a` in the set; 0 if that could be chance."""
        if not self.is_telling:
            return 0
        hashes = row_hashes(a)
        places = np.minimum(np.searchsorted(self.sorted, hashes), len(self.sorted) - 1)
        found = int(np.count_nonzero(self.sorted[places] == hashes))
        return found if found >= max(LEAST, SHARE * a.shape[0]) else 0


def _is_time(index: Any) -> bool:
    """Return whether values have a natural order: numbers, dates, periods; not strings."""
    return hasattr(index, "freq") or getattr(index.dtype, "kind", "O") in "iufM"


def index_of(X: Any) -> Any:
    """Return the index of a data frame or series if it gives the position of its rows in time, or None. A plain count
    from 0, the default of every frame, gives no position."""
    if not is_frame(X) or not _is_time(X.index):
        return None
    is_count = type(X.index).__name__ == "RangeIndex" and X.index.start == 0
    return None if is_count else X.index


def is_ordered(index: Any) -> bool:
    times = None if index is None else Times.of(index)
    return times is None or warning_of(times.check(), UNORDERED) is None


def pending_complaint(X: Array, pending: Array) -> Optional[str]:
    """Reason why X cannot follow the last rows of training, `pending`, the only ones in a model file; None: unknown or valid."""
    rows = min(len(X), len(pending))
    both = X[:rows]
    is_telling = both.size > 1 and bool(np.any(both != both.flat[0]))
    is_same = np.array_equal(both, pending[:rows]) or np.array_equal(both, pending[-rows:])
    return END if is_telling and is_same else None


class TrainingRows:
    """The training rows, to recognise them and rows among them."""

    def __init__(self, X: Array, Y: Array, frame: Any = None, grid: Optional[c.TimeGrid] = None) -> None:
        self.n = X.shape[0]
        self._grid = grid
        self._end = X[-(LEAST - 1) :].copy()
        self._hashes = row_hashes(X)
        self._index = frame.index if is_frame(frame) and _is_time(frame.index) and frame.index.is_unique else None
        self.first = X[0].copy()  # a quick test: most other inputs differ here
        self.digests = [(self.n, digest(X))]  # of the rows, batch by batch
        self._inputs = _Known(self._hashes)
        # A target can be the input of a later row only if it has the form of inputs.
        self._targets = _Known(row_hashes(Y)) if Y.shape[1] in (1, X.shape[1]) else None
        self._target_columns = Y.shape[1]
        self._last = self._last_of(frame, X.shape[0])

    @staticmethod
    def _last_of(frame: Any, rows: int) -> Optional[Any]:
        """Return the last row of the index, an index of one row; a count from 0 is valid here, to compare slices with."""
        if not is_frame(frame) or not _is_time(frame.index) or len(frame.index) != rows:
            return None
        return frame.index[-1:] if is_ordered(frame.index) else None

    def begin(self, X: Array) -> bool:
        """Return whether X begins with the training rows."""
        if X.shape[0] < self.n or not np.array_equal(X[0], self.first):
            return False
        ends = np.cumsum([rows for rows, _ in self.digests])
        return all(digest(X[end - rows : end]) == known for end, (rows, known) in zip(ends, self.digests))

    def extended(self, X: Array, frame: Any) -> "TrainingRows":
        """Return these rows with the rows X, given as `frame`, appended. Targets are recognised only among the first rows."""
        more = copy.copy(self)
        more.n = self.n + X.shape[0]
        more.digests = [*self.digests, (X.shape[0], digest(X))]
        more._inputs = self._inputs.joined(X)
        more._hashes = np.concatenate([self._hashes, row_hashes(X)])
        more._end = np.vstack([self._end, X])[-(LEAST - 1) :]
        more._index = None
        if self._index is not None and is_frame(frame) and type(frame.index) is type(self._index):
            more._index = self._index.append(frame.index)
        if more._index is not None and not more._index.is_unique:
            more._index = None
        more._last = self._last_of(frame, len(frame)) if is_frame(frame) else None
        return more

    def place(self, X: Array, frame: Any) -> Optional[int]:
        """Return the position of X among these rows by its index, with the same values; rows after the last of these may follow.
        None: unknown."""
        if self._index is None or not is_frame(frame) or not _is_time(frame.index):
            return None
        places = self._index.get_indexer(frame.index)
        known = int(np.count_nonzero(places >= 0))
        if known == 0 or not np.array_equal(places[:known], places[0] + np.arange(known)):
            return None
        first = int(places[0])
        if known < len(X) and first + known < self.n:
            return None
        return first if np.array_equal(row_hashes(X[:known]), self._hashes[first : first + known]) else None

    def gap(self, frame: Any, first: int = 0, last: Any = None) -> Optional[Gap]:
        """Return the rows missing between these (or `last`) and the rows of a frame from `first` on, or among those."""
        if self._grid is None or not is_frame(frame) or first >= len(frame.index):
            return None
        index, last = frame.index[first:], self._last if last is None else last
        times, before = Times.of(index), None if last is None else Times.of(last)
        if times is None or (before is not None and before.kind != times.kind):
            return None
        return gap_of(times.check(self._grid, before), index, None if last is None else last[0])

    def _count(self, X: Array) -> Tuple[int, str]:
        """Return the number of rows of X seen in training, and as what."""
        found = self._inputs.count(X)
        if found or self._targets is None:
            return found, "were trained on (fitted values come from an X that begins with all of those)"
        if self._target_columns == X.shape[1]:
            return self._targets.count(X), "are targets of training rows"
        counts = [self._targets.count(X[:, k : k + 1]) for k in range(X.shape[1])]
        return max(counts), "hold targets of training rows"

    def complaint(self, X: Array, frame: Any) -> Optional[str]:
        """Reason why the rows of X, which do not begin with these, cannot follow them; None: unknown or valid."""
        rows = X.shape[0]
        index = index_of(frame)
        times = None if index is None else Times.of(index)
        if times is not None:
            report = times.check(c.TimeGrid(), None if self._last is None else Times.of(self._last))
            if warning_of(report, UNORDERED) is not None:
                return f"the index of X is not in order: {ADVICE}"
            known = warning_of(report, TRAINING)
            if known is not None and self._last is not None:
                return (
                    f"{int(known.value)} of {rows} rows of X have an index at or before {self._last[0]}, where the "
                    f"training rows end: {ADVICE}"
                )
        if rows < LEAST:
            is_end = self._inputs.is_telling and np.array_equal(X, self._end[-rows:])
            return END if is_end else None
        found, what = self._count(X)
        return f"{found} of {rows} rows of X {what}: {ADVICE}" if found else None

    def target_time(self, future: Any) -> Any:
        """Return the last training target in the index, an index of one row, from the form and the index of y; None: unknown."""
        times = None if future is None or future[1] is None or self._last is None else Times.of(future[1])
        last = None if times is None else Times.of(self._last)
        if times is None or last is None or times.kind != last.kind:
            return None
        index = future[1]
        if times.values[-1, 0] > last.values[-1, 0]:
            return index[-1:]
        later = future_index(index, 1, 1)
        return later[:1] if later.dtype == index.dtype else None


def place_after(X: Any, target: Any) -> str:
    """Return the meaning of the first row of X, with `target` the row of the last training target in the index: a word of
    `Model.run_on`. "continue" if the two cannot be compared, or X begins earlier."""
    index = index_of(X)
    times = None if index is None or target is None else Times.of(index)
    if times is None:
        return "continue"
    report = times.check(None, Times.of(target))
    start = c.PATH_STARTS["continue"] if report.before > 0 else report.start
    return next(word for word, code in c.PATH_STARTS.items() if code == start)
