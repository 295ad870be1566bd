"""A simulation model of a system from its inputs and outputs: `identify`, and the estimator `Identifier`.

All decisions are automatic. ``volterra identify`` and `volt_identify` compute the same numbers.
"""

from __future__ import annotations

from ctypes import POINTER, c_void_p, cast
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._assess import FitWarning, Note, read_notes
from ._core import _native as c
from ._core._arguments import seconds_of, seed_number, whole
from ._core._data import Array, Records, as_matrix, as_targets, column_names, is_frame, select_columns
from ._core._errors import GapWarning, warn
from ._core._gaps import MISSING, TimeColumns, Times, align, training_gap, warn_of_gap
from ._core._machine import use_threads
from ._core._model import Model
from ._core._progress import Watch
from ._core._protocol import Estimator, RegressorMixin
from ._core._types import Self
from ._regressor import copy_explanation
from .files import Loaded, estimator_of

__all__ = ["Identification", "Identifier", "identify"]

_ROWS = (
    *("train_rows", "train_records", "test_rows", "test_washout"),
    *("search_begin", "search_rows", "fit_begin", "fit_rows", "washout"),
)
_CHECK = (
    *("time_step", "uneven_steps", "delay", "correlation", "dead_time", "input_changes", "input_lines", "output_at_extreme"),
    *("input_at_extreme", "output_growth", "input_growth", "integration", "forward_gain", "reverse_gain", "unexplained", "noise"),
    *("nonlinearity", "is_nonlinear", "input_period"),
)


def _candidate(one: c.IdentifyCandidate) -> Dict[str, Any]:
    found = c.values(one)
    found.update(linear=found.pop("is_linear"), rejected=found.pop("is_rejected"), block_nmse=found["block_nmse"].tolist())
    return found


