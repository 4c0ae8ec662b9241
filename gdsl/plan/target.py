"""What a plan is made for: the properties of a backend that decisions depend on, and no others."""

from __future__ import annotations

import dataclasses

from gdsl.operations import Balance
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers that generated text is built for; results never depend on them, tests make them small."""

    block_threads: int = 512
    hub_degree: int = 512
    """Lists of this many edges and more are cut into chunks."""
    hub_chunk: int = 512
    """Edges a chunk."""
    pull_prefix: int = 32
    """Edges of a long list that a closing pull tries before it leaves the rest to others."""
    short_list: int = 8
    """Lists up to this long are reduced by a thread each."""
    staged: int = 128
    """Elements that a warp gathers before it appends them to a frontier, 32 at least: appending waits in one line."""
    long_walk: int = 16384
    """Of two lists whose common vertices are looked for: the shorter one is cut into chunks from this length on."""
    table_least: int = 128
    """The shortest list that becomes a table in which many others are looked up (cuda)."""
    table_slots: int = 4096
    """Places of such a table, a power of two, for ids of 32 bits; half as many vertices at most have one."""
    radix_bits: int = 8
    """Bits of a digit by which ids are sorted at a time (cuda)."""
    near_set: int = 16384
    """Of buckets whose width finds itself: about so many vertices are taken at a time."""
    small_work: int = 4096
    """Edges or elements up to which one thread does all the work (cpu)."""


@dataclass(frozen=True, slots=True)
class Target:
    """A backend, as far as plans differ by it."""

    name: str
    fused: bool
    """Whether the whole schedule is one launch."""
    grid: bool
    """Whether all threads walk the schedule side by side, so that steps must wait for each other; if not, one thread
    walks it and others join it within an operator."""
    balances: frozenset[Balance]
    """The ways to share edges among threads; any other is done as `auto`."""
    shares_pulled_lists: bool
    """Whether several threads may pull for one vertex, where its list is long."""
    marks_apart: bool
    """Whether marks against duplicates have bitmaps of their own; if not, the result's own bitmap holds them."""
    allocates_itself: bool
    """Whether the generated code allocates frontiers and temporaries; if not, the host does."""
    sizes: Sizes
    """Unless somebody asks for others."""
    resident_threads: int | None = None
    """How many threads of one multiprocessor a kernel leaves registers for; None: as the compiler sees fit, which in
    small kernels spills some for more blocks than fit otherwise."""


_CUDA_SIZES = Sizes(block_threads=512, hub_degree=512, hub_chunk=512)
_ALL = frozenset(Balance)
_OF_CORES = frozenset({Balance.THREAD, Balance.AUTO})
CUDA_FUSED = Target("cuda", True, True, _ALL, True, True, False, _CUDA_SIZES)
CUDA_UNFUSED = Target("cuda", False, True, _ALL, True, True, False, _CUDA_SIZES, resident_threads=1024)
CPU = Target("cpu", True, False, _OF_CORES, False, False, True, Sizes(hub_degree=4096, hub_chunk=1024, near_set=1024))


CUDA_BALANCED = dataclasses.replace(CUDA_FUSED, resident_threads=1024)
"""Where the program says how edges are shared: such small kernels would spill."""


def cuda(fused: bool, balanced: bool = False) -> Target:
    """The cuda target in one of its forms."""
    if not fused:
        return CUDA_UNFUSED
    return CUDA_BALANCED if balanced else CUDA_FUSED
