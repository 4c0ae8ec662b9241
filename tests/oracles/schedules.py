"""Programs whose schedules do the work, sets that exclude each other, and names that mean something elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, levels, not_empty, parts, random_of, same, source_of, symmetric

MASK64 = 2**64 - 1


def check_names(graph: Graph, values: Values, answers: Answers) -> None:
    count = graph.num_vertices
    hops = levels(count, *ends(graph), [0] if count else [])
    ones = np.ones(count, np.int64)
    same(answers, **{"class": 2 * ones, "template": 14 * ones, "d": 3 * ones, "run": 3 * ones})
    same(answers, graph_slice=hops + 1, __syncthreads=ones, NULL=2 * ones, offsets=3 * ones, errno=4 * ones)
    same(answers, control=count + min(count, 1), namespace=14 * count, totals=5)


def check_sets(graph: Graph, values: Values, answers: Answers) -> None:
    start, limit, count = values["start"], values["limit"], graph.num_vertices
    tails, heads = ends(graph)
    first, second, visits = np.zeros(count, int), np.full(count, 5), np.zeros(count, int)
    largest, choice = 0, 0
    f = np.zeros(count, bool)
    f[start] = True
    kept = f.copy()
    for turn in range(4):
        reached = np.zeros(count, bool)
        reached[heads[f[tails]]] = True
        even = reached & (np.arange(count) % 2 == 0)
        visits[even] += 1
        f = even & (visits < 3)
        if f.sum() > limit:
            kept, choice = f.copy(), 1
        elif f.any():
            choice = 2
            second[f] += 1
        else:
            f, choice = kept.copy(), 3
        largest = max(largest, int(f.sum()))
        first[f] = turn
        first, second = second, first
        second[kept] += 2
    first[start] = choice + 100
    same(answers, first=first, second=second, visits=visits, choice=choice)
    same(answers, largest=int(kept.sum()), last=largest)


class Switches:
    """The state of the program `switches`, step by step."""

    def __init__(self, graph: Graph, values: Values) -> None:
        self.tails, self.heads = ends(graph)
        self.count, self.offset, self.shift = graph.num_vertices, values["offset"], values["shift"] % 32
        self.arrays: dict[str, Any] = {
            "lit": values["lamp"].copy(),
            "ever": np.zeros(self.count, bool),
            "always": np.ones(self.count, bool),
            "toggled": np.full(self.count, values["upside_down"]),
            "stamp": np.full(self.count, -1),
            "alike": np.zeros(graph.num_edges, bool),
        }
        self.spare = np.zeros(self.count, bool)
        self.scalars: dict[str, Any] = {"least": 2**63 - 1, "most": -(2**63) + 1, "total": 0, "rest": 1000}
        self.scalars |= {"product": 1, "meet": 2**32 - 1, "join": 0, "odd": False, "first_lit": -1}

    def spread(self) -> None:
        lit, given = self.arrays["lit"], self.arrays["lit"][self.tails]
        self.arrays["ever"][self.heads[given]] = True
        self.arrays["always"][self.heads[~given]] = False
        odd = np.bincount(self.heads[given], minlength=self.count) % 2 == 1
        self.arrays["alike"] = given == lit[self.heads]
        self.arrays["lit"], self.arrays["toggled"] = self.arrays["toggled"] ^ odd, lit

    def measure(self, iteration: int) -> None:
        s = self.scalars
        for v in np.flatnonzero(self.arrays["lit"]).tolist():
            weight = v * 5 - 3 + self.offset
            s["least"], s["most"] = min(s["least"], weight), max(s["most"], weight)
            s["total"], s["rest"] = s["total"] + weight, s["rest"] - weight
            s["product"] = s["product"] * (v * 2 + 1) % 2**32
            s["meet"] &= ~(1 << v % 32)
            s["join"] |= v << self.shift & (2**32 - 1)
            s["odd"] = not s["odd"]
            s["first_lit"] = v if s["first_lit"] < 0 else min(s["first_lit"], v)
            self.arrays["stamp"][v] = iteration


def check_switches(graph: Graph, values: Values, answers: Answers) -> None:
    state, turns, upside_down = Switches(graph, values), values["turns"], values["upside_down"]
    state.arrays["lit"][values["start"]] = True
    for turn in range(turns):
        if turn % 2 == 0 and not upside_down:
            state.spread()
        elif turn > 3 or upside_down:
            state.arrays["lit"], state.spare = np.ones(state.count, bool), state.arrays["lit"]
        else:
            state.measure(turn)
        for _ in range(2):
            for inner in range(turns - turn):
                state.measure(inner)
    state.arrays["stamp"][values["start"]] = 77
    same(answers, **state.arrays, **state.scalars)
    same(answers, passes=-1, other_passes=turns)


def switch_values(graph: Graph, seed: int) -> Values:
    lamp = random_of(graph, seed).random(graph.num_vertices) < 0.4
    start = source_of(graph, seed)
    return {"turns": seed % 6, "upside_down": seed % 5 == 4, "lamp": lamp, "offset": -seed, "start": start, "shift": 35}


def check_matching(graph: Graph, values: Values, answers: Answers) -> None:
    mate = np.asarray(answers["mate"]).astype(np.int64)
    tails, heads = ends(graph)
    matched = np.flatnonzero(mate >= 0)
    assert np.array_equal(mate[mate[matched]], matched), "mates name each other"
    assert (mate[matched] != matched).all()
    size = max(graph.num_vertices, 1)
    assert np.isin(matched * size + mate[matched], tails * size + heads).all(), "mates are neighbors"
    assert not ((mate[tails] < 0) & (mate[heads] < 0) & (tails != heads)).any(), "no edge can be added"
    same(answers, taken=mate >= 0, pairs=len(matched) // 2)


def key_of(vertex: int, seed: int) -> int:
    """The key that `independent_set` draws for a vertex."""
    y = (vertex + seed) * 0x9E3779B97F4A7C15 & MASK64
    y = (y ^ y >> 32) * 0xD6E8FEB86659FD93 & MASK64
    return (y ^ y >> 29) << 1 & MASK64 | 1


def check_independent_set(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    count = graph.num_vertices
    neighbors: list[set[int]] = [set() for _ in range(count)]
    for a, b in zip(tails.tolist(), heads.tolist(), strict=True):
        if a != b:
            neighbors[b].add(a)
    key = [key_of(v, values["seed"]) for v in range(count)]
    state, joined_in, turn = [0] * count, [-1] * count, 0
    while 0 in state:
        open_ = [v for v in range(count) if state[v] == 0]
        winners = [v for v in open_ if all(key[v] < key[u] for u in neighbors[v] if state[u] == 0)]
        for v in winners:
            state[v], joined_in[v] = 1, turn
        for v in winners:
            for u in neighbors[v]:
                state[u] = 2
        turn += 1
    same(answers, state=state, joined_in=joined_in, chosen=state.count(1))
    chosen = np.asarray(answers["state"]) == 1
    assert not (chosen[tails] & chosen[heads] & (tails != heads)).any()


def check_elements(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    count, start, goal, length = graph.num_vertices, values["start"], values["goal"], values["length"]
    hops = levels(count, tails, heads, [start])
    depth = hops[goal] if hops[goal] >= 0 else hops.max() + 1
    steps = int(depth)
    hops[hops > depth] = -1
    next_ = np.full(count, count)
    np.minimum.at(next_, tails, heads)
    distance, nearest, mark, bound = [], np.full(count, np.inf), start, 0.0
    for _ in range(values["k"]):
        found, before = np.full(count, np.inf), None
        found[mark] = 0
        while not np.array_equal(found, before):
            before = found.copy()
            np.minimum.at(found, heads, before[tails] + length)
        distance.append(found)
        nearest = np.minimum(nearest, found)
        if np.isfinite(found[[start, goal]]).all():
            bound = max(bound, abs(found[goal] - found[start]))
        mark = int(np.argmax(np.where(np.isinf(nearest), -1, nearest)))
    same(
        answers | {"distance": np.reshape(answers["distance"], (-1, len(distance)))},
        distance=np.stack(distance, 1),
        nearest=nearest,
        bound=bound,
        of_best=2 * nearest[mark],
    )
    same(answers, steps=steps, before_goal=hops[goal] - 1, loop=hops[goal] == 0, turns=goal % 7)
    hops[goal] = 100
    same(
        answers,
        hops=hops,
        next=np.where(next_ == count, -1, next_),
        walked=next_[start] if next_[start] < count else -1,
    )
    least, vertex = parts(answers, "best")
    same({"least": least, "vertex": vertex}, least=nearest, vertex=np.arange(count))
    same(answers, twice=2 * length, heaviest=2 * (length.max() + length[0]) if len(length) else 0)


def element_values(graph: Graph, seed: int) -> Values:
    random = random_of(graph, seed)
    length = random.integers(0, 9, graph.num_edges).astype(np.float32)
    goal = int(random.integers(graph.num_vertices))
    return {"start": source_of(graph, seed), "goal": goal, "k": 1 + seed % 3, "length": length}


SCHEDULES = (
    Case("names", check_names),
    Case("sets", check_sets, lambda graph, seed: {"start": source_of(graph, seed), "limit": seed % 5}, not_empty),
    Case("switches", check_switches, switch_values, not_empty),
    Case("elements", check_elements, element_values, not_empty, varies=True),
    Case("matching", check_matching, suits=symmetric),
    Case("independent_set", check_independent_set, lambda graph, seed: {"seed": seed * 17}, symmetric),
)
