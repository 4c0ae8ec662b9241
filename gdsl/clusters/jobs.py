"""What each worker does in a run: it takes its part of the graph, agrees with the others on the types that
the program leaves open, runs it with them, and returns what the driver needs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdsl import cache
from gdsl.api.compiling import compile_source
from gdsl.api.origin import Origin
from gdsl.api.program import Program
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.share_run import run_share
from gdsl.backends.interface import Bindings, Limits, Outcome, Scalar
from gdsl.backends.workers.lanes import Lane
from gdsl.binding import needed_widths
from gdsl.binding.shares import bind_share
from gdsl.binding.type_parameters import chosen_types, inferred_types
from gdsl.clusters.checkpoint_folder import RunKey
from gdsl.clusters.checkpoints import CheckpointOptions, Checkpoints, Progress, check_folder
from gdsl.clusters.failures import Member, on_worker
from gdsl.clusters.fingerprints import bindings_fingerprint, check_file, share_fingerprint
from gdsl.clusters.result_folder import PartsOptions
from gdsl.clusters.result_parts import Written, check_parts, write_parts
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.graph.messages import collecting
from gdsl.graph.partitioned import read
from gdsl.graph.shares import GraphShare
from gdsl.graph.vertices import Names
from gdsl.ir import nodes as ir
from gdsl.operations import ReduceOperation
from gdsl.records import dataclass
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.backends.cuda.links import Links

Tell = Callable[[str], object]
"""Tells the driver, in a few words, what this worker has begun or done."""
_shares: dict[str, GraphShare] = {}
"""The worker's parts of graphs, by their keys, from one run to the next."""


class Group(Communicator, Protocol):
    """A communicator whose workers have introduced themselves."""

    @property
    def members(self) -> tuple[Member, ...]:
        """Who the workers are, by rank."""
        ...


@dataclass(frozen=True, slots=True)
class GraphWords:
    """Which graph: a word for a file or a generated graph, with the options of `Graph.read`; `key` tells graphs apart.
    Where the graph is in the memory of the driver, `share` is a worker's part, which is sent once. `forget`: the keys
    of graphs of which the workers need not keep their parts."""

    key: str
    word: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    share: GraphShare | None = None
    forget: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What the driver knows of a graph whose parts the workers have."""

    num_vertices: int
    num_edges: int
    directed: bool
    has_names: bool


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a program by workers. `types` are those that the caller chose; `names`: whether the names of vertices
    are a part of the result."""

    source: Source
    words: tuple[str, ...]
    types: tuple[tuple[str, str], ...]
    graph: GraphWords
    values: Mapping[str, Any]
    rounded: frozenset[str]
    limits: Limits
    checkpoint: CheckpointOptions | None
    names: bool
    backend: str = "cpu"
    """cpu, or cuda, for which each worker uses a GPU of its host."""
    parts: PartsOptions | None = None
    """Where workers write their parts of the results, instead of returning them."""
    goes_on: bool = False
    """Whether the program that runs is the one that goes on from an old result (`gdsl.api.resuming`)."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a worker returns of a run. Worker 0 has the outcome, which is whole, the types that it ran with, and its
    params and the origin of the result, of no graph; every worker has the names of its own vertices."""

    outcome: Outcome | None
    types: tuple[tuple[str, str], ...]
    params: Mapping[str, Scalar]
    origin: Origin | None
    names: tuple[Any, ...] | None
    warning: str | None
    """What to say of a run that did not converge."""
    compile_ms: float
    bytes_sent: int
    exchanges: int
    written: Written | None = None
    lane: Lane | None = None


def load(group: Group, tell: Tell, words: GraphWords) -> Facts:
    """Let all workers take their parts of a graph, as far as they do not have them."""
    share = _share_of(group, tell, words)
    return Facts(share.num_vertices, share.num_edges, share.directed, share.names is not None)


