"""Classes of graphs that no heuristic was made for: what `bench.knobs` searches beside those of `classes`.

As there, a generator draws the ends of edges by array operations of NumPy or CuPy, and the order of these matters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.classes import Ends, GraphClass, mesh


def _renamed(module: Any, seed: int, ends: Ends) -> Ends:
    """The same graph with shuffled ids."""
    count, sources, destinations = ends
    ids = module.argsort(module.random.default_rng(seed).random(count))
    return count, ids[sources], ids[destinations]


def _joined(module: Any, count: int, *parts: tuple[Any, Any]) -> Ends:
    """A graph of all these edges."""
    return count, module.concatenate([each[0] for each in parts]), module.concatenate([each[1] for each in parts])


def _path(module: Any, first: int, last: int) -> tuple[Any, Any]:
    """The edges from each vertex to the next one."""
    vertices = module.arange(first, last, dtype="int64")
    return vertices, vertices + 1


def _clique(module: Any, size: int) -> tuple[Any, Any]:
    pairs = module.arange(size * size, dtype="int64")
    return pairs // size, pairs % size


def grid3d(module: Any, count: int) -> Ends:
    """A mesh with shuffled ids."""
    return _renamed(module, 21, mesh(module, count))


def roads(module: Any, count: int, keep: float = 0.85) -> Ends:
    """A square grid of which a share of the edges is left, with shuffled ids."""
    side = max(int(count**0.5), 2)
    vertices = module.arange(side * side, dtype="int64")
    right, down = vertices[vertices % side != side - 1], vertices[: side * (side - 1)]
    sources, destinations = module.concatenate([right, down]), module.concatenate([right + 1, down + side])
    kept = module.random.default_rng(22).random(sources.size) < keep
    return _renamed(module, 22, (side * side, sources[kept], destinations[kept]))


def triangulation(module: Any, count: int) -> Ends:
    """A square grid with a diagonal in each cell, with shuffled ids."""
    side = max(int(count**0.5), 2)
    vertices = module.arange(side * side, dtype="int64")
    inside, down = vertices % side != side - 1, vertices < side * (side - 1)
    edges = ((vertices[inside], 1), (vertices[down], side), (vertices[inside & down], side + 1))
    return _renamed(module, 23, _joined(module, side * side, *((near, near + step) for near, step in edges)))


def barabasi(module: Any, count: int, each: int = 8) -> Ends:
    """Every vertex is joined with earlier ones, by the number of edges that these have, ids shuffled.
    (Barabási and Albert 1999.)"""
    places = module.arange(count * each, dtype="int64")
    sources = places // each
    drawn = (module.random.default_rng(24).random(places.size) * (2 * each * sources)).astype("int64")
    while True:  # an odd number is the far end of an earlier edge, which was drawn likewise
        odd = module.flatnonzero(drawn % 2)
        if not odd.size:
            return _renamed(module, 24, (count, sources, sources[drawn // 2]))
        drawn[odd] = drawn[drawn[odd] // 2]


def hypercube(module: Any, count: int) -> Ends:
    """Vertices whose ids differ in one bit are adjacent."""
    bits = max(int(count).bit_length() - 1, 1)
    vertices = module.arange(1 << bits, dtype="int64")
    return _joined(module, 1 << bits, *((vertices, vertices ^ (1 << bit)) for bit in range(bits)))


def de_bruijn(module: Any, count: int) -> Ends:
    """Words of bits, each next to those that it becomes by a shift (de Bruijn 1946)."""
    vertices = module.arange(count, dtype="int64")
    return _joined(module, count, *((vertices, (2 * vertices + bit) % count) for bit in range(2)))


def complete(module: Any, count: int) -> Ends:
    """Any two vertices are adjacent."""
    return count, *_clique(module, count)


def clique_ring(module: Any, count: int, size: int = 20) -> Ends:
    """Cliques in a ring, each joined with the next one by an edge."""
    first = module.arange(max(count // size, 2), dtype="int64") * size
    near, far = _clique(module, size)
    inside = ((first[:, None] + end[None, :]).ravel() for end in (near, far))
    return _joined(module, first.size * size, tuple(inside), (first + size - 1, (first + size) % (first.size * size)))


def caterpillar(module: Any, count: int, legs: int = 99) -> Ends:
    """A path, each vertex of which has as many leaves."""
    spine = max(count // (legs + 1), 2)
    leaves = module.arange(spine, spine * (legs + 1), dtype="int64")
    return _renamed(
        module, 25, _joined(module, spine * (legs + 1), _path(module, 0, spine - 1), (leaves, leaves % spine))
    )


def lollipop(module: Any, count: int) -> Ends:
    """A clique of half of the vertices, and a path of the others that begins there."""
    return _joined(module, count, _clique(module, count // 2), _path(module, count // 2 - 1, count - 1))


def star_forest(module: Any, count: int, size: int = 300) -> Ends:
    """Stars of equal size."""
    leaves = module.arange(count, dtype="int64")
    return _renamed(module, 26, (count, leaves, leaves // size * size))


def binary_tree(module: Any, count: int) -> Ends:
    """A full binary tree, ids level by level."""
    children = module.arange(1, count, dtype="int64")
    return count, children, (children - 1) // 2


def half_hub(module: Any, count: int, degree: int = 8) -> Ends:
    """Edges at random, and one vertex that knows half of all."""
    random = module.random.default_rng(27)
    ends = (random.integers(0, count, count * degree // 2, dtype=np.int64) for _ in range(2))
    known = module.arange(0, count, 2, dtype="int64")
    return _joined(module, count, tuple(ends), (module.zeros_like(known), known))


def mixed(module: Any, count: int) -> Ends:
    """A grid and a power law side by side, joined by one edge."""
    grid_count, *grid = roads(module, count // 2)
    other_count, *other = barabasi(module, count // 4)
    end = module.full(1, grid_count, dtype="int64")
    beside = (other[0] + grid_count, other[1] + grid_count)
    return _joined(module, grid_count + other_count, (grid[0], grid[1]), beside, (end - 1, end))


def multi(module: Any, count: int, degree: int = 4, most: int = 8) -> Ends:
    """Edges at random, each of them up to `most` times, and loops."""
    random = module.random.default_rng(28)
    sources, destinations = (random.integers(0, count, count * degree // 2, dtype=np.int64) for _ in range(2))
    times = random.integers(1, most + 1, sources.size, dtype=np.int64)
    loops = module.arange(0, count, 10, dtype="int64")
    ends = [module.concatenate([each[times > copy] for copy in range(most)]) for each in (sources, destinations)]
    return _joined(module, count, (ends[0], ends[1]), (loops, loops))


def threshold(module: Any, count: int, degree: float = 1.2) -> Ends:
    """Directed edges at random, few enough that strong components are small and one is not."""
    random = module.random.default_rng(29)
    sources, destinations = (random.integers(0, count, int(count * degree), dtype=np.int64) for _ in range(2))
    return count, sources, destinations


def _class(draw: Any, on_gpu: int, on_cpu: int, largest_weight: int = 64, **other: bool) -> GraphClass:
    return GraphClass(draw, {"cuda": on_gpu, "cpu": on_cpu}, largest_weight, **other)


MORE_CLASSES = {
    "grid3d": _class(grid3d, 3_000_000, 27_000, 1000),
    "roads": _class(roads, 6_000_000, 40_000, 1000),
    "triangulation": _class(triangulation, 2_500_000, 40_000, 1000),
    "barabasi": _class(barabasi, 1_000_000, 20_000),
    "barabasi_wide": _class(barabasi, 1_000_000, 20_000, 1 << 20),
    "hypercube": _class(hypercube, 1 << 20, 1 << 14),
    "hypercube_equal": _class(hypercube, 1 << 20, 1 << 14, 1),
    "hypercube_wide": _class(hypercube, 1 << 20, 1 << 14, 1 << 20),
    "de_bruijn": _class(de_bruijn, 1 << 22, 1 << 14),
    "complete": _class(complete, 4_000, 300),
    "clique_ring": _class(clique_ring, 1_000_000, 20_000),
    "caterpillar": _class(caterpillar, 1_200_000, 20_000),
    "lollipop": _class(lollipop, 5_000, 400),
    "star_forest": _class(star_forest, 4_000_000, 40_000),
    "binary_tree": _class(binary_tree, (1 << 22) - 1, (1 << 14) - 1),
    "half_hub": _class(half_hub, 2_000_000, 20_000),
    "mixed": _class(mixed, 3_000_000, 40_000),
    "multi": _class(multi, 1_500_000, 20_000, parallel=True),
    "threshold": _class(threshold, 4_000_000, 40_000, directed=True),
}
