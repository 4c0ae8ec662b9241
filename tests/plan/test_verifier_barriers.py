"""A mistake in the placement of barriers is found by the verifier, which shares no code with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from gdsl.effects.access import Accesses
from gdsl.ir.verifier import VerificationError
from gdsl.plan import barriers, functor_facts, target
from gdsl.plan.end_barriers import without_end_barriers
from gdsl.plan.nodes import Barrier, Launch, MakeGraph
from gdsl.plan.verifier_barriers import missing_barrier

from .planning import fused, plan_of

HEAD = """program p; problem { scalar n : int64; scalar m : int64; vertex a : int32; vertex b : int32;
    vertex c : int32; }
    vertex functor one(v) { apply { a[v] += 1; } }
    vertex functor zeroth(v) { apply { b[v] = a[0]; } }
    vertex functor total(v) { apply { n += a[v]; } }
    edge functor value_of(src, dst, e) -> int32 { value a[dst]; }
    edge functor id_of(src, dst, e) -> int32 { value int32(src); }"""
NAMED_GRAPH = """repeat (2) { graph h; n = 1; m = 0; compute(vertices, v => { a[v] += 1; m += a[v]; }) @first;
    while (n > 0) { on h { n = 0; compute(vertices, v => { if (a[v] % 3 > 0) { n += 1; } }) @second; } } }"""
LEVELS = """frontier w = { 1, 2 }; history h; h.push(w); h.push(w); for g in forward(h) {
    compute(g, one) @first; fill(b, 1); compute(vertices, v => { c[v] = b[0]; }); compute(g, one) @second; }"""

Placement = barriers._Placement
Method = Callable[..., Any]


def ended_by_a_name(original: Method) -> Method:
    return lambda step: isinstance(step, MakeGraph) or original(step)


def without_back_edge(original: Method) -> Method:
    def loop(self: Any, step: Any, since: Any, tested: Any) -> Any:
        body, left = self.steps(step.body, since)
        return dataclasses.replace(step, body=body), since | left

    return loop


def without_conditions(original: Method) -> Method:
    return lambda self, step: frozenset() if hasattr(step, "condition") else original(self, step)


def constant(value: object) -> Callable[[Method], Method]:
    return lambda original: lambda *arguments: value


def same(original: Method) -> Method:
    return lambda first, *others: first


def same_since(original: Method) -> Method:
    return lambda self, since, names: since


MUTANTS = {
    "a name for a graph is a barrier": (barriers, "ends_with_barrier", ended_by_a_name, NAMED_GRAPH),
    "nothing meets": (Placement, "_meeting", constant(""), "fill(a, 1); compute(vertices, zeroth);"),
    "loops have one pass": (Placement, "_loop", without_back_edge, "repeat (3) { zeroth_; one_; }"),
    "conditions read nothing": (Placement, "_touched", without_conditions, "total_; while (n < 9) { total_; }"),
    "swaps change nothing": (
        Placement,
        "_renamed",
        same_since,
        "fill(a, 1); swap(a, b); compute(vertices, v => { c[v] = b[0]; });",
    ),
    "a pass needs no barrier": (barriers, "_meets_a_barrier", constant(True), "repeat (9) { fill(a, 1); }"),
    "members stay": (barriers, "_of_anybody", same, LEVELS),
    "every element is its own thread's": (
        functor_facts,
        "own_arrays",
        lambda original: lambda functor, program: frozenset(array.name for array in program.arrays),
        "one_; fill(b, 1); zeroth_;",
    ),
    "sweeps touch nothing first": (
        barriers,
        "touched_by",
        lambda original: (
            lambda step, does, accesses: dataclasses.replace(original(step, does, accesses), first=frozenset())
        ),
        "one_; zeroth_;",
    ),
}
"""Where the mistake is, how it changes the function, and a schedule that it harms."""


def schedule_of(text: str) -> str:
    for name in ("one", "zeroth", "total"):
        text = text.replace(f"{name}_;", f"compute(vertices, {name});")
    return f"{HEAD} schedule {{ {text} }}"


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_of_the_placement_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    holder, function, mutate, text = MUTANTS[name]
    plan_of(schedule_of(text))
    monkeypatch.setattr(holder, function, mutate(getattr(holder, function)))
    with pytest.raises(VerificationError, match="barrier is missing"):
        plan_of(schedule_of(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("one_; zeroth_;", "a: written by its own thread, read by any thread"),
        ("repeat (2) { fill(a, 1); }", "a pass of a loop without a barrier cannot be stopped"),
        (
            "frontier w = { 1 }; b = neighbor_reduce(w, id_of, sum); c = neighbor_reduce(w, id_of, sum);",
            "the number of edges walked: written by any thread, written by any thread",
        ),
        ("frontier w = { 1 }; b = neighbor_reduce(w, id_of, sum);", "the number of edges walked is not final"),
    ],
)
def test_the_reason_is_stated(text: str, reason: str) -> None:
    plan = plan_of(schedule_of(text))
    accesses = Accesses(plan.program)
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    bare = barriers.without(without_end_barriers(launch))
    assert missing_barrier(bare, accesses) == reason
    assert missing_barrier(launch, accesses) is None


def test_every_plan_without_a_needed_barrier_is_refused() -> None:
    """Each barrier between two steps is needed, as the placement is minimal for a sequence."""
    text = schedule_of("fill(a, 1); zeroth_; one_; total_; n = n + 1; while (n < 9) { total_; n = n + m; }")
    plan = plan_of(text, on=target.CUDA_FUSED)
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    steps = fused(plan)
    places = [place for place, step in enumerate(steps) if isinstance(step, Barrier)]
    assert places
    for place in places:
        fewer = dataclasses.replace(launch, steps=(*steps[:place], *steps[place + 1 :]))
        assert missing_barrier(fewer, Accesses(plan.program)) is not None
