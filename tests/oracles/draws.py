"""The program of random numbers, of bits, angles and short assignments."""

from __future__ import annotations

from functools import cache

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, close, ends, same
from .philox import number  # which shares nothing with the compiler


@cache
def drawn(word: str, *values: int) -> float:
    return number(word, values)  # type: ignore[no-any-return]


def column(count: int, word: str, *values: int | None) -> np.ndarray:
    """A number for each id, which stands where a value is None."""
    return np.array([drawn(word, *(i if value is None else value for value in values)) for i in range(count)])


def check_spread(graph: Graph, seed: int, answers: Answers) -> None:
    tails, heads = ends(graph)
    kept = column(graph.num_edges, "random_below", 4, None, seed) != 0
    label = np.arange(graph.num_vertices)
    before = None
    while before is None or (label != before).any():
        before = label.copy()
        np.minimum.at(label, heads[kept], label[tails[kept]])
    lowest = np.arange(graph.num_vertices)
    np.minimum.at(lowest, heads, tails)
    same(answers, kept=kept, label=label, moved=False, lowest=lowest, lower=lowest < np.arange(graph.num_vertices))
    left = column(graph.num_vertices, "random_below", graph.num_edges + 1, None, seed).astype(np.int64)
    most = left.copy()
    np.maximum.at(most, heads, tails // 2)
    same(answers, steady=bool((most == left).all()), left=most % 17)


def check_numbers(graph: Graph, seed: int, answers: Answers) -> None:
    count = graph.num_vertices
    bits = [int(drawn("random_bits", seed, v)) for v in range(count)]
    zeros = [(x & -x).bit_length() - 1 for x in bits]
    same(
        answers,
        ones=[f"{x:b}".count("1") for x in bits],
        zeros=zeros,
        bits=np.array([(x >> zero) // 3 << 1 for x, zero in zip(bits, zeros, strict=True)], np.uint64),
    )
    weight = (np.float32(1) + column(count, "random", None, seed).astype(np.float32)).astype(np.float64)
    other = np.arccos(1 / weight)
    heading = np.arctan2(np.sin(weight), np.cos(other) + 2) * np.tanh(weight - other)
    constant = float(np.sinh(np.float32(0.5))) + float(np.cosh(np.arcsin(np.float32(0.5))))
    close(answers, 1e-6, angle=heading + np.arctan(np.tan(weight / 2)) * constant)
    close(answers, 0, weight=weight / (1 + graph.out_degrees))
    edges = graph.num_edges
    length = np.floor(column(edges, "random", None).astype(np.float32) * np.float32(16))
    for round_ in range(2):
        length = np.where(column(edges, "random", None, round_, seed) < 0.5, length / 2, length)
    close(answers, 0, length=length)


def check_draws(graph: Graph, values: Values, answers: Answers) -> None:
    seed = values["seed"]
    check_spread(graph, seed, answers)
    check_numbers(graph, seed, answers)
    budget, code = 1 << 40, 1
    for round_ in range(3):
        below = int(drawn("random_below", 3, seed, round_))
        budget //= 2 + below
        code = code << below & 0xFFFFFFFF ^ int(drawn("random_bits", round_, seed)) & 0xFFFFFFFF
    same(answers, budget=budget % 1000, code=code >> 2)


DRAWS = (Case("draws", check_draws, lambda graph, seed: {"seed": seed * 1000003 - 5}, slow=True),)
