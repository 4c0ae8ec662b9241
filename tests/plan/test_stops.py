"""Indices that may be out of range: whether one stops the run hangs on no knob, backend or decision of the plan."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.plan.list_bounds import place_limit
from gdsl.plan.nodes import Choice, Sweep
from gdsl.plan.walking import operations
from tests.support.graphs import make_graph

from .planning import only_sweep, plan_of

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
DATA = """program p;
problem {
    vertex next : vertex = none; vertex many : int32 = 1; vertex depth : int32 = -1; vertex met : int32;
    param k : int32 = 1;
}
"""
VISIT = "edge functor f(src, dst, e) { cond %s; apply { %s } }\n"
COUNT, MARK = "met[dst] += 1;", "depth[dst] = iteration + 1;"
CLOSES = "depth[dst] == -1"
FROM_0 = "schedule { %s frontier f0 = { 0 }; f0 = advance(f0, f); }\n"
EDGES = ((0, 1), (0, 2), (1, 3))


def visits(condition: str, body: str, before: str = "") -> str:
    return DATA + VISIT % (condition, body) + FROM_0 % before


RIGHT = {
    # What comes first in the condition says where the index is in range.
    "taken": visits(f"{CLOSES} && many[next[dst]] > 0", MARK, "depth[0] = 0; depth[1] = 0; next[2] = 2;"),
    "stored": visits(CLOSES, "depth[dst] = max(many[next[dst]], 0);", "depth[0] = 0; depth[1] = 0; next[2] = 2;"),
    "near": visits("many[src] > 1 && many[next[dst]] > 0", COUNT),
    # Nobody leads to vertex 3.
    "far": visits("many[next[dst]] > 0", COUNT, "next[1] = 2; next[2] = 2;"),
    "degree": visits("out_degree(next[dst]) >= 0", COUNT, "next[1] = 2; next[2] = 2;"),
    "place": visits("many[src] > 1 && neighbor(dst, 0) == 3", COUNT),
}
WRONG = {
    # It stands first, whatever the rest says.
    "near": visits(f"many[next[src]] > 0 && {CLOSES}", MARK, "depth[1] = 0; depth[2] = 0;"),
    "place": visits("many[next[dst]] > 0 && place < k", COUNT, "next[1] = 1;"),
    "list": DATA + "edge functor f(src, dst, e) -> int32 { cond many[next[dst]] > 0 && place < 1; value many[dst]; }\n"
    "schedule { next[1] = 1; next[3] = 3; met = neighbor_reduce(vertices, f, max); }\n",
}
KNOBS = [("f.direction=push",), ("f.direction=pull",), ()]


def answer(text: str, tune: tuple[str, ...], backend: str) -> list[list[int]] | str:
    try:
        result = gdsl.compile(text, tune=tune).run(make_graph(EDGES, 4), {}, backend=backend).host_arrays()
    except GdslError as error:
        return str(error.code)
    return [np.asarray(result[name]).tolist() for name in ("depth", "met")]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("tune", KNOBS)
@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.sampled(12)
def test_nobody_asks_where_the_text_does_not(name: str, tune: tuple[str, ...], backend: str) -> None:
    assert answer(RIGHT[name], tune, backend) == answer(RIGHT[name], KNOBS[0], "reference") != "E0801"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("tune", KNOBS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(15)
def test_all_ask_where_the_text_does(name: str, tune: tuple[str, ...], backend: str) -> None:
    assert answer(WRONG[name], tune if "advance" in WRONG[name] else (), backend) == "E0801"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (RIGHT["taken"], False),
        (RIGHT["stored"], False),
        (visits(f"many[next[dst]] > 0 && {CLOSES}", MARK), True),
        (visits(f"{CLOSES} && many[dst] > 0", MARK), True),
    ],
)
def test_what_is_taken_by_an_exchange(text: str, claims: bool) -> None:
    (variant,) = (walk.variant for walk in only_sweep(plan_of(text, "f.direction=push")).walks)
    assert (variant.claim is not None) == claims


@pytest.mark.parametrize(
    ("condition", "selected"),
    [
        (f"many[src] > 0 && {CLOSES}", (1,)),
        (f"{CLOSES} && many[next[dst]] > 0", (0,)),
        (f"many[next[dst]] > 0 && {CLOSES}", ()),
        (f"many[next[src]] > 0 && {CLOSES}", ()),
        (f"many[dst] > 0 && many[next[src]] > 0 && {CLOSES}", (0,)),
    ],
)
def test_what_a_pull_asks_first(condition: str, selected: tuple[int, ...]) -> None:
    selection = only_sweep(plan_of(visits(condition, MARK), "f.direction=pull")).selection
    assert selection is not None and selection.test.tests == selected
    assert selection.closes == (len(condition.split(" && ")) - 1 in selected or condition.startswith(CLOSES))


@pytest.mark.parametrize(
    ("condition", "cuts"),
    [
        ("place < k && many[next[dst]] > 0", True),
        ("many[next[dst]] > 0 && place < k", False),
        ("neighbor(dst, 1) == dst && place < k", False),
        ("many[dst] > 0 && place < k", True),
    ],
)
def test_where_a_place_ends_a_list(condition: str, cuts: bool) -> None:
    plan = plan_of(visits(condition, COUNT))
    assert (place_limit(plan.program.edge_functors[0]) is not None) == cuts
    (operation,) = operations(plan)
    does = operation.does
    push = does.no if isinstance(does, Choice) else does
    assert isinstance(push, Sweep) and (push.walks[0].first_places is not None) == cuts
