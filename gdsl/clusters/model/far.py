"""What a pass takes in the memory of the other GPUs of a host, or waits for one counter.

Of elements that calls choose at random, the other GPUs have (N - 1) / N, and each GPU makes its share of the accesses.
Labels are different: they only fall, so they lead to low ids, which the first GPU has. All others go there, and what
takes longest is that one GPU serves them all. A vertex without edges is its own label, which the GPU of the vertex has.

A pass of a few members is a row of accesses of which each waits for the one before: of an entry of the set, of an
element, of the counter to append to. And however many members it has, each warp that has found something adds to that
counter at the end, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.clusters.model.accesses import Access, Kind, Where, entry_bytes, follows_labels
from gdsl.clusters.model.machine import Gpu, Peers
from gdsl.clusters.model.profile import Profile
from gdsl.plan.nodes import EdgeCount, Plan, Sweep
from gdsl.plan.walking import operations
from gdsl.types import Widths

_WARP = 32


def seconds(found: Iterable[Access], sweep: Sweep, profile: Profile, gpus: int, peers: Peers) -> float:
    """The accesses of others' memory by the GPU that has most of them."""
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
        else:
            share /= gpus
        time += share * each.count / rates[each.kind] / skewed
    return time


def after_joining(plan: Plan) -> frozenset[int]:
    """The sites of operators that follow labels after these were joined from copies: the smaller of two labels may
    itself have a smaller one, so calls go over one more."""
    found, joined = set(), False
    for operation in operations(plan):
        does = operation.does
        if isinstance(does, Sweep) and does.labels is not None:
            joined = True
        elif joined and isinstance(does, Sweep) and follows_labels(does, plan):
            found.add(operation.step.site)
            joined = False
    return frozenset(found)


def latency(found: Iterable[Access], sweep: Sweep, widths: Widths, peers: Peers) -> float:
    """The accesses of others' memory that one after the other wait for, however few members there are."""
    elements = any(not each.is_local for each in found)
    waits = (entry_bytes(sweep, widths) > 0, elements, sweep.collect is not None)
    return sum(waits) * peers.latency


def appends(sweep: Sweep, plan: Plan, found: float, gpus: int, gpu: Gpu, peers: Peers) -> float:
    """Adding to the counter of a set that is collected, while a pass is under way: once for each full block of members
    that a warp has found."""
    adds = found / plan.sizes.staged if sweep.collect is not None else 0.0
    return adds * _counter(gpus, gpu, peers)


def counters(sweep: Sweep, members: float, found: float, gpus: int, gpu: Gpu, peers: Peers) -> float:
    """Adding the rest of each warp when a pass ends, and the edges that it has walked."""
    warps = float(gpus * gpu.threads // _WARP)
    adds = min(warps, found) if sweep.collect is not None else 0.0
    if sweep.edges is EdgeCount.WALKED:
        adds += min(warps, members)
    return adds * _counter(gpus, gpu, peers)


def _counter(gpus: int, gpu: Gpu, peers: Peers) -> float:
    """Seconds for each of all adds: the first GPU has the counter, and every other one makes its share of them."""
    return gpu.counter if gpus == 1 else max(gpu.counter, peers.counter / gpus)
