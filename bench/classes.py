"""The classes of graphs: what each generator draws, by array operations of NumPy or CuPy.

The first five are those from which published times of peers were taken; the random stream decides their edges, so the
order of the operations matters. Every class has at most one of: long distances, hubs, locality of ids, triangles; only
`hub_chain` has both of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Ends = tuple[int, Any, Any]
"""The number of vertices, and int64 arrays of the edges' sources and destinations."""


@dataclass(frozen=True)
class GraphClass:
    """One class. draw: (module, vertices) to `Ends`. vertices: by default, by backend. weights: 1 to this. parallel:
    whether loops and parallel edges stay."""

    draw: Callable[[Any, int], Ends]
    vertices: dict[str, int]
    largest_weight: int = 64
    directed: bool = False
    parallel: bool = False


def random_geometric(module: Any, count: int, degree: int = 12, seed: int = 5) -> Ends:
    """Vertices at random in the unit square, numbered by cell; those that are close are adjacent."""
    random = module.random.default_rng(seed)
    radius = (degree / (module.pi * count)) ** 0.5
    side = max(int(1 / radius), 1)
    x, y = random.random(count, dtype=np.float64), random.random(count, dtype=np.float64)
    cell = (x * side).astype(np.int64) * side + (y * side).astype(np.int64)
    order = module.argsort(cell)
    x, y, cell = x[order], y[order], cell[order]
    start = module.searchsorted(cell, module.arange(side * side + 1))
    row, column = cell // side, cell % side
    sources, destinations = [], []
    for step in ((across, along) for across in (-1, 0, 1) for along in (-1, 0, 1)):
        other_row, other_column = row + step[0], column + step[1]
        inside = (other_row >= 0) & (other_row < side) & (other_column >= 0) & (other_column < side)
        other = module.where(inside, other_row * side + other_column, 0)
        first, last = start[other], start[other + 1]
        members = module.where(inside, last - first, 0)
        for place in range(int(members.max())):
            near = module.flatnonzero(place < members)
            far = first[near] + place
            close = (near < far) & ((x[near] - x[far]) ** 2 + (y[near] - y[far]) ** 2 < radius * radius)
            sources.append(near[close])
            destinations.append(far[close])
    return count, module.concatenate(sources), module.concatenate(destinations)


def small_world(module: Any, count: int, half: int = 5, share: float = 0.005) -> Ends:
    """A ring whose vertices know `half` neighbors on each side; a share of the edges leads anywhere (Watts, Strogatz
    1998)."""
    vertices = module.arange(count, dtype=np.int64)
    random = module.random.default_rng(9)
    sources, destinations = [], []
    for distance in range(1, half + 1):
        neighbor = (vertices + distance) % count
        rewired = random.random(count, dtype=np.float32) < share
        sources.append(vertices)
        destinations.append(module.where(rewired, random.integers(0, count, count, dtype=np.int64), neighbor))
    return count, module.concatenate(sources), module.concatenate(destinations)


def hubs(module: Any, count: int, number: int = 10) -> Ends:
    """A few hubs that know everybody; each other vertex knows two more at random."""
    random = module.random.default_rng(4)
    others = module.arange(number, count, dtype=np.int64)
    sources = [module.full(count - number, hub, np.int64) for hub in range(number)]
    destinations = [others] * number
    drawn = random.integers(number, count, count - number, dtype=np.int64)
    return count, module.concatenate([*sources, others]), module.concatenate([*destinations, drawn])


def kmer(module: Any, count: int, mean: int = 60, share: float = 0.02) -> Ends:
    """Many long paths and few branches with shuffled ids, as genome assemblies have."""
    vertices = module.arange(count - 1, dtype=np.int64)
    random = module.random.default_rng(6)
    kept = random.random(count - 1, dtype=np.float32) > 1 / mean
    extra = int(count * share)
    ids = module.argsort(random.random(count, dtype=np.float32))
    branches = [random.integers(0, count, extra, dtype=np.int64) for _ in range(2)]
    sources = module.concatenate([vertices[kept], branches[0]])
    destinations = module.concatenate([vertices[kept] + 1, branches[1]])
    return count, ids[sources], ids[destinations]


def chain_of_cycles(module: Any, count: int, length: int = 7) -> Ends:
    """Directed cycles, each with one edge to the next: as many strong components in one long chain."""
    vertices = module.arange(count, dtype=np.int64)
    last = vertices % length == length - 1
    onward = module.where(last, vertices - (length - 1), module.minimum(vertices + 1, count - 1))
    sources = module.concatenate([vertices, vertices[last][:-1]])
    return count, sources, module.concatenate([onward, vertices[last][:-1] + 1])


