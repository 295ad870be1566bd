"""Models of the library, owned by Python objects.

`Model` is the model of an estimator. It is immutable, and it is pickled as the bytes of its safetensors file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from ctypes import byref, c_double, c_int, c_int64, c_void_p, pointer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native as c
from ._arguments import whole
from ._data import NO_MATRIX, Array, address, copy_of, empty, view
from ._errors import BeyondWarning, DivergenceWarning, StartWarning, check, warn
from ._kernel import Kernel, LossSettings, plain_facts
from ._progress import Watch

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


def record_fields(lengths: Optional[Sequence[int]]) -> Dict[str, Any]:
    """`records` and `n_records` of an options struct."""
    if lengths is None:
        return {}
    return dict(records=(c_int64 * len(lengths))(*lengths), n_records=len(lengths))


def initial_fields(initial: Tuple[str, Optional[Sequence[float]]]) -> Dict[str, Any]:
    """`initial` and `initial_values` of an options struct."""
    word, values = initial
    fields: Dict[str, Any] = dict(initial=c.INITIALS[word])
    if values is not None:
        fields.update(initial_values=(c_double * len(values))(*values))
    return fields


class FitSettings(NamedTuple):
    """``volt_fit_options`` without the names and the progress."""

    alpha: float  # 0: chosen
    washout: int
    intercept: bool
    scale: bool
    ahead: int
    feedback: bool
    target: str = "auto"
    input: str = "auto"
    season: int = -1  # -1: automatic, 0: none
    anchors: Optional[Sequence[int]] = None
    horizons: Optional[str] = None  # "1..24"
    records: Optional[Sequence[int]] = None  # lengths; None: one sequence
    plain: Mapping[str, Any] = {}  # further fields, as plain_settings reads them
    guarded: bool = False  # alpha given, target a change: keep naive unless the fit is better on held-out rows
    feedback_weight: float = 0.0  # weight of the outputs fed back; 0: none
    losses: LossSettings = LossSettings()
    solver: str = "auto"
    landmarks: Tuple[int, str] = (0, "spread")  # number, 0: default; choice
    iterations: int = 0  # maximum of pcg; 0: default
    checkpoint: Optional[str] = None
    pending: Optional[Array] = None  # inputs after the last one that has a target
    target_ndim: Optional[int] = None  # of the targets as they were given
    initial: Tuple[str, Optional[Sequence[float]]] = ("zero", None)  # word, and values for "values"

    def options(self, inputs: int) -> c.FitOptions:
        """The options of a fit to this number of inputs."""
        anchors, values = self.anchors, self.initial[1]
        if values is not None and len(values) != inputs:
            raise ValueError(f"initial must have {inputs} values, one per input (got {len(values)})")
        return c.FitOptions(
            alpha=self.alpha,
            washout=self.washout,
            intercept=self.intercept,
            scale=self.scale,
            ahead=self.ahead,
            feedback=self.feedback,
            target=c.TARGETS[self.target],
            input=c.INPUTS[self.input],
            anchors=None if anchors is None else (c_int64 * len(anchors))(*anchors),
            season=self.season,
            guarded=self.guarded,
            feedback_weight=self.feedback_weight,
            solver=c.encode("the solver", self.solver),
            landmarks=self.landmarks[0],
            landmark_choice=c.LANDMARKS[self.landmarks[1]],
            iterations=self.iterations,
            checkpoint=None if self.checkpoint is None else c.encode("the path of the checkpoint", self.checkpoint),
            checkpoint_seconds=60.0,
            **initial_fields(self.initial),
            **record_fields(self.records),
            **self.losses.fields(),
            **self.plain,
        )


#: Conversions of parameters to fields, by type.
PLAIN_TYPES: Dict[Any, Callable[[str, Any], Any]] = {
    c_int: lambda name, value: int(bool(value)),
    c_int64: whole,
    c_double: lambda name, value: float(value),
}


def plain_settings(estimator: Any) -> Dict[str, Any]:
    """Fields of ``volt_fit_options`` that are parameters of the estimator with the same name and meaning."""
    others = {*FitSettings._fields, *LossSettings._fields}
    fields = [(field[0], field[1]) for field in c.FitOptions._fields_ if field[0] not in others]
    values = {name: (kind, getattr(estimator, name, None)) for name, kind in fields}
    return {
        name: PLAIN_TYPES[kind](name, value)
        for name, (kind, value) in values.items()
        if kind in PLAIN_TYPES and value is not None
    }


#: Fields of a report that are attributes of the estimators: numbers, and one for each output.
HELD_OUT = ("heldout_r2", "log_likelihood")
NORMS = ("rkhs_norm", "effective_dimension", "noise")


class FitReport(NamedTuple):
    """Results on held-out rows."""

    rows: int
    first: int
    heldout_r2: float
    naive_r2: float
    alphas: int  # tried
    mse: Array  # q each
    best_mse: Array
    naive_mse: Array
    share: Array
    log_likelihood: float  # nan if an output is not a pure kernel fit
    loo_mse: Optional[Array]  # q: leave-one-out errors of the last rows; None: unknown ...
    gcv: Optional[Array]  # ... q: generalised cross-validation, over all rows
    loo_rows: int
    solver: str  # solver used
    iterations: int  # iterations of pcg ...
    residual: float  # ... and its residual, relative to the targets less their mean; nan: another solver
    landmarks: int  # of the readout or of the preconditioner; 0: none
    rmse: Array  # q each: roots of mse, best_mse and naive_mse, valid also if a square overflows or underflows
    best_rmse: Array
    naive_rmse: Array
    blocks: int  # of held-out rows, each predicted by one fit; 0: every row from all rows known then
    rkhs_norm: Array  # q each: norm of the fitted functional without its constant; nan: unknown
    effective_dimension: Array  # tr K (K + alpha I)^-1; nan: unknown ...
    dimension_error: Array  # ... and its standard error; 0: exact
    noise: Array  # noise level; nan: unknown
    landmarks_tried: int  # landmarks="auto": largest number tried; 0: the number was given
    landmarks_gain: float  # relative reduction of the held-out RMSE from the chosen number to that; nan: unknown
    landmarks_why: str  # reason for the number; "": was given
    device: str  # devices of the solver: "cpu", "gpu:0", "gpu:0,1", ...; "": unknown


TEXTS = ("solver", "landmarks_why", "device")  # fields of FitReport that are strings


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
        self._info = c.ModelInfo()
        c.lib.volt_model_get_info(self, byref(self._info))
        self.n, self.d, self.q = int(self._info.n), int(self._info.d), int(self._info.q)

    # ---- fit -----------------------------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        kernel: str,
        X: Array,
        Y: Array,
        settings: FitSettings,
        watch: Watch,
        input_names: Optional[Array] = None,
        output_names: Optional[Array] = None,
    ) -> Tuple["Model", Array]:
        """Return the model and its fitted values, in the units of Y."""
        parsed = Kernel(kernel)
        ndim = None if settings.target_ndim is None else str(settings.target_ndim)
        notes = dict(horizons=settings.horizons, target_ndim=ndim)
        options = settings.options(X.shape[1])
        options.input_names = c.names_array("the name of an input", input_names)
        options.output_names = c.names_array("the name of an output", output_names)
        options.progress = watch.progress
        if settings.pending is not None:
            options.pending = view(settings.pending)
        options.notes = c.ModelNotes(**{name: c.encode(name, text) for name, text in notes.items() if text})
        fitted = empty(len(Y), settings.losses.outputs(Y.shape[1]))
        handle = c_void_p()
        status = c.lib.volt_model_fit(parsed, view(X), view(Y), byref(options), view(fitted), byref(handle))
        model = cls(handle) if handle else None
        watch.check(status)
        assert model is not None
        return model, fitted

    # ---- prediction ----------------------------------------------------------------------------------------

    def predict(
        self,
        X: Array,
        start: str,
        beyond: str,
        verbose: Any = False,
        records: Optional[Sequence[int]] = None,
        known: Optional[Array] = None,
        warm_up: int = 0,
    ) -> Tuple[Array, int]:
        """Predict the rows of X, which may be records; also return the number of rows outside the ball of training. The
        `known` outputs are fed back instead of the model's, for `warm_up` rows (0: all)."""
        out = empty(X.shape[0], self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            if known is not None:
                options.known, options.warm_up = view(known), warm_up
            return int(c.lib.volt_model_predict(self, view(X), byref(options), view(out), byref(count)))

        self._forecast(call, X.shape[0], start, beyond, verbose, "predict", records)
        return out, count.value

    def predict_std(
        self, X: Array, start: str, beyond: str, verbose: Any = False, records: Optional[Sequence[int]] = None
    ) -> Tuple[Array, Array, int]:
        """The same with the standard deviations of new observations, for a model that keeps its factor."""
        out, std = empty(X.shape[0], self.q), empty(X.shape[0], self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            options.std = view(std)
            return int(c.lib.volt_model_predict(self, view(X), byref(options), view(out), byref(count)))

        self._forecast(call, X.shape[0], start, beyond, verbose, "predict", records)
        return out, std, count.value

    def run_on(
        self,
        steps: int,
        beyond: str,
        verbose: Any = False,
        after: Optional[Array] = None,
        start: str = "continue",
    ) -> Tuple[Array, int]:
        """Return `steps` outputs of a simulation after those rows, and the number of rows outside the ball of training. `start`
        defines the first of those rows: the last training target, the row after it, or (continue) one of the two, by its
        value."""
        out = empty(steps, self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            known = NO_MATRIX if after is None else view(after)
            return int(c.lib.volt_model_continue(self, known, byref(options), view(out), byref(count)))

        rows = steps + (0 if after is None else after.shape[0])
        self._forecast(call, rows, start, beyond, verbose, "continue")
        return out, count.value

    def run_paths(self, paths: int, steps: int, beyond: str, verbose: Any = False, seed: int = 0) -> Array:
        """paths x steps x q: simulated paths with the errors of training rows as noise."""
        out = empty(paths * steps, self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            options.paths, options.seed = paths, seed
            return int(c.lib.volt_model_continue(self, NO_MATRIX, byref(options), view(out), byref(count)))

        self._forecast(call, paths * steps, "continue", beyond, verbose, "continue")
        return out.reshape(paths, steps, self.q)

    def impulse(self, lags: int) -> Array:
        """q x lags x d: impulse response, through the terms that consist only of fir."""
        out = empty(self.q * lags, self.d)
        check(c.lib.volt_model_impulse(self, lags, view(out)))
        return out.reshape(self.q, lags, self.d)

    def interval(self, coverages: Sequence[float]) -> Array:
        """Return half-widths of intervals, a row for each coverage, in the units of the targets."""
        levels = np.ascontiguousarray(coverages, dtype=float)
        out = empty(len(levels), self.q)
        check(c.lib.volt_model_interval(self, address(levels), len(levels), view(out)))
        return out

    def errors(self) -> Optional[Array]:
        """Errors of the rows after the washout, each predicted from the rows known before it; None: the model has none."""
        rows = c.lib.volt_model_errors_read(self, NO_MATRIX)
        if rows == 0:
            return None
        out = empty(rows, self.q)
        c.lib.volt_model_errors_read(self, view(out))
        return out

    def _forecast(
        self,
        call: Any,
        rows: int,
        start: str,
        beyond: str,
        verbose: Any,
        title: str,
        records: Optional[Sequence[int]] = None,
    ) -> None:
        with Watch(title, verbose, values=rows * self.n) as watch:
            report = c.PredictReport()
            options = c.PredictOptions(
                start=c.PATH_STARTS[start], beyond=c.BEYOND[beyond], progress=watch.progress, **record_fields(records)
            )
            options.report = pointer(report)
            watch.check(call(options))
        for found in report.warnings[: report.n_warnings]:
            category, hint = _PREDICT_WARNINGS[found.code]
            warn(c.text(found.text) + hint, category)

    # ---- properties ----------------------------------------------------------------------------------------

    def _array(self, pointer: Any, *shape: int) -> Array:
        return np.ctypeslib.as_array(pointer, shape).copy()

    def _names(self, pointer: Any, count: int) -> Optional[Array]:
        if not pointer:
            return None
        return np.array([c.text(pointer[i]) for i in range(count)], dtype=object)

    @property
    def kernel(self) -> str:
        return c.text(self._info.kernel)

    @property
    def facts(self) -> Dict[str, float]:
        """Empty for a sum."""
        return plain_facts(self._info.facts.contents) if self._info.facts else {}

    # ---- sums ----------------------------------------------------------------------------------------------

    @classmethod
    def sum(cls, models: Sequence["Model"], weights: Optional[Sequence[float]], kind: str) -> "Model":
        """Return the weighted sum of models."""
        handle = c_void_p()
        members = (c_void_p * len(models))(*(model._as_parameter_.value for model in models))
        numbers = None if weights is None else np.ascontiguousarray(weights, dtype=float)
        check(
            c.lib.volt_model_sum(
                members, None if numbers is None else address(numbers), len(models), SUM_KINDS[kind], byref(handle)
            )
        )
        return cls(handle)

    @property
    def members(self) -> List["Model"]:
        """Members of a sum, which they keep alive; empty for a fitted model."""
        found = []
        for i in range(self._info.n_members):
            member = Model.__new__(Model)
            member._borrow(c_void_p(self._info.members[i]), self)
            found.append(member)
        return found

    @property
    def weights(self) -> Array:
        """Weights of the members of a sum."""
        return self._array(self._info.member_weights, self._info.n_members)

    @property
    def sum_kind(self) -> str:
        return next(word for word, value in SUM_KINDS.items() if value == self._info.sum_kind)

    @property
    def settings(self) -> FitSettings:
        i = self._info
        return FitSettings(i.alpha, i.washout, bool(i.intercept), bool(i.scaled), i.ahead, bool(i.feedback))

    @property
    def scale_each(self) -> bool:
        """Whether every input has its own scale."""
        return bool(self._info.scale_each)

    @property
    def initial(self) -> Any:
        """The inputs before the first row of a record: "zero", "first", "mean" or the values."""
        i = self._info
        if i.initial == c.INITIALS["values"]:
            return [i.initial_values[k] for k in range(i.d)]
        return next(word for word, number in c.INITIALS.items() if number == i.initial)

    @property
    def feedback_weight(self) -> float:
        """Weight of the outputs fed back; 0: no feedback."""
        return float(self._info.feedback_weight)

    @property
    def loss(self) -> Optional[str]:
        """Text of the loss; None: squares."""
        return c.text(self._info.loss) or None

    @property
    def tolerance(self) -> float:
        return float(self._info.tolerance) or 1e-6

    @property
    def certificate(self) -> Tuple[float, float]:
        """Objective, and an upper bound of its distance from the minimum."""
        return float(self._info.objective), float(self._info.duality_gap)

    @property
    def classes(self) -> List[str]:
        """Names of the classes, one for each output; empty for numeric targets."""
        return [c.text(self._info.classes[k]) for k in range(self._info.n_classes)]

    @property
    def expansion_inputs(self) -> int:
        """Inputs of an expansion, with the outputs that are fed back."""
        return int(self._info.expansion_inputs)

    @property
    def alphas(self) -> Array:
        """q; infinite for outputs without a kernel part."""
        return self._array(self._info.alphas, self.q)

    @property
    def anchors(self) -> Array:
        """q: the input whose present value is added to an output; -1: none, it is a level."""
        return self._array(self._info.anchors, self.q)

    @property
    def records(self) -> Optional[Array]:
        """Lengths of the records of training; None: one sequence."""
        count = int(self._info.n_records)
        return self._array(self._info.records, count) if count else None

    @property
    def season(self) -> int:
        """Season of the columns in rows; 0: none."""
        return int(self._info.season)

    @property
    def input(self) -> str:
        """Inputs of the kernel: "level", "change" or "both"."""
        return next(word for word, value in c.INPUTS.items() if value == self._info.input)

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
        rows = self._info.pending
        return copy_of(rows) if rows.rows else None

    def begins(self, X: Array) -> bool:
        """Return whether X begins with the training rows, by the first rows and their number."""
        return X.shape[0] >= self.rows_given and bool(c.lib.volt_model_begins(byref(self._info), view(X)))

    @property
    def rows_given(self) -> int:
        """Number of rows of X in the fit: the last `ahead` rows of each record have no target."""
        return self.n + int(self._info.ahead) * max(1, int(self._info.n_records))

    def _note(self, name: str) -> Optional[str]:
        note = getattr(self._info.notes, name)
        return None if note is None else c.text(note)

    @property
    def report(self) -> Optional[FitReport]:
        """None: the model was read from a file, or has a centred kernel without an intercept."""
        if not self._info.report:
            return None
        r = self._info.report.contents
        numbers = {name: getattr(r, name) for name in FitReport._fields if name not in TEXTS}
        arrays = (
            *("mse", "best_mse", "naive_mse", "share", "loo_mse", "gcv", "rmse", "best_rmse", "naive_rmse"),
            *("rkhs_norm", "effective_dimension", "dimension_error", "noise"),
        )
        numbers.update({name: self._array(numbers[name], self.q) if numbers[name] else None for name in arrays})
        texts = {name: c.text(getattr(r, name)) if getattr(r, name) else "" for name in TEXTS}
        return FitReport(**texts, **numbers)

    @property
    def rcond(self) -> float:
        return float(self._info.rcond)

    @property
    def input_names(self) -> Optional[Array]:
        return self._names(self._info.input_names, self.d)

    @property
    def output_names(self) -> Optional[Array]:
        return self._names(self._info.output_names, self.q)

    @property
    def coefficients(self) -> Array:
        """kernel_rows x q, for scaled targets: all training rows, or landmarks and the rows before them."""
        return self._array(self._info.coefficients, self._info.kernel_rows, self.q)

    @property
    def landmarks(self) -> int:
        """Number of landmarks of the readout; 0: all training rows."""
        return int(self._info.landmarks)

    @property
    def intercepts(self) -> Array:
        """In the units of the targets, added to ``scale * (K A)``."""
        i = self._info
        mean = self._array(i.target_mean, self.q)
        return mean + self._array(i.target_scale, self.q) * self._array(i.intercepts, self.q)

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        check(c.lib.volt_model_save(self, c.encode_path("the path", path), c.Progress()))

    @classmethod
    def load(cls, path: PathLike) -> "Model":
        handle = c_void_p()
        raw = c.encode_path("the path", path)
        with missing_file(path):
            check(c.lib.volt_model_load(raw, byref(handle)))
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
