"""What each pass does, on the samples."""

from __future__ import annotations

from pathlib import Path

from gdsl import pipeline
from gdsl.ir.nodes import Element
from gdsl.ir.traversal import walk
from gdsl.passes import pipelines

SAMPLES = Path(__file__).parents[2] / "samples"


def test_reads_that_meet_writes_are_marked() -> None:
    (functor,) = pipelines.apply(pipeline.load(SAMPLES / "sssp.gdsl")).edge_functors
    reads = {node.array: node.now for node in walk(functor.body) if isinstance(node, Element)}
    assert reads == {"distance": True, "weight": False}
