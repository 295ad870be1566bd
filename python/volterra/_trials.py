"""Trials of a search, also in the form of scikit-learn's ``cv_results_``."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from ._core import _native as c
from ._core._kernel import Kernel, given_parameters

Trial = Dict[str, Any]


class Found(NamedTuple):
    """Result of a search."""

    trials: List[Trial]
    best: Optional[Trial]
    folds: int
    seconds: float
    out_of_time: bool
    gap: int


def trial_of(raw: c.Trial, sign: int) -> Trial:
    return {
        "index": int(raw.index),
        "kernel": c.text(raw.kernel),
        "alpha": float(raw.alpha),
        "score": sign * float(raw.score),
        "folds": [sign * raw.folds[i] for i in range(raw.n_folds)],
        "stopped": bool(raw.stopped),
        "seconds": float(raw.seconds),
        "failure": c.text(raw.failure) or None,
        "feedback": float(raw.feedback),
    }


def collect(handle: c_void_p, sign: int) -> Found:
    info = c.SearchInfo()
    c.lib.volt_search_get_info(handle, byref(info))
    trials = [trial_of(c.lib.volt_search_trial(handle, i).contents, sign) for i in range(info.trials)]
    best = c.lib.volt_search_trial(handle, c.CONSTANTS["VOLT_TRIAL_BEST"])
    return Found(
        trials,
        trial_of(best.contents, sign) if best else None,
        int(info.folds),
        float(info.seconds),
        bool(info.out_of_time),
        int(info.gap),
    )


def parameters_of(trial: Trial) -> Dict[str, Any]:
    """Parameters of `VolterraRidge` for this candidate."""
    kernel = Kernel(trial["kernel"])
    beside = {"alpha": trial["alpha"]}
    if trial["feedback"] > 0:
        beside["feedback"] = trial["feedback"]
    if kernel.is_volterra:
        return {**given_parameters(kernel), **beside}
    return {"kernel": trial["kernel"], **beside}


def _ranks(mean: np.ndarray, done: np.ndarray, folds: int) -> np.ndarray:
    """Ranks as in scikit-learn: 1 is the best, ties share; stopped and failed candidates are last."""
    known = np.where(np.isnan(mean), -np.inf, mean)
    complete = np.where(done < folds, -np.inf, known)
    keys = list(zip(complete.tolist(), known.tolist()))
    places: Dict[Any, int] = {}
    for place, key in enumerate(sorted(keys, reverse=True), 1):
        places.setdefault(key, place)
    return np.array([places[key] for key in keys], dtype=np.int32)


def results_table(found: Found, given: Optional[List[Dict[str, Any]]]) -> Dict[str, Any]:
    """Return the trials in the form of scikit-learn's ``cv_results_``."""
    params = [given[t["index"]] if given else parameters_of(t) for t in found.trials]
    if not given and any("lift" in one for one in params):
        for one in params:  # if lifts differ, include the default one
            one.setdefault("lift", "geometric")
    folds = np.full((len(params), found.folds), np.nan)
    for row, trial in zip(folds, found.trials):
        row[: len(trial["folds"])] = trial["folds"]
    done = np.array([len(t["folds"]) for t in found.trials], dtype=int)
    mean = np.array([t["score"] for t in found.trials])
    spread = np.array([np.std(t["folds"]) if t["folds"] else np.nan for t in found.trials])
    table: Dict[str, Any] = {}
    for name in sorted({key for one in params for key in one}):
        values = [one.get(name) for one in params]
        column = np.ma.MaskedArray(np.empty(len(values), dtype=object), mask=[v is None for v in values])
        column.data[:] = values
        table[f"param_{name}"] = column
    table["params"] = params
    for fold in range(found.folds):
        table[f"split{fold}_test_score"] = folds[:, fold]
    table["mean_test_score"], table["std_test_score"] = mean, spread
    table["rank_test_score"] = _ranks(mean, done, found.folds)
    table["n_splits_done"] = done
    table["stopped"] = np.array([t["stopped"] for t in found.trials], dtype=bool)
    table["seconds"] = np.array([t["seconds"] for t in found.trials])
    table["kernel"] = [t["kernel"] for t in found.trials]
    table["alpha"] = np.array([t["alpha"] for t in found.trials])
    table["failure"] = [t["failure"] for t in found.trials]
    return table
