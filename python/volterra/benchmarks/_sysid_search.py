"""Identify a system on its training rows, without a preset.

`volterra.identify` chooses everything. It simulates the first rows of the first test, which take no part in any
choice.
"""

from __future__ import annotations

import time
import warnings
from typing import Optional

from .._core._errors import BeyondWarning
from ..identification import identify
from ._common import DataError, Machine
from ._sysid_run import Run, simulate_tests

_TEST_ROWS = 2000  # that identify simulates: all tests are simulated afterwards


def identify_and_simulate(
    run: Run, rows: Optional[int], draws: Optional[int], budget: Optional[float], machine: Machine
) -> None:
    """Replace the setting of the run by the model that `identify` finds, and simulate the tests with it.

    Parameters
    ----------
    run : Run
    rows : int or None
        Use only the first training rows.
    draws, budget : int or None, float or None
        Candidates of every search, or seconds.
    machine : Machine
    """
    train, test = run.data.train[:rows], run.data.tests[0][:_TEST_ROWS]
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BeyondWarning)
            found = identify(
                train[:, :1],
                train[:, 1],
                budget,
                draws=draws,
                test=(test[:, :1], test[:, 1]),
                seed=machine.seed,
                verbose=machine.verbose,
            )
    except ValueError as failure:
        raise DataError(f"{run.set.title}: {failure}") from None
    run.search_seconds = time.perf_counter() - begun
    run.trials, run.family = sum(one["trials"] for one in found.candidates_), found.chosen_
    chosen = next(one for one in found.candidates_ if one["name"] == found.chosen_)
    washout = found.rows_["washout"]
    run.setting = run.setting._replace(
        name=None,
        origin=None,
        kernel=chosen["kernel"],
        alpha=chosen["alpha"],
        feedback_weight=chosen["feedback_weight"],
        first=run.set.train.first + found.rows_["fit_begin"],
        washout=washout,
        rows=found.rows_["fit_rows"] - washout,
    )
    simulate_tests(run, found.model)
