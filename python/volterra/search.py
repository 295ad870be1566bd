"""`VolterraRidgeCV`: cross-validation in time order, with one factorisation for all folds."""

from __future__ import annotations

import itertools
from ctypes import POINTER, c_void_p, cast
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, get_args

import numpy as np

from ._assess import assess
from ._core import _native as c
from ._core._arguments import (
    alpha_number,
    choice,
    feedback_number,
    horizon_bounds,
    kernel_word,
    seconds_of,
    seed_of,
    whole,
)
from ._core._data import Array
from ._core._errors import check
from ._core._gaps import align
from ._core._kernel import Kernel, given_parameters, library_name, read_weights, value_text
from ._core._machine import use_machine
from ._core._model import fit_fields, fit_options
from ._core._progress import ProgressCallback, Watch
from ._core._types import (
    Ahead,
    Beyond,
    FoldsBy,
    Input,
    Landmarks,
    Race,
    Scoring,
    Search,
    SearchSolver,
    Season,
    Self,
    Start,
    Target,
    Validate,
)
from ._regressor import BEYOND, STARTS, SequenceRegressor
from ._training import Horizons, Training
from .ridge import VolterraRidge

__all__ = ["VolterraRidgeCV"]

# Scores of scikit-learn are the higher the better: errors are negated.
_SCORES = {
    "r2": ("r2", 1),
    "neg_nmse": ("nmse", -1),
    "neg_mse": ("mse", -1),
    "prequential": ("prequential", 1),
    "log": ("log", 1),
    "evidence": ("log", 1),
    "neg_loo": ("loo", -1),
    "neg_gcv": ("gcv", -1),
    "neg_loss": ("loss", -1),
}

_SEARCHES = get_args(Search)
_FOLDS_BY = get_args(FoldsBy)


