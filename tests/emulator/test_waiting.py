"""Steps that end without a barrier, in random order: no race between them, and the answer that the reference has."""

from __future__ import annotations

import dataclasses
import os
import random
from collections.abc import Iterator

import numpy as np
import pytest
from support.fewer_barriers import SPARE, plans_without_one
from support.graphs import make_graph, path, random_graph, star

from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.ir.nodes import Program
from gdsl.plan import barriers, functor_facts, fusion

from . import build
from .driver import EmulatedModule, EmulatorError
from .findings import Kind
from .running import NARROW, SMALL, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

GRAPHS = (
    random_graph(70, 200, seed=3, directed=False),
    make_graph(star(39), 40, directed=False),
    make_graph(path(50), 50, directed=False),
)

HEAD = """program waiting;
problem {
    vertex a : int32 = int32(id); vertex b : int32 = 1; vertex c : int64;
    scalar n : int64; scalar m : int64; scalar k : int64;
}
vertex functor one(v) { apply { a[v] += 1; } }
vertex functor two(v) { apply { b[v] += a[v]; c[v] = b[v]; } }
vertex functor three(v) { cond a[v] % 3 != 0; apply { b[v] = 2 * a[v]; } }
vertex functor first(v) { apply { c[v] = b[0] + n + k; } }
vertex functor around(v) { apply { for u in neighbors(v) { c[v] += a[u]; } } }
vertex functor total(v) { apply { n += a[v]; m max= b[v]; } }
vertex functor odd(v) { cond a[v] % 2 == 1; }
vertex functor tenth(v) { cond int32(v) % 10 == 3; }
edge functor step(src, dst, e) { }
edge functor given(src, dst, e) -> int32 { value a[dst] + b[src]; }
edge functor taken(src, dst, e) -> int32 { cond b[dst] > 0; value a[src]; }
"""
COMPUTES = ("one", "two", "three", "first", "around", "total")


def set_of(chosen: random.Random, sets: tuple[str, ...]) -> str:
    return chosen.choice((*sets, "vertices"))


def simple(chosen: random.Random, sets: tuple[str, ...]) -> str:
    """One step."""
    to, array = chosen.choice("wx"), chosen.choice("ab")
    return chosen.choice(
        [
            f"compute({set_of(chosen, sets)}, {chosen.choice(COMPUTES)});",
            f"compute({set_of(chosen, sets)}, {chosen.choice(COMPUTES)});",
            f"compute({set_of(chosen, sets)}, {chosen.choice(COMPUTES)});",
            f"{array} = neighbor_reduce({set_of(chosen, sets)}, {chosen.choice(['given', 'taken'])}, sum);",
            f"{array} = neighbor_reduce({set_of(chosen, sets)}, given, max, over=in_edges);",
            f"fill({array}, {chosen.randrange(9)});",
            "swap(a, b);",
            f"{array}[3] = int32(n % 1000);",
            "n = m + 1;",
            "n = 0;",
            "m = 3;",
            "k = n % 7 + k;",
            f"n += size({chosen.choice(sets)});",
            f"{to} = filter({set_of(chosen, sets)}, odd);",
            f"{to} = advance({chosen.choice(sets)}, step);",
            f"{to} = {chosen.choice(sets)} {chosen.choice('|&-')} {chosen.choice(sets)};",
        ]
    )


def schedule_of(seed: int) -> str:
    chosen = random.Random(seed)
    numbers = iter(range(99))

    def block(depth: int, sets: tuple[str, ...]) -> Iterator[str]:
        for _ in range(chosen.randint(2, 5)):
            kind = chosen.random() if depth > 0 else 1
            number = next(numbers)
            if kind < 0.2:
                yield f"repeat (3) {{ {' '.join(block(depth - 1, sets))} }}"
            elif kind < 0.3:
                yield f"if (n % 2 == 1) {{ {' '.join(block(depth - 1, sets))} }}"
            elif kind < 0.6:
                history, level = f"h{number}", f"g{number}"
                pushes = " ".join(
                    f"{history}.push(filter({set_of(chosen, sets)}, tenth)); {simple(chosen, sets)}"
                    for _ in range(chosen.randint(1, 4))
                )
                body = " ".join(block(depth - 1, (*sets, level, level)))
                order = chosen.choice(["backward", "forward"])
                yield f"history {history}; {pushes} for {level} in {order}({history}) {{ {body} }}"
            else:
                yield simple(chosen, sets)

    return f"frontier w = vertices; frontier x = {{ 1, 2, 3 }}; {' '.join(block(2, ('w', 'x')))}"


