"""The plot of a simulation: measured and simulated, the rows around the largest error, and the error."""

from __future__ import annotations

import io

import numpy as np

from .._core._arrays import Array
from ._sysid_sets import Set, Test

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
