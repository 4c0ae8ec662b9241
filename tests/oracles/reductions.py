"""Programs that reduce arrays, against NumPy."""

from __future__ import annotations

import operator
from functools import reduce
from math import gcd
from typing import Any

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, close, ends, members, random_of, same, symmetric

NONE = -1
"""What a result has for `none`."""


def array_values(graph: Graph, seed: int) -> Values:
    """Loads with many ties, of both signs; noise with NaN, or of NaN alone."""
    random = random_of(graph, seed)
    noise = random.integers(-8, 8, graph.num_vertices).astype(np.float32) / 4
    noise[random.random(graph.num_vertices) < (1 if seed % 5 == 4 else 0.3)] = np.nan
    return {
        "load": random.integers(-5, 40, graph.num_vertices).astype(np.int32),
        "noise": noise,
        "length": random.integers(0, 2**32, graph.num_edges).astype(np.uint32),
    }


def first_of(values: np.ndarray, best: object) -> int:
    """The smallest place of a value, NONE if it is nowhere."""
    places = np.flatnonzero(values == best)
    return int(places[0]) if len(places) else NONE


def check_arrays(graph: Graph, values: Values, answers: Answers) -> None:
    load, noise, length = (np.asarray(values[name]) for name in ("load", "noise", "length"))
    heard = noise[~np.isnan(noise)]
    least, most = heard.min(initial=np.inf), heard.max(initial=-np.inf)
    friends = np.flatnonzero(graph.out_degrees > 1)
    lengths = length.astype(np.uint64)
    same(answers, total=load.sum(dtype=np.int64) - 1, lengths=lengths.sum(dtype=np.uint64), least=least, most=most)
    assert np.isnan(noise).any() == np.isnan(answers["mean"])
    if not np.isnan(noise).any():
        close(answers, 1e-9, mean=noise.sum(dtype=np.float64) / (1.0 + graph.num_vertices))
    lonely = len(friends) < graph.num_vertices  # `none` is the largest
    nearest, last = (friends[0] if len(friends) else NONE), (NONE if lonely or not len(friends) else friends[-1])
    friend = np.where(graph.out_degrees > 1, np.arange(graph.num_vertices), NONE)
    same(answers, friend=friend, nearest=nearest, last=last)
    same(answers, quietest=first_of(noise, least), loudest=first_of(noise, most))
    same(answers, longest=first_of(length, length.max(initial=0)))
    check_halving(load, answers)
    odd, chosen = np.flatnonzero(load % 2 * np.sign(load) == 1), length % 3 == 0
    same(answers, span=load[odd].max() - load[odd].min() if len(odd) else 0, all_set=True)
    same(answers, chosen=chosen)
    same(answers, around=lengths[chosen].sum(dtype=np.uint64), of_none=2**31 - 1, nowhere=NONE)


def check_halving(load: np.ndarray, answers: Answers) -> None:
    """The loop, and what is left behind it."""
    left, passes, odd = load.copy(), 0, 0
    while (left > 8).any():
        left[left > 8] //= 2
        passes += 1
        odd += 1 if (left > 8).sum() % 2 == 1 else 100
    same(answers, left=left, heavy=np.zeros(len(load), bool), passes=passes, odd=odd)
    of_odd = np.flatnonzero(load % 2 * np.sign(load) == 1)
    peaks = max(left.max(initial=-1), 0) * left[of_odd].sum(dtype=np.int64)
    tops = {int(np.argmax(load)), int(of_odd[np.argmin(load[of_odd])])} if len(of_odd) else ()
    same(answers, peaks=peaks + len(tops))


def edge_values(graph: Graph, seed: int) -> Values:
    """Sizes with common divisors, tolls of both signs."""
    random = random_of(graph, seed)
    return {
        "bulk": (random.integers(0, 9, graph.num_vertices) * random.choice([1, 3, 6])).astype(np.uint32),
        "toll": random.integers(-6, 12, graph.num_edges).astype(np.int32),
    }


def reduced(
    before: np.ndarray,
    at: np.ndarray,
    values: np.ndarray,
    combine: Any,
    begin: int,
    held: np.ndarray,
    empty: int | None,
) -> np.ndarray:
    """`before` with the reduction of `values` (where `held`) stored at the vertices in `at`, or `empty`."""
    found = before.astype(np.int64)
    for vertex in np.unique(at).tolist():
        brought = values[(at == vertex) & held].tolist()
        found[vertex] = reduce(combine, brought, begin) if brought or empty is None else empty
    return found