class VolterraRidgeCV(SequenceRegressor):
    """`VolterraRidge` with its parameters and alpha chosen by cross-validation in time order.

    Candidates are drawn at random (or given). If no range is given for alpha, the first candidate has the kernel's default
    parameters and a profiled alpha, so that a search never scores less than the defaults. Each candidate is trained on the rows
    before every validation block and scored on the block, as with ``TimeSeriesSplit``; one Cholesky factorisation is enough for
    all folds. The best candidate is then fitted on all rows.

    Parameters
    ----------
    draws : int, optional
        Maximum number of candidates (at least 1). None: 100, unless a budget is given.
    budget : float or str, optional
        Time limit of the search: 90s, 3min, 2h, 1h30m, or seconds. A number is in seconds.
    folds : int, default=5
        Validation blocks, each predicted from the rows before it (at least 1). They equal the splits of
        ``TimeSeriesSplit(folds)``.
    race : {"exact", "fast", "none"}, default="exact"
        Early stopping of candidates that cannot win (exact) or are unlikely to win (fast). "exact" has the same
        winner as "none".
    search : {"random", "adaptive", "cma"}, default="random"
        Sampling of candidates; random: independent; adaptive: after 64 draws mostly near the best four; cma: after 64
        draws by CMA-ES from the best. "adaptive" draws in generations of 16 and continues with CMA-ES after 256
        candidates if there are 1000 rows or more. All are reproducible and independent of ``n_jobs``.
    kernel : str, default="volterra"
        Kernel; parameters in the text are fixed, the others are searched; 'A | B | C' searches several kernels. Any
        kernel of `volterra.kernel_table`, or a sum of products of them. In sums, filters (``pole``, ``pair``,
        ``angle``) and ``corr`` are searched where their value is ``?``, as in ``"fir + ?*memory:pole=?"``, and ranges
        are named by the number of the factor, ``"2.gamma"``.
    candidates : dict of lists, or list of dicts, optional
        Candidates instead of random draws: a grid over parameters of `VolterraRidge`, or a list of candidates. Without alpha,
        or with "auto", alpha is profiled: the best of a grid in the folds. All candidates are tried unless draws or a budget
        ends the search.
    ranges : dict, optional
        Range of a parameter (or "alpha", or "feedback") instead of the default range: ``(low, high)`` for a log-uniform
        distribution, ``("linear", low, high)``, ``("integer", low, high)``, or a list of values.
    scoring : {"r2", "neg_nmse", "neg_mse", "prequential", "log", "evidence", "neg_loo", "neg_gcv", "neg_loss"}, default="r2"
        Score; higher is better. "prequential": R^2 of one-step-ahead predictions, every row trained on all rows before it;
        "log" or "evidence": Gaussian log marginal likelihood; "neg_loo": leave-one-out NMSE of all rows; "neg_gcv":
        generalised cross-validation over the variance of the targets. With a loss other than squares the score is that loss,
        "neg_loss" (also for "r2"): pinball loss of quantiles, half the deviance of counts; other scores are not supported.
        Weights support the first three and "neg_loss".
    gap, max_train : int, optional
        As in ``TimeSeriesSplit``: rows excluded between training and validation, and the maximum length of a training part.
        The gap is ahead - 1 by default, so that all training targets are known when validation begins.
    min_train : int, optional
        Minimum rows of the first training part (at least 1). Validation blocks become shorter where needed.
    ahead, target, input, season, allow_target_in_inputs
        As in `VolterraRidge`. Scores are always computed from levels.
    feedback : bool or float, default=False
        Outputs of the previous row as additional inputs (NARX model); measured outputs in training. True: the weight
        is searched, log-uniform from 0.02 to 100 or in ``ranges["feedback"]``; it is stored in `best_params_`.
    validate : {"simulate", "one-step"}, default="simulate"
        Validation with ``feedback``: free runs, or predictions one step ahead. A free run beyond 10 times the range
        of the targets fails. The scorings "prequential" and "log" require "one-step".
    folds_by : {"rows", "records"}, default="rows"
        Validation blocks of rows, or of whole records (``min_train`` and ``max_train`` then count records).
    loss, tolerance
        As in `VolterraRidge`. Every training part is fitted with the loss; without alpha, it is the best of a grid, from the
        largest down. Not supported with feedback.
    solver : {"auto", "exact", "nystrom"}, default="auto"
        Method for the readout of candidates and of the best one: "auto", exact or nystrom; "auto": exact if memory
        and time allow, otherwise nystrom. "nystrom" is for hundreds of thousands of rows, with squares and the
        scorings "r2", "neg_nmse", "neg_mse", "neg_loo" and "neg_gcv". "auto" is "nystrom" from 8192 rows on if an
        exact search does not fit in memory or has more than 32768 rows per fit.
    landmarks : None, int or str, default=None
        Number of landmarks of nystrom: in runs of 32 over the rows before the first validation block, M:last or
        M:random. At most the number of rows before the first validation block.
    washout, initial, fit_intercept, scale, scale_each, start, beyond
        As in `VolterraRidge`. With ``start="reset"`` validation blocks are new sequences, otherwise
        they follow their training rows. Scales are learned once, from all rows given to fit.
    refit : bool, default=True
        Fit the best candidate on all rows; required by `predict`.
    log : path-like, optional
        Log file with one line of JSON per candidate.
    resume : bool, default=False
        Resume the search in ``log``. Trials in the log are not evaluated again.
    n_jobs, device
        As in `VolterraRidge`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the random numbers. Candidate i depends only on the seed and i.
    verbose : bool, default=False
        Show a progress bar with the best score so far.

    Attributes
    ----------
    best_params_ : dict
        Parameters of `VolterraRidge` of the best candidate.
    best_score_ : float
        Mean score of the best candidate over the folds.
    alpha_, target_, input_, season_, heldout_r2_, log_likelihood_, rkhs_norm_, effective_dimension_, noise_, report_, \
    baselines_, verdict_, warnings_
        Of the refitted estimator, as in `VolterraRidge`. After a search for changes the naive forecast is kept unless the best
        candidate is clearly better on held-out rows: then ``alpha_`` is inf.
    validation_baselines_ : dict
        Baseline forecasts on the validation blocks, as in ``baselines_``; with a loss other than squares, constants with their
        loss and skill. Empty for records and, with squares, for weights.
    best_index_ : int
        Its index in ``cv_results_``.
    best_estimator_ : VolterraRidge
        The refitted estimator.
    cv_results_ : dict of arrays
        As in ``GridSearchCV``: params, param_*, split*_test_score, mean_test_score, std_test_score,
        rank_test_score; and n_splits_done, stopped (stopped early; its mean is over the completed blocks), seconds, kernel,
        alpha, failure.
    n_splits_ : int
        Number of validation blocks.
    search_time_ : float
        Seconds of the search.
    fitted_, n_features_in_, feature_names_in_, n_outputs_, kernel_, facts_, rcond_, dual_coef_, intercept_
        Of the refitted estimator, as in `VolterraRidge`.

    Notes
    -----
    With ``scale=False`` the scores equal those of ``GridSearchCV(VolterraRidge(scale=False), ...,
    cv=TimeSeriesSplit(folds))`` for candidates in tau and lam. Scales, and the norm that tau_coef and lambda_coef refer to, are
    computed from all rows here and from the training part of each fold there.

    Ctrl-C ends a search within a second and raises KeyboardInterrupt; ``best_params_``, ``best_score_`` and ``cv_results_``
    then refer to the completed trials, and nothing is refitted.

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(800, seed=1)
    >>> search = volterra.VolterraRidgeCV(draws=40, random_state=0).fit(u[:600], y[:600])
    >>> sorted(search.best_params_)
    ['alpha', 'lambda_coef', 'tau_coef']
    >>> bool(search.score(u[600:], y[600:]) > 0.8)
    True
    """

    def __init__(
        self,
        draws: Optional[int] = None,
        budget: Union[None, float, str] = None,
        folds: int = 5,
        race: Race = "exact",
        *,
        search: Search = "random",
        kernel: str = "volterra",
        candidates: Any = None,
        ranges: Optional[Mapping[str, Any]] = None,
        scoring: Scoring = "r2",
        gap: Optional[int] = None,
        max_train: Optional[int] = None,
        min_train: Optional[int] = None,
        folds_by: FoldsBy = "rows",
        ahead: Ahead = None,
        target: Target = "auto",
        input: Input = "auto",
        season: Season = "auto",
        allow_target_in_inputs: bool = False,
        feedback: Union[bool, float] = False,
        validate: Validate = "simulate",
        washout: int = 0,
        fit_intercept: bool = True,
        scale: bool = True,
        start: Start = "auto",
        beyond: Beyond = "auto",
        refit: bool = True,
        log: Any = None,
        resume: bool = False,
        n_jobs: Optional[int] = None,
        random_state: Any = None,
        verbose: Any = False,
        device: Optional[str] = None,
        loss: str = "squares",
        tolerance: Optional[float] = None,
        solver: SearchSolver = "auto",
        landmarks: Landmarks = None,
        initial: Any = "zero",
        scale_each: bool = False,
    ) -> None:
        self._keep_arguments(locals())

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        progress: Optional[ProgressCallback] = None,
        on_trial: Optional[Callable[[Trial], Any]] = None,
    ) -> Self:
        """Search, then fit the best candidate on all rows.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            Inputs, one row per time step, in time order.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            Targets. None: the series is forecast from itself, see `VolterraRidge.fit`.
        sample_weight : array-like of shape (n_steps,), optional
            Weights of the rows, at least 0, that multiply the loss, in fits and in scores. Targets of rows with
            weight 0 are ignored.
        groups : array-like of shape (n_steps,), optional
            Record of each row, see `VolterraRidge.fit`; X and y may be lists of records instead.
        progress : callable, optional
            Called with a stage and the completed fraction; a true result cancels the search with `CancelledError`.
        on_trial : callable, optional
            Called with a dict after every trial: index, kernel, alpha, feedback, score, folds, stopped, seconds,
            failure.

        Returns
        -------
        self
        """
        choice("start", self.start, STARTS)
        choice("beyond", self.beyond, BEYOND)
        bounds = horizon_bounds(self.ahead)
        fields = fit_fields(self)
        X, y, sample_weight, groups = align(X, y, sample_weight, groups)
        horizons = None if bounds is None else Horizons(*bounds)
        training = Training(X, y, horizons, groups, self.allow_target_in_inputs, fields)
        weights = read_weights(sample_weight, len(training.rows))
        if weights is not None:
            fields["weights"] = training.pairing.of_inputs(weights)
        self._fit_best(training, fields, progress, on_trial)
        return self

    def _fit_best(
        self,
        training: Training,
        fields: Dict[str, Any],
        progress: Optional[ProgressCallback],
        on_trial: Optional[Callable[[Trial], Any]],
    ) -> None:
        """Search, and fit the best candidate. `fields` are those of ``volt_fit_options``."""
        given = None if self.candidates is None else expand(self.candidates)
        seen = self._prepare(training, fields, given is not None)
        self._search(self._make_candidates(seen, given), seen, training, fields, given, progress, on_trial)
        if self.refit:
            chosen = dict(alpha=self._best["alpha"], feedback_weight=self._best["feedback"], guarded=seen.guarded)
            words = dict(target=seen.target, input=seen.input, season=seen.season)
            self._fit_model(training, self._best["kernel"], {**fields, **chosen, **words}, progress)
            self._series: Dict[str, Any] = dict(ahead=self.ahead)
            if seen.target != "level" or seen.input != "level":
                self._series.update(target=seen.target, input=seen.input, season=seen.season or None)

    def _prepare(self, training: Training, fields: Dict[str, Any], given: bool) -> Prepared:
        """Columns and targets of the candidates. If alpha is given, the target is the level unless ``target`` is set."""
        pairing = training.pairing
        of_data = dict(ahead=training.horizons.last, feedback=pairing.feedback, anchors=pairing.anchors, records=pairing.records)
        alpha = float(given or "alpha" in (self.ranges or {}))
        of_search = dict(alpha=alpha, feedback_weight=0.0, solver=None, landmarks=None, landmark_choice=None)
        return prepare(training.inputs, training.targets, {**fields, **of_data, **of_search})

    def _make_candidates(self, seen: Prepared, given: Optional[List[Dict[str, Any]]]) -> Candidates:
        if given is None:
            seed = seed_of(self.random_state)
            ranges, weight = dict(self.ranges or {}), feedback_number(self.feedback)
            if weight > 0 and not isinstance(self.feedback, (bool, np.bool_)):
                if "feedback" in ranges:
                    raise ValueError("feedback has both a value and a range: set feedback=True with a range")
                ranges["feedback"] = [weight]
            return Candidates.drawn(
                self.kernel, seen.X, seed, ranges, bool(self.scale), seen.Y if weight > 0 else None
            )
        if self.ranges:
            raise ValueError("set candidates or ranges, not both")
        if not given:
            raise ValueError("candidates is empty")
        fixed: Dict[str, Any] = {"feedback": self.feedback}
        if self.kernel != "volterra":
            fixed["kernel"] = self.kernel
        return Candidates.listed([VolterraRidge(**{**fixed, **one}) for one in given])

    def _score(self, loss: Optional[str]) -> Tuple[str, int]:
        """The score of the library, and the sign that makes higher better."""
        scoring = choice("scoring", self.scoring, _SCORES)
        if loss is None:
            return _SCORES[scoring]
        if scoring not in ("r2", "neg_loss"):
            raise ValueError(
                f"scoring={scoring!r} is one of squares: with the loss {loss!r} candidates are judged by that loss"
            )
        return _SCORES["neg_loss"]

    def _options(self, training: Training, fields: Dict[str, Any], seen: Prepared, given: bool) -> c.SearchOptions:
        seconds, draws = seconds_of(self.budget), self.draws
        if draws is None and not given and not seconds:
            draws = 100
        options = c.lib.volt_search_options_default()
        min_train = getattr(self, "min_train", None)
        c.fill(
            options.splits,
            folds=whole("folds", self.folds),
            gap=c.CONSTANTS["VOLT_GAP_AUTO"] if self.gap is None else whole("gap", self.gap),
            max_train=0 if self.max_train is None else whole("max_train", self.max_train),
            min_train=None if min_train is None else whole("min_train", min_train, 1),
        )
        names = ("loss", "tolerance", "weights", "classes", "washout", "intercept", "scale")
        names += ("solver", "landmarks", "landmark_choice")
        return c.fill(
            options,
            **{name: fields.get(name) for name in names},
            ahead=training.horizons.last,
            start=c.STARTS["reset" if self.start == "reset" else "continue"],
            score=self._score(fields.get("loss"))[0],
            race=self.race,
            strategy=c.STRATEGIES[choice("search", self.search, _SEARCHES)],
            validate=self.validate,
            seconds=seconds,
            draws=0 if draws is None else whole("draws", draws, 1),
            log=None if self.log is None else c.encode_path("log", self.log),
            resume=bool(self.resume),
            base=seen.base,
            initial=seen.initial[0],
            initial_values=seen.initial[1],
            records=training.pairing.records,
            folds_by_records=choice("folds_by", self.folds_by, _FOLDS_BY) == "records",
        )

    def _search(
        self,
        candidates: Candidates,
        seen: Prepared,
        training: Training,
        fields: Dict[str, Any],
        given: Optional[List[Dict[str, Any]]],
        progress: Optional[ProgressCallback],
        on_trial: Optional[Callable[[Trial], Any]],
    ) -> None:
        sign = self._score(fields.get("loss"))[1]
        options = self._options(training, fields, seen, given is not None)
        handle = c_void_p()
        with use_machine(self), Watch("search", self.verbose, progress) as watch:

            def tell(_search: Any, raw: Any, _context: Any) -> None:
                trial = trial_of(cast(raw, POINTER(c.Trial)).contents, sign)
                watch.note_best(trial["score"], complete=not trial["stopped"])
                if on_trial is not None:
                    watch.guard(on_trial, trial)

            options.on_trial = c.TrialFn(tell)
            options.progress = watch.progress
            status = c.lib.volt_search_run(
                candidates, seen.X, seen.Y, options, handle
            )
            try:
                found = collect(handle, sign) if handle else None
            finally:
                c.lib.volt_search_free(handle)
            if found is not None:
                self._keep(found, given)
            watch.check(status)
            if found is not None and found.best is not None:
                self._compare_best(training, fields, options, found.gap, sign * found.best["score"])

    def _compare_best(
        self, training: Training, fields: Dict[str, Any], options: c.SearchOptions, gap: int, score: float
    ) -> None:
        """Baselines on the validation blocks. Not for folds of whole records, whose rows are known only to the search."""
        self.validation_baselines_: Dict[str, Dict[str, float]] = {}
        if options.folds_by_records:
            return
        options.splits.gap = gap
        found = assess(
            training.pairing,
            fields,
            splits=options.splits,
            measure=options.score,
            score=score,
            running=int(options.score == c.SCORES["prequential"]),
            simulated=int(bool(self.feedback) and self.validate == "simulate"),
        )
        self.validation_baselines_ = found.baselines

    def _keep(self, found: Found, given: Any) -> None:
        self.cv_results_ = results_table(found, given)
        self.n_splits_ = found.folds
        self.search_time_ = found.seconds
        self.out_of_time_ = found.out_of_time
        if found.best is None:
            return
        self._best = found.best
        self.best_index_ = [t["index"] for t in found.trials].index(found.best["index"])
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = found.best["score"]

    _refits_first_rows = False  # a search takes long

    @property
    def best_estimator_(self) -> VolterraRidge:
        """The refitted estimator, as a separate estimator."""
        self._check_is_fitted()
        self._refresh_model()
        told = self.kernel == "volterra" or "|" in self.kernel or "kernel" in self.best_params_
        estimator = self._estimator({} if told else {"kernel": self.kernel})
        for name in self._STATE:
            setattr(estimator, name, getattr(self, name))
        estimator._remember_names(getattr(self, "feature_names_in_", None))
        estimator._set_attributes()
        return estimator

    def _estimator(self, given: Dict[str, Any]) -> Any:
        """Estimator with the best parameters, and the kernel `given` if they do not include one."""
        weight = self._best["feedback"]
        return VolterraRidge(
            **{**given, **self.best_params_, "alpha": self._best["alpha"], "feedback": weight or False},
            **self._series,
            washout=self.washout,
            initial=getattr(self, "initial", "zero"),
            fit_intercept=self.fit_intercept,
            scale=self.scale,
            scale_each=self.scale_each,
            start=self.start,
            beyond=self.beyond,
            n_jobs=self.n_jobs,
            device=self.device,
            verbose=self.verbose,
            loss=self.loss,
            tolerance=self.tolerance,
            solver=self.solver,
            landmarks=self.landmarks,
        )


