"""Every sample and test program answers rightly however its calls mix: the oracles judge what no order may change."""

from __future__ import annotations

import os

import pytest
from interleaving.interleave import InterleavedCalls

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.pipeline import load
from tests.oracles import BY_NAME, SAMPLES
from tests.support.graphs import named_graphs

NAMES = ("self_loops_directed", "duplicates_undirected", "disconnected_directed", "two_hubs_undirected")
NAMES += ("grid_undirected", "path_undirected", "random_directed", "random_undirected")
GRAPHS = {name: graph for name, graph in named_graphs().items() if name in NAMES}
LIMITS = Limits(timeout=60.0, max_iterations=1000)
SEEDS = range(6)
EVERYTHING = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
"""All seeds for all programs, not for the first samples alone; else one in turn."""


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.sampled(33)
def test_interleaved_calls(name: str) -> None:
    case = BY_NAME[name]
    program = load(case.path)
    for place, (graph_name, graph) in enumerate(GRAPHS.items()):
        if not case.suits(graph):
            continue
        for seed in SEEDS if EVERYTHING or case in SAMPLES else SEEDS[place % 6 :: 6]:
            values = case.values(graph, seed)
            bindings = bind(program, graph, values)
            outcome = interpret(program, graph, bindings, LIMITS, seed=seed, make_calls=InterleavedCalls)
            try:
                case.check(graph, values, {**outcome.scalars, **outcome.arrays})
            except AssertionError as error:
                raise AssertionError(f"{name} on {graph_name}, seed {seed}: {error}") from error
