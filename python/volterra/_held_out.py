"""What needs no model, on the rows that a fit has held out."""

from __future__ import annotations

import dataclasses
import functools
from typing import Dict, get_args

import numpy as np

from ._arrays import Array
from ._model import FitReport
from ._training import Horizons
from ._types import Baseline
from .baselines import baseline, season
from .metrics import scores


@dataclasses.dataclass
class HeldOut:
    """The rows held out of a fit, and the series that they belong to."""

    series: Array
    horizons: Horizons
    season: int  # as given; -1: to be found
    report: FitReport

    def _season(self) -> int:
        if self.season >= 0:
            return self.season
        found = (season(column) for column in self.series.T)
        return next((rows for rows in found if rows), 0)

    @functools.cached_property
    def unit(self) -> float:
        """A power of two: the series times it has squares that a double holds. 1 but for extreme series."""
        largest = float(np.max(np.abs(self.series)))
        exponent = int(np.frexp(largest)[1])
        return 1.0 if largest == 0 or abs(exponent) <= 400 else 2.0 ** min(-exponent, 1000)

    def _measure(self, kind: Baseline, rows: int) -> Dict[str, float]:
        """Means over the horizons; the squared error is that of the series times `unit`."""
        total = dict(mse=0.0, mae=0.0, r2=0.0)
        for h in self.horizons.each:
            begin = self.report.first + h
            end = begin + self.report.rows
            forecast = baseline(kind, self.series, max(h, 1), rows, begin=begin, end=end)
            found = scores(self.unit * self.series[begin:end], self.unit * forecast)
            found["mae"] /= self.unit
            for name in total:
                total[name] += found[name] / len(self.horizons.each)
        return total

    @functools.cached_property
    def baselines(self) -> Dict[str, Dict[str, float]]:
        if self.report.rows == 0:
            return {}
        rows, own, table = self._season(), float(np.mean((self.unit * self.report.rmse) ** 2)), {}
        for kind in get_args(Baseline):
            if kind == "seasonal" and rows < 2:
                continue
            try:
                found = self._measure(kind, rows)
            except ValueError:  # too little of a past
                continue
            skill = 1 - own / found["mse"] if found["mse"] > 0 else float("nan")
            table[kind] = dict(
                mse=found["mse"] / self.unit / self.unit,
                rmse=float(np.sqrt(found["mse"])) / self.unit,
                mae=found["mae"],
                r2=found["r2"],
                skill=skill,
            )
        return table
