"""What the sampler for PyTorch Geometric draws, beside the same draws in plain Python, and their probabilities.

Nothing here needs PyTorch; `test_pyg_sampler.py` does.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from itertools import accumulate, permutations
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtrc

import gdsl
from gdsl.integrations.pyg.growing import Relation, grow
from gdsl.integrations.pyg.lists import Draws, NeighborLists, Pointers, Slots, ids_of, on_host
from tests.oracles.philox import number

KEY = -7
BOTH = (False, True)
BACKENDS = [
    "reference",
    pytest.param("cpu", marks=pytest.mark.slow),
    pytest.param("cuda", marks=pytest.mark.gpu),
]


def some_lists(
    seed: int, vertices: int, edges: int, *, weighted: bool = False, timed: bool = False, backend: str = "reference"
) -> NeighborLists:
    """Lists with self-loops and parallel edges; some weights are 0, some equal; times repeat."""
    random = np.random.default_rng(seed)
    near, far = random.integers(0, vertices, (2, edges))
    near = np.where(random.random(edges) < 0.4, 0, near)  # one long list
    weight = random.integers(0, 4, edges).astype(np.float32) if weighted else None
    time = random.integers(-3, 9, edges) if timed else None
    return NeighborLists.build(near, far, vertices, backend, weight, time)


def replayed(lists: NeighborLists, slots: Slots, how: Draws) -> list[list[int]]:
    """The edges of each slot, by the text of the programs' comments and the language's page."""
    found = []
    for place, v in enumerate(slots.vertex.tolist()):
        first, last = lists.graph.offsets[v : v + 2].tolist()
        own = number("random_bits", (how.key, how.hop, int(slots.salt[place]), v))
        if lists.sums is None:
            found.append(uniform(range(first, last), own, how))
            continue
        end = np.inf if slots.limit is None else slots.limit[place]
        times = on_host(lists.times)[first:last].tolist()
        sums = on_host(lists.sums)[first:last].tolist()
        found.append([first + each for each in weighted(sums, [time <= end for time in times], times, own, how)])
    return found


def uniform(edges: range, own: int, how: Draws) -> list[int]:
    if len(edges) <= how.count and not how.replace:
        return list(edges)
    chosen: list[int] = []
    for pick in range(how.count if edges else 0):
        tries = (number("random_below", (len(edges), own, pick, trial)) for trial in range(16))
        place = next((place for place in tries if how.replace or place not in chosen), None)
        if place is None:
            rest = [place for place in range(len(edges)) if place not in chosen]
            place = rest[number("random_below", (len(rest), own, pick, -1))]
        chosen.append(place)
    return [edges[place] for place in chosen]


def weighted(sums: list[float], early: list[bool], times: list[int], own: int, how: Draws) -> list[int]:
    shares = [after - before for before, after in zip([0.0, *sums[:-1]], sums, strict=True)] if sums else []
    counting = [place for place in range(len(sums)) if shares[place] > 0 and early[place]]
    if how.latest:
        return sorted(counting, key=lambda place: (times[place], place), reverse=True)[: how.count]
    if len(sums) <= how.count and not how.replace:
        return counting
    chosen: list[int] = []

    def fraction(pick: int, number_of_draw: int) -> float:
        return (number("random_bits", (own, pick, number_of_draw)) >> 11) / 2**53

    def counts(place: int) -> bool:
        return early[place] and (how.replace or place not in chosen)

    for pick in range(how.count if sums and sums[-1] > 0 else 0):
        drawn = (fraction(pick, trial) * sums[-1] for trial in range(16))
        places = (next(place for place, so_far in enumerate(sums) if so_far > value) for value in drawn)
        place = next((place for place in places if counts(place)), None)
        if place is None:
            so_far = 0.0
            for other in filter(counts, counting):
                so_far += shares[other]
                if place is None or fraction(pick, -1 - other) * so_far < shares[other]:
                    place = other
        if place is None:
            break
        chosen.append(place)
    return chosen


def drawn(lists: NeighborLists, slots: Slots, how: Draws) -> list[list[int]]:
    where = lists.arrays.asarray
    limit = None if slots.limit is None else where(slots.limit)
    placed = Slots(where(slots.vertex), where(slots.salt), limit)
    slot, edge = map(on_host, lists.draw(placed, how))
    assert (np.diff(slot) >= 0).all()
    return [edge[slot == place].tolist() for place in range(len(slots.vertex))]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("weighted", "timed", "replace", "latest"),
    [
        *((weighted, timed, replace, False) for weighted in BOTH for timed in BOTH for replace in BOTH),
        (False, True, False, True),
        (True, True, False, True),
    ],
)
@pytest.mark.rare(10)
def test_draws_are_what_the_page_says(weighted: bool, timed: bool, replace: bool, latest: bool, backend: str) -> None:
    random = np.random.default_rng(5)
    for vertices, edges, count in ((7, 40, 3), (2, 30, 9), (1, 6, 5), (30, 60, 2)):
        lists = some_lists(vertices, vertices, edges, weighted=weighted, timed=timed, backend=backend)
        vertex = np.append(np.zeros(3, np.int64), random.integers(0, vertices, 5))
        limit = random.integers(-5, 10, 8) if timed else None
        slots = Slots(vertex, np.arange(8), limit)
        how = Draws(count, replace, latest, KEY, 1)
        assert drawn(lists, slots, how) == replayed(lists, slots, how)


def successive(weights: list[float], count: int) -> dict[frozenset[int], float]:
    """The probability of each set of `count` elements, drawn one after the other in proportion to their weights."""
    sets: dict[frozenset[int], float] = {}
    for order in permutations(range(len(weights)), count):
        left, probability = sum(weights), 1.0
        for place in order:
            probability *= weights[place] / left
            left -= weights[place]
        sets[frozenset(order)] = sets.get(frozenset(order), 0) + probability
    return sets


@pytest.mark.slow
@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [1, 2, 3, 4, 0.5], [1000, 1, 1, 2], [1, 0, 1, 1]])
def test_sets_of_edges_have_their_probabilities(weights: list[float]) -> None:
    """The heavy one of the third list makes nearly all second draws repeat the first: a pass decides."""
    trials, count = 4000, 2
    equal = len(set(weights)) == 1
    far = np.arange(len(weights))
    lists = NeighborLists.build(
        np.zeros(len(weights), np.int64), far, 6, "cpu", None if equal else np.array(weights, np.float64)
    )
    found = drawn(lists, Slots(np.zeros(trials, np.int64), np.arange(trials)), Draws(count, False, False, KEY, 0))
    sets = {each: chance for each, chance in successive(weights, count).items() if chance > 0}
    assert all(len(each) == count and frozenset(each) in sets for each in found)
    statistic = 0.0
    for wanted, chance in sets.items():
        seen = sum(frozenset(each) == wanted for each in found)
        statistic += (seen - trials * chance) ** 2 / (trials * chance)
    assert chdtrc(len(sets) - 1, statistic) > 0.001


@pytest.mark.slow
def test_repeated_draws_go_by_weight() -> None:
    weights = np.array([3.0, 0, 1, 6])
    lists = NeighborLists.build(np.zeros(4, np.int64), np.arange(4), 4, "cpu", weights)
    found = drawn(lists, Slots(np.zeros(1000, np.int64), np.arange(1000)), Draws(4, True, False, KEY, 0))
    seen = np.bincount(np.concatenate(found), minlength=4)
    assert seen.sum() == 4000 and seen[1] == 0
    expected = weights[[0, 2, 3]] / 10 * 4000
    assert chdtrc(2, ((seen[[0, 2, 3]] - expected) ** 2 / expected).sum()) > 0.001


@pytest.mark.parametrize("weights", [[1, 1e-17], [1e-17, 1], [1, *[1e-30] * 3, 0, 1], [1e300, 1e-300], [5e-324, 1e300]])
def test_edges_of_the_smallest_weights_count(weights: list[float]) -> None:
    count = len(weights)
    lists = NeighborLists.build(
        np.zeros(count, np.int64), np.arange(count), count, "reference", np.array(weights, np.float64)
    )
    everything = [place for place in range(count) if weights[place] > 0]
    for number_of_draws in (count, len(everything), -1):
        how = Draws(number_of_draws, False, False, KEY, 0)
        found = drawn(lists, Slots(np.zeros(1, np.int64), np.arange(1)), how)
        assert [sorted(each) for each in found] == [everything]


@dataclass(frozen=True)
class Sample:
    """A sample with one kind of vertices and of edges."""

    node: np.ndarray
    tree: np.ndarray
    near: np.ndarray
    far: np.ndarray
    edge: np.ndarray
    nodes: list[int]
    edges: list[int]


def grown(
    lists: NeighborLists, seeds: np.ndarray, limit: np.ndarray | None, counts: list[int], **options: Any
) -> Sample:
    """The sample of seeds of one kind."""
    size = lists.graph.num_vertices
    relation = Relation(lists, "node", "node", counts, options.pop("key", KEY))
    how = Draws(0, False, False, 0, 0)
    nodes, links = grow({"edge": relation}, {"node": size}, {"node": seeds}, limit, how, **options)
    node, link = nodes["node"], links["edge"]
    return Sample(node.node, node.tree, link.near, link.far, link.edge, node.counts, link.counts)


def follows(lists: NeighborLists, sample: Sample, counts: list[int], limit: np.ndarray | None = None) -> None:
    """Assert that a sample is one: its edges are edges of the lists, its vertices are numbered as they appear."""
    source = np.empty(lists.graph.num_edges, np.int64)
    target = source.copy()
    given = on_host(lists.given)
    source[given], target[given] = lists.graph.edge_sources, lists.graph.columns
    assert np.array_equal(sample.node[sample.near], source[sample.edge])
    assert np.array_equal(sample.node[sample.far], target[sample.edge])
    assert np.array_equal(sample.tree[sample.near], sample.tree[sample.far])
    assert sum(sample.nodes) == len(sample.node) and sum(sample.edges) == len(sample.edge)
    joined = sample.node[sample.nodes[0] :], sample.tree[sample.nodes[0] :]
    assert len(set(zip(*map(np.ndarray.tolist, joined), strict=True))) == len(joined[0])
    new = [place for place in dict.fromkeys(sample.far.tolist()) if place >= sample.nodes[0]]
    assert new == list(range(sample.nodes[0], len(sample.node))), "in order of appearance"
    starts = [0, *accumulate(sample.nodes)]
    ends = [0, *accumulate(sample.edges)]
    for hop, count in enumerate(counts):
        near = sample.near[ends[hop] : ends[hop + 1]]
        assert ((near >= starts[hop]) & (near < starts[hop + 1])).all()
        seen = np.bincount(near - starts[hop], minlength=sample.nodes[hop])
        if limit is None and lists.sums is None:
            degree = lists.graph.out_degrees[sample.node[starts[hop] : starts[hop + 1]]]
            assert np.array_equal(seen, degree if count < 0 else np.minimum(degree, count))
        elif count >= 0:
            assert seen.max(initial=0) <= count
    pairs = list(zip(sample.near.tolist(), sample.edge.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs), "no edge twice for one vertex"


@pytest.mark.parametrize("counts", [[2, 3], [-1, 1, 2], [0, 4], [12], []])
@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize(
    ("vertices", "backend"), [(1, "reference"), (40, "reference"), pytest.param(40, "cuda", marks=pytest.mark.gpu)]
)
def test_samples_grow_hop_by_hop(vertices: int, backend: str, disjoint: bool, counts: list[int]) -> None:
    lists = some_lists(2, vertices, 30, backend=backend)
    seeds = np.random.default_rng(1).integers(0, vertices, 9)
    sample = grown(lists, seeds, None, counts, disjoint=disjoint)
    assert sample.node[:9].tolist() == seeds.tolist() and sample.nodes[0] == 9
    assert sample.tree.max() == (8 if disjoint else 0)
    follows(lists, sample, counts)
    again = grown(lists, seeds, None, counts, disjoint=disjoint)
    assert np.array_equal(again.edge, sample.edge)


@pytest.mark.parametrize("backend", ["reference", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_no_edge_of_a_tree_is_later_than_its_seed(backend: str) -> None:
    lists = some_lists(4, 12, 90, timed=True, backend=backend)
    time = np.empty(90, np.int64)
    time[on_host(lists.given)] = on_host(lists.times)
    limit = np.array([0, 5, -9, 8])
    seeds = np.array([0, 1, 0, 3])
    for counts in ([3, 3], [-1, -1]):
        sample = grown(lists, seeds, limit, counts, disjoint=True)
        follows(lists, sample, counts, limit)
        assert (time[sample.edge] <= limit[sample.tree[sample.near]]).all() and len(sample.edge)
        assert not (sample.tree[sample.near] == 2).any()
        induced = grown(lists, seeds, limit, counts, disjoint=True, induced=True)
        assert set(sample.edge.tolist()) <= set(induced.edge.tolist())
        assert (time[induced.edge] <= limit[induced.tree[induced.near]]).all()


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(("vertices", "edges"), [(0, 0), (1, 0), (1, 3), (9, 40)])
def test_grouped_edges_give_the_same_lists(vertices: int, edges: int, ascending: bool) -> None:
    """Pointers may end before the last vertex; lists that do not ascend are sorted."""
    random = np.random.default_rng(vertices)
    near, far = np.sort(random.integers(0, max(vertices - 2, 1), edges)), random.integers(0, max(vertices, 1), edges)
    if ascending:
        far = far[np.lexsort((far, near))]
    pointers = Pointers(np.searchsorted(near, np.arange(max(vertices - 2, 1) + 1)))
    assert np.array_equal(ids_of(pointers), near) and len(pointers) == edges
    assert ascending <= pointers.ascends(far)
    weight = random.random(edges)
    plain, grouped = (NeighborLists.build(ends, far, vertices + 1, "reference", weight) for ends in (near, pointers))
    for name in ("offsets", "far", "given", "sums"):
        assert np.array_equal(getattr(plain, name), getattr(grouped, name))


def test_induced_samples_have_all_edges_between_their_vertices() -> None:
    lists = some_lists(6, 10, 60)
    sample = grown(lists, np.array([4, 2]), None, [2], disjoint=False, induced=True)
    source, target = lists.graph.edges
    wanted = lists.given[np.isin(source, sample.node) & np.isin(target, sample.node)]
    assert sorted(sample.edge.tolist()) == sorted(wanted.tolist())


def test_equal_seeds_have_draws_of_their_own_and_keys_differ() -> None:
    lists = some_lists(2, 40, 300)
    seeds = np.zeros(6, np.int64)
    edges = {}
    for key in (1, 2):
        sample = grown(lists, seeds, None, [5], disjoint=False, key=key)
        edges[key] = [tuple(sample.edge[sample.near == place].tolist()) for place in range(6)]
        assert len(set(edges[key])) > 1
    assert edges[1] != edges[2]


def test_lists_travel_to_another_process() -> None:
    lists = some_lists(2, 10, 50, weighted=True, timed=True)
    slots, how = Slots(np.array([0, 3]), np.arange(2), np.array([9, 9])), Draws(2, False, False, 3, 0)
    assert drawn(pickle.loads(pickle.dumps(lists)), slots, how) == drawn(lists, slots, how)


@pytest.mark.parametrize("values", [[1, -1], [1, np.inf], [np.nan, 1]])
def test_weights_are_finite_and_not_negative(values: list[float]) -> None:
    with pytest.raises(gdsl.GdslError, match="weight"):
        NeighborLists.build(np.array([0, 0]), np.array([0, 1]), 2, "reference", np.array(values))


@pytest.mark.parametrize(("missing", "install"), [("torch", "torch"), ("torch_geometric", "gdsl[pyg]")])
def test_without_the_libraries_the_message_names_them(missing: str, install: str) -> None:
    script = f"""
import sys, types
sys.modules["torch"] = types.ModuleType("torch")
sys.modules[{missing!r}] = None
import gdsl
try:
    gdsl.pyg.Sampler
except gdsl.GdslError as error:
    print(error)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.stdout.count("E0907") == 1 and f"gdsl.pyg needs {missing}" in found.stdout, found.stderr
    assert f"pip install '{install}'" in found.stdout
