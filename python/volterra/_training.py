"""Training data: inputs and targets from X and y, `ahead` rows apart.

The target of row t is row t + ahead of y, or of X without y. The last `ahead` rows have no target yet: they are not fitted, and
forecasts start from them.
"""

from __future__ import annotations

from ctypes import POINTER
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional

import numpy as np

from ._core import _native as c
from ._core._data import (
    Array,
    FrameForm,
    Records,
    as_matrix,
    as_targets,
    column_names,
    is_frame,
    pieces,
    same_rows,
)
from ._core._data import is_series as is_a_series
from ._core._errors import OrderWarning, check, warn
from ._core._gaps import training_gap, warn_of_gap
from ._core._model import Model
from ._core._order import ADVICE, index_of, is_ordered

INDEX_ROWS = 8  # rows of an index that are enough to determine its step


class Horizons(NamedTuple):
    """Range of horizons, first to last, all of them outputs."""

    first: int
    last: int

    @classmethod
    def of(cls, model: Model) -> "Horizons":
        """Return the horizons of a model. ValueError: its file is inconsistent."""
        note, ahead, outputs = model.horizons, int(model.info.ahead), model.q
        if not note:
            return cls(ahead, ahead)
        words = note.split("..")
        if len(words) == 2 and all(word.isascii() and word.isdigit() for word in words):
            first, last = map(int, words)
            if 1 <= first < last == ahead and outputs % (last - first + 1) == 0:
                return cls(first, last)
        raise ValueError(
            f'"horizons" of the model is {note!r}, and its {outputs} outputs lie up to {ahead} rows ahead'
        )

    @property
    def several(self) -> bool:
        return self.last > self.first

    @property
    def each(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def note(self) -> Optional[str]:
        """Text for a model file."""
        return f"{self.first}..{self.last}" if self.several else None

    def spread(self, series: Array) -> Array:
        """For every row with all targets: every column of the series at every horizon."""
        count = series.shape[0] - self.last
        if not self.several:
            return series[self.last :]
        columns = [series[h : h + count, k] for k in range(series.shape[1]) for h in self.each]
        return np.ascontiguousarray(np.column_stack(columns)) if count > 0 else np.empty((0, len(columns)))

    def is_of_inputs(self, model: Model) -> bool:
        """Return whether the outputs are the inputs `ahead` rows later, according to a model file."""
        if self.last == 0 or model.q != model.d * len(self.each):
            return False
        names, outputs = model.input_names, model.output_names
        own = None if names is None else self.names(names, model.d)
        return bool(model.info.feedback) or (own is not None and outputs is not None and list(outputs) == list(own))

    def names(self, names: Optional[Array], columns: int) -> Optional[Array]:
        if not self.several:
            return names
        known = names if names is not None else [f"y{k + 1}" for k in range(columns)]
        return np.array([f"{name}+{h}" for name in known for h in self.each], dtype=object)


def is_usually_flat(outputs: int, horizons: Horizons) -> bool:
    """Return whether the targets of such a model are a vector, unless its file specifies otherwise."""
    return outputs == 1 and horizons.last == 0


def _joined(parts: Iterable[Array]) -> Array:
    return np.ascontiguousarray(np.vstack(list(parts)))


def spread_records(horizons: Horizons, series: Array, lengths: Optional[List[int]]) -> Array:
    """Return the targets of the rows that have them inside their record."""
    if lengths is None:
        return horizons.spread(series)
    return _joined(horizons.spread(piece) for piece in pieces(series, lengths))


class Training:
    """Inputs and targets of a fit, and the form in which they were given."""

    def __init__(
        self,
        X: Any,
        y: Any,
        horizons: Optional[Horizons] = None,
        groups: Any = None,
        allow_target_in_inputs: bool = False,
        fields: Mapping[str, Any] = {},
    ) -> None:
        X, y, lengths = Records.read(X, y, groups)
        rows = as_matrix(X, "X")
        if lengths is None and not is_ordered(index_of(X)):
            warn(f"the index of X is not in order: {ADVICE}", OrderWarning)
        self.grid, gap = training_gap(X, lengths)  # of the index of X
        warn_of_gap(gap)
        if rows.shape[0] < 2:
            raise ValueError(
                f"Found array with 1 sample(s) (shape={rows.shape}) while a minimum of 2 is required: "
                "a sequence needs several rows."
            )
        self.is_series = y is None
        if horizons is None:
            horizons = Horizons(1, 1) if self.is_series else Horizons(0, 0)
        series, flat = (rows, is_a_series(X)) if self.is_series else as_targets(y, "y")
        same_rows(rows, series)
        source = X if self.is_series else y
        own, names = column_names(source), column_names(X)
        self.rows, self.series, self.source = rows, series, X  # all rows of X, and of y or X; X as it was given
        self.records = lengths  # rows of X in every record; None: one sequence
        self.horizons = horizons
        self.flat, self.flat_series = flat and not horizons.several, flat  # predictions are 1-D because the targets were
        self.input_names, self.output_names = names, horizons.names(own, series.shape[1])
        self.form = FrameForm.of(X, source, self.output_names if horizons.several else None)  # of the forecasts of data frames
        # Form and last part of the index of such a y, or X.
        self.future: Any = None
        if self.form is not None:
            self.future = FrameForm(source), source.index[-INDEX_ROWS:] if is_frame(source) else None
        self.pairing = pair(
            rows,
            None if self.is_series else series,
            *horizons,
            records=lengths,
            input_names=names,
            target_names=own,
            allow_target_in_inputs=allow_target_in_inputs,
            fields=fields,
        )
        self.inputs, self.targets = self.pairing.inputs, self.pairing.targets  # the rows that have a target

    @property
    def notes(self) -> Dict[str, Optional[str]]:
        """Notes of a model file: the horizons, and the dimensions of the targets if they differ from the default."""
        outputs = self.pairing.outputs
        flat = self.flat_series and outputs == self.targets.shape[1]
        is_usual = flat == is_usually_flat(outputs, self.horizons)
        return dict(horizons=self.horizons.note, target_ndim=None if is_usual else "1" if flat else "2")


# ---- pairs of inputs and targets, by the same function of the library as in the program ------------------


class Pairing(c.Owner):
    """Inputs and targets of the rows that have both."""

    _FREE = "volt_pairing_free"

    inputs: Array
    targets: Array
    records: Optional[List[int]]  # lengths of the records of `inputs`; None: one sequence
    anchors: Optional[List[int]]  # per output the input it is, earlier; None: not for all outputs, or ahead = 0
    feedback: bool  # the outputs are the inputs one step later
    outputs: int  # of a model
    pending: Optional[Array]  # the last rows, which have no target yet

    def __init__(self, handle: Any, rows: Array, series: Optional[Array]) -> None:
        self._own(handle)
        self._data = (rows, series)  # the library has views of them
        made = handle.contents
        spread = made.records or made.first_ahead < made.ahead
        self.inputs = c.copy_of(made.inputs) if made.records else rows[: len(rows) - made.ahead]
        self.targets = c.copy_of(made.targets) if spread else (rows if series is None else series)[made.ahead :]
        self.records = made.records[: made.n_records] if made.records else None
        self.anchors = made.anchors[: made.targets.cols] if made.anchors else None
        self._rows = made.rows[: made.inputs.rows] if made.rows else None
        self.feedback, self.outputs = bool(made.feedback), int(made.outputs)
        self.pending = c.copy_of(made.pending) if made.pending.rows else None

    def of_inputs(self, values: Array) -> Array:
        """Of one number for each row of X, those of the rows that have a target."""
        return np.ascontiguousarray(values[: len(self.inputs)] if self._rows is None else values[self._rows])


def pair(
    rows: Array,
    series: Optional[Array],
    first: int,
    last: int,
    *,
    records: Optional[List[int]] = None,
    input_names: Optional[Array] = None,
    target_names: Optional[Array] = None,
    allow_target_in_inputs: bool = False,
    fields: Mapping[str, Any] = {},
) -> Pairing:
    """Pair row t of `rows` with rows t + first to t + last of `series`, or of `rows` if `series` is None. `fields` are
    those of ``volt_fit_options``: the loss, and whether past outputs are inputs of the model."""
    options = c.fill(
        c.lib.volt_pairing_options_default(),
        first_ahead=first,
        ahead=last,
        records=records,
        allow_target_in_inputs=bool(allow_target_in_inputs),
        fed_outputs=fields.get("feedback_weight", 0) > 0,
        loss=fields.get("loss"),
        n_classes=len(fields.get("classes") or ()),
        input_names=input_names,
        target_names=target_names,
    )
    found = POINTER(c.Pairing)()
    check(c.lib.volt_pairing_create(rows, series, options, found))
    return Pairing(found, rows, series)
