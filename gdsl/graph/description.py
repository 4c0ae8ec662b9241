"""Measures a graph for `gdslc graph info`."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable
from gdsl.graph.generators import looks_like_generator
from gdsl.graph.graph import Graph
from gdsl.graph.reading import format_of, resolve_graph_name
from gdsl.graph.shares import equal_shares
from gdsl.graph.vertices import WIDE_FROM
from gdsl.numerals import readable_bytes
from gdsl.records import dataclass

_FEW = 1 << 14


@dataclass(frozen=True, slots=True)
class GraphInfo:
    """A graph in numbers.

    edges: edges as given (an undirected one once); stored_edges: as stored, an undirected one both ways.
    degree_…: out-degrees. duplicates: edges, as given, that repeat others. isolated: vertices without edges to others.
    components: weak components, None where the graph has 2**31 or more stored edges. memory: bytes of CSR and values.
    weight_…: of the attribute `weight` over its values that are not NaN, None without any; weight_nans: those that are
    NaN. named: whether the vertices have names.
    """

    vertices: int
    edges: int
    stored_edges: int
    directed: bool
    symmetric: bool
    degree_min: int
    degree_mean: float
    degree_max: int
    self_loops: int
    duplicates: int
    isolated: int
    components: int | None
    largest_component: int | None
    weighted: bool
    weight_type: str | None
    weight_min: float | int | None
    weight_max: float | int | None
    weight_nans: int
    attributes: tuple[str, ...]
    named: bool
    memory: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON, which has no infinities: they are "inf" and "-inf", as in results."""
        limits = {name: _for_json(getattr(self, name)) for name in ("weight_min", "weight_max")}
        return {**asdict(self), **limits, "attributes": list(self.attributes)}

    def __str__(self) -> str:
        lines = [
            ("vertices", f"{self.vertices:,}"),
            ("edges", f"{self.edges:,} {'directed' if self.directed else 'undirected'}"),
            ("symmetric", "yes" if self.symmetric else "no"),
            ("degrees", f"{self.degree_min:,} to {self.degree_max:,}, mean {self.degree_mean:.2f}"),
            ("self-loops", f"{self.self_loops:,}"),
            ("duplicates", f"{self.duplicates:,}"),
            ("isolated", f"{self.isolated:,}"),
        ]
        if self.components is not None:
            lines.append(("components", f"{self.components:,}, the largest of {self.largest_component:,} vertices"))
        weights = self.weight_type or "none"
        if self.weight_min is not None:
            weights += f", {self.weight_min} to {self.weight_max}"
        if self.weight_nans:
            weights += f", {self.weight_nans:,} NaN"
        lines.append(("weights", weights))
        others = [name for name in self.attributes if name != "weight"]
        if others:
            lines.append(("attributes", ", ".join(map(printable, others))))
        if self.named:
            lines.append(("names", "yes"))
        lines.append(("memory", readable_bytes(self.memory)))
        return "\n".join(f"{name + ':':<12} {value}" for name, value in lines)


def describe(graph: Graph) -> GraphInfo:
    """Count and measure `graph`: O(V + E)."""
    degrees = graph.out_degrees
    is_loop = graph.columns == graph.edge_sources
    repeated = graph.columns[1:] == graph.columns[:-1]
    repeated &= graph.edge_sources[1:] == graph.edge_sources[:-1]
    num_repeated = int(np.count_nonzero(repeated))
    linked = np.zeros(graph.num_vertices, dtype=bool)
    linked[graph.columns[~is_loop]] = True
    linked[graph.edge_sources[~is_loop]] = True
    loops = int(np.count_nonzero(is_loop))
    components, largest = _components(graph)
    weights = graph.attributes.get("weight")
    lowest, highest, nans = _range(weights)
    return GraphInfo(
        vertices=graph.num_vertices,
        edges=graph.num_edges if graph.directed else (graph.num_edges + loops) // 2,
        stored_edges=graph.num_edges,
        directed=graph.directed,
        symmetric=graph.is_symmetric(),
        degree_min=int(degrees.min()) if len(degrees) else 0,
        degree_mean=graph.num_edges / graph.num_vertices if graph.num_vertices else 0.0,
        degree_max=int(degrees.max()) if len(degrees) else 0,
        self_loops=loops,
        duplicates=num_repeated
        if graph.directed
        else (num_repeated + int(np.count_nonzero(repeated & is_loop[1:]))) // 2,
        isolated=int(np.count_nonzero(~linked)),
        components=components,
        largest_component=largest,
        weighted=weights is not None,
        weight_type=str(weights.dtype) if weights is not None else None,
        weight_min=lowest,
        weight_max=highest,
        weight_nans=nans,
        attributes=tuple(graph.attributes),
        named=graph.names is not None,
        memory=_memory(graph),
    )


def unused_ids(graph: Graph, path: str, format: str | None = None) -> str | None:  # noqa: A002
    """One line about gaps in the ids of an edge list, each of which is a vertex without an edge; None without any."""
    if looks_like_generator(path) or graph.names is not None or not graph.num_edges:
        return None
    if format_of(resolve_graph_name(path), format) not in ("csv", "tsv", "edges", "parquet", "arrow"):
        return None
    used = graph.out_degrees > 0
    used[graph.columns] = True
    unused = graph.num_vertices - int(np.count_nonzero(used))
    if not unused:
        return None
    if unused == 1:
        remedy = "--compact leaves it out" + ("" if used[0] else ", --one-based is for ids that count from 1")
        return f"the ids have a gap: the vertex {int(np.argmin(used))} has no edge; {remedy}"
    among = f"{unused:,} of {graph.num_vertices:,} vertices (0 to {graph.num_vertices - 1:,})"
    return f"the ids have gaps: {among} have no edge; --compact leaves them out"


