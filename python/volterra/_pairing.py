"""Pairs of inputs and targets, as the library makes them for the program too."""

from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, c_int64, cast
from typing import Any, List, NamedTuple, Optional

from . import _native as c
from ._arrays import NO_MATRIX, Array, copy_of, view
from ._errors import check


class Pairing(NamedTuple):
    """Inputs and targets of the rows that have both."""

    inputs: Array
    targets: Array
    records: Optional[List[int]]  # lengths of the records of `inputs`; None: one sequence
    anchors: Optional[List[int]]  # per output the input it is, earlier; None: not all are, or they lie 0 rows ahead
    feedback: bool  # the outputs are the inputs one step later


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
) -> Pairing:
    """Pair row t of `rows` with rows t + first to t + last of `series`, or of `rows` if `series` is None."""
    options = c.lib.volt_pairing_options_default()
    options.first_ahead, options.ahead = first, last
    lengths = None if records is None else (c_int64 * len(records))(*records)
    if lengths is not None:
        options.records, options.n_records = lengths, len(lengths)
    options.allow_target_in_inputs = int(allow_target_in_inputs)
    inputs, targets = _names("the name of an input", input_names), _names("the name of a target", target_names)
    if inputs is not None:
        options.input_names = inputs
    if targets is not None:
        options.target_names = targets
    found = POINTER(c.Pairing)()
    Y = NO_MATRIX if series is None else view(series)
    check(c.lib.volt_pairing_create(view(rows), Y, byref(options), byref(found)))
    try:
        pairing = found.contents
        return Pairing(
            inputs=rows[: len(rows) - last] if records is None else copy_of(pairing.inputs),
            targets=copy_of(pairing.targets)
            if records is not None or first < last
            else (rows if series is None else series)[last:],
            records=None if records is None else pairing.records[: pairing.n_records],
            anchors=pairing.anchors[: pairing.targets.cols] if pairing.anchors else None,
            feedback=bool(pairing.feedback),
        )
    finally:
        c.lib.volt_pairing_free(found)
