"""A graph in the memory of the host with its vertices numbered by falling degree: the parts of edge lists that are on
the device are those of hubs. Lists are renumbered a piece at a time, so that only a piece of them is ever there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.host_graph import HostGraph
from gdsl.backends.cuda.numbering import Kernels, Numbering
from gdsl.backends.cuda.protocol import Buffer
from gdsl.backends.needs import LEAST_PIECE, SORT_SPACE
from gdsl.backends.placement import Placement
from gdsl.codegen.structs import element_dtype
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.types import Type, Widths

_KEY = 8
"""Bytes of the two ends of an edge while they are sorted, twice and a little more."""


class RenumberedHostGraph(HostGraph):
    """Lists ascend by the new ids, as in `RenumberedGraph`; parts that only the host can create, and arrays of edges,
    have no such form."""

    numbering: Numbering

    def __init__(self, kernels: Kernels, graph: Graph, widths: Widths, placement: Placement, budget: int) -> None:
        """`budget`: bytes of the device's memory to work with. Raises E0912."""
        super().__init__(kernels.device, graph, widths, placement)
        self._kernels, self._vertices, self._edges = kernels, graph.num_vertices, graph.num_edges
        width = element_dtype(Type.EDGE, widths).itemsize
        left = budget - SORT_SPACE - (self._vertices + 1) * width * (2 if graph.directed else 1)
        self._least_piece = max(self.largest_degree, min(self._edges, LEAST_PIECE), 1)
        self._piece = max(left // (2 * _KEY + 1), self._least_piece)
        """The most edges that are sorted at a time: every list has to fit."""
        started = time.perf_counter()
        names = ("offsets", "in_offsets") if graph.directed else ("offsets",)
        arrays = {name: self._given(name) for name in names}
        self.numbering = Numbering(kernels, arrays["offsets"], arrays.get("in_offsets"), self._vertices, widths)
        vertex = element_dtype(Type.VERTEX, widths)
        self._order = self.device.fetch(self.numbering.order, vertex, self._vertices)
        self._offsets_of: dict[str, NDArray[Any]] = {}
        self.made_ms = (time.perf_counter() - started) * 1e3

    def _create_part(self, name: str, kind: numpy.dtype[Any]) -> Buffer:
        started = time.perf_counter()
        if name.endswith("offsets"):
            part = self.device.upload(self._new_offsets(name, kind))
        elif name in ("columns", "in_sources"):
            part = self._new_lists(name, "offsets" if name == "columns" else "in_offsets", kind)
        elif name == "edge_sources":
            offsets = self._new_offsets("offsets", element_dtype(Type.EDGE, self.widths))
            part = self._place(numpy.repeat(numpy.arange(self._vertices, dtype=kind), numpy.diff(offsets).astype("i8")))
        else:
            assert name == "edge_ids", name
            part = self._place(numpy.arange(self._edges, dtype=kind))
        self.made_ms = (self.made_ms or 0.0) + (time.perf_counter() - started) * 1e3
        return part

    def _given(self, name: str) -> Buffer:
        """Offsets of the caller's graph on the device."""
        return self.device.upload(self._host(name, element_dtype(Type.EDGE, self.widths)))

    def _new_offsets(self, name: str, kind: numpy.dtype[Any]) -> NDArray[Any]:
        """Where the list of each vertex begins."""
        if name not in self._offsets_of:
            counts = numpy.zeros(self._vertices + 1, kind)
            numpy.cumsum(numpy.diff(self._host(name, kind))[self._order], out=counts[1:])
            self._offsets_of[name] = counts
        return self._offsets_of[name]

    def _new_lists(self, name: str, offsets_name: str, kind: numpy.dtype[Any]) -> Buffer:
        """The ends of edges, renumbered a piece at a time: kernels read the caller's lists in the memory of the host,
        and write the new ones to where they stay."""
        offsets_kind = element_dtype(Type.EDGE, self.widths)
        offsets = self._new_offsets(offsets_name, offsets_kind)
        nbytes = kind.itemsize * self._edges
        target = self.device.divided(nbytes, self.placement.resident_bytes(nbytes))
        self._resident[target.pointer] = target.resident
        if not self._edges:
            return target
        given_offsets, original = self._given(offsets_name), self.device.place(self._host(name, kind), 0)
        new_offsets, numbering = self.part(offsets_name, Type.EDGE), self.numbering
        sources = given_offsets, original, numbering.order, numbering.rank, new_offsets
        try:
            while not self._renumbered(sources, offsets, target, kind):
                self._piece = max(self._piece // 2, self._least_piece)
        finally:  # after an error too: kernels read the given lists and write the new ones, which are then released
            self.device.end()
            self.device.wait(None)
        return target

    def _renumbered(
        self, sources: tuple[Buffer, ...], offsets: NDArray[Any], target: Buffer, kind: numpy.dtype[Any]
    ) -> bool:
        """Write all lists to `target`; False if there was no memory for such large pieces. Raises E0912 if there is
        none for the smallest."""
        try:
            keys = self.device.allocate(_KEY * min(self._piece, self._edges))
            pointers = [buffer.pointer for buffer in (*sources, keys)]
            for first, last in pieces(offsets, self._piece):
                begin, count = int(offsets[first]), int(offsets[last] - offsets[first])
                self._kernels.start("keys_of_lists", *pointers, first, last)
                self.device.sort(keys, count)
                place = target.pointer + begin * kind.itemsize
                self._kernels.start("columns_of_keys", keys.pointer, place, count)
        except GdslError as error:
            if error.code != "E0912" or self._piece <= self._least_piece:
                raise
            return False
        return True


def pieces(offsets: NDArray[Any], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive vertices, from the first to before the last, whose lists have at most `most` edges
    together; a longer list is a range of its own. Vertices at the end without edges are in none."""
    vertices, first = len(offsets) - 1, 0
    while first < vertices and offsets[first] < offsets[-1]:
        last = int(numpy.searchsorted(offsets, int(offsets[first]) + most, side="right")) - 1
        last = min(max(last, first + 1), vertices)
        yield first, last
        first = last
