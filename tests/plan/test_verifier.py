"""The verifier sees a wrong value in every field that a decision sets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pytest

from gdsl.ir.nodes import Node
from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.nodes import Plan
from gdsl.plan.orders import orders
from gdsl.plan.verifier import verify

from .planning import ROOT, plan_of

FREE = {
    # What people read, and what any value of is right.
    ("Barrier", "reason"),
    ("Launch", "name"),
    ("Launch", "comment"),
    ("Operation", "name"),
    ("Operation", "call"),
    ("Compare", "left"),
    ("Compare", "right"),
    ("Compare", "strict"),
    ("Compare", "factor"),
    ("Switch", "enter"),
    ("Switch", "stay"),
    ("Frontier", "counts"),
}


def others(value: Any) -> Iterator[Any]:
    """Other values of the same kind."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, Enum):
        yield from (each for each in type(value) if each is not value)
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}_other"
    elif isinstance(value, tuple) and value:
        yield value[:-1]
        yield (*value, value[0])


def changed(part: Any, wrap: Callable[[Any], Any]) -> Iterator[tuple[str, str, Plan]]:
    """Every plan with one field of one plan node of `part` changed; `wrap` puts a changed `part` into its place."""
    if isinstance(part, tuple):
        for i, item in enumerate(part):
            yield from changed(item, lambda new, i=i: wrap((*part[:i], new, *part[i + 1 :])))
        return
    if not dataclasses.is_dataclass(part) or isinstance(part, (Node, type)):
        return
    kind = type(part).__name__
    if kind in ("Target", "Sizes", "Struct", "Buffer") or type(part).__module__.endswith("extents"):
        return
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, (Node, type(None))):
            continue
        for other in others(value):
            yield kind, field.name, wrap(dataclasses.replace(part, **{field.name: other}))
        yield from changed(value, lambda new, name=field.name: wrap(dataclasses.replace(part, **{name: new})))


def seen(plan: Plan) -> bool:
    try:
        verify(plan)
    except (VerificationError, KeyError, IndexError, StopIteration):
        return True
    return False


SETS = """program p;
problem { param source : vertex; vertex level : int32 = -1; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule {
    level[source] = 0;
    frontier f = { source };
    frontier seen = f;
    frontier rest = vertices - f;
    while (f) { f = advance(f, visit); seen = seen | f; rest = f - rest; f = rest & f; }
}"""
PROGRAMS = ("back_edges", "edge_sets", "search_levels")
TEXTS = {"sets": SETS, **{name: (ROOT / "tests" / "programs" / f"{name}.gdsl").read_text() for name in PROGRAMS}}


@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU], ids=["fused", "unfused", "cpu"])
@pytest.mark.parametrize(
    "name", ["bfs", "connected_components", "pagerank", "back_edges", "sets", "edge_sets", "search_levels"]
)
def test_every_field_is_looked_at(name: str, on: target.Target) -> None:
    plan = plan_of(TEXTS.get(name, name), on=on)
    verify(plan)
    unseen = {(kind, field) for kind, field, wrong in changed(plan, lambda new: new) if not seen(wrong)}
    assert unseen <= FREE, sorted(unseen - FREE)


def test_every_field_of_an_order_is_looked_at() -> None:
    plan = plan_of("sssp", "schedule.order=near_far")
    verify(plan)
    assert orders(plan)
    unseen = {(kind, field) for kind, field, wrong in changed(plan, lambda new: new) if not seen(wrong)}
    assert unseen <= FREE, sorted(unseen - FREE)


@pytest.mark.parametrize("name", ["bfs", "back_edges"])
def test_a_buffer_too_few_is_seen(name: str) -> None:
    plan = plan_of(TEXTS.get(name, name))
    for place, buffer in enumerate(plan.buffers):
        fewer = dataclasses.replace(plan, buffers=(*plan.buffers[:place], *plan.buffers[place + 1 :]))
        assert seen(fewer), buffer.name
        renamed = dataclasses.replace(buffer, name=f"{buffer.name}_other")
        if buffer.group == "problem":
            other = dataclasses.replace(plan, buffers=(*plan.buffers[:place], renamed, *plan.buffers[place + 1 :]))
            assert seen(other), buffer.name


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "programs").glob("*.gdsl")), ids=lambda path: path.stem)
def test_plans_of_all_programs_hold_together(path: Any) -> None:
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU):
        verify(plan_of(path.read_text(), on=on))
