"""A user's script that type checkers must accept. It is checked, not run; assert_type states what a call returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Tuple, Union

import numpy as np
import numpy.typing as npt
import polars as pl
import volterra
from volterra import IntervalForecast, SequenceKernelRidge, VolterraClassifier, VolterraRidge, VolterraRidgeCV

if TYPE_CHECKING:
    from typing_extensions import assert_type

Floats = npt.NDArray[np.float64]

u, y = volterra.datasets.narma10(600, seed=1)
model = VolterraRidge(tau_coef=0.2, alpha="auto", start="auto", beyond="clip", season=None, ahead=range(1, 4))
assert_type(model.fit(u[:500], y[:500]), VolterraRidge)
assert_type(model.predict(u[500:]), Floats)
assert_type(model.predict([[0.1], [0.2]], start="reset"), Floats)
assert_type(model.predict(u, return_std=True), Tuple[Floats, Floats])
assert_type(model.predict([u, u]), List[Any])
assert_type(model.predict_interval(u, coverage=[0.8, 0.95]), Floats)
assert_type(model.predict_quantiles(u, 0.5), Floats)
assert_type(model.predict_var(u), Floats)
assert_type(model.continue_(10), Floats)
assert_type(model.fitted_, Floats)
assert_type(model.score(u, y), float)
error: float = float(np.abs(model.fit(u, y).predict(u) - y).max())

ahead = model.forecast()
if isinstance(ahead, np.ndarray):
    print(ahead.ravel())
banded = model.forecast(coverage=0.9)
if isinstance(banded, IntervalForecast):
    assert_type(banded.interval, Floats)
    forecast, interval = banded
    print(forecast.shape, interval[..., 0])
elif isinstance(banded, pl.DataFrame):
    print(banded.columns)

frame = pl.DataFrame({"u": u[:, 0]})
values = model.fit(frame, pl.Series("y", y)).predict(frame)
if isinstance(values, pl.Series):
    print(values.mean())
series: Union[np.ndarray, pl.Series, object] = VolterraRidge().fit(pl.Series("y", y)).predict(pl.Series("y", y))

search = VolterraRidgeCV(draws=10, race="fast", scoring="neg_mse", folds_by="rows", solver="exact").fit(u, y)
assert_type(search, VolterraRidgeCV)
assert_type(search.best_estimator_, VolterraRidge)
assert_type(SequenceKernelRidge("gak:sigma=1", layout="channels", input="both").fit(u, y), SequenceKernelRidge)
assert_type(VolterraClassifier().fit(u, y > 0), VolterraClassifier)
assert_type(volterra.baseline("naive", y, 1), npt.NDArray[Any])


class Mine(VolterraRidge):
    """A subclass keeps its own type."""

    def twice(self) -> int:
        return 2


assert_type(Mine().fit(u, y), Mine)
print(Mine().fit(u, y).twice())
