"""Evidence of a kernel and alpha: log marginal likelihood and leave-one-out errors."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._core import _native as c
from ._core._arguments import whole
from ._core._data import Array, Records, as_matrix, as_targets
from ._core._gaps import align
from ._core._kernel import Kernel
from ._core._progress import ProgressCallback, run

__all__ = ["Evidence", "evidence"]


class Evidence(NamedTuple):
    """Result of `evidence`.

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(200, seed=1)
    >>> found = volterra.evidence("volterra", u, y, alpha=1e-2)
    >>> round(found.log_likelihood, 1), found.gcv.round(4)
    (294.2, array([0.0022]))
    """

    log_likelihood: float  #: Gaussian log marginal likelihood in units of the targets, summed over outputs
    scale: Array  #: profiled variance of each output; the noise variance is alpha times it
    loo_errors: Optional[Array]  #: of the shape of y after the washout: leave-one-out errors
    loo_variances: Optional[Array]  #: their variances, noise included
    gcv: Optional[Array]  #: generalised cross-validation of each output
    trace: float  #: rows less trace times alpha are the degrees of freedom, the intercept included


def evidence(
    kernel: str,
    X: Any,
    y: Any,
    alpha: float,
    *,
    leave_one_out: bool = True,
    washout: int = 0,
    fit_intercept: bool = True,
    scale: bool = True,
    groups: Any = None,
    n_jobs: Optional[int] = None,
    progress: Optional[ProgressCallback] = None,
) -> Evidence:
    """Compute the log marginal likelihood of a kernel and alpha, and leave-one-out errors.

    Outputs are independent Gaussian processes with covariance ``s^2 K`` and noise ``s^2 alpha``; the variance s^2 of each is
    profiled. An intercept has a flat prior, so that the likelihood is the restricted one (REML).
    ``VolterraRidgeCV(scoring="evidence")`` maximises it.

    Parameters
    ----------
    kernel : str
        Any kernel of `kernel_table`, or a sum of products of them.
    X : array-like of shape (n_steps, n_features), or a list of records
    y : array-like of shape (n_steps,) or (n_steps, n_outputs), or a list of records
    alpha : float
        Regularisation.
    leave_one_out : bool, default=True
        Leave-one-out errors of all rows. About twice the time.
    washout, fit_intercept, scale
        As in `VolterraRidge`.
    groups : array-like of shape (n_steps,), optional
        Record of each row.
    n_jobs : int, optional
        Threads.
    progress : callable, optional
        Called with a stage and the completed fraction; a true result cancels the call with `CancelledError`.

    Examples
    --------
    >>> import volterra
    >>> u, y = volterra.datasets.narma10(300, seed=1)
    >>> found = volterra.evidence("volterra:tau_coef=0.4,lambda_coef=0.8", u, y, 1e-2)
    >>> shorter = volterra.evidence("volterra:tau_coef=0.4,lambda_coef=0.5", u, y, 1e-2, leave_one_out=False)
    >>> found.log_likelihood > shorter.log_likelihood
    True
    """
    records = Records.read(*align(X, y, groups, names=("X", "y", "groups")))
    inputs = as_matrix(records.X)
    targets, flat = as_targets(records.y)
    options = c.fill(
        c.lib.volt_evidence_options_default(),
        alpha=float(alpha),
        washout=whole("washout", washout),
        intercept=bool(fit_intercept),
        scale=bool(scale),
        leave_one_out=bool(leave_one_out),
        records=records.lengths,
    )
    with c.result(c.EvidenceResult, c.lib.volt_evidence_free) as found:
        run("evidence", c.lib.volt_evidence, Kernel(kernel), inputs, targets, options, found, n_jobs=n_jobs, progress=progress)
        return _taken(found.contents, flat)


def _taken(r: c.EvidenceResult, flat: bool) -> Evidence:
    found = c.values(r)
    if flat:
        for name in ("loo_errors", "loo_variances"):
            found[name] = None if found[name] is None else found[name][:, 0]
    return Evidence(**{name: found[name] for name in Evidence._fields})
