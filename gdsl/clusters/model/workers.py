"""The time of a run on workers that each have a part of the graph, from the exchanges of the plan for several workers.

Workers compute their shares of each pass, send what has changed to all others, and meet at each exchange, which takes
as many rounds of messages as the number of workers can be doubled. What a worker sends of an array is each changed
element with its id, or the whole array, whichever is less; values that several may have changed are sent twice, to be
combined and to be told. Waiting for the slowest worker is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from gdsl.clusters.model import gpus
from gdsl.clusters.model.gpus import Host
from gdsl.clusters.model.machine import INFINIBAND, Network
from gdsl.clusters.model.memory import widths_for
from gdsl.clusters.model.profile import Pass, Profile
from gdsl.operations import Domain
from gdsl.plan.exchange_nodes import Exchange, Exchanged, How, Reach
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.walking import blocks_in
from gdsl.records import dataclass
from gdsl.types import Type, Widths


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds. computing: each worker's share; sending: what it has changed, to all others; meeting: the latency of
    exchanges. `sent`: the bytes that one worker sends."""

    computing: float
    sending: float
    meeting: float
    sent: float

    @property
    def seconds(self) -> float:
        """The sum of all parts, in seconds."""
        return self.computing + self.sending + self.meeting


def predict(
    plan: Plan,
    of_gpus: Plan,
    profile: Profile,
    workers: int,
    network: Network = INFINIBAND,
    *,
    one: float | None = None,
    grid: bool = False,
) -> Time:
    """The time of a run on so many workers with a GPU each. `plan`: for several workers, with the exchanges; `of_gpus`:
    for GPUs, by which a worker computes. `one`: the measured seconds of one GPU. `grid`: exchanges go along rows and
    columns of workers alone, which is not built."""
    alone = one if one is not None else gpus.total(gpus.predict(of_gpus, profile, 1, Host())).seconds
    widths = widths_for(plan, profile.vertices, profile.edges)
    partners = math.sqrt(workers) if grid else float(workers)
    sent = meetings = 0.0
    for exchange, each in _met(plan, profile):
        sent += each.times * sum(_bytes(data, plan, profile, each, widths) for data in exchange.data)
        if exchange.frontier is not None:
            sent += each.times * each.found * _id_bytes(exchange.frontier, plan, widths)
        meetings += each.times
    sent *= (partners - 1) / partners * (2 / partners if grid else 1)
    rounds = math.ceil(math.log2(partners)) * (2 if grid else 1) if workers > 1 else 0
    return Time(alone / workers, sent / network.bandwidth, meetings * rounds * network.latency, sent)


def _met(plan: Plan, profile: Profile) -> Iterator[tuple[Exchange, Pass]]:
    """Each exchange that follows an operator, with the passes of that."""
    for block in blocks_in(plan.schedule):
        for step, after in pairwise(block):
            if isinstance(step, Operation) and isinstance(after, Exchange):
                yield from ((after, each) for each in profile.at(step.step.site))


def _bytes(data: Exchanged, plan: Plan, profile: Profile, each: Pass, widths: Widths) -> float:
    if data.scalar:
        return 8.0
    array = plan.program.array(data.name)
    width, key = max(widths.of(array.type) // 8, 1), widths.vertex // 8
    elements = profile.vertices if array.domain is Domain.VERTEX else profile.edges
    changed = each.members if data.reach is Reach.OWN else each.found or elements
    changed = min(changed, elements)
    times = 2 if data.how is How.MERGE else 1
    return times * min(changed * (width + key), elements * width)


def _id_bytes(frontier: str, plan: Plan, widths: Widths) -> int:
    domain = next(each.domain for each in plan.frontiers if each.name == frontier)
    return widths.of(Type.VERTEX if domain is Domain.VERTEX else Type.EDGE) // 8
