"""Classes of the test series of a set, and accuracies of other methods."""

from __future__ import annotations

import argparse
import time
from typing import Any, Dict, List, NamedTuple

import numpy as np

from ..series_classifier import SeriesClassifier
from ._common import Machine, format_seconds, print_json
from ._uea_sets import ACCURACIES, SOURCE, Labelled, UeaSet, read_set

_METHODS = ("1-NN DTW", "MiniRocket")


class ClassifyRun(NamedTuple):
    """A fitted classifier and its accuracy on the test series."""

    name: str
    data: Labelled
    model: SeriesClassifier
    accuracy: float
    seconds: float  # search, fit and prediction


def classify(one: UeaSet, options: argparse.Namespace, machine: Machine) -> ClassifyRun:
    data = read_set(one)
    begun = time.perf_counter()
    model = SeriesClassifier(
        options.kernel,
        draws=options.draws,
        budget=options.budget,
        random_state=machine.seed,
        verbose=machine.verbose,
    ).fit(data.train, data.train_classes)
    accuracy = float(np.mean(model.predict(data.test) == data.test_classes))
    return ClassifyRun(one.name, data, model, accuracy, time.perf_counter() - begun)


def run(sets: List[UeaSet], options: argparse.Namespace, machine: Machine) -> None:
    runs = [classify(one, options, machine) for one in sets]
    if options.json:
        print_json({"benchmark": "uea", "rows": [_row(one) for one in runs], "published_source": SOURCE})
    else:
        _print_table(runs)


def _row(one: ClassifyRun) -> Dict[str, Any]:
    model = one.model
    return {
        "dataset": one.name,
        "measure": "accuracy",
        "value": one.accuracy,
        "unit": "share",
        "series": len(one.data.train),
        "tests": len(one.data.test),
        "channels": model.n_features_in_,
        "classes": len(one.data.classes),
        "alpha": model.alpha_,
        "kernels": model.parts_,
        "tried": model.n_tried_,
        "left_out_accuracy": model.left_out_accuracy_,
        "split_accuracy": model.split_mean_,
        "seconds": one.seconds,
        "published": [{"method": name, "value": value} for name, value in ACCURACIES.get(one.name, {}).items()],
    }


def _share(value: Any) -> str:
    return f"{'-':>10}" if value is None else f"{100 * value:9.2f}%"


def _print_table(runs: List[ClassifyRun]) -> None:
    heads = ("volterra", "LOO", *_METHODS)
    print(f"{'accuracy on test series':<26}" + "".join(f"  {head:>10}" for head in heads) + f"  {'time':>9}")
    for one in runs:
        known = ACCURACIES.get(one.name, {})
        shares = (one.accuracy, one.model.left_out_accuracy_, *(known.get(method) for method in _METHODS))
        print(
            f"{one.name:<26}"
            + "".join(f"  {_share(share)}" for share in shares)
            + f"  {format_seconds(one.seconds):>9}"
        )
    print(
        f"\nLOO: leave-one-out accuracy on training series, by which the kernel was chosen; 1-NN DTW and MiniRocket: {SOURCE}\n"
    )
    for one in runs:
        for number, part in enumerate(one.model.parts_):
            settings = f"compare={part['compare']}, input={part['input']}, scale={part['scale']}"
            print(f"{'  and' if number else one.name:<26}  {part['kernel']}; {settings}")
