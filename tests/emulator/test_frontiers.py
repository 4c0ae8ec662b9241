"""Frontiers that are copied, replaced and handed round between operators: whose storage is whose, fused and unfused."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from support.graphs import make_graph, path, random_graph

from gdsl.binding import bind
from gdsl.ir import nodes
from gdsl.ir.verifier import VerificationError
from gdsl.plan import storage, verifier

from . import build
from .driver import EmulatorError
from .running import SMALL, TINY, device_for, differences, emulated, expect, program_of
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = {
    "path": make_graph(path(300), 300),
    "back_and_forth": make_graph(path(300), 300, directed=False),
    "random": random_graph(300, 900, seed=3),
}
HEAD = """
problem { param source : vertex; scalar last : int64; }
edge functor step(src, dst, e) { }
edge functor odd(src, dst, e) { cond int32(dst) % 2 == 1; }
vertex functor every(v) { }
vertex functor tail(v) { cond v >= 100; }
vertex functor odd_time(v) { cond (int32(v) + iteration + int32(last)) % 2 == 1; }
vertex functor third(v) { cond int32(v) % 3 == 0; }
"""
SCHEDULES = {
    # The filter's result takes the storage that the advance before it has marked from.
    "filtered": "repeat (4) { f = advance(f, step); f = filter(f, every); g = where(tail); }",
    "copied": "repeat (6) { f = advance(f, step); g = where(tail); f = g; f = advance(f, step); g = f; }",
    "copied_over": "g = where(third); repeat (5) { f = advance(f, step); f = g; g = advance(g, odd); }",
    "nested": """repeat (3) {
        f = advance(f, step);
        repeat (3) { g = advance(f, step); f = filter(g, every); g = where(tail); }
        g = f;
    }""",
    "two_in_turn": "g = where(third); repeat (5) { f = advance(f, step); g = advance(g, step); h = f; f = g; g = h; }",
    "defined_again": "repeat (4) { f = advance(f, step); f = { source, 7, 9, 7 }; g = vertices; g = advance(g, odd); }",
    # What is asked is written at once; its marks must be gone before.
    "left_out_of_others": """g = where(third); h = where(tail);
        repeat (4) { g = h - g; f = advance(f, odd); h = g - h; h = h - f; f = f - h; f = advance(f, step); }""",
    "taken_over": "h = where(tail); repeat (4) { g = h - g; h = g; g = { 3, 9 }; h = g - h; g = where(third); }",
    # A set grows from marks to a bitmap of its own, is copied, asked, walked and replaced.
    "growing": """g = f; repeat (9) { f = advance(f, step) - g; g = g | f; h = g & f; last += size(g) - size(h); }
        h = advance(g, odd); g = h - g; g = f | g; g = g | h; f = where(tail) & g;""",
    "growing_from_a_bitmap": """g = where(third); h = g & f; repeat (5) {
        g = g | f; f = advance(g - h, step); h = f | h; } f = h; h = h | g; f = f - g; h = f | h;""",
    # What a filter has left asks its test once more.
    "rests": """repeat (4) { g = filter(f, third); f = f - g; h = filter(vertices, tail); g = vertices - h;
        h = filter(g, third); h = g - h; last += size(h) - size(f); f = advance(f, step) | g; }""",
    "rests_that_change": """repeat (6) { g = filter(h, odd_time); h = h - g; f = filter(h, odd_time); h = h - f;
        last += size(h) * size(g); h = advance(g, step) | where(third); f = h; }""",
    "everything_else": "repeat (4) { g = vertices - f; f = advance(f, step); h = f & g; f = f | h; g = vertices - g; }",
    # Sets of edges have storage of their own, which changes hands as that of vertices does.
    "edges": """edge frontier a = advance(f, step, to=edges); edge frontier b; repeat (5) {
        b = a; a = advance(a, odd, to=edges); f = advance(b, step); b = filter(a, odd); last += size(a) - size(b); }""",
    "edges_in_turn": """edge frontier a = edges; edge frontier b = { 2, 1, 2 }; edge frontier c; repeat (5) {
        c = a; a = b; b = advance(c, step, to=edges); g = advance(a, odd); last += size(b) * size(g); }""",
    "edges_backwards": """edge frontier a = advance(f, step, to=edges, over=in_edges); repeat (6) {
        a = advance(filter(a, step), step, to=edges, over=in_edges); g = advance(a, odd) | g; last += size(g); }""",
    "edges_from_both_ends": """edge frontier a; repeat (4) {
        a = advance(f, step, to=edges, over=all_edges); a = filter(a, odd); f = advance(f, step); last += size(a); }""",
    # Frontiers that are never needed at once have one place.
    "in_turns": """repeat (5) { f = advance(f, step); frontier a = filter(f, tail); frontier b = advance(a, odd);
        last += size(b); frontier c = where(third); g = c - f; frontier k = { 5, source }; h = g | k;
        last += size(h); }""",
    "left_out_and_written": """frontier first = where(third); repeat (12) { frontier a = { source, 0, 1 };
        frontier b = first - a; frontier c = where(tail); frontier k = b | c; last += size(k); frontier m = where(tail);
        frontier n = m & first; last += size(n); }""",
    "by_their_conditions": """frontier a = f; while (a) { frontier b = advance(a, odd); if (b) { frontier c = b;
        last += size(c); c = filter(b, tail); a = c - f; } else { frontier k = where(third); last += size(k);
        a = { }; } f = advance(f, step) | a; if (iteration > 6) { a = { }; } }""",
    "edges_in_one_place": """repeat (4) { edge frontier a = advance(f, step, to=edges); edge frontier b;
        b = filter(a, odd); edge frontier c = { 1, 3 }; edge frontier k = b - c; edge frontier m = k;
        last += size(m); f = advance(m, step);
        edge frontier n = edges - m; last += size(n); }""",
    # Levels are kept while the frontiers that they come from change; an empty one is none.
    "levels_kept": """history all; repeat (3) { history own; own.push(f); own.push(h); f = advance(f, step) - f;
        own.push(f - h); last += 100 * size(own); for a in backward(own) { h = advance(a, odd); last += size(a); }
        if (iteration == 1) { all.push(f - g); g = f; } } for a in forward(all) { g = filter(a, third); f = g | a;
        for b in backward(all) { last += size(a) * size(b); } }""",
    "one_at_the_end": "f = vertices; f = advance(f, step); g = where(tail); f = advance(f, odd); f = advance(f, step);",
}


def text_of(name: str, schedule: str, frontiers: str = "frontier g; frontier h;") -> str:
    body = f"frontier f = {{ source }}; {frontiers} {schedule} last = size(f);"
    return f"program {name};{HEAD}schedule {{ {body} }}\n"


def random_schedule(seed: int) -> str:
    """Some operators on three frontiers, one loop within another."""
    chosen = random.Random(seed)

    def steps(count: int) -> Iterator[str]:
        for _ in range(count):
            to, of = chosen.choice("fgh"), chosen.choice("fgh")
            yield chosen.choice(
                [
                    f"{to} = advance({of}, {chosen.choice(['step', 'odd'])});",
                    f"{to} = advance({of}, step, over={chosen.choice(['in_edges', 'all_edges'])});",
                    f"{to} = filter({of}, {chosen.choice(['every', 'tail', 'third'])});",
                    f"{to} = where({chosen.choice(['tail', 'third'])});",
                    f"{to} = {of};" if to != of else f"{to} = advance({of}, step);",
                    f"{to} = {of} {chosen.choice('|&-')} {chosen.choice('fgh')};",
                    f"{to} = vertices - {of};",
                    f"{to} = {{ source, {chosen.randrange(60)} }};",
                ]
            )

    inner = f"repeat (2) {{ {' '.join(steps(4))} }}"
    return f"{' '.join(steps(2))} repeat (3) {{ {' '.join(steps(3))} {inner} {' '.join(steps(2))} }}"


def agrees(text: str, fuse: str, *words: str, graphs: tuple[str, ...] = tuple(GRAPHS)) -> None:
    """Sizes and edges of every operator, and the result, as the reference has them."""
    shape = SMALL if fuse == "on" else TINY
    built = build_program(text, (f"schedule.fuse={fuse}", *words), shape)
    for seed, name in enumerate(graphs):
        bindings = bind(built.program, GRAPHS[name], {"source": 3})
        found = built.run(GRAPHS[name], bindings, device_for(seed))
        assert differences(built.program, expect(built.program, GRAPHS[name], bindings), found) == [], (name, text)


@pytest.mark.parametrize("fuse", ["on", "off"])
@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.sampled(15)
def test_storage_changes_hands(name: str, fuse: str) -> None:
    agrees(text_of(name, SCHEDULES[name]), fuse)


def all_in_one(frontiers: tuple[nodes.Frontier, ...], steps: object) -> dict[str, int]:
    return {frontier.name: 0 for frontier in frontiers}


WRONGLY = {"assign": ("in_turns", all_in_one), "cleared_later": ("left_out_and_written", lambda step: None)}


@pytest.mark.parametrize("what", WRONGLY)
def test_storage_that_is_shared_wrongly_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the plan's verifier, and, where that is silent, by a run."""
    name, wrong = WRONGLY[what]
    program = program_of(text_of(name, SCHEDULES[name]))
    monkeypatch.setattr(storage, what, wrong)
    with pytest.raises(VerificationError, match="is stored where"):
        emulated(program)
    monkeypatch.setattr(verifier, "verify", lambda plan: None)
    built, seen = emulated(program), False
    for seed, graph in itertools.product(range(20), GRAPHS.values()):
        bindings = bind(program, graph, {"source": 3})
        try:
            outcome = built.run(graph, bindings, device_for(seed))
            seen = differences(program, expect(program, graph, bindings), outcome) != []
        except EmulatorError:
            seen = True
        if seen:
            break
    assert seen


