"""A small graph drawn, its vertices or edges coloured by values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable
from gdsl.pictures.positions import positions

MOST_VERTICES = 200
MOST_EDGES = 2000
_MOST_LABELS = 60
_LONGEST_LABEL = 12
_QUIET = "#b5b5b5"
"""The colour of what has no value: ids that are none, distances that are infinite."""
_LINE = "#9a9a9a"


class Coloured(NamedTuple):
    """What gives vertices (or stored edges) their colours: a value each, where it is known."""

    values: NDArray[Any]
    known: NDArray[np.bool_]
    of_edges: bool = False

    def masked(self) -> Any:
        """The values, of which those that are not known have no colour."""
        return np.ma.masked_array(self.values.astype(np.float64), mask=~self.known)


def can_be_drawn(graph: Any) -> bool:
    """Whether anything could be seen in a drawing of `graph`."""
    return bool(0 < graph.num_vertices <= MOST_VERTICES and graph.num_edges <= MOST_EDGES)


def draw_graph(ax: Any, graph: Any, coloured: Coloured | None, title: str) -> None:
    """Draw `graph` on `ax`; without `coloured` all looks alike."""
    sources, targets = (np.asarray(ends) for ends in graph.edges)
    places = positions(graph.num_vertices, sources, targets)
    of_edges = coloured if coloured is not None and coloured.of_edges else None
    (_draw_arrows if graph.directed else _draw_lines)(ax, places, sources, targets, of_edges)
    _draw_vertices(ax, places, None if of_edges is not None else coloured)
    if graph.num_vertices <= _MOST_LABELS:
        _draw_labels(ax, graph, places)
    ax.set_title(title)
    ax.set_axis_off()


def _draw_vertices(ax: Any, places: NDArray[np.float64], coloured: Coloured | None) -> None:
    size = 260.0 if len(places) <= _MOST_LABELS else 60.0
    known = coloured.known if coloured is not None else np.zeros(len(places), dtype=bool)
    ax.scatter(*places[~known].T, s=size, c=_QUIET, zorder=2, linewidths=0)
    if coloured is not None and known.any():
        values = coloured.values[known]
        drawn = ax.scatter(*places[known].T, s=size, c=values, cmap="viridis", zorder=3, linewidths=0)
        _tell_colours(ax, drawn, values)


def _draw_lines(
    ax: Any, places: NDArray[np.float64], sources: NDArray[Any], targets: NDArray[Any], coloured: Coloured | None
) -> None:
    """Each edge that is stored both ways once, but where both may have another value."""
    from matplotlib.collections import LineCollection

    shown = sources <= targets if coloured is None else np.ones(len(sources), dtype=bool)
    lines: Any = np.stack([places[sources[shown]], places[targets[shown]]], axis=1)
    style: dict[str, Any] = {"color": _LINE} if coloured is None else {"cmap": "viridis", "array": coloured.masked()}
    drawn = LineCollection(lines, linewidths=1.0, zorder=1, **style)
    ax.add_collection(drawn)
    if coloured is not None:
        _tell_colours(ax, drawn, coloured.values[coloured.known])


def _draw_arrows(
    ax: Any, places: NDArray[np.float64], sources: NDArray[Any], targets: NDArray[Any], coloured: Coloured | None
) -> None:
    """Arrows that end before the vertex that they lead to."""
    begin, way = places[sources], places[targets] - places[sources]
    style: dict[str, Any] = {"color": _LINE} if coloured is None else {"cmap": "viridis"}
    colours = () if coloured is None else (coloured.masked(),)
    drawn = ax.quiver(
        *begin.T, *(way * 0.93).T, *colours, angles="xy", scale_units="xy", scale=1, width=0.003, zorder=1, **style
    )
    if coloured is not None:
        _tell_colours(ax, drawn, coloured.values[coloured.known])


def _draw_labels(ax: Any, graph: Any, places: NDArray[np.float64]) -> None:
    from matplotlib.patheffects import withStroke

    for vertex, (across, up) in enumerate(places):
        name = str(graph.names[vertex]) if graph.names is not None else str(vertex)
        text = printable(name[:_LONGEST_LABEL]).replace("$", r"\$")
        halo = [withStroke(linewidth=2, foreground="white")]
        ax.text(across, up, text, ha="center", va="center", fontsize=7, zorder=4, path_effects=halo)


def _tell_colours(ax: Any, drawn: Any, values: NDArray[Any]) -> None:
    """A bar that says which colour is which value, with whole numbers for whole numbers."""
    if not len(values):
        return
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
    if values.dtype.kind in "iub":
        from matplotlib.ticker import MaxNLocator

        bar.locator = MaxNLocator(integer=True)
        bar.update_ticks()
