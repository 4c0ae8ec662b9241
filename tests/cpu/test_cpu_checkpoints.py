"""A run by several workers goes on from its state after any pass, and ends with the same values."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdsl.backends.cpu.checkpoints import RunState
from gdsl.backends.cpu.share_run import run_share
from gdsl.backends.interface import Outcome
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding.shares import bind_share
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program
from gdsl.pipeline import load
from tests.oracles import BY_NAME
from tests.support.graphs import random_graph, simple_part
from tests.support.thread_group import ThreadCommunicator, run_group

SIZE = 3


class Kept:
    """Takes the state after one pass, as bytes."""

    def __init__(self, after: int) -> None:
        self.after, self.stored = after, b""

    def due(self, iterations: int) -> bool:
        return iterations == self.after

    def save(self, state: RunState) -> None:
        file = io.BytesIO()
        np.savez(file, **state.arrays())  # type: ignore[arg-type]
        self.stored = file.getvalue()


def run(
    program: Program,
    graph: Graph,
    values: dict[str, Any],
    after: int,
    states: list[bytes] | None = None,
    size: int = SIZE,
) -> tuple[list[Outcome], list[bytes]]:
    """Run with the state after a pass taken, or from states that were."""

    def work(communicator: ThreadCommunicator) -> tuple[ShareOutcome, bytes]:
        share = GraphShare.of(graph, communicator.rank, size)
        bindings = bind_share(program, share, values, communicator)
        kept = Kept(after)
        state = None
        if states is not None:
            state = RunState.from_arrays(dict(np.load(io.BytesIO(states[communicator.rank]))))
        found = run_share(program, share, bindings, communicator, one_thread=True, checkpoints=kept, resume=state)
        return found, kept.stored

    results = run_group(size, work)
    return [found.outcome for found, _ in results], [stored for _, stored in results]


def same(one: Outcome, other: Outcome) -> bool:
    """Equal bits and counts."""
    arrays = all(np.array_equal(one.arrays[name], other.arrays[name], equal_nan=True) for name in one.arrays)
    return arrays and one.scalars == other.scalars and one.iterations == other.iterations


@pytest.mark.parametrize("name", ["bfs", "pagerank", "sssp", "k_core", "search_levels", "edge_sets", "bellman_ford"])
@pytest.mark.sampled(3)
def test_a_run_goes_on_after_any_pass(name: str) -> None:
    case, graph = BY_NAME[name], random_graph(60, 240, seed=1, directed=False)
    program, values = load(str(case.path)), case.values(graph, 1)
    whole, _ = run(program, graph, values, -1)
    assert whole[0].iterations > 1
    for after in {1, 2, whole[0].iterations}:
        states = run(program, graph, values, after)[1]
        resumed, _ = run(program, graph, values, -1, states)
        assert all(map(same, whole, resumed)), after


def test_states_of_other_programs_and_shares_are_refused() -> None:
    graph, bfs, sssp = random_graph(60, 240, seed=1), *(load(str(BY_NAME[name].path)) for name in ("bfs", "sssp"))
    states = run(bfs, graph, {"source": 0}, 1)[1]
    with pytest.raises(GdslError, match="another program"):
        run(sssp, graph, {"source": 0}, -1, states)
    with pytest.raises(GdslError, match="another share"):
        run(bfs, graph, {"source": 0}, -1, [states[1], states[0], states[2]])


def _without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda arrays: arrays.pop(name)


def _changed(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], object]:
    return lambda arrays: arrays.update({name: change(arrays[name])})


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_without("data distance"), "values of distance"),
        (_changed("data distance", lambda values: values[:-1]), "values of distance"),
        (_changed("data distance", lambda values: values.astype(np.int64)), "values of distance"),
        (_changed("data distance", lambda values: values.astype("U4")), "values of distance"),
        (_without("set 0"), "a set"),
        (_changed("set 0", lambda members: members.astype(np.float64)), "a set"),
        (_changed("set 0", lambda members: np.append(members, np.int32(1 << 30))), "other workers"),
        (lambda arrays: arrays.update({"set 77": arrays["set 0"]}), "a set that"),
        (_changed("counters", lambda counters: counters + np.array([0, 9, 0, 0, 0])), "no loop"),
        (_changed("counters", lambda counters: counters - np.array([0, 0, 99, 0, 0])), "no loop"),
    ],
)
def test_states_that_do_not_fit_are_refused(change: Callable[[dict[str, Any]], object], what: str) -> None:
    graph, bfs = random_graph(60, 240, seed=1), load(str(BY_NAME["bfs"].path))
    states = run(bfs, graph, {"source": 0}, 1)[1]
    arrays = dict(np.load(io.BytesIO(states[1])))
    change(arrays)
    file = io.BytesIO()
    np.savez(file, **arrays)
    with pytest.raises(GdslError, match=f"E0809.*of worker 1 .*{what}"):
        run(bfs, graph, {"source": 0}, -1, [states[0], file.getvalue(), states[2]])


@pytest.mark.parametrize("change", [("sizes", 10**12), ("sizes", -9), ("columns", 60), ("sources", -1), (None, 0)])
@pytest.mark.sampled(3)
def test_graphs_that_do_not_fit_are_refused(change: tuple[str | None, int]) -> None:
    program, graph = load(CONTRACTED), random_graph(60, 240, seed=1, directed=False)
    states = run(program, graph, {}, 1)[1]
    arrays = dict(np.load(io.BytesIO(states[1])))
    for name in [name for name in arrays if name.startswith("graph ")]:
        if change[0] is None:
            del arrays[name]
        elif name.endswith(change[0]):
            arrays[name] = np.full_like(arrays[name], change[1])
    file = io.BytesIO()
    np.savez(file, **arrays)
    with pytest.raises(GdslError, match="E0809"):
        run(program, graph, {}, -1, [states[0], file.getvalue(), states[2]])


def test_a_checkpoint_that_fails_on_one_worker_ends_the_run_on_all(tmp_path: Path) -> None:
    graph, program = random_graph(60, 240, seed=1), load(str(BY_NAME["bfs"].path))

    class Fails(Kept):
        def save(self, state: RunState) -> None:
            if state.rank == 1:
                raise OSError("the disk is full")

    def work(communicator: ThreadCommunicator) -> None:
        share = GraphShare.of(graph, communicator.rank, SIZE)
        bindings = bind_share(program, share, {"source": 0}, communicator)
        run_share(program, share, bindings, communicator, one_thread=True, checkpoints=Fails(2))

    with pytest.raises(OSError, match="the disk is full"):
        run_group(SIZE, work)


MADE_GRAPHS = Path(__file__).parents[1] / "support"


@pytest.mark.slow
@pytest.mark.rare(5)
@pytest.mark.parametrize("name", ["louvain", "made_graphs", "leiden", "made_graphs_further", "k_truss"])
@pytest.mark.parametrize("size", [3, 1, 2])
def test_runs_that_build_graphs_go_on_after_any_pass(name: str, size: int) -> None:
    case = BY_NAME.get(name)
    program = load(str(case.path if case is not None else MADE_GRAPHS / f"{name}.gdsl"))
    graph = random_graph(60, 240, seed=1, directed=False)
    if program.requires.simple:
        graph = simple_part(graph)
    values = case.values(graph, 1) if case is not None else {}
    whole, _ = run(program, graph, values, -1, size=size)
    assert whole[0].iterations > 1
    for after in range(1, whole[0].iterations + 1):
        states = run(program, graph, values, after, size=size)[1]
        assert all(states)
        resumed, _ = run(program, graph, values, -1, states, size=size)
        assert all(map(same, whole, resumed)), after


CONTRACTED = """program contracted;
problem {
    vertex label : int32 = int32(id) // 2;
    vertex degree : int64;
    edge weight : int64 = 1;
    scalar rounds : int32; scalar left : int64; scalar large : int64;
}
edge functor heavy(src, dst, e) { cond weight[e] > 1 || src != dst; }
schedule {
    graph h = contract(label, weight);
    if (num_edges > 0) {
        on h {
            while (rounds < 3) {
                degree = neighbor_reduce(vertices, (src, dst, e) => weight[e], sum, over=in_edges);
                h = subgraph(filter(edges, heavy));
                on h { left = num_edges; large += sum(weight); }
                rounds += 1;
            }
        }
        on h { while (rounds < 5) { rounds += 1; on h { large += num_edges; } } }
    } else {
        repeat (2) { rounds += 1; }
    }
    large += rounds;
}
"""


@pytest.mark.parametrize("edges", [240, 0])
def test_loops_on_graphs_and_in_branches_are_resumed(edges: int) -> None:
    program, graph = load(CONTRACTED), random_graph(60, edges, seed=1, directed=True)
    whole, _ = run(program, graph, {}, -1)
    assert whole[0].iterations == (5 if edges else 2)
    for after in range(1, whole[0].iterations + 1):
        states = run(program, graph, {}, after)[1]
        resumed, _ = run(program, graph, {}, -1, states)
        assert all(states) and all(map(same, whole, resumed)), after