MARKED = """program marked;
problem {
    input vertex b : int32; input edge w : float32; vertex c : int32; vertex d : float32 = inf;
    scalar n : int64;
}
edge functor g(src, dst, e) { cond b[src] > 0; apply { accept b[dst] > 0; } }
edge functor given(src, dst, e) -> int32 { value b[dst]; }
edge functor relax(src, dst, e) { apply { accept changed(d[dst] min= d[src] + w[e]); } }
schedule {
    frontier f = vertices; frontier z = { 0 };
    d[0] = 0;
    repeat (3) {
        f = advance(f, g); c = neighbor_reduce(z, given, sum); NEXT
        n += size(f);
    }
}
"""
"""Between two sets that are collected by marks is a reduction of few lists, behind which nobody waits."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "following, words",
    [
        ("f = advance(f, g);", ()),
        ("f = f - z;", ()),
        ("while (f) { f = advance(f, relax); } f = vertices;", ("schedule.order=near_far",)),
    ],
    ids=["walked", "combined", "near to far"],
)
def test_marks_are_out_before_others_come(following: str, words: tuple[str, ...]) -> None:
    shape = dataclasses.replace(SMALL, block_threads=32, hub_degree=40, reduced_hub=60)
    built = build_program(MARKED.replace("NEXT", following), words, shape)
    values = np.random.default_rng(1)
    for seed in range(36):
        graph = random_graph(200, 500, seed=seed % 3)
        given = {"b": values.integers(0, 5, 200), "w": values.integers(0, 9, 500).astype(np.float32)}
        bindings = bind(built.program, graph, given)
        found = built.run(graph, bindings, device_for(seed, blocks=3 + seed % 6, stride=3 * (seed % 7)))
        assert differences(built.program, expect(built.program, graph, bindings), found) == []


UNITED = """program united;
problem { vertex hash : int64 = int64(id); vertex read : int64; }
vertex functor note(v) { apply { hash[v] = hash[v] * 31 + read[v] + 1; } }
vertex functor some(v) { cond int64(v) % 67 == 3; }
vertex functor never(v) { cond hash[v] == 77777777777; }
edge functor noted(src, dst, e) -> int64 { value hash[dst]; }
schedule {
    frontier f = where(some); frontier g = filter(f, never);
    repeat (6) { compute(f, note); f = f | g; read = neighbor_reduce(f, noted, sum); f = f | g; }
}
"""


def test_a_set_that_takes_up_nothing_waits() -> None:
    """What neighbors have written before is there behind it, as the plan counts on a barrier."""
    built = build_program(UNITED, (), SMALL)
    members = range(3, 700, 67)
    graph = make_graph([(one, other) for one in members for other in members], 700)
    bindings = bind(built.program, graph, {})
    for seed in range(6):
        found = built.run(graph, bindings, device_for(seed, blocks=2 + seed % 4, stride=(0, 1, 5)[seed % 3]))
        assert differences(built.program, expect(built.program, graph, bindings), found) == []


QUICK = (0, 1, 5)  # a push, a pull, and the form that is not fused
SEEDS = 8 * int(os.environ.get("GDSL_TEST_EXAMPLES", "1"))


@pytest.mark.parametrize(
    "seed", [seed if seed in QUICK else pytest.param(seed, marks=pytest.mark.slow) for seed in range(SEEDS)]
)
def test_no_step_is_too_early(seed: int) -> None:
    text = f"{HEAD} schedule {{ {schedule_of(seed)} }}"
    words = ["schedule.fuse=off"] if seed % 6 == 5 else []
    words += ["step.direction=pull"] if seed % 4 == 1 and ", step)" in text else []
    built = build_program(text, tuple(words), SMALL)
    for place, graph in enumerate(GRAPHS):
        bindings = bind(built.program, graph, {})
        expected = expect(built.program, graph, bindings)
        found = built.run(graph, bindings, device_for(seed + place, blocks=2 + place))
        assert differences(built.program, expected, found) == [], text


def everything(functor: object, program: Program) -> frozenset[str]:
    return frozenset(array.name for array in program.arrays)


LEVELS = """history h; h.push(x); h.push(filter(vertices, odd));
    for g in forward(h) { compute(g, two); b = neighbor_reduce(g, given, sum); }"""
WRONGLY = {
    "another vertex's elements": (
        functor_facts,
        "own_arrays",
        everything,
        "compute(x, one); fill(b, 1); compute(x, around);",
    ),
    "in one sweep": (fusion, "own_arrays", everything, "compute(x, one); compute(x, around);"),
    "other members": (barriers, "_of_anybody", lambda since, frontier: since, LEVELS),
}


@pytest.mark.parametrize("what", WRONGLY)
def test_a_step_that_is_too_early_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the decision of which thread has an element is wrong, a run shows it, whatever the verifier says."""
    monkeypatch.setattr("gdsl.plan.verifier.verify", lambda plan: None)
    module, name, wrong, steps = WRONGLY[what]
    monkeypatch.setattr(module, name, wrong)
    text = f"{HEAD} schedule {{ frontier x = filter(vertices, odd); {steps} }}"
    built = build_program.__wrapped__(text, ("without=followers",), SMALL)
    bindings = bind(built.program, GRAPHS[0], {})
    with pytest.raises(EmulatorError) as caught:
        for seed in range(20):
            built.run(GRAPHS[0], bindings, device_for(seed, blocks=3))
    assert {finding.kind for finding in caught.value.findings} == {Kind.RACE}


@pytest.mark.parametrize("balance", ["auto", "bins"])
def test_a_spare_barrier_spares_nobody(balance: str) -> None:
    """The barriers that the verifier does not ask for are not needed: the next one does as much."""
    text = f"""{HEAD} schedule {{ repeat (3) {{ b = neighbor_reduce(vertices, given, sum, over=all_edges) @both;
        compute(vertices, around); }} }}"""
    built = build_program.__wrapped__(text, (f"both.balance={balance}",), SMALL)
    fewer = [plan for removed, plan in plans_without_one(built.plan) if removed.reason in SPARE]
    assert fewer
    for plan in fewer:
        generated = generate(plan, NARROW)
        module = EmulatedModule(generated.text, f"{plan.program.name}.cu")
        changed = dataclasses.replace(built, plan=plan, generated=generated, module=module)
        for graph in GRAPHS:
            bindings = bind(built.program, graph, {})
            for seed in range(4):
                found = changed.run(graph, bindings, device_for(seed, blocks=3))
                assert differences(built.program, expect(built.program, graph, bindings), found) == []
