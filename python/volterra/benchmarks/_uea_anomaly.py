"""Novelty detection, by the protocol of KTAD.

Each class is the normal class once: a detector is fitted on its training series and scores all test series. alpha and the
kernel are chosen on training series, by those of the other classes. Cass, Gonon and Zozoulenko, "Variance norms for
kernelized anomaly detection".
"""

from __future__ import annotations

import time
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from ..anomaly import SeriesAnomaly
from ..metrics import ranking
from ._common import DataError, Machine, format_seconds, print_json
from ._uea_sets import ANOMALY, Labelled, UeaSet, read_set


class Novelty(NamedTuple):
    """A kernel with a score on one set: means over the classes."""

    name: str
    kernel: str
    score: str
    roc_auc: float
    pr_auc: float  # normal series are the positive ones, as in KTAD: they are fewer
    classes: int  # classes with test series, and with test series of other classes
    seconds: float


def areas(data: Labelled, normal: int, kernel: str, score: Any, draws: int, seed: int) -> Dict[str, float]:
    """ROC and PR area of the test series of the normal class against all others."""
    model = SeriesAnomaly(kernel, score=score, draws=draws, random_state=seed)
    model.fit(data.train, np.where(data.train_classes == normal, 1, -1))
    return ranking(data.test_classes == normal, model.score_samples(data.test))


def _novelty(name: str, data: Labelled, kernel: str, score: str, draws: int, seed: int) -> Novelty:
    begun = time.perf_counter()
    counts = [int(np.sum(data.test_classes == number)) for number in range(len(data.classes))]
    normal = [number for number, count in enumerate(counts) if 0 < count < len(data.test)]
    if not normal:
        raise DataError(f"{name}: no class has test series together with test series of other classes")
    found = [areas(data, number, kernel, score, draws, seed) for number in normal]
    roc, pr = (float(np.mean([one[key] for one in found])) for key in ("roc_auc", "pr_auc"))
    return Novelty(name, kernel, score, roc, pr, len(normal), time.perf_counter() - begun)


def run(
    sets: List[UeaSet], kernel: Optional[str], draws: Optional[int], machine: Machine, as_json: bool
) -> None:
    kernels = ANOMALY["kernels"] if kernel is None else [kernel]
    draws = ANOMALY["draws"] if draws is None else draws
    rows = []
    for one in sets:
        data = read_set(one)
        rows += [
            _novelty(one.name, data, k, score, draws, machine.seed)
            for k in kernels
            for score in ANOMALY["scores"]
        ]
    if as_json:
        print_json(
            {"benchmark": "uea", "task": "anomaly", "rows": [entry for row in rows for entry in _entries(row)]}
        )
    else:
        _print_table(rows)


def _entries(row: Novelty) -> List[Dict[str, Any]]:
    return [
        {
            "dataset": row.name,
            "kernel": row.kernel,
            "score": row.score,
            "measure": measure,
            "value": value,
            "unit": "share",
            "classes": row.classes,
            "seconds": row.seconds,
            "published": [],  # no published figures on these sets
        }
        for measure, value in (("PR area", row.pr_auc), ("ROC area", row.roc_auc))
    ]


def _print_table(rows: List[Novelty]) -> None:
    print(f"{'novel series':<26}  {'kernel':<16}  {'score':<11}  {'PR area':>8}  {'ROC area':>8}  {'time':>9}")
    before = None
    for row in rows:
        name, before = "" if row.name == before else row.name, row.name
        values = f"{row.pr_auc:8.4f}  {row.roc_auc:8.4f}  {format_seconds(row.seconds):>9}"
        print(f"{name:<26}  {row.kernel:<16}  {row.score:<11}  {values}")
    print(
        "\nmeans over the classes, each the normal class once; in the PR area normal series are the positive ones"
    )
