"""What the scalars of reductions begin with: the first store into one needs no step, nor a barrier after it, where the
schedule makes it once and before anything else.

Such a scalar is mentioned only after a store that puts it back, as `reductions` emits both together. So a store that is
the first in the text, and in no block, is made once and before everything that reads or updates the scalar: its value
may as well be the initial one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.ir import nodes
from gdsl.ir.traversal import walk


def with_first_values(
    steps: tuple[nodes.Step, ...], scalars: Iterable[nodes.Scalar], reduced: frozenset[str]
) -> tuple[tuple[nodes.Step, ...], tuple[nodes.Scalar, ...]]:
    """The schedule without these stores, and all `scalars`, of which those called `reduced` are of reductions."""
    stored: set[str] = set()
    begin: dict[str, nodes.Expression] = {}
    left = []
    for step in steps:
        if isinstance(step, nodes.StoreScalar) and step.scalar in reduced and step.scalar not in stored:
            begin[step.scalar] = step.value
        else:
            left.append(step)
        stored.update(each.scalar for each in walk(step) if isinstance(each, nodes.StoreScalar))
    changed = (dataclasses.replace(each, initial=begin[each.name]) if each.name in begin else each for each in scalars)
    return tuple(left), tuple(changed)
