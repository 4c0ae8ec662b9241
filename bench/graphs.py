"""The graphs of the benchmark: files, or R-MAT and grids, on the GPU with CuPy, on the host with gdsl's own generators.

The GPU's are those from which the published times in docs/performance.md were taken, bit for bit: the operations and
the random stream (CuPy's default generator) decide them, so their order below matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.classes import CLASSES
from bench.more_classes import MORE_CLASSES
from gdsl.graph import Graph, open_graph
from gdsl.graph.csr import Csr

KNOWN_SIZES = {
    "rmat22": (4194304, 128309820),
    "grid3000": (9000000, 32391430),
    "rmat24": (16777216, 520775866),
    "rmat26": (67108864, 2103865852),
}
"""Vertices and stored edges; another count means another random stream, whose times must not be compared."""
KNOWN_SOURCES = {
    "rmat22": [1131429, 2143252, 3567989, 2670977],
    "grid3000": [2428078, 4600247, 7655628, 5732679],
}
LARGEST_WEIGHT = {"rmat": 64, "grid": 1000, "file": 64, "directed_rmat": 64, "one_way_grid": 1000}
_DRAWN = CLASSES | MORE_CLASSES
LARGEST_WEIGHT |= {name: each.largest_weight for name, each in _DRAWN.items()}
DIRECTED = ("directed_rmat", "one_way_grid", *(name for name, each in _DRAWN.items() if each.directed))
"""Kinds whose edges are stored as they point; all others are symmetric."""
_EDGES_AT_ONCE = 1 << 27
_NAME = re.compile(r"(rmat|grid|directed_rmat|one_way_grid)([1-9][0-9]*)")
_CLASS = re.compile(f"({'|'.join(_DRAWN)})([1-9][0-9]*)?")


@dataclass
class BenchmarkGraph:
    """A graph without loops and parallel edges, symmetric but for the `DIRECTED` kinds, where gdsl and where the checks
    want it.

    graph: what gdsl runs on, with host arrays.
    module: numpy or cupy; the arrays below are its arrays.
    offsets: int64[V+1]; columns: int32[E]; edge_sources: int32[E], the source of each edge.
    sources: vertices of non-zero degree to run from.
    weights: float32[E], equal in both directions, whole numbers from 1.
    """

    name: str
    graph: Graph
    module: Any
    offsets: Any
    columns: Any
    edge_sources: Any
    sources: list[int]
    weights: Any
    components: int | None = field(default=None, repr=False)

    @property
    def num_vertices(self) -> int:
        return self.graph.num_vertices

    @property
    def num_edges(self) -> int:
        """Directed edges, as stored."""
        return self.graph.num_edges


def split_name(name: str) -> tuple[str, int]:
    """("rmat", scale), ("grid", side), and the same for the other kinds of `_NAME`; a class with its number of
    vertices, 0 for the usual one; ("file", 0) for the path of a file. Raises ValueError for any other name."""
    match = _NAME.fullmatch(name) or _CLASS.fullmatch(name)
    if match is not None:
        return match[1], int(match[2] or 0)
    if Path(name).is_file():
        return "file", 0
    raise ValueError(
        f"{name!r} is no benchmark graph: rmatSCALE, gridSIDE, directed_rmatSCALE or one_way_gridSIDE, "
        f"such as rmat22 or grid3000; a class, one of {', '.join(CLASSES)}; or a file"
    )


def load(name: str, backend: str, num_sources: int = 4) -> BenchmarkGraph:
    """The graph called `name` (see `split_name`), made where `backend` ("cuda" or "cpu") runs.

    Of a file all arcs count both ways, without weights, loops and parallel edges. Raises GdslError where it cannot be
    read, ValueError where it has no edges.
    """
    if backend == "cpu":
        kind = split_name(name)[0]
        return (made_graph if kind in DIRECTED or kind in _DRAWN else _host_graph)(name, np, num_sources)
    import cupy

    return (_host_graph if split_name(name)[0] == "file" else made_graph)(name, cupy, num_sources)


def _host_graph(name: str, module: Any, num_sources: int) -> BenchmarkGraph:
    kind, size = split_name(name)
    spec = name if kind == "file" else f"{kind}:{size}"
    weights = f"random:1:{LARGEST_WEIGHT[kind]}"
    graph = open_graph(spec, undirected=True, loops=False, dedup="first", weights=weights)
    sources = _drawn(np.flatnonzero(graph.out_degrees > 0), num_sources, [])
    if not sources:
        raise ValueError(f"{name} has no edges between different vertices: there is nothing to measure")
    parts = graph.offsets, graph.columns, graph.edge_sources
    offsets, columns, edge_sources = (module.asarray(part) for part in parts)
    own_weights = module.asarray(graph.attributes["weight"].astype(np.float32))
    return BenchmarkGraph(name, graph, module, offsets, columns, edge_sources, sources, own_weights)


def made_graph(name: str, module: Any, num_sources: int = 4) -> BenchmarkGraph:
    """The graph by array operations of `module`; only CuPy's random stream makes those of the published times."""
    kind, size = split_name(name)
    if kind == "rmat":
        vertices, *ends = drawn_edges(module, size)
        offsets, columns = _simple_csr(module, vertices, *ends)
        del ends
    elif kind == "directed_rmat":
        vertices, *ends = drawn_edges(module, size, edge_factor=8, seed=5)
        offsets, columns = _simple_csr(module, vertices, ends[0], ends[1], both_ways=False)
        del ends
    elif kind == "one_way_grid":
        vertices, offsets, columns = _one_way_grid(module, size)
    elif kind in _DRAWN:
        drawn = _DRAWN[kind]
        vertices, *ends = drawn.draw(module, size or drawn.vertices["cpu" if module is np else "cuda"])
        both, parallel = not drawn.directed, drawn.parallel
        offsets, columns = _simple_csr(module, vertices, ends[0], ends[1], both_ways=both, parallel=parallel)
        del ends
    else:
        vertices, offsets, columns = _grid(module, size)
    counts = vertices, int(columns.size)
    if module is not np and KNOWN_SIZES.get(name, counts) != counts:
        raise RuntimeError(
            f"{name} has {counts} vertices and edges instead of {KNOWN_SIZES[name]}: another random stream"
        )
    edge_sources, weights = _edge_values(module, offsets, columns, LARGEST_WEIGHT[kind])
    sources = _drawn(_on_host(module.flatnonzero(module.diff(offsets) > 0)), num_sources, KNOWN_SOURCES.get(name, []))
    # Weights go in as an array of the device.
    graph = Graph._of_csr(Csr(_on_host(offsets), _on_host(columns), kind in DIRECTED, {}, {}))
    release(module)
    return BenchmarkGraph(name, graph, module, offsets, columns, edge_sources, sources, weights)


