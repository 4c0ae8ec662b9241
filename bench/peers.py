"""The CPU peers from PyPI: networkit, igraph and SciPy, as far as they are installed.

Each offers for a work a function that prepares a graph and gives back what is to be timed. What a library does around
its algorithm (igraph's lists of Python numbers, SciPy's checks of its matrix) is inside, as its users pay for it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from bench.graphs import BenchmarkGraph
from bench.works import DAMPING, ITERATIONS, sink_of


@dataclass(frozen=True)
class PeerRun:
    """One run: milliseconds (of an iteration for PageRank), and how to get the answer that `Work.answer` is about."""

    ms: float
    answer: Callable[[], float] | None = None


class Peer:
    """One library with one graph; `works` are the works that it has."""

    name = ""
    works: ClassVar[dict[str, str]] = {}

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        """Build the library's own graph; not timed."""
        self.module, self.graph, self.threads = module, graph, threads

    def run(self, work: str, source: int | None) -> PeerRun:
        """One run from a source (None where there is none)."""
        run: PeerRun = getattr(self, self.works[work])(source)
        return run


class Networkit(Peer):
    """networkit: C++ and OpenMP.

    Its BFS, Dijkstra, strong components, Kruskal and Luby run on one thread. Of two algorithms for one work the faster
    counts. BFS is timed without predecessors, as it keeps all of a vertex and not one. Betweenness is not there for one
    source.
    """

    name = "networkit"
    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "bfs_distances": "bfs",
        "sssp": "dijkstra",
        "pagerank": "pagerank",
        "components": "components",
        "triangles": "triangles",
        "k_core": "cores",
        "maximal_independent_set": "independent_set",
        "minimum_spanning_forest": "forest",
        "strongly_connected_components": "strong_components",
        "louvain": "communities",
    }

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        super().__init__(module, graph, threads)
        module.setNumberOfThreads(threads)
        once = graph.edge_sources < graph.columns
        self.ends = tuple(array[once].astype(np.uint64) for array in (graph.edge_sources, graph.columns))
        self.plain = module.GraphFromCoo(self.ends, n=graph.num_vertices)
        self.plain.sortEdges()
        self.plain.indexEdges()

    @cached_property
    def weighted(self) -> Any:
        weights = self.graph.weights[self.graph.edge_sources < self.graph.columns].astype(np.float64)
        made = self.module.GraphFromCoo((weights, self.ends), n=self.graph.num_vertices, weighted=True)
        made.sortEdges()
        return made

    @cached_property
    def directed(self) -> Any:
        ends = tuple(array.astype(np.uint64) for array in (self.graph.edge_sources, self.graph.columns))
        made = self.module.GraphFromCoo(ends, n=self.graph.num_vertices, directed=True)
        made.sortEdges()
        return made

    def bfs(self, source: int | None) -> PeerRun:
        return timed(self.module.distance.BFS(self.plain, source, False).run)

    def dijkstra(self, source: int | None) -> PeerRun:
        return timed(self.module.distance.Dijkstra(self.weighted, source, False).run)

    def pagerank(self, _: int | None) -> PeerRun:
        algorithm = self.module.centrality.PageRank(self.plain, DAMPING, 0.0)
        algorithm.maxIterations = ITERATIONS
        return PeerRun(timed(algorithm.run).ms / int(algorithm.numberOfIterations()))

    def components(self, _: int | None) -> PeerRun:
        ways = self.module.components.ParallelConnectedComponents, self.module.components.ConnectedComponents
        return faster(*(timed(way(self.plain).run, lambda done: done.numberOfComponents()) for way in ways))

    def strong_components(self, _: int | None) -> PeerRun:
        algorithm = self.module.components.StronglyConnectedComponents(self.directed)
        return timed(algorithm.run, lambda done: done.numberOfComponents())

    def triangles(self, _: int | None) -> PeerRun:
        score = self.module.sparsification.TriangleEdgeScore(self.plain)
        return timed(score.run, lambda done: sum(done.scores()) / 3)

    def cores(self, _: int | None) -> PeerRun:
        ways = (self.module.centrality.CoreDecomposition(self.plain, False, serial) for serial in (False, True))
        return faster(*(timed(way.run, lambda done: sum(done.scores())) for way in ways))

    def independent_set(self, _: int | None) -> PeerRun:
        return timed(partial(self.module.independentset.Luby().run, self.plain))

    def forest(self, _: int | None) -> PeerRun:
        ways = self.module.graph.KruskalMSF, self.module.graph.PrimMSF
        return faster(*(timed(way(self.weighted).run, lambda done: done.getTotalWeight()) for way in ways))

    def communities(self, _: int | None) -> PeerRun:
        quality = self.module.community.Modularity().getQuality
        algorithm = self.module.community.PLM(self.plain, False)
        return timed(algorithm.run, lambda done: quality(done.getPartition(), self.plain))


