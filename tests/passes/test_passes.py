"""What each pass does, on the samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdsl import pipeline
from gdsl.backends import cuda
from gdsl.backends.cpu import plan_of
from gdsl.ir.nodes import Element, Node
from gdsl.ir.traversal import walk
from gdsl.passes import ir_passes

SAMPLES = Path(__file__).parents[2] / "samples"
PROGRAMS = sorted([*SAMPLES.glob("*.gdsl"), *Path(__file__).parents[1].glob("programs/*.gdsl")])


def everything(part: object) -> Iterator[Node]:
    """Every node, by looking into every slot."""
    if isinstance(part, tuple):
        for each in part:
            yield from everything(each)
    elif isinstance(part, Node):
        yield part
        for field in dataclasses.fields(part):
            yield from everything(getattr(part, field.name))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(3)
def test_walking_leaves_no_node_out(path: Path) -> None:
    program = ir_passes.apply(pipeline.load(path))
    assert [id(node) for node in walk(program)] == [id(node) for node in everything(program)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(25)
def test_what_is_planned_again_is_the_same(path: Path) -> None:
    """Where the binary is in the cache, passes and plan are not verified a second time."""
    program = pipeline.load(path)
    assert cuda.plan_of(program, verify=False) == cuda.plan_of(program)
    assert plan_of(program, verify=False) == plan_of(program)


def test_reads_that_meet_writes_are_marked() -> None:
    (functor,) = ir_passes.apply(pipeline.load(SAMPLES / "sssp.gdsl")).edge_functors
    reads = {node.array: node.now for node in walk(functor.body) if isinstance(node, Element)}
    assert reads == {"distance": True, "weight": False}
