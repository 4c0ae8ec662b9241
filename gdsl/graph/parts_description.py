"""Measures the parts of a graph that workers would hold, for `gdslc graph info --workers`."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from gdsl.graph.graph import Graph
from gdsl.graph.shares import equal_shares
from gdsl.records import dataclass

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
