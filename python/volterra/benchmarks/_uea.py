"""``python -m volterra.benchmarks uea``: options, the sets in a folder, their report."""

from __future__ import annotations

import argparse
from typing import Any

from .._core._kernel import Kernel
from . import _uea_anomaly, _uea_classify
from ._common import Machine, UsageError
from ._uea_sets import find_sets

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
        _uea_anomaly.run(sets, options.kernel, options.draws, machine, options.json)
    else:
        _uea_classify.run(sets, options, machine)