def check_folders(group: Group, tell: Tell, checkpoint: CheckpointOptions | None, parts: PartsOptions | None) -> None:
    """Find mistakes in the folders of a run before the graph is read. Raises E0809, E0907, E0911."""
    if checkpoint is not None:
        check_folder(checkpoint, group, group.members)
    if parts is not None:
        check_parts(parts, group, group.members)


def perform(group: Group, tell: Tell, job: Job) -> Part:
    """Run a program together with the other workers. Raises what `Program.run` raises."""
    share = _share_of(group, tell, job.graph)
    program = _program(job, share, group)
    saved: Checkpoints | None = None
    try:
        bindings = bind_share(program.ir, share, job.values, group, program.text, job.rounded)
        gpu = _gpu(job, group, tell)
        tell("compiling")
        started = time.perf_counter()
        _compile(program.ir, share, group, gpu)
        compile_ms = (time.perf_counter() - started) * 1000
        saved = _checkpoints(job, program, share, bindings, group, tell)
        resumed = None if saved is None else saved.read()
        links = None if gpu is None else _links(group, gpu, tell)
        tell("running")
        if gpu is not None:
            from gdsl.backends.cuda import share_run

            done = share_run.run_share(program.ir, share, bindings, group, job.limits, gpu=gpu, links=links)
        else:
            asked = saved or Progress(tell)
            done = run_share(program.ir, share, bindings, group, job.limits, checkpoints=asked, resume=resumed)
        tell("gathering results")
        written = None
        if job.parts is None:
            outcome = done.gathered()
        else:
            tell("writing results")
            written = write_parts(job.parts, group, group.members, share, program, done, bindings.params)
            outcome = written.outcome
        if saved is not None:
            saved.remove()
    except GdslError as error:
        raise program._explained(error) from None
    finally:
        if saved is not None:
            saved.close()
    first = group.rank == 0
    types = tuple(program.types.items()) if first else ()
    names = tuple(share.names) if job.names and share.names is not None else None
    params = bindings.params if first else {}
    origin = program._origins.of(bindings, None, job.rounded) if first else None
    watch, warning = program._results.watch, None
    if outcome is not None and not watch.is_idle:
        arrays = outcome.arrays if job.parts is None else done.outcome.arrays
        warning = watch.check(arrays, outcome.scalars, outcome.iterations, bindings)
    first_outcome = outcome if first else None
    sent = done.bytes_sent, done.exchanges
    return Part(first_outcome, types, params, origin, names, warning, compile_ms, *sent, written, done.lane)


def _share_of(group: Group, tell: Tell, words: GraphWords) -> GraphShare:
    """This worker's part of the graph, which it keeps."""
    for key in words.forget:
        _shares.pop(key, None)
    share = words.share or _shares.get(words.key)
    if share is None:
        tell("loading")
        check_file(group, words.word, group.members)
        with collecting() as notices:
            share = read(words.word, group, **dict(words.options))
        if group.rank == 0:
            for each in notices:
                tell(f"note: {each}")
        vertices, edges = (
            f"{share.num_owned:,} of {share.num_vertices:,}",
            f"{len(share.columns):,} of {share.num_edges:,}",
        )
        tell(f"loaded {vertices} vertices and {edges} edges")
    _shares[words.key] = share
    return share


def _program(job: Job, share: GraphShare, group: Group) -> Program:
    """The instance of the program that the types of the graph and of the values require."""
    types = dict(job.types)
    program = compile_source(job.source, job.words, types=types or None)
    if any(each.name not in types for each in program.ir.types):
        types = inferred(program, share, job.values, types, group)
        program = compile_source(job.source, job.words, types=types)
    return program._resumed_programs()[1] if job.goes_on else program


def _place_on_host(group: Group) -> int:
    """How many workers with lower ranks this worker's host has."""
    host = group.members[group.rank].host
    return sum(member.host == host for member in group.members[: group.rank])


