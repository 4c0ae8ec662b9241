"""What a plan is built for: the properties of a backend that decisions depend on, and no others."""

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
    words_at_once: int = 1
    """Vertices that a thread of a pull looks at side by side (cuda, where it runs for many values at once)."""
    pulled_at_once: int = 4
    """Edges of its list that a thread of a pull, or of a reduction that may stop, looks at side by side (cuda)."""
    short_list: int = 8
    """Lists up to this long are reduced by a thread each."""
    even_lists: int = 4
    """Where the longest list is at most so many times the mean, and no hub's, a thread reduces any list: at worst a
    fourth of the lanes are busy (cuda)."""
    grouped_list: int = 64
    """Lists up to this long are reduced by eight threads each, longer ones by a warp (cuda)."""
    reduced_hub: int = 512
    """Lists of this many edges and more are reduced in chunks (cuda); not fewer than `hub_degree`."""
    reduced_chunk: int = 512
    """Edges of such a chunk; not fewer than `hub_chunk`, for which there is room, and which it is of few lists."""
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
    voted_alone: int = 4
    """Lists up to this long have their votes counted by a thread each (cuda)."""
    voted_by_lanes: int = 32
    """Longer ones up to this long by lanes that have an edge each, 32 at most (cuda)."""
    vote_words: int = 4096
    """Words of 64 bits in which a block counts the votes of still longer ones, or a warp in its part (cuda)."""
    vote_part: int = 8192
    """Edges of a part of a list that several blocks count the votes of; not fewer than `hub_chunk` (cuda)."""
    vote_part_of_few: int = 1024
    """The same where no more members vote than there are blocks, which would have no part otherwise (cuda)."""
    combined_words: int = 4096
    """Words of 64 bits in which a block combines edges that a contraction makes one (cuda)."""
    bound_bits: int = 15
    """So many last bits of a vertex's id are the place of its bound, where blocks keep bounds of hubs (cuda)."""
    parted_members: int = 1 << 12
    """Of a worklist of so many members and more the long lists of the nearest ones are visited first (cuda)."""
    near_set: int = 16384
    """Of buckets whose width finds itself: about so many vertices are taken at a time."""
    round_edges: int = 32
    """Of a loop from near to far: a round takes as long as so many edges a warp (cpu: edges), beside its own."""
    wide_round: int = 512
    """Edges a warp (cpu: edges) from which on a round takes as long as it has edges."""
    thin_round: int = 8
    """A round of this part of the entries that there have been is so few that more are looked for."""
    listed_places: int = 1 << 18
    """Places of a list of few members: as many edges as these may have; fewer than 2^24 (cuda)."""
    solo_edges: int = 1
    """Edges of a worklist for each thread of a GPU up to which one of several GPUs runs passes alone (cuda)."""
    listed_edges: int = 8
    """Edges a thread up to which members are few, as lists go (cuda)."""
    local_room: int = 128
    """Vertices that a block keeps for a round of its own (cuda)."""
    local_members: int = 4
    """Members of a worklist for each warp up to which blocks run rounds of their own (cuda)."""
    local_rounds: int = 4096
    """So many rounds of its own a block runs before it waits for the others, which may stop a run (cuda)."""
    local_look: int = 2
    """After so many rounds of its own a block looks whether others have work to share (cuda)."""
    own_votes: int = 65536
    """Up to so many vertices each has a place of its own where a thread counts votes for them: a megabyte (cpu)."""
    small_work: int = 8192
    """Edges or elements up to which one thread does all the work (cpu): it takes others about as long to join it."""
    shared_visits: int = 4
    """How many runs of a `map` a visit of an edge must serve on average, or they run one by one."""
    packed_work: int = 1 << 26
    """Vertices and edges of all runs of a `map` from which on another library is compiled, in which many runs share
    the visits of edges (cpu): compiling takes about as long as a thread needs for so many."""
    instance_words: int = 1
    """Words of a vertex in which runs of a `map` have a bit each, a power of two (cuda)."""
    members_at_once: int = 8
    """Vertices whose data of one run a thread visits side by side, where runs have a bit each (cuda)."""
    own_ends: int = 16
    """Edges a member for each thread from which on threads that would change the same elements each have a part of the
    far ends, and walk that part of every list (cpu): finding it takes about as long as visiting as many edges."""
    gather_waits: int = 1 << 20
    """Values of edges that are read while threads wait at the barriers that an advance has in addition where it
    gathers, four or five of two microseconds (cuda)."""
    contended: int = 1024
    """So many times as much where two threads would wait for each other's changes of the same elements (cpu)."""


