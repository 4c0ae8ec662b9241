"""The time of a run on several GPUs of one host, from the plan for several GPUs and a profile of what a run walks.

Each pass of an operator takes what its own accesses take, divided by the GPUs, or what those of other GPUs' memory
take, whichever is more: both are under way at the same time. Then come what is copied and merged in order over the
link, and its barriers. At the end each GPU puts its own results into the caller's order, if vertices are numbered by
degree; those of small graphs, and of fewer than four bytes for each vertex, the first GPU alone.

What is left out: GPUs that have more to do than others, arrays so small that one GPU has all of them, and what a pass
of a few members takes beside its barriers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.backends.gpus import is_spread
from gdsl.clusters.model import accesses, far
from gdsl.clusters.model.accesses import Access, Amounts, Kind, Where
from gdsl.clusters.model.machine import H200, NVLINK, Gpu, Peers
from gdsl.clusters.model.memory import widths_for
from gdsl.clusters.model.profile import Pass, Profile
from gdsl.operations import Balance
from gdsl.plan.hints import EqualShares
from gdsl.plan.nodes import (
    Barrier,
    Choice,
    Compare,
    Directions,
    Initialize,
    Measure,
    Operation,
    Phase,
    Plan,
    Step,
    Sweep,
    When,
)
from gdsl.plan.walking import blocks_in, operations, own_sweeps, steps_in
from gdsl.records import dataclass
from gdsl.types import Type

_ENDS = -1
"""In place of a site: before the first operator, and after the last."""
_SECTOR, _LIST_END = 32, 8
"""Bytes that one access moves at least, and those of an offset."""


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds. own: what GPUs do in their own memory, or wait for accesses of others' that take longer; far: the part
    of that by which far accesses make it longer. copies: what is copied and merged over the link. results: putting them
    into the caller's order."""

    own: float = 0
    far: float = 0
    copies: float = 0
    barriers: float = 0
    results: float = 0

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.own + self.far + self.copies + self.barriers + self.results

    def plus(self, other: Time) -> Time:
        """Both."""
        return Time(
            self.own + other.own,
            self.far + other.far,
            self.copies + other.copies,
            self.barriers + other.barriers,
            self.results + other.results,
        )


@dataclass(frozen=True, slots=True)
class Host:
    """GPUs of one host."""

    gpu: Gpu = H200
    peers: Peers = NVLINK


def predict(
    plan: Plan, profile: Profile, gpus: int, host: Host | None = None, *, one: float | None = None
) -> dict[int, Time]:
    """By site the time of each operator of `plan` (for several GPUs) on so many; under -1 initial values and results.
    `one`: the measured seconds of one GPU, by which the accesses of its own memory are scaled."""
    host = host or Host()
    scale = 1.0
    if one is not None and profile.passes:
        alone = total(_Run(plan, profile, 1, host, 1.0).times())
        scale = max(one - alone.barriers - alone.results, 0.0) / alone.own
    return _Run(plan, profile, gpus, host, scale).times()


def from_host(
    plan: Plan, profile: Profile, share: float, host: Host | None = None, *, one: float | None = None
) -> Time:
    """The time on one GPU that reads this share of all edge lists from the memory of the host: what each pass walks
    comes over that link while the GPU does all else."""
    host = host or Host()
    run = _Run(plan, profile, 1, host, 1.0)
    times = predict(plan, profile, 1, host, one=one)
    return total({site: _slowed(time, run.lists(site) * share / host.gpu.host) for site, time in times.items()})


def _slowed(time: Time, seconds: float) -> Time:
    return time.plus(Time(copies=max(seconds - time.own, 0.0)))


def total(times: dict[int, Time]) -> Time:
    """The sum over all operators."""
    whole = Time()
    for each in times.values():
        whole = whole.plus(each)
    return whole


