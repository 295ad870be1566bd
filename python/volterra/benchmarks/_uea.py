"""``python -m volterra.benchmarks uea``: options, the sets in a folder, their report."""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from .._core._data import Array
from .._core._kernel import Kernel
from ..anomaly import SeriesAnomaly
from ..datasets import Series, read_series
from ..metrics import ranking
from ..series_classifier import SeriesClassifier
from ._common import DataError, Machine, UsageError, format_seconds, load_data, print_json

SUMMARY = "classification and anomaly detection on sets of the UEA archive"
DESCRIPTION = """\
Time series classification with SeriesClassifier and its defaults, on every set of the UEA archive in
FOLDER (FOLDER/NAME/NAME_TRAIN.ts and NAME_TEST.ts), with the archive's split. All choices
are made on training series. Accuracies of 1-NN DTW and MiniRocket are listed where they are known.

With --task anomaly each class is the normal class once, after Cass, Gonon and Zozoulenko (Variance
norms for kernelized anomaly detection): SeriesAnomaly is fitted on its training series with the
kernels volterra, gak, sig:level=4 and esn:size=100 and with both scores, chooses on training series,
and scores all test series. Areas are means over the classes.
"""
EXAMPLES = """\
examples:
  python -m volterra.benchmarks uea --data uea --only ERing,NATOPS
  python -m volterra.benchmarks uea --data uea --task anomaly --draws 5 --seed 1 --json
"""


def add_options(parser: argparse.ArgumentParser, count_of: Any, duration: Any) -> None:
    add = parser.add_argument
    add("--data", required=True, metavar="FOLDER", help="folder with the sets")
    add("--only", metavar="SETS", help="comma-separated list of sets (default: all in FOLDER)")
    add("--task", choices=("classify", "anomaly"), default="classify", help="default: classify")
    add("--kernel", metavar="K", help="kernel in place of those of the task")
    add(
        "--budget",
        type=duration,
        metavar="TIME",
        help="classify: time of the search of each set: 90s, 5min, 1h",
    )
    add(
        "--draws",
        type=count_of(1),
        metavar="N",
        help="kernels tried for each set (default 60; --task anomaly: 20)",
    )


def _check(options: argparse.Namespace) -> None:
    if options.task == "anomaly" and options.budget is not None:
        raise UsageError("--budget is not supported with --task anomaly: use --draws")
    for kernel in (options.kernel or "").split("|"):
        if kernel.strip() and "?" not in kernel:
            try:
                Kernel(kernel.strip())
            except ValueError as failure:
                raise UsageError(f"--kernel: {failure}") from None


def run(options: argparse.Namespace, machine: Machine, line: str) -> None:
    del line
    _check(options)
    sets = find_sets(options.data, options.only)
    if options.task == "anomaly":
        detect_novelty(sets, options.kernel, options.draws, machine, options.json)
    else:
        classify_sets(sets, options, machine)


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


_METHODS = ("1-NN DTW", "MiniRocket")


def _classify(one: UeaSet, options: argparse.Namespace, machine: Machine) -> Dict[str, Any]:
    """Accuracy of the classifier on the test series of a set, with its choices."""
    data, begun = read_set(one), time.perf_counter()
    model = SeriesClassifier(
        options.kernel,
        draws=options.draws,
        budget=options.budget,
        random_state=machine.seed,
        verbose=machine.verbose,
    ).fit(data.train, data.train_classes)
    accuracy = float(np.mean(model.predict(data.test) == data.test_classes))
    return {
        "dataset": one.name,
        "measure": "accuracy",
        "value": accuracy,
        "unit": "share",
        "series": len(data.train),
        "tests": len(data.test),
        "channels": model.n_features_in_,
        "classes": len(data.classes),
        "alpha": model.alpha_,
        "kernels": model.parts_,
        "tried": model.n_tried_,
        "left_out_accuracy": model.left_out_accuracy_,
        "split_accuracy": model.split_mean_,
        "seconds": time.perf_counter() - begun,  # search, fit and prediction
        "published": [{"method": name, "value": value} for name, value in ACCURACIES.get(one.name, {}).items()],
    }


