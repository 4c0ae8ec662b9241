"""Sets that change their form between two passes: a push leaves a queue where a pull needs a bitmap, and the other way
round.

A queue is made of a bitmap by warps that take 32 words at a time. Each of them adds to the counter of the set if there
is a member in them. Members have edges, and if vertices are numbered by degree, those that have are side by side. A
bitmap is cleared, and a bit is set for each member of the queue, wherever its word is. Proposals leave both.
"""

from __future__ import annotations

from gdsl.clusters.model.machine import Gpu, Peers
from gdsl.clusters.model.profile import Pass, Profile
from gdsl.plan.nodes import Form, Operation, Sweep
from gdsl.records import dataclass

_AT_A_TIME = 32 * 32
"""Vertices of a warp."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """How often all wait, adds to a counter, bits that are set, and bytes that are read or cleared."""

    barriers: int
    adds: float
    bits: float
    bytes: float


def needed(forms: frozenset[Form], sweep: Sweep, each: Pass, profile: Profile, numbered: bool) -> Conversion | None:
    """The conversion that a sweep needs if its members are stored in `forms`; None if it needs none."""
    form, words = sweep.members.form, profile.vertices / 8
    if form is None or form in forms:
        return None
    if form is Form.BITMAP:
        return Conversion(2, 0.0, each.members, words)
    vertices = profile.occupied if numbered else profile.vertices
    return Conversion(1, min(each.members, vertices / _AT_A_TIME), 0.0, words)


def after(operation: Operation, sweep: Sweep) -> frozenset[Form]:
    """The forms in which the next pass of an operator finds its members."""
    collect, step = sweep.collect, operation.step
    if collect is None or step.result != step.frontier.frontier:
        return frozenset(Form)
    maps = sweep.proposals is not None and sweep.proposals.maps
    return frozenset((collect.form, Form.BITMAP) if maps else (collect.form,))


def own_seconds(conversion: Conversion, gpu: Gpu, skewed: bool) -> float:
    """Of one GPU that has everything."""
    return conversion.bytes / gpu.bandwidth + conversion.bits / (gpu.cached_atomics if skewed else gpu.atomics)


def far_seconds(conversion: Conversion, gpus: int, peers: Peers, skewed: bool) -> float:
    """Bits of others that each GPU sets."""
    return (gpus - 1) / gpus / gpus * conversion.bits / peers.atomics / (peers.skewed if skewed else 1.0)