INSTANCES = 64
"""How many runs of a `map` go together at most for each word of a vertex: its bits."""
MOST_WORDS = 4
"""Words of a vertex at most (cuda): a sector of memory, which is read whole in any case."""


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
    orders: bool
    """Whether loops may be worked off in another order."""
    orders_always: bool
    """Whether that is worth it on every graph that the plan is for."""
    marks_apart: bool
    """Whether marks against duplicates have bitmaps of their own; if not, the result's own bitmap holds them."""
    allocates_itself: bool
    """Whether the generated code allocates frontiers and temporaries; if not, the host does."""
    sizes: Sizes
    """The default."""
    teams: bool = False
    """Whether groups of blocks each run the whole schedule, one value of the params after the other."""
    several_gpus: bool = False
    """Whether several GPUs run the schedule side by side, each with blocks of its own: what calls may write at the same
    time, and every barrier, reaches all of them."""
    lanes: bool = False
    """Whether each of several GPUs writes a lane of the trace: what it does when."""
    workers: bool = False
    """Whether several workers run the schedule together, each with a part of the graph."""
    instances: bool = False
    """Whether up to 64 values of the params run together, a bit of each word for each: in one thread, or in a team of
    blocks, which may have several words of each vertex."""
    without: frozenset[str] = frozenset()
    """The passes that are left out."""
    resident_threads: int | None = None
    """How many threads of one multiprocessor kernels leave registers for; None: what `occupancy` says of each plan."""

    @property
    def one_memory(self) -> bool:
        """Whether an array of one run is in one memory, and nothing else is: no worker or GPU has a part or a copy of
        it, and no other value of the params shares its words."""
        return not (self.workers or self.several_gpus or self.instances)


_CUDA_SIZES = Sizes(block_threads=512, hub_degree=128, hub_chunk=128)
_ALL = frozenset(Balance)
_OF_CORES = frozenset({Balance.THREAD, Balance.AUTO})
CUDA_FUSED = Target("cuda", True, True, _ALL, True, True, False, True, False, _CUDA_SIZES)
CUDA_UNFUSED = Target("cuda", False, True, _ALL, True, False, False, True, False, _CUDA_SIZES, resident_threads=1024)
_CPU_SIZES = Sizes(gather_waits=0, hub_degree=4096, hub_chunk=1024, near_set=1024, round_edges=512, wide_round=16384)
CPU = Target("cpu", True, False, _OF_CORES, False, True, True, False, True, _CPU_SIZES)
CPU_WORKERS = dataclasses.replace(
    CPU, orders=False, orders_always=False, workers=True, without=frozenset({"initial_values", "work_order"})
)
"""Several workers, each with a part of the graph: lists are walked by the worker that has them. The entries of a loop
from near to far carry values that a merge changes, and no exchange makes entries for those that it gives; see
docs/lab/workers.md."""
CUDA_WORKERS = dataclasses.replace(
    CUDA_UNFUSED,
    workers=True,
    without=frozenset(
        {
            "initial_values",
            "hoist_graphs",
            "direction",
            "work_order",
            "frontier_form",
            "complement_tests",
            "vertex_order",
        }
    ),
)
"""Several workers with a GPU each: the host exchanges data between launches, and queues of sets. Members are a
worker's own (`own_members`), from which it pushes."""

_OF_ONE_RUN = (
    "initial_values",
    "work_order",
    "list_bounds",
    "deduplication",
    "load_balance",
    "frontier_form",
    "fusion",
    "storage",
)
_OF_ONE_TEAM = (
    "hoist_graphs",
    "complement_tests",
    "synchronization",
    "prefetch",
    "block_cache",
    "small_frontiers",
    "mirrors",
    "merges",
    "proposals",
    "label_copies",
)
CPU_INSTANCES = dataclasses.replace(
    CPU,
    orders=False,
    orders_always=False,
    instances=True,
    without=frozenset({*_OF_ONE_RUN, "complement_tests", "prefetch"}),
)
"""Many values of the params at a time in one thread (`bit_parallel`): its sets and walks are other ones, of which these
passes know nothing."""


CUDA_BALANCED = dataclasses.replace(CUDA_FUSED, resident_threads=1024)
"""Where the program says how edges are shared: such small kernels would spill."""


CUDA_ORDERED = dataclasses.replace(
    CUDA_FUSED,
    orders_always=True,
    resident_threads=1024,
    sizes=dataclasses.replace(_CUDA_SIZES, block_threads=256),
)
"""Where a worklist is worked off from near to far: many rounds of few members, for which few warps wait for less."""


def cuda(fused: bool, balanced: bool = False, ordered: bool = False) -> Target:
    """The cuda target in one of its forms."""
    if not fused:
        return CUDA_UNFUSED
    if ordered:
        return CUDA_ORDERED
    return CUDA_BALANCED if balanced else CUDA_FUSED


def on_several_gpus(target: Target, lanes: bool = False) -> Target:
    """A fused form of the cuda target as several GPUs run it together, each with a lane of the trace or not."""
    return dataclasses.replace(target, several_gpus=True, lanes=lanes)


def in_teams(target: Target) -> Target:
    """A fused form of the cuda target as teams of blocks run it: with many values at a time memory is waited for."""
    sizes = dataclasses.replace(target.sizes, words_at_once=2)
    return dataclasses.replace(target, teams=True, sizes=sizes)


def in_instances(target: Target, words: int) -> Target:
    """A fused form of the cuda target as teams of blocks run it for many values at a time, `words` times 64."""
    target = in_teams(target)
    without = frozenset({*_OF_ONE_RUN, *_OF_ONE_TEAM})
    sizes = dataclasses.replace(target.sizes, instance_words=words, words_at_once=4, pulled_at_once=8)
    return dataclasses.replace(target, orders=False, orders_always=False, instances=True, without=without, sizes=sizes)