# ---- columns and targets ---------------------------------------------------------------------------------


class Prepared(NamedTuple):
    X: Array
    Y: Array
    base: Optional[Array]  # added to targets to obtain levels; None: they are levels
    target: str
    input: str
    season: int
    guarded: bool  # fit the best candidate with ``guarded``
    initial: Tuple[str, Optional[List[float]]]  # as columns of X


def prepare(X: Array, Y: Array, fields: Dict[str, Any]) -> Prepared:
    """``volt_prepare``, learned from all rows; the data unchanged if levels are learned from levels with one scale."""
    options = fit_options(X.shape[1], fields)
    found = POINTER(c.Prepared)()
    check(c.lib.volt_prepare(X, Y, options, X.shape[0], found))
    try:
        made = found.contents
        target, input = c.word_of(c.TARGETS, made.target), c.word_of(c.INPUTS, made.input)
        is_plain = target == input == "level" and not options.scale_each
        found_columns = (X, Y) if is_plain else (c.copy_of(made.X), c.copy_of(made.Y))
        base = c.copy_of(made.base) if made.base.data else None
        word = c.word_of(c.INITIALS, made.initial)
        values = [made.initial_values[k] for k in range(made.X.cols)] if word == "values" else None
        return Prepared(
            *found_columns, base, target, input, int(made.season), bool(made.guarded), (word, values)
        )
    finally:
        c.lib.volt_prepared_free(found)


