"""The time of a run on several GPUs of one host, from the plan for several GPUs and a profile of what a run walks.

Each pass of an operator takes what its own accesses take, divided by the GPUs, or what those of other GPUs' memory
take, whichever is more: both are under way at the same time. Then come what is copied and merged in order over the
link, and its barriers. At the end each GPU puts its own results into the caller's order, if vertices are numbered by
degree; those of small graphs, and of fewer than four bytes for each vertex, the first GPU alone.

Small passes of a loop are the first GPU's alone (`solo`), as on one GPU but for elements that others have.

What is left out: GPUs that have more to do than others, arrays so small that one GPU has all of them, and what a pass
of a few members waits for in a GPU's own memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise

from gdsl.backends.cuda.observed_gpus import ObservedGpus
from gdsl.backends.gpus import is_spread
from gdsl.clusters.model import accesses, conversions, far, own, solo
from gdsl.clusters.model.accesses import Access, Amounts, Where
from gdsl.clusters.model.copies import Copies
from gdsl.clusters.model.machine import H200, NVLINK, Gpu, Peers
from gdsl.clusters.model.memory import widths_for
from gdsl.clusters.model.own import Left
from gdsl.clusters.model.profile import Pass, Profile
from gdsl.plan import nodes
from gdsl.plan.walking import blocks_in, operations, own_sweeps, steps_in
from gdsl.records import dataclass
from gdsl.types import Type

_ENDS = -1
"""In place of a site: before the first operator, and after the last."""


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds. own: what GPUs do in their own memory, or wait for accesses of others' that take longer; far: the part
    of that by which far accesses make it longer. copies: what is copied and merged over the link. results: putting them
    into the caller's order. launch: starting kernels, and waiting for their end."""

    own: float = 0
    far: float = 0
    copies: float = 0
    barriers: float = 0
    results: float = 0
    launch: float = 0

    @property
    def seconds(self) -> float:
        """The sum of all parts, in seconds."""
        return self.own + self.far + self.copies + self.barriers + self.results + self.launch

    def plus(self, other: Time) -> Time:
        """The sum with `other`, part by part."""
        return Time(
            self.own + other.own,
            self.far + other.far,
            self.copies + other.copies,
            self.barriers + other.barriers,
            self.results + other.results,
            self.launch + other.launch,
        )


@dataclass(frozen=True, slots=True)
class Host:
    """GPUs of one host."""

    gpu: Gpu = H200
    peers: Peers = NVLINK


def predict(
    plan: nodes.Plan, profile: Profile, gpus: int, host: Host | None = None, *, one: float | None = None
) -> dict[int, Time]:
    """By site the time of each operator of `plan` (for several GPUs) on so many; under -1 initial values and results.
    `one`: the measured seconds of one GPU, by which the accesses of its own memory are scaled."""
    host = host or Host()
    scale = 1.0
    if one is not None and profile.passes:
        run = _Run(plan, profile, 1, host, 1.0)
        alone, initial = total(run.times()), run.initial()
        scale = max(one - alone.barriers - alone.results - alone.launch - initial, 0.0) / (alone.own - initial)
    return _Run(plan, profile, gpus, host, scale).times()


