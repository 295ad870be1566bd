"""The figures of system identification on standard output: a table with published figures, or JSON."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

from ._common import format_number, format_seconds, load_data, print_json
from ._sysid_run import Run, commands
from ._sysid_sets import Measure, Test

_PUBLISHED = load_data("sysid_published")
SOURCE: str = _PUBLISHED["source"]
METHODS: List[Dict[str, Any]] = _PUBLISHED["methods"]


class Figure(NamedTuple):
    """One measure of one test of a run."""

    run: Run
    test: Test
    measure: Measure
    value: float


def figures(runs: List[Run]) -> List[Figure]:
    return [
        Figure(run, test, measure, value)
        for run in runs
        for test, values in zip(run.set.tests, run.rmse)
        for measure, value in zip(test.measures, values)
    ]


def published(method: Dict[str, Any], figure: Figure) -> Optional[float]:
    """The figure of a published method; None: not given."""
    key = figure.measure.published
    return None if key is None else method.get(key)


def goal_of(figure: Figure) -> Optional[float]:
    """The goal of --again; None: a preset, or no goal."""
    return figure.measure.goal if figure.run.trials > 0 else None


def format_rmse(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.3g}"


# ---- JSON --------------------------------------------------------------------------------------------------


def _row(figure: Figure) -> Dict[str, Any]:
    others = [(method["method"], published(method, figure)) for method in METHODS]
    goal = goal_of(figure)
    return {
        "dataset": figure.measure.dataset,
        "measure": f"rmse after {figure.measure.after} rows",
        "value": figure.value,
        "unit": figure.run.set.unit,
        "set": figure.run.set.name,
        "test": figure.test.name,
        **({} if goal is None else {"goal": goal}),
        "published": [{"method": name, "value": value} for name, value in others if value is not None],
    }


def _setting(run: Run) -> Dict[str, Any]:
    setting = run.setting
    entry: Dict[str, Any] = {"set": run.set.name, "file": run.data.path}
    if setting.name is not None:
        entry["preset"] = setting.name
    entry.update(
        kernel=setting.kernel,
        alpha=setting.alpha,
        feedback_weight=setting.feedback_weight,
        first_row=setting.first,
        washout=setting.washout,
        n=setting.rows,
        warm_up=run.warm_up,
        simulate_seconds=run.simulate_seconds,
    )
    if run.trials == 0:
        entry.update(fit_seconds=run.fit_seconds)
    else:
        entry.update(family=run.family, draws=run.trials, search_seconds=run.search_seconds)
    return {**entry, "commands": commands(run)}


# ---- text --------------------------------------------------------------------------------------------------


def _print_setting(run: Run) -> None:
    setting = run.setting
    lines = [("system", f"{run.set.title}, {run.data.path}")]
    if setting.name is not None:
        lines.append(("preset", setting.name))
    if run.trials > 0:
        lines.append(("identify", f"{run.trials} candidates in {format_seconds(run.search_seconds)}"))
        lines.append(("model", run.family))
    lines += [("kernel", setting.kernel), ("alpha", format_number(setting.alpha))]
    if setting.feedback_weight > 0:
        lines.append(
            (
                "feedback",
                f"weight {setting.feedback_weight:.6g}; state initialised with {run.warm_up} measured outputs",
            )
        )
    first = setting.first + setting.washout
    lines.append(
        ("trained on", f"{setting.rows} rows from row {first} on, after {setting.washout} rows of washout")
    )
    fit = "" if run.trials > 0 else f"fit {format_seconds(run.fit_seconds)}, "
    lines.append(("time", f"{fit}simulations {format_seconds(run.simulate_seconds)}"))
    for name, text in lines:
        print(f"{name:<10}  {text}")


def _print_table(runs: List[Run]) -> None:
    found = figures(runs)

    def line(name: str, cells: List[str]) -> None:
        print(f"{name:<38}" + "".join(f"{cell:>14}" for cell in cells))

    print()
    line("RMSE of the simulation", [figure.measure.heading for figure in found])
    line("", [figure.run.set.unit for figure in found])
    line("volterra", [format_rmse(figure.value) for figure in found])
    if any(goal_of(figure) for figure in found):
        line("goal", [format_rmse(goal_of(figure)) for figure in found])
    for method in METHODS:
        values = [published(method, figure) for figure in found]
        if any(value is not None for value in values):
            line(method["method"], [format_rmse(value) for value in values])
    print(f"Published figures: {SOURCE}.")


def print_report(runs: List[Run], as_json: bool) -> None:
    if as_json:
        rows = [_row(figure) for figure in figures(runs)]
        settings = [_setting(run) for run in runs]
        print_json({"benchmark": "sysid", "rows": rows, "published_source": SOURCE, "settings": settings})
        return
    for number, run in enumerate(runs):
        if number:
            print()
        _print_setting(run)
    _print_table(runs)
    print("\nThe same with the program volterra:")
    for run in runs:
        print("\n".join(commands(run)))
