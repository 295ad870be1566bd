"""`BEKK`: time-varying covariances of returns: simulation, likelihood and estimation."""

from __future__ import annotations

import itertools
from ctypes import POINTER, byref, c_char_p, c_double, c_void_p, cast
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import seed_number, whole
from ._core._data import Array, as_matrix, column_names, empty, is_frame, to_float64
from ._core._errors import check
from ._core._machine import use_threads
from ._core._model import PathLike
from ._core._progress import ProgressCallback, Watch, run

__all__ = ["BEKK", "BEKKSample", "bekk", "bekk_presets", "log_returns"]


def bekk_presets() -> List[str]:
    """Return the names of the built-in parameter sets, estimated on daily prices of S&P 500 companies.

    Examples
    --------
    >>> import volterra
    >>> "sp500-d5" in volterra.datasets.bekk_presets()
    True
    """
    return [c.text(name) for name in iter(map(c.lib.volt_bekk_preset_name, itertools.count()).__next__, None)]


def log_returns(prices: Any) -> Any:
    """Return logarithmic returns of prices, ``log(p_t / p_{t-1})``; a data frame keeps its names and dates.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> volterra.datasets.log_returns([[1.0], [np.e]])
    array([[1.]])
    """
    a = as_matrix(prices, "prices")
    if a.shape[0] < 2:
        raise ValueError("returns require at least 2 rows of prices (got 1)")
    out = empty(a.shape[0] - 1, a.shape[1])
    check(c.lib.volt_log_returns(a, out))
    if is_frame(prices):
        return type(prices)(out, index=prices.index[1:], columns=prices.columns)
    return out


class BEKKSample(NamedTuple):
    """A simulated sample; row t of each belongs to time t.

    Examples
    --------
    >>> import volterra
    >>> sample = volterra.datasets.BEKK.preset("sp500-d5").simulate(500, seed=1)
    >>> sample.returns.shape, sample.covariances.shape
    ((500, 5), (500, 15))
    """

    innovations: Array
    """z_t, standard normal, (n_steps, d): the inputs."""
    returns: Array
    """r_t = H_t^{1/2} z_t, (n_steps, d)."""
    covariances: Array
    """vech(H_t), (n_steps, d (d + 1) / 2): h11, h21, ..., hd1, h22, ..."""


