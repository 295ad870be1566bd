"""Models that take one row at a time: `Stream`, and `Learner`, which also learns."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from ctypes import c_void_p
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
)

import numpy as np

from ._core import _native as c
from ._core._arguments import choice, level_list, whole
from ._core._data import Array, as_matrix, as_row, empty, same_rows, select_cells, select_columns, to_float64
from ._core._errors import check
from ._core._gaps import align
from ._core._model import Model, PathLike, missing_file
from ._core._progress import Watch
from ._training import Horizons

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


AnyLive = TypeVar("AnyLive", bound="Live")


@contextlib.contextmanager
def _scratch_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
        yield Path(folder, "state")


def _restore(kind: Type[AnyLive], content: bytes, *settings: Any) -> AnyLive:
    with _scratch_file() as path:
        path.write_bytes(content)
        return kind._read(path, live_options(settings[1]), *settings)


def live_options(
    beyond: str,
    coverage: Any = None,
    state: Optional[PathLike] = None,
    pending: Optional[Array] = None,
    lock: bool = False,
) -> c.LiveOptions:
    return c.fill(
        c.lib.volt_live_options_default(),
        beyond=c.BEYOND[beyond],
        coverages=None if coverage is None else level_list("coverage", coverage)[0],
        state=None if state is None else c.encode_path("state", state),
        pending=pending,
        lock=lock,
    )


class Live(c.Owner):
    """A model that takes one row at a time, from one thread at a time."""

    _FREE = "volt_live_free"
    _LEARNS: bool

    def _begin(self, model: Model, beyond: str, flat: bool) -> None:
        """Attributes in addition to the library's object."""
        self._model = model
        self._policy = beyond
        self._flat = flat
        self._busy = threading.Lock()

    def _open(self, options: c.LiveOptions, path: Optional[PathLike] = None) -> None:
        """Create the object, or load it from a file."""
        handle = c_void_p()
        options.learn = int(self._LEARNS)
        where = () if path is None else (c.encode_path("the path", path),)
        function = c.lib.volt_live_create if path is None else c.lib.volt_live_load
        check(function(self._model, options, *where, handle))
        self._own(handle, self._model)

    def _info(self) -> c.LiveInfo:
        info = c.LiveInfo()
        check(c.lib.volt_live_get_info(self, info))
        return info

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a function of the library unless another thread uses the object. A lock that waits would make the order
        of rows random."""
        if not self._busy.acquire(blocking=False):
            kind = type(self).__name__.lower()
            raise RuntimeError(
                f"another thread uses this {kind}: feed from one thread at a time, or give each "
                f"thread a copy of the {kind} (copy.copy)"
            )
        try:
            check(getattr(c.lib, f"volt_live_{name}")(self, *arguments))
        finally:
            self._busy.release()

    def _settings(self) -> Tuple[Any, ...]:
        """The arguments of `_begin`."""
        return self._model, self._policy, self._flat

    def __copy__(self: AnyLive) -> AnyLive:
        handle = c_void_p()
        self._call("copy", handle)
        other = type(self).__new__(type(self))
        other._begin(*self._settings())
        other._own(handle, self._model)
        return other

    def __deepcopy__(self: AnyLive, _memo: Any) -> AnyLive:
        return self.__copy__()

    @classmethod
    def _read(cls: Type[AnyLive], path: PathLike, options: c.LiveOptions, *settings: Any) -> AnyLive:
        """Load an object that `save` has written."""
        live = cls.__new__(cls)
        live._begin(*settings)
        live._open(options, path)
        return live

    def __reduce__(self) -> Any:
        with _scratch_file() as path:
            self.save(path)
            return _restore, (type(self), path.read_bytes(), *self._settings())

    def _figures(self) -> Dict[str, Any]:
        """Further fields of the representation."""
        return {}

    def __repr__(self) -> str:
        handle = getattr(self, "_handle", None)
        if handle is None or not handle.pointer:
            return f"{type(self).__name__}(empty)"
        figures = {"kernel": self._model.kernel, **self._figures()}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in figures.items())})"

    @property
    def fed(self) -> int:
        """Number of rows since the end of training."""
        return int(self._info().rows_fed)

    @property
    def beyond(self) -> int:
        """Number of rows outside the ball of the training inputs."""
        return int(self._info().beyond)

    # ---- rows ----------------------------------------------------------------------------------------------

    def _row(self, x: Any) -> Array:
        """Check one row of inputs."""
        row = as_row(select_cells(x, self._model.input_names))
        if row.ndim == 0 and self._model.d == 1:
            row = row.reshape(1)
        if row.shape != (self._model.d,):
            raise ValueError(f"the row has shape {row.shape}, and ({self._model.d},) is needed")
        return row

    def _target(self, y: Any) -> Array:
        """Check one row of outputs; nan: unknown."""
        row = np.ascontiguousarray(np.atleast_1d(to_float64(y, "y")))
        if row.shape != (self._model.q,):
            raise ValueError(f"the output has shape {row.shape}, and ({self._model.q},) is needed")
        return row

    def _answer(self, out: Array) -> Any:
        return float(out[0]) if self._flat else out

    def feed(self, x: Any) -> Any:
        """Feed the next row of inputs and return its prediction.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            A rejected row (not finite, or outside the ball with ``beyond="error"``) changes nothing.

        Returns
        -------
        float, or ndarray of shape (n_outputs,)
            A float if the estimator was fitted on a 1-D ``y``.
        """
        row = self._row(x)
        out = np.empty(self._model.q)
        self._call("feed", row, out)
        return self._answer(out)

    def restart(self) -> None:
        """Begin another record, with zero initial state. Learned rows are kept."""
        self._call("restart")

    def learn(self, y: Any, back: int = 0) -> None:
        """Set the target of a row. A learner learns it. The target updates the intervals, and with ``feedback`` it is
        fed back with the next row instead of the prediction.

        Parameters
        ----------
        y : float, or array-like of shape (n_outputs,)
            The target of that row, as in `fit`; for an estimator fitted without y, the next row of the series. A rejected target
            changes nothing. nan, for a stream: unknown.
        back : int, default=0
            Number of rows fed after the row of this target: for a stream up to ``ahead`` of the estimator, for a learner 0
            or ``ahead - 1``.

        Raises
        ------
        ValueError
            No row has this target pending, or a number is not finite; for a stream also if it neither tracks intervals nor feeds
            outputs back.
        """
        self._call("learn", whole("back", back), self._target(y))

    def predict(self, X: Any) -> Any:
        """Predict the following rows. The object is unchanged.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        rows = as_matrix(select_columns(X, self._model.input_names, "X"))
        out = empty(len(rows), self._model.q)
        self._call("predict", rows, 0, out, None)
        return out[:, 0] if self._flat else out

    def interval(self) -> Any:
        """Return half-widths of shape (n_coverages, n_outputs) of the intervals of the last prediction, as computed with it; inf
        if there are too few errors so far.

        The half-widths adapt to the errors (docs/math.md, "Intervals"): a miss widens the next interval, a hit narrows
        it slightly, so that the share inside converges to the coverage for any data. Requires ``coverage`` in
        ``stream`` or ``learner``.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> rng = np.random.default_rng(0)
        >>> u = rng.uniform(-1, 1, (300, 1))
        >>> y = u[:, 0] + 0.1 * rng.normal(size=300)
        >>> stream = volterra.SequenceKernelRidge("linear", 1e-2).fit(u[:200], y[:200]).stream(coverage=0.9)
        >>> for row, target in zip(u[200:], y[200:]):
        ...     prediction, half = stream.feed(row), stream.interval()
        ...     stream.learn(target)
        """
        half = np.empty((max(int(self._info().n_coverages), 1), self._model.q))
        self._call("interval", half)
        return half

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: Optional[PathLike] = None) -> None:
        """Save the state; ``load`` of the class and ``volterra stream --state`` resume from it.

        Parameters
        ----------
        path : path-like, optional
            The file is replaced atomically. It does not contain the model. None: the state file that the object was created
            with or loaded from.

        Raises
        ------
        OSError
            The file cannot be written, or is locked by ``volterra stream --state``, or by a stream or learner loaded with
            ``lock=True``.

        Examples
        --------
        >>> import os, tempfile, numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
        >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
        >>> stream = model.stream()
        >>> live = [stream.feed(row) for row in x[150:160]]
        >>> path = os.path.join(tempfile.mkdtemp(), "model.state")
        >>> stream.save(path)
        >>> volterra.Stream.load(path, model).feed(x[160]) == stream.feed(x[160])
        True
        """
        self._call("save", None if path is None else c.encode_path("the path", path))

    @classmethod
    def load(
        cls: Type[AnyLive], path: PathLike, estimator: "SequenceRegressor", *, coverage: Any = None, lock: bool = False
    ) -> AnyLive:
        """Load a stream or learner that `save`, or the program with ``stream --state``, has saved.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The original estimator, or the same model read from a file.
        coverage : float or list of float, optional
            Coverages of the intervals, if the file has none.
        lock : bool, default=False
            Lock the file while the object exists: no other stream or learner, in this or another process, and no
            ``volterra stream --state`` can lock it or save to it. The lock ends with the process.

        Returns
        -------
        Stream or Learner
            Its results are bit-identical to those of the saved one.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read, or with ``lock`` it is already locked.
        ValueError
            The file is truncated, damaged, of another type, from a later version or of another model; or it is of a learner for
            `Stream`, or of a stream for `Learner`.
        """
        parts = cls._parts(estimator)
        with missing_file(path):
            return cls._read(path, live_options(parts[1], coverage, lock=lock), *parts)

    @classmethod
    def _parts(cls, estimator: "SequenceRegressor") -> Tuple[Any, ...]:
        """The arguments of `_begin` for an estimator."""
        return estimator._stream_parts()


