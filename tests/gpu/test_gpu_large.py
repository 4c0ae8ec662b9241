"""The samples on graphs of millions of edges, cuda against the cpu backend; and what a run says of its directions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gdsl
from gdsl.api.summary import on_host
from gdsl.graph import GraphOptions, generate
from gdsl.operations import Balance, Direction
from tests.oracles import BY_NAME
from tests.oracles.samples import check_parents

pytestmark = pytest.mark.gpu
GRAPHS = ["rmat:20", "grid:1000:keep=0.9"]
FORMS = {
    "default": (),
    "unfused": ("schedule.fuse=off",),
    "wide": ("schedule.ids=64",),
}


@cache
def graph_of(spec: str) -> gdsl.Graph:
    return GraphOptions(weights="random:1").apply(generate(spec))


@cache
def sources(spec: str) -> tuple[int, ...]:
    """The vertex with most edges and one drawn among those that have any."""
    degrees = graph_of(spec).out_degrees
    drawn = np.random.default_rng(0).choice(np.flatnonzero(degrees > 0))
    return int(degrees.argmax()), int(drawn)


@cache
def on_cpu(name: str, spec: str, source: int | None = None) -> gdsl.Result:
    values = {} if source is None else {"source": source}
    return gdsl.compile(BY_NAME[name].path).run(graph_of(spec), values, backend="cpu")


def on_cuda(name: str, spec: str, tune: tuple[str, ...], source: int | None = None) -> gdsl.Result:
    values = {} if source is None else {"source": source}
    return gdsl.compile(BY_NAME[name].path, tune=tune).run(graph_of(spec), values, backend="cuda")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", GRAPHS)
def test_bfs(spec: str, form: str) -> None:
    for source in sources(spec):
        found = on_cuda("bfs", spec, FORMS[form], source)
        distance = on_host(found.distance)
        assert np.array_equal(distance, on_cpu("bfs", spec, source).distance)
        check_parents(graph_of(spec), source, distance, on_host(found.parent))


@pytest.mark.parametrize("direction", ["push", "pull", "auto"])
def test_bfs_in_every_direction(direction: str) -> None:
    spec = GRAPHS[0]
    source = sources(spec)[1]
    found = on_cuda("bfs", spec, (f"visit.direction={direction}",), source)
    assert np.array_equal(on_host(found.distance), on_cpu("bfs", spec, source).distance)
    used = {record.direction for record in found.trace if record.direction is not None}
    wanted = {"push": {Direction.PUSH}, "pull": {Direction.PULL}, "auto": {Direction.PUSH, Direction.PULL}}
    assert used == wanted[direction], "auto uses both directions on R-MAT"


@pytest.mark.parametrize("balance", ["thread", "block"])
def test_bfs_in_every_balance(balance: str) -> None:
    spec = GRAPHS[0]
    source = sources(spec)[0]
    found = on_cuda("bfs", spec, (f"visit.balance={balance}", "visit.direction=push"), source)
    assert np.array_equal(on_host(found.distance), on_cpu("bfs", spec, source).distance)
    assert {record.balance for record in found.trace if record.balance is not None} == {Balance(balance)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", GRAPHS)
def test_sssp(spec: str, form: str) -> None:
    source = sources(spec)[1]
    found = on_cuda("sssp", spec, FORMS[form], source)
    # The least of the rounded sums along all paths, whatever the order: equal to the last bit.
    assert np.array_equal(on_host(found.distance), on_cpu("sssp", spec, source).distance)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", GRAPHS)
def test_pagerank(spec: str, form: str) -> None:
    rank = on_host(on_cuda("pagerank", spec, FORMS[form]).rank).astype(np.float64)
    assert np.abs(rank - on_cpu("pagerank", spec).rank).sum() < 2e-5
    assert abs(rank.sum() - 1) < 1e-4


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", GRAPHS)
def test_connected_components(spec: str, form: str) -> None:
    for _ in range(3):  # the order of the hooks is another one each time
        found = on_cuda("connected_components", spec, FORMS[form])
        assert np.array_equal(on_host(found.component), on_cpu("connected_components", spec).component)


def test_a_long_path() -> None:
    """Labels that travel furthest: every chain is as long as the graph."""
    count = 300_000
    order = np.random.default_rng(1).permutation(count)
    for ids in (np.arange(count), np.arange(count)[::-1], order):
        graph = gdsl.Graph.from_edges(ids[:-1], ids[1:], count)
        found = gdsl.compile(BY_NAME["connected_components"].path).run(graph, {}, backend="cuda")
        assert not on_host(found.component).any()


def test_two_runs_on_one_graph_and_one_program() -> None:
    """Nothing of a run is left for the next one."""
    spec = GRAPHS[0]
    program = gdsl.compile(BY_NAME["bfs"].path)
    for source in (*sources(spec), *sources(spec)):
        found = program.run(graph_of(spec), {"source": source}, backend="cuda")
        assert np.array_equal(on_host(found.distance), on_cpu("bfs", spec, source).distance)
