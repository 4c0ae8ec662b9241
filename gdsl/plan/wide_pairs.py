"""Decides which data needs a compare-and-swap of 128 bits: pairs that do not fit a word, updated by several threads."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir.nodes import Array, CompareAndSwap, ElementTarget, Scalar, Update
from gdsl.ir.traversal import walk
from gdsl.plan.nodes import Mode, Plan, Sweep
from gdsl.plan.walking import sweeps, variants_of
from gdsl.types import Widths


def exchanged_pairs(plan: Plan, widths: Widths) -> tuple[Array | Scalar, ...]:
    """The arrays and scalars that it is needed for, in the order of their declarations."""
    data: tuple[Array | Scalar, ...] = (*plan.program.arrays, *plan.program.scalars)
    wide = [each for each in data if each.type.is_pair and widths.of(each.type) > 64]
    if not wide:
        return ()
    updated = {functor.name: _updated(functor.body) for functor in plan.program.edge_functors}
    updated |= {functor.name: _updated(functor.body) for functor in plan.program.vertex_functors}
    names = {name for sweep in sweeps(plan) for name in _exchanged(sweep, updated)}
    return tuple(each for each in wide if each.name in names)


def _exchanged(sweep: Sweep, updated: dict[str, frozenset[str]]) -> Iterator[str]:
    """What a sweep combines with memory that other threads may change."""
    for variant in variants_of(sweep):
        shared = (write.name for write in variant.writes if write.mode is not Mode.PLAIN)
        yield from (name for name in shared if name in updated[variant.functor])
        if variant.claim is not None:
            yield variant.claim.array
    if sweep.segment is not None and any(each.shared is not None for each in sweep.walks):
        yield sweep.segment.array


def _updated(body: object) -> frozenset[str]:
    targets = (node.target for node in walk(body) if isinstance(node, (Update, CompareAndSwap)))
    return frozenset(target.array if isinstance(target, ElementTarget) else target.scalar for target in targets)