class Stream(Live):
    """A model that takes one row at a time; created by the method ``stream`` of an estimator.

    ``copy.copy(stream)`` is an independent stream in the same state. A pickle contains the model and the state; `save` and
    `load` store only the state. Feed a stream from one thread at a time.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
    >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
    >>> stream = model.stream()
    >>> live = [stream.feed(row) for row in x[150:]]
    >>> bool(np.allclose(live, model.predict(x[150:])))
    True
    """

    _LEARNS = False

    def __init__(self, model: Model, beyond: str, flat: bool, start: str, options: c.LiveOptions) -> None:
        self._begin(model, beyond, flat)
        options.start = c.STARTS[start]
        self._open(options)

    def _figures(self) -> Dict[str, Any]:
        return {"n_features": self._model.d, "n_outputs": self._model.q, "beyond": self.beyond}


if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


# ---- learner ---------------------------------------------------------------------------------------------


class Learner(Live):
    """A model that learns row by row; created by the method ``learner`` of an estimator.

    Rows must be in time order. Each row is predicted before it is learned. After every row the readout equals a fit on
    the rows of the window, to rounding; scales, alpha and kernel do not change. Use a learner from one thread at a
    time. A copy or pickle is an independent learner in the same state, without files.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(300.0) + 1e-5 * np.arange(300.0) ** 2).reshape(-1, 1)
    >>> y = x[:, 0] ** 2 + 0.001 * np.arange(300.0)
    >>> model = volterra.VolterraRidge(alpha=1e-3).fit(x[:150], y[:150])
    >>> learner = model.learner(window=100)
    >>> forecasts = learner.update(x[150:], y[150:])
    >>> bool(np.mean((forecasts - y[150:]) ** 2) < np.mean((model.predict(x[150:]) - y[150:]) ** 2))
    True
    """

    _LEARNS = True

    def __init__(
        self,
        model: Model,
        beyond: str,
        flat: bool,
        series: bool,
        options: c.LiveOptions,
        window: Optional[int] = None,
        forget: float = 1.0,
        forget_what: str = "all",
    ) -> None:
        self._begin(model, beyond, flat, series)
        what = c.FORGET_WHAT[choice("forget_what", forget_what, tuple(c.FORGET_WHAT))]
        c.fill(options, window=_window(window), forget=float(forget), forget_what=what)
        self._open(options)

    def _begin(  # type: ignore[override]
        self, model: Model, beyond: str, flat: bool, series: bool, keys: Optional[Tuple[Any, ...]] = None
    ) -> None:
        super()._begin(model, beyond, flat)
        self._series = series  # the targets are the following rows of X
        self._keys = keys

    @classmethod
    def _parts(cls, estimator: "SequenceRegressor") -> Tuple[Any, ...]:
        return (*super()._parts(estimator), estimator._is_series)

    def _settings(self) -> Tuple[Any, ...]:
        return (*super()._settings(), self._series, self._keys)

    def _figures(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in ("rows", "window", "forget", "fed", "learned")}

    # ---- rows ----------------------------------------------------------------------------------------------

    def update(self, X: Any, y: Any = None) -> Any:
        """Predict each row, then learn it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_features,) for one row
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
            The target of each row, with ``ahead=H`` the value H rows later. A row with NaN only enters the state. None: as
            for `advance`.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The predictions made before the rows were learned; for one row a float or a vector.
        """
        return self.advance(X) if y is None else self._take(X, y, self._step)

    def advance(self, X: Any, y: Any = None) -> Any:
        """Take rows in time order, with the targets observed with each of them, and return predictions.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_features,) for one row
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
            Row by row with X, as for `fit`: with ``ahead=H`` it is the target of the row H rows before. That row is learned,
            then the new row is predicted. Rows with NaN are not learned. None, for an estimator fitted without y: the rows of
            X themselves.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The predictions; for one row a float or a vector.
        """
        horizons = Horizons.of(self._model)
        if horizons.several:
            raise ValueError(
                f"the outputs lie {horizons.note} rows ahead, and become known one after the other: give all targets of "
                "each row to update(X, y)"
            )
        if y is None and not self._series:
            raise ValueError("y is missing: it is optional only for an estimator fitted without y")
        return self._take(X, X if y is None else y, self._advance)

    def _take(self, X: Any, y: Any, step: Callable[[Array, Array, Array], None]) -> Any:
        """Call `step` for every row with its targets and the array for its prediction."""
        X, y = align(X, y)
        X = select_columns(X, self._model.input_names, "X")
        one = np.ndim(X) == 1 and not (self._model.d == 1 and np.ndim(y) == 1)
        rows = as_matrix(np.atleast_2d(to_float64(X, "X")) if one else X)
        if rows.shape[1] != self._model.d:
            raise ValueError(f"X has {rows.shape[1]} features, and the model takes {self._model.d}")
        targets = self._targets(y, one)
        same_rows(rows, targets)
        out = empty(len(rows), self._model.q)
        for i, row in enumerate(rows):
            step(np.ascontiguousarray(row), targets[i], out[i])
        if one:
            return self._answer(out[0])
        return out[:, 0] if self._flat else out

    def partial_fit(self, X: Any, y: Any = None) -> "Learner":
        """Alias of `update` in the scikit-learn API; returns the learner."""
        self.update(X, y)
        return self

    def _step(self, row: Array, target: Array, out: Array) -> None:
        if np.isnan(target).any():
            self._call("feed", row, out)
        else:
            self._call("update", row, 0, target, out)

    def _advance(self, row: Array, target: Array, out: Array) -> None:
        self._call("update", row, 1, target, out)

    def _targets(self, y: Any, one: bool) -> Array:
        targets = to_float64(y, "y")
        if one:
            targets = np.atleast_1d(targets).reshape(1, -1)
        elif targets.ndim == 1:
            targets = targets.reshape(-1, 1)
        if targets.ndim != 2 or targets.shape[1] != self._model.q:
            raise ValueError(f"y has shape {np.shape(y)}, and {self._model.q} outputs are needed")
        return np.ascontiguousarray(targets)

    def model_of_all(self, keep_factor: bool, watch: Watch) -> Model:
        """Return a model of all rows learned so far; the learner must have no window and no forgetting."""
        handle = c_void_p()
        status = c.lib.volt_live_model(self, int(keep_factor), watch.progress, handle)
        model = Model(handle) if handle else None
        watch.check(status)
        assert model is not None
        return model

    def drop(self, count: int = 1) -> None:
        """Drop the oldest `count` rows of the window."""
        self._call("drop", int(count))

    # ---- river API -----------------------------------------------------------------------------------------

    def predict_one(self, x: Union[Mapping[Any, float], Sequence[float]]) -> Any:
        """Predict one row without learning it; `x` is a dict by names, or a row.

        The names are the columns of the estimator's X, or if it has none the keys of the first dict, in their order.
        """
        out = self.predict(self._row(self._values(x)).reshape(1, -1))[0]
        return float(out) if self._flat else out

    def learn_one(self, x: Union[Mapping[Any, float], Sequence[float]], y: Any) -> None:
        """Learn one row with its target."""
        row, target = self._row(self._values(x)), self._target(y)
        self._call("update", row, 0, target, None)

    def _values(self, x: Any) -> Any:
        if not isinstance(x, Mapping):
            return x
        if self._keys is None:
            names = self._model.input_names
            self._keys = tuple(x) if names is None else tuple(names)
        missing = [key for key in self._keys if key not in x]
        if missing:
            raise ValueError(f"the row has no {missing[0]!r}; its names are {list(self._keys)}")
        return [x[key] for key in self._keys]

    # ---- properties ----------------------------------------------------------------------------------------

    rows = property(lambda self: int(self._info().rows), doc="Rows in the window.")
    window = property(lambda self: int(self._info().window) or None, doc="Maximum number of rows in the window; None: all.")
    forget = property(lambda self: float(self._info().forget), doc="Forgetting factor.")
    learned = property(lambda self: int(self._info().learned), doc="Number of rows learned since the end of training.")
    condition = property(lambda self: float(self._info().condition), doc="A lower bound of the condition number of K + alpha I.")

    @property
    def forget_what(self) -> str:
        return c.word_of(c.FORGET_WHAT, self._info().forget_what)

    def _readout(self) -> Tuple[Array, Array, Array]:
        rows = self.rows
        A, intercepts, numbers = empty(rows, self._model.q), np.empty(self._model.q), np.empty(rows, np.int64)
        self._call("coefficients", A, intercepts, numbers)
        return A, intercepts, numbers

    @property
    def coefficients_(self) -> Array:
        """Coefficients of the rows of the window, for scaled targets (rows x n_outputs)."""
        return self._readout()[0]

    @property
    def intercepts_(self) -> Array:
        return self._readout()[1]

    @property
    def rows_(self) -> Array:
        """Indices of the rows of the window, counted from the first training row."""
        return self._readout()[2]


def _window(window: Optional[int]) -> int:
    if window is None:
        return 0
    if window != int(window) or window < 1:
        raise ValueError(f"window must be a whole number of at least 1, or None for all rows (got {window})")
    return int(window)
