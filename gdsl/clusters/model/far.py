"""What a pass takes in the memory of the other GPUs of a host, or waits for one counter.

Of elements that calls choose at random, the other GPUs have (N - 1) / N, and each GPU makes its share of the accesses.
Labels are different: they only fall, so they lead to low ids, which the first GPU has. All others go there, and what
takes longest is that one GPU serves them all. A vertex without edges is its own label, which the GPU of the vertex has.

A pass of a few members is a row of accesses of which each waits for the one before (`latency`). And however many
members it has, each warp that has found something adds to the counter of the set at the end, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from gdsl.clusters.model.accesses import Access, Kind, Where, entry_bytes, follows_labels
from gdsl.clusters.model.machine import Gpu, Peers
from gdsl.clusters.model.profile import Profile
from gdsl.plan.nodes import EdgeCount, Plan, Sweep
from gdsl.plan.walking import operations
from gdsl.types import Widths

_WARP = 32


def seconds(
    found: Iterable[Access], sweep: Sweep, profile: Profile, gpus: int, peers: Peers, alone: bool = False
) -> float:
    """The accesses of others' memory by the GPU that has most of them, or by the first one, if it is alone. What a warp
    reads in one sector is one access."""
    rates = {
        Kind.READ: peers.gathers,
        Kind.WRITE: peers.stores,
        Kind.CHANGE: peers.atomics,
        Kind.RETURN: peers.returns,
        Kind.CLAIM: peers.claims,
    }
    skewed, time = peers.skewed if profile.skewed else 1.0, 0.0
    for each in found:
        if each.is_local or each.where in (Where.OWN, Where.EDGE):
            continue
        share = (gpus - 1) / gpus
        if each.where is Where.LABEL:
            share *= 1.0 if sweep.walks else profile.occupied / profile.vertices
            share *= 0.0 if alone else 1.0
        elif not alone:
            share /= gpus
        if each.where is Where.FAR and each.kind is Kind.READ:
            share *= profile.scatter
        time += share * each.count / rates[each.kind] / skewed
    return time


def after_joining(plan: Plan) -> frozenset[int]:
    """The sites of operators that follow labels after these were joined from copies: the smaller of two labels may
    itself have a smaller one, so calls go over one more."""
    found, joined = set(), False
    for operation in operations(plan):
        does = operation.does
        if isinstance(does, Sweep) and does.labels is not None:
            joined = does.labels.packed is None
        elif joined and isinstance(does, Sweep) and follows_labels(does, plan):
            found.add(operation.step.site)
            joined = False
    return frozenset(found)


def latency(
    found: Iterable[Access], sweep: Sweep, widths: Widths, peers: Peers, alone: bool = False, rounds: int = 1
) -> float:  # fmt: skip
    """The accesses of others' memory that one after the other wait for, however few members there are: an entry of the
    set, whether it still counts, in each of a warp's `rounds` a look and a change, then the counter to append to, and
    what is stored until a barrier. The first GPU has the counters, and the entries of small sets, so if it is alone,
    only elements are left."""
    far = [each for each in found if not each.is_local and each.where is not Where.EDGE]
    kinds = {each.kind for each in far}
    checks = sweep.order is not None or sweep.skips is not None
    appends = sweep.collect is not None and not alone
    before = entry_bytes(sweep, widths) > 0 and not alone, checks and any(each.where is Where.OWN for each in far)
    in_round = Kind.READ in kinds, bool(kinds & {Kind.CHANGE, Kind.RETURN, Kind.CLAIM})
    at_end = appends, appends or Kind.WRITE in kinds
    return (sum(before) + rounds * sum(in_round) + sum(at_end)) * peers.latency


def rounds(members: float, edges: float, plan: Plan, threads: int) -> int:
    """How often a warp visits 32 edges, if a few members are spread over all warps, and long lists in chunks."""
    width, warps, members = 1, threads // _WARP, max(members, 1.0)
    while width < _WARP and members > warps * width:
        width *= 2
    of_member = min(edges / members, plan.sizes.hub_chunk)
    return max(math.ceil(of_member * min(width, members) / _WARP), 1)


def appends(sweep: Sweep, plan: Plan, found: float, gpus: int, gpu: Gpu, peers: Peers) -> float:
    """Adding to the counter of a set that is collected, while a pass is under way: once for each full block of members
    that a warp has found."""
    adds = found / plan.sizes.staged if sweep.collect is not None else 0.0
    if _has_own_queue(sweep, plan):
        return adds / gpus * gpu.counter
    return adds * counter(gpus, gpu, peers)


def _has_own_queue(sweep: Sweep, plan: Plan) -> bool:
    """Whether each GPU appends to a queue of its own, and each block adds up what it has found."""
    return sweep.collect is not None and any(each.frontier == sweep.collect.frontier for each in plan.own_queues)


def counters(
    sweep: Sweep, plan: Plan, members: float, found: float, gpus: int, gpu: Gpu, peers: Peers
) -> float:  # fmt: skip
    """Adding the rest of each warp when a pass ends, and the edges that it has walked: those of a block together, if
    the loop is from near to far."""
    threads = float(gpus * gpu.threads)
    adding = plan.sizes.block_threads if _has_own_queue(sweep, plan) else _WARP
    adds = min(threads // adding, found) if sweep.collect is not None else 0.0
    if sweep.edges is EdgeCount.WALKED:
        adds += min(threads // (plan.sizes.block_threads if sweep.order is not None else _WARP), members)
    return adds * counter(gpus, gpu, peers)


def counter(gpus: int, gpu: Gpu, peers: Peers) -> float:
    """Seconds for each of all adds: the first GPU has the counter, and every other one makes its share of them."""
    return gpu.counter if gpus == 1 else max(gpu.counter, peers.counter / gpus)
