"""What a GPU makes of a graph's lists is what the host has of it."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda.memory import GraphOnDevice, _can_derive
from gdsl.codegen.structs import element_dtype
from gdsl.types import Type, Widths
from tests.support.graphs import random_graph, star

from .build import compiler
from .emulated_device import EmulatedDevice

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

TWICE = [(0, 1), (1, 0), (0, 1), (3, 3), (3, 3), (5, 0), (2, 5), (5, 2), (5, 2), (7, 8), (8, 8)]
"""Edges beside each other, loops of which some are too, and vertices without any."""
PARTS = {
    "edge_sources": Type.VERTEX,
    "in_edges": Type.EDGE,
    "reverse_edges": Type.EDGE,
    "in_offsets": Type.EDGE,
    "in_sources": Type.VERTEX,
    "edge_ids": Type.EDGE,
}


def graphs(directed: bool) -> list[gdsl.Graph]:
    ends = np.array(TWICE).T
    many = np.array(star(70)).T
    return [
        gdsl.Graph.from_edges(*ends, 10, directed=directed),
        gdsl.Graph.from_edges(*many, 71, directed=directed),
        random_graph(60, 300, seed=1, directed=directed),
        gdsl.Graph.from_edges([], [], 3, directed=directed),
    ]


@pytest.mark.parametrize("widths", [Widths(32, 32), Widths(32, 64), Widths(64, 64)], ids=str)
@pytest.mark.parametrize("directed", [False, True])
def test_parts(directed: bool, widths: Widths) -> None:
    assert _can_derive("edge_sources", directed) and _can_derive("in_edges", directed) == (not directed)
    for graph in graphs(directed):
        device = EmulatedDevice()
        on_device = GraphOnDevice(device, graph, widths)
        for name, element in PARTS.items():
            dtype = element_dtype(element, widths)
            found = device.fetch(on_device.part(name, element), dtype, len(on_device._host(name, dtype)))
            np.testing.assert_array_equal(found, on_device._host(name, dtype), err_msg=name)
