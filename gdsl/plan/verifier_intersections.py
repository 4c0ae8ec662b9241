"""Checks the sweep of an intersection."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.ir.nodes import EdgeFunctor, Intersect, VertexFunctor
from gdsl.operations import Balance, Domain, Over
from gdsl.plan import variants
from gdsl.plan.intersections import TOTAL
from gdsl.plan.nodes import Choice, Dedup, EdgeCount, Form, Operation, Plan

Expect = Callable[[bool, str], None]


def verify_intersection(
    plan: Plan, operation: Operation, functor: VertexFunctor | EdgeFunctor | None, expect: Expect
) -> None:
    """Call `expect(holds, what)` for everything that must hold of an operation whose step is an `Intersect`."""
    step, sweep = operation.step, operation.does
    expect(isinstance(step, Intersect), "an operation without a functor")
    expect(not isinstance(sweep, Choice), "a choice of two intersections")
    assert isinstance(step, Intersect) and not isinstance(sweep, Choice)
    domains = {frontier.name: frontier.domain for frontier in plan.frontiers}
    members, lists, collect = sweep.members, sweep.intersection, sweep.collect
    expect(bool(operation.name) and bool(operation.call), "an operation without a name")
    domain = step.frontier.domain
    expect(members.domain is domain and members.frontier == step.frontier.frontier, "other members")
    expect(members.form is (None if members.frontier is None else Form.QUEUE), "members in another form")
    expect(members.frontier is None or domains.get(members.frontier) is domain, "a frontier of other elements")
    expect(not members.whole, "members by number")
    expect(lists is not None and lists.source is lists.destination is Over.OUT_EDGES, "other lists")
    assert lists is not None and not isinstance(functor, VertexFunctor)
    expect((lists.run is None) == (functor is None), "a functor that nobody runs")
    expect(lists.partners == step.partners, "other partners")
    asks = functor is not None and variants.asks_for_edge(functor)
    expect(lists.edge_ids == asks, "whether ids of edges are asked for")
    together = plan.target.grid and members.frontier is None and step.partners is None
    expect(lists.tables == together, "tables elsewhere than where the members of a source stand together")
    expect(not sweep.contended, "nothing in which threads get into each other's way")
    expect(sweep.own is None and not sweep.walks and sweep.selection is None, "an intersection runs nothing")
    expect(sweep.segment is None and sweep.balance is Balance.AUTO, "an intersection has no segment and no balance")
    expect((collect.frontier if collect is not None else None) == step.result, "another result")
    if collect is not None:
        fits = domains.get(collect.frontier) is collect.domain is Domain.VERTEX
        expect(fits and collect.form is Form.QUEUE, "a result of other elements")
        expect(collect.dedup is Dedup.MARK, f"{collect.dedup.value} against duplicates")
    own = variants.totals_of(functor) if functor is not None else ()
    counted = sweep.totals[len(own) :]
    expect(sweep.totals[: len(own)] == own, "another total of the functor")
    expect([total.scalar for total in counted] == ([] if step.count is None else [step.count]), "another total")
    expect(all(total.reduction == TOTAL for total in counted), "a total of another kind")
    expect(sweep.edges is EdgeCount.WALKED, f"edges {sweep.edges.value}")