class Identification:
    """Result of `identify`.

    Attributes
    ----------
    model : SequenceKernelRidge or VolterraRidge
        The chosen model, fitted on training rows. `volterra.save` writes it for the program.
    candidates_ : list of dict
        The best model of every family: ``name``, ``linear``, ``kernel``, ``alpha``, ``feedback_weight``, ``nmse`` (mean over the
        validation blocks), ``block_nmse``, ``trials``, ``seconds``, ``test_rmse`` (nan: not tested), ``growth`` (error of the last
        third of a free run over that of its first third), ``excess`` (distance from the linear model for inputs 1.3 times as
        far from their mean, relative to the spread of the outputs), ``long_run`` (error of one free run over all m rows of the
        blocks, relative to the linear model) and ``rejected`` (the excess is above 3, the long run is not below 1 - 1/sqrt(m),
        or one of these runs diverges).
    averaged_ : list of str
        Names of the families whose average is the model, the chosen one first. One name: no average.
    chosen_, best_linear_ : str
        Names of the chosen family and of the better linear one.
    initial_ : str
        "first": the inputs before the first row of a record are its first row, as in ``initial`` of `SequenceKernelRidge`; "zero":
        their mean.
    test_rmse_, linear_test_rmse_ : float
        Simulation errors of the chosen and of the linear model on the test rows.
    test_std_ : float
        Standard deviation of the outputs in the test rows, the root mean square over all outputs.
    output_tests_ : list of dict
        Test of every output: ``output`` (its name, or None), ``rmse``, ``linear_rmse`` and ``std``.
    rows_ : dict
        Rows of the training part, the test, the searches and the model.
    check_ : dict
        Data check of the training rows, see the section of that name in docs/math.md: ``delay`` and ``correlation`` (lag of the
        largest correlation of input and output), ``dead_time`` (first lag with a significant response), ``unexplained``, ``noise``
        and ``nonlinearity`` (shares of the output variance), and others.
    warnings_ : list
        Warnings of the library, with code and text.
    diagnosis_ : dict or None
        With ``diagnose=True``, the numbers of ``volterra identify --report``: ``measured`` and ``simulated`` test outputs from
        ``first_row`` on; ``autocorrelation`` (n_outputs, n_lags) of the residuals and ``cross_correlation`` (n_outputs, n_inputs,
        n_lags) with the inputs, with 95 % bounds; ``frequencies`` in cycles per row, ``gain``, ``phase`` in degrees (n_outputs,
        n_inputs, n_frequencies) and ``coherence`` of the training rows; ``model_gain`` and ``model_phase`` of the linear part of
        the model, or None; ``below``, ``above`` and ``beyond`` for inputs and outputs: test rows outside the training range and the
        largest distance relative to it; ``explanation`` (see ``explain``), or None.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.random.default_rng(1).normal(size=300)
    >>> y = np.convolve(u, [0.0, 1.0, 0.5, 0.2])[:300] + 0.05 * np.random.default_rng(2).normal(size=300)
    >>> found = volterra.identify(u, y, draws=4)
    >>> found.chosen_, round(found.test_rmse_, 2), round(found.test_std_, 2)
    ('linear, feedback', 0.06, 0.86)
    >>> found.predict(np.ones(3)).round(1)
    array([-1.3,  0.3,  1.3])
    """

    def __init__(
        self,
        model: Model,
        found: c.Identification,
        output_tests: Sequence[c.OutputTest],
        output_names: Optional[Array],
    ) -> None:
        self.model: Loaded = estimator_of(model)
        self.candidates_: List[Dict[str, Any]] = [_candidate(one) for one in found.candidates]
        self.chosen_: str = self.candidates_[found.chosen]["name"]
        self.averaged_: List[str] = [
            self.candidates_[found.averaged[i]]["name"] for i in range(found.n_averaged)
        ]
        self.best_linear_: str = self.candidates_[found.best_linear]["name"]
        self.initial_: str = c.word_of(c.INITIALS, found.initial)
        self.test_rmse_, self.linear_test_rmse_ = float(found.test_rmse), float(found.linear_test_rmse)
        self.test_std_ = float(found.test_std)
        names = [None] * len(output_tests) if output_names is None else map(str, output_names)
        self.output_tests_: List[Dict[str, Any]] = [{"output": k, **c.values(one)} for k, one in zip(names, output_tests)]
        self.rows_: Dict[str, int] = {name: int(getattr(found, name)) for name in _ROWS}
        self.check_: Dict[str, float] = {name: getattr(found, name) for name in _CHECK}
        self.warnings_: List[Note] = read_notes(found.warnings, found.n_warnings)
        self.diagnosis_: Optional[Dict[str, Any]] = None

    def predict(self, u: Any, **options: Any) -> Any:
        """Simulate the outputs for inputs that follow the rows of the model, see ``predict`` of `model`.

        Parameters
        ----------
        u : array-like of shape (n_steps, n_inputs) or (n_steps,)
            Inputs. With ``start="reset"`` they are another experiment.
        **options
            Parameters of ``model.predict``.
        """
        return self.model.predict(_inputs(u, "u"), **options)

    def __repr__(self) -> str:
        return (
            f"<Identification: {self.chosen_}, test RMSE {self.test_rmse_:.6g}, "
            f"linear model {self.linear_test_rmse_:.6g}>"
        )


def _read_diagnosis(one: Any) -> Dict[str, Any]:
    """Copy the fields of a `volt_diagnosis`."""
    found = c.values(one)
    found["explanation"] = copy_explanation(one.explanation.contents) if one.explanation else None
    return {name: value for name, value in found.items() if name not in ("d", "q", "rows", "lags", "bins")}


def _inputs(u: Any, name: str) -> Any:
    """One column for 1-D data; frames are kept."""
    if getattr(u, "ndim", None) == 2 or hasattr(u, "columns"):
        return u
    return as_targets(u, name)[0]


def _records(u: Any, y: Any, groups: Any = None) -> Records:
    """All rows and the lengths of their records. A list of 1-D arrays is a list of records if y is one, too."""
    if isinstance(u, (list, tuple)) and isinstance(y, (list, tuple)) and all(np.ndim(part) == 1 for part in [*u, *y]):
        u = [part if hasattr(part, "name") else np.reshape(part, (-1, 1)) for part in u]
    u, y, groups = align(u, y, groups, names=("the inputs", "the outputs", "groups"))
    return Records.read(u, y, groups)


def _matrices(rows: Records, names: Tuple[str, str]) -> Tuple[Array, Array]:
    return as_matrix(_inputs(rows.X, names[0]), names[0]), as_targets(rows.y, names[1])[0]


