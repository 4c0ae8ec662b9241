"""Values that one call alone changes: the call keeps them in a register, whichever of several GPUs has them."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import plan_of
from gdsl.plan.nodes import Mode
from gdsl.plan.walking import sweeps, variants_of

from .. import build
from ..test_own_labels import COUNT, PROGRAM
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


@pytest.mark.parametrize("words", [(), ("without=replicas",)], ids=["everywhere", "in parts"])
def test_they_are_kept_in_a_register(cupy, driver, words):
    random = np.random.default_rng(4)
    first = random.integers(5, 100, COUNT).astype(np.int32)
    leader = np.where(np.arange(COUNT) < 20, np.arange(COUNT), random.integers(0, 20, COUNT)).astype(np.int32)
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=COUNT)
    program = gdsl.compile(PROGRAM.format(kind="int32", way="min"), tune=list(words))
    writes = [write for sweep in sweeps(plan_of(program.ir, several_gpus=True)) for variant in variants_of(sweep)
              for write in variant.writes]  # fmt: skip
    assert ("x", Mode.OWN) in {(write.name, write.mode) for write in writes}
    found = program(graph, first=first, leader=leader, gpus=2)
    best = np.minimum(first, first[leader])
    assert np.array_equal(numpy_of(found.x), best) and np.array_equal(numpy_of(found.was), first)
    assert np.array_equal(numpy_of(found.last), np.where(best != first, best, 0))
