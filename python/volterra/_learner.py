"""Learners of the library as Python objects that own them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from ctypes import byref, c_int64, c_void_p
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native as c
from ._arguments import choice
from ._arrays import Array, address, as_matrix, empty, same_rows, to_float64, view
from ._errors import check
from ._model import Model, PathLike, missing_file
from ._stream import Live

if TYPE_CHECKING:
    from ._regressor import SequenceRegressor


class Learner(Live):
    """A model that goes on learning; made by the method ``learner`` of an estimator.

    Rows come one at a time and in order. Each is forecast before it is learned, and after every one the readout is
    that of a fit on the rows of the window, to rounding; scales, alpha and kernel stay those of the estimator. One
    thread at a time may use a learner.

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

    _FREE = "volt_learner_free"

    def __init__(
        self,
        model: Model,
        beyond: str,
        flat: bool,
        window: Optional[int],
        forget: float,
        forget_what: str,
        tail: Optional[Array],
    ) -> None:
        what = c.FORGET_WHAT[choice("forget_what", forget_what, tuple(c.FORGET_WHAT))]
        options = c.LearnerOptions(_window(window), float(forget), what, c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_learner_create(model, byref(options), byref(handle)))
        self._begin(handle, model, flat)
        self._policy = beyond
        self._keys: Optional[Tuple[Any, ...]] = None
        for row in () if tail is None else tail:
            self.push(row)

    @classmethod
    def load(
        cls, path: PathLike, estimator: "SequenceRegressor", *, journal: Optional[PathLike] = None
    ) -> "Learner":
        """The learner that `save` wrote, or the program with ``stream --learn --state``.

        Parameters
        ----------
        path : path-like
        estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
            The one that the learner was made from, or the same model read from a file.
        journal : path-like, optional
            As for `open_journal`.

        Returns
        -------
        Learner
            It goes on, to the last bit, as the learner that was saved.

        Raises
        ------
        FileNotFoundError, OSError
            The file is missing or cannot be read.
        ValueError
            The file is truncated, damaged, foreign, from a later version or of another model.
        """
        model, beyond, flat = estimator._stream_parts()
        with missing_file(path):
            learner = cls._read(path, model, beyond, flat)
        if journal is not None:
            learner.open_journal(journal)
        return learner

    @classmethod
    def _read(cls, path: PathLike, model: Model, beyond: str, flat: bool) -> "Learner":
        options = c.LearnerOptions(0, 1.0, 0, c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_learner_load(model, byref(options), c.encode_path("the path", path), byref(handle)))
        learner = cls.__new__(cls)
        learner._begin(handle, model, flat)
        learner._policy = beyond
        learner._keys = None
        return learner

    def __copy__(self) -> "Learner":
        with _scratch_file() as path:
            self.save(path)
            other = self._read(path, self._model, self._policy, self._flat)
        other._keys = self._keys
        return other

    def __deepcopy__(self, _memo: Any) -> "Learner":
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise TypeError("a Learner cannot be pickled: save it to a file, and pickle the estimator")

    # ---- rows ----------------------------------------------------------------------------------------------

    def push(self, x: Any) -> Any:
        """The forecast for the next row of inputs, which feeds the past; `learn` may follow.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            A row that is refused leaves the learner as it was.

        Returns
        -------
        float, or ndarray of shape (n_outputs,)
        """
        row = self._row(x)
        out = np.empty(self._model.q)
        self._call(c.lib.volt_learner_push, address(row), address(out))
        return self._answer(out)

    def learn(self, y: Any) -> None:
        """Learn the target of the row that was pushed last.

        Parameters
        ----------
        y : float, or array-like of shape (n_outputs,)
            What stands in that row of ``y`` in `fit`; of an estimator that was fitted on a series alone, the next
            row of it. A target that is refused leaves the learner as it was.
        """
        self._call(c.lib.volt_learner_learn, address(self._target(y)))

    def update(self, X: Any, y: Any = None) -> Any:
        """Forecast each row, then learn it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or (n_features,) for one row
        y : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
            A row in which a value is NaN feeds the past and is not learned. None, for an estimator that was fitted
            on a series alone, one step ahead: every row is the target of the row before it.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The forecasts that were made before the rows were learned; of one row a float or a vector.
        """
        one = np.ndim(X) == 1 and not (self._model.d == 1 and np.ndim(y) == 1)
        rows = as_matrix(np.atleast_2d(to_float64(X, "X")) if one else X)
        if rows.shape[1] != self._model.d:
            raise ValueError(f"X has {rows.shape[1]} features, and the model takes {self._model.d}")
        targets = None if y is None else self._targets(y, one)
        if targets is None and not self._model.settings.feedback:
            raise ValueError("y is missing: only a model of a series alone, one step ahead, has its targets in X")
        if targets is not None:
            same_rows(rows, targets)
        out = empty(len(rows), self._model.q)
        for i, row in enumerate(rows):
            self._step(np.ascontiguousarray(row), None if targets is None else targets[i], out[i])
        if one:
            return self._answer(out[0])
        return out[:, 0] if self._flat else out

    def partial_fit(self, X: Any, y: Any = None) -> "Learner":
        """`update`, as scikit-learn names it; returns the learner."""
        self.update(X, y)
        return self

    def _step(self, row: Array, target: Optional[Array], out: Array) -> None:
        if target is None:
            if self.pushed > 0 and not self._learned_last():
                self.learn(row)
            self._call(c.lib.volt_learner_push, address(row), address(out))
        elif np.isnan(target).any():
            self._call(c.lib.volt_learner_push, address(row), address(out))
        else:
            self._call(c.lib.volt_learner_update, address(row), address(target), address(out))

    def _learned_last(self) -> bool:
        """Is the last row learned? Then rows of the window end with it."""
        info = self._info()
        return bool(info.rows) and int(self.rows_[-1]) == self._model.n + info.pushed - 1

    def _target(self, y: Any) -> Array:
        target = np.ascontiguousarray(np.atleast_1d(to_float64(y, "y")))
        if target.shape != (self._model.q,):
            raise ValueError(f"y has shape {target.shape}, and ({self._model.q},) is needed")
        return target

    def _targets(self, y: Any, one: bool) -> Array:
        targets = to_float64(y, "y")
        if one:
            targets = np.atleast_1d(targets).reshape(1, -1)
        elif targets.ndim == 1:
            targets = targets.reshape(-1, 1)
        if targets.ndim != 2 or targets.shape[1] != self._model.q:
            raise ValueError(f"y has shape {np.shape(y)}, and {self._model.q} outputs are needed")
        return np.ascontiguousarray(targets)

    def predict(self, X: Any) -> Any:
        """Forecasts for rows that follow, without learning: the learner stays where it is.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        rows = as_matrix(X)
        out = empty(len(rows), self._model.q)
        self._call(c.lib.volt_learner_predict, view(rows), view(out), None)
        return out[:, 0] if self._flat else out

    def drop(self, count: int = 1) -> None:
        """Drop the oldest `count` rows of the window."""
        self._call(c.lib.volt_learner_drop, int(count))

    def restart(self) -> None:
        """Another record begins, after a past of zeros. What was learned stays."""
        self._call(c.lib.volt_learner_restart)

    # ---- the habit of river --------------------------------------------------------------------------------

    def predict_one(self, x: Union[Mapping[Any, float], Sequence[float]]) -> Any:
        """The forecast of one row that follows, without learning it; `x` is a dict by names, or a row.

        Names are those of the columns that the estimator was fitted on, or where it has none the keys of the first
        dict, in their order.
        """
        out = self.predict(self._row(self._values(x)).reshape(1, -1))[0]
        return float(out) if self._flat else out

    def learn_one(self, x: Union[Mapping[Any, float], Sequence[float]], y: Any) -> None:
        """Learn one row with its target."""
        row, target = self._row(self._values(x)), self._target(y)
        self._call(c.lib.volt_learner_update, address(row), address(target), None)

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

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write the moment of the learner to a file; `Learner.load` and ``volterra stream --learn --state`` go on
        from there.

        Parameters
        ----------
        path : path-like
            The file is replaced as a whole or not at all. It does not hold the model.
        """
        self._call(c.lib.volt_learner_save, c.encode_path("the path", path))

    def open_journal(self, path: PathLike) -> int:
        """Keep a journal, of which a process that dies loses at most the row at hand.

        Parameters
        ----------
        path : path-like
            What the file holds beyond the learner's moment is done first. From then on every row is on the disk
            before the call that brings it returns.

        Returns
        -------
        int
            How many steps of the file were done.
        """
        replayed = c_int64()
        self._call(c.lib.volt_learner_open_journal, c.encode_path("the path", path), byref(replayed))
        return int(replayed.value)

    def clear_journal(self) -> None:
        """Empty the journal: all of it is in a file that `save` wrote."""
        self._call(c.lib.volt_learner_clear_journal)

    # ---- what it is ----------------------------------------------------------------------------------------

    def _info(self) -> c.LearnerInfo:
        info = c.LearnerInfo()
        c.lib.volt_learner_describe(self, byref(info))
        return info

    @property
    def rows(self) -> int:
        """Rows in the window."""
        return int(self._info().rows)

    @property
    def window(self) -> Optional[int]:
        """Rows in the window at most; None: all."""
        return int(self._info().window) or None

    @property
    def forget(self) -> float:
        return float(self._info().forget)

    @property
    def forget_what(self) -> str:
        return next(word for word, value in c.FORGET_WHAT.items() if value == self._info().forget_what)

    @property
    def pushed(self) -> int:
        """Rows since the estimator's training ended."""
        return int(self._info().pushed)

    @property
    def learned(self) -> int:
        """Of these, the rows that were learned."""
        return int(self._info().learned)

    @property
    def beyond(self) -> int:
        """Rows so far that lay beyond the ball of the training inputs."""
        return int(self._info().beyond)

    @property
    def condition(self) -> float:
        """A lower bound of the condition number of K + alpha I."""
        return float(self._info().condition)

    def _readout(self) -> Tuple[Array, Array, Array]:
        rows = self.rows
        A, intercepts, numbers = empty(rows, self._model.q), np.empty(self._model.q), np.empty(rows, np.int64)
        self._call(c.lib.volt_learner_coefficients, view(A), address(intercepts), address(numbers))
        return A, intercepts, numbers

    @property
    def coefficients_(self) -> Array:
        """Of the rows of the window, on scaled targets (rows x n_outputs)."""
        return self._readout()[0]

    @property
    def intercepts_(self) -> Array:
        return self._readout()[1]

    @property
    def rows_(self) -> Array:
        """Numbers of the rows of the window; training rows are counted from 0."""
        return self._readout()[2]


