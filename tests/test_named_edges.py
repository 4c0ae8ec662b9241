"""Sets of single edges on graphs that the schedule makes: whose ids they are, and what is said where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.graphs import make_graph, random_graph

import gdsl
from gdsl.backends.cuda import nvrtc, source_text
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.build import build
from gdsl.plan.printer import print_plan

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
PATH = make_graph([(v, v + 1) for v in range(8)], 9)

PROGRAM = """program named;
problem {{
    param x : edge = 0;
    param limit : int32 = 100;
    scalar at : edge = edge(num_edges > 1 ? 1 : 0);
    vertex label : int32 = int32(id) // 3;
    edge seen : int32;
    vertex reached : int32;
    scalar count : int64;
}}
edge functor note(src, dst, e) {{ apply {{ seen[e] += 1; }} }}
edge functor reach(src, dst, e) {{ apply {{ reached[dst] += 1; }} }}
edge functor few(src, dst, e) {{ cond int32(e) != 3 && int32(e) < limit; }}
schedule {{
    {schedule}
}}
"""


def run(schedule: str, graph: gdsl.Graph, backend: str, given: dict[str, Any] | None = None) -> gdsl.Result:
    return gdsl.compile(PROGRAM.format(schedule=schedule)).run(graph, given or {}, backend=backend)


SUBGRAPH = "graph h = subgraph(filter(edges, few)); on h { edge frontier f = %s; %s }"
USE = "compute(f, note); advance(f, reach, to=none); count = size(f);"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("members", "wanted"),
    [
        ("{ edge(1) }", [1]),
        ("{ 0, x, at, edge(5), 5 }", [0, 1, 2, 5]),
        ("{ }", []),
        ("edges - { 2, x }", [0, 1, 4, 5, 6, 7]),
        ("{ 7 } | { at }", [1, 7]),
        ("{ argmax(seen) }", [0]),
    ],
)
@pytest.mark.sampled(8)
def test_members_of_a_subgraph(backend: str, members: str, wanted: list[int]) -> None:
    result = run(SUBGRAPH % (members, USE), PATH, backend, {"x": 2})
    assert np.flatnonzero(result["seen"]).tolist() == wanted
    assert result["count"] == len(wanted)
    ends = {edge + 1 for edge in wanted}  # whose next edge is walked, if it was not left out
    assert np.flatnonzero(result["reached"]).tolist() == sorted(v + 1 for v in ends if v != 3 and v < 8)


@pytest.mark.parametrize("backend", BACKENDS)
def test_edges_of_a_contraction_have_its_ids(backend: str) -> None:
    named = "edge frontier f = { x, edge(2) }; compute(f, (s, d, e) => { seen[e] = int32(s) * 10 + int32(d) + 1; });"
    schedule = f"graph h = contract(label); on h {{ {named} }}"
    pairs = sorted({(v // 3, (v + 1) // 3) for v in range(8)})
    seen = run(schedule, PATH, backend, {"x": 4})["seen"]
    wanted = [u * 10 + v + 1 if edge in (2, 4) else 0 for edge, (u, v) in enumerate(pairs)]
    assert seen[: len(pairs)].tolist() == wanted
    assert not seen[len(pairs) :].any()


LEFT_OUT = "edge {} of `{}` is not in this graph: the subgraph was made without it"
OUT = "index {} of `{}` is out of range: there are {} elements, counted from 0"

MEMBER = "member {} of this set is out of range: there are {} elements, counted from 0"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("schedule", "given", "message"),
    [
        (SUBGRAPH % ("{ edge(3) }", USE), {}, LEFT_OUT.format(3, "f")),
        (SUBGRAPH % ("{ 1, x }", USE), {"x": 3}, LEFT_OUT.format(3, "f")),
        (
            SUBGRAPH % ("edges | { at }", USE),
            {"limit": 0},
            LEFT_OUT.replace(" of `{}`", "").format(1),
        ),
        (SUBGRAPH % ("{ 2 }", "h = subgraph(f); on h { edge frontier g = { 1 }; }"), {}, LEFT_OUT.format(1, "g")),
        (SUBGRAPH % ("{ edge(100) }", USE), {}, OUT.format("none", "f", 8)),
        ("graph h = contract(label); on h { at = x; compute({ at }, note); }", {"x": 7}, MEMBER.format(7, 5)),
        ("graph h = contract(label); on h { frontier f = { vertex(3) }; }", {}, OUT.format("none", "f", 3)),
        (
            "graph h = contract(label); on h { compute(vertices, v => { reached[int32(v) + 1] += 1; }); }",
            {},
            OUT.format(3, "reached", 3),
        ),
    ],
)
@pytest.mark.sampled(5)
def test_what_is_not_there(backend: str, schedule: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(GdslError) as caught:
        run(schedule, PATH, backend, given)
    (found,) = caught.value.diagnostics
    assert found.code == "E0801"
    assert message in found.message
    assert found.span is not None


@pytest.mark.parametrize("backend", ["reference", pytest.param("cpu", marks=pytest.mark.slow)])
def test_an_empty_graph_has_no_edge(backend: str) -> None:
    schedule = SUBGRAPH % ("{ argmin(seen) }", USE)
    text = PROGRAM.format(schedule=schedule).replace("param x : edge = 0;", "")
    for graph in (make_graph([], 0), make_graph([], 3)):
        with pytest.raises(GdslError) as caught:
            gdsl.compile(text).run(graph, backend=backend)
        assert caught.value.diagnostics[0].message == "index none of `f` is out of range: there are no elements"


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_edge_alone(backend: str) -> None:
    """Each edge of a graph with parallel edges and loops is in the subgraph's set, or the run says that it is not."""
    graph = random_graph(12, 40, seed=5)
    program = gdsl.compile(PROGRAM.format(schedule=SUBGRAPH % ("{ x }", USE)))
    for edge in range(graph.num_edges):
        given = {"x": edge, "limit": 25}
        if edge != 3 and edge < 25:
            assert np.flatnonzero(program.run(graph, given, backend=backend)["seen"]).tolist() == [edge]
        else:
            with pytest.raises(GdslError, match="made without it"):
                program.run(graph, given, backend=backend)


def test_lists_are_asked_where_edges_may_be_missing() -> None:
    """Only programs that make subgraphs pay for the look into the lists."""
    for made, asks in (("subgraph(filter(edges, few))", True), ("contract(label)", False)):
        text = PROGRAM.format(schedule=f"graph h = {made}; on h {{ compute({{ x }}, note); }}")
        plan = print_plan(build(load(text), target.CUDA_FUSED))
        assert ("looked for in its list" in plan) is asks


@pytest.mark.sampled(2)
@pytest.mark.parametrize("tune", [(), ("schedule.fuse=off",)], ids=["fused", "unfused"])
@pytest.mark.slow
def test_nvrtc_compiles_it(tune: tuple[str, ...]) -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    program = load(PROGRAM.format(schedule=SUBGRAPH % ("{ 0, x, at, edge(5) }", USE)), tune)
    for ids in (32, 64):
        assert nvrtc.compile_to_cubin(source_text(program, ids), "sm_80").startswith(b"\x7fELF")
