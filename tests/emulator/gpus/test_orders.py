"""Runs on several GPUs that visit too many edges begin again from near to far, as on one."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from support.graphs import random_graph

import gdsl
from gdsl.backends.cuda import observed_order
from gdsl.backends.cuda.several_gpus import SeveralGpus
from gdsl.operations import Order

from .. import build
from .calls import numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


@pytest.mark.parametrize("gpus", [2, [0, 0]], ids=str)
@pytest.mark.sampled(1)
def test_runs_begin_again_from_near_to_far(cupy, driver, monkeypatch, gpus):
    gc.collect()  # the emulator has little room, in pieces of what tests before have had
    monkeypatch.setattr(SeveralGpus, "memory_of", lambda device, gpu: (16 << 20, 16 << 20))
    monkeypatch.setattr(observed_order, "LEAST_VISITS", 1)
    monkeypatch.setattr(observed_order, "MOST_VISITS", 1)
    note = observed_order.ObservedOrder.note_near_far
    monkeypatch.setattr(observed_order.ObservedOrder, "note_near_far", lambda self, ms: note(self, 0.0))
    made = random_graph(90, 900, seed=2)
    weight = np.random.default_rng(4).integers(1, 1000, made.num_edges).astype(np.float32)
    graph = gdsl.Graph(made.offsets, made.columns, directed=True, attributes={"weight": weight})
    program = gdsl.compile("sssp", tune=["schedule.block=32"])
    for source in (3, 4, 8):
        found = program(graph, source=source, gpus=gpus)
        expected = program(graph, source=source, backend="reference")
        assert np.array_equal(numpy_of(found.distance), expected.distance)
        assert {record.order for record in found.trace} == {Order.NEAR_FAR}
        assert found.order_line.startswith("order: near_far, ")
