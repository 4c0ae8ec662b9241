"""Forms of operators that no sample has, with every way through the generated code."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from tests.cpu.running import SMALL, assert_agree, executable, run
from tests.support.conditional import BRANCHED, reductions
from tests.support.graphs import make_graph, named_graphs, random_graph, star

GRAPHS = [
    random_graph(70, 420, seed=5),
    random_graph(90, 200, seed=6, directed=False),
    make_graph(star(30), 31, directed=False),
    named_graphs()["self_loops_directed"],
]

PROGRAMS = {
    "near_and_far": (
        "vertex hits : int64; vertex sent : int32; scalar total : int64; edge seen : int32;",
        """edge functor f(src, dst, e) { cond near != far; apply {
            hits[far] += int64(place) + 1; sent[near] += 1; total += 1; SEEN
            accept int32(far) % 3 != 1; } }""",
        """frontier f0 = vertices; frontier g = advance(f0, f, over=OVER); g = advance(g, f, over=OVER);
        total = total * 1000 + size(g);""",
    ),
    "reduce_reads_its_array": (
        "vertex a : float64 = float64(int32(id)); vertex b : int64; vertex low : vertex = id; vertex flags : bool;",
        """edge functor given(src, dst, e) -> float64 { cond e != 1; value a[near] + a[far]; }
        edge functor far_id(src, dst, e) -> vertex { value far; }
        edge functor odd(src, dst, e) -> bool { value int32(far) % 2 == 1; }""",
        """a = neighbor_reduce(vertices, given, sum, over=OVER);
        b = neighbor_reduce(vertices, odd, count, over=OVER);
        low = neighbor_reduce(vertices, far_id, min, over=OVER);
        frontier f = { 0, 1 }; flags = neighbor_reduce(f, odd, some, over=OVER);""",
    ),
    "closing_by_claim": (
        "vertex level : int32 = -1; vertex from : vertex; scalar reached : int64;",
        """edge functor visit(src, dst, e) { cond level[far] == -1;
            apply { level[far] = iteration + 1; from[far] any= near; accept int32(far) != 5; } }""",
        """level[0] = 0; frontier f = { 0 };
        while (f) { reached += size(f); f = advance(f, visit, over=OVER); }""",
    ),
    "reductions": (
        """vertex low : uint32 = 4000000000; vertex high : int64 = -5; vertex bits : uint32; vertex some_ : bool;
        vertex every_ : bool = true; vertex odd : bool; vertex less : int32; vertex most : float32 = -1.0;
        vertex both : uint32;""",
        """edge functor f(src, dst, e) { apply {
            let n = int32(near);
            low[far] min= uint32(n) + 3; high[far] max= int64(n) * 7; bits[far] |= uint32(1) << uint32(n);
            both[near] |= uint32(4); some_[far] |= n % 2 == 0; every_[far] &= n % 3 == 0; odd[far] ^= true;
            less[near] -= 2; most[far] max= float32(n) / 4.0; } }""",
        "advance(vertices, f, to=none, over=OVER);",
    ),
    "frontiers": (
        "vertex mark : int32; scalar sizes : int64;",
        """vertex functor low(v) { cond int32(v) < 40; apply { mark[v] += 1; accept int32(v) % 2 == 0; } }
        edge functor any_edge(src, dst, e) { }""",
        """frontier f = where(low); frontier g = advance(f, any_edge, over=OVER); frontier h = g; f = filter(h, low);
        if (size(f) > 2) { g = f; } else { g = { 0 }; }
        repeat (3) { g = advance(g, any_edge, over=OVER); f = filter(g, low); }
        sizes = size(f) * 1000000 + size(g) * 1000 + size(h);""",
    ),
    "edges": (
        "vertex met : int64; edge times : int32; scalar sizes : int64;",
        """edge functor f(src, dst, e) { cond int32(near) % 4 != 1; apply { met[far] += 1; accept place < 2; } }
        edge functor odd(src, dst, e) { cond int32(e) % 2 == 1; apply { met[src] += 10; sizes += int64(src); } }
        edge functor tell(src, dst, e) { apply { times[e] += 1; met[dst] += 100; } }""",
        """edge frontier a = advance(vertices, f, to=edges, over=OVER); compute(a, tell);
        edge frontier b = filter(a, odd); compute(b, tell); edge frontier c = b; a = c;
        edge frontier named; frontier g = vertices;
        repeat (2) {
            named = edges; named = filter(named, odd); sizes += size(named);
            named = { 2, 1, 2 }; compute(named, tell); g = advance(named, f, over=OVER);
            named = filter(filter(edges, odd), tell); a = advance(g, f, to=edges, over=OVER);
        }
        if (a) { compute(a, tell); sizes += size(a) * 1000000 + size(b) * 1000 + size(g); }""",
    ),
}


def text_of(name: str, over: str) -> str:
    """The program whose operators visit the edges `over`."""
    data, functors, schedule = PROGRAMS[name]
    if over == "all_edges":  # an edge is visited from both ends
        data, functors = data.replace("edge seen : int32;", ""), functors.replace("SEEN", "")
    functors = functors.replace("SEEN", "seen[e] = 5;")
    return f"program p; problem {{ {data} }} {functors} schedule {{ {schedule} }}".replace("OVER", over)


@pytest.mark.parametrize("over", ["out_edges", "in_edges", "all_edges"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(36)
def test_forms(name: str, over: str) -> None:
    check(text_of(name, over))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("over", ["out_edges", "in_edges"])
@pytest.mark.parametrize(
    ("name", "functor"), [("near_and_far", "f"), ("closing_by_claim", "visit"), ("reductions", "f")]
)
def test_forms_pulled(name: str, functor: str, over: str) -> None:
    check(text_of(name, over), (f"{functor}.direction=pull",))


def check(text: str, tune: tuple[str, ...] = ()) -> None:
    ready = executable(text, tune, SMALL)
    for graph in GRAPHS:
        bindings = bind(ready.program, graph, {})
        expected = interpret(ready.program, graph, bindings, Limits())
        found = ready.run(graph, bindings, Limits())
        assert_agree(ready.program, expected, found)
        assert summary(found) == summary(expected)


def summary(outcome: Outcome) -> list[tuple[int, int, int, int]]:
    return [(r.site, r.iteration, r.frontier_size, r.edges) for r in outcome.trace]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("over", ["out_edges", "in_edges", "all_edges"])
def test_an_edge_that_is_left_out_changes_nothing(over: str) -> None:
    check(reductions(over), ("without=direction",))  # which might send, by operators that the reference does not have


def test_a_loop_within_a_branch_counts_as_outermost() -> None:
    ready = executable(BRANCHED, (), SMALL)
    for graph in GRAPHS:
        bindings = bind(ready.program, graph, {})
        expected = interpret(ready.program, graph, bindings, Limits())
        assert ready.run(graph, bindings, Limits()).iterations == expected.iterations
    check(BRANCHED)


PULLED = """program pulled; problem { input vertex chosen : bool; vertex from : vertex; vertex times : int32; }
edge functor first(src, dst, e) { cond from[dst] == none; apply { from[dst] any= src; } }
edge functor each(src, dst, e) { apply { times[dst] += 1; } }
schedule { frontier f = where(v => chosen[v]); advance(f, first, to=none); advance(f, each, to=none); }
tune { first.direction = pull; each.direction = pull; }
"""


def test_members_are_found_at_every_place_of_a_list() -> None:
    """Lists of up to 12 edges, of which no, one or two places lead to a member."""
    places = [(length, {a, b}) for length in range(13) for a in range(-1, length) for b in range(a, length)]
    members, others = 0, 1  # vertices below 2 * 12 with an even id are members
    edges = [
        (2 * place + (members if place in chosen else others), 24 + far)
        for far, (length, chosen) in enumerate(places)
        for place in range(length)
    ]
    graph = make_graph(edges, 24 + len(places))
    found = run(PULLED, graph, chosen=np.arange(graph.num_vertices) < 24 * (np.arange(graph.num_vertices) % 2 == 0))
    for far, (_, chosen) in enumerate(places):
        own = {2 * place for place in chosen if place >= 0}
        assert found.arrays["times"][24 + far] == len(own)
        assert found.arrays["from"][24 + far] in (own or {-1})
