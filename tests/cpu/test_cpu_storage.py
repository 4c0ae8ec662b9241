"""Frontiers that have one place in memory, since they are never needed at once: copies, sets, branches, edges."""

from __future__ import annotations

import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.pipeline import load
from tests.cpu.running import assert_agree, run
from tests.support.graphs import make_graph, path, random_graph

GRAPHS = [random_graph(300, 900, seed=3), make_graph(path(300), 300, directed=False)]
HEAD = """program p;
problem { scalar last : int64; }
edge functor step(src, dst, e) { }
edge functor odd(src, dst, e) { cond int32(dst) % 2 == 1; }
vertex functor tail(v) { cond v >= 100; }
vertex functor third(v) { cond int32(v) % 3 == 0; }
"""
SCHEDULES = {
    "in_turns": """frontier f = { 3 }; repeat (5) { f = advance(f, step); frontier a = filter(f, tail);
        frontier b = advance(a, odd); last += size(b); frontier c = where(third); frontier g = c - f;
        frontier k = { 5, 7 }; frontier h = g | k; frontier m = h & g; last += size(m) + 100 * size(k); }""",
    "copied": """frontier f = where(third); repeat (5) { frontier a = f; frontier b = a; f = advance(b, step);
        frontier c = { 1 }; last += size(c); c = f - c; f = c; }""",
    "conditions": """frontier a = where(tail); while (a) { frontier b = filter(a, third); if (b) { frontier c = b;
        a = filter(c, tail) - { 102 }; } else { frontier k = where(third); last += size(k); a = {}; }
        last += size(a); if (iteration > 4) { a = {}; } }""",
    "edges": """frontier f = { 3 }; repeat (4) { edge frontier a = advance(f, step, to=edges);
        edge frontier b = filter(a, odd); edge frontier c = { 1, 3 }; edge frontier k = b - c; edge frontier m = k;
        last += size(m); f = advance(m, step); edge frontier n = edges - m; last += size(n) * 3; }""",
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", SCHEDULES)
def test_frontiers_take_turns(name: str) -> None:
    text = f"{HEAD}schedule {{ {SCHEDULES[name]} }}\n"
    program = load(text)
    for graph in GRAPHS:
        expected = interpret(program, graph, bind(program, graph, {}), Limits())
        found = run(text, graph)
        assert_agree(program, expected, found)
        assert found.scalars["last"] == expected.scalars["last"]
