"""Programs that reduce arrays, against NumPy."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, close, random_of, same

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
    same(answers, nearest=nearest, last=last)
    same(answers, quietest=first_of(noise, least), loudest=first_of(noise, most))
    same(answers, longest=first_of(length, length.max(initial=0)))
    check_halving(load, answers)
    odd, chosen = np.flatnonzero(load % 2 * np.sign(load) == 1), length % 3 == 0
    same(answers, span=load[odd].max() - load[odd].min() if len(odd) else 0, all_set=True)
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


REDUCTIONS = (Case("array_reductions", check_arrays, array_values),)