def _set_times(rows: Records, inputs: Array, outputs: Array, options: Any) -> Any:
    """Set the times of the rows: dates in the index of u, or numbers in its index or a column named as a time, as in the
    program. Return the arrays that the options refer to."""
    index = rows.X.index if is_frame(rows.X) else None
    times = None if index is None else Times.of(index)
    if times is not None and times.kind.startswith("dates") and np.isfinite(times.values).all():
        warn_of_gap(training_gap(rows.X, rows.lengths)[1], "u")
        values = np.ascontiguousarray(times.values)
        options.times = cast(values.ctypes.data, POINTER(c.Time))
        return values
    columns, names = [inputs, outputs], [*_names(rows.X, inputs), *_names(rows.y, outputs)]
    if index is not None and times is not None and times.kind == "numbers" and isinstance(index.name, str):
        columns, names = [times.values[:, :1], *columns], [index.name, *names]
    found = TimeColumns.find(np.ascontiguousarray(np.hstack(columns)), names, rows.lengths)
    if found.found.clock < 0:
        return None
    for warning in found.warnings():
        if warning.code == MISSING:
            warn(found.text(warning), GapWarning)
    clock = np.ascontiguousarray(found.values[:, found.found.clock])
    options.clock = clock.ctypes.data_as(POINTER(c.c_double))
    return clock


def _names(value: Any, columns: Array) -> List[str]:
    names = column_names(value)
    return [""] * columns.shape[1] if names is None else list(names)


def identify(
    u: Any,
    y: Any,
    budget: Union[None, float, str] = "5min",
    *,
    draws: Optional[int] = None,
    test: Optional[Tuple[Any, Any]] = None,
    groups: Any = None,
    seed: int = 0,
    diagnose: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    scale_each: bool = True,
) -> Identification:
    """Find a simulation model of a system: linear and nonlinear models, chosen by free runs on validation blocks.

    A nonlinear model replaces the better linear one only if its error is lower on every block and in one run over all of them.
    The result is the same as that of ``volterra identify``.

    Parameters
    ----------
    u : array-like of shape (n_steps, n_inputs) or (n_steps,), or list of these
        Inputs of the system, one row per time step. At least 60 rows. A list has one array per record. The index of a
        data frame, if it has dates or is named as a time, or a column of numbers named ``t``, ``time`` or ``Time
        (s)``, has the times of the rows, for the data check: missing rows are a `GapWarning`, and ``check_`` has the
        step. A column remains an input.
    y : array-like of shape (n_steps, n_outputs) or (n_steps,), or list of these
        Outputs of the system, row by row with X.
    budget : float or str, default="5min"
        Time limit of the whole command: 90s, 3min, 2h, 1h30m, or seconds. Ignored with ``draws``.
    draws : int, optional
        Number of candidates of every search, instead of a time limit (at least 1). The result then depends only on
        the data, this number and the seed.
    test : tuple of two arrays, optional
        Another experiment for the test, with the same column names. Inputs and outputs, or lists of records. None:
        the last fifth of the rows, or whole last records if these have 15 to 25 % of the rows.
    groups : array-like of shape (n_steps,), optional
        Record of each row, if the rows are several records, each with its own initial state. The rows of a record must
        be adjacent. The first rows of every record (``rows_["washout"]``) set the state and are neither fitted nor
        scored.
    seed : int, default=0
    diagnose : bool, default=False
        Compute ``diagnosis_``. The page of ``volterra identify --report`` shows the same numbers.
    n_jobs : int, optional
        Number of threads.
    verbose : bool, default=False
        Progress bar.
    scale_each : bool, default=True
        With two or more inputs, divide each by its standard deviation, so that the result does not depend on their units.
        False: one scale for all inputs.

    Returns
    -------
    Identification

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.random.default_rng(1).normal(size=300)
    >>> y = np.convolve(u, [0.0, 1.0, 0.5, 0.2])[:300]
    >>> found = volterra.identify(u, y, draws=4)
    >>> bool(found.test_rmse_ < 0.1)
    True
    """
    options = c.lib.volt_identify_options_default()
    rows = _records(u, y, groups)
    inputs, outputs = _matrices(rows, ("u", "y"))
    names = column_names(rows.y)
    options.output_tests = tests = (c.OutputTest * outputs.shape[1])()
    c.fill(
        options,
        records=rows.lengths,
        draws=0 if draws is None else whole("draws", draws, 1),
        seconds=seconds_of(budget) if draws is None and budget is not None else None,
        seed=seed_number("seed", seed),
        scale_each=bool(scale_each),
        input_names=column_names(rows.X),
        output_names=names,
    )
    if test is not None:
        other = _records(
            select_columns(test[0], column_names(u), "the inputs of test"),
            select_columns(test[1], column_names(y), "the outputs of test"),
        )
        held = _matrices(other, ("the inputs of test", "the outputs of test"))
        c.fill(options, test_inputs=held[0], test_outputs=held[1], test_records=other.lengths)
    times = _set_times(rows, inputs, outputs, options)
    handle, found = c_void_p(), c.Identification()
    with use_threads(n_jobs), Watch("identify", verbose) as watch:
        options.progress = watch.progress
        status = c.lib.volt_identify(inputs, outputs, options, handle, found)
        model = Model(handle) if handle else None
        watch.check(status)
        diagnosis = POINTER(c.Diagnosis)()
        if diagnose:
            watch.check(
                c.lib.volt_identify_diagnose(
                    inputs, outputs, options, handle, found, diagnosis
                )
            )
    del times
    assert model is not None
    result = Identification(model, found, tests, names)
    if diagnosis:
        result.diagnosis_ = _read_diagnosis(diagnosis.contents)
        c.lib.volt_diagnosis_free(diagnosis)
    for note in result.warnings_:
        warn(note.text, FitWarning)
    return result