def classify_sets(sets: List[UeaSet], options: argparse.Namespace, machine: Machine) -> None:
    rows = [_classify(one, options, machine) for one in sets]
    if options.json:
        print_json({"benchmark": "uea", "rows": rows, "published_source": SOURCE})
        return
    heads = ("volterra", "LOO", *_METHODS)
    print(f"{'accuracy on test series':<26}" + "".join(f"  {head:>10}" for head in heads) + f"  {'time':>9}")
    for row in rows:
        known = ACCURACIES.get(row["dataset"], {})
        shares = (row["value"], row["left_out_accuracy"], *(known.get(method) for method in _METHODS))
        cells = "".join(f"  {_share(share)}" for share in shares)
        print(f"{row['dataset']:<26}{cells}  {format_seconds(row['seconds']):>9}")
    print(
        f"\nLOO: leave-one-out accuracy on training series, by which the kernel was chosen; 1-NN DTW and MiniRocket: {SOURCE}\n"
    )
    for row in rows:
        for number, part in enumerate(row["kernels"]):
            settings = f"compare={part['compare']}, input={part['input']}, scale={part['scale']}"
            print(f"{'  and' if number else row['dataset']:<26}  {part['kernel']}; {settings}")


def _share(value: Any) -> str:
    return f"{'-':>10}" if value is None else f"{100 * value:9.2f}%"


def areas(data: Labelled, normal: int, kernel: str, score: Any, draws: int, seed: int) -> Dict[str, float]:
    """ROC and PR area of the test series of the normal class against all others."""
    model = SeriesAnomaly(kernel, score=score, draws=draws, random_state=seed)
    model.fit(data.train, np.where(data.train_classes == normal, 1, -1))
    return ranking(data.test_classes == normal, model.score_samples(data.test))


def _novelty(name: str, data: Labelled, kernel: str, score: str, draws: int, seed: int) -> Dict[str, Any]:
    """A kernel with a score on one set: means over the classes that have test series beside test series of other classes."""
    begun = time.perf_counter()
    counts = [int(np.sum(data.test_classes == number)) for number in range(len(data.classes))]
    normal = [number for number, count in enumerate(counts) if 0 < count < len(data.test)]
    if not normal:
        raise DataError(f"{name}: no class has test series together with test series of other classes")
    found = [areas(data, number, kernel, score, draws, seed) for number in normal]
    # Normal series are the positive ones of the PR area, as in KTAD: they are fewer.
    roc, pr = (float(np.mean([one[key] for one in found])) for key in ("roc_auc", "pr_auc"))
    row = dict(dataset=name, kernel=kernel, score=score, classes=len(normal), seconds=time.perf_counter() - begun)
    return {**row, "PR area": pr, "ROC area": roc}


def _area_entries(row: Dict[str, Any]) -> List[Dict[str, Any]]:
    shared = {name: row[name] for name in ("dataset", "kernel", "score", "classes", "seconds")}
    return [
        # no published figures on these sets
        {**shared, "measure": measure, "value": row[measure], "unit": "share", "published": []}
        for measure in ("PR area", "ROC area")
    ]


def detect_novelty(
    sets: List[UeaSet], kernel: Optional[str], draws: Optional[int], machine: Machine, as_json: bool
) -> None:
    kernels = ANOMALY["kernels"] if kernel is None else [kernel]
    draws = ANOMALY["draws"] if draws is None else draws
    rows = []
    for one in sets:
        data = read_set(one)
        rows += [_novelty(one.name, data, k, score, draws, machine.seed) for k in kernels for score in ANOMALY["scores"]]
    if as_json:
        print_json({"benchmark": "uea", "task": "anomaly", "rows": [entry for row in rows for entry in _area_entries(row)]})
        return
    print(f"{'novel series':<26}  {'kernel':<16}  {'score':<11}  {'PR area':>8}  {'ROC area':>8}  {'time':>9}")
    before = None
    for row in rows:
        name, before = "" if row["dataset"] == before else row["dataset"], row["dataset"]
        values = f"{row['PR area']:8.4f}  {row['ROC area']:8.4f}  {format_seconds(row['seconds']):>9}"
        print(f"{name:<26}  {row['kernel']:<16}  {row['score']:<11}  {values}")
    print("\nmeans over the classes, each the normal class once; in the PR area normal series are the positive ones")
