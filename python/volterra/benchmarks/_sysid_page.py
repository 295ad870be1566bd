"""The HTML report of system identification: one self-contained file."""

from __future__ import annotations

import base64
import datetime
import html
import platform
from typing import Any, Dict, List, Mapping, Optional

from .._core._threads import info
from ._common import DATA
from ._sysid_report import METHODS, SOURCE, figures, format_rmse, goal_of, published
from ._sysid_run import Run, commands

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