class Identifier(RegressorMixin, Estimator):
    """Simulation model of a system as an estimator: `identify` with the scikit-learn API.

    Parameters
    ----------
    budget, draws, n_jobs, verbose, scale_each
        As in `identify`.
    random_state : int, default=0
        Seed of the searches.

    Attributes
    ----------
    report_ : Identification
        All results: candidates, test errors, rows, data check, warnings.
    model_ : SequenceKernelRidge or VolterraRidge
        The chosen model. `volterra.save` writes it for the program.
    kernel_ : str
    n_features_in_, n_outputs_ : int
    feature_names_in_ : ndarray of str
        Columns of X, if it was a data frame with string column names.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.random.default_rng(1).normal(size=(300, 1))
    >>> y = np.convolve(u[:, 0], [0.0, 1.0, 0.5, 0.2])[:300]
    >>> model = volterra.Identifier(draws=4).fit(u[:250], y[:250])
    >>> model
    Identifier(draws=4)
    >>> bool(model.report_.test_rmse_ < 0.1)
    True
    """

    report_: Identification
    model_: Any

    def __init__(
        self,
        budget: Union[None, float, str] = "5min",
        *,
        draws: Optional[int] = None,
        random_state: int = 0,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
        scale_each: bool = True,
    ) -> None:
        self._keep_arguments(locals())

    def fit(self, X: Any, y: Any, *, groups: Any = None, test: Optional[Tuple[Any, Any]] = None) -> Self:
        """Identify the system.

        Parameters
        ----------
        X, y : array-like, or lists of arrays
            Inputs and outputs, as u and y of `identify`.
        groups : array-like of shape (n_steps,), optional
            Record of each row.
        test : tuple of two arrays, optional
            Another experiment for the test, inputs and outputs.

        Returns
        -------
        self
        """
        found = identify(
            X,
            y,
            self.budget,
            draws=self.draws,
            test=test,
            groups=groups,
            seed=self.random_state,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            scale_each=self.scale_each,
        )
        self.report_, self.model_ = found, found.model
        self.kernel_: str = found.model.kernel_
        self.n_features_in_: int = found.model.n_features_in_
        self.n_outputs_: int = found.model.n_outputs_
        names = getattr(found.model, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted_model(self) -> Any:
        self._check_is_fitted()
        return self.model_

    def predict(self, X: Any, **options: Any) -> Any:
        """Simulate the outputs for inputs that follow the rows of the model.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_inputs) or (n_steps,)
            Inputs. With ``start="reset"`` they are another experiment.
        **options
            Parameters of ``model_.predict``: start, groups, y_known, warm_up and others.
        """
        return self._fitted_model().predict(_inputs(X, "X"), **options)

    def score(self, X: Any, y: Any, **options: Any) -> float:
        """R2 of the simulated outputs for inputs that follow the rows of the model.

        Parameters
        ----------
        X, y : array-like
            Inputs and measured outputs.
        **options
            Parameters of ``model_.score``.
        """
        return float(self._fitted_model().score(_inputs(X, "X"), y, **options))
