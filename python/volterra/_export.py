"""Models as files: safetensors, C source code and JSON."""

from __future__ import annotations

from ctypes import byref, c_double
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._core import _native as c
from ._core._arguments import whole
from ._core._model import Model, PathLike
from ._core._progress import Watch

_FORMATS = {"c": c.CONSTANTS["VOLT_EXPORT_C"], "json": c.CONSTANTS["VOLT_EXPORT_JSON"]}
_PRECISIONS = ("double", "single")


class ExportReport(NamedTuple):
    """Size and work of an exported model."""

    rows: int  # rows of the kernel; 0: the states of a reservoir are read directly
    state_bytes: int  # of the state struct, without padding
    constant_bytes: int  # of the tables
    operations: float  # additions, multiplications and divisions of a step
    calls: float  # calls of exp, tanh and others of a step
    landmark_error: Optional[float]  # change of the training predictions over their standard deviation


class Files:
    """File methods of the estimators."""

    _model: Model

    def save(self, path: PathLike) -> None:
        """Write the model as a safetensors file, which the program reads too; see `volterra.load`."""
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        self._model.save(path)

    def export(
        self,
        path: PathLike,
        *,
        format: str = "c",
        precision: str = "double",
        landmarks: Optional[int] = None,
        coverage: Union[float, Sequence[float], None] = None,
        name: Optional[str] = None,
    ) -> ExportReport:
        """Write the model as C source code for other machines, or as JSON.

        The code is C99, needs ``math.h`` and ``float.h``, allocates nothing, and predicts as `stream` does, with inputs
        outside the training range clipped. Its ``NAME_continue`` is the state after the last row that has a target: with
        ``ahead``, feed the rows after it first.

        Parameters
        ----------
        path : path-like
            File ``NAME.c``, to which ``NAME.h`` is added, or a JSON file.
        format : {"c", "json"}, default="c"
            C99 source file and header, or all numbers as JSON.
        precision : {"double", "single"}, default="double"
            Type of the numbers in C.
        landmarks : int, optional
            Number of training rows that approximate the model; default: all rows.
        coverage : float or sequence of float, optional
            Prediction intervals of this coverage, with widths from the training errors that do not change.
        name : str, optional
            Prefix of the functions and types in C; default: the name of the file.

        Returns
        -------
        ExportReport
            rows, state_bytes, constant_bytes, operations, calls, landmark_error.

        Raises
        ------
        ValueError
            The model is not supported: kernels between paths (gak, sig, sigpde).
        OSError
            A file cannot be written.

        Examples
        --------
        >>> import os, tempfile, numpy as np, volterra
        >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
        >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x, x[:, 0] ** 2)
        >>> model.export(os.path.join(tempfile.mkdtemp(), "square.c")).rows
        200
        """
        self._check_is_fitted()  # type: ignore[attr-defined]
        self._refresh_model()  # type: ignore[attr-defined]
        if format not in _FORMATS:
            raise ValueError(f"format must be one of {', '.join(_FORMATS)} (got {format!r})")
        if precision not in _PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(_PRECISIONS)} (got {precision!r})")
        levels = [] if coverage is None else list(np.ravel(np.asarray(coverage, dtype=float)))
        report = c.ExportReport()
        with Watch("export", getattr(self, "verbose", False)) as watch:
            options = c.ExportOptions(
                format=_FORMATS[format],
                single=int(precision == "single"),
                name=None if name is None else c.encode("the name", name),
                landmarks=0 if landmarks is None else whole("landmarks", landmarks, 1),
                coverages=(c_double * len(levels))(*levels) if levels else None,
                n_coverages=len(levels),
                progress=watch.progress,
            )
            raw = c.encode_path("the path", path)
            watch.check(c.lib.volt_model_export(self._model, byref(options), raw, byref(report)))
        return _read(report, landmarks)


def _read(report: Any, landmarks: Optional[int]) -> ExportReport:
    return ExportReport(
        report.rows,
        report.state_bytes,
        report.constant_bytes,
        report.operations,
        report.calls,
        None if landmarks is None else report.landmark_error,
    )
