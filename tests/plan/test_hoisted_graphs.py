"""Which graphs are kept with the given one, and what the verifier says of other ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from gdsl.extents import of_graph
from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.nodes import MakeOnce, Plan
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.verifier import verify
from gdsl.plan.walking import hoisted_graphs, leaves_edges_out, map_blocks

from .planning import plan_of

UPWARDS = "(out_degree(src), src) < (out_degree(dst), dst)"
COUNTS = "on h { found = intersect(edges); }"
MAKES = "graph h = subgraph(filter(edges, chosen));"


def text(test: str = UPWARDS, schedule: str = f"{MAKES} {COUNTS}", data: str = "", functors: str = "") -> str:
    return f"""program p;
requires symmetric, simple;
problem {{ scalar found : int64; {data} }}
{functors}
edge functor chosen(src, dst, e) {{ cond {test}; }}
schedule {{ {schedule} }}
"""


KEPT = {
    "degrees": text(),
    "ids": text("src < dst && e != none"),
    "places": text("place % 2 == 0"),
    "functions": text("odd(src)", functors="function odd(v : vertex) -> bool { return int64(v) % 2 == 1; }"),
    "in a loop": text(schedule=f"repeat (3) {{ {MAKES} {COUNTS} }}"),
    "in a branch": text(schedule=f"if (num_vertices > 3) {{ {MAKES} {COUNTS} }}"),
}
MADE = {
    "param": text("int64(src) < limit", data="param limit : int64 = 3;"),
    "input": text("weight[e] > 1", data="input edge weight : int32;"),
    "scalar": text("int64(src) < found"),
    "array": text("label[src] < label[dst]", data="vertex label : int32 = 1;"),
    "iteration": text("int32(src) < iteration", schedule=f"repeat (3) {{ {MAKES} {COUNTS} }}"),
    "writes": text().replace(f"{UPWARDS};", f"{UPWARDS}; apply {{ found += 1; }}"),
    "used again": text(
        schedule=f"edge frontier f = filter(edges, chosen); graph h = subgraph(f); found = size(f); {COUNTS}"
    ),
    "some edges": text(
        schedule=f"edge frontier f = filter(edges, few); graph h = subgraph(filter(f, chosen)); {COUNTS}",
        functors="edge functor few(src, dst, e) { cond src != dst; }",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_the_graph_alone_decides_is_kept(name: str) -> None:
    plan = plan_of(KEPT[name])
    assert len(hoisted_graphs(plan)) == 1
    assert plan.graph_slots == 0
    assert not any(buffer.name.startswith("made_") for buffer in plan.buffers)


@pytest.mark.parametrize("name", MADE)
def test_all_else_each_run_makes(name: str) -> None:
    plan = plan_of(MADE[name])
    assert hoisted_graphs(plan) == ()
    assert plan.graph_slots > 0
    assert not any(buffer.name.startswith("hoisted_") for buffer in plan.buffers)


def test_of_another_graph_each_run_makes_it() -> None:
    inner = "on h { graph i = subgraph(filter(edges, chosen)); on i { found = intersect(edges); } }"
    plan = plan_of(text(schedule=f"{MAKES} {inner}"))
    assert len(hoisted_graphs(plan)) == 1
    assert {"hoisted_offsets", "made_offsets"} <= {buffer.name for buffer in plan.buffers}


NAMED = {
    "an array of edges": text(data="edge mark : int32;"),
    "an edge": text(
        schedule=f"{MAKES} {COUNTS} on h {{ advance(vertices, last, to=none); }}", data="vertex way : edge;"
    ).replace("schedule {", "edge functor last(src, dst, e) { apply { way[dst] any= e; } } schedule {"),
    "a set of edges": text(schedule=f"{MAKES} on h {{ edge frontier f = filter(edges, chosen); found = size(f); }}"),
    "an edge, by the functor that selects": text(
        "e != none && src < dst", schedule=f"{MAKES} {COUNTS} on h {{ advance(vertices, chosen, to=none); }}"
    ),
    "a place in a list": text(
        "place < 2 && src < dst", schedule=f"{MAKES} {COUNTS} on h {{ advance(vertices, chosen, to=none); }}"
    ),
    "another subgraph": text(
        schedule=f"{MAKES} on h {{ graph i = subgraph(filter(edges, chosen)); on i {{ {COUNTS} }} }}"
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_edges_that_nobody_names_are_numbered_by_their_places(name: str) -> None:
    plan = plan_of(KEPT[name])
    assert "hoisted_sources" in {buffer.name for buffer in plan.buffers}
    assert not leaves_edges_out(plan)


def test_sources_of_edges_are_kept_where_something_comes_from_edges() -> None:
    """Lists lead from their vertices to edges alone."""
    fewer = "edge functor one(src, dst, e) -> int64 { value 1; }"
    counts = text(
        schedule=f"{MAKES} on h {{ many = neighbor_reduce(vertices, one, sum); }}", data="vertex many : int64;"
    )
    plan = plan_of(counts.replace("schedule {", f"{fewer} schedule {{"))
    assert len(hoisted_graphs(plan)) == 1 and not leaves_edges_out(plan)
    assert not {"hoisted_sources", "hoisted_edge_ids"} & {buffer.name for buffer in plan.buffers}
    by_edges = plan_of(counts.replace("schedule {", f"{fewer} schedule {{"), "one.balance=edges")
    assert "hoisted_sources" in {buffer.name for buffer in by_edges.buffers}


@pytest.mark.parametrize("name", NAMED)
def test_others_keep_their_ids(name: str) -> None:
    plan = plan_of(NAMED[name])
    assert len(hoisted_graphs(plan)) == 1
    assert "hoisted_edge_ids" in {buffer.name for buffer in plan.buffers}
    assert leaves_edges_out(plan)


def test_one_that_is_made_twice_is_one() -> None:
    again = "graph i = subgraph(filter(edges, chosen)); on i { found += size(vertices); }"
    plan = plan_of(text(schedule=f"{MAKES} {COUNTS} {again}"))
    assert [each.number for each in hoisted_graphs(plan)] == [0]


@pytest.mark.parametrize("name", KEPT)
def test_on_a_cpu_the_same_graphs_are_kept(name: str) -> None:
    plan = plan_of(KEPT[name], on=target.CPU)
    assert len(hoisted_graphs(plan)) == 1
    assert not leaves_edges_out(plan)


def room_of_edges(program: str) -> int:
    """How many edges a queue of edges has room for, of 6,400."""
    (queues,) = (buffer for buffer in plan_of(program).buffers if buffer.name == "edge_queues")
    return queues.extent.value(of_graph(100, 6400, {}))


def test_a_gpu_marks_the_edges_and_collects_none() -> None:
    names = {buffer.name for buffer in plan_of(text()).buffers}
    assert "edge_marks" not in names
    assert "edge_marks" in {buffer.name for buffer in plan_of(MADE["array"]).buffers}
    assert room_of_edges(text()) < room_of_edges(NAMED["a set of edges"]) == 6400
    assert {step.body[-1].marked for step in hoisted_graphs(plan_of(text(), on=target.CPU))} == {False}


@pytest.mark.parametrize("on", [target.CUDA_UNFUSED, target.CPU_WORKERS])
def test_elsewhere_each_run_makes_it(on: target.Target) -> None:
    assert hoisted_graphs(plan_of(text(), on=on)) == ()


def test_the_pass_can_be_left_out() -> None:
    assert hoisted_graphs(plan_of(text(), "without=hoist_graphs")) == ()


def _other(plan: Plan, change: Callable[[MakeOnce], Any]) -> Plan:
    def changed(block: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(change(step) if isinstance(step, MakeOnce) else step for step in block)

    return dataclasses.replace(plan, schedule=map_blocks(plan.schedule, changed))


def _with_last(step: MakeOnce, **fields: Any) -> MakeOnce:
    return dataclasses.replace(step, body=(*step.body[:-1], dataclasses.replace(step.body[-1], **fields)))


def _with_form(step: MakeOnce, form: Form) -> MakeOnce:
    (select, *others) = step.body
    collect = dataclasses.replace(select.does.collect, form=form)
    select = dataclasses.replace(select, does=dataclasses.replace(select.does, collect=collect))
    return dataclasses.replace(step, body=(select, *others))


WRONG: dict[str, Callable[[MakeOnce], Any]] = {
    "another key": lambda step: dataclasses.replace(step, key=step.key + " "),
    "another place": lambda step: dataclasses.replace(step, number=1),
    "a place of another": lambda step: _with_last(step, hoisted=1),
    "in a room": lambda step: _with_last(step, hoisted=None),
    "edges with ids": lambda step: _with_last(step, numbers_edges=False),
    "edges as a queue": lambda step: _with_last(step, marked=False),
    "edges that are collected": lambda step: _with_form(step, Form.QUEUE),
    "edges as a bitmap of vertices": lambda step: _with_form(step, Form.BITMAP),
    "no filter": lambda step: dataclasses.replace(step, body=step.body[1:]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_plans_are_refused(name: str) -> None:
    with pytest.raises(VerificationError):
        verify(_other(plan_of(text()), WRONG[name]))


def test_a_graph_that_depends_on_the_run_is_refused() -> None:
    """As if the functor of a plan that keeps its graph were another one."""
    plan, other = plan_of(text()), plan_of(MADE["param"])
    functors = (dataclasses.replace(other.program.edge_functors[0], name="chosen"),)
    program = dataclasses.replace(plan.program, edge_functors=functors, params=other.program.params)
    with pytest.raises(VerificationError, match="depends on the run"):
        verify(dataclasses.replace(plan, program=program))


@pytest.mark.parametrize("name", ["hoisted_graphs", "hoisted_offsets", "hoisted_neighbors", "hoisted_sources"])
def test_each_array_is_asked_for(name: str) -> None:
    plan = plan_of(text())
    without = tuple(buffer for buffer in plan.buffers if buffer.name != name)
    with pytest.raises(VerificationError, match="no room for graphs that are kept"):
        verify(dataclasses.replace(plan, buffers=without))