class Igraph(Peer):
    """igraph: C, one thread. Triangles are counted for the transitivity of the whole graph."""

    name = "igraph"
    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "sssp": "dijkstra",
        "components": "components",
        "triangles": "triangles",
        "betweenness": "betweenness",
        "k_core": "cores",
        "coloring": "coloring",
        "minimum_spanning_forest": "forest",
        "strongly_connected_components": "strong_components",
        "louvain": "communities",
    }

    def __init__(self, module: Any, graph: BenchmarkGraph, threads: int) -> None:
        super().__init__(module, graph, threads)
        once = graph.edge_sources < graph.columns
        self.own = self._made(once, False)
        self.weights = graph.weights[once].astype(np.float64).tolist()

    def _made(self, edges: Any, directed: bool) -> Any:
        ends = np.stack([self.graph.edge_sources[edges], self.graph.columns[edges]], axis=1)
        return self.module.Graph(n=self.graph.num_vertices, edges=ends, directed=directed)

    @cached_property
    def directed(self) -> Any:
        return self._made(slice(None), True)

    def run(self, work: str, source: int | None) -> PeerRun:
        """One run, for which nothing is known from an earlier one: igraph keeps whether a graph is connected."""
        for graph in (self.own, self.__dict__.get("directed")):
            if graph is not None:
                getattr(graph, "__invalidate_cache")()  # as an attribute Python would mangle the name
        return super().run(work, source)

    def bfs(self, source: int | None) -> PeerRun:
        return timed(lambda: self.own.bfs(source))

    def dijkstra(self, source: int | None) -> PeerRun:
        return timed(lambda: self.own.distances(source, weights=self.weights))

    def components(self, _: int | None) -> PeerRun:
        return timed(self.own.connected_components, len)

    def strong_components(self, _: int | None) -> PeerRun:
        return timed(partial(self.directed.connected_components, mode="strong"), len)

    def triangles(self, _: int | None) -> PeerRun:
        degrees = np.diff(self.graph.offsets)
        triples = int((degrees * (degrees - 1) // 2).sum())
        return timed(partial(self.own.transitivity_undirected, mode="zero"), lambda share: round(share * triples / 3))

    def betweenness(self, source: int | None) -> PeerRun:
        run = partial(self.own.betweenness, directed=False, sources=[source])
        return timed(run, lambda centrality: 2 * sum(centrality))  # each pair of vertices once

    def cores(self, _: int | None) -> PeerRun:
        return timed(self.own.coreness, sum)

    def coloring(self, _: int | None) -> PeerRun:
        return timed(self.own.vertex_coloring_greedy)

    def forest(self, _: int | None) -> PeerRun:
        run = partial(self.own.spanning_tree, weights=self.weights, return_tree=False)
        return timed(run, lambda edges: sum(self.weights[edge] for edge in edges))

    def communities(self, _: int | None) -> PeerRun:
        return timed(self.own.community_multilevel, lambda found: float(found.modularity))


class Scipy(Peer):
    """scipy.sparse.csgraph: one thread. PageRank is a product with the sparse matrix for each iteration."""

    name = "scipy"
    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "sssp": "dijkstra",
        "pagerank": "pagerank",
        "components": "components",
        "minimum_spanning_forest": "forest",
        "strongly_connected_components": "strong_components",
        "max_flow": "flow",
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
        own = graph.weights.astype(np.int32), graph.columns.astype(np.int32), parts[1]  # it writes to its arrays
        self.capacities = sparse.csr_array(own, shape=shape)

    def bfs(self, source: int | None) -> PeerRun:
        return timed(lambda: self.csgraph.breadth_first_order(self.plain, source))

    def dijkstra(self, source: int | None) -> PeerRun:
        return timed(lambda: self.csgraph.dijkstra(self.weighted, indices=source))

    def pagerank(self, _: int | None) -> PeerRun:
        def iterate() -> None:
            count = self.graph.num_vertices
            degrees = np.diff(self.graph.offsets).astype(np.float32)
            rank = np.full(count, 1 / count, np.float32)
            for _ in range(ITERATIONS):
                dangling = rank[degrees == 0].sum() / count
                rank = np.float32((1 - DAMPING) / count) + np.float32(DAMPING) * (
                    self.single @ (rank / np.maximum(degrees, 1)) + dangling
                )

        return PeerRun(timed(iterate).ms / ITERATIONS)

    def components(self, _: int | None) -> PeerRun:
        return timed(partial(self.csgraph.connected_components, self.plain, directed=False), lambda found: found[0])

    def strong_components(self, _: int | None) -> PeerRun:
        run = partial(self.csgraph.connected_components, self.plain, directed=True, connection="strong")
        return timed(run, lambda found: found[0])

    def flow(self, source: int | None) -> PeerRun:
        run = partial(self.csgraph.maximum_flow, self.capacities, source, sink_of(self.graph, int(source or 0)))
        return timed(run, lambda found: float(found.flow_value))

    def forest(self, _: int | None) -> PeerRun:
        return timed(partial(self.csgraph.minimum_spanning_tree, self.weighted), lambda tree: float(tree.sum()))


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


def timed(function: Callable[[], Any], answer: Callable[[Any], float] | None = None) -> PeerRun:
    """One call; `answer` makes the answer of what it gives back, once that is asked for."""
    started = time.perf_counter()
    value = function()
    milliseconds = (time.perf_counter() - started) * 1000
    return PeerRun(milliseconds, None if answer is None else partial(answer, value))


def faster(*runs: PeerRun) -> PeerRun:
    return min(runs, key=lambda run: run.ms)
