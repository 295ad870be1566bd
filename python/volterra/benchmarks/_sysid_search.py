"""Search a setting on training rows.

An adaptive search over kernel parameters, weights, filters, alpha and the feedback weight. Candidates are fitted on the
first rows of a stretch of the training part and scored on the later ones, in free run with feedback. The best candidate,
with its alpha, is then fitted on the rows of the preset.
"""

from __future__ import annotations

from typing import Optional

from ..search import VolterraRidgeCV
from ._common import DataError, Machine, load_data
from ._sysid_run import Run

_SPACES = load_data("sysid_spaces")["spaces"]


def search(run: Run, draws: Optional[int], budget: Optional[float], machine: Machine) -> None:
    """Replace the kernel, alpha and feedback weight of the run's setting by the best candidate."""
    space = _SPACES[run.set.name]
    rows = run.training_rows(space["first"], space["washout"] + space["rows"])
    found = VolterraRidgeCV(
        draws,
        budget,
        space["folds"],
        "fast",
        search="adaptive",
        kernel=space["kernel"],
        ranges={name: tuple(law) for name, law in space["ranges"].items()},
        scoring="neg_mse",
        min_train=space["min_train"],
        feedback=space["feedback"],
        washout=space["washout"],
        refit=False,
        random_state=machine.seed,
        verbose=machine.verbose,
    ).fit(rows[:, :1], rows[:, 1])
    if not hasattr(found, "best_index_"):
        raise DataError(f"{run.set.title}: no candidate was completed within the budget; increase --budget")
    best, results = found.best_index_, found.cv_results_
    run.trials, run.search_seconds = len(results["params"]), found.search_time_
    run.setting = run.setting._replace(
        name=None,
        origin=None,
        kernel=results["kernel"][best],
        alpha=float(results["alpha"][best]),
        feedback_weight=float(found.best_params_.get("feedback", 0)),
    )
