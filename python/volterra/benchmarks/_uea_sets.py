"""Sets of the UEA archive: FOLDER/NAME/NAME_TRAIN.ts and NAME_TEST.ts."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

import numpy as np

from .._core._arrays import Array
from .._core._tables import Series, read_series
from ._common import DataError, UsageError, load_data

_DATA = load_data("uea")
SOURCE: str = _DATA["source"]
ACCURACIES: Dict[str, Dict[str, float]] = _DATA["accuracies"]
ANOMALY = _DATA["anomaly"]

_UNKNOWN = -1  # class of a test series that no training series has


class UeaSet(NamedTuple):
    """The files of a set."""

    name: str
    train: Path
    test: Path


class Labelled(NamedTuple):
    """The series of a set, with class numbers."""

    train: List[Array]
    train_classes: Array
    test: List[Array]
    test_classes: Array  # -1: no training series has this class
    classes: List[str]


def _find_part(folder: str, name: str, part: str) -> Optional[Path]:
    path = Path(folder, name, f"{name}_{part}.ts")
    return path if path.is_file() else None


def _find_set(folder: str, name: str) -> Optional[UeaSet]:
    train, test = _find_part(folder, name, "TRAIN"), _find_part(folder, name, "TEST")
    return UeaSet(name, train, test) if train and test else None


def find_sets(folder: str, only: Optional[str]) -> List[UeaSet]:
    """The sets in a folder, sorted by name; `only` is a comma-separated list of names, in its order."""
    if only is not None:
        return [_named_set(folder, name) for name in only.split(",")]
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError as failure:
        raise DataError(f"cannot read the folder {folder}: {failure.strerror}") from None
    found = [one for one in (_find_set(folder, name) for name in names) if one]
    if not found:
        raise DataError(
            f"{folder} has no set: expected {folder}/NAME/NAME_TRAIN.ts and NAME_TEST.ts"
        )
    return found


def _named_set(folder: str, name: str) -> UeaSet:
    found = _find_set(folder, name) if name and "/" not in name else None
    if found is None:
        raise UsageError(
            f"--only: no set {name!r} in {folder}: expected {folder}/NAME/NAME_TRAIN.ts and NAME_TEST.ts"
        )
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def class_names(labels: List[str]) -> List[str]:
    """The distinct labels, sorted as numbers if all of them are numbers, else as texts."""
    names = sorted(set(labels))
    if all(math.isfinite(_number(name)) for name in names):
        names.sort(key=_number)
    return names


def read_set(one: UeaSet) -> Labelled:
    train, test = read_series(one.train), read_series(one.test)
    for path, part in ((one.train, train), (one.test, test)):
        if part.labels is None:
            raise DataError(f"{path} has no class labels")
    channels = [part.series[0].shape[1] for part in (train, test)]
    if channels[0] != channels[1]:
        raise DataError(f"{one.train} has series of {channels[0]} channels and {one.test} of {channels[1]}")
    classes = class_names(train.labels or [])
    numbers = {name: number for number, name in enumerate(classes)}

    def numbers_of(part: Series) -> Array:
        return np.array([numbers.get(label, _UNKNOWN) for label in part.labels or []])

    return Labelled(train.series, numbers_of(train), test.series, numbers_of(test), classes)