def _components(graph: Graph) -> tuple[int | None, int | None]:
    """Number and largest size of the weak components: of larger graphs by SciPy, which counts edges in int32."""
    if graph.num_vertices == 0:
        return 0, 0
    if max(graph.num_vertices, graph.num_edges) < _FEW:
        return _few_components(graph)
    from scipy.sparse import csgraph, csr_array  # here, as importing csgraph takes as long as importing NumPy

    if graph.num_edges >= WIDE_FROM or graph.num_vertices >= WIDE_FROM:
        return None, None
    ones = np.ones(graph.num_edges, dtype=np.int8)
    shape = (graph.num_vertices, graph.num_vertices)
    matrix = csr_array((ones, graph.columns, graph.offsets.astype(np.int32)), shape=shape)
    count, labels = csgraph.connected_components(matrix, directed=True, connection="weak")
    return int(count), int(np.bincount(labels).max())


def _few_components(graph: Graph) -> tuple[int, int]:
    """The same for a small graph, by union-find: importing SciPy would take as long as everything else."""
    parents = list(range(graph.num_vertices))
    for ends in zip(*(side.tolist() for side in graph.edges), strict=True):
        first, second = (_root(parents, end) for end in ends)
        parents[max(first, second)] = min(first, second)
    sizes = np.bincount([_root(parents, vertex) for vertex in range(graph.num_vertices)])
    return int(np.count_nonzero(sizes)), int(sizes.max())


def _root(parents: list[int], vertex: int) -> int:
    """The root of the tree of `vertex`, with path halving."""
    while parents[vertex] != vertex:
        parents[vertex] = vertex = parents[parents[vertex]]
    return vertex


def _range(weights: NDArray[Any] | None) -> tuple[Any, Any, int]:
    """The least and the largest value that is no NaN, and how many are."""
    if weights is None:
        return None, None, 0
    numbers = weights[~np.isnan(weights)] if weights.dtype.kind == "f" else weights
    nans = len(weights) - len(numbers)
    return (numbers.min().item(), numbers.max().item(), nans) if len(numbers) else (None, None, nans)


def _for_json(value: float | None) -> float | str | None:
    return str(value) if value is not None and math.isinf(value) else value


def _memory(graph: Graph) -> int:
    arrays = [graph.offsets, graph.columns, *graph.attributes.values(), *graph.vertex_attributes.values()]
    return sum(array.nbytes for array in arrays)


# Measures the parts of a graph that workers would hold, for `gdslc graph info --workers`.


_HEADS = ("worker", "vertices", "edges", "bytes", "cut edges", "mirrors")


@dataclass(frozen=True, slots=True)
class PartInfo:
    """The part of one worker in numbers.

    vertices: those that it owns; edges: the stored ones that leave them. bytes: of its lists and attributes.
    cut_edges: those of its edges whose far ends other workers own, which are `mirrors` different vertices.
    """

    vertices: int
    edges: int
    bytes: int
    cut_edges: int
    mirrors: int


@dataclass(frozen=True, slots=True)
class PartsInfo:
    """All parts, by worker."""

    parts: tuple[PartInfo, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return {"workers": len(self.parts), "parts": [asdict(part) for part in self.parts], **self._together()}

    def _together(self) -> dict[str, Any]:
        edges = sum(part.edges for part in self.parts)
        cut = sum(part.cut_edges for part in self.parts)
        largest = max(part.edges for part in self.parts)
        return {
            "cut_share": cut / edges if edges else 0.0,
            "largest_share": largest * len(self.parts) / edges if edges else 1.0,
        }

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [_HEADS]
        rows += [
            (str(rank), *(f"{value:,}" for value in asdict(part).values())) for rank, part in enumerate(self.parts)
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        together = self._together()
        lines.append(
            f"{together['cut_share']:.0%} of the edges are cut; the largest part has {together['largest_share']:.2f} "
            "times the mean number of edges"
        )
        return "\n".join(lines)


def describe_parts(graph: Graph, workers: int) -> PartsInfo:
    """The parts that `workers` workers would have of `graph`: O(V + E)."""
    boundaries = equal_shares(graph.offsets, workers).tolist()
    return PartsInfo(tuple(_part(graph, first, last) for first, last in pairwise(boundaries)))


def _part(graph: Graph, first: int, last: int) -> PartInfo:
    edges = slice(int(graph.offsets[first]), int(graph.offsets[last]))
    columns = graph.columns[edges]
    cut = columns[(columns < first) | (columns >= last)]
    of_edges = sum(values[edges].nbytes for values in graph.attributes.values())
    of_vertices = sum(values[first:last].nbytes for values in graph.vertex_attributes.values())
    size = (last - first + 1) * graph.offsets.itemsize + columns.nbytes + of_edges + of_vertices
    return PartInfo(last - first, len(columns), size, len(cut), len(np.unique(cut)))
