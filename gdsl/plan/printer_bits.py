"""How instances run together, as text."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir.printer import print_expression
from gdsl.plan.instance_nodes import BitParallel, BitWalk
from gdsl.plan.nodes import Plan
from gdsl.plan.target import INSTANCES
from gdsl.plan.walking import operations


def print_bits(plan: Plan, bits: BitParallel) -> list[str]:
    """A line for each test that has a bit, and for each advance."""
    functors = {each.name: each for each in plan.program.vertex_functors}
    lines = [f"up to {INSTANCES * plan.sizes.instance_words} instances together, a bit for each in:"]
    for number, test in enumerate(bits.tests):
        (condition,) = functors[test.functor].condition
        lines.append(f"    test {number}: {print_expression(condition)}")
    by_site = {each.step.site: each for each in operations(plan)}
    lines += [f"    {by_site[each.site].name}: {', '.join(_words(each, bits))}" for each in bits.walks]
    return lines + [f"    the same in all: {', '.join(bits.shared_params)}"] * bool(bits.shared_params)


def _words(walk: BitWalk, bits: BitParallel) -> Iterator[str]:
    yield "members"
    yield from (f"test {number} of the near end" for number in walk.near)
    yield from (f"test {number} of the far end" for number in walk.far)
    if walk.shared.tests:
        yield f"{len(walk.shared.tests)} conjuncts for all"
    if walk.closes is not None:
        yield f"closes test {walk.closes}"
    yield from (f"renews test {each.test} at {each.end.value}" for each in bits.renewed(walk.site))
    if walk.may_pull:
        yield "pushes or pulls"
