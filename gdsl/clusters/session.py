"""`gdsl.cluster(…)`: workers that run programs together."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gdsl import deadline
from gdsl.api.arguments import limits, named_values, seconds, without_defaults
from gdsl.api.convergence import warn
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.backends.gpus import gpus_of
from gdsl.backends.workers.lanes import Lanes
from gdsl.binding.type_parameters import chosen_types
from gdsl.clusters.checkpoints import CheckpointOptions, checkpoint_options
from gdsl.clusters.exchange_labels import ExchangeLabels
from gdsl.clusters.result_folder import PartFiles, PartsOptions, parts_options, remove_parts
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import Graph, as_graph
from gdsl.graph.arguments import flag
from gdsl.numerals import is_whole
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.clusters.jobs import Facts, GraphWords, Job
    from gdsl.clusters.members import Group, Report

_MOST_GRAPHS = 4
"""Graphs of which workers keep their parts from one run to the next."""


class DistributedGraph:
    """A graph of which each worker has a part, and the driver none; `Workers.load` creates it.

    num_vertices, num_edges (stored ones), directed; has_names: whether vertices have names.
    """

    def __init__(self, words: GraphWords, facts: Facts) -> None:
        """Use `Workers.load` instead."""
        self._words = words
        self.num_vertices, self.num_edges = facts.num_vertices, facts.num_edges
        self.directed, self.has_names = facts.directed, facts.has_names

    def __repr__(self) -> str:
        return f"<DistributedGraph {self._words.word}: {self.num_vertices:,} vertices, {self.num_edges:,} edges>"


class Workers:
    """Workers that run programs together, each with its part of the graph: ``program(graph, workers=workers)``.

    The workers stay from one run to the next, with their parts of the last graphs. After a failure the next run starts
    new ones. A context manager, which ends them. Not for use by several threads at a time.
    """

    def __init__(self, group: Group) -> None:
        """Use `gdsl.cluster` instead."""
        self._group = group
        self._numbers = itertools.count()
        self._keys: WeakKeyDictionary[Graph, str] = WeakKeyDictionary()
        self.last: Program | None = None
        """The program that the last run ran: of one with type parameters, the instance."""
        self._generation = 0
        self._held: list[str] = []
        """The keys of the graphs of which these workers have their parts, the latest one last."""

    @property
    def size(self) -> int:
        """The number of workers."""
        return self._group.size

    def load(
        self,
        path_or_spec: str | os.PathLike[str],
        options: Mapping[str, Any] | None = None,
        *,
        report: Report | None = None,
    ) -> DistributedGraph:
        """Let each worker read its part of a file, or generate its part of a graph such as ``rmat:20``.

        The file must be the same on all hosts; `options` are those of `Graph.read`. `report` is called with a worker
        and what it has begun or done. Raises what `Graph.read` raises, E0807, E0808 and E0810.
        """
        from gdsl.clusters.jobs import GraphWords, load

        word = os.fspath(path_or_spec)
        if os.path.exists(word):
            word = os.path.abspath(word)
        chosen = tuple((name, value) for name, value in sorted((options or {}).items()))
        words = GraphWords(f"{word} {chosen}", word, chosen)
        self._group.start(report)
        _, words = self._placed(words)
        facts = self._group.run(load, lambda rank: (words,), report)
        return DistributedGraph(words, facts[0])

    def run(
        self,
        program: Program,
        graph: object,
        values: Mapping[str, Any] | None = None,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        round: str | Collection[str] | None = None,  # noqa: A002 - the name on the command line
        checkpoint: str | os.PathLike[str] | None = None,
        every: int | None = None,
        resume: bool = False,
        parts: str | os.PathLike[str] | None = None,
        names: bool = True,
        report: Report | None = None,
    ) -> Result:
        """Run `program` on `graph`, as `Program.run` does.

        graph: what `load` has returned, a path or the name of a generated graph for `load`, or a graph in the memory of
        this process, whose parts the workers get.
        checkpoint, every, resume: write a checkpoint to this folder after every so many passes of a loop, or continue
        with the one that is there.
        parts: a new folder in which each worker writes its part of the results; an array is read from there when the
        result is asked for it.
        backend: auto and cpu for the cpu backend; cuda for a GPU of its host for each worker.
        names: whether the result has the names of the vertices. report: called with a worker and what it has begun or
        done.

        Raises what `Program.run` raises, E0807 for a worker that has ended, E0808 where workers differ, E0809 for a
        checkpoint of another run, E0810 where the cluster cannot be used, E0811 for what workers with GPUs cannot do,
        and E0901 where one of them has no GPU.
        """
        from gdsl.clusters.jobs import Job

        check_backend(backend)
        if backend == "cuda":
            check_run_on_gpus(program, checkpoint_options(checkpoint, every, resume) is not None)
        if isinstance(graph, (str, os.PathLike)):
            with deadline.limited(seconds(timeout)):
                self.check_folders(checkpoint_options(checkpoint, every, resume), parts_options(parts), report)
                graph = self.load(graph, report=report)
                return self.run(program, graph, values, backend=backend, timeout=timeout,
                                max_iterations=max_iterations, types=types, round=round, checkpoint=checkpoint,
                                every=every, resume=resume, parts=parts, names=names, report=report)  # fmt: skip
        stops = limits(timeout, max_iterations)
        job = Job(
            program.text,
            program.knobs,
            _chosen(program, types),
            self._words_of(graph),
            without_defaults(named_values(values)),
            program._rounded(round),
            stops,
            checkpoint_options(checkpoint, every, resume),
            names and isinstance(graph, DistributedGraph) and parts is None,
            backend="cuda" if backend == "cuda" else "cpu",
            parts=parts_options(parts),
        )
        if job.parts is not None and not isinstance(graph, DistributedGraph):
            self.check_folders(None, job.parts, report)
        with deadline.limited(stops.timeout):
            return self._run(program, graph, job, report)

    def resume(
        self,
        program: Program,
        result: Result,
        graph: Graph,
        *,
        backend: str = "auto",
        timeout: float | None = None,
        max_iterations: int | None = None,
        types: Mapping[str, Any] | None = None,
        report: Report | None = None,
    ) -> Result:
        """The result on `graph`, going on from that of a run before edges were inserted, as `Program.resume` has it.

        The workers get their parts of `graph`, and the values of `result`. Raises what `Program.resume` and `run`
        raise.
        """
        check_backend(backend)
        if backend == "cuda":
            check_run_on_gpus(program, has_checkpoints=False)
        from gdsl.api.resuming import continuations
        from gdsl.clusters.jobs import Job

        *_, last = continuations(program, result, as_graph(graph), types, backend="cpu")
        stops = limits(timeout, max_iterations)
        job = Job(
            last.program.text,
            last.program.knobs,
            _chosen(last.program, None),
            self._words_of(last.graph),
            without_defaults(last.arguments),
            last.program._rounded(last.rounded),
            stops,
            None,
            names=False,
            backend="cuda" if backend == "cuda" else "cpu",
            goes_on=True,
        )
        with deadline.limited(stops.timeout):
            return last.finished(self._run(last.program, last.graph, job, report))

    def check_folders(
        self, checkpoint: CheckpointOptions | None, parts: PartsOptions | None, report: Report | None = None
    ) -> None:
        """Find mistakes in the folders of a run before a graph is read. Raises E0809, E0907, E0911."""
        from gdsl.clusters.jobs import check_folders

        if checkpoint is not None or parts is not None:
            self._group.start(report)
            self._group.run(check_folders, lambda rank: (checkpoint, parts))

    def _run(self, program: Program, graph: object, job: Job, report: Report | None) -> Result:
        from gdsl.clusters.jobs import joined_names, perform
        from gdsl.graph.shares import GraphShare

        group = self._group
        group.start(report)
        held = None if isinstance(graph, DistributedGraph) else as_graph(graph)
        is_there, words_of_all = self._placed(job.graph)
        limited = replace(job.limits, spent=deadline.spent())

        def arguments(rank: int) -> tuple[Any, ...]:
            words = words_of_all
            if held is not None and not is_there:
                words = replace(words, share=GraphShare.of(held, rank, self.size))
            return (replace(job, graph=words, limits=limited),)

        try:
            parts = group.run(perform, arguments, report)
        except BaseException:
            self._held = [key for key in self._held if key != job.graph.key]  # some may have failed before they had it
            if job.parts is not None:
                remove_parts(job.parts)
            raise
        first = parts[0]
        instance = self.last = program if job.goes_on else _instance(program, first.types)
        warning = next((part.warning for part in parts if part.warning is not None), None)
        if warning is not None:
            warn(warning)
        outcome = first.outcome
        if job.parts is not None:
            summaries = [part.written.summaries for part in parts]
            arrays = PartFiles(job.parts.directory, first.written.manifest, summaries)
            outcome = replace(outcome, arrays=arrays)
        result = Result(instance._results, outcome, job.backend, "", first.compile_ms, first.params, held)
        result.lanes = self._lanes(instance, job.backend, [part.lane for part in parts])
        if held is not None:
            result._origin = replace(first.origin, graph=held._identity)
        if job.names:
            result._names = joined_names(parts)
        return result

    def _lanes(self, instance: Program, backend: str, lanes: list[Any]) -> Lanes:
        names = tuple(f"worker {member.rank} on {member.host}" for member in self._group.members)
        return Lanes(names, tuple(lanes), ExchangeLabels(instance.ir, backend))

    def _placed(self, words: GraphWords) -> tuple[bool, GraphWords]:
        """Whether the workers have their parts of this graph; and it, with those that they should forget for it."""
        if self._generation != self._group.generation:
            self._generation, self._held = self._group.generation, []
        is_there = words.key in self._held
        self._held = [*(key for key in self._held if key != words.key), words.key]
        forget, self._held = self._held[:-_MOST_GRAPHS], self._held[-_MOST_GRAPHS:]
        return is_there, replace(words, forget=tuple(forget))

    def _words_of(self, graph: object) -> GraphWords:
        from gdsl.clusters.jobs import GraphWords

        if isinstance(graph, DistributedGraph):
            return graph._words
        held = as_graph(graph)
        if held not in self._keys:
            self._keys[held] = f"graph {next(self._numbers)}"
        return GraphWords(self._keys[held])

    def close(self) -> None:
        """End the workers, and the Ray that was started for them."""
        self._group.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workers: {self.size}>"


def cluster(
    workers: int | None = None, *, address: str | None = None, mpi: bool = False, gpus: bool = False
) -> Workers:
    """Workers for ``program(graph, workers=…)``::

        with gdsl.cluster(workers=3) as workers:
            result = program("roads.parquet", workers=workers, source=0)

    workers: how many. Without an address, Ray starts them as processes of this host, which needs ``gdsl[ray]``.
    address: that of a Ray cluster, ``ray://host:10001``, ``host:6379`` or ``auto``; by default it runs one worker for
    each host.
    mpi: the workers are the ranks of MPI, in a script that ``mpiexec -n 3 python script.py`` has started, which needs
    ``gdsl[mpi]``. Only rank 0 goes on; the others work for it inside this call, and end when it has closed the workers.

    gpus: Ray gives each worker a GPU, for runs with ``backend="cuda"``; with an address the default is then one worker
    for each GPU of the cluster.

    Raises GdslError E0810 where the cluster cannot be reached or is too small, E0907 without the library, TypeError and
    ValueError for invalid arguments.
    """
    if workers is not None and not is_whole(workers):
        raise TypeError(f"workers must be a whole number, not {shown(workers)}")
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, not {shown(workers)}")
    if address is not None and not isinstance(address, str):
        raise TypeError(f"address must be a str, not {shown(address)}")
    reserves_gpus = flag("gpus", gpus)
    if not mpi:
        from gdsl.clusters.ray_cluster import RayCluster

        return Workers(RayCluster(None if workers is None else int(workers), address, gpus=reserves_gpus))
    if workers is not None or address is not None:
        raise ValueError("with mpi=True the workers are the ranks: mpiexec -n N python script.py")
    from gdsl.clusters.mpi_ranks import MpiRanks

    ranks = MpiRanks()
    if ranks.rank:
        status = ranks.follow()
        ranks.close()
        sys.exit(status)
    return Workers(ranks)


def check_backend(backend: str) -> None:
    """Raise ValueError for a backend that workers do not have."""
    if backend not in ("auto", "cpu", "cuda"):
        one = "; with cuda each worker uses one GPU of its host" if gpus_of(backend) else ""
        raise ValueError(f"backend must be auto, cpu or cuda for runs with workers, not {shown(backend)}{one}")


def check_run_on_gpus(program: Program, has_checkpoints: bool) -> None:
    """Raise E0811 for what workers with GPUs cannot do."""
    from gdsl.backends.cuda.planning import require_no_graphs

    if has_checkpoints:
        raise GdslError.single(
            "E0811",
            "workers with GPUs write no checkpoints",
            fix="leave out --checkpoint, --every and --resume, or --backend cuda",
        )
    try:
        require_no_graphs(program.ir)
    except GdslError as error:
        raise program._explained(error) from None


def _chosen(program: Program, types: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    chosen = {**program._chosen, **chosen_types(program.ir, types)}
    return tuple((name, type_.name) for name, type_ in chosen.items())


def _instance(program: Program, types: Sequence[tuple[str, str]]) -> Program:
    """The instance of these types."""
    key = tuple(Type.named(name) for _, name in types)
    if not key:
        return program
    return program._instances.get(key) or program._create_instance(key)
