"""What the sampler for PyTorch Geometric runs, on the emulator: no race, and the picks of the reference.

Each call reads back its own picks with `now`, so the compiler cannot know that they are the same in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.graphs import random_graph

from gdsl.binding import bind
from gdsl.integrations.pyg.lists import PROGRAMS

from . import build
from .running import TINY, device_for, expect
from .running import build as build_program

pytestmark = [
    pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++"),
    pytest.mark.slow,
]


@pytest.mark.parametrize("name", ["uniform_neighbors", "weighted_neighbors"])
def test_picks(name: str) -> None:
    built = build_program((PROGRAMS / f"{name}.gdsl").read_text(encoding="utf-8"), (), TINY)
    random = np.random.default_rng(4)
    graph = random_graph(20, 160, seed=3)
    slots, k, width = 30, 4, 2

    def of_slots(low: int, high: int) -> np.ndarray:
        return random.integers(low, high, (20, width))

    for replace in (False, True):
        values: dict[str, Any] = {"slots": slots, "width": width, "room": -(-slots * k // 20), "k": k, "hop": 1}
        values |= {"replace": replace, "key": 5, "member": of_slots(0, 20), "salt": of_slots(0, 3)}
        if name == "weighted_neighbors":
            sums = np.concatenate([np.cumsum(random.integers(0, 3, degree)) for degree in graph.out_degrees])
            values |= {"sum": sums.astype(float), "time": random.integers(0, 9, 160), "limit": of_slots(0, 12)}
            values |= {"latest": False}
        bindings = bind(built.program, graph, values)
        wanted = expect(built.program, graph, bindings)
        for seed in range(3):
            found = built.run(graph, bindings, device_for(seed, blocks=1 + seed))
            assert np.array_equal(found.arrays["picked"], wanted.arrays["picked"])
            assert np.count_nonzero(wanted.arrays["picked"]) > slots
