"""What a test knows about one program: values for its params and inputs, and what it must answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.graph import Graph

ROOT = Path(__file__).parents[2]
Values = dict[str, Any]
Answers = Mapping[str, Any]


def _no_values(graph: Graph, seed: int) -> Values:
    return {}


def _any_graph(graph: Graph) -> bool:
    return True


@dataclass(frozen=True)
class Case:
    """One program of samples/ or tests/programs/.

    values: params and inputs for a graph, by a seed.
    check: asserts that the answers (host arrays and Python scalars by name) are right; knows nothing of gdsl but the
        graph's arrays.
    suits: whether the program can run on a graph at all (a source needs a vertex, `requires` something more).
    varies: whether frontiers or the number of passes depend on the order of calls, so that only results are compared.
    slow: whether `check` goes element by element, so that it is for small graphs.
    """

    name: str
    check: Callable[[Graph, Values, Answers], None]
    values: Callable[[Graph, int], Values] = _no_values
    suits: Callable[[Graph], bool] = _any_graph
    varies: bool = False
    slow: bool = False

    @property
    def path(self) -> Path:
        """The file of the program."""
        sample = ROOT / "samples" / f"{self.name}.gdsl"
        return sample if sample.exists() else ROOT / "tests" / "programs" / f"{self.name}.gdsl"


def not_empty(graph: Graph) -> bool:
    """For programs with a vertex param."""
    return graph.num_vertices > 0


def symmetric(graph: Graph) -> bool:
    """For programs that require it."""
    return not graph.directed or graph.is_symmetric()


def members(given: object) -> np.ndarray:
    """The ids in a set of vertices, ascending: given as ids, or (as it is bound) as a flag for each vertex."""
    array = np.asarray(given)
    return np.flatnonzero(array) if array.dtype == np.bool_ else np.unique(array).astype(np.int64)


def ends(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Source and destination of every edge, int64[E]."""
    return graph.edge_sources.astype(np.int64), graph.columns.astype(np.int64)


def distinct(values: np.ndarray) -> np.ndarray:
    """The different ones, ascending: as `np.unique` has them, which takes ten times as long for millions nearly in
    order."""
    found = np.sort(values, kind="stable")
    return found[np.append(True, found[1:] != found[:-1])[: len(found)]]


def both_ways(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(near, far, edge) of every visit over all_edges: each edge from its source and from its destination."""
    source, destination = ends(graph)
    edge = np.arange(graph.num_edges)
    near, far = np.concatenate([source, destination]), np.concatenate([destination, source])
    return near, far, np.concatenate([edge, edge])


def source_of(graph: Graph, seed: int) -> int:
    """A vertex, by seed: 0, one with most edges, or any."""
    if seed % 3 == 0:
        return 0
    if seed % 3 == 1:
        return int(np.argmax(graph.out_degrees))
    return seed * 7919 % graph.num_vertices


def random_of(graph: Graph, seed: int) -> np.random.Generator:
    """A generator that depends on the seed and on the graph's size."""
    return np.random.default_rng([seed, graph.num_vertices, graph.num_edges])


def levels(
    num_vertices: int, source: np.ndarray, destination: np.ndarray, starts: np.ndarray | list[int]
) -> np.ndarray:
    """Hops from the nearest of `starts` along the edges, -1 where there is no path; int64[V]."""
    distance = np.full(num_vertices, -1, np.int64)
    front = np.zeros(num_vertices, bool)
    front[starts] = True
    distance[front] = 0
    level = 0
    while front.any():
        level += 1
        reached = np.zeros(num_vertices, bool)
        reached[destination[front[source]]] = True
        front = reached & (distance < 0)
        distance[front] = level
    return distance


def parts(answers: Answers, name: str) -> tuple[Any, Any]:
    """Both parts of a result of pairs, which may stand under names of their own."""
    first, second = answers[name] if name in answers else (answers[f"{name}.0"], answers[f"{name}.1"])
    return first, second


def same(answers: Answers, **expected: Any) -> None:
    """Assert that results are exactly these, types apart."""
    for name, wanted in expected.items():
        found = np.asarray(answers[name])
        assert found.shape == np.shape(wanted), f"{name} has shape {found.shape}, not {np.shape(wanted)}"
        wrong = np.flatnonzero(found != np.asarray(wanted))
        if len(wrong):
            at = wrong[0]
            ours, theirs = found.reshape(-1)[at], np.reshape(wanted, -1)[at]
            raise AssertionError(f"{name}[{at}] is {ours}, not {theirs} ({len(wrong)} of {np.size(wanted)} are wrong)")


def close(answers: Answers, tolerance: float, **expected: Any) -> None:
    """Assert that floating-point results are these within a relative tolerance."""
    for name, wanted in expected.items():
        np.testing.assert_allclose(
            np.asarray(answers[name], np.float64), wanted, rtol=tolerance, atol=tolerance, err_msg=name
        )


def paired_weights(graph: Graph, seed: int) -> Values:
    """One weight for both directions of an edge, few different ones where `seed` is even, some below 0."""
    tails, heads = ends(graph)
    random = random_of(graph, seed)
    most = 4 if seed % 2 == 0 else 1 << 20
    by_vertex = random.integers(0, most, graph.num_vertices + 1)
    return {"weight": ((by_vertex[tails] + by_vertex[heads]) % most).astype(np.float32) - 1}
