"""Results of system identification: a table with published figures, JSON, and the files of ``sysid -o PREFIX``."""

from __future__ import annotations

import base64
import datetime
import html
import importlib.util
import io
import os
import platform
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from .._core._data import Array
from .._core._machine import info
from ._common import DATA, format_number, format_seconds, load_data, print_json
from ._sysid_run import Measure, Run, Set, Test, commands

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


# ---- HTML ----------------------------------------------------------------------------------------------------


_INTRODUCTION = (
    '<p class="finding">Measured systems, simulated from their inputs.</p>\n'
    "<p>The model receives the inputs of a test from a zero initial state. Models with output feedback use the first measured "
    "outputs, which are not scored, to initialise the state. Settings were chosen on training rows.</p>\n"
)


def _table(runs: List[Run]) -> List[str]:
    found = figures(runs)
    heads = "".join(
        f'<th scope="col">{html.escape(f.run.set.title)}<br>{html.escape(f.measure.column)}, {f.run.set.unit}</th>'
        for f in found
    )
    own = "".join(f'<td class="own">{format_rmse(f.value)}</td>' for f in found)
    lines = [
        f'<p class="caption" id="table1">Table 1. RMSE of the simulations of the test rows. Other methods: {html.escape(SOURCE)}.</p>',
        '<div class="scroll"><table aria-labelledby="table1">',
        f'<thead><tr><th scope="col">Method</th>{heads}</tr></thead>',
        f'<tbody>\n<tr><th scope="row">volterra</th>{own}</tr>',
    ]
    if any(goal_of(f) for f in found):
        cells = "".join(f"<td>{format_rmse(goal_of(f))}</td>" for f in found)
        lines.append(f'<tr><th scope="row">goal</th>{cells}</tr>')
    for method in METHODS:
        cells = "".join(f"<td>{format_rmse(published(method, f))}</td>" for f in found)
        lines.append(f'<tr><th scope="row">{html.escape(method["method"])}</th>{cells}</tr>')
    return [*lines, "</tbody>\n</table></div>"]


def _image(svg: str, label: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(label)}">'


def _run(run: Run, plots: Mapping[Any, Optional[str]]) -> List[str]:
    setting = run.setting
    lines = [f"<h2>{html.escape(run.set.title)}</h2>", f"<p>Data: {html.escape(run.set.citation)}.</p>"]
    if setting.origin:
        lines.append(f"<p>Setting {setting.name}. {html.escape(setting.origin)}</p>")
    if run.trials > 0:
        lines.append(
            f"<p>Identified in this run, on training rows: {html.escape(run.family)}, {run.trials} candidates.</p>"
        )
    first = setting.first + setting.washout
    lines.append(
        f"<p>Fitted on {setting.rows} rows from row {first} of the file on, after {setting.washout} rows of washout.</p>"
    )
    for test in run.set.tests:
        svg = plots.get((run.set.name, test.name))
        if svg is not None:
            caption = "Top: measured and simulated. Middle: the rows around the largest error. Bottom: simulated minus measured."
            image = _image(svg, f"{run.set.title}, {test.name}: measured and simulated")
            lines.append(
                f"<figure>\n{image}\n<figcaption>{html.escape(test.name)}. {caption}</figcaption>\n</figure>"
            )
    text = html.escape("\n".join(commands(run)))
    return [*lines, f"<p>The same with the program volterra:</p>\n<pre>{text}</pre>"]


def _origin(line: str) -> List[str]:
    build = info()
    items: Dict[str, Any] = {
        "Date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z"),
        "volterra": build["version"],
        "Compiler": build["compiler"],
        "Build": f"{build['cpu_flags']}, fast loops {build['fast_loops']}",
        "BLAS": build["blas"],
        "Threads": build["threads"],
        "Machine": platform.platform(),
        "Python": platform.python_version(),
    }
    terms = "\n".join(f"<dt>{name}</dt><dd>{html.escape(str(value))}</dd>" for name, value in items.items())
    return [f"<h2>How this was made</h2>\n<pre>{html.escape(line)}</pre>\n<dl>\n{terms}\n</dl>"]


def page(runs: List[Run], plots: Mapping[Any, Optional[str]], line: str) -> str:
    """The report as HTML text.

    Parameters
    ----------
    runs : list of Run
    plots : mapping
        SVG texts by (set, test); a test without one has no figure.
    line : str
        The command line.
    """
    title = "Benchmark: identification of nonlinear systems"
    style = (DATA / "page.css").read_text(encoding="utf-8")
    body = [f"<h1>{title}</h1>", _INTRODUCTION, "<h2>Results</h2>", *_table(runs)]
    for run in runs:
        body += _run(run, plots)
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            *body,
            *_origin(line),
            "</body>\n</html>\n",
        ]
    )