# ---- candidates ------------------------------------------------------------------------------------------


class Candidates(c.Owner):
    """Candidates of a search of the library."""

    _FREE = "volt_candidates_free"

    def __init__(self, make: Callable[[Any], int]) -> None:
        handle = c_void_p()
        check(make(handle))
        self._own(handle)

    @classmethod
    def drawn(
        cls, kernel: str, X: Array, seed: int, ranges: Mapping[str, Any], scale: bool, fed_outputs: Optional[Array] = None
    ) -> "Candidates":
        """`fed_outputs`: the targets, if they are fed back as inputs of the next row."""
        options = c.fill(
            c.DrawOptions(seed=seed, scale=int(scale), from_defaults=1),
            ranges=[range_of(name, law) for name, law in ranges.items()] or None,
            fed_outputs=fed_outputs,
        )
        text = c.encode("the kernel", kernel_word(kernel))
        return cls(lambda out: c.lib.volt_candidates_draw(text, X, options, out))

    @classmethod
    def listed(cls, estimators: Sequence[VolterraRidge]) -> "Candidates":
        kernels = c.names_array("the kernel", [estimator._kernel_text() for estimator in estimators])
        alphas = np.array([alpha_number(estimator.alpha) for estimator in estimators])  # 0: profiled
        weights = np.array([feedback_number(estimator.feedback) for estimator in estimators])
        data = (alphas.ctypes.data, weights.ctypes.data)
        return cls(lambda out: c.lib.volt_candidates_list(kernels, *data, len(alphas), out))


