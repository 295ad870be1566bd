"""Estimators that go on learning after `fit`."""

from __future__ import annotations

import copy
import functools
from typing import Any, Callable, Optional

import numpy as np

from ._arrays import Array
from ._learner import Learner, OwnLearner
from ._model import PathLike
from ._threads import use_threads


class WhenLearnable:
    """A method that is there where the estimator can go on learning; else it has no such attribute, and the error says why."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        functools.update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, estimator: Any, owner: Any) -> Any:
        if estimator is None:
            return self._method
        reason = estimator._why_not_learn()
        if reason:
            raise AttributeError(reason)
        return self._method.__get__(estimator, owner)


class Learns:
    """What lets estimators go on learning: `learner`, and `partial_fit` and `update`, which keep one behind the scenes."""

    _grown: Optional[OwnLearner] = None  # once rows came after those of fit

    def learner(
        self: Any,
        *,
        window: Optional[int] = None,
        forget: float = 1.0,
        forget_what: str = "all",
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
        forget_what : {"dynamics", "all"}, default="all"
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
        learner = Learner(model, beyond, flat, window, forget, forget_what, self._tail, self._is_series)
        if journal is not None:
            learner.open_journal(journal)
        return learner

    # ---- the estimator itself ------------------------------------------------------------------------------

    @property
    def learner_(self) -> Learner:
        """The learner behind `partial_fit` and `update`, once one of them was called."""
        if self._grown is None:
            raise AttributeError("no rows were learned since fit: partial_fit and update do, and learner() makes a learner")
        return self._grown

    @WhenLearnable
    def partial_fit(self: Any, X: Any, y: Any = None) -> Any:
        """Learn rows that follow those that were learned so far; the first call is `fit`.

        After every row the readout is that of a fit on all rows so far, to rounding, at the cost of one row; scales, alpha
        and kernel stay those of the first fit. `predict` and `score` follow: their rows come after all rows that were
        learned, or with ``start="reset"`` are a new sequence. What belongs to the fit itself (``fitted_``, ``dual_coef_``,
        reports) stays; methods that would need another fit say so. A window and forgetting: `learner`.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            As for `fit`; rows with NaN feed the past and are not learned.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(300.0) + 1e-5 * np.arange(300.0) ** 2).reshape(-1, 1)
        >>> y = x[:, 0] ** 2
        >>> whole = volterra.VolterraRidge(alpha=1e-3, scale=False).fit(x[:250], y[:250])
        >>> parts = volterra.VolterraRidge(alpha=1e-3, scale=False).partial_fit(x[:200], y[:200])
        >>> parts = parts.partial_fit(x[200:250], y[200:250])
        >>> bool(np.allclose(parts.predict(x[250:]), whole.predict(x[250:]), atol=1e-4))
        True
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)
        self.update(X, y)
        return self

    @WhenLearnable
    def update(self: Any, X: Any, y: Any = None) -> Any:
        """As `partial_fit` of a fitted estimator, and what it forecast for each row before it was learned.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), optional
            As for `fit`: row by row with X; with ``ahead`` of H a row is learned when its target is there, H rows later.

        Returns
        -------
        ndarray of shape (n_steps,) or (n_steps, n_outputs)
        """
        rows = self._read_inputs(X)
        if self._grown is None:
            model, beyond, flat = self._stream_parts()
            grown = OwnLearner(model, beyond, flat, None, 1.0, "dynamics", self._tail, self._is_series)
        else:
            grown = self._grown
        with use_threads(self.n_jobs):
            out = grown.advance(rows, y)
        self._grown = grown
        return self._dress(out.reshape(len(rows), -1), X)

    def _why_not_learn(self: Any) -> Optional[str]:
        """What keeps the estimator from learning row by row; None: nothing."""
        fitted = self.__sklearn_is_fitted__()
        if getattr(self, "loss", None) not in (None, "squares") or (fitted and self._model.loss is not None):
            return "rows are learned one by one with squares alone, without weights: fit it again"
        if fitted and np.all(np.isinf(self._model.alphas)):
            return "the kernel plays no part in the forecasts (alpha is infinite), and there is nothing to go on learning"
        return None

    def _check_not_grown(self, what: str) -> None:
        """Refuse what needs a model of all rows."""
        if self._grown is not None:
            raise ValueError(
                f"{what} is that of a fit, and {self._grown.pushed} rows came since: fit once more on all rows, or take what "
                "learner_ offers"
            )

    def _follow_grown(self: Any, a: Array, start: str) -> Array:
        """Forecasts for rows after all that were learned, or for a new sequence."""
        learner = self._grown
        if start == "reset":
            learner = copy.copy(learner)
            learner.restart()
        with use_threads(self.n_jobs):
            return learner.predict(a).reshape(len(a), -1)