def _gpu(job: Job, group: Group, tell: Tell) -> int | None:
    """The number of the GPU that this worker uses; None where the run uses none. Raises E0901."""
    if job.backend != "cuda":
        return None
    from gdsl.backends.cuda.share_run import gpu_of_worker

    try:
        gpu = gpu_of_worker(_place_on_host(group))
    except GdslError as error:
        raise on_worker(error, group.members[group.rank]) from None
    tell(f"uses GPU {gpu}")
    return gpu


def _links(group: Group, gpu: int, tell: Tell) -> Links | None:
    """The links from this worker's GPU to those of the others; worker 0 tells why there are some, or none."""
    from gdsl.backends.cuda.share_run import links_of_workers

    links, words = links_of_workers(group, gpu)
    if words and group.rank == 0:
        tell(words)
    return links


def _compile(program: ir.Program, share: GraphShare, group: Group, gpu: int | None) -> None:
    """Compile, on each host in one process: the others find it in the cache."""
    widths = needed_widths(program, share)  # type: ignore[arg-type]
    if _place_on_host(group) == 0:
        try:
            if gpu is None:
                CpuBackend().build_shared(program, widths)
            else:
                from gdsl.backends.cuda import share_run

                share_run.build_shared(program, widths, gpu)
        except GdslError as error:  # such as a missing compiler
            raise on_worker(error, group.members[group.rank]) from None
    group.barrier()


def _checkpoints(
    job: Job, program: Program, share: GraphShare, bindings: Bindings, group: Group, tell: Tell
) -> Checkpoints | None:
    """The checkpoints of this run, if it has some. Raises E0809."""
    if job.checkpoint is None:
        return None
    digest = hashlib.sha256(cache.program_key(program.ir).encode())
    digest.update(bindings_fingerprint(group, bindings).encode())
    key = RunKey(program.name, digest.hexdigest()[:16], share_fingerprint(group, share), group.size)
    return Checkpoints(job.checkpoint, key, group, group.members, tell)


def joined_names(parts: Sequence[Part]) -> Names | None:
    """The names of all vertices, from those of all workers."""
    names = [part.names for part in parts]
    return None if None in names else Names([name for each in names for name in each or ()])


def inferred(
    program: Program,
    share: GraphShare,
    values: Mapping[str, Any],
    chosen: Mapping[str, str],
    communicator: Communicator,
) -> dict[str, str]:
    """The type of each type parameter by name, the same on all workers: the `chosen` one, or the one that the values
    and the graph's attributes need. Raises E0620, E0621."""
    graph: Any = _Attributes(share, communicator)
    types = inferred_types(program.ir, graph, values, chosen_types(program.ir, chosen), program.text)
    return {parameter.name: type_.name for parameter, type_ in zip(program.ir.types, types, strict=True)}


class _Attributes:
    """What the inference of types asks of a graph."""

    _lazy_csr = None

    def __init__(self, share: GraphShare, communicator: Communicator) -> None:
        self.attributes = {name: _Values(each, communicator) for name, each in share.attributes.items()}
        self.vertex_attributes = {name: _Values(each, communicator) for name, each in share.vertex_attributes.items()}


class _Values:
    """The dtype and the range of an attribute of which each worker has a part. Either all workers read the range, or
    none does."""

    def __init__(self, own: NDArray[Any], communicator: Communicator) -> None:
        self.dtype, self._own, self._communicator = own.dtype, own, communicator

    @property
    def size(self) -> int:
        """The number of values on all workers."""
        return int(self._communicator.all_reduce(np.array([self._own.size]), ReduceOperation.ADD)[0])

    def min(self) -> int:
        """The least of all values."""
        return self._end(np.iinfo(self.dtype).max, ReduceOperation.MIN)

    def max(self) -> int:
        """The largest of all values."""
        return self._end(np.iinfo(self.dtype).min, ReduceOperation.MAX)

    def _end(self, empty: int, operation: ReduceOperation) -> int:
        smaller = operation is ReduceOperation.MIN
        own = (self._own.min() if smaller else self._own.max()) if self._own.size else empty
        return int(self._communicator.all_reduce(np.array([own], self.dtype), operation)[0])
