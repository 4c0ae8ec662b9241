"""What a pass takes in the memory of a GPU that has everything: bytes in order, elements at random, both at the same
time."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.clusters.model import accesses
from gdsl.clusters.model.accesses import Access, Amounts, Kind, Where
from gdsl.clusters.model.machine import Gpu
from gdsl.clusters.model.profile import Pass, Profile
from gdsl.operations import Balance
from gdsl.plan.hints import EqualShares
from gdsl.plan.nodes import Plan, Sweep
from gdsl.records import dataclass
from gdsl.types import Type, Widths

_LIST_END = 8
"""Bytes of an offset."""


@dataclass(frozen=True, slots=True)
class Left:
    """What the passes of an operator have not yet come to: edges, and vertices that have any."""

    edges: float
    vertices: float

    def after(self, each: Pass) -> Left:
        """What is left after the pass `each`."""
        edges, vertices = self.edges - each.edges * each.times, self.vertices - each.found * each.times
        return Left(max(edges, 0.0), max(vertices, 0.0))


def looks(profile: Profile, edges: float, left: Left) -> float:
    """The edges that a pull from members with so many `edges` looks at, as a run estimates them when it chooses a
    direction."""
    degree = profile.edges / max(profile.vertices, 1)
    rest = max(left.edges - edges, 0.0)
    return min(rest, rest * rest / max(degree * edges, 1.0))


def amounts_of(sweep: Sweep, plan: Plan, profile: Profile, each: Pass, left: Left) -> Amounts:
    """Members and edges that a sweep goes over. A pull that stops at the first edge looks at some of each list side by
    side. Of the far ends of edges, as many have been found before as of all vertices."""
    members, edges = each.members, each.edges
    if sweep.selection is not None:
        members, edges = float(profile.vertices), looks(profile, each.edges, left)
        if sweep.selection.closes:
            rest = max(left.edges - each.edges, 0.0)
            edges = max(edges, min(rest, plan.sizes.pulled_at_once * left.vertices))
    elif sweep.walks and sweep.walks[0].first_places is not None:
        value = getattr(sweep.walks[0].first_places, "value", None)
        edges = min(edges, (value if isinstance(value, int) else 1) * profile.occupied)
    ends = each.found * profile.occupied / max(left.vertices, 1.0)
    return Amounts(members, edges, each.found, min(edges, ends))


def seconds(
    sweep: Sweep, plan: Plan, profile: Profile, widths: Widths, amounts: Amounts, found: Iterable[Access], gpu: Gpu
) -> float:  # fmt: skip
    """Those of one GPU. Where the edges of what is found are counted, its lists' offsets are read, too."""
    in_order, gathers, stores, changes = 0.0, 0.0, 0.0, 0.0
    vertex = widths.of(Type.VERTEX) // 8
    for _ in sweep.walks:
        whole = sweep.balance is Balance.EDGES and not any(isinstance(each, EqualShares) for each in sweep.hints)
        in_order += amounts.edges * vertex * (2 if whole else 1) / len(sweep.walks) + amounts.members * _LIST_END
    if sweep.intersection is not None:
        in_order += amounts.edges * vertex
    in_order += amounts.members * accesses.entry_bytes(sweep, widths) + amounts.found * vertex
    for each in found:
        if each.where in (Where.OWN, Where.EDGE):
            in_order += each.count * each.bytes
        elif each.kind is Kind.READ:
            gathers += each.count
        elif each.kind is Kind.WRITE:
            stores += each.count
        else:
            changes += each.count
    if sweep.selection is not None:
        gathers += amounts.edges
    elif _counts(sweep, plan):
        gathers += amounts.found
    skewed = profile.skewed
    at_random = gathers / (gpu.cached if skewed else gpu.gathers)
    at_random += stores / (gpu.cached_stores if skewed else gpu.stores)
    at_random += changes / (gpu.cached_atomics if skewed else gpu.atomics)
    return max(in_order / gpu.bandwidth, at_random)


def _counts(sweep: Sweep, plan: Plan) -> bool:
    """Whether the edges of what a sweep finds are counted."""
    collect = sweep.collect
    return collect is not None and any(
        each.name == collect.frontier and each.counts is not None for each in plan.frontiers
    )
