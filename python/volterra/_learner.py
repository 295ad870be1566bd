"""Learners of the library as Python objects that own them."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import choice
from ._core._arrays import Array, address, as_matrix, empty, same_rows, to_float64, view
from ._core._gaps import align
from ._core._model import Model, PathLike, missing_file
from ._core._names import select_columns
from ._core._progress import Watch
from ._live import Live, LiveOptions
from ._training import Horizons

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


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
        options: LiveOptions,
        window: Optional[int] = None,
        forget: float = 1.0,
        forget_what: str = "all",
    ) -> None:
        self._begin(model, beyond, flat, series)
        options.c.window, options.c.forget = _window(window), float(forget)
        options.c.forget_what = c.FORGET_WHAT[choice("forget_what", forget_what, tuple(c.FORGET_WHAT))]
        self._open(options)

    def _begin(  # type: ignore[override]
        self, model: Model, beyond: str, flat: bool, series: bool, keys: Optional[Tuple[Any, ...]] = None
    ) -> None:
        super()._begin(model, beyond, flat)
        self._series = series  # the targets are the following rows of X
        self._keys = keys

    @classmethod
    def load(
        cls,
        path: PathLike,
        estimator: "SequenceRegressor",
        *,
        coverage: Any = None,
        lock: bool = False,
    ) -> "Learner":
        """Load a learner that `save`, or the program with ``stream --learn --state``, has saved.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The original estimator, or the same model read from a file.
        coverage : float or list of float, optional
            Coverages of the intervals, if the file has none.
        lock : bool, default=False
            Lock the file while the learner exists, as in `Stream.load`.

        Returns
        -------
        Learner
            Its results are bit-identical to those of the saved learner.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read, or with ``lock`` it is already locked.
        ValueError
            The file is truncated, damaged, of another type, from a later version, of another model or of a stream.
        """
        parts = estimator._stream_parts()
        with missing_file(path):
            options = LiveOptions(parts[1], coverage, lock=lock)
            return cls._read(path, options, *parts, estimator._is_series)

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
            self._call("feed", address(row), address(out))
        else:
            self._call("update", address(row), 0, address(target), address(out))

    def _advance(self, row: Array, target: Array, out: Array) -> None:
        self._call("update", address(row), 1, address(target), address(out))

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
        status = c.lib.volt_live_model(self, int(keep_factor), watch.progress, byref(handle))
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
        self._call("update", address(row), 0, address(target), None)

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

    @property
    def rows(self) -> int:
        """Rows in the window."""
        return int(self._info().rows)

    @property
    def window(self) -> Optional[int]:
        """Maximum number of rows in the window; None: all."""
        return int(self._info().window) or None

    @property
    def forget(self) -> float:
        return float(self._info().forget)

    @property
    def forget_what(self) -> str:
        return next(word for word, value in c.FORGET_WHAT.items() if value == self._info().forget_what)

    @property
    def learned(self) -> int:
        """Number of rows learned since the end of training."""
        return int(self._info().learned)

    @property
    def condition(self) -> float:
        """A lower bound of the condition number of K + alpha I."""
        return float(self._info().condition)

    def _readout(self) -> Tuple[Array, Array, Array]:
        rows = self.rows
        A, intercepts, numbers = empty(rows, self._model.q), np.empty(self._model.q), np.empty(rows, np.int64)
        self._call("coefficients", view(A), address(intercepts), address(numbers))
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
