"""``python -m volterra.benchmarks sysid``: options, the runs, their report."""

from __future__ import annotations

import argparse
from typing import Any, List

from ._common import Machine, UsageError, choose
from ._sysid_report import check_files, print_report, write_files
from ._sysid_run import PRESETS, SETS, Run, default_preset, fit_and_simulate, identify_and_simulate, read_set

SUMMARY = "nonlinear system identification: Wiener-Hammerstein, Silverbox, Cascaded Tanks"
DESCRIPTION = """\
Three measured systems from their published files in FOLDER (CSV, or the original MAT files under
their published names), with the official splits:
  wh         Wiener-Hammerstein 2009   wiener_hammerstein.csv or WienerHammerBenchMark.mat
  silverbox  Silverbox, three tests    silverbox_snls80mv.csv or SNLS80mV.mat
  tanks      Cascaded Tanks            cascaded_tanks.csv or dataBenchmark.mat
Every test is simulated: the model receives only the inputs, from a zero initial state. Models with
output feedback use the first 50 measured outputs to initialise the state, as the protocol allows.
The table lists the RMSE after the first 50 rows (tanks: also after 5) and published figures.

Presets were found by long searches on training rows. --again uses no preset: volterra.identify chooses
the model on the training rows within --budget, and the table lists goals for these errors. The
equivalent commands of the program volterra (fit, predict, score) are printed below the table.
"""
EXAMPLES = """\
examples:
  python -m volterra.benchmarks sysid --data sysid -o table
  python -m volterra.benchmarks sysid --data sysid --only wh,tanks --json
  python -m volterra.benchmarks sysid --data sysid --preset tanks-1
  python -m volterra.benchmarks sysid --data sysid --only wh --again --budget 5min
"""
_WARM_UP = 50  # rows of a test that are not scored
_DEFAULT_BUDGET = 300.0


def add_options(parser: argparse.ArgumentParser, count_of: Any, duration: Any) -> None:
    add = parser.add_argument
    add("--data", required=True, metavar="FOLDER", help="folder with the published files")
    add("--only", metavar="SETS", help=f"comma-separated list of sets: {', '.join(SETS)} (default: all)")
    add("--preset", metavar="NAME", help=f"run only this preset: {', '.join(PRESETS)}")
    add(
        "--rows",
        type=count_of(2),
        metavar="N",
        help="fit on the first N rows after the washout (default: all rows of the preset); with --again: "
        "use only the first N training rows (default: all)",
    )
    add(
        "--warm-up",
        type=count_of(0, _WARM_UP),
        default=_WARM_UP,
        metavar="N",
        help=f"measured outputs that initialise the state of a model with feedback, at most {_WARM_UP} (default {_WARM_UP})",
    )
    add(
        "--again",
        action="store_true",
        help="identify every system on its training rows instead of using the presets",
    )
    add(
        "--budget",
        type=duration,
        metavar="TIME",
        help="with --again: time of identify for each system, 90s, 5min, 1h (default without --draws: 5min)",
    )
    add("--draws", type=count_of(1), metavar="N", help="with --again: candidates of every search of identify")
    add(
        "-o",
        "--output",
        metavar="PREFIX",
        help="write PREFIX.html with tables and plots, and PREFIX-SET-TEST.csv and .svg for each simulation",
    )


def _check(options: argparse.Namespace) -> None:
    if options.only is not None and options.preset is not None:
        raise UsageError("--only and --preset cannot be combined: a preset belongs to one set")
    if options.again and options.preset is not None:
        raise UsageError("--again and --preset cannot be combined")
    if not options.again:
        for name in ("budget", "draws"):
            if getattr(options, name) is not None:
                raise UsageError(f"--{name} requires --again")


def _choose_runs(options: argparse.Namespace) -> List[Run]:
    if options.preset is None:
        settings = [default_preset(name) for name in choose(options.only, list(SETS))]
    elif options.preset in PRESETS:
        settings = [PRESETS[options.preset]]
    else:
        raise UsageError(f"--preset: unknown preset {options.preset!r} (choose from {', '.join(PRESETS)})")
    if options.rows is not None and not options.again:
        settings = [one._replace(rows=min(one.rows, options.rows)) for one in settings]
    return [Run(SETS[one.set], one, options.warm_up) for one in settings]


def run(options: argparse.Namespace, machine: Machine, line: str) -> None:
    _check(options)
    runs = _choose_runs(options)
    if options.output is not None:
        check_files(runs, options.output)
    for one in runs:  # read all files first: a missing one is reported before any computation
        one.data = read_set(one.set, options.data)
    for one in runs:
        if options.again:
            budget = _DEFAULT_BUDGET if options.budget is None and options.draws is None else options.budget
            identify_and_simulate(one, options.rows, options.draws, budget, machine)
        else:
            fit_and_simulate(one, machine)
    if options.output is not None:
        write_files(runs, options.output, line)
    print_report(runs, options.json)
