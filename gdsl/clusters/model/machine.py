"""What machines can do: the constants of the model. All were measured by kernels of their own but `Peers.returns` and
`Peers.claims`, which were chosen from runs of programs (see `NVLINK`)."""

from __future__ import annotations

from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU. Rates are per second. bandwidth: bytes that are read or written in order. gathers: random reads of 4
    bytes; cached: the same where most go to few elements, which vertices numbered by degree have side by side. atomics:
    changes of random elements. barrier: seconds of one. host: bytes that it reads from the host's memory. memory:
    bytes that it has. threads: of all blocks of a run."""

    bandwidth: float
    gathers: float
    cached: float
    atomics: float
    barrier: float
    host: float
    memory: float
    threads: int


@dataclass(frozen=True, slots=True)
class Peers:
    """Access of a GPU to the memory of the others of its host, per second. link: bytes that each GPU reads or writes in
    order while all do. gathers: random reads. atomics: changes that return nothing. returns: changes that return the
    former value, which a thread waits for. claims: compare-and-swaps. barrier: seconds of one that spans all GPUs."""

    link: float
    gathers: float
    atomics: float
    returns: float
    claims: float
    barrier: float


@dataclass(frozen=True, slots=True)
class Network:
    """How workers are connected. bandwidth: bytes per second that one worker sends while all others do. latency:
    seconds that an exchange takes that sends nothing, for each doubling of the workers."""

    bandwidth: float
    latency: float


H200 = Gpu(
    bandwidth=4.0e12,
    gathers=42e9,
    cached=120e9,
    atomics=16.2e9,
    barrier=2.2e-6,
    host=51e9,
    memory=141e9,
    threads=132 * 1024,
)
"""Rates of gathers and atomics on 2 GB, of skewed gathers on 64 MB, and of whole lines from pinned memory."""
NVLINK = Peers(link=335e9, gathers=6.6e9, atomics=6.5e9, returns=2.4e9, claims=1.0e9, barrier=7.1e-6)
"""H200s of one host. Half of all gathers far were 13 G/s, three quarters 8.8: 6.6 far ones each time; half of all
atomics 13.0. No kernel measured `returns` and `claims` alone: `returns` lies between what k_core on rmat24 and
components on rmat26 need, and `claims` comes from the push of BFS on rmat26 (1.3 ms, for 4.4 million edges as scaled
from rmat20). docs/scale.md says what that means for the table."""
INFINIBAND = Network(50e9, 10e-6)
"""Hosts with one adapter of 400 Gb/s for each GPU."""
ETHERNET = Network(1.2e9, 100e-6)
"""Hosts with 10 Gb/s."""
