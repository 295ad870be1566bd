"""Fit and simulate with the data of benchmark packages: nonlinear-benchmarks and identibench.

- nonlinear-benchmarks returns records with arrays ``u`` and ``y`` and, for tests, a
  ``state_initialization_window_length``: leading rows that may initialise a state and are not scored;
- identibench calls a model as ``model(u, y_init, attrs)``, where y_init holds the first rows of y, or none.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

from .._core._arguments import whole
from .._core._data import Array

__all__ = ["Record", "Simulator", "builder", "fit", "rmse", "simulate"]


class Record(NamedTuple):
    """Inputs and outputs row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from volterra import benchmarks
    >>> record = benchmarks.Record(u=np.zeros(50), y=np.zeros(50), n_init=5)
    >>> len(record.y) - record.n_init
    45
    """

    u: Array  #: inputs, (n_steps, n_inputs) or (n_steps,)
    y: Array  #: outputs
    n_init: int = 0  #: leading rows that may initialise a state


def _record(data: Any) -> Record:
    """From a record of nonlinear-benchmarks, a Sequence of identibench, or a pair (u, y)."""
    if isinstance(data, Record):
        return data
    if hasattr(data, "u") and hasattr(data, "y"):
        window = getattr(data, "state_initialization_window_length", None)
        u, y = data.u, data.y
    else:
        try:
            u, y = data
        except (TypeError, ValueError):
            raise TypeError(
                f"a record has u and y, or is a pair (u, y), and not {type(data).__name__}"
            ) from None
        window = None
    u, y = np.asarray(u, dtype=float), np.asarray(y, dtype=float)
    if len(u) != len(y):
        raise ValueError(f"u has {len(u)} rows and y {len(y)}")
    return Record(u, y, 0 if window is None else int(window))


def _records(data: Any) -> Tuple[List[Record], bool]:
    """Return the records as a list, and whether there are several."""
    is_list = isinstance(data, (list, tuple)) and not hasattr(data, "u")
    is_pair = is_list and len(data) == 2 and all(isinstance(part, np.ndarray) for part in data)
    if is_list and not is_pair:
        return [_record(part) for part in data], True
    return [_record(data)], False


def _rows(a: Array) -> Array:
    """One row a time step."""
    return a.reshape(-1, 1) if a.ndim == 1 else a


def fit(estimator: Any, train: Any, rows: Optional[int] = None) -> Any:
    """Fit an estimator of this package on one record, or on several.

    Parameters
    ----------
    estimator : VolterraRidge, SequenceKernelRidge or VolterraRidgeCV
        Fitted in place. Use a washout for records that are cut out of a running experiment.
    train : record or list of records
        With attributes ``u`` and ``y``, or pairs of arrays (u, y).
    rows : int, optional
        Use only the first rows of each record: an exact fit stores rows x rows numbers.

    Returns
    -------
    the estimator

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.sin(np.arange(300) ** 1.5)
    >>> y = np.convolve(u, [1, 0.5, 0.2])[:300]
    >>> model = volterra.SequenceKernelRidge("fir:mu=0.5", alpha=1e-6, washout=5)
    >>> model = volterra.benchmarks.fit(model, (u[:200], y[:200]))
    >>> test = volterra.benchmarks.Record(u[200:], y[200:], 10)
    >>> bool(volterra.benchmarks.rmse(test, volterra.benchmarks.simulate(model, test)) < 1e-3)
    True
    """
    found, several = _records(train)
    if rows is not None:
        most = whole("rows", rows, 1)
        found = [Record(r.u[:most], r.y[:most]) for r in found]
    if several and len(found) != 1:
        return estimator.fit([_rows(r.u) for r in found], [r.y for r in found])
    return estimator.fit(_rows(found[0].u), found[0].y)


def simulate(model: Any, test: Any) -> Any:
    """Simulate the outputs of a record from its inputs and a zero initial state.

    Parameters
    ----------
    model : fitted estimator
    test : record or list of records
        As for `fit`. A model with feedback uses the first rows of y that the record allows to initialise its state. Other rows of y are not used.

    Returns
    -------
    ndarray of the shape of y, or a list of them
    """
    found, several = _records(test)
    outputs = [_simulate(model, r.u, r.y[: r.n_init]).reshape(r.y.shape) for r in found]
    return outputs if several else outputs[0]


def _simulate(model: Any, u: Array, y_init: Array) -> Array:
    X = _rows(u)
    if not getattr(model, "feedback", False) or not len(y_init):
        return np.asarray(model.predict(X, start="reset"))
    first = _rows(y_init)
    known = np.full((len(X), first.shape[1]), np.nan)  # later outputs are unknown
    known[: len(first)] = first
    return np.asarray(model.predict(X, start="reset", y_known=known, warm_up=len(first)))


def rmse(test: Any, simulated: Any) -> Any:
    """Root mean squared error of a simulation, without the leading rows that may initialise a state.

    Parameters
    ----------
    test : record or list of records
    simulated : as `simulate` returns it

    Returns
    -------
    float, or ndarray of shape (n_outputs,); of several records a list
    """
    found, several = _records(test)
    errors = []
    for record, values in zip(found, simulated if several else [simulated]):
        values = np.asarray(values, dtype=float)
        if values.shape != record.y.shape:
            raise ValueError(f"the simulation has shape {values.shape} and y {record.y.shape}")
        if len(record.y) <= record.n_init:
            raise ValueError(f"{len(record.y)} rows leave none to score after the first {record.n_init}")
        errors.append(np.sqrt(np.mean((values - record.y)[record.n_init :] ** 2, axis=0)))
    errors = [float(e) if e.ndim == 0 else e for e in errors]
    return errors if several else errors[0]


class Simulator:
    """A fitted estimator as identibench calls a model: ``model(u, y_init, attrs)``.

    y_init, the first rows of the output, initialises the state of a model with feedback. Other models ignore it.
    The result has one row for each row of u and one column for each output.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> u = np.sin(np.arange(300) ** 1.5).reshape(-1, 1)
    >>> estimator = volterra.SequenceKernelRidge("fir:mu=0.5", alpha=1e-6).fit(u, u[:, 0] ** 3)
    >>> volterra.benchmarks.Simulator(estimator)(u, np.empty((0, 1)), {}).shape
    (300, 1)
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __call__(self, u: Any, y_init: Any = None, attrs: Any = None) -> Array:
        u = np.asarray(u, dtype=float)
        first = np.empty((0, 1)) if y_init is None else np.asarray(y_init, dtype=float)
        return _rows(_simulate(self.estimator, u, first))


def builder(estimator: Any, rows: Optional[int] = None) -> Callable[[Any], Simulator]:
    """Return a function for ``identibench.run_benchmark`` that fits a copy of the estimator on the training data.

    Parameters
    ----------
    estimator : estimator of this package
        Not changed. Hyperparameters of the benchmark override its parameters.
    rows : int, optional
        As for `fit`.
    """

    def build(context: Any) -> Simulator:
        copy = type(estimator)(**{**estimator.get_params(deep=False), **dict(context.hyperparameters or {})})
        found = [Record(_flat(s.u), _flat(s.y)) for s in context.get_train_sequences()]
        return Simulator(fit(copy, found, rows))

    return build


def _flat(a: Any) -> Array:
    """A single column as a vector, as targets of one output are."""
    a = np.asarray(a, dtype=float)
    return a[:, 0] if a.ndim == 2 and a.shape[1] == 1 else a
