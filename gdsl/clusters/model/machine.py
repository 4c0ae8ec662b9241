"""What machines can do: the constants of the model. All were measured by kernels, none was chosen to suit a program."""

from __future__ import annotations

from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU. Rates are per second. bandwidth: bytes that are read or written in order. gathers, stores: random reads
    and stores of 4 bytes; atomics: changes of random elements; cached, cached_stores and cached_atomics: the same where
    most go to few elements, which vertices numbered by degree have side by side. counter: seconds of one add to a
    counter to which all add. barrier: seconds of one. launch: seconds of a run beside its operators. host: bytes that
    it reads from the host's memory. memory: bytes that it has. threads: of all blocks of a run."""

    bandwidth: float
    gathers: float
    cached: float
    stores: float
    cached_stores: float
    atomics: float
    cached_atomics: float
    counter: float
    barrier: float
    launch: float
    host: float
    memory: float
    threads: int


@dataclass(frozen=True, slots=True)
class Peers:
    """Access of a GPU to the memory of the others of its host, per second, while all do the same. link: bytes that a
    kernel reads or copies in order; engines: those that copy engines copy. gathers, stores: random reads and stores of
    4 bytes. atomics: changes that return nothing; returns: those whose former value is used; claims: compare-and-swaps.
    skewed: the share of these rates that is left where most go to few elements. Seconds: latency, of one access;
    counter, of one add to a counter to which all add; barrier, of one that spans all GPUs; launch, of a run on two
    beside its operators; further, of each further kernel."""

    link: float
    engines: float
    gathers: float
    stores: float
    atomics: float
    returns: float
    claims: float
    skewed: float
    latency: float
    counter: float
    barrier: float
    launch: float
    further: float


@dataclass(frozen=True, slots=True)
class Network:
    """How workers are connected. bandwidth: bytes per second that one worker sends while all others do. latency:
    seconds that an exchange takes that sends nothing, for each doubling of the workers."""

    bandwidth: float
    latency: float


H200 = Gpu(
    bandwidth=4.0e12,
    gathers=39e9,
    cached=120e9,
    stores=16.1e9,
    cached_stores=37.8e9,
    atomics=16.2e9,
    cached_atomics=51e9,
    counter=0.74e-9,
    barrier=2.2e-6,
    launch=15e-6,
    host=51e9,
    memory=141e9,
    threads=132 * 1024,
)
"""By `python -m bench.link`: gathers, stores and atomics on 2 GB, skewed stores and atomics on 256 MB, counter and
barrier. By other kernels: gathers of 64 MB whose frequent values are side by side (bench.link: 85 to 102 G/s where they
are not), and whole lines from pinned memory."""
NVLINK = Peers(
    link=335e9,
    engines=380e9,
    gathers=6.6e9,
    stores=6.9e9,
    atomics=6.5e9,
    returns=4.4e9,
    claims=3.8e9,
    skewed=0.93,
    latency=0.84e-6,
    counter=2.7e-9,
    barrier=2.7e-6,
    launch=100e-6,
    further=15e-6,
)
"""Two H200s of one host, both at the same time: what `python -m bench.link` prints (docs/lab/journal.md, *What two GPUs
do in each other's memory*). link and engines: 256 MB copied here, and there. gathers to claims: the columns *100 % far*
of the table for 2 GB. skewed: the mean of the same columns for 64 MB, skewed. latency: the rows *far memory*. counter:
an add by the warps of the other GPU."""
INFINIBAND = Network(50e9, 10e-6)
"""Hosts with one adapter of 400 Gb/s for each GPU."""
