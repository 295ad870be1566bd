"""Models of the library, owned by Python objects.

`Model` is the model of an estimator. It is immutable, and it is pickled as the bytes of its safetensors file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from ctypes import c_double, c_int, c_int64, c_void_p, pointer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native as c
from ._arguments import alpha_number, choice, feedback_number, landmark_count, season_rows, solver_word, whole
from ._data import Array, empty
from ._errors import BeyondWarning, DivergenceWarning, StartWarning, check, warn
from ._kernel import Kernel, loss_outputs, loss_text, plain_facts, read_tolerance
from ._progress import Watch, run

#: Targets that the members of a sum were fitted on.
SUM_KINDS = {"average": c.CONSTANTS["VOLT_SUM_AVERAGE"], "residual": c.CONSTANTS["VOLT_SUM_RESIDUAL"]}

PathLike = Union[str, "os.PathLike[str]"]

# Category and hint of each warning of a prediction.
_PREDICT_WARNINGS = {
    c.CONSTANTS["VOLT_WARNING_RUN_BOUNDED"]: (DivergenceWarning, ""),
    c.CONSTANTS["VOLT_WARNING_INPUT_RANGE"]: (BeyondWarning, ""),
    c.CONSTANTS["VOLT_WARNING_NO_FIRST_OUTPUT"]: (StartWarning, " (y_known, warm_up)"),
}


@contextlib.contextmanager
def missing_file(path: PathLike) -> Iterator[None]:
    """Convert an OSError within to FileNotFoundError if the file does not exist."""
    try:
        yield
    except OSError as failure:
        if not os.path.exists(path):
            raise FileNotFoundError(str(failure)) from None
        raise


def initial_fields(value: Any) -> Dict[str, Any]:
    """Return the fields `initial` and `initial_values` of options."""
    expected = "initial must be 'zero', 'first', 'mean' or finite values, one per input"
    if isinstance(value, str):
        if value not in ("zero", "first", "mean"):
            raise ValueError(f"{expected} (got {value!r})")
        return dict(initial=c.INITIALS[value])
    try:
        values = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise TypeError(f"{expected} (got {value!r})") from None
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError(f"{expected} (got {value!r})")
    return dict(initial=c.INITIALS["values"], initial_values=values)


def fit_fields(estimator: Any) -> Dict[str, Any]:
    """Fields of ``volt_fit_options`` from parameters of the same meaning; defaults for those that the estimator does not have."""

    def given(name: str, default: Any = None) -> Any:
        return getattr(estimator, name, default)

    count, which = landmark_count(given("landmarks"))
    fields = dict(
        alpha=alpha_number(given("alpha", "auto")),
        washout=whole("washout", estimator.washout),
        intercept=bool(estimator.fit_intercept),
        scale=bool(estimator.scale),
        target=choice("target", estimator.target, c.TARGETS),
        input=choice("input", estimator.input, c.INPUTS),
        season=season_rows(estimator.season),
        feedback_weight=feedback_number(given("feedback")),
        solver=solver_word(given("solver", "auto")),
        landmarks=count,
        landmark_choice=which,
        iterations=None if given("iterations") is None else whole("iterations", given("iterations"), 1),
        checkpoint=None if given("checkpoint") is None else os.fspath(given("checkpoint")),
        loss=loss_text(given("loss")),
        tolerance=read_tolerance(given("tolerance")),
        **initial_fields(given("initial", "zero")),
    )
    for name, kind, *_ in c.FitOptions._fields_:  # parameters with the name of a field
        if name not in (*fields, "ahead", "feedback") and kind in PLAIN_TYPES and given(name) is not None:
            fields[name] = PLAIN_TYPES[kind](name, given(name))
    return fields


def fit_options(inputs: int, fields: Dict[str, Any]) -> c.FitOptions:
    """The options of a fit to this number of inputs."""
    values = fields.get("initial_values")
    if values is not None and len(values) != inputs:
        raise ValueError(f"initial must have {inputs} values, one per input (got {len(values)})")
    return c.fill(c.FitOptions(checkpoint_seconds=60.0), **fields)


#: Conversions of parameters to fields, by type.
PLAIN_TYPES: Dict[Any, Callable[[str, Any], Any]] = {
    c_int: lambda name, value: int(bool(value)),
    c_int64: whole,
    c_double: lambda name, value: float(value),
}


#: Fields of a report that are attributes of the estimators: numbers, and one for each output.
HELD_OUT = ("heldout_r2", "log_likelihood")
NORMS = ("rkhs_norm", "effective_dimension", "noise")


def _names(pointer: Any, count: int) -> Optional[Array]:
    return np.array(c.texts(pointer, count), dtype=object) if pointer else None


class Model(c.Owner):
    """A fitted model of the library."""

    _FREE = "volt_model_free"

    def __init__(self, handle: c_void_p) -> None:
        self._own(handle)
        self._describe()

    def _borrow(self, pointer: c_void_p, owner: "Model") -> None:
        """Refer to a member of a sum, which the sum frees."""
        self._handle = c.Handle(pointer, lambda _: None, owner)
        self._describe()

    def _describe(self) -> None:
        self.info = c.ModelInfo()
        c.lib.volt_model_get_info(self, self.info)
        info = self.info
        self.n, self.d, self.q = int(info.n), int(info.d), int(info.q)
        self.kernel, self.loss = c.text(info.kernel), c.text(info.loss) or None  # loss None: squares
        self.tolerance, self.rcond = float(info.tolerance) or 1e-6, float(info.rcond)
        self.certificate = float(info.objective), float(info.duality_gap)  # and an upper bound of the distance from the minimum
        self.feedback_weight, self.season = float(info.feedback_weight), int(info.season)  # 0: none
        self.input, self.sum_kind = c.word_of(c.INPUTS, info.input), c.word_of(SUM_KINDS, info.sum_kind)
        self.classes = c.texts(info.classes, info.n_classes)
        # Number of rows of X in the fit: the last `ahead` rows of each record have no target.
        self.rows_given = self.n + int(info.ahead) * max(1, int(info.n_records))

    # ---- fit -----------------------------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        kernel: str,
        X: Array,
        Y: Array,
        fields: Dict[str, Any],
        watch: Watch,
        notes: Mapping[str, Optional[str]] = {},
    ) -> Tuple["Model", Array]:
        """Return the model and its fitted values, in the units of Y. `fields` are those of ``volt_fit_options``."""
        parsed = Kernel(kernel)
        options = fit_options(X.shape[1], fields)
        options.progress = watch.progress
        options.notes = c.ModelNotes(**{name: c.encode(name, text) for name, text in notes.items() if text})
        fitted = empty(len(Y), loss_outputs(fields, Y.shape[1]))
        handle = c_void_p()
        status = c.lib.volt_model_fit(parsed, X, Y, options, fitted, handle)
        model = cls(handle) if handle else None
        watch.check(status)
        assert model is not None
        return model, fitted

    # ---- prediction ----------------------------------------------------------------------------------------

    def predict(
        self, X: Array, start: str, beyond: str, verbose: Any = False, records: Optional[Sequence[int]] = None, **fields: Any
    ) -> Tuple[Array, int]:
        """Predict the rows of X, which may be records; also return the number of rows outside the ball of training. `fields` are
        `known` outputs that are fed back instead of the model's, for `warm_up` rows (0: all), and `std`, an array for the standard
        deviations of new observations, for a model that keeps its factor."""
        out = empty(X.shape[0], self.q)
        fields = dict(fields, start=start, beyond=beyond, records=records)
        return out, self._forecast("predict", c.lib.volt_model_predict, X, out, len(X), verbose, **fields)

    def run_on(
        self, steps: int, beyond: str, verbose: Any = False, after: Optional[Array] = None, start: str = "continue"
    ) -> Tuple[Array, int]:
        """Return `steps` outputs of a simulation after those rows, and the number of rows outside the ball of training. `start`
        defines the first of those rows: the last training target, the row after it, or (continue) one of the two, by its
        value."""
        out, rows = empty(steps, self.q), steps + (0 if after is None else len(after))
        fields = dict(start=start, beyond=beyond)
        return out, self._forecast("continue", c.lib.volt_model_continue, after, out, rows, verbose, **fields)

    def run_paths(self, paths: int, steps: int, beyond: str, verbose: Any = False, seed: int = 0) -> Array:
        """paths x steps x q: simulated paths with the errors of training rows as noise."""
        out, fields = empty(paths * steps, self.q), dict(start="continue", beyond=beyond, paths=paths, seed=seed)
        self._forecast("continue", c.lib.volt_model_continue, None, out, len(out), verbose, **fields)
        return out.reshape(paths, steps, self.q)

    def _forecast(
        self, title: str, function: Any, X: Any, out: Array, rows: int, verbose: Any, start: str, beyond: str, **fields: Any
    ) -> int:
        report, count = c.PredictReport(), c_int64()
        options = c.PredictOptions(start=c.PATH_STARTS[start], beyond=c.BEYOND[beyond], report=pointer(report))
        c.fill(options, **fields)
        run(title, function, self, X, options, out, count, verbose=verbose, values=rows * self.n)
        for found in report.warnings[: report.n_warnings]:
            category, hint = _PREDICT_WARNINGS[found.code]
            warn(c.text(found.text) + hint, category)
        return count.value

    def impulse(self, lags: int) -> Array:
        """q x lags x d: impulse response, through the terms that consist only of fir."""
        out = empty(self.q * lags, self.d)
        check(c.lib.volt_model_impulse(self, lags, out))
        return out.reshape(self.q, lags, self.d)

    def interval(self, coverages: Sequence[float]) -> Array:
        """Return half-widths of intervals, a row for each coverage, in the units of the targets."""
        levels = np.ascontiguousarray(coverages, dtype=float)
        out = empty(len(levels), self.q)
        check(c.lib.volt_model_interval(self, levels, len(levels), out))
        return out

    def errors(self) -> Optional[Array]:
        """Errors of the rows after the washout, each predicted from the rows known before it; None: the model has none."""
        rows = c.lib.volt_model_errors_read(self, None)
        if rows == 0:
            return None
        out = empty(rows, self.q)
        c.lib.volt_model_errors_read(self, out)
        return out

    # ---- properties ----------------------------------------------------------------------------------------

    @property
    def facts(self) -> Dict[str, float]:
        """Empty for a sum."""
        return plain_facts(self.info.facts.contents) if self.info.facts else {}

    # ---- sums ----------------------------------------------------------------------------------------------

    @classmethod
    def sum(cls, models: Sequence["Model"], weights: Optional[Sequence[float]], kind: str) -> "Model":
        """Return the weighted sum of models."""
        handle = c_void_p()
        members = (c_void_p * len(models))(*(model._as_parameter_.value for model in models))
        numbers = None if weights is None else np.ascontiguousarray(weights, dtype=float)
        check(c.lib.volt_model_sum(members, numbers, len(models), SUM_KINDS[kind], handle))
        return cls(handle)

    @property
    def members(self) -> List["Model"]:
        """Members of a sum, which they keep alive; empty for a fitted model."""
        found = []
        for i in range(self.info.n_members):
            member = Model.__new__(Model)
            member._borrow(c_void_p(self.info.members[i]), self)
            found.append(member)
        return found

    @property
    def weights(self) -> Array:
        """Weights of the members of a sum."""
        return c.array(self.info.member_weights, self.info.n_members)

    @property
    def initial(self) -> Any:
        """The inputs before the first row of a record: "zero", "first", "mean" or the values."""
        i = self.info
        if i.initial == c.INITIALS["values"]:
            return [i.initial_values[k] for k in range(i.d)]
        return c.word_of(c.INITIALS, i.initial)

    @property
    def alphas(self) -> Array:
        """q; infinite for outputs without a kernel part."""
        return c.array(self.info.alphas, self.q)

    @property
    def anchors(self) -> Array:
        """q: the input whose present value is added to an output; -1: none, it is a level."""
        return c.array(self.info.anchors, self.q)

    @property
    def records(self) -> Optional[Array]:
        """Lengths of the records of training; None: one sequence."""
        count = int(self.info.n_records)
        return c.array(self.info.records, count) if count else None

    @property
    def horizons(self) -> Optional[str]:
        """ "1..24": range of the horizons, if there are several."""
        return self._note("horizons")

    @property
    def target_ndim(self) -> Optional[int]:
        """1 or 2: dimensions of the targets as given; None: unknown."""
        note = self._note("target_ndim")
        return int(note) if note in ("1", "2") else None

    @property
    def pending(self) -> Optional[Array]:
        """Inputs after the last training row, which had no target yet; None: not stored."""
        rows = self.info.pending
        return c.copy_of(rows) if rows.rows else None

    def begins(self, X: Array) -> bool:
        """Return whether X begins with the training rows, by the first rows and their number."""
        return X.shape[0] >= self.rows_given and bool(c.lib.volt_model_begins(self.info, X))

    def _note(self, name: str) -> Optional[str]:
        note = getattr(self.info.notes, name)
        return None if note is None else c.text(note)

    @property
    def report(self) -> Optional[Dict[str, Any]]:
        """Fields of ``volt_fit_report``, arrays with a number for each output. None: the model was read from a file, or has a
        centred kernel without an intercept."""
        return c.values(self.info.report.contents, q=self.q) if self.info.report else None

    @property
    def input_names(self) -> Optional[Array]:
        return _names(self.info.input_names, self.d)

    @property
    def output_names(self) -> Optional[Array]:
        return _names(self.info.output_names, self.q)

    @property
    def coefficients(self) -> Array:
        """kernel_rows x q, for scaled targets: all training rows, or landmarks and the rows before them."""
        return c.array(self.info.coefficients, self.info.kernel_rows, self.q)

    @property
    def intercepts(self) -> Array:
        """In the units of the targets, added to ``scale * (K A)``."""
        i = self.info
        mean = c.array(i.target_mean, self.q)
        return mean + c.array(i.target_scale, self.q) * c.array(i.intercepts, self.q)

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        check(c.lib.volt_model_save(self, c.encode_path("the path", path), c.Progress()))

    @classmethod
    def load(cls, path: PathLike) -> "Model":
        handle = c_void_p()
        raw = c.encode_path("the path", path)
        with missing_file(path):
            check(c.lib.volt_model_load(raw, handle))
        return cls(handle)

    def to_bytes(self) -> bytes:
        """The safetensors file."""
        with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
            path = Path(folder, "model.safetensors")
            self.save(path)
            return path.read_bytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
            path = Path(folder, "model.safetensors")
            path.write_bytes(content)
            return cls.load(path)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> "Model":
        return self  # immutable

    def __deepcopy__(self, _memo: Any) -> "Model":
        return self
