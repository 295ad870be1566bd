"""`VolterraRidgeCV`: parameters by cross-validation in time order, all folds from one factorisation."""

from __future__ import annotations

import itertools
import re
from ctypes import POINTER, byref, c_void_p, cast
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _native as c
from ._arguments import seed_number, whole
from ._arrays import Array, view
from ._errors import check
from ._handles import Owner
from ._model import Kernel
from ._progress import ProgressCallback, Watch
from ._regressor import BEYOND, STARTS, SequenceRegressor, Training, choice
from ._threads import use_threads
from .kernels import given_parameters, library_name, value_text
from .ridge import VolterraRidge

__all__ = ["VolterraRidgeCV"]

Trial = Dict[str, Any]
# scikit-learn's scores are the higher the better; of the library's errors the negative is taken.
_SCORES = {
    "r2": ("r2", 1),
    "neg_nmse": ("nmse", -1),
    "neg_mse": ("mse", -1),
    "prequential": ("prequential", 1),
    "log": ("log", 1),
}
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def _seconds(budget: Union[None, float, str]) -> float:
    """A budget in seconds: a number, or a text such as "90s", "30m", "2h"."""
    if budget is None:
        return 0.0
    if isinstance(budget, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*(s|m|min|h)\s*", budget)
        if not match:
            raise ValueError(
                f"budget is {budget!r}, and must be a number of seconds or such as '90s', '30m' or '2h'"
            )
        return float(match[1]) * _UNITS[match[2]]
    if not budget > 0:
        raise ValueError(f"budget is {budget} seconds, and must be above 0")
    return float(budget)


def _seed(random_state: Any) -> int:
    if random_state is None:
        random_state = np.random
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if hasattr(random_state, "randint"):  # np.random or a RandomState
        return int(random_state.randint(2**31))
    return seed_number("random_state", random_state)


# ---- candidates --------------------------------------------------------------------------------------------


class Candidates(Owner):
    """Candidates of the library."""

    _FREE = "volt_candidates_free"

    def __init__(self, make: Callable[[Any], int]) -> None:
        handle = c_void_p()
        check(make(byref(handle)))
        self._own(handle)

    @classmethod
    def drawn(cls, kernel: str, X: Array, seed: int, ranges: Mapping[str, Any], scale: bool) -> "Candidates":
        entries = (c.Range * len(ranges))(*[_range(name, law) for name, law in ranges.items()])
        options = c.DrawOptions(seed, entries if len(ranges) else None, len(ranges), int(scale))
        text = c.encode("the kernel", kernel)
        return cls(lambda out: c.lib.volt_candidates_draw(text, view(X), byref(options), out))

    @classmethod
    def listed(cls, estimators: Sequence[VolterraRidge]) -> "Candidates":
        kernels = c.names_array("the kernel", [estimator._kernel_text() for estimator in estimators])
        alphas = np.array([estimator.alpha for estimator in estimators], dtype=np.float64)
        return cls(lambda out: c.lib.volt_candidates_list(kernels, alphas.ctypes.data, len(alphas), out))


def _range(name: str, law: Any) -> c.Range:
    """(low, high): log-uniform; (law, low, high); a list: one of these."""
    key = c.encode("the name of a range", library_name(name))
    if isinstance(law, list):
        words = c.names_array(f"a value of {name}", [value_text(value) for value in law])
        return c.Range(key, 0, 0.0, 0.0, words, len(law))
    kind, low, high = law if len(law) == 3 else ("log", *law)
    choice(f"the law of {name}", kind, [word for word in c.SEARCH_LAWS if word != "none"])
    return c.Range(key, c.SEARCH_LAWS[kind], float(low), float(high), None, 0)


def _expand(candidates: Any) -> List[Dict[str, Any]]:
    """A grid (a dict of lists) or a list of grids and candidates, as a list of candidates."""
    if isinstance(candidates, Mapping):
        keys = sorted(candidates)
        axes = [v if isinstance(v, (list, tuple, np.ndarray)) else [v] for v in (candidates[k] for k in keys)]
        return [dict(zip(keys, values)) for values in itertools.product(*axes)]
    return [one for entry in candidates for one in _expand(entry)]


# ---- results -----------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """What a search gave."""

    trials: List[Trial]
    best: Optional[Trial]
    folds: int
    seconds: float
    out_of_time: bool


def _trial(raw: c.Trial, sign: int) -> Trial:
    return {
        "index": int(raw.index),
        "kernel": c.text(raw.kernel),
        "alpha": float(raw.alpha),
        "score": sign * float(raw.score),
        "folds": [sign * raw.folds[i] for i in range(raw.n_folds)],
        "stopped": bool(raw.stopped),
        "seconds": float(raw.seconds),
        "failure": c.text(raw.failure) or None,
    }


def _collect(handle: c_void_p, sign: int) -> Found:
    info = c.SearchInfo()
    c.lib.volt_search_describe(handle, byref(info))
    trials = [_trial(c.lib.volt_search_trial(handle, i).contents, sign) for i in range(info.trials)]
    best = c.lib.volt_search_best(handle)
    return Found(
        trials,
        _trial(best.contents, sign) if best else None,
        int(info.folds),
        float(info.seconds),
        bool(info.out_of_time),
    )


def _parameters(trial: Trial) -> Dict[str, Any]:
    """What `VolterraRidge` takes for this candidate."""
    kernel = Kernel(trial["kernel"])
    if kernel.name == "volterra":
        return {**given_parameters(kernel), "alpha": trial["alpha"]}
    return {"kernel": trial["kernel"], "alpha": trial["alpha"]}


def _table(found: Found, given: Optional[List[Dict[str, Any]]]) -> Dict[str, Any]:
    """The trials in the form of scikit-learn's ``cv_results_``."""
    params = [given[t["index"]] if given else _parameters(t) for t in found.trials]
    if not given and any(
        "lift" in one for one in params
    ):  # where lifts differ, the default one says its name too
        for one in params:
            one.setdefault("lift", "geometric")
    folds = np.full((len(params), found.folds), np.nan)
    for row, trial in zip(folds, found.trials):
        row[: len(trial["folds"])] = trial["folds"]
    done = np.array([len(t["folds"]) for t in found.trials], dtype=int)
    mean = np.array([t["score"] for t in found.trials])
    spread = np.array([np.std(t["folds"]) if t["folds"] else np.nan for t in found.trials])
    complete = np.where(np.isnan(mean) | (done < found.folds), -np.inf, mean)
    # Ranks as in scikit-learn: 1 is the best, ties share; what was given up or failed comes after all others.
    keys = list(zip(complete.tolist(), np.where(np.isnan(mean), -np.inf, mean).tolist()))
    places: Dict[Any, int] = {}
    for place, key in enumerate(sorted(keys, reverse=True), 1):
        places.setdefault(key, place)
    rank = np.array([places[key] for key in keys], dtype=np.int32)
    table: Dict[str, Any] = {}
    for name in sorted({key for one in params for key in one}):
        values = [one.get(name) for one in params]
        column = np.ma.MaskedArray(np.empty(len(values), dtype=object), mask=[v is None for v in values])
        column.data[:] = values
        table[f"param_{name}"] = column
    table["params"] = params
    for fold in range(found.folds):
        table[f"split{fold}_test_score"] = folds[:, fold]
    table["mean_test_score"], table["std_test_score"], table["rank_test_score"] = mean, spread, rank
    table["n_splits_done"] = done
    table["stopped"] = np.array([t["stopped"] for t in found.trials], dtype=bool)
    table["seconds"] = np.array([t["seconds"] for t in found.trials])
    table["kernel"] = [t["kernel"] for t in found.trials]
    table["failure"] = [t["failure"] for t in found.trials]
    return table


# ---- the estimator -----------------------------------------------------------------------------------------


class VolterraRidgeCV(SequenceRegressor):
    """`VolterraRidge` with its parameters and alpha chosen by cross-validation in time order.

    Candidates are drawn at random (or given). Each is trained on the rows before every validation block and
    scored on the block, as with ``TimeSeriesSplit``; one Cholesky factorisation serves all folds of a
    candidate. The best one is then fitted on all rows.

    Parameters
    ----------
    draws : int, optional
        Candidates to try; 100 when neither draws nor a budget is given.
    budget : float or str, optional
        Seconds, or a text such as "90s", "30m", "2h"; the search ends then.
    folds : int, default=5
        Validation blocks, those of ``TimeSeriesSplit(folds)``.
    race : {"exact", "fast", "none"}, default="exact"
        Give a candidate up when even perfect scores on its remaining blocks would not make it the best (the
        same winner as without a race), when its blocks so far lie too far below the best one's, or never.
    kernel : str, default="volterra"
        Parameters that the text gives are fixed, the others are searched. Any kernel of
        `volterra.kernel_table`.
    candidates : dict of lists, or list of dicts, optional
        Try these instead of random draws: a grid over parameters of `VolterraRidge`, or a list of candidates.
        All of them, unless draws or a budget ends the search before.
    ranges : dict, optional
        What to draw a parameter (or "alpha") from, in place of the kernel's own ranges: ``(low, high)`` for a
        log-uniform law, ``("linear", low, high)``, ``("integer", low, high)``, or a list of values.
    scoring : {"r2", "neg_nmse", "neg_mse", "prequential", "log"}, default="r2"
        The higher the better. "prequential": R^2 of one-step-ahead forecasts, every row trained on all before
        it; "log": Gaussian log marginal likelihood.
    gap, max_train : int, optional
        As in ``TimeSeriesSplit``: rows left out between training and validation, the largest length of a
        training part.
    washout, fit_intercept, scale, start, beyond
        As in `VolterraRidge`. With ``start="reset"`` validation blocks are new sequences after a past of
        zeros, otherwise they follow their training rows. Scales are learned once, on all rows given to fit.
    refit : bool, default=True
        Fit the best candidate on all rows; without, there is no `predict`.
    log : path-like, optional
        A file that receives a line of JSON for every trial.
    resume : bool, default=False
        Take the trials that stand in the log from there.
    n_jobs : int, optional
        Threads; None: as set by `volterra.set_threads`, -1: one per core.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws. Draw i depends on the seed and i alone.
    verbose : bool, default=False
        Show a bar with the best score so far.

    Attributes
    ----------
    best_params_ : dict
        Parameters of `VolterraRidge` of the best candidate.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in ``cv_results_``.
    best_estimator_ : VolterraRidge
        The refitted estimator.
    cv_results_ : dict of arrays
        As in ``GridSearchCV``: params, param_*, split*_test_score, mean_test_score, std_test_score,
        rank_test_score; and n_splits_done, stopped (given up by the race; its mean is over the blocks done),
        seconds, kernel, failure.
    n_splits_ : int
        Validation blocks.
    search_time_ : float
        Seconds of the search.
    fitted_, n_features_in_, feature_names_in_, n_outputs_, kernel_, facts_, rcond_, dual_coef_, intercept_
        Of the refitted estimator, as in `VolterraRidge`.

    Notes
    -----
    With ``scale=False`` the scores are those of ``GridSearchCV(VolterraRidge(scale=False), ...,
    cv=TimeSeriesSplit(folds))`` for candidates in tau and lam. Scales, and the norm that tau_coef and
    lam_coef are shares of, come from all rows here and from the training part of each fold there.

    Ctrl-C ends a search within a second and raises KeyboardInterrupt; ``best_params_``, ``best_score_`` and
    ``cv_results_`` then hold what there was, and nothing is refitted.

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(800, seed=1)
    >>> search = volterra.VolterraRidgeCV(draws=40, random_state=0).fit(u[:600], y[:600])
    >>> sorted(search.best_params_)
    ['alpha', 'lam_coef', 'tau_coef']
    >>> bool(search.score(u[600:], y[600:]) > 0.8)
    True
    """

    def __init__(
        self,
        draws: Optional[int] = None,
        budget: Union[None, float, str] = None,
        folds: int = 5,
        race: str = "exact",
        *,
        kernel: str = "volterra",
        candidates: Any = None,
        ranges: Optional[Mapping[str, Any]] = None,
        scoring: str = "r2",
        gap: int = 0,
        max_train: Optional[int] = None,
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: str = "auto",
        beyond: str = "auto",
        refit: bool = True,
        log: Any = None,
        resume: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        verbose: Any = False,
    ) -> None:
        self.draws = draws
        self.budget = budget
        self.folds = folds
        self.race = race
        self.kernel = kernel
        self.candidates = candidates
        self.ranges = ranges
        self.scoring = scoring
        self.gap = gap
        self.max_train = max_train
        self.washout = washout
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.start = start
        self.beyond = beyond
        self.refit = refit
        self.log = log
        self.resume = resume
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        progress: Optional[ProgressCallback] = None,
        on_trial: Optional[Callable[[Trial], Any]] = None,
    ) -> "VolterraRidgeCV":
        """Search, then fit the best candidate on all rows.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Inputs, one row per time step, in time order.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            Targets. None: the series forecasts itself, see `VolterraRidge.fit`.
        progress : callable, optional
            Called with a stage and the share that is done; a true result ends the search with `CancelledError`.
        on_trial : callable, optional
            Called with a dict after every trial: index, kernel, alpha, score, folds, stopped, seconds, failure.

        Returns
        -------
        self
        """
        choice("start", self.start, STARTS)
        choice("beyond", self.beyond, BEYOND)
        training = Training.read(X, y)
        given = None if self.candidates is None else _expand(self.candidates)
        candidates = self._make_candidates(training, given)
        self._search(candidates, training, given, progress, on_trial)
        if self.refit:
            settings = dict(
                alpha=self._best["alpha"],
                washout=whole("washout", self.washout),
                intercept=bool(self.fit_intercept),
                scale=bool(self.scale),
            )
            self._fit_model(training, self._best["kernel"], settings, progress)
        return self

    def _make_candidates(self, training: Training, given: Optional[List[Dict[str, Any]]]) -> Candidates:
        if given is None:
            seed = _seed(self.random_state)
            return Candidates.drawn(self.kernel, training.inputs, seed, self.ranges or {}, bool(self.scale))
        if self.ranges:
            raise ValueError("give candidates or ranges to draw them from, not both")
        if not given:
            raise ValueError("candidates is empty: there is nothing to try")
        fixed = {} if self.kernel == "volterra" else {"kernel": self.kernel}
        return Candidates.listed([VolterraRidge(**{**fixed, **one}) for one in given])

    def _options(self, given: bool) -> c.SearchOptions:
        options = c.lib.volt_search_options_default()
        options.splits.folds = whole("folds", self.folds)
        options.splits.gap = whole("gap", self.gap)
        options.splits.max_train = 0 if self.max_train is None else whole("max_train", self.max_train)
        options.start = c.STARTS["reset" if self.start == "reset" else "continue"]
        options.washout = whole("washout", self.washout)
        options.intercept, options.scale = int(bool(self.fit_intercept)), int(bool(self.scale))
        options.score = c.SCORES[_SCORES[choice("scoring", self.scoring, _SCORES)][0]]
        options.race = c.RACES[choice("race", self.race, c.RACES)]
        options.seconds = _seconds(self.budget)
        draws = self.draws
        if draws is None and not given and not options.seconds:
            draws = 100
        options.draws = 0 if draws is None else whole("draws", draws, 1)
        options.log = None if self.log is None else c.encode_path("log", self.log)
        options.resume = int(bool(self.resume))
        return options

    def _search(
        self,
        candidates: Candidates,
        training: Training,
        given: Optional[List[Dict[str, Any]]],
        progress: Optional[ProgressCallback],
        on_trial: Optional[Callable[[Trial], Any]],
    ) -> None:
        sign = _SCORES[choice("scoring", self.scoring, _SCORES)][1]
        options = self._options(given is not None)
        handle = c_void_p()
        with use_threads(self.n_jobs), Watch("search", self.verbose, progress) as watch:

            def tell(_search: Any, raw: Any, _context: Any) -> None:
                trial = _trial(cast(raw, POINTER(c.Trial)).contents, sign)
                watch.note_best(trial["score"], complete=not trial["stopped"])
                if on_trial is not None:
                    watch.guard(on_trial, trial)

            options.on_trial = c.TrialFn(tell)
            options.progress = watch.progress
            status = c.lib.volt_search_run(
                candidates, view(training.inputs), view(training.targets), byref(options), byref(handle)
            )
            try:
                if handle:
                    self._keep(_collect(handle, sign), given)
            finally:
                c.lib.volt_search_free(handle)
            watch.check(status)

    def _keep(self, found: Found, given: Optional[List[Dict[str, Any]]]) -> None:
        self.cv_results_ = _table(found, given)
        self.n_splits_ = found.folds
        self.search_time_ = found.seconds
        self.out_of_time_ = found.out_of_time
        if found.best is None:
            return
        self._best = found.best
        self.best_index_ = [t["index"] for t in found.trials].index(found.best["index"])
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = found.best["score"]

    @property
    def best_estimator_(self) -> VolterraRidge:
        """The refitted estimator, as a `VolterraRidge` of its own."""
        self._check_is_fitted()
        fixed = {} if self.kernel == "volterra" or "kernel" in self.best_params_ else {"kernel": self.kernel}
        estimator = VolterraRidge(
            **{**fixed, **self.best_params_},
            washout=self.washout,
            fit_intercept=self.fit_intercept,
            scale=self.scale,
            start=self.start,
            beyond=self.beyond,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        for name in ("_model", "_rows", "_tail", "_fitted", "_flat", "_form"):
            setattr(estimator, name, getattr(self, name))
        estimator._remember_names(getattr(self, "feature_names_in_", None))
        estimator._set_attributes()
        return estimator
