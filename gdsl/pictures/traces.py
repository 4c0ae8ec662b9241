"""The frontier of a run, pass by pass."""

from __future__ import annotations

import itertools
from typing import Any

_MARKS_UP_TO = 60


def draw_trace(ax: Any, trace: Any, title: str) -> None:
    """The elements that each operator ran on and their edges, in the order in which they ran; an operator that comes
    once tells nothing by a line, and is left out beside others."""
    labels = list(dict.fromkeys(record.label for record in trace))
    several = {label: [place for place, record in enumerate(trace) if record.label == label] for label in labels}
    shown = {label: places for label, places in several.items() if len(places) > 1} or several
    for colour, (label, places) in enumerate(shown.items()):
        marker = "o" if len(places) <= _MARKS_UP_TO else None
        style = {"color": f"C{colour % 10}", "marker": marker, "markersize": 4}
        passes = _passes([trace[place] for place in places])
        ax.plot(passes, [trace[place].frontier_size for place in places], label=f"{label}: frontier", **style)
        edges = [trace[place].edges for place in places]
        if any(edges):
            ax.plot(passes, edges, linestyle="--", label=f"{label}: its edges", **style)
    ax.set(xlabel="pass", ylabel="elements", title=title)
    ax.set_yscale("symlog", linthresh=1)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if shown:
        ax.legend(loc="best", fontsize=8)


def _passes(records: Any) -> list[int]:
    """The passes of an operator, from 1; their number in turn where a loop around them begins again."""
    passes = [record.iteration + 1 for record in records]
    return passes if all(a < b for a, b in itertools.pairwise(passes)) else list(range(1, len(passes) + 1))
