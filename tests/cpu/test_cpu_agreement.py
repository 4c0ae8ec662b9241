"""Samples and test programs on the cpu backend give what the reference gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.ir.nodes import Advance, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.pipeline import load
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, assert_agree, executable
from tests.support.graphs import named_graphs
from tests.support.programs import SAMPLES

GRAPHS = named_graphs()
pytestmark = pytest.mark.optimized


def check(path: Path, tune: tuple[str, ...] = (), sizes: Sizes | None = None, id_bits: int = 32) -> None:
    ready = executable(str(path), tune, sizes, id_bits)
    for name, graph in GRAPHS.items():
        given = given_to(ready.program, graph)
        if given is None:
            continue
        bindings = bind(ready.program, graph, given, id_bits=id_bits)
        expected = interpret(ready.program, graph, bindings, Limits(), id_bits=id_bits)
        found = ready.run(graph, bindings, Limits())
        try:
            assert_agree(ready.program, expected, found)
        except AssertionError as error:
            raise AssertionError(f"on {name}: {error}") from None


def given_to(program: Program, graph: Graph) -> dict[str, Any] | None:
    """The params that must be given; None where the graph has no vertex to give."""
    needs_source = any(param.default is None for param in program.params)
    if needs_source and graph.num_vertices == 0:
        return None
    return {param.name: 0 for param in program.params if param.default is None}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("id_bits", [32, 64])
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
@pytest.mark.sampled(45)
def test_samples(path: Path, id_bits: int, sizes: Sizes | None) -> None:
    check(path, sizes=sizes, id_bits=id_bits)


def pulled() -> list[tuple[Path, str]]:
    """Each sample with a functor that can be pulled."""
    found = set()
    for path in SAMPLES:
        advances = [node for node in walk(load(str(path)).schedule) if isinstance(node, Advance)]
        push_only = {advance.functor for advance in advances if advance.to is Domain.EDGE}
        found |= {(path, advance.functor) for advance in advances if advance.functor not in push_only}
    return sorted(found)


@pytest.mark.parametrize(("path", "functor"), pulled(), ids=str)
@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.sampled(12)
def test_directions(path: Path, functor: str, direction: str) -> None:
    check(path, (f"{functor}.direction={direction}",), SMALL)
