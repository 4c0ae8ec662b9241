"""The CPU peers from PyPI: networkit, igraph and SciPy, as far as they are installed.

Each offers for a work a function that prepares a graph and gives back what is to be timed. What a library does around
its algorithm (igraph's lists of Python numbers, SciPy's checks of its matrix) is inside, as its users pay for it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from bench.graphs import BenchmarkGraph
from bench.rows import ITERATIONS

Run = Callable[[int | None], float]
"""One run from a source (None where there is none); milliseconds, of an iteration for PageRank."""


class Peer:
    """One library with one graph; `works` are the works that it has."""

    name = ""
    works: ClassVar[dict[str, str]] = {}

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        """Build the library's own graph; not timed."""
        self.module, self.graph, self.threads = module, graph, threads

    def run(self, work: str, source: int | None) -> float:
        """Milliseconds of one run."""
        return float(getattr(self, self.works[work])(source))


class Networkit(Peer):
    """networkit: C++ and OpenMP. Its BFS and Dijkstra run on one thread; of its two component algorithms, the faster.

    BFS is timed without predecessors, as it keeps all of a vertex and not one.
    """

    name = "networkit"
    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "bfs_distances": "bfs",
        "sssp": "dijkstra",
        "pagerank": "pagerank",
        "components": "components",
    }

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        super().__init__(module, graph, threads)
        module.setNumberOfThreads(threads)
        once = graph.edge_sources < graph.columns
        ends = tuple(array[once].astype(np.uint64) for array in (graph.edge_sources, graph.columns))
        weights = graph.weights[once].astype(np.float64)
        self.plain = module.GraphFromCoo(ends, n=graph.num_vertices)
        self.weighted = module.GraphFromCoo((weights, ends), n=graph.num_vertices, weighted=True)
        self.plain.sortEdges()
        self.weighted.sortEdges()

    def bfs(self, source: int | None) -> float:
        return timed(self.module.distance.BFS(self.plain, source, False).run)

    def dijkstra(self, source: int | None) -> float:
        return timed(self.module.distance.Dijkstra(self.weighted, source, False).run)

    def pagerank(self, _: int | None) -> float:
        algorithm = self.module.centrality.PageRank(self.plain, 0.85, 0.0)
        algorithm.maxIterations = ITERATIONS
        return timed(algorithm.run) / int(algorithm.numberOfIterations())

    def components(self, _: int | None) -> float:
        parallel = timed(self.module.components.ParallelConnectedComponents(self.plain).run)
        return min(parallel, timed(self.module.components.ConnectedComponents(self.plain).run))


class Igraph(Peer):
    """igraph: C, one thread."""

    name = "igraph"
    works: ClassVar[dict[str, str]] = {"bfs": "bfs", "sssp": "dijkstra", "components": "components"}

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        super().__init__(module, graph, threads)
        once = graph.edge_sources < graph.columns
        edges = np.stack([graph.edge_sources[once], graph.columns[once]], axis=1)
        self.own = module.Graph(n=graph.num_vertices, edges=edges)
        self.weights = graph.weights[once].astype(np.float64).tolist()

    def bfs(self, source: int | None) -> float:
        return timed(lambda: self.own.bfs(source))

    def dijkstra(self, source: int | None) -> float:
        return timed(lambda: self.own.distances(source, weights=self.weights))

    def components(self, _: int | None) -> float:
        return timed(self.own.connected_components)


class Scipy(Peer):
    """scipy.sparse.csgraph: one thread. PageRank is a product with the sparse matrix for each iteration."""

    name = "scipy"
    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "sssp": "dijkstra",
        "pagerank": "pagerank",
        "components": "components",
    }

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        super().__init__(module, graph, threads)
        self.csgraph = importlib.import_module("scipy.sparse.csgraph")
        sparse = importlib.import_module("scipy.sparse")
        shape = (graph.num_vertices, graph.num_vertices)
        parts = (graph.columns, graph.offsets.astype(np.int32))
        self.plain = sparse.csr_array((np.ones(graph.num_edges), *parts), shape=shape)
        self.single = sparse.csr_array((np.ones(graph.num_edges, np.float32), *parts), shape=shape)
        self.weighted = sparse.csr_array((graph.weights.astype(np.float64), *parts), shape=shape)

    def bfs(self, source: int | None) -> float:
        return timed(lambda: self.csgraph.breadth_first_order(self.plain, source))

    def dijkstra(self, source: int | None) -> float:
        return timed(lambda: self.csgraph.dijkstra(self.weighted, indices=source))

    def pagerank(self, _: int | None) -> float:
        def iterate() -> None:
            count = self.graph.num_vertices
            degrees = np.diff(self.graph.offsets).astype(np.float32)
            rank = np.full(count, 1 / count, np.float32)
            for _ in range(ITERATIONS):
                dangling = rank[degrees == 0].sum() / count
                rank = np.float32(0.15 / count) + np.float32(0.85) * (
                    self.single @ (rank / np.maximum(degrees, 1)) + dangling
                )

        return timed(iterate) / ITERATIONS

    def components(self, _: int | None) -> float:
        return timed(lambda: self.csgraph.connected_components(self.plain, directed=False))


PEERS: tuple[type[Peer], ...] = (Networkit, Igraph, Scipy)


def installed() -> tuple[dict[str, Any], list[str]]:
    """The modules of the peers by name, and the names of those that are missing."""
    found: dict[str, Any] = {}
    missing = []
    for peer in PEERS:
        try:
            found[peer.name] = importlib.import_module(peer.name)
        except ImportError:
            missing.append(peer.name)
    return found, missing


def peers_on(graph: BenchmarkGraph, modules: dict[str, Any], threads: int) -> list[Peer]:
    """The peers in `modules`, each with its own copy of the graph."""
    return [peer(modules[peer.name], graph, threads) for peer in PEERS if peer.name in modules]


def timed(function: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    started = time.perf_counter()
    function()
    return (time.perf_counter() - started) * 1000
