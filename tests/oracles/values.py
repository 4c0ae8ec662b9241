"""Programs that calculate: integers of every width, functions and loops in functors, reductions, values on edges."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, both_ways, close, ends, random_of, same

MASK32, MASK64 = 2**32 - 1, 2**64 - 1
LARGEST32 = 2**31 - 1
MULTIPLIER = 0x9E3779B97F4A7C15


def wrapped32(x: int) -> int:
    """An integer as an int32 keeps it."""
    return (x + 2**31) % 2**32 - 2**31


def wrapped64(x: int) -> int:
    """An integer as an int64 keeps it."""
    return (x + 2**63) % 2**64 - 2**63


def truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder as C has them."""
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - quotient * b


def scrambled(x: int, times: int) -> int:
    for _ in range(times):
        x ^= x << 13 & MASK64
        x ^= x >> 7
        x ^= x << 17 & MASK64
    return x


def collatz_steps(x: int) -> int:
    steps = 0
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


def arithmetic_values(graph: Graph, seed: int) -> Values:
    seeds = random_of(graph, seed).integers(0, MASK64, graph.num_vertices, np.uint64, endpoint=True)
    return {"seed": seeds, "rounds": seed % 7}


def check_arithmetic(graph: Graph, values: Values, answers: Answers) -> None:
    vertices = range(graph.num_vertices)
    hashes = [scrambled(int(x), values["rounds"]) for x in values["seed"]]
    small = []
    for v in vertices:
        quotient, remainder = truncated(v - 5, 2)[0], truncated(v - 5, 3)[1]
        small.append(wrapped32(quotient * remainder + (~v & 12 | 3 ^ 5) + (1 << (v + 30) % 32)))
    low, bits, parity = MASK64, 0, 0
    for x in hashes:
        low, bits, parity = min(low, x), bits | x, parity ^ x
    same(
        answers,
        hash=np.array(hashes, np.uint64),
        digits=[len(str(x)) if x else 0 for x in hashes],
        steps=[collatz_steps(v % 27 + 1) for v in vertices],
        signed=[wrapped64(x * 3 - 2**62) for x in hashes],
        small=small,
        low=np.uint64(low),
        bits=np.uint64(bits),
        parity=np.uint64(parity),
    )
    close(answers, 1e-12, root=np.sqrt(np.array(hashes, np.float64)) + 1.5)
    close(answers, 0, mixed=[(1.5 if v > 3 else 0.25) * v for v in vertices])


def reduced(graph: Graph, at: np.ndarray, what: np.ndarray, operation: np.ufunc, identity: int) -> np.ndarray:
    """The reduction of `what` by vertex `at`, in the type of `what`."""
    result = np.full(graph.num_vertices, identity, what.dtype)
    operation.at(result, at, what)
    return result


def neighborhood_values(graph: Graph, seed: int) -> Values:
    random = random_of(graph, seed)
    score = random.integers(-(2**31), 2**31, graph.num_vertices).astype(np.int32)
    return {"score": score, "flag": random.random(graph.num_vertices) < 0.5}


