"""Whether results of `bench/programs/` are right, by array operations of NumPy or CuPy that share nothing with gdsl.

These programs are no standard algorithms: each uses an operator another way than the sample that is timed beside it.
Their numbers are whole, so that what comes out is exact and is computed once more. As `bench.checks`: every function
returns None, or what is wrong in one line.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.checks import differences, each_chunk
from bench.graphs import BenchmarkGraph
from bench.library_checks import KNOWN_TRIANGLES, each_triangle, edges_of


def check_heard(graph: BenchmarkGraph, source: int, heard: Any) -> str | None:
    """`cascade.gdsl`, round by round."""
    module = graph.module
    expected = module.full(graph.num_vertices, -1, np.int32)
    expected[source] = level = 0
    tellers = module.full(1, source, np.int64)
    while tellers.size:
        level += 1
        edges = edges_of(graph, tellers)
        tails, heads = graph.edge_sources[edges], graph.columns[edges]
        new = heads[((5 * (tails % 16) + 11 * (heads % 16)) % 16 < 9) & (expected[heads] < 0)]
        expected[new] = level
        new = module.unique(new) if new.size else new
        tellers = new if level % 2 == 1 else new[new % 8 != 7]
    return differences(module, "rounds", heard, expected)


def check_steps(graph: BenchmarkGraph, steps: Any) -> str | None:
    """`collatz.gdsl`, all numbers at once, step by step."""
    module = graph.module
    expected = module.zeros(graph.num_vertices, np.int32)
    vertices = module.arange(graph.num_vertices)
    numbers = vertices + 1
    while numbers.size:
        going = numbers != 1
        vertices, numbers = vertices[going], numbers[going]
        expected[vertices] += 1
        numbers = module.where(numbers % 2 == 0, numbers // 2, 3 * numbers + 1)
    return differences(module, "numbers of steps", steps, expected)


def check_opinions(graph: BenchmarkGraph, opinion: Any, rounds: int = 10, trust: int = 2000) -> str | None:
    """`opinions.gdsl`; sums of whole numbers below 2^53, so exact in float64."""
    module, count = graph.module, graph.num_vertices
    expected = module.arange(count) * 7919 % 10000
    for _ in range(rounds):
        number, total = module.zeros(count), module.zeros(count)
        for _, sources, destinations in each_chunk(graph):
            alike = module.abs(expected[destinations] - expected[sources]) <= trust
            tails, voices = sources[alike], expected[destinations[alike]]
            number += module.bincount(tails, minlength=count)
            total += module.bincount(tails, weights=voices.astype(np.float64), minlength=count)
        expected = (total.astype(np.int64) + expected) // (number.astype(np.int64) + 1)
    return differences(module, "opinions", opinion, expected)


def check_erosion(graph: BenchmarkGraph, gone: Any) -> str | None:
    """`erosion.gdsl`, level by level: of those left, all whose strength is in the lowest level go together."""
    module, count = graph.module, graph.num_vertices
    strength = 3 * module.diff(graph.offsets).astype(np.int64) + module.arange(count) % 8
    expected = module.full(count, -1, np.int64)
    rest, level = module.arange(count), -(2**62)
    while rest.size:
        levels = module.maximum(strength[rest] // 4, level)
        level = int(levels.min())
        weak = levels == level
        washed, rest = rest[weak], rest[~weak]
        expected[washed] = level
        strength -= 2 * module.bincount(graph.columns[edges_of(graph, washed)], minlength=count)
    return differences(module, "levels", gone, expected)


def check_balance(graph: BenchmarkGraph, balanced: int, unbalanced: int) -> str | None:
    """`balanced_triangles.gdsl`: both numbers by listing all triangles, or their sum where it is known."""
    module = graph.module
    known = KNOWN_TRIANGLES.get((module.__name__, graph.name))
    if known is not None:
        right = balanced + unbalanced == known and min(balanced, unbalanced) > 0
        return None if right else f"{balanced:,} and {unbalanced:,} triangles instead of {known:,} together"
    hostile = np.array([0, 0])
    for first, second, third in each_triangle(graph):
        foes = sum(
            ((a % 8 + b % 8) % 3 == 0).astype(np.int64) for a, b in ((first, second), (first, third), (second, third))
        )
        hostile[0] += int((foes % 2 == 0).sum())
        hostile[1] += int((foes % 2 == 1).sum())
    found = (int(balanced), int(unbalanced))
    return None if found == tuple(hostile) else f"{found} triangles, balanced and not, instead of {tuple(hostile)}"


def check_fashion(graph: BenchmarkGraph, style: Any, rounds: int = 5, styles: int = 12) -> str | None:
    """`fashion.gdsl`: votes counted in a table of all vertices and styles; one's own wins a draw, then the smallest."""
    module, count = graph.module, graph.num_vertices
    weights = module.minimum(module.diff(graph.offsets), 20).astype(np.float64)
    expected = module.arange(count) * 13 % 101 % styles
    vertices = module.arange(count)
    for _ in range(rounds):
        votes = module.zeros(count * styles)
        for _, sources, destinations in each_chunk(graph):
            ballots = sources.astype(np.int64) * styles + expected[destinations]
            votes += module.bincount(ballots, weights=weights[destinations], minlength=count * styles)
        votes = votes.reshape(count, styles)
        most, best = votes.max(axis=1), votes.argmax(axis=1)
        expected = module.where(votes[vertices, expected] == most, expected, best)
    return differences(module, "styles", style, expected)


def check_votes(graph: BenchmarkGraph, label: Any, unsettled: int) -> str | None:
    """`label_propagation.gdsl`: as many vertices prefer another label as it says."""
    module, count = graph.module, graph.num_vertices
    apart = graph.edge_sources != graph.columns
    near, far = graph.edge_sources[apart].astype(np.int64), graph.columns[apart]
    keys, votes = module.unique(near * count + label[far], return_counts=True)
    most = module.zeros(count, np.int32)
    module.maximum.at(most, keys // count, votes.astype(np.int32))
    own = module.arange(count, dtype=np.int64) * count + label
    places = module.minimum(module.searchsorted(keys, own), max(keys.size - 1, 0))
    kept = module.where(keys[places] == own, votes[places], 0)
    preferring = int((kept < most).sum())
    return None if preferring == unsettled else f"{preferring:,} vertices prefer another label, not {unsettled:,}"