def range_of(name: str, law: Any) -> c.Range:
    """(low, high): log-uniform; (distribution, low, high); a list: one of these values."""
    key = c.encode("the name of a range", library_name(name))
    if isinstance(law, list):
        words = c.names_array(f"a value of {name}", [value_text(value) for value in law])
        return c.Range(key, 0, 0.0, 0.0, words, len(law))
    kind, low, high = law if len(law) == 3 else ("log", *law)
    choice(f"the law of {name}", kind, [word for word in c.SEARCH_LAWS if word != "none"])
    return c.Range(key, c.SEARCH_LAWS[kind], float(low), float(high), None, 0)


def expand(candidates: Any) -> List[Dict[str, Any]]:
    """Expand a grid (a dict of lists), or a list of grids and candidates, to a list of candidates."""
    if isinstance(candidates, Mapping):
        keys = sorted(candidates)
        axes = [v if isinstance(v, (list, tuple, np.ndarray)) else [v] for v in (candidates[k] for k in keys)]
        return [dict(zip(keys, values)) for values in itertools.product(*axes)]
    return [one for entry in candidates for one in expand(entry)]


# ---- trials ----------------------------------------------------------------------------------------------


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
    found = c.values(raw)
    folds = [] if found["folds"] is None else (sign * found["folds"]).tolist()
    found.update(score=sign * raw.score, folds=folds, failure=found["failure"] or None)
    found.pop("n_folds")
    return found


def collect(handle: c_void_p, sign: int) -> Found:
    info = c.SearchInfo()
    c.lib.volt_search_get_info(handle, info)
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