def check_neighborhoods(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    score, flag = values["score"], values["flag"]
    bits = score.view(np.uint32)
    counts = np.bincount(heads, minlength=graph.num_vertices)
    flags = np.bincount(heads[flag[tails]], minlength=graph.num_vertices)
    least = reduced(graph, heads, tails, np.minimum, graph.num_vertices)
    same(
        answers,
        in_sum=reduced(graph, heads, score[tails], np.add, 0),
        in_least=reduced(graph, heads, score[tails], np.minimum, LARGEST32),
        out_most=reduced(graph, tails, score[heads], np.maximum, -LARGEST32 - 1),
        in_product=reduced(graph, heads, score[tails], np.multiply, 1),
        some_flag=flags > 0,
        every_flag=flags == counts,
        all_bits=reduced(graph, heads, bits[tails], np.bitwise_and, MASK32),
        any_bits=reduced(graph, heads, bits[tails], np.bitwise_or, 0),
        odd_bits=reduced(graph, heads, bits[tails], np.bitwise_xor, 0),
        flags=flags,
        touching=np.where(flag, 7 * (graph.out_degrees + graph.in_degrees), 7),
        nearest=np.where(least == graph.num_vertices, -1, least),
    )


def places(graph: Graph) -> np.ndarray:
    """The place of every edge in its source's list."""
    return np.arange(graph.num_edges) - graph.offsets[graph.edge_sources]


def check_lookups(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    count = graph.num_vertices
    pointer = np.arange(count)
    np.minimum.at(pointer, heads, tails)
    second = pointer[pointer]
    moved = second[second != np.arange(count)]
    same(
        answers,
        pointer=pointer,
        second=second,
        weighed=np.bincount(moved, minlength=count),
        order=np.arange(graph.num_edges) // 2,
        at=places(graph),
        degree_of=graph.out_degrees[second] * 100 + graph.in_degrees[second],
    )


def edge_values(graph: Graph, seed: int) -> Values:
    weight = random_of(graph, seed).normal(2, 3, graph.num_edges).astype(np.float32)
    return {"weight": weight, "bend": 0.5 + seed % 3}


def edge_codes(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(code, level, bits set in the code) of every edge."""
    edge = np.arange(graph.num_edges)
    code = edge.astype(np.uint64) * np.uint64(MULTIPLIER)
    bits = np.unpackbits(code.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1, dtype=np.int64)
    return code, graph.num_edges - edge - (places(graph) << 40), bits


def check_edge_values(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    count, weight = graph.num_vertices, values["weight"].astype(np.float64)
    code, level, bits = edge_codes(graph)
    positive = np.maximum(weight, 0)
    length = positive ** values["bend"] + np.log(1 + positive) * np.exp(-positive)
    length = np.where(weight < 0, -np.sqrt(np.abs(weight)), length)
    apart = tails != heads
    out_code = reduced(graph, tails[apart], (code * code)[apart], np.add, 0)
    out_code[:1] = 1
    degrees = graph.out_degrees.astype(np.int64) - graph.in_degrees
    entered = np.bincount(heads[apart], minlength=count)
    same(
        answers,
        code=code,
        level=level,
        partner=np.maximum(tails, heads),
        itself=np.arange(graph.num_edges),
        bucket=bits * 100 + np.floor(np.abs(weight)) + np.ceil(values["bend"]),
        out_code=out_code,
        in_level=reduced(graph, heads[apart], level[apart], np.maximum, -(2**63) + 1),
        narrow=(degrees + entered * LARGEST32).astype(np.int32),
        checksum=(code ^ level.astype(np.uint64))[apart].sum(dtype=np.uint64),
        negatives=int((weight < 0).sum()),
    )
    near, _, edge = both_ways(graph)
    ratio = np.arange(count) / (count - 1) if count > 1 else np.full(count, 0.5)
    reach = np.full(count, -np.inf)
    np.maximum.at(reach, near, length[edge])
    close(answers, 1e-6, ratio=ratio)
    close(answers, 1e-9, length=length, reach=reach, longest=length[weight >= 0].max(initial=-np.inf))


def check_fetched(heads: np.ndarray, weight: np.ndarray, before: np.ndarray) -> None:
    """Assert that `before` are the values that a growing maximum had, for some order of the edges of each head."""
    for head in np.unique(heads):
        edges = np.flatnonzero(heads == head)
        raising = {float(before[e]): float(weight[e]) for e in edges if weight[e] > before[e]}
        assert len(raising) == sum(weight[e] > before[e] for e in edges), "one edge raises a maximum to the next"
        seen, level = set(), float("-inf")
        while level in raising:
            seen.add(level)
            level = raising[level]
        assert set(map(float, before[edges])) <= seen | {level}
        assert seen == set(raising)


def check_tickets(graph: Graph, values: Values, answers: Answers) -> None:
    _, heads = ends(graph)
    count, seats = graph.num_vertices, values["seats"]
    queue = np.bincount(heads, minlength=count)
    ticket, edge = np.asarray(answers["ticket"]), np.arange(graph.num_edges)
    same(answers, queue=queue, seated=ticket < seats)
    order = np.lexsort((ticket, heads))
    starts = np.concatenate([[0], np.cumsum(queue)])
    assert np.array_equal(ticket[order], edge - starts[heads[order]]), "the tickets of a vertex are 0, 1, 2, …"
    last = np.asarray(answers["last"]).astype(np.int64)
    seated = (queue > 0) & (seats > 0)
    assert np.array_equal(last >= 0, seated)
    assert np.array_equal(heads[last[seated]], np.flatnonzero(seated))
    assert (ticket[last[seated]] < seats).all()
    crowd = np.asarray(answers["crowd"])
    assert (np.minimum(queue, seats) <= crowd).all()
    assert (crowd <= queue).all()
    weight = (edge % 7 / 2).astype(np.float32)
    heaviest = np.full(count, -np.inf, np.float32)
    np.maximum.at(heaviest, heads, weight)
    same(answers, heaviest=heaviest)
    check_fetched(heads, weight, np.asarray(answers["was_heavier"]))


def check_game_values(graph: Graph, values: Values, answers: Answers) -> None:
    tails, heads = ends(graph)
    after = [set[int]() for _ in range(graph.num_vertices)]
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        if tail < head:
            after[tail].add(head)
    worth = [0] * graph.num_vertices
    for v in reversed(range(graph.num_vertices)):
        found = {worth[w] for w in after[v]}
        worth[v] = next(x for x in range(len(found) + 1) if x not in found)
    same(answers, worth=worth)


VALUES = (
    Case("arithmetic", check_arithmetic, arithmetic_values),
    Case("neighborhoods", check_neighborhoods, neighborhood_values),
    Case("lookups", check_lookups),
    Case("edge_values", check_edge_values, edge_values),
    Case("game_values", check_game_values, varies=True),
    Case("tickets", check_tickets, lambda graph, seed: {"seats": seed % 4}),
)
