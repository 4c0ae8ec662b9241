"""A small graph drawn: where its vertices go, and colors for values of its vertices or edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable

_SEED = 1
"""The same graph is drawn the same way."""


def positions(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    """float64[V, 2], from -1 to 1: by springs where NetworkX or igraph is there, else on a circle. Vertices without an
    edge to another, which no spring holds, are in a row below."""
    linked = np.zeros(vertices, dtype=bool)
    linked[sources[sources != targets]] = linked[targets[sources != targets]] = True
    places = np.empty((vertices, 2))
    num_isolated = vertices - int(np.count_nonzero(linked))
    places[~linked] = np.stack([np.linspace(-1, 1, num_isolated), np.full(num_isolated, -1.25)], axis=1)
    numbers = np.cumsum(linked) - 1
    is_linked = linked[sources] & linked[targets]
    layout = _layout(vertices - num_isolated, numbers[sources[is_linked]], numbers[targets[is_linked]])
    span = np.abs(layout - layout.mean(axis=0)).max(initial=1e-9) if len(layout) else 1.0
    places[linked] = (layout - layout.mean(axis=0)) / span if len(layout) else layout
    return places


def _layout(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    for place in (_by_networkx, _by_igraph):
        try:
            return place(vertices, sources, targets)
        except ImportError:
            continue
    return _on_a_circle(vertices)


def _by_networkx(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    places = networkx.spring_layout(graph, seed=_SEED, iterations=100)
    return np.array([places[vertex] for vertex in range(vertices)], dtype=np.float64).reshape(-1, 2)


def _by_igraph(vertices: int, sources: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    import igraph

    graph = igraph.Graph(vertices, list(zip(sources.tolist(), targets.tolist(), strict=True)))
    places = graph.layout_kamada_kawai(seed=_on_a_circle(vertices).tolist())
    return np.array(places.coords, dtype=np.float64).reshape(-1, 2)


def _on_a_circle(vertices: int) -> NDArray[np.float64]:
    angles = np.linspace(0, 2 * np.pi, vertices, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


MOST_VERTICES = 200
MOST_EDGES = 2000
_MOST_LABELS = 60
_LONGEST_LABEL = 12
_QUIET = "#b5b5b5"
"""The color of missing values: ids that are `none`, infinite distances."""
_LINE = "#9a9a9a"


class Colored(NamedTuple):
    """Values that color vertices or stored edges, where they are known."""

    values: NDArray[Any]
    known: NDArray[np.bool_]
    of_edges: bool = False

    def masked(self) -> Any:
        """The values, with unknown ones masked."""
        return np.ma.masked_array(self.values.astype(np.float64), mask=~self.known)


def can_be_drawn(graph: Any) -> bool:
    """Whether `graph` is small enough to draw."""
    return bool(0 < graph.num_vertices <= MOST_VERTICES and graph.num_edges <= MOST_EDGES)


def draw_graph(ax: Any, graph: Any, colored: Colored | None, title: str) -> None:
    """Draw `graph` on `ax`; without `colored` in one color."""
    sources, targets = (np.asarray(ends) for ends in graph.edges)
    places = positions(graph.num_vertices, sources, targets)
    of_edges = colored if colored is not None and colored.of_edges else None
    (_draw_arrows if graph.directed else _draw_lines)(ax, places, sources, targets, of_edges)
    _draw_vertices(ax, places, None if of_edges is not None else colored)
    if graph.num_vertices <= _MOST_LABELS:
        _draw_labels(ax, graph, places)
    ax.set_title(title)
    ax.set_axis_off()


def _draw_vertices(ax: Any, places: NDArray[np.float64], colored: Colored | None) -> None:
    size = 260.0 if len(places) <= _MOST_LABELS else 60.0
    known = colored.known if colored is not None else np.zeros(len(places), dtype=bool)
    ax.scatter(*places[~known].T, s=size, c=_QUIET, zorder=2, linewidths=0)
    if colored is not None and known.any():
        values = colored.values[known]
        drawn = ax.scatter(*places[known].T, s=size, c=values, cmap="viridis", zorder=3, linewidths=0)
        _add_color_bar(ax, drawn, values)


def _draw_lines(
    ax: Any, places: NDArray[np.float64], sources: NDArray[Any], targets: NDArray[Any], colored: Colored | None
) -> None:
    """Draw each edge that is stored both ways once, unless the two directions have their own values."""
    from matplotlib.collections import LineCollection

    shown = sources <= targets if colored is None else np.ones(len(sources), dtype=bool)
    lines: Any = np.stack([places[sources[shown]], places[targets[shown]]], axis=1)
    style: dict[str, Any] = {"color": _LINE} if colored is None else {"cmap": "viridis", "array": colored.masked()}
    drawn = LineCollection(lines, linewidths=1.0, zorder=1, **style)
    ax.add_collection(drawn)
    if colored is not None:
        _add_color_bar(ax, drawn, colored.values[colored.known])


def _draw_arrows(
    ax: Any, places: NDArray[np.float64], sources: NDArray[Any], targets: NDArray[Any], colored: Colored | None
) -> None:
    """Arrows that end before the vertex that they lead to."""
    begin, way = places[sources], places[targets] - places[sources]
    style: dict[str, Any] = {"color": _LINE} if colored is None else {"cmap": "viridis"}
    colors = () if colored is None else (colored.masked(),)
    drawn = ax.quiver(
        *begin.T, *(way * 0.93).T, *colors, angles="xy", scale_units="xy", scale=1, width=0.003, zorder=1, **style
    )
    if colored is not None:
        _add_color_bar(ax, drawn, colored.values[colored.known])


def _draw_labels(ax: Any, graph: Any, places: NDArray[np.float64]) -> None:
    from matplotlib.patheffects import withStroke

    for vertex, (across, up) in enumerate(places):
        name = str(graph.names[vertex]) if graph.names is not None else str(vertex)
        text = printable(name[:_LONGEST_LABEL]).replace("$", r"\$")
        halo = [withStroke(linewidth=2, foreground="white")]
        ax.text(across, up, text, ha="center", va="center", fontsize=7, zorder=4, path_effects=halo)


def _add_color_bar(ax: Any, drawn: Any, values: NDArray[Any]) -> None:
    """Add a color bar, with whole numbers for whole numbers."""
    if not len(values):
        return
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
    if values.dtype.kind in "iub":
        from matplotlib.ticker import MaxNLocator

        bar.locator = MaxNLocator(integer=True)
        bar.update_ticks()
