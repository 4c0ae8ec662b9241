"""Common neighbors on the cpu backend: long lists and short, repeated neighbors, and the reference's trace."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, executable
from tests.oracles import BY_NAME
from tests.support.graphs import make_graph, named_graphs, random_graph

NUMBER = "program p; problem { scalar s : int64; } schedule { s = intersect(edges); }"


def graphs() -> dict[str, Graph]:
    """Awkward ones, and some of several hundred edges with repeated ones."""
    found = named_graphs()
    found["dense"] = random_graph(30, 600, seed=3, directed=False)
    found["directed"] = random_graph(200, 1500, seed=4)
    found["lists of 0 to 39"] = lists_of_many_lengths()
    found["lists of 0 to 5"] = short_lists()
    return found


def lists_of_many_lengths() -> Graph:
    """Every length around those that fit into registers, with and without repeated neighbors, and loops."""
    random = np.random.default_rng(5)
    sure = [(u, int(v)) for u in range(40) for v in random.choice(40, u, replace=False)]
    twice = [(40 + u, int(v)) for u in range(40) for v in random.integers(0, 60, u)]
    return make_graph(sure + twice, 200)


def short_lists() -> Graph:
    """Next to each other lists differ in length; about half of the edges have ends with a neighbor in common, some are
    repeated, some are loops, and the last lists are empty."""
    random = np.random.default_rng(6)
    close = [(u, int(v)) for u in range(300) for v in (u + random.integers(-3, 4, u * 7 % 6 % 4)) % 310]
    return make_graph([*close, *((u, 0) for u in range(0, 300, 41)), *((70, 70 + i) for i in range(5))], 330)


GRAPHS = graphs()


@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sizes", "small_sizes"])
@pytest.mark.parametrize("id_bits", [32, 64])
@pytest.mark.parametrize("name", ["common_neighbors", "triangles", "chosen_edges", "paired_sets"])
@pytest.mark.sampled(20)
def test_answers_and_traces_are_those_of_the_reference(name: str, id_bits: int, sizes: Sizes | None) -> None:
    case = BY_NAME[name]
    ready = executable(str(case.path), (), sizes, id_bits)
    for graph_name, graph in GRAPHS.items():
        if not case.suits(graph):
            continue
        bindings = bind(ready.program, graph, case.values(graph, 1), id_bits=id_bits)
        expected = interpret(ready.program, graph, bindings, Limits(), id_bits=id_bits)
        found = ready.run(graph, bindings, Limits())
        case.check(graph, {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})
        records = [
            [(r.site, r.label, r.iteration, r.frontier_size, r.edges) for r in outcome.trace]
            for outcome in (expected, found)
        ]
        assert records[0] == records[1], graph_name


@pytest.mark.parametrize("longer", [1, 15, 16, 17, 64, 500])
@pytest.mark.parametrize("repeated", [1, 3])
def test_a_short_list_in_a_long_one(longer: int, repeated: int) -> None:
    """Lists whose lengths differ little are merged, others looked through in leaps."""
    random = np.random.default_rng([longer, repeated])
    count = 6 * longer + 2
    short, long = (np.sort(random.integers(2, count, size)) for size in (6, 6 * longer))
    short = np.repeat(short, repeated)
    edges = [(0, 1), *((0, int(x)) for x in short), *((1, int(x)) for x in long)]
    graph = make_graph(edges, count)
    ready = executable(NUMBER)
    found = ready.run(graph, bind(ready.program, graph, {}), Limits())
    assert found.scalars["s"] == len(set(short.tolist()) & set(long.tolist()))
    (record,) = found.trace
    walked = sum(int(graph.out_degrees[v]) for edge in range(graph.num_edges) for v in graph.ends(edge))
    assert (record.frontier_size, record.edges) == (graph.num_edges, walked)
