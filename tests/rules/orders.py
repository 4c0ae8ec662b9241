"""Runs programs under many orders and interleavings, with the race rules on or off."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np
from interleaving.interleave import Answer, explore

from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.pipeline import load_source
from gdsl.source import Source

_EDGES = {
    "diamonds": [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6), (6, 0), (1, 2), (5, 4), (2, 6)],
    "two_ways": [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3), (1, 3), (4, 4), (4, 1), (1, 4)],
    "repeated": [
        (0, 1),
        (0, 1),
        (2, 1),
        (2, 1),
        (1, 3),
        (1, 3),
        (3, 2),
        (0, 0),
        (3, 3),
        (4, 5),
        (5, 4),
        (0, 4),
        (6, 7),
        (2, 7),
    ],
}


@functools.cache
def graphs() -> dict[str, Graph]:
    """A few small graphs where many calls meet."""
    made = {}
    for name, edges in _EDGES.items():
        sources, destinations = (np.array(ends, np.int64) for ends in zip(*edges, strict=True))
        weights = np.array([(place * 7 % 13) / 4 for place in range(len(edges))], np.float32)
        made[name] = Graph.from_edges(sources, destinations, 8, weights, directed=True)
    return made


def program_of(text: str, name: str, *, races: bool = True) -> Program:
    """The IR of a program; with `races` False also where the rules refuse it."""
    return load_source(Source(name, text), refuse=races)


def answers(program: Program, seeds: Iterable[int], *, everything: bool = False, enough: int = 1000) -> list[Answer]:
    """The distinct answers on the graph that has most of them; stops early where one has `enough`."""
    most: list[Answer] = []
    for graph in graphs().values():
        given = {param.name: 0 for param in program.params if param.default is None}
        if program.requires.simple and graph is not graphs()["diamonds"]:
            continue
        found = explore(
            program,
            graph,
            bind(program, graph, given),
            seeds,
            limits=Limits(timeout=20, max_iterations=50),
            everything=everything,
        )
        most = max(most, found, key=len)
        if len(most) >= enough:
            break
    return most
