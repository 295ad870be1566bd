"""Names and number of the features of a fitted estimator."""

from __future__ import annotations

from ctypes import byref, c_int, c_int64
from typing import Any, List, Optional

from . import _native as c
from ._arrays import Array, as_matrix
from ._errors import check, warn
from ._frames import column_names, is_frame, is_series


def select_columns(value: Any, known: Any, what: str) -> Any:
    """Return the columns of a data frame that have the `known` names, in their order (`volt_columns_match`); None: all. Columns of
    which none has one of the names are used by position, with a warning."""
    names = None if known is None or is_series(value) else column_names(value)
    if names is None:
        return value
    places = match_names(names, known, what)
    return value[[names[j] for j in places]] if len(set(names)) == len(names) else value


def select_cells(row: Any, known: Any) -> Any:
    """The same for a row of pandas: a Series whose index has the names of the columns."""
    if known is None or not is_frame(row) or not is_series(row) or not all(isinstance(name, str) for name in row.index):
        return row
    return row.iloc[match_names(row.index, known, "the row")]


def match_names(names: Any, known: Any, what: str) -> List[int]:
    """Return the position among the names of every known name (`volt_columns_match`)."""
    places, by_position = (c_int64 * len(known))(), c_int()
    given, wanted = c.names_array(f"a column of {what}", names), c.names_array("a name", known)
    try:
        check(c.lib.volt_columns_match(given, len(names), wanted, len(known), places, byref(by_position)))
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    if by_position.value:
        warn(f"the columns {list(names)} of {what} are used by position as {list(known)}: none has one of these names")
    return list(places)


class FeatureNames:
    """Compares the inputs of later calls with those of fit."""

    n_features_in_: int
    feature_names_in_: Array

    def _check_is_fitted(self) -> None:
        raise NotImplementedError

    def _remember_names(self, names: Optional[Array]) -> None:
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X: Any) -> None:
        """Compare the columns of a data frame with those of fit."""
        names, known = column_names(X), getattr(self, "feature_names_in_", None)
        kind = type(self).__name__
        if known is None and names is not None:
            warn(f"X has feature names, but {kind} was fitted without feature names")
        elif known is not None and names is None:
            warn(f"X does not have valid feature names, but {kind} was fitted with feature names")
        elif known is not None and names is not None and list(known) != list(names):
            raise ValueError(self._names_message(list(known), list(names)))

    @staticmethod
    def _names_message(known: list, names: list) -> str:
        lines = ["The feature names should match those that were passed during fit."]
        unseen = sorted(set(names) - set(known))
        missing = sorted(set(known) - set(names))
        if unseen:
            lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen)]
        if missing:
            lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in missing)]
        if not unseen and not missing:
            lines += ["Feature names must be in the same order as they were in fit."]
        return "\n".join(lines) + "\n"

    def _read_inputs(self, X: Any) -> Array:
        """Inputs for a fitted estimator."""
        self._check_is_fitted()
        self._check_names(X)
        a = as_matrix(X, "X")
        if a.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {a.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )
        return a