class BEKK(c.Owner):
    """The diagonal BEKK(1,0,1) model ``H_t = C C' + A r_{t-1} r_{t-1}' A' + B H_{t-1} B'``.

    Returns are ``r_t = H_t^{1/2} z_t`` with standard normal z_t and the symmetric root.

    Parameters
    ----------
    C : array-like of shape (d, d)
        Upper triangular.
    a, b : array-like of shape (d,)
        Diagonals of A and B; stationary when ``a_i^2 + b_i^2 < 1``.
    tickers : sequence of str, optional

    Attributes
    ----------
    C, a, b : ndarray
        Read-only.
    C_error, a_error, b_error : ndarray or None
        Standard errors of an estimate.
    tickers : list of str or None
    loglik : float
        Log-likelihood of the returns of the estimation; NaN: unknown.
    observations : int
        Number of these returns; 0: unknown.
    converged : bool or None
        Whether the estimation converged; None: unknown.

    Examples
    --------
    >>> import volterra
    >>> model = volterra.datasets.BEKK.preset("sp500-d5")
    >>> model  # doctest: +ELLIPSIS
    BEKK(d=5, tickers=[...])
    >>> sample = model.simulate(500, seed=1)
    >>> sample.innovations.shape, sample.covariances.shape
    ((500, 5), (500, 15))
    >>> bool(model.score(sample.returns) > 0)
    True
    """

    _FREE = "volt_bekk_free"
    fit_info: Dict[str, Any]

    def __init__(self, C: Any, a: Any, b: Any, tickers: Optional[Sequence[str]] = None) -> None:
        upper = as_matrix(C, "C")
        d = upper.shape[0]
        first, second = (to_float64(v, name).ravel() for v, name in ((a, "a"), (b, "b")))
        if upper.shape != (d, d) or first.shape != (d,) or second.shape != (d,):
            raise ValueError(
                f"C, a and b have shapes {upper.shape}, {first.shape} and {second.shape}; "
                "(d, d), (d,) and (d,) are needed"
            )
        if np.tril(upper, -1).any():
            raise ValueError("C must be upper triangular: a value below its diagonal is not 0")
        handle = POINTER(c.Bekk)()
        check(c.lib.volt_bekk_create(d, handle))
        self._adopt(handle)
        for pointer, values in (
            (handle.contents.C, upper),
            (handle.contents.a, first),
            (handle.contents.b, second),
        ):
            np.ctypeslib.as_array(pointer, values.shape)[...] = values
        if tickers is not None:
            check(c.lib.volt_bekk_set_source(self, c.names_array("a ticker", tickers), None, None, None))

    @classmethod
    def _from_handle(cls, handle: Any) -> "BEKK":
        model = cls.__new__(cls)
        model._adopt(handle)
        return model

    def _adopt(self, handle: Any) -> None:
        self._own(handle)
        self._raw = handle.contents

    def __reduce__(self) -> Any:
        known = {"fit_info": dict(self.fit_info)} if hasattr(self, "fit_info") else {}
        return type(self).from_json, (self.to_json(),), known

    def __repr__(self) -> str:
        known = f", tickers={self.tickers}" if self.tickers else ""
        return f"BEKK(d={self.d}{known})"

    # ---- parameters and files ------------------------------------------------------------------------------

    @classmethod
    def preset(cls, name: str) -> "BEKK":
        """Return a built-in parameter set; `bekk_presets` lists them."""
        handle = POINTER(c.Bekk)()
        check(c.lib.volt_bekk_preset(c.encode("the name", name), handle))
        return cls._from_handle(handle)

    @classmethod
    def from_json(cls, text: str) -> "BEKK":
        """Create a model from the content of a parameter file of ``volterra bekk fit``."""
        handle = POINTER(c.Bekk)()
        check(c.lib.volt_bekk_from_json(c.encode("the text", text), handle))
        return cls._from_handle(handle)

    def to_json(self) -> str:
        """Return the content of a parameter file; numbers are exact."""
        text = c_void_p()
        check(c.lib.volt_bekk_to_json(self, byref(text)))
        try:
            return c.text(cast(text, c_char_p).value)
        finally:
            c.lib.volt_free(text)

    @classmethod
    def load(cls, path: PathLike) -> "BEKK":
        """Read a parameter file."""
        return cls.from_json(Path(path).read_text(encoding="utf-8"))

    def save(self, path: PathLike) -> None:
        """Write a parameter file, as ``volterra bekk simulate`` and ``bekk score`` read."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def fit(
        cls,
        returns: Any,
        *,
        starts: int = 2,
        seed: int = 0,
        standard_errors: bool = True,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
        progress: Optional[ProgressCallback] = None,
    ) -> "BEKK":
        """Estimate by quasi maximum likelihood; the means of the columns are removed first.

        Parameters
        ----------
        returns : array-like or DataFrame of shape (n_steps, d)
            Returns, for example from `log_returns`.
        starts : int, default=2
            Starting points of the optimiser.
        seed : int, default=0
            Seed of starts beyond the first two.
        standard_errors : bool, default=True
        n_jobs, verbose, progress : as in `volterra.gram`

        Returns
        -------
        BEKK
            With ``fit_info``: loglik, start_loglik, gain_left, converged, evaluations, starts, reached.

        Examples
        --------
        >>> import volterra
        >>> truth = volterra.datasets.BEKK([[0.01]], [0.3], [0.9])
        >>> estimate = volterra.datasets.BEKK.fit(truth.simulate(2000, seed=3).returns)
        >>> bool(abs(estimate.b[0] - 0.9) < 0.05)
        True
        """
        a = as_matrix(returns, "returns")
        handle, info = POINTER(c.Bekk)(), c.BekkFitInfo()
        with use_threads(n_jobs), Watch("bekk fit", verbose, progress) as watch:
            options = c.lib.volt_bekk_fit_options_default()
            options.starts, options.seed = whole("starts", starts, 1), seed_number("seed", seed)
            options.standard_errors, options.progress = int(bool(standard_errors)), watch.progress
            status = c.lib.volt_bekk_fit(a, options, handle, info)
            model = cls._from_handle(handle) if handle else None
            watch.check(status)
        assert model is not None
        names = column_names(returns)
        if names is not None:
            check(c.lib.volt_bekk_set_source(model, c.names_array("a column", names), None, None, None))
        model.fit_info = c.values(info)
        return model

    # ---- simulation and likelihood -------------------------------------------------------------------------

    def simulate(self, length: int, *, seed: int = 0, stream: int = 0, discard: int = 1000) -> BEKKSample:
        """Simulate the model; the same numbers as ``volterra bekk simulate``, on every machine.

        Parameters
        ----------
        length : int
        seed, stream : int, default=0
            Independent samples of one seed have different streams.
        discard : int, default=1000
            Initial rows to discard.

        Returns
        -------
        BEKKSample
            innovations, returns, covariances.
        """
        d, rows = self.d, whole("length", length, 1)
        z, r, h = empty(rows, d), empty(rows, d), empty(rows, d * (d + 1) // 2)
        options = c.BekkSimulateOptions(
            seed=seed_number("seed", seed), stream=seed_number("stream", stream), discard=whole("discard", discard)
        )
        run("simulate", c.lib.volt_bekk_simulate, self, options, z, r, h)
        return BEKKSample(z, r, h)

    def score(self, returns: Any) -> float:
        """Return the Gaussian log-likelihood of returns, with the constant; their means are not removed."""
        a = self._read(returns)
        loglik = c_double()
        check(c.lib.volt_bekk_loglik(self, a, None, None, loglik))
        return loglik.value

    def covariances(self, returns: Any) -> Array:
        """Return vech(H_t) of the model along given returns, (n_steps, d (d + 1) / 2)."""
        a = self._read(returns)
        out, loglik = empty(a.shape[0], self.d * (self.d + 1) // 2), c_double()
        check(c.lib.volt_bekk_loglik(self, a, None, out, loglik))
        return out

    def stationary_covariance(self) -> Array:
        """Stationary covariance of the returns."""
        out = empty(self.d, self.d)
        check(c.lib.volt_bekk_stationary_covariance(self, out))
        return out

    def _read(self, returns: Any) -> Array:
        a = as_matrix(returns, "returns")
        if a.shape[1] != self.d:
            raise ValueError(f"returns has {a.shape[1]} columns, and the model has {self.d} assets")
        return a

    # ---- properties ----------------------------------------------------------------------------------------

    d = property(lambda self: int(self._raw.d), doc="Number of assets.")
    loglik = property(lambda self: float(self._raw.loglik))
    observations = property(lambda self: int(self._raw.observations))
    converged = property(lambda self: None if self._raw.converged < 0 else bool(self._raw.converged))
    tickers = property(lambda self: c.texts(self._raw.tickers, self.d) or None)
    C = property(lambda self: c.array(self._raw.C, self.d, self.d))
    a = property(lambda self: c.array(self._raw.a, self.d))
    b = property(lambda self: c.array(self._raw.b, self.d))
    C_error = property(lambda self: c.array(self._raw.C_error, self.d, self.d))
    a_error = property(lambda self: c.array(self._raw.a_error, self.d))
    b_error = property(lambda self: c.array(self._raw.b_error, self.d))


def bekk(
    model: Union[str, BEKK] = "sp500-d5",
    length: int = 3761,
    *,
    seed: int = 0,
    stream: int = 0,
    discard: int = 1000,
) -> BEKKSample:
    """Simulate a BEKK model: innovations, returns and covariances.

    Forecasting ``covariances[1:]`` from ``innovations[:-1]`` is the covolatility problem of the paper.

    Parameters
    ----------
    model : str or BEKK, default="sp500-d5"
        A preset (`bekk_presets`) or a model.
    length : int, default=3761
    seed, stream, discard : as in `BEKK.simulate`

    Returns
    -------
    BEKKSample

    Examples
    --------
    >>> import volterra
    >>> z, r, h = volterra.datasets.bekk("sp500-d5", 1000, seed=2)
    >>> z.shape, h.shape
    ((1000, 5), (1000, 15))
    """
    source = BEKK.preset(model) if isinstance(model, str) else model
    return source.simulate(length, seed=seed, stream=stream, discard=discard)
