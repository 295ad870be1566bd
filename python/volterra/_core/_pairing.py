"""Pairs of inputs and targets, by the same function of the library as in the program."""

from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_int64, cast
from typing import Any, List, Optional

import numpy as np

from . import _native as c
from ._arrays import NO_MATRIX, Array, copy_of, view
from ._errors import check
from ._handles import Owner
from ._loss import LossSettings


class Pairing(Owner):
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
