"""The HTML of a graph in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.html import bars, columns, escaped, heading, page, table

_PIECE = 1 << 18
"""Vertices whose degrees are counted together."""
_MOST_PIECES = 16
"""Of a larger graph, so many pieces spread over it are counted: a page must show quickly."""


@page
def graph_page(graph: Any) -> str:
    """Sizes, kind, attributes and the distribution of degrees of a `Graph`."""
    kind = "directed" if graph.directed else "undirected, each edge stored both ways"
    rows: list[tuple[str, str]] = [("vertices", f"{graph.num_vertices:,}")]
    if graph._lazy_csr is None:
        mean = graph.num_edges / graph.num_vertices if graph.num_vertices else 0.0
        rows += [("stored edges", f"{graph.num_edges:,}"), ("edges a vertex", f"{mean:.3g}")]
        rows += [(f"edge: {name}", _values(values)) for name, values in graph.attributes.items()]
    else:
        rows.append(("edges", "put in order at the first run"))
    rows += [(f"vertex: {name}", _values(values)) for name, values in graph.vertex_attributes.items()]
    if graph.names is not None:
        shown = ", ".join(str(graph.names[vertex]) for vertex in range(min(3, graph.num_vertices)))
        rows.append(("names", shown + (", …" if graph.num_vertices > 3 else "")))
    parts = [table((), rows, left=(0, 1))]
    if graph._lazy_csr is None and graph.num_vertices:
        parts.append(_degrees(graph.offsets))
    return f"<div>{heading('Graph', kind)}{columns(parts)}</div>"


def _values(values: NDArray[np.generic]) -> str:
    if not len(values) or values.dtype.kind not in "iufb" or len(values) > _PIECE * _MOST_PIECES:
        return str(values.dtype)
    return f"{values.dtype}, {values.min()} to {values.max()}"


def _degrees(offsets: NDArray[np.int64]) -> str:
    """How many vertices have no out-edge, 1, 2 to 3, 4 to 7, …; estimated from pieces of a very large graph."""
    counts = degree_counts(offsets)
    texts = [
        f"{count:,} with {_range(place)} out-edge{'' if place == 1 else 's'}" for place, count in enumerate(counts)
    ]
    examined = sum(counts)
    of = "" if examined == len(offsets) - 1 else f", of {examined:,} of them"
    title = f'<div style="opacity:.7">{escaped(f"vertices by out-degree{of}")}</div>'
    return f"<div>{title}{bars(counts, [_name(place) for place in range(len(counts))], texts)}</div>"


def degree_counts(offsets: NDArray[np.int64]) -> list[int]:
    """How many vertices have 0 out-edges, and 2^(k-1) to 2^k - 1 at place k."""
    vertices = len(offsets) - 1
    starts = range(0, vertices, _PIECE)
    if len(starts) > _MOST_PIECES:
        starts = range(0, vertices - _PIECE, (vertices - _PIECE) // _MOST_PIECES)[:_MOST_PIECES]
    counts = np.zeros(65, dtype=np.int64)
    for start in starts:
        degrees = np.diff(offsets[start : start + _PIECE + 1])
        counts += np.bincount(np.frexp(degrees.astype(np.float64))[1], minlength=65)[:65]
    used = np.flatnonzero(counts)
    return [int(count) for count in counts[: used[-1] + 1]] if len(used) else []


def _range(place: int) -> str:
    if place < 2:
        return str(place)
    return f"{2 ** (place - 1):,} to {2**place - 1:,}"


def _name(place: int) -> str:
    """The start of the range, abbreviated: 4–, 1k–, 2M–."""
    power = max(place - 1, 0)
    return str(place) if place < 2 else f"{2 ** (power % 10)}{' kMGTP'[power // 10].strip()}–"
