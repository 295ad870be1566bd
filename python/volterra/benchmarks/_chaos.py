"""``python -m volterra.benchmarks chaos``: options and the valid times of free runs."""

from __future__ import annotations

import argparse
from typing import Any

from ._chaos_report import print_report
from ._chaos_run import SYSTEMS, ChaosRun, compute
from ._common import Machine, UsageError, choose

SUMMARY = "valid times of free-running forecasts of chaotic systems"
DESCRIPTION = """\
How long a free-running forecast follows a chaotic system. No files are needed:
  lorenz        Lorenz 1963, three variables, rows 0.025 apart
  mackey-glass  Mackey-Glass with a delay of 17, one variable, rows 1 apart
  lorenz96      Lorenz 1996, forcing 10, 40 variables, rows 0.01 apart; one local model for all variables
  kuramoto-sivashinsky
                Kuramoto-Sivashinsky on a domain of 22, 64 points, rows 0.25 apart
The methods are trained on noise-free rows from each of --starts initial conditions and then run free.
The valid time is the time until the error first reaches a multiple of the standard deviation of the
training rows (0.4, for the last two 0.5), in Lyapunov times. The table lists its median and quartiles
over the starts, for the Volterra kernel, a next generation reservoir computer (ridge regression on
monomials of delayed rows) and an echo state network. Each method uses the setting with the best median
on five other starts (fewer with fewer --starts).
"""
EXAMPLES = """\
examples:
  python -m volterra.benchmarks chaos
  python -m volterra.benchmarks chaos --only lorenz --rows 400 --json
"""
_MIN_ROWS, _MAX_ROWS, _MAX_STARTS = 50, 20000, 10000
_ROWS = ", ".join(f"{name} {system['rows']}" for name, system in SYSTEMS.items())


def add_options(parser: argparse.ArgumentParser, count_of: Any, duration: Any) -> None:
    del duration
    add = parser.add_argument
    add("--only", metavar="SETS", help=f"comma-separated list of systems: {', '.join(SYSTEMS)} (default: all)")
    add(
        "--rows",
        type=count_of(2),
        metavar="N",
        help=f"training rows (default: {_ROWS})",
    )
    add(
        "--starts",
        type=count_of(1, _MAX_STARTS),
        default=20,
        metavar="N",
        help="initial conditions, each with its own training rows (default 20)",
    )


def run(options: argparse.Namespace, machine: Machine, line: str) -> None:
    del line
    names = choose(options.only, list(SYSTEMS))
    if options.rows is not None and not _MIN_ROWS <= options.rows <= _MAX_ROWS:
        raise UsageError(f"--rows must be between {_MIN_ROWS} and {_MAX_ROWS} (got {options.rows})")
    runs = [ChaosRun(SYSTEMS[name], options.rows, options.starts) for name in names]
    for one in runs:
        compute(one, machine)
    print_report(runs, options.json)
