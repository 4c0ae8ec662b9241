"""Random expressions of sets on every backend against Python's own sets, with the same text evaluated by Python."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import gdsl
from gdsl.graph import Graph
from tests.support.graphs import make_graph, path, random_graph

GRAPHS = {
    "one": make_graph([], 1),
    "loop": make_graph([(0, 0)], 1),
    "two": make_graph([(0, 1)], 2),
    "word": make_graph(path(32), 32),
    "words": make_graph(path(65), 65),
    "random": random_graph(200, 700, seed=5),
}
SIZES = {"reference": (24, 3), "cpu": (24, 3), "cuda": (4, 2)}
"""Expressions a program and how deep they are: NVRTC takes long over long programs, so a GPU has short ones."""
SEEDS = {"reference": 4, "cpu": 4, "cuda": 16}
TUNES = ((), ("step.direction=pull", "reach.direction=pull"))
HEAD = """program expressions;
problem {
    param s : vertex;
    vertex bits : uint64;
    vertex level : int32 = -1;
    local scalar bit : uint64 = 1;
}
vertex functor third(v) { cond int32(v) % 3 == 0; }
vertex functor high(v) { cond int32(v) > 20; }
edge functor step(src, dst, e) { }
edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
vertex functor note(v) { apply { bits[v] |= bit; } }
schedule {
    level[s] = 0;
    frontier f = where(third);
    frontier g = { s };
    repeat (2) { g = advance(g, reach) | g; }
    frontier h = where(high);
    frontier k;
"""


def expression(chosen: random.Random, depth: int) -> str:
    """A set: `{ s }` and `{ }` are written so that Python can read the text once `{ }` is replaced."""
    if depth == 0 or chosen.random() < 0.2:
        return chosen.choice(["f", "g", "h", "k", "vertices", "{ s }", "{ }", "step_of(f)", "step_of({ s })"])
    sides = [expression(chosen, depth - 1) for _ in range(chosen.choice([2, 2, 3]))]
    text = sides[0]
    for side in sides[1:]:
        text += f" {chosen.choice('|&-')} {side}"
    return f"({text})" if chosen.random() < 0.6 else text


@cache
def program_of(seed: int, row: int, depth: int, tune: tuple[str, ...]) -> tuple[list[str], gdsl.Program]:
    chosen = random.Random(seed)
    texts = [expression(chosen, depth) for _ in range(row)]
    lines = []
    for place, text in enumerate(texts):
        target = "fghk"[place % 4]
        assigned = text.replace("step_of(", "advance(step, ").replace("advance(step, f)", "advance(f, step)")
        assigned = assigned.replace("advance(step, { s })", "advance({ s }, step)")
        lines.append(f"    {target} = {assigned};\n    compute({target}, note); bit = bit << 1;\n")
    return texts, gdsl.compile(f"{HEAD}{''.join(lines)}}}\n", tune=list(tune))


def expected(texts: list[str], graph: Graph, s: int) -> np.ndarray:
    count = graph.num_vertices
    tails, heads = graph.edge_sources.tolist(), graph.columns.tolist()

    def step_of(members: set[int]) -> set[int]:
        return {head for tail, head in zip(tails, heads, strict=True) if tail in members}

    everything = set(range(count))
    near = {s} | step_of({s})
    sets = {"f": {v for v in everything if v % 3 == 0}, "g": near | step_of(near), "k": set()}
    sets["h"] = {v for v in everything if v > 20}
    bits = np.zeros(count, np.uint64)
    for place, text in enumerate(texts):
        names = {**sets, "vertices": everything, "step_of": step_of, "s": s, "set": set}
        found = eval(text.replace("{ }", "set()"), {"__builtins__": {}}, names)  # noqa: S307 - our own text
        sets["fghk"[place % 4]] = found
        bits[sorted(found)] |= np.uint64(1 << place)
    return bits


def programs() -> list[object]:
    marks = {"cuda": [pytest.mark.gpu]}
    return [pytest.param(b, seed, marks=marks.get(b, ())) for b, count in SEEDS.items() for seed in range(count)]


@pytest.mark.parametrize(("backend", "seed"), programs())
@pytest.mark.sampled(8)
def test_they_are_python_s(backend: str, seed: int) -> None:
    for tune in TUNES[: 1 + seed % 2]:
        texts, program = program_of(seed, *SIZES[backend], tune)
        for name, graph in GRAPHS.items():
            s = seed % graph.num_vertices
            result = program.run(graph, {"s": s}, backend=backend)
            wrong = np.flatnonzero(result.host_arrays()["bits"] != expected(texts, graph, s))
            assert not len(wrong), (name, tune, wrong[:5], texts)
