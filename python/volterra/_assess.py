"""Comparison of a fit with baselines, by the same function of the library as in the program."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from ._core import _native as c
from ._core._data import Array
from ._core._errors import VolterraWarning, check, warn
from ._core._model import Model
from ._training import Pairing

_WORDS = {value: word for word, value in c.BASELINES.items()}
_BETTER = c.CONSTANTS["VOLT_WARNING_BETTER_BASELINE"]
#: Codes of fits that are of little use.
_SERIOUS = {c.CONSTANTS[f"VOLT_WARNING_{word}"] for word in ("WORSE_THAN_CONSTANT", "BETTER_BASELINE")}
_PAST_TARGETS = c.CONSTANTS["VOLT_WARNING_PAST_TARGETS"]


_FIGURES = (
    *("heldout_rows", "heldout_rmse", "loo_rmse", "gcv_rmse", "naive_outputs", "halfway_outputs", "naive_ratio"),
    *("r2", "loss", "season"),
)


class FitWarning(VolterraWarning):
    """A baseline or a constant is better than the fit on the held-out rows; ``warnings_`` has all codes.

    Examples
    --------
    >>> import warnings, numpy as np, volterra
    >>> rng = np.random.default_rng(0)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     result = volterra.VolterraRidge(alpha=1e-8).fit(rng.normal(size=(120, 1)).cumsum(axis=0), rng.normal(size=120))
    >>> caught[0].category.__name__
    'FitWarning'
    """


class Note(NamedTuple):
    """A warning of the library: its code, text, series, and value."""

    code: int
    text: str
    series: int
    value: float
    baseline: Optional[str]


def read_notes(warnings: Any, count: int) -> List[Note]:
    return [
        Note(
            int(w.code),
            c.text(c.lib.volt_warning_text(w.code)),
            int(w.series),
            float(w.value),
            _WORDS[w.baseline] if w.code == _BETTER else None,
        )
        for w in (warnings[i] for i in range(count))
    ]


class Assessment(NamedTuple):
    """``volt_assessment``."""

    baselines: Dict[str, Dict[str, float]]
    verdict: Dict[str, float]
    warnings: List[Note]

    def warn(self) -> None:
        """Warn of a fit of little use. Baselines that use past targets are ignored if the model does not use them."""
        codes = {note.code for note in self.warnings}
        for note in self.warnings:
            if note.code in _SERIOUS and not (note.code == _BETTER and _PAST_TARGETS in codes):
                warn(note.text + (f": {note.baseline}" if note.baseline else ""), FitWarning)


def assess(
    pairing: Pairing,
    fields: Mapping[str, Any],
    model: Optional[Model] = None,
    fitted: Optional[Array] = None,
    splits: Optional[c.SplitOptions] = None,
    **found: Any,
) -> Assessment:
    """``volt_assess`` of a model on its held-out rows, or with `splits` of a search on its validation blocks. `fields` are
    those of ``volt_fit_options``, `found` the other ones of ``volt_assess_options``."""
    has_loss = fields.get("loss") is not None
    options = c.fill(
        c.lib.volt_assess_options_default(),
        season=fields["season"],
        model=None if model is None else model._as_parameter_,
        fitted=fitted,
        splits=splits,
        by_loss=has_loss,
        weights=fields.get("weights"),
        **found,
    )
    made = c.Assessment()
    check(c.lib.volt_assess(pairing, options, made))
    found, figures = c.values(made), ("loss",) if has_loss else ("mse", "rmse", "mae", "r2")
    names = {c.text(c.lib.volt_baseline_name(kind)): word for word, kind in c.BASELINES.items()}
    table = {}
    for score in found["baselines"][: made.n_baselines]:
        table[names.get(score["name"], score["name"])] = {**{name: score[name] for name in figures}, "skill": 1 - score["ratio"]}
    verdict = {name: found[name] for name in _FIGURES}
    return Assessment(table, verdict, read_notes(made.warnings, made.n_warnings))
