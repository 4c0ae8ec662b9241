"""Plans without some of their hints."""

from __future__ import annotations

import dataclasses

from gdsl.plan.hints import Hint
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import map_sweeps, sweeps


def kinds_of(plan: Plan) -> tuple[type[Hint], ...]:
    """The kinds of hints that a plan has, by name."""
    return tuple(sorted({type(hint) for sweep in sweeps(plan) for hint in sweep.hints}, key=lambda kind: kind.__name__))


def without_hints(plan: Plan, *kinds: type[Hint]) -> Plan:
    """The same plan without hints of these kinds."""

    def stripped(_: object, sweep):  # type: ignore[no-untyped-def]
        kept = tuple(hint for hint in sweep.hints if not isinstance(hint, kinds))
        return dataclasses.replace(sweep, hints=kept)

    return map_sweeps(plan, stripped)
