"""Forecasts of an estimator's model: rows that follow, records, and rows to which known outputs come back."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ._arguments import whole
from ._arrays import Array
from ._devices import use_machine
from ._errors import BeyondWarning, warn


class ModelForecasts:
    """What the estimators ask of their model."""

    _model: Any
    _rows: Any
    n_jobs: Any
    verbose: Any

    def _beyond(self) -> str:
        raise NotImplementedError

    def _check_is_fitted(self) -> None:
        raise NotImplementedError

    def _check_not_grown(self, what: str) -> None:
        raise NotImplementedError

    def _warn_beyond(self, count: int, total: int) -> None:
        if count and self._beyond() == "clip":
            beyond = "lay beyond the ball of the training inputs and were projected to it"
            if self._model.input != "level":
                beyond = "lay outside the range of the levels or changes of training and were held to it"
            warn(f"{count} of {total} input rows {beyond}", BeyondWarning)

    def _follow(self, a: Array, start: str, tail: Optional[Array]) -> Array:
        rows = a if tail is None else np.vstack([tail, a])
        with use_machine(self):
            out, beyond = self._model.predict(rows, start, self._beyond(), self.verbose)
        self._warn_beyond(beyond, rows.shape[0])
        return out if tail is None else out[tail.shape[0] :]

    def _of_records(self, a: Array, lengths: List[int], known: Optional[Array] = None, warm_up: int = 0) -> Array:
        self._check_not_grown("a forecast of records")
        with use_machine(self):
            out, beyond = self._model.predict(a, "reset", self._beyond(), self.verbose, lengths, known, warm_up)
        self._warn_beyond(beyond, a.shape[0])
        return out

    def _check_one_step(self) -> None:
        """Errors of one step say nothing of a free run."""
        self._check_is_fitted()
        self._check_not_grown("an interval")
        if self._model.feedback_weight > 0:
            raise ValueError("intervals are those of forecasts one step ahead, and with feedback predict runs free")

    def _fed(self, a: Array, start: str, known: Array, warm_up: int) -> Array:
        """Forecasts to which known outputs come back. The rows of training themselves begin anew."""
        self._check_not_grown("a forecast with y_known")
        if start == "auto":
            start = "reset" if self._rows is not None and self._rows.begin(a) else "continue"
        with use_machine(self):
            out, beyond = self._model.predict(a, start, self._beyond(), self.verbose, None, known, warm_up)
        self._warn_beyond(beyond, a.shape[0])
        return out

    def _read_known(
        self, y_known: Any, warm_up: Optional[int], rows: int, in_parts: bool
    ) -> Tuple[Optional[Array], int]:
        """Known outputs, a row for each of X (`in_parts`: a list of records), and the warm-up, 0 for all rows. What is missing is for the library to
        refuse, where it would come back."""
        if y_known is None:
            if warm_up is not None:
                raise ValueError(f"warm_up is {warm_up!r}, and needs the outputs that were measured: y_known")
            return None, 0
        parts = y_known if in_parts else [y_known]
        known = np.vstack([np.asarray(p, dtype=float).reshape(len(p), -1) for p in parts])
        if known.shape[0] != rows:
            raise ValueError(f"y_known has {known.shape[0]} rows, and X has {rows}")
        return np.ascontiguousarray(known), 0 if warm_up is None else whole("warm_up", warm_up, 1)

    def impulse_response(self, lags: int = 50) -> Array:
        """What a unit in one input adds to the outputs, through the terms of the kernel that are ``fir`` alone.

        The linear part of the model, filters included, in units of the outputs for a unit of the input.

        Parameters
        ----------
        lags : int, default=50
            From the row itself to ``lags - 1`` rows later.

        Returns
        -------
        ndarray of shape (n_outputs, lags, n_features)

        Raises
        ------
        ValueError
            No term of the kernel is ``fir`` alone.

        Examples
        --------
        >>> import numpy as np, volterra
        >>> u = np.random.default_rng(1).normal(size=(400, 1))
        >>> y = u[:, 0] + 0.5 * np.append(0, u[:-1, 0])
        >>> model = volterra.SequenceKernelRidge("fir:mu=0.5 + 0.1*rbf", alpha=1e-6).fit(u, y)
        >>> model.impulse_response(3)[0, :, 0].round(1).tolist()
        [1.0, 0.5, 0.0]
        """
        self._check_is_fitted()
        self._check_not_grown("impulse_response")
        return self._model.impulse(whole("lags", lags, 1))