def mesh(module: Any, count: int) -> Ends:
    """A cube of cells, each next to six: short lists as in `grid`, and a diameter of a cube root."""
    side = max(round(count ** (1 / 3)), 1)
    cells = side**3
    vertices = module.arange(cells, dtype=np.int64)
    pairs = [(vertices[(vertices // stride) % side != side - 1], stride) for stride in (1, side, side * side)]
    sources = module.concatenate([near for near, _ in pairs])
    return cells, sources, module.concatenate([near + stride for near, stride in pairs])


def communities(module: Any, count: int, size: int = 64, degree: int = 24, share: float = 0.15) -> Ends:
    """Groups of equal size with many edges inside and a share of all edges between groups, ids shuffled: a planted
    partition (Condon and Karp 2001)."""
    random = module.random.default_rng(11)
    edges = count * degree // 2
    sources = random.integers(0, count, edges, dtype=np.int64)
    inside = module.minimum(sources // size * size + random.integers(0, size, edges, dtype=np.int64), count - 1)
    anywhere = random.integers(0, count, edges, dtype=np.int64)
    destinations = module.where(random.random(edges, dtype=np.float32) < share, anywhere, inside)
    ids = module.argsort(random.random(count, dtype=np.float32))
    return count, ids[sources], ids[destinations]


def bipartite(module: Any, count: int, share: float = 0.2, degree: int = 10) -> Ends:
    """Users and items, of which some are far more popular than others; no triangles, and two hops between users."""
    random = module.random.default_rng(12)
    items = max(int(count * share), 1)
    users = module.repeat(module.arange(items, max(count, items + 1), dtype=np.int64), degree)
    popularity = random.random(users.size, dtype=np.float64)
    return max(count, items + 1), users, (items * popularity**3).astype(np.int64)


def uniform(module: Any, count: int, degree: int = 16) -> Ends:
    """Edges between any two vertices (Erdős and Rényi 1959): no hubs, no locality, next to no triangles."""
    random = module.random.default_rng(14)
    edges = count * degree // 2
    return count, *(random.integers(0, count, edges, dtype=np.int64) for _ in range(2))


def random_tree(module: Any, count: int) -> Ends:
    """A random recursive tree: every vertex hangs below one with a smaller id. No cycles, depth of a logarithm."""
    random = module.random.default_rng(13)
    vertices = module.arange(1, count, dtype=np.int64)
    parents = (vertices * random.random(count - 1, dtype=np.float64)).astype(np.int64)
    return count, vertices, module.minimum(parents, vertices - 1)


def stars(module: Any, count: int, share: float = 0.01) -> Ends:
    """Stars of very different sizes with shuffled ids: half of all ends are those of a hundredth of the vertices, and
    the rest have one edge."""
    random = module.random.default_rng(5)
    centers = max(int(count * share), 1)
    leaves = module.arange(centers, count, dtype=np.int64)
    drawn = (centers * random.random(leaves.size, dtype=np.float64) ** 4).astype(np.int64)
    ids = module.argsort(random.random(count, dtype=np.float32))
    return count, ids[leaves], ids[module.minimum(drawn, centers - 1)]


def hub_chain(module: Any, count: int, links: int = 400, degree: int = 12) -> Ends:
    """Power laws in a row, each joined with the next by one edge, ids shuffled: hubs, and a large diameter."""
    random = module.random.default_rng(6)
    size = max(count // links, 4)
    parts = max(count // size, 1)
    vertices = parts * size
    weight = module.cumsum(module.arange(1, size + 1, dtype=np.float64) ** (-1 / 1.2))
    first = random.integers(0, parts, vertices * degree // 2, dtype=np.int64) * size
    ends = []
    for _ in range(2):
        drawn = module.searchsorted(weight / weight[-1], random.random(first.size, dtype=np.float64))
        ends.append(first + module.minimum(drawn, size - 1).astype(np.int64))
    last = module.arange(1, parts, dtype=np.int64) * size - 1
    ids = module.argsort(random.random(vertices, dtype=np.float32))
    sources, destinations = module.concatenate([ends[0], last]), module.concatenate([ends[1], last + size])
    return vertices, ids[sources], ids[destinations]


def layers(module: Any, count: int, depth: int = 500, degree: int = 4) -> Ends:
    """Directed layers, each with edges to the next at random, ids shuffled: no cycles, and long ways."""
    random = module.random.default_rng(10)
    width = max(count // depth, 2)
    sources = module.repeat(module.arange(max(count - width, 0), dtype=np.int64), degree)
    below = (sources // width + 1) * width + random.integers(0, width, sources.size, dtype=np.int64)
    ids = module.argsort(random.random(count, dtype=np.float32))
    return count, ids[sources], ids[module.minimum(below, count - 1)]


CLASSES = {
    "rgg": GraphClass(random_geometric, {"cuda": 4_000_000, "cpu": 200_000}, largest_weight=1000),
    "small_world": GraphClass(small_world, {"cuda": 6_000_000, "cpu": 200_000}),
    "hubs": GraphClass(hubs, {"cuda": 3_000_000, "cpu": 100_000}),
    "kmer": GraphClass(kmer, {"cuda": 12_000_000, "cpu": 400_000}, largest_weight=1000),
    "chain_of_cycles": GraphClass(chain_of_cycles, {"cuda": 3_000_000, "cpu": 70_000}, directed=True),
    "mesh": GraphClass(mesh, {"cuda": 8_000_000, "cpu": 216_000}, largest_weight=1000),
    "communities": GraphClass(communities, {"cuda": 2_000_000, "cpu": 64_000}),
    "bipartite": GraphClass(bipartite, {"cuda": 4_000_000, "cpu": 100_000}),
    "uniform": GraphClass(uniform, {"cuda": 4_000_000, "cpu": 200_000}),
    "random_tree": GraphClass(random_tree, {"cuda": 10_000_000, "cpu": 300_000}, largest_weight=1000),
    "stars": GraphClass(stars, {"cuda": 5_000_000, "cpu": 200_000}),
    "hub_chain": GraphClass(hub_chain, {"cuda": 1_200_000, "cpu": 100_000}, largest_weight=1000),
    "layers": GraphClass(layers, {"cuda": 3_000_000, "cpu": 150_000}, directed=True),
}
"""By the name that a row has: `bfs-rgg`, or with another number of vertices `bfs-rgg100000`."""
