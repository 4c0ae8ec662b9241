"""Which operators fetch the lists of members that come later, on a CPU."""

from __future__ import annotations

import pytest

from gdsl.codegen.cpu.generate import generate
from gdsl.plan import target
from gdsl.plan.hints import PrefetchLists
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import operations, sweeps_of
from gdsl.types import Widths

from .planning import plan_of

TWO = """program two;
problem { param s : vertex; input edge length : float32; edge crossed : int32;
    vertex sums : float32; vertex seen : int32; }
edge functor cross(src, dst, e) { cond length[e] > 0.5; apply { crossed[e] += 1; seen[dst] += 1; } }
schedule {
    frontier f = { s };
    repeat (4) {
        f = advance(f, cross);
        sums = neighbor_reduce(f, (src, dst, e) => length[e], sum) @lengths;
        sums = neighbor_reduce(f, (src, dst, e) => length[e], sum, over=in_edges) @back;
    }
    sums = neighbor_reduce(vertices, (src, dst, e) => length[e], sum) @all;
}
"""


def fetched(plan: Plan) -> dict[str, tuple[str, ...] | None]:
    """By label what is fetched with lists, of the first sweep of each operator along edges."""
    along = [each for each in operations(plan) if sweeps_of(each)[-1].walks]
    hints = {each.step.label: sweeps_of(each)[-1].hint(PrefetchLists) for each in along}
    return {label: hint.arrays if hint is not None else None for label, hint in hints.items()}


def test_sets_have_lists_here_and_there() -> None:
    plan = plan_of(TWO, on=target.CPU)
    assert fetched(plan) == {"cross": ("length", "crossed"), "lengths": ("length",), "back": (), "all": None}
    text = generate(plan, Widths.both(32)).text
    assert text.count("const auto ahead = fetching(members_of(input)") == 3
    assert "fetch_first(&d.crossed[at]);" in text and "fetch_first(&d.graph.columns[at]);" in text


def test_the_plan_says_so() -> None:
    text = print_plan(plan_of(TWO, on=target.CPU))
    assert text.count("fetch of the eighth member from each: ") == 3
    assert "            fetch of the eighth member from each: its first out-edges, length, crossed\n" in text
    assert set(fetched(plan_of(TWO)).values()) == {None}, "there are other threads while one waits"
    assert "eighth member" not in print_plan(plan_of(TWO))


@pytest.mark.parametrize("tune", ["cross.balance=thread", "cross.direction=pull"])
def test_other_ways_along_lists_do_without(tune: str) -> None:
    assert fetched(plan_of(TWO.replace("crossed[e] += 1; ", ""), tune, on=target.CPU))["cross"] is None


def test_louvain_fetches_the_weights_of_its_graphs() -> None:
    found = fetched(plan_of("louvain", on=target.CPU))
    assert {name for name, arrays in found.items() if arrays == ("units",)} == {"ballot", "beside"}


def test_edges_that_are_left_out_have_no_place_by_their_ids() -> None:
    text = TWO.replace(
        "repeat (4) {", "graph h = subgraph(filter(edges, (u, v, e) => length[e] > 0.1)); on h { repeat (4) {"
    ).replace("    sums = neighbor_reduce(vertices", "    }\n    sums = neighbor_reduce(vertices")
    assert fetched(plan_of(text, on=target.CPU))["lengths"] == ()