def check_edges(graph: Graph, values: Values, answers: Answers) -> None:
    (tails, heads), size, toll = ends(graph), values["bulk"].astype(np.int64), values["toll"].astype(np.int64)
    count, every = graph.num_vertices, np.arange(graph.num_vertices)
    near, far, edge = both_ways(graph)
    brought = size[far] + (size[near] & 1)
    # Every vertex is in the set, those without an edge too: an edge that does not hold brings it there.
    sets, nothing = np.concatenate([near, every]), np.zeros(count, bool)
    held = np.concatenate([toll[edge] > 0, nothing])
    zeros = np.zeros(count, np.int64)
    divisor = reduced(zeros, sets, np.concatenate([brought, zeros]), gcd, 0, held, None)
    large = size > 20
    to_large = large[heads]
    listed = np.concatenate([heads[to_large], every[large]])
    lists = np.concatenate([tails[to_large], every[large]])
    held = np.concatenate([(tails != heads)[to_large], nothing[large]])
    around = reduced(zeros + 5, listed, (zeros + 30)[lists], gcd, 0, held, int(large.sum()))
    same(answers, divisor=divisor, around=around)
    pays, allowed = toll > 4, size[heads] != 3
    e, least = np.flatnonzero(pays), toll.min(initial=2**31 - 1)
    below = int(np.int64(least) - 1)
    same(answers, least=0)
    same(answers, cheapest=reduced(zeros + 1000, heads[e], toll[e], min, 2**31 - 1, allowed[e], below))
    same(answers, dearest=reduced(zeros - 1000, tails[e], toll[e], max, -(2**31), allowed[e], None))
    counted = reduced(zeros - 7, heads[e], toll[e] % 2, operator.add, 0, np.ones(len(e), bool), -1)
    into = np.flatnonzero(pays & large[heads])
    whole = np.ones(len(into), bool)
    same(answers, odd=counted, back=reduced(zeros - 1, tails[into], heads[into], max, 0, whole, None))
    same(answers, paid=reduced(zeros, heads[into], toll[into], operator.add, 0, allowed[into], None))
    of_sources = size[tails] + (size[heads] & 1)
    same(answers, shared=reduced(zeros + 1, tails[into], of_sources[into], gcd, 0, whole, 9))
    check_whole_sets(graph, toll, allowed, answers)


def check_whole_sets(graph: Graph, toll: np.ndarray, allowed: np.ndarray, answers: Answers) -> None:
    """Over all edges, and over all vertices."""
    (tails, heads), zeros = ends(graph), np.zeros(graph.num_vertices, np.int64)
    mixed = reduced(zeros, heads, toll % 2, operator.xor, 0, np.ones(len(toll), bool), None)
    product = zeros.astype(np.int32) + 1
    np.multiply.at(product, tails[allowed], toll[allowed].astype(np.int32))
    product[np.bincount(tails[allowed], minlength=len(zeros)) == 0] = 0
    same(answers, mixed=mixed != 0, loneliest=product)


def sender_values(graph: Graph, seed: int) -> Values:
    """A few vertices, or all; tolls of both signs."""
    random = random_of(graph, seed)
    count = (1 + seed % 3 if seed % 4 else graph.num_vertices) if graph.num_vertices else 0
    return {
        "talking": random.integers(0, max(graph.num_vertices, 1), count),
        "toll": random.integers(-3, 9, graph.num_edges).astype(np.int32),
    }