_STRETCH = 250  # rows of the middle panel
_MEASURED, _SIMULATED, _ERROR = "#8a939b", "#d55e00", "#2f7fd0"


def largest_error(table: Array, after: int) -> slice:
    """Rows around the largest error of the scored rows."""
    count = min(len(table), _STRETCH)
    worst = after + int(np.argmax(np.abs(table[after:, 3])))
    first = min(max(worst - count // 2, 0), len(table) - count)
    return slice(first, first + count)


def draw(one: Set, test: Test, table: Array) -> str:
    """The plot as SVG text; needs Matplotlib.

    Parameters
    ----------
    one, test : Set, Test
    table : ndarray of shape (n_rows, 4)
        Columns input, measured, simulated and error.
    """
    import matplotlib
    from matplotlib.figure import Figure

    after = test.measures[0].after
    rows, near = np.arange(len(table)), largest_error(table, after)
    with matplotlib.rc_context({"svg.hashsalt": "volterra", "font.size": 9}):
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        panels = figure.subplots(3, 1)
        for panel, part in ((panels[0], slice(None)), (panels[1], near)):
            panel.plot(rows[part], table[part, 1], color=_MEASURED, linewidth=1.6, label="measured")
            panel.plot(rows[part], table[part, 2], color=_SIMULATED, linewidth=1.0, label="simulated")
            panel.set_ylabel("V")
        panels[0].set_title(f"{one.title}, {test.name}", loc="left")
        panels[0].legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, ncols=2, borderaxespad=0)
        panels[2].plot(rows[after:], one.per_unit * table[after:, 3], color=_ERROR, linewidth=0.8)
        panels[2].set_ylabel(f"error, {one.unit}")
        panels[2].set_xlabel("row of the test")
        for panel in panels:
            panel.margins(x=0)
            panel.spines[["top", "right"]].set_visible(False)
        panels[2].set_xlim(panels[0].get_xlim())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


COLUMNS = ("input", "measured", "simulated", "error")


def _tests(runs: List[Run]) -> Iterator[Tuple[Run, int, Test]]:
    for run in runs:
        for index, test in enumerate(run.set.tests):
            yield run, index, test


def _name(prefix: str, run: Run, test: Test, ending: str) -> str:
    return f"{prefix}-{run.set.name}-{test.name}{ending}"


def check_files(runs: List[Run], prefix: str) -> None:
    """Raise OSError unless the files can be written, before any computation."""
    names = [f"{prefix}.html", *(_name(prefix, run, test, ".csv") for run, _, test in _tests(runs))]
    for name in names:
        folder = Path(name).parent
        if Path(name).is_dir():
            raise OSError(f"cannot write {name}: it is a directory")
        if not folder.is_dir():
            raise OSError(f"cannot write {name}: there is no directory {folder}")
        if not os.access(folder, os.W_OK):
            raise OSError(f"cannot write {name}: {folder} is not writable")


def _replace(path: str, text: str) -> None:
    """Write a file atomically."""
    handle, temporary = tempfile.mkstemp(dir=Path(path).parent, prefix=".volterra-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _columns(run: Run, index: int) -> Array:
    """Columns input, measured, simulated and error, in the units of the file."""
    values, simulated = run.data.tests[index], run.simulated[index]
    return np.column_stack([values, simulated, simulated - values[:, 1]])


def _csv(table: Array) -> str:
    lines = [",".join(COLUMNS), *(",".join(map(repr, row)) for row in table.tolist())]
    return "\n".join(lines) + "\n"


def write_files(runs: List[Run], prefix: str, line: str) -> None:
    """Write PREFIX.html, and PREFIX-SET-TEST.csv and .svg of every test; without Matplotlib there are no plots."""
    draws = importlib.util.find_spec("matplotlib") is not None
    if not draws:
        warnings.warn("no plots were drawn: Matplotlib is not installed (pip install matplotlib)", stacklevel=2)
    plots: Dict[Any, Optional[str]] = {}
    for run, index, test in _tests(runs):
        table = _columns(run, index)
        _replace(_name(prefix, run, test, ".csv"), _csv(table))
        if draws:
            svg = draw(run.set, test, table)
            _replace(_name(prefix, run, test, ".svg"), svg)
            plots[run.set.name, test.name] = svg
    _replace(f"{prefix}.html", page(runs, plots, line))