@pytest.mark.parametrize("fuse", ["on", "off"])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.sampled(15)
def test_storage_changes_hands_at_random(seed: int, fuse: str) -> None:
    words = (("step.direction=push",), ("step.direction=auto", "odd.direction=pull"))[seed % 2]
    schedule = random_schedule(seed)
    agrees(text_of("mixed", schedule), fuse, *(word for word in words if word.split(".")[0] in schedule))


@pytest.mark.parametrize("edges", [300, 20_000])
def test_queues_are_made_of_bitmaps_by_many_warps(edges: int) -> None:
    """Each of which has 32 words of it at a time."""
    graph = random_graph(5000, edges, seed=7)
    schedule = "f = where(third); repeat (2) { f = advance(f, step); g = filter(f, every); last += size(g); }"
    built = build_program(text_of("wide", schedule), ("step.direction=pull",), SMALL)
    assert "make_queue(" in built.generated.text
    bindings = bind(built.program, graph, {"source": 3})
    expected = expect(built.program, graph, bindings)
    for seed in range(3):
        assert differences(built.program, expected, built.run(graph, bindings, device_for(seed))) == []


@pytest.mark.parametrize("fuse", [pytest.param("on", marks=pytest.mark.slow), "off"])
def test_frontiers_without_end(fuse: str) -> None:
    """What the kernels of the unfused form hand on has room for all of them."""
    count = 120
    frontiers = " ".join(f"frontier f{i} = {{ {i} }};" for i in range(count))
    schedule = " ".join(f"f{i} = advance(f{i}, step); last += size(f{i});" for i in range(count - 2, count))
    schedule += " ".join(f"last += {i + 1} * size(f{i});" for i in range(count))
    agrees(text_of("many", schedule, frontiers), fuse, graphs=("back_and_forth",))