def check_senders(graph: Graph, values: Values, answers: Answers) -> None:
    count, toll, (tails, heads) = graph.num_vertices, np.asarray(values["toll"]), ends(graph)
    height, talks = np.arange(count) % 7, np.isin(np.arange(count), members(values["talking"]))
    short = height < 5
    into, out = np.flatnonzero(talks[tails]), np.flatnonzero(talks[heads])
    tolls = np.bincount(heads[into], toll[into], count).astype(np.int64)
    paying = tolls > 0
    same(answers, height=height, tolls=tolls, paying=paying.sum())
    ahead = out[(height[heads[out]] >= height[tails[out]])]
    steps = np.where(short, -(2**31), 0)
    np.maximum.at(steps, tails[ahead], height[heads[ahead]] - height[tails[ahead]])
    steps[~short] = 0
    same(answers, steps=steps, climbed=2 * np.maximum(steps[short], 0).sum())
    least = np.full(count, 100)
    for _ in range(2):
        lower = np.where(short, 2**31 - 1, least)
        heard = out[short[tails[out]]]
        np.minimum.at(lower, tails[heard], least[heads[heard]] - height[tails[heard]] % 3)
        least = lower
    same(answers, least=least)
    leader = np.full(count, NONE)
    for edge in into[np.lexsort((tails[into], height[tails[into]]))][::-1]:
        leader[heads[edge]] = tails[edge] if short[heads[edge]] else NONE
    near, far, _ = both_ways(graph)
    near, far = near[talks[far]], far[talks[far]]
    calm = np.bincount(near[height[far] >= 4], minlength=count) == 0
    around = np.where(short, np.bincount(near[height[far] < 4], minlength=count), -1)
    same(answers, leader=leader, calm=calm, around=around)
    bits = np.where(paying, 0, 1)
    heard = into[paying[heads[into]]]
    np.bitwise_xor.at(bits, heads[heard], 1 << height[tails[heard]])
    mean = np.zeros(count)
    np.add.at(mean, heads[heard], 1.0 / graph.out_degrees[tails[heard]])
    same(answers, bits=bits)
    close(answers, 1e-12, mean=mean)


def gathering_values(graph: Graph, seed: int) -> Values:
    """A few vertices, most of them, or all; tolls of both signs."""
    random, count = random_of(graph, seed), graph.num_vertices
    chosen = np.flatnonzero(random.random(count) < (0.1, 1, 0.85, 0.5)[seed % 4])
    return {"talking": chosen, "toll": random.integers(-3, 9, graph.num_edges).astype(np.int32)}


def check_gathers(graph: Graph, values: Values, answers: Answers) -> None:
    count, toll, (tails, heads) = graph.num_vertices, np.asarray(values["toll"]), ends(graph)
    height, talks = np.arange(count) % 7, np.isin(np.arange(count), members(values["talking"]))
    arrived = np.flatnonzero(talks[tails])
    adds, heights = np.full(count, 3), 0
    for _ in range(2):
        np.add.at(adds, heads[arrived], height[tails[arrived]])
        heights += height[np.unique(heads[arrived])].sum()
    heard, entered = np.unique(heads[arrived]), np.unique(heads)
    same(answers, adds=adds, heights=heights, reached=2 * len(heard) + len(entered))
    everything = np.ones(count)
    np.add.at(everything, heads, 1.0 / graph.out_degrees[tails])
    close(answers, 1e-12, everything=everything, ones=np.bincount(heads, minlength=count).astype(float))
    near, far = tails[arrived], heads[arrived]
    both, some = np.full(count, 100), (height[near] >= 2) & (height[far] != height[near])
    np.subtract.at(both, far[some], (height[near] + height[far])[some])
    lowest, highest = np.full(count, 1000), np.full(count, -5)
    np.minimum.at(lowest, far[height[near] > 2], height[near][height[near] > 2])
    np.maximum.at(highest, far, height[near] - height[far])
    same(answers, both=both, lowest=lowest, highest=highest)
    bits = np.ones(count, np.uint32)
    np.bitwise_or.at(bits, far, np.uint32(1) << height[near].astype(np.uint32))
    high = np.bincount(far[height[near] > 2], minlength=count) > 0
    first = np.full(count, count)
    np.minimum.at(first, far, near)
    first[first == count] = NONE
    same(answers, bits=bits, heard=high, first=first)
    falls = height[near] > height[far]
    passed = np.bincount(far[falls], minlength=count)
    back = np.flatnonzero(talks[heads])
    met, brought, paid = np.zeros((3, count), np.int64)
    np.add.at(met, far[height[near] > 1], (height[near] * 2 - height[far])[height[near] > 1])
    np.add.at(brought, tails[back], height[heads[back]])
    same(answers, met=met, brought=brought)
    paid += 7
    np.add.at(paid, tails[back], toll[back] * height[heads[back]])
    same(answers, passed=passed, fallen=(passed > 0).sum(), paid=paid)


REDUCTIONS = (
    Case("gathers", check_gathers, gathering_values, symmetric),
    Case("few_senders", check_senders, sender_values),
    Case("array_reductions", check_arrays, array_values),
    Case("edge_reductions", check_edges, edge_values),
)
