"""Histories: levels in order on every backend, and what stops a run."""

from __future__ import annotations

import re
from functools import cache

import pytest

import gdsl
from gdsl.diagnostics import GdslError
from tests.support.graphs import make_graph, path

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
FORMS = ["schedule.fuse=on", "schedule.fuse=off"]

DATA = """program levels;
problem {
    param source : vertex; vertex depth : int32 = -1; vertex met : int32; scalar many : int64; scalar sum : int64;
}
edge functor visit(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration + 1; } }
edge functor step(src, dst, e) { }
vertex functor note(v) { apply { met[v] = met[v] * 10 + iteration + 1; } }
"""
SEARCH = "depth[source] = 0; history h; frontier f = { source }; while (f) { h.push(f); f = advance(f, visit); }"


@cache
def program(schedule: str, form: str = FORMS[0]) -> gdsl.Program:
    return gdsl.compile(f"{DATA}schedule {{ {schedule} }}", tune=[form])


def met(schedule: str, backend: str, form: str, length: int = 5) -> list[int]:
    graph = make_graph(path(length), length)
    result = program(schedule, form).run(graph, {"source": 0}, backend=backend)
    return [*result.host_arrays()["met"].tolist(), result["many"], result["sum"]]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("schedule", "answer"),
    [
        (f"{SEARCH} many = size(h); for g in backward(h) {{ compute(g, note); }}", [5, 4, 3, 2, 1, 5, 0]),
        (f"{SEARCH} for g in forward(h) {{ compute(g, note); many += size(g); }}", [1, 2, 3, 4, 5, 5, 0]),
        # One loop inside the other, over the same levels.
        (
            f"{SEARCH} for g in forward(h) {{ for k in backward(h) {{"
            " f = g & k; sum += size(f); compute(k, note); } }",
            [55555, 44444, 33333, 22222, 11111, 0, 5],
        ),
        # No level is empty.
        ("history h; h.push({ }); frontier f; h.push(f); h.push({ 3 }); h.push(f); many = size(h);", [0] * 5 + [1, 0]),
        ("history h; for g in backward(h) { compute(g, note); sum += 1; } many = size(h);", [0] * 5 + [0, 0]),
        # What is declared in a loop is empty again in each pass.
        (
            "repeat (4) { history h; h.push(vertices); h.push({ });"
            " for g in forward(h) { compute(g, note); } many += size(h); }",
            [1111] * 5 + [4, 0],
        ),
        # A level may be advanced from, is a set like others, and stays as it was pushed.
        (
            f"{SEARCH} f = vertices; for g in backward(h) {{ compute(advance(g, step) | g, note); }}",
            [5, 45, 34, 23, 12, 0, 0],
        ),
        # Pushed, changed, pushed again; to two histories in turns.
        (
            "frontier f = { 1 }; history h; history k; h.push(f); f = { 2, 3 }; k.push(f); h.push(f - { 3 });"
            " k.push({ 0 }); for g in forward(h) { compute(g, note); } for g in backward(k) { compute(g, note); }"
            " sum = size(k);",
            [1, 1, 22, 2, 0, 0, 2],
        ),
        ("history h; repeat (3) { h.push({ 0 }); } for g in forward(h) { compute(g, note); }", [123, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_levels(schedule: str, answer: list[int], backend: str, form: str) -> None:
    assert met(schedule, backend, form) == answer


@pytest.mark.parametrize("direction", ["pull", "auto"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.sampled(3)
def test_what_a_pull_made(backend: str, direction: str) -> None:
    """Such a frontier has no queue yet."""
    schedule = f"{SEARCH} for g in backward(h) {{ compute(advance(g, step), note); compute(g, note); }}"
    made = gdsl.compile(
        f"{DATA}schedule {{ {schedule} }} tune {{ visit.direction = {direction}; step.direction = pull; }}"
    )
    result = made.run(make_graph(path(200), 200, directed=False), {"source": 0}, backend=backend)
    depth = list(range(200))
    assert result.host_arrays()["depth"].tolist() == depth
    assert all(value != 0 for value in result.host_arrays()["met"].tolist())


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("schedule", "members"),
    [
        ("history h; h.push(vertices);\nh.push({ 1 });", 4),
        ("history h; repeat (9) {\nh.push({ 2 }); }", 4),
        ("history h; while (true) {\nh.push(vertices - { 0 }); }", 4),
    ],
)
def test_no_more_members_than_vertices(schedule: str, members: int, backend: str, form: str) -> None:
    """One error that names the line, and nothing is written past the arrays."""
    with pytest.raises(GdslError) as caught:
        program(schedule, form).run(make_graph(path(3), 3), {"source": 0}, backend=backend, max_iterations=50)
    assert caught.value.code == "E0804"
    (found,) = caught.value.diagnostics
    assert re.search(rf"`h` would hold {members} members, and the graph has 3 vertices", found.message)
    assert found.span is not None and found.span.line == 9


@pytest.mark.parametrize("backend", BACKENDS)
def test_bounds_off_keeps_the_limit(backend: str) -> None:
    made = gdsl.compile(f"{DATA}schedule {{ history h; repeat (9) {{ h.push(vertices); }} }} tune {{ bounds off; }}")
    with pytest.raises(GdslError, match="E0804"):
        made.run(make_graph(path(3), 3), {"source": 0}, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_vertices_and_one(backend: str) -> None:
    made = gdsl.compile(
        "program none; problem { scalar many : int64; } schedule { history h; h.push(vertices); many = size(h); }"
    )
    assert made.run(make_graph([], 0), backend=backend)["many"] == 0
    assert made.run(make_graph([], 1), backend=backend)["many"] == 1
    assert made.run(make_graph([(0, 0), (0, 0)], 1), backend=backend)["many"] == 1
