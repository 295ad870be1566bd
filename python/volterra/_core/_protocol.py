"""The scikit-learn estimator API: its base classes if it is installed, otherwise equivalents."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Dict, List

from ._errors import NotFittedError

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
    from sklearn.exceptions import DataConversionWarning
except ImportError:

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """Data had an unexpected form."""

    class RegressorMixin:  # type: ignore[no-redef]
        """Marks a regressor."""

        _estimator_type = "regressor"

    class ClassifierMixin:  # type: ignore[no-redef]
        """Marks a classifier."""

        _estimator_type = "classifier"

    class OutlierMixin:  # type: ignore[no-redef]
        """Marks an outlier detector."""

        _estimator_type = "outlier_detector"

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are the arguments of ``__init__``, kept as attributes of the same names."""

        @classmethod
        def _parameter_names(cls) -> List[str]:
            return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

        def get_params(self, deep: bool = True) -> Dict[str, Any]:
            """The parameters of this estimator by name."""
            return {name: getattr(self, name) for name in self._parameter_names()}

        def set_params(self, **params: Any) -> "BaseEstimator":
            """Set parameters by name; returns the estimator."""
            known = self._parameter_names()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {known!r}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            """Show only the parameters that differ from their defaults, as scikit-learn does."""
            defaults = inspect.signature(type(self).__init__).parameters
            changed = [
                f"{name}={value!r}"
                for name, value in self.get_params().items()
                if value is not defaults[name].default and value != defaults[name].default
            ]
            return f"{type(self).__name__}({', '.join(changed)})"


class Estimator(BaseEstimator):
    """Base of the estimators."""

    def _keep_arguments(self, values: Dict[str, Any]) -> None:
        """Keep the arguments of ``__init__``, its ``locals()``, as attributes of the same names."""
        vars(self).update({name: value for name, value in values.items() if name not in ("self", "__class__")})

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the parameters

    def _check_is_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )
