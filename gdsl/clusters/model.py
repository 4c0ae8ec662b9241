"""A model of the time that a pass takes on several workers: what they compute, what they send, and how they meet.

It has three terms. Each worker walks its share of the edges. Each sends what it has changed to all others, and each
link carries that one after the other. Every exchange has the latency of the network, as often as messages follow on one
another in it. What the model leaves out: caches (a smaller share fits better) and waiting for the slowest worker.
"""

from __future__ import annotations

import math

from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """How workers are connected. bandwidth: bytes per second that one worker sends while all others do.
    latency: seconds that an exchange takes that sends nothing. by_rounds: whether each doubling of the workers adds
    another round of messages, as in a network; the GPUs of a host all write to the memory of one."""

    bandwidth: float
    latency: float
    by_rounds: bool = True


NVLINK = Link(364e9, 3.5e-6, by_rounds=False)
"""GPUs of one host: four H200, bulk stores, and a barrier through the memory of one of them."""
INFINIBAND = Link(50e9, 10e-6)
"""Hosts with one adapter of 400 Gb/s for each GPU."""
ETHERNET = Link(1.2e9, 100e-6)
"""Hosts with 10 Gb/s."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one pass does. seconds: of one worker alone. vertices: of the graph. bytes_per_vertex: what is exchanged of
    each vertex that changed. share: how many vertices change in the pass, from 0 to 1. exchanges: of the pass."""

    seconds: float
    vertices: int
    bytes_per_vertex: float = 4
    share: float = 1.0
    exchanges: int = 1


@dataclass(frozen=True, slots=True)
class Prediction:
    """Seconds of a pass. computing: each worker's share of the edges. sending: what it has changed, to all others.
    meeting: the latency of the exchanges. sent: the bytes that one worker sends."""

    computing: float
    sending: float
    meeting: float
    sent: float

    @property
    def seconds(self) -> float:
        """The pass."""
        return self.computing + self.sending + self.meeting


def predict(work: Work, workers: int, link: Link) -> Prediction:
    """The time of a pass on so many workers, each with an equal share of the edges and a copy of what is read at far
    ends."""
    sent = work.vertices * work.share * work.bytes_per_vertex * (workers - 1) / workers
    rounds = math.ceil(math.log2(workers)) if link.by_rounds else min(workers - 1, 1)
    return Prediction(work.seconds / workers, sent / link.bandwidth, work.exchanges * rounds * link.latency, sent)


def memory_of_worker(
    vertices: int, edges: int, workers: int, *, bytes_per_vertex: float = 16, bytes_per_edge: float = 8
) -> float:
    """Bytes that one worker holds: its share of the edges, and copies of the arrays of vertices. By default an edge is
    stored in both directions with ids of 32 bits, and a vertex has two arrays of 4 bytes and where its lists begin."""
    return vertices * bytes_per_vertex + edges * bytes_per_edge / workers
