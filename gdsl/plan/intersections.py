"""How common neighbors are found: both ends' out-lists of every edge or pair, the shorter one looked up in the longer.

Where the edges of a source are adjacent, a grid's block makes its list a table, if it has many neighbors.

What is found is marked, since many edges may share a neighbor; each thread sums up its own total. A functor is run
where a neighbor is found; nothing that it writes is its alone.
"""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, Elements, Intersect
from gdsl.operations import Balance, Domain, Over, ReduceOperation
from gdsl.plan import variants
from gdsl.plan.nodes import Collect, Dedup, EdgeCount, Form, Intersection, Members, Operation, Reduction, Sweep, Total
from gdsl.types import Type

TOTAL = Reduction(ReduceOperation.ADD, Type.INT64)


def plan_intersection(step: Intersect, functor: EdgeFunctor | None) -> Operation:
    """The plan of an `intersect`, with the functor that it runs."""
    name = "intersect" if step.label == step.word else f"intersect_{step.label}"
    return Operation(step, name, _call(step), _sweep(step, functor))


def lists_of(functor: EdgeFunctor | None, partners: str | None) -> Intersection:
    """What is walked, and what is done on the way."""
    run = variants.plain(functor) if functor is not None else None
    asks = functor is not None and variants.uses_edge_id(functor)
    return Intersection(Over.OUT_EDGES, Over.OUT_EDGES, run, asks, partners)


def has_tables(step: Intersect, grid: bool) -> bool:
    """Whether a block finds edges of one source together, whose list it can hold as a table: all edges are so
    ordered, a frontier of them may not be."""
    return grid and step.partners is None and step.frontier.everything


def _sweep(step: Intersect, functor: EdgeFunctor | None) -> Sweep:
    collect = Collect(step.result, Domain.VERTEX, Form.QUEUE, Dedup.MARK) if step.result is not None else None
    return Sweep(
        members=_members(step.frontier),
        own=None,
        walks=(),
        selection=None,
        collect=collect,
        totals=(
            *(variants.totals_of(functor) if functor is not None else ()),
            *((Total(step.count, TOTAL),) if step.count is not None else ()),
        ),
        segment=None,
        balance=Balance.AUTO,
        edges=EdgeCount.WALKED,
        intersection=lists_of(functor, step.partners),
    )


def _members(source: Elements) -> Members:
    return Members(source.domain, source.frontier, None if source.everything else Form.QUEUE)


def _call(step: Intersect) -> str:
    members = step.frontier.frontier or ("edges" if step.partners is None else "vertices")
    members += f", {step.partners}" if step.partners is not None else ""
    members += f", {step.functor}" if step.functor is not None else ""
    if step.result is None:
        return f"{step.count} += intersect({members})" if step.count is not None else f"intersect({members})"
    count = f", count={step.count}" if step.count is not None else ""
    return f"{step.result} = intersect({members}{count})"
