"""Learn any input/output system with fading memory from one sequence of observations.

The Volterra reservoir kernel of Gonon, Grigoryeva and Ortega ("Reservoir kernels and Volterra series") and
fourteen other kernels of rows, windows, paths and whole sequences, with an exact ridge readout.

    >>> import volterra
    >>> x = volterra.datasets.lorenz(1500)
    >>> model = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8, washout=50)
    >>> path = model.fit(x[:1400]).continue_(100)
    >>> bool(volterra.metrics.nmse(x[1400:], path) < 0.01)
    True

Estimators follow the scikit-learn estimator API; scikit-learn itself is optional:

- `Forecaster`: automatic forecasts of series, also as one call, `forecast`;
- `Identifier`: a simulation model of a system from its inputs and outputs, also as one call, `identify`;
- `VolterraRidge`: ridge regression with the Volterra kernel;
- `VolterraRidgeCV`: the same, with parameters chosen by cross-validation in time order;
- `SequenceKernelRidge`: the same with any kernel, also for whole series with numeric targets;
- `SeriesClassifier`: classification of whole series;
- `SeriesAnomaly`: anomaly detection among series;
- `RowAnomaly`: anomaly detection in the rows of one series;
- `VolterraClassifier`: class probabilities of rows. For other losses see ``loss=`` of `VolterraRidge`.

Kernels: `gram`, `gram_spectrum`, `volterra_kernel`, `gak_kernel`, `signature_kernel`, `sigpde_kernel`, `kernel_table`, `solver_table`,
`kernel_text`, `kernel_facts`. Memory and information processing capacity: `capacity`. Marginal likelihood: `evidence`. Model confidence set: `MCS`, `losses`.
Learning curves: `learning_curve`. Baselines: `baseline`, `season`. Online learning: `Learner`. Model files: `load`, `save`.
Weighted sums of models: `combine`. Modules: `benchmarks`, `datasets`, `metrics`, `plot`; with
other packages `gaussian_process` (scikit-learn) and `sktime`.
`__citation__` is the BibTeX of the paper and of this version.
"""

from __future__ import annotations

from sys import modules as _modules

from . import benchmarks, datasets, metrics, plot
from ._assess import FitWarning
from ._core._errors import (
    BeyondWarning,
    CancelledError,
    DeviceError,
    DivergenceWarning,
    GapWarning,
    NotFittedError,
    OrderWarning,
    SingularError,
    StartWarning,
    VolterraWarning,
)
from ._core._machine import device, devices, info, set_device, set_threads, threads
from ._core._native import lib as _lib
from ._core._native import text as _text
from ._evidence import Evidence, evidence
from ._live import Learner, Stream
from ._regressor import IntervalForecast
from .anomaly import RowAnomaly, SeriesAnomaly
from .baselines import baseline, season
from .capacities import Capacity, capacity
from .classifier import VolterraClassifier, VolterraClassifierCV
from .confidence_set import MCS, losses
from .files import ModelSum, combine, load, save
from .identification import Identification, Identifier, identify
from .kernels import (
    gak_kernel,
    gram,
    gram_spectrum,
    kernel_facts,
    kernel_table,
    kernel_text,
    signature_kernel,
    sigpde_kernel,
    solver_table,
    volterra_kernel,
)
from .learning import LearningCurve, learning_curve
from .ridge import SequenceKernelRidge, VolterraRidge
from .search import VolterraRidgeCV
from .series_classifier import SeriesClassifier
from .series_forecaster import Forecaster, ForecastWarning, forecast

__version__: str = _text(_lib.volt_version())
__citation__: str = f"""\
@misc{{gonon2022reservoir,
    author = {{Gonon, Lukas and Grigoryeva, Lyudmila and Ortega, Juan-Pablo}},
    title = {{Reservoir kernels and {{Volterra}} series}},
    year = {{2022}},
    eprint = {{2212.14641}},
    archivePrefix = {{arXiv}}
}}

@misc{{volterra,
    author = {{{{volterra developers}}}},
    title = {{{{volterra}}}},
    note = {{Software, version {__version__}}}
}}
"""


def _list_public_names() -> None:
    """``dir`` and completion list only the names in ``__all__``, of the package and of each public module."""
    for name, module in list(_modules.items()):
        public = name == __name__ or name.startswith(f"{__name__}.") and "._" not in name
        if public and hasattr(module, "__all__"):
            setattr(module, "__dir__", lambda names=module.__all__: sorted(names))

__all__ = [
    "BeyondWarning",
    "CancelledError",
    "Capacity",
    "DeviceError",
    "DivergenceWarning",
    "Evidence",
    "FitWarning",
    "ForecastWarning",
    "Forecaster",
    "GapWarning",
    "Identification",
    "Identifier",
    "IntervalForecast",
    "Learner",
    "LearningCurve",
    "MCS",
    "ModelSum",
    "NotFittedError",
    "OrderWarning",
    "RowAnomaly",
    "SequenceKernelRidge",
    "SeriesAnomaly",
    "SeriesClassifier",
    "SingularError",
    "StartWarning",
    "Stream",
    "VolterraClassifier",
    "VolterraClassifierCV",
    "VolterraRidge",
    "VolterraRidgeCV",
    "VolterraWarning",
    "baseline",
    "benchmarks",
    "capacity",
    "combine",
    "datasets",
    "device",
    "devices",
    "evidence",
    "forecast",
    "gak_kernel",
    "gram",
    "gram_spectrum",
    "identify",
    "info",
    "kernel_facts",
    "kernel_table",
    "solver_table",
    "kernel_text",
    "learning_curve",
    "load",
    "losses",
    "metrics",
    "plot",
    "save",
    "season",
    "set_device",
    "set_threads",
    "signature_kernel",
    "sigpde_kernel",
    "threads",
    "volterra_kernel",
]

_list_public_names()