def from_host(
    plan: nodes.Plan, profile: Profile, share: float, host: Host | None = None, *, one: float | None = None
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


def is_left_to_one(several: Time, one: float, profile: Profile) -> bool:
    """Whether runs after one that takes so long on several GPUs are left to the first, which needs `one` seconds."""
    observed = ObservedGpus()
    observed.note_together(several.seconds * 1e3, round(sum(each.times for each in profile.passes)))
    if observed.is_alone:
        observed.note_alone(one * 1e3)
    return observed.is_alone


class _Run:
    """One run on `gpus`; `scale`: how many times as long as the model says accesses of a GPU's own memory take."""

    def __init__(self, plan: nodes.Plan, profile: Profile, gpus: int, host: Host, scale: float) -> None:
        self.plan, self.profile, self.gpus, self.host, self.scale = plan, profile, gpus, host, scale
        self.widths = widths_for(plan, profile.vertices, profile.edges)
        self.share = (gpus - 1) / gpus
        """Of what is at random, what other GPUs have."""
        self.numbered = plan.layout is not None and profile.skewed
        self.barrier_seconds = host.gpu.barrier if gpus == 1 else host.peers.barrier
        self.between = _barriers_between(plan)
        self.after_joining = far.after_joining(plan)
        self.solo = solo.loops(plan)
        self.copies = Copies(plan, profile, gpus, self.widths)

    def times(self) -> dict[int, Time]:
        by_site: dict[int, Time] = {}
        with_barriers = {each.step.site for each in own_sweeps(self.plan)}
        for operation in operations(self.plan):
            left, first, site = self._all(), True, operation.step.site
            forms = (
                frozenset((nodes.Form.QUEUE,)) if isinstance(operation.does, nodes.Choice) else frozenset(nodes.Form)
            )
            for each in self.profile.at(site):
                sweep, phases = self._chosen(operation, each, left)
                barriers = self._barriers(phases, site) if site in with_barriers else 0
                time = self._pass(sweep, each, left, barriers)
                time, forms = time.plus(self._converted(forms, sweep, each)), conversions.after(operation, sweep)
                by_site[site] = by_site.get(site, Time()).plus(time)
                if first:
                    by_site[site] = by_site[site].plus(Time(copies=self.copies.filled(sweep) / self.host.peers.link))
                left, first = left.after(each), False
        waits = (self._first_barriers() + self._changes()) * self.barrier_seconds
        by_site[_ENDS] = Time(self.initial() / self.gpus, 0, 0, waits, self._results(), self._launch())
        return by_site

    def lists(self, site: int) -> float:
        """The bytes of edge lists that an operator reads in all of its passes."""
        operation = next((each for each in operations(self.plan) if each.step.site == site), None)
        size, left = 0.0, self._all()
        if operation is None:
            return size
        for each in self.profile.at(site):
            sweep, _ = self._chosen(operation, each, left)
            amounts = own.amounts_of(sweep, self.plan, self.profile, each, left)
            found = accesses.accesses_of(sweep, self.plan, self.widths, amounts)
            ends = amounts.edges * self.widths.of(Type.VERTEX) // 8 * bool(sweep.walks)
            size += each.times * (ends + sum(one.count * one.bytes for one in found if one.where is Where.EDGE))
            left = left.after(each)
        return size

    def _all(self) -> Left:
        return Left(float(self.profile.edges), float(self.profile.occupied))

    # ------------------------------------------------------------ which sweep

    def _chosen(
        self, operation: nodes.Operation, each: Pass, left: Left
    ) -> tuple[nodes.Sweep, tuple[nodes.Phase, ...]]:
        does, first = operation.does, operation.body[0] if operation.body else None
        if not isinstance(does, nodes.Choice):
            return self._proposing(does, operation.body, each, left)
        pulls = all(self._holds(test, each, left) for test in does.test.enter)
        if not isinstance(first, nodes.Directions):
            return self._proposing(does.yes if pulls else does.no, operation.body, each, left)
        if pulls:
            return does.yes, first.pull
        return self._proposing(does.no, first.push, each, left)

    def _proposing(
        self, sweep: nodes.Sweep, body: tuple[nodes.Phase, ...], each: Pass, left: Left
    ) -> tuple[nodes.Sweep, tuple[nodes.Phase, ...]]:
        """A sweep without its proposals, if there are too few edges for them."""
        many = sweep.proposals.many if sweep.proposals is not None and self.gpus > 1 else ()
        if many and all(self._holds(test, each, left) for test in many):
            return sweep, body
        phases = (
            phase for phase in body if not isinstance(phase, nodes.Barrier) or phase.when is not nodes.When.MANY_EDGES
        )
        return dataclasses.replace(sweep, proposals=None), tuple(phases)

    def _holds(self, test: nodes.Compare, each: Pass, left: Left) -> bool:
        values = {
            nodes.Measure.SIZE: each.members,
            nodes.Measure.EDGES: each.edges,
            nodes.Measure.UNVISITED: max(left.edges - each.edges, 0.0),
            nodes.Measure.VERTICES: float(self.profile.vertices),
            nodes.Measure.LOOKS: self.profile.vertices + own.looks(self.profile, each.edges, left),
            nodes.Measure.THREADS: float(self.gpus * self.host.gpu.threads),
        }
        return test.factor * values[test.left] > values[test.right]

    # ------------------------------------------------------------ one pass

    def _pass(self, sweep: nodes.Sweep, each: Pass, left: Left, barriers: int) -> Time:
        amounts, host = own.amounts_of(sweep, self.plan, self.profile, each, left), self.host
        found = list(accesses.accesses_of(sweep, self.plan, self.widths, amounts))
        if self._is_alone(each):
            return self._pass_alone(sweep, each, amounts, found, barriers)
        if self.gpus > 1 and each.site in self.after_joining:
            found = [accesses.twice(one) if one.where is Where.LABEL else one for one in found]
        alone = self._own(sweep, amounts, found) / self.gpus + self._packing(sweep)
        near = alone * self.scale
        appends = far.appends(sweep, self.plan, each.found, self.gpus, host.gpu, host.peers)
        waits = barriers * self.barrier_seconds
        waits += far.counters(sweep, self.plan, each.members, each.found, self.gpus, host.gpu, host.peers)
        if self.gpus == 1:
            return Time(own=near * each.times, barriers=(waits + max(appends - alone, 0.0)) * each.times)
        others = max(far.seconds(found, sweep, self.profile, self.gpus, host.peers), appends)
        if barriers:
            waits += far.latency(found, sweep, self.widths, host.peers)
        pass_far = max(others - near, 0.0)
        pass_copies = self.copies.of_pass(sweep, amounts, found) / host.peers.link
        return Time(near * each.times, pass_far * each.times, pass_copies * each.times, waits * each.times)

    def _converted(self, forms: frozenset[nodes.Form], sweep: nodes.Sweep, each: Pass) -> Time:
        """Giving the members of a sweep the form that it needs, while nothing else is done."""
        found = conversions.needed(forms, sweep, each, self.profile, self.numbered)
        if found is None:
            return Time()
        gpus = 1 if self._is_alone(each) else self.gpus
        gpu, peers, skewed = self.host.gpu, self.host.peers, self.profile.skewed
        near = conversions.own_seconds(found, gpu, skewed) / gpus
        others = conversions.far_seconds(found, gpus, peers, skewed)
        waits = near + found.barriers * (gpu.barrier if gpus == 1 else peers.barrier)
        return Time(far=max(others - near, 0.0), barriers=waits + found.adds * far.counter(gpus, gpu, peers))

    def _is_alone(self, each: Pass) -> bool:
        """Whether the first of several GPUs runs it alone."""
        loop = self.solo.get(each.site)
        if loop is None or self.gpus == 1:
            return False
        mean = self.profile.edges / max(self.profile.vertices, 1)
        most = solo.most_edges(self.plan, self.host.gpu.threads)
        small = solo.edges_of(loop, each.members, each.edges, mean) <= most
        return small if each.alone is None else each.alone

    def _pass_alone(self, sweep: nodes.Sweep, each: Pass, amounts: Amounts, found: list[Access], barriers: int) -> Time:
        """As on one GPU, but for elements that others have."""
        gpu, peers = self.host.gpu, self.host.peers
        near = self._own(sweep, amounts, found) * self.scale
        others = far.seconds(found, sweep, self.profile, self.gpus, peers, alone=True)
        waits = barriers * gpu.barrier
        waits += far.counters(sweep, self.plan, each.members, each.found, 1, gpu, peers)
        if barriers:
            rounds = far.rounds(each.members, each.edges, self.plan, gpu.threads)
            waits += far.latency(found, sweep, self.widths, peers, alone=True, rounds=rounds)
        copies = self.copies.of_pass_alone(sweep, found) / peers.link
        appends = far.appends(sweep, self.plan, each.found, 1, gpu, peers)
        longer = max(others, appends, near) - near
        return Time(near * each.times, longer * each.times, copies * each.times, waits * each.times)

    def _own(self, sweep: nodes.Sweep, amounts: Amounts, found: list[Access]) -> float:
        return own.seconds(sweep, self.plan, self.profile, self.widths, amounts, found, self.host.gpu)

    def _packing(self, sweep: nodes.Sweep) -> float:
        """Each of several GPUs reads all labels three times: when it follows them, mostly to one root, which its
        caches have, when it packs them, and when it takes those of the others."""
        if self.gpus == 1 or sweep.labels is None or sweep.labels.packed is None:
            return 0.0
        return 3 * self.profile.vertices * self.widths.of(Type.VERTEX) // 8 / self.host.gpu.bandwidth

    # ------------------------------------------------------------ waiting, results

    def _barriers(self, phases: tuple[nodes.Phase, ...], site: int) -> int:
        return self.between.get(site, 0) + sum(self._waits(each) for each in phases)

    def _waits(self, phase: nodes.Phase) -> bool:
        always = isinstance(phase, nodes.Barrier) and phase.when in (nodes.When.ALWAYS, nodes.When.MANY_EDGES)
        return always or (
            isinstance(phase, nodes.Barrier) and phase.when is nodes.When.LONG_LISTS and self.profile.skewed
        )

    def _launch(self) -> float:
        gpu, peers = self.host.gpu, self.host.peers
        return gpu.launch if self.gpus == 1 else peers.launch + (self.gpus - 2) * peers.further

    def _first_barriers(self) -> int:
        """After initial values, and after sets that are defined before the first loop."""
        steps = [
            step for block in blocks_in(self.plan.schedule) for step in block if isinstance(step, nodes.Initialize)
        ]
        first = next((block for block in blocks_in(self.plan.schedule) if any(each in block for each in steps)), ())
        return sum(each.barrier is not None for each in steps) + sum(isinstance(each, nodes.Define) for each in first)

    def _changes(self) -> int:
        """How often the first GPU is alone from then on, or all take part again, as far as the order of passes is
        known."""
        count, loops = 0, {each.number: each for each in self.solo.values()}
        for loop in loops.values() if self.gpus > 1 else ():
            flags = [self._is_alone(each) for each in self.profile.at(solo.first_site(loop))]
            count += sum(one != other for one, other in pairwise((False, *flags, False)))
        return count

    def initial(self) -> float:
        """Storing initial values."""
        stored = [step.vertex_arrays for step in steps_in(self.plan.schedule) if isinstance(step, nodes.Initialize)]
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


def _barriers_between(plan: nodes.Plan) -> dict[int, int]:
    """How many barriers of their own follow each operator in its block; those before the first one count for it."""
    counts: dict[int, int] = {}
    for block in blocks_in(plan.schedule):
        sites = [step.step.site for step in block if isinstance(step, nodes.Operation)]
        for site in _sites_of_barriers(block, sites):
            counts[site] = counts.get(site, 0) + 1
    return counts


def _sites_of_barriers(block: tuple[nodes.Step, ...], sites: list[int]) -> Iterator[int]:
    last = sites[0] if sites else None
    for step in block:
        if isinstance(step, nodes.Operation):
            last = step.step.site
        elif isinstance(step, nodes.Barrier) and last is not None:
            yield last