class _Run:
    """One run on `gpus`; `scale`: how many times as long as the model says accesses of a GPU's own memory take."""

    def __init__(self, plan: Plan, profile: Profile, gpus: int, host: Host, scale: float) -> None:
        self.plan, self.profile, self.gpus, self.host, self.scale = plan, profile, gpus, host, scale
        self.widths = widths_for(plan, profile.vertices, profile.edges)
        self.share = (gpus - 1) / gpus
        """Of what is at random, what other GPUs have."""
        self.numbered = plan.layout is not None and profile.skewed
        self.barrier_seconds = host.gpu.barrier if gpus == 1 else host.peers.barrier
        self.between = _barriers_between(plan)
        self.after_joining = far.after_joining(plan)

    def times(self) -> dict[int, Time]:
        by_site: dict[int, Time] = {}
        with_barriers = {each.step.site for each in own_sweeps(self.plan)}
        for operation in operations(self.plan):
            unvisited, first, site = float(self.profile.edges), True, operation.step.site
            for each in self.profile.at(site):
                sweep, phases = self._chosen(operation, each, unvisited)
                barriers = self._barriers(phases, site) if site in with_barriers else 0
                time = self._pass(sweep, each, unvisited, barriers)
                by_site[site] = by_site.get(site, Time()).plus(time)
                if first:
                    by_site[site] = by_site[site].plus(Time(copies=self._filled(sweep) / self.host.peers.link))
                unvisited, first = max(unvisited - each.edges * each.times, 0.0), False
        by_site[_ENDS] = Time(own=self._initial() * self.scale / self.gpus, results=self._results())
        return by_site

    def lists(self, site: int) -> float:
        """The bytes of edge lists that an operator reads in all of its passes."""
        operation = next((each for each in operations(self.plan) if each.step.site == site), None)
        size, unvisited = 0.0, float(self.profile.edges)
        if operation is None:
            return size
        for each in self.profile.at(site):
            sweep, _ = self._chosen(operation, each, unvisited)
            amounts = self._amounts(sweep, each, unvisited)
            found = accesses.accesses_of(sweep, self.plan, self.widths, amounts)
            ends = amounts.edges * self.widths.of(Type.VERTEX) // 8 * bool(sweep.walks)
            size += each.times * (ends + sum(one.count * one.bytes for one in found if one.where is Where.EDGE))
            unvisited = max(unvisited - each.edges * each.times, 0.0)
        return size

    # ------------------------------------------------------------ which sweep

    def _chosen(self, operation: Operation, each: Pass, unvisited: float) -> tuple[Sweep, tuple[Phase, ...]]:
        does, first = operation.does, operation.body[0] if operation.body else None
        if not isinstance(does, Choice):
            return self._proposing(does, operation.body, each, unvisited)
        pulls = all(self._holds(test, each, unvisited) for test in does.test.enter)
        if not isinstance(first, Directions):
            return self._proposing(does.yes if pulls else does.no, operation.body, each, unvisited)
        if pulls:
            return does.yes, first.pull
        return self._proposing(does.no, first.push, each, unvisited)

    def _proposing(
        self, sweep: Sweep, body: tuple[Phase, ...], each: Pass, unvisited: float
    ) -> tuple[Sweep, tuple[Phase, ...]]:
        """A sweep without its proposals, if there are too few edges for them."""
        many = sweep.proposals.many if sweep.proposals is not None and self.gpus > 1 else ()
        if many and all(self._holds(test, each, unvisited) for test in many):
            return sweep, body
        phases = (phase for phase in body if not isinstance(phase, Barrier) or phase.when is not When.MANY_EDGES)
        return dataclasses.replace(sweep, proposals=None), tuple(phases)

    def _holds(self, test: Compare, each: Pass, unvisited: float) -> bool:
        values = {
            Measure.SIZE: each.members,
            Measure.EDGES: each.edges,
            Measure.UNVISITED: unvisited,
            Measure.VERTICES: float(self.profile.vertices),
            Measure.LOOKS: self._looks(each.edges, unvisited),
            Measure.THREADS: float(self.gpus * self.host.gpu.threads),
        }
        return test.factor * values[test.left] > values[test.right]

    def _looks(self, edges: float, unvisited: float) -> float:
        """Of a pull: the vertices, and the edges that those look at which have not been visited."""
        degree = self.profile.edges / max(self.profile.vertices, 1)
        rest = max(unvisited - edges, 0.0)
        return self.profile.vertices + min(rest, rest * rest / max(degree * edges, 1.0))

    # ------------------------------------------------------------ one pass

    def _amounts(self, sweep: Sweep, each: Pass, unvisited: float) -> Amounts:
        members, edges = each.members, each.edges
        if sweep.selection is not None:
            members, edges = float(self.profile.vertices), self._looks(each.edges, unvisited) - self.profile.vertices
        elif sweep.walks and sweep.walks[0].first_places is not None:
            edges = min(edges, self._first_places(sweep) * self.profile.occupied)
        return Amounts(members, edges, each.found)

    def _pass(self, sweep: Sweep, each: Pass, unvisited: float, barriers: int) -> Time:
        amounts, host = self._amounts(sweep, each, unvisited), self.host
        found = list(accesses.accesses_of(sweep, self.plan, self.widths, amounts))
        if self.gpus > 1 and each.site in self.after_joining:
            found = [accesses.twice(one) if one.where is Where.LABEL else one for one in found]
        alone = self._own_seconds(sweep, amounts, found) / self.gpus
        own = alone * self.scale
        appends = far.appends(sweep, self.plan, each.found, self.gpus, host.gpu, host.peers)
        waits = barriers * self.barrier_seconds
        waits += far.counters(sweep, each.members, each.found, self.gpus, host.gpu, host.peers)
        if self.gpus == 1:
            return Time(own=own * each.times, barriers=(waits + max(appends - alone, 0.0)) * each.times)
        others = max(far.seconds(found, sweep, self.profile, self.gpus, host.peers), appends)
        if barriers:
            waits += far.latency(found, sweep, self.widths, host.peers)
        copies = self._in_order(sweep, amounts, found) + self._mirrored(sweep) + self._merged(sweep, amounts)
        copies += self._proposed(sweep, amounts) + self._labeled(sweep) + self._published(sweep, amounts)
        pass_far, pass_copies = max(others - own, 0.0), copies / host.peers.link
        return Time(own * each.times, pass_far * each.times, pass_copies * each.times, waits * each.times)

    def _first_places(self, sweep: Sweep) -> int:
        places = sweep.walks[0].first_places
        value = getattr(places, "value", None)
        return int(value) if isinstance(value, int) else 1

    def _own_seconds(self, sweep: Sweep, amounts: Amounts, found: list[Access]) -> float:
        """Of one GPU that has everything: reads in order, at random, and changes, all at the same time."""
        gpu, in_order, gathers, changes = self.host.gpu, 0.0, 0.0, 0.0
        vertex = self.widths.of(Type.VERTEX) // 8
        for _ in sweep.walks:
            whole = sweep.balance is Balance.EDGES and not any(isinstance(each, EqualShares) for each in sweep.hints)
            in_order += amounts.edges * vertex * (2 if whole else 1) / len(sweep.walks) + amounts.members * _LIST_END
        if sweep.intersection is not None:
            in_order += amounts.edges * vertex
        in_order += amounts.members * accesses.entry_bytes(sweep, self.widths) + amounts.found * vertex
        for each in found:
            if each.where in (Where.OWN, Where.EDGE):
                in_order += each.count * each.bytes
            elif each.kind in (Kind.READ, Kind.WRITE):
                gathers += each.count
            else:
                changes += each.count
        if sweep.selection is not None:
            gathers += amounts.edges
        rate, changing = (gpu.cached, gpu.cached_atomics) if self.profile.skewed else (gpu.gathers, gpu.atomics)
        return max(in_order / gpu.bandwidth, gathers / rate + changes / changing)

    def _in_order(self, sweep: Sweep, amounts: Amounts, found: list[Access]) -> float:
        """Bytes that each GPU moves over the link because members are taken in turns: entries of sets, and elements of
        members, as many sectors as these touch."""
        entry, vertex = accesses.entry_bytes(sweep, self.widths), self.widths.of(Type.VERTEX) // 8
        stored = amounts.found * vertex if sweep.collect is not None else 0.0
        entries = amounts.members * entry + stored
        elements = sum(
            self._sectors(each.count, each.bytes) for each in found if each.where is Where.OWN and not each.is_local
        )
        return self.share * (entries + elements) / self.gpus

    def _mirrored(self, sweep: Sweep) -> float:
        if sweep.mirrors is None:
            return 0.0
        widths = {each.name: max(self.widths.of(each.type) // 8, 1) for each in self.plan.program.arrays}
        size = sum(widths[name] for name in sweep.mirrors.arrays) + (1 / 8 if sweep.mirrors.members else 0)
        return self.share * self.profile.vertices * size

    def _merged(self, sweep: Sweep, amounts: Amounts) -> float:
        """Bytes of the others' marks and of their values that are marked, what is stored in the array itself, and, of
        members that may be passed over, the values that others have of them."""
        if sweep.merge is None:
            return 0.0
        width = max(self.widths.of(sweep.merge.reduction.type) // 8, 1)
        others, vertices = self.gpus - 1, self.profile.vertices
        marked = self._sectors(amounts.found, width)
        size = others * (vertices / 8 + marked) + self.share * marked / self.gpus
        if sweep.skips is not None:
            size += others * self._sectors(amounts.members, width) / self.gpus
        return size

    def _proposed(self, sweep: Sweep, amounts: Amounts) -> float:
        """Bytes that each GPU reads of the others' bitmaps, and of proposals for vertices of its own that it has not
        come to itself: at most as many as are found."""
        if sweep.proposals is None:
            return 0.0
        bitmaps = (self.gpus - 1) * self.profile.vertices / 8 / self.gpus
        return bitmaps + self.share * self._sectors(amounts.found, self.widths.of(Type.VERTEX) // 8) / self.gpus

    def _labeled(self, sweep: Sweep) -> float:
        """Bytes of a copy of labels that is filled, and of what other GPUs' copies have for the own vertices; where all
        copies stay, what is stored in those of others comes instead of a fill."""
        if sweep.labels is None:
            return 0.0
        size = self.profile.vertices * self.widths.of(Type.VERTEX) // 8
        return self.share * size + (self.gpus - 1) * size / self.gpus

    def _published(self, sweep: Sweep, amounts: Amounts) -> float:
        """Bytes that each GPU stores in the copies of others, at most: each of its calls changes its element."""
        types = {each.name: each.type for each in self.plan.program.arrays}
        size = sum(max(self.widths.of(types[name]) // 8, 1) for name in sweep.published)
        return (self.gpus - 1) * amounts.members * size / self.gpus

    def _filled(self, sweep: Sweep) -> float:
        """Bytes of the copy that is merged, which is filled before the first pass."""
        if sweep.merge is None:
            return 0.0
        return self.share * self.profile.vertices * max(self.widths.of(sweep.merge.reduction.type) // 8, 1)

    def _sectors(self, count: float, width: int) -> float:
        """The bytes of the sectors in which `count` elements of an array of vertices are."""
        vertices = max(self.profile.vertices, 1)
        in_one = _SECTOR / width
        touched: float = 1 - (1 - min(count / vertices, 1.0)) ** in_one
        return max(count / vertices, 1.0) * vertices / in_one * touched * _SECTOR

    # ------------------------------------------------------------ waiting, results

    def _barriers(self, phases: tuple[Phase, ...], site: int) -> int:
        return self.between.get(site, 0) + sum(self._waits(each) for each in phases)

    def _waits(self, phase: Phase) -> bool:
        always = isinstance(phase, Barrier) and phase.when in (When.ALWAYS, When.MANY_EDGES)
        return always or (isinstance(phase, Barrier) and phase.when is When.LONG_LISTS and self.profile.skewed)

    def _initial(self) -> float:
        """Storing initial values."""
        stored = [step.vertex_arrays for step in steps_in(self.plan.schedule) if isinstance(step, Initialize)]
        names = {each.name for arrays in stored for each in arrays}
        size = sum(max(self.widths.of(each.type) // 8, 1) for each in self.plan.program.arrays if each.name in names)
        return size * self.profile.vertices / self.host.gpu.bandwidth

    def _results(self) -> float:
        """Each GPU reads its own part of a result and stores it in the other order, where all GPUs have parts; else the
        first GPU does it alone, with the others' parts over the link. Ids of chunks count as shuffled."""
        layout = self.plan.layout
        if layout is None or not self.numbered:
            return 0.0
        widths = {each.name: max(self.widths.of(each.type) // 8, 1) for each in self.plan.program.arrays}
        vertices, ids, seconds = self.profile.vertices, self.widths.of(Type.VERTEX) // 8, 0.0
        for name in layout.arrays:
            if name not in widths:
                continue
            moved = vertices * (2 * widths[name] + ids * (1 + (name in layout.ids))) / self.host.gpu.bandwidth
            if is_spread(4 * vertices, self.gpus) and widths[name] % 4 == 0:
                seconds += moved / self.gpus
            else:
                seconds += moved + self.share * vertices * widths[name] / self.host.peers.engines
        return seconds


def _barriers_between(plan: Plan) -> dict[int, int]:
    """How many barriers of their own follow each operator in its block; those before the first one count for it."""
    counts: dict[int, int] = {}
    for block in blocks_in(plan.schedule):
        sites = [step.step.site for step in block if isinstance(step, Operation)]
        for site in _sites_of_barriers(block, sites):
            counts[site] = counts.get(site, 0) + 1
    return counts


def _sites_of_barriers(block: tuple[Step, ...], sites: list[int]) -> Iterator[int]:
    last = sites[0] if sites else None
    for step in block:
        if isinstance(step, Operation):
            last = step.step.site
        elif isinstance(step, Barrier) and last is not None:
            yield last
