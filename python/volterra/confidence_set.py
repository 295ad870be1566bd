"""The model confidence set of Hansen, Lunde and Nason."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from ._core import _native as c
from ._core._arguments import seed_number, whole
from ._core._data import Array, as_integers, as_matrix, as_targets, column_names
from ._core._errors import check
from ._core._gaps import align
from ._core._progress import ProgressCallback, run
from ._core._types import McsBlock, McsMethod

__all__ = ["MCS", "losses"]


def losses(truth: Any, forecast: Any) -> Array:
    """Return the losses of a prediction row by row: the mean over outputs of squared error over variance of the truth.

    Their mean is the NMSE. `MCS` takes one column of losses per model.

    Examples
    --------
    >>> import volterra
    >>> volterra.losses([-1.0, 1.0], [-1.0, 2.0])
    array([0., 1.])
    """
    truth, forecast = align(truth, forecast, names=("truth", "forecast"))
    a, b = as_targets(truth, "truth")[0], as_targets(forecast, "forecast")[0]
    out = np.empty((a.shape[0], 1))
    check(c.lib.volt_losses(a, b, out))
    return out[:, 0]


class MCS:
    """Model confidence set: it contains the best model with probability 1 - size.

    Parameters
    ----------
    losses : array-like or DataFrame of shape (n_steps, n_models)
        One column per model, in time order. The columns of a data frame are the names of the models; otherwise they are numbers
        from 0. Equal columns are one model with one p-value.
    size : float, default=0.25
        Size of the test: the set contains the best model with probability 1 - size (between 0 and 1). Models with a
        larger p-value are included.
    method : {"R", "max"}, default="R"
        Statistic; R: pairs of models; max: each model and the mean of all.
    block : float or {"sqrt", "auto"}, default="sqrt"
        Mean block length of the bootstrap, or "auto": from the autocorrelation of the loss differences.
    reps : int, default=10000
        Bootstrap replications (at least 1).
    seed : int, default=0
    indices : array-like of int of shape (reps, n_steps), optional
        Bootstrap replications, each a row of row numbers; block, reps and seed are then ignored.
    n_jobs : int, optional
        Threads. The result does not depend on the number of threads.
    progress : callable, optional
        As in `volterra.gram`.

    Attributes
    ----------
    included, excluded : list
        Names (or numbers) of the models, in column order.
    pvalues : ndarray of shape (n_models,), or a Series when losses is a data frame
    order : list
        Order of elimination; the last one was not eliminated.
    block : float
        Mean block length used.
    mean_losses : ndarray of shape (n_models,)

    Examples
    --------
    >>> import numpy as np, volterra
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=(400, 1)) ** 2
    >>> table = noise + rng.normal(size=(400, 3)) ** 2 * [1.0, 1.0, 4.0]
    >>> mcs = volterra.MCS(table, size=0.25, reps=2000)
    >>> mcs.excluded
    [2]
    """

    def __init__(
        self,
        losses: Any,
        size: float = 0.25,
        *,
        method: McsMethod = "R",
        block: McsBlock = "sqrt",
        reps: int = 10000,
        seed: int = 0,
        indices: Any = None,
        n_jobs: Optional[int] = None,
        progress: Optional[ProgressCallback] = None,
    ) -> None:
        table = as_matrix(losses, "losses")
        if method not in c.MCS_METHODS:
            raise ValueError(f"method must be 'R' or 'max' (got {method!r})")
        if isinstance(block, str) and block not in c.BLOCKS:
            raise ValueError(f"block must be a number, 'sqrt' or 'auto' (got {block!r})")
        self.size, self.method = float(size), method
        length = c.BLOCKS[block] if isinstance(block, str) else self._block_length(block)
        options = c.McsOptions(
            method=c.MCS_METHODS[method], size=size, block=length, reps=whole("reps", reps, 1), seed=seed_number("seed", seed)
        )
        if indices is not None:
            rows = self._replications(indices, table.shape[0])
            c.fill(options, indices=rows, reps=len(rows))
        with c.result(c.Mcs, c.lib.volt_mcs_free) as result:
            run("mcs", c.lib.volt_mcs_compute, table, options, result, n_jobs=n_jobs, progress=progress)
            self._take(result.contents, losses, table.shape[1])

    @staticmethod
    def _block_length(block: float) -> float:
        if not block >= 1:
            raise ValueError(f"block must be at least 1, or 'sqrt' or 'auto' (got {block})")
        return float(block)

    @staticmethod
    def _replications(indices: Any, steps: int) -> Array:
        rows = as_integers(indices, "indices")
        if rows.ndim != 2 or rows.shape[1] != steps:
            raise ValueError(
                f"indices has shape {rows.shape}, and (reps, {steps}) is needed, one column per row of losses"
            )
        return rows

    def _take(self, found: c.Mcs, losses: Any, models: int) -> None:
        names = column_names(losses)
        self.models: List[Any] = list(range(models)) if names is None else list(names)
        inside = found.included[:models]
        self.included = [name for name, yes in zip(self.models, inside) if yes]
        self.excluded = [name for name, yes in zip(self.models, inside) if not yes]
        self.order = [self.models[i] for i in found.order[:models]]
        self.pvalues: Any = np.array(found.pvalues[:models])
        self.mean_losses: Any = np.array(found.mean_losses[:models])
        self.statistics = np.array(found.statistics[: models - 1])
        self.step_shares = np.array(found.step_shares[: models - 1])
        self.block = float(found.block)
        if names is not None and hasattr(losses, "index"):
            import pandas

            self.pvalues = pandas.Series(self.pvalues, index=losses.columns, name="pvalue")
            self.mean_losses = pandas.Series(self.mean_losses, index=losses.columns, name="mean_loss")

    def __repr__(self) -> str:
        sets = f"included={self.included}, excluded={self.excluded}"
        return f"MCS({sets}, size={self.size:g}, method={self.method!r})"