def release(module: Any) -> None:
    """Give CuPy's cached blocks back, as gdsl asks the driver how much memory is free."""
    if module is not np:
        module.get_default_memory_pool().free_all_blocks()


def drawn_edges(module: Any, scale: int, edge_factor: int = 16, seed: int = 1) -> tuple[int, Any, Any]:
    """(vertices, sources, destinations) of R-MAT (Chakrabarti, Zhan and Faloutsos 2004) with the parameters of Graph500
    and shuffled ids, as drawn."""
    a, b, c = 0.57, 0.19, 0.19
    count, draws = 1 << scale, edge_factor << scale
    random = module.random.default_rng(seed)
    sources, destinations = module.zeros(draws, np.int32), module.zeros(draws, np.int32)
    for bit in range(scale):
        part = random.random(draws, dtype=np.float32)
        for some in _pieces(draws):
            own = part[some]
            sources[some] |= (own >= a + b).astype(np.int32) << bit
            destinations[some] |= (((own >= a) & (own < a + b)) | (own >= a + b + c)).astype(np.int32) << bit
        del part
    ids = module.argsort(random.random(count, dtype=np.float32)).astype(np.int32)
    for some in _pieces(draws):
        sources[some], destinations[some] = ids[sources[some]], ids[destinations[some]]
    release(module)
    return count, sources, destinations


def _grid(module: Any, side: int, keep: float = 0.9, seed: int = 2) -> tuple[int, Any, Any]:
    """A square grid, ids row by row, of whose edges a share is kept."""
    count = side * side
    vertices = module.arange(count, dtype=np.int64)
    right, down = vertices[vertices % side != side - 1], vertices[: count - side]
    sources, destinations = module.concatenate([right, down]), module.concatenate([right + 1, down + side])
    kept = module.random.default_rng(seed).random(sources.size, dtype=np.float32) < keep
    return count, *_simple_csr(module, count, sources[kept], destinations[kept])


