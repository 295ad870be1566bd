"""Training data: inputs and targets from X and y, `ahead` rows apart.

The target of row t is row t + ahead of y, or of X without y. The last `ahead` rows have no target yet: they are not fitted, and
forecasts start from them.
"""

from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_int64, cast
from typing import Any, Iterable, List, NamedTuple, Optional

import numpy as np

from ._core import _native as c
from ._core._data import (
    NO_MATRIX,
    Array,
    FrameForm,
    Records,
    as_matrix,
    as_targets,
    column_names,
    copy_of,
    is_frame,
    pieces,
    same_rows,
    view,
)
from ._core._data import is_series as is_a_series
from ._core._errors import OrderWarning, check, warn
from ._core._gaps import training_gap, warn_of_gap
from ._core._kernel import LossSettings
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
        note, ahead, outputs = model.horizons, model.settings.ahead, model.q
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
        return model.settings.feedback or (own is not None and outputs is not None and list(outputs) == list(own))

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


class Training(NamedTuple):
    rows: Array  # all rows of X
    series: Array  # y, row by row with X, or X
    inputs: Array  # the rows that have a target
    targets: Array
    horizons: Horizons
    flat: bool  # predictions are 1-D ...
    flat_series: bool  # ... because the targets were
    is_series: bool  # no y was given
    feedback: bool  # every target is the next input, so that outputs can be fed back
    anchors: Optional[List[int]]  # index of the input equal to each target, if all are inputs and ahead >= 1
    input_names: Optional[Array]  # columns of data frames
    output_names: Optional[Array]
    form: Optional[FrameForm]  # of the forecasts, where X and y are pandas objects
    future: Any  # form and last part of the index of such a y, or X
    source: Any  # X as it was given
    grid: Optional[c.TimeGrid]  # of its index
    records: Optional[List[int]]  # rows of X in every record; None: one sequence
    fitted_records: Optional[List[int]]  # those that have a target
    pairing: Pairing

    @classmethod
    def read(
        cls,
        X: Any,
        y: Any,
        horizons: Optional[Horizons] = None,
        groups: Any = None,
        allow_target_in_inputs: bool = False,
        losses: LossSettings = LossSettings(),
        feeds: bool = False,
    ) -> "Training":
        found = Records.read(X, y, groups)
        X, y, lengths = found
        rows = as_matrix(X, "X")
        if lengths is None and not is_ordered(index_of(X)):
            warn(f"the index of X is not in order: {ADVICE}", OrderWarning)
        grid, gap = training_gap(X, lengths)
        warn_of_gap(gap)
        if rows.shape[0] < 2:
            raise ValueError(
                f"Found array with 1 sample(s) (shape={rows.shape}) while a minimum of 2 is required: "
                "a sequence needs several rows."
            )
        is_series = y is None
        if horizons is None:
            horizons = Horizons(1, 1) if is_series else Horizons(0, 0)
        series, flat = (rows, is_a_series(X)) if is_series else as_targets(y, "y")
        same_rows(rows, series)
        source = X if is_series else y
        own = column_names(source)
        names = horizons.names(own, series.shape[1])
        form = FrameForm.of(X, source, names if horizons.several else None)
        paired = pair(
            rows,
            None if is_series else series,
            *horizons,
            records=lengths,
            input_names=column_names(X),
            target_names=own,
            allow_target_in_inputs=allow_target_in_inputs,
            losses=losses,
            feeds=feeds,
        )
        return cls(
            rows=rows,
            series=series,
            inputs=paired.inputs,
            targets=paired.targets,
            horizons=horizons,
            flat=flat and not horizons.several,
            flat_series=flat,
            is_series=is_series,
            feedback=paired.feedback,
            anchors=paired.anchors,
            input_names=column_names(X),
            output_names=names,
            form=form,
            future=None if form is None else (FrameForm(source), source.index[-INDEX_ROWS:] if is_frame(source) else None),
            source=X,
            grid=grid,
            records=lengths,
            fitted_records=paired.records,
            pairing=paired,
        )

    @property
    def target_ndim(self) -> Optional[int]:
        """Dimensions of the targets, if a model file must store them because they differ from the default."""
        outputs = self.pairing.outputs
        flat = self.flat_series and outputs == self.targets.shape[1]
        return None if flat == is_usually_flat(outputs, self.horizons) else 1 if flat else 2


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
        self.inputs = copy_of(made.inputs) if made.records else rows[: len(rows) - made.ahead]
        self.targets = copy_of(made.targets) if spread else (rows if series is None else series)[made.ahead :]
        self.records = made.records[: made.n_records] if made.records else None
        self.anchors = made.anchors[: made.targets.cols] if made.anchors else None
        self._rows = made.rows[: made.inputs.rows] if made.rows else None
        self.feedback, self.outputs = bool(made.feedback), int(made.outputs)
        self.pending = copy_of(made.pending) if made.pending.rows else None

    def of_inputs(self, values: Array) -> Array:
        """Of one number for each row of X, those of the rows that have a target."""
        return np.ascontiguousarray(values[: len(self.inputs)] if self._rows is None else values[self._rows])


def _names(what: str, names: Optional[Array]) -> Any:
    texts = c.names_array(what, names)
    return None if texts is None else cast(texts, POINTER(c_char_p))


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
    losses: LossSettings = LossSettings(),
    feeds: bool = False,
) -> Pairing:
    """Pair row t of `rows` with rows t + first to t + last of `series`, or of `rows` if `series` is None. `feeds`: past
    outputs are inputs of the model."""
    options = c.lib.volt_pairing_options_default()
    options.first_ahead, options.ahead = first, last
    lengths = None if records is None else (c_int64 * len(records))(*records)
    if lengths is not None:
        options.records, options.n_records = lengths, len(lengths)
    options.allow_target_in_inputs, options.fed_outputs = int(allow_target_in_inputs), int(feeds)
    if losses.loss is not None:
        options.loss, options.n_classes = c.encode("the loss", losses.loss), len(losses.classes or ())
    inputs, targets = _names("the name of an input", input_names), _names("the name of a target", target_names)
    if inputs is not None:
        options.input_names = inputs
    if targets is not None:
        options.target_names = targets
    found = POINTER(c.Pairing)()
    Y = NO_MATRIX if series is None else view(series)
    check(c.lib.volt_pairing_create(view(rows), Y, byref(options), byref(found)))
    return Pairing(found, rows, series)
