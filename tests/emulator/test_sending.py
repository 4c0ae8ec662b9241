"""Reductions that send, as generated CUDA: on a dense graph, where few neighbors have anything to give."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import CASES
from support.graphs import make_graph

from gdsl.binding import bind

from . import build as compilers
from .running import build, device_for, differences, expect

pytestmark = pytest.mark.skipif(compilers.compiler() is None, reason="the emulator needs g++")

DENSE = make_graph([(a, b) for a in range(24) for b in range(24) if a != b], 24, directed=False)
SENT = {"pays_send", "climbs_send", "rises_send", "leads_send", "calm_send", "around_send", "flips_send", "shares_send"}


@pytest.mark.slow
@pytest.mark.parametrize("talking", [[3], [3, 20], list(range(24))], ids=["one", "two", "all"])
def test_few_neighbors_send_and_many_do_not(talking: list[int]) -> None:
    built, case = build("few_senders"), next(case for case in CASES if case.name == "few_senders")
    toll = np.arange(DENSE.num_edges, dtype=np.int32) % 7 - 2
    bindings = bind(built.program, DENSE, {"talking": np.array(talking), "toll": toll}, id_bits=32)
    expected = expect(built.program, DENSE, bindings)
    for seed in range(3):
        found = built.run(DENSE, bindings, device_for(seed, blocks=1 + seed))
        assert differences(built.program, expected, found) == []
        case.check(DENSE, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
        labels = {record.label for record in found.trace}
        assert labels & SENT == (SENT if len(talking) < 3 else set())