def _one_way_grid(
    module: Any, side: int, against: float = 0.35, both: float = 0.15, seed: int = 3
) -> tuple[int, Any, Any]:
    """A square grid, ids row by row, whose edges point up or left in the share `against`, both ways in the share `both`
    and else down or right: one large and many small strong components."""
    count = side * side
    vertices = module.arange(count, dtype=np.int64)
    right, down = vertices[vertices % side != side - 1], vertices[: count - side]
    sources, destinations = module.concatenate([right, down]), module.concatenate([right + 1, down + side])
    drawn = module.random.default_rng(seed).random(sources.size, dtype=np.float32)
    turned, two_way = drawn < against, drawn > 1 - both
    tails = module.concatenate([module.where(turned, destinations, sources), destinations[two_way]])
    heads = module.concatenate([module.where(turned, sources, destinations), sources[two_way]])
    return count, *_simple_csr(module, count, tails, heads, both_ways=False)


def _simple_csr(
    module: Any, count: int, sources: Any, destinations: Any, both_ways: bool = True, parallel: bool = False
) -> tuple[Any, Any]:
    """(offsets, columns) of the edges without loops and duplicates, unless `parallel`, each list ascending: the lists
    of some vertices after the other, as sorting takes several times the memory of what it sorts."""
    parts = max(1, 2 * sources.size // _EDGES_AT_ONCE)
    degrees, columns = module.zeros(count, np.int64), []
    for low, high in pairwise(count * part // parts for part in range(parts + 1)):
        drawn = module.concatenate(list(_keys(sources, destinations, count, low, high, both_ways, parallel)))
        keys = module.sort(drawn) if parallel else module.unique(drawn)
        del drawn
        near = keys // count
        columns.append((keys - near * count).astype(np.int32))
        degrees[low:high] = module.bincount(near - low, minlength=high - low)
        del keys, near
        release(module)
    offsets = module.zeros(count + 1, np.int64)
    offsets[1:] = module.cumsum(degrees)
    return offsets, module.concatenate(columns)


def _keys(
    sources: Any, destinations: Any, count: int, low: int, high: int, both_ways: bool, loops: bool
) -> Iterator[Any]:
    """The edges (`both_ways`: in both directions) that leave the vertices from `low` on, before `high`, with or without
    loops: a number for each, ordered by source and then by destination."""
    for some in _pieces(sources.size):
        ends = sources[some], destinations[some]
        for near, far in (ends, ends[::-1]) if both_ways else (ends,):
            taken = (near >= low) & (near < high) & (loops | (near != far))
            yield near[taken].astype(np.int64) * count + far[taken]


def _edge_values(module: Any, offsets: Any, columns: Any, largest: int) -> tuple[Any, Any]:
    """int32[E] and float32[E]: of each edge the source, and the weight."""
    edge_sources, weights = module.empty(columns.size, np.int32), module.empty(columns.size, np.float32)
    for some in _pieces(columns.size):
        places = module.arange(some.start, some.stop, dtype=np.int64)
        edge_sources[some] = module.searchsorted(offsets[1:], places, side="right")
        weights[some] = _weights(module, edge_sources[some], columns[some], largest)
    return edge_sources, weights


def _pieces(count: int) -> Iterator[slice]:
    """So many elements, some at a time: what is computed of them meanwhile takes memory too."""
    for start in range(0, count, _EDGES_AT_ONCE):
        yield slice(start, min(start + _EDGES_AT_ONCE, count))


def _weights(module: Any, sources: Any, columns: Any, largest: int) -> Any:
    """float32[E]: whole numbers 1 … largest by a hash of the two ends, which has no direction."""
    low = module.minimum(sources, columns).astype(np.uint64)
    high = module.maximum(sources, columns).astype(np.uint64)
    words = low * np.uint64(0x9E3779B97F4A7C15) + high * np.uint64(0xC2B2AE3D27D4EB4F)
    words ^= words >> np.uint64(31)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(29)
    return (words % np.uint64(largest) + np.uint64(1)).astype(np.float32)


def _drawn(candidates: Any, count: int, known: list[int]) -> list[int]:
    """The first `count` of the known sources, or drawn ones where they are too few."""
    if count <= len(known):
        return known[:count]
    drawn = np.random.default_rng(0).choice(candidates, min(count, len(candidates)), replace=False)
    return [*known, *(int(vertex) for vertex in drawn if vertex not in known)][:count]


def _on_host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array
