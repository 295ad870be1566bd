"""Types of arguments and results, for type checkers.

pandas and polars are named for type checkers only; neither is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Literal, Optional, Protocol, Sequence, TypedDict, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from typing_extensions import Self, Unpack

    Table = Union[pd.DataFrame, pl.DataFrame]
    #: A frame if inputs and targets are of one library, else an array.
    Prediction = Union[npt.NDArray[np.float64], pd.DataFrame, pd.Series, pl.DataFrame, pl.Series]
else:
    Table = Prediction = Self = Unpack = Any

# ---- data --------------------------------------------------------------------------------------------------

FloatArray = npt.NDArray[np.float64]
#: Arrays, and rows of numbers.
Numbers = Union[npt.NDArray[Any], Sequence[Sequence[float]]]


class Frame(Protocol):
    """A DataFrame or Series of pandas or polars. A protocol, because type checkers that lack the annotations of pandas
    treat its classes as Any, and Any among overloads makes every result Any."""

    def to_numpy(self, *args: Any, **kwargs: Any) -> Any: ...


#: Several records.
RecordList = Sequence[Union[npt.NDArray[Any], Frame]]
#: One level between 0 and 1, or several.
Levels = Union[float, Sequence[float], npt.NDArray[Any]]

# ---- choices -----------------------------------------------------------------------------------------------

Alpha = Union[float, Literal["auto"]]
Season = Union[None, int, Literal["auto"]]
Ahead = Union[None, int, Iterable[int]]
Landmarks = Union[None, int, str]
Start = Literal["auto", "continue", "reset"]
StreamStart = Literal["continue", "reset"]
Beyond = Literal["auto", "clip", "error", "allow"]
Target = Literal["auto", "level", "change"]
Input = Literal["auto", "level", "change", "both"]
Solver = str  # NAME or NAME:PARAMETER=VALUE,...: solver_table
SearchSolver = Literal["auto", "exact", "nystrom"]
Layout = Literal["auto", "time", "channels"]
Race = Literal["exact", "fast", "none"]
Search = Literal["random", "adaptive", "cma"]
FoldsBy = Literal["rows", "records"]
Validate = Literal["simulate", "one-step"]
OdeMethod = Literal["rk4", "accurate"]
McsMethod = Literal["R", "max"]
McsBlock = Union[float, Literal["sqrt", "auto"]]
ForgetWhat = Literal["dynamics", "all"]
SeriesScale = Literal["channels", "series", "none"]
SeriesInput = Literal["level", "change", "both"]
SeriesCompare = Literal["series", "steps"]
AnomalyScore = Literal["mahalanobis", "conformance"]
Baseline = Literal["naive", "seasonal", "drift", "ar"]
Scoring = Literal[
    "r2", "neg_nmse", "neg_mse", "prequential", "log", "evidence", "neg_loo", "neg_gcv", "neg_loss"
]


# ---- arguments of predictions ------------------------------------------------------------------------------


class Rows(TypedDict, total=False):
    """Keyword arguments of `predict` and others."""

    start: Optional[Start]
    groups: Any


class FedRows(Rows, total=False):
    """The same with outputs that are fed back."""

    y_known: Any
    warm_up: Optional[int]
