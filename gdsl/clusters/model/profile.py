"""What a run walked: how many members and edges each operator had in each pass. From the trace of a run, also of one on
a smaller graph of the same kind, since shares of all vertices and edges change little with the size of a graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.clusters.model import solo
from gdsl.clusters.model.machine import H200
from gdsl.plan.graph_class import GENERAL, REVISITED, GraphClass
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.walking import operations
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Pass:
    """An operator ran `times` times on so many members with so many edges, and its result had `found` members. alone:
    whether the first of several GPUs would run it alone; None if no trace says so."""

    site: int
    members: float
    edges: float
    found: float = 0
    times: float = 1
    alone: bool | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """Of a run on a graph with so many vertices and stored edges. occupied: the vertices that have edges. skewed:
    whether few vertices have most edges, and long lists. scatter: the share of edges that lead to another sector of 32
    bytes, in an array of 4 bytes for each vertex, than the edge before them in their list."""

    vertices: int
    edges: int
    passes: tuple[Pass, ...]
    occupied: int
    skewed: bool = True
    scatter: float = 1.0

    def scaled(self, vertices: int, edges: int, occupied: float | None = None) -> Profile:
        """The profile of a graph of another size with the same shares of members and edges. `occupied`: the share of
        vertices that have edges, if another one."""
        of_vertices, of_edges = vertices / self.vertices, edges / self.edges
        passes = (
            Pass(each.site, each.members * of_vertices, each.edges * of_edges, each.found * of_vertices, each.times)
            for each in self.passes
        )
        share = self.occupied / self.vertices if occupied is None else occupied
        return Profile(vertices, edges, tuple(passes), int(vertices * share), self.skewed, self.scatter)

    def at(self, site: int) -> Iterator[Pass]:
        """The passes of one operator."""
        return (each for each in self.passes if each.site == site)


def of_trace(
    plan: Plan, vertices: int, edges: int, records: Iterable[tuple[int, int, int]], occupied: int | None = None
) -> Profile:
    """The profile of a run of the plan's program, of whose operators `records` has site, members and edges, in order.
    What an operator found is what the next operator on that set ran on."""
    by_site = {each.step.site: each.step for each in operations(plan)}
    waiting: dict[str, int] = {}
    passes: list[Pass] = []
    records = list(records)
    alone = solo.passes(plan, vertices, edges, records, H200.threads)
    for (site, members, walked), is_alone in zip(records, alone, strict=True):
        step = by_site.get(site)
        if step is None:
            continue
        of = step.frontier.frontier
        if of in waiting:
            place = waiting.pop(of)
            passes[place] = dataclasses.replace(passes[place], found=members)
        if step.result is not None:
            waiting[step.result] = len(passes)
        passes.append(Pass(site, members, walked, alone=is_alone))
    return Profile(vertices, edges, tuple(_together(passes)), vertices if occupied is None else occupied)


def class_of(plan: Plan, profile: Profile) -> GraphClass:
    """The class of graphs of whose plan such a run is: a loop in the order as given that would visit too many edges
    begins again from near to far."""
    for operation in operations(plan):
        sweep = operation.does
        most = sweep.skips.most_visits if isinstance(sweep, Sweep) and sweep.skips is not None else None
        visited = sum(each.edges * each.times for each in profile.at(operation.step.site))
        if most is not None and visited > most * profile.edges:
            return REVISITED
    return GENERAL


def _together(passes: list[Pass]) -> Iterator[Pass]:
    """One for all passes of an operator with about as many members and edges, so that thousands of small ones are
    short."""
    alike: dict[tuple[int, int, int, bool | None], list[Pass]] = {}
    for each in passes:
        key = each.site, int(each.members).bit_length(), int(each.edges).bit_length(), each.alone
        alike.setdefault(key, []).append(each)
    for (site, _, _, alone), group in alike.items():
        count = len(group)
        members, edges, found = (
            sum(getattr(each, name) for each in group) / count for name in ("members", "edges", "found")
        )
        yield Pass(site, members, edges, found, count, alone)


def of_one_pass(plan: Plan, vertices: int, edges: int) -> Profile:
    """Every operator once, on all vertices and edges."""
    passes = (_whole(each, vertices, edges) for each in operations(plan))
    return Profile(vertices, edges, tuple(passes), vertices)


def _whole(operation: Operation, vertices: int, edges: int) -> Pass:
    step = operation.step
    walks = getattr(step, "over", None) is not None
    return Pass(step.site, vertices, edges if walks else 0, vertices if step.result is not None else 0)
