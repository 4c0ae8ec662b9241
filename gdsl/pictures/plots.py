"""Pictures of graphs and results: a drawing where they are small, else a distribution; axes, panels and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import shown
from gdsl.extras import required
from gdsl.pictures.charts import draw_degrees, draw_trace, draw_values
from gdsl.pictures.drawing import MOST_EDGES, MOST_VERTICES, Colored, can_be_drawn, draw_graph

SUFFIXES = (".png", ".svg", ".pdf")
_UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
"""Metadata that leave the date out of a file, so that the same picture gives the same bytes."""
_PANEL = (6.0, 4.5)
"""Inches."""

Draw = Callable[[Any], object]
"""Draws on axes."""


def require_matplotlib() -> Any:
    """Matplotlib. Raises E0907 where it is not installed."""
    return required("matplotlib", "gdsl[plot]", "a picture")


def axes_of(ax: Any) -> Any:
    """`ax`, or new axes as pyplot creates them, which a notebook or `plt.show()` shows; without a display Matplotlib
    draws for files alone. Raises E0907."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=_PANEL, layout="constrained")[1]


def panels(draws: Sequence[Draw]) -> Any:
    """A figure with a panel for each of `draws`, outside of pyplot, so that no window shows it. Raises E0907."""
    require_matplotlib()
    from matplotlib.figure import Figure

    columns = min(len(draws), 3)
    rows = -(-len(draws) // columns)
    figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows), layout="constrained")
    for place, draw in enumerate(draws):
        draw(figure.add_subplot(rows, columns, place + 1))
    return figure


def write_figure(figure: Any, path: Path, file: BinaryIO) -> None:
    """Write `figure` to `file` in the format that `path` ends in, one of `SUFFIXES`."""
    import matplotlib

    suffix = path.suffix.lower()
    with matplotlib.rc_context({"svg.hashsalt": "gdsl"}):
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=_UNDATED[suffix])


KINDS = ("drawing", "distribution")


class Values(NamedTuple):
    """One value for each vertex or edge.

    known: which of them have a place among the others. apart: a description of how many have none. graph: None if it is
    not available.
    """

    name: str
    values: NDArray[Any]
    known: NDArray[np.bool_]
    apart: str
    of_edges: bool
    graph: Any


def plot_graph(graph: Any, ax: Any = None, kind: str | None = None) -> Any:
    """`Graph.plot`."""
    drawn = _is_drawing(graph, kind)
    ax = axes_of(ax)
    title = f"{graph.num_vertices:,} vertices, {graph.num_edges:,} stored edges"
    if drawn:
        degrees = np.asarray(graph.out_degrees)
        draw_graph(ax, graph, Colored(degrees, np.ones(len(degrees), dtype=bool)), f"{title}, color: out-degree")
    else:
        draw_degrees(ax, graph, title)
    return ax


def plot_values(values: Values, ax: Any = None, kind: str | None = None) -> Any:
    """A picture of one result, as a drawing of its graph where that is small. Returns the axes. Raises ValueError for
    an unknown `kind`."""
    graph = values.graph
    if graph is None and kind == "drawing":
        raise ValueError("the result has come here without its graph, and cannot be drawn")
    drawn = _is_drawing(graph, kind)
    ax = axes_of(ax)
    if drawn:
        title = f"{values.name} ({values.apart})" if values.apart else values.name
        draw_graph(ax, graph, Colored(values.values, values.known, values.of_edges), title)
    else:
        draw_values(ax, values.values[values.known], values.apart, values.name)
    return ax


def plot_trace(trace: Any, title: str, ax: Any = None) -> Any:
    """A picture of the frontier. Returns the axes."""
    ax = axes_of(ax)
    draw_trace(ax, trace, title)
    return ax


def _is_drawing(graph: Any, kind: str | None) -> bool:
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be {' or '.join(map(repr, KINDS))}, not {shown(kind)}")
    if graph is None:
        return False
    if kind == "drawing" and not can_be_drawn(graph):
        raise ValueError(
            f"a graph of {graph.num_vertices:,} vertices and {graph.num_edges:,} stored edges is not drawn, only those "
            f"of 1 to {MOST_VERTICES} vertices and up to {MOST_EDGES:,} edges"
        )
    return can_be_drawn(graph) and kind != "distribution"