def _window(window: Optional[int]) -> int:
    if window is None:
        return 0
    if window != int(window) or window < 1:
        raise ValueError(f"window is {window}, and must be a whole number of at least 1, or None for all rows")
    return int(window)


@contextlib.contextmanager
def _scratch_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(os.path.join(folder, "moment"))


class Learns:
    """The method ``learner`` of estimators."""

    def learner(
        self: Any,
        *,
        window: Optional[int] = None,
        forget: float = 1.0,
        forget_what: str = "dynamics",
        journal: Optional[PathLike] = None,
    ) -> Learner:
        """A learner that goes on from the end of training.

        Parameters
        ----------
        window : int, optional
            Rows that it knows at most, a new one putting out the oldest; it begins with the last ones of training.
            None: all rows.
        forget : float, default=1.0
            phi in (0, 1]: the kernel of rows i and j fades by ``phi ** (abs(i - j) / 2)``.
        forget_what : {"dynamics", "all"}, default="dynamics"
            How inputs act fades, and the level stays; or the level fades as well. The same for kernels without a
            part in common to all entries, that is all but ``volterra``, whose lift is not ``"rbf"``, and sums with it.
        journal : path-like, optional
            As for `Learner.open_journal`.

        Returns
        -------
        Learner
            ``learner.update(x, y)`` is the forecast of a row, which is learned then.
        """
        model, beyond, flat = self._stream_parts()
        learner = Learner(model, beyond, flat, window, forget, forget_what, self._tail)
        if journal is not None:
            learner.open_journal(journal)
        return learner
